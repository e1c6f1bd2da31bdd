"""Rows on a grid: whole numbers inside their bounds, exactly, and each a function of its own row.

The oracle is Python's integers and fractions; a plain projection in floating point is the negative
control.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.views import needed, views
from dpframe.graph import Graph
from dpframe.graph.maps.grid import Grid, GridColumn, entries_in_steps
from dpframe.numerics.blocks.elementwise import project
from dpframe.numerics.blocks.gridding import onto_grid
from dpframe.sources import Block
from dpframe.symbols import exact

BITS = (4, 20, 24)
WIDTHS = (1, 2, 7, 50)


def rows_of_every_kind(d: int) -> np.ndarray:
    """Ordinary, huge, denormal, zero, at the bound in many ways, and patterns around 2^52 + 1."""
    rng = np.random.default_rng(d)
    ordinary = rng.normal(size=(200, d))
    scales = 10.0 ** rng.uniform(-307, 307, size=(100, 1))
    lengths = np.linalg.norm(ordinary, axis=1, keepdims=True)
    at_the_bound = np.repeat(ordinary[:60] / lengths[:60], 3, axis=0)
    at_the_bound[1::3] = np.nextafter(at_the_bound[1::3], np.inf)
    at_the_bound[2::3] = np.nextafter(at_the_bound[2::3], -np.inf)
    special = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1.7e308, -1.7e308, 1.0, -1.0]
    special += [2.0**52 + 1, -(2.0**52 + 1), (2.0**52 + 1) / 2**52, 1 - 2.0**-53, 1 + 2.0**-52]
    with np.errstate(over="ignore"):
        far = np.nan_to_num(ordinary[:100] * scales, posinf=1.7e308, neginf=-1.7e308)
    flat = np.array([[v] * d for v in special])
    signs = np.array([[v * (-1) ** j for j in range(d)] for v in special])
    axes = np.vstack([v * np.eye(d)[:3] for v in special])
    return np.vstack([ordinary, ordinary / np.sqrt(d), far, at_the_bound, flat, signs, axes])


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("bound", [1.0, 3.0, 0.1, 1e-200, 1e200])
def test_rows_are_whole_and_inside_the_ball(d, bits, bound):
    """The sum of squares, in Python integers, is at most 4^bits for every row."""
    steps = onto_grid(rows_of_every_kind(d), 2.0**bits / bound, bits)
    assert (steps == np.trunc(steps)).all()
    assert max(sum(int(k) ** 2 for k in row) for row in steps) <= 4**bits


def test_a_projection_in_floating_point_leaves_the_ball():
    """The negative control: the same rows, projected in doubles, are outside by a rounding."""
    rows = project(rows_of_every_kind(7), 1.0)
    assert max(sum(Fraction(v) ** 2 for v in row) for row in rows) > 1


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("d", WIDTHS)
def test_rows_inside_are_rounded_towards_zero(d, bits):
    """Each entry is the whole part of x 2^bits, by fractions."""
    rows = rows_of_every_kind(d)
    inside = [row for row in rows if sum(Fraction(v) ** 2 for v in row) <= 1]
    for row, steps in zip(inside, onto_grid(np.array(inside), 2.0**bits, bits), strict=True):
        assert [int(k) for k in steps] == [int(Fraction(v) * 2**bits) for v in row]


@pytest.mark.parametrize("d", WIDTHS)
def test_rows_outside_land_near_their_projection(d):
    """Within (2 sqrt(d) + 2) steps of x/|x|, and never further out."""
    rows = np.array([r for r in rows_of_every_kind(d) if sum(Fraction(v) ** 2 for v in r) > 1])
    for row, steps in zip(rows, onto_grid(rows, 2.0**20, 20), strict=True):
        largest = np.max(np.abs(row))
        unit = (row / largest) / np.linalg.norm(row / largest)
        assert np.linalg.norm(steps / 2**20 - unit) <= (2 * np.sqrt(d) + 2) / 2**20


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("d", WIDTHS)
def test_a_row_is_mapped_by_itself(d, bits):
    """To the last bit: in any order, block and layout of memory, and alone."""
    rows = rows_of_every_kind(d)
    scale, most = 2.0**bits / 3, 2**bits
    whole = onto_grid(rows, scale, bits, most)
    order = np.random.default_rng(1).permutation(len(rows))
    for size, layout in itertools.product((1, 13, 200), (np.ascontiguousarray, np.asfortranarray)):
        shuffled = layout(rows[order])
        blocks = [shuffled[s : s + size] for s in range(0, len(rows), size)]
        pieces = np.vstack([onto_grid(block, scale, bits, most) for block in blocks])
        np.testing.assert_array_equal(pieces, whole[order])


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether doubles are the same, bit by bit."""
    words = [np.ascontiguousarray(part).view(np.uint64) for part in (one, other)]
    return np.array_equal(*words)


def test_what_is_no_number_never_leaves_the_ball():
    """Nobody lets such rows get here; if they did, they would be zeros or inside."""
    odd = np.array([[np.nan, 1.0], [np.inf, 0.0], [-np.inf, np.nan], [0.5, 0.5]])
    with np.errstate(all="ignore"):
        steps = onto_grid(odd, 2.0**20, 20)
    assert (np.sum(steps**2, axis=1) <= 4.0**20).all()


@pytest.mark.parametrize("bits", BITS)
def test_labels_are_rounded_towards_zero_inside_their_bound(bits):
    """Towards zero, inside the bound, 0 for what is no number: to the last bit."""
    odd = rows_of_every_kind(7).ravel()
    nothing = np.array([np.nan, np.inf, -np.inf, 0.3, -0.3, -0.0])
    for labels in (odd, nothing, odd[:0]):
        for scale in (2.0**bits, 2.0**bits / 3, 1e300):
            before = labels.copy()
            fast = entries_in_steps(labels, scale, bits)
            with np.errstate(over="ignore", invalid="ignore"):
                steps = np.trunc(labels * scale)
            slow = np.clip(np.where(np.isnan(steps), 0.0, steps), -(2.0**bits), 2.0**bits)
            assert same_bits(fast, slow)
            assert same_bits(labels, before)


@pytest.mark.parametrize("d", WIDTHS)
def test_a_bound_on_the_1_norm_is_kept(d):
    """|k|_1 <= most, in Python integers; rows beyond it are shrunk onto it, not lost."""
    plain, steps = (onto_grid(rows_of_every_kind(d), 2.0**20, 20, most) for most in (None, 2**20))
    before, after = ([sum(abs(int(k)) for k in row) for row in one] for one in (plain, steps))
    assert max(after) <= 2**20
    assert all(2**20 - 2 * d <= b for a, b in zip(before, after, strict=True) if a > 2**20)


def test_the_block_is_not_changed():
    """Rounding works on memory of its own."""
    rows = rows_of_every_kind(3)
    before = rows.copy()
    onto_grid(rows, 2.0**20, 20, 2**20)
    np.testing.assert_array_equal(rows, before)


def declared(**options: object):
    """X and y of a setting."""
    return dp.Setting(
        X=dp.Rows(norm=2), y=dp.Column(bound=3), relation=dp.ADD_REMOVE, **options
    ).nodes()


def test_every_statistic_of_bounded_rows_stands_on_the_grid():
    """And its step is the product of the steps that it multiplies."""
    X, y = declared()
    steps = {
        X.T @ X: Fraction(4, 4**20),
        X.T @ y: Fraction(6, 4**20),
        y @ y: Fraction(9, 4**20),
        dp.total(X): Fraction(2, 2**20),
        dp.total(y): Fraction(3, 2**20),
        dp.count(X): Fraction(1),
        dp.trace(X.T @ X): Fraction(4, 4**20),
        dp.lambda_min(X.T @ X): Fraction(4, 2**20),
        2 * (X.T @ X): Fraction(8, 4**20),
        dp.count(X) * "1/3" - dp.trace(X.T @ X): Fraction(1, 3 * 4**19),
    }
    for statistic, step in steps.items():
        assert statistic.step == exact(step), statistic.label


def test_without_a_grid_nothing_is_exact():
    """grid=None leaves statistics to floating point."""
    X, y = declared(grid=None)
    assert not any(one.exact for one in (X.T @ X, X.T @ y, dp.total(y), dp.graph.stack(X.T @ X)))


def test_terms_without_a_common_step_are_not_exact():
    """sqrt 2 is no fraction."""
    X, _ = declared()
    assert not (dp.count(X) * dp.sqrt(2) + dp.trace(X.T @ X)).exact


@pytest.mark.parametrize("bits", [3, 25, 20.0, True, "20", float("nan")])
def test_odd_numbers_of_bits_are_refused(bits):
    """4 to 24, whole."""
    with pytest.raises(dp.InvalidArgument, match="grid must be whole bits from 4 to 24"):
        declared(grid=bits)


def test_the_grid_is_a_node_of_the_graph():
    """With its bits, under the statistics, in the certificate."""

    class Both(dp.Regression):
        """X'X and X'y."""

        def declare(self, X, y, budget):
            half, other = budget.split_evenly(2)
            gram = dp.release(X.T @ X, dp.Gaussian.analytic, half)
            return gram, dp.release(X.T @ y, dp.Gaussian.analytic, other)

    setting = dp.Setting(X=dp.Rows(norm=2), y=dp.Column(bound=3), relation=dp.ADD_REMOVE, grid=16)
    proof = dp.certify(Both(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    grids = [node for node in proof.graph.nodes if isinstance(node, (Grid, GridColumn))]
    assert [(node.kind, node.bits) for node in grids] == [("grid", 16), ("grid_column", 16)]
    assert not any("idealized" in line for line in proof.assumptions)


def seen_on_grid(column, y, bits=20):
    """The grid of labels, and all that a pass sees of them."""
    total = dp.total(column)
    (grid,) = total.inputs
    maps = needed(Graph.of(total), [total])
    return grid, views(maps, Block(y[:, None], y), float)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("bound", [1, 3, "1/10", Fraction(10) ** 200])
def test_a_grid_of_labels_sees_through_the_clip_into_its_own_interval(bound, bits):
    """Whole numbers of Python, to the step; 2^bits at the bound and beyond."""
    odd = rows_of_every_kind(7).ravel()
    y = np.append(odd, np.clip(odd, -2, 2) * float(Fraction(bound)))
    given = dp.Column(bound=bound)
    setting = dp.Setting(X=dp.Rows(norm=1), y=given, relation=dp.ADD_REMOVE, grid=bits)
    _, column = setting.nodes()
    with np.errstate(over="ignore", invalid="ignore"):  # as in a pass
        grid, seen = seen_on_grid(column, y)
    assert column not in seen
    most, per_step = 2**bits, 2**bits / Fraction(bound)
    wanted = [max(-most, min(most, int(Fraction(label) * per_step))) for label in y]
    found = [int(k) for k in seen[grid]]
    assert max(map(abs, found)) == most
    assert max(abs(k - true) for k, true in zip(found, wanted, strict=True)) <= 1


def test_a_grid_of_labels_in_another_interval_stands_on_the_clip():
    """[-1, 1/2] has the steps of [-1, 1], and is not left."""
    _, column = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=dp.ADD_REMOVE).nodes()
    part = column.clip(-1, "1/2")
    grid, seen = seen_on_grid(part, np.array([-5.0, -0.25, 0.75, 7.0]))
    assert part in seen
    assert seen[grid].tolist() == [-(2**20), -(2**18), 2**19, 2**19]


class PlainGrid(Grid):
    """A grid of one's own that clips nothing."""

    def apply(self, block, number):
        """To the nearest step."""
        return np.round(block * number(1 / self.step))


class PlainGridColumn(GridColumn):
    """The same of labels."""

    def apply(self, block, number):
        """To the nearest step."""
        return np.round(block * number(1 / self.step))


def test_grids_of_ones_own_stand_on_the_clip():
    """Only dpframe's own are known to clip what they round."""
    X, y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
    far = Block(np.full((1, 2), 1e6), np.array([1e6]))
    for clipped, grid in ((X, PlainGrid(X, 20)), (y, PlainGridColumn(y, 20))):
        maps = needed(Graph.of(dp.total(grid)), [dp.total(grid)])
        seen = views(maps, far, lambda one: 2.0 if one == X.columns else float(one))
        assert clipped in seen
        assert np.linalg.norm(seen[grid]) <= 2**20 + 1


def test_a_multiple_of_a_statistic_is_on_the_grid_whose_step_is_a_power_of_a_sum():
    """The kernel need not divide the step, (1 + sqrt(2))^2 of something, by itself."""

    class Twice(dp.Regression):
        def declare(self, X, y, budget):
            rows = X.scaled_columns(by=[1, 1], minus=[1, 1])
            return dp.release(2 * dp.lambda_min(rows.T @ rows), dp.Gaussian.analytic, budget)

    setting = dp.Setting(X=dp.Rows(norm=1, d=2), relation=dp.ADD_REMOVE)
    proof = dp.certify(Twice(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    assert proof.verdict.accepted, proof.verdict.reason
