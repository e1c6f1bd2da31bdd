"""What a program answers, run after run: numbers, words, or how it failed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.randomness import Randomness

from .neighbours import AttackedTable
from .two_tables import Job

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


def answers(run: Program, table: AttackedTable, job: Job) -> list[Answer]:
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


def calling(run: Program, table: AttackedTable) -> Callable[[int], Any]:
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
