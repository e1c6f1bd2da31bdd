"""best_split: known answers, the certificate, what is refused, what is printed and drawn."""

import json
import sys
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.regressions import solve
from tests.splits.conftest import NOISE, setting
from tests.support import commands, oracles


def budget_noise(gamma, epsilon, delta, entries):
    """adaSSPbudget's squared noise at B = Y = 1 by its printed formulas, in mpmath or numpy."""
    log = mpmath.log if isinstance(gamma, mpmath.mpf) else np.log
    rest = (1 - gamma) / 2
    floor = 2 * log(2 / (gamma * delta)) / (gamma * epsilon) ** 2
    return floor + entries * 2 * log(2 / (rest * delta)) / (rest * epsilon) ** 2


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 2])
@pytest.mark.parametrize("d", [1, 10, 200])
def test_gamma_of_adassp_budget(best, epsilon, d):
    """As printed: the stationary point at 50 digits, and a grid of 1e5."""
    found = best(target=dp.ApproxDP(epsilon, "1e-6"), criterion=dp.audits.NoiseCriterion(d=d))
    entries = d * d + d  # the upper triangle is mirrored
    with mpmath.workdps(50):
        eps, small = mpmath.mpf(1) * Fraction(epsilon).numerator, mpmath.mpf(10) ** -6
        eps /= Fraction(epsilon).denominator

        def worth(gamma):
            return budget_noise(mpmath.mpf(gamma), eps, small, mpmath.mpf(entries))

        start = float(found.chosen["gamma"].value)
        least = worth(mpmath.findroot(lambda x: mpmath.diff(worth, x), start))
        assert least <= found.value <= least * (1 + mpmath.mpf("1.01e-6"))
    grid = np.linspace(0, 1, 100_002)[1:-1]
    values = budget_noise(grid, float(epsilon), 1e-6, entries)
    assert found.value <= values.min() * (1 + 1.01e-6)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_gamma_of_the_tight_one(relation, best):
    """AdaSSPBudgetTight: under add/remove a/gamma + b/(1 - gamma), by hand; else against a grid."""
    found = best(dp.regressions.AdaSSPBudgetTight(), setting=setting(relation, grid=None))
    gamma = np.linspace(0, 1, 100_002)[1:-1]
    rest = (1 - gamma) / 2
    if relation is dp.ADD_REMOVE:
        assert float(found.chosen["gamma"].value) == pytest.approx(1 / (1 + np.sqrt(130)), rel=2e-3)
        J = 1.0
    else:
        larger = np.maximum(2 * rest + gamma, rest)
        J = (larger + rest) ** 2 / larger
    sigma = float(oracles.sigma_of(1, Fraction(1, 10**6)))
    values = sigma**2 * J * (1 / gamma + 65 / rest)
    assert found.value == pytest.approx(values.min(), rel=2e-6)


def test_the_certificate_is_of_the_choice(best, ball, one):
    """What is returned is proved, at the chosen numbers, and can be executed."""
    found = best()
    assert found.regression == dp.literature.AdaSSPBudget(gamma="0.119")
    assert found.certificate.regression == found.regression
    assert found.certificate.hash == dp.certify(found.regression, target=one, setting=ball).hash
    assert not found.certificate.free
    dp.execute(found.certificate, [[0.5, 0.5]], [0.3], rng=0)
    assert found.gain == pytest.approx(1.5806, abs=1e-4)
    assert found.shares == pytest.approx({"floor": 0.119, "gram": 0.4405, "moment": 0.4405})
    assert found.currency == "epsilon"


def test_few_digits(best):
    """As few as cost a part in a million."""
    for criterion in (NOISE, dp.audits.ErrorCriterion(n=50_000, d=10)):
        found = best(criterion=criterion)
        digits = str(float(found.chosen["gamma"].value)).replace("0.", "").strip("0")
        assert len(digits) <= 7


def test_inside_its_theorem(best):
    """Kamath and Ullman's noise is a theorem up to 4 log 2: the best split keeps to that."""
    criterion = dp.audits.ErrorCriterion(n=20_000, d=10)
    found = best(target=dp.ApproxDP(6, "1e-6"), criterion=criterion)
    gamma = float(found.chosen["gamma"].value)
    assert (1 - gamma) / 2 * 6 <= 4 * np.log(2)
    assert gamma == pytest.approx(1 - 8 * np.log(2) / 6, abs=1e-5)
    with pytest.raises(dp.InvalidArgument, match="where the theorems of its noise hold"):
        best(target=dp.ApproxDP(10, "1e-6"), criterion=criterion)


class Shared(dp.Regression):
    """Two releases, the shares a and b."""

    a: dp.Expression = dp.parameter("a", 0, 1)
    b: dp.Expression = dp.parameter("b", 0, 1)
    idle: dp.Expression = dp.parameter("idle", 0, 1)
    steps: dp.Expression = dp.constant(1)

    def declare(self, X, y, budget):
        first, second = budget.split(self.a, 1 - self.a)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")
        return dp.post(dp_scaled, gram, moment, self.b, self.idle)


def dp_scaled(gram, moment, b, idle):
    """Something of both."""
    return gram @ moment * b + idle


class Doubled(dp.Regression):
    """Spends its budget twice."""

    a: dp.Expression = dp.parameter("a", 0, 1)

    def declare(self, X, y, budget):
        first, second = budget.split(2 * self.a, 2 * (1 - self.a))
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        return gram, dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")


class Tainted(dp.Regression):
    """A share that follows from the number of rows, which is private."""

    a: dp.Expression = dp.parameter("a", 0, 1)

    def declare(self, X, y, budget):
        share = self.a / (1 + dp.count(X))
        first, second = budget.split(share, 1 - share)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        return gram, dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")


def test_overspending_is_uncertified(best):
    """The split that was tried is named."""
    with pytest.raises(dp.Uncertified, match=r"the best split, a = .* is not proved; look elsewhe"):
        best(Doubled())


@pytest.mark.slow
def test_analytic_shares_against_a_grid(best):
    """Gaussian.analytic of basic shares: an implicit std, with no derivative."""
    regression = Shared(b="1/2", idle="1/2")
    found = best(regression)
    for share in np.linspace(0.02, 0.98, 49):
        a = Fraction(f"{share:.4f}")
        stds = [oracles.sigma_of(part, part / 10**6) for part in (a, 1 - a)]
        assert found.value <= (55 * stds[0] ** 2 + 10 * stds[1] ** 2) * (1 + 1.01e-6)


def test_several_symbols(best, one):
    """One is named; the others get numbers."""
    with pytest.raises(dp.InvalidArgument, match=r"over='a', or over='shares' for the whole"):
        best(Shared())
    with pytest.raises(dp.InvalidArgument, match="one that depends on b"):
        best(Shared(a="1/2"), over="b")
    found = best(Shared(), over="a")
    assert found.over == "a"
    assert found.certificate.free == {"b", "idle"}
    every = best(Shared(), over="shares")
    assert every.exact
    assert every.value < found.value
    for over in ("c", ("a", "b"), 3):
        with pytest.raises(dp.InvalidArgument, match="one of a, b, idle, shares"):
            best(Shared(), over=over)


def test_private_numbers_are_refused(best):
    """A share made of data is refused in the criterion; freed shares drop it."""
    with pytest.raises(dp.InvalidArgument, match="not public before the release"):
        best(Tainted())
    found = best(Tainted(), over="shares")
    assert found.certificate.derivation == "gaussian"


def test_within(best):
    """Only between two numbers; the best may be at an end."""
    found = best(within=("0.2", "0.4"))
    assert found.chosen["gamma"].value == Fraction(1, 5)
    for within in (("0.4", "0.2"), ("-1", "0.5"), "0.5", (1,)):
        with pytest.raises(dp.InvalidArgument, match="within"):
            best(within=within)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"criterion": "noise"}, "dp.audits.NoiseCriterion"),
        ({"criterion": None}, r"criterion must be dp\.audits.*got none"),
        ({"criterion": np.ones((3, 2))}, "never the error on data"),
        ({"criterion": dp.audits.NoiseCriterion(d=10, weights={"grm": 1})}, "floor, gram, moment"),
        ({"target": dp.PersonalizedDP(dp.each("epsilon"), "1e-6")}, "one budget for all"),
        ({"target": "1"}, "dp.Guarantee"),
        ({"target": dp.ApproxDP(dp.EPSILON, "1e-6")}, "epsilon must be a number"),
        ({"setting": None}, "dp.Setting"),
        ({"of": dp.regressions.ObjPert(), "over": "shares"}, "only adds noise"),
        ({"of": "SSP"}, "dp.Regression"),
        (
            {"of": dp.regressions.FunctionalRidge(), "target": dp.PureDP(1)},
            "at least two|L1|box",
        ),
        ({"of": dp.SSP(ridge=dp.parameter("ridge"))}, "bounded on both sides"),
    ],
    ids=str,
)
def test_refused(best, given, says):
    """With a way out."""
    with pytest.raises(dp.InvalidArgument, match=says):
        best(**given)


@pytest.mark.parametrize(
    "given",
    [{"d": 0}, {"d": 2.5}, {"d": True}, {"d": dp.parameter("d")}, {"d": 1, "weights": {"a": -1}},
     {"d": 1, "weights": [1]}, {"d": 1, "n": 0}, {"d": 1, "weights": {"a": dp.parameter("c")}}],
    ids=str,
)  # fmt: skip
def test_bad_criteria(given):
    """Whole sizes, weights that are not negative, no symbols."""
    with pytest.raises(dp.InvalidArgument):
        dp.audits.NoiseCriterion(**given)


def test_a_nested_field(best):
    """gamma inside of dp.regressions.Jointly."""
    found = best(dp.regressions.Jointly(of=dp.literature.AdaSSPBudget()))
    assert isinstance(found.regression, dp.regressions.Jointly)
    assert found.regression.of.gamma == found.chosen["gamma"]
    assert found.certificate.derivation == "gaussian"
    alone = best()
    assert found.value < alone.value


def test_more_rows_a_person(best, ball):
    """Noise for a person of three rows: nine times the squares, the same split."""
    three = attrs.evolve(ball, rows_per_person=3)
    assert best(dp.SSP(), setting=three).value == pytest.approx(9 * best(dp.SSP()).value)


def test_the_page(best):
    """The criterion, the choice, the bound, what it would have cost, the proof."""
    found = best()
    text = str(found)
    for line in (
        "criterion   expected squared noise, all entries of all releases, at d = 10",
        "chosen      gamma = 0.119",
        "worth       19730",
        "instead of  31190 for gamma = 1/3, 1.58 times as much",
        "Proved: basic composition of shares",
        "satisfy (1, 1e-6)-differential privacy",
        "the split follows from public numbers only",
    ):
        assert line in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.slow
def test_the_page_of_shares(best, one):
    """Every share, and a word on one that is hardly worth its price."""
    criterion = dp.audits.ErrorCriterion(n=100_000, d=10)
    text = str(best(dp.AdaSSP(), criterion=criterion))
    assert "floor is hardly worth its price here" in text
    assert "AdaSSP(rho=1/20) as declared, 1.54 times as much" in text
    assert "for the bound on the error, not for privacy" in text


def test_json(best):
    """Everything, as values, without infinities."""
    criterion = dp.audits.ErrorCriterion(n=2_000, d=10)
    found = best(dp.regressions.AdaSSPBudgetTight(), criterion=criterion)
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["chosen"]["gamma"] == str(found.chosen["gamma"].value)
    assert record["value"] == found.value
    assert record["certificate"] == found.certificate.hash


OWNED = """
import numpy as np
import dpframe as dp

def solve(gram, moment):
    return np.linalg.solve(gram + np.eye(len(moment)) * 0, moment)

class Owned(dp.Regression):
    a: dp.Expression = dp.parameter("a", 0, 1)

    def declare(self, X, y, budget):
        first, second = budget.split(self.a, 1 - self.a)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")
        return dp.post(solve, gram, moment)
"""


def test_the_command_takes_a_field_and_a_criterion(tmp_path, monkeypatch):
    """Of a declaration in a file."""
    (tmp_path / "owned.py").write_text(OWNED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "owned", raising=False)
    claim = ["split", "owned:Owned", "-d", "5", "--epsilon", "1", "--delta", "1e-6"]
    claim += ["--norm", "1", "--bound", "1", "--json"]
    own = ["-n", "20000", "--criterion", "error"]
    for more in ([], own):
        for over in ([], ["--over", "a"]):
            record = json.loads(commands.call(*claim, *more, *over))
            assert record["over"] == "a"
            assert 0 < Fraction(record["chosen"]["a"]) < 1


# -------------------------------------------------------- Refusals name the cause, and a way out
class Three(dp.Regression):
    """Three releases; the solver does not read the count."""

    a: dp.Expression = dp.parameter("a", 0, 1)
    b: dp.Expression = dp.parameter("b", 0, 1)
    c: dp.Expression = dp.parameter("c", 0, 1)
    how: str = "three"

    def declare(self, X, y, budget):
        a, b, c = self.a, self.b, self.c
        weights = {
            "three": (a, b, c),
            "last": (a, b, 1 - a - b),
            "nested": (a, (1 - a) * b, (1 - a) * (1 - b)),
        }[self.how]
        first, second, third = budget.split(*weights)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, second, name="moment")
        count = dp.release(dp.count(X), dp.Gaussian.analytic, third, name="count")
        return dp.post(solve.ridge_solve, gram, moment, 1), count


def test_nested_shares_are_the_way_out_of_both_refusals(ball, one):
    """And it is one."""
    for how in ("three", "last"):
        report = dp.examine(Three(how=how), target=one, setting=ball)
        plan = [one for one in report.open_obligations if one.kind == "plan"]
        assert plan
        nested = "budget.split(a, (1 - a)*b, (1 - a)*(1 - b))"
        assert all(nested in one.repair for one in plan)
    assert dp.certify(Three(how="nested"), target=one, setting=ball)


def test_a_release_beside_the_solver_is_named(best):
    """Not those that the solver reads; nor a field that is left out."""
    with pytest.raises(dp.InvalidArgument, match=r"solver reads.*got 'count'") as refusal:
        best(Three(b="1/3", c="1/3"), criterion=dp.audits.ErrorCriterion(n=1000, d=3))
    assert "gram" not in str(refusal.value)
    with pytest.raises(dp.InvalidArgument, match=r"got none, with symbolic a, b, c"):
        best(Three(how="nested"))


def test_a_codebook_says_how_many_columns_there_are(best):
    """A criterion with others is refused."""
    columns = [dp.Numeric("age", 0, 90), dp.Numeric("dose", 0, 1)]
    coded = dp.Setting(X=dp.Rows(columns=columns), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match=r"d of the criterion must be 2"):
        best(Three(), setting=coded, over="shares")
