"""An audit states what is true of published algorithms, in numbers, verdicts and one sentence."""

import json
import math
import subprocess
import sys
from fractions import Fraction

import attrs
import pytest

import dpframe as dp
from dpframe.audits import audit
from dpframe.audits.findings.accountants import cost
from dpframe.graph.graph import classes
from dpframe.literature.catalogue import example
from dpframe.prover.problem import joint_moves
from tests.support.html_pages import unfolded

NORM_ONE = dp.Rows(norm=1)
LABEL_ONE = dp.Column(bound=1)
SETTING = dp.Setting(X=NORM_ONE, y=LABEL_ONE, relation=dp.ADD_REMOVE)
REPLACE = attrs.evolve(SETTING, relation=dp.REPLACE_ONE)
OF_B = attrs.evolve(SETTING, X=dp.Rows(norm=dp.parameter("B")))
ONE = dp.ApproxDP(1, "1e-6")
ALL = dp.ApproxDP(dp.EPSILON, dp.DELTA)


def at(epsilon):
    """The target at this epsilon and delta = 1e-6."""
    return dp.ApproxDP(epsilon, "1e-6")


@pytest.mark.parametrize(
    ("cls", "shown", "verdict"),
    [
        (dp.literature.AdaSSPWang, "0.596", "proved"),
        (dp.literature.SSPWangCoded, "1.587", "refuted"),
        (dp.literature.AdaSSPPiazza, "0.411", "proved"),
        (dp.literature.SSPWang, "0.751", "proved"),
        (dp.literature.SSPPiazza, "0.518", "proved"),
        (dp.literature.AdaSSPThesis, "0.418", "proved"),
        (dp.AdaSSP, "1.000", "proved"),
    ],
)
def test_the_joint_epsilon_of_published_algorithms(cls, shown, verdict):
    """Exact epsilon at delta = 1e-6 of what is claimed as 1, under add/remove."""
    done = audit(cls(), target=ONE, setting=SETTING)
    assert str(done.verdict) == verdict
    assert f"epsilon = {shown} at delta = 1e-6 (claimed 1)" in unfolded(done)
    assert done.joint_epsilon_lower <= done.joint_epsilon
    assert done.joint_epsilon - done.joint_epsilon_lower < 1e-12


def test_wangs_adassp_breaks_its_shares_and_keeps_its_total():
    """Each release alone: delta_i = 8.85e-7 against a claim of 3.33e-7; jointly 0.596."""
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=SETTING)
    assert [line.claim for line in done.lines] == ["refuted"] * 3
    for line in done.lines:
        assert line.exact_delta == pytest.approx(8.848e-7, rel=1e-3)
        assert line.exact_epsilon == pytest.approx(0.3519, rel=1e-3)
        assert line.size == pytest.approx(11.852, rel=1e-3)
        assert line.attained
    assert done.shares_sum.amounts == ONE.budget.amounts
    assert done.derivation == "gaussian"
    text = unfolded(done)
    assert text.count("(0.333, 3.33e-7) 0.0844 8.85e-7 0.352 refuted") == 3
    assert "exact delta 8.85e-7 > 3.33e-7" in text
    assert "it does not use the claims of single releases that fail" in text


def test_the_certifying_sentence_can_be_signed():
    """It names the subject, the neighbours and the guarantee, and follows the verdict."""
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=SETTING)
    assert done.sentence == (
        "I certify that AdaSSPWang(rho=1/20), on every two tables that differ by one row added or "
        "removed, with rows projected onto the ball of radius 1 and labels y clipped to [-1, 1], "
        "satisfies (1, 1e-6)-differential privacy in all that it releases, with the noise and "
        "under the assumptions listed below."
    )
    head = f"Audit of {done.regression} Proved. All that is released satisfies {done.target}. "
    assert unfolded(done).startswith(f"{head}{done.sentence}")


def test_the_denying_sentence_gives_the_true_cost():
    """Exact delta at the claimed epsilon, true epsilon at the claimed delta."""
    done = audit(dp.literature.SSPWangCoded(), target=ONE, setting=SETTING)
    assert done.sentence == (
        "SSPWangCoded() does not satisfy (1, 1e-6)-differential privacy: for two tables that "
        "differ by one row added or removed, the exact delta of all that it releases at "
        "epsilon = 1 is 5.18e-4 > 1e-6, and its true epsilon at delta = 1e-6 is 1.587 > 1."
    )
    assert [line.claim for line in done.lines] == ["no claim", "no claim"]
    assert done.shares_sum is None
    assert done.plan_verdict is None


def test_a_symbolic_audit_has_verdicts_and_a_witness_but_no_numbers():
    """For all epsilon and delta; the denial is about numbers at which the claim breaks."""
    done = audit(dp.literature.SSPWangCoded(), target=ALL, setting=SETTING)
    assert done.joint is None
    assert done.joint_epsilon is None
    assert done.worst is not None
    assert done.witness == {"epsilon": 1, "delta": Fraction(1, 10**6)}
    assert "at epsilon = 1, delta = 1e-6, for two tables" in done.sentence
    assert "its true epsilon at delta = 1e-6 is 1.587 > 1" in done.sentence
    wang = audit(dp.literature.AdaSSPWang(), target=ALL, setting=SETTING)
    assert [line.claim for line in wang.lines] == ["refuted"] * 3
    assert all("exact delta" in line.witness for line in wang.lines)
    assert wang.lines[0].exact_delta is None
    assert "where epsilon <= 2*log(2) + 3*log(6) + log(1/delta)" in wang.sentence
    assert "epsilon/3, delta/3" in str(wang)


def test_bounds_may_stay_symbols_while_numbers_are_exact():
    """B and Y cancel: the joint epsilon is that of bound 1."""
    open_bounds = dp.Setting(
        X=dp.Rows(norm=dp.parameter("B")),
        y=dp.Column(bound=dp.parameter("Y")),
        relation=dp.ADD_REMOVE,
    )
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=open_bounds)
    closed = audit(dp.literature.AdaSSPWang(), target=ONE, setting=SETTING)
    assert done.joint_epsilon == closed.joint_epsilon
    assert done.lines[0].size is None
    assert "for all B in (0, inf), Y in (0, inf)" in done.sentence


def test_formulas_are_shown_as_they_are_declared():
    """Over epsilon, delta, B and Y, though numbers were audited."""
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=SETTING)
    text = done.text(details=True)
    assert text.count("std = 3*sqrt(log(6/delta))*B^2/epsilon, as stated") == 2
    assert text.count("std = 3*sqrt(log(6/delta))*B*Y/epsilon, as stated") == 1


class LooksAtNumbers(dp.Regression):
    """A declaration whose noise depends on whether its budget is a number."""

    def declare(self, X, y, budget):
        """Std 7 at numbers."""
        size = 7 if not budget.epsilon.symbols() else 1 / budget.epsilon
        return dp.release(X.T @ X, dp.Gaussian(std=size), name="gram")


def test_a_declaration_that_looks_at_numbers_shows_what_was_verified():
    """Never a formula that was not."""
    done = audit(LooksAtNumbers(), target=ONE, setting=SETTING)
    assert str(done.lines[0].written) == "7"


class Overspent(dp.Regression):
    """Three halves of the budget, each earned."""

    def declare(self, X, y, budget):
        """Analytic noise for each."""
        shares = budget.split("1/2", "1/2", "1/2")
        return tuple(dp.release(X.T @ X, dp.Gaussian.analytic, share) for share in shares)


def test_a_plan_that_overspends_is_refuted_though_the_noise_would_do():
    """The total stays unproved, and the page says which derivation leaves the plan aside."""
    done = audit(Overspent(), target=ONE, setting=SETTING)
    assert str(done.plan_verdict) == "refuted"
    assert str(done.verdict) == "unproved"
    assert [line.claim for line in done.lines] == ["proved"] * 3
    assert done.joint_epsilon < 1
    assert done.shares_sum.epsilon == dp.constant("3/2")
    assert 'accountant="gaussian" leaves the shares aside' in str(done)
    assert done.sentence.startswith("I cannot certify that Overspent()")
    aside = audit(Overspent(), target=ONE, setting=SETTING, accountant="gaussian")
    assert str(aside.verdict) == "proved"


class Leaking(dp.Regression):
    """Raw data in the output."""

    def declare(self, X, y, budget):
        """X'y without noise."""
        return dp.release(X.T @ X, dp.Gaussian.analytic, budget), X.T @ y


def test_raw_output_is_refuted_without_a_number():
    """The sentence names the obligation that fails."""
    done = audit(Leaking(), target=ONE, setting=SETTING)
    assert str(done.verdict) == "refuted"
    assert done.certificate is None
    assert "the output must be released" in done.sentence


class PrivateSize(dp.Regression):
    """A std that reads the number of rows."""

    def declare(self, X, y, budget):
        """Claims the whole budget."""
        return dp.release(X.T @ X, dp.Gaussian(std=1 + X.rows), budget, name="gram")


def test_a_claim_with_private_noise_is_never_proved():
    """Whatever the formula promises for each n; nor refuted: it may be true."""
    done = audit(PrivateSize(), target=dp.ApproxDP(100, "0.5"), setting=SETTING)
    assert done.lines[0].claim == "unproved"
    assert str(done.verdict) == "unproved"


class NegativeShare(dp.Regression):
    """One share is negative, the other makes up for it."""

    gamma: dp.Expression = dp.parameter("gamma", 0, 1)

    def declare(self, X, y, budget):
        """-gamma and 1 + gamma."""
        less, more = budget.split(-self.gamma, 1 + self.gamma)
        gram = dp.release(X.T @ X, dp.Gaussian(std=1), less, name="gram")
        return gram, dp.release(X.T @ y, dp.Gaussian(std=1), more, name="moment")


def test_a_negative_share_is_not_earned():
    """Its claim is refuted, as the plan is."""
    done = audit(NegativeShare(), target=dp.ApproxDP(1, "0.1"), setting=SETTING)
    assert done.lines[0].claim == "refuted"
    assert str(done.plan_verdict) == "refuted"


def test_a_theorem_outside_its_hypotheses_is_noted_and_its_number_judged():
    """kamath_ullman at epsilon_i = 3.33: beyond the theorem, yet its std earns the share."""
    regression = dp.literature.AdaSSPBudget(gamma="1/3")
    done = audit(regression, target=at(10), setting=SETTING)
    assert [line.claim for line in done.lines] == ["proved"] * 3
    noted = [line.name for line in done.lines if "outside its theorem" in line.note]
    assert noted == ["floor", "moment"]  # the mirrored noise of X'X is stated
    assert done.joint_epsilon == pytest.approx(5.073, rel=1e-4)
    assert str(done.verdict) == "unproved"
    assert "The noise alone would prove the total" in str(done)


def test_adasspbudget_fails_where_the_research_says():
    """At epsilon = 10 and gamma = 0.999 its true epsilon is 10.04."""
    done = audit(dp.literature.AdaSSPBudget(gamma="0.999"), target=at(10), setting=SETTING)
    assert str(done.verdict) == "refuted"
    assert done.joint_epsilon_lower == pytest.approx(10.041, rel=1e-4)
    assert "10.04 > 10" in done.sentence


class PureCounts(dp.Regression):
    """Laplace noise on two counts."""

    def declare(self, X, y, budget):
        """One by the theorem, one stated, half as large as it should be."""
        first, second = budget.split_evenly(2)
        one = dp.release(dp.count(X), dp.Laplace.pure, first, name="one")
        return one, dp.release(dp.count(X), dp.Laplace(scale=1), second, name="two")


def test_laplace_noise_is_judged_by_its_loss():
    """scale = 1 at sensitivity 1 costs epsilon = 1, against a claim of 1/2."""
    done = audit(PureCounts(), target=dp.PureDP(1), setting=SETTING)
    assert [line.claim for line in done.lines] == ["proved", "refuted"]
    assert [line.exact_epsilon for line in done.lines] == [0.5, 1.0]
    assert done.joint is None
    assert str(done.verdict) == "refuted"  # one record moves both counts: 1/2 + 1
    assert "costs 3/2 > 1" in str(done.broken)


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (dp.GaussianDP("3/10"), "mu = 0.300 (claimed 3/10-Gaussian differential privacy)"),
        (dp.ZeroConcentratedDP("1/8"), "rho = 0.125 (claimed 0.125)"),
    ],
)
def test_other_currencies_state_their_own_cost(target, shown):
    """mu for Gaussian DP, rho for zCDP."""
    done = audit(dp.AdaSSP(), target=target, setting=SETTING)
    assert shown in unfolded(done)
    assert str(done.verdict) == "proved"
    assert done.joint_epsilon is None


class TooLoud(dp.Regression):
    """A std of 1, whatever the target."""

    def declare(self, X, y, budget):
        """mu = 1."""
        return dp.release(X.T @ X, dp.Gaussian(std=1), name="gram")


def test_a_refuted_gaussian_target_states_mu():
    """mu = 1 against 1/2."""
    done = audit(TooLoud(), target=dp.GaussianDP("1/2"), setting=SETTING)
    assert str(done.verdict) == "refuted"
    assert "mu = 1.000" in done.sentence


class Difference(dp.Regression):
    """A combination of statistics, whose sensitivity is an upper bound."""

    def declare(self, X, y, budget):
        """X'y minus half the sum of the rows."""
        combined = 2 * (X.T @ y) - Fraction(1, 2) * dp.total(X)
        return dp.release(combined, dp.Gaussian(std=8), budget, name="difference")


def test_what_no_pair_attains_is_an_upper_bound_and_says_so():
    """In the table, in the joint line, and by a verdict that does not refute."""
    done = audit(Difference(), target=ONE, setting=SETTING)
    assert not done.lines[0].attained
    assert str(done.verdict) == done.lines[0].claim == "unproved"
    assert done.joint_epsilon_lower == 0
    text = done.text(details=True)
    assert "<= is an upper bound" in text
    assert "All releases together, an upper bound" in text
    assert "epsilon at most 1.3" in text


def test_a_cost_that_depends_on_released_numbers_is_the_largest_of_them():
    """JointSSP spends on counts what n makes clear: each mu is that of the values that cost most,
    and no pair is known to attain it.
    """
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    found = audit(dp.JointSSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    stated = {"sizes": "0.018", "norms": "0.011", "counts": "0.11", "correction1": "1/12"}
    least = dp.gaussian_sigma(epsilon=1, delta=1e-6, sensitivity=1)
    hidden = 1 - Fraction("0.001") - (Fraction("0.018") + Fraction("0.011")) / 1000
    for line in found.lines:
        if line.name in stated:
            part = Fraction(stated[line.name]) * (1 if line.name in {"sizes", "norms"} else hidden)
            assert 1 - 1e-12 <= line.mu * least / math.sqrt(part) <= 1 + 1e-8  # rounded up
            assert not line.attained
    assert all(line.mu is not None for line in found.lines)


class Halved(dp.Regression):
    """Released numbers decide how much X'X costs, perhaps nothing."""

    def declare(self, X, y, budget):
        n = dp.release(dp.count(X), dp.Gaussian(std=100), name="n")
        first, second = (dp.known(dp.post(halves, n), 0, 1, name=name) for name in "ab")
        noise = dp.Gaussian(std=10 / dp.sqrt(1 - first / 2 - second))
        return dp.release(X.T @ X, noise, name="gram")


def halves(n):
    """1/2."""
    return 0.5


def test_a_cost_that_may_be_nothing_has_an_upper_end():
    """The enclosure of mu^2 reaches below 0."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    found = audit(Halved(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    assert found.lines[1].mu == pytest.approx(0.1, rel=1e-8)


def test_rows_per_person_multiply_the_cost():
    """Two rows a person double mu: the printed noise no longer suffices at 10."""
    setting = attrs.evolve(SETTING, rows_per_person=2)
    done = audit(dp.literature.AdaSSPWang(), target=at(10), setting=setting)
    alone = audit(dp.literature.AdaSSPWang(), target=at(10), setting=SETTING)
    assert done.joint.mu[1] == pytest.approx(2 * alone.joint.mu[1])
    assert str(done.verdict) == "refuted"
    assert "the rows of one person (at most 2)" in done.sentence


class Thousand(dp.Regression):
    """A thousand equal releases."""

    def declare(self, X, y, budget):
        """Even shares."""
        return tuple(
            dp.release(X.T @ y, dp.Gaussian.analytic, share) for share in budget.split_evenly(1000)
        )


def test_equal_releases_are_one_row():
    """A page about a thousand releases stays a page; lines stay a thousand."""
    done = audit(Thousand(), target=ONE, setting=SETTING)
    assert len(done.lines) == 1000
    text = str(done)
    assert "release of X'y (×1000)" in text
    assert len(text.splitlines()) < 110


def test_the_joint_cost_is_that_of_the_verifier():
    """The same moves, the same supremum: mu^2 of the report."""
    done = audit(dp.literature.AdaSSPWang(), target=ONE, setting=REPLACE)
    problem = done.report.problem
    grouped = classes(problem.graph.releases)
    joint = dp.graph.Joint.of([release.statistic for release, _ in grouped], dp.REPLACE_ONE)
    square = dp.prover.algebra.number(
        joint.total(joint_moves(problem.rows, joint, grouped)), {}, up=True
    )
    assert done.joint.mu[1] ** 2 == pytest.approx(square, rel=1e-12)


@pytest.mark.some(1, most=98)
@pytest.mark.parametrize("cls", dp.literature.REGRESSIONS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(
    "asked", [(ONE, OF_B), (ALL, OF_B), (ONE, REPLACE), (ALL, REPLACE)], ids=range(4)
)
def test_every_regression_has_a_page_and_records(cls, asked):
    """At most 100 columns, or 80 with the same words; strict JSON; the verdict that certify acts
    on.
    """
    target, setting = asked
    done = audit(example(cls), target=target, setting=setting)
    assert max(map(len, str(done).splitlines())) <= 100
    narrow = done.text(80)
    assert max(map(len, narrow.splitlines())) <= 80
    assert " ".join(done.sentence.split()) in " ".join(narrow.split())
    assert repr(done) == str(done)
    records = json.loads(json.dumps(done.records(), allow_nan=False))
    assert records["verdict"] == str(done.verdict)
    assert len(records["releases"]) == len(done.lines)
    assert (done.certificate is None) is (records["verdict"] != "proved")
    try:
        proved = bool(dp.certify(example(cls), target=target, setting=setting).hash)
    except dp.Uncertified:
        proved = False
    assert proved is (records["verdict"] == "proved")


@pytest.mark.parametrize(
    "changes",
    [
        {"regression": dp.AdaSSP},
        {"target": (1, 1e-6)},
        {"setting": None},
        {"accountant": "best"},
    ],
)
def test_bad_arguments_are_refused(changes):
    """By an error of dpframe's, never by a verdict."""
    given = {"regression": dp.AdaSSP(), "target": ONE, "setting": SETTING, **changes}
    with pytest.raises(dp.DPFrameError):
        audit(given.pop("regression"), **given)


def test_an_audit_is_a_value():
    """Nothing can be set on it or its lines."""
    done = audit(dp.AdaSSP(), target=ONE, setting=SETTING)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        done.lines = ()
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        done.lines[0].size = 0


def constant_output(value):
    """Post-processing of nothing."""
    return value


class Silent(dp.Regression):
    """No release at all."""

    def declare(self, X, y, budget):
        """A constant."""
        return dp.post(constant_output, 1)


def test_no_release_is_a_page_too():
    """Nothing is released, so there is nothing to certify."""
    done = audit(Silent(), target=ONE, setting=SETTING)
    assert "Nothing is released" in str(done)
    assert str(done.verdict) == "unproved"
    assert done.joint is None


class Stated(dp.Regression):
    """One release of a stated std, claiming everything."""

    size: dp.Expression = dp.parameter("size", 0)

    def declare(self, X, y, budget):
        """X'X."""
        return dp.release(X.T @ X, dp.Gaussian(std=self.size), budget, name="gram")


@pytest.mark.parametrize(
    ("size", "target", "says"),
    [
        ("1e-300", dp.ApproxDP("1e-300", "1e-300"), "above 1.797e308"),
        ("1e-6", ONE, "5e11 > 1."),
        ("1e300", dp.ApproxDP(1, "0.5"), "I certify"),
        ("1e9", dp.ApproxDP("1e-9", "1e-300"), "8.33e-11 > 1e-300"),
    ],
)
def test_extreme_numbers_are_written_and_recorded(size, target, says):
    """From 1e-300 to 1e300, without overflow."""
    done = audit(Stated(size=size), target=target, setting=SETTING)
    assert says in done.sentence
    assert str(done)
    json.dumps(done.records(), allow_nan=False)


@pytest.mark.slow
def test_audit_is_callable_whatever_was_used_before():
    """The package and the function share a name: both orders of first use work."""
    for first in ("dp.compare", "dp.audit", "import dpframe.audits"):
        program = (
            f"import dpframe as dp\n{first}\n"
            "setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1),\n"
            "                     relation=dp.ADD_REMOVE)\n"
            "print(dp.audit(dp.AdaSSP(), target=dp.ApproxDP(1, '1e-6'), setting=setting).verdict)\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "proved"


@pytest.mark.parametrize("noise", [dp.Laplace, dp.mechanisms.ExponentialSelection])
@pytest.mark.parametrize("delta", [0, "1/10"])
def test_a_delta_covers_some_of_what_pure_noise_costs(noise, delta):
    """Without one, some pair costs sensitivity over scale; beside one less. Of
    Laplace noise 1 + 2 log(0.9) = 0.79 is true at delta = 0.1.
    """

    class Votes(dp.Regression):
        def declare(self, X, y, budget):
            return dp.release(dp.graph.bin_counts(y, [0]), noise(1), budget, name="votes")

    target = dp.ApproxDP("6/5", delta) if delta else dp.PureDP("6/5")
    done = audit(Votes(), target=target, setting=SETTING)
    found = cost(done)
    assert str(done.verdict) == "proved"
    least = 1 + 2 * math.log(0.9) if delta else 1
    assert found.lower <= least * (1 + 1e-9) <= found.upper * (1 + 2e-9) <= 1 + 3e-9
    assert delta or found.lower == found.upper == 1
    assert ("<= 1.000" in str(done)) is bool(delta)
