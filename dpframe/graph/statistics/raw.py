"""Aggregates of the data that no rule bounds: they may be declared, so that the verifier can refuse
them by their path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import Norm
from dpframe.symbols import Expression, Symbol
from dpframe.symbols.domain import Domain

from ..node import DataNode, Node
from .base import OneRow, Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]

# name -> (what it is, its value on a table, its value on a neighbour): the counterexample that a
# refusal prints
AGGREGATES = {
    "max_abs": ("the largest |entry|", "1 row of zeros gives 0", "with one row of norm B it is B"),
    "mean": (
        "column means",
        "n - 1 rows at 0 and one at 1 are, less their mean and over their norms, n - 1 times -1",
        "with that one at -1 they are n - 1 times 1: X'y of labels 1 moves by 2 (n - 1)",
    ),
    "std": ("column standard deviations", "n equal rows give 0", "one other row makes it positive"),
    "minimum": ("column minima", "rows at 0 give 0", "one row at -B gives -B"),
    "maximum": ("column maxima", "rows at 0 give 0", "one row at B gives B"),
    "quantile": ("a quantile", "1 row at 0 gives 0", "replaced by a row at B it is B"),
    "max_norm": (
        "the largest row norm",
        "n rows of norm 1 give 1",
        "one more of norm B divides all n by B: sums of them move by n (1 - 1/B)",
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
    """An aggregate of raw rows with no rule for its sensitivity: fit for nothing but a refusal that
    names its path.
    """

    kind: ClassVar[str] = "raw"
    name: str
    data: DataNode

    def __attrs_post_init__(self) -> None:
        """Only names that a refusal can explain."""
        if self.name not in AGGREGATES:
            raise InvalidArgument("aggregate", f"one of {', '.join(AGGREGATES)}", self.name, "")

    @property
    def inputs(self) -> tuple[Node, ...]:
        """What it aggregates."""
        return (self.data,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.data.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """()."""
        return ()

    @property
    def label(self) -> str:
        """`max_abs`."""
        return self.name

    def __expression__(self) -> Expression:
        """Its value, which taints a formula; two of one name differ by what they aggregate."""
        return Symbol(f"value of {self.name} of {self.data.label}", Domain(), self)

    def record(self) -> dict[str, object]:
        """The name."""
        return {"name": self.name}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """No rule bounds it."""
        del norm, relation
        return None

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Never: no certificate contains it."""
        del number
        raise InvalidArgument("graph", "free of raw aggregates", self.name, "")


@attrs.frozen(cache_hash=True)
class Identity(Statistic):
    """The rows or labels themselves, shape (n, d) or (n,): a shape that is private under
    add/remove, and no rule bounds its release.
    """

    kind: ClassVar[str] = "identity"
    data: DataNode

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The data."""
        return (self.data,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.data.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """(n, ...)."""
        from ..rows import SIZE, Rows

        if isinstance(self.data, Rows):
            return (self.data.rows, self.data.columns)
        return (Symbol("n", SIZE, self),)

    @property
    def label(self) -> str:
        """The data's."""
        return f"every row of {self.data.label}"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """No rule bounds it."""
        del norm, relation
        return None

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """The data."""
        del number
        return values[self.data]
