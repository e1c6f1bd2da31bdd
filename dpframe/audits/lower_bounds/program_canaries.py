"""One run of any program with canaries: rows that are added to a table by fair coins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, Relation

from .answers import Program, answered, calling
from .canaries import coins, found_in
from .events import Reals
from .page import Finding
from .running import Job
from .tables import Table, table

Array = NDArray[Any]
SHARE = 0.25  # of the guesses at least are "in", and at least are "out"
Score = Callable[..., Any]


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
    included = coins(m, job.randomness)
    output = _output(run, _with(on, planted, included), job)
    right = ranked(_scores(score, output, planted), included, made)
    claim = job.claim
    delta, told = (0.0, claim.pure) if claim.pure is not None else (float(claim.at), claim.told)
    return [found_in(right, made, m, delta, told, failing=job.failing, told_of="rows of a table")]


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


def _checked(canaries: object, score: Score | None, relation: Relation) -> tuple[Table, Score]:
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


def _floats(one: Table, name: str) -> Table:
    try:
        y = None if one.y is None else one.y.astype(float)
        return Table(one.X.astype(float), y)
    except (TypeError, ValueError):
        raise InvalidArgument(name, "rows and labels of numbers", one.record()) from None


def _guesses(value: object, m: int) -> int:
    if value is None:
        return max(m // 2, 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= m:
        wanted = f"a whole number from 1 to {m}, the number of canaries"
        raise InvalidArgument("guesses", wanted, value)
    return value


def _output(run: Program, added: Table, job: Job) -> Array:
    """The answer in numbers. Raises InvalidArgument."""
    answer = answered(calling(run, added), job.randomness)
    if answer.error:
        said = f"{answer.error}: {answer.words}"
        raise InvalidArgument("target", "a program that answers", said, "Its one run failed.")
    return answer.numbers


def _scores(score: Score, output: Array, canaries: Table) -> Reals:
    m, said = len(canaries.X), score(output, canaries.X, canaries.y)
    try:
        found = np.asarray(said, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (m,) or not np.isfinite(found).all():
        raise InvalidArgument("score", f"{m} finite numbers, one a canary", said)
    return found


def _with(on: object, canaries: Table, included: Array) -> Table:
    """The table that canaries are added to, and these of them. Raises InvalidArgument."""
    X, y = canaries.X[included], None if canaries.y is None else canaries.y[included]
    if on is None:
        return Table(X, y)
    two = isinstance(on, (tuple, list)) and len(on) == 2
    base = _floats(table((on[0], on[1]) if two else on, "on"), "on")  # type: ignore[index]
    if base.X.shape[1:] != X.shape[1:] or (base.y is None) is not (y is None):
        wanted = f"a table (X, y) like that of the canaries, of {X.shape[1:]} columns"
        raise InvalidArgument("on", wanted, f"{base.X.shape[1:]} columns, with labels or without")
    labels = None if y is None or base.y is None else np.concatenate([base.y, y])
    return Table(np.concatenate([base.X, X]), labels)
