from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpframe.numerics.blocks.clipping import normalize, project, squared_norms

RNG = np.random.default_rng(20)
BULK = RNG.normal(size=(40, 5))
HARD = {
    "zero": [0.0] * 5,
    "huge": [1e308] * 5,
    "largest": [np.finfo(float).max, -np.finfo(float).max, 0, 0, 0],
    "one huge": [1e308, 1.0, 0, 0, 0],
    "huge and tiny": [1e308, 5e-324, 0, 0, 0],
    "square overflows": [1.4e154] * 5,
    "square almost overflows": [1.3e154, 0, 0, 0, 0],
    "denormal": [5e-324] * 5,
    "square underflows": [1e-170, -1e-170, 0, 0, 0],
    "on the ball": [0.6, 0.8, 0, 0, 0],
    "just outside": [0.6, 0.8, 1e-7, 0, 0],
}
ROWS = np.vstack([BULK, *HARD.values()])
NORMS = [1e-280, 1e-160, 1e-5, 1.0, 2.5, 1e150, 1e200, 1e308]


def square(row):
    """The squared norm of a row of doubles, exactly."""
    return sum(Fraction(float(x)) ** 2 for x in row)


def exactly_projected(row, norm):
    """The projection at 3000 bits, so that 1e308 and 5e-324 meet without rounding."""
    with mpmath.workprec(3000):
        x = [mpmath.mpf(float(entry)) for entry in row]
        length = mpmath.sqrt(sum(entry**2 for entry in x))
        factor = min(mpmath.mpf(1), mpmath.mpf(norm) / length) if length else mpmath.mpf(1)
        return np.array([float(entry * factor) for entry in x])


@pytest.mark.parametrize("norm", NORMS)
def test_no_projected_row_is_longer_than_the_norm_but_for_rounding(norm):
    """Exact squares of the projected doubles: huge, denormal and zero rows too."""
    slack = (1 + Fraction(ROWS.shape[1] + 8, 2**53)) ** 2
    for row in project(ROWS, norm):
        assert square(row) <= Fraction(norm) ** 2 * slack


@pytest.mark.parametrize("norm", NORMS)
def test_projection_is_right_to_a_few_ulp(norm):
    """Every entry agrees with the projection at high precision."""
    wanted = np.array([exactly_projected(row, norm) for row in ROWS])
    np.testing.assert_allclose(project(ROWS, norm), wanted, rtol=4e-15, atol=5e-324)


@pytest.mark.parametrize("row", HARD.values(), ids=HARD)
def test_a_hard_row_alone_is_projected_as_in_company(row):
    """Nothing depends on the other rows of a block, so blocks may be cut anywhere."""
    alone = project(np.array([row]), 1.0)[0]
    np.testing.assert_array_equal(alone, project(np.vstack([ROWS, row]), 1.0)[-1])


def test_rows_inside_the_ball_are_the_very_block():
    """Where nothing changes there is no copy."""
    inside = BULK / 100
    assert project(inside, 1.0) is inside
    assert project(inside, 1e200) is inside


def test_rows_inside_the_ball_keep_every_bit():
    """Only rows outside change, also next to rows that overflow."""
    inside = [square(row) <= 1 for row in ROWS]
    np.testing.assert_array_equal(project(ROWS, 1.0)[inside], ROWS[inside])


@pytest.mark.parametrize("rows", [ROWS, BULK], ids=["hard", "ordinary"])
def test_a_row_is_mapped_by_itself(rows):
    """To the last bit: alone, in any order, in either layout of memory."""
    order = np.random.default_rng(0).permutation(len(rows))
    for act in (squared_norms, lambda block: project(block, 1.0), normalize):
        whole = act(rows)
        np.testing.assert_array_equal(act(np.asfortranarray(rows[order])), whole[order])
        for i in range(0, len(rows), 7):
            np.testing.assert_array_equal(act(rows[i : i + 1])[0], whole[i])


@pytest.mark.parametrize("rows", [ROWS, BULK], ids=["hard", "ordinary"])
def test_normalized_rows_have_norm_one(rows):
    """Huge and denormal rows too; a zero row is the first unit vector."""
    for row in normalize(rows):
        assert abs(square(row) - 1) <= Fraction(2 * rows.shape[1] + 16, 2**53)
    np.testing.assert_array_equal(normalize(np.zeros((1, 3))), [[1, 0, 0]])


def test_the_block_is_never_changed():
    """Neither map writes into its input."""
    rows = ROWS.copy()
    rows.flags.writeable = False
    for norm in NORMS:
        project(rows, norm)
    normalize(rows)
    np.testing.assert_array_equal(rows, ROWS)
    assert np.array_equal(rows, ROWS, equal_nan=True)


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_empty_blocks_stay_empty(shape):
    """No rows or no columns are no special case for the caller."""
    assert project(np.zeros(shape), 1.0).shape == shape
    assert normalize(np.zeros((0, shape[1]))).shape == (0, shape[1])


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_layout_of_memory_does_not_matter(order):
    """Column-major blocks and views with steps give the same rows."""
    for rows in (np.array(ROWS, order=order), np.repeat(ROWS, 2, axis=1)[:, ::2]):
        np.testing.assert_allclose(project(rows, 1.0), project(ROWS, 1.0), rtol=1e-15)
