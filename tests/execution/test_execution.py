from fractions import Fraction
from typing import ClassVar

import attrs
import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import BadData, InvalidArgument, NotExecutable, PostFailed
from dpframe.execution import execute
from dpframe.execution.draws import ReleaseDraw
from dpframe.execution.numbers import PublicNumbers
from dpframe.graph import Column, Regression, Rows, Setting, post, release
from dpframe.graph.statistics import Count, LambdaMin
from dpframe.mechanisms import Gaussian, Laplace
from dpframe.numerics.blocks.gridding import onto_grid
from dpframe.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    ApproxDP,
    GaussianDP,
    PureDP,
    ZeroConcentratedDP,
)
from dpframe.prover.certify import certify
from dpframe.randomness import SimulatedBits
from dpframe.symbols import DELTA, EPSILON, Expression, analytic_sigma, exact, parameter, sqrt
from tests.support.oracles import sigma_of

REPLACED = Setting(X=Rows(norm=1), y=Column(bound=1), relation=REPLACE_ONE)


class Spy(np.random.Generator):
    """A generator that counts what is drawn from it."""

    def __init__(self, seed=0):
        super().__init__(np.random.PCG64(seed))
        self.drawn = []

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Draw, and remember size and shape."""
        self.drawn.append((scale, size))
        return super().normal(loc, scale, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Draw, and remember size and shape."""
        self.drawn.append((scale, size))
        return super().laplace(loc, scale, size)


def together(*values):
    """What it was given."""
    return values


def spoil(matrix):
    """Write into the argument."""
    matrix[...] = 0
    return matrix


def first(values):
    """The first entry."""
    return values[0]


def fail(matrix):
    """Raise, as a careless regression might."""
    raise np.linalg.LinAlgError(f"singular of shape {matrix.shape}")


class Floor(Regression):
    """lambda_min(X'X) twice, unnamed: two draws."""

    def declare(self, X, y, budget):
        """A tuple of two releases and a chain of post-processing."""
        shares = budget.split_evenly(2)
        one, two = (release(LambdaMin(X.T @ X), Gaussian.analytic, share) for share in shares)
        return one, two, post(first, post(together, two, one))


class Rounds(Regression):
    """X'X released rounds times over."""

    rounds: Expression = parameter("rounds", 1, 9, closed="both", integer=True)

    def declare(self, X, y, budget):
        """One release of several copies."""
        share = budget.split(1 / self.rounds)[0]
        return release(X.T @ X, Gaussian.analytic, share, times=self.rounds)


class Sizes(Regression):
    """Hands n and d through."""

    def declare(self, X, y, budget):
        """A release, and the public sizes."""
        return post(together, release(X.T @ X, Gaussian.analytic, budget), X.rows, X.columns)


class Counted(Regression):
    """The number of rows with Laplace noise."""

    def declare(self, X, y, budget):
        """One release."""
        return release(Count(X), Laplace.pure, budget)


class Spoiled(Regression):
    """Post-processing that writes into what it is given."""

    def declare(self, X, y, budget):
        """One release, spoiled twice."""
        gram = release(X.T @ X, Gaussian.analytic, budget, name="gram")
        return post(spoil, gram), post(together, gram)


class Failing(Regression):
    """Post-processing that raises."""

    def declare(self, X, y, budget):
        """One release."""
        return post(fail, release(X.T @ X, Gaussian.analytic, budget))


def test_in_floating_point_noise_is_that_of_the_generator(floating, data, clipped):
    """The noise that the seed gives, at the certified std, added to the clipped statistics."""
    X, y = clipped
    spy, rng = Spy(9), np.random.default_rng(np.random.PCG64(9))
    result = execute(floating, *data, rng=spy)
    std = float(floating.number(floating.graph.releases[0].std, up=True))
    noise = rng.normal(0, std, (3, 3))
    np.testing.assert_allclose(result.released["gram"], X.T @ X + (noise + noise.T) / 2)
    np.testing.assert_allclose(result.released["moment"], X.T @ y + rng.normal(0, std, 3))
    assert spy.drawn == [(std, (3, 3)), (std, (3,))]


def whole_numbers(X, y):
    """The table in steps of 2^-20, as Python integers."""
    return onto_grid(X, 2.0**20, 20), np.clip(np.trunc(y * 2.0**20), -(2.0**20), 2.0**20)


def test_what_is_released_is_the_statistic_plus_the_certified_noise(run, data):
    """Whole steps plus the whole noise of the seed: the diagonal, the rest of the upper triangle
    at a std smaller by sqrt 2, the moment.
    """
    rows, labels = whole_numbers(*data)
    result = execute(run, *data, rng=9)
    bits = SimulatedBits(np.random.default_rng(9))
    std = Fraction(run.number(run.graph.releases[0].std, up=True)) * 4**20
    smaller = Fraction(run.number(run.graph.releases[0].std / sqrt(2), up=True)) * 4**20
    gram = (rows.T @ rows).astype(int)
    noisy = gram + np.diag(Gaussian.on_grid(std, 3, bits).astype(int))
    noisy[np.triu_indices(3, 1)] += Gaussian.on_grid(smaller, 3, bits).astype(int)
    upper = np.triu_indices(3)
    np.testing.assert_array_equal(result.released["gram"][upper], noisy[upper] / 4.0**20)
    moment = (rows.T @ labels).astype(int) + Gaussian.on_grid(std, 3, bits).astype(int)
    np.testing.assert_array_equal(result.released["moment"], moment / 4.0**20)


def test_noise_in_floating_point_is_rounded_up(floating, data):
    """The size that is drawn with is at least the certified one, and a few ulp above at most."""
    spy = Spy()
    execute(floating, *data, rng=spy)
    formula = floating.graph.releases[0].std
    low, high = (floating.number(formula, up=up) for up in (False, True))
    assert low < spy.drawn[0][0] == high < low * (1 + 1e-14)


class Witnessed(Gaussian):
    """Gaussian noise that remembers its sizes."""

    exact: ClassVar[bool] = True
    sizes: ClassVar[list[Fraction]] = []

    @staticmethod
    def on_grid(size, n, bits):
        """Draw, and remember the size."""
        Witnessed.sizes.append(size)
        return Gaussian.on_grid(size, n, bits)


class Watched(Regression):
    """X'X with an intercept, whose step is irrational, three times over."""

    def declare(self, X, y, budget):
        """One release."""
        return release(X.T @ X, Witnessed(std=analytic_sigma(budget.epsilon, budget.delta) * 8))


def test_noise_is_rounded_up(data):
    """In steps of every coordinate it is at least the certified std, and a few ulp at most above.
    The oracle has 60 digits.
    """
    setting = Setting(X=Rows(norm=2, intercept=True), relation=ADD_REMOVE)
    target = ApproxDP(1, "1e-6")
    run = certify(Watched(), target=target, setting=setting, trust=[Witnessed])
    Witnessed.sizes.clear()
    execute(run, data[0], rng=0)
    with mpmath.workdps(60):
        std = 8 * sigma_of(1, mpmath.mpf("1e-6"))
        sizes = dict.fromkeys(Witnessed.sizes)
        for size, across in zip(sizes, (1, mpmath.sqrt(2)), strict=True):
            found = mpmath.mpf(size.numerator) / size.denominator * across * 5 / 4**20
            assert 1 <= found / std <= 1 + mpmath.mpf("1e-14")


def test_discrete_gaussian_noise_has_the_certified_std():
    """A rational std is drawn as it is, since a larger one may cost more; 0.36 is no double."""

    class Counted(Regression):
        """A noisy number of rows."""

        def declare(self, X, y, budget):
            del y, budget
            return release(dp.count(X), dp.DiscreteGaussian(std="0.36"), name="n")

    setting = Setting(X=Rows(norm=1), relation=ADD_REMOVE)
    proof = certify(Counted(), target=ApproxDP(5, "0.0203"), setting=setting)
    draw = ReleaseDraw.of(proof.graph.releases[0], PublicNumbers.of(proof, {"d": 1}))
    assert [size for size, _ in draw.sizes.values()] == [Fraction(9, 25)]
    execute(proof, np.ones((3, 1)), rng=0)


def test_symmetric_noise_is_symmetric(run, data):
    """A released X'X is symmetric to the bit, as its post-processing may assume."""
    gram = execute(run, *data, rng=1).released["gram"]
    np.testing.assert_array_equal(gram, gram.T)


def test_functions_get_arrays_numbers_and_constants_in_order(run, data):
    """Releases as arrays, formulas as floats at the public sizes, constants as they are."""
    result = execute(run, *data, rng=0)
    gram, moment, std, columns, *constants = result.output
    np.testing.assert_array_equal(gram, result.released["gram"])
    np.testing.assert_array_equal(moment, result.released["moment"])
    assert std == run.number(run.graph.releases[0].std, up=True)
    assert columns == 3
    assert constants == ["text", None, 3]


def test_numbers_are_floats_and_equal_calls_are_different_draws(certified, data):
    """A released number is a Python float; two equal releases have two names."""
    result = execute(certified(Floor()), *data, rng=0)
    one, two, third = result.output
    assert type(one) is float
    assert one != two == third
    label = "release of lambda_min(X'X)"
    assert result.released == {label: one, f"{label} (2)": two}


@pytest.mark.parametrize("rounds", [1, 4])
def test_copies_are_stacked_on_a_leading_axis(certified, data, clipped, rounds):
    """times=T gives T independent draws, each symmetric, of one statistic."""
    run = certified(Rounds()).at(rounds=rounds)
    output = execute(run, *data, rng=0).output
    assert output.shape == (rounds, 3, 3)
    np.testing.assert_array_equal(output, output.swapaxes(1, 2))
    assert len(np.unique(output[:, 0, 0])) == rounds


def test_one_copy_has_no_leading_axis(certified, data):
    """times=1, the constant, is an ordinary release."""
    assert execute(certified(Rounds(rounds=1)), *data, rng=0).output.shape == (3, 3)


def test_laplace_noise_is_drawn_at_its_scale(certified, data):
    """Another mechanism, another law, the same path: a count is released as a whole number."""
    run = certified(Counted(), target=PureDP("1/2"))
    output = execute(run, *data, rng=3).output
    noise = Laplace.on_grid(Fraction(2), 1, SimulatedBits(np.random.default_rng(3)))
    assert output == 60 + noise[0]
    assert type(output) is float


def test_the_number_of_rows_is_a_number_only_where_it_is_public(certified, data):
    """Under replace-one n is bound to the table; the receipt keeps it."""
    result = execute(certified(Sizes(), REPLACED), *data, rng=0)
    assert result.output[1:] == (60, 3)
    assert result.receipt.rows == 60
    assert execute(certified(Counted(), target=PureDP(1)), *data, rng=0).receipt.rows is None


def test_sizes_that_the_certificate_fixed_must_be_the_tables(run, data):
    """A certificate at d = 4 does not run on three columns."""
    fixed = run.at(d=4)
    with pytest.raises(
        BadData, match="X must be a table with d = 4, as the certificate says; got 3"
    ):
        execute(fixed, *data)
    assert execute(run.at(d=3), *data, rng=0).output[3] == 3


TABLES = {
    "no rows": (np.zeros((0, 3)), np.zeros(0)),
    "fewer rows than columns": (np.ones((2, 3)), np.ones(2)),
    "zeros": (np.zeros((5, 3)), np.zeros(5)),
    "constant columns": (np.ones((5, 3)), np.ones(5)),
    "huge": (np.full((5, 3), 1e308), np.full(5, -1e308)),
    "denormal": (np.full((5, 3), 5e-324), np.full(5, 5e-324)),
    "one column": (np.ones((5, 1)), np.ones(5)),
    "many columns": (np.ones((5, 300)), np.ones(5)),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_degenerate_tables_run_and_are_finite(run, certified, table):
    """Whether the run succeeds does not depend on such things."""
    for certificate in (run, certified(Floor())):
        released = execute(certificate, *table, rng=0).released.values()
        assert all(np.all(np.isfinite(value)) for value in released)


def test_the_smallest_eigenvalue_of_no_rows_is_zero(certified):
    """Without rows the release is noise around 0."""
    run, bits = certified(Floor()), SimulatedBits(np.random.default_rng(4))
    std = Fraction(run.number(run.graph.releases[0].std, up=True)) * 2**20
    noise = Gaussian.on_grid(std, 1, bits)
    assert execute(run, np.zeros((0, 2)), [], rng=4).output[0] == noise[0] / 2**20


BAD = {
    "nan in the last block": (np.vstack([np.ones((5000, 3)), [[1, np.nan, 1]]]), np.ones(5001)),
    "dimensions": (np.ones(3), np.ones(3)),
    "lengths": (np.ones((4, 3)), np.ones(3)),
    "text": (np.full((4, 3), "a"), np.ones(4)),
    "labels": (np.ones((4, 3)), [1, 2, np.inf, 4]),
}


@pytest.mark.parametrize("table", BAD.values(), ids=BAD)
def test_nothing_is_drawn_for_bad_data(run, table):
    """Refusals come before the first draw, so they cost nothing."""
    spy = Spy()
    with pytest.raises(BadData):
        execute(run, *table, rng=spy)
    assert spy.drawn == []


@pytest.mark.parametrize("symbol", ["epsilon", "delta", "gamma"])
def test_a_certificate_without_all_numbers_is_not_run(symbolic, data, symbol):
    """The message shows the call that completes it."""
    values = {"epsilon": 1, "delta": "1e-6", "gamma": "1/2"}
    partial = symbolic.at(**{name: value for name, value in values.items() if name != symbol})
    with pytest.raises(NotExecutable, match=rf"run = run\.at\({symbol}=\.\.\.\)"):
        execute(partial, *data)


def test_only_certificates_are_run(run, data):
    """A declaration, a graph or a class is not a certificate."""
    for other in (Floor(), run.graph, run.report, type(run), None):
        with pytest.raises(NotExecutable, match=r"only a certificate is executed.*dp\.certify"):
            execute(other, *data)


@pytest.mark.parametrize("arguments", [{"missing": "ignore"}, {"missing": True}, {"rng": "seed"}])
def test_other_arguments_are_refused(run, data, arguments):
    """missing is "refuse" or "drop"; rng is a seed or a generator."""
    with pytest.raises(InvalidArgument):
        execute(run, *data, **arguments)


def test_dropped_rows_are_as_if_they_had_never_been(run, data):
    """missing="drop" gives what the table without those rows gives."""
    X, y = (part.copy() for part in data)
    X[7, 1], X[40], y[11] = np.nan, np.inf, -np.inf
    kept = np.delete(np.arange(60), [7, 11, 40])
    got = execute(run, X, y, rng=0, missing="drop").released
    wanted = execute(run, X[kept], y[kept], rng=0).released
    for name in got:
        np.testing.assert_array_equal(got[name], wanted[name])


def test_the_callers_data_is_never_changed(run, data):
    """Read-only arrays will do."""
    before = [part.copy() for part in data]
    for part in data:
        part.flags.writeable = False
    execute(run, *data, rng=0)
    execute(run, *data, rng=0, missing="drop")
    assert all(np.array_equal(part, copy) for part, copy in zip(data, before, strict=True))


def test_functions_cannot_spoil_what_was_released(certified, data):
    """Each call gets arrays of its own; the record is read-only."""
    result = execute(certified(Spoiled()), *data, rng=0)
    assert not result.output[0].any()
    np.testing.assert_array_equal(result.output[1][0], result.released["gram"])
    with pytest.raises(ValueError, match="read-only"):
        result.released["gram"][0, 0] = 0


def test_what_a_function_raises_is_the_cause_of_the_refusal(certified, data):
    """Post-processing is free: its failure is the caller's to see."""
    with pytest.raises(PostFailed, match=r"LinAlgError: singular of shape \(3, 3\)") as refused:
        execute(certified(Failing()), *data, rng=0)
    assert isinstance(refused.value.__cause__, np.linalg.LinAlgError)


def test_without_rng_no_two_runs_agree(run, data):
    """Noise comes from the operating system."""
    first_run = execute(run, *data)
    second_run = execute(run, *(part.copy() for part in data))
    assert first_run.receipt.private
    assert first_run.receipt.randomness == "operating system"
    assert not np.isin(first_run.released["gram"], second_run.released["gram"]).any()


def test_a_seed_repeats_a_simulation(run, data):
    """Same seed, same noise."""
    one, two = (execute(run, *data, rng=3).released["gram"] for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_public_formulas_are_rounded_as_they_are_used(symbolic):
    """A bound is rounded towards zero, whatever its sign; everything else up."""
    numbers = PublicNumbers(symbolic)
    third, root = exact("1/3"), sqrt(2)
    assert numbers.towards_zero(third) < numbers.up(third)
    assert numbers.towards_zero(-third) == -numbers.towards_zero(third)
    assert numbers.towards_zero(root) ** 2 < 2 < numbers.up(root) ** 2
    assert numbers.towards_zero(exact(0)) == 0


def test_a_formula_beyond_the_doubles_is_refused(symbolic):
    """No infinite noise, no infinite bound; in a sentence that can be read."""
    with pytest.raises(NotExecutable, match="no finite number") as refusal:
        PublicNumbers(symbolic).up(exact(10) ** 64 * exact(10) ** 64 * exact(10**400))
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        (PureDP(EPSILON), "3-differential privacy"),
        (ApproxDP(2 * EPSILON, DELTA), "(6, 1/10)-differential privacy"),
        (ZeroConcentratedDP(EPSILON), "3-zCDP"),
        (GaussianDP(EPSILON), "3-Gaussian differential privacy"),
    ],
)
def test_a_receipt_states_the_guarantee_in_numbers(target, wanted):
    """Parameters are replaced by the certificate's numbers in every kind of guarantee."""
    values = {"epsilon": exact(3), "delta": exact("1/10")}
    assert str(target.substitute(values)) == wanted


def test_results_and_receipts_are_frozen(run, data):
    """What happened cannot be rewritten."""
    result = execute(run, *data, rng=0)
    for record, name in ((result, "output"), (result.receipt, "private")):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(record, name, None)


def test_a_receipt_is_three_readable_lines(run, data):
    """What is proved and what is tested; what was spent, for whom, when; the noise and what is
    assumed, of the table too.
    """
    receipt = execute(run, *data).receipt
    proved, spent, noise = str(receipt).splitlines()
    assert proved.startswith(f"Proved: the cost of the graph, by certificate {run.hash}.")
    assert "Tested, not proved: how tables are read" in proved
    assert spent.startswith("Spent (1, 1e-6)-differential privacy for one row added or removed")
    assert receipt.time in spent
    assert noise.startswith(
        "Noise: operating system. Assumed: failures are not published; each record is read by"
    )
    assert noise.endswith("no program changes the table in memory while it is read.")
    assert receipt.certificate == run.hash
    assert receipt.columns == 3


def test_a_receipt_does_not_tell_the_number_of_rows(run):
    """n is private under add/remove: receipts of different tables differ in their time alone."""
    one, two = (execute(run, np.ones((n, 3)), np.ones(n), rng=0).receipt for n in (10, 20))
    assert attrs.evolve(one, time="") == attrs.evolve(two, time="")


def test_dropping_removes_the_assumption_about_failures(run, data):
    """With missing="drop" no value of a row makes the run fail."""
    refused, dropped = (
        execute(run, *data, rng=0, missing=how).receipt for how in ("refuse", "drop")
    )
    removed = set(refused.assumptions) - set(dropped.assumptions)
    assert len(removed) == 1
    assert removed.pop().startswith("failures are not published")


def of_few(**options):
    """An execution of two records, with rows dropped."""
    personal = "budgets" in options
    target = dp.PersonalizedDP({"a": 1, "b": 2}) if personal else ApproxDP(1, "1e-6")
    declared = dp.PersonalizedRidge(total=2) if personal else dp.SSP()
    proof = certify(declared, target=target, setting=attrs.evolve(REPLACED, relation=ADD_REMOVE))
    rows = options.pop("rows", 2)
    return execute(proof, np.zeros((rows, 1)), np.zeros(rows), missing="drop", **options)


def test_budgets_and_accounts_keep_the_assumption_about_failures():
    """A record with a budget of no group, or without an account, is refused and not dropped."""
    accounts = dp.RecordLedger(([9.0] * 2, [1e-5] * 2), kind=ApproxDP)
    for options in ({"budgets": ["a", "b"]}, {"records": accounts}):
        assumptions = of_few(**options).receipt.assumptions
        assert any(one.startswith("failures are not published") for one in assumptions)
    with pytest.raises(BadData, match="among the groups"):
        of_few(budgets=["a", "c"])
    with pytest.raises(InvalidArgument, match="accounts of the records"):
        of_few(records=accounts, rows=3)


def test_the_state_of_numpy_refuses_no_record(run, data):
    """The least double underflows where its row is clipped."""
    X, y = (part.copy() for part in data)
    X[7] = 5e-324, 3, 3
    wanted = execute(run, X, y, rng=0, missing="drop").released
    with np.errstate(all="raise"):
        got = execute(run, X, y, rng=0, missing="drop").released
    for name, value in wanted.items():
        np.testing.assert_array_equal(got[name], value)


def test_a_simulation_says_so_wherever_it_is_shown(run, data):
    """Nobody takes a seeded run for a private one."""
    result = execute(run, *data, rng=0)
    assert not result.receipt.private
    for text in (str(result), repr(result), str(result.receipt), repr(result.receipt)):
        assert "simulation, NOT private" in text
    private = execute(run, *data)
    for text in (str(private), repr(private)):
        assert "simulation" not in text


class LateNoise(dp.Regression):
    """X'y is read early; its noise reads a released number, so that it is released late."""

    def declare(self, X, y, budget):
        """The second stage looks at nothing."""
        squares = dp.release(y @ y, dp.Gaussian(std=3), name="squares")
        width = dp.known(dp.post(half, squares), "1/10", 1, name="width")
        return dp.post(sized, squares, dp.release(X.T @ y, dp.Gaussian(std=3 + width)))


def half(_):
    """A width."""
    return 0.5


def sized(squares, moment):
    """How many numbers were released."""
    return len([squares, *moment])


def test_a_stage_that_reads_nothing_gets_no_pass():
    """What is released late is not always read late: one pass stays one, of a table read once."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    run = dp.certify(LateNoise(), target=dp.GaussianDP(3), setting=setting)
    blocks = ((rows, np.ones(5)) for rows in [np.full((5, 2), 0.5)] * 3)
    assert dp.execute(run, blocks, rng=0).output == 3


def test_executions_whose_deltas_sum_to_one_are_listed():
    """No accountant adds them: the warning names each, and the execution goes on."""
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "0.6"), setting=REPLACED)
    X, y = np.full((9, 2), 0.5), np.full(9, 0.5)
    dp.execute(run, X, y)
    with pytest.warns(dp.PrivacyWarning, match=r"cost \(1, 3/5\)-.*; then \(1, 3/5\)-"):
        dp.execute(run, X, y)
