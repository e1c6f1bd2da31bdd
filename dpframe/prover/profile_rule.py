"""The exact Gaussian privacy profile at numbers, and as a source of counterexamples.

Gaussian and pure releases of one graph as privacy losses, in numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import attrs
import flint

from dpframe.accountants import NumericAccountant, Part
from dpframe.errors import InvalidArgument
from dpframe.exact.interval import Interval
from dpframe.graph import Joint, Release
from dpframe.graph.graph import classes
from dpframe.graph.statistics import OneRow
from dpframe.identity import own
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import PureNoise
from dpframe.numerics.profile import certainly_above, delta_ball
from dpframe.numerics.rounding import arb_lower, arb_upper, working
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, GaussianDP, Guarantee, PureDP, Relation, ZeroConcentratedDP
from dpframe.sensitivity import Sensitivity
from dpframe.symbols import ONE, ZERO, Expression, Number, Symbol, add, power, sqrt
from dpframe.wording import Formula, digits, say

from .algebra import BITS, at_point, enclose, rational_ball
from .problem import Constraint, Witness, joint_moves
from .sign import counterexample

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
        guarantee, times = cost(on_all_rows(release)), release.times.substitute(values)
        if not isinstance(guarantee, PureDP):
            way_out = "Calibrate each release alone."
            raise InvalidArgument("noise", "Gaussian or pure", release.noise.kind, way_out)
        epsilon, moved = upper(guarantee.epsilon.substitute(values)), _moved(release, values)
        relation = release.statistic.unit.relation
        rate = release.hides if own(release.noise) else None
        draws, share = int(_exact("times", times)), ONE if rate is None else rate
        return cls(release.mechanism, epsilon, moved, relation, draws, share.value)

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
        if not isinstance(self.mechanism, PureNoise) or not (own(kind) or "loss" in vars(kind)):
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
        draws = [int(_exact("times", one.times.substitute(values))) for one in sampled]
        drawn = [sampled_loss(release, values) for release in sampled]
        return cls(mu, pure, tuple(zip(drawn, draws, strict=True)))

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
        from dpframe.accountants import least_factor

        target, at = _exact("epsilon", epsilon), _exact("delta", delta)
        return Number(least_factor(NumericAccountant(), self.parts, target, at))


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
    return joint.total(joint_moves(rows, joint, grouped))


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
    return [cost(on_all_rows(release)).amounts[0] * release.times for release in releases]


def on_all_rows(release: Release) -> Release:
    """The same without samples, which costs at least as much."""
    return release if release.sampled is None else attrs.evolve(release, sampled=None)


def cost(release: Release) -> Guarantee:
    """What one draw guarantees at its derived sensitivity. Raises InvalidArgument."""
    moved = release.moved
    if moved is None:
        raise InvalidArgument("statistic", "bounded", release.statistic.label, "Clip its rows.")
    if moved.value == ZERO:
        way_out = "It is public here: use it without a release."
        raise InvalidArgument(
            "statistic", "one that neighbours move", release.statistic.label, way_out
        )
    return release.guarantee(moved.value)


def upper(formula: Expression) -> Fraction:
    """An upper bound on a formula without symbols. Raises InvalidArgument."""
    if formula.symbols():
        way_out = "Give every parameter a number."
        raise InvalidArgument("the cost of a release", "a number", str(formula), way_out)
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


def _exact(name: str, formula: Expression) -> Fraction:
    if not isinstance(formula, Number):
        way_out = "Gaussian and pure noise together are calibrated in numbers: give them."
        raise InvalidArgument(name, "a number", str(formula), way_out)
    return formula.value


def total_rho(releases: Sequence[Release]) -> Expression:
    """The zCDP of Gaussian and pure releases together on all rows, of pure ones what the mechanism
    states where that is less. [BunS16, Lem 2.3, Prop 1.4]
    """
    gaussians = [release for release in releases if release.gives is GaussianDP]
    pure = (on_all_rows(one) for one in releases if one.gives is not GaussianDP)
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


MAX_TRIES = 40
SIX = 6  # digits
MANY = tuple(Fraction(2) ** power for power in (4, 8, 16, 32))
Ball = Any


@attrs.frozen
class ProfileClaim:
    """delta(epsilon; mu) <= delta for mu^2 = `upper`; `lower` is a lower bound on the mu^2 that
    some pair of neighbours attains.
    """

    epsilon: Expression
    delta: Expression
    upper: Expression
    lower: Expression

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol that occurs, by name."""
        symbols = frozenset().union(
            *(f.symbols() for f in (self.epsilon, self.delta, self.upper, self.lower))
        )
        return tuple(sorted(symbols, key=lambda symbol: symbol.name))


def root(square: Ball) -> Ball:
    """sqrt of an enclosure of a nonnegative number."""
    with working(BITS):
        return square.max(flint.arb(0)).sqrt() if square.is_finite() else square


def holds(claim: ProfileClaim, values: Mapping[str, Ball]) -> bool:
    """Whether the claim certainly holds where every symbol lies in its ball (False: not seen)."""
    known: dict[Expression, Ball] = {}
    epsilon, delta, square = (
        enclose(formula, values, known) for formula in (claim.epsilon, claim.delta, claim.upper)
    )
    if not (epsilon.is_finite() and delta.is_finite() and square.is_finite()):
        return False
    least, target = arb_lower(epsilon), arb_lower(delta)
    if least < 0 or target <= 0:
        return False
    mu = root(rational_ball(max(arb_upper(square), Fraction(0))))
    return bool(arb_upper(delta_ball(least, mu)) <= target)


def refute(claim: ProfileClaim, *, whole: bool = True) -> Witness | None:
    """Numbers at which the transcript certainly breaks the claim, or None."""
    broken = partial(_broken, exact=whole and claim.lower == claim.upper)
    read = (claim.epsilon, claim.delta, claim.lower)
    witness = counterexample(read, broken, claim.symbols, MAX_TRIES)
    return witness or next(
        (one for one in _with_many_draws(claim, broken) if one is not None), None
    )


def _with_many_draws(
    claim: ProfileClaim, broken: Callable[..., str | None]
) -> Iterator[Witness | None]:
    """The same at large values of whole numbers without an upper end, such as numbers of draws."""
    counts = [one for one in claim.symbols if one.domain.integer and one.domain.upper is None]
    for size in MANY if counts else ():
        fixed = {one.name: Number(size) for one in counts if size in one.domain}
        names = {name: value.value for name, value in fixed.items()}
        read = [one.substitute(fixed) for one in (claim.epsilon, claim.delta, claim.lower)]
        witness = counterexample(read, broken, (), MAX_TRIES)
        yield witness and attrs.evolve(witness, values={**witness.values, **names})


def _broken(epsilon: Ball, delta: Ball, square: Ball, *, exact: bool) -> str | None:
    if not (epsilon.is_finite() and delta.is_finite() and square.is_finite()) or not epsilon >= 0:
        return None
    mu = root(square)
    true = delta_ball(epsilon, mu)
    if not certainly_above(true, arb_upper(delta)):
        return None
    at, most = say("at $epsilon$ = {}", shown_ball(epsilon)), shown_ball(delta)
    if exact:
        return say(
            "the worst pair moves by $mu$ = {} stds, so the exact $delta$ {} is {} > {}",
            shown_ball(mu),
            at,
            digits(float(true.mid()), 4),
            most,
        )
    stds = shown_end(arb_lower(mu), up=False)
    least = shown_end(arb_lower(true), up=False, limit=arb_upper(delta))
    return say(
        "some pair moves by $mu$ >= {} stds, so its $delta$ {} is at least {} > {}",
        stds,
        at,
        least,
        most,
    )


def shown_ball(ball: Ball) -> str:
    """Six digits of an enclosure's middle."""
    return digits(float(ball.mid()))


def shown_end(end: Fraction, *, up: bool, limit: Fraction | None = None) -> Formula:
    """A bound in six digits, rounded up or down; in more where six are on the other side of
    `limit`.
    """
    for count in (SIX, 10, 16):
        context = Context(prec=count, rounding=ROUND_CEILING if up else ROUND_FLOOR)
        rounded = context.divide(Decimal(end.numerator), Decimal(end.denominator))
        if limit is None or (Fraction(rounded) > limit) == (end > limit):
            break
    value = float(rounded)
    return digits(value, count) if math.isfinite(value) else Formula(f"{rounded:.{SIX}g}")


def compact(symbol: Symbol) -> Interval | None:
    """The compact range on which boxes prove: closed ends as declared, open ends drawn in by 1/1000
    of the width; delta from 1e-300 to 1/2.
    """
    low, high = symbol.domain.lower, symbol.domain.upper
    if low is None or high is None:
        return None
    if symbol.name == "delta" and low == 0 and high == 1:
        return Interval(Fraction(1, 10**300), Fraction(1, 2))
    margin = Fraction(0) if low > 0 else (high - low) / 1000
    left = low if symbol.domain.lower_closed else low + margin
    return Interval(left, high if symbol.domain.upper_closed else high - margin)


def drawn_in(symbol: Symbol, span: Interval) -> list[Constraint]:
    """Where the range is less than the domain."""
    low, high = span
    wanted = []
    if low != symbol.domain.lower:
        wanted.append(Constraint(Number(low), symbol, source="compact range of the boxes"))
    if high != symbol.domain.upper:
        wanted.append(Constraint(symbol, Number(high), source="compact range of the boxes"))
    return wanted


def known_delta(claim: ProfileClaim, values: Mapping[str, Fraction]) -> str:
    """How the claim stands at numbers: `exact delta 8.848e-07 at epsilon 0.3333`, or `mu at most
    42.7, delta at most 1` where no pair is known to attain the bound, and what some pair attains.
    """
    epsilon, square, attained = at_point((claim.epsilon, claim.upper, claim.lower), values)
    mu, least = root(square), root(attained)
    if not epsilon >= 0:
        return say("$mu$ = {}, $epsilon$ {}", shown_ball(mu), shown_ball(epsilon))
    delta, at = delta_ball(epsilon, mu), say("at $epsilon$ {}", shown_ball(epsilon))
    if claim.lower == claim.upper:
        true = digits(float(delta.mid()), 4)
        return say("$mu$ = {}, exact $delta$ {} {}", shown_ball(mu), true, at)
    ends = arb_upper(mu), min(arb_upper(delta), Fraction(1))
    most = say(
        "$mu$ at most {}, $delta$ at most {} {}", *(shown_end(one, up=True) for one in ends), at
    )
    if not least > 0:
        return say("{}; no pair of neighbours is known to attain them", most)
    low = shown_end(arb_lower(delta_ball(epsilon, least)), up=False)
    mu_low = shown_end(arb_lower(least), up=False)
    return say("{}; some pair has $mu$ >= {}, $delta$ >= {}", most, mu_low, low)
