"""What a record becomes is the same to the last bit everywhere; and clipping."""

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.maps.base import ColumnMap
from dpframe.graph.maps.residuals import Gradient, GradientAt
from dpframe.graph.maps.scaled import DividedRecords
from dpframe.graph.procedure import Huber, Logistic, Squared
from dpframe.graph.statistics.argmin import ridge
from dpframe.numerics.blocks.elementwise import decay, normalize, project, solutions, squared_norms
from dpframe.prover.algebra import enclose

# ---------------------------------------------------------- Alone, in any block, on every processor
X, Y = dp.Setting(X=dp.Rows(norm=3), y=dp.Column(bound=2), relation=dp.ADD_REMOVE).nodes()
POINT = dp.iterate(X.columns)


def table(n=1003, d=5):
    """Rows and labels from whole random numbers, the same on every processor."""
    rng = np.random.Generator(np.random.PCG64(7))
    sizes = np.ldexp(1.0, rng.integers(-40, 6, size=(n, 1)))
    rows = rng.integers(-(2**20), 2**20, size=(n, d)) * 2.0**-20 * sizes
    return rows, rng.integers(-(2**20), 2**20, size=n) * 2.0**-19


THETA = np.array([0.7, -1.3, 2.1, 0.01, 5.0])
RELEASED = dp.release(dp.total(X), dp.Gaussian(std=1))
LOSSES = {"logistic": Logistic(), "Huber": Huber(1), "squared": Squared()}


def number(formula):
    """The value of a formula without symbols other than d."""
    return float(enclose(formula.substitute({"d": dp.constant(5)}), {}).mid())


MAPS = {
    **{name: Gradient(X, Y, POINT, loss) for name, loss in LOSSES.items()},
    "gradient": GradientAt(X, Y),
    **{
        f"{name} at released": GradientAt(X, Y, RELEASED, LOSSES["logistic"], curved)
        for name, curved in (("slope", None), ("curvature", True))
    },
    "normalized": X.normalized(),
    "clip": X.clip(norm=2),
    "scaled": X.scaled(3),
    "scaled columns": X.scaled_columns(by=[1, 2, 3, 4, 5], minus=[0, 1, 0, 1, 0]),
    "intercept": X.with_intercept(),
    "boxed": X.boxed("1/2"),
    "grid": X.clip(norm=2).on_grid(20),
    "divided by norms": DividedRecords(X, Y),
    "labels": Y.clip(-1, 1).on_grid(20),
    "scaled labels": Y.scaled(3, minus="1/3"),
}


def mapped(node, rows, labels):
    """What a map makes of a block."""
    if hasattr(node, "records"):
        return node.records({X: rows, Y: labels, POINT: THETA, RELEASED: THETA}, number)
    return node.apply(labels if isinstance(node, ColumnMap) else rows, number)


def laid_out(rows, labels):
    """The same records in other places of memory, and what takes them back into order."""
    wide = np.zeros((2 * len(rows), 3 * rows.shape[1]))
    wide[::2, ::3] = rows
    long = np.zeros(3 * len(labels))
    long[::3] = labels
    odd = np.concatenate([[0.0], rows.ravel()])[1:].reshape(rows.shape)  # 8 bytes further
    yield "reversed", rows[::-1], labels[::-1], slice(None, None, -1)
    yield "strided", wide[::2, ::3], long[::3], slice(None)
    yield "by columns", np.asfortranarray(rows), labels, slice(None)
    yield "moved", odd, np.concatenate([[0.0], labels])[1:], slice(None)


@pytest.mark.parametrize("name", MAPS)
def test_a_record_has_the_same_bits_wherever_it_stands(name):
    """A record has the same bits wherever it stands."""
    rows, labels = table()
    whole = np.array(mapped(MAPS[name], rows, labels))
    for _, placed, beside, back in laid_out(rows, labels):
        assert np.array_equal(np.array(mapped(MAPS[name], placed, beside))[back], whole)
    for start, size in ((0, 1), (1, 1), (7, 3), (13, 64), (1002, 1)):
        part = slice(start, start + size)
        assert np.array_equal(mapped(MAPS[name], rows[part], labels[part]), whole[part])


@pytest.mark.parametrize("name", [*LOSSES, "gradient"])
def test_single_precision_means_the_same_numbers(name):
    """Single precision means the same numbers."""
    rows, labels = table()
    single = rows.astype(np.float32)
    expected = mapped(MAPS[name], single.astype(float), labels)
    assert np.array_equal(mapped(MAPS[name], single, labels), expected)


def test_decay_is_the_exponential_function():
    """Decay is the exponential function."""
    sizes = np.concatenate([np.arange(0, 700, 0.37), 2.0 ** np.arange(-60, 9), [0.0, 700.0]])
    for size, found in zip(sizes.tolist(), decay(sizes).tolist(), strict=True):
        with mpmath.workprec(120):
            true = mpmath.exp(-mpmath.mpf(size))
            assert abs(found / true - 1) <= mpmath.mpf(2) ** -52
    assert np.array_equal(decay(np.array([0.0, np.inf])), [1.0, decay(np.array([700.0]))[0]])


def test_logistic_slopes_are_right_and_inside_their_bound():
    """Logistic slopes are right and inside their bound."""
    margins = np.concatenate([np.arange(-50, 50, 0.13), [-1e150, 1e150, 0.0]])
    for label in (-2.0, -1.0, 0.5, 2.0):
        labels = np.full(len(margins), label)
        slopes = Logistic().slopes(margins, labels, number)
        assert np.all(np.abs(slopes) <= abs(label))
        with mpmath.workprec(200):
            for t, found in zip(margins[:-3].tolist(), slopes[:-3].tolist(), strict=True):
                true = -label / (1 + mpmath.exp(label * mpmath.mpf(t)))
                assert abs(found / true - 1) <= mpmath.mpf(2) ** -50


def test_equations_are_solved_as_by_fractions():
    """Equations are solved as by fractions."""
    rng = np.random.Generator(np.random.PCG64(1))
    halves = rng.integers(-9, 10, size=(20, 7, 4))
    systems = np.einsum("kni,knj->kij", halves, halves)
    sides = rng.integers(-9, 10, size=(20, 4))
    for system, side, found in zip(systems, sides, solutions(systems, sides), strict=True):
        exact = mpmath.lu_solve(mpmath.matrix(system.tolist()), mpmath.matrix(side.tolist()))
        assert np.allclose(found, [float(x) for x in exact], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    "system", [np.zeros((2, 2)), [[1, 1], [1, 1]], [[1, 2], [2, 1]], [[np.inf, 0], [0, 1]]]
)
def test_equations_without_one_solution_have_none(system):
    """Equations without one solution have none."""
    together = np.array([system, np.eye(2)], dtype=float)
    found = solutions(together, np.ones((2, 2)))
    assert np.isnan(found[0]).all()
    assert np.array_equal(found[1], [1, 1])


def test_a_cell_has_one_model_whatever_stands_beside_it():
    """A cell has one model whatever stands beside it."""
    rng = np.random.Generator(np.random.PCG64(2))
    cells = []
    for _ in range(33):
        rows = rng.integers(-(2**20), 2**20, size=(60, 9)).astype(float)
        labels = rng.integers(-(2**20), 2**20, size=60).astype(float)
        cells.append([*(rows.T @ rows)[np.triu_indices(9)], *(rows.T @ labels)])
    sums = np.array(cells)
    whole = ridge(sums, 1.0)
    assert np.array_equal(ridge(sums[::-1], 1.0)[::-1], whole)
    assert np.array_equal(ridge(np.asfortranarray(sums), 1.0), whole)
    assert all(np.array_equal(ridge(sums[i : i + 1], 1.0)[0], whole[i]) for i in range(33))


PROGRAM = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import test_elementwise as here
rows, labels = here.table()
parts = [np.ascontiguousarray(here.mapped(node, rows, labels)) for node in here.MAPS.values()]
upper = np.triu_indices(5)
cells = np.concatenate([(rows[:, :, None] * rows[:, None, :])[:, *upper], rows], axis=1)
parts.append(here.ridge(cells, 1.0))
print(hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest())
"""
HAVE = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
MACHINES = [
    {},
    *({"OPENBLAS_CORETYPE": name} for name in ("Nehalem", "Haswell", "SkylakeX")),
    {"OPENBLAS_NUM_THREADS": "1"},
    *({"NPY_DISABLE_CPU_FEATURES": " ".join(HAVE[i:])} for i in range(len(HAVE))),
]


@pytest.mark.slow
def test_every_processor_gives_the_same_bits():
    """With other kernels of BLAS, and without the vector instructions that this processor has."""
    here = str(Path(__file__).parent)
    found = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PROGRAM, here],
            env={**os.environ, **machine},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for machine in MACHINES
    }
    assert len(found) == 1


# ----------------------------------------------------------------------------------------- Clipping
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
def test_projection(norm):
    """Every entry is near the projection at high precision; no row is longer than the norm, but
    for rounding, by exact squares: huge, denormal and zero rows too.
    """
    slack = (1 + Fraction(ROWS.shape[1] + 8, 2**53)) ** 2
    projected = project(ROWS, norm)
    assert all(square(row) <= Fraction(norm) ** 2 * slack for row in projected)
    wanted = np.array([exactly_projected(row, norm) for row in ROWS])
    np.testing.assert_allclose(projected, wanted, rtol=4e-15, atol=5e-324)


def test_rows_inside_the_ball_keep_every_bit():
    """Also next to rows that overflow; no copy where no row changes."""
    inside = [square(row) <= 1 for row in ROWS]
    np.testing.assert_array_equal(project(ROWS, 1.0)[inside], ROWS[inside])
    small = BULK / 100
    assert project(small, 1.0) is project(small, 1e200) is small


@pytest.mark.parametrize("rows", [ROWS, BULK], ids=["hard", "ordinary"])
def test_a_row_is_mapped_by_itself(rows):
    """To the last bit: alone, in any order, in either layout of memory."""
    order = np.random.default_rng(0).permutation(len(rows))
    for act in (squared_norms, lambda block: project(block, 1.0), normalize):
        whole = act(rows)
        np.testing.assert_array_equal(act(np.asfortranarray(rows[order])), whole[order])
        np.testing.assert_allclose(act(np.repeat(rows, 2, axis=1)[:, ::2]), whole, rtol=1e-15)
        for i in range(len(rows)):
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


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_empty_blocks_stay_empty(shape):
    """No rows or no columns are no special case for the caller."""
    assert project(np.zeros(shape), 1.0).shape == shape
    assert normalize(np.zeros((0, shape[1]))).shape == (0, shape[1])
