"""The page of an audit, and the table of calibrations, on a screen narrower than 100 columns."""

import pytest

import dpframe as dp
from dpframe.audits import audit, compare, parse_description
from dpframe.audits.page import page
from dpframe.prover import Verdict

SETTING = dp.Setting(
    X=dp.Rows(norm=dp.parameter("B")), y=dp.Column(bound=1), relation=dp.ADD_REMOVE
)


def test_statistics_move_below_a_table_that_is_too_wide():
    """They are a column of the wide page."""
    done = audit(dp.literature.AdaSSPWang(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    assert "floor: lambda_min(X'X); gram: X'X; moment: X'y" in page(done, 80)
    assert "floor    lambda_min(X'X)" in page(done) == str(done)


def test_a_comparison_fits_80_columns():
    """Columns are named without the family that all of them share."""
    found = compare(epsilon=["0.1", 3, 10], delta="1e-6")
    narrow = found.text(80)
    assert max(map(len, narrow.splitlines())) <= 80
    assert "Std of Gaussian noise" in narrow
    assert "[KamathU20, Lem 2.4]" in narrow


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
    assert 'accountant="gaussian" leaves the shares aside.' in page
    assert stated("rho = 1", "rho", noise, accountant="gaussian").verdict is Verdict.PROVED
