"""A statistic that dpframe has no rule for: its sensitivity is taken on the word of whoever states
it, and every verdict that rests on it says so by name.

Sensitivities as a paper states them, beside those that follow from rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import NotExecutable
from dpframe.graph import ColumnNode, Graph, Node, Reading, Release, RowsNode
from dpframe.graph.statistics import Statistic
from dpframe.graph.statistics.base import OneRow
from dpframe.privacy import ADD_REMOVE, Relation, Unit
from dpframe.prover.algebra import Field
from dpframe.prover.sign import nonnegative
from dpframe.sensitivity import L1, L2, RANGE, Norm
from dpframe.symbols import RELEASED, Expression, to_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpframe.graph.arrays import Numbers

    Array = NDArray[Any]


EQUAL, TOO_SMALL, TOO_LARGE, UNCLEAR, NO_RULE = (
    "equal",
    "too small",
    "larger than derived",
    "not comparable",
    "no rule",
)
SAYS = {
    EQUAL: "as derived",
    TOO_SMALL: "smaller than what is derived: noise that is sized by it is too small",
    TOO_LARGE: "larger than what is derived: noise that is sized by it is more than is needed",
    UNCLEAR: "neither seen to be larger nor to be smaller than what is derived",
    NO_RULE: "not compared: nothing is derived",
}


@attrs.frozen
class ClaimedSensitivity:
    """What a paper says that one row moves, and the bound that dpframe derives, in the norm of the
    noise. `verdict`: equal, too small, larger than derived, not comparable, no rule. Derived bounds
    are upper bounds: where `attained` is False, a smaller claim may be true.
    """

    release: str
    written: str
    claimed: Expression
    derived: Expression | None
    norm: str
    rule: str
    attained: bool
    verdict: str

    @property
    def differs(self) -> bool:
        """Whether a page must say so."""
        return self.verdict != EQUAL

    def __str__(self) -> str:
        """`gram: the paper says 1; derived B^2 (L2): smaller than ...`."""
        if self.derived is None:
            return f"{self.release}: the paper says {self.written}; {SAYS[self.verdict]}"
        found = f"{self.derived} ({self.norm}; {self.rule})"
        return f"{self.release}: the paper says {self.written}, {SAYS[self.verdict]}: {found}"

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        found = attrs.asdict(self, recurse=False)
        return {
            name: str(value) if isinstance(value, Expression) else value
            for name, value in found.items()
        }


def compared(
    graph: Graph, claims: Mapping[str, tuple[str, Expression]]
) -> Iterator[ClaimedSensitivity]:
    """Each claim, as it is written and as a formula, beside what is derived for the release of that
    name.
    """
    for release in graph.releases:
        if release.name in claims:
            yield _compared(release, *claims[release.name])


def _compared(release: Release, written: str, claimed: Expression) -> ClaimedSensitivity:
    norm = release.noise.norm
    moved = release.statistic.one_row(norm, release.statistic.unit.relation)
    told = partial(ClaimedSensitivity, release.name, written, claimed)
    if moved is None or release.statistic.kind == "stated":
        return told(None, str(norm), "", attained=False, verdict=NO_RULE)
    verdict = _verdict(claimed, moved.value)
    return told(moved.value, str(norm), moved.rule, attained=moved.attained, verdict=verdict)


def _verdict(claimed: Expression, derived: Expression) -> str:
    field = Field(claimed.symbols() | derived.symbols())
    if claimed == derived or field.constant(claimed - derived) == 0:
        return EQUAL
    above, below = nonnegative(claimed - derived, field), nonnegative(derived - claimed, field)
    if above.proved and below.proved:
        return EQUAL
    if above.proved:
        return TOO_LARGE
    return TOO_SMALL if below.proved or above.witness is not None else UNCLEAR


@attrs.frozen(cache_hash=True)
class StatedStatistic(Statistic):
    """A statistic of X and y known by its name only. One row moves it by at most `sensitivity` in
    `norm` (L1 bounds L2 and the range too) under `relation`: stated, with the reason `why`, never
    derived.

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
    given: Expression | None = None
    """A lower bound: what is stated holds where that holds and is above 0; else it is constant."""
    condition: str = ""
    """What else it holds for, in words, which nothing shows: then it bounds nothing."""

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
        given = {} if self.given is None else {"given": Reading(self.given, RELEASED)}
        return {
            "stated sensitivity": Reading(self.sensitivity_of_row, RELEASED, positive=True),
            "size": Reading(self.size, positive=True),
            **given,
        }

    @property
    def assumption(self) -> str:
        """What is taken on its word."""
        why = " ".join(self.why.split())
        return (
            f"the sensitivity of {self.name} is stated, not derived: one row moves it by at most "
            f"{self.sensitivity_of_row} in {self.norm} ({self.relation}){self._held}, "
            f"because: {why}"
        )

    @property
    def _held(self) -> str:
        """For which neighbours, where not for all of them."""
        if self.given is not None:
            return f" where the lower bound {self.given} holds and is above 0, and by 0 elsewhere"
        return f" only if {self.condition}" if self.condition else ""

    def record(self) -> dict[str, object]:
        """All that is stated."""
        return {
            **({} if self.given is None else {"given": to_json(self.given)}),
            **({"condition": self.condition} if self.condition else {}),
            "name": self.name,
            "sensitivity": to_json(self.sensitivity_of_row),
            "norm": str(self.norm),
            "relation": self.relation.value,
            "size": to_json(self.size),
            "why": self.why,
        }

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """What is stated; None in a norm or under a relation about which nothing is."""
        covered = norm is self.norm or (norm in {L2, RANGE} and self.norm is L1)
        fewer = relation is ADD_REMOVE and self.relation is not ADD_REMOVE
        if self.condition or not covered or fewer:
            return None
        if relation is self.relation:
            return OneRow(self.sensitivity_of_row, "stated, not derived")
        return OneRow(2 * self.sensitivity_of_row, "stated for one row that leaves or comes, twice")

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """Never: nobody has said what it is. Raises NotExecutable."""
        del values, number
        text = f"{self.name} is described by its sensitivity only. Write a dp.Statistic to run it."
        raise NotExecutable(text)
