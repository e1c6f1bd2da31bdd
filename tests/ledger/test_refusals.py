"""Names and numbers that a ledger refuses or shows safely, and what fits."""

from fractions import Fraction

import mpmath
import pytest
from typer.testing import CliRunner

import dpframe as dp
from dpframe.budgets.ledger import Cost
from dpframe.cli import app
from dpframe.privacy import Unit
from tests.ledger.curves import MILLIONTH, bisect
from tests.support.oracles import delta_of


# --------------------------------------------------- What is refused when it is declared or charged
@pytest.mark.parametrize(
    ("budget", "by", "asked"),
    [
        (dp.PureDP(1), None, dp.PureDP(2)),
        (dp.ApproxDP(1, MILLIONTH), dp.ApproxDP, dp.ApproxDP(2, "1e-7")),
        (dp.ZeroConcentratedDP("1/7"), None, dp.ZeroConcentratedDP(2)),
        (dp.GaussianDP("1/7"), None, dp.PureDP(2)),
    ],
)
def test_what_is_said_to_fit_fits(ledger, cost, budget, by, asked):
    """The number in the message is admitted; a thousandth more is not."""
    ledger.create("other", budget, relation=dp.ADD_REMOVE, by=by)
    with pytest.raises(dp.BudgetExceeded) as caught, ledger.charging("other", cost(asked)):
        pass
    number = Fraction(str(caught.value).split("up to ")[1].split()[0].rstrip("."))
    rest = [part.value for part in asked.amounts[1:]]
    assert ledger.fits("other", cost(type(asked)(number, *rest)))
    assert not ledger.fits("other", cost(type(asked)(number * Fraction(1001, 1000), *rest)))
    assert caught.value.cost == cost(asked)
    assert caught.value.remaining == ledger.account("other").remaining


def test_the_largest_epsilon_at_the_delta_that_was_asked(ledger, cost):
    """In mu^2, the epsilon that is said to fit has a profile below delta at the mu that is left."""
    ledger.create("other", dp.GaussianDP("0.2"), relation=dp.ADD_REMOVE)
    asked = cost(dp.ApproxDP(3, "1e-5"), dp.GaussianDP(1))
    with (
        pytest.raises(dp.BudgetExceeded, match=r"a fit at epsilon .* \(mu up to 1/5\)") as caught,
        ledger.charging("other", asked),
    ):
        pass
    said = mpmath.mpf(str(caught.value).split("at epsilon ")[1].split(",")[0])
    truth = bisect(
        lambda e: delta_of(e, mpmath.mpf("0.2")) >= mpmath.mpf("1e-5"), mpmath.mpf(0), mpmath.mpf(3)
    )
    assert said <= truth < said + mpmath.mpf("1e-5")


@pytest.mark.parametrize("other", [Unit(dp.REPLACE_ONE), Unit(dp.ADD_REMOVE, 2)])
def test_another_unit_is_refused(ledger, cost, other):
    """Of relation or of rows per person; the way out is in the message; nothing is written."""
    head = ledger.head
    with (
        pytest.raises(dp.InvalidArgument, match="relation=ADD_REMOVE, rows_per_person=1"),
        ledger.charging("survey", cost(dp.PureDP("0.1"), unit=other)),
    ):
        pytest.fail("the body ran")
    assert ledger.head == head


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "a\nb", "x" * 101, "e\u0301", 3, None, True, b"a"]
)
def test_bad_names_are_refused(ledger, name):
    """At creation and at use."""
    with pytest.raises(dp.InvalidArgument, match="printable name"):
        ledger.create(name, dp.PureDP(1), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="printable name"):
        ledger.account(name)


@pytest.mark.parametrize("name", ["a", "survey 2026", "Größe", "调查", "x" * 100, "../x'; --"])
def test_good_names_are_kept(ledger, name):
    """As they are."""
    ledger.create(name, dp.PureDP(1), relation=dp.ADD_REMOVE)
    assert dp.Ledger(ledger.path).datasets == ("survey", name)


@pytest.mark.parametrize(
    "change",
    [
        {"budget": 1},
        {"budget": dp.ApproxDP(dp.EPSILON, "1e-6")},
        {"budget": dp.ZeroConcentratedDP(0)},
        {"budget": dp.PureDP},
        {"relation": "add_remove"},
        {"rows_per_person": 0},
        {"by": dp.GaussianDP},
        {"by": "gaussian"},
    ],
)
def test_bad_budgets_are_refused(ledger, change):
    """When they are declared, and nothing is written."""
    head = ledger.head
    arguments = {"budget": dp.PureDP(1), "relation": dp.ADD_REMOVE, **change}
    with pytest.raises(dp.InvalidArgument):
        ledger.create("other", **arguments)
    assert ledger.head == head


@pytest.mark.parametrize("wait", [NAN, INF, -1, "3", True, None])
def test_bad_waits_are_refused(tmp_path, wait):
    """Not a number of seconds."""
    with pytest.raises(dp.InvalidArgument, match="seconds"):
        dp.Ledger(tmp_path / "x", wait=wait)


def test_taken_and_missing_names(ledger, cost):
    """Each with its way out."""
    with pytest.raises(dp.InvalidArgument, match="has its budget already"):
        ledger.create("survey", dp.PureDP(9), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="one of this ledger \\('survey'\\)"):
        ledger.fits("surwey", cost(dp.PureDP(1)))


class Mine(dp.PureDP):
    """A class that states its own amounts."""


@pytest.mark.parametrize(
    "arguments",
    [
        {"guarantees": ()},
        {"guarantees": 1},
        {"guarantees": (Mine(1),)},
        {"guarantees": (dp.PureDP(dp.EPSILON),)},
        {"guarantees": (dp.PureDP(dp.sqrt(2)),)},
        {"guarantees": (dp.PureDP(Fraction(1, 3**9000)),)},
        {"unit": dp.ADD_REMOVE},
        {"unit": Unit(dp.ADD_REMOVE, dp.parameter("k", integer=True, lower=1))},
        {"certificate": "ab"},
        {"certificate": "AB" * 32},
        {"description": "x" * 201},
        {"description": "a\nb"},
    ],
)
def test_bad_costs_are_refused(arguments):
    """When they are declared."""
    good = {"guarantees": (dp.PureDP(1),), "unit": Unit(dp.ADD_REMOVE), "certificate": "ab" * 32}
    with pytest.raises(dp.InvalidArgument):
        Cost(**{**good, **arguments})


def test_the_cost_of_a_certificate():
    """Its target at its numbers, its unit, its hash; refused while numbers are missing."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    certificate = dp.certify(dp.AdaSSP(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=setting)
    with pytest.raises(dp.NotExecutable, match=r"run.at\(delta=..., epsilon=...\)"):
        Cost.of(certificate)
    run = certificate.at(epsilon="0.3", delta="1e-7")
    found = Cost.of(run, dp.GaussianDP("0.05"))
    assert found.guarantees == (dp.ApproxDP("0.3", "1e-7"), dp.GaussianDP("0.05"))
    assert (found.unit, found.certificate) == (setting.unit, run.hash)
    assert found.description == "AdaSSP"


@pytest.mark.parametrize("by", [None, dp.ZeroConcentratedDP])
def test_an_account_says_what_is_spent_in_epsilon_and_what_fits(ledger, cost, by):
    """Two runs of mu = 1/10: no less than their profile at the budget's delta; and, in mu^2, no
    more than a millionth above.
    """
    ledger.create("other", dp.ApproxDP(1, "1e-6"), relation=dp.ADD_REMOVE, by=by)
    for _ in range(2):
        with ledger.charging("other", cost(dp.GaussianDP("0.1"))):
            pass
    text = str(ledger.account("other"))
    assert "What fits: " in text
    said = mpmath.mpf(text.split("(epsilon ")[1].split(" at delta 1e-6)", maxsplit=1)[0])
    mu, delta = mpmath.sqrt("0.02"), mpmath.mpf("1e-6")
    truth = bisect(lambda e: delta_of(e, mu) >= delta, mpmath.mpf(0), mpmath.mpf(3))
    assert truth <= said < (truth + mpmath.mpf("1e-6") if by is None else 1)


# ---------------- Names that nobody can read, that are shown safely, and that one takes for another
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
