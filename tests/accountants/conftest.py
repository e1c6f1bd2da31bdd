"""Oracles for composed responses, in mpmath at 60 digits: outcome by outcome, and by binomials.

They share no code with dpframe.
"""

import itertools

import mpmath
import pytest

from tests.support.oracles import mpf


@pytest.fixture(autouse=True)
def digits():
    """Comparisons at 60 digits too."""
    with mpmath.workdps(60):
        yield


def _outcomes(responses):
    """(probability, loss) of every outcome of every response: confession, yes, no."""
    each = []
    for epsilon, delta in responses:
        e, d = mpf(epsilon), mpf(delta)
        p = (1 - d) / (1 + mpmath.exp(-e))
        truths = [(p, e), (1 - d - p, -e)]
        each.append(truths + ([(d, mpmath.inf)] if delta else []))
    for outcome in itertools.product(*each):
        yield mpmath.fprod(p for p, _ in outcome), mpmath.fsum(loss for _, loss in outcome)


@pytest.fixture(scope="session")
def brute():
    """delta(epsilon) of responses (epsilon_i, delta_i): 2^k or 3^k outcomes, one by one."""

    def curve(responses):
        with mpmath.workdps(60):
            found = list(_outcomes(responses))

        def delta(epsilon):
            with mpmath.workdps(60):
                x = mpf(epsilon)
                terms = (p * -mpmath.expm1(x - loss) for p, loss in found if loss > x)
                return mpmath.fsum(terms)

        return delta

    return curve


@pytest.fixture(scope="session")
def binomial():
    """delta(epsilon) of k responses (epsilon_0, 0): KOV's sum of binomial terms, 60 digits.

    sum_j C(k, j) (e^((k - j) e0) - e^epsilon e^(j e0))_+ / (1 + e^e0)^k. [KairouzOV15, Thm 3.3]
    """

    def delta(size, k, epsilon):
        with mpmath.workdps(60):
            e, x, total = mpf(size), mpf(epsilon), mpmath.mpf(0)
            whole = (1 + mpmath.exp(e)) ** k
            choose, up, down = mpmath.mpf(1), mpmath.exp(k * e), mpmath.exp(x)
            grow, shrink = mpmath.exp(e), mpmath.exp(-e)
            for j in range(k + 1):
                if up <= down:
                    break
                total += choose * (up - down)
                choose = choose * (k - j) / (j + 1)
                up, down = up * shrink, down * grow
            return min(total / whole, mpmath.mpf(1))

    return delta
