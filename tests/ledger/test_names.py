"""Names that nobody can read, that are shown safely, and that one takes for another."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.budgets.ledger import Cost
from dpframe.cli import app
from dpframe.privacy import Unit

ALIKE = [
    ("survey", "Survey"),
    ("survey", "SURVEY"),
    ("survey", "surve\u0443"),  # Cyrillic
    ("survey", "surve\u03b3"),  # Greek
    ("survey", "\uff53urvey"),  # a wide s
    ("survey", "\U0001d42curvey"),  # a bold mathematical s
    ("TOP", "\u0422\u041e\u0420"),  # Cyrillic capitals
    ("TOP", "\u03a4\u039f\u03a1"),  # Greek capitals
    ("top", "\u0422\u041e\u0420"),
    ("cape", "\u0441\u0430\u0440\u0435"),  # small Cyrillic
    ("office", "o\ufb03ce"),  # a ligature
    ("two  spaces", "two spaces"),
    ("2020-21", "2020\u201321"),
    ("today's", "today\u2019s"),
    ("wave 1", "wave l"),
    ("wave 1", "wave I"),
    ("O2", "02"),
    ("Stra\u00dfe", "STRASSE"),
    ("k", "\u212a"),  # the sign of kelvin
    ("\u03c3\u03c2", "\u03a3\u03a3"),
]
UNLIKE = [
    ("survey", "survey 2"),
    ("wave i", "wave l"),
    ("a", "b"),
    ("resume", "r\u00e9sum\u00e9"),
    ("\u8abf\u67fb", "\u8abf"),
    ("\u0434\u0430\u043d\u043d\u044b\u0435", "data"),
    ("A_B", "A-B"),
    ("2020", "2021"),
    ("\u30c7\u30fc\u30bfA", "\u30c7\u30fc\u30bfB"),
]


@pytest.fixture
def two(tmp_path):
    """A function: two data sets of these names in a new ledger."""

    def two(one, other):
        ledger = dp.Ledger(tmp_path / "names.sqlite")
        for name in (one, other):
            ledger.create(name, dp.PureDP(1), relation=dp.ADD_REMOVE)
        return ledger

    return two


@pytest.mark.parametrize("names", ALIKE, ids=ascii)
def test_a_second_name_that_looks_the_same_is_refused(two, names):
    """It would be a second budget: the first is named. The one sign that is no normal form is no
    name at all.
    """
    with pytest.raises(dp.InvalidArgument, match=r"a name unlike|printable name") as caught:
        two(*names)
    assert repr(names[0]) in str(caught.value) or names[1] == "\u212a"


@pytest.mark.parametrize("names", [pair[::-1] for pair in ALIKE], ids=ascii)
def test_it_is_refused_in_either_order(two, names):
    """Where the odd one comes first, it may be refused by itself."""
    with pytest.raises(dp.InvalidArgument):
        two(*names)


@pytest.mark.parametrize("names", UNLIKE, ids=ascii)
def test_names_that_differ_visibly_are_two(two, names):
    """The control."""
    assert two(*names).datasets == names


MIXED = ["p\u0430yroll", "\u0420ayroll", "k\u03b1ppa", "\u13aaat"]


@pytest.mark.parametrize("name", MIXED, ids=ascii)
def test_one_word_in_two_alphabets_is_refused(ledger, name):
    """Nobody could type it again; several words may be in several."""
    with pytest.raises(dp.InvalidArgument, match="one alphabet in each word"):
        ledger.create(name, dp.PureDP(1), relation=dp.ADD_REMOVE)
    ledger.create("\u0434\u0430\u043d\u043d\u044b\u0435 US", dp.PureDP(1), relation=dp.ADD_REMOVE)


CONTROL = ["\x1b[2Jx", "a\x07", "a\x9bb", "a\u200bb", "a\u202eb", "a\u00a0b"]
FILLERS = ["\ud800", "a\u034fb", "a\ufe0fb", "\u3164"]


@pytest.mark.parametrize("name", CONTROL + FILLERS, ids=ascii)
def test_unseen_characters_are_refused_when_written(ledger, name):
    """Escapes, controls, directions, fillers."""
    with pytest.raises(dp.InvalidArgument, match="printable name"):
        ledger.create(name, dp.PureDP(1), relation=dp.ADD_REMOVE)


@pytest.mark.parametrize("name", CONTROL, ids=ascii)
def test_control_characters_are_refused_when_read(ledger, name, rows_of, rewritten, write):
    """Under right hashes."""
    rows = rows_of(ledger.path)
    renamed = [row._replace(dataset=name if row.dataset else "") for row in rows]
    write(ledger.path, rewritten(renamed, lambda _, content: content))
    with pytest.raises(dp.errors.BadLedger):
        dp.Ledger(ledger.path)


def test_an_escape_in_any_field_is_refused_when_read(ledger, spend, rows_of, rewritten, write):
    """Descriptions and times are printed too."""
    spend(ledger, "survey", dp.PureDP("0.1"))
    rows = rows_of(ledger.path)

    def described(row, content):
        if row.action == "charge":
            content["cost"]["description"] = "\x1b[2J"
        return content

    for changed in (
        rewritten(rows, described),
        rewritten([row._replace(time="\x1b[2J") for row in rows], lambda _, content: content),
    ):
        write(ledger.path, changed)
        with pytest.raises(dp.errors.BadLedger):
            dp.Ledger(ledger.path)


@pytest.mark.parametrize("text", ["[/x]", "[bold]", ":smile:", "[link=x]y[/link]", "\\[a]"])
def test_show_prints_names_and_descriptions_as_they_are(tmp_path, text):
    """No markup, no pictures."""
    path = tmp_path / "budget.sqlite"
    ledger = dp.Ledger(path)
    ledger.create(text, dp.PureDP(1))
    for arguments in ([], [text], [text, "--json"], ["--json"]):
        done = CliRunner().invoke(app, ["ledger", "show", str(path), *arguments])
        assert done.exit_code == 0, done.output
    with ledger.charging(text, Cost((dp.PureDP("0.1"),), Unit(dp.ADD_REMOVE), "ab" * 32, text)):
        pass
    done = CliRunner().invoke(app, ["ledger", "show", str(path), text])
    assert done.exit_code == 0, done.output
    assert done.stdout.count(text) == 2
