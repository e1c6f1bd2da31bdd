"""A statistic that dpframe has no rule for: its sensitivity is taken on the word of whoever states
it, and every verdict that rests on it says so by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import NotExecutable
from dpframe.graph import ColumnNode, Node, Reading, RowsNode
from dpframe.graph.statistics import Statistic
from dpframe.graph.statistics.base import OneRow
from dpframe.privacy import ADD_REMOVE, Relation, Unit
from dpframe.sensitivity import L1, L2, Norm
from dpframe.symbols import RELEASED, Expression, to_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpframe.graph.arrays import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class StatedStatistic(Statistic):
    """A statistic of X and y known by its name only. One row moves it by at most `sensitivity` in
    `norm` (L1 bounds L2 too) under `relation`: stated, with the reason `why`, never derived.

    Under replace-one a sensitivity that is stated for add/remove counts twice: one row leaves, one
    comes. The converse says nothing.
    """

    kind: ClassVar[str] = "stated"
    name: str
    X: RowsNode
    y: ColumnNode | None
    sensitivity_of_row: Expression
    norm: Norm
    relation: Relation
    why: str
    size: Expression

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, and y where there is one."""
        return (self.X,) if self.y is None else (self.X, self.y)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.X.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """(size,)."""
        return (self.size,)

    @property
    def label(self) -> str:
        """The name."""
        return self.name

    @property
    def readings(self) -> dict[str, Reading]:
        """The sensitivity and the size, which must be public."""
        return {
            "stated sensitivity": Reading(self.sensitivity_of_row, RELEASED, positive=True),
            "size": Reading(self.size, positive=True),
        }

    @property
    def assumption(self) -> str:
        """What is taken on its word."""
        why = " ".join(self.why.split())
        return (
            f"the sensitivity of {self.name} is stated, not derived: one row moves it by at most "
            f"{self.sensitivity_of_row} in {self.norm} ({self.relation}), because: {why}"
        )

    def record(self) -> dict[str, object]:
        """All that is stated."""
        return {
            "name": self.name,
            "sensitivity": to_json(self.sensitivity_of_row),
            "norm": str(self.norm),
            "relation": self.relation.value,
            "size": to_json(self.size),
            "why": self.why,
        }

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """What is stated; None in a norm or under a relation about which nothing is."""
        covered = norm is self.norm or (norm is L2 and self.norm is L1)
        if not covered or (relation is ADD_REMOVE and self.relation is not ADD_REMOVE):
            return None
        if relation is self.relation:
            return OneRow(self.sensitivity_of_row, "stated, not derived")
        return OneRow(2 * self.sensitivity_of_row, "stated for one row that leaves or comes, twice")

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Never: nobody has said what it is. Raises NotExecutable."""
        del values, number
        text = f"{self.name} is described by its sensitivity only. Write a dp.Statistic to run it."
        raise NotExecutable(text)
