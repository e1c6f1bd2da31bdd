"""What notebooks show: HTML that stands alone, escapes what it holds, and reads on any page; and
pictures that return their axes.
"""

import re
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import dpframe as dp
from dpframe import notebooks

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")


@pytest.fixture(autouse=True)
def _drawn_nowhere():
    mpl.use("agg")
    yield
    plt.close("all")


def table():
    """Rows and labels."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (200, 2))
    return X, X[:, 0]


@pytest.fixture
def ledger(tmp_path):
    """Two data sets, one with two runs, one that did nothing."""
    made = dp.Ledger(tmp_path / "l.sqlite")
    made.create("survey", dp.ApproxDP(3, "1e-5"), relation=dp.ADD_REMOVE)
    made.create("other", dp.ZeroConcentratedDP(1), relation=dp.ADD_REMOVE)
    for epsilon in (1, "1/2"):
        run = dp.certify(dp.SSP(), target=dp.ApproxDP(epsilon, "1e-7"), setting=SETTING).at(d=2)
        dp.execute(run, *table(), ledger=made, dataset="survey")
    return made


class Reader(HTMLParser):
    """Tags in balance, without what needs another file."""

    def __init__(self):
        super().__init__()
        self.open, self.words = [], ""

    def handle_starttag(self, tag, attrs):
        assert tag not in {"script", "link", "img", "iframe", "style"}
        assert {name for name, _ in attrs} <= {"style"}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += f" {data}"


def words(value):
    """Of the HTML of a value, which must stand alone and set no colour of text but verdicts'."""
    html = value._repr_html_()
    reader = Reader()
    reader.feed(html)
    assert not reader.open
    assert "http" not in html
    assert "url(" not in html
    colours = set(re.findall(r"[ ;\"]color: ([^;\"]+)", html))
    assert colours <= {*notebooks.COLOURS.values(), "inherit"}
    return " ".join(reader.words.split())


def test_a_certificate_shows_its_sentence_and_its_releases():
    """The rest is folded."""
    made = dp.certify(dp.SSP(), target=TARGET, setting=SETTING)
    found = words(made)
    assert "proved certificate" in found
    assert "satisfy (1, 1e-6)-differential privacy" in found
    assert all(word in found for word in ("gram", "moment", made.hash[:12], "Tested, not proved"))
    assert " ".join(str(made).split()) in found
    assert words(dp.certify(dp.JointSSP(), target=TARGET, setting=SETTING))


@pytest.mark.parametrize(
    ("regression", "verdict"),
    [(dp.literature.SSPWang(), "proved"), (dp.literature.SSPWangCoded(), "refuted")],
)
def test_an_audit_shows_its_verdict_and_what_is_open(regression, verdict):
    """And the page, folded; the whole page is a file of its own."""
    audit = dp.audit(regression, target=TARGET, setting=SETTING)
    found = words(audit)
    assert f"{verdict} audit of {regression}" in found
    assert ("In the way: " in found) == (verdict == "refuted")
    assert " ".join(audit.text(details=True).split()) in found
    assert audit.to_html().startswith("<!DOCTYPE html>")


def test_receipts_results_and_summaries(ledger):
    """What was spent, what came out."""
    run = dp.certify(dp.SSP(), target=TARGET, setting=SETTING).at(d=2)
    done = dp.execute(run, *table(), rng=1)
    assert "receipt: simulation, NOT private" in words(done)
    assert "a private run: (1, 1e-6)" in words(done.receipt)
    model = dp.PrivateRegressor(dp.SSP(), epsilon=1, delta="1e-6", setting=SETTING, rng=0)
    assert "std err" in words(model.fit(*table()).summary())
    assert "2 runs" in words(ledger)
    assert "0 runs" in words(ledger)
    assert "other" not in words(ledger.account("survey"))


def test_what_comes_from_outside_is_escaped():
    """And shown, where it is not seen."""
    assert notebooks.shown("<b>\u202e&\x00") == "&lt;b&gt;\\u202e&amp;\\u0000"
    assert len(notebooks.shown("x" * 10**6)) < 3000
    for html in (
        notebooks.card("<script>", notebooks.sentences(["<script>"]), verdict="<script>"),
        notebooks.table([["<script>"]], ["<script>"]),
        notebooks.folded("<script>", "<script>"),
    ):
        assert "<script>" not in html
    assert "width: 100.00%" in notebooks.bar(7)


def test_the_joint_cost_of_a_card_is_rounded_up():
    """It is stated as a bound: 0.78931 is at most 0.790, not at most 0.789."""
    audit = dp.audit(dp.literature.AdaSSPWang(), target=dp.ApproxDP("1.3", "1e-6"), setting=SETTING)
    assert "an epsilon of at most 0.790" in words(audit)
