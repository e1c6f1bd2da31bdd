"""What two checkers say of every shipped certificate, and of many that were tampered with.

    python -m tests.oracle.compare --count 20000 --seed 1
        [--new MODULE:FUNCTION] [--prepare MODULE:FUNCTION] [--corpus FOLDER] [--truth]

The old checker is `tests.oracle.old_check`; the kernel takes a document and gives whether it is
accepted, or a verdict that says so. Where it needs more than a document has, such as witnesses,
`--prepare` gives the document with them, searched for anew; then they agree if

    the new one accepts neither the document nor the prepared one where the old one refuses, and
    accepts the prepared one where the old one accepts.

Exit status 1 if they disagree. `--truth` judges by brute force what either of them accepts.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attrs

from dpframe.kernel import checker
from tests.oracle import corpus, old_check, tamper, truth

Json = Any
Check = Callable[[Json], Any]
LATE = 10.0  # seconds of CPU for one document; a checker that needs more gives no verdict
SHOWN = 40  # disagreements
OLD = "tests.oracle.compare:old"
NEW = "dpframe.kernel:check"
PREPARE = "dpframe.prover.witnesses:proved"


def old(document: Json) -> old_check.Verdict:
    """The old checker, which searches for itself, on a document of its own schema."""
    if isinstance(document, dict) and document.get("schema") == checker.SCHEMA:
        kept = {key: value for key, value in document.items() if key != "proof"}
        document = {**kept, "schema": old_check.SCHEMA, "hints": {}}
    return old_check.check(document)


class Late(BaseException):
    """Not an Exception, which checkers take for a refusal."""


@attrs.frozen
class Answer:
    """What both say of one document; None: too late to say."""

    kind: str
    base: str
    edit: str
    old: bool | None
    new: bool | None
    seconds: tuple[float, float]
    reasons: tuple[str, str]
    truth: truth.Judgement | None = None
    change: str = ""

    @property
    def agree(self) -> bool:
        """Whether both say the same, or one of them nothing."""
        return self.late or self.old == self.new

    @property
    def late(self) -> bool:
        """Whether one of them says nothing."""
        return self.old is None or self.new is None

    def __str__(self) -> str:
        """A few lines."""
        words = {True: "accepts", False: "refuses", None: "is late"}
        reason = next((one for one in self.reasons if one), "")
        return (
            f"old {words[self.old]}, new {words[self.new]}: {self.kind} of {self.base}\n"
            f"    {self.edit}\n    {reason[:300]}"
        )


@attrs.frozen
class Both:
    """Two checkers."""

    new: str = NEW
    prepare: str | None = PREPARE
    judged: bool = False

    def answer(self, one: tamper.Tampered) -> Answer:
        """What both say."""
        old, spent, why = timed(loaded(OLD), one.document)
        new, took, other = old, spent, why
        if self.new != OLD:
            new, took, other = timed(loaded(self.new), one.document)
        if self.prepare is not None and new is False:
            new, more, other = timed(self.prepared, one.document)
            took += more
        judged = self.judged and bool(old or new)
        return Answer(
            one.kind,
            one.base,
            one.edit,
            old,
            new,
            (spent, took),
            (why, other),
            truth.judge(one.document) if judged else None,
            truth.change(one.before, one.document) if judged else "",
        )

    def prepared(self, document: Json) -> Any:
        """The new checker on the document with its witnesses."""
        assert self.prepare is not None
        return loaded(self.new)(loaded(self.prepare)(document))


@functools.cache
def loaded(name: str) -> Check:
    """The function of a name such as package.module:function."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


def timed(checker: Check, document: Json) -> tuple[bool | None, float, str]:
    """Whether it accepts (None: too late), seconds, and why not."""

    def stop(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGPROF, stop)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LATE)
    try:
        verdict = checker(document)
    except Late:
        return None, time.process_time() - start, f"more than {LATE} s"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    accepted = verdict if isinstance(verdict, bool) else verdict.accepted
    return bool(accepted), time.process_time() - start, getattr(verdict, "reason", "")


def asked(shipped: tamper.Shipped, numbers: Iterable[int], seed: int) -> Iterator[tamper.Tampered]:
    """Tampered documents of these numbers; those below 0 are the shipped ones, from the last."""
    drawn = tamper.families(shipped)
    for number in numbers:
        if number >= 0:
            yield tamper.tampered(drawn, number, seed)
        else:
            _, key, document = shipped[number]
            yield tamper.Tampered(key, "shipped", "", document)


def _part(both: Both, shipped: tamper.Shipped, seed: int, numbers: Sequence[int]) -> list[Answer]:
    return [both.answer(one) for one in asked(shipped, numbers, seed)]


def compared(shipped: tamper.Shipped, count: int, seed: int, both: Both) -> list[Answer]:
    """Answers for all that is shipped, and for so many that were tampered with."""
    numbers = range(-len(shipped), count)
    step = 50
    parts = [numbers[i : i + step] for i in range(0, len(numbers), step)]
    ask = functools.partial(_part, both, shipped, seed)
    with get_context("fork").Pool(corpus.PROCESSES) as pool:
        return [answer for part in pool.imap(ask, parts) for answer in part]


def report(answers: Sequence[Answer]) -> Iterator[str]:
    """Lines: counts, disagreements, speed, truth."""
    for name, some in (
        ("shipped", [a for a in answers if a.kind == "shipped"]),
        ("tampered", [a for a in answers if a.kind != "shipped"]),
    ):
        counts = Counter((a.old, a.new) for a in some)
        late = sum(n for key, n in counts.items() if None in key)
        yield (
            f"{name} {len(some):,}: both accept {counts[True, True]:,}, both refuse "
            f"{counts[False, False]:,}, old only {counts[True, False]:,}, new only "
            f"{counts[False, True]:,}, late {late:,}"
        )
        for i, who in enumerate(("old", "new")):
            spent = sorted((a.seconds[i] for a in some), reverse=True) or [0.0]
            total = sum(spent)
            yield (
                f"    {who}: {total:.1f} s, median {1e3 * spent[len(spent) // 2]:.1f} ms, "
                f"largest {spent[0]:.2f} s"
            )
    yield from by_kind(answers)
    apart = [a for a in answers if not a.agree]
    yield from map(str, apart[:SHOWN])
    yield f"{len(apart)} disagreements."
    judged = [a for a in answers if a.truth is not None]
    if judged:
        yield from truth.report([(f"{a.base}\n    {a.edit}", a.truth) for a in judged])
        changes = Counter(a.change for a in judged if a.kind != "shipped")
        yield "accepted and tampered with: " + ", ".join(
            f"{n:,} {change}" for change, n in changes.most_common()
        )


def by_kind(answers: Sequence[Answer]) -> Iterator[str]:
    """Of every way to tamper how many were accepted."""
    total = Counter(a.kind for a in answers)
    accepted = Counter(a.kind for a in answers if a.old or a.new)
    yield ", ".join(f"{kind} {accepted[kind]:,}/{total[kind]:,}" for kind in sorted(total))


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--new", default=NEW)
    parser.add_argument("--prepare")
    parser.add_argument("--corpus", type=Path, help="a folder of `tests.oracle.corpus write`")
    parser.add_argument("--truth", action="store_true")
    given = parser.parse_args(arguments)
    shipped = corpus.built() if given.corpus is None else corpus.read(given.corpus)
    both = Both(given.new, given.prepare, given.truth)
    answers = compared(shipped, given.count, given.seed, both)
    for line in report(answers):
        print(line)  # noqa: T201
    return 0 if all(a.agree for a in answers) else 1


if __name__ == "__main__":
    sys.exit(main())
