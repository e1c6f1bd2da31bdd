"""Categories beside a baseline: their coding, its bounds by brute force, what is refused, names."""

import itertools
import json
import math
from fractions import Fraction

import attrs
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import dpframe as dp
from dpframe.errors import BadCertificate
from dpframe.execution import execute
from dpframe.sensitivity import L1, L2
from tests.support import checking as check
from tests.support import samples

TARGET, analytic = dp.ApproxDP(1, "1e-6"), dp.Gaussian.analytic
TWO, THREE, FOUR = (
    dp.Categorical("two", ["no", "yes"], unknown="zeros"),
    dp.Categorical("three", [1, 2, 3], baseline=2, unknown="zeros"),
    dp.Categorical("four", ["a", "b", "c", "d"], unknown="zeros"),
)
MIXED = (dp.Numeric("number", 0, 10), TWO, THREE, FOUR)
VALUES = ([-1, 0, 5, 10, 99], ["no", "yes", "?"], [1, 2, 3, 9], ["a", "b", "c", "d", ""])
ROWS = np.array(list(itertools.product(*VALUES)), dtype=object)


def setting(columns=MIXED, *, intercept=True, relation=dp.ADD_REMOVE, **more):
    """A codebook, and labels in [-1, 1]."""
    rows = dp.Rows(columns=list(columns), intercept=intercept)
    return dp.Setting(X=rows, y=dp.Column(bound=1), relation=relation, **more)


def encoded(columns, rows, *, intercept):
    """By hand, from the coding of each column."""
    parts = [part.encode(rows[:, j]) for j, part in enumerate(columns)]
    return np.column_stack([*parts, np.ones((len(rows), int(intercept)))])


@pytest.mark.parametrize("levels", [2, 3, 4, 5, 9, 40])
def test_levels_are_corners_of_a_regular_simplex(levels):
    """At distance 1 from zero, which no rounding exceeds, equally far apart, of sum zero."""
    corners = dp.Categorical("c", range(levels)).coding
    assert corners.shape == (levels, levels - 1)
    for corner in corners:  # as they are stored: doubles are exact fractions
        square = sum((Fraction(entry) ** 2 for entry in corner.tolist()), Fraction(0))
        assert 1 - Fraction(1, 2**40) < square <= 1
    alike = corners @ corners.T
    off = alike[~np.eye(levels, dtype=bool)]
    assert off == pytest.approx(np.full(off.shape, -1 / (levels - 1)), abs=1e-13)
    assert corners.sum(axis=0) == pytest.approx(np.zeros(levels - 1), abs=1e-12)


def test_two_levels_are_minus_one_and_one():
    """Exactly, whichever is the baseline; an unknown value lies between."""
    values = np.array(["no", "yes", "perhaps", None], dtype=object)
    for baseline in ("no", "yes"):
        part = dp.Categorical("two", ["no", "yes"], baseline=baseline)
        assert part.encode(values).tolist() == [[-1], [1], [0], [0]]


def test_without_a_baseline_levels_are_indicators():
    """As many as levels, and zeros for what is none."""
    part = dp.Categorical("three", ["a", "b", "c"], baseline=None)
    coded = part.encode(np.array(["b", "?", "c"], dtype=object))
    assert coded.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 1]]


def by_python(formula):
    """A formula of numbers, evaluated by Python alone."""
    names = {"sqrt": math.sqrt, "min": min}
    return float(eval(str(formula).replace("^", "**"), {"__builtins__": {}}, names))


STATISTICS = {
    "gram": lambda x, y: x[:, :, None] * x[:, None, :],
    "moment": lambda x, y: x * y[:, None],
    "sum": lambda x, y: x,
}


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.parametrize("name", STATISTICS)
def test_no_pair_of_combinations_moves_a_statistic_further_than_stated(name, relation):
    """All pairs of records, with labels at their bounds, in the norms that noise is drawn for."""
    X, y = setting(relation=relation).nodes()
    stated = {"gram": X.T @ X, "moment": X.T @ y, "sum": dp.total(X)}[name]
    coded = np.unique(encoded(MIXED, ROWS, intercept=True), axis=0)
    rows, labels = np.repeat(coded, 2, axis=0), np.tile([-1.0, 1.0], len(coded))
    values = np.unique(STATISTICS[name](rows, labels).reshape(len(rows), -1), axis=0)
    d = rows.shape[1]
    if name == "gram":  # noise is drawn for the upper triangle
        upper = np.triu(np.ones((d, d))).ravel() > 0
    else:
        upper = np.ones(values.shape[1], dtype=bool)
    for measure in (L1, L2):
        bound = by_python(stated.one_row(measure, relation).value)
        seen = values[:, upper] if measure is L1 else values
        if relation is dp.ADD_REMOVE:
            far = np.linalg.norm(seen, ord=1 if measure is L1 else 2, axis=1).max()
        elif measure is L1:
            far = max(np.abs(seen - one).sum(axis=1).max() for one in seen)
        else:
            squares = (seen**2).sum(axis=1)
            far = np.sqrt((squares[:, None] + squares - 2 * seen @ seen.T).max())
        assert far <= bound * (1 + 1e-12)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_no_pair_of_combinations_moves_a_joint_release_further_than_its_budget(relation):
    """X'X, X'y and y'y (and n, where it is released) together, over their noise as executed: at
    most the mu of the target, by scipy's normal distribution.
    """
    run = dp.certify(
        dp.JointSSP(levels=0, rounds=0, sandwich=0),
        target=TARGET,
        setting=setting(relation=relation),
    )
    stds = {one.label: run.number(one.std, up=False) for one in run.graph.releases}
    coded = np.unique(encoded(MIXED, ROWS, intercept=True), axis=0)
    rows, labels = np.repeat(coded, 3, axis=0), np.tile([-1.0, 0.0, 1.0], len(coded))
    parts = {
        "gram": STATISTICS["gram"](rows, labels).reshape(len(rows), -1),
        "moment": rows * labels[:, None],
        "squares": (labels**2)[:, None],
        "n": np.ones((len(rows), 1)),
    }
    assert {"gram", "moment", "squares"} <= stds.keys() <= parts.keys()
    moved = np.column_stack([parts[name] / std for name, std in stds.items()])
    squares = (moved**2).sum(axis=1)
    far = squares.max()
    if relation is dp.REPLACE_ONE:
        far = (squares[:, None] + squares - 2 * moved @ moved.T).max()
    mu = math.sqrt(far)
    delta = norm.cdf(-1 / mu + mu / 2) - math.e * norm.cdf(-1 / mu - mu / 2)
    assert 0 < delta <= 1e-6 * (1 + 1e-9)


def test_released_sums_move_by_one_record_alone():
    """On the grid: with a record and without differ by what that record gives, inside the bound."""
    totals = samples.declared(lambda X, _, budget: dp.release(X.T @ X, analytic, budget))
    run = dp.certify(totals, target=dp.ApproxDP(10**6, "1e-6"), setting=setting())
    labels = np.ones(len(ROWS))
    rest = execute(run, ROWS[1:], labels[1:], rng=0).output
    every = execute(run, ROWS, labels, rng=0).output
    moved = np.asarray(every) - np.asarray(rest)
    coded = encoded(MIXED, ROWS[:1], intercept=True)
    assert moved == pytest.approx(coded.T @ coded, abs=1e-3)


ALL = dp.Categorical("all", ["u", "v"], baseline=None)


@pytest.mark.parametrize(
    "make",
    [
        lambda: dp.Rows(columns=[ALL], intercept=True),
        lambda: dp.Rows(columns=[dp.Numeric("a", 0, 1), ALL], intercept=True, norm=1),
        lambda: dp.Rows(columns=[ALL, attrs.evolve(ALL, name="b")]),
        lambda: dp.Rows(columns=[ALL]).node(setting().unit).with_intercept(),
        lambda: dp.Rows(columns=[ALL]).node(setting().unit).clip(norm=1).with_intercept(2),
    ],
)
def test_collinear_codebooks_are_refused_where_they_are_declared(make):
    """All levels beside an intercept, or twice: by name, with the way out."""
    with pytest.raises(dp.InvalidArgument, match="baseline") as refusal:
        make()
    assert "all" in str(refusal.value)


@pytest.mark.parametrize("columns", [[TWO, TWO], [MIXED[0], MIXED[0]]])
def test_a_column_twice_is_refused(columns):
    """It is collinear whatever the table holds."""
    with pytest.raises(dp.InvalidArgument, match="each named once"):
        dp.Rows(columns=columns)


def test_a_column_with_two_ranges_is_no_twin():
    """Clipped apart, it is a piecewise linear effect."""
    rows = dp.Rows(columns=[dp.Numeric("a", 0, 1), dp.Numeric("a", 0, 2)], intercept=True)
    assert len(rows.columns) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"levels": ["a"]}, "two or more"),
        ({"levels": ["a", "b"], "baseline": "c"}, "one of the levels"),
        ({"levels": ["a", "b"], "baseline": ["a"]}, "texts, numbers or truth values"),
    ],
)
def test_bad_baselines_are_refused(given, words):
    """By name."""
    with pytest.raises(dp.InvalidArgument, match=words):
        dp.Categorical("c", **given)


def test_noise_on_absolute_values_is_checked_too(tmp_path):
    """The 1-norm of the coding stands in the checker as well."""
    run = dp.certify(Laplaced(), target=dp.PureDP(1), setting=setting())
    run.save(tmp_path / "run.json")
    assert check.main([str(tmp_path / "run.json")]) == 0


class Laplaced(dp.Regression):
    """The sum of rows, with Laplace noise."""

    def declare(self, X, y, budget):
        """For the whole budget."""
        return dp.release(dp.total(X), dp.Laplace.pure, budget)


def checked(run, schema):
    """What the checker says of a certificate whose codebook is another, its hash made right."""
    return check.check(check.bent(check.file_of(run), "encode", schema=schema))


@pytest.mark.parametrize(
    ("entry", "accepted"),
    [
        (["two", ["'no'", "'yes'"], "simplex"], True),
        (["two", ["'no'", "'yes'"]], True),
        (["two", ["'no'", "'yes'"], "indicators"], False),
        (["two", ["'no'", "'yes'"], ["simplex"]], False),
        (["two", ["'no'", "'yes'"], None], False),
        (["two", ["'no'", "'no'"], "simplex"], False),
        (["two", ["'no'"], "simplex"], False),
        (["two", [], "simplex"], False),
        (["two", "'no'", "simplex"], False),
        (["two", ["'no'", "'yes'"], "simplex", "simplex"], False),
    ],
)
def test_the_checker_knows_one_coding(entry, accepted):
    """Of two levels or more, by its name."""
    run = dp.certify(dp.SSP(), target=TARGET, setting=setting((TWO,)))
    assert checked(run, [entry]).accepted is accepted


def test_the_checker_sees_that_a_simplex_is_longer_in_absolute_values():
    """Laplace noise for indicators is too small for it; the other way round it is enough."""
    levels = ["'a'", "'b'", "'c'", "'d'"]
    plain = setting((attrs.evolve(FOUR, baseline=None),), intercept=False)
    run = dp.certify(Laplaced(), target=dp.PureDP(1), setting=plain)
    assert checked(run, [["four", levels]]).accepted
    assert not checked(run, [["four", levels, "simplex"]]).accepted


def old_form(run):
    """A certificate's document as it was written when there were no baselines."""
    return json.loads(json.dumps(run.document).replace(', "baseline": null', ""))


def test_old_certificates_are_refused():
    """A file that names no baseline had an indicator for each level; the default is another."""
    columns = [attrs.evolve(TWO, baseline=None)]
    run = dp.certify(dp.SSP(), target=TARGET, setting=setting(columns, intercept=False))
    document = old_form(run)
    assert "baseline" not in json.dumps(document)
    with pytest.raises(BadCertificate, match="certify again"):
        dp.load(document)
    assert dp.load(run.document).setting.X.columns[0].baseline is None


def test_certificates_of_all_levels_with_an_intercept_are_refused_by_name():
    """They are collinear; the refusal says what to do."""
    columns = [attrs.evolve(TWO, baseline=None)]
    run = dp.certify(dp.SSP(), target=TARGET, setting=setting(columns, intercept=False))
    document = json.loads(json.dumps(run.document))
    document["declaration"]["setting"]["X"]["intercept"] = True
    with pytest.raises(BadCertificate, match="baseline"):
        dp.load(document)


def test_the_choice_of_a_baseline_changes_names_only():
    """Released values, predictions and their noise are the same."""
    rng = np.random.default_rng(4)
    cells = rng.choice(["a", "b", "c", "d"], 500)
    labels = rng.uniform(-1, 1, 500)
    found = []
    for baseline in ("a", "d"):
        part = dp.Categorical("four", ["a", "b", "c", "d"], baseline=baseline)
        model = dp.PrivateRegressor(
            dp.SSP(), epsilon=1, delta="1e-6", setting=setting([part]), rng=1
        )
        frame = pd.DataFrame({"four": cells})
        found.append(model.fit(frame, labels).predict(frame[:50]))
    assert np.array_equal(*found)
