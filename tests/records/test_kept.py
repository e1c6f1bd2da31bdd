"""What a saved form of spending keeps: every field that its object has, and what it refuses."""

from __future__ import annotations

import enum
import json
import types
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.budgets.records import RecordLedger
from dpframe.privacy import Unit
from tests.support.sealing import resealed

JOINS, REPLACED = Unit(dp.ADD_REMOVE), Unit(dp.REPLACE_ONE)
FIVE = Unit(dp.ADD_REMOVE, 5)
GROUPS = ["a", "b", "b"]
OWN_PROCESS = {
    "_lock": "who is in it now",
    "_process": "where it lives",
    "_seals": "which files it has saved or read",
}
BOUNDS = {
    "peaks": "at least the largest of the totals",
    "sharp": "whether it is the largest itself",
    "room": "at most the least that is left",
}


def fields_of(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of every object that it is made of, by its path, down to plain values."""
    if isinstance(value, np.ndarray):
        yield path, (str(value.dtype), value.tolist())
    elif isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        yield f"{path}#", len(value)
        for place, each in enumerate(value):
            yield from fields_of(each, f"{path}[{place}]")
    elif type(value).__module__.startswith("dpframe") and not isinstance(value, (type, enum.Enum)):
        assert names_of(value), f"{path} has no fields to compare"
        for name in names_of(value):
            if name not in OWN_PROCESS | BOUNDS:
                yield from fields_of(getattr(value, name), f"{path}.{name}")
    else:
        yield path, value


def names_of(value: object) -> list[str]:
    """The names of its fields, by attrs, a named tuple, or slots of its class and its bases."""
    if attrs.has(type(value)):
        return [field.name for field in attrs.fields(type(value))]
    if hasattr(value, "_fields"):
        return list(value._fields)
    slots = [name for one in type(value).__mro__ for name in getattr(one, "__slots__", ())]
    return [name for name in slots if not isinstance(getattr(value, name), types.MethodType)]


def records(kind=dp.PureDP, budgets=None):
    """A function: accounts of three records."""
    return lambda **options: RecordLedger(
        budgets if budgets is not None else {"a": 1, "b": 2},
        None if budgets is not None else GROUPS,
        kind=kind,
        **options,
    )


def spend_records(ledger):
    """In common, of a mask, and of single costs; in a unit."""
    ledger.spend(0.1, unit=Unit(dp.REPLACE_ONE, 3))
    ledger.spend(0.01, who=[True, False, True])
    ledger.spend([0.1, 0.2, 0.3])


def spend_filter(meter):
    """Two queries of different amounts."""
    meter.spend(dp.PureDP("0.1"))
    meter.spend(dp.PureDP("1/7"))


SAVED = {
    "records in groups": (records(), spend_records),
    "records of their own": (records(budgets=[1.0, 2.0, 0.7]), spend_records),
    "a filter": (lambda: dp.Filter(dp.PureDP(1)), spend_filter),
    "a filter inside a target": (
        lambda: dp.Filter(dp.ApproxDP(1, "1e-6"), by=dp.ZeroConcentratedDP),
        spend_filter,
    ),
    "an odometer": (lambda: dp.Odometer(dp.PureDP), spend_filter),
}


@pytest.mark.parametrize("name", SAVED)
def test_every_field_is_kept(name, tmp_path):
    """What an object is made of, down to plain values, is the same after text and after a file; and
    what spending changes was changed, so that nothing is the same because it was never set.
    """
    make, use = SAVED[name]
    ledger = make()
    fresh = dict(fields_of(ledger))
    use(ledger)
    fields = dict(fields_of(ledger))
    assert any(fields[path] != fresh.get(path) for path in fields)
    ledger.save(tmp_path / "file")
    kind = type(ledger)
    for restored in (kind.from_json(ledger.to_json()), kind.load(tmp_path / "file")):
        assert dict(fields_of(restored)) == fields
        assert set(names_of(restored)) == set(names_of(ledger))


def test_the_law_sees_a_field_that_is_lost():
    """The control: a unit that is dropped is found by its path."""
    ledger = records()()
    spend_records(ledger)
    text = json.loads(ledger.to_json())
    assert text["ledger"]["unit"] == {"relation": "replace_one", "rows_per_person": 3}
    other = records()()
    other._state = ledger._state._replace(unit=None)
    one, two = dict(fields_of(ledger)), dict(fields_of(other))
    changed = {path for path in one | two if one.get(path) != two.get(path)}
    assert "._state.unit.relation" in changed


@pytest.mark.parametrize("way", ["the same object", "a text", "a file"])
@pytest.mark.parametrize("other", [REPLACED, FIVE], ids=str)
def test_another_unit_is_refused(way, other, tmp_path):
    """Another relation, another number of rows a person: as by the object that was charged."""
    ledger = records()()
    ledger.spend(0.1, unit=JOINS)
    if way == "a text":
        ledger = RecordLedger.from_json(ledger.to_json())
    if way == "a file":
        ledger.save(tmp_path / "file")
        ledger = RecordLedger.load(tmp_path / "file")
    before = ledger.seal
    with pytest.raises(dp.InvalidArgument, match="as before"):
        ledger.spend(0.1, unit=other)
    assert ledger.seal == before
    ledger.spend(0.1, unit=JOINS)
    ledger.spend(0.1)
    assert (ledger.unit, ledger.releases) == (JOINS, 3)


def test_a_refused_release_settles_no_unit():
    """No record was charged, so nothing is said of whom."""
    ledger = records()()
    with pytest.raises(dp.BudgetExceeded):
        ledger.spend(100, unit=JOINS)
    assert ledger.unit is None
    ledger.spend(0.1, unit=REPLACED)
    assert ledger.unit == REPLACED


def test_a_unit_may_be_declared():
    """From the start."""
    ledger = records()(unit=FIVE)
    assert RecordLedger.from_json(ledger.to_json()).unit == FIVE
    assert ledger != records()()
    with pytest.raises(dp.InvalidArgument, match="as before"):
        ledger.spend(0.1, unit=JOINS)
    symbolic = Unit(dp.ADD_REMOVE, dp.parameter("k", integer=True, lower=1))
    for bad in (dp.ADD_REMOVE, "add_remove", symbolic):
        with pytest.raises(dp.InvalidArgument):
            records()(unit=bad)


def table():
    """Three rows."""
    return np.full((3, 1), 0.5), np.full(3, 0.5)


class Sum(dp.Regression):
    """A sum of labels."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.total(y), dp.Laplace.pure, budget)


def proof(relation, rows=1):
    """A certificate of epsilon 1/10."""
    setting = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, rows_per_person=rows
    )
    return dp.certify(Sum(), target=dp.PureDP("0.1"), setting=setting)


@pytest.mark.parametrize("saved", [False, True])
def test_executions_are_held_to_the_unit_of_the_first(saved):
    """Through a text as without."""
    ledger = records()()
    dp.execute(proof(dp.ADD_REMOVE), *table(), records=ledger)
    if saved:
        ledger = RecordLedger.from_json(ledger.to_json())
    for other in (proof(dp.REPLACE_ONE), proof(dp.ADD_REMOVE, 5)):
        with pytest.raises(dp.InvalidArgument, match="as before"):
            dp.execute(other, *table(), records=ledger)
    dp.execute(proof(dp.ADD_REMOVE), *table(), records=ledger)
    assert ledger.releases == 2


@pytest.mark.parametrize(
    "unit",
    [
        {"relation": "add_remove"},
        {"relation": "both", "rows_per_person": 1},
        {"relation": "add_remove", "rows_per_person": 0},
        {"relation": "add_remove", "rows_per_person": 1.5},
        {"relation": "add_remove", "rows_per_person": 1, "more": 1},
        "add_remove",
        7,
    ],
    ids=str,
)
def test_units_that_are_none_are_refused(unit):
    """Under a right seal."""
    text = records()(unit=JOINS).to_json()
    assert RecordLedger.from_json(resealed(text)).unit == JOINS  # the control
    with pytest.raises(dp.errors.BadLedger):
        RecordLedger.from_json(resealed(text, unit=unit))
