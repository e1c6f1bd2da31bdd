"""Agreement within Monte Carlo error: true methods pass, others do not."""

import math

import numpy as np
import pytest

from dpframe.experiments.agreement import Runs, agrees, agrees_closely
from dpframe.experiments.published import Cell


def runs(mean, std, repeats=20, seed=0):
    """Cross-validations of ten independent folds."""
    return Runs(np.random.default_rng(seed).normal(mean, std, (repeats, 10)))


def published(errors):
    """A cell as the paper's code makes it of ten folds."""
    return Cell(float(errors.mean()), 2 * float(errors.std(ddof=1)) / math.sqrt(10))


def test_widths_by_hand():
    """Two runs of two folds."""
    ours = Runs(np.array([[1.0, 3.0], [4.0, 4.0]]))
    assert ours.error == 3
    assert ours.half_width == pytest.approx(2 * math.sqrt((2 + 0) / 2 / 2))
    assert ours.error_of_mean == pytest.approx(2 * math.sqrt(2) / math.sqrt(2))
    assert (ours.below(2.0), ours.below(2.5), ours.below(9)) == (0, 0.5, 1)


def test_one_run_has_the_error_of_its_folds():
    """There is no spread over runs to measure."""
    ours = runs(1.0, 0.1, repeats=1)
    assert ours.error_of_mean == ours.half_width > 0


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_border(sign):
    """Both half-widths as a root of squares, on either side."""
    ours = runs(1.0, 0.3)
    reach = math.hypot(0.2, ours.half_width)
    inside, outside = (Cell(ours.error + sign * reach * by, 0.2) for by in (0.999, 1.001))
    assert agrees(inside, ours)
    assert not agrees(outside, ours)
    close = Cell(ours.error + sign * math.hypot(0.2, ours.error_of_mean) * 1.001, 0.2)
    assert agrees(close, ours)
    assert not agrees_closely(close, ours)


def test_a_bold_cell_has_the_narrower_half_width():
    """Its printed std is not taken for 2 std/sqrt(10)."""
    ours = Runs(np.full((2, 10), 1.0))
    assert agrees(Cell(1.9, 1.0), ours)
    assert not agrees(Cell(1.9, 1.0, bold=True), ours)


def test_true_methods_pass_and_others_fail():
    """A control of both rules, on a thousand published runs: the same law, and another mean."""
    ours, rng = runs(1.0, 0.3), np.random.default_rng(1)
    same = [published(rng.normal(1.0, 0.3, 10)) for _ in range(1000)]
    other = [published(rng.normal(1.6, 0.3, 10)) for _ in range(1000)]
    assert np.mean([agrees(cell, ours) for cell in same]) > 0.98
    assert 0.88 < np.mean([agrees_closely(cell, ours) for cell in same]) < 0.97
    assert np.mean([agrees(cell, ours) for cell in other]) < 0.02
