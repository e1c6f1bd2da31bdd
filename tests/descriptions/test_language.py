"""Formulas and statistics of descriptions against dp.graph.parse, declarations and Fractions."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import dpframe as dp
from dpframe.audits import parse_description as read
from dpframe.audits.descriptions import Described, formulas
from dpframe.audits.descriptions.functions import FUNCTIONS, MAPS, RAW, STATISTICS
from dpframe.audits.descriptions.scope import FormulaScope
from dpframe.graph.post import ancestors
from dpframe.graph.statistics import Gram, LabelSum, Moment, RowSum, Squares
from dpframe.sensitivity import L1, L2
from tests.descriptions.hostile.cases import GOOD, HEAD, RELEASE
from tests.support.oracles import value


def audited(text):
    """The audit of a description."""
    found = read(text)
    return dp.audit(found.regression, target=found.target, setting=found.setting)


NAMES = {"epsilon": dp.EPSILON, "delta": dp.DELTA, "B": dp.parameter("B")}


def expressions(depth=4):
    """Random arithmetic over positive names and numbers."""
    leaf = some.sampled_from(["epsilon", "delta", "B", "2", "0.5", "1e-6", "1.25"])

    def grown(inner):
        pair = some.tuples(inner, some.sampled_from(["+", "*", "/", " - ", "*-"]), inner)
        return some.one_of(
            pair.map("".join),
            inner.map(lambda one: f"({one})"),
            inner.map(lambda one: f"exp({one})"),
            inner.map(lambda one: f"min({one}, 3)"),
            inner.map(lambda one: f"({one})^2"),
            inner.map(lambda one: f"-({one})"),
        )

    return some.recursive(leaf, grown, max_leaves=depth)


@settings(max_examples=300, deadline=None)
@given(expressions())
def test_it_reads_arithmetic_as_the_other_parser_does(text):
    """Every formula that both read is one expression; towers are refused by this one alone."""
    try:
        wanted = dp.graph.parse(text, NAMES)
    except dp.errors.UnsafeFormula:
        with pytest.raises(dp.errors.UnsafeFormula):
            FormulaScope(NAMES).formula(text)
        return
    try:
        found = FormulaScope(NAMES).formula(text)
    except dp.errors.UnsafeFormula as refused:
        found = str(refused)
    assert found == wanted or "in all" in str(found) or "terms when" in str(found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0.1 + 0.2", Fraction(3, 10)),
        ("2/3/4", Fraction(1, 6)),
        ("2 - 3 - 4", -5),
        ("-2^2", -4),
        ("2^-3", Fraction(1, 8)),
        ("16^(1/2)", 4),
        ("2*3^2", 18),
        ("1e-6*1e6", 1),
        (".5", Fraction(1, 2)),
        ("--3", 3),
        ("max(1, 2, 3)", 3),
    ],
)
def test_numbers_are_exact(text, wanted):
    """As arithmetic on paper has them."""
    assert FormulaScope({}).formula(text) == dp.constant(wanted)


SETTING = dp.Setting(
    X=dp.Rows(norm=dp.parameter("B")),
    y=dp.Column(bound=dp.parameter("Y")),
    relation=dp.ADD_REMOVE,
)
X, Y = SETTING.nodes()
BINS = dp.graph.bin_counts(Y, [0, 1])
SCOPE = FormulaScope.of(X, Y, dp.ApproxDP(dp.EPSILON, dp.DELTA).budget)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("X'X", X.T @ X),
        ("X' X", X.T @ X),
        ("X'*X", X.T @ X),
        ("X'@X", X.T @ X),
        ("X.T @ X", X.T @ X),
        ("(X)'(X)", X.T @ X),
        ("X'y", X.T @ Y),
        ("y'X", X.T @ Y),
        ("y'y", Y @ Y),
        ("n", dp.count(X)),
        ("count(X)", dp.count(X)),
        ("sum(X)", dp.total(X)),
        ("sum(y)", dp.total(Y)),
        ("2*X'X", 2 * (X.T @ X)),
        ("X'X/2", (X.T @ X) / 2),
        ("X'X/2*4", 2 * (X.T @ X)),
        ("-X'y", -1 * (X.T @ Y)),
        ("X'X - 3*X'X", -2 * (X.T @ X)),
        ("X'y + sum(X)", (X.T @ Y) + dp.total(X)),
        ("lambda_min(X'X)", dp.lambda_min(X.T @ X)),
        ("trace(X'X)", dp.trace(X.T @ X)),
        ("stack(X'X, X'y, y'y)", dp.graph.stack(X.T @ X, X.T @ Y, Y @ Y)),
        ("clip(X, 1)'clip(X, 1)", X.clip(norm=1).T @ X.clip(norm=1)),
        ("clip(X, 1)'clip(y, 2)", X.clip(norm=1).T @ Y.clip(-2, 2)),
        ("sum(clip(y, -1, 2))", dp.total(Y.clip(-1, 2))),
        ("sum(X/2)", dp.total(X.scaled(2))),
        ("sum(X*2)", dp.total(X.scaled(Fraction(1, 2)))),
        ("sum(2*X)", dp.total(X.scaled(Fraction(1, 2)))),
        ("sum(clip(y - 3, 1))", dp.total(Y.scaled(1, minus=3).clip(-1, 1))),
        ("sum(normalize(X))", dp.total(X.normalized())),
        ("sum(intercept(X))", dp.total(X.with_intercept())),
        ("sum(box(X, 1))", dp.total(X.boxed(1))),
        ("column_squares(X)", dp.graph.column_squares(X)),
        ("bin_counts(y, 0, 1)", BINS),
        ("square_root(bin_counts(y, 0, 1))", dp.graph.factored(BINS, "square_root")),
        ("median_distance(bin_counts(y, 0, 1), 2)", dp.graph.median_distance(BINS, 2)),
        ("tested_median(bin_counts(y, 0, 1), 1, 2)", dp.graph.tested_median(BINS, 1, 2)),
        ("sufficient_statistics(X, y)", dp.graph.sufficient_statistics(X, Y)),
        ("monomials(X, y)", dp.graph.monomials(X, Y)),
        ("histogram(box(X, 1), y, 4)", dp.graph.histogram(X.boxed(1), Y, 4)),
        ("log_residual(X'X, X'y, 3)", dp.graph.log_residual(X.T @ X, X.T @ Y, 3)),
        ("argmin_squared(X, y, 1, 2)", dp.graph.argmin(X, Y, dp.graph.Squared(), 1, radius=2)),
        ("argmin_huber(X, y, 1, 2)", dp.graph.argmin(X, Y, dp.graph.Huber(1), 2)),
        ("argmin_logistic(X, y, 2)", dp.graph.argmin(X, Y, dp.graph.Logistic(), 2)),
    ],
)
def test_statistics_are_those_of_declarations(text, wanted):
    """The same node, so the same rule."""
    assert SCOPE.statistic(text) == wanted


def test_parts_of_labels_are_equal_where_the_bound_is_a_number():
    """Of labels in [-2, 2]; a bound that is a parameter has no cuts."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=2), relation=dp.ADD_REMOVE)
    rows, labels = setting.nodes()
    scope = FormulaScope.of(rows, labels, dp.ApproxDP(dp.EPSILON, dp.DELTA).budget)
    halves = dp.graph.bin_counts(labels, [0])
    assert scope.statistic("counts(y, 4)") == dp.graph.bin_counts(labels, [-1, 0, 1])
    assert scope.statistic("binned_sums(X, y, 2)") == dp.graph.binned_sums(rows, labels, [0])
    assert scope.statistic("tree(counts(y, 2))") == dp.graph.factored(halves, "tree")
    with pytest.raises(dp.errors.UnsafeFormula, match="bound is a number"):
        SCOPE.statistic("counts(y, 4)")


@pytest.mark.parametrize(
    ("text", "clip"),
    [
        ("gradient(X, y, 2)", "2"),
        ("gradient_huber(X, y, 3)", "3*B"),
        ("gradient_huber(X, y, 3, 2)", "2"),
        ("gradient_logistic(X, y)", "B"),
        ("gradient_logistic(X, y, 1/2)", "1/2"),
    ],
)
def test_gradients_are_rounds(text, clip):
    """Each is a loop that is charged T times."""
    found = read(GOOD.replace("X'X", text).replace("norm = 1", 'norm = "any"') + "times = 7\n")
    (release,) = found.graph.releases
    assert str(release.statistic.sensitivity(L2).value) == clip
    assert str(release.times) == "7"
    assert len(found.graph.loops) == 1


def test_rows_are_multiplied_by_what_was_released():
    """By a matrix that is made of an earlier release; a later one, or none, is no matrix."""
    again = RELEASE.replace("gram", "again").replace("X'X", "sum(clip(times(X, gram), 1/2))")
    found = read(GOOD + again)
    (first, second) = found.graph.releases
    assert first in ancestors(second)
    assert str(second.statistic.sensitivity(L2).value) == "1/2"
    for wrong in ("times(X, again)", "times(X, 2)", "times(gram, X)"):
        text = GOOD + again.replace("clip(times(X, gram), 1/2)", wrong)
        with pytest.raises(dp.DPFrameError, match=r"again|written times|public"):
            read(text)


def test_every_function_is_spelled_somewhere_in_these_tests():
    """A new one needs a line here."""
    from pathlib import Path

    text = Path(__file__).read_text("utf-8")
    arithmetic = {"sqrt", "log", "analytic_sigma"}
    missing = [name for name in FUNCTIONS if f"{name}(" not in text and name not in RAW]
    assert set(missing) <= arithmetic
    assert not set(MAPS) & set(STATISTICS)


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("name", sorted(RAW))
@pytest.mark.parametrize("place", ["std", "share", "map", "statistic", "output", "times"])
def test_a_raw_aggregate_is_refused_by_its_path(name, place):
    """Wherever it is written: the verdict is refuted, and a path begins at X."""
    text = {
        "std": GOOD.replace("6/epsilon", f"{name}(X)"),
        "share": GOOD + f'share = ["epsilon*{name}(X)", "delta"]',
        "map": GOOD.replace("X'X", f"(X/{name}(X))'y"),
        "statistic": GOOD.replace("X'X", f"{name}(X)"),
        "output": GOOD + f'[output]\nreads = ["gram", "{name}(X)"]',
        "times": GOOD + f'times = "{name}(X)"',
    }[place]
    if place == "times":
        with pytest.raises(dp.InvalidArgument, match=name):
            read(text)
        return
    done = audited(text)
    assert str(done.verdict) != "proved"
    assert done.certificate is None
    rules = " ".join(one.rule for one in done.report.open_obligations)
    assert "X -> " in rules
    assert name in rules


def test_z_scores_are_refused_by_their_path():
    """X -> std -> the divisor."""
    done = audited(GOOD.replace("X'X", "zscore(X)'y"))
    assert str(done.verdict) == "refuted"
    assert "X -> clip to norm 1 -> std -> divisor" in str(done.report.open_obligations[0].rule)


@pytest.mark.parametrize("reads", ["X", "y", "X'X", "sum(y)", "n", "n/2"])
def test_the_last_step_reads_releases_only(reads):
    """Rows, labels and statistics are raw."""
    done = audited(GOOD + f'[output]\nreads = ["gram", "{reads}"]')
    assert str(done.verdict) == "unproved"


def test_n_is_private_where_rows_come_and_go():
    """And public where one is exchanged."""
    text = GOOD.replace("6/epsilon", "analytic_sigma(epsilon, delta)*(2 + n)")
    for relation, verdict in (("add-remove", "unproved"), ("replace-one", "proved")):
        assert str(audited(text.replace("add-remove", relation)).verdict) == verdict


def test_what_the_last_step_leaves_out_is_charged():
    """Every noisy number counts, read or not."""
    again = RELEASE.replace("gram", "again")
    both = read(GOOD + again + '[output]\nreads = ["gram"]')
    assert [one.name for one in both.graph.releases] == ["gram", "again"]


@pytest.mark.parametrize(
    ("words", "kind", "formula"),
    [
        ('mechanism = "gaussian"\nstd = "3*B"', dp.Gaussian, "3*B"),
        ('mechanism = "gaussian"\nvariance = "9*B^2"', dp.Gaussian, "3*B"),
        ('mechanism = "mirrored gaussian"\nstd = 2', dp.mechanisms.MirroredGaussian, "2"),
        ('mechanism = "laplace"\nscale = 2', dp.Laplace, "2"),
        ('mechanism = "l2 laplace"\nscale = 2', dp.L2Laplace, "2"),
        ('mechanism = "discrete gaussian"\nstd = 2', dp.DiscreteGaussian, "2"),
        ('mechanism = "discrete laplace"\nscale = 2', dp.DiscreteLaplace, "2"),
    ],
)
def test_noise_is_what_its_key_says(words, kind, formula):
    """A variance is squared once."""
    text = (
        HEAD.replace("norm = 1", 'norm = "any"') + f'[[release]]\nname="n1"\nstatistic="n"\n{words}'
    )
    (release,) = read(text).graph.releases
    assert type(release.mechanism) is kind
    at = {"B": Fraction(3)}
    square = value(release.mechanism.formula, at)
    assert abs(square - value(dp.graph.parse(formula, {"B": dp.parameter("B")}), at)) < 1e-30


@pytest.mark.parametrize(
    ("mechanism", "theorem", "share"),
    [
        ("gaussian", "analytic", "epsilon, delta"),
        ("gaussian", "classical", "epsilon/2, delta"),
        ("gaussian", "kamath_ullman", "epsilon, delta"),
        ("laplace", "pure", "epsilon, 0"),
        ("l2 laplace", "pure", "epsilon, 0"),
        ("discrete laplace", "pure", "epsilon, 0"),
        ("discrete gaussian", "concentrated", "epsilon, delta"),
    ],
)
def test_theorems_size_noise(mechanism, theorem, share):
    """Each proves its own share."""
    text = f"""{HEAD}[[release]]
name = "size"
statistic = "n"
mechanism = "{mechanism}"
calibration = "{theorem}"
share = "{share}"
"""
    done = audited(text)
    assert str(done.verdict) == "proved"


def test_releases_are_calibrated_jointly():
    """As dp.jointly does it: the whole budget, to the last digit."""
    one = '[[release]]\nname="{}"\nstatistic="{}"\nmechanism="gaussian"\ncalibration="jointly"\n'
    text = HEAD + one.format("a", "X'X") + "weight = 2\n" + one.format("b", "X'y")
    found = read(text)
    a, b = found.graph.releases
    X, y = found.setting.nodes()
    wanted = dp.jointly(found.target.budget, [X.T @ X, X.T @ y], [2, 1])
    assert (a.mechanism, b.mechanism) == wanted
    done = dp.audit(found.regression, target=found.target, setting=found.setting)
    assert str(done.verdict) == "proved"
    assert done.joint_epsilon == pytest.approx(1)


@pytest.mark.parametrize(
    ("claim", "target"),
    [
        ("epsilon = 1", dp.PureDP(1)),
        ("epsilon = 1\ndelta = 0", dp.PureDP(1)),
        ("epsilon = 0.1\ndelta = 1e-6", dp.ApproxDP(Fraction(1, 10), Fraction(1, 10**6))),
        ('epsilon = "any"\ndelta = "any"', dp.ApproxDP(dp.EPSILON, dp.DELTA)),
        ('epsilon = "1/3"\ndelta = "any"', dp.ApproxDP("1/3", dp.DELTA)),
        ("rho = 0.5", dp.ZeroConcentratedDP("1/2")),
        ('mu = "any"', dp.GaussianDP(dp.MU)),
    ],
)
def test_a_claim_is_in_the_currency_of_its_keys(claim, target):
    """Numbers are exact decimals: 0.1 is one tenth, 1e-6 a millionth."""
    text = GOOD.replace("claim = {epsilon = 1, delta = 1e-6}\n", "").replace("6/epsilon", "6")
    assert read(f"{text}\n[claim]\n{claim}").target == target


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("in (0, 1)", "in (0, 1)"),
        ("(0, 1]", "in (0, 1]"),
        ("in [0, 1/2)", "in [0, 1/2)"),
        ("whole in [1, inf)", "in [1, inf), whole"),
        ("in [1, inf), whole", "in [1, inf), whole"),
        ("in (-inf, 1e-3]", "in (-inf, 1/1000]"),
    ],
)
def test_parameters_range(text, domain):
    """As dpframe prints them, or as one writes them."""
    found = read(GOOD.replace("6/epsilon", "6 + p^2") + f'[parameters]\np = "{text}"')
    (symbol,) = found.graph.releases[0].mechanism.formula.symbols()
    assert str(symbol.domain) == domain


def test_the_same_name_in_the_setting_and_in_formulas():
    """B and Y are the bounds, box the side of a box, d the number of columns."""
    text = GOOD.replace("norm = 1", "box = 2").replace("6/epsilon", "box*B*Y*d")
    found = read(text)
    size = found.graph.releases[0].mechanism.formula
    assert abs(value(size, {"d": 4}) - 2 * 4 * 1 * 4) < 1e-30


@pytest.mark.parametrize(
    ("statistic", "noise", "claimed", "verdict"),
    [
        ("X'X", "std", "B^2", "equal"),
        ("X'X", "std", "B*B", "equal"),
        ("X'X", "std", "2*B^2", "larger than derived"),
        ("X'X", "std", "B^2/2", "too small"),
        ("X'X", "std", "B", "too small"),
        ("X'y", "std", "B*Y", "equal"),
        ("X'y", "std", "B*Y + Y^2", "larger than derived"),
        ("X'y", "std", "(B^2 + Y^2)/2", "not comparable"),
        ("X'y", "std", "B^2", "too small"),
        ("stack(X'X, X'y)", "std", "sqrt(B^4 + B^2*Y^2)", "equal"),
        ("n", "scale", "1", "equal"),
        ("X'X", "scale", "B^2", "too small"),
        ("max_abs(y)", "std", "1", "no rule"),
    ],
)
def test_claimed_sensitivities_are_compared(statistic, noise, claimed, verdict):
    """In the norm of the noise, for all bounds."""
    head = HEAD.replace("norm = 1", 'norm = "any"').replace("bound = 1", 'bound = "any"')
    kind = {"std": "gaussian", "scale": "laplace"}[noise]
    text = f"""{head}[[release]]
name = "a"
statistic = "{statistic}"
mechanism = "{kind}"
{noise} = 1
claimed_sensitivity = "{claimed}"
"""
    (found,) = read(text).claimed_sensitivities
    assert found.verdict == verdict
    assert found.differs == (verdict != "equal")
    assert found.written == claimed
    assert claimed in str(found)
    assert found.record()["verdict"] == verdict


def test_a_claimed_sensitivity_is_never_used():
    """With it or without it, the audit is the same."""
    claimed = read(GOOD + 'claimed_sensitivity = "1/1000"')
    assert read(GOOD).regression == claimed.regression


def test_l1_and_l2_belong_to_the_noise():
    """Laplace noise reads the L1 sensitivity."""
    (release,) = read(
        GOOD.replace('"gaussian"', '"laplace"').replace("std", "scale")
    ).graph.releases
    assert release.noise.norm is L1


def test_reading_computes_nothing():
    """Values are built once their size is known to be small."""
    assert formulas.read("1/0", SCOPE).size.parts == 3
    wanted = {"X'X": Gram, "X'y": Moment, "y'y": Squares, "sum(X)": RowSum, "sum(y)": LabelSum}
    assert {text: type(SCOPE.statistic(text)) for text in wanted} == wanted


@pytest.mark.parametrize("text", ["", "title", 3, None, "[[release]]", "a = 1"])
def test_a_declaration_holds_a_description(text):
    """Text that is none is refused when it is made, also in a file of a certificate."""
    with pytest.raises(dp.InvalidArgument):
        Described(text)
