"""Notes on charges: stored in the chain, for people, and without a part in accounting."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import dpframe as dp


@pytest.fixture
def noted(ledger):
    """A function: the same file, opened with a note."""
    return lambda note: dp.Ledger(ledger.path, wait=20, note=note)


def test_a_note_changes_no_total(ledger, noted, spend):
    """Two equal runs with different notes have equal prices; totals add up as without notes."""
    charges = [spend(noted(note), "survey", dp.PureDP("0.1")) for note in ("", "epsilon 0", "Ana")]
    assert [charge.note for charge in ledger.charges("survey")] == ["", "epsilon 0", "Ana"]
    assert len({str(charge.prices) for charge in charges}) == 1
    assert str(ledger.account("survey").spent.epsilon) == "3/10"
    ledger.verify()


@pytest.mark.parametrize(
    "note",
    [
        "a\nb",
        "a\rb",
        "\x1b[2J",
        "a\x00",
        "\u202eb",
        "a\u2028b",
        "\ud800",
        "a\u200bb",
        "x" * 201,
        5,
        None,
    ],
)
def test_a_note_that_could_forge_a_record_is_refused(ledger, noted, note):
    """Before anything is charged."""
    head = ledger.head
    with pytest.raises(dp.InvalidArgument, match="note must be one printable line of at most 200"):
        noted(note)
    assert ledger.head == head


@pytest.fixture
def with_note(ledger, noted, spend, rows_of, rewritten):
    """A function: the entries of a ledger of one charge, with another note and right hashes."""

    def with_note(note):
        spend(noted("Ana"), "survey", dp.PureDP("0.1"))
        notes = {"charge": {"note": note}}
        return rewritten(
            rows_of(ledger.path), lambda row, content: content | notes.get(row.action, {})
        )

    return with_note


@pytest.mark.parametrize("note", ["", "a\nb", "x" * 201, 5, None, ["a"]])
def test_a_chain_with_an_impossible_note_is_refused(ledger, with_note, write, note):
    """Also with right hashes."""
    write(ledger.path, with_note(note))
    with pytest.raises(dp.errors.BadLedger, match="a step that this version could have made"):
        dp.Ledger(ledger.path)


def test_a_chain_with_a_possible_note_is_read(ledger, with_note, write):
    """So the test above refuses the note, and nothing else."""
    write(ledger.path, with_note("Bob"))
    assert [charge.note for charge in dp.Ledger(ledger.path).charges("survey")] == ["Bob"]


def test_a_note_is_fixed_when_the_ledger_is_opened(noted):
    """Another note needs another object: setting it is refused, not ignored."""
    with pytest.raises(AttributeError):
        noted("Ana").note = "Bob"
    assert noted("Ana").note == "Ana"


def test_a_note_is_part_of_the_hash(ledger, noted, spend, rows_of, write):
    """An edited note is detected at opening."""
    spend(noted("Ana"), "survey", dp.PureDP("0.1"))
    rows = [row._replace(content=row.content.replace("Ana", "Bob")) for row in rows_of(ledger.path)]
    assert "Bob" in str(rows)
    write(ledger.path, rows)
    with pytest.raises(dp.errors.BadLedger, match="what its hash says"):
        dp.Ledger(ledger.path)


def test_a_charge_without_a_note_is_written_as_before(ledger, spend, rows_of):
    """So that ledgers of earlier versions open, and this one's open there."""
    spend(ledger, "survey", dp.PureDP("0.1"))
    (charge,) = (row for row in rows_of(ledger.path) if row.action == "charge")
    assert set(json.loads(charge.content)) == {"cost", "prices", "totals"}


def test_notes_of_threads_and_copies_stay_with_their_charges(ledger, noted, spend):
    """Each charge has the note of the object that charged it."""
    notes = [f"analyst {i}" for i in range(8)]

    def charge(note):
        copy = pickle.loads(pickle.dumps(noted(note)))
        return spend(copy, "survey", dp.PureDP("0.01")).number, note

    with ThreadPoolExecutor(8) as pool:
        expected = dict(pool.map(charge, notes))
    assert {one.number: one.note for one in ledger.charges("survey")} == expected
    ledger.verify()


def test_an_estimator_charges_with_the_note_of_its_ledger(ledger, noted):
    """Also its clone."""
    from sklearn.base import clone

    setting = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    model = dp.PrivateRegressor(
        dp.regressions.FunctionalRidge(),
        epsilon="0.2",
        delta=0,
        setting=setting,
        ledger=noted("Ana: effects"),
        dataset="survey",
    )
    clone(model).fit([[0.5], [0.2]], [0.1, 0.2])
    assert [charge.note for charge in ledger.charges("survey")] == ["Ana: effects"]
