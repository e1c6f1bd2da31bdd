"""Wrong noise, wrong factors, reused shares and missing composition in graphs of selections,
running totals and tested medians: an oracle says what is false, and nothing false is proved.

The oracle knows no rule of dpframe: it enumerates the places of a record, and computes what the
exact laws cost. `python -m tests.prover.test_release_mutants` counts them, and those of sums in
test_currencies; `--write` puts the table into docs/published.md.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from fractions import Fraction
from functools import lru_cache

import attrs
import mpmath
import numpy as np
import pytest

import dpframe as dp
from docs.generate.pages.published import PAGE
from dpframe.graph.statistics.bins import median_bin, median_distance
from dpframe.mechanisms import selections
from tests.prover import test_currencies
from tests.prover.test_bins import edits, matrix
from tests.prover.test_selections import LAWS, neighbours, weights
from tests.support import samples
from tests.support.oracles import delta_of

CUTS = (-1, 1)
STEPS = [Fraction(t, 4) - 1 for t in range(1, 8)]  # eight bins
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=dp.ADD_REMOVE)
ROOM = 1 - 1e-9


@attrs.frozen
class Case:
    """What is declared, and what is claimed of it: epsilon, rho, mu, or (epsilon, 1e-6)."""

    what: str
    noise: str
    size: Fraction
    relation: object
    times: int = 1
    twice: bool = False
    """Two releases have one share each, of the whole budget."""
    rows: int = 1
    claim: str = "epsilon"

    @property
    def target(self):
        """The claim, of amount 1."""
        claims = {
            "epsilon": dp.PureDP(1),
            "rho": dp.ZeroConcentratedDP(1),
            "delta": dp.ApproxDP(1, "1e-6"),
            "mu": dp.GaussianDP(1),
        }
        return claims[self.claim]

    @property
    def draws(self):
        """How often noise of this size is drawn."""
        return self.times * (2 if self.twice else 1)

    def verdict(self):
        """What the audit says."""
        asked = attrs.evolve(SETTING, relation=self.relation, rows_per_person=self.rows)
        done = dp.audit(Declared(self), target=self.target, setting=asked)
        return str(done.verdict)

    def false(self):
        """Whether the claim certainly fails, by the oracle."""
        if self.what == "selection":
            return chosen(self)
        move = moved(self.what, self.noise, self.relation) * self.rows
        cost = float(move) / float(self.size)
        if self.noise == "Laplace":
            return cost * self.draws > 1 / ROOM
        square = self.draws * cost**2
        if self.claim in ("rho", "mu"):
            return square / {"rho": 2, "mu": 1}[self.claim] > 1 / ROOM
        return delta_of(1, mpmath.sqrt(square)) > mpmath.mpf("1e-6") / ROOM


class Declared(dp.Regression):
    """The graph of a case."""

    case: object

    def declare(self, X, y, budget):
        """One release, or two."""
        case = self.case
        sums = dp.graph.bin_counts(y, CUTS if case.what == "selection" else STEPS)
        if case.what.startswith("rows of "):
            sums = dp.graph.binned_sums(X, y, STEPS)
        node = sums
        if case.what != "selection":
            node = dp.graph.factored(sums, case.what.removeprefix("rows of "))
        kind = getattr(dp.mechanisms, case.noise)
        names = ("a", "b") if case.twice else ("a",)
        share = attrs.evolve(budget, weights=tuple(w / case.times for w in budget.weights))
        return tuple_of(
            *(dp.release(node, kind(case.size), share, times=case.times, name=n) for n in names)
        )


def tuple_of(*released):
    """One release as it is, two as what a function reads."""
    return released[0] if len(released) == 1 else dp.post(both, *released)


def both(a, b):
    """Two values."""
    return a, b


def chosen(case):
    """By the exact laws: pure losses of independent draws add; rho by D_2."""
    law, relation = LAWS[getattr(selections, case.noise)], case.relation
    if case.claim == "rho":
        return order_two(law, float(case.size / case.rows), relation) * case.draws > 2 / ROOM
    if case.claim == "mu":
        return score(law, float(case.size), relation) > 1 / ROOM
    loss = largest(law, float(case.size / case.rows), relation)
    if case.claim == "epsilon":
        return loss * case.draws > 1 / ROOM
    return case.draws == 1 and loss > 1.5  # of this much delta covers nothing


@lru_cache
def largest(law, scale, relation):
    """The largest loss on three tables: a lower bound on all."""
    found = mpmath.mpf(0)
    for counts in ((0, 12, 1), (30, 1, 0), (1, 1, 1)):
        first = law(counts, scale)
        for other in neighbours(counts, relation):
            pairs = zip(first, law(other, scale), strict=True)
            found = max([found, *(abs(mpmath.log(p / q)) for p, q in pairs)])
    return found


@lru_cache
def order_two(law, scale, relation):
    """The largest D_2 of two candidates and a third far behind, over gaps of the first two."""
    up = 1 if relation is dp.ADD_REMOVE else 2
    found = mpmath.mpf(0)
    for gap in range(-8, 9):
        a, b = law((0, gap), scale), law((0, gap + up), scale)
        for p, q in ((a, b), (b, a)):
            moment = mpmath.fsum(x**2 / z for x, z in zip(p, q, strict=True))
            found = max(found, mpmath.log(moment))
    return found


@lru_cache
def score(law, scale, relation):
    """The largest difference of normal scores of one event, on two candidates and a third."""
    found, up = mpmath.mpf(0), 1 if relation is dp.ADD_REMOVE else 2
    for gap in range(-6, 7):
        for p, q in itertools.permutations([law((0, gap, 0), scale), law((0, gap + up, 0), scale)]):
            scores = [mpmath.erfinv(2 * one[1] - 1) * mpmath.sqrt(2) for one in (p, q)]
            found = max(found, scores[0] - scores[1])
    return found


@lru_cache
def moved(what, noise, relation):
    """The largest move of the factored sums over all places of a record, in the noise's norm."""
    A = np.array(matrix(what.removeprefix("rows of "), 8), dtype=float)
    order = 1 if noise == "Laplace" else 2
    x = np.array([1.0])
    if what.startswith("rows of "):
        x = np.array([0.5, 0.5]) ** 0.5 if noise == "Laplace" else np.array([1.0, 0.0])
    found = 0.0
    for t, u in itertools.product(range(8), repeat=2):
        move = np.outer(A[:, t], x)
        if relation is dp.REPLACE_ONE:
            move = move + np.outer(A[:, u], x if what.startswith("rows of ") else -x)
        found = max(found, float(np.linalg.norm(move.ravel(), order)))
    return found


def selection_cases():
    """Scales for half, a tenth less, exactly and twice what is needed; draws and shares reused."""
    kinds = [one.__name__ for one in samples.SELECTIONS]
    for kind, relation in itertools.product(kinds, samples.RELATIONS):
        need = 1 if relation is dp.ADD_REMOVE else 2
        for factor in ("1/2", "3/4", "9/10", "1", "2"):
            yield Case("selection", kind, need * Fraction(factor), relation)
        yield Case("selection", kind, Fraction(need), relation, times=2, claim="epsilon")
        yield Case("selection", kind, Fraction(need), relation, twice=True)
        yield Case("selection", kind, Fraction(need), relation, rows=2)
        yield Case("selection", kind, Fraction(need) / 2, relation, claim="delta")
        range_bounded = LAWS[getattr(selections, kind)] is weights
        rough = Fraction(need, 6 if range_bounded else 3)
        for claim, size in itertools.product(("rho", "mu"), (rough, Fraction(need))):
            yield Case("selection", kind, size, relation, claim=claim)


def total_cases():
    """Stds and scales for less and for more; shares reused; the columns of the other factor."""
    sums = ("tree", "square_root", "rows of tree", "rows of square_root")
    for what, relation in itertools.product(sums, samples.RELATIONS):
        claims = ("Gaussian", "rho", 0.5), ("Gaussian", "mu", 1.0), ("Laplace", "epsilon", 1.0)
        for noise, claim, one in claims:
            least = moved(what, noise, relation)
            need = least * (one**0.5 if noise == "Gaussian" else 1)
            for factor in (0.5, 0.9, 2.0):
                size = Fraction(need * factor).limit_denominator(10**6)
                yield Case(what, noise, size, relation, claim=claim)
            tight = Fraction(need * 1.001).limit_denominator(10**6)
            yield Case(what, noise, tight, relation, times=2, claim=claim)
            yield Case(what, noise, tight, relation, twice=True, claim=claim)
            yield Case(what, noise, tight, relation, rows=2, claim=claim)
        size = Fraction(moved(what, "Gaussian", relation) * 4).limit_denominator(10**6)
        yield Case(what, "Gaussian", size * Fraction(3, 4), relation, claim="delta")
        yield Case(what, "Gaussian", size * 2, relation, claim="delta")


# ------------------------------------------------------------------------ tested medians
@attrs.frozen
class MedianCase:
    """A median that is released if a test passes: (1, 1e-6) is claimed. `changes` is what the
    noise was made for: 1, or 2 where a record is replaced. The other fields are edits.
    """

    relation: object
    radius: int = 2
    tested: int = 0
    """By how much the tested radius is larger."""
    test: Fraction = Fraction(1)
    noise: Fraction = Fraction(1)
    """Factors of both scales."""
    stds: Fraction = Fraction("13.1224")  # e^-stds/2 < 1e-6
    margin: int = 1
    """In moves of the distance."""
    failure: str = "1e-6"
    rows: int = 1

    what, claim = "tested median", "delta"

    @property
    def changes(self):
        """Records that come or go."""
        return 1 if self.relation is dp.ADD_REMOVE else 2

    @property
    def scales(self):
        """Of the test and of the median: half of epsilon each."""
        return 2 * self.changes * self.test, 2 * self.changes * self.radius * self.noise

    def verdict(self):
        """What the audit says."""
        asked = attrs.evolve(SETTING, relation=self.relation, rows_per_person=self.rows)
        target = dp.ApproxDP(1, "1e-6")
        return str(dp.audit(Median(self), target=target, setting=asked).verdict)

    def false(self):
        """Whether two tables cost more: by the joint law of both releases."""
        first, second = map(float, self.scales)
        threshold = float(self.stds) * first + self.margin * self.changes
        pairs = moves(self.radius + self.tested, self.changes * self.rows)
        costs = (both_released(*one, (first, second), threshold) for one in pairs)
        return any(one > 1e-6 * 1.001 for one in costs)


class Median(dp.Regression):
    """The graph of a case."""

    case: object

    def declare(self, X, y, budget):
        """A test, its bound, the median."""
        del X
        case, half = self.case, budget.split(epsilon=("1/2",), delta=(0,))[0]
        counts = dp.graph.bin_counts(y, STEPS[:4])
        asked = dp.graph.median_distance(counts, case.radius + case.tested)
        test = dp.release(asked, dp.Laplace(case.scales[0]), half, name="test")
        edited = {"stds": case.stds, "margin": case.margin * case.changes}
        low = dp.graph.lower_bound(test, case.failure, name="low", **edited)
        median = dp.graph.tested_median(counts, case.radius, low)
        return dp.release(median, dp.Laplace(case.scales[1]), half, name="median")


@lru_cache
def moves(radius, steps):
    """Every (distance, its neighbour's, move of the median) of tables of five bins, small and
    large, that are so many edits apart.
    """
    found = set()
    for counts in itertools.product((0, 1, 40), repeat=5):
        tables = {counts}
        for _ in range(steps):
            tables = {tuple(other) for one in tables for other in edits(one)}
        own = median_distance(list(counts), radius)
        for other in tables:
            move = abs(median_bin(list(counts)) - median_bin(other))
            its = median_distance(other, radius)
            found |= {(own, its, move), (its, own, move)}
    return sorted(found)


@lru_cache
def both_released(own, other, move, scales, threshold):
    """The delta at epsilon = 1 of T = q + Laplace, and of the median + Laplace where T is above the
    threshold: of the second in closed form, and over T by the rule of Gauss and Legendre
    between corners.
    """
    first, second = scales
    reach = 40 * first
    ends = {-reach, own, other, threshold, max(own, other) + reach}
    t, weight = np.polynomial.legendre.leggauss(60)
    found = 0.0
    for a, b in itertools.pairwise(sorted(ends)):
        at, width = (a + b) / 2 + (b - a) / 2 * t, (b - a) / 2 * weight
        density = np.exp(-abs(at - own) / first) / (2 * first)
        left = 1 - (abs(at - other) - abs(at - own)) / first  # of epsilon
        shift = move / second if a >= threshold else 0.0
        own_delta = np.where(left <= -shift, -np.expm1(left), -np.expm1((left - shift) / 2))
        found += float((width * density * np.where(left >= shift, 0, own_delta)).sum())
    return found


def median_cases():
    """Another radius tested, less noise, a threshold too low, reused shares, several rows."""
    halves = [Fraction(one) for one in ("1/2", "3/4", "9/10", "2")]
    edited = [
        {},
        *({"noise": one} for one in halves),
        *({"test": one} for one in halves),
        *({"tested": one} for one in (-1, 1)),
        *({"stds": Fraction(one)} for one in (0, 3, 9, 12, 14)),
        *({"margin": one} for one in (0, 3)),
        {"stds": Fraction(12), "margin": 10},
        {"failure": "1e-5"},
        {"rows": 2},
        {"rows": 2, "noise": Fraction(2)},
    ]
    for relation, radius, edit in itertools.product(samples.RELATIONS, (1, 2), edited):
        if radius + edit.get("tested", 0) > 0:
            yield MedianCase(relation, radius, **edit)


CASES = [*selection_cases(), *total_cases(), *median_cases()]


@pytest.mark.some(40, most=40)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_nothing_false_is_proved_and_nothing_true_refuted(case):
    """By any derivation; and where the noise is ample, it is proved."""
    found, false = case.verdict(), case.false()
    assert found != ("proved" if false else "refuted")
    if not false and isinstance(case, Case) and case.draws == case.rows == 1:
        weak = case.what == "selection" and case.claim in ("rho", "mu")
        wide = case.what.startswith("rows of") and case.noise == "Laplace"  # grows with columns
        assert weak or wide or case.claim == "delta" or found == "proved"
    if isinstance(case, MedianCase) and case == MedianCase(case.relation, case.radius):
        assert found == "proved"


# ------------------------------------------------------------------------ how many
BEGIN, END = "<!-- begin mutants -->\n", "<!-- end mutants -->"


def judged():
    """Graph and claim of each mutant, whether the claim is false by the oracle, and the verdict:
    of each share of the sums of test_currencies too, and of their totals where that is certain.
    """
    for case in CASES:
        what = case.what.removeprefix("rows of ").replace("_", " ")
        yield what, case.claim, case.false(), case.verdict()
    for seed in test_currencies.SEEDS:
        drawn, audit, costs = test_currencies.audited(seed)
        claim = {"epsilon, delta": "delta", "mu^2": "mu"}.get(drawn[0], drawn[0])
        for line, (cost, most) in zip(audit.lines, costs, strict=True):
            yield "a share of a sum", claim, cost > most * (1 + test_currencies.TINY), line.claim
        if claim in ("epsilon", "rho"):
            yield "a sum", claim, not test_currencies.true_total(*drawn), str(audit.verdict)


def table(found):
    """How many claims are false, and how many of these proved; true, and how many refuted."""
    rows = {}
    for what, claim, false, verdict in found:
        row = rows.setdefault((what, claim), Counter())
        row.update([false, (false, verdict)])
    rows = dict(sorted(rows.items()))
    rows["**together**", ""] = sum(rows.values(), Counter())
    lines = ["| graph | claim | false | proved | refuted | true | refuted | proved |"]
    lines.append("| --- | --- | " + " | ".join(["---:"] * 6) + " |")
    for names, row in rows.items():
        cells = row[True], row[True, "proved"], row[True, "refuted"]
        cells += row[False], row[False, "refuted"], row[False, "proved"]
        lines.append(f"| {' | '.join([*names, *map(str, cells)])} |")
    return "\n".join(lines) + "\n"


@pytest.mark.page
@pytest.mark.slow
def test_the_table_of_mutants_is_fresh():
    """And none survives."""
    page, found = PAGE.read_text("utf-8"), list(judged())
    assert page[page.index(BEGIN) + len(BEGIN) : page.index(END)] == table(found)
    assert not {(True, "proved"), (False, "refuted")} & {one[2:] for one in found}


if __name__ == "__main__":
    written = table(judged())
    if "--write" in sys.argv:
        page = PAGE.read_text("utf-8")
        head, rest = page.split(BEGIN)
        PAGE.write_text(head + BEGIN + written + rest[rest.index(END) :], "utf-8")
    sys.stdout.write(written)
