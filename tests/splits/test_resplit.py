"""dp.audits.Resplit, `dpframe split` and the page of splits."""

import json
from fractions import Fraction
from functools import partial

import mpmath
import pytest

import dpframe as dp
from docs.generate.pages import splits as page
from tests.splits.conftest import TwoSums, setting
from tests.support import checking as check
from tests.support import commands, oracles

# ------------------------------------------------------ Any division of a budget, proved in symbols
BOUNDS = dp.parameter("B"), dp.parameter("Y")
EVERY = dp.ApproxDP(dp.EPSILON, dp.DELTA)
RELATIONS = [dp.ADD_REMOVE, dp.REPLACE_ONE]
SQUARES = (1, 2, Fraction(1, 2))


class TwoKinds(dp.Regression):
    """Gaussian and pure noise together."""

    def declare(self, X, y, budget):
        gram = dp.release(X.T @ X, dp.Gaussian(std=1), name="gram")
        return gram, dp.release(dp.count(X), dp.Laplace(scale=1), name="count")


class Nameless(dp.Regression):
    """One statistic twice, without names."""

    def declare(self, X, y, budget):
        return dp.release(X.T @ X, dp.Gaussian(std=1)), dp.release(X.T @ X, dp.Gaussian(std=1))


class TooLittle(dp.audits.Resplit):
    """A mutant: one part in a hundred less noise on one release."""

    def declare(self, X, y, budget):
        post = super().declare(X, y, budget)
        gram = post.arguments[0]
        less = dp.Gaussian(std=gram.mechanism.std * dp.constant("0.99"))
        return dp.release(gram.statistic, less, name="gram"), post.arguments[1]


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize(
    ("of", "weights"),
    [
        (dp.SSP(), (2, 1)),
        (dp.AdaSSP(), SQUARES),
        (dp.literature.AdaSSPWang(), (1, 1, 5)),
        (dp.literature.SSPWangCoded(), ("0.3", "0.7")),
        (dp.regressions.Jointly(of=dp.regressions.ConstSSPFull()), (1, 4)),
    ],
    ids=str,
)
def test_proved_for_all_parameters(of, weights, relation, tmp_path):
    """Also of declarations that are refused as they stand; saved, loaded, checked alone."""
    regression = dp.audits.Resplit(of=of, weights=weights)
    certificate = dp.certify(regression, target=EVERY, setting=setting(relation, *BOUNDS))
    assert certificate.derivation == "gaussian"
    assert not certificate.region
    path = tmp_path / "certificate.json"
    certificate.save(path)
    assert dp.load(path).hash == certificate.hash
    verdict = check.check(check.read(path.read_text()))
    assert verdict.accepted, verdict


def total(relation, weights):
    """The joint move of lambda_min, X'X and X'y, from the proof page, and nothing of dpframe."""
    floor, gram, moment = (mpmath.mpf(str(float(w))) for w in weights)
    if relation is dp.ADD_REMOVE:
        return floor + gram + moment
    amount = 2 * gram + floor
    larger = max(amount, moment)
    return (larger + moment) ** 2 / larger


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_spends_the_budget_exactly(relation):
    """Moves of the worst pair in proportion to the weights, and the profile at its claim."""
    for weights in ((1, 1, 1), SQUARES, (1, 1, 20)):
        regression = dp.audits.Resplit(of=dp.AdaSSP(), weights=weights)
        graph = regression.graph(setting(relation, 2, 3, None), dp.ApproxDP(1, "1e-6").budget)
        stds = [oracles.value(release.std, {}) for release in graph.releases]
        moves = [(size / std) ** 2 for size, std in zip((4, 4, 6), stds, strict=True)]
        ratios = [move / weight for move, weight in zip(moves, weights, strict=True)]
        assert max(ratios) - min(ratios) < 1e-12 * max(ratios)
        mu = mpmath.sqrt(total(relation, moves))
        assert abs(oracles.delta_of(1, mu) / mpmath.mpf("1e-6") - 1) < 1e-9


def test_other_currencies(one):
    """zCDP and Gaussian DP: mu^2 is 2 rho, and mu^2."""
    for target, worth in ((dp.ZeroConcentratedDP("1/8"), 0.25), (dp.GaussianDP("1/2"), 0.25)):
        regression = dp.audits.Resplit(of=dp.SSP(), weights=(3, 1))
        certificate = dp.certify(regression, target=target, setting=setting(dp.ADD_REMOVE))
        stds = [oracles.value(one.std, {}) for one in certificate.graph.releases]
        assert [float(1 / std**2) for std in stds] == pytest.approx([0.75 * worth, 0.25 * worth])


def test_pure_noise():
    """epsilon in proportion to the weights, all draws of a release together."""
    regression = dp.audits.Resplit(of=TwoSums(), weights=(1, 3))
    every = dp.certify(
        regression, target=dp.PureDP(dp.EPSILON), setting=setting(dp.ADD_REMOVE, *BOUNDS)
    )
    assert every.derivation == "basic"
    rows, labels = every.graph.releases
    d = {"B": 1, "Y": 1, "d": 1, "epsilon": 1}
    assert oracles.value(rows.mechanism.scale, d) == pytest.approx(4)
    assert oracles.value(labels.mechanism.scale, d) == pytest.approx(3 / (3 / 4))
    with pytest.raises(dp.InvalidArgument, match="pure, as the noise is"):
        dp.certify(regression, target=EVERY, setting=setting(dp.ADD_REMOVE, *BOUNDS))


def test_symbolic_weights():
    """For all weights at once."""
    u = dp.parameter("u", 0, 1)
    regression = dp.audits.Resplit(of=dp.SSP(), weights=(u, 1 - u))
    certificate = dp.certify(regression, target=EVERY, setting=setting(dp.ADD_REMOVE, *BOUNDS))
    assert "u" in certificate.symbols
    copy = dp.load(certificate.document)
    assert copy.hash == certificate.hash
    assert copy.at(u="1/4", epsilon=1, delta="1e-6", B=1, Y=1).free == frozenset()


def test_less_noise_is_refused(one, ball):
    """A hundredth less on one release is found out."""
    with pytest.raises(dp.Uncertified):
        dp.certify(TooLittle(of=dp.SSP(), weights=(2, 1)), target=one, setting=ball)


def test_equal_weights_are_joint_calibration(one, ball):
    """SSP has equal squared mu: dividing 1 : 1 changes no noise. Wrapping again is no change."""
    plain = dp.certify(dp.SSP(), target=one, setting=ball).graph.releases
    for regression in (
        dp.audits.Resplit(of=dp.SSP(), weights=(1, 1)),
        dp.regressions.Jointly(of=dp.audits.Resplit(of=dp.SSP(), weights=(1, 1))),
        dp.audits.Resplit(of=dp.audits.Resplit(of=dp.SSP(), weights=(1, 9)), weights=(1, 1)),
    ):
        releases = dp.certify(regression, target=one, setting=ball).graph.releases
        for a, b in zip(plain, releases, strict=True):
            assert oracles.value(a.std, {}) == pytest.approx(float(oracles.value(b.std, {})))


def test_it_runs(one, ball):
    """The post-processing gets the new stds."""
    certificate = dp.certify(
        dp.audits.Resplit(of=dp.regressions.ConstSSPFull(), weights=(3, 1)),
        target=one,
        setting=ball,
    )
    gram = certificate.graph.releases[0]
    result = dp.execute(certificate, [[0.5, 0.5], [0.1, 0.9]], [0.3, 0.4], rng=1)
    wanted = mpmath.sqrt(2 * mpmath.log(160)) * oracles.value(gram.std, {})
    assert result.output.ridge == pytest.approx(float(wanted))


def test_printed():
    """As a person writes it."""
    assert str(dp.audits.Resplit(of=dp.SSP(), weights=("0.701", "0.299"))) == (
        "SSP(ridge=1), noise divided 0.701 : 0.299"
    )


@pytest.mark.parametrize(
    ("of", "weights", "says"),
    [
        (dp.SSP(), (1, 2, 3), "2 numbers, for gram, moment"),
        (dp.SSP(), (1, 0), "positive"),
        (dp.SSP(), (1, -1), "positive"),
        (dp.SSP(), (), "one for each release"),
        (dp.SSP(), 3, "one for each release"),
        ("SSP", (1, 1), "a declaration"),
        (TwoKinds(), (1, 1), "all Gaussian, or all pure"),
        (Nameless(), (1, 1), "different names"),
        (dp.regressions.ObjPert(), (1, 1), "only adds noise"),
    ],
    ids=str,
)
def test_refused(of, weights, says, one, ball):
    """With what is wanted, and a way out."""
    with pytest.raises(dp.InvalidArgument, match=says):
        dp.certify(dp.audits.Resplit(of=of, weights=weights), target=one, setting=ball)


# ---------------------------------------- `dpframe split`: what it prints, saves, draws and refuses
HERE = ["--epsilon", "1", "--delta", "1e-6", "--norm", "1", "--bound", "1", "-d", "10"]


call = partial(commands.call, "split")


def test_gamma_by_noise(tmp_path):
    """The page; the certificate in a file."""
    path = tmp_path / "certificate.json"
    text = call("AdaSSPBudget", *HERE, "--out", str(path))
    assert "chosen      gamma = 0.119" in text
    assert "31190 for gamma = 1/3, 1.58 times as much" in text
    assert max(map(len, text.splitlines())) <= 100
    assert dp.load(path).regression == dp.literature.AdaSSPBudget(gamma="0.119")


def test_shares_as_json():
    """Every number."""
    found = json.loads(
        call("AdaSSP", *HERE, "--json", "--weight", "floor=2", "--weight", "gram=0.5")
    )
    assert found["over"] == "shares"
    assert found["exact"]
    assert found["currency"] == "squared mu"
    assert sum(found["shares"].values()) == pytest.approx(1)
    assert "weighted floor 2, gram 1/2" in found["criterion"]


def test_symbols():
    """Without numbers the rule itself, for all parameters."""
    text = call("SSP", "-d", "10")
    assert "gram = sqrt(55)*B^2, moment = sqrt(10)*B*Y" in text
    assert "satisfy (epsilon, delta)-differential privacy" in text


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_error(relation):
    """The other criterion, under both relations."""
    given = [*HERE, "-n", "20000", "--relation", relation]
    text = call("AdaSSPBudgetTight", *given, "--criterion", "error", "--within", "0.001,0.5")
    assert "a bound on the expected excess squared error at n = 20,000" in text


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["SSP", *HERE, "--criterion", "error"], 2, "-n"),
        (["SSP", *HERE, "--weight", "gram"], 2, "name=number"),
        (["SSP", *HERE, "--over", "gamma"], 2, "shares"),
        (["AdaSSPBudget", *HERE, "--within", "0.5"], 2, "(lower, upper)"),
        (["ObjPert", *HERE], 2, "only adds noise"),
        (["AdaSSPBudget", "-d", "10"], 2, "must be a number"),
    ],
)
def test_refused_by_the_command(arguments, status, says):
    """With a sentence, without a traceback."""
    assert says in call(*arguments, status=status)


# ----------------------------------------------------------------------------------- docs/splits.md
CHEAP = ("page", "noise", "error", "shares")


def blocks():
    """Every block of the page, as it is written there."""
    text = page.PAGE.read_text("utf-8")
    assert f"images/{page.PICTURE.name}" in text
    assert page.PICTURE.exists()
    return {
        found[2]: found[0][len(found[1]) : -len(found[3])] for found in page.BLOCK.finditer(text)
    }


@pytest.mark.page
@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.slow
def test_fresh(name):
    """As `python -m docs.generate.pages.splits` writes it."""
    assert blocks()[name] == page.BLOCKS[name]()


def test_gammas_that_are_alike_in_every_row():
    """0.02 to 0.08 is within a tenth of the least bound, with joint calibration."""
    for n, epsilon, condition in page.SIZES:
        criterion = dp.audits.ErrorCriterion(n=n, d=10, condition=condition)
        found = page.best(dp.regressions.AdaSSPBudgetTight(), epsilon, criterion, dp.ADD_REMOVE)
        low, high = page.alike(dp.regressions.AdaSSPBudgetTight(), epsilon, found)
        assert low <= 0.02
        assert high >= 0.08


@pytest.mark.parametrize(("radius", "d"), [("1/3", 10), (1, 10), ("7/5", 200)])
def test_the_ratio_of_moment_and_gram(radius, d):
    """sqrt(2d/(d + 1)) Y/(B R), for large n and no ridge; Y/(B R) where noise is mirrored."""
    criterion = dp.audits.ErrorCriterion(n=10**10, d=d, radius=radius)
    declared = {dp.SSP(ridge="1e-9"): (2 * d / (d + 1)) ** 0.5, dp.literature.SSPWang(): 1}
    for regression, factor in declared.items():
        found = dp.best_split(
            regression,
            target=page.target("1"),
            setting=page.BALL,
            criterion=criterion,
            over="shares",
        )
        ratio = found.shares["moment"] / found.shares["gram"]
        assert ratio == pytest.approx(factor / float(criterion.radius), rel=0.02)
