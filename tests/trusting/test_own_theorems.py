"""A theorem from outside sizes noise of the rule book, on its word."""

import attrs
import pytest

import dpframe as dp
from dpframe.kernel import check


@attrs.frozen(cache_hash=True)
class Doubled(dp.Calibration):
    """Laplace noise of twice the scale that pure privacy asks for."""

    mechanism = dp.Laplace
    name, citation = "Laplace.doubled", "[more noise than DworkR14, Thm 3.6]"
    currencies = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share, sensitivity):
        """Of scale 2 Delta_1/epsilon."""
        return dp.Laplace(2 * sensitivity / share.epsilon)

    def limit(self, share):
        """No hypothesis."""
        return


def abs_of(moment):
    """Sizes."""
    return abs(moment)


class Total(dp.Regression):
    """Moments. [here]"""

    def declare(self, X, y, budget):
        """One release."""
        return dp.post(abs_of, dp.release(X.T @ y, Doubled(), budget))


def certified(**more):
    """For every epsilon."""
    X, y = dp.Rows(norm=1), dp.Column(bound=1)
    setting = dp.Setting(X=X, y=y, relation=dp.ADD_REMOVE, **more)
    target = dp.PureDP(dp.EPSILON)
    return dp.certify(Total(), target=target, setting=setting, trust=[Doubled])


def test_it_is_named_with_what_it_states():
    """In the kernel's sentence: what is drawn, of what, for which share, for one person's rows."""
    verdict = check(certified(rows_per_person=2).document)
    assert verdict.accepted
    assert verdict.trusted == (f"{__name__}:Doubled",)
    stated = (
        "laplace noise of size 4*d^(1/2)*epsilon^(-1), "
        "of a statistic that moves by at most 2*d^(1/2) in L1: epsilon = epsilon"
    )
    assert stated in verdict.sentence


def test_budgets_of_each_record_are_spent_by_theorems_of_the_rule_book():
    """The prover refuses it, and so does the kernel."""
    X, y = dp.Rows(norm=1), dp.Column(bound=1)
    setting = dp.Setting(X=X, y=y, relation=dp.ADD_REMOVE)
    target = dp.PersonalizedDP(dp.each("epsilon"), dp.DELTA)
    with pytest.raises(dp.Uncertified, match="personalised budgets are spent on noise"):
        dp.certify(Total(), target=target, setting=setting, trust=[Doubled])
