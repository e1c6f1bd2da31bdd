"""Statistics of unbounded sensitivity. They may be declared, so that the verifier can refuse them
and show the path.
"""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import Expression, Symbol
from dpframe.symbols.expression import Domain
from dpframe.wording import say

from ..node import Array, DataNode, Numbers, Values, titled
from ..rows import SIZE, RowsNode
from .base import Statistic

Counterexample = tuple[str, str, str]  # what it is, its value on a table, and on a neighbour
VANISHING: dict[str, Counterexample] = {
    "max_abs": ("the largest |entry|", "1 row of zeros gives 0", "with one row of norm B it is B"),
    "std": ("column standard deviations", "n equal rows give 0", "one other row makes it positive"),
    "maximum": ("column maxima", "rows at 0 give 0", "one row at B gives B"),
    "quantile": ("a quantile", "1 row at 0 gives 0", "replaced by a row at B it is B"),
    "max_norm": (
        "the largest row norm",
        "n rows of norm 1 give 1",
        say("one more of norm B divides all n by B: sums of them move by $n (1 - 1/B)$"),
    ),
}
"""Arbitrarily small on some table of records near 0, where such occur, and not on a neighbour."""
AGGREGATES = VANISHING | {
    "mean": (
        "column means",
        say(
            "centred and divided by their norms, $n - 1$ rows at 0 beside one at 1 are $n - 1$ "
            "times $-1$"
        ),
        say(
            "with that one at $-1$ they are $n - 1$ times 1: $X'y$ of labels 1 moves by $2 (n - 1)$"
        ),
    ),
    "minimum": ("column minima", "rows at 0 give 0", "one row at -B gives -B"),
    "smooth_sensitivity": (
        "the smooth sensitivity of the median",
        "n equal labels give at most exp(-n b/2) times their range",
        "one label that differs multiplies it by up to exp(b)",
    ),
    "cross_validated": (
        "a parameter chosen by cross-validation",
        "1 row at 0 leaves all candidates equal",
        "one row at (B, Y) decides between them",
    ),
    "selected": (
        "columns chosen by their correlation with y",
        "2 rows at 0 choose none",
        "one row at (B e, Y) chooses that of e",
    ),
    "least_squares": (
        "the coefficients of least squares",
        "one row h e with label 0 gives 0",
        "one more of label Y gives Y/(2 h), without bound as h falls",
    ),
    "correlation": ("correlations with y", "2 rows at 0 give 0", "one row at (B, Y) makes them 1"),
}


@attrs.frozen(cache_hash=True)
class RawAggregate(Statistic):
    """An aggregate of raw rows; the verifier refuses it and shows the path by which it is used."""

    kind: ClassVar[str] = "raw"
    label = titled("{0.name}")
    name: str = attrs.field()
    data: DataNode

    @name.validator
    def _explained(self, attribute: object, value: object) -> None:
        if value not in AGGREGATES:
            raise InvalidArgument("aggregate", f"one of {', '.join(AGGREGATES)}", value, "")

    def record(self) -> dict[str, object]:
        """Its name: no rule reads it, and aggregates of one input differ by it."""
        return {"name": self.name}

    @property
    def vanishes(self) -> bool:
        """Whether it is arbitrarily close to 0 on some table, and not on a neighbour."""
        return self.name in VANISHING

    def __expression__(self) -> Expression:
        """Its value, which makes a formula private; two aggregates of one name differ by their
        input.
        """
        return Symbol(f"value of {self.name} of {self.data.label}", Domain(), self)

    def compute(self, values: Values, number: Numbers) -> Array:
        """Never called: no certificate contains it."""
        raise InvalidArgument("graph", "free of raw aggregates", self.name, "")


@attrs.frozen(cache_hash=True)
class Identity(Statistic):
    """The rows or labels themselves, shape (n, d) or (n,), which is private under add/remove."""

    kind: ClassVar[str] = "identity"
    unbounded: ClassVar[bool] = True
    label = titled("every row of {0.data.label}")
    data: DataNode

    @property
    def shape(self) -> tuple[Expression, ...]:  # type: ignore[override]
        """(n, ...)."""
        if isinstance(self.data, RowsNode):
            return (self.data.rows, self.data.columns)
        return (Symbol("n", SIZE, self),)

    def compute(self, values: Values, number: Numbers) -> Array:
        """The data."""
        return values[self.data]
