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

import numpy as np
from scipy.special import bdtrc
from scipy.stats import binom

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, Relation

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


def canary_findings(
    run: Program,
    on: object,
    canaries: object,
    job: Job,
    relation: Relation,
    *,
    score: Score | None,
    guesses: int | None,
) -> list[Finding]:
    """One run with canaries, as rows added to the table `on`. Raises InvalidArgument."""
    planted, score = _checked(canaries, score, relation)
    m = len(planted.X)
    guessed = _guesses(guesses, m)
    included = np.asarray(job.randomness.bits.below(2, m) == 1)
    added = _with(on, planted, included)
    answer = answer_of(seeded_call(run, added), job.randomness)
    if answer.error:
        value = f"{answer.error}: {answer.words}"
        raise InvalidArgument("target", "a program that answers", value, "Its one run failed.")
    right = right_guesses(_scores(score, answer.numbers, planted), included, guessed)
    exact_delta, allowed = job.claim.headline
    delta = float(exact_delta)
    epsilon = epsilon_of(right, guessed, m, delta=delta, failing=job.failing)
    return [
        Finding(
            what="one run",
            pair=f"{m} canaries, each included with probability 1/2: rows of a table",
            method=f"{right} of {guessed} guesses are right [SteinkeNJ23]",
            quantity="epsilon" if delta == 0 else f"epsilon at delta {delta:.3g}",
            bound=epsilon,
            allowed=allowed,
            epsilon=epsilon,
            claimed_epsilon=allowed,
        )
    ]


def right_guesses(scores: Reals, included: Array, guesses: int) -> int:
    """The number of right guesses: the largest scores are guessed to be included, the smallest to
    be left out. Where the scores form two groups, each has its share of the guesses. The guesses
    depend on the scores alone.
    """
    order = np.argsort(scores, kind="stable")
    above = round(guesses * _upper_share(scores[order]))
    most, least = order[len(order) - above :], order[: guesses - above]
    return int(included[most].sum() + (~included[least]).sum())


def _upper_share(ordered: Reals) -> float:
    """The share of the upper of two groups, the furthest apart between their means; both are of a
    quarter at least.
    """
    m, total = len(ordered), ordered.sum()
    if m <= 2:
        return 0.5
    lower, sums = np.arange(1, m), np.cumsum(ordered)[:-1]
    apart = lower * (m - lower) * (sums / lower - (total - sums) / (m - lower)) ** 2
    apart[(lower < SHARE * m) | (m - lower < SHARE * m)] = -1.0
    if apart.max() <= 0:
        return 0.5
    best = np.flatnonzero(apart >= apart.max() * (1 - 1e-12))
    return float(m - lower[best[len(best) // 2]]) / m


def _checked(
    canaries: object, score: Score | None, relation: Relation
) -> tuple[AttackedTable, Score]:
    """Canaries and their score. Raises InvalidArgument."""
    if relation is not ADD_REMOVE:
        wanted = "add/remove: a canary is added or it is not"
        way_out = "Attack with draws: on=((X, y), (X2, y2)), with one row replaced."
        raise InvalidArgument("relation", wanted, str(relation), way_out)
    if not isinstance(canaries, (tuple, list)) or len(canaries) != 2 or not callable(score):
        way_out = "score(output, X, y) gives each canary a number: larger where it seems included."
        raise InvalidArgument("canaries", "a table (X, y), with a score", canaries, way_out)
    planted = _floats(tuple(canaries), "canaries")
    if not len(planted.X):
        raise InvalidArgument("canaries", "at least one row", 0)
    return planted, score


def _floats(given: object, name: str) -> AttackedTable:
    one = table(given, name)
    try:
        return AttackedTable(one.X.astype(float), None if one.y is None else one.y.astype(float))
    except (TypeError, ValueError):
        raise InvalidArgument(name, "rows and labels of numbers", one.record()) from None


def _guesses(value: object, m: int) -> int:
    if value is None:
        return max(m // 2, 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= m:
        wanted = f"a whole number from 1 to {m}, the number of canaries"
        raise InvalidArgument("guesses", wanted, value)
    return value


def _scores(score: Score, output: Array, canaries: AttackedTable) -> Reals:
    m, given = len(canaries.X), score(output, canaries.X, canaries.y)
    try:
        scores = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        scores = np.zeros(0)
    if scores.shape != (m,) or not np.isfinite(scores).all():
        raise InvalidArgument("score", f"{m} finite numbers, one a canary", given)
    return scores


def _with(on: object, canaries: AttackedTable, included: Array) -> AttackedTable:
    """The table `on` and the included canaries. Raises InvalidArgument."""
    X, y = canaries.X[included], None if canaries.y is None else canaries.y[included]
    if on is None:
        return AttackedTable(X, y)
    base = _floats(tuple(on) if isinstance(on, list) and len(on) == 2 else on, "on")
    if base.X.shape[1:] != X.shape[1:] or (base.y is None) is not (y is None):
        wanted = f"a table (X, y) like that of the canaries, of {X.shape[1:]} columns"
        raise InvalidArgument("on", wanted, f"{base.X.shape[1:]} columns, with labels or without")
    labels = None if y is None or base.y is None else np.concatenate([base.y, y])
    return AttackedTable(np.concatenate([base.X, X]), labels)
