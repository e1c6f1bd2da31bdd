"""The public face: names, where an old one went, and what type checkers know of it."""

import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

import dpframe as dp

# -------------------------------------------------------------------------------------------- Names
SPACES = [name for name in dir(dp) if name not in dp.__all__]
MOST = 90


def test_the_face_is_small_and_begins_with_the_mission():
    """A newcomer can read it whole."""
    assert len(dp.__all__) <= MOST
    assert {"Mechanism", "Sensitivity", "Accountant"} < set(dp.__all__[:5])


def test_a_namespace_is_a_module_that_loads_when_it_is_used():
    """`import dpframe` loads none of them."""
    assert all(isinstance(getattr(dp, space), ModuleType) for space in SPACES)
    program = "import sys, dpframe; print(*(name for name in sys.modules if 'dpframe.' in name))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {f"dpframe.{space}" for space in SPACES} - {"dpframe.errors"} & set(
        done.stdout.split()
    )


def test_what_is_published_is_literature_and_what_is_recommended_is_not():
    """By the variant that the class states."""
    for cls in dp.literature.REGRESSIONS:
        published = cls.variant in {"printed", "coded"}
        assert (cls.__name__ in dp.literature.__all__) == published, cls
        assert (cls.__name__ in dp.regressions.__all__) != published, cls


def test_a_name_that_stands_elsewhere_is_answered_with_its_place():
    """One that is misspelt with the nearest, in a namespace too."""
    for space in SPACES:
        for name in set(getattr(dp, space).__all__) - set(dp.__all__) if space != "errors" else ():
            with pytest.raises(AttributeError, match=rf"It is dpframe\.\w+\.{name}\.$"):
                getattr(dp, name)
    with pytest.raises(AttributeError, match=r"Did you mean 'literature\.AdaSSPBudget'\?"):
        _ = dp.AdaSSPBudgt


@pytest.mark.parametrize(
    ("space", "name", "place"),
    [
        ("literature", "FunctionalLinear", "dp.regressions.FunctionalLinear"),
        ("regressions", "AdaSSPBudget", "dp.literature.AdaSSPBudget"),
        ("mechanisms", "JointSSP", "dp.JointSSP"),
    ],
)
def test_a_name_of_another_namespace_is_answered_with_its_place(space, name, place):
    """A similar name of the same namespace was proposed."""
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'\. It is {place}\.$"):
        getattr(getattr(dp, space), name)
    with pytest.raises(AttributeError, match="Did you mean 'FunctionalLinearPrinted'"):
        _ = dp.literature.FunctionalLinearPrint


@pytest.mark.parametrize("name", ["ledger", "splits"])
def test_a_folder_that_moved_is_answered_with_its_place(name):
    """As a name is."""
    with pytest.raises(AttributeError, match=rf"It is dpframe\.\w+\.{name}\.$"):
        getattr(dp, name)
    with pytest.raises(AttributeError, match="has no attribute 'lazily_done'"):
        _ = dp.lazily_done


def test_what_errors_import_is_not_what_they_offer():
    """`dp.errors` lists errors and warnings alone."""
    assert {"BadData", "PostFailed", "PrivacyWarning"} < set(dir(dp.errors))
    assert all(issubclass(getattr(dp.errors, name), Exception) for name in dir(dp.errors))


def test_a_star_brings_the_names_without_the_namespaces():
    """`from dpframe import *` is short, too."""
    names: dict[str, object] = {}
    exec("from dpframe import *", names)
    assert set(names) - {"__builtins__"} == set(dp.__all__)


MINIMAL = """
from importlib.machinery import PathFinder

found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *a: None if name == "sklearn" else found(name, *a)
import pydoc
import dpframe as dp
from dpframe import *

for name in dir(dp):
    pydoc.render_doc(getattr(dp, name))
pydoc.render_doc(dp)
print(dp.PrivateRegressor.__mro__)
"""


def test_everything_can_be_listed_in_a_minimal_installation():
    """`import *`, `dir` and pydoc; estimators are there without scikit-learn."""
    done = subprocess.run(
        [sys.executable, "-c", MINIMAL], capture_output=True, text=True, check=False
    )
    assert "dpframe.estimators.plain.BaseEstimator" in done.stdout, done.stderr


def test_a_private_logistic_regression_is_named() -> None:
    """Under the names that people look for."""
    for name in ("PrivateLogisticRegression", "LogisticRegression"):
        with pytest.raises(AttributeError, match=r"dp\.PrivateClassifier"):
            getattr(dp, name)


SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


class Counted(dp.Regression):
    """A count with a kind of noise in the place of a rule. [tests]"""

    noise: object = dp.Laplace

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        """One release."""
        del y
        return dp.release(dp.count(X), self.noise, budget)  # type: ignore[arg-type]


def test_a_kind_of_noise_is_answered_by_its_rules() -> None:
    """Where a rule or a size is wanted."""
    for noise, named in ((dp.Laplace, r"dp\.Laplace\.pure is"), (dp.Gaussian, "Gaussian.analytic")):
        with pytest.raises(dp.InvalidArgument, match=f"mechanism must be .*{named}"):
            dp.certify(Counted(noise), target=dp.PureDP(1), setting=SETTING)  # type: ignore[call-arg]


def test_a_certificate_is_composed_and_has_its_numbers() -> None:
    """It costs less than its target, and cannot be given other numbers."""
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)
    targets = dp.compose(run.target, run.target).epsilon("1e-5")
    assert dp.compose(run, run).epsilon("1e-5").upper < targets.upper
    with pytest.raises(dp.InvalidArgument, match=r"preview, dp\.execute and the rest take it as"):
        run.at(epsilon=2)


def test_what_spends_delta_cannot_be_tuned_and_that_is_said() -> None:
    """Of what stands inside, by its name."""
    inside = dp.regressions.LogisticOutputPerturbation(penalty=1)
    tuned = dp.regressions.Tuned(of=inside, field="penalty", candidates=(1, 10))  # type: ignore[call-arg]
    with pytest.raises(dp.InvalidArgument, match=r"of must be .* without delta.*dp\.recommend"):
        dp.certify(tuned, target=dp.PureDP(1), setting=SETTING)


# -------------------------------------------------------------------------------------------- Types
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
std: float = dp.gaussian_sigma(1.0, 1e-6)
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
