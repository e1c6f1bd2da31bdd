"""dpframe ledger: what it prints, what it exits with, what it refuses."""

import json
from functools import partial

import pytest

import dpframe as dp
from tests.support import commands

CREATE = ["create", "--relation", "add-remove"]


call = partial(commands.call, "ledger")


@pytest.fixture
def path(tmp_path):
    """A file that is not there yet."""
    return tmp_path / "budget.sqlite"


@pytest.mark.parametrize(
    ("options", "budget"),
    [
        (("--epsilon", "1"), dp.PureDP(1)),
        (("--epsilon", "1/3", "--delta", "1e-6"), dp.ApproxDP("1/3", "1e-6")),
        (("--rho", "0.1"), dp.ZeroConcentratedDP("0.1")),
        (("--mu", "0.2"), dp.GaussianDP("0.2")),
    ],
)
def test_create_every_kind(path, options, budget):
    """As the same call in Python: exact numbers, and shown."""
    printed = call(*CREATE, path, "survey", *options)
    account = dp.Ledger(path).account("survey")
    assert account.budget == budget
    assert f"survey: {budget} for one row added or removed" in printed
    assert printed.strip() in call("show", path)


def test_create_with_a_rule_and_rows(path):
    """--by and --rows-per-person are passed on."""
    numbers = ("--epsilon", "1", "--delta", "1e-6")
    for by, kind in (("sums", "approx"), ("gaussian", "gaussian"), ("zcdp", "zcdp")):
        call(*CREATE, path, by, *numbers, "--by", by, "--rows-per-person", "4")
        account = dp.Ledger(path).account(by)
        assert (account.by, account.main.kind.kind) == (kind, kind)
        assert str(account.unit.rows_per_person) == "4"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "budget must be"),
        (("--delta", "1e-6"), "budget must be"),
        (("--rho", "1", "--epsilon", "1"), "budget must be"),
        (("--rho", "nan"), "rho"),
        (("--epsilon", "0"), "epsilon"),
        (("--rho", "1", "--by", "gaussian"), "by must be"),
    ],
)
def test_bad_budgets(path, options, text):
    """Exit status 2, one sentence, no file."""
    assert text in call(*CREATE, path, "survey", *options, status=2)
    assert not path.exists()


def test_the_relation_may_be_left_to_the_first_run(path):
    """As in the library."""
    assert "the unit of privacy of its first run" in call("create", path, "survey", "--rho", "1")


def test_show_export_and_verify(path, spend, cost):
    """Runs with their status; JSON with exact numbers; the head that was kept."""
    call(*CREATE, path, "survey", "--epsilon", "1")
    ledger = dp.Ledger(path)
    kept = ledger.head
    spend(ledger, "survey", dp.PureDP("0.1"))
    ledger.charging("survey", cost(dp.PureDP("0.2"))).__enter__()
    printed = call("show", path, "survey")
    assert "released" in printed
    assert "charged, not finished" in printed
    assert "spent epsilon 3/10 of 1" in printed
    (record,) = json.loads(call("show", path, "--json"))["datasets"]
    (total,) = record["totals"]
    assert (total["spent"], record["remaining"]) == (["3/10"], {"epsilon": "7/10"})
    assert (record["runs"], record["unfinished"]) == (2, 1)
    assert json.loads(call("export", path))["head"] == ledger.head
    assert "contains that head" in call("verify", path, "--head", kept)
    assert "no head was given" in call("verify", path)
    assert "contains the given head" in call("verify", path, "--head", "1" * 64, status=2)


def test_missing_files_and_names(path):
    """Status 2 and no file is made."""
    for command in (("show",), ("export",), ("verify",)):
        assert "existing ledger" in call(*command, path, status=2)
    assert not path.exists()
    call(*CREATE, path, "survey", "--rho", "1")
    assert "one of this ledger" in call("show", path, "surwey", status=2)
    assert "has its budget already" in call(*CREATE, path, "survey", "--rho", "2", status=2)


def test_a_note_is_shown_with_its_charge(path, cost):
    """In the table and in JSON; in the table only if there is one."""
    call(*CREATE, path, "survey", "--epsilon", "1")
    for note in ("", "[red]Ana: monthly report"):
        with dp.Ledger(path, note=note).charging("survey", cost(dp.PureDP("0.1"))):
            assert ("note" in call("show", path, "survey")) == bool(note)
    assert "[red]Ana" in call("show", path, "survey")


def test_the_runs_of_a_data_set_sum_to_what_is_spent(path, spend):
    """A run's guarantee, what it is charged in the budget's currency, and the sum; as a page."""
    call(*CREATE, path, "survey", "--epsilon", "1", "--delta", "1e-6", "--by", "gaussian")
    for mu in ("0.1", "0.1", "0.15"):
        spend(dp.Ledger(path), "survey", dp.GaussianDP(mu))
    page = path.with_name("report.html")
    shown = call("show", path, "survey", "--html", page).splitlines()
    *runs, total, head = (line.split() for line in shown[-5:])
    assert [line[4] for line in runs] == ["1/100", "1/100", "9/400"]
    assert total == ["sum", "17/400"]
    text = page.read_text()
    assert all(part in text for part in ("survey", "9/400", "17/400", head[1]))
    assert "<script" not in text
    assert "must be a new file" in call("show", path, "--html", page, status=2)


@pytest.mark.parametrize(
    ("budgets", "says"),
    [
        ([("--epsilon", "1", "--delta", "1e-6")] * 2, "sum to (2, 2e-6)"),
        ([("--epsilon", "1"), ("--epsilon", "1/2", "--delta", "1e-6")], "sum to (3/2, 1e-6)"),
        ([("--epsilon", "1"), ("--rho", "1")], "are not added up"),
        ([("--epsilon", "1")], ""),
    ],
)
def test_budgets_of_several_names_are_summed(path, budgets, says):
    """For a person in each table, by basic composition; not where no theorem adds them."""
    for place, budget in enumerate(budgets):
        call(*CREATE, path, f"table {place}", *budget)
    assert (says or "head") in " ".join(call("show", path).split())
    assert ("sum to" in call("show", path)) == says.startswith("sum")


def test_json_has_all_that_the_text_shows(path, spend, cost):
    """The head, the sums in words, every run of one data set."""
    call(*CREATE, path, "survey", "--epsilon", "1", "--delta", "1e-6")
    assert "first run fixes the rule" in call("show", path)
    ledger = dp.Ledger(path, note="Ana")
    spend(ledger, "survey", dp.GaussianDP("0.1"))
    ledger.charging("survey", cost(dp.PureDP("0.1"))).__enter__()
    shown = json.loads(call("show", path, "survey", "--json"))
    assert shown["head"] == ledger.head
    (record,) = shown["datasets"]
    text = " ".join(call("show", path, "survey").split())
    assert all(line in text for line in record["summary"])
    assert [(one["status"], one["note"]) for one in shown["charges"]] == [
        ("released", "Ana"),
        ("charged, not finished", "Ana"),
    ]
    for one, charge in zip(shown["charges"], ledger.charges("survey"), strict=True):
        assert one["charged"] == charge.time
        assert (one["certificate"], one["description"]) == ("ab" * 32, "a run")
        assert one["number"] == charge.number
    everything = json.loads(call("show", path, "--json"))
    assert (everything["head"], everything["datasets"]) == (ledger.head, [record])
