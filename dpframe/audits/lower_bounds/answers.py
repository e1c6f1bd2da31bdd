"""What a program answers, run after run: numbers, words, or how it failed; and one run with
canaries, rows that are added to a table by fair coins.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, Relation
from dpframe.randomness import Randomness

from .canaries import coins, found_in
from .events import Reals
from .page import Finding
from .running import Job
from .tables import Table, table

Array = NDArray[Any]
Program = Callable[..., Any]
SEEDS = 2**31
TELL = 1000  # runs between two words of progress
LONGEST = 200  # characters of an error that are compared
OUTPUT = "an array of numbers, a text, or a tuple or mapping of such"


@attrs.frozen(eq=False)
class Answer:
    """What one run returned, in numbers and in words; or `error`, how it failed."""

    numbers: Array
    words: str = ""
    error: str = ""

    @property
    def end(self) -> str:
        """How the run ended."""
        return self.error or f"{len(self.numbers)} numbers"


def answers(run: Program, table: Table, job: Job) -> list[Answer]:
    """What it returned, run after run. Raises InvalidArgument."""
    call = calling(run, table)
    found: list[Answer] = []
    for i in range(job.draws):
        if i % TELL == 0:
            job.told(f"run {i} of {job.draws} on a table of {len(table.X)} rows")
        found.append(answered(call, job.randomness))
    return found


def answered(call: Callable[[int], Any], randomness: Randomness) -> Answer:
    """One run, with a seed of its own. Raises InvalidArgument for what is no answer."""
    seed = int(randomness.bits.below(SEEDS, 1)[0])
    try:
        output = call(seed)
    except Exception as error:  # noqa: BLE001 - that it fails is an answer, which may tell
        return Answer(np.zeros(0), str(error)[:LONGEST], type(error).__name__)
    words: list[str] = []
    return Answer(flat(output, words), "\n".join(words))


def calling(run: Program, table: Table) -> Callable[[int], Any]:
    """A run on the table, by its seed: given by name to a parameter `seed`, and to no other. Raises
    InvalidArgument for a program that asks for anything else.
    """
    given = [table.X] if table.y is None else [table.X, table.y]
    try:
        signature = inspect.signature(run)
    except (TypeError, ValueError):  # of a builtin: nobody knows what it asks for
        return lambda _: run(*given)
    one = signature.parameters.get("seed")
    seeded = one is not None and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    try:
        signature.bind(*given, **({"seed": 0} if seeded else {}))
    except TypeError:
        wanted = f"a function of {'X' if table.y is None else 'X, y'}, and of seed if it draws"
        way_out = "Wrap it: lambda X, y, seed: run(X, y, epsilon=1, seed=seed)."
        raise InvalidArgument("target", wanted, f"run{signature}", way_out) from None
    return (lambda seed: run(*given, seed=seed)) if seeded else (lambda _: run(*given))


def flat(output: Any, words: list[str]) -> Array:
    """Numbers in one row; texts are added to `words`. A complex number is two. Raises
    InvalidArgument.
    """
    if isinstance(output, (str, bytes)):
        words.append(str(output))
        return np.zeros(0)
    if isinstance(output, dict):
        words.append(", ".join(sorted(map(str, output))))
        output = [output[key] for key in sorted(output, key=str)]
    if isinstance(output, (list, tuple)) and not all(_is_number(one) for one in output):
        return np.concatenate([flat(one, words) for one in output])
    found = np.ravel(np.asarray(output))
    if found.dtype.kind in "US":
        words.extend(map(str, found))
        return np.zeros(0)
    if found.dtype.kind == "c":
        found = np.concatenate([found.real, found.imag])
    try:
        return found.astype("U" if output is None else float).astype(float)
    except (TypeError, ValueError):
        way_out = "Let run return what it releases."
        raise InvalidArgument("what the program returns", OUTPUT, output, way_out) from None


def _is_number(one: Any) -> bool:
    return bool(np.isscalar(one)) and not isinstance(one, (str, bytes))


def features(first: list[Answer], second: list[Answer]) -> tuple[Array, Array]:
    """Rows of numbers of one width: the answers; where runs end in several ways, or with several
    words, those come last. What is not finite becomes a number of its own.
    """
    both = [*first, *second]
    width = max(len(one.numbers) for one in both)
    ends, words = (_codes(parts) for parts in ([a.end for a in both], [a.words for a in both]))

    def row(one: Answer) -> Array:
        numbers = np.zeros(width)
        numbers[: len(one.numbers)] = np.nan_to_num(
            one.numbers, nan=-1e9, posinf=1e12, neginf=-1e12
        )
        told = [codes[part] for codes, part in ((ends, one.end), (words, one.words)) if codes]
        return np.append(numbers, told) if told or width else np.zeros(1)

    return np.array([row(one) for one in first]), np.array([row(one) for one in second])


def _codes(parts: list[str]) -> dict[str, float]:
    """A number for each, where there are several."""
    found = sorted(set(parts))
    return {one: float(i) for i, one in enumerate(found)} if len(found) > 1 else {}


def failures(found: list[Answer]) -> str:
    """How many runs failed, in words; none: nothing. Raises InvalidArgument where all did."""
    failed = [one.error for one in found if one.error]
    if not failed:
        return ""
    kinds = ", ".join(sorted(set(failed)))
    if len(failed) == len(found):
        first = next(one for one in found if one.error)
        wanted = "a program that answers in some of its runs"
        said = f"{kinds} in all {len(found)} runs, the first: {first.words}"
        raise InvalidArgument("target", wanted, said, "Try it on these tables by itself.")
    return f"; {len(failed)} of {len(found)} runs failed ({kinds})"


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
