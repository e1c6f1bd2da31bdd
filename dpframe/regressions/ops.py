"""OPS: one sample from the posterior of a ridge regression."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Regression, RowsNode, known, post
from dpframe.graph.procedures.posterior import posterior
from dpframe.graph.statistics import Count
from dpframe.privacy import Share
from dpframe.symbols import Expression

from .ops_choices import (
    balanced_penalty,
    concentrated_penalty,
    conservative_penalty,
    diffused_penalty,
)
from .solve import Fit

Array = NDArray[Any]
LEAST, MOST = "1e-9", "1e15"


def sampled(theta: Array, penalty: float) -> Fit:
    """The sample as a fit."""
    return Fit(np.asarray(theta, dtype=float), penalty, ridge_was_zero=False)


class OPS(Regression):
    """Abstract: OPS whose penalty is chosen from n, d and the budget. n must be public."""

    paper: ClassVar[str] = "Wang18"
    title: ClassVar[str] = "OPS"

    @abstractmethod
    def choose(self) -> Callable[..., Any]:
        """(n, d, epsilon, delta) -> the penalty in units of B^2."""

    def own(self, epsilon: Expression) -> Expression:
        """The epsilon that penalties are chosen for."""
        return epsilon

    def penalty(self, X: RowsNode, budget: Share) -> Expression:
        """The penalty, in the units of X'X."""
        sizes = (Count(X.origin), X.columns, self.own(budget.epsilon), budget.delta)
        chosen = known(post(self.choose(), *sizes), LEAST, MOST, name="penalty")
        return chosen * X.radius**2


class GuardedOPS(OPS):
    """Abstract: the temperature is the largest that is admissible for the share. A replacement is a
    removal and an addition, each for half of epsilon.
    """

    def own(self, epsilon: Expression) -> Expression:
        """Half."""
        return epsilon / 2

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One sample, for the whole budget."""
        penalty = self.penalty(X, budget)
        theta = posterior(X.T @ X, X.T @ y, penalty=penalty, share=budget, name="theta")
        return post(sampled, theta, penalty)


class OPSBalanced(GuardedOPS):
    """OPS with the penalty for the prediction error at |theta| = 1. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where one posterior sample is wanted and "
        "coefficients have norm near 1. Where a sample is no aim in itself take AdaSSP."
    )

    def choose(self) -> Callable[..., Any]:
        """(C1 n/2)^(1/3)."""
        return balanced_penalty


class OPSConcentrated(GuardedOPS):
    """OPS with a penalty so large that temperatures near 1 are admissible. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where a sample at a temperature near 1 is wanted."
        " Its large penalty pulls the coefficients towards zero."
    )

    def choose(self) -> Callable[..., Any]:
        """As temperature 1 needs."""
        return concentrated_penalty


class OPSDiffused(GuardedOPS):
    """OPS with the smallest penalty. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where the penalty must be small. Its sample is "
        "spread widely for that, so it is for many records."
    )

    def choose(self) -> Callable[..., Any]:
        """(1 + log(2/delta))/epsilon."""
        return diffused_penalty


class OPSConservative(GuardedOPS):
    """OPS with the penalty for the worst prediction error. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where coefficients may be large and the worst "
        "prediction error counts."
    )

    def choose(self) -> Callable[..., Any]:
        """sqrt(C1)."""
        return conservative_penalty
