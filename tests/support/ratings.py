"""Ages, years and ratings: a table and its fits, for tests of inference."""

import attrs
import numpy as np
import pandas as pd

import dpframe as dp

SETTING = dp.Setting(
    X=dp.Rows(columns=[dp.Numeric("age", 20, 60), dp.Numeric("years", 0, 30)], intercept=True),
    y=dp.Column("rating", lower=1, upper=9),
    relation=dp.REPLACE_ONE,
)
JOINING = attrs.evolve(SETTING, relation=dp.ADD_REMOVE)
MUCH = 10**10
TRUE = np.array([0.05, -0.04, 3.0])


def people(n=4000, seed=1):
    """Ages, years and a rating with noise; no label is outside its bounds."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.uniform(20, 60, n), "years": rng.uniform(0, 30, n)})
    signal = TRUE[0] * frame["age"] + TRUE[1] * frame["years"] + TRUE[2]
    return frame, signal + rng.normal(0, 0.5, n)


def fitted(epsilon=1, setting=SETTING, regression=None, data=None, seed=0):
    """A simulated fit."""
    chosen = dp.JointSSP() if regression is None else regression
    model = dp.PrivateRegressor(chosen, epsilon=epsilon, delta="1e-6", setting=setting, rng=seed)
    return model.fit(*(people() if data is None else data))


def variance_known(law):
    """The same law with the robust variance treated as known, as in statsmodels."""
    meat = attrs.evolve(law.sandwich.meat, largest=0.0)
    return attrs.evolve(law, sandwich=attrs.evolve(law.sandwich, meat=meat))
