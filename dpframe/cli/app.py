"""The typer application: commands that load when they are chosen, the version, and the exit status
of a deliberate error.
"""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
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
    "dossier",
    "split",
    "ledger",
    "experiment",
)
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
            from .printing import complain

            complain(str(error))
            raise typer.Exit(2) from None


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
