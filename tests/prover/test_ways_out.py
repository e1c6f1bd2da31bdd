"""Claims at numbers that are not proved: the bounds on their cost are rounded outwards, what some
pair attains is told apart from the upper bound, and the noise that is enough is stated.
"""

import re
from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from tests.support.oracles import delta_of, sigma_of

CODEBOOK = dp.Setting(
    X=dp.Rows(columns=[dp.Numeric("age", 18, 90), dp.Categorical("sex", ["f", "m"])]),
    y=dp.Column("hours", lower=0, upper=10),
    relation=dp.REPLACE_ONE,
)
BALL = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
TARGET = dp.ApproxDP(1, "1e-6")


def same(*values):
    """A function of released values."""
    return values


class Scaled(dp.Regression):
    """The noise of three equal shares, multiplied by `factor`."""

    factor: dp.Expression = dp.constant("1/2")

    def declare(self, X, y, budget):
        """X'X, X'y and the trace."""
        names = {"epsilon": budget.epsilon, "delta": budget.delta}
        std = self.factor * dp.graph.parse("analytic_sigma(epsilon/3, delta/3)", names)
        parts = (X.T @ X, X.T @ y, dp.trace(X.T @ X))
        sizes = (dp.sqrt(2) * X.radius**2, 2 * X.radius * y.radius, X.radius**2)
        shares = budget.split_evenly(3)
        noises = [dp.Gaussian(std=std * size) for size in sizes]
        return dp.post(same, *map(dp.release, parts, noises, shares))


def refusal(regression, setting):
    """Why it is not certified."""
    with pytest.raises(dp.Uncertified) as refused:
        dp.certify(regression, target=TARGET, setting=setting)
    return str(refused.value)


def test_what_is_neither_proved_nor_refuted_at_numbers_says_how_much_noise_is_enough():
    """No numbers are requested, since all are given; with the stated factor the claim is proved."""
    text = refusal(Scaled(), CODEBOOK)
    assert "give numbers" not in text
    assert "no pair of neighbours is known to attain them" in text
    assert "multiply the std by 2, calibrate it" in text
    upper = re.search(r"epsilon is at most ([\d.]+)\n", text)[1]
    assert len(upper) < len("1.2345678")
    (times,) = set(re.findall(r"multiply all noise by ([\d.]+)", text))
    setting = {"target": TARGET, "setting": CODEBOOK, "accountant": "gaussian"}
    enough = Fraction(times) / 2
    assert dp.certify(Scaled(factor=dp.constant(enough)), **setting).verdict.accepted
    with pytest.raises(dp.Uncertified):
        dp.certify(Scaled(factor=dp.constant(enough - Fraction(1, 500))), **setting)


def test_a_claim_with_symbols_still_asks_for_numbers():
    """Numbers may decide it."""
    symbolic = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    with pytest.raises(dp.Uncertified, match="give numbers, or bounded ranges"):
        dp.certify(Scaled(), target=symbolic, setting=CODEBOOK)


def test_a_counterexample_states_what_its_pair_attains_and_no_upper_bound():
    """X'X, X'y and lambda_min move together by sqrt(16/3) at equal stds; the bound on what is
    executed is larger, by the rounding of eigenvalues. Compared with 40 digits.
    """

    class Equal(Scaled):
        """The same std for all three."""

        def declare(self, X, y, budget):
            """The classical std, times a half."""
            del budget
            noise = dp.Gaussian(std=dp.constant("8.25"))
            parts = (X.T @ X, X.T @ y, dp.lambda_min(X.T @ X))
            return dp.post(same, *(dp.release(part, noise) for part in parts))

    text = refusal(Equal(), BALL)
    mu = float(mpmath.sqrt(mpmath.mpf(16) / 3) / mpmath.mpf("8.25"))
    true = float(delta_of(1, mu))
    says = re.search(
        r"moves by mu >= (\S+) stds, so its delta at epsilon = 1 is at least (\S+)", text
    )
    assert mu - 2e-6 < float(says[1]) <= mu
    assert true * (1 - 1e-5) < float(says[2]) <= true
    most = re.search(r"mu at most ([\d.]+), delta at most (\S+) at epsilon 1; some pair", text)
    assert mu < float(most[1]) < mu + 2e-6
    assert true < float(most[2]) < true * (1 + 1e-4)
    assert "moves by mu = " not in text
    times = float(re.search(r"multiply all noise by ([\d.]+)", text)[1])
    assert 0 <= times - mu * float(sigma_of(1, "1e-6")) < 0.0011
