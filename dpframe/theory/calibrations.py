"""Theorems of calibration: why noise of a size gives a release its share."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from dpframe.exact.formula import Formula, text_of
from dpframe.exact.limits import HALF, ZERO
from dpframe.exact.ring import Ring

from .at import At
from .book import theorem
from .facts import Release
from .gaussian import approximately


def moved_by(c: At, r: Release) -> Formula:
    """The sensitivity of a release in the norm of its noise, for one person's rows."""
    one = r.statistic.l1 if r.noise.norm == "L1" else r.statistic.l2
    assert one is not None  # noqa: S101 - required where the release was read
    return c.ring.factored(c.rows * one)


def calibrated(c: At, r: Release, factor: Fraction, epsilon: Formula, delta: Formula) -> None:
    """size = sqrt(2 log(factor/delta)) Delta/epsilon."""
    root = (c.ring.log(factor / delta) * 2) ** HALF
    c.equal(r.size, root * moved_by(c, r) / epsilon, "the theorem's size")


@theorem("gaussian", "Gaussian.classical")
def _classical(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """[DworkR14, Thm A.1], for epsilon < 1."""
    calibrated(c, r, Fraction(5, 4), epsilon, delta)
    c.require(c.assume(epsilon, c.ring.lift(1), strict=True), f"{text_of(epsilon)} < 1 is missing")


@theorem("gaussian", "Gaussian.kamath_ullman")
def _kamath_ullman(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """[KamathU20, Lem 2.4] up to 1, and up to 4 log 2 by E1 with a = 2, S = 1/2."""
    calibrated(c, r, Fraction(2), epsilon, delta)
    limit = c.ring.log(c.ring.lift(2)) * 4
    c.require(c.assume(epsilon, limit), f"{text_of(epsilon)} <= 4*log(2) is missing")


@theorem("gaussian", "Gaussian.analytic")
def _analytic(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """[BalleW18, Thm 8]: what analytic_sigma is."""
    least = c.ring.implicit("analytic_sigma", [epsilon, delta])
    c.equal(r.size, least * moved_by(c, r), "the theorem's size")


@theorem("laplace", "Laplace.pure")
@theorem("discrete_laplace", "DiscreteLaplace.pure")
@theorem("l2_laplace", "L2Laplace.pure")
def _pure(c: At, r: Release, epsilon: Formula, _: Formula) -> None:
    """[DworkR14, Thm 3.6] in the L1 norm, [HardtT10, Sec 4] in L2: the slope of the log-density; in
    whole numbers, of the log-probabilities. [GhoshRS12, Def 2.3]
    """
    c.equal(r.size, moved_by(c, r) / epsilon, "the theorem's size")


@theorem("laplace", "stated")
@theorem("discrete_laplace", "stated")
@theorem("l2_laplace", "stated")
def _stated_laplace(c: At, r: Release, epsilon: Formula, _: Formula) -> None:
    """scale >= Delta/epsilon: Delta_1 [DworkR14, Thm 3.6], or Delta_2 [HardtT10, Sec 4]."""
    rule = f"{r.noise.norm} sensitivity at most epsilon times scale"
    at_most(c, epsilon * r.size, moved_by(c, r), rule)


def at_most(c: At, most: Formula, f: Formula, rule: str) -> None:
    """The obligation f <= most, shown of f or of a bound on f. Raises Refused."""
    bounds = islice(bounds_of(c.ring, c.ring.factored(f)), 64)
    c.at_least(most, next((one for one in bounds if c.ring.prove(most - one)), f), rule)


def bounds_of(ring: Ring, f: Formula) -> Iterator[Formula]:
    """Bounds on f: itself; where it is a product of what is positive and a minimum, or divided by a
    maximum, that with one of the arguments.
    """
    yield f
    (mono, c), *others = f.pairs or [((), ZERO)]
    if others or c <= 0:
        return
    for g, e in mono:
        atom, rest = ring.atoms[g], [(h, k) for h, k in mono if h != g]
        extreme = (atom.kind == "min" and e > 0) or (atom.kind == "max" and e < 0)
        if extreme and atom.sign == 2 and all(ring.atoms[h].sign == 2 for h, _ in rest):
            for part in atom.args:
                if ring.sign(part) == 2:
                    yield from bounds_of(ring, ring.factored(ring.product(rest, c) * part**e))


@theorem("discrete_gaussian", "DiscreteGaussian.concentrated")
def _concentrated(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, so that rho + 2 sqrt(rho
    log(1/delta)) = epsilon. [CanonneKS20, Thm 4] [BunS16, Prop 1.3]
    """
    tail = c.ring.log(1 / delta)
    root = epsilon / ((tail + epsilon) ** HALF + tail**HALF)
    c.equal(r.size, moved_by(c, r) / (root * c.ring.lift(2) ** HALF), "the theorem's size")


@theorem("discrete_gaussian", "stated")
def _stated_concentrated(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """rho + 2 sqrt(rho log(1/delta)) <= epsilon for rho = (Delta/std)^2/2. [BunS16, Prop 1.3]"""
    rho = (moved_by(c, r) / r.size) ** 2 * HALF
    worth = rho + (rho * c.ring.log(1 / delta)) ** HALF * 2
    c.at_least(epsilon, worth, "rho + 2 sqrt(rho log(1/delta)) must be at most epsilon")


@theorem("gaussian", "stated")
@theorem("mirrored_gaussian", "stated")
def _stated_gaussian(c: At, r: Release, epsilon: Formula, delta: Formula) -> None:
    """E1, or the exact profile."""
    approximately(c, epsilon, delta, [("rest", (moved_by(c, r) / r.size) ** 2)])
