"""Audits, descriptions, events, splits: what is attained, where a claim holds, what is public."""

import numpy as np
import pytest

import dpframe as dp
from dpframe.audits import audit
from dpframe.audits.descriptions import parse_description
from dpframe.audits.findings import findings
from dpframe.audits.html import html

BALL = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
ONE = dp.ApproxDP(1, "1e-6")
HEAD = """
title = "x"
relation = "add-remove"
rows = {norm = 1}
labels = {bound = 1}
"""


def described(text):
    """A description and its audit."""
    found = parse_description(HEAD + text)
    return found, audit(found.regression, target=found.target, setting=found.setting)


class Mirrored(dp.Regression):
    """X'X of rows with an intercept, by mirrored noise. [tests]"""

    def declare(self, X, y, budget):
        """No row is along an axis."""
        Z = X.with_intercept()
        return dp.release(Z.T @ Z, dp.mechanisms.MirroredGaussian(std=2), name="gram")


def true_mu(rng):
    """The largest move of the upper triangle of zz', z = (x, 1), |x| <= 1, over 2."""
    best = 0.0
    for d in (1, 2, 3):
        for _ in range(2000):
            x = rng.normal(size=d)
            z = np.append(x / np.linalg.norm(x), 1.0)
            best = max(best, np.linalg.norm(np.outer(z, z)[np.triu_indices(d + 1)]) / 2)
    return best


def test_mirrored_noise_is_attained_along_an_axis_only():
    """Off the axes it costs less than its bound: no exact number, and no refutation."""
    found = dp.audit(Mirrored(), target=dp.ApproxDP(1, "0.12"), setting=BALL)
    assert str(found.verdict) == "unproved"
    assert found.joint.mu[0] <= true_mu(np.random.default_rng(0)) + 1e-9
    assert found.joint.mu[1] == 1
    assert not found.lines[0].attained


def test_along_an_axis_it_is_attained():
    """A ball has rows along axes."""

    class Plain(dp.Regression):
        """X'X by mirrored noise. [tests]"""

        def declare(self, X, y, budget):
            return dp.release(X.T @ X, dp.mechanisms.MirroredGaussian(std=2), name="gram")

    found = dp.audit(Plain(), target=dp.ApproxDP(1, "1e-6"), setting=BALL)
    assert found.joint.mu == (0.5, 0.5)
    assert str(found.verdict) == "refuted"


def test_a_claim_for_all_that_holds_for_some_says_so():
    """The headline, not only the sentence; JSON; the page."""
    found = dp.audit(
        dp.literature.SSPPiazza(), target=dp.ApproxDP(dp.EPSILON, "1e-6"), setting=BALL
    )
    assert found.where
    text = " ".join(str(found).split())
    assert text.count("Proved for a part of what is claimed. All that is released satisfies") == 1
    assert f"where {found.where}. Beyond, it is not proved" in text
    assert found.records()["where"] == found.where
    assert "for a part of what is claimed" in html(findings(found))


def test_the_example_of_a_claim_lies_where_it_is_proved():
    """The classical theorem ends below epsilon = 1."""

    class Classical(dp.Regression):
        """X'y by the classical theorem. [tests]"""

        def declare(self, X, y, budget):
            return dp.release(X.T @ y, dp.Gaussian.classical, budget, name="moment")

    found = dp.audit(Classical(), target=dp.ApproxDP(dp.EPSILON, "1e-6"), setting=BALL)
    assert findings(found).at["epsilon"] < 1


@pytest.mark.slow
def test_a_factor_found_at_numbers_says_which():
    """Pure noise under a claim with a free delta is weighed at an example's."""
    text = """
claim = {epsilon = 1, delta = "any"}
[[release]]
name = "size"
statistic = "n"
mechanism = "laplace"
scale = "100"
times = "50"
share = "epsilon/100, delta/100"
"""
    _, found = described(text)
    told = findings(found)
    assert "delta" in told.waste.at
    assert told.change is None or "delta = 1e-6" in told.change.title


def test_discrete_noise_alone_has_a_page():
    """Its cost is known as zCDP only."""
    text = """
claim = {epsilon = 1, delta = 1e-6}
[[release]]
name = "size"
statistic = "n"
mechanism = "discrete gaussian"
std = "10"
"""
    _, found = described(text)
    told = findings(found)
    assert told.accountants
    assert html(told)


def test_ranges_beyond_doubles_are_decided():
    """Boxes are halved without doubles."""
    text = """
claim = {epsilon = 1, delta = 1e-6}
parameters = {g = "in (1e-200, 1e200)"}
[[release]]
name = "size"
statistic = "n"
mechanism = "gaussian"
std = "6*(1+g)"
"""
    _, found = described(text)
    assert str(found.verdict) in {"proved", "unproved"}


def test_within_is_for_a_field():
    """Shares have no ends of their own."""
    with pytest.raises(dp.InvalidArgument, match="within"):
        dp.best_split(
            dp.SSP(),
            target=ONE,
            setting=BALL,
            criterion=dp.audits.NoiseCriterion(d=3),
            over="shares",
            within=("0.9", "0.99"),
        )
