"""Theorems of calibration: why noise of a size gives a release its share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from dpframe.exact.documents import HALF
from dpframe.exact.formula import Formula

from .at import At, Context
from .book import THEOREMS, Theorem
from .facts import Release
from .gaussian import approximately
from .guarantees import BY_CURRENCY
from .mechanisms import LAPLACIAN, NOISES, NORMAL, RANGED, RESPONSE, RHO, NoiseLoss


def moved_by(c: At, r: Release) -> Formula:
    """The sensitivity of a release in the norm of its noise, for one person's rows."""
    one = r.statistic.move(r.noise.norm)
    assert one is not None  # noqa: S101 - required where the release was read
    return c.ring.factored(c.rows * one)


def on_sample(at: Context, epsilon: Any, rate: Any) -> Any:
    """What an epsilon-DP draw costs where it reads a fresh Poisson sample, and a person is one row
    that joins or leaves: log(1 + rate (e^epsilon - 1)). [BalleBG18, Thm 8] (proofs/subsampling)
    """
    return at.log((at.exp(epsilon) - 1) * rate + 1)


def shown(c: At, f: Formula) -> bool:
    """Whether f >= 0: in symbols, or by enclosure, at numbers or on boxes of a bounded domain."""
    enclosed = partial(c.on_boxes, "at least 0", [f])
    return c.ring.prove(f) or enclosed(lambda ends: ends[0][0] >= 0)


def amplified(c: At, r: Release) -> Formula | None:
    """The epsilon of one draw of pure noise on a sample; None where there is no sample, where a
    person is more than one row that joins or leaves, and where move/size is no number.
    """
    whole = moved_by(c, r) / r.size
    alone = r.noise.loss.pure and c.single() and not c.relation.replaced
    fits = alone and not c.ring.depends(whole)
    return on_sample(c, whole, r.sampled) if fits and r.sampled and r.sampled < 1 else None


def loss_of(c: At, r: Release) -> Formula:
    """move/size, from which the cost of one draw follows; of pure noise its epsilon."""
    return amplified(c, r) or moved_by(c, r) / r.size


Sizing = Callable[[Context, Formula, Mapping[str, Formula]], Formula]


@dataclass(frozen=True)
class SizeTheorem:
    """A theorem that sizes noise: from the sensitivity in its norm and the amounts of a share, each
    a formula, to the size; the most that epsilon may be, or for `strict` stays below.
    """

    size: Sizing
    limit: Callable[[Context], Formula] | None
    strict: bool

    def __call__(self, c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
        """The obligation that the size of a release is what it prescribes for its share."""
        own = self.size(c, moved_by(c, r), {"epsilon": epsilon, "delta": delta})
        c.equal(r.size, own, "the theorem's size")
        if self.limit is not None:
            most = self.limit(c)
            rule = f"the theorem's hypothesis is missing: {'<' if self.strict else '<='} of"
            c.require(c.assume(epsilon, most, strict=self.strict), rule, epsilon, most)


def with_loss(*losses: NoiseLoss) -> list[str]:
    """The mechanisms whose draws have one of these losses."""
    return [name for name, noise in NOISES.items() if noise.loss in losses]


def calibration(
    rule: str, *mechanisms: str, limit: Any = None, strict: bool = False
) -> Callable[[Sizing], Sizing]:
    """Enter a sizing into the table of theorems by which shares are earned. `rule` is the part of
    its name that follows the name of the mechanism.
    """

    def enter(size: Sizing) -> Sizing:
        for mechanism in mechanisms:
            name = f"{mechanism.title().replace('_', '')}.{rule}"
            THEOREMS[mechanism, name] = SizeTheorem(size, limit, strict)
        return size

    return enter


@calibration("classical", "gaussian", limit=lambda at: at.number(1), strict=True)
def _classical(at: Context, moved: Formula, share: Mapping[str, Formula]) -> Formula:
    """sqrt(2 log(1.25/delta)) Delta/epsilon, for epsilon < 1. [DworkR14, Thm A.1]"""
    return (at.log(Fraction(5, 4) / share["delta"]) * 2) ** HALF * moved / share["epsilon"]


@calibration("kamath_ullman", "gaussian", limit=lambda at: at.log(at.number(2)) * 4)
def _kamath_ullman(at: Context, moved: Formula, share: Mapping[str, Formula]) -> Formula:
    """sqrt(2 log(2/delta)) Delta/epsilon, for epsilon <= 4 log 2 by E1 with a = 2, S = 1/2."""
    return (at.log(2 / share["delta"]) * 2) ** HALF * moved / share["epsilon"]


@calibration("analytic", "gaussian")
def _analytic(at: Context, moved: Formula, share: Mapping[str, Formula]) -> Formula:
    """analytic_sigma(epsilon, delta) Delta, what that is [BalleW18, Thm 8]; Delta/sqrt(2 rho)
    [BunS16, Prop 1.6]; Delta/mu [DongRS22, Thm 2.7].
    """
    if "epsilon" in share:
        return at.analytic_sigma(share["epsilon"], share["delta"]) * moved
    (amount,) = share.values()
    return moved / (amount * BY_CURRENCY[tuple(share)].of_mu) ** HALF


@calibration("pure", *with_loss(RANGED))
def _ranged(_: Context, moved: Formula, share: Mapping[str, Formula]) -> Formula:
    """Delta/epsilon, Delta the largest difference between the moves of two scores, which is at most
    twice that of one score [McSherryT07, Thm 6]; Delta/sqrt(8 rho) by bounded range [DongDR20].
    """
    return moved / share["epsilon"] if "epsilon" in share else moved / (share["rho"] * 8) ** HALF


@calibration("pure", *with_loss(LAPLACIAN, RESPONSE))
def _pure(_: Context, moved: Formula, share: Mapping[str, Formula]) -> Formula:
    """Delta/epsilon, in the L1 norm [DworkR14, Thm 3.6] or, of L2-Laplace noise, in L2 [HardtT10,
    Sec 4]: the slope of the log-density; in whole numbers, of the log-probabilities [GhoshRS12, Def
    2.3]. Of a selection, Delta is the largest difference between the moves of two scores
    [McKennaS20] [DworkR14, Claim 3.9] (proofs/selection).
    """
    return moved / share["epsilon"]


@calibration("concentrated", *with_loss(RHO))
def _concentrated(at: Context, moved: Formula, share: Mapping[str, Formula]) -> Formula:
    """Delta/sqrt(2 rho) [CanonneKS20, Thm 4], where rho is the share, or sqrt(rho) = sqrt(log(1/
    delta) + epsilon) - sqrt(log(1/delta)), so that rho + 2 sqrt(rho log(1/delta)) = epsilon.
    [BunS16, Prop 1.3]
    """
    if "rho" in share:
        return moved / (share["rho"] * 2) ** HALF
    tail = at.log(1 / share["delta"])
    # the difference of roots as epsilon over their sum, which cancels nothing
    root = share["epsilon"] / ((tail + share["epsilon"]) ** HALF + tail**HALF)
    return moved / (at.number(2) ** HALF * root)


def _stated_pure(c: At, r: Release, epsilon: Formula, _: Formula) -> None:
    """scale >= Delta/epsilon: Delta_1 [DworkR14, Thm 3.6], Delta_2 [HardtT10, Sec 4], or the range
    of the move of the scores (proofs/selection); on a sample, by what is left of Delta/scale.
    """
    rule = f"{r.noise.norm} sensitivity at most epsilon times scale"
    if amplified(c, r) is None or not shown(c, epsilon - loss_of(c, r)):
        c.at_least(epsilon * r.size, moved_by(c, r), rule)


def as_epsilon(c: At, rho: Formula, delta: Formula) -> Formula:
    """rho + 2 sqrt(rho log(1/delta)), an epsilon of rho-zCDP at delta. [BunS16, Prop 1.3]"""
    return rho + (rho * c.ring.log(1 / delta)) ** HALF * 2


def _stated_concentrated(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """rho + 2 sqrt(rho log(1/delta)) <= epsilon for rho = (Delta/std)^2/2. [BunS16, Prop 1.3]"""
    worth = as_epsilon(c, (moved_by(c, r) / r.size) ** 2 * HALF, delta)
    c.at_least(epsilon, worth, "rho + 2 sqrt(rho log(1/delta)) must be at most epsilon")


def _stated_gaussian(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """E1, or the exact profile."""
    approximately(c, epsilon, delta, [("rest", (moved_by(c, r) / r.size) ** 2)])


BY_LOSS: dict[NoiseLoss, Theorem] = {NORMAL: _stated_gaussian, RHO: _stated_concentrated}
BY_LOSS |= dict.fromkeys((LAPLACIAN, RESPONSE, RANGED), _stated_pure)
THEOREMS |= {(name, "stated"): BY_LOSS[noise.loss] for name, noise in NOISES.items()}
