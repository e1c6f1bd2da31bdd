"""The kernel accepts what is shipped; what it accepts of what was tampered with is true."""

from __future__ import annotations

import copy
import functools
import signal
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing import get_context
from typing import Any

import attrs
import pytest

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


STEP, TAMPERED, SOME, ALL, JUDGED = 29, 300, 1_000, 20_000, 20
HARMLESS = {  # what proves nothing may be missing, or is claimed by nobody
    "a function of nothing",
    "a node of a graph within",
    "a step that refers to itself",
    "no assumptions",
    "no declaration",
    "no proof",
    "no shares",
    "no symbols",
    "ranges of one point",
    "shares 0",
}


@pytest.fixture(scope="module")
def shipped():
    """A certificate of every so manyeth question."""
    return list(corpus.few(STEP))


def test_what_is_shipped_is_accepted(shipped):
    """And is true where brute force knows. Of totals in numbers the kernel may leave out the sum,
    as receipts say.
    """
    found = [(one, answer(one)) for one in asked(shipped, range(-len(shipped), 0), seed=7)]
    refused = [one for one, said in found if not said.accepted]
    assert [one.base for one in refused if not all_but_a_sum(one.document)] == []
    assert len(refused) < len(found) / 20
    assert [said.base for _, said in found if said.false] == []


def all_but_a_sum(document):
    """Whether nothing but a total in numbers is refused."""
    said = check(document)
    return (
        said.reason.startswith("total: delta of all losses")
        and check(document, total=False).accepted
    )


def test_what_was_tampered_with_and_is_accepted_is_true(shipped):
    """Of all ways to tamper some are accepted and most refused; none of the first that are accepted
    is refuted by a pair of tables.
    """
    found, judged = [], 0
    for one in asked(shipped, range(TAMPERED), seed=7):
        found.append(answer(one, judged=judged < JUDGED))
        judged += found[-1].truth is not None
    assert judged == JUDGED
    assert [(one.base, one.edit, one.truth) for one in found if one.false] == []
    assert 20 < sum(bool(one.accepted) for one in found) < TAMPERED / 2
    assert {one.kind for one in found} == tamper.KINDS.keys()


def test_nothing_is_shown_of_nothing(shipped):
    """No releases, empty lists, no draws, nodes of themselves: what is accepted claims nothing."""
    shown = set()
    for _, _, document in shipped[::8]:
        for name, change in tamper.VACUOUS.items():
            made = copy.deepcopy(document)
            change(made)
            if tamper.differs(document, made):
                again = tamper.sealed(made)
                if accepted(again):
                    shown.add(name)
                    assert truth.judge(again).verdict in ("true", "unknown")
    assert shown <= HARMLESS


@pytest.mark.parametrize("factor", ["99/100", "1/2"])
def test_less_noise_than_is_needed_is_refuted(factor):
    """Brute force reaches the bounds: 1% less noise is seen wherever it reached 1."""
    seen = total = 0
    for _, _, document in corpus.few(STEP * 4):
        sizes = tamper.nodes_of(document, "release")
        tight = sizes and 1 - 1e-6 < truth.judge(document).claim <= 1 + 1e-9
        for i in sizes if tight else ():
            node = document["graph"]["nodes"][i]
            node["size"] = tamper.times(factor, node["size"])
        if tight:
            total += 1
            seen += truth.judge(document).verdict != "true"
    assert total > 4
    assert seen == total


@pytest.mark.parametrize(
    ("step", "count"),
    [
        pytest.param(STEP // 5, SOME, marks=pytest.mark.slow),
        pytest.param(1, ALL, marks=pytest.mark.exhaustive),
    ],
)
def test_what_is_accepted_of_many_is_true(step, count):
    """Of up to 20,000 that were tampered with, and of what is shipped, which is all accepted."""
    shipped = corpus.built() if step == 1 else list(corpus.few(step))
    found = answers(shipped, count, seed=1)
    documents = {base: document for _, base, document in shipped}
    refused = [one.base for one in found if one.kind == "shipped" and one.accepted is False]
    assert [base for base in refused if not all_but_a_sum(documents[base])] == []
    assert len(refused) < len(shipped) / 20
    assert [(one.base, one.edit, one.truth) for one in found if one.false] == []
    assert sum(one.accepted is None for one in found) <= len(found) / 100
