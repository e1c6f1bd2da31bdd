"""The privacy profile that is claimed: the least delta at every epsilon, rounded up."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import cached_property, singledispatch

import attrs

from dpframe.accountants import Composition, NumericAccountant, RenyiAccountant, parts_of
from dpframe.errors import DPFrameError, InvalidArgument, Plain
from dpframe.mechanisms import BlackBox, DiscreteGaussian, Mechanism
from dpframe.mechanisms.base import states_loss
from dpframe.numbers import Exact
from dpframe.numerics import to_float
from dpframe.pld.losses import PrivacyLoss
from dpframe.privacy import (
    ADD_REMOVE,
    ApproxDP,
    Guarantee,
    PersonalizedDP,
    Relation,
    RenyiDP,
    ZeroConcentratedDP,
)
from dpframe.prover import Certificate
from dpframe.prover.algebra import ends_of
from dpframe.prover.at_numbers import AtNumbers
from dpframe.prover.mixture import together
from dpframe.symbols import Expression, Number, exact

from ..figures import figure

DELTA = Fraction(1, 10**6)
STEPS = 8
DIGITS = 4
LARGEST = 12.0  # no number of draws refutes a claim beyond this epsilon


@attrs.frozen(eq=False, slots=False)
class ClaimedProfile:
    """The smallest delta of several valid `compositions`, at every epsilon. Reports state its
    epsilon at `reported_delta`.
    """

    text: str
    compositions: tuple[Composition, ...] = attrs.field(validator=attrs.validators.min_len(1))
    reported_delta: Fraction = DELTA
    _deltas: dict[Fraction, float] = attrs.field(factory=dict, init=False)

    def delta(self, epsilon: float | Fraction) -> float:
        """At least the claimed delta at epsilon >= 0."""
        point = Fraction(epsilon)
        if point not in self._deltas:
            self._deltas[point] = min(one.delta(point).upper for one in self.compositions)
        return self._deltas[point]

    def epsilon(self, delta: float | Fraction) -> float:
        """At least the claimed epsilon at 0 < delta < 1."""
        at = Fraction(delta)
        return min(one.accountant.epsilon(one.parts, at).upper for one in self.compositions)

    @cached_property
    def reported_epsilon(self) -> float:
        """The claimed epsilon at `reported_delta`."""
        return self.epsilon(self.reported_delta)

    @cached_property
    def grid(self) -> tuple[float, ...]:
        """The epsilons at which the claim is tested, in as few digits as reports print: 0, up to
        where little delta is left, and where the losses end.
        """
        top = min(self.epsilon(Fraction(1, 1000)), LARGEST)
        steps = [top * step / STEPS for step in range(STEPS + 1)]
        ends = [end for end in (self.reported_epsilon, *self._ends()) if end <= LARGEST]
        return tuple(sorted({float(figure(one, "up", DIGITS)) for one in (*steps, *ends)}))

    def _ends(self) -> list[float]:
        """The largest loss of each composition that has one."""
        ends = []
        for one in self.compositions:
            numeric = isinstance(one.accountant, NumericAccountant)
            parts = [(part.loss.largest, part.count) for part in one.parts] if numeric else []
            totals = [largest * count for largest, count in parts if largest is not None]
            if numeric and len(totals) == len(parts):
                ends.append(to_float(sum(totals, Fraction(0)), up=True))
        return ends

    @cached_property
    def pure(self) -> float | None:
        """The least epsilon with delta 0, if any."""
        return min((end for end in self._ends() if self.delta(end) == 0), default=None)

    @property
    def headline(self) -> tuple[Fraction, float]:
        """The delta and epsilon that a report states: delta 0 for a pure claim."""
        if self.pure is not None:
            return Fraction(0), self.pure
        return self.reported_delta, self.reported_epsilon

    def times(self, count: int) -> ClaimedProfile:
        """The cost of `count` independent runs together."""
        if count == 1:
            return self
        repeated = tuple(one * count for one in self.compositions)
        return ClaimedProfile(f"{count} times {self.text}", repeated, self.reported_delta)


@singledispatch
def claim_of(
    what: object, sensitivity: Exact = 1, relation: Relation = ADD_REMOVE
) -> ClaimedProfile:
    """The profile that a guarantee, a loss, a composition, a mechanism at a sensitivity, or a
    certificate claims. Raises InvalidArgument.
    """
    del sensitivity, relation
    wanted = "a guarantee, a mechanism, a privacy loss, a composition or a certificate"
    raise InvalidArgument("claim", wanted, what, "Such as dp.PureDP(1) or dp.ApproxDP(1, '1e-6').")


@claim_of.register
def _(what: ClaimedProfile, *_: object) -> ClaimedProfile:
    return what


@claim_of.register
def _(what: PrivacyLoss, *_: object) -> ClaimedProfile:
    return ClaimedProfile(f"a {what.kind} privacy loss", (_composed(what),))


@claim_of.register
def _(what: Composition, *_: object) -> ClaimedProfile:
    return ClaimedProfile("the composition as accounted", (what,))


@claim_of.register
def _(what: Guarantee, *_: object) -> ClaimedProfile:
    if isinstance(what, PersonalizedDP):
        way_out = "Name the guarantee of the record that differs, such as dp.PureDP(1)."
        raise InvalidArgument("claim", "that of one record", what, way_out)
    return ClaimedProfile(str(what), (_composed(what),), _reported_delta(what))


@claim_of.register
def _(what: Mechanism, sensitivity: Exact = 1, relation: Relation = ADD_REMOVE) -> ClaimedProfile:
    """Its own loss, where one pair dominates; else the loss that its guarantee implies."""
    size = exact(sensitivity, "sensitivity")
    text = f"{what.kind} at sensitivity {size}"
    if isinstance(what, BlackBox):
        return claim_of(what.given)
    if not states_loss(type(what)):
        return ClaimedProfile(text, (_composed(what.guarantee(size)),))
    if isinstance(what, DiscreteGaussian):
        loss = what.loss(size, one_coordinate=True)
        return ClaimedProfile(text, (_composed(loss), _composed(what.guarantee(size))))
    return ClaimedProfile(text, (_composed(what.loss(size, relation)),))


@claim_of.register
def _(what: AtNumbers, *_: object) -> ClaimedProfile:
    """Its target; of a certificate also the composition of its releases, which may cost less."""
    if isinstance(what.target, PersonalizedDP):
        way_out = "Certify it for one budget: target=dp.ApproxDP(epsilon, delta)."
        raise InvalidArgument("certificate", "of one budget for all records", what.target, way_out)
    target = what.target.substitute({name: Number(one) for name, one in what.values.items()})
    compositions = [_composed(target)]
    if isinstance(what, Certificate) and what.graph.additive:
        with suppress(DPFrameError):  # a cost that reads the size of the table, or has no one loss
            compositions.append(together(what))
    return ClaimedProfile(str(target), tuple(compositions), _reported_delta(target))


def _reported_delta(guarantee: Guarantee) -> Fraction:
    return _upper(guarantee.delta) if isinstance(guarantee, ApproxDP) else DELTA


def _composed(cost: Guarantee | PrivacyLoss) -> Composition:
    """One part, its parameters as numbers, rounded up."""
    if isinstance(cost, RenyiDP):
        wanted = "pure, approximate, zero-concentrated or Gaussian"
        raise InvalidArgument("claim", wanted, Plain(cost), "Name the guarantee of one record.")
    if isinstance(cost, Guarantee):
        cost = type(cost)(*(_upper(getattr(cost, name)) for name in cost.parameters))
    numeric = not isinstance(cost, ZeroConcentratedDP)
    accountant = NumericAccountant() if numeric else RenyiAccountant()
    return Composition(parts_of(cost), ADD_REMOVE, accountant)


def _upper(formula: Expression) -> Fraction:
    ends = ends_of(formula)
    if ends is None:
        raise InvalidArgument("claim", "given numbers for its symbols", Plain(formula), "")
    return ends[1]
