"""Lower bounds on the true epsilon of published code, by the attacks of this package."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import attrs

from docs.generate.refutations import (
    Refutation,
    boosted_coded,
    boosted_kendall,
    refutations_of,
    transposed_epsilon,
    unsafe_distance,
)
from docs.generate.refutations.published import REGRESSIONS
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE, Relation

ROWS, MOST_ROWS = 10**5, 10**6  # of the tables that are searched; where more rows show more
LARGEST = 14  # epsilon, beyond which some code computes with complex numbers
BOOSTED = {"BoostedAdaSSPCoded": boosted_coded, "BoostedAdaSSPKendall": boosted_kendall}
TEST = "TukeyCoded"
ENDED = "the search ends at"  # says a record
SIZES = ("N", "t", "penalty")  # of what is attacked, in a record's parameters


@attrs.frozen
class Attacked:
    """Some pair of neighbours costs at least `epsilon` at delta; more than it where `strict`."""

    epsilon: float
    strict: bool
    record: Refutation

    @property
    def how(self) -> str:
        """The code, where it is attacked, the tables, and why it is a bound."""
        at = ", ".join(
            f"{name} = {value}" for name, value in self.record.parameters if name in SIZES
        )
        told = f"{self.record.what}{f' at {at}' if at else ''}: {self.record.how}"
        return f"{told} ({self.record.rigour.value})"

    @property
    def ended(self) -> str:
        """Where the search ended, in words, if it found all that it looked for; else ""."""
        _, sign, rest = self.record.how.partition(ENDED)
        return sign + rest


def attacked(name: str, epsilon: Fraction, delta: Fraction, relation: Relation) -> Attacked | None:
    """The best bound on what the declaration of that name costs under the relation, where it
    claims (epsilon, delta); None where no attack found one.
    """
    if name not in REGRESSIONS or epsilon > LARGEST:
        return None
    found = [_bound(one, epsilon, delta) for one in _records(name, epsilon, delta, relation)]
    known = [one for one in found if one is not None]
    return max(known, key=lambda one: (one.epsilon, one.strict), default=None)


def _records(
    name: str, epsilon: Fraction, delta: Fraction, relation: Relation
) -> Iterable[Refutation]:
    """What is run: attacks that know the relation, else those of add/remove."""
    if name in BOOSTED:
        return [BOOSTED[name](epsilon, delta, relation=relation)]
    if name == TEST:
        return [unsafe_distance(epsilon, delta)] if relation is REPLACE_ONE else []
    file = REGRESSIONS[name]
    if file.startswith("OPS_epsdelta_"):
        calibration = file.removeprefix("OPS_epsdelta_").removesuffix(".m")
        return [transposed_epsilon(calibration, epsilon, delta, MOST_ROWS, relation=relation)]
    return refutations_of(name, epsilon, delta, ROWS) if relation is ADD_REMOVE else []


def _bound(record: Refutation, epsilon: Fraction, delta: Fraction) -> Attacked | None:
    """A record on the whole as a bound on epsilon: one on delta shows that epsilon does not do."""
    if record.control or record.found <= 0 or _without_bound(record):
        return None
    if record.quantity == "epsilon" and Fraction(record.claimed) == Fraction(float(epsilon)):
        return Attacked(record.found, strict=False, record=record)
    whole = record.quantity == "delta" and Fraction(record.claimed) == Fraction(float(delta))
    if whole and record.refuted:
        return Attacked(float(epsilon), strict=True, record=record)
    return None


def _without_bound(record: Refutation) -> bool:
    """Whether its number is an example of what has no bound, as its words say."""
    return "no bound" in record.how
