"""The typer application: commands that are imported when they run, the version, and the exit
status of errors.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
import traceback
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import dpframe as dp
from dpframe.errors import DPFrameError, Uncertified

COMMANDS = (  # modules of this package with a typer application each, in the order of the help
    "list",
    "recommend",
    "certify",
    "audit",
    "attack",
    "compare",
    "fit",
    "check",
    "diff",
    "split",
    "ledger",
    "experiment",
)
PLACE = f"{os.sep}dpframe{os.sep}"
LINE = re.compile(r'\A"""dpframe [\w-]+: (.+?)(?:"""|\n\n)', re.DOTALL)


class Group(TyperGroup):
    """Prints errors of dpframe as one sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; 2 is the exit status of a bad argument."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = warned  # without a place in code
                return super().invoke(ctx)
        except BrokenPipeError:  # the reader of the output has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except Exception as error:
            if hasattr(error, "exit_code") or isinstance(error, typer.Abort):  # of typer
                raise
            from .printing import complain, page, spelled

            if isinstance(error, Uncertified):
                page(str(error))
                raise typer.Exit(1) from None
            if isinstance(error, DPFrameError):
                complain(spelled(getattr(error, "for_command", str(error))))
            elif isinstance(error, OverflowError):
                complain("numbers must be between -1.8e308 and 1.8e308; got a larger one.")
            elif os.environ.get("DPFRAME_TRACEBACK"):
                raise
            else:
                complain(unforeseen(error))  # its text might quote data
                raise typer.Exit(3) from None
            raise typer.Exit(2) from None


def warned(message: Warning | str, *_: object) -> None:
    """Print a warning on standard error as a sentence."""
    from .printing import complain, spelled

    complain(f"Warning: {spelled(str(message))}", style="yellow")


def unforeseen(error: Exception) -> str:
    """The message for an unexpected error: its class and its place."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if PLACE in frame.filename] or frames
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}"
    return (
        f"dpframe made a mistake: {type(error).__name__} in {place}. DPFRAME_TRACEBACK=1 shows "
        "where; its message may quote data."
    )


def _flags_alone(parameters: Iterable[Any]) -> None:
    """Show flags in the help without the type of a value."""
    for one in parameters:
        if getattr(one, "is_flag", False):
            one.metavar = ""


class LazyCommand(TyperCommand):
    """A command of COMMANDS whose module is imported when it runs; the help shows one line."""

    def __init__(self, name: str) -> None:
        super().__init__(name, help=line(name))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """The context of the imported command, which then runs."""
        module = import_module(f".{self.name}", __package__)
        command = typer.main.get_command(module.app)
        for one in (command, *getattr(command, "commands", {}).values()):
            _flags_alone(one.get_params(typer.Context(one)))
        return command.make_context(*args, **kwargs)


MEANT = dict.fromkeys(("verify", "validate"), "check")


class Commands(Group):
    """All of COMMANDS."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for name in COMMANDS:
            self.add_command(LazyCommand(name))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of these arguments; the usual word for another one names that."""
        if args[0] in MEANT:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{MEANT[args[0]]}'?")
        return super().resolve_command(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of dpframe itself."""
        parameters: list[Any] = super().get_params(ctx)
        _flags_alone(parameters)
        return parameters


def line(name: str) -> str:
    """The first sentence of a command's module after `dpframe NAME:`, read without an import; empty
    if there is no source.
    """
    source = pkgutil.get_data(__package__, f"{name}.py") or b""
    match = LINE.match(source.decode())
    text = "" if match is None else " ".join(match[1].split())
    return text[:1].upper() + text[1:]


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"dpframe {dp.__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_version)
]
app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Differentially private regression, proved before it runs.",
    epilog="dpframe COMMAND --help shows the options and an example of each command.",
)


@app.callback()
def _options(version: Version = False) -> None:
    del version  # printed by the callback of the option
