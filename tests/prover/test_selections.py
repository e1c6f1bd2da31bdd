"""Selections in graphs: what is proved holds, and what is refuted does not, by the exact laws on
small tables; what is drawn has that law.
"""

from __future__ import annotations

import functools
import itertools
import json
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
from scipy import stats

import dpframe as dp
from dpframe.graph.statistics import OneRow
from dpframe.kernel import check
from dpframe.mechanisms import selections
from dpframe.randomness import SystemBits
from tests.support import samples

CUTS = (-1, 1)  # three candidates
JUDGED = selections.ExponentialSelection, selections.PermuteAndFlipSelection
LAWS = {}


def law(*kinds):
    """The exact law of an index, of integer scores and a scale."""

    def enter(rule):
        LAWS.update(dict.fromkeys(kinds, rule))
        return rule

    return enter


@law(selections.ExponentialSelection, selections.GumbelSelection)
def weights(scores, scale):
    """e^(q/s) over their sum."""
    found = [mpmath.e ** (mpmath.mpf(q) / scale) for q in scores]
    return [one / mpmath.fsum(found) for one in found]


@law(selections.PermuteAndFlipSelection, selections.ExponentialNoiseSelection)
def flips(scores, scale):
    """By every order of the candidates."""
    best = max(scores)
    heads = [mpmath.e ** (mpmath.mpf(q - best) / scale) for q in scores]
    total, orders = [mpmath.mpf(0)] * len(scores), list(itertools.permutations(range(len(scores))))
    for order in orders:
        missed = mpmath.mpf(1)
        for i in order:
            total[i] += missed * heads[i]
            missed *= 1 - heads[i]
    return [one / len(orders) for one in total]


@law(selections.LaplaceSelection)
def noisy(scores, scale):
    """Discrete Laplace noise, by the sum over the winner's value; of equal sums the first wins."""
    a = mpmath.e ** (-1 / mpmath.mpf(scale))
    below = lambda k: a ** (-k) / (1 + a) if k < 0 else 1 - a ** (k + 1) / (1 + a)  # noqa: E731
    span = int(60 * scale) + max(scores) - min(scores)
    found = []
    for i, own in enumerate(scores):
        values = range(min(scores) - span, max(scores) + span)
        found.append(
            mpmath.fsum(
                (1 - a)
                / (1 + a)
                * a ** abs(v - own)
                * mpmath.fprod(below(v - q - (j < i)) for j, q in enumerate(scores) if j != i)
                for v in values
            )
        )
    return found


class Fullest(dp.Regression):
    """The index of the fullest bin of labels in [-2, 2]."""

    noise: object
    shared: bool = True

    def declare(self, X, y, budget):
        """One release."""
        del X
        votes, share = dp.graph.bin_counts(y, CUTS), budget if self.shared else None
        return dp.release(votes, self.noise, share, name="fullest")


class Chosen(dp.Regression):
    """The same by a theorem."""

    law: str = "ExponentialSelection"

    def declare(self, X, y, budget):
        """One release."""
        del X
        votes = dp.graph.bin_counts(y, CUTS)
        return dp.release(votes, getattr(selections, self.law).pure, budget, name="fullest")


def setting(relation):
    """Labels in [-2, 2]."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=relation)


def neighbours(counts, relation):
    """Every table of counts that one record makes of this one."""
    for i in range(len(counts)):
        more = [c + (k == i) for k, c in enumerate(counts)]
        if relation is dp.ADD_REMOVE:
            yield more
            continue
        yield from (
            [c - (k == j) for k, c in enumerate(more)]
            for j in range(len(counts))
            if j != i and counts[j] > 0
        )


def worst(rule, scale, relation):
    """The largest loss of an index over small tables, some with one candidate far ahead."""
    tables = [*itertools.product(range(2), repeat=3), (0, 12, 1), (40, 1, 0), (0, 1, 90)]
    found, rule = mpmath.mpf(0), functools.cache(rule)
    with mpmath.workdps(40):
        for counts in tables:
            first = rule(counts, scale)
            for other in neighbours(counts, relation):
                second = rule(tuple(other), scale)
                pairs = zip(first, second, strict=True)
                found = max([found, *(abs(mpmath.log(p / q)) for p, q in pairs)])
    return found


@pytest.mark.some(4)
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("cls", samples.SELECTIONS, ids=lambda c: c.__name__)
def test_the_stated_epsilon_is_the_supremum(cls, relation):
    """Never passed on small tables, and nearly reached where one candidate is far behind."""
    scale = Fraction(3, 2)
    node = Fullest(cls(scale)).graph(setting(relation), dp.PureDP(9).budget).releases[0]
    moved = node.statistic.sensitivity(dp.sensitivity.RANGE)
    claimed = float(node.guarantee(moved.value).epsilon.value)
    true = worst(LAWS[cls], float(scale), relation)
    assert claimed * 0.97 < true <= claimed * (1 + 1e-12)


@pytest.mark.some(6)
@pytest.mark.parametrize("target", [dp.PureDP(1), dp.ApproxDP(1, "1e-6")], ids=str)
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("cls", samples.SELECTIONS, ids=lambda c: c.__name__)
def test_half_exact_and_double_scales(cls, relation, target):
    """Half is not proved, and refuted of epsilon alone; exact and double are proved."""
    moved = 2 if relation is dp.REPLACE_ONE else 1
    found = [
        dp.audit(Fullest(cls(moved * f)), target=target, setting=setting(relation))
        for f in (Fraction(1, 2), 1, 2)
    ]
    assert [str(one.verdict) for one in found[1:]] == ["proved"] * 2
    known = isinstance(target, dp.PureDP) or cls is not selections.LaplaceSelection
    assert str(found[0].verdict) == ("refuted" if known else "unproved")


SCORES = {
    "squares": (lambda X, y: dp.graph.column_squares(X), 1, [(1, 0, 0)], [(1, -1, 0)]),
    "sum": (lambda X, y: X.sum(), dp.sqrt(2) / 2, [(1, -1, 0)], [(2, -2, 0)]),
    "moment": (lambda X, y: X.T @ y, dp.sqrt(2), [(1, -1, 0)], [(2, -2, 0)]),
}
"""Statistics; the unit in which records of norm 1 with labels of 2 make whole scores, up to one
that is added to all; what one record more moves these by, and one in the place of another.
"""


class Scored(dp.Regression):
    """A column by its score."""

    what: str
    noise: object

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(SCORES[self.what][0](X, y), self.noise, budget, name="column")


@pytest.mark.some(8, most=0)
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("cls", samples.SELECTIONS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("what", SCORES)
def test_scores_of_rows_are_refuted_by_rows_that_occur(what, cls, relation):
    """The exact scale is proved, and nine tenths of it refuted: by the laws on scores that rows
    make, the loss of a column far behind is above the claim.
    """
    _, unit, added, replaced = SCORES[what]
    moves = replaced if relation is dp.REPLACE_ONE else added
    span = max(moves[0]) - min(moves[0])
    for part, verdict in ((1, "proved"), (Fraction(9, 10), "refuted")):
        noise = cls(dp.constant(span * part) * unit)
        done = dp.audit(Scored(what, noise), target=dp.PureDP(1), setting=setting(relation))
        assert str(done.verdict) == verdict
    lost, scale = mpmath.mpf(0), span * 0.9
    for base, move in itertools.product([(-12, 12, 0), (-30, 30, 0)], moves):
        first = LAWS[cls](base, scale)
        second = LAWS[cls]([a + b for a, b in zip(base, move, strict=True)], scale)
        lost = max(lost, abs(mpmath.log(second[0] / first[0])))
    assert 1 < lost <= 1 / mpmath.mpf("0.9") * (1 + mpmath.mpf("1e-12"))


@pytest.mark.parametrize("cls", samples.SELECTIONS, ids=lambda c: c.__name__)
def test_bounded_range_belongs_to_the_exponential_mechanism_alone(cls):
    """rho = epsilon^2/8 is proved of it; of the others what randomised response costs, 0.4621."""
    eighth = LAWS[cls] is weights
    least, less = ("0.125", "0.1249") if eighth else ("0.5", "0.462")
    for rho, verdict in ((least, "proved"), (less, "unproved")):
        for shared in (True, False):
            regression, target = Fullest(cls(1), shared=shared), dp.ZeroConcentratedDP(rho)
            done = dp.audit(regression, target=target, setting=setting(dp.ADD_REMOVE))
            assert str(done.verdict) == verdict


@pytest.mark.parametrize("cls", samples.SELECTIONS, ids=lambda c: c.__name__)
def test_what_is_drawn_has_the_law(cls):
    """100,000 draws of whole scores against the exact probabilities; and of the same in doubles."""
    scores, scale, n = (3, 1, 2, -4), Fraction(5, 2), 100_000
    expected = np.array([float(p) for p in LAWS[cls](scores, float(scale))])
    rows = np.broadcast_to(np.array(scores), (n, 4))
    seen = np.bincount(cls.chosen(rows, scale, SystemBits()), minlength=4)
    assert stats.chisquare(seen, expected / expected.sum() * n).pvalue > 1e-6
    again = np.bincount(cls.chosen(rows.astype(float), scale, SystemBits()), minlength=4)
    coarse = cls is selections.LaplaceSelection  # in doubles its noise is on a finer grid
    assert abs(again / n - expected).max() < (0.08 if coarse else 0.01)


def test_an_index_is_released_exactly_and_checked(tmp_path):
    """Executed exactly; the kernel replays the file, and refuses it with half the scale."""
    proof = dp.certify(Chosen(), target=dp.PureDP(dp.EPSILON), setting=setting(dp.REPLACE_ONE))
    y = np.repeat([-2.0, 0.0, 2.0], [10, 10, 400])
    done = dp.execute(proof.at(epsilon=1), np.zeros((420, 2)), y, rng=1)
    assert done.output == 2.0
    assert "idealized" not in str(proof)
    path = tmp_path / "selection.json"
    proof.save(path)
    document = json.loads(path.read_text())
    assert check(document).accepted
    (node,) = (one for one in document["graph"]["nodes"] if one["kind"] == "release")
    for wrong in ({"mechanism": "laplace"}, {"rule": "stated", "size": [1]}, {"times": 2}):
        kept = dict(node)
        node.update(wrong)
        assert not check(document).accepted
        node.update(kept)


def test_scores_are_a_vector():
    """A number, a matrix and a stack have no candidates."""
    noise = selections.PermuteAndFlipSelection(1)
    for ask in (lambda X, y: X.T @ X, lambda X, y: y @ y):

        class Wrong(dp.Regression):
            def declare(self, X, y, budget, ask=ask):
                return dp.release(ask(X, y), noise, budget)

        with pytest.raises(dp.InvalidArgument, match="a vector of scores"):
            dp.audit(Wrong(), target=dp.PureDP(1), setting=setting(dp.ADD_REMOVE))


def test_several_rows_a_person_move_scores_by_a_sum():
    """Three rows cost three times as much."""
    one = attrs.evolve(setting(dp.ADD_REMOVE), rows_per_person=3)
    noise = selections.ExponentialSelection(3)
    assert str(dp.audit(Fullest(noise), target=dp.PureDP(1), setting=one).verdict) == "proved"
    assert str(dp.audit(Fullest(noise), target=dp.PureDP("0.99"), setting=one).verdict) != "proved"


class Parted(dp.Regression):
    """The fuller side of some cuts."""

    noise: object
    cuts: tuple = (0,)
    absolute: bool = False

    def declare(self, X, y, budget):
        """One release."""
        del X
        votes = dp.graph.bin_counts(y, self.cuts, absolute=self.absolute)
        return dp.release(votes, self.noise, budget)


@pytest.mark.some(4)
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("part", ["3/10", "4/5"])
@pytest.mark.parametrize("cls", JUDGED, ids=lambda c: c.__name__)
def test_no_true_claim_with_a_delta_is_refuted(cls, relation, part):
    """Two counts are whole numbers apart: above the largest delta of any tables no claim is
    refuted, and well below it every one is.
    """
    moved, law = (2 if relation is dp.REPLACE_ONE else 1), LAWS[cls]
    epsilon, scale = Fraction(part) * 2, Fraction(moved, 2)
    tables = [*itertools.product(range(2), range(12)), *itertools.product(range(12), range(2))]
    pairs = [(one, other) for one in tables for other in neighbours(list(one), relation)]
    with mpmath.workdps(30):
        grown = mpmath.e ** (mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        true = mpmath.mpf(0)
        for one, other in pairs:
            p, q = law(one, float(scale)), law(other, float(scale))
            for a, b in ((p, q), (q, p)):
                deltas = (max(0, x - grown * y) for x, y in zip(a, b, strict=True))
                true = max(true, mpmath.fsum(deltas))
    for factor, refuted in ((1.001, False), (0.6, True)):
        target = dp.ApproxDP(epsilon, f"{float(true) * factor:.12f}")
        done = dp.audit(Parted(cls(scale)), target=target, setting=setting(relation))
        assert (str(done.verdict) == "refuted") is refuted


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
@pytest.mark.parametrize("fields", [{"cuts": (3,)}, {"cuts": (-1,), "absolute": True}], ids=str)
def test_cuts_that_part_no_labels_refute_nothing(relation, fields):
    """All labels are in one bin: a record that is replaced moves nothing."""
    noise = selections.ExponentialSelection(Fraction(1, 2))
    asked = {"target": dp.PureDP(1), "setting": setting(relation)}
    assert str(dp.audit(Parted(noise, **fields), **asked).verdict) == "unproved"


@attrs.frozen(cache_hash=True)
class Scores(dp.Statistic):
    """As many scores as there are rows."""

    rows: object

    @property
    def label(self):
        """Its name."""
        return "scores"

    @property
    def inputs(self):
        """The rows."""
        return (self.rows,)

    @property
    def shape(self):
        """(n,)."""
        return (self.rows.rows,)

    def one_row(self, norm, relation):
        """By its word."""
        del norm, relation
        return OneRow(dp.constant(1), "on its word")

    def compute(self, values, number):
        """Zeros."""
        del number
        return np.zeros(len(values[self.rows]))


class OfRows(dp.Regression):
    """A choice among as many candidates as there are rows."""

    def declare(self, X, y, budget):
        """One release."""
        del y
        return dp.release(Scores(X), selections.ExponentialSelection(1), budget)


@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_the_number_of_candidates_is_public(relation):
    """A candidate that one neighbour lacks tells them apart, also where the class is trusted."""
    asked = {"target": dp.PureDP(1), "setting": setting(relation), "trust": [Scores]}
    done = dp.audit(OfRows(), **asked)
    assert (str(done.verdict) == "proved") is (relation is dp.REPLACE_ONE)
    if relation is dp.ADD_REMOVE:
        assert "number of candidates of a selection must be public" in " ".join(str(done).split())


def test_an_attack_holds_what_is_true_and_flags_half_the_scale():
    """By draws of what is executed, on neighbouring tables."""
    proof = dp.certify(Chosen(), target=dp.PureDP(4), setting=setting(dp.REPLACE_ONE))
    assert not dp.attack(proof.at(), seed=1).flagged
    noise = selections.PermuteAndFlipSelection(Fraction(1, 8))
    asked = {"target": dp.PureDP(4), "setting": setting(dp.REPLACE_ONE)}
    declared = dp.audits.unproved(Fullest(noise), label="NOT PRIVATE", **asked)
    assert dp.attack(declared.at(), seed=1).flagged


def test_a_selection_is_no_noise():
    """It is not checked as noise is, and its sample is refused."""
    with pytest.raises(dp.InvalidArgument, match="one that adds noise"):
        dp.audits.check_mechanism(selections.LaplaceSelection(2))


@pytest.mark.parametrize("kind", list(LAWS), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("epsilon", ["1e-9", 1, "1e9"])
def test_what_its_theorem_calibrates_is_replayed_and_runs(kind, epsilon):
    """Also on tables of no record."""
    asked = samples.setting(bound=2)
    declared = Chosen(law=kind.__name__)
    certificate = dp.certify(declared, target=dp.PureDP(epsilon), setting=asked)
    assert certificate.verdict.accepted
    for n in (0, 3):
        found = dp.execute(certificate, np.zeros((n, 2)), np.ones(n), rng=1).output
        assert found in range(3)


@pytest.mark.parametrize("other", [selections.PermuteAndFlipSelection, dp.Laplace])
def test_noise_of_another_kind_makes_another_algorithm(other):
    """Though the formula of its scale, and all else, is the same."""
    pair = [Fullest(kind(1)) for kind in (selections.ExponentialSelection, other)]
    target, asked = dp.PureDP(1), setting(dp.ADD_REMOVE)
    assert not dp.audits.identical(*pair, target=target, setting=asked).identical
    assert dp.audits.identical(pair[0], pair[0], target=target, setting=asked).identical
