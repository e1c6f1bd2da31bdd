"""Any program attacked: run(X, y, seed) on two neighbouring tables, by its answers in numbers and
in words, or by how it fails.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.privacy import Relation
from dpframe.randomness import Randomness

from .bounds import Array, Finding, Job, learned_scores, threshold_finding
from .neighbours import AttackedTable, Neighbours, given_pair

Program = Callable[..., Any]
SEEDS = 2**31
PROGRESS = 1000  # runs between two reports of progress
LONGEST = 200  # characters of an error that are compared
OUTPUT = "an array of numbers, a text, or a tuple or mapping of such"


@attrs.frozen(eq=False)
class Answer:
    """The numbers and words that one run returned; or `error`, how it failed."""

    numbers: Array
    words: str = ""
    error: str = ""

    @property
    def kind(self) -> str:
        """How the run ended."""
        return self.error or f"{len(self.numbers)} numbers"


def program_findings(
    run: Program, on: object, job: Job, relation: Relation
) -> tuple[Neighbours, list[Finding]]:
    """Learned scores of the answers; failures count as answers. Raises InvalidArgument."""
    if on is None:
        way_out = "Such as on=((X, y), (X[:-1], y[:-1])), the hardest neighbours you know."
        raise InvalidArgument("on", "two neighbouring tables, for a program", None, way_out)
    pair = given_pair(on, relation)
    first, second = (_answers(run, table, job) for table in pair.tables)
    what = f"what it returns{_failures([*first, *second])}"
    scores = learned_scores(*features(first, second))
    method = "learned scores: Clopper-Pearson bounds"
    finding = threshold_finding(
        scores, job.claim, job.failing, what=what, pair=str(pair), method=method
    )
    return pair, [finding]


def _answers(run: Program, table: AttackedTable, job: Job) -> list[Answer]:
    call = seeded_call(run, table)
    answers: list[Answer] = []
    for i in range(job.draws):
        if i % PROGRESS == 0:
            job.on_progress(f"run {i} of {job.draws} on a table of {len(table.X)} rows")
        answers.append(answer_of(call, job.randomness))
    return answers


def answer_of(call: Callable[[int], Any], randomness: Randomness) -> Answer:
    """One run, with a seed of its own. Raises InvalidArgument for output of another kind."""
    seed = int(randomness.bits.below(SEEDS, 1)[0])
    try:
        output = call(seed)
    except Exception as error:  # noqa: BLE001 - a failure is an answer, which may leak
        return Answer(np.zeros(0), str(error)[:LONGEST], type(error).__name__)
    words: list[str] = []
    return Answer(_flat(output, words), "\n".join(words))


def seeded_call(run: Program, table: AttackedTable) -> Callable[[int], Any]:
    """A run on the table as a function of its seed, which is passed by name to a parameter `seed`
    and to no other. Raises InvalidArgument for a program with other required parameters.
    """
    data = [table.X] if table.y is None else [table.X, table.y]
    try:
        signature = inspect.signature(run)
    except (TypeError, ValueError):  # a builtin does not state its parameters
        return lambda _: run(*data)
    seed = signature.parameters.get("seed")
    seeded = seed is not None and seed.kind in (seed.POSITIONAL_OR_KEYWORD, seed.KEYWORD_ONLY)
    try:
        signature.bind(*data, **({"seed": 0} if seeded else {}))
    except TypeError:
        wanted = f"a function of {'X' if table.y is None else 'X, y'}, and of seed if it draws"
        way_out = "Wrap it: lambda X, y, seed: run(X, y, epsilon=1, seed=seed)."
        raise InvalidArgument("target", wanted, Plain(f"run{signature}"), way_out) from None
    return (lambda seed: run(*data, seed=seed)) if seeded else (lambda _: run(*data))


def _flat(output: Any, words: list[str]) -> Array:
    """Numbers in one row; texts are added to `words`. A complex number is two. Raises
    InvalidArgument.
    """
    if isinstance(output, (str, bytes)):
        words.append(str(output))
        return np.zeros(0)
    if isinstance(output, dict):
        words.append(", ".join(sorted(map(str, output))))
        output = [output[key] for key in sorted(output, key=str)]
    if isinstance(output, (list, tuple)) and not all(map(_is_number, output)):
        return np.concatenate([_flat(one, words) for one in output])
    row = np.ravel(np.asarray(output))
    if row.dtype.kind in "US":
        words.extend(map(str, row))
        return np.zeros(0)
    if row.dtype.kind == "c":
        row = np.concatenate([row.real, row.imag])
    try:
        return row.astype("U" if output is None else float).astype(float)
    except (TypeError, ValueError):
        way_out = "Let run return what it releases."
        raise InvalidArgument("what the program returns", OUTPUT, output, way_out) from None


def _is_number(value: Any) -> bool:
    return bool(np.isscalar(value)) and not isinstance(value, (str, bytes))


def features(first: list[Answer], second: list[Answer]) -> tuple[Array, Array]:
    """The answers as rows of numbers of one width, values that are not finite replaced; where kinds
    or words differ, codes of those come last.
    """
    both = [*first, *second]
    numbers = np.zeros((len(both), max(len(one.numbers) for one in both)))
    for row, one in zip(numbers, both, strict=True):
        row[: len(one.numbers)] = np.nan_to_num(one.numbers, nan=-1e9, posinf=1e12, neginf=-1e12)
    columns = [numbers]
    for parts in ([one.kind for one in both], [one.words for one in both]):
        different, codes = np.unique(parts, return_inverse=True)
        columns += [codes[:, None].astype(float)] if len(different) > 1 else []
    rows = np.hstack(columns) if len(columns) > 1 or numbers.size else np.zeros((len(both), 1))
    return rows[: len(first)], rows[len(first) :]


def _failures(answers: list[Answer]) -> str:
    """How many runs failed, in words; none: nothing. Raises InvalidArgument where all did."""
    failed = [one for one in answers if one.error]
    if not failed:
        return ""
    kinds = ", ".join(sorted({one.error for one in failed}))
    if len(failed) == len(answers):
        wanted = "a program that answers in some of its runs"
        value = Plain(f"{kinds} in all {len(answers)} runs, the first: {failed[0].words}")
        raise InvalidArgument("target", wanted, value, "Try it on these tables by itself.")
    return f"; {len(failed)} of {len(answers)} runs failed ({kinds})"
