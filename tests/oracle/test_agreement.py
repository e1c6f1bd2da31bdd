"""Two checkers agree on what is shipped and on what was tampered with; what they accept is true."""

from __future__ import annotations

import copy

import pytest

from tests.oracle import compare, corpus, tamper, truth

STEP, TAMPERED, SOME, ALL, JUDGED = 59, 300, 1_000, 20_000, 20
CHECKERS = compare.Both()
SEARCHED = "tests.support.checking:check"  # the kernel, with a proof searched for anew
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


@pytest.fixture(scope="module")
def answers(shipped):
    """What both checkers say of these, and of some that were tampered with."""
    numbers = range(-len(shipped), TAMPERED)
    return [CHECKERS.answer(one) for one in compare.asked(shipped, numbers, seed=7)]


def apart(answers):
    """Disagreements, in words."""
    return [str(answer) for answer in answers if not answer.agree]


def test_checkers_agree(answers):
    """On both kinds, of which some are accepted and some refused."""
    assert apart(answers) == []
    tampered = [answer for answer in answers if answer.kind != "shipped"]
    assert 20 < sum(answer.new for answer in tampered) < TAMPERED / 2
    assert {answer.kind for answer in tampered} == tamper.KINDS.keys()


def test_what_was_tampered_with_and_is_accepted_is_true(shipped):
    """Of the first that are accepted, none is refuted by a pair of tables."""
    judged = 0
    for one in compare.asked(shipped, range(TAMPERED), seed=7):
        if judged < JUDGED and compare.timed(compare.loaded(SEARCHED), one.document)[0]:
            found = truth.judge(one.document)
            assert found.verdict in ("true", "unknown"), (one.base, one.edit, found)
            judged += 1
    assert judged == JUDGED


def test_nothing_is_shown_of_nothing(shipped):
    """No releases, empty lists, no draws, nodes of themselves: what is accepted claims nothing."""
    accepted = set()
    for _, _, document in shipped[::8]:
        for name, change in tamper.VACUOUS.items():
            made = copy.deepcopy(document)
            change(made)
            if tamper.differs(document, made):
                asked = tamper.sealed(made)
                if compare.timed(compare.loaded(SEARCHED), asked)[0]:
                    accepted.add(name)
                    assert truth.judge(asked).verdict in ("true", "unknown")
    assert accepted <= HARMLESS


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


def stronger(answer):
    """Whether the kernel shows what brute force finds true and the old checker did not show."""
    true = answer.truth is not None and answer.truth.verdict == "true"
    return answer.new and not answer.old and true


@pytest.mark.parametrize(
    ("step", "count"),
    [
        pytest.param(STEP // 5, SOME, marks=pytest.mark.slow),
        pytest.param(1, ALL, marks=pytest.mark.exhaustive),
    ],
)
def test_checkers_agree_on_what_is_shipped_and_on_many_others(step, count):
    """Up to 20,000 were tampered with; all that is accepted is true."""
    both = compare.Both(judged=True)
    shipped = corpus.built() if step == 1 else list(corpus.few(step))
    answers = compare.compared(shipped, count, seed=1, both=both)
    assert apart(answer for answer in answers if not stronger(answer)) == []
    assert sum(answer.late for answer in answers) <= len(answers) / 100
    false = [a for a in answers if a.truth is not None and a.truth.verdict in ("false", "step")]
    assert [(a.base, a.edit, a.truth) for a in false] == []
