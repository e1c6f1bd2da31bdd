"""The table in text. Every line begins with NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from . import NOT_PRIVATE
from .methods import Method, Standing
from .published import table3
from .wang_table3 import Entry, Experiment, disagreeing

NAME, CELL = 15, 17
CLOSE, APART = "~", "!"


def heading(experiment: Experiment) -> list[str]:
    """What is shown and how to read it."""
    claims = f"epsilon = {experiment.epsilon:g}, delta = {experiment.delta:g}"
    runs = f"the mean of {experiment.repeats} cross-validations, ± that of one"
    titles = "".join(f"{method.column:{CELL}}" for method in experiment.methods)
    return labelled(
        [
            f"Table 3 of [Wang18] at {claims}: 10-fold mean squared error",
            "the preprocessing reads the data, as the paper's did, and noise is simulated",
            "Wang: as published, ± half a 95% interval, 2 std/sqrt(10)",
            f"ours: {runs}",
            f"{APART} apart by more than both half-widths, a root of squares",
            f"{CLOSE} not so, but by more than Wang's and twice the standard error of our mean",
            "",
            f"{'':{NAME}}      {titles}",
        ]
    )


def rows(entries: Sequence[Entry]) -> list[str]:
    """Two lines of one set: published, ours."""
    theirs = "".join(_cell(one.published.error, one.published.half_width) for one in entries)
    ours = "".join(_cell(one.ours.error, one.ours.half_width, _mark(one)) for one in entries)
    return labelled([f"{entries[0].name:{NAME}}Wang  {theirs}", f"{'':{NAME}}ours  {ours}"])


def summary(entries: Sequence[Entry], experiment: Experiment) -> list[str]:
    """A line a column: how many sets agree, and which do not."""
    lines = (_counts(entries, method) for method in experiment.methods)
    return labelled(["", *(line for pair in lines for line in pair)])


def left_out(methods: Iterable[Method]) -> list[str]:
    """Which columns are refused without a person's leave, and how to give it."""
    names = [method.column for method in methods if method.standing is Standing.CLAIMED]
    line = f"{', '.join(names)} left out: nobody proved what they claim; --not-private runs them"
    return labelled([line] if names else [])


def absent(names: Iterable[str]) -> list[str]:
    """Published sets that are not among `names`."""
    missing = [name for name in table3() if name not in set(names)]
    return labelled([f"not here: {', '.join(missing)}"] if missing else [])


def labelled(lines: Iterable[str]) -> list[str]:
    """The lines behind the label."""
    return [f"{NOT_PRIVATE}  {line}".rstrip() for line in lines]


def _counts(entries: Sequence[Entry], method: Method) -> Iterator[str]:
    total = sum(entry.method.column == method.column for entry in entries)
    apart = disagreeing(entries, method.column)
    close = disagreeing(entries, method.column, closely=True)
    yield f"{method.column:12}{_count(total, apart, 'within both half-widths')}"
    yield f"{'':12}{_count(total, close, 'within the error of our mean')}"


def _count(total: int, names: Sequence[str], how: str) -> str:
    but = f"; not {', '.join(names)}" if names else ""
    return f"{total - len(names)} of {total} agree {how}{but}"


def _cell(error: float, half_width: float, mark: str = "") -> str:
    return f"{f'{error:.3g}±{half_width:.2g}{mark}':{CELL}}"


def _mark(entry: Entry) -> str:
    if not entry.agrees:
        return APART
    return "" if entry.agrees_closely else CLOSE
