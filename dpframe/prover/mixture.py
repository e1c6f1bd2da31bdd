"""Gaussian and pure releases of one graph as privacy losses, in numbers; and the releases of a
certificate as a composition, for any accountant and for other libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.accountants import NumericAccountant, Part
from dpframe.accountants.base import Least
from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import Joint, Release
from dpframe.graph.graph import classes
from dpframe.graph.statistics import OneRow
from dpframe.identity import own
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import PureNoise
from dpframe.numbers import rounded_up
from dpframe.numerics.rounding import arb_lower, arb_upper
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, GaussianDP, Guarantee, PureDP, Relation, ZeroConcentratedDP
from dpframe.sensitivity import Sensitivity
from dpframe.symbols import ONE, RELEASED, ZERO, Expression, Number, Symbol, add, power, sqrt
from dpframe.wording import digits

from .algebra import Field, at_point, enclose
from .judge import root
from .problem import joint_moves
from .rounding import fits, hidden, kept, of_all
from .total import reached_moves

if TYPE_CHECKING:
    from dpframe.accountants import Composition

    from .certify import Certificate

NO_VALUES: Mapping[str, Expression] = MappingProxyType({})

ADDED: frozenset[type[Guarantee]] = frozenset({GaussianDP, PureDP})
"""What noise may give so that its losses are added: one Gaussian of all, and one pair a draw."""


@attrs.frozen
class Pure:
    """`count` draws of noise that is `epsilon`-DP on all rows, an upper bound, where its statistic
    moves by `moved` under `relation`, None where that is a formula; 1, or the `rate` of the sample
    that each draw reads.
    """

    mechanism: AdditiveNoise
    epsilon: Fraction
    moved: Fraction | None
    relation: Relation
    count: int
    rate: Fraction = Fraction(1)

    @classmethod
    def of(cls, release: Release, values: Mapping[str, Expression] = NO_VALUES) -> Pure:
        """The draws of a release at these numbers. Raises InvalidArgument while one is missing, and
        for noise that is not pure.
        """
        guarantee = cost(release.on_all_rows)
        if not isinstance(guarantee, PureDP):
            way_out = "Calibrate each release alone."
            raise InvalidArgument("noise", "Gaussian or pure", release.noise.kind, way_out)
        epsilon, moved = upper(guarantee.epsilon.substitute(values)), _moved(release, values)
        relation = release.statistic.unit.relation
        rate = release.hides if own(release.noise) else None
        share = ONE if rate is None else rate
        return cls(release.mechanism, epsilon, moved, relation, draws(release, values), share.value)

    def spent(self, factor: Fraction = Fraction(1)) -> Fraction:
        """The epsilon of one draw with `factor` times the noise, on its sample; rounded up."""
        from dpframe.mechanisms.subsampled import rounded_on_sample  # most draws read all rows

        return rounded_on_sample(self.rate, self.epsilon / factor)

    def loss(self, factor: Fraction = Fraction(1)) -> losses.PrivacyLoss:
        """The mechanism's own loss, with `factor` times the noise; else that of the worst mechanism
        of its epsilon, also on samples, and where a class of the user's inherits its loss.
        """
        epsilon, kind = self.spent(factor), type(self.mechanism)
        if self.rate < 1:
            return losses.ResponseLoss(epsilon)
        stated = own(kind) or "loss" in vars(kind)
        if not isinstance(self.mechanism, PureNoise) or not stated:
            return losses.ResponseLoss(epsilon)
        if self.moved is None and (self.mechanism.integer or not own(kind)):
            return losses.ResponseLoss(epsilon)
        moved = self.moved or Fraction(1)  # of real numbers, the unit does not matter
        noise = attrs.evolve(self.mechanism, scale=Number(moved / epsilon))
        try:
            return noise.loss(moved, self.relation)
        except InvalidArgument:  # its law is known for other moves only
            return losses.ResponseLoss(epsilon)

    def __str__(self) -> str:
        """`laplace 0.1 (x3)`."""
        many = f" (x{self.count})" if self.count > 1 else ""
        sampled = "" if self.rate == 1 else f" sampled at {self.rate}"
        return f"{self.loss().kind} {float(self.epsilon):.6g}{sampled}{many}"


@attrs.frozen
class Mixture:
    """What one pair of neighbours can tell from the releases: upper bounds of mu and epsilons; the
    losses of Gaussian draws on samples, and the number of draws.
    """

    mu: Fraction
    pure: tuple[Pure, ...]
    sampled: tuple[tuple[losses.SubsampledGaussianLoss, int], ...] = ()

    @classmethod
    def of(
        cls, releases: Sequence[Release], values: Mapping[str, Expression] = NO_VALUES
    ) -> Mixture:
        """The mixture of these releases at these numbers. Raises InvalidArgument while a cost is a
        formula.
        """
        sampled = [release for release in releases if amplified(release)]
        gaussians = [r for r in releases if r.gives is GaussianDP and r not in sampled]
        others = [release for release in releases if release.gives is not GaussianDP]
        mu = upper(sqrt(squared_mu(gaussians).substitute(values)))
        pure = tuple(Pure.of(release, values) for release in others)
        drawn = tuple((sampled_loss(one, values), draws(one, values)) for one in sampled)
        return cls(mu, pure, drawn)

    def __str__(self) -> str:
        """`mu = 0.25, laplace 0.1 (x3)`, rounded for reading."""
        gaussian = [f"mu = {digits(float(self.mu))}"] if self.mu else []
        sampled = [
            f"mu = {float(one.mu):.6g} sampled at {one.rate} (x{count})"
            for one, count in self.sampled
        ]
        return ", ".join([*gaussian, *map(str, self.pure), *sampled])

    def parts(self, factor: Fraction = Fraction(1)) -> tuple[Part, ...]:
        """The losses, with `factor` times the noise."""
        gaussian = (Part(losses.GaussianLoss(self.mu / factor)),) if self.mu else ()
        rest = (Part(one.loss(factor), one.count) for one in self.pure)
        sampled = (
            Part(attrs.evolve(one, mu=one.mu / factor), count) for one, count in self.sampled
        )
        return (*gaussian, *rest, *sampled)

    def guarantees(self) -> tuple[Part, ...]:
        """The same as guarantees: what samples hide of Gaussian noise is not counted."""
        gaussian = (Part(GaussianDP(self.mu)),) if self.mu else ()
        sampled = (Part(GaussianDP(one.mu), count) for one, count in self.sampled)
        return (*gaussian, *(Part(PureDP(one.spent()), one.count) for one in self.pure), *sampled)

    def factor(self, epsilon: Expression, delta: Expression) -> Number:
        """What all noise must be multiplied by to be (epsilon, delta)-DP together."""
        return composed_factor(self.parts, epsilon, delta)


def composed_factor(
    parts_at: Callable[[Fraction], tuple[Part, ...]],
    epsilon: Expression,
    delta: Expression,
    near: Fraction = Fraction(1),
) -> Number:
    """The least factor at which the parts are (epsilon, delta)-DP together, searched from `near`.
    Raises InvalidArgument.
    """
    from dpframe.accountants import least_factor

    target, at = _exact("epsilon", epsilon), _exact("delta", delta)
    found = least_factor(NumericAccountant(), parts_at, target, at, near=float(near))
    return Number(found)


def amplified(release: Release) -> bool:
    """Whether samples of Gaussian noise are counted: where a person has one row, which moves the
    statistic. Others cost at most what they do without. (proofs/clipped_gradients)
    """
    if release.sampled is None or release.gives is not GaussianDP:
        return False
    one, *_ = moves = _moves(release)
    alone = release.statistic.unit.rows_per_person == ONE
    return alone and all(moves) and one is not None and one.value != ZERO


def _moves(release: Release) -> list[Sensitivity | OneRow | None]:
    """What decides the pair of a draw on a sample: the move of one person's row, and where it is
    replaced, also that of one row more. (proofs/subsampling, S3)
    """
    statistic, norm = release.statistic, release.noise.norm
    replaced = statistic.unit.relation is not ADD_REMOVE
    return [release.moved, *[statistic.one_row(norm, ADD_REMOVE)] * replaced]


def squared_mu(releases: Sequence[Release]) -> Expression:
    """The joint squared mu of Gaussian releases. (proofs/joint) Raises InvalidArgument."""
    if not releases:
        return ZERO
    grouped = classes(releases)
    joint = joint_of([release for release, _ in grouped])
    rows = releases[0].statistic.unit.rows_per_person
    return without_released(joint.total(joint_moves(rows, joint, grouped)))


def without_released(square: Expression) -> Expression:
    """A positive formula at one value of the released numbers in it, if it is shown to be the same
    for all values; else the formula itself. Shares that released numbers divide have such a sum.
    """
    ends = {
        symbol.name: Number(end)
        for symbol in square.symbols()
        if symbol.scope is RELEASED and (end := one_end(symbol)) is not None
    }
    at_ends = square.substitute(ends)
    return at_ends if ends and Field(square.symbols()).equal(square, at_ends) else square


def one_end(symbol: Symbol) -> Fraction | None:
    """An end of its range that belongs to it."""
    ends = [end for end in (symbol.domain.upper, symbol.domain.lower) if end is not None]
    return next((end for end in ends if end in symbol.domain), None)


def joint_of(releases: Sequence[Release]) -> Joint:
    """How far their statistics move together. Raises InvalidArgument."""
    statistics = [release.statistic for release in releases]
    joint = Joint.of(statistics, statistics[0].unit.relation)
    if joint is None:
        labels = ", ".join(statistic.label for statistic in statistics)
        raise InvalidArgument("statistics", "bounded", labels, "Clip rows and labels.")
    return joint


def epsilons(releases: Sequence[Release]) -> list[Expression]:
    """What each pure release costs on all rows, all its draws together."""
    return [cost(release.on_all_rows).amounts[0] * release.times for release in releases]


def cost(release: Release) -> Guarantee:
    """What one draw guarantees at its derived sensitivity. Raises InvalidArgument."""
    moved = moved_by(release)
    if moved == ZERO:
        way_out = "It is public here: use it without a release."
        wanted = "one that neighbours move"
        raise InvalidArgument("statistic", wanted, release.statistic.label, way_out)
    return release.guarantee(moved)


def moved_by(release: Release) -> Expression:
    """The sensitivity in the norm of its noise. Raises InvalidArgument."""
    if release.moved is None:
        raise InvalidArgument("statistic", "bounded", release.statistic.label, "Clip its rows.")
    return release.moved.value


class FollowsReleased(InvalidArgument):
    """A cost that is another for other released numbers."""


def upper(formula: Expression) -> Fraction:
    """An upper bound on a formula without symbols. Raises InvalidArgument."""
    if RELEASED in formula.scope:
        wanted = "the same for all released numbers"
        way_out = "All releases together cost at most the target of their certificate."
        raise FollowsReleased("the cost of a release", wanted, Plain(formula), way_out)
    if formula.symbols():
        way_out = "Give every parameter a number."
        raise InvalidArgument("the cost of a release", "a number", Plain(formula), way_out)
    return arb_upper(enclose(formula, {}))


def _moved(release: Release, values: Mapping[str, Expression]) -> Fraction | None:
    """An upper bound on how far neighbours move the statistic; None where it has a symbol."""
    value = ZERO if release.moved is None else release.moved.value.substitute(values)
    if value.symbols():
        return None
    return value.value if isinstance(value, Number) else upper(value)


def sampled_loss(
    release: Release, values: Mapping[str, Expression] = NO_VALUES
) -> losses.SubsampledGaussianLoss:
    """The loss of one Gaussian draw on a sample, at these numbers. Raises InvalidArgument while
    one is missing.
    """
    moves = [one.value for one in _moves(release) if one is not None]
    squares = [release.guarantee(move).amounts[0].substitute(values) for move in moves]
    mu = max(upper(sqrt(square)) for square in squares)
    rate = ONE if release.sampled is None else release.sampled
    both = "removal" if len(moves) == 1 else "both"
    return losses.SubsampledGaussianLoss(mu, rate.value, both)


def draws(release: Release, values: Mapping[str, Expression] = NO_VALUES) -> int:
    """How often a release is drawn. Raises InvalidArgument while a number is missing."""
    return int(_exact("times", release.times.substitute(values)))


def _exact(name: str, formula: Expression) -> Fraction:
    if not isinstance(formula, Number):
        way_out = "Gaussian and pure noise together are calibrated in numbers: give them."
        raise InvalidArgument(name, "a number", Plain(formula), way_out)
    return formula.value


def total_rho(releases: Sequence[Release]) -> Expression:
    """The zCDP of Gaussian and pure releases together on all rows, of pure ones what the mechanism
    states where that is less. [BunS16, Lem 2.3, Prop 1.4]
    """
    gaussians = [release for release in releases if release.gives is GaussianDP]
    pure = (one.on_all_rows for one in releases if one.gives is not GaussianDP)
    others = [rho_of(one) * one.times for one in pure]
    return add(squared_mu(gaussians) * Fraction(1, 2), *others)


def rho_of(release: Release) -> Expression:
    """The zCDP of one draw of Gaussian or pure noise. Raises InvalidArgument."""
    given, moved = cost(release), release.statistic.sensitivity(release.noise.norm)
    if isinstance(given, PureDP) and moved is not None:
        given = release.given_in(ZeroConcentratedDP, moved.value)
    if isinstance(given, ZeroConcentratedDP):
        return given.amounts[0]
    return power(given.amounts[0], 2 if isinstance(given, PureDP) else 1) * Fraction(1, 2)


def together(certificate: Certificate) -> Composition:
    """All releases at the certificate's numbers, under its relation: one Gaussian loss of the
    joint mu (proofs/joint), and one loss for each other release, or sampled one, times its draws.

    The cost may be below the target: shares need not spend it all, and basic composition overstates
    it. Its lower ends are 0 where no pair of neighbours is known to cost all of the losses. Raises
    InvalidArgument while a noise lacks a number, and for noise that gives neither Gaussian nor pure
    privacy. What is no noise added to a statistic, or follows released numbers, costs at most the
    whole target.
    """
    values = {name: Number(value) for name, value in certificate.values.items()}
    releases, mixture = certificate.graph.releases, None
    if certificate.graph.additive:
        with suppress(FollowsReleased):
            mixture = Mixture.of(releases, values)
    if mixture is None:
        whole = Part(certificate.target.substitute(values), above=True)
        return _composition((whole,), certificate)
    least = _least(releases, mixture, certificate.values)
    ends = {"above": True} if least is None else {"least": least}
    parts = tuple(attrs.evolve(part, **ends) for part in mixture.parts())
    return _composition(parts, certificate)


def _composition(parts: tuple[Part, ...], certificate: Certificate) -> Composition:
    from dpframe.accountants import Composition

    unit = certificate.setting.unit
    return Composition(parts, unit.relation, NumericAccountant(), unit=unit)


def _least(
    releases: Sequence[Release], mixture: Mixture, values: Mapping[str, Fraction]
) -> Least | None:
    """What some pair of neighbours costs in one draw, as it is executed: of Gaussian noise on all
    rows, in one draw of all, where the joint move is reached; of other noise where one number is
    released. None where no such pair is known.
    """
    grouped = classes(releases)
    if not releases or not all(fits(release, values) for release in releases):
        return None
    if all(one.gives is GaussianDP and one.sampled is None for one in releases):
        joint = joint_of([release for release, _ in grouped])
        moves = joint_moves(releases[0].statistic.unit.rows_per_person, joint, grouped)
        if reached_moves(joint, moves, grouped) != joint.total(moves):
            return None
        parts = [kept(release, evenly=False) ** 2 for release, _ in grouped]
        whole = [move * part for move, part in zip(moves, parts, strict=True)]
        lost = _at(of_all(partial(hidden, evenly=False), grouped), values)
        square = _at(joint.attained(whole), values)
        if lost is None or square is None or not square > 0:
            return None
        return Least(losses.GaussianLoss(arb_lower(root(square))), arb_upper(lost))
    release, _ = grouped[0]
    moved, part, lost = release.moved, _at(kept(release), values), _at(hidden(release), values)
    alone = len(grouped) == 1 and release.entries == ONE and release.sampled is None
    attained = alone and release.reached and moved is not None and moved.attained
    if not attained or lost is None or part is None or not part > 0:
        return None
    loss = mixture.pure[0].loss(1 / arb_lower(part))
    return None if isinstance(loss, losses.ResponseLoss) else Least(loss, arb_upper(lost))


def _at(formula: Expression, values: Mapping[str, Fraction]) -> Any:
    """An enclosure at numbers; None where one is missing."""
    known = all(symbol.name in values for symbol in formula.symbols())
    return at_point((formula,), values)[0] if known else None


def joint_gaussian(certificate: Certificate) -> GaussianDP | None:
    """The Gaussian DP of all releases together, mu rounded up: what noise that is Gaussian
    throughout gives besides the target. None for other noise, and while a number is missing.
    """
    releases = certificate.graph.releases
    if not releases or any(release.gives is not GaussianDP for release in releases):
        return None
    if not certificate.graph.additive:
        return None
    values = {name: Number(value) for name, value in certificate.values.items()}
    square = squared_mu(releases).substitute(values)
    if square == ZERO or square.symbols():
        return None
    return GaussianDP(rounded_up(upper(sqrt(square)), 12))
