"""Gaussian noise for several statistics at once, spending one budget exactly."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.errors import InvalidArgument, listed_words
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, analytic_sigma, exact, sqrt

from .joint import Joint
from .statistics import Statistic


def jointly(
    budget: Share,
    statistics: Sequence[Statistic],
    weights: Sequence[object] | None = None,
    times: Sequence[object] | None = None,
) -> tuple[Gaussian, ...]:
    """Mechanisms whose joint cost for one pair of neighbours is exactly `budget`; `weights` divide
    its squared mu (equal by default); `times` says how often each is drawn (once): a weight is that
    of all draws.

    std_i = unit_std size_i sqrt(J/w_i), where J is the joint total of the weights (their sum under
    add/remove) and unit_std is the std that the
    budget affords at sensitivity 1: analytic_sigma(epsilon, delta), 1/sqrt(2 rho) or 1/mu. Raises
    InvalidArgument.
    """
    shares = [
        exact(weight, "weight")
        for weight in (weights if weights is not None else [1] * len(statistics))
    ]
    draws = [exact(count, "times") for count in (times or [1] * len(statistics))]
    joint = Joint.of(statistics, statistics[0].unit.relation) if statistics else None
    if joint is None or not len(shares) == len(draws) == len(statistics):
        raise InvalidArgument(
            "statistics",
            "bounded in L2 norm, one weight each",
            listed_words(s.label for s in statistics),
            "Clip rows and labels to public bounds.",
        )
    spread = sqrt(joint.total(shares)) * unit_std(budget) * statistics[0].unit.rows_per_person
    return tuple(
        Gaussian(std=spread * size * sqrt(count) / sqrt(weight))
        for size, weight, count in zip(joint.sizes, shares, draws, strict=True)
    )


def unit_std(budget: Share) -> Expression:
    """The least std at sensitivity 1 that the budget affords."""
    if budget.currency == ("epsilon", "delta"):
        return analytic_sigma(budget.epsilon, budget.delta)
    if budget.currency == ("rho",):
        return 1 / sqrt(2 * budget.rho)
    if budget.currency == ("mu^2",):
        return 1 / budget.mu
    raise InvalidArgument(
        "budget",
        "one that Gaussian noise can spend",
        listed_words(budget.currency),
        "A pure budget needs dp.Laplace.pure.",
    )
