"""The typer application: its help, its version, its exit status on a deliberate error."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import dpframe as dp

from .printing import complain, page


class Group(TyperGroup):
    """Prints a deliberate error as its sentence, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; 2 is the exit status of a bad argument."""
        try:
            return super().invoke(ctx)
        except dp.Uncertified as error:
            page(str(error))
            raise typer.Exit(1) from None
        except dp.DPFrameError as error:
            complain(str(error))
            raise typer.Exit(2) from None


app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Private regressions, proved before they run.",
)


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print it.")] = False) -> None:
    if version:
        typer.echo(f"dpframe {dp.__version__}")
