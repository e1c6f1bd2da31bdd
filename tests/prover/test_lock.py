"""What the core decides and computes is what it decided and computed before it was rebuilt."""

from __future__ import annotations

import itertools

import pytest

from tests.support import lock

BEFORE = lock.read()
STEP = 60  # every so many questions of a kind; `python -m tests.support.lock` answers all


def chosen() -> dict[str, lock.Question]:
    """Every sixtieth question, spread over all kinds."""
    return dict(itertools.islice(lock.questions(), 7, None, STEP))


@pytest.mark.page
@pytest.mark.some(20)
@pytest.mark.parametrize("key", chosen())
def test_answers_are_those_from_before(key):
    """Verdict, derivation, region, witness, std, cost: all the same, or meant to differ."""
    found = {key: lock.without_words(lock.answer(chosen()[key]))}
    before = {key: BEFORE.get(key, {})}
    assert [str(one) for one in lock.differences(before, found) if not one.meant] == []


def test_no_question_is_gone():
    """Whoever removes one says so."""
    keys = [key for key, _ in lock.questions()]
    assert len(keys) == len(set(keys)) == len(BEFORE)
    gone = BEFORE.keys() - set(keys)
    assert {key for key in gone if not lock.meant(key)} == set()


def test_a_difference_is_found():
    """In any field but words, and where an answer is gone."""
    one = {"a": {"proved": True, "words": "so"}, "b": {"proved": True}}
    other = {"a": {"proved": False, "words": "thus"}}
    assert [(d.key, d.field) for d in lock.differences(one, other)] == [
        ("a", "proved"),
        ("b", "proved"),
    ]
    assert [d.field for d in lock.differences(one, other, words=True)] == ["words"]
