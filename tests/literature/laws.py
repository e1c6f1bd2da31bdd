"""Laws of coefficients: of declarations by simulation, of papers by plain numpy, and whether two
are the same.
"""

import numpy as np
from scipy.stats import ks_2samp

import dpframe as dp
from dpframe.prover.certify import NOT_PRIVATE, unproved
from tests.support.oracles import sigma_of

DRAWS, LEVEL, FAR = 1000, 0.01, 1e-4
EPSILON, DELTA, RHO = 5.0, 1e-6, 0.05
SIGNS = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]] * 100)
ROWS, CLAIM = dp.Rows(norm=1), dp.ApproxDP(EPSILON, "1e-6")


def simulations(declaration, table, *, relation, target=CLAIM, rows=ROWS, budgets=None):
    """So many of them, with what they have released."""
    setting = dp.Setting(X=rows, y=dp.Column(bound=1), relation=relation)
    run = unproved(declaration, target=target, setting=setting, label=NOT_PRIVATE)
    return [
        dp.experiments.simulate(run, *table, rng=seed, budgets=budgets) for seed in range(DRAWS)
    ]


def coefficients(found):
    """Of simulations, (DRAWS, d)."""
    return np.array([one.output.coefficients for one in found])


def again(fit, seed=1):
    """Coefficients by the paper, (DRAWS, d)."""
    rng = np.random.default_rng(seed)
    return np.array([fit(rng) for _ in range(DRAWS)])


def least(pairs):
    """The least p-value of samples that should have one law each."""
    return min(ks_2samp(p, q).pvalue for p, q in pairs)


def unit(epsilon, delta):
    """The std that (epsilon, delta) affords for sensitivity 1."""
    return float(sigma_of(epsilon, delta))


def l2_laplace(rate, rng):
    """Of density exp(-rate |z|), (2,)."""
    angle = rng.uniform(0, 2 * np.pi)
    return rng.gamma(2, 1 / rate) * np.array([np.cos(angle), np.sin(angle)])
