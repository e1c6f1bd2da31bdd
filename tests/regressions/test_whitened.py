"""Rows whitened by public ones: nothing is spent, and directions are seen that noise would hide."""

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.maps.residuals import LinearMap, decoded, public_array
from dpframe.regressions.whitened import whitening

D = 4
TURN = np.linalg.qr(np.random.default_rng(9).normal(size=(D, D)))[0]


def setting(relation=dp.ADD_REMOVE, **more):
    """Public bounds."""
    return dp.Setting(X=dp.Rows(norm=1, **more), y=dp.Column(bound=1), relation=relation)


def rows(n, seed):
    """Rows that share directions of lengths from 0.2 to 0.002."""
    X = np.random.default_rng(seed).normal(size=(n, D)) * np.geomspace(0.2, 0.002, D) @ TURN
    return X * np.minimum(1, 1 / np.linalg.norm(X, axis=1))[:, None]


THETA = TURN.T @ (np.array([1, -1, 1, -1]) * 0.1 / np.geomspace(0.2, 0.002, D))
PUBLIC = rows(1000, seed=1)


def lost(regression, relation=dp.ADD_REMOVE, **more):
    """The squared error of predictions over that of zero."""
    X = rows(20_000, seed=2)
    y = np.clip(X @ THETA + 0.1 * np.random.default_rng(3).normal(size=len(X)), -1, 1)
    run = dp.certify(regression, target=dp.ApproxDP(1, "1e-6"), setting=setting(relation, **more))
    fit = dp.execute(run, X, y, rng=4).output.coefficients[:D]
    return np.mean((X @ (fit - THETA)) ** 2) / np.mean((X @ THETA) ** 2)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_a_thousand_public_rows_divide_the_error(relation):
    """By more than twenty; with an intercept too, which has no label to explain."""
    plain = lost(dp.JointSSP(), relation)
    assert lost(dp.JointSSP(public=PUBLIC), relation) < plain / 20
    assert lost(dp.JointSSP(public=PUBLIC), relation, intercept=True) < plain / 20


def test_public_rows_that_are_unlike_cost_accuracy_only():
    """Rows a thousand times as long hide everything; the budget is what it was."""
    strange = np.random.default_rng(5).normal(size=(50, D)) * 1e3
    assert 0.9 < lost(dp.JointSSP(public=strange)) < 1.1


def test_of_public_rows_a_copy_is_kept():
    """What is certified does not change with the caller's array; equal rows are equal."""
    given = PUBLIC.copy()
    mine = dp.JointSSP(public=given)
    given[:] = 0
    assert mine == dp.JointSSP(public=PUBLIC)
    assert mine != dp.JointSSP(public=PUBLIC[:-1])
    assert repr(mine.public) == "<1000 x 4 public rows>"


def test_a_certificate_is_saved_and_loaded(tmp_path):
    """With what public rows said, not with the rows."""
    proof = dp.certify(dp.JointSSP(public=PUBLIC), target=dp.ApproxDP(1, "1e-6"), setting=setting())
    proof.save(tmp_path / "proof.json")
    assert (tmp_path / "proof.json").stat().st_size < 100_000
    assert dp.load(tmp_path / "proof.json").hash == proof.hash


@pytest.mark.parametrize(
    "given",
    [
        [1, 2],
        "rows",
        [[np.nan]],
        [[1e200]],
        [[1e-200]],
        np.zeros((0, 3)),
        np.zeros((3, 2)),
        [["a"]],
    ],
)
def test_what_is_no_table_is_refused(given):
    """In words."""
    with pytest.raises(dp.InvalidArgument, match="public must be a table"):
        dp.JointSSP(public=given)


def test_units_are_said_once():
    """By public rows or by a part of the budget."""
    both = dp.JointSSP(public=PUBLIC, scaling="0.03")
    with pytest.raises(dp.InvalidArgument, match="scaling must be 0 with public rows"):
        dp.certify(both, target=dp.ApproxDP(1, "1e-6"), setting=setting())


def test_another_number_of_columns_is_refused():
    """Before anything is released."""
    run = dp.certify(
        dp.JointSSP(public=PUBLIC[:, :2]), target=dp.ApproxDP(1, "1e-6"), setting=setting()
    )
    with pytest.raises(dp.NotExecutable, match="a matrix of shape \\(2, 2\\) for 4 columns"):
        dp.execute(run, rows(100, 0), np.zeros(100), rng=0)


def test_public_rows_are_white_then():
    """In every direction alike, and few are longer than the norm."""
    found = whitening(PUBLIC)
    turned = PUBLIC @ decoded(*found.matrix)
    assert np.linalg.cond(turned.T @ turned) < 1.5
    assert np.mean(np.linalg.norm(turned, axis=1) > found.norm) <= 0.2
    assert 0.8 < found.weight <= 1


def test_public_arrays_are_written_into_the_certificate():
    """Of any shape."""
    for values in (np.arange(6.0).reshape(2, 3), np.array(2.5), np.ones(3)):
        node = public_array(values)
        assert np.array_equal(decoded(*node.arguments), values)
    with pytest.raises(dp.InvalidArgument):
        public_array([np.inf])


def doubled(matrix, n):
    """Twice a matrix; whatever n is."""
    return 2 * matrix + 0 * n


def named(matrix):
    """No array."""
    return {"matrix": matrix}


class Of(dp.Regression):
    """What is made of rows times a public matrix. [here]"""

    kind: object = None
    searched: bool = False

    def declare(self, X, y, budget):
        """X'X, or a minimiser."""
        matrix = public_array(np.eye(D) * [1, 2, 3, 4])
        turned = X.times(self.kind(X, matrix)).clip(norm=1)
        if self.searched:
            return dp.regressions.OutputPerturbation().declare(turned, y, budget)
        return dp.release(turned.T @ turned, dp.Gaussian.analytic, budget)


@pytest.mark.parametrize("searched", [False, True])
@pytest.mark.parametrize(
    "kind",
    [
        lambda X, matrix: matrix,
        lambda X, matrix: dp.post(doubled, matrix, 1),
        lambda X, matrix: dp.post(doubled, dp.post(doubled, matrix, dp.constant(3)), X.rows),
    ],
)
def test_functions_of_public_numbers_are_known_before_anything_is_released(kind, searched):
    """Also where rows are searched, and of n where it is public."""
    proof = dp.certify(
        Of(kind, searched=searched),
        target=dp.ApproxDP(1000, "1e-6"),
        setting=setting(dp.REPLACE_ONE),
    )
    run = proof.at(**{name: {"d": D, "n": 300}[name] for name in proof.symbols})
    X = rows(300, 0)
    output = dp.execute(run, X, X[:, 0], rng=0).output
    assert np.all(np.isfinite(output.coefficients if searched else output))


def test_what_is_no_matrix_is_refused_in_words():
    """Before anything is released."""
    mine = Of(lambda X, matrix: dp.post(named, matrix))
    run = dp.certify(mine, target=dp.ApproxDP(1, "1e-6"), setting=setting())
    with pytest.raises(dp.NotExecutable, match="named must return numbers"):
        dp.execute(run, rows(10, 0), np.zeros(10), rng=0)


@pytest.mark.parametrize("grid", [20, None])
def test_a_product_is_of_one_row_to_the_last_bit(grid):
    """Wherever it stands."""

    class Turned(dp.Regression):
        """Rows times a matrix. [here]"""

        def declare(self, X, y, budget):
            """X'X of them."""
            turned = X.times(public_array(TURN * [1, 10, 100, 1000])).clip(norm=100)
            return dp.release(turned.T @ turned, dp.Gaussian.analytic, budget)

    mine = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE, grid=grid)
    proof = dp.certify(Turned(), target=dp.ApproxDP(1, "1e-6"), setting=mine)
    (node,) = (one for one in proof.graph.nodes if isinstance(one, LinearMap))
    steps = np.trunc(rows(64, 7) * 2.0**20)
    block = steps if grid else steps / 2.0**20
    values = {node.source: block, node.by: decoded(*node.by.arguments)}
    whole = node.records(values, lambda formula: 2.0**-20)
    for i in range(0, 64, 7):
        alone = node.records(values | {node.source: block[i : i + 1]}, lambda formula: 2.0**-20)
        assert np.array_equal(alone[0], whole[i])
    assert whole == pytest.approx(steps / 2.0**20 @ values[node.by], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    "rows", [np.eye(3), np.ones((1, 1)), np.full((4, 2), 1e99), [[1, 0], [0, 0]]]
)
def test_few_public_rows_are_enough_to_go_on(rows):
    """Without a warning, also where they say nothing of some direction, and in whole numbers."""
    found = whitening(np.array(rows, dtype=float))
    assert np.all(np.isfinite(decoded(*found.matrix)))
    assert 0 < found.norm < np.inf
