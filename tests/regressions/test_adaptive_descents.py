"""Descents with learned clips: maps and counts by hand, certificates, what runs really cost."""

import copy
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.statistics import NormCounts, RowSum
from dpframe.prover.parallel import cell_of
from dpframe.regressions import ambssgd as rounds
from dpframe.sensitivity import L1, L2
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import sigma_of, value

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
ONE = dp.ApproxDP(1, "1e-6")
CLASSES = [dp.regressions.AMBSSGD, dp.regressions.AdaptiveGradientDescent]
every = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)


def raw(n=40, d=3, seed=0):
    """Rows and labels of any size, zeros among them."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) * rng.choice([0, 1e-8, 1, 1e4], size=(n, 1)), rng.normal(size=n)
    return X, y


def test_gradients_are_those_of_the_squared_loss():
    """At released coefficients, and at 0; of a record of zeros none; each by itself."""
    (X, y), theta = raw(), np.array([0.5, -2.0, 3.0])
    rows, labels = samples.setting().nodes()
    released = dp.release(dp.total(rows), dp.Gaussian(std=1))
    for node, at in (
        (GradientAt(rows, labels, released), theta),
        (GradientAt(rows, labels), 0 * theta),
    ):
        values = {rows: X, labels: y, released: theta}
        found = node.records(values, float)
        assert np.allclose(found, X * (X @ at - y)[:, None], rtol=1e-12)
        assert not found[~X.any(axis=1)].any()
        assert node.norm is None
        alone = [
            node.records({**values, rows: X[i : i + 1], labels: y[i : i + 1]}, float)
            for i in range(9)
        ]
        assert np.all(np.vstack(alone) == found[:9])


def test_gradients_are_finite_for_every_finite_record():
    """Where margins overflow; for coefficients that are none."""
    rows, labels = samples.setting().nodes()
    released = dp.release(dp.total(rows), dp.Gaussian(std=1))
    node, X = GradientAt(rows, labels, released), np.array([[1e300, -1e300]])
    for theta in ([1e300, 1e300], [np.inf, np.nan], [-1e300, 1e300]):
        values = {rows: X, labels: np.array([-1e300]), released: np.array(theta)}
        assert np.all(np.isfinite(node.records(values, float)))
    with pytest.raises(NotExecutable, match="one a column"):
        node.records({rows: X, labels: np.ones(1), released: np.ones(3)}, float)


def test_raw_coefficients_are_refused():
    """A statistic is no release."""
    rows, labels = samples.setting().nodes()
    with pytest.raises(InvalidArgument, match="released"):
        GradientAt(rows, labels, dp.total(rows))


def test_norms_are_counted_between_cuts():
    """Against a loop; each row moves one count; zeros, and what is below the first cut, none."""
    rows, _ = samples.setting().nodes()
    cuts = (Fraction(1, 2), Fraction(1), Fraction(100))
    found, (X, _) = NormCounts(rows, cuts), raw(300)
    lengths = [float(np.sqrt(sum(x * x for x in row))) for row in X.tolist()]
    ends = [*map(float, cuts), np.inf]
    expected = [sum(a < one <= b for one in lengths) for a, b in pairwise(ends)]
    assert found.block({rows: X}).tolist() == expected
    assert sum(expected) < 300
    one = [found.block({rows: X[i : i + 1]}) for i in range(300)]
    assert np.all(np.sum(one, axis=0) == expected)
    assert max(row.sum() for row in one) == 1
    assert found.block({rows: np.array([[1e300, 1e300], [1e-300, 0]])}).tolist() == [0, 0, 1]
    assert found.block({rows: np.array([[0.5, 0], [np.nextafter(0.5, 1), 0]])}).tolist() == [
        1,
        0,
        0,
    ]


def test_what_one_row_moves_of_the_counts():
    """1; replaced, from one bin to another, 2 in L1 and sqrt(2) in L2: all three are reached."""
    for relation, expected in ((dp.ADD_REMOVE, (1, 1)), (dp.REPLACE_ONE, (2, 2**0.5))):
        rows, _ = samples.setting(relation).nodes()
        found = NormCounts(rows, (Fraction(1, 2), 1))
        one, other = (found.block({rows: np.array([[size, 0.0]])}) for size in (0.7, 1.2))
        move = one - other if relation is dp.REPLACE_ONE else one
        assert np.isclose(np.abs(move).sum(), expected[0])
        assert np.isclose(np.linalg.norm(move), expected[1])
        for norm, size in zip((L1, L2), expected, strict=True):
            assert np.isclose(float(value(found.sensitivity(norm).value, {})), size)


@pytest.mark.parametrize("cuts", [(), (0, 1), (1, 1), (2, 1), (-1, 1), "12", 3])
def test_cuts_are_positive_and_increase(cuts):
    """Or zeros would count, and a cell would not decide."""
    rows, _ = samples.setting().nodes()
    with pytest.raises(InvalidArgument, match="cuts"):
        NormCounts(rows, cuts)


def test_what_a_cell_decides():
    """Counts and sums of gradients at released coefficients of its records; not those of
    all, nor of rows of one cell with labels of another.
    """
    rows, labels = samples.setting().nodes()
    released = dp.release(dp.total(rows), dp.Gaussian(std=1))
    cells = dp.partition(rows, labels, cells=3)
    (X, y), (_, other) = cells.cell(1), cells.cell(2)
    for each in (GradientAt(X, y, released), GradientAt(X, y)):
        assert cell_of(NormCounts(each, (1,))) == (cells, 1)
        assert cell_of(RowSum(each.clip(norm=1))) == (cells, 1)
    for each in (GradientAt(rows, labels, released), GradientAt(X, labels), GradientAt(X, other)):
        assert cell_of(RowSum(each.clip(norm=1))) is None


@relations
def test_two_rows_a_person_are_two_cells_or_more(relation):
    """Noise grows for it, and the claim holds."""
    verdict = check.check(
        check.document(
            dp.regressions.AMBSSGD(rounds=4),
            TARGET,
            samples.setting(relation, rows_per_person=2),
        )
    )
    assert verdict.accepted, verdict.reason


def test_files_with_other_maps_are_refused():
    """Rows of other cells than labels; cuts from 0; gradients at what was not released."""
    found = check.document(dp.regressions.AMBSSGD(rounds=3), ONE, samples.setting())
    nodes = found["graph"]["nodes"]
    where = {
        one: [i for i, node in enumerate(nodes) if node["kind"] == one]
        for one in ("norm_counts", "gradient_at", "cell_rows", "row_sum")
    }

    def bent(kind, **changes):
        other = copy.deepcopy(found)
        other["graph"]["nodes"][where[kind][-1]].update(changes)
        return check.sealed(other)

    last = nodes[where["gradient_at"][-1]]
    assert check.check(bent("norm_counts")).accepted
    wrong = [
        bent("norm_counts", cuts=["0", "1"]),
        bent("norm_counts", cuts=["1", "1"]),
        bent("cell_rows", cell=0),
        bent("gradient_at", inputs=[*last["inputs"][:2], where["row_sum"][0]]),
        bent("gradient_at", inputs=[last["inputs"][0], 0, last["inputs"][2]]),
    ]
    assert not any(check.check(one).accepted for one in wrong)


class Batches(dp.Regression):
    """Rounds over cells that a test names; None: over all records."""

    cells = (0, 1)

    def declare(self, X, y, budget):
        parted = dp.partition(X, y, cells=4)
        n, least = rounds.number_of_rows(X, budget)
        one = dp.constant(1)
        plan = rounds.Schedule(n, least, one, one, one, one, rounds.spread(budget, 1))
        points = [None]
        for turn, cell in enumerate(type(self).cells):
            rows, labels = (X, y) if cell is None else parted.cell(cell)
            points.append(rounds.moved(rows, labels, points[-1], plan, turn))
        return dp.post(rounds.tail, one, *points[1:])


@pytest.mark.parametrize(
    ("cells", "proved"),
    [((0, 1, 2), True), ((0, 0), False), ((0, None), False), ((None,), True), ((1, 2, 1), False)],
)
def test_a_batch_that_is_read_twice_is_charged_twice(cells, proved):
    """Rounds share the budget only where their batches are different cells."""
    declared = type("Made", (Batches,), {"cells": cells})()
    assert dp.examine(declared, target=TARGET, setting=samples.setting()).proved is proved


def table(n=3000, d=3):
    """Rows inside norm 3/2, y = x'theta and noise, inside 2."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    X *= 1.5 / np.maximum(1.5, np.linalg.norm(X, axis=1, keepdims=True))
    return X, X @ np.linspace(0.5, -0.5, d) + 0.1 * rng.normal(size=n)


@every
def test_no_record_moves_a_transcript_by_more_than_is_paid(cls):
    """Gradients, clips and moves are computed anew from what a run released: for every record the
    squared moves over variances add to at most mu^2 = 1/sigma(1, 1e-6)^2; for clipped ones, nearly.
    """
    (X, y), turns = table(), 4
    declared = cls(rounds=turns)
    proof = dp.certify(declared, target=ONE, setting=samples.setting())
    released = dp.execute(proof, X, y, rng=5).released
    graph = declared.graph(samples.setting(), ONE.budget)
    batch = np.zeros(len(X), dtype=int)
    if cls is dp.regressions.AMBSSGD:
        rows, labels = samples.setting().nodes()
        partition = dp.partition(rows, labels, cells=turns, salt="DP-AMBSSGD")
        batch = partition.places({rows: X, labels: y})
    parts = turns if cls is dp.regressions.AMBSSGD else 1
    sizes = {r.name: r.mechanism.std for r in graph.releases}
    n, least = float(released["n"]), float(value(sizes["n"], {}))
    theta, total = np.zeros(3), np.full(len(X), least**-2.0)
    for turn in range(turns):
        counts = released[f"counts{turn}"]
        clip = float(value(dp.constant(Fraction(rounds.clip_at(counts, n, least, parts, 0.8))), {}))
        numbers = {f"clip{turn}": Fraction(clip)}
        lengths = np.linalg.norm(X, axis=1) * np.abs(X @ theta - y)
        counted = lengths / 3 > float(rounds.CUTS[0])
        own = counted / float(value(sizes[f"counts{turn}"], {})) ** 2
        std = float(value(sizes[f"gradient{turn}"], numbers))
        own = own + (np.minimum(lengths, clip * 3) / std) ** 2
        total += np.where((batch == turn) | (cls is not dp.regressions.AMBSSGD), own, 0.0)
        step = 0.7 * parts * 3 / 1.5**2 / max(n, least) * released[f"gradient{turn}"]
        theta = theta - step
    most = float(sigma_of(1, 1e-6)) ** -2
    assert np.all(total <= most * (1 + 1e-9))
    assert total.max() > 0.95 * most


@every
@relations
def test_it_fits_and_beats_zeros(cls, relation):
    """Of 20,000 records at epsilon = 2; the same from shuffled ones."""
    X, y = table(20_000)
    proof = dp.certify(
        cls(rounds=6), target=dp.ApproxDP(2, "1e-6"), setting=samples.setting(relation)
    )
    found = dp.execute(proof, X, y, rng=1).output.coefficients
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    lost = np.mean((y - X @ found) ** 2) - np.mean((y - X @ best) ** 2)
    assert 0 < lost < 0.02 * np.mean(y**2)
    order = np.random.default_rng(2).permutation(len(X))
    again = dp.execute(proof, X[order], y[order], rng=1).output.coefficients
    assert np.allclose(again, found, rtol=1e-9)


def test_the_clip_is_a_quantile():
    """The first cut with at most 1 - level of the rows above; the last where there is none."""
    counts = np.zeros(len(rounds.CUTS))
    counts[3], counts[5] = 60, 30  # above cuts 3 and 5, up to the next ones
    clip = lambda level, n=100.0, parts=1.0: rounds.clip_at(counts, n, 1.0, parts, level)  # noqa: E731
    assert clip(0.05) == float(rounds.CUTS[0])  # 90 above, 95 allowed
    assert clip(0.5) == float(rounds.CUTS[4])  # 30 above
    assert clip(0.9) == float(rounds.CUTS[6])
    assert clip(0.5, n=200.0, parts=2.0) == clip(0.5)
    assert rounds.clip_at(np.full(len(counts), 9.0), 10.0, 1.0, 1.0, 0.9) == 1.0
    assert rounds.CUTS[-1] == 1


def test_many_rounds_are_proved_quickly():
    """Nothing grows as 2^T: 40 rounds of batches."""
    assert dp.examine(
        dp.regressions.AMBSSGD(rounds=40), target=TARGET, setting=samples.setting()
    ).proved
