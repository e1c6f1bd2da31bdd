"""What a person sees of an audit: the page on a narrow screen, numbers, the drawing of a graph."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpframe as dp
from dpframe.audits import audit, parse_description
from dpframe.audits.drawing import LEAK, LEGEND, drawing, lines
from dpframe.audits.figures import against, exactly, figure, formula, hanging, short
from dpframe.audits.findings import findings
from dpframe.literature.catalogue import EXAMPLES, example, setting_of
from dpframe.prover import Verdict
from dpframe.symbols import DELTA, EPSILON, constant, log
from dpframe.wording import digits
from tests.support.html_pages import read, unfolded, words_of

# ----------------------------------------------------------------------------- The page of an audit
SETTING = dp.Setting(
    X=dp.Rows(norm=dp.parameter("B")), y=dp.Column(bound=1), relation=dp.ADD_REMOVE
)
ONE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def test_statistics_move_below_the_names_where_a_table_is_too_wide():
    """They are a column of a wider table; without room for the columns, a row is a paragraph."""
    done = audit(dp.literature.AdaSSPWang(), target=dp.ApproxDP(1, "1e-6"), setting=ONE)
    assert re.search(r"\n  floor +lambda_min\(X'X\) +1 +11.85", done.text(100))
    assert re.search(r"\n  floor +1 +11.85[^\n]*\n    lambda_min\(X'X\)\n", done.text(80))
    assert re.search(r"\n  floor: statistic lambda_min\(X'X\); sensitivity 1; ", done.text(60))


PLACES = [
    "What everything costs together",
    "What each release costs",
    "How the budget is split",
    "The first thing to change",
    "Assumed, not proved",
    "Why it holds",
    "The plan of shares",
    "Where the numbers come from",
    "What is claimed",
]


FIRST = [*PLACES[:4], "Assumed, not proved"]


def test_text_and_page_have_the_same_sections_in_one_order():
    """The verdict and the sentence first; a page has a few sections more, at its end."""
    done = audit(dp.literature.AdaSSPWang(), target=dp.ApproxDP(1, "1e-6"), setting=ONE)
    for text, places in ((done.text(details=True), PLACES), (str(done), FIRST)):
        shown = [one for one in text.split("\n") if one and not one.startswith(" ")]
        assert [one for one in shown if one in PLACES] == places
    titles = [one.text for one in read(done.to_html()).one("main").all("h2")]
    assert [one.partition(" ")[2] for one in titles[1 : 1 + len(PLACES)]] == PLACES
    costs = done.text(details=True).split("\n\n")[5]
    assert re.search(r"joint Gaussian profile +inside it +0.595 +0.596\n", costs)


@pytest.mark.parametrize("name", ["SSP", "AdaSSP", "JointSSP"])
def test_short_texts_have_half_the_lines_and_name_what_they_leave_out(name):
    """Every assumption by its title, every release, and the call that prints the rest."""
    done = audit(getattr(dp, name)(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    short, whole = str(done), done.text(details=True)
    assert len(short.splitlines()) < 0.55 * len(whole.splitlines())
    for part in ("A4 Failures are not published", "W3 delta is small", done.lines[0].name):
        assert part in short
    assert "More, by audit.text(details=True): " in short
    assert "What is claimed" in " ".join(short.split())
    assert "missing=" not in short
    assert 'missing="drop"' in whole
    assert "More, by" not in whole


def test_at_most_two_ways_out_are_printed():
    """JSON has all of them."""
    done = audit(Both(), target=dp.ApproxDP(1, "1e-6"), setting=ONE)
    assert "or state the noise by hand" in done.records()["open"][0]["way_out"]
    two = "multiply every share of epsilon by 1/2, or draw once and use the released value twice."
    assert two in unfolded(done)
    assert "state the noise by hand" not in unfolded(done)


class Both(dp.Regression):
    """Each release spends the whole budget."""

    def declare(self, X, y, budget):
        """Two releases."""
        releases = (X.T @ X, X.T @ y)
        return tuple(dp.release(one, dp.Gaussian.analytic, budget) for one in releases)


def test_an_audit_says_that_the_budget_is_not_split():
    """Where each release has all of it, and where none has a share; not where it is split."""
    target = dp.ApproxDP(1, "1e-6")
    both = str(audit(Both(), target=target, setting=ONE))
    whole = "epsilon is not split: release of X'X, release of X'y are each given all of it."
    assert whole in both
    coded = audit(dp.literature.SSPWangCoded(), target=target, setting=ONE)
    none = "No release is given a share of epsilon: it is not split, and all are judged together."
    assert none in str(coded)
    assert none.replace("epsilon", "ε") in words_of(coded)
    assert none in findings(coded).change.why
    assert findings(coded).record()["not_split"] == none
    assert "not split" not in str(audit(dp.literature.AdaSSPWang(), target=target, setting=ONE))


def test_releases_that_differ_in_their_names_alone_are_one_row():
    """Six corrections of one size; their names are where the numbers come from."""
    done = audit(dp.JointSSP(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    assert re.search(r"\n  correction1 and 5 alike +X.T @ residuals ", str(done))
    assert "correction2" not in str(done)
    assert "correction1, ..., correction6 (6 names)" in unfolded(done)


def test_no_section_repeats_that_noise_is_enough():
    """Of joint calibration with one size that is a number, twice."""
    done = audit(dp.JointSSP(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    assert findings(done).waste.tight
    assert "Size of the noise" not in done.text(details=True)
    assert "joint calibration would save none" in " ".join(str(done).split())


TWICE = """
title = "t"
relation = "add-remove"
[claim]
{claim}
[rows]
norm = 1
[labels]
bound = 1
[parameters]
T = "whole in [2, 10]"
[[release]]
name = "s"
statistic = "bin_counts(y, -1, 0, 1)"
{noise}
times = "{times}"
share = "{share}"
[[release]]
name = "m"
statistic = "bin_counts(y, -1, 1/2, 1)"
{noise}
share = "{share}"
"""
LAPLACE = 'mechanism = "laplace"\nscale = "1/epsilon"'
GUMBEL = 'mechanism = "gumbel selection"\nscale = "1/epsilon"'
GAUSSIAN = 'mechanism = "gaussian"\nvariance = "{}/rho"'
MU = 'mechanism = "gaussian"\nvariance = "1/mu^2"'
ANALYTIC = 'mechanism = "gaussian"\nstd = "4"'


def stated(claim: str, share: str, noise: str, times: str = "1", accountant: str = "auto"):
    """The audit of two histograms with the same noise and share."""
    text = TWICE.format(claim=claim, share=share, noise=noise, times=times)
    read = parse_description(text)
    return audit(read.regression, target=read.target, setting=read.setting, accountant=accountant)


@pytest.mark.parametrize(
    ("claim", "share", "noise", "times"),
    [
        ("epsilon = 1", "epsilon", LAPLACE, "1"),
        ("epsilon = 1", "epsilon", LAPLACE, "T"),
        ("epsilon = 'any'", "epsilon", LAPLACE, "1"),
        ("epsilon = 1", "epsilon", GUMBEL, "1"),
        ("rho = 1", "rho", GAUSSIAN.format("(1/2)"), "1"),
        ("rho = 'any'", "rho", GAUSSIAN.format("(1/2)"), "T"),
        ("mu = 1", "mu^2", MU, "1"),
        ("epsilon = 1\ndelta = 1e-6", "epsilon, delta", ANALYTIC, "1"),
    ],
)
def test_the_whole_budget_twice_is_never_said_to_be_proved(claim, share, noise, times):
    """One record moves both releases: the claim is false in every currency."""
    found = stated(claim, share, noise, times)
    assert found.verdict is not Verdict.PROVED
    assert not any(words in str(found) for words in ("alone proves", "alone would prove"))


def test_the_accountant_that_leaves_the_shares_aside_proves_the_total():
    """Twice the noise that each share needs, so that only the plan fails."""
    noise = GAUSSIAN.format(1)
    page = str(stated("rho = 1", "rho", noise))
    assert '`accountant = "gaussian"` in the file leaves the shares aside.' in page
    assert stated("rho = 1", "rho", noise, accountant="gaussian").verdict is Verdict.PROVED


# -------------------------------------------------------------------------- How numbers are written
POSITIVE = st.floats(1e-300, 1e300)


@pytest.mark.parametrize(
    ("value", "side", "shown"),
    [
        (8.848e-7, "near", "8.85e-7"),
        (8.841e-7, "up", "8.85e-7"),
        (0.5956, "near", "0.596"),
        (1.5871, "near", "1.587"),
        (1.5871, "up", "1.588"),
        (1.5879, "down", "1.587"),
        (1 + 2**-52, "up", "1.000"),
        (0.99999, "up", "1.00"),
        (123456.0, "near", "123500"),
        (1e-300, "near", "1e-300"),
        (1e7, "near", "1e7"),
        (0.0, "up", "0"),
        (None, "up", "-"),
        (float("inf"), "up", "inf"),
        (float("nan"), "up", "-"),
    ],
)
def test_figures(value, side, shown):
    """Three digits below 1, four above, to the stated side."""
    assert figure(value, side) == shown


@given(POSITIVE)
def test_figures_stay_on_their_side(value):
    """Up to one part in 10^12, the printed number bounds the true one."""
    slack = Fraction(1, 10**12) * Fraction(value)
    assert Fraction(figure(value, "down")) - slack <= Fraction(value)
    assert Fraction(value) <= Fraction(figure(value, "up")) + slack


@given(POSITIVE, st.fractions(Fraction(1, 1000), 1000))
def test_what_exceeds_a_limit_is_shown_to_exceed_it(value, limit):
    """Digits are added until the printed number says so."""
    if Fraction(value) > limit * (1 + Fraction(1, 10**11)):
        assert Fraction(against(value, limit)) > limit


@pytest.mark.parametrize(
    ("text", "shown"),
    [("1/3", "1/3"), ("1e-6", "1e-6"), ("2.5e-7", "2.5e-7"), ("0.9", "0.9"), ("12", "12")],
)
def test_exact_numbers_stay_exact(text, shown):
    """A terminating decimal of six digits, else a fraction."""
    assert exactly(Fraction(text)) == shown
    assert Fraction(shown) == Fraction(text)


def test_short_numbers_are_approximate_where_they_must():
    """One third is 0.333 in a narrow column."""
    assert short(Fraction(1, 3)) == "0.333"
    assert short(Fraction(1, 2)) == "0.5"
    assert short(Fraction(1, 3_000_000)) == "3.33e-7"


def test_formulas():
    """epsilon/3, not 1/3*epsilon; 1e-6, not 1/1000000."""
    assert formula(EPSILON / 3) == "epsilon/3"
    assert formula(constant("1e-6")) == "1e-6"
    assert formula(EPSILON * DELTA / 3) == "1/3*epsilon*delta"
    assert formula(log(constant("5/2") / DELTA)) == "log(5/(2*delta))"
    assert digits(8.8e-7) == "8.8e-7"


def test_long_lines_hang():
    """Later pieces are indented further than the first."""
    pieces = hanging("  " + "word " * 60)
    assert len(pieces) > 1
    assert all(len(piece) <= 100 for piece in pieces)
    assert all(piece.startswith("      word") for piece in pieces[1:])


# -------------------------------------------------------------------------- The drawing of a graph
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
EVERY = [*dp.literature.REGRESSIONS, *EXAMPLES]


def graph_of(cls, relation=dp.ADD_REMOVE):
    """The graph of a class with its defaults."""
    return example(cls).graph(setting_of(relation), TARGET.budget)


@pytest.mark.some(1, most=101)
@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_what_is_drawn_is_the_graph(cls, relation):
    """Lines are the nodes that a person wrote, in at most 120 columns, with what each reads."""
    graph = graph_of(cls, relation)
    found, (head, *rows) = lines(graph), drawing(graph).partition(f"\n\n{LEGEND}")[0].split("\n")
    assert [line.node for line in found] == [node for node in graph.nodes if not node.implied]
    places = {line.node: place for place, line in enumerate(found, 1)}
    start, end = head.index("reads"), head.index("node")
    for place, (line, row) in enumerate(zip(found, rows, strict=True), 1):
        assert row[:start].split() == [str(place), line.mark]
        assert [int(one) for one in row[start:end].split()] == [places[one] for one in line.reads]
        assert row[end:].startswith(line.words)
        assert row.endswith("-> the output") == (line.node in graph.outputs)
        assert len(row) <= 120


def test_a_leak_is_marked():
    """Post-processing of raw data is no output of releases."""
    assert LEAK in drawing(graph_of(dp.regressions.OLS))
    assert LEAK in drawing(graph_of(dp.literature.ThesisMaxNorm))
    assert LEAK not in drawing(graph_of(dp.AdaSSP))
