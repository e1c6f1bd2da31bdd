"""A mutant: a declaration with one edit of its graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Regression, RowsNode, Setting
from dpframe.graph.node import noting
from dpframe.privacy import Guarantee, Share

from .operators import BENIGN, BREAKING, OPERATORS
from .subject import Change, Operator, Subject


def _known(_: object, __: object, name: str) -> None:
    if name not in OPERATORS:
        raise InvalidArgument("operator", f"one of {', '.join(OPERATORS)}", name, "")


def _declaration(_: object, __: object, value: Any) -> None:
    if not isinstance(value, Regression):
        raise InvalidArgument("of", "a declaration", value, "Such as dp.SSP().")


class Mutant(Regression):
    """The `place`-th edit that an operator makes of another declaration: a declaration itself, to
    be judged like any other, and never to be used.
    """

    title: ClassVar[str] = "mutant"
    of: Regression = attrs.field(validator=_declaration)
    operator: str = attrs.field(validator=_known)
    place: int = 0

    def __str__(self) -> str:
        """`SSP(ridge=1), edited: half (0)`."""
        return f"{self.of}, edited: {self.operator} ({self.place})"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The edited output. Raises InvalidArgument where the edit has no words in a graph."""
        changes = OPERATORS[self.operator].changes(Subject(self.of, X, y, budget))
        with noting():  # what is edited is released anew
            change = next(islice(changes, self.place, None), None)
            if change is None:
                wanted = f"a place where {self.operator!r} changes {self.of}"
                raise InvalidArgument("place", wanted, self.place, "mutants(...) lists them.")
            return change.output()


def edits(
    regression: Regression, target: Guarantee, setting: Setting
) -> Iterator[tuple[Operator, int, Change]]:
    """Every edit of a declaration by every operator, with its place. Raises what an operator does
    that cannot list its edits: none is left out silently.
    """
    X, y = setting.nodes()
    subject = Subject(regression, X, y, target.budget)
    for operator in (*BREAKING, *BENIGN):
        for place, change in enumerate(operator.changes(subject)):
            yield operator, place, change
