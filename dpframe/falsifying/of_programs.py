"""Any program attacked: run(X, y, seed) on two neighbouring tables, or once with canaries."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.randomness import Randomness

from .canaries import coins, found_in, guessed
from .events import bounds
from .finding import Finding, of_bounds
from .job import Job
from .pairs import from_draws
from .tables import Pair, Table, given

Array = NDArray[Any]
Program = Callable[..., Any]
SEEDS = 2**31
TELL = 1000  # runs between two words of progress


def program_findings(run: Program, on: object, job: Job) -> tuple[Pair, list[Finding]]:
    """Learned scores of what it returns; of how it fails, where it does. Raises InvalidArgument."""
    if on is None:
        way_out = "Such as on=((X, y), (X[:-1], y[:-1])), the hardest neighbours you know."
        raise InvalidArgument("on", "two neighbouring tables, for a program", None, way_out)
    pair = given(on)
    drawn = [answers(run, table, job) for table in pair.tables]
    first, second = features(*drawn)
    found = bounds(from_draws(first, second), job.claim, job.failing)
    method = "learned scores: Clopper-Pearson bounds"
    return pair, [of_bounds(found, "what it returns", str(pair), method=method)]


def answers(run: Program, table: Table, job: Job) -> list[Array | str]:
    """What it returned, run after run; an error as its name."""
    found: list[Array | str] = []
    for i in range(job.draws):
        if i % TELL == 0:
            job.told(f"run {i} of {job.draws} on a table of {len(table.X)} rows")
        found.append(answered(run, table, job.randomness))
    return found


def answered(run: Program, table: Table, randomness: Randomness) -> Array | str:
    """One answer as a flat array; an error as its name."""
    seed = int(randomness.bits.below(SEEDS, 1)[0])
    given_ = [table.X] if table.y is None else [table.X, table.y]
    try:
        output = run(*given_, seed) if _takes_seed(run, len(given_)) else run(*given_)
        return flat(output)
    except Exception as error:  # noqa: BLE001 - that it fails is an answer, which may tell
        return type(error).__name__


def flat(output: Any) -> Array:
    """Numbers of an array, or of a tuple or mapping of them, in one row."""
    if isinstance(output, dict):
        output = [output[key] for key in sorted(output, key=str)]
    if isinstance(output, (list, tuple)) and not all(np.isscalar(one) for one in output):
        return np.concatenate([flat(one) for one in output]) if output else np.zeros(0)
    return np.ravel(np.asarray(output)).astype(float)


def _takes_seed(run: Program, given_: int) -> bool:
    try:
        parameters = inspect.signature(run).parameters.values()
    except (TypeError, ValueError):
        return False
    if any(one.name == "seed" for one in parameters):
        return True
    plain = [
        one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    return len(plain) > given_


def features(first: list[Array | str], second: list[Array | str]) -> tuple[Array, Array]:
    """Rows of numbers of one width: the answers; where their lengths differ, or some runs fail, how
    each run ended comes first. What is not finite becomes a number of its own.
    """
    ends = {_end(one) for one in (*first, *second)}
    width = max((len(one) for one in (*first, *second) if not isinstance(one, str)), default=0)
    kinds = {end: float(i) for i, end in enumerate(sorted(ends))}
    told = len(kinds) > 1 or width == 0

    def row(one: Array | str) -> Array:
        numbers = np.zeros(width)
        if not isinstance(one, str):
            numbers[: len(one)] = np.nan_to_num(one, nan=-1e9, posinf=1e12, neginf=-1e12)
        return np.append(numbers, kinds[_end(one)]) if told else numbers

    return np.array([row(one) for one in first]), np.array([row(one) for one in second])


def _end(one: Array | str) -> str:
    return one if isinstance(one, str) else f"{len(one)} numbers"


def program_one_run(
    run: Program,
    on: object,
    canaries: object,
    job: Job,
    *,
    score: Callable[..., Any] | None,
    guesses: int | None,
) -> list[Finding]:
    """One run with canaries, as rows that are added to the table of `on`. Raises
    InvalidArgument.
    """
    if not isinstance(canaries, (tuple, list)) or len(canaries) != 2 or score is None:
        way_out = "score(output, X, y) gives each canary a number: larger where it seems to be in."
        raise InvalidArgument("canaries", "a table (X, y), with a score", canaries, way_out)
    X = np.asarray(canaries[0], dtype=float)
    y = None if canaries[1] is None else np.asarray(canaries[1], dtype=float)
    m = len(X)
    made = m // 2 if guesses is None else guesses
    if not 1 <= made <= m:
        raise InvalidArgument("guesses", f"from 1 to {m}, the number of canaries", guesses)
    included = coins(m, job.randomness)
    table = _with(on, X[included], None if y is None else y[included])
    output = answered(run, table, job.randomness)
    if isinstance(output, str):
        raise InvalidArgument("target", "a program that answers", output, "Its one run failed.")
    found = np.asarray(score(output, X, y), dtype=float)
    if found.shape != (m,) or not np.isfinite(found).all():
        raise InvalidArgument("score", f"{m} finite numbers, one a canary", found)
    right = guessed(found - np.median(found), included, made)
    claim = job.claim
    delta, told = (0.0, claim.pure) if claim.pure is not None else (float(claim.at), claim.told)
    return [found_in(right, made, m, delta, told, failing=job.failing, told_of="rows of a table")]


def _with(on: object, X: Array, y: Array | None) -> Table:
    """The table that canaries are added to, and these of them."""
    if on is None:
        return Table(X, y)
    base = on if isinstance(on, (tuple, list)) and len(on) == 2 else (on, None)
    rows = np.vstack([np.asarray(base[0], dtype=float), X])
    labels = None if y is None else np.concatenate([np.asarray(base[1], dtype=float), y])
    return Table(rows, labels)
