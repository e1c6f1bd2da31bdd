"""Random stopping and Sub-Agg: laws, noise by hand, certificates, fits."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import Uncertified
from dpframe.execution import running
from dpframe.graph import Graph, post, release
from dpframe.graph.maps.residuals import clipped_error
from dpframe.graph.procedures.random_stopping import RandomStopping
from dpframe.graph.statistics import LabelSum
from dpframe.randomness import Randomness
from dpframe.regressions.tuned import theta_of
from tests.support import checking as check
from tests.support import samples

# ---------------------------------------------------------------------------------- Random stopping
PURE, APPROX = dp.PureDP(dp.EPSILON), dp.ApproxDP(dp.EPSILON, dp.DELTA)
LAMS = (0, 1, 10, 1000)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)


def setting(relation=dp.ADD_REMOVE):
    """Entries in [-1, 1]."""
    return dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=relation)


def tuned(**more):
    """FunctionalRidge, its penalty tuned."""
    return dp.regressions.Tuned(
        **{"of": dp.regressions.FunctionalRidge(), "field": "lam", "candidates": LAMS, **more}
    )


# ---------------------------------------------------------------------------------------- theorem
def best_of_runs(law, scores, gamma):
    """The law of the released fit, by its definition: for k runs, the first of the lowest score."""
    released, left = np.zeros(len(law)), 1.0
    for k in range(1, 60):
        left *= 1 if k == 1 else 1 - gamma
        for i, _ in enumerate(law):
            above = sum(law[j] for j in range(len(law)) if scores[j] > scores[i])
            same = sum(law[j] for j in range(len(law)) if scores[j] == scores[i])
            first = sum(above**m * (above + same) ** (k - 1 - m) for m in range(k))
            released[i] += left * gamma * law[i] * first
    return released


@pytest.mark.parametrize("gamma", [0.3, 0.6, 1.0])
def test_the_best_of_private_runs_costs_three_times_one(gamma):
    """Over laws of three outcomes that are e^epsilon apart: inside 3 epsilon, some beyond 2."""
    epsilon, worst = 0.4, 0.0
    grid = [np.array(p) for p in itertools.product((0.001, 0.02, 0.2, 0.45), repeat=2)]
    for (a, b), scores in itertools.product(grid, ([1, 2, 3], [1, 1, 2], [3, 1, 2])):
        law = np.array([a, b, 1 - a - b])
        for signs in itertools.product((-1, 1), repeat=2):
            other = law[:2] * np.exp(epsilon * np.array(signs))
            other = np.append(other, 1 - sum(other))
            if other[2] <= 0 or abs(math.log(other[2] / law[2])) > epsilon:
                continue
            one, two = (best_of_runs(each, scores, gamma) for each in (law, other))
            worst = max(worst, float(np.max(np.abs(np.log(one / two)))))
    assert worst <= 3 * epsilon + 1e-9
    assert gamma == 1 or worst > 1.2 * epsilon  # a single run costs epsilon, and no more
    assert gamma < 1 or worst <= epsilon + 1e-9


# ------------------------------------------------------------------------------------ certificate


def test_a_certificate_is_saved_and_loaded(tmp_path):
    """With the same hash; another gamma or another candidate is another certificate."""
    proof = dp.certify(tuned(), target=PURE, setting=setting())
    proof.save(tmp_path / "certificate.json")
    assert dp.load(tmp_path / "certificate.json").hash == proof.hash
    for other in (tuned(gamma="1/2"), tuned(candidates=(0, 1, 10, 1001)), tuned(bound=2)):
        assert dp.certify(other, target=PURE, setting=setting()).hash != proof.hash


class Careless(dp.Regression):
    """Runs at a share of epsilon, with a score that may be unpaid. [tests]"""

    share: dp.Expression = dp.constant("1/3")
    scored: bool = True
    gaussian: bool = False

    def declare(self, X, y, budget):
        """One candidate."""
        each = dp.PureDP(budget.epsilon * self.share).budget
        first, second = each.split("1/2", "1/2")
        noise = dp.Gaussian(std=1) if self.gaussian else dp.Laplace.pure
        fit = release(X.T @ y, noise, first)
        error = clipped_error(X, y, post(theta_of, fit), bound=1)
        score = release(error, dp.Laplace.pure, second if self.scored else first)
        shown = score if self.scored else post(theta_of, error)
        return RandomStopping(X, y, [Graph.of((fit, shown))], "1/10", budget)


@relations
def test_runs_that_cost_more_than_a_third_are_refused(relation):
    """A control at exactly a third; then a half, raw scores, noise that is not pure."""
    at = setting(relation)
    assert dp.examine(Careless(), target=PURE, setting=at).proved
    for wrong in (Careless(share="1/2"), Careless(scored=False), Careless(gaussian=True)):
        report = dp.examine(wrong, target=PURE, setting=at)
        assert not report.proved
        assert any("each run and its score" in one.rule for one in report.open_obligations)
        assert all(one.repair for one in report.open_obligations)


@attrs.frozen(cache_hash=True)
class Mine(LabelSum):
    """A statistic of the user's own, inside a run."""

    kind = "mine"


class Trusting(dp.Regression):
    """Runs that release it. [tests]"""

    def declare(self, X, y, budget):
        """One candidate."""
        each = dp.PureDP(budget.epsilon / 3).budget
        fit, score = (release(Mine(y), dp.Laplace.pure, part) for part in each.split_evenly(2))
        return RandomStopping(X, y, [Graph.of((fit, score))], "1/10", budget)


def test_a_class_of_ones_own_inside_a_run_is_believed_only_when_one_says_so():
    """And the certificate prints it."""
    assert not dp.examine(Trusting(), target=PURE, setting=setting()).proved
    proof = dp.certify(Trusting(), target=PURE, setting=setting(), trust=[Mine])
    assert "Mine" in str(proof)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: dp.regressions.Tuned(of="ridge", field="lam", candidates=(1,)),
        lambda: tuned(candidates=()),
        lambda: tuned(candidates=3),
        lambda: tuned(field="nothing").graph(setting(), PURE.budget),
        lambda: tuned(gamma=0).graph(setting(), PURE.budget),
        lambda: tuned(gamma=2).graph(setting(), PURE.budget),
        lambda: tuned(bound=0).graph(setting(), PURE.budget),
        lambda: dp.examine(
            dp.regressions.Tuned(of=dp.SSP(), field="ridge", candidates=(1,)),
            target=PURE,
            setting=setting(),
        ),
        lambda: dp.examine(
            dp.regressions.Tuned(of=dp.regressions.RobustSSP(), field="ridge", candidates=(1,)),
            target=APPROX,
            setting=setting(),
        ),
    ],
)
def test_what_cannot_be_tuned_is_refused_in_words(wrong):
    """Deliberate errors, before anything is drawn."""
    with pytest.raises(dp.InvalidArgument):
        wrong()


# -------------------------------------------------------------------------------------- execution
def table(n=2000):
    """A linear model in the box."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, X @ [0.3, -0.2, 0.4] + 0.05 * rng.normal(size=n)


@relations
def test_it_chooses_well_at_a_large_epsilon(relation):
    """A penalty of 10^6 is not chosen beside one of 1."""
    proof = dp.certify(tuned(candidates=(1, 10**6)), target=PURE, setting=setting(relation))
    X, y = table()
    fits = [dp.execute(proof.at(epsilon=60), X, y, rng=seed).output for seed in range(8)]
    assert sum(np.allclose(fit.coefficients, [0.3, -0.2, 0.4], atol=0.1) for fit in fits) >= 7


def test_the_number_of_runs_is_geometric_and_the_lowest_score_wins(monkeypatch):
    """Mean 1/gamma, P[K = 1] = gamma, candidates alike, the first of the lowest."""
    seen: list[list[tuple[int, float]]] = []

    def one_run(running, graph, looked, randomness):
        del running, looked
        score = float(randomness.generator.integers(0, 3))
        seen[-1].append((graph, score))
        return (graph, len(seen[-1])), score

    class Search:
        """What the search asks of a procedure."""

        graphs, gamma = ("a", "b", "c"), Fraction(1, 4)

    monkeypatch.setattr(running, "one_run", one_run)
    randomness = Randomness.of(5)
    for _ in range(4000):
        seen.append([])
        fit, place = running.best_of(None, Search, randomness)
        lowest = min(score for _, score in seen[-1])
        assert seen[-1][place - 1] == (fit, lowest)
        assert all(score > lowest for _, score in seen[-1][: place - 1])
    counts = np.array([len(runs) for runs in seen])
    assert abs(np.mean(counts) - 4) < 0.3
    assert abs(np.mean(counts == 1) - 0.25) < 0.03
    drawn = [graph for runs in seen for graph, _ in runs]
    assert all(abs(drawn.count(one) / len(drawn) - 1 / 3) < 0.02 for one in "abc")


def test_each_run_draws_noise_of_its_own(monkeypatch):
    """The runs of one search differ, fits and scores."""
    (X, y), fits, plain = table(50), [], running.one_run

    def watched(running, graph, looked, randomness):
        fit, score = plain(running, graph, looked, randomness)
        fits.append((*fit.coefficients, score))
        return fit, score

    monkeypatch.setattr(running, "one_run", watched)
    proof = dp.certify(tuned(candidates=(1,), gamma="1/30"), target=PURE, setting=setting())
    dp.execute(proof.at(epsilon=1), X, y, rng=11)
    assert len(fits) > 5
    assert all(len(set(column)) == len(fits) for column in zip(*fits, strict=True))


# ------------------------------------------------------------------------------------------ Sub-Agg
CLASSES = [dp.regressions.SubAgg, dp.regressions.SubAggPure, dp.literature.SubAggSmith]
every = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def test_the_printed_noise_is_for_one_block():
    """Proved under add/remove; under replace-one a record may change its cell: refused."""
    assert check.check(
        check.document(dp.literature.SubAggSmith(), PURE, samples.setting())
    ).accepted
    with pytest.raises(
        Uncertified, match=r"2\*epsilon-differential privacy, must be inside its share"
    ):
        dp.certify(
            dp.literature.SubAggSmith(), target=PURE, setting=samples.setting(dp.REPLACE_ONE)
        )
    one = dp.literature.SubAggSmith(cells=1)  # with one cell a record has no other
    assert dp.certify(one, target=PURE, setting=samples.setting(dp.REPLACE_ONE))


def linear(n=4000):
    """y = x'(0.5, -0.3) and a little noise, inside the bounds."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, X @ [0.5, -0.3] + 0.05 * rng.normal(size=n)


@every
def test_it_fits_where_noise_is_small(cls):
    """At epsilon = 1000: the coefficients to 1%; the released mean is the output."""
    X, y = linear()
    setting = samples.setting()
    target = dp.ApproxDP(1000, "1e-6")
    run = dp.certify(cls(cells=20, penalty=0), target=target, setting=setting)
    result = dp.execute(run, X, y, rng=1)
    assert np.allclose(result.output.coefficients, [0.5, -0.3], atol=0.01)
    assert result.output.ridge_was_zero
    assert np.all(result.output.coefficients == result.released["coefficients"])


def test_arguments_that_are_missing_and_logistic_regressions_are_refused_by_name():
    """Also of the default for two classes, whose noise is calibrated jointly."""
    with pytest.raises(dp.InvalidArgument, match=r"of must be a declaration .* candidates="):
        dp.regressions.Tuned()
    descent = dp.regressions.LogisticDescent()
    tuned = dp.regressions.Tuned(of=descent, field="shrinkage", candidates=(1, 3))
    with pytest.raises(dp.InvalidArgument, match=r"of must be a regression without delta"):
        dp.certify(tuned, target=dp.PureDP(1), setting=samples.setting(dp.ADD_REMOVE))


def test_the_chosen_candidate_and_the_parts_of_the_budget_are_named():
    """In the summary that of the released fit; in the certificate and on the receipt epsilons."""
    X, y = table()
    model = dp.PrivateRegressor(
        tuned(candidates=(3, 10**6)), epsilon=60, delta="1e-6", setting=setting(), rng=0
    ).fit(X, y)
    chosen = model.result_.output
    assert chosen.ridge == (3, 10**6)[chosen.chosen]
    assert f"chosen:     lam = {chosen.ridge:.0f}\n" in str(model.summary())
    assert "has 2/9 of epsilon for its fit and 1/9 for its score. A delta is not used" in str(
        model.receipt_
    )
    assert "shares of a run: coefficients 40/3, score 20/3; delta is not used" in str(
        model.certificate_
    )
    other = tuned(scoring="1/2").remark
    assert "1/6 of epsilon for its fit and 1/6 for its score" in other


def test_a_run_whose_noise_has_no_share_is_refused_in_words():
    """Its std is fixed, so that the list of shares has none."""

    class Fixed(dp.Regression):
        """A run with noise of a fixed std. [tests]"""

        def declare(self, X, y, budget):
            """One candidate."""
            fit = release(X.T @ y, dp.Gaussian(std=1))
            error = clipped_error(X, y, post(theta_of, fit), bound=1)
            score = release(error, dp.Laplace.pure, dp.PureDP(budget.epsilon / 3).budget)
            return RandomStopping(X, y, [Graph.of((fit, score))], "1/10", budget)

    with pytest.raises(Uncertified, match=r"1 candidates; shares of a run: .* -, .* 1/3"):
        dp.certify(Fixed(), target=PURE, setting=setting())


def test_the_preview_has_the_releases_of_every_candidate():
    """With the noise that each run draws."""
    run = dp.certify(tuned(candidates=(3, 10)), target=dp.PureDP(1), setting=setting())
    lines = {line.name: line for line in run.preview(n=1_000, d=3).lines}
    assert list(lines) == [
        f"candidate {k}: {name}" for k in (1, 2) for name in ("coefficients", "score")
    ]
    score = lines["candidate 1: score"]  # Laplace noise of scale 1/(1/9): std 9 sqrt(2)
    assert score.std == pytest.approx(9 * math.sqrt(2), rel=1e-6)
    assert score.relative == pytest.approx(score.std / 1_000, rel=1e-6)


class ChosenFit(np.ndarray):
    """Coefficients of a declaration from outside, whose name for its penalty is taken."""

    chosen = "ridge"


def named(theta):
    """Released coefficients with that name."""
    return np.asarray(theta).view(ChosenFit)


class Named(dp.Regression):
    """X'y, whose output has an attribute `chosen` and no field of that name."""

    scale: dp.Expression = dp.constant(1)

    def declare(self, X, y, budget):
        """Its penalty scales nothing."""
        return post(named, release(X.T @ y, dp.Laplace.pure, budget))


def test_an_output_from_outside_with_such_an_attribute_is_returned_as_it_is():
    """It has no place of a candidate to set, and must not fail after the charge."""
    search = tuned(of=Named(), field="scale", candidates=(1, 2))
    rows = dp.Rows(box=1, d=2)
    asked = {"setting": attrs.evolve(setting(), X=rows), "target": dp.PureDP(1)}
    found = dp.execute(dp.certify(search, **asked), np.ones((4, 2)), np.ones(4), rng=0)
    assert found.output.shape == (2,)
