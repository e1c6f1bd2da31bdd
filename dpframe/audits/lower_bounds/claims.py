"""What is claimed, as a privacy profile: the least delta at every epsilon, rounded up."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, singledispatch

import attrs

from dpframe.accountants import Accountant, Composition, NumericAccountant, Part, RenyiAccountant
from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.mechanisms import BlackBox, DiscreteGaussian, Mechanism
from dpframe.numbers import Exact
from dpframe.numerics import arb_upper, to_float
from dpframe.pld.losses import PrivacyLoss
from dpframe.privacy import (
    ADD_REMOVE,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PersonalizedDP,
    PureDP,
    Relation,
    ZeroConcentratedDP,
)
from dpframe.prover import Certificate
from dpframe.prover.algebra import enclose
from dpframe.prover.at_numbers import AtNumbers
from dpframe.prover.composed import together
from dpframe.symbols import Expression, Number, exact

DELTA = Fraction(1, 10**6)
STEPS = 8
ZERO = Fraction(0)
LONGEST = 12.0  # epsilons beyond this are not asked about: no number of draws shows them
TableRelease = tuple[Accountant, tuple[Part, ...]]


@attrs.frozen(eq=False, slots=False)
class Claim:
    """A profile. It is proved in several `ways`, and the smallest of their deltas is claimed; at
    `at`, a delta, its epsilon is told.
    """

    text: str
    ways: tuple[TableRelease, ...] = attrs.field(validator=attrs.validators.min_len(1))
    at: Fraction = DELTA
    _known: dict[Fraction, float] = attrs.field(factory=dict, init=False)

    def delta(self, epsilon: float | Fraction) -> float:
        """At least the claimed delta at epsilon >= 0."""
        point = Fraction(epsilon)
        if point not in self._known:
            self._known[point] = min(one.delta(parts, point).upper for one, parts in self.ways)
        return self._known[point]

    def epsilon(self, delta: float | Fraction) -> float:
        """At least the claimed epsilon at 0 < delta < 1."""
        return min(one.epsilon(parts, Fraction(delta)).upper for one, parts in self.ways)

    @cached_property
    def told(self) -> float:
        """The claimed epsilon at `at`."""
        return self.epsilon(self.at)

    @cached_property
    def grid(self) -> tuple[float, ...]:
        """The epsilons at which the claim is put to the test: 0, up to where little delta is left,
        and where it ends.
        """
        top = min(self.epsilon(Fraction(1, 1000)), LONGEST)
        found = [top * step / STEPS for step in range(STEPS + 1)]
        ends = [end for end in (self.told, *self._ends()) if end <= LONGEST]
        return tuple(sorted({*found, *ends}))

    def _ends(self) -> list[float]:
        """Where each way's loss ends, of those that do."""
        numeric = [parts for one, parts in self.ways if isinstance(one, NumericAccountant)]
        tops = [[(part.loss.largest, part.count) for part in parts] for parts in numeric]
        return [
            to_float(sum((top * count for top, count in way if top is not None), ZERO), up=True)
            for way in tops
            if all(top is not None for top, _ in way)
        ]

    @cached_property
    def pure(self) -> float | None:
        """The epsilon at which no delta is left, where there is one."""
        return min((end for end in self._ends() if self.delta(end) == 0), default=None)

    def times(self, count: int) -> Claim:
        """What `count` independent runs cost together."""
        if count == 1:
            return self
        ways = tuple(
            (one, tuple(Part(part.what, part.count * count) for part in parts))
            for one, parts in self.ways
        )
        return Claim(f"{count} times {self.text}", ways, self.at)


@singledispatch
def claim_of(what: object, sensitivity: Exact = 1, relation: Relation = ADD_REMOVE) -> Claim:
    """The profile that a guarantee, a loss, a composition, a mechanism at a sensitivity, or a
    certificate claims. Raises InvalidArgument.
    """
    del sensitivity, relation
    wanted = "a guarantee, a mechanism, a privacy loss, a composition or a certificate"
    raise InvalidArgument("claim", wanted, what, "Such as dp.PureDP(1) or dp.ApproxDP(1, '1e-6').")


@claim_of.register
def _(what: Claim, *_: object) -> Claim:
    return what


@claim_of.register
def _(what: PrivacyLoss, *_: object) -> Claim:
    return Claim(f"a {what.kind} privacy loss", (_numeric(what),))


@claim_of.register
def _(what: Composition, *_: object) -> Claim:
    return Claim("the composition as accounted", ((what.accountant, what.parts),))


@claim_of.register
def _(what: Guarantee, *_: object) -> Claim:
    if isinstance(what, PersonalizedDP):
        way_out = "Name the guarantee of the record that differs, such as dp.PureDP(1)."
        raise InvalidArgument("claim", "that of one record", what, way_out)
    return Claim(str(what), (_way(what),), _delta(what))


@claim_of.register
def _(what: Mechanism, sensitivity: Exact = 1, relation: Relation = ADD_REMOVE) -> Claim:
    """Its own loss, where one pair dominates; else what its guarantee implies."""
    moved = exact(sensitivity, "sensitivity")
    text = f"{what.kind} at sensitivity {moved}"
    if isinstance(what, BlackBox):
        return claim_of(what.given)
    if isinstance(what, DiscreteGaussian):
        loss = what.loss(moved, one_coordinate=True)
        return Claim(text, (_numeric(loss), _way(what.guarantee(moved))))
    return Claim(text, (_numeric(what.loss(moved, relation)),))


@claim_of.register
def _(what: AtNumbers, *_: object) -> Claim:
    """Its target; of a certificate also the composition of its releases, which may cost less."""
    if isinstance(what.target, PersonalizedDP):
        way_out = "Certify it for one budget: target=dp.ApproxDP(epsilon, delta)."
        raise InvalidArgument("certificate", "of one budget for all records", what.target, way_out)
    target = what.target.substitute({name: Number(one) for name, one in what.values.items()})
    ways = [_way(target)]
    if isinstance(what, Certificate) and what.graph.additive:
        try:
            together_ = together(what)
        except DPFrameError:  # a cost that reads the size of the table, or has no one loss
            together_ = None
        if together_ is not None:
            ways.append((together_.accountant, together_.parts))
    return Claim(str(target), tuple(ways), _delta(target))


def _delta(guarantee: Guarantee) -> Fraction:
    """The delta at which an epsilon is told."""
    return _above(guarantee.delta) if isinstance(guarantee, ApproxDP) else DELTA


def _numeric(loss: PrivacyLoss) -> TableRelease:
    return NumericAccountant(), (Part(loss),)


def _way(guarantee: Guarantee) -> TableRelease:
    """Parameters as numbers, rounded up."""
    match guarantee:
        case PureDP(epsilon):
            return NumericAccountant(), (Part(PureDP(_above(epsilon))),)
        case ApproxDP(epsilon, delta):
            return NumericAccountant(), (Part(ApproxDP(_above(epsilon), _above(delta))),)
        case GaussianDP(mu):
            return NumericAccountant(), (Part(GaussianDP(_above(mu))),)
        case ZeroConcentratedDP(rho):
            return RenyiAccountant(), (Part(ZeroConcentratedDP(_above(rho))),)
    wanted = "pure, approximate, zero-concentrated or Gaussian"
    raise InvalidArgument("claim", wanted, str(guarantee), "Name what one record is promised.")


def _above(formula: Expression) -> Fraction:
    if isinstance(formula, Number):
        return formula.value
    if formula.symbols():
        raise InvalidArgument("claim", "given numbers for its symbols", str(formula), "")
    return arb_upper(enclose(formula, {}))
