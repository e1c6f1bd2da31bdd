"""A page tells one story: of shares that exceed a budget, upper bounds, descriptions, regions."""

from __future__ import annotations

import re

import pytest

import dpframe as dp
from dpframe.audits import audit
from dpframe.audits.findings import findings
from dpframe.audits.html.graph_picture import ROOM, graph_picture, width_of
from dpframe.prover import Verdict
from tests.support.commands import both_streams
from tests.support.html_pages import described, resized, unfolded, words_of

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
BOUND, LABEL = dp.parameter("B", 0), dp.parameter("Y", 0)
EVERY = dp.Setting(X=dp.Rows(norm=BOUND), y=dp.Column(bound=LABEL), relation=dp.ADD_REMOVE)
ONE = dp.ApproxDP(1, "1e-6")
TWO = """
title = "two releases"
relation = "add-remove"
claim = {{epsilon = {epsilon}, delta = {delta}}}
rows = {{norm = 1}}
labels = {{bound = 1}}
[[release]]
name = "gram"
statistic = "X'X"
mechanism = "gaussian"
calibration = "{calibration}"
share = "{share}*epsilon, 1/2*delta"
[[release]]
name = "moment"
statistic = "X'y"
mechanism = "gaussian"
calibration = "{calibration}"
share = "{share}*epsilon, 1/2*delta"
[output]
reads = ["gram", "moment"]
note = "coefficients by Cholesky"
"""


def text_of(epsilon="1", delta="1e-6", share="3/5", calibration="analytic"):
    """The description."""
    return TWO.format(epsilon=epsilon, delta=delta, share=share, calibration=calibration)


# -------------------------------------------------------------------- Shares that exceed the budget
def test_shares_beyond_the_budget_are_one_story():
    """The claim holds by another accountant: no part of the page calls it refuted."""
    done = described(text_of())
    page = words_of(done)
    assert done.holds_by == "gaussian"
    assert "The declared shares exceed the budget; the claim holds by another accountant" in page
    assert "with a true ε = 0.839 at δ" in " ".join(page.split())
    assert "is not proved, and not refuted" not in page
    assert "✗ refuted" not in page
    assert "shares exceed the budget" in page
    assert "It does." in page
    text = unfolded(done)
    exceed = "The declared shares exceed the budget; the claim itself holds by another accountant."
    assert f"The plan of shares {exceed}" in text
    assert "The claim itself holds by" in text


def test_a_claim_for_every_epsilon_whose_shares_exceed_it_is_not_called_true():
    """No accountant proves it for all values."""
    done = described(text_of('"any"', '"any"'))
    assert done.verdict is Verdict.UNPROVED
    assert done.holds_by == ""
    assert "whether all releases together satisfy it is not known" in done.sentence
    assert "the claim holds" not in words_of(done)


@pytest.mark.parametrize("name", ["ObjPertCoded", "TukeyCoded"])
def test_shares_of_procedures_that_are_not_proved_are_no_true_cost(name):
    """Their sum is what is claimed, which is in question."""
    done = audit(getattr(dp.literature, name)(), target=ONE, setting=EVERY)
    found = findings(done)
    assert done.verdict is not Verdict.PROVED
    assert [one.upper for one in found.accountants if one.upper is not None] == []
    assert "True cost" not in words_of(done)


# ------------------------------------------------------------------------------------- Upper bounds
def test_an_upper_bound_on_noise_says_that_it_is_one():
    """Of 100 gradients no pair of tables is known to attain all sensitivities at once."""
    done = audit(dp.literature.BoostedAdaSSPCoded(), target=ONE, setting=EVERY)
    found, page = findings(done), words_of(done)
    assert not found.waste.exact
    assert "× 180.3" in page
    assert "of what is added is enough; less may be enough" in page
    assert "exactly, with nothing to spare" not in page
    assert found.change.effect == (
        "All releases together then meet the claim (less may be enough, but is not proved)."
    )
    (opened,) = done.report.open_obligations
    assert "mu at most 42.6672, delta at most 1" in opened.facts[-1]
    assert "some pair moves by mu >= 5.97459 stds" in str(opened.witness)
    assert "exact" not in f"{opened.facts} {opened.witness} {done.sentence}"


def test_a_known_cost_is_exact():
    """One pair of tables attains it."""
    done = audit(dp.literature.SSPWangCoded(), target=ONE, setting=SETTING)
    found = findings(done)
    assert found.waste.exact
    assert found.change.effect.startswith(
        "All releases together then meet the claim exactly, with nothing to spare: std"
    )
    assert "the exact delta of all" in done.sentence


def test_advice_on_a_description_is_in_its_language():
    """And the smaller shares are proved."""
    done = described(text_of())
    how = findings(done).change.how
    assert '`accountant = "gaussian"` in the file' in how
    for text in (how, str(done), words_of(done)):
        assert "dp.release" not in text
        assert "dp.regressions" not in text
    mended = text_of().replace("3/5*epsilon, 1/2*delta", "1/2, 5e-7")
    assert described(mended).verdict is Verdict.PROVED


def test_the_best_split_of_a_description_is_proved_by_its_sizes():
    """The stds of the page."""
    done = described(text_of(share="1/2"))
    best = findings(done).saving
    assert best.call == ""
    sizes = {name: size for name, _, size in best.releases}
    assert described(resized(text_of(share="1/2"), sizes)).verdict is Verdict.PROVED


def test_an_untested_condition_is_named():
    """Not that rows should be clipped."""
    text = (
        text_of()
        .replace('statistic = "X\'X"', 'statistic = "other"', 1)
        .replace(
            'calibration = "analytic"',
            'calibration = "analytic"\nsensitivity = "1"\nnorm = "L2"\nwhy = "theorem 3"\n'
            'given = "the table is ordinary"',
            1,
        )
    )
    opened = described(text).report.open_obligations
    (found,) = [one for one in opened if one.kind == "sensitivity"]
    assert "a condition that nothing tests: the table is ordinary" in found.rule
    assert "clip" not in found.repair


# ------------------------------------------------------------------------- For a part of the values
def test_a_claim_that_is_proved_in_part_exits_with_1(tmp_path):
    """Unless the region is in the claim."""
    file = tmp_path / "x.toml"
    file.write_text(text_of('"any"', '"any"', "1/2", "classical"))
    done = described(file.read_text())
    assert done.where
    assert {line.claim for line in done.lines} == {"proved in part"}
    both_streams("audit", file, status=1)
    file.write_text(text_of(share="1/2", calibration="classical"))
    both_streams("audit", file, status=0)


def test_a_proved_page_has_an_example_not_a_counterexample():
    """Of shares that overspend, which the proof does not use."""
    done = audit(dp.literature.SSPWang(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=SETTING)
    proved = described(text_of()).regression
    joint = audit(proved, target=ONE, setting=SETTING, accountant="gaussian")
    assert joint.verdict is Verdict.PROVED
    assert joint.counterexample == {}
    for one in (done, joint):
        assert one.verdict is Verdict.REFUTED or "counterexample" not in words_of(one)


def test_a_number_of_the_data_is_named_in_plain_words():
    """Not as the divisor of divide by value of."""
    text = text_of().replace("X'y", "X'(y / max_abs(y))")
    done = described(text)
    assert "the divisor must be public, but max_abs of clip to [-1, 1] is computed" in done.sentence
    assert findings(done).change.title.startswith("Put a public number in place of max_abs")


def test_what_a_theorem_needs_has_its_number():
    """Beside what is there."""
    done = audit(dp.literature.ObjPertCoded(), target=ONE, setting=SETTING)
    facts = [fact for one in done.report.open_obligations for fact in one.facts]
    assert "here sqrt(2 + 4*log(2e6)) = 7.7482" in " ".join(facts).replace("2000000", "2e6")
    assert any(re.match(r"needed .* = \d", fact) for fact in facts)


# -------------------------------------------------------------------------------------- The picture
def test_words_stay_inside_their_boxes():
    """Also wide letters, and words that are longer than a line."""
    done = described(text_of().replace("moment", "moment_MMMMMMMMMMMMMMMMMMMMWWWW"))
    picture = graph_picture(done.report.problem.graph)
    rows = [row for card in picture.cards for row in card.rows]
    assert max(map(width_of, rows)) <= ROOM
    assert width_of("moment: XᵀY + Gaussian") > ROOM


def test_the_last_step_is_the_note_of_the_file():
    """Not a docstring of dpframe."""
    page = words_of(described(text_of()), notes=("output: coefficients by Cholesky",))
    assert "last step: coefficients by Cholesky" in page
    assert "last_step" not in page
