"""Running totals and tested medians: sensitivities by brute force over small tables, what is proved
and what is not, and conditional statements, which prove nothing on their own.
"""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from math import comb

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.facts import SymbolicContext
from dpframe.graph.maps.grid import GridColumn
from dpframe.graph.statistics.bins import median_bin, median_distance, running_totals
from dpframe.kernel import check
from dpframe.sensitivity import L1, L2, RANGE
from dpframe.theory.facts import StatisticFacts
from dpframe.theory.statistics import FACTORS, counted, square_root, tree_levels
from tests.support import samples
from tests.support.oracles import value

CUTS = ["-3/4", "-1/2", "-1/4", 0, "1/4", "1/2", "3/4"]
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def matrix(factor, bins):
    """The factor, written out by its definition."""
    if factor == "square_root":
        first = [Fraction(int(comb(2 * k, k) * 2**30 // 4**k), 2**30) for k in range(bins)]
        return [[first[t - s] if s <= t else Fraction(0) for s in range(bins)] for t in range(bins)]
    found, width = [], 1
    while True:
        starts = range(0, bins, width)
        found += [[Fraction(a <= s < a + width) for s in range(bins)] for a in starts]
        if width >= bins:
            return found
        width *= 2


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("bins", [2, 3, 4, 5, 8, 13, 32])
def test_a_factor_is_its_matrix_with_these_columns(factor, bins):
    """Rows, the largest norms of a column, and the finest step, exactly."""
    written = matrix(factor, bins)
    columns = list(zip(*written, strict=True))
    found = FACTORS[factor](bins)
    assert found.rows == len(written)
    assert found.column == (max(map(sum, columns)), max(sum(a * a for a in c) for c in columns))
    assert all(a >= 0 and (a * found.grain).denominator == 1 for c in columns for a in c)
    moves = [
        [a - b for a, b in zip(*two, strict=True)] for two in itertools.permutations(columns, 2)
    ]
    assert found.apart == (
        max(sum(map(abs, move)) for move in moves),
        max(sum(a * a for a in move) for move in moves),
    )


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("bins", [2, 3, 7, 16, 33])
def test_totals_are_made_of_what_is_released(factor, bins):
    """Without noise, running_totals gives the running totals of counts and of sums of rows."""
    sums = np.random.default_rng(bins).integers(0, 9, (bins, 3)).astype(float)
    A = np.array(matrix(factor, bins), dtype=float)
    found = running_totals((A @ sums).ravel(), factor, bins)
    assert np.allclose(found, sums.cumsum(axis=0), atol=1e-9)
    assert running_totals(A @ sums[:, 0], factor, bins).shape == (bins,)


def test_the_square_root_squares_to_the_totals():
    """But for what is rounded down: below T 2^-30."""
    bins = 40
    C = np.array(matrix("square_root", bins), dtype=float)
    assert abs(C @ C - np.tril(np.ones((bins, bins)))).max() < bins * 2.0**-29
    assert square_root(3) == [2**30, 2**29, 3 * 2**27]
    assert tree_levels(5) == [5, 3, 2, 1]


@pytest.mark.some(6)
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("of_rows", [True, False])
def test_no_pair_moves_a_factor_further(factor, relation, of_rows):
    """Every place of a record, and of the one that takes its place, against the bound."""
    X, y = attrs.evolve(SETTING, relation=relation).nodes()
    sums = dp.graph.binned_sums(X, y, CUTS) if of_rows else dp.graph.bin_counts(y, CUTS)
    node, A = dp.graph.factored(sums, factor), np.array(matrix(factor, 8), dtype=float)
    if not of_rows:
        pairs = itertools.product(A.T, A.T if relation is dp.REPLACE_ONE else [np.zeros(len(A))])
        assert max(np.ptp(a - b) for a, b in pairs) <= value(node.sensitivity(RANGE).value, {})
    for norm, order in ((L1, 1), (L2, 2)):
        bound = value(node.sensitivity(norm).value, {"d": 2})
        unit = np.array([0.5**0.5] * 2) if order == 1 else np.array([1.0, 0.0])
        x, z = (unit, -unit) if of_rows else (np.ones(1), np.ones(1))
        moves = []
        for t, u in itertools.product(range(8), repeat=2):
            move = np.outer(A[:, t], x)
            if relation is dp.REPLACE_ONE:
                move = move - np.outer(A[:, u], z)
            moves.append(np.linalg.norm(move.ravel(), order))
        assert max(moves) <= bound * (1 + 1e-12)
        assert max(moves) == pytest.approx(bound, rel=1e-9)
        assert node.sensitivity(norm).attained


def edits(counts):
    """Every table of counts with one record more or less."""
    for i in range(len(counts)):
        yield [*counts[:i], counts[i] + 1, *counts[i + 1 :]]
        if counts[i]:
            yield [*counts[:i], counts[i] - 1, *counts[i + 1 :]]


@pytest.mark.parametrize(("bins", "most"), [(3, 4), (4, 3), (5, 2)])
def test_the_distance_is_stable_and_safe(bins, most):
    """On all small tables and their neighbours: it moves by 1 at most, and where it is above 0 on
    both, the median moves by no more than the radius. Some tables do move further.
    """
    unsafe = 0
    for counts in map(list, itertools.product(range(most + 1), repeat=bins)):
        for radius in range(1, bins - 1):
            own = median_distance(counts, radius)
            for other in edits(counts):
                its = median_distance(other, radius)
                assert abs(own - its) <= 1
                apart = abs(median_bin(counts) - median_bin(other)) > radius
                assert not (apart and own and its)
                unsafe += apart
    assert unsafe


class Median(dp.Regression):
    """Propose, test, release; every part of it may be changed."""

    radius: int = 2
    tested: int = 2
    factor: str = "1"
    scale: str = "1"
    upper: bool = False
    paid: bool = True
    other: bool = False

    def declare(self, X, y, budget):
        """A test, its bound, the median."""
        del X
        half, share = budget.epsilon / 2, budget.split(epsilon=("1/2",), delta=(0,))[0]
        counts = dp.graph.bin_counts(y, CUTS)
        asked = dp.graph.bin_counts(y, CUTS[1:]) if self.other else counts
        test = dp.release(
            dp.graph.median_distance(asked, self.tested),
            dp.Laplace(scale=Fraction(self.scale) / half),
            share,
            name="test",
        )
        bound = dp.graph.upper_bound if self.upper else dp.graph.lower_bound
        stds = None if self.paid else dp.constant(1)
        low = bound(test, budget.delta / 2, name="low", stds=stds)
        noise = dp.Laplace(scale=self.radius * Fraction(self.factor) / half)
        median = dp.graph.tested_median(counts, self.radius, low)
        return dp.release(median, noise, share, name="median")


TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)


def test_a_median_is_proved_executed_and_checked(tmp_path):
    """For every epsilon and delta, at numbers, and by the kernel, which refuses changed files."""
    proof = dp.certify(Median(), target=TARGET, setting=SETTING)
    rng = np.random.default_rng(0)
    y = rng.uniform(-1, 1, 5000)
    done = dp.execute(proof.at(epsilon=2, delta="1e-6"), np.zeros((5000, 1)), y, rng=3)
    assert abs(done.output - 3.5) < 12
    proof.save(tmp_path / "median.json")
    document = json.loads((tmp_path / "median.json").read_text())
    assert check(document).accepted
    nodes = {node["kind"]: node for node in document["graph"]["nodes"]}
    for kind, wrong in (
        ("tested_median", {"radius": 1}),
        ("median_distance", {"radius": 3}),
        ("bound", {"upper": True}),
        ("bound", {"stds": "1"}),
        ("bound", {"margin": "0"}),
    ):
        kept = dict(nodes[kind])
        nodes[kind].update(wrong)
        assert not check(document).accepted
        nodes[kind].update(kept)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tested": 1},
        {"tested": 3},
        {"factor": "1/2"},
        {"scale": "1/2"},
        {"upper": True},
        {"paid": False},
        {"other": True},
    ],
    ids=str,
)
def test_mutants_of_a_median_are_not_proved(wrong):
    """Another radius tested, less noise, the wrong side, a failure that is not paid for."""
    done = dp.audit(Median(**wrong), target=TARGET, setting=SETTING)
    assert str(done.verdict) != "proved"
    if wrong.keys() & {"tested", "upper", "other"}:
        (found,) = (one for one in done.report.open_obligations if one.kind == "sensitivity")
        assert "a lower bound on the distance of these counts, with this radius" in str(found)


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_a_replaced_record_counts_twice(relation):
    """It goes, and another comes: the noise for one is not enough."""
    asked = attrs.evolve(SETTING, relation=relation)
    done = dp.audit(Median(), target=TARGET, setting=asked)
    twice = dp.audit(Median(factor="2", scale="2"), target=TARGET, setting=asked)
    assert (str(done.verdict) == "proved") is (relation is dp.ADD_REMOVE)
    assert str(twice.verdict) == "proved"


class Moved(dp.Regression):
    """The same test, its bound moved by hand."""

    stds: int
    margin: int

    def declare(self, X, y, budget):
        """A test, its bound, the median."""
        del X
        first, second = budget.split(epsilon=("1/2", "1/2"), delta=(0, 0))
        counts = dp.graph.bin_counts(y, CUTS)
        test = dp.release(dp.graph.median_distance(counts, 2), dp.Laplace(scale=2), first)
        moved = {"stds": self.stds, "margin": self.margin}
        low = dp.graph.lower_bound(test, budget.delta, name="low", **moved)
        return dp.release(dp.graph.tested_median(counts, 2, low), dp.Laplace(scale=4), second)


@pytest.mark.parametrize(("stds", "margin"), [(100, 0), (13, 100)])
def test_stds_and_a_margin_make_up_for_each_other(stds, margin):
    """The test passes where noise of scale 2 is above 200, or 126, at a distance of 0: less often
    than 1e-6. The obligations are not met, and the claim is true: not proved, and not refuted.
    """
    asked = {"target": dp.ApproxDP(1, "1e-6"), "setting": SETTING}
    assert str(dp.audit(Moved(stds, margin), **asked).verdict) == "unproved"
    assert str(dp.audit(Moved(14, 1), **asked).verdict) == "proved"


DESCRIBED = """
title = "a conditional sensitivity"
relation = "add-remove"
[claim]
epsilon = 1
delta = 1e-6
[rows]
norm = 1
[labels]
bound = 1
[[release]]
name = "test"
statistic = "median_distance(counts(y, 40), 3)"
mechanism = "laplace"
scale = "2"
share = "1/2, 0"
{fails}
[[release]]
name = "own"
statistic = "other"
sensitivity = "1/4"
norm = "L1"
why = "the paper, Lemma 3"
{given}
mechanism = "laplace"
scale = "1/2"
share = "1/2, 0"
"""


@pytest.mark.parametrize(
    ("fails", "given", "proved"),
    [
        ("", "", True),
        ("", 'given = "the table is ordinary"', False),
        ("", 'given = "test"', False),
        ('fails = "delta"', 'given = "test"', True),
        ('fails = "2*delta"', 'given = "test"', False),
    ],
)
def test_what_holds_conditionally_proves_nothing_alone(tmp_path, fails, given, proved):
    """A statement for all neighbours is taken on its word; one for some needs a bound that delta
    pays for.
    """
    path = tmp_path / "own.toml"
    path.write_text(DESCRIBED.format(fails=fails, given=given))
    found = dp.audits.read_description(path)
    done = dp.audit(found.regression, target=found.target, setting=found.setting)
    assert (str(done.verdict) == "proved") is proved
    if proved:
        assert any("stated, not derived" in one for one in done.certificate.assumptions)


class Totals(dp.Regression):
    """Running totals of sixteen steps, released by a factor."""

    factor: str

    def declare(self, X, y, budget):
        """Counts of labels, or sums of rows, and their totals."""
        steps = [f"{t - 8}/8" for t in range(1, 16)]
        counts = dp.graph.factored(dp.graph.bin_counts(y, steps), self.factor)
        sums = dp.graph.factored(dp.graph.binned_sums(X, y, steps), self.factor)
        one, two = budget.split_evenly(2)
        counted = dp.release(counts, dp.Gaussian.analytic, one, name="counts")
        summed = dp.release(sums, dp.Gaussian.analytic, two, name="sums")
        return dp.post(totals, counted, summed, self.factor)


def totals(counted, summed, factor):
    """Both, as running totals."""
    return running_totals(counted, factor, 16), running_totals(summed, factor, 16)


@pytest.mark.parametrize("factor", FACTORS)
def test_totals_are_released_exactly_and_near_the_truth(factor):
    """Drawn on the grid, with little noise: the totals of the table, within some stds."""
    proof = dp.certify(Totals(factor), target=dp.ZeroConcentratedDP(2000), setting=SETTING)
    assert "idealized" not in str(proof)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 2)) / 4, rng.uniform(-1, 1, 400)
    counted, summed = dp.execute(proof.at(d=2), X, y, rng=2).output
    ends = np.arange(-7, 9) / 8
    assert np.allclose(counted, [(y <= end).sum() for end in ends], atol=1.5)
    assert np.allclose(summed, [X[y <= end].sum(axis=0) for end in ends], atol=1.5)


def pairs_of_labels(bound):
    """Neighbouring labels by brute force: one is replaced by another."""
    points = [Fraction(k, 4) for k in range(-4 * bound, 4 * bound + 1)]
    return list(itertools.product(points, points))


def place(label, cuts, absolute):
    """The bin of a label: how many cuts lie below it."""
    return sum(cut < (abs(label) if absolute else label) for cut in cuts)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("cuts", [[-2], [-1, 0], ["-1/2"], [0], [1], [2], ["1/4", 3], [-3, 5]])
def test_counts_are_attained_where_a_replaced_label_changes_its_bin(cuts, absolute):
    """One count falls, another rises: 2 in L1, sqrt 2 in L2."""
    labels = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
    node = dp.graph.bin_counts(labels.nodes()[1], cuts, absolute=absolute)
    ends = [Fraction(cut) for cut in cuts]
    moves = {place(y, ends, absolute) != place(w, ends, absolute) for y, w in pairs_of_labels(1)}
    for norm, most in ((L1, 2), (L2, 2**0.5)):
        found = node.sensitivity(norm)
        assert value(found.value, {}) == pytest.approx(most)
        assert found.attained is (True in moves)


@pytest.mark.parametrize(("inner", "attained"), [(1, True), (2, True), (3, False)])
def test_a_clipped_label_attains_the_narrower_bound(inner, attained):
    """Labels of [-2, 2], clipped again: every label of [-inner, inner] occurs up to 2."""
    labels = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=dp.REPLACE_ONE)
    found = dp.total(labels.nodes()[1].clip(-inner, inner)).sensitivity(L1)
    seen = {abs(max(min(y, inner), -inner)) for y, _ in pairs_of_labels(2)}
    assert found.attained is attained is (2 * max(seen) == value(found.value, {}))
    lopsided = dp.total(labels.nodes()[1].clip(-1, 2))
    assert not lopsided.sensitivity(L1).attained


@pytest.mark.parametrize("factor", FACTORS)
def test_a_replaced_record_is_charged_the_difference_of_two_columns(factor):
    """Exactly that is proved and replayed, and more; less noise is refuted."""
    setting = attrs.evolve(SETTING, relation=dp.REPLACE_ONE)
    y = setting.nodes()[1]
    node = dp.graph.factored(dp.graph.bin_counts(y, CUTS), factor)
    found = FACTORS[factor](8)
    exactly = dp.sqrt(dp.constant(found.apart[1]))
    assert node.sensitivity(L2).value == exactly

    class Released(dp.Regression):
        std: dp.Expression

        def declare(self, X, y, budget):
            return dp.release(
                dp.graph.factored(dp.graph.bin_counts(y, CUTS), factor), dp.Gaussian(self.std)
            )

    target = dp.ZeroConcentratedDP("1/2")
    for std in (exactly, dp.sqrt(dp.constant(2 * found.column[1]))):
        made = dp.certify(Released(std), target=target, setting=setting)
        assert check(json.loads(json.dumps(made.document))).accepted
    less = dp.audit(Released(exactly * dp.constant("0.999999")), target=target, setting=setting)
    assert less.verdict.value == "refuted"


def test_bins_that_labels_may_not_reach_attain_nothing():
    """Cuts at the bound, sizes, labels on a grid and of two classes."""
    setting = attrs.evolve(SETTING, relation=dp.REPLACE_ONE)
    y = setting.nodes()[1]
    classes = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(lower=0, upper=1), relation=dp.REPLACE_ONE
    ).nodes()[1]
    for counts in (
        dp.graph.bin_counts(y, [0, 1]),
        dp.graph.bin_counts(y, ["1/4", "1/2"], absolute=True),
        dp.graph.bin_counts(GridColumn(y, 20), [0, "1/3"]),
        dp.graph.bin_counts(classes, [0, "1/3"]),
    ):
        assert not dp.graph.factored(counts, "square_root").sensitivity(L2).attained
    assert (
        dp.graph.factored(dp.graph.bin_counts(y, [0, "1/3"]), "square_root")
        .sensitivity(L2)
        .attained
    )


def test_medians_are_of_counts_alone():
    """Sums of rows of one column are no counts, whatever their step."""
    for tally in (True, False):
        at = SymbolicContext(None, dp.ADD_REMOVE)
        one, three = at.number(1), at.number(3)
        counted(at, StatisticFacts((three,), one, one, steps=(one,), bins=3, tally=tally), 1)
        assert bool(at.open) is not tally
