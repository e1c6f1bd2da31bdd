"""Advice that is followed is proved; false claims stand beside the verdict; numbers agree."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dpframe as dp
from dpframe.audits import audit, parse_description
from dpframe.audits.figures import between
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.prover import Verdict
from tests.support.commands import both_streams
from tests.support.html_pages import described, read, resized, unfolded, words_of

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
ONE = dp.ApproxDP(1, "1e-6")
HEAD = """
title = "thirds"
relation = "{relation}"
claim = {claim}
rows = {{norm = 1{rows}}}
labels = {{bound = 1}}
"""
RELEASE = """
[[release]]
name = "{name}"
statistic = "{statistic}"
mechanism = "{mechanism}"
times = "{times}"
{size}
"""
TIMES = {"gram": "1", "moment": "2", "floor": "1"}
STATISTICS = {"gram": "X'X", "moment": "X'y", "floor": "lambda_min(X'X)"}
STD = 'std = "3*sqrt(2*log(15/(4*delta)))/(2*epsilon)"\nshare = "epsilon/3, delta/3"'
GAUSSIAN = ("gaussian", "{epsilon = 1, delta = 1e-6}", STD)
SCALE = 'scale = "3/(2*epsilon)"\nshare = "epsilon/3"'


def text_of(mechanism, claim, size, *, relation="replace-one", rows="", times=None):
    """A description of three releases with the same lines."""
    releases = (
        RELEASE.format(
            name=name,
            statistic=statistic,
            mechanism=mechanism,
            size=size,
            times=(times or TIMES)[name],
        )
        for name, statistic in STATISTICS.items()
    )
    return HEAD.format(relation=relation, claim=claim, rows=rows) + "".join(releases)


@pytest.mark.parametrize(
    ("mechanism", "claim", "size"),
    [
        GAUSSIAN,
        ("gaussian", "{rho = 0.01}", 'std = "2"'),
        ("gaussian", "{epsilon = 1, delta = 1e-6}", "std = 2"),
        ("laplace", "{epsilon = 1}", SCALE),
        ("laplace", "{epsilon = 1}", "scale = 2"),
    ],
    ids=["gaussian", "zcdp", "std", "laplace", "scale"],
)
def test_the_first_change_of_a_refuted_file_is_proved_by_its_sizes(mechanism, claim, size):
    """The noise that the page predicts, in the proportions declared; at the number of columns that
    the page names, where the sizes depend on it.
    """
    text = text_of(mechanism, claim, size)
    found = findings(described(text))
    assert found.audit.verdict is Verdict.REFUTED
    if found.waste.at:
        columns = found.waste.at.removeprefix("d = ")
        assert f"at d = {columns}" in f"{found.change.title} {found.change.otherwise}"
        text = text.replace("rows = {norm = 1}", f"rows = {{norm = 1, columns = {columns}}}")
    advice = f"{found.change.how} {found.change.otherwise}"
    assert re.search(rf"Multiply (all noise|each std and scale) by {found.waste.amount}", advice)
    enough = {name: enough for name, _, enough in found.waste.releases}
    if all(enough.values()):
        assert described(resized(text, enough)).verdict is Verdict.PROVED


def test_false_claims_are_counted_beside_the_verdict(tmp_path):
    """On the page, where the total is proved all the same, and in the terminal."""
    size = f'{STD}\nclaimed_sensitivity = "1/2"'
    once = dict.fromkeys(TIMES, "1")
    text = text_of(*GAUSSIAN[:2], size, relation="add-remove", times=once)
    file, page = tmp_path / "x.toml", tmp_path / "x.html"
    file.write_text(text)
    said = both_streams("audit", file, "--html", page, status=0)
    counted = "3 of 3 claims on single releases and 3 of 3 printed sensitivities are false"
    assert f"{counted}; the total holds by another proof." in " ".join(said.split())
    shown = " ".join(read(page.read_text("utf-8")).text.split())
    assert shown.index("Proved") < shown.index(counted) < shown.index("The sentence to sign")
    assert "Sensitivities that the paper prints" in shown
    assert "Sources" not in said
    cited = both_streams("audit", file, "--sources", status=0)
    assert re.search(r"\[BalleW18\] +B\. Balle", cited)


def test_a_smaller_sensitivity_is_false_only_where_the_derived_one_is_attained():
    """The bound on the L1 norm of X'X may not be."""
    size = f'{SCALE}\nclaimed_sensitivity = "1/2"'
    found = parse_description(text_of("laplace", "{epsilon = 1}", size))
    false = {one.release: one.false for one in found.claimed_sensitivities}
    assert false == {"gram": False, "moment": True, "floor": True}


def test_a_refuted_page_has_a_finding():
    """Nobody signs it."""
    shown = words_of(described(text_of(*GAUSSIAN)))
    assert "The finding" in shown
    assert "sentence to sign" not in shown


def test_the_sentence_names_the_bounds_and_the_noise():
    """Without them the verdict may be another."""
    said = audit(dp.literature.AdaSSPWang(), target=ONE, setting=SETTING).sentence
    assert "with rows projected onto the ball of radius 1 and labels y clipped to [-1, 1]" in said
    assert "with the noise and under the assumptions listed below" in said


def test_the_best_split_says_at_which_numbers():
    """Of the declaration with an example value of its field."""
    found = findings(audit(dp.literature.AdaSSPBudget(), target=ONE, setting=SETTING))
    assert found.saving.at == "d = 10, gamma = 0.5"
    shown = " ".join(read(html(found)).text.split())
    assert "of the squared noise at d = 10, γ = 0.5 saved by dp.best_split" in shown


def test_one_release_is_calibrated_by_its_own_theorem():
    """There is nothing to calibrate jointly."""
    found = findings(
        audit(dp.literature.FunctionalLinearPrinted(), target=dp.PureDP(1), setting=SETTING)
    )
    assert found.change.title.startswith("Calibrate the noise: at d = 10")
    assert "dp.Laplace.pure" in found.change.how


def test_two_bounds_that_print_alike_are_one_number():
    """In the table of accountants and in sentences; not where a limit lies between them."""
    assert between((0.42149999, 0.4215001)) == "0.422"
    assert between((0.9999999, 1.0000005), 1) == "between 0.999 and 1.001"
    found = findings(audit(dp.literature.AdaSSPBudget(), target=ONE, setting=SETTING))
    first = found.accountants[0]
    assert f"True cost epsilon = {between((first.lower, first.upper))} " in unfolded(found.audit)


def test_a_table_has_no_legend_without_its_sign_and_no_formula_without_its_middle():
    """What does not fit stands below it; what is not proved has a reason."""
    said = unfolded(described(text_of("laplace", "{epsilon = 1}", SCALE)))
    assert "see below" in said
    assert "Sensitivity min(1 + d, sqrt(1/2*d*(3 + d))) in the L1 norm" in said
    assert "<= is an upper bound" not in said
    assert "gram neither proved nor refuted: its guarantee" in said


def test_the_number_of_columns_is_public_where_it_is_given():
    """It is in the statement, and other tables are refused."""
    text = text_of("laplace", "{epsilon = 1}", SCALE, rows=", columns = 4")
    done = described(text)
    assert {str(line.sensitivity) for line in done.lines} == {"min(sqrt(14), 5)", "4", "1"}
    assert (
        "of 4 columns"
        in audit(
            dp.regressions.FunctionalLinear(),
            target=dp.PureDP(1),
            setting=dp.Setting(
                X=dp.Rows(norm=1, d=4), y=dp.Column(bound=1), relation=dp.ADD_REMOVE
            ),
        ).sentence
    )
    setting = dp.Setting(X=dp.Rows(norm=1, d=4), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    proof = dp.certify(dp.regressions.FunctionalLinear(), target=dp.PureDP(1), setting=setting)
    with pytest.raises(dp.errors.BadData, match="4 columns"):
        dp.execute(proof, np.zeros((9, 3)), np.zeros(9), rng=1)
    with pytest.raises(dp.InvalidArgument, match=r"columns = 10 in \[rows\]"):
        parse_description(f"{text}\n[parameters]\nd = 10\n")


def test_a_share_of_a_pure_claim_is_one_amount():
    """And the refusal says so."""
    size = SCALE.replace('epsilon/3"', 'epsilon/3, 0"')
    with pytest.raises(dp.InvalidArgument, match="one amount, of epsilon, as the claim"):
        parse_description(text_of("laplace", "{epsilon = 1}", size))


def test_a_symbolic_field_in_an_error_criterion_is_given_as_a_field():
    """In Python and on the command line."""
    criterion = dp.audits.ErrorCriterion(n=20_000, d=5)
    with pytest.raises(dp.InvalidArgument, match=r'gamma="1/2" in Python or --set gamma=1/2'):
        dp.best_split(
            dp.literature.AdaSSPBudget(),
            target=ONE,
            setting=SETTING,
            criterion=criterion,
            over="shares",
        )


def test_a_split_over_shares_says_why_a_field_is_still_free():
    """No noise reads it."""
    criterion = dp.audits.NoiseCriterion(d=10)
    split = dp.best_split(
        dp.literature.AdaSSPBudget(),
        target=ONE,
        setting=SETTING,
        criterion=criterion,
        over="shares",
    )
    assert "no noise reads gamma; the last step does" in str(split)


def test_a_number_of_many_digits_is_a_decimal():
    """A joint cost at decimal bounds is a quotient of two long whole numbers."""
    setting = dp.Setting(
        X=dp.Rows(norm="1.7", box="0.3", d=7), y=dp.Column(bound="1.3"), relation=dp.REPLACE_ONE
    )
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=setting)
    facts = [fact for one in done.report.chosen.obligations for fact in one.facts]
    assert any(re.fullmatch(r"mu\^2 = 0\.\d{1,7} \(.*\)", fact) for fact in facts)
