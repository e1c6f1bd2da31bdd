"""A certificate is executed where the kernel replays its proof; a total that it does not add is
named on the receipt.
"""

import numpy as np
import pytest

import dpframe as dp
from dpframe.prover import report
from dpframe.prover.problem import Attempt
from tests.support.samples import setting

X, Y = np.eye(3), np.ones(3)
TARGET = dp.ApproxDP(1, "1e-6")


def keep(*values):
    """All of them."""
    return values


class Twice(dp.Regression):
    """Two releases, each with all of the budget. [here]"""

    def declare(self, X, y, budget):
        """Twice what there is."""
        noise = dp.Gaussian.kamath_ullman
        return dp.post(keep, dp.release(X.T @ X, noise, budget), dp.release(X.T @ y, noise, budget))


class Short(dp.Regression):
    """Noise of a tenth of what the theorem asks for. [here]"""

    def declare(self, X, y, budget):
        """Too little noise."""
        noise = dp.Gaussian(std=dp.sqrt(2 * dp.log(2 / budget.delta)) / budget.epsilon / 10)
        return dp.post(keep, dp.release(X.T @ X, noise, budget))


def simulated(certificate):
    """The receipt of a simulation on three records."""
    return dp.execute(certificate, X, Y, rng=1, rehearse=False).receipt


@pytest.mark.parametrize("kind", [Twice, Short])
@pytest.mark.parametrize("accountant", ["basic", "gaussian"])
def test_what_only_the_prover_believes_is_not_executed(monkeypatch, kind, accountant):
    """A prover that proves everything: the kernel refuses the budget, or the noise."""
    run = {"target": TARGET, "setting": setting(dp.ADD_REMOVE, norm=1, bound=1)}
    with pytest.raises(dp.Uncertified):
        dp.certify(kind(), accountant=accountant, **run)
    monkeypatch.setattr(report, "_all_proved", lambda _: True)
    monkeypatch.setattr(Attempt, "proved", True)
    wrong = dp.certify(kind(), accountant=accountant, **run)
    with pytest.raises(dp.NotExecutable, match="the kernel does not replay this proof"):
        simulated(wrong)


@pytest.mark.parametrize(
    ("kind", "accountant", "named"),
    [
        (dp.SSP, "auto", ""),
        (dp.literature.AdaSSPPiazza, "zcdp", ""),
        (dp.literature.AdaSSPPiazza, "numeric", ""),
        (dp.regressions.FunctionalLinear, "numeric", "the total of numeric"),
        (dp.regressions.FunctionalLinear, "optimal", "the total of optimal"),
    ],
)
def test_what_the_kernel_does_not_replay_is_on_the_receipt(kind, accountant, named):
    """A total that the kernel cannot add is assumed, by the accountant's name; others are not."""
    bounds = setting(dp.ADD_REMOVE, norm=1, bound=1)
    receipt = simulated(dp.certify(kind(), target=TARGET, setting=bounds, accountant=accountant))
    by_name = [one for one in receipt.assumptions if "the kernel" in one]
    assert [one.partition(":")[0] for one in by_name] == [named][: len(named)]
    assert named in str(receipt)
