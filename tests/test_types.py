"""Type checkers know what a user's script uses: a planted error is found, and nothing else."""

import subprocess
import sys

SCRIPT = '''
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpframe as dp

Array = NDArray[np.float64]


def shrunk(gram: Array, moment: Array) -> Array:
    """Ridge on what was released."""
    theta: Array = np.asarray(np.linalg.solve(gram + np.eye(len(gram)), moment), dtype=np.float64)
    return theta


class MyRidge(dp.Regression):
    """Ridge with two releases. [here]"""

    def declare(self, X: Any, y: Any, budget: dp.graph.Share) -> Any:
        half, rest = budget.split_evenly(2)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, half, name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, rest, name="moment")
        return dp.post(shrunk, gram, moment)


setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
proof: dp.Certificate = dp.certify(MyRidge(), target=target, setting=setting)
run = proof.at(epsilon=1, delta="1e-6")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(500, 3)) / 3, rng.uniform(-1, 1, 500)
result: dp.Result = dp.execute(run, X, y, rng=0)
std: float = float(dp.gaussian_sigma(1.0, 1e-6))
old = dp.literature.AdaSSPWang()
spent: dp.accountants.Composition = dp.accountants.compose(dp.Gaussian(std=2))
number: int = dp.audit(old, target=target, setting=setting)
print(result.output, std)
'''
PLANTED = "number: int = dp.audit(old"


def test_mypy_finds_a_planted_error_and_nothing_else(tmp_path):
    """In strict mode, with dpframe installed and its `py.typed`."""
    (tmp_path / "user.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "user.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    line = next(i for i, text in enumerate(SCRIPT.splitlines(), 1) if text.startswith(PLANTED))
    assert len(errors) == 1, done.stdout + done.stderr
    assert errors[0].startswith(f"user.py:{line}: error: Incompatible types")
    assert "Audit" in errors[0]
