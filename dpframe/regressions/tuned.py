"""Private hyperparameter tuning by random stopping."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, Plain, of_kind
from dpframe.graph import ColumnNode, Graph, Node, Regression, RowsNode, post, release
from dpframe.graph.maps.residuals import clipped_error
from dpframe.graph.procedures.random_stopping import RandomStopping
from dpframe.mechanisms import Laplace
from dpframe.privacy import PureDP, Share
from dpframe.symbols import Expression, constant
from dpframe.theory.procedures import TIMES

from .solve import Array

EXAMPLE = (
    "Write dp.regressions.Tuned(of=dp.regressions.FunctionalRidge(), field='lam', "
    "candidates=(1, 10))."
)
NO_DELTA = (
    "Gaussian noise spends a delta, also in dpframe's logistic regressions, whose penalty "
    "dp.recommend(n=..., ...) computes from public numbers. dp.regressions.FunctionalRidge can be "
    "tuned."
)


def _candidates(value: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) else value


def _check_candidates(_: Any, field: Any, value: Any) -> None:
    if not value or not isinstance(value, tuple):
        way_out = "They are public: choose them without the data."
        raise InvalidArgument(field.name, "a list of values", value, way_out)


class Tuned(Regression):
    """A regression with a hyperparameter tuned by random stopping: fits at random candidates, of
    which the best by a noisy score is returned. [LiuT19; PapernotS22, Cor 3]

    `of` is the regression, which must satisfy pure differential privacy, `field` its hyperparameter
    and `candidates` a public list of values. After each run the search stops with probability
    `gamma`, above 0 and at most 1. A run, with its score, spends a third of epsilon; the search
    spends epsilon, for any number of runs, and no delta. The share `scoring` of a run's epsilon,
    from 0 to 1, is for the score, a noisy sum of squared residuals, which are clipped to `bound` Y:
    by default the fit has 2/9 of epsilon and the score 1/9. A Fit is released with the place of its
    candidate, `chosen`.

    Use: A hyperparameter that matters and has no public value. Each run has a third of epsilon:
    with a good guess use a single fit.
    """

    title: ClassVar[str] = "tuned by random stopping"
    of: Any = attrs.field(
        default=None, validator=of_kind(Regression, "a declaration to tune", EXAMPLE)
    )
    field: Any = attrs.field(
        default=None, validator=of_kind(str, "its parameter, by name", EXAMPLE)
    )
    candidates: Any = attrs.field(default=None, converter=_candidates, validator=_check_candidates)
    gamma: Expression = constant("1/10")
    scoring: Expression = constant("1/3")
    bound: Expression = constant(1)

    def __str__(self) -> str:
        """`FunctionalRidge(lam=1), lam tuned`."""
        return f"{self.of}, {self.field} tuned"

    @property
    def remark(self) -> str:  # type: ignore[override]  # as its shares say
        """The parts of epsilon of a run."""
        fit, score = (part / TIMES for part in (1 - self.scoring, self.scoring))
        return (
            f"Each of the runs, of which the best is released, has {fit} of epsilon for its fit "
            f"and {score} for its score. A delta is not used: at delta 0 the noise is the same."
        )

    def candidate(self, place: int) -> str:
        """`lam = 10`."""
        return f"{self.field} = {self.candidates[place]}"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Run the search for the whole budget."""
        each = PureDP(budget.epsilon / TIMES).budget
        graphs = [self._run(one, X, y, each) for one in self.candidates]
        return RandomStopping(X, y, graphs, str(self.gamma), budget, "tuned")

    def _run(self, candidate: Any, X: RowsNode, y: ColumnNode, each: Share) -> Graph:
        """The fit at a candidate, and its score."""
        for_fit, for_score = each.split(1 - self.scoring, self.scoring)
        try:
            fit = self._at(candidate).declare(X, y, for_fit)
        except InvalidArgument as refused:
            if refused.name not in {"share", "delta", "budget"}:
                raise
            wanted = "a regression without delta, as random stopping is for pure privacy"
            raise InvalidArgument("of", wanted, Plain(self.of), NO_DELTA) from None
        if not isinstance(fit, Node):
            way_out = "Return dp.post(...) or a release."
            raise InvalidArgument("of", "a declaration with one output", fit, way_out)
        error = clipped_error(X, y, post(theta_of, fit), bound=self.bound * y.radius)
        return Graph.of((fit, release(error, Laplace.pure, for_score, name="score")))

    def _at(self, candidate: Any) -> Regression:
        fields = {one.name for one in attrs.fields(type(self.of))}
        if self.field not in fields:
            wanted = f"one of {', '.join(sorted(fields)) or 'none'}"
            raise InvalidArgument("field", wanted, self.field, "")
        made: Regression = attrs.evolve(self.of, **{self.field: candidate})
        return made


def theta_of(fit: Any) -> Array:
    """The coefficients of a fit, finite, shape (p,)."""
    theta: Array = np.nan_to_num(np.asarray(getattr(fit, "coefficients", fit), dtype=float))
    return theta
