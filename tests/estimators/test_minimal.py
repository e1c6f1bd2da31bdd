"""Estimators and the command line with numpy and scipy alone: no scikit-learn, pandas, pyarrow or
matplotlib.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import dpframe as dp
from dpframe.estimators import plain

MINIMAL = """
import sys

for name in ("sklearn", "pandas", "pyarrow", "matplotlib", "formulaic", "jinja2"):
    sys.modules[name] = None
import json, pickle
import numpy as np
import dpframe as dp

setting = dp.Setting(
    X=dp.Rows(columns=[dp.Numeric("age", 18, 90)]),
    y=dp.Column("y", bound=1),
    relation=dp.ADD_REMOVE,
)
model = dp.PrivateRegressor(dp.SSP(), epsilon=1, delta="1e-6", setting=setting, rng=0)
model = pickle.loads(pickle.dumps(model.fit("t.csv")))
ages = np.linspace(18, 90, 5)[:, None]
told = [list(model.coef_), list(model.predict(ages)), str(model.summary())[:12], repr(model)[:16]]
print(json.dumps([*told, model.score(ages, ages[:, 0])]))
"""


@pytest.fixture
def folder(tmp_path):
    """A table and a codebook."""
    ages = np.random.default_rng(0).uniform(18, 90, 400)
    rows = "\n".join(f"{age:.6f},{age / 100:.6f}" for age in ages)
    (tmp_path / "t.csv").write_text(f"age,y\n{rows}\n")
    columns = [{"name": "age", "lower": 18, "upper": 90}]
    (tmp_path / "s.json").write_text(json.dumps({"columns": columns, "target": {"bound": 1}}))
    return tmp_path


def run(program, folder):
    """What a program prints."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True).stdout


def test_a_fit_needs_no_other_library(folder):
    """The same numbers as with all of them."""
    found = json.loads(run(MINIMAL, folder))
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("age", 18, 90)]),
        y=dp.Column("y", bound=1),
        relation=dp.ADD_REMOVE,
    )
    model = dp.PrivateRegressor(dp.SSP(), epsilon=1, delta="1e-6", setting=setting, rng=0)
    model.fit(str(folder / "t.csv"))
    ages = np.linspace(18, 90, 5)[:, None]
    assert found[0] == list(model.coef_)
    assert found[1] == list(model.predict(ages))
    assert found[2:4] == ["  regression", "PrivateRegressor"]
    assert found[4] == pytest.approx(model.score(ages, ages[:, 0]))


def test_the_command_line_needs_no_other_library(folder):
    """A fit of a CSV file, its errors and intervals."""
    program = """
import sys

for name in ("sklearn", "pandas", "pyarrow", "matplotlib", "formulaic", "jinja2"):
    sys.modules[name] = None
from dpframe.cli import main

sys.argv = ["dpframe", *"fit SSP t.csv --target y --epsilon 1 --delta 1e-6 --schema s.json".split()]
main()
"""
    assert "std err" in run(program, folder)


def test_plain_estimators_know_their_habits():
    """Parameters, what was fitted, the columns; the same words as elsewhere."""

    class Model(plain.RegressorMixin, plain.BaseEstimator):
        def __init__(self, *, epsilon=1):
            self.epsilon = epsilon

        def predict(self, X):
            return np.asarray(X)[:, 0]

    one = Model()
    assert one.set_params(epsilon=2).get_params() == {"epsilon": 2}
    assert repr(one) == "Model(epsilon=2)"
    with pytest.raises(dp.errors.InvalidArgument, match="one of epsilon"):
        one.set_params(delta=0)
    with pytest.raises(plain.NotFittedError, match="not fitted yet"):
        plain.check_is_fitted(one, "certificate_")
    plain.validate_data(one, np.zeros((3, 2)), reset=True, skip_check_array=True)
    assert one.n_features_in_ == 2
    with pytest.raises(dp.errors.BadData, match="2 columns, as fitted"):
        plain.validate_data(one, [[1, 2, 3]], reset=False, skip_check_array=True)
    assert one.score([[1.0], [2.0], [3.0]], [1, 2, 4]) == pytest.approx(1 - 1 / (14 / 3))
