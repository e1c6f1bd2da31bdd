"""The typer application: commands that load when they are chosen, the version, and the exit status
of a deliberate error.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import dpframe as dp
from dpframe.errors import DPFrameError, Uncertified

COMMANDS = (  # modules beside this one, each with its typer application, as the help page has them
    "list",
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
    """Prints a deliberate error as its sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; 2 is the exit status of a bad argument."""
        try:
            return super().invoke(ctx)
        except Uncertified as error:
            from .printing import page

            page(str(error))
            raise typer.Exit(1) from None
        except DPFrameError as error:
            from .printing import complain, spelled

            complain(spelled(str(error)))
            raise typer.Exit(2) from None
        except BrokenPipeError:  # whoever read the output has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OverflowError:
            from .printing import complain

            complain("numbers must be between -1.8e308 and 1.8e308; got a larger one.")
            raise typer.Exit(2) from None
        except Exception as error:
            of_typer = hasattr(error, "exit_code") or isinstance(error, typer.Abort)
            if of_typer or os.environ.get("DPFRAME_TRACEBACK"):
                raise
            from .printing import complain

            complain(unforeseen(error))  # its text might quote data
            raise typer.Exit(3) from None


def unforeseen(error: Exception) -> str:
    """The sentence for an error that nobody wrote a sentence for: its class and its place."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if PLACE in frame.filename] or frames
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}"
    return (
        f"dpframe made a mistake: {type(error).__name__} in {place}. DPFRAME_TRACEBACK=1 shows "
        "where; its message may quote data."
    )


class Later(TyperCommand):
    """A command of COMMANDS whose module loads when it is run; the help page has a line of it."""

    def __init__(self, name: str) -> None:
        super().__init__(name, help=line(name))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """That of the command itself, which is then what runs."""
        module = import_module(f".{self.name}", __package__)
        return typer.main.get_command(module.app).make_context(*args, **kwargs)


class Commands(Group):
    """All of COMMANDS."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for name in COMMANDS:
            self.add_command(Later(name))


def line(name: str) -> str:
    """What the docstring of a command's module says after `dpframe NAME:`, read without an import;
    empty where there is no source.
    """
    source = pkgutil.get_data(__package__, f"{name}.py") or b""
    found = LINE.match(source.decode())
    text = "" if found is None else " ".join(found[1].split())
    return text[:1].upper() + text[1:]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"dpframe {dp.__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print it.", is_eager=True, callback=_version)
]
app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Private regressions, proved before they run.",
)


@app.callback()
def _options(version: Version = False) -> None:
    del version  # it is printed before anything else is looked at
