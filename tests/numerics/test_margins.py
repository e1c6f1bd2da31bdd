"""x'theta of rows on a grid, against Python's integers and fractions, whatever theta was released;
and to the same last bit in any order, block and layout of memory.

The negative control is a product in floating point, which does depend on them.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.totals import Pass
from dpframe.graph import Graph
from dpframe.graph.maps.grid import Grid
from dpframe.graph.maps.residuals import ResidualLabels
from dpframe.numerics.blocks.gridding import (
    FAR,
    HUGE,
    margins_on_grid,
    onto_grid,
    whole_coefficients,
)
from dpframe.sources import Block

WIDTHS = (1, 2, 50, 1000)
BITS = (4, 20, 24)
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def coefficients(d: int) -> dict[str, np.ndarray]:
    """What may be released: ordinary, huge, tiny, of one size, of all sizes at once."""
    rng = np.random.default_rng(d)
    signs = np.where(np.arange(d) % 2, -1.0, 1.0)
    return {
        "ordinary": rng.normal(size=d),
        "negative": -np.abs(rng.normal(size=d)),
        "zero": np.zeros(d),
        "minus zero": -np.zeros(d),
        "huge": signs * 1e300,
        "the largest": signs * np.finfo(float).max,
        "tiny": signs * 1e-300,
        "the smallest": signs * 5e-324,
        "of all sizes": signs * 10.0 ** rng.uniform(-320, 308, d),
        "one large": np.where(np.arange(d) == d - 1, 1e200, rng.normal(size=d)),
        "powers of 2": signs * 2.0 ** rng.integers(-30, 30, d),
        "just below one": np.full(d, 1 - 2.0**-53),
        "one": np.ones(d),
    }


def rows_on_grid(d: int, bits: int) -> np.ndarray:
    """Rows at the bound in many ways, inside it, and zeros, in whole steps."""
    rng = np.random.default_rng(d + 1)
    ordinary = rng.normal(size=(12, d))
    flat = np.vstack([np.ones(d), -np.ones(d), np.where(np.arange(d) % 2, -1.0, 1.0)])
    axes = np.vstack([np.eye(d)[0], -np.eye(d)[-1], np.zeros(d)])
    return onto_grid(np.vstack([ordinary, ordinary / d, flat, axes]), 2.0**bits, bits)


def truth(row: np.ndarray, theta: np.ndarray, step: float, bits: int) -> float:
    """The margin by integers: one rounding of the size of a step, one of the product."""
    whole, exponent = whole_coefficients(theta, 53 - bits)
    total = sum(int(k) * int(t) for k, t in zip(row, whole, strict=True))
    with np.errstate(over="ignore", under="ignore"):
        size = min(float(np.ldexp(step, exponent)), HUGE)
    product = Fraction(total) * Fraction(size)
    return float(max(-Fraction(FAR), min(Fraction(FAR), product)))


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("name", coefficients(1))
def test_margins_are_those_of_integers(name, d, bits):
    """For every row and released theta, and steps of every size; never NaN or infinite."""
    theta, rows = coefficients(d)[name], rows_on_grid(d, bits)
    for step in (2.0**-bits, 3.0 / 2**bits, 1e-290, 1e290):
        found = margins_on_grid(rows, theta, step, bits)
        assert np.isfinite(found).all()
        assert found.tolist() == [truth(row, theta, step, bits) for row in rows]


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("name", coefficients(1))
def test_coefficients_leave_room_for_every_sum(name, d, bits):
    """|t| < 2^(53 - bits) in 2-norm, by integers, so that |k| |t| < 2^53; and t 2^e is theta,
    rounded towards zero to at least 53 - bits - log2(sqrt(d)) - 2 bits of its largest entry.
    """
    theta = coefficients(d)[name]
    whole, exponent = whole_coefficients(theta, 53 - bits)
    assert sum(int(t) ** 2 for t in whole) < 4 ** (53 - bits)
    unit = Fraction(2) ** exponent
    for t, value in zip(whole, theta, strict=True):
        assert int(t) == int(Fraction(value) / unit)
    if theta.any():
        assert max(abs(int(t)) for t in whole) ** 2 * d * 16 >= 4 ** (53 - bits)


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("name", ["ordinary", "of all sizes", "the largest", "tiny"])
def test_a_margin_is_that_of_its_row(name, d):
    """To the last bit: in any order, block and layout of memory, and alone."""
    rng = np.random.default_rng(0)
    theta, rows = coefficients(d)[name], onto_grid(rng.normal(size=(301, d)), 2.0**20, 20)
    whole = margins_on_grid(rows, theta, 2.0**-20, 20)
    order = rng.permutation(len(rows))
    layouts = (np.ascontiguousarray, np.asfortranarray, lambda block: np.repeat(block, 2, 0)[::2])
    for size, layout in itertools.product((1, 13, 301), layouts):
        shuffled = layout(rows[order])
        blocks = [shuffled[s : s + size] for s in range(0, len(rows), size)]
        pieces = np.concatenate([margins_on_grid(one, theta, 2.0**-20, 20) for one in blocks])
        assert np.array_equal(pieces.view(np.uint64), whole[order].view(np.uint64))


def test_a_product_in_floating_point_depends_on_where_a_row_stands():
    """The negative control: columns in another order, which is the order of a sum."""
    rng = np.random.default_rng(0)
    rows, theta = rng.normal(size=(100, 50)), rng.normal(size=50)
    order = rng.permutation(50)
    assert (rows @ theta != rows[:, order] @ theta[order]).any()
    steps = onto_grid(rows, 2.0**20, 20)
    found = [margins_on_grid(steps[:, o], theta[o], 2.0**-20, 20) for o in (order, np.arange(50))]
    assert np.array_equal(*found)


@pytest.mark.parametrize("d", [1, 3, 50])
def test_margins_are_near_the_product(d):
    """Within 2 d 2^-30 |theta| of that of the row on its grid."""
    rng = np.random.default_rng(d)
    steps, theta = onto_grid(rng.normal(size=(50, d)), 2.0**20, 20), rng.normal(size=d)
    found = margins_on_grid(steps, theta, 2.0**-20, 20)
    away = np.abs(found - steps / 2**20 @ theta)
    assert np.max(away) <= 2 * d * 2.0**-30 * np.linalg.norm(theta)


def mean_of(moment: np.ndarray) -> np.ndarray:
    """Some coefficients."""
    return np.asarray(moment) / 10


def residual_graph(setting: dp.Setting) -> tuple[Graph, ResidualLabels]:
    """A sum of rows times clipped residuals, at coefficients that were released."""
    X, y = setting.nodes()
    theta = dp.post(mean_of, dp.release(X.T @ y, dp.Gaussian(std=1), name="moment"))
    left = y.residuals(X, theta)
    return Graph.of(dp.release(X.T @ left.clip(-1, 1), dp.Gaussian(std=1), name="left")), left


def number(formula) -> float:
    """A number, as a double."""
    return float(formula)


def test_residuals_stand_on_the_grid_of_their_table():
    """So that rows are projected and rounded once, for residuals and for statistics."""
    graph, left = residual_graph(SETTING)
    assert isinstance(left.rows, Grid)
    assert sum(isinstance(node, Grid) for node in graph.nodes) == 1
    assert left.in_steps == (left.rows,)


def test_without_a_grid_residuals_read_rows_as_they_are():
    """grid=None leaves them to floating point."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE, grid=None)
    _, left = residual_graph(setting)
    assert not isinstance(left.rows, Grid)
    assert left.in_steps == ()


def test_rows_without_a_bound_have_no_grid():
    """Residuals of rows that nothing bounds are there too."""
    X, y = SETTING.nodes()
    theta = dp.post(mean_of, dp.release(X.T @ y, dp.Gaussian(std=1)))
    assert y.residuals(X.origin, theta).rows == X.origin


@pytest.mark.parametrize("d", [1, 50])
def test_a_pass_reads_residuals_of_rows_on_their_grid(d):
    """X'r by Python's integers, in one block and in many, rows beyond the bound included."""
    graph, left = residual_graph(SETTING)
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(300, d)), rng.uniform(-2, 2, 300)
    theta, empty = rng.normal(size=d), Block(np.empty((0, d)), np.empty(0))
    (released,) = [one.statistic for one in graph.releases if one.name == "left"]
    work = Pass.of(graph, number, empty, [released], given={left.theta: theta})
    rows = onto_grid(X, 2.0**20, 20)
    margins = margins_on_grid(rows, theta, 2.0**-20, 20)
    kappa = np.trunc(np.clip(np.clip(y, -1, 1) - margins, -1, 1) * 2**20)
    columns = list(zip(*rows.tolist(), strict=True))
    expected = [
        sum(int(a) * int(b) for a, b in zip(column, kappa, strict=True)) for column in columns
    ]
    for size in (300, 7):
        blocks = [Block(X[s : s + size], y[s : s + size]) for s in range(0, 300, size)]
        assert work(blocks).parts[0].tolist() == expected


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [1e308, -1e308, np.nan, np.inf, 1e-320, 0.0])
def test_no_theta_makes_a_residual_that_is_no_number(value):
    """Nor a warning, which would tell of the data: whatever a function of releases gives."""
    graph, left = residual_graph(SETTING)
    theta, empty = np.array([value, -value, 1.0]), Block(np.empty((0, 3)), np.empty(0))
    work = Pass.of(graph, number, empty, given={left.theta: theta})
    X, y = (
        np.array([[1e308, -1e308, 1.0], [0.0, 0.0, 0.0], [0.5, 0.5, 0.5]]),
        np.array([1.0, 0, -1]),
    )
    values = left.records(
        {left.rows: onto_grid(X, 2.0**20, 20), left.source: y, left.theta: theta}, number
    )
    assert np.isfinite(values).all()
    assert len(work([Block(X, y)]).parts) == 2
