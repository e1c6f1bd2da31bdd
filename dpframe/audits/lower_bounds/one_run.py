"""A program audited in one run: rows are added to its table by fair coins, and what it returns is
used to guess the coins.

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
from numpy.typing import NDArray
from scipy.special import bdtrc
from scipy.stats import binom

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, Relation

from .answers import Program, answered, calling
from .attack_page import Finding
from .neighbours import AttackedTable, table
from .threshold_events import ROUNDING, Reals
from .two_tables import Job

Array = NDArray[Any]
Score = Callable[..., Any]
WIDEST = 60.0  # epsilons beyond this are not told apart
HALVINGS = 60


def chance_of(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """At least the chance of `right` or more right guesses among `guesses`, about `canaries`
    canaries, under (epsilon, delta)-differential privacy. Raises InvalidArgument.
    """
    if not 0 <= right <= guesses <= canaries:
        wanted = f"from 0 to {guesses}, the guesses, of at most {canaries} canaries"
        raise InvalidArgument("right guesses", wanted, right)
    accuracy = 1 / (1 + math.exp(-epsilon))
    tail = 1.0 if right == 0 else float(bdtrc(right - 1, guesses, accuracy))
    if delta == 0 or right == 0:
        return min(1.0, tail * (1 + ROUNDING))
    below: Reals = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, accuracy))
    steepest = float(np.max(below / np.arange(1, right + 1)))
    confessed = canaries * delta * min(1.0, 2 * steepest)
    return min(1.0, (tail + confessed) * (1 + ROUNDING))


def epsilon_of(
    right: int, guesses: int, canaries: int, *, delta: float = 0.0, failing: float = 0.05
) -> float:
    """The largest epsilon that so many right guesses refute with confidence 1 - `failing`; 0 where
    they refute none.
    """
    if chance_of(right, guesses, canaries, 0.0, delta) > failing:
        return 0.0
    low, high = 0.0, WIDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if chance_of(right, guesses, canaries, middle, delta) <= failing:
            low = middle
        else:
            high = middle
    return low


SHARE = 0.25  # of the guesses at least are "in", and at least are "out"


def program_one_run(
    run: Program,
    on: object,
    canaries: object,
    job: Job,
    relation: Relation,
    *,
    score: Score | None,
    guesses: int | None,
) -> list[Finding]:
    """One run with canaries, as rows that are added to the table of `on`. Raises
    InvalidArgument.
    """
    planted, score = _checked(canaries, score, relation)
    m = len(planted.X)
    made = _guesses(guesses, m)
    included = np.asarray(job.randomness.bits.below(2, m) == 1)  # by fair coins
    output = _output(run, _with(on, planted, included), job)
    right = ranked(_scores(score, output, planted), included, made)
    claim = job.claim
    delta, told = (0.0, claim.pure) if claim.pure is not None else (float(claim.at), claim.told)
    epsilon = epsilon_of(right, made, m, delta=delta, failing=job.failing)
    at = "" if delta == 0 else f" at delta {delta:.3g}"
    return [
        Finding(
            what="one run",
            pair=f"{m} canaries, each in by a fair coin: rows of a table",
            method=f"{right} of {made} guesses are right [SteinkeNJ23]",
            quantity=f"epsilon{at}",
            found=epsilon,
            allowed=told,
            epsilon=epsilon,
            told=told,
        )
    ]


def ranked(scores: Reals, included: Array, guesses: int) -> int:
    """How many of so many guesses are right: the largest scores are guessed to be in, the smallest
    to be out. Where the scores fall into two groups, each has its share of the guesses. All this
    reads the scores alone, as any guess may.
    """
    order = np.argsort(scores, kind="stable")
    above = round(guesses * _share(scores[order]))
    most, least = order[len(order) - above :], order[: guesses - above]
    return int(included[most].sum() + (~included[least]).sum())


def _share(ordered: Reals) -> float:
    """The share of the upper of two groups, the furthest apart between their means; both are of a
    quarter at least.
    """
    m, total = len(ordered), ordered.sum()
    lower = np.arange(1, m)
    sums = np.cumsum(ordered)[:-1]
    apart = lower * (m - lower) * (sums / lower - (total - sums) / (m - lower)) ** 2
    apart[(lower < SHARE * m) | (m - lower < SHARE * m)] = -1.0
    best = np.flatnonzero(apart >= apart.max() * (1 - 1e-12)) if m > 2 else np.array([0])
    if m <= 2 or apart.max() <= 0:
        return 0.5
    return float(m - lower[best[len(best) // 2]]) / m


def _checked(
    canaries: object, score: Score | None, relation: Relation
) -> tuple[AttackedTable, Score]:
    """Canaries and their score, or a refusal. Raises InvalidArgument."""
    if relation is not ADD_REMOVE:
        way_out = "Attack with draws: on=((X, y), (X2, y2)), with one row replaced."
        raise InvalidArgument(
            "relation", "add/remove: a canary is added or it is not", str(relation), way_out
        )
    way_out = "score(output, X, y) gives each canary a number: larger where it seems to be in."
    if not isinstance(canaries, (tuple, list)) or len(canaries) != 2 or not callable(score):
        raise InvalidArgument("canaries", "a table (X, y), with a score", canaries, way_out)
    found = _floats(table((canaries[0], canaries[1]), "canaries"), "canaries")
    if not len(found.X):
        raise InvalidArgument("canaries", "at least one row", 0)
    return found, score


def _floats(one: AttackedTable, name: str) -> AttackedTable:
    try:
        y = None if one.y is None else one.y.astype(float)
        return AttackedTable(one.X.astype(float), y)
    except (TypeError, ValueError):
        raise InvalidArgument(name, "rows and labels of numbers", one.record()) from None


def _guesses(value: object, m: int) -> int:
    if value is None:
        return max(m // 2, 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= m:
        wanted = f"a whole number from 1 to {m}, the number of canaries"
        raise InvalidArgument("guesses", wanted, value)
    return value


def _output(run: Program, added: AttackedTable, job: Job) -> Array:
    """The answer in numbers. Raises InvalidArgument."""
    answer = answered(calling(run, added), job.randomness)
    if answer.error:
        said = f"{answer.error}: {answer.words}"
        raise InvalidArgument("target", "a program that answers", said, "Its one run failed.")
    return answer.numbers


def _scores(score: Score, output: Array, canaries: AttackedTable) -> Reals:
    m, said = len(canaries.X), score(output, canaries.X, canaries.y)
    try:
        found = np.asarray(said, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (m,) or not np.isfinite(found).all():
        raise InvalidArgument("score", f"{m} finite numbers, one a canary", said)
    return found


def _with(on: object, canaries: AttackedTable, included: Array) -> AttackedTable:
    """The table that canaries are added to, and these of them. Raises InvalidArgument."""
    X, y = canaries.X[included], None if canaries.y is None else canaries.y[included]
    if on is None:
        return AttackedTable(X, y)
    two = isinstance(on, (tuple, list)) and len(on) == 2
    base = _floats(table((on[0], on[1]) if two else on, "on"), "on")  # type: ignore[index]
    if base.X.shape[1:] != X.shape[1:] or (base.y is None) is not (y is None):
        wanted = f"a table (X, y) like that of the canaries, of {X.shape[1:]} columns"
        raise InvalidArgument("on", wanted, f"{base.X.shape[1:]} columns, with labels or without")
    labels = None if y is None or base.y is None else np.concatenate([base.y, y])
    return AttackedTable(np.concatenate([base.X, X]), labels)
