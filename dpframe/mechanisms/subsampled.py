"""Mechanisms on a secret random subsample, and the amplification of their privacy.

**Every release draws a fresh subsample**, whose rows stay secret. Two releases on one subsample are
not amplified. (docs/proofs/subsampling.md)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.numbers import Exact, whole
from dpframe.numerics import arb_float, ball, working
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE, ApproxDP, Guarantee, PureDP, Relation, number
from dpframe.symbols import ONE, Expression, Number, exact
from dpframe.symbols.arithmetic import Formulas
from dpframe.theory.calibrations import on_sample as theorem

from .base import Mechanism
from .randomized_response import RandomizedResponse

if TYPE_CHECKING:
    import numpy as np

    from dpframe.randomness import Bits


def _base(_: object, __: object, value: Any) -> None:
    if isinstance(value, Subsampled):
        way_out = "Subsample once: a Poisson subsample of one at rates p and q has the rate p q."
        raise InvalidArgument("mechanism", "not subsampled already", value, way_out)
    if not isinstance(value, Mechanism) or isinstance(value, RandomizedResponse):
        way_out = "Such as dp.Gaussian(std=1); the number of participants must stay secret."
        raise InvalidArgument("mechanism", "one that reads a table", value, way_out)


def _rate(value: object) -> Expression:
    rate = exact(value, "rate")
    if isinstance(rate, Number) and not 0 < rate.value <= 1:
        raise InvalidArgument("rate", "in (0, 1]", Plain(rate))
    return rate


class Subsampled(Mechanism):
    """Abstract: subsampling, proved under `relation` only."""

    __slots__ = ()
    gives: ClassVar[type[Guarantee]] = ApproxDP
    relation: ClassVar[Relation]
    direction: ClassVar[str]
    mechanism: Mechanism
    rate: Any

    def _under(self, relation: Relation | None) -> Relation:
        if relation is self.relation:
            return relation
        poisson = self.relation.replaced
        other = "PoissonSubsampled" if poisson else "SubsampledWithoutReplacement"
        way_out = f"Name it; under the other relation use {other}."
        wanted = f"{self.relation} for {self.kind}"
        raise InvalidArgument("relation", wanted, Plain(relation), way_out)

    def guarantee(self, sensitivity: Expression, relation: Relation | None = None) -> Guarantee:
        """That of a pure or approximate base, amplified, under the relation of the proof, which is
        to be named.
        """
        self._under(relation)
        share = exact(self.rate)
        given = self.mechanism.guarantee(sensitivity)
        match given:
            case PureDP(epsilon):
                return PureDP(_epsilon(share, epsilon))
            case ApproxDP(epsilon, delta):
                return ApproxDP(_epsilon(share, epsilon), share * delta)
        way_out = "Take .loss(sensitivity, relation) for the numeric accountant."
        raise InvalidArgument(
            "mechanism", "pure or approximate DP to amplify", Plain(given), way_out
        )

    def loss(
        self, sensitivity: Exact | Expression = 1, relation: Relation = ADD_REMOVE
    ) -> losses.PrivacyLoss:
        """In the removing direction, or symmetric; refused under another relation than that of the
        proof. A rounded epsilon is rounded up.
        """
        share = number("rate", exact(self.rate))
        moved = self.mechanism.loss(sensitivity, self._under(relation))
        if isinstance(moved, losses.GaussianLoss):
            return losses.SubsampledGaussianLoss(moved.mu, share, self.direction)
        given = self.mechanism.guarantee(exact(sensitivity, "sensitivity"))
        worst = given.loss
        if isinstance(worst, losses.ResponseLoss):
            return losses.ResponseLoss(rounded_on_sample(share, worst.epsilon), share * worst.delta)
        way_out = "Gaussian noise, pure DP and approximate DP are amplified."
        raise InvalidArgument("mechanism", "one whose amplification is proved", given, way_out)


@attrs.frozen(cache_hash=True)
class PoissonSubsampled(Subsampled):
    """`mechanism` on a Poisson sample, with each row included with probability `rate`: under
    add/remove the pair ((1 - q) Q + q P, Q) of its pair (P, Q) dominates, and in the other
    direction the reverse [ZhuDW22, Thm 11]; (log(1 + q (e^epsilon - 1)), q delta) for a guarantee
    [BalleBG18, Thm 8].

    Sensitivities are those of *one* row under add/remove, and one person has one row: several rows
    of one person would be sampled separately. A base without a Gaussian loss is amplified by its
    guarantee.

    >>> from dpframe import ADD_REMOVE, Gaussian
    >>> from dpframe.mechanisms import PoissonSubsampled
    >>> PoissonSubsampled(Gaussian(std=2), rate="0.01").loss(1, ADD_REMOVE).rate
    Fraction(1, 100)
    """

    kind: ClassVar[str] = "poisson_subsampled"
    relation: ClassVar[Relation] = ADD_REMOVE
    direction: ClassVar[str] = "removal"
    mechanism: Mechanism = attrs.field(validator=_base)
    rate: Expression = attrs.field(converter=_rate)

    def rows(self, n: int, rng: np.random.Generator | Bits) -> np.ndarray:
        """The indices of a fresh subsample of n rows, ascending; each is in it with probability
        `rate`, exactly.
        """
        import numpy as np

        from dpframe.randomness import as_bits
        from dpframe.randomness.laws import bernoulli

        bits, rate = as_bits(rng), number("rate", self.rate)
        return np.flatnonzero(bernoulli(bits, rate, whole("n", n, 1)))


def _size(value: Any) -> int:
    return whole("size", value, 1)


def _of(value: Any) -> int:
    return whole("of", value, 1)


@attrs.frozen(cache_hash=True)
class SubsampledWithoutReplacement(Subsampled):
    """`mechanism` on `size` of `of` rows, a uniform subset: with q = size/of, under replace-one
    the profile q delta(log(1 + (e^epsilon - 1)/q)) [BalleBG18, Thm 9], and the pair with this
    profile in both directions dominates, also in composition; for a guarantee
    (log(1 + q (e^epsilon - 1)), q delta).

    Sensitivities are those of *one* row under replace-one, and one person has one row.
    """

    kind: ClassVar[str] = "subsampled_without_replacement"
    relation: ClassVar[Relation] = REPLACE_ONE
    direction: ClassVar[str] = "both"
    mechanism: Mechanism = attrs.field(validator=_base)
    size: int = attrs.field(converter=_size)
    of: int = attrs.field(converter=_of)

    def __attrs_post_init__(self) -> None:
        """Refuse more rows than there are."""
        if self.size > self.of:
            raise InvalidArgument("size", f"at most {self.of}", self.size)

    @property
    def rate(self) -> Fraction:
        """size/of."""
        return Fraction(self.size, self.of)

    def rows(self, n: int, rng: np.random.Generator | Bits) -> np.ndarray:
        """The indices of a fresh uniform subset, ascending; n must be `of`."""
        from dpframe.randomness import as_bits
        from dpframe.randomness.laws import subset

        if whole("n", n, 1) != self.of:
            raise InvalidArgument("n", f"{self.of}, the rows that were declared", n)
        return subset(as_bits(rng), self.size, self.of)


def _epsilon(share: Expression, epsilon: Expression) -> Expression:
    return epsilon if share == ONE else epsilon_on_sample(epsilon, share)


def epsilon_on_sample(epsilon: Expression, rate: Expression) -> Expression:
    """The epsilon of an epsilon-DP release on a fresh Poisson sample, for one added or removed row.
    [BalleBG18, Thm 8]
    """
    formulas: Any = Formulas(None)
    return theorem(formulas, epsilon, rate)  # type: ignore[no-any-return]


def rounded_on_sample(share: Fraction, epsilon: Fraction) -> Fraction:
    """log(1 + share (e^epsilon - 1)), rounded up to a double."""
    if share == 1:
        return epsilon
    with working(192):
        return Fraction(arb_float((ball(share) * ball(epsilon).expm1()).log1p(), up=True))


def on_sample(whole: losses.PrivacyLoss, rate: Fraction) -> losses.PrivacyLoss:
    """The loss of a release on a fresh Poisson sample, under add/remove, from that on all rows; the
    same loss where no amplification is proved.
    """
    if isinstance(whole, losses.GaussianLoss):
        return losses.SubsampledGaussianLoss(whole.mu, rate)
    if whole.largest is None or whole.infinite:
        return whole
    return losses.ResponseLoss(rounded_on_sample(rate, whole.largest))
