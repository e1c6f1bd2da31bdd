"""What is signed of a release on samples says so: its noise, its table, its assumptions."""

from __future__ import annotations

import re

import pytest

import dpframe as dp
from dpframe.audits import parse_description
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.prover import Verdict
from tests.audits.test_advice_followed import CASES
from tests.support.html_pages import described, read, unfolded

SAMPLE = "each of 50 draws reads a fresh, secret Poisson sample at rate 1/100"
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


@pytest.fixture(scope="module")
def found():
    """A refuted description of two statistics of all rows and fifty gradients on samples."""
    return findings(described(CASES["sampled, with shares"]), whole=False)


def test_text_json_and_html_state_the_samples(found):
    """In the noise, the table and the assumptions."""
    assert SAMPLE in " ".join(str(found.audit).split())
    text = unfolded(found.audit)
    assert text.count(SAMPLE) == 2
    assert re.search(rf"A9 [^:]*: r2: {SAMPLE}", text)
    assert "r2 (×50, sample 0.01)" in text
    assert "one draw, sampling not counted" in text
    records = found.audit.records()
    assert [one["sampled"] for one in records["releases"]] == [None, None, "1/100"]
    assert f"r2: {SAMPLE}" in records["assumptions"]
    page = read(html(found)).text
    assert page.count(SAMPLE) == 2
    assert "A9" in page
    assert "sample 0.01" in page


def test_a_page_has_one_way_out(found):
    """That by the accountant that counts samples."""
    text = unfolded(found.audit)
    recommended, _, other = text.partition(found.change.otherwise)
    factor = r"[Mm]ultiply (?:all|the) noise[a-z0-9, ]* by ([\d.]+\d)"
    assert set(re.findall(factor, f"{recommended} {other}")) == {"1.143"}
    assert "Better where all noise is to keep its proportions." in found.change.otherwise
    assert "samples are not counted" in text


@pytest.mark.parametrize("chosen", ["gaussian", "zcdp"])
def test_the_chosen_accountant_is_in_the_table(chosen):
    """Although it does not count samples, which its row says."""
    described_ = parse_description(CASES["sampled, too much"])
    done = dp.audit(
        described_.regression,
        target=described_.target,
        setting=described_.setting,
        accountant=chosen,
    )
    rows = findings(done, whole=False).accountants
    (row,) = [one for one in rows if "samples are not counted" in one.says]
    assert row.upper > min(one.upper for one in rows) * 2


def test_samples_are_assumed_of_descriptions_only():
    """Execution draws the samples of a declaration itself."""
    mended = CASES["sampled, too much"]
    audit = described(mended)
    assert audit.verdict is Verdict.PROVED
    assert [one.kind for one in audit.certificate.assumptions].count("samples") == 1
    declared = dp.audit(dp.regressions.NoisySGD(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    assert any(one.sampled is not None for one in declared.report.problem.graph.releases)
    assert "samples" not in {one.kind for one in declared.assumptions}


def test_the_sentence_to_sign_states_the_samples():
    """And the page says what the checker leaves out."""
    proved = described(CASES["sampled, too much"])
    text = " ".join(str(proved).split())
    assert f"in all that it releases, where for r0 {SAMPLE}, with the noise" in text
    assert "the total, which the checker does not add up" in read(html(findings(proved))).text
