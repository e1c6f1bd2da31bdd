"""The dossier's cases: complete, consistent, and never kinder than the proofs."""

import math
from fractions import Fraction

import pytest

import dpframe as dp
from docs.generate.dossier import (
    Account,
    case,
    dossier,
    limit,
    subjects,
)
from docs.generate.dossier.worst import worst
from dpframe.symbols import log, parameter, sqrt
from tests.support import samples

D = Fraction(1, 10**6)
CODED = {  # coded by others, and certified nevertheless
    ("AdaSSPWangCoded", "add/remove"),
    ("SSPStatsmodels", "replace-one"),
}


def test_every_printed_and_coded_regression_is_there(cases):
    """Under both relations, once."""
    wanted = {
        cls.__name__ for cls in dp.literature.REGRESSIONS if cls.variant in ("printed", "coded")
    }
    wanted.remove("OPSPrinted")  # names no parameters for a budget
    assert {cls.__name__ for cls in subjects()} == wanted
    assert set(cases) == {
        (name, str(r)) for name in wanted for r in (dp.ADD_REMOVE, dp.REPLACE_ONE)
    }


@pytest.mark.slow
def test_code_is_certified_by_name_only(cases):
    """A new coded variant that is certified has to be looked at, and entered above."""
    found = {key for key, one in cases.items() if one.variant == "coded" and one.entry.certified}
    assert found == CODED


def test_bounds_are_in_order_and_verdicts_follow(listed):
    """lower <= upper; proved: upper within the claim; refuted: lower above it, or a leak."""
    for key, one in listed.items():
        for account in one.accounts:
            assert 0 <= account.lower <= account.upper, key
            if account.verdict == "proved":
                assert account.upper <= account.claimed * (1 + Fraction(1, 10**9)), key
                assert not account.leaks, key
            if account.verdict == "refuted":
                above = account.lower > account.claimed or account.strict
                assert above or (account.leaks and account.attack is None), key
            if account.lower > account.claimed:
                assert account.verdict == "refuted", key


def test_costs_grow_with_the_claim(listed):
    """But where noise grows with epsilon."""
    for (name, _), one in listed.items():
        uppers = [account.upper for account in one.accounts]
        assert uppers == sorted(uppers), name


def test_instead_is_certified_under_the_relation(listed):
    """Nothing is recommended that is refused."""
    for (_, relation), one in listed.items():
        chosen = dp.ADD_REMOVE if relation == "add/remove" else dp.REPLACE_ONE
        for name in one.instead:
            report = dp.examine(
                samples.regression(name)(),
                target=dp.ApproxDP(dp.EPSILON, dp.DELTA),
                setting=dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=chosen),
            )
            assert report.proved, (one.name, name, relation)


@pytest.mark.parametrize(
    ("lower", "upper", "leaks", "strict", "text"),
    [
        (0.5956488, 0.5956488, False, False, "0.59565"),
        (0.25, 0.25, False, False, "0.25"),
        (0.0, 0.75, False, False, "<= 0.75"),
        (0.1, 0.2, False, False, "0.1 to 0.2"),
        (3.49219, math.inf, False, False, ">= 3.4921"),
        (1.0, math.inf, False, True, "> 1"),
        (0.0, math.inf, True, False, "none"),
        (3.49219, math.inf, True, False, "none, >= 3.4921"),
        (0.0, math.inf, False, False, "open"),
        (1112.1106, 1112.1106, False, False, "1112.2"),
    ],
)
def test_cells(lower, upper, leaks, strict, text):
    """Rounded to the side of caution."""
    made = Account(
        claimed=Fraction(1),
        delta=D,
        verdict="open",
        lower=lower,
        upper=upper,
        leaks=leaks,
        rule="",
        strict=strict,
    )
    assert str(made) == text


GAMMA = parameter("gamma", 0, 1)


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (GAMMA * (1 - GAMMA), 0.25),
        (GAMMA**2, 1.0),  # approached only
        (GAMMA**2 / log(2 / GAMMA), 1 / math.log(2)),
        ((1 - GAMMA) ** 2 / log(3 / (1 - GAMMA)) + GAMMA / 10, 1 / math.log(3)),
        (sqrt(GAMMA) * (1 - GAMMA), 2 / 3 / math.sqrt(3)),
    ],
)
def test_the_worst_value_of_a_parameter(formula, true):
    """Bounds on both sides of a supremum that may not be attained."""
    found = worst(formula, GAMMA)
    assert float(found.low) <= true * (1 + 1e-12)
    assert float(found.high) >= true * (1 - 1e-12)
    assert float(found.high - found.low) < 1e-5
    assert 0 < found.at < 1


def test_what_is_unbounded_has_no_worst_value():
    """1/gamma, an unbounded range, or two parameters."""
    assert worst(1 / GAMMA, GAMMA) is None
    assert worst(parameter("free", 0) ** 2, parameter("free", 0)) is None
    assert worst(GAMMA * parameter("other", 0, 1), GAMMA) is None


def test_no_limit_where_no_number_decides():
    """Calibrated noise, code whose noise grows, private data."""
    for cls in (
        dp.AdaSSP,
        dp.literature.BoostedAdaSSPCoded,
        dp.literature.ThesisStandardised,
        dp.regressions.FunctionalLinear,
    ):
        assert limit(cls(), dp.ADD_REMOVE, D) is None


def test_a_regression_of_ones_own_is_a_case():
    """Any declaration, at any claims."""

    class Halved(dp.Regression):
        """X'X with half of the noise. [Wang18]"""

        paper, variant, title = "Wang18", "coded", "SSP, halved"

        def declare(self, X, y, budget):
            noise = dp.Gaussian(std=X.radius**2 * 2 / budget.epsilon)
            return dp.release(X.T @ X, noise, name="gram")

    found = case(Halved(), dp.ADD_REMOVE, [Fraction(1, 2), Fraction(5)], D)
    assert [one.verdict for one in found.accounts] == ["refuted", "refuted"]
    assert found.limit.epsilon < 1e-2
    assert found.refused
    assert found.instead == ("SSP",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"delta": Fraction(0)},
        {"delta": "tiny"},
        {"delta": math.nan},
        {"epsilons": [Fraction(0)]},
        {"epsilons": []},
        {"epsilons": ["one"]},
        {"epsilons": [math.inf]},
    ],
)
def test_claims_must_be_claims(wrong):
    """In words."""
    with pytest.raises(dp.InvalidArgument, match=r"epsilons|delta"):
        next(dossier([dp.literature.SSPWang], **wrong))


def test_floats_are_claims():
    """By their exact binary values."""
    (found,) = dossier([dp.literature.SSPWang], [dp.ADD_REMOVE], epsilons=(0.5,), delta=2.0**-20)
    assert (found.accounts[0].claimed, found.accounts[0].delta) == (
        Fraction(1, 2),
        Fraction(1, 2**20),
    )


@pytest.mark.parametrize("epsilon", [709, 800, 10**6])
def test_no_claim_is_too_large(epsilon):
    """e^epsilon overflows in the code's doubles: refused in words, and no endless search."""
    found = dossier(
        [dp.literature.BoostedAdaSSPKendall, dp.literature.AdaSSPWang, dp.literature.TukeyCoded],
        epsilons=(epsilon,),
    )
    assert len([*found]) == 6
    if epsilon > 709:
        with pytest.raises(dp.InvalidArgument, match="at most 709"):
            dp.certify(
                dp.literature.BoostedAdaSSPKendall(),
                target=dp.ApproxDP(epsilon, "1e-6"),
                setting=dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE),
            )


# ------------------------------------------------------------------------- who claims what
def test_a_claim_fails_only_for_the_relation_that_it_is_made_for(listed):
    """What nobody claims is not refuted, whatever it costs."""
    for (_, relation), one in listed.items():
        whom = type(one.regression).claimed_for.partition(",")[0]
        assert whom in {"", "add/remove", "replace-one"}
        for account in one.accounts:
            assert one.breaks(account) == (whom == relation and account.verdict == "refuted")


@pytest.mark.parametrize(
    ("name", "relation"),
    [
        ("SSPWang", "add/remove"),  # Wang18, Def. 1
        ("AdaSSPPiazza", "add/remove"),  # Piazza21, Def. 3
        ("ThesisClipped", "add/remove"),
        ("ThesisRowNorm", "add/remove"),
        ("OPSDiffusedCoded", "add/remove"),
        ("ObjPertPrinted", "add/remove"),
        ("SSPStatsmodels", "add/remove"),  # "a single row is added or removed"
        ("PersonalizedRidgePrinted", "replace-one"),  # Acharya24, Def. 2.1
        ("UniformRidge", "replace-one"),
        ("PersonalizedRidgeKnownBound", "replace-one"),
        ("NoisyGradientDescentPrinted", "replace-one"),
        ("SubAggSmith", "replace-one"),
        ("SampledRidgeCoded", ""),
        ("FunctionalLinearPrinted", ""),
    ],
)
def test_relations_are_those_of_the_papers(cases, name, relation):
    """As their definitions have it."""
    assert cases[name, "add/remove"].claimed_for == relation


def test_what_nothing_refutes_is_not_called_refuted(cases):
    """Sub-Agg in blocks of a hash, objective perturbation of a replaced record."""
    for name in ("SubAggSmith", "ObjPertPrinted"):
        one = cases[name, "replace-one"]
        assert one.everywhere == "not proved"
        assert {account.verdict for account in one.accounts} == {"open"}
        assert one.remark
    assert "not the papers' claim" in cases["SubAggSmith", "replace-one"].remark


def test_a_search_that_stays_below_the_claim_refutes_nothing(cases):
    """OPS, concentrated, at 0.1: n is read, and the attack on that shows 0.0949."""
    found = cases["OPSConcentratedCoded", "add/remove"].accounts[0]
    assert (found.verdict, found.leaks) == ("open", False)
    assert str(found) == ">= 0.094897"


def test_no_number_is_invented(cases):
    """The code's mu at (1, 1e-6), not that of a symbol which stands for it."""
    for relation in ("add/remove", "replace-one"):
        reason = cases["BoostedAdaSSPKendall", relation].reason
        assert "excess" not in reason
        assert "1.0019" in reason


def test_bounds_of_the_data_are_treated_alike(cases):
    """Both baselines scale by the largest row and label; with public bounds one is HessianMix's."""
    for name in ("AdaSSPGoogle", "AdaSSPHessianMix"):
        one = cases[name, "add/remove"]
        assert [str(account) for account in one.accounts] == ["none"] * 4
        assert "max_norm" in one.reason
    assert "largest norm" in cases["AdaSSPHessianMix", "add/remove"].entry.record()["summary"]


def test_hessian_mix_at_public_bounds():
    """0.564 of 1, as its declaration says."""

    class Public(dp.Regression):
        """At public bounds. [Lev26]"""

        paper, variant, title = "Lev26", "coded", "adaSSP, public bounds"

        def declare(self, X, y, budget):
            return dp.literature.AdaSSPHessianMix().bounded(X, y, budget)

    (found,) = case(Public(), dp.ADD_REMOVE, [Fraction(1)], D).accounts
    assert found.exact
    assert found.upper == pytest.approx(0.564, abs=5e-4)
    assert "costs 0.564 of 1" in " ".join(dp.literature.AdaSSPHessianMix.__doc__.split())


def test_dprivstats_is_refuted_for_what_it_returns(cases):
    """Not for its noise, which is right for a public design."""
    one = cases["LeastSquaresDPrivStats", "replace-one"]
    assert "y -> clip to [-Y, Y] -> with_residuals" in one.reason
    assert not any("std" in line or "lambda_min" in line for line in (one.reason, *one.also))


def test_ops_printed_is_judged_for_chosen_parameters_only():
    """It makes no claim by itself, and reads nothing but what it is given."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
    target = dp.ApproxDP(1, "1e-6")
    small, large = (
        dp.examine(dp.literature.OPSPrinted(gamma=gamma, lam=100), target=target, setting=setting)
        for gamma in (Fraction(1, 10**6), 1)
    )
    assert not small.proved  # residuals grow with n, for which no gamma is enough
    assert "costs delta = 0.002297" in str(large.open_obligations[0])
    assert dp.literature.OPSPrinted not in subjects()


@pytest.mark.slow
def test_a_limit_that_is_not_exact_says_so(cases):
    """adaSSPbudget under replace-one: true up to 9.7326, false from 9.7328 on."""
    one, other = (cases["AdaSSPBudget", r] for r in ("replace-one", "add/remove"))
    assert (one.reach, other.reach) == (">= 9.7326", "9.7327")
    assert "exactly" not in one.limit_text
    assert "false from 9.7328 on" in one.limit_text
    assert other.limit_text.startswith("exactly true up to epsilon = 9.7327")
