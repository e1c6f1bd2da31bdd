"""What audits and refusals say to a person: examples, shares, exact values, bounds, ways out."""

from __future__ import annotations

import json

import pytest

import dpframe as dp
from dpframe.audits import audit, parse_description
from dpframe.audits.findings import findings
from dpframe.audits.findings.example import amounts_at
from dpframe.audits.html.words import words
from dpframe.audits.sentence import values_text
from dpframe.prover import Verdict
from tests.support.commands import both_streams
from tests.support.html_pages import described, unfolded, words_of

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
FIXED = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
ONE = dp.ApproxDP(1, "1e-6")

PAPER = """
title = "t"
relation = "add-remove"
{claim}
rows = {{norm = "any"}}
labels = {{bound = "any"}}
{release}
"""
GAUSSIAN = """[[release]]
name = "gram"
statistic = "X'X"
mechanism = "gaussian"
std = "sqrt(2*log(1.25/delta)) / epsilon * B"
share = "epsilon, delta"
"""
LAPLACE = """[[release]]
name = "sum"
statistic = "sum(y)"
mechanism = "laplace"
scale = "1/epsilon"
share = "epsilon"
"""
RHO = """[[release]]
name = "gram"
statistic = "X'X"
mechanism = "gaussian"
std = "B*sqrt(1/(2*rho))"
"""
REFUTED = {
    "Gaussian": ('claim = {epsilon = "any", delta = "any"}', GAUSSIAN),
    "Laplace": ('claim = {epsilon = "any"}', LAPLACE),
    "in rho": ('claim = {rho = "any"}', RHO),
}


# ---------------------------------------------- The example of a refuted page is its counterexample
@pytest.mark.parametrize("case", REFUTED)
def test_the_example_of_a_refuted_claim_breaks_it(case):
    """At epsilon = B = Y = 1 these claims hold; they are judged where they fail."""
    claim, release = REFUTED[case]
    done = described(PAPER.format(claim=claim, release=release))
    found = findings(done)
    assert done.verdict is Verdict.REFUTED
    assert {**done.counterexample} == {name: found.at[name] for name in done.counterexample}
    assert found.waste.factor > 1
    claimed = amounts_at(done.report.problem, found.at)
    if "epsilon" in done.target.currency:
        assert found.accountants[0].lower > claimed[0]
    else:  # in rho the cost is that of the sentence
        assert done.worst.mu[0] ** 2 / 2 > claimed[0]


@pytest.mark.parametrize("case", REFUTED)
def test_every_symbol_has_its_number_in_text_page_and_json(case):
    """Those of the counterexample, bounds of the data among them."""
    claim, release = REFUTED[case]
    done = described(PAPER.format(claim=claim, release=release))
    found, page = findings(done), words_of(done)
    record = json.loads(json.dumps({**done.records(), **found.record()}))
    assert record["counterexample"]
    for name, value in done.counterexample.items():
        assert record["at"][name] == record["counterexample"][name] == str(value)
        shown = str(words(values_text({name: value})))
        assert shown in page
    assert "At the counterexample" in page
    assert "at the counterexample, " in unfolded(found.audit)
    assert "By way of example" not in page


def test_the_page_of_a_refuted_claim_never_says_that_it_holds():
    """Above the picture stands what the counterexample does."""
    claim, release = REFUTED["Gaussian"]
    page = words_of(described(PAPER.format(claim=claim, release=release)))
    assert "It does not: the claim fails." in page
    assert "It does." not in page
    assert "ε = 0.158" in page
    assert page.count("at the counterexample, ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}0.1") == 1


def test_the_numbers_of_a_counterexample_are_said_once():
    """The sentence of a claim without an exact cost named them twice."""
    claim, release = REFUTED["Laplace"]
    sentence = described(PAPER.format(claim=claim, release=release)).sentence
    assert sentence.count("Y = 2") == 1


def test_an_example_of_a_proved_claim_stays_an_example():
    """Only what is refuted has a counterexample."""
    done = audit(dp.AdaSSP(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=SETTING)
    assert done.counterexample == {}
    assert "By way of example" in words_of(done)


# --------------------------------------------------------------------------------- Overspent shares
class Overspent(dp.Regression):
    """Shares of 3/5 each; the noise alone meets the claim."""

    weight: dp.Expression = dp.constant("3/5")

    def declare(self, X, y, budget):
        share = budget.split(self.weight, 1 - self.weight)[0]
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, share, name="gram")
        return gram, dp.release(X.T @ y, dp.Gaussian.analytic, share, name="moment")


SUM = "the shares of epsilon sum to 6/5, more than 1 (gram: 3/5; moment: 3/5)"


def test_a_refusal_says_first_which_shares_sum_to_too_much():
    """Each share, the sum, and three ways out."""
    with pytest.raises(dp.errors.Uncertified) as refusal:
        dp.certify(Overspent(), target=ONE, setting=SETTING)
    first, *_ = text = str(refusal.value).splitlines()
    assert SUM in first
    said = "\n".join(text)
    assert "multiply every share of epsilon by 5/6" in said
    assert "dp.release(X.T @ X, dp.Gaussian(std=...))" in said
    assert 'accountant="gaussian" leaves the shares aside.' in said
    assert dp.certify(Overspent(), target=ONE, setting=SETTING, accountant="gaussian")


def test_a_true_total_is_said_to_be_true_and_by_what():
    """In the sentence, the first thing to change, JSON and on the page."""
    done = audit(Overspent(), target=ONE, setting=SETTING)
    assert done.verdict is Verdict.UNPROVED
    assert [one.kind for one in done.report.open_obligations] == ["plan", "plan"]
    assert SUM in done.sentence
    assert 'all releases together do satisfy it, by accountant="gaussian", with' in done.sentence
    assert f"a true epsilon = {done.joint_epsilon:.3f} at delta = 1e-6" in done.sentence
    change = findings(done).change
    assert change.title.startswith("Lower the shares of epsilon, or name another accountant")
    assert 'accountant="gaussian"' in change.how
    assert done.records()["overspent"][0] == SUM
    assert done.records()["proved_by"] == "gaussian"
    page = words_of(done)
    assert "The declared shares exceed the budget; the claim holds by another accountant" in page
    assert "The shares of ε sum to 6/5, more than 1" in page


def test_a_false_total_names_the_shares_too():
    """Each share is the whole claim, and one pair of tables costs more."""
    done = audit(Overspent(weight=dp.constant("99/100")), target=ONE, setting=SETTING)
    assert done.verdict is Verdict.REFUTED
    assert "the shares of epsilon sum to 99/50, more than 1" in done.sentence
    assert "do satisfy it" not in done.sentence
    assert done.records()["proved_by"] == ""


def test_symbolic_shares_are_judged_where_they_overspend():
    """The sum at the values that break it."""
    weight = dp.parameter("gamma", 0, 1)
    done = audit(Overspent(weight=weight), target=ONE, setting=SETTING)
    gamma = done.counterexample["gamma"]
    assert 2 * gamma > 1
    assert f"gamma = {gamma}" in done.records()["overspent"][0]


# ----------------------------------------------------------- An exact value that reaches the output
def both(a, b):
    """Its arguments."""
    return a, b


class Raw(dp.Regression):
    """A release, and a statistic beside it: read by a function, or returned."""

    of: str = "gram"
    returned: bool = False

    def declare(self, X, y, budget):
        pure = budget.currency == ("epsilon",)
        theorem = dp.Laplace.pure if pure else dp.Gaussian.analytic
        noisy = dp.release(X.T @ y, theorem, budget, name="noisy")
        exact = {
            "gram": X.T @ X,
            "floor": dp.lambda_min(X.T @ X),
            "count": dp.count(X),
            "rows": X.rows,
            "moment": X.T @ y,
        }[self.of]
        return (noisy, exact) if self.returned else dp.post(both, noisy, exact)


CODE = {
    "gram": "dp.release(X.T @ X, dp.Gaussian.analytic, share)",
    "floor": "dp.release(dp.lambda_min(X.T @ X), dp.Gaussian.analytic, share)",
    "count": "dp.release(dp.count(X), dp.Gaussian.analytic, share)",
    "rows": "dp.release(dp.count(X), dp.Gaussian.analytic, share)",
    "moment": "read noisy instead, which is its release with noise",
}
PUBLIC = "dp.parameter(name, lower, upper) (in a description, [parameters])"


@pytest.mark.parametrize("of", CODE)
def test_an_exact_value_is_called_one_and_its_release_is_python(of):
    """Numbers that may be known without the table are parameters."""
    report = dp.examine(Raw(of=of), target=ONE, setting=SETTING)
    (found,) = report.open_obligations
    assert "the data without noise: X" in found.rule or "reaches it without noise: X" in found.rule
    assert CODE[of] in found.repair
    assert (PUBLIC in found.repair) == (of in {"floor", "count", "rows"})
    assert "X'" not in found.repair


@pytest.mark.parametrize("of", ["gram", "count", "moment"])
def test_an_exact_value_that_is_returned_is_refuted(of):
    """And the first thing to change says what to do."""
    done = audit(Raw(of=of, returned=True), target=ONE, setting=SETTING)
    assert done.verdict is Verdict.REFUTED
    assert "but private data reaches it without noise: X" in done.sentence
    assert findings(done).change.title.endswith("with noise, or leave it out")


def test_under_a_pure_claim_the_release_is_one_of_laplace_noise():
    """Gaussian noise needs a delta."""
    report = dp.examine(Raw(of="count"), target=dp.PureDP(1), setting=SETTING)
    repairs = " ".join(one.repair for one in report.open_obligations)
    assert "dp.release(dp.count(X), dp.Laplace.pure, share)" in repairs


def test_a_number_of_rows_in_a_tuple_is_named():
    """Which part it is."""
    with pytest.raises(dp.InvalidArgument, match=r"output of declare, part 2 must be a release"):
        dp.certify(Raw(of="rows", returned=True), target=ONE, setting=FIXED)


READS = """
title = "t"
relation = "add-remove"
claim = {{epsilon = 1, delta = 1e-6}}
rows = {{norm = 1}}
labels = {{bound = 1}}
[parameters]
floor = "in [0, inf)"
[[release]]
name = "gram"
statistic = "X'X"
mechanism = "gaussian"
calibration = "analytic"
share = "epsilon, delta"
[output]
reads = ["gram", "{}"]
"""


def test_public_knowledge_is_a_parameter():
    """What the way out names is proved."""
    raw = described(READS.format("lambda_min(X'X)"))
    assert raw.verdict is Verdict.UNPROVED
    assert PUBLIC in raw.report.open_obligations[0].repair
    assert described(READS.format("floor")).verdict is Verdict.PROVED


# ---------------------------------------------------------------------------------- Without a bound
class Residuals(dp.Regression):
    """The sum of squared residuals, clipped or not."""

    stated: bool = False
    clipped: bool = False

    def declare(self, X, y, budget):
        first, second = budget.split_evenly(2)
        moment = dp.release(X.T @ y, dp.Gaussian.analytic, first, name="moment")
        theta = dp.post(dp.regressions.solve.constant_ridge, moment, moment)
        residuals = y.residuals(X, theta)
        residuals = residuals.clip("-1/2", "1/2") if self.clipped else residuals
        noise = dp.Gaussian(std=5) if self.stated else dp.Gaussian.analytic
        return theta, dp.release(residuals @ residuals, noise, second, name="rss")


def rss(regression):
    """The audit, and the line of that release."""
    done = audit(regression, target=ONE, setting=SETTING)
    return done, next(line for line in done.lines if line.name == "rss")


def test_without_a_sensitivity_a_theorem_sizes_no_noise():
    """Its formula at sensitivity 1 was printed as the std."""
    done, line = rss(Residuals())
    assert line.size is None
    assert not line.sized
    assert line.record()["formula"] is None
    assert "std: none, as a theorem sizes noise to a positive sensitivity" in unfolded(done)
    assert "rss: its L2 sensitivity must be bounded, and no rule bounds y ->" in str(done)
    page = words_of(done)
    assert "no bound: its L2 sensitivity must be bounded" in page
    assert 'y.residuals(X, theta).clip("-1/2", "1/2")' in page


def test_stated_noise_keeps_its_size_and_says_that_nothing_is_bounded():
    """It is what the declaration adds."""
    done, line = rss(Residuals(stated=True))
    assert line.size == 5
    assert "no rule bounds" in line.unbounded
    assert "no bound" in str(done)


def test_residuals_are_called_residuals():
    """Not y'y."""
    _, line = rss(Residuals(clipped=True))
    assert line.statistic == "residuals @ residuals"
    assert line.unbounded == ""
    assert line.size is not None


def test_the_count_is_explained_where_it_is_called_n():
    """As `dp.count(X)`."""
    done = audit(Constant(), target=ONE, setting=SETTING)
    assert "n the number of rows, as dp.count(X) counts them" in unfolded(done)


class Constant(dp.Regression):
    """The number of rows, which is public under replace-one, with calibrated noise."""

    def declare(self, X, y, budget):
        share, other = budget.split_evenly(2)
        count = dp.release(dp.count(X), dp.Gaussian.analytic, share, name="count")
        return count, dp.release(X.T @ y, dp.Gaussian.analytic, other, name="moment")


def test_the_audit_of_noise_of_size_0_is_a_page():
    """It raised, without the name of the release."""
    done = audit(Constant(), target=ONE, setting=FIXED)
    (found,) = done.report.open_obligations
    assert found.node == "count"
    assert "needs a sensitivity above 0" in found.rule
    assert "count" in str(done)
    assert "no claim" not in words_of(done)


# ----------------------------------------------------------------------------------- The best split
def test_the_best_split_is_that_of_best_split():
    """The same criterion, noise and proof."""
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=SETTING)
    best = findings(done).saving
    criterion = dp.audits.NoiseCriterion(d=10)
    split = dp.best_split(
        dp.literature.AdaSSPWang(), target=ONE, setting=SETTING, criterion=criterion, over="shares"
    )
    assert best.after == pytest.approx(split.value, rel=1e-5)
    assert best.before == pytest.approx(split.against[0].value, rel=1e-3)
    stds = {
        line.name: line.size for line in audit(split.regression, target=ONE, setting=SETTING).lines
    }
    for name, declared, size in best.releases:
        assert size == pytest.approx(stds[name], rel=1e-3)
        assert declared == next(line.size for line in done.lines if line.name == name)
    assert "NoiseCriterion(d=10)" in best.call


def test_the_best_split_stands_in_every_rendering():
    """Which release, its std now and there, by which call."""
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=SETTING)
    found, page = findings(done), words_of(done)
    assert f"{found.saving.percent} per cent less squared noise" in unfolded(found.audit)
    assert found.saving.sizes in unfolded(found.audit)
    assert found.saving.sizes.replace("->", "→") in page
    assert found.record()["best_split"]["releases"][0]["name"] == "floor"
    assert found.saving.sizes in found.change.title


def test_a_single_classical_release_is_told_the_analytic_theorem():
    """With its std now and then."""

    class Classical(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(X.T @ X, dp.Gaussian.classical, budget, name="gram")

    change = findings(audit(Classical(), target=dp.ApproxDP("1/2", "1e-6"), setting=SETTING)).change
    assert change.how.startswith("Name dp.Gaussian.analytic")
    assert "std gram 10.60 -> 8.058" in change.effect


# -------------------------------------------------------------------- From rho to epsilon and delta
def test_what_needs_epsilon_names_the_call_that_converts():
    """The declaration, composition, ledger and estimator; and the calls answer."""
    rho = dp.ZeroConcentratedDP("1/10")
    with pytest.raises(dp.InvalidArgument, match=r"certificate\.as_composition\(\)\.epsilon"):
        dp.certify(dp.literature.AdaSSPWang(), target=rho, setting=SETTING)
    call = r"dp\.compose\(guarantee, accountant='rdp'\)\.epsilon"
    with pytest.raises(dp.InvalidArgument, match=call):
        dp.compose(rho).epsilon("1e-6")
    with pytest.raises(dp.InvalidArgument, match=call):
        dp.Filter(ONE).spend(rho)
    with pytest.raises(dp.InvalidArgument, match=r"dp\.certify\(regression, target=dp\.ZeroConc"):
        dp.PrivateRegressor(epsilon=rho, delta="1e-6", setting=SETTING).fit([[0.5]] * 9, [0.5] * 9)
    converted = dp.compose(rho, accountant="rdp").epsilon("1e-6")
    proof = dp.certify(dp.SSP(), target=rho, setting=SETTING)
    assert "certificate.as_composition().epsilon(delta)" in str(proof)
    assert proof.as_composition().epsilon("1e-6").upper <= converted.upper < 2.2


# ---------------------------------------------------------------- Names and options of descriptions
@pytest.mark.parametrize("name", ["std", "epsilon", "n"])
def test_a_reserved_name_is_refused_with_all_of_them(name):
    """Letters of every description, and functions where it is one."""
    text = READS.format("floor").replace("[parameters]", f"[parameters]\n{name} = 2", 1)
    with pytest.raises(dp.InvalidArgument, match="free of reserved names") as refusal:
        parse_description(text)
    assert "Reserved are X, y, n, d, B, Y, box, epsilon" in str(refusal.value)
    assert ("and the functions, listed in docs/describing.md" in str(refusal.value)) == (
        name == "std"
    )
    assert len(str(refusal.value)) < 250


def test_options_beside_a_description_are_refused_by_name(tmp_path):
    """Without 'given', which nobody typed."""
    (tmp_path / "x.toml").write_text(READS.format("floor"))
    told = both_streams("audit", tmp_path / "x.toml", "--norm", "2", status=2)
    assert told.startswith("--norm must be left out with a description; got both.")
