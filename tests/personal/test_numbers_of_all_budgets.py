"""A number of all budgets refutes a claim only where some list of budgets has it."""

import pytest

import dpframe as dp
from dpframe.prover import Verdict

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
GROUPS = {"careful": "1/10", "open": 1}


def verdict(noise, target):
    """Of the sum of the labels with noise for some number of all budgets."""

    class Total(dp.Regression):
        """The sum of the labels."""

        def declare(self, X, y, budget):
            return dp.release(y.sum(), noise(X, budget))

    return dp.audit(Total(), target=target, setting=SETTING).verdict


def laplace(times):
    """Scale `times` over the smallest epsilon: everybody pays smallest/times."""
    return lambda X, budget: dp.Laplace(scale=dp.constant(times) / X.smallest(budget.epsilon))


@pytest.mark.parametrize(
    ("noise", "target"),
    [
        (laplace(1), dp.PersonalizedDP(GROUPS)),
        (laplace(1), dp.PersonalizedDP(dp.each("epsilon"))),
        (
            lambda X, budget: dp.Gaussian(std=1 / X.smallest(budget.mu)),
            dp.PersonalizedDP(mu=GROUPS),
        ),
    ],
)
def test_noise_for_the_smallest_budget_is_not_refuted_by_a_larger_one(noise, target):
    """The claim is true, and what is not proved stays open."""
    assert verdict(noise, target) is Verdict.UNPROVED


def test_what_is_false_where_all_have_one_budget_is_refuted():
    """Half of the noise that the smallest epsilon asks for."""
    assert verdict(laplace("1/2"), dp.PersonalizedDP(dp.each("epsilon"))) is Verdict.REFUTED
    largest = lambda X, budget: dp.Laplace(scale=dp.constant("1/2") / X.largest(budget.epsilon))  # noqa: E731
    assert verdict(largest, dp.PersonalizedDP(dp.each("epsilon"))) is Verdict.REFUTED


@pytest.mark.parametrize(
    ("noise", "target"),
    [
        (lambda X, budget: dp.Laplace(scale=10 * budget.epsilon**2), dp.PersonalizedDP(GROUPS)),
        (lambda X, budget: dp.Gaussian(std=10 * budget.mu**2), dp.PersonalizedDP(mu=GROUPS)),
    ],
)
def test_noise_that_one_group_asks_for_hides_the_other_group_too(noise, target):
    """The largest over all groups is drawn, 10: everybody pays 1/10, and nothing is refuted."""
    assert verdict(noise, target) is Verdict.UNPROVED


def test_noise_that_reads_any_budgets_is_refuted_where_all_have_one():
    """A scale of 10 epsilon^2, for everybody's epsilon in (0, inf)."""
    noise = lambda X, budget: dp.Laplace(scale=10 * budget.epsilon**2)  # noqa: E731
    assert verdict(noise, dp.PersonalizedDP(dp.each("epsilon"))) is Verdict.REFUTED
