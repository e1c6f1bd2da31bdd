"""The mechanism of docs/adding.md conforms, and no mutant of it does."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import dpframe as dp

PAGE = Path(dp.__file__).parents[1] / "docs" / "adding.md"
CELLS = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", PAGE.read_text(), re.DOTALL)
(CELL,) = [cell for cell in CELLS if "dp.mechanisms.AdditiveNoise" in cell]


def checked(cell=CELL):
    """Check what the cell declares; the first cell of the page has the imports."""
    names = {"__name__": "own_mechanism"}
    exec(CELLS[0] + cell, names)
    dp.audits.check_mechanism(names["Logistic"](scale=2))
    dp.audits.check_calibration(names["LogisticPure"]())


def test_the_mechanism_of_the_page_conforms():
    """And its calibration."""
    checked()


def test_a_mechanism_takes_at_most_thirty_lines():
    """The cell, imports and blank lines included."""
    assert len(CELL.strip().splitlines()) <= 30


MUTANTS = {
    ("sensitivity / self.scale", "sensitivity / self.scale / self.scale"): "draws hide",
    ("dp.PureDP(sensitivity / self.scale)", "dp.PureDP(self.scale / sensitivity)"): "never costs",
    ("converter=positive_formula", ""): "is refused",
    (
        "@attrs.frozen(cache_hash=True)\nclass Logistic(",
        "@attrs.define(eq=False)\nclass Logistic(",
    ): "one value",
    ("sensitivity / share.epsilon", "sensitivity / share.epsilon / 2"): "inside the share",
    ("sensitivity / share.epsilon", "sensitivity * share.epsilon"): "more budget",
    ("sensitivity / share.epsilon", "sensitivity ** 2 / share.epsilon"): "scales",
    ('dp.constant("1.8138")', 'dp.constant("1")'): "std of its draws",
    (
        "np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise",
        "noise",
    ): "symmetric",
    (
        "rng.logistic(0.0, size, shape)",
        "np.random.default_rng().logistic(0.0, size, shape)",
    ): "equal",
    ("rng.logistic(0.0, size, shape)", "rng.logistic(0.0, size, shape[-1:])"): "its shape",
    ("rng.logistic(0.0, size, shape)", "rng.logistic(0.0, size) + np.zeros(shape)"): "of its own",
    ("rng.logistic(0.0, size, shape)", "rng.uniform(-size, size, shape) * np.pi"): "draws hide",
    ("rng.logistic(0.0, size, shape)", "rng.normal(0.0, 1.8138 * size, shape)"): "draws hide",
    ('currencies = (("epsilon",), ("epsilon", "delta"))', "currencies = None"): "currency",
}


@pytest.mark.parametrize(("old", "new"), MUTANTS, ids=[new for _, new in MUTANTS])
def test_a_wrong_mechanism_does_not_conform(old, new):
    """Each mutant of the cell fails the check that says what is wrong with it."""
    assert CELL.count(old) == 1
    with pytest.raises(dp.errors.NonConforming) as refusal:
        checked(CELL.replace(old, new))
    assert MUTANTS[old, new] in refusal.value.property


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
