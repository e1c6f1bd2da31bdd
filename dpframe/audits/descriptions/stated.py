"""A statistic without a rule, whose sensitivity is assumed as stated, and named by every verdict
that rests on it; and sensitivities as a paper claims them, beside derived ones.
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

    from dpframe.graph.node import Numbers

    Array = NDArray[Any]


EQUAL, TOO_SMALL, TOO_LARGE = "equal", "too small", "larger than derived"
UNCLEAR, NO_RULE = "not comparable", "no rule"
MEANINGS = {
    EQUAL: "equal",
    TOO_SMALL: "the printed one is too small, and so is noise that is sized by it",
    TOO_LARGE: "the printed one is too large, and so is noise that is sized by it",
    UNCLEAR: "neither is shown to be the larger one",
    NO_RULE: "not compared, as nothing is derived",
}
BELOW_BOUND = "the printed one is below the derived upper bound, which may not be attained"


@attrs.frozen
class ClaimedSensitivity:
    """The move by one row that a paper claims, and the bound that dpframe derives, in the norm of
    the noise. `verdict`: equal, too small, larger than derived, not comparable, no rule. Derived
    bounds are upper bounds: where `attained` is False, a smaller claim may be true.
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
        """It is not equal to the derived one."""
        return self.verdict != EQUAL

    @property
    def false(self) -> bool:
        """Some row moves the statistic by more."""
        return self.verdict == TOO_SMALL and self.attained

    def __str__(self) -> str:
        """`gram: printed 1, derived B^2 (L2; ...): the printed one is too small, ...`."""
        if self.derived is None:
            return f"{self.release}: printed {self.written}: {self.finding}"
        derived = f"{self.derived} ({self.norm}; {self.rule})"
        number = not self.claimed.symbols() and str(self.claimed) != self.written
        printed = f"{self.written} = {self.claimed}" if number else self.written
        return f"{self.release}: printed {printed}, derived {derived}: {self.finding}"

    @property
    def finding(self) -> str:
        """How both compare, in words."""
        below = self.verdict == TOO_SMALL and not self.attained
        return BELOW_BOUND if below else MEANINGS[self.verdict]

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        fields = attrs.asdict(self, recurse=False)
        return {k: str(v) if isinstance(v, Expression) else v for k, v in fields.items()}


def compared(
    graph: Graph, claims: Mapping[str, tuple[str, Expression]]
) -> Iterator[ClaimedSensitivity]:
    """Each claim, as it is written and as a formula, beside the bound derived for the release of
    that name.
    """
    for release in graph.releases:
        if release.name in claims:
            yield _compared(release, *claims[release.name])


def _compared(release: Release, written: str, claimed: Expression) -> ClaimedSensitivity:
    norm = release.noise.norm
    bound = release.statistic.one_row(norm, release.statistic.unit.relation)
    claim = partial(ClaimedSensitivity, release.name, written, claimed)
    if bound is None or release.statistic.kind == "stated":
        return claim(None, str(norm), "", attained=False, verdict=NO_RULE)
    verdict = _verdict(claimed, bound.value)
    return claim(bound.value, str(norm), bound.rule, attained=bound.attained, verdict=verdict)


def _verdict(claimed: Expression, derived: Expression) -> str:
    field = Field(claimed.symbols() | derived.symbols())
    if claimed == derived or field.constant(claimed - derived) == 0:
        return EQUAL
    above, below = nonnegative(claimed - derived, field), nonnegative(derived - claimed, field)
    if above.proved:
        return EQUAL if below.proved else TOO_LARGE
    return TOO_SMALL if below.proved or above.witness is not None else UNCLEAR


@attrs.frozen(cache_hash=True)
class StatedStatistic(Statistic):
    """A statistic of X and y known by its name alone. One row moves it by at most
    `sensitivity_of_row` in `norm` (L1 bounds L2 and the range too) under `relation`: stated, with
    the reason `why`, never derived. Under replace-one a sensitivity stated for add/remove counts
    twice: one row leaves, one comes. The converse does not hold.

    `given` is a lower bound: the sensitivity holds where that holds and is above 0; elsewhere the
    statistic is constant. With a `condition` in words, which is not checked, it bounds nothing.
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
    condition: str = ""

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, and y where there is one."""
        return (self.X,) if self.y is None else (self.X, self.y)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.X.unit

    @property
    def shape(self) -> tuple[Expression, ...]:  # type: ignore[override]
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
        """The statement that is assumed."""
        why = " ".join(self.why.split())
        return (
            f"the sensitivity of {self.name} is stated, not derived: one row moves it by at most "
            f"{self.sensitivity_of_row} in {self.norm} ({self.relation}){self._where}, "
            f"because: {why}"
        )

    @property
    def untested(self) -> str:
        """The condition in words."""
        return self.condition

    @property
    def _where(self) -> str:
        """The neighbours for which it holds, if not all."""
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
        """The stated bound; None in a norm or under a relation that it does not cover."""
        covered = norm is self.norm or (norm in {L2, RANGE} and self.norm is L1)
        fewer = relation is ADD_REMOVE and self.relation is not ADD_REMOVE
        if self.condition or not covered or fewer:
            return None
        if relation is self.relation:
            return OneRow(self.sensitivity_of_row, "stated, not derived")
        return OneRow(2 * self.sensitivity_of_row, "stated for one row that leaves or comes, twice")

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """It has no formula. Raises NotExecutable."""
        del values, number
        text = f"{self.name} is described by its sensitivity only. Write a dp.Statistic to run it."
        raise NotExecutable(text)
