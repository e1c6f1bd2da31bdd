"""Post-processing is tried on made up releases before anything is charged or drawn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.rehearsal import check_processing, multiple, rehearsed
from dpframe.execution.totals import PassSums

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
CODEBOOK = dp.Rows(columns=[dp.Numeric("a", 0, 9), dp.Categorical("b", ["x", "y"])], intercept=True)
BALL = dp.Rows(norm=2)
NUMBERS = dp.Rows(columns=[dp.Numeric(name, 0, 1) for name in "abc"])
TARGET = dp.ApproxDP(1, "1e-6")
SEEN: list[tuple[float, ...]] = []


def broken(gram, moment):
    """Always fails."""
    raise KeyError("nothing")


def solved(gram, moment):
    """Fails where there is nothing but noise."""
    np.linalg.cholesky(gram)
    return np.linalg.solve(gram, moment)


def noisy(gram, moment):
    """Warns, and draws from numpy's own generator."""
    warnings.warn("noise", stacklevel=1)
    return moment


def noted(gram, moment):
    """Keeps what it is given."""
    SEEN.append((float(np.trace(gram)), *moment))
    return moment


class Sums2(dp.Regression):
    """Two releases and a function of them."""

    function: object = "solved"

    def declare(self, X, y, budget):
        first, second = budget.split_evenly(2)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")
        return dp.post(globals()[self.function], gram, moment)


def certified(function="solved", setting=SETTING):
    """Its certificate. What was noted goes first: a function may read no long list."""
    SEEN.clear()
    return dp.certify(Sums2(function), target=TARGET, setting=setting)


def table(n=200, d=3):
    """Rows and labels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), np.ones(n)


def test_what_always_fails_is_refused_before_the_charge(tmp_path):
    """Nothing is drawn, charged or warned about."""
    ledger = dp.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("survey", dp.ApproxDP(1, "1e-6"), relation=dp.ADD_REMOVE)
    before = ledger.export()
    with pytest.raises(dp.errors.PostFailed, match=r"KeyError.*nothing was charged") as caught:
        dp.execute(certified("broken"), *table(), ledger=ledger, dataset="survey")
    assert caught.value.receipt is None
    assert caught.value.released == {}
    assert isinstance(caught.value.__cause__, KeyError)
    assert ledger.export() == before


def test_what_fails_on_noise_alone_is_run():
    """It may well pass on the table: one passing trial is enough."""
    run = certified("solved")
    found = run.rehearse(n=100_000, d=3)
    assert not found.passed
    assert [one.n for one in found.failures] == [0, 0]
    assert found.hopeless is None
    assert "noise alone: solved raises LinAlgError" in str(found)
    assert dp.execute(run, *table(30_000), rng=0).output.shape == (3,)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
@pytest.mark.parametrize("rows", [BALL, dp.Rows(box=3), CODEBOOK], ids=["ball", "box", "codes"])
@pytest.mark.parametrize("grid", [20, None])
def test_every_setting_is_rehearsed(relation, rows, grid):
    """Trials are run, and pass, at many records."""
    y = dp.Column(levels=["no", "yes"]) if rows is CODEBOOK else dp.Column(lower=3, upper=5)
    setting = dp.Setting(X=rows, y=y, relation=relation, grid=grid)
    d = 2 if rows is CODEBOOK else 3
    found = certified("noted", setting).rehearse(n=10**6, d=d)
    assert found.passed, found
    assert not any(one.untried for one in found.trials)


def test_a_rehearsal_disturbs_nothing():
    """Neither the noise of a seeded run, nor the caller's generator, nor warnings."""
    generator, same = np.random.default_rng(5), np.random.default_rng(5)
    run = certified("noted")
    first = dp.execute(run, *table(), rng=generator).released
    again = dp.execute(run, *table(), rng=same).released  # its rehearsal was kept
    assert all(np.array_equal(first[name], again[name]) for name in first)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        certified("noisy").rehearse(n=100, d=2)
    assert not caught


def test_it_knows_public_sizes_only():
    """What a function sees in it is the same for every table of as many columns."""
    seen = []
    for n in (0, 10, 3000):
        SEEN.clear()
        run = certified("noted", dp.Setting(X=dp.Rows(norm=1), y=SETTING.y, relation=dp.ADD_REMOVE))
        rehearsed.__globals__["_rehearsed"].cache_clear()
        dp.execute(run, *table(n), rng=1)
        seen.append(SEEN[:-1])
    assert seen[0]
    assert seen[0] == seen[1] == seen[2]


def test_it_is_made_once_for_a_certificate_and_its_sizes():
    """Later runs pay nothing for it."""
    rehearsed.__globals__["_rehearsed"].cache_clear()
    for n in (50, 60):
        SEEN.clear()
        dp.execute(certified("noted"), *table(n), rng=1)
        assert len(SEEN) == (2 if n == 50 else 1)


def test_functions_of_dpframe_are_not_rehearsed(monkeypatch):
    """Its own tests run them."""
    run = dp.certify(dp.SSP(), target=TARGET, setting=SETTING)
    monkeypatch.setattr("dpframe.execution.rehearsal.rehearsed", None)
    check_processing(run, {"d": 3})


def test_sums_are_multiplied_exactly():
    """Beyond words, into Python's integers."""
    sums = PassSums((np.array([3, 2**61]), np.array([0.5])), 2)
    found = multiple(sums, 10**6)
    assert found.parts[0].tolist() == [3 * 10**6, 2**61 * 10**6]
    assert found.parts[1].tolist() == [0.5 * 10**6]
    assert found.rows == 2 * 10**6


def test_what_cannot_be_rehearsed_says_so():
    """A certificate without numbers; a codebook's columns; no number of records."""
    symbolic = dp.certify(Sums2(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=SETTING)
    with pytest.raises(dp.NotExecutable, match="lacks numbers"):
        symbolic.rehearse(d=3)
    with pytest.raises(dp.InvalidArgument, match="d must be given"):
        certified().rehearse()
    with pytest.raises(dp.InvalidArgument, match="n must be"):
        certified().rehearse(n=-1, d=3)


# shapes, where an estimator fits -------------------------------------------------------------


def two(gram, moment):
    """Two numbers, whatever d is."""
    return moment[:2]


def several(gram, moment):
    """A tuple that does not begin with coefficients."""
    return gram, moment


def rows(gram, moment):
    """A matrix."""
    return moment[:, None]


def listed(gram, moment):
    """A list."""
    return list(moment)


@pytest.mark.parametrize("function", ["two", "several", "rows", "listed"])
@pytest.mark.parametrize("x", [dp.Rows(norm=1), NUMBERS], ids=["l2", "codes"])
def test_an_output_that_is_no_coefficients_is_refused_before_the_charge(function, x, tmp_path):
    """By what it is; not broadcast against the codebook."""
    ledger = dp.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("survey", dp.ApproxDP(1, "1e-6"), relation=dp.ADD_REMOVE)
    before = ledger.export()
    setting = dp.Setting(X=x, y=SETTING.y, relation=dp.ADD_REMOVE)
    model = dp.PrivateRegressor(
        Sums2(function), epsilon=1, delta="1e-6", setting=setting, ledger=ledger, dataset="survey"
    )
    with pytest.raises(dp.InvalidArgument, match=r"regression must be .* 3 coefficients"):
        model.fit(*table())
    assert ledger.export() == before


class Pair(dp.Regression):
    """Two outputs, of which the first or the second has an entry for each column."""

    turned: bool = False

    def declare(self, X, y, budget):
        first, second = budget.split_evenly(2)
        both = (
            dp.release(X.T @ y, dp.Gaussian.analytic, first),
            dp.release(dp.count(X), dp.Gaussian.analytic, second),
        )
        return both[::-1] if self.turned else both


def test_of_several_outputs_the_first_is_the_coefficients():
    """result_ has all; where the first has another shape, it is refused before the charge."""
    options = {"epsilon": 1, "delta": "1e-6", "setting": SETTING, "rng": 0}
    model = dp.PrivateRegressor(Pair(), **options).fit(*table())
    theta, n = model.result_.output
    np.testing.assert_array_equal(model.coef_, theta)
    assert np.ndim(n) == 0
    with pytest.raises(dp.InvalidArgument, match="a tuple that begins with one of them"):
        dp.PrivateRegressor(Pair(turned=True), **options).fit(*table())


def with_trace(gram, moment):
    """Coefficients, and something else."""
    return np.linalg.solve(gram + 50 * np.eye(3), moment), float(np.trace(gram))


def test_of_a_tuple_the_first_entry_is_the_coefficients():
    """coef_, predict and the rest of the output."""
    X, y = table()
    model = dp.PrivateRegressor(
        Sums2("with_trace"), epsilon=1, delta="1e-6", setting=SETTING, rng=0
    ).fit(X, y)
    theta, trace = model.result_.output
    np.testing.assert_array_equal(model.coef_, theta)
    inside = X / np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    np.testing.assert_allclose(model.predict(X), inside @ theta)
    assert isinstance(trace, float)


class Concentrated(dp.Regression):
    """Noise by rho, which a target of zero-concentrated privacy has."""

    def declare(self, X, y, budget):
        return dp.release(X.T @ y, dp.Gaussian(std=dp.sqrt(1 / (2 * budget.rho))))


def test_a_declaration_of_another_target_is_told_what_to_write():
    """The target that has rho, and three ways to fit."""
    model = dp.PrivateRegressor(Concentrated(), epsilon=1, delta="1e-6", setting=SETTING)
    with pytest.raises(dp.InvalidArgument) as caught:
        model.fit(*table())
    for part in ("dp.ZeroConcentratedDP(rho) has it", "dp.Gaussian.analytic, share", "dp.execute("):
        assert part in str(caught.value)
    dp.certify(Concentrated(), target=dp.ZeroConcentratedDP("0.1"), setting=SETTING)


# previews ------------------------------------------------------------------------------------


def test_a_codebook_says_how_many_columns_a_preview_is_of():
    """Asked for where nothing fixes it; refused where it is another."""
    fixed = certified("noted", dp.Setting(X=CODEBOOK, y=SETTING.y, relation=dp.ADD_REMOVE))
    assert str(fixed.preview(n=1000)) == str(fixed.preview(n=1000, d=2))
    with pytest.raises(dp.InvalidArgument, match="the codebook's 2 columns"):
        fixed.preview(n=1000, d=7)
    with pytest.raises(dp.InvalidArgument, match="the codebook's 2 columns"):
        fixed.rehearse(d=7)
    with pytest.raises(dp.InvalidArgument, match="d must be given"):
        certified().preview(n=1000)
    assert certified().preview(n=1000, d=3).d == certified().at(d=3).preview(n=1000).d == 3
    with pytest.raises(dp.InvalidArgument, match="left out, or 3, as the certificate was given"):
        certified().at(d=3).preview(n=1000, d=4)
