"""AdaOPS [Wang18, Alg. 1], step by step: what each step costs exactly, against its share.

Steps 2 and 6 are Gaussian noise of sqrt(log(6/delta))/(epsilon/4) times the sensitivity, for
(epsilon/4, delta/3); step 7 is the posterior, for (epsilon/2, delta/3), with root(gamma) from the
quadratic equation of adaops.m.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb

from docs.generate.refutations.posterior_profile import posterior_pair
from dpframe.numbers import Exact, open_unit, positive
from dpframe.numerics.pairs import posterior_pair_ball
from dpframe.numerics.profile import ball
from dpframe.numerics.rounding import arb_float, to_float

from .adaops import Constants
from .claim import power
from .limits import epsilon_at_least
from .refutation import Refutation, Rigour
from .tables import Real

HEIGHTS = np.geomspace(1, 1e6, 400)
"""h, in units of the least that adaops.m allows."""


def adaops_steps(epsilon: Exact, delta: Exact) -> tuple[Refutation, ...]:
    """Step 2 (and 6), step 2 without the norm B = 2 in its noise, and step 7."""
    return (
        _gaussian("AdaOPS step 2, step 6", 1, epsilon, delta),
        _gaussian("AdaOPS step 2, B^2 missing", 2, epsilon, delta),
        adaops_step_7(epsilon, delta),
    )


def adaops_step_7(epsilon: Exact, delta: Exact) -> Refutation:
    """The exact delta at epsilon/2 of the posterior, at the h that is worst for it.

    A record of leverage 1/h and of the residual L for which gamma was chosen; L cancels.
    """
    budget, target = positive("epsilon", epsilon), open_unit("delta", delta)
    h = _worst_height(float(budget), float(target))
    exact = posterior_pair_ball(budget / 2, lambda: _gamma(h, budget, target), 1 / h, 1)
    return Refutation(
        what="AdaOPS step 7",
        parameters=(("epsilon", f"{float(epsilon):g}"),),
        quantity="delta",
        claimed=to_float(target / 3, up=True),
        found=arb_float(exact, up=False),
        rigour=Rigour.PROVED,
        how=f"a record of leverage 1/h and residual L at h = {float(h):.4g}",
    )


def adaops_cap(epsilon: Exact, delta: Exact, rows: int) -> Refutation:
    """The exact delta at epsilon/2 of step 7 where its cap 1 + sqrt(2 sqrt(n)/h) is taken for L.

    n rows c u + s v, -c u + s v of label 1 with n s^2 = h - 1, no ridge, and a released eigenvalue
    that is exact: theta = sqrt(n (h - 1))/h in the direction v, in which (v, -1) joins.
    """
    budget, target = positive("epsilon", epsilon), open_unit("delta", delta)
    h = Fraction(round(Constants.of(float(budget), float(target)).best))

    def ratio() -> arb:
        """The residual in units of the cap."""
        root = ball(rows).sqrt()
        return (1 + root * ball(h - 1).sqrt() / ball(h)) / (1 + (2 * root / ball(h)).sqrt())

    exact = posterior_pair_ball(budget / 2, lambda: _gamma(h, budget, target), 1 / h, ratio)
    return Refutation(
        what="AdaOPS step 7, cap on L",
        parameters=(("epsilon", f"{float(epsilon):g}"), ("n", power(rows))),
        quantity="delta",
        claimed=to_float(target / 3, up=True),
        found=arb_float(exact, up=False),
        rigour=Rigour.PROVED,
        how=f"h = {h}: rows that lean on v by sqrt((h - 1)/n); (v, -1) joins",
    )


def _gaussian(what: str, norm: int, epsilon: Exact, delta: Exact) -> Refutation:
    """Noise for sensitivity 1 where the eigenvalue moves by the square of the norm."""
    share, allowed = positive("epsilon", epsilon) / 4, open_unit("delta", delta) / 3

    def mu(budget: arb, target: arb) -> arb:
        return norm * norm * budget / 4 / (6 / target).log().sqrt()

    return Refutation(
        what=what,
        parameters=(("epsilon", f"{float(epsilon):g}"), ("B", str(norm))),
        quantity="epsilon",
        claimed=to_float(share, up=True),
        found=epsilon_at_least(mu, epsilon, delta, allowed),
        rigour=Rigour.PROVED,
        how="the Gaussian profile at delta/3",
    )


def _worst_height(epsilon: float, delta: float) -> Fraction:
    heights = _least(epsilon, delta) * HEIGHTS
    gamma = _root_gamma(heights, epsilon, float(np.log(6 / delta))) ** 2
    found = np.asarray(posterior_pair(epsilon / 2, gamma, 1 / heights, 1.0))
    return Fraction(float(heights[int(np.argmax(found))]))


def _least(epsilon: float, delta: float) -> float:
    return 2 * (1 + float(np.log(6 / delta))) / epsilon


def _gamma(h: Fraction, epsilon: Fraction, delta: Fraction) -> arb:
    root = _root_gamma(ball(h), ball(epsilon), (ball(6) / ball(delta)).log())
    return arb(root * root)


def _root_gamma(h: Real, epsilon: Real, log: Real) -> Real:
    """L root(gamma), by the quadratic equation of adaops.m."""
    a, b, c = 1 / (2 * (h + 1)), (log / h) ** 0.5, (1 + log) / (2 * h) - epsilon / 2
    return (-b + (b * b - 4 * a * c) ** 0.5) / (2 * a)
