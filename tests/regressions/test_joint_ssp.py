"""JointSSP: what it spends, what it reads, and how near it comes."""

import re
from functools import cache

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.stages import Stages
from dpframe.execution.totals import Pass
from dpframe.graph import RowsNode
from dpframe.regressions.released_units import LONGEST, NORMS, SIZES
from tests.support.checking import check
from tests.support.oracles import delta_of

B, Y, N, D = 1.5, 2.0, 4000, 3


def setting(relation=dp.ADD_REMOVE):
    """Public bounds."""
    return dp.Setting(X=dp.Rows(norm=B), y=dp.Column(bound=Y), relation=relation)


def table(n=N, seed=0):
    """Rows and labels inside them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D)) * 0.5
    X *= np.minimum(1, B / np.linalg.norm(X, axis=1))[:, None]
    y = np.clip(X @ [0.5, -0.3, 0.2] + 0.1 * rng.normal(size=n), -Y, Y)
    return X, y


PLAIN = dp.JointSSP(scaling=0)  # in the units of the rows as given


@cache
def proof(regression, relation=dp.ADD_REMOVE):
    """For all budgets."""
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    return dp.certify(regression, target=target, setting=setting(relation))


def noisy(n):
    """A table whose residuals fill a good part of their bound."""
    X, y = table(n)
    return X, np.clip(y + np.random.default_rng(2).normal(size=n) / 3, -Y, Y)


@pytest.mark.parametrize("regression", [PLAIN, dp.regressions.LogisticDescent()])
@pytest.mark.parametrize("bounds", [("1e-150", 1), ("1e150", 1), (1, "1e-200"), (1, "1e200")])
def test_bounds_beyond_doubles_are_refused_before_a_charge(regression, bounds):
    """Post-processing in doubles would fail after it; with released units rows are near 1."""
    norm, bound = bounds
    X, y = dp.Rows(norm=norm), dp.Column(bound=bound)
    asked = {"setting": dp.Setting(X=X, y=y, relation=dp.ADD_REMOVE)}
    asked["target"] = dp.ApproxDP(1, "1e-6")
    with pytest.raises(dp.InvalidArgument, match=r"from 1e-40 to 1e40.*other units"):
        dp.certify(regression, **asked)
    if bound == 1:
        dp.certify(dp.JointSSP(), **asked)


def transcript(proof, epsilon, data=None):
    """What was released, and the std of every release."""
    run = proof.at(epsilon=epsilon, delta="1e-6")
    result = dp.execute(run, *(data or table()), rng=3)
    known = {"sizes": {"d": D, "n": N}, "released": result.known}
    stds = {
        one.name: float(run.number(one.mechanism.formula, up=False, **known))
        for one in run.graph.releases
    }
    return result.output, stds


def one_of(place, count):
    """A record in one of so many bins."""
    return np.eye(count)[int(place)]


def counted(row, mapped, stds):
    """What one record adds to n, and to the counts of entries and of norms in released units."""
    sizes = np.sum(np.abs(row)[:, None] / B > np.array(SIZES, dtype=float), axis=1)
    length = np.linalg.norm(mapped) / (LONGEST * np.sqrt(D))
    norms = one_of(np.sum(length > np.array(NORMS, dtype=float)), len(NORMS) + 1)[1:]
    yield np.concatenate([one_of(one, len(SIZES) + 1) for one in sizes]) / stds["sizes"]
    yield norms / stds["norms"]
    if "n" in stds:
        yield [1 / stds["n"]]


def shifts(row, label, output, stds):
    """What one record adds to every release, over its std, from the definitions."""
    label, evidence = np.clip(label, -Y, Y), output.evidence
    theta, longest, parts = output.coefficients, B, []
    if evidence.shrunk is not None:
        mapped, longest = row @ evidence.shrunk.units, evidence.shrunk.norm
        parts = [*counted(row, mapped, stds)]
        factor = min(1, longest / max(np.linalg.norm(mapped), 1e-300))
        row, label = factor * mapped, factor * label
        theta = np.linalg.solve(evidence.shrunk.units, theta)
    sized = one_of(np.sum(abs(label) / Y > 2.0 ** -np.arange(7, 0, -1)), 8)
    clipped = np.clip(label / evidence.moments[0].width, -1, 1)
    parts += [
        sized / stds["counts"],
        np.outer(row, row).ravel() / stds["gram"],
        row * clipped / stds["moment"],
        [clipped**2 / stds["squares"]],
    ]
    for turn, seen in enumerate(evidence.moments[1:], start=1):
        residual = np.clip((label - row @ seen.at) / seen.width, -1, 1)
        parts.append(row * residual / stds[f"correction{turn}"])
    if not evidence.moments[1:]:  # all corrections were X'y again
        parts += [row * clipped / stds[f"correction{turn}"] for turn in range(1, 7)]
    width = evidence.moments[0].width
    most = longest * (width + longest * np.linalg.norm(theta))
    gradient = row * (np.clip(label, -width, width) - row @ theta) / most
    parts.append(np.outer(gradient, gradient).ravel() / stds["meat"])
    return np.concatenate(parts)


def worst_move(output, stds, *, replaced):
    """The largest |shift| that a search finds: random records, extremes, then steps uphill."""
    rng = np.random.default_rng(8)

    def record(point):
        row = point[:D] * min(1, B / max(np.linalg.norm(point[:D]), 1e-12))
        return shifts(row, point[D], output, stds)

    def size(pair):
        moved = record(pair[: D + 1]) - (record(pair[D + 1 :]) if replaced else 0)
        return float(np.linalg.norm(moved))

    starts = rng.normal(size=(800, 2 * D + 2)) * 3
    starts[:, [D, 2 * D + 1]] = rng.choice([-Y, Y, 0.0, 0.3], size=(800, 2))
    best = sorted(starts, key=size)[-4:]
    for _ in range(600):
        tried = [one + rng.normal(size=one.shape) * rng.choice([0.01, 0.1, 1]) for one in best]
        best = [max(pair, key=size) for pair in zip(best, tried, strict=True)]
    return max(map(size, best))


@pytest.mark.parametrize("regression", [PLAIN, dp.JointSSP()], ids=["plain", "units"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_no_record_moves_the_releases_by_more_than_the_budget(regression, epsilon):
    """Replayed from a transcript: the worst that a search finds is inside, and comes near it."""
    worst = worst_move(*transcript(proof(regression), epsilon), replaced=False)
    assert 0.8e-6 < delta_of(epsilon, worst) <= 1e-6 * (1 + 1e-6)


def test_nor_where_all_corrections_are_the_first_sum_again():
    """Each has noise of its own, and its own part of the budget."""
    output, stds = transcript(proof(PLAIN), 5.0, noisy(100_000))
    assert len(output.evidence.moments) == 1
    worst = worst_move(output, stds, replaced=False)
    assert 0.8e-6 < delta_of(5.0, worst) <= 1e-6 * (1 + 1e-6)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("regression", "near"), [(PLAIN, 1.12), (dp.JointSSP(), 1.2)], ids=["plain", "units"]
)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_no_replacement_moves_the_releases_by_more_than_the_budget(regression, near, epsilon):
    """The same under replace-one, where the worst of the sums and of the corrections differ."""
    worst = worst_move(*transcript(proof(regression, dp.REPLACE_ONE), epsilon), replaced=True)
    assert delta_of(epsilon, worst) <= 1e-6 * (1 + 1e-6)
    assert delta_of(epsilon, near * worst) > 1e-6  # and the bound is not far away


def test_without_rounds_it_is_one_joint_release():
    """And finds the coefficients."""
    lean = dp.JointSSP(rounds=0, scaling=0)
    target = dp.ApproxDP(1, "1e-6")
    proof = dp.certify(lean, target=target, setting=setting())
    result = dp.execute(proof, *table(), rng=0)
    assert len(result.output.evidence.moments) == 1
    assert result.output.coefficients == pytest.approx([0.5, -0.3, 0.2], abs=0.05)


@pytest.mark.parametrize(
    "parts", [("0.5", "0.5", 0), ("0.1", "0.5", "0.4"), ("0.1", "0.5", "-0.1"), ("-0.1", "0.5", 0)]
)
def test_parts_leave_something(parts):
    """Of the squared mu, for X'X, X'y and y'y."""
    declared = dp.JointSSP(**dict(zip(("counting", "correcting", "sandwich"), parts, strict=True)))
    refusal = "not negative, and below 1 together|counting must be positive"
    with pytest.raises(dp.InvalidArgument, match=refusal):
        dp.certify(declared, target=dp.ApproxDP(1, "1e-6"), setting=setting())


@pytest.mark.parametrize("part", ["counting", "correcting", "gram", "moment", "squares"])
def test_a_part_of_nothing_is_named(part):
    """Where something is released by it."""
    with pytest.raises(dp.InvalidArgument, match=f"^{part} must be positive; got 0"):
        dp.certify(dp.JointSSP(**{part: 0}), target=dp.ApproxDP(1, "1e-6"), setting=setting())


def test_it_beats_adassp_and_stays_at_zero_where_there_is_nothing():
    """On one table."""
    X, y = table(2000, seed=5)
    target = dp.ApproxDP("0.3", "1e-6")
    errors = {}
    for one in (dp.JointSSP(), dp.AdaSSP()):
        proof = dp.certify(one, target=target, setting=setting())
        fits = [dp.execute(proof, X, y, rng=seed).output.coefficients for seed in range(8)]
        errors[type(one)] = np.mean([np.mean((X @ (fit - [0.5, -0.3, 0.2])) ** 2) for fit in fits])
    assert errors[dp.JointSSP] < 0.2 * errors[dp.AdaSSP]
    proof = dp.certify(dp.JointSSP(), target=dp.ApproxDP("0.001", "1e-6"), setting=setting())
    fit = dp.execute(proof, X, y, rng=1).output.coefficients
    assert np.mean((y - X @ fit) ** 2) < 1.01 * np.mean(y**2)


def test_labels_far_below_their_bound_are_found():
    """So noise falls with them."""
    X, y = table(20_000)
    proof = dp.certify(dp.JointSSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting())
    evidence = dp.execute(proof, X, y / 100, rng=0).output.evidence
    assert evidence.moments[0].width <= Y / 64
    assert evidence.count == pytest.approx(20_000, rel=0.02)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_one_look_at_the_table(relation):
    """n, where it is private, and three sums: proved, checked and near least squares."""
    once = dp.JointSSP(rounds=0, levels=0, sandwich=0)
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    run = dp.certify(once, target=target, setting=setting(relation))
    names = [one.name for one in run.graph.releases]
    counted = ["n"] if relation is dp.ADD_REMOVE else []
    assert sorted(names) == sorted([*counted, "gram", "moment", "squares"])
    assert Stages(run.graph).count == 1
    verdict = check(run.document)
    assert verdict.accepted, verdict.reason
    sizes = {} if relation is dp.ADD_REMOVE else {"n": 40_000}
    X, y = table(40_000)
    fit = dp.execute(run.at(epsilon=10, delta="1e-6", **sizes), X, y, rng=1).output
    assert fit.coefficients == pytest.approx([0.5, -0.3, 0.2], abs=0.03)
    evidence = fit.evidence
    assert evidence.count == pytest.approx(40_000, abs=100)
    assert (evidence.count_std > 0) == bool(counted)
    assert (evidence.moments[0].width, evidence.counted_std) == (Y, np.inf)


def test_corrections_want_labels_looked_at_first():
    """Their widths rest on it."""
    with pytest.raises(dp.InvalidArgument, match="rounds must be 0 where levels is 0"):
        dp.certify(dp.JointSSP(levels=0), target=dp.ApproxDP(1, "1e-6"), setting=setting())
    with pytest.raises(dp.InvalidArgument, match="levels must be a whole number from 0 to 20"):
        dp.certify(dp.JointSSP(levels=21), target=dp.ApproxDP(1, "1e-6"), setting=setting())


def test_as_many_levels_as_asked():
    """Two halvings are three counts."""
    run = dp.certify(dp.JointSSP(levels=2), target=dp.ApproxDP(1, "1e-6"), setting=setting())
    result = dp.execute(run, *table(), rng=1)
    assert result.released["counts"].shape == (3,)
    assert result.output.evidence.moments[0].width / Y in {1, 0.5, 0.25}


@cache
def much():
    """A certificate that spends much, without the last look at residuals."""
    mine = dp.JointSSP(sandwich=0, scaling=0)
    return dp.certify(mine, target=dp.ApproxDP(5, "1e-6"), setting=setting())


def looks(monkeypatch):
    """How many rows every pass over rows has seen, pass by pass."""
    seen = []
    real = Pass.__call__

    def watched(self, blocks):
        found = real(self, blocks)
        rows = self.rows is not None or any(isinstance(one, RowsNode) for one in self.maps)
        seen.append(found.rows * rows)
        return found

    monkeypatch.setattr(Pass, "__call__", watched)
    return seen


def test_where_sampling_takes_far_more_than_noise_rows_are_read_once(monkeypatch):
    """All corrections are of that one sum, and pooled with it."""
    X, y = noisy(100_000)
    seen = looks(monkeypatch)
    result = dp.execute(much(), X, y, rng=3)
    assert sum(seen) == 100_000
    (first,) = result.output.evidence.moments
    names = ["moment", *(f"correction{turn}" for turn in range(1, 7))]
    stds = {
        one.name: float(much().number(one.mechanism.formula, up=True, sizes={"d": D}))
        for one in much().graph.releases
    }
    weights = np.array([stds[name] for name in names]) ** -2.0
    pooled = sum(w * result.released[name] for w, name in zip(weights, names, strict=True))
    assert first.std == pytest.approx(Y * weights.sum() ** -0.5)
    assert first.moment == pytest.approx(Y * pooled / weights.sum())
    assert result.output.coefficients == pytest.approx([0.5, -0.3, 0.2], abs=0.02)


def test_residuals_are_looked_at_where_labels_are_clipped_below_their_bound():
    """However little noise takes."""
    X, y = noisy(100_000)
    evidence = dp.execute(much(), X, y / 16, rng=3).output.evidence
    assert evidence.moments[0].width < Y
    assert len(evidence.moments) == 7


def test_residuals_with_tails_are_looked_at():
    """One in a hundred is large: clipped, they say more than least squares does."""
    rng = np.random.default_rng(4)
    X = table(100_000)[0]
    rare = np.where(rng.random(len(X)) < 0.01, rng.normal(size=len(X)), 0.0)
    evidence = dp.execute(
        much(), X, np.clip(X @ [0.5, -0.3, 0.2] + rare, -Y, Y), rng=3
    ).output.evidence
    assert len(evidence.moments) == 7


@pytest.mark.parametrize("rounds", [0, 6])
def test_parts_of_the_budget_that_leave_little(rounds):
    """Nothing is divided by what is not there."""
    target = dp.ApproxDP(1, "1e-6")
    mine = dp.JointSSP(rounds=rounds, correcting="0.86" if rounds else "0.87")
    assert dp.certify(mine, target=target, setting=setting())
    once = dp.JointSSP(levels=0, rounds=0, correcting=1)
    assert dp.certify(once, target=target, setting=setting(dp.REPLACE_ONE))


def test_where_noise_takes_more_residuals_are_looked_at(monkeypatch):
    """X'X, perhaps with X'y, and six corrections."""
    seen = looks(monkeypatch)
    run = dp.certify(dp.JointSSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting())
    evidence = dp.execute(run, *table(), rng=1).output.evidence
    assert len(evidence.moments) == 7
    assert len([one for one in seen if one]) >= 7


def error(regression, y, X, seeds=4):
    """The median squared error of predictions beside least squares', over its signal."""
    run = dp.certify(regression, target=dp.ApproxDP("0.3", "1e-6"), setting=setting())
    best = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    fits = [dp.execute(run, X, y, rng=seed).output.coefficients for seed in range(seeds)]
    return np.median([np.mean((X @ fit - best) ** 2) for fit in fits]) / np.mean(best**2)


def test_labels_whose_clipped_residuals_mislead():
    """Most of them 0: residuals lead to 0, and labels are summed again, which is better than once
    with all of their budget.
    """
    rng = np.random.default_rng(6)
    X = np.concatenate([np.ones((40_000, 1)), rng.uniform(-1, 1, (40_000, 3))], axis=1) / 2
    y = (rng.random(len(X)) < 0.15 * (1 + X[:, 1])) * rng.exponential(0.3, len(X))
    y = np.clip(y, 0, Y)
    assert error(PLAIN, y, X) < min(0.05, error(dp.JointSSP(rounds=0, scaling=0), y, X))
    run = dp.certify(PLAIN, target=dp.ApproxDP("0.3", "1e-6"), setting=setting())
    evidence = dp.execute(run, X, y, rng=0).output.evidence
    assert 1 < len(evidence.moments) < 7
    once = dp.execute(run, X, np.clip(X @ [0, 1, 1, 1], -Y, Y), rng=0).output.evidence
    assert evidence.moments[0].std / evidence.moments[0].width < (
        once.moments[0].std / once.moments[0].width / 2
    )


def test_the_variant_for_intervals_spends_what_it_says():
    """Parts of the squared mu, by the stds of the noise on the sums."""
    says = dp.JointSSP.for_intervals.__doc__
    target, mu = dp.ApproxDP(1, "1e-6"), 0.2367044
    plain = attrs.evolve(dp.JointSSP.for_intervals(), scaling=0)
    for regression, place in ((plain, 0), (PLAIN, 1)):
        run = dp.certify(regression, target=target, setting=setting())
        stds = {line.name: line.std for line in run.preview(n=N, d=D).lines}
        for name, sensitivity in (("gram", B**2), ("moment", B)):
            part = f"{(sensitivity / (mu * stds[name])) ** 2:.0%}"
            found = re.search(rf"{WRITTEN[name]} (?:gets )?(\d+%)[^,]* instead of (\d+%)", says)
            assert found[place + 1] == part


WRITTEN = {"gram": "X'X", "moment": "X'y"}
