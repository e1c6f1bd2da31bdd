"""What the releases of an audit cost at numbers, in the words of accountants."""

from __future__ import annotations

from fractions import Fraction

from dpframe.accountants import Part
from dpframe.errors import DPFrameError
from dpframe.graph import Release
from dpframe.graph.graph import classes
from dpframe.mechanisms import Laplace
from dpframe.pld.losses import (
    GaussianLoss,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
    SubsampledGaussianLoss,
)
from dpframe.privacy import GaussianDP, Guarantee, PureDP, ZeroConcentratedDP
from dpframe.prover.problem import Problem
from dpframe.prover.profile_rule import amplified, cost
from dpframe.symbols import Expression, Number

from ..joint_cost import JointCost
from .example import Values, number_at, upper_at

Parts = tuple[Part, ...]


def together(problem: Problem, joint: JointCost | None, values: Values) -> Parts | None:
    """Losses that bound all releases: one Gaussian of the joint mu where all noise is Gaussian,
    else one loss a draw. None where a release has no loss, or no bound.
    """
    releases = problem.graph.releases
    if joint is not None and not any(map(amplified, releases)):
        mu = Fraction(joint.mu[1])
        return (Part(GaussianLoss(mu)),) if mu > 0 else ()
    return apart(problem, values)


def apart(problem: Problem, values: Values) -> Parts | None:
    """One loss a draw, each at its own worst pair of neighbours; together these bound the whole,
    since every pair moves every release by at most that.
    """
    found: list[Part] = []
    for release, count in classes(problem.graph.releases):
        part = _loss(release, count, values)
        if part is None:
            return None
        found.append(part)
    return tuple(found) if problem.graph.additive else None


def guarantees(parts: Parts) -> Parts:
    """The same parts as guarantees, for accountants that add these; samples are not counted."""
    return tuple(Part(_guarantee(part.what), part.count) for part in parts)


def _guarantee(what: Guarantee | PrivacyLoss) -> Guarantee:
    match what:
        case GaussianLoss(mu):
            return GaussianDP(mu)
        case SubsampledGaussianLoss():
            return GaussianDP(what.mu)
        case LaplaceLoss(epsilon) | ResponseLoss(epsilon):
            return PureDP(epsilon)
    assert isinstance(what, Guarantee)  # noqa: S101 - `_loss` makes no others
    return what


def _loss(release: Release, count: int, values: Values) -> Part | None:
    """What draws of this release cost; None where nothing bounds them at these numbers."""
    try:
        amount = number_at(cost(release).amounts[0], values)
    except DPFrameError:
        return None
    size = _size(release, amount)
    times = number_at(release.times, values)
    if size is None or not isinstance(times, Number) or times.value.denominator != 1:
        return None
    what = _what(release, size)
    return None if what is None else Part(what, int(times.value) * count)


def _size(release: Release, amount: Expression) -> Fraction | None:
    """mu, rho or epsilon, rounded up; above 0."""
    from dpframe.symbols import sqrt

    formula = sqrt(amount) if release.gives is GaussianDP else amount
    found = upper_at(formula, {})
    return found if found is not None and found > 0 else None


def _what(release: Release, size: Fraction) -> Guarantee | PrivacyLoss | None:
    if release.gives is GaussianDP and amplified(release) and release.sampled is not None:
        return SubsampledGaussianLoss(size, release.sampled.value)
    if release.gives is GaussianDP:
        return GaussianLoss(size)
    if release.gives is PureDP:
        return (LaplaceLoss if type(release.mechanism) is Laplace else ResponseLoss)(size)
    return ZeroConcentratedDP(size) if release.gives is ZeroConcentratedDP else None
