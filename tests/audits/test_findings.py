"""What an audit finds besides its verdict, against 50-digit formulas and proofs of its own."""

import json
from fractions import Fraction
from itertools import pairwise

import attrs
import pytest
from mpmath import mp, mpf, sqrt

import dpframe as dp
from dpframe.audits.findings import findings
from dpframe.audits.findings.findings import bibliography as references
from dpframe.graph.rewriting import Scaling, recalibrated
from dpframe.literature.catalogue import example
from dpframe.literature.every import everything
from dpframe.symbols import Number
from tests.audits import bibliography
from tests.support.html_pages import unfolded
from tests.support.oracles import delta_of

ONE = dp.ApproxDP(1, "1e-6")
DELTA = Fraction(1, 10**6)


def table(relation=dp.ADD_REMOVE, **more):
    """Rows and labels up to 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, **more)


def found(regression, target=ONE, setting=None):
    """The findings of an audit."""
    return findings(dp.audit(regression, target=target, setting=setting or table()))


def of(bounds, name):
    """Those by the accountant of that name."""
    return next(one for one in bounds if one.name == name)


def epsilon_of(mu, delta):
    """The exact epsilon of Gaussian noise, by bisection with 50 digits."""
    low, high = mpf(0), mpf(50)
    with mp.workdps(50):
        for _ in range(160):
            middle = (low + high) / 2
            above = delta_of(middle, mu) > mpf(delta.numerator) / delta.denominator
            low, high = (middle, high) if above else (low, middle)
    return high


def mu_of_wang():
    """Three releases with std 3 sqrt(log(6/delta))/epsilon, at epsilon = 1 and delta = 1e-6."""
    with mp.workdps(50):
        return sqrt(3 / (9 * mp.log(6 / mpf("1e-6"))))


def test_every_accountant_says_what_its_theorem_says():
    """Joint and zCDP costs of Wang's adaSSP, against 50 digits."""
    told, mu = found(dp.literature.AdaSSPWang()).accountants, mu_of_wang()
    exact = of(told, "joint Gaussian profile")
    with mp.workdps(50):
        epsilon = epsilon_of(mu, DELTA)
        assert exact.lower <= epsilon <= exact.upper
        assert exact.upper - exact.lower < mpf(10) ** -12
        rho = mu**2 / 2
        simple = rho + 2 * sqrt(rho * mp.log(mpf(10) ** 6))
        assert exact.upper < of(told, "zero-concentrated").upper <= simple
    shares = of(told, "basic composition of the claimed shares")
    assert shares.upper is None
    assert "floor" in shares.says


@pytest.mark.slow
def test_the_tightest_accountant_stands_first():
    """Upper bounds are in order."""
    for cls in (
        dp.literature.AdaSSPWang,
        dp.regressions.NoisySGD,
        dp.literature.SSPPiazza,
        dp.literature.FunctionalLinearPrinted,
    ):
        target = dp.PureDP(1) if cls is dp.literature.FunctionalLinearPrinted else ONE
        uppers = [one.upper for one in found(cls(), target).accountants if one.upper is not None]
        assert len(uppers) > 1
        assert all(a <= b * (1 + 1e-8) for a, b in pairwise(uppers))


@pytest.mark.slow
def test_a_sample_is_counted_by_the_numeric_accountant_only():
    """Others bound the noise as if every row were read; the joint profile, which would be of half
    the mechanism, is left out.
    """
    told = found(dp.regressions.NoisySGD()).accountants
    assert "joint Gaussian profile" not in {one.name for one in told}
    assert told[0].name == "numeric composition"
    assert told[0].upper <= 1 < min(one.upper for one in told[1:] if one.upper is not None)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.slow
def test_no_upper_bound_is_below_the_exact_cost(relation):
    """What one accountant attains, no other denies."""
    seen = 0
    for cls in everything():
        told = found(example(cls), ONE, table(relation)).accountants
        lower = max((one.lower for one in told if one.lower), default=None)
        for one in told:
            if one.upper is not None and lower is not None:
                seen += 1
                assert one.upper >= lower * (1 - 1e-12), (cls, one)
    assert seen > 80


def test_private_data_in_public_has_no_finite_cost():
    """No accountant applies, and the leak is to be mended first."""
    told = found(dp.literature.ThesisMaxNorm())
    assert told.accountants == ()
    assert told.profile is None
    assert told.waste is None
    assert all(one.true is None for one in told.portions)
    assert told.change.title.startswith("Put a public number in place of std")


def test_the_profile_is_that_of_fifty_digits():
    """Both ends enclose it."""
    told, mu = found(dp.literature.AdaSSPWang()).profile, mu_of_wang()
    assert told.claimed == (1.0, 1e-6)
    assert told.epsilons[0] == 0
    assert told.epsilons[-1] == 2
    with mp.workdps(50):
        for epsilon, low, high in zip(told.epsilons, told.lower, told.upper, strict=True):
            exact = delta_of(mpf(epsilon), mu)
            assert low <= exact <= high <= exact * (1 + mpf(10) ** -9)


@pytest.mark.slow
def test_the_profile_of_samples_meets_the_claim():
    """By the composition that counts the samples, not by the noise of every row."""
    told = found(dp.regressions.NoisySGD()).profile
    at = dict(zip(told.epsilons, told.upper, strict=True))
    assert at[1.0] <= 1e-6 * (1 + 1e-9)
    assert all(low <= high for low, high in zip(told.lower, told.upper, strict=True))


@attrs.frozen(eq=False)
class Times:
    """A declaration, and its noise times a number."""

    of: dp.Regression
    factor: Fraction

    def proved(self, target, setting):
        class Scaled(dp.Regression):
            """The same with other noise. [tests]"""

            inner: object = None
            factor: object = None

            def declare(self, X, y, budget):
                noise = Scaling(Number(self.factor)).release
                return recalibrated(self.inner, X, y, budget, lambda graph: noise)

        made = Scaled(self.of, self.factor)
        return dp.examine(made, target=target, setting=setting, accountant="gaussian").proved


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.parametrize(
    "cls",
    [
        dp.literature.AdaSSPWang,
        dp.literature.SSPWangCoded,
        dp.literature.SSPPiazza,
        dp.literature.AdaSSPBudget,
        dp.literature.BoostedAdaSSPCoded,
    ],
)
def test_noise_times_the_factor_is_enough_and_less_is_not(cls, relation):
    """Proved with a billionth more; not with a millionth less."""
    setting = table(relation)
    regression = cls(gamma="1/3") if cls is dp.literature.AdaSSPBudget else cls()
    factor = Fraction(found(regression, ONE, setting).waste.factor)
    assert Times(regression, factor * (1 + Fraction(1, 10**9))).proved(ONE, setting)
    assert not Times(regression, factor * (1 - Fraction(1, 10**6))).proved(ONE, setting)


def test_a_factor_says_where_it_is_right():
    """Piazza's noise wastes more at one epsilon than at another; B and Y do not matter."""
    free = dp.Setting(
        X=dp.Rows(norm=dp.parameter("B")),
        y=dp.Column(bound=dp.parameter("Y")),
        relation=dp.ADD_REMOVE,
    )
    told = found(dp.literature.AdaSSPPiazza(), ONE, free)
    assert told.waste.at == ""
    assert told.change.otherwise.startswith("Multiply all noise by 0.437")
    told = found(dp.literature.AdaSSPPiazza(), dp.ApproxDP(dp.EPSILON, dp.DELTA), free)
    assert told.waste.at == "delta = 1e-6, epsilon = 1"
    assert "at delta = 1e-6, epsilon = 1" in told.change.otherwise


def test_a_tight_declaration_wastes_nothing():
    """Joint calibration spends the target."""
    told = found(dp.AdaSSP())
    assert told.waste.tight
    assert told.change is None
    assert "of what is added: none is wasted" in unfolded(told.audit)


class Sampled(dp.Regression):
    """A sum of labels with stated noise, on samples."""

    noise: object = attrs.field(default=None)

    def declare(self, X, y, budget):
        """One release of the whole budget."""
        share = budget if budget.currency == ("epsilon",) else None
        return dp.release(y.sum(), self.noise, share, sampled="0.05", name="s")


RHO = dp.ZeroConcentratedDP("1/10")
PERSONS = table(rows_per_person=2)


@pytest.mark.parametrize(
    ("noise", "target", "setting"),
    [
        (dp.Laplace(2), dp.PureDP(1), table(dp.REPLACE_ONE)),
        (dp.Laplace(2), dp.PureDP(1), PERSONS),
        (dp.Gaussian("8.4494"), ONE, PERSONS),
        (dp.Gaussian(3), RHO, table()),
        (dp.Laplace(dp.EPSILON**-1), dp.PureDP(dp.EPSILON), table()),
    ],
    ids=["replace-one", "pure, two rows", "Gaussian, two rows", "rho", "a formula"],
)
def test_no_factor_where_samples_are_not_counted(noise, target, setting):
    """The cost on all rows says nothing of how much noise the samples need."""
    told = found(Sampled(noise), target, setting)
    assert str(told.audit.verdict) == "proved"
    assert told.waste is None
    assert "tightest calibration" not in unfolded(told.audit)


class Sums(dp.Regression):
    """The sum of labels, so many times."""

    draws: int = attrs.field(default=1)

    def declare(self, X, y, budget):
        """Laplace noise, just enough for an even split."""
        shares = budget.split_evenly(self.draws)
        return tuple(
            dp.release(y.sum(), dp.Laplace(self.draws), share, name=f"s{place}")
            for place, share in enumerate(shares)
        )


def test_exactly_is_said_only_of_a_cost_that_is_attained():
    """One draw attains its epsilon; that several do for one pair of tables is not derived."""
    one, two = (found(Sums(draws), dp.PureDP(1)) for draws in (1, 2))
    assert one.waste.tight
    assert one.waste.exact
    assert two.waste.tight
    assert not two.waste.exact


def test_the_split_is_claimed_and_true():
    """Shares of epsilon, and squares of mu by Piazza's constants."""
    parts = {one.name: one for one in found(dp.literature.AdaSSPBudget(gamma="1/2")).portions}
    assert parts["floor"].claimed == pytest.approx(0.5)
    assert parts["gram"].claimed == pytest.approx(0.25)
    assert sum(one.true for one in parts.values()) == pytest.approx(1)
    with mp.workdps(50):  # mu^2 = (eps_i^2)/(2 log(2/delta_i)) each
        squares = {
            name: share**2 / (2 * mp.log(2 / (share * mpf("1e-6"))))
            for name, share in (("floor", 0.5), ("gram", 0.25), ("moment", 0.25))
        }
        for name, square in squares.items():
            assert parts[name].true == pytest.approx(float(square / sum(squares.values())))


def test_symbols_get_the_numbers_of_an_example():
    """epsilon = 1, delta = 1e-6."""
    told = found(dp.literature.AdaSSPWang(), dp.ApproxDP(dp.EPSILON, dp.DELTA))
    assert told.at["epsilon"] == 1
    assert told.at["delta"] == DELTA
    assert of(told.accountants, "joint Gaussian profile").upper == pytest.approx(0.5956481591)


def test_assumptions_have_the_identifiers_of_the_docs():
    """In their order."""
    told = found(dp.AdaSSP()).assumptions
    page = bibliography.PAGE.with_name("assumptions.md").read_text("utf-8")
    assert [one.id for one in told] == ["A1", "A4", "A5", "W1", "W2", "W3", "W4", "W5"]
    assert all(f"**{one.id}. " in page for one in told)


@pytest.mark.slow
def test_every_assumption_has_an_identifier():
    """Of every shipped declaration."""
    audits = [dp.audit(example(cls), target=ONE, setting=table()) for cls in everything()]
    assert all(premise.heading[0] != "A0" for one in audits for premise in one.assumptions)


def test_the_references_are_those_of_the_docs():
    """The packaged bibliography is made from the page."""
    wanted = bibliography.FILE.read_text("utf-8")
    assert wanted == bibliography.text(), "run python -m tests.audits.bibliography"
    assert references()["BalleW18"].startswith("B. Balle, Y.-X. Wang. Improving")


def test_everything_is_json():
    """Also what has no cost."""
    for regression in (
        dp.literature.AdaSSPWang(),
        dp.literature.ThesisMaxNorm(),
        dp.regressions.OPSBalanced(),
        dp.regressions.OLS(),
    ):
        told = found(regression).record()
        again = json.loads(json.dumps(told, allow_nan=False))
        assert [one["name"] for one in again["accountants"]] == [
            one.name for one in found(regression).accountants
        ]


@pytest.mark.parametrize(
    "target", [dp.ZeroConcentratedDP("0.1"), dp.GaussianDP("0.4"), dp.RenyiDP(8, 1)], ids=str
)
def test_shares_of_rho_are_no_epsilons(target):
    """Their sum was listed as an epsilon, below the exact one."""

    class Halves(dp.Regression):
        def declare(self, X, y, budget):
            first, second = budget.split("1/2", "1/2")
            noise = dp.Gaussian(10)
            return dp.release(X.T @ X, noise, first), dp.release(X.T @ y, noise, second)

    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    audited = dp.audit(Halves(), target=target, setting=setting)
    assert all(str(line.verdict) == "proved" for line in audited.lines)
    told = findings(audited).accountants
    assert told
    exact = epsilon_of(sqrt(2) / 10, Fraction(told[0].delta))
    assert all(one.upper >= exact for one in told if one.upper is not None)


@pytest.mark.exhaustive
def test_accountants_that_do_not_count_samples_are_left_out():
    """A rho of all draws says nothing of DP-SGD; joint costs either."""
    sgd = dp.audits.read_description("docs/published/dpsgd_mnist_1_19.toml")
    audited = dp.audit(sgd.regression, target=sgd.target, setting=sgd.setting)
    told = findings(audited).accountants
    assert [one.name for one in told] == ["numeric composition", "Rényi"]
    assert max(one.upper for one in told) < 1.19


class Best(dp.Regression):
    """The fuller of two bins, by noise of scale 1."""

    def declare(self, X, y, budget):
        noise = dp.mechanisms.LaplaceSelection(scale=1)
        return dp.release(dp.graph.bin_counts(y, [0]), noise, budget, name="best")


def test_one_pure_release_that_some_pair_attains_is_no_upper_bound():
    """Replaced, two counts move apart by 2: the page that refutes says so, with delta 0."""
    told = found(Best(), dp.PureDP(1), table(dp.REPLACE_ONE)).accountants
    one = of(told, "basic composition of pure releases")
    assert (one.lower, one.upper) == (2, 2)
    told = found(Best(), ONE, table(dp.REPLACE_ONE)).accountants
    assert of(told, "basic composition of pure releases").lower is None


@pytest.mark.parametrize("rows", [{"box": 1}, {"norm": 2}, {"norm": 1, "box": 1}], ids=str)
def test_letters_of_formulas_mean_what_they_stand_for(rows):
    """The bound on an entry is box, where nothing but a box is declared."""

    class Squares(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(dp.graph.column_squares(X), dp.Gaussian.analytic, budget)

    setting = dp.Setting(X=dp.Rows(**rows), relation=dp.ADD_REMOVE)
    told = unfolded(dp.audit(Squares(), target=ONE, setting=setting))
    boxed = "norm" not in rows
    assert ("sqrt(d)*box^2" in told) == boxed
    assert (
        "box the bound on an entry of a row" if boxed else "B the bound on the norm of a row"
    ) in told


def test_the_entries_that_a_saving_counts_are_named():
    """Noise on each entry of X'X counts 100 times at 10 columns, symmetric noise 55 times."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    for regression, entries in ((dp.literature.AdaSSPWang(), 100), (dp.AdaSSP(), 55)):
        done = dp.audit(regression, target=dp.ApproxDP(1, "1e-6"), setting=setting)
        assert f"(entries: floor 1, gram {entries}, moment 10)" in findings(done).saving.criterion
