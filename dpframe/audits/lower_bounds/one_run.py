"""A program audited in one run: canary rows are added to its table independently, each with
probability 1/2, and its output is used to guess which were included.

Of r guesses about m canaries at least v are right with probability at most

    P[W >= v] + m delta min(1, 2 max_i P[v > W >= v - i]/i),   W ~ Binomial(r, e^eps/(1 + e^eps)),

under (eps, delta)-differential privacy. [SteinkeNJ23, Thm 5.2] (docs/attacking.md proves it with 1
in the place of the minimum.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from scipy.special import bdtrc
from scipy.stats import binom

from dpframe.errors import InvalidArgument
from dpframe.numbers import whole
from dpframe.privacy import ADD_REMOVE, Relation

from ..figures import exactly
from .bounds import ROUNDING, Finding, Job, Reals
from .neighbours import AttackedTable, table
from .programs import Program, answer_of, seeded_call
from .scores import Array

Score = Callable[..., Any]
LARGEST = 60.0  # epsilon
HALVINGS = 60
SHARE = 0.25  # of the guesses at least are "included", and at least are "left out"


def chance_of(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """At least the chance of `right` or more right guesses among `guesses`, about `canaries`
    canaries, under (epsilon, delta)-differential privacy. Raises InvalidArgument.
    """
    if not 0 <= right <= guesses <= canaries:
        wanted = f"from 0 to {guesses}, the guesses, of at most {canaries} canaries"
        raise InvalidArgument("right guesses", wanted, right)
    accuracy = 1 / (1 + math.exp(-epsilon))
    tail = 1.0 if right == 0 else float(bdtrc(right - 1, guesses, accuracy))
    if delta > 0 and right > 0:
        below: Reals = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, accuracy))
        steepest = float(np.max(below / np.arange(1, right + 1)))
        tail += canaries * delta * min(1.0, 2 * steepest)
    return min(1.0, tail * (1 + ROUNDING))


def epsilon_of(
    right: int, guesses: int, canaries: int, *, delta: float = 0.0, failing: float = 0.05
) -> float:
    """The largest epsilon that so many right guesses refute with confidence 1 - `failing`; 0 where
    they refute none.
    """
    if chance_of(right, guesses, canaries, 0.0, delta) > failing:
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        refuted = chance_of(right, guesses, canaries, middle, delta) <= failing
        low, high = (middle, high) if refuted else (low, middle)
    return low


@attrs.frozen(eq=False)
class Canaries:
    """Rows that are included with probability 1/2 each, their score, and the number of guesses."""

    table: AttackedTable
    score: Score
    guesses: int

    def scores(self, output: Array) -> Reals:
        """A number for each. Raises InvalidArgument."""
        m, given = len(self.table.X), self.score(output, self.table.X, self.table.y)
        try:
            scores = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            scores = np.zeros(0)
        if scores.shape != (m,) or not np.isfinite(scores).all():
            raise InvalidArgument("score", f"{m} finite numbers, one a canary", given)
        return scores

    def beside(self, on: object, included: Array) -> AttackedTable:
        """The table `on` and the included canaries. Raises InvalidArgument."""
        X, y = self.table.X[included], self.table.y
        y = None if y is None else y[included]
        if on is None:
            return AttackedTable(X, y)
        base = _floats(tuple(on) if isinstance(on, list) and len(on) == 2 else on, "on")
        if base.X.shape[1:] != X.shape[1:] or (base.y is None) is not (y is None):
            wanted = f"a table (X, y) like that of the canaries, of {X.shape[1:]} columns"
            given = f"{base.X.shape[1:]} columns, with labels or without"
            raise InvalidArgument("on", wanted, given)
        labels = None if y is None or base.y is None else np.concatenate([base.y, y])
        return AttackedTable(np.concatenate([base.X, X]), labels)


def canary_table(
    canaries: object, score: Score | None, guesses: object, relation: Relation
) -> Canaries:
    """Of checked arguments. Raises InvalidArgument."""
    if relation is not ADD_REMOVE:
        wanted = "add/remove: a canary is added or it is not"
        way_out = "Attack with draws: on=((X, y), (X2, y2)), with one row replaced."
        raise InvalidArgument("relation", wanted, str(relation), way_out)
    if not isinstance(canaries, (tuple, list)) or len(canaries) != 2 or not callable(score):
        way_out = "score(output, X, y) gives each canary a number: larger where it seems included."
        raise InvalidArgument("canaries", "a table (X, y), with a score", canaries, way_out)
    planted = _floats(tuple(canaries), "canaries")
    m = len(planted.X)
    if not m:
        raise InvalidArgument("canaries", "at least one row", 0)
    most = max(m // 2, 1) if guesses is None else whole("guesses", guesses, 1, m)
    return Canaries(planted, score, most)


def canary_finding(run: Program, on: object, canaries: Canaries, job: Job) -> Finding:
    """One run with canaries, as rows added to the table `on`. Raises InvalidArgument."""
    m, guesses = len(canaries.table.X), canaries.guesses
    included = np.asarray(job.randomness.bits.below(2, m) == 1)
    answer = answer_of(seeded_call(run, canaries.beside(on, included)), job.randomness)
    if answer.error:
        value = f"{answer.error}: {answer.words}"
        raise InvalidArgument("target", "a program that answers", value, "Its one run failed.")
    right = right_guesses(canaries.scores(answer.numbers), included, guesses)
    exact_delta, allowed = job.claim.headline
    delta = float(exact_delta)
    epsilon = epsilon_of(right, guesses, m, delta=delta, failing=job.failing)
    return Finding(
        what="one run",
        pair=f"{m} canaries, each included with probability 1/2: rows of a table",
        method=f"{right} of {guesses} guesses are right [SteinkeNJ23]",
        quantity="epsilon" if delta == 0 else f"epsilon at delta {exactly(exact_delta)}",
        bound=epsilon,
        allowed=allowed,
        epsilon=epsilon,
        claimed_epsilon=allowed,
    )


def right_guesses(scores: Reals, included: Array, guesses: int) -> int:
    """The number of right guesses: the largest scores are guessed to be included, the smallest to
    be left out, as many as lie above and below their mean. The guesses depend on the scores alone.
    """
    order = np.argsort(scores, kind="stable")
    share = np.clip(np.mean(scores > np.mean(scores)), SHARE, 1 - SHARE)
    above = round(guesses * float(share))
    most, least = order[len(order) - above :], order[: guesses - above]
    return int(included[most].sum() + (~included[least]).sum())


def _floats(given: object, name: str) -> AttackedTable:
    one = table(given, name)
    try:
        return AttackedTable(one.X.astype(float), None if one.y is None else one.y.astype(float))
    except (TypeError, ValueError):
        raise InvalidArgument(name, "rows and labels of numbers", one.record()) from None
