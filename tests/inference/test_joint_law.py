"""The joint law of coefficients: contrasts, tests of several, intervals that hold together, new
labels, residual variance and R^2, against other ways to the same numbers.
"""

import attrs
import numpy as np
import pytest
from scipy.stats import chi2, norm

from dpframe.errors import InvalidArgument
from dpframe.inference.contrasts import contrasts
from dpframe.inference.estimates import critical, largest_of
from dpframe.inference.evidence import Evidence, NoisySum
from dpframe.inference.result import LAWS, Units
from dpframe.inference.row_set import Clipped, RowSet
from dpframe.inference.spread import stretched
from dpframe.inference.variation import between
from tests.support.inferring import infer

BALL = RowSet(1.0)
N, STD, D = 5000, 12.0, 3
THETA = np.array([0.3, -0.2, 0.1])
CONSTANT = np.sqrt(D) * np.eye(D)[0]


def table(rng, n=N, residuals="normal"):
    """Rows of norm 1 at most, an intercept first; labels inside [-1, 1]."""
    X = np.c_[np.ones(n), rng.uniform(-1, 1, (n, D - 1))] / np.sqrt(D)
    drawn = rng.normal(size=n) if residuals == "normal" else rng.exponential(size=n) - 1
    return X, X @ THETA + 0.1 * drawn


def released(rng, X, y, std=STD):
    """Sums with noise."""
    noise = rng.normal(0, std, (D, D))
    moment = NoisySum(X.T @ y + rng.normal(0, std, D), std, np.zeros(D), 1.0)
    gram, squares = X.T @ X + (noise + noise.T) / 2, float(y @ y) + rng.normal(0, std)
    return Evidence(gram, std, (moment,), squares, std, len(y) + rng.normal(0, std), std)


def joint_law(seed=0, **given):
    """An inference with noise."""
    rng = np.random.default_rng(seed)
    evidence = released(rng, *table(rng))
    return infer(evidence, bound=1.0, rows=BALL, constant=CONSTANT, **given)


# contrasts and tests -------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "1e999", 10**400, "x", True, None])
def test_weights_are_finite_numbers(weight):
    """A text is read as a number is."""
    with pytest.raises(InvalidArgument, match="the weight of b must be"):
        contrasts({"a": 1, "b": weight}, ("a", "b"))
    assert contrasts({"a": "1/2"}, ("a", "b"))[0].tolist() == [[0.5, 0]]


@pytest.mark.parametrize("text", ["11", "10", "21", "2x", "2x - y", "1e1x", "22a"])
def test_a_number_is_parted_from_a_name(text):
    """By a space or a star."""
    with pytest.raises(InvalidArgument, match="a combination of the coefficients"):
        contrasts(text, ("0", "1", "x", "y", "2a"))


@pytest.mark.parametrize("text", ["2 1", "2*1", "1 - 0", "x - 1"])
def test_names_that_are_numbers_need_a_mapping(text):
    """Alone they are names."""
    names = ("0", "1", "x")
    with pytest.raises(InvalidArgument, match=r"no numbers; got .*\{'0': 1\}"):
        contrasts(text, names)
    assert contrasts("1", names)[0].tolist() == [[0, 1, 0]]
    assert contrasts({"1": 2, "0": -1}, names)[0].tolist() == [[-1, 2, 0]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a - b", ("a", "b", "a - b")),
        ("2 a - b", ("a", "b", "a - b")),
        ("2 a", ("a", "2 a")),
        ("-a", ("a", "-a")),
    ],
)
def test_text_of_two_meanings_is_refused(text, names):
    """A mapping has one."""
    with pytest.raises(InvalidArgument, match=r"one meaning.*mapping"):
        contrasts(text, names)
    assert contrasts({names[-1]: 2}, names)[0][0, -1] == 2


def test_weights_by_name_are_weights():
    """A name, a mapping, a list of both, an array; their names, and the covariance they make."""
    law = attrs.evolve(joint_law(), units=Units(np.eye(3), np.ones(3), ("a", "b", "c")))
    rows = np.array([[0.0, 1, 0], [1, 0, -0.5]])
    named, plain = law.t_test(["b", {"a": 1, "c": -0.5}]), law.t_test(rows)
    assert named.names == plain.names == ("b", "a - 0.5 c")
    assert named.effect == pytest.approx(rows @ law.params)
    assert law.params == pytest.approx(law.centre + 1)
    assert named.sd**2 == pytest.approx(np.diag(rows @ law.cov_params() @ rows.T))
    assert plain.root @ plain.root.T == pytest.approx(rows @ law.cov_params() @ rows.T)
    assert law.t_test("c").effect == pytest.approx(law.params[2:])
    assert law.t_test([0, 0, 1]).names == ("c",)
    shifted = law.t_test("c", law.params[2] - law.bse[2])
    assert shifted.statistic == pytest.approx([1])
    assert law.t_test("c", law.conf_int()[2, 0]).pvalue == pytest.approx([0.05])
    for wrong in ("d", ["a", "d"], [1.0, 2.0], [[np.nan, 0, 0]], [], [["a", "b", "c"]], ["a", [1]]):
        with pytest.raises(InvalidArgument, match="R must be"):
            law.t_test(wrong)
    for wrong in ("x", np.nan, [1.0, 2.0], None, [[0.0]]):
        with pytest.raises(InvalidArgument, match="r must be"):
            law.t_test("a", wrong)


def test_a_name_of_two_coefficients_is_refused():
    """A column named intercept beside the intercept: weights by name would add both up."""
    names = ("intercept", "b", "intercept")
    law = attrs.evolve(joint_law(), units=Units(np.eye(3), np.zeros(3), names))
    for shared in ("intercept", "b - intercept", {"intercept": 1}):
        with pytest.raises(InvalidArgument, match="Rename the column"):
            law.t_test(shared)
    assert law.t_test("b").names == ("b",)


def test_a_test_of_one_is_that_test():
    """Whatever the value."""
    law = joint_law()
    for r in (-0.2, -0.19, 0.0):
        single, wald = law.t_test("x1", r), law.wald_test("x1", r)
        assert wald.pvalue == pytest.approx(single.pvalue[0], rel=1e-9)
        assert wald.statistic == pytest.approx(single.statistic[0] ** 2)
        assert wald.df == 1


def test_a_test_of_several_is_the_quadratic_form():
    """Against numpy, for other weights of the same space too; refused where they depend on each
    other.
    """
    law, r = joint_law(), np.array([0.31, -0.19])
    rows = np.eye(3)[:2]
    off = rows @ law.params - r
    wald = law.wald_test(rows, r)
    assert wald.statistic == pytest.approx(off @ np.linalg.solve(law.cov_params()[:2, :2], off))
    mixed = np.array([[2.0, 1], [-1, 3]])
    assert law.wald_test(mixed @ rows, mixed @ r).pvalue == pytest.approx(wald.pvalue)
    assert wald.pvalue >= chi2.sf(wald.statistic, 2)
    for wrong in ([[1, 0, 0], [2, 0, 0]], [[0, 0, 0]], np.eye(3)[[0, 1, 2, 0]]):
        with pytest.raises(InvalidArgument, match="independent"):
            law.wald_test(wrong)


@pytest.mark.parametrize("df", [1, 2, 5, 10])
@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
def test_regions_of_several_are_missed_no_more_often(df, alpha):
    """Where the variance, r in units of the noise on it, was observed as r + N(0, 1): by
    quadrature, up to 4% more often than nominal.
    """
    noise = np.linspace(-8, 8, 3201)
    weights = norm.pdf(noise) / norm.pdf(noise).sum()
    stds = np.sqrt(chi2.isf(alpha, df))
    z = np.sqrt(max(stds**2 + 1 - df, 0.0))
    for r in (0.1, 0.65, 1.0, 2.0, 3.0, 5.0, 10.0, 40.0):
        allowed = stds**2 * stretched(r + noise, z)
        assert weights @ chi2.sf(allowed / r, df) < 1.04 * alpha


def test_what_may_be_hidden_is_taken_off_tests():
    """A part of it by the triangle inequality; all of it where nothing bounds it."""
    law = joint_law()
    off = attrs.evolve(law, clipped=Clipped(np.eye(3), BALL, 0.02, 0.0, 0.0))
    rows, r = np.eye(3)[:2], np.array([0.2, -0.1])
    plain, less = law.wald_test(rows, r), off.wald_test(rows, r)
    moves = 0.02 * np.array([[a, b] for a in (-1, 1) for b in (-1, 1)])
    least = min(law.wald_test(rows, r + move).statistic for move in moves)
    assert 0 < less.statistic <= least < plain.statistic
    assert less.pvalue > plain.pvalue
    gone = attrs.evolve(law, settled=False, covariance=np.full((3, 3), np.nan))
    assert np.isnan([gone.wald_test(rows).statistic, gone.wald_test(rows).pvalue]).all()
    far = attrs.evolve(law, clipped=Clipped(np.eye(3), BALL, 100.0, 0.0, 0.0)).wald_test(rows, r)
    assert far.statistic == 0
    assert np.isnan(far.pvalue)
    assert np.all(np.isnan(gone.cov_params()))
    assert np.all(np.isinf(gone.bse))
    assert np.all(np.isnan(gone.pvalues))
    assert np.all(np.isnan(gone.tvalues))


def test_clips_of_labels_are_allowed_for_at_every_level():
    """What they took off, along the worst direction, is a bias of one sign."""
    rng = np.random.default_rng(2)
    evidence = released(rng, *table(rng))
    given = {"bound": 1.0, "rows": RowSet(0.5), "constant": CONSTANT}
    clipped = attrs.evolve(evidence, lost=40.0, lost_share=0.1)
    plain, wider = infer(evidence, **given), infer(clipped, **given)
    pull = np.linalg.inv(evidence.gram)
    for alpha in (0.5, 0.05, 1e-6):
        half, before = (np.diff(one.conf_int(alpha))[:, 0] / 2 for one in (wider, plain))
        bias, one_sided = 20 * np.linalg.norm(pull, axis=1), norm.isf(alpha) / norm.isf(alpha / 2)
        assert np.all(half >= 0.999 * (bias + one_sided * before))
    assert infer(clipped, bound=1.0, constant=CONSTANT).open_ended


def test_noise_on_what_clips_took_is_counted_at_every_level():
    """On the counts, twice, and on X'X, times all that coefficients would be without clips."""
    rng = np.random.default_rng(2)
    evidence = released(rng, *table(rng))
    given = {"bound": 1.0, "rows": RowSet(0.5), "constant": CONSTANT}
    known = attrs.evolve(evidence, lost=40.0, lost_share=0.1)
    unsure = attrs.evolve(known, lost=10.0, lost_std=30.0)
    plain, found = infer(evidence, **given), infer(unsure, **given)
    pull = np.linalg.norm(np.linalg.inv(evidence.gram), axis=1)
    moved = 0.5 * 40 / np.linalg.eigvalsh(evidence.gram)[0]
    off = evidence.gram_std**2 * moved * (moved + 2 * np.linalg.norm(found.centre))
    for alpha in (0.5, 0.05, 1e-6):
        half, before = (np.diff(one.conf_int(alpha))[:, 0] / 2 for one in (found, plain))
        stds = np.sqrt((before / norm.isf(alpha / 2)) ** 2 + (30**2 + off) * pull**2)
        assert np.all(half >= 0.999 * (5 * pull + norm.isf(alpha) * stds))
        assert np.all(half <= 1.02 * (5 * pull + norm.isf(alpha / 2) * stds))
    assert found.bse == pytest.approx(infer(known, **given).bse)
    tests = [infer(one, **given).t_test(None, found.centre + 0.3) for one in (evidence, unsure)]
    assert np.all(tests[0].pvalue < tests[1].pvalue)
    assert found.wald_test(np.eye(3), found.params + 0.3).pvalue > 0


# all at once ---------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [2, 5, 20])
def test_the_largest_of_independent_numbers(q):
    """Sidak's quantile, from above by the error of the simulation; alike numbers are one."""
    exact = norm.ppf((1 + 0.95 ** (1 / q)) / 2)
    assert exact < largest_of(np.eye(q), 0.05) < exact + 0.05
    assert norm.ppf(0.975) < largest_of(np.ones((q, 1)), 0.05) < norm.ppf(0.975) + 0.05
    assert critical(0.05, np.eye(q), "max") <= critical(0.05, np.eye(q), "bonferroni")
    assert critical(0.05, np.eye(q), "bonferroni") == pytest.approx(norm.isf(0.025 / q))
    assert critical(1e-9, np.eye(q), "max") == critical(1e-9, np.eye(q), "bonferroni")


def test_intervals_that_hold_together_are_longer():
    """In this order, and those of all functions longest; refused by name."""
    law = joint_law()
    lengths = [np.diff(law.conf_int(simultaneous=one))[0, 0] for one in (None, "max", "bonferroni")]
    assert lengths == sorted(lengths)
    assert np.diff(law.conf_int(simultaneous="scheffe"))[0, 0] > lengths[-1]
    only = law.t_test("x1")
    assert only.conf_int(simultaneous="bonferroni") == pytest.approx(only.conf_int())
    with pytest.raises(InvalidArgument, match="simultaneous"):
        law.conf_int(simultaneous="holm")


# new labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.3, 0.1, 0.05, 0.01])
def test_laws_that_miss_as_often_as_inequalities_allow(alpha):
    """Three values for any law; a value and a uniform law around it for one mode, the worst share
    by search.
    """
    k = LAWS["any"](alpha)
    assert 1 / k**2 == pytest.approx(alpha)  # 0, and two values k stds away
    k = LAWS["unimodal"](alpha)
    share = np.linspace(0.001, 1, 2000)
    ends = np.sqrt(3 / share)  # of the uniform part, variance 1
    assert np.max(share * np.maximum(1 - k / ends, 0)) <= alpha * (1 + 1e-6)
    assert norm.isf(alpha / 2) < k < LAWS["any"](alpha) or alpha > 1 / 6


def test_new_labels_of_two_values_need_any_law():
    """85% zeros: intervals for normal residuals leave out the others."""
    rng = np.random.default_rng(5)
    X = np.c_[np.ones(N), rng.uniform(-1, 1, (N, D - 1))] / np.sqrt(D)
    y = (rng.random(N) < 0.15).astype(float)
    law = infer(released(rng, X, y), bound=2.0, rows=BALL, constant=CONSTANT)
    at = CONSTANT / D
    ends = {
        one: law.get_prediction(at, residuals=one).conf_int(obs=True)[0]
        for one in ("normal", "unimodal", "any")
    }
    assert ends["normal"][1] < 1 < ends["unimodal"][1] < ends["any"][1]
    assert law.get_prediction(at).residuals == "any"
    assert ends["any"].tolist() == law.get_prediction(at).conf_int(obs=True)[0].tolist()
    assert joint_law(normal_residuals=True).get_prediction(at).residuals == "normal"
    with pytest.raises(InvalidArgument, match="residuals"):
        law.get_prediction(at, residuals="lognormal")
    with pytest.raises(InvalidArgument, match="simultaneous"):
        law.get_prediction(at).conf_int(obs=True, simultaneous="max")


def test_means_at_rows_are_contrasts():
    """In the units of the label, with its middle."""
    law = joint_law()
    scaled = attrs.evolve(law, units=attrs.evolve(Units.plain(3), centre=7.0, half=2.0))
    X = np.array([[0.5, 0.1, 0.2], [0.5, -0.3, 0.0]])
    plain, other = law.get_prediction(X), scaled.get_prediction(X)
    assert plain.predicted_mean == pytest.approx(X @ law.params)
    assert plain.se_mean == pytest.approx(law.t_test(X).sd)
    assert other.conf_int() == pytest.approx(7 + 2 * plain.conf_int())
    assert other.conf_int(obs=True) == pytest.approx(7 + 2 * plain.conf_int(obs=True))
    assert scaled.scale == pytest.approx(4 * law.scale)
    assert scaled.scale_conf_int() == pytest.approx(4 * law.scale_conf_int())
    frame = other.summary_frame(0.1)
    assert frame["obs_ci_upper"].to_numpy() == pytest.approx(other.conf_int(0.1, obs=True)[:, 1])
    sample = attrs.evolve(law, target="sample")
    assert sample.get_prediction(X).conf_int(obs=True).tolist() == [[-1, 1]] * 2


# residual variance and R^2 -------------------------------------------------------------------


@pytest.mark.parametrize("residuals", ["normal", "skewed"])
def test_intervals_of_residual_variance_and_r2_hold(residuals):
    """150 tables: nine in ten at least, and shorter where residuals are taken for normal."""
    explained = 0.01 * (4 + 1) / 3 / D  # slopes -0.2 and 0.1 over sqrt 3, of variance 1/3
    truth = {"scale": 0.01, "rsquared": explained / (explained + 0.01)}
    held, shorter = [], []
    for seed in range(150):
        rng = np.random.default_rng([seed, 9])
        evidence = released(rng, *table(rng, residuals=residuals), std=4.0)
        given = {"bound": 1.0, "rows": BALL, "constant": CONSTANT}
        law, normal = infer(evidence, **given), infer(evidence, **given, normal_residuals=True)
        ends = {"scale": law.scale_conf_int(), "rsquared": law.rsquared_conf_int()}
        held.append([ends[one][0] <= value <= ends[one][1] for one, value in truth.items()])
        shorter.append(np.diff(normal.scale_conf_int())[0] <= np.diff(ends["scale"])[0])
        assert ends["rsquared"][0] <= law.rsquared <= ends["rsquared"][1]
    assert np.min(np.mean(held, axis=0)) >= 0.9
    assert all(shorter)


def test_r2_without_noise_is_that_of_least_squares():
    """About the mean where an intercept is declared, about 0 elsewhere; and its textbook error
    where residuals are normal is inside the interval.
    """
    rng = np.random.default_rng(1)
    X, y = table(rng)
    left = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    evidence = released(rng, X, y, std=1e-6)
    law = infer(evidence, bound=1.0, rows=BALL, constant=CONSTANT)
    centred = 1 - left @ left / np.sum((y - y.mean()) ** 2)
    assert law.rsquared == pytest.approx(centred, abs=1e-3)
    assert law.scale == pytest.approx(left @ left / (N - D), rel=1e-3)
    about_zero = infer(evidence, bound=1.0, rows=BALL)
    assert about_zero.rsquared == pytest.approx(1 - left @ left / (y @ y), abs=1e-3)
    half = 1.96 * 2 * np.sqrt(centred / N) * (1 - centred)
    low, high = law.rsquared_conf_int()
    assert low < centred - half
    assert centred + half < high
    textbook = law.scale * (1 + np.array([-1, 1]) * 1.96 * np.sqrt(2 / N))
    normal = infer(evidence, bound=1.0, rows=BALL, normal_residuals=True).scale_conf_int()
    assert normal == pytest.approx(textbook, rel=2e-3)


def test_clips_of_labels_widen_what_is_said_of_variances():
    """By what they may have taken off squares and coefficients."""
    rng = np.random.default_rng(2)
    evidence = released(rng, *table(rng), std=1.0)
    given = {"bound": 1.0, "rows": BALL, "constant": CONSTANT}
    plain = infer(evidence, **given)
    clipped = infer(attrs.evolve(evidence, lost=3.0, lost_share=0.05), **given)
    assert np.diff(clipped.scale_conf_int())[0] > np.diff(plain.scale_conf_int())[0] + 2 * 6 / N
    assert np.diff(clipped.rsquared_conf_int())[0] > np.diff(plain.rsquared_conf_int())[0]


def test_where_nothing_is_known_of_variances_intervals_say_so():
    """Without y'y, or with a hidden direction, or without a bound on rows."""
    rng = np.random.default_rng(3)
    evidence = released(rng, *table(rng))
    without = attrs.evolve(evidence, squares=0.0, squares_std=np.inf)
    hidden = attrs.evolve(evidence, gram_std=4000.0)
    for one in (
        infer(without, bound=0.9, rows=BALL),
        infer(hidden, bound=0.9, rows=BALL),
    ):
        assert one.scale_conf_int() == pytest.approx([0, 0.81])
        assert one.rsquared_conf_int().tolist() == [0, 1]
        assert np.isnan(one.rsquared)
        with pytest.raises(InvalidArgument, match="alpha"):
            one.scale_conf_int(1.0)
    assert infer(evidence, bound=1.0).scale_conf_int().tolist() == [0, 1]
    with pytest.raises(InvalidArgument, match="equal_variance"):
        infer(attrs.evolve(evidence, count=0.0), bound=1.0, rows=BALL, equal_variance=False)


def test_ends_are_the_outermost_numbers_that_are_accepted():
    """Also of two separate pieces; nothing is left out where the middle is not accepted."""

    def accepts(x):
        return (np.abs(x - 0.5) <= 0.1) | (np.abs(x - 0.8) <= 0.05)

    assert between(accepts, 0.5, 1.0) == pytest.approx([0.4, 0.85])
    assert between(accepts, 0.7, 1.0).tolist() == [0, 1]
    assert between(accepts, np.nan, 1.0).tolist() == [0, 1]
    assert between(lambda x: x <= 2, -3.0, 1.0).tolist() == [0, 1]


NAMES = ("age", "smoker[yes]", "bmi - 2", "intercept")


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("age", [1, 0, 0, 0]),
        ("smoker[yes] - 10 age", [-10, 1, 0, 0]),
        ("-age + .5*bmi - 2 - 1e-1 intercept", [-1, 0, 0.5, -0.1]),
        ("bmi - 2", [0, 0, 1, 0]),
        ("age + age", [2, 0, 0, 0]),
    ],
)
def test_contrasts_are_read_as_they_are_written(text, weights):
    """Names may hold signs; a contrast prints as text that is read again as the same."""
    rows, (name,) = contrasts(text, NAMES)
    assert rows.tolist() == [weights]
    assert contrasts(name, NAMES)[0].tolist() == [weights]


@pytest.mark.parametrize("text", ["smoker", "smoker=yes", "Smoker[yes]", {"smoker": 1}])
def test_the_nearest_coefficient_is_named(text):
    """Of a misspelt name, and of a column for its level."""
    with pytest.raises(InvalidArgument, match=r"Did you mean 'smoker\[yes\]'\?"):
        contrasts(text, NAMES)


@pytest.mark.parametrize("text", ["age - ", "2", "age = 1", "age bmi - 2", "age + 2 weight"])
def test_other_text_is_no_contrast(text):
    """It is refused whole."""
    with pytest.raises(InvalidArgument, match="of the coefficients age"):
        contrasts(text, NAMES)
