"""Files of ledgers of records: what is restored is equal and spends the same; edits are seen.

Keys, older copies, branches, writers and failures are those of tests/filters/test_saved.py.
"""

import base64
import json

import numpy as np
import pytest

import dpframe as dp
from dpframe.budgets import saved_ledger
from dpframe.budgets.records import RecordLedger
from tests.support.sealing import resealed

KEY = bytes(range(32))


@pytest.mark.parametrize("keyed", [False, True])
def test_what_is_restored_spends_the_same(any_ledger, small, keyed, tmp_path):
    """Equal after each of several releases, by ==, by seal, by text and by totals."""
    ledger, secret = any_ledger, KEY if keyed else None
    halves = [True, False, True, True, False]
    for who in (None, halves, None, halves[::-1]):
        ledger.spend(small(ledger, 3), who)
        ledger.save(tmp_path / "ledger", key=secret)
        restored = RecordLedger.load(tmp_path / "ledger", key=secret)
        assert restored == ledger
        assert (restored.seal, restored.kind) == (ledger.seal, ledger.kind)
        assert (restored.spent == ledger.spent).all()
        assert restored.report() == ledger.report()
        assert restored.to_json(key=secret) == (tmp_path / "ledger").read_text()
        cost = small(ledger, 7)
        cost = tuple([each] * 5 for each in cost) if isinstance(cost, tuple) else [cost] * 5
        for each in (ledger, restored):
            each.spend(cost, who=halves)
        assert restored == ledger
        assert restored.seal == ledger.seal
        assert restored.account(2) == ledger.account(2)
    assert ledger != any_ledger.kind
    assert RecordLedger.from_json(ledger.to_json()) == ledger


def test_what_is_spent_stays_spent(tmp_path):
    """A restored ledger refuses what the saved one would."""
    ledger = RecordLedger({"a": 1, "b": 2}, ["a", "b", "b"], kind=dp.PureDP)
    ledger.spend(1, who=[True, True, False])
    ledger.save(tmp_path / "ledger")
    restored = RecordLedger.load(tmp_path / "ledger")
    with pytest.raises(dp.BudgetExceeded, match="group 'a'"):
        restored.spend(1e-9)
    assert restored.affords(2).tolist() == [False, False, True]


def test_the_file_holds_budgets_groups_and_totals_only(any_ledger, small):
    """Every key is known, and every array follows from public budgets, groups, costs and masks."""
    any_ledger.spend(small(any_ledger), who=[True, False, True, False, False])
    whole = json.loads(any_ledger.to_json())
    assert set(whole) == {"ledger", "seal", "hmac", "arrays"}
    assert set(whole["ledger"]) == {
        "schema", "unit", "identity", "kind", "currency", "records", "groups", "budgets", "common",
        "places", "releases", "arrays",
    }  # fmt: skip
    names = {f"{name} {k}" for name in ("own", "most") for k in range(2)} | {"codes"}
    assert set(whole["arrays"]) == set(whole["ledger"]["arrays"]) <= names
    own = np.frombuffer(base64.b64decode(whole["arrays"]["own 0"]), "<i8")
    assert own.tolist() == [own[0], 0, own[0], 0, 0]
    assert len(own) == whole["ledger"]["records"] == 5


def fresh(text, key=None):
    """What another process would read."""
    saved_ledger._NEWEST.clear()
    return RecordLedger.from_json(text, key=key)


@pytest.mark.parametrize("keyed", [False, True])
def test_every_changed_byte_is_seen(people, keyed):
    """Each byte with one bit flipped, doubled, and left out; and every beginning of the text."""
    secret = KEY if keyed else None
    people.spend(0.1, who=[True, False, True, False, False])
    text = people.to_json(key=secret)
    assert fresh(text, secret) == people
    for place, letter in enumerate(text):
        flipped = chr(ord(letter) ^ 1 << place % 7)
        for variant in (flipped, letter * 2, ""):
            with pytest.raises(dp.errors.BadLedger):
                fresh(text[:place] + variant + text[place + 1 :], secret)
        with pytest.raises(dp.errors.BadLedger):
            fresh(text[:place], secret)


ZERO = np.zeros(5, np.int64)
BEYOND = {
    "own of another length": {"arrays": {"own 0": np.zeros(4, np.int64)}},
    "own below 0": {"arrays": {"own 0": ZERO - 1}},
    "own beyond the budget": {"arrays": {"own 0": ZERO + (1 << 61)}},
    "own in doubles": {"arrays": {"own 0": np.zeros(5)}},
    "own of a second currency": {"arrays": {"own 1": ZERO}},
    "codes of no group": {"arrays": {"codes": np.full(5, 2, np.uint8)}},
    "codes of another length": {"arrays": {"codes": np.zeros(6, np.uint8)}},
    "more in common than the budget": {"common": [["1", "0"]]},
    "common below 0": {"common": [["-1/10", "0"]]},
    "common as a number": {"common": [[0, 0]]},
    "another budget of 0": {"budgets": [["0", "2"]]},
    "budgets too far apart": {"budgets": [["1/2", "2000000000000"]]},
    "a budget too few": {"budgets": [["1/2"]]},
    "another quantum": {"places": [3]},
    "no quantum": {"places": ["x"]},
    "another kind": {"kind": "approx"},
    "no kind": {"kind": ["pure"]},
    "no releases": {"releases": 0},
    "releases below 0": {"releases": -1},
    "releases as truth": {"releases": True},
    "no identity": {"identity": "me"},
    "an identity that is a number": {"identity": 7},
    "another schema": {"schema": "dpframe-records/9"},
    "two groups of one name": {"groups": ["open", "open"]},
    "groups without names": {"groups": []},
    "other records": {"records": 6},
    "something more": {"data": [1, 2, 3]},
}


@pytest.mark.parametrize("name", BEYOND)
def test_an_impossible_history_is_refused(people, name):
    """Even where the seal and the HMAC are right."""
    people.spend(0.1)
    people.spend(0.1, who=[True, False, True, False, False])
    text = people.to_json(key=KEY)
    assert fresh(resealed(text, key=KEY), KEY) == people
    with pytest.raises(dp.errors.BadLedger):
        fresh(resealed(text, key=KEY, **BEYOND[name]), KEY)


LEAST = 2520 * 10**14
SINGLES = {
    "no budget": {"most 0": ZERO, "own 0": ZERO},
    "budgets beyond 64 bits": {"most 0": ZERO + (1 << 62)},
    "spent beyond": {"own 0": ZERO + (1 << 60)},
    "one budget": {"most 0": np.array([LEAST])},
}


@pytest.mark.parametrize("name", SINGLES)
def test_impossible_single_budgets_are_refused(name):
    """The same where each record has a budget of its own."""
    ledger = RecordLedger([0.5, 0.4, 0.3, 0.2, 0.1], kind=dp.PureDP)
    ledger.spend(0.1)
    text = ledger.to_json(key=KEY)
    assert fresh(resealed(text, key=KEY), KEY) == ledger
    with pytest.raises(dp.errors.BadLedger):
        fresh(resealed(text, key=KEY, arrays=SINGLES[name]), KEY)


def test_a_delta_of_one_is_no_budget():
    """Nor in a file that is sealed rightly."""
    ledger = RecordLedger(([0.5, 0.5], [0.1, 0.2]), kind=dp.ApproxDP)
    places = json.loads(ledger.to_json())["ledger"]["places"][1]
    one = np.full(2, 2520 * 10**places)
    with pytest.raises(dp.errors.BadLedger):
        fresh(resealed(ledger.to_json(key=KEY), key=KEY, arrays={"most 1": one}), KEY)


def test_a_filter_is_no_ledger_of_records():
    """Nor the other way round."""
    ledger = RecordLedger([0.5, 0.4], kind=dp.PureDP)
    with pytest.raises(dp.errors.BadLedger):
        RecordLedger.from_json(dp.Filter(dp.PureDP(1)).to_json())
    with pytest.raises(dp.errors.BadLedger):
        dp.Filter.from_json(ledger.to_json())
