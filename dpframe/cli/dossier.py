"""dpframe dossier: every published claim, printed or coded, and what it really costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

import dpframe as dp

from .options import Json, RelationName, option
from .printing import print_json, width

if TYPE_CHECKING:
    from dpframe.literature.dossier import Case

app = typer.Typer(add_completion=False)

COLOURS = {
    r"\bproved\b": "green",
    r"\brefuted\b": "bold red",
    r"\bnot proved\b": "yellow",
    r"(none, )?(> |>= )?[\w.-]+( to [\w.]+)?!": "bold red",
}
TABLE = 150  # columns of the table

Names = Annotated[
    list[str] | None, typer.Argument(help="Only these, as `dpframe list` prints them.")
]
Only = Annotated[RelationName | None, option("--relation", "Only this one. Left out: both.")]
Why = Annotated[bool, typer.Option("--why/--table", help="With reasons, or the table alone.")]


@app.command()
def dossier_(
    names: Names = None, *, relation: Only = None, why: Why = True, as_json: Json = False
) -> None:
    """Every published claim, printed or coded: verdict, true cost, reason, repair."""
    from dpframe.literature.dossier import by_relation, dossier_text

    relations = tuple(dp.Relation) if relation is None else (relation.relation,)
    found = list(_followed(_named(names), relations))
    if as_json:
        print_json([one.record() for one in found])
    else:
        _say(dossier_text(by_relation(found), max(width(), TABLE), why=why))


def _named(names: Sequence[str] | None) -> tuple[type[dp.Regression], ...]:
    """The classes of these names; all where there are none. Raises InvalidArgument."""
    from dpframe.literature.dossier import subjects

    known = {cls.__name__: cls for cls in subjects()}
    for name in names or ():
        if name not in known:
            way_out = f"One of {', '.join(known)}."
            raise dp.InvalidArgument("NAME", "a printed or coded regression", name, way_out)
    return tuple(known[name] for name in names) if names else subjects()


def _followed(
    classes: Sequence[type[dp.Regression]], relations: Sequence[dp.Relation]
) -> Iterable[Case]:
    """Cases, with a bar on standard error where that is a terminal."""
    from dpframe.literature.dossier import dossier

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task("", total=len(classes) * len(relations))
        for cls in classes:
            progress.update(task, description=cls.__name__)
            for one in dossier([cls], relations):
                progress.advance(task)
                yield one


def _say(text: str) -> None:
    shown = Text(text)
    for pattern, style in COLOURS.items():
        shown.highlight_regex(pattern, style)
    Console(highlight=False, soft_wrap=True).print(shown)
