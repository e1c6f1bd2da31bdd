"""The mechanism of docs/adding.md passes the conformance suite of the package's own."""

from __future__ import annotations

import importlib.util
import itertools
import re
from fractions import Fraction
from pathlib import Path

import pytest

import dpframe as dp
from tests.support import samples

DID_NOT_RAISE = pytest.fail.Exception
HERE = Path(__file__).parent
PAGE = Path(dp.__file__).parents[1] / "docs" / "adding.md"
CELLS = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", PAGE.read_text(), re.DOTALL)
(CELL,) = [cell for cell in CELLS if "dp.mechanisms.AdditiveNoise" in cell]


def suite(name):
    """Another file of this folder, as a module."""
    spec = importlib.util.spec_from_file_location(f"suite_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def declared(cell=CELL):
    """What the cell declares; the first cell of the page has the imports."""
    names = {"__name__": "own_mechanism"}
    exec(CELLS[0] + cell, names)
    return names["Logistic"], names["LogisticPure"]


MECHANISMS, DISCOVERY = suite("test_mechanisms"), suite("test_discovery")
LOGISTIC, PURE = declared()


def checks(module):
    """Every test of one class: (test, whose classes it is about, its other arguments)."""
    about = {id(samples.NOISES): "noise", id(samples.CALIBRATIONS): "calibration"}
    for name, test in vars(module).items():
        marks = [m for m in getattr(test, "pytestmark", []) if m.name == "parametrize"]
        family = [about[id(m.args[1])] for m in marks if id(m.args[1]) in about]
        others = [m for m in marks if m.args[0] != "cls"]
        if name.startswith("test_") and family:
            for values in itertools.product(*(m.args[1] for m in others)):
                named = dict(zip((m.args[0] for m in others), values, strict=True))
                yield pytest.param(test, family[0], named, id=f"{name}-{[*values]}")


CHECKS = list(checks(MECHANISMS))


@pytest.fixture
def registered(monkeypatch):
    """The page's classes among the samples, as a class of the package would be."""

    def register(noise, calibration):
        monkeypatch.setitem(samples.NOISES, noise, lambda size: noise(scale=size))
        monkeypatch.setitem(samples.CALIBRATIONS, calibration(), ("2", "1e-6"))
        monkeypatch.setitem(MECHANISMS.CLOSED_FORMS, noise, ("epsilon", lambda s, c: s / c))
        return {"noise": noise, "calibration": calibration()}

    return register


@pytest.mark.parametrize(("check", "family", "arguments"), CHECKS)
def test_the_mechanism_of_the_page_conforms(registered, check, family, arguments):
    """Every check of every mechanism and of every calibration, on the cell of the page."""
    check(registered(LOGISTIC, PURE)[family], **arguments)


def test_the_page_is_checked_in_full():
    """A new check of the suite is found by itself: at least the dozen that there were."""
    tests = {parameters.values[0].__name__ for parameters in CHECKS}
    assert len(tests) >= 13
    assert {parameters.values[1] for parameters in CHECKS} == {"noise", "calibration"}


@pytest.mark.parametrize("made", [LOGISTIC(scale=2), PURE()], ids=["noise", "calibration"])
def test_its_values_are_values(made):
    """Frozen, comparable, printable."""
    DISCOVERY.test_values_are_immutable_comparable_and_printable(made)


def test_a_mechanism_takes_at_most_thirty_lines():
    """The cell, imports and blank lines included."""
    assert len(CELL.strip().splitlines()) <= 30


MUTANTS = [
    ("sensitivity / self.scale", "sensitivity / self.scale / self.scale"),
    ("converter=positive_formula", ""),
    ("sensitivity / share.epsilon", "sensitivity / share.epsilon / 2"),
    ('dp.constant("1.8138")', 'dp.constant("1")'),
    ("np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise", "noise"),
    ("rng.logistic(0.0, size, shape)", "np.random.default_rng().logistic(0.0, size, shape)"),
    ("rng.logistic(0.0, size, shape)", "rng.logistic(0.0, size, shape[-1:])"),
    ('currencies = (("epsilon",), ("epsilon", "delta"))', "currencies = None"),
]


@pytest.mark.parametrize(("old", "new"), MUTANTS, ids=[new for _, new in MUTANTS])
def test_a_wrong_mechanism_does_not_conform(registered, old, new):
    """Each mutant of the cell fails at least one check."""
    assert CELL.count(old) == 1
    classes = registered(*declared(CELL.replace(old, new)))
    failed = []
    for parameters in CHECKS:
        check, family, arguments = parameters.values
        try:
            check(classes[family], **arguments)
        except (AssertionError, AttributeError, TypeError, ValueError, DID_NOT_RAISE) as error:
            failed.append((check.__name__, error))
            break
    assert failed


def test_its_law_is_the_one_that_its_guarantee_is_about():
    """The slope of the log-density of logistic noise is at most 1/scale in size: log-ratios of the
    density under moves of the sensitivity, in Fractions of the scale.
    """
    from mpmath import log, mp, mpf

    def density(x):
        return -x - 2 * log(1 + mp.exp(-x))

    with mp.workdps(30):
        for move in (Fraction(1, 10), Fraction(3)):
            gaps = [density(mpf(x) + float(move)) - density(mpf(x)) for x in range(-40, 41, 3)]
            assert max(abs(gap) for gap in gaps) <= float(move) + 1e-15
            assert max(abs(gap) for gap in gaps) > float(move) * 0.999
