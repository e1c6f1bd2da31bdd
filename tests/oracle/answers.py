"""What the kernel says of certificates, with a proof searched anew, and what is true of them."""

from __future__ import annotations

import functools
import signal
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing import get_context
from typing import Any

import attrs

from tests.oracle import corpus, tamper, truth
from tests.support.checking import check

LATE = 10.0  # seconds of CPU for one document; a search that needs more gives no verdict
PART = 50  # documents for a process at a time


class Late(BaseException):
    """Not an Exception, which the kernel takes for a refusal."""


@attrs.frozen
class Answer:
    """Whether a document is accepted (None: too late to say), and what is true of it then."""

    kind: str
    base: str
    edit: str
    accepted: bool | None
    truth: truth.Judgement | None = None

    @property
    def false(self) -> bool:
        """Whether a pair of tables refutes what was accepted."""
        return self.truth is not None and self.truth.verdict in ("false", "step")


def accepted(document: Any) -> bool | None:
    """Whether the kernel accepts it; None where the search takes too long."""

    def stop(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LATE)
    try:
        return check(document).accepted
    except Late:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def answer(one: tamper.Tampered, *, judged: bool = True) -> Answer:
    """What is said of one document."""
    fine = accepted(one.document)
    found = truth.judge(one.document) if fine and judged else None
    return Answer(one.kind, one.base, one.edit, fine, found)


def asked(shipped: tamper.Shipped, numbers: Iterable[int], seed: int) -> Iterator[tamper.Tampered]:
    """Tampered documents of these numbers; those below 0 are the shipped ones, from the last."""
    drawn = tamper.families(shipped)
    for number in numbers:
        if number >= 0:
            yield tamper.tampered(drawn, number, seed)
        else:
            _, key, document = shipped[number]
            yield tamper.Tampered(key, "shipped", "", document)


def _part(shipped: tamper.Shipped, seed: int, numbers: Sequence[int]) -> list[Answer]:
    return [answer(one) for one in asked(shipped, numbers, seed)]


def answers(shipped: tamper.Shipped, count: int, seed: int) -> list[Answer]:
    """Answers for all that is shipped, and for so many that were tampered with."""
    numbers = range(-len(shipped), count)
    parts = [numbers[i : i + PART] for i in range(0, len(numbers), PART)]
    with get_context("fork").Pool(corpus.PROCESSES) as pool:
        found = pool.imap(functools.partial(_part, shipped, seed), parts)
        return [one for part in found for one in part]
