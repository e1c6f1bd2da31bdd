"""The dossier's cases: complete, consistent, and never kinder than the proofs."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.auditing.dossier import Account, by_relation, case, dossier, limit, subjects
from dpframe.auditing.dossier.worst import worst
from dpframe.symbols import log, parameter, sqrt

D = Fraction(1, 10**6)
CODED = {  # coded by others, and certified nevertheless
    ("AdaSSPWangCoded", "add/remove"),
    ("AdaSSPHessianMix", "add/remove"),
    ("SSPStatsmodels", "replace-one"),
}


def test_every_printed_and_coded_regression_is_there(cases):
    """Under both relations, once."""
    wanted = {cls.__name__ for cls in dp.REGRESSIONS if cls.variant in ("printed", "coded")}
    assert {cls.__name__ for cls in subjects()} == wanted
    assert set(cases) == {
        (name, str(r)) for name in wanted for r in (dp.ADD_REMOVE, dp.REPLACE_ONE)
    }


def test_code_is_certified_by_name_only(cases):
    """A new coded variant that is certified has to be looked at, and entered above."""
    found = {key for key, one in cases.items() if one.variant == "coded" and one.entry.certified}
    assert found == CODED


def test_bounds_are_in_order_and_verdicts_follow(cases):
    """lower <= upper; proved: upper within the claim; refuted: lower above it, or a leak."""
    for key, one in cases.items():
        for account in one.accounts:
            assert 0 <= account.lower <= account.upper, key
            if account.verdict == "proved":
                assert account.upper <= account.claimed * (1 + Fraction(1, 10**9)), key
                assert not account.leaks, key
            if account.verdict == "refuted":
                above = account.lower > account.claimed or account.strict
                assert above or account.leaks, key
            if account.lower > account.claimed:
                assert account.verdict == "refuted", key


def test_costs_grow_with_the_claim(cases):
    """But where noise grows with epsilon."""
    for (name, _), one in cases.items():
        uppers = [account.upper for account in one.accounts]
        if name != "BoostedAdaSSPCoded":
            assert uppers == sorted(uppers), name


def test_records_are_json(cases):
    """Every case, infinities left out, with reason, and repair where refused."""
    for one in cases.values():
        record = json.loads(json.dumps(one.record(), allow_nan=False))
        assert record["reason"]
        assert len(record["accounts"]) == 4
        assert all(account["true_cost"] for account in record["accounts"])
        assert bool(record["repair"]) is one.refused


def test_instead_is_certified_under_the_relation(cases):
    """Nothing is recommended that is refused."""
    for (_, relation), one in cases.items():
        chosen = dp.ADD_REMOVE if relation == "add/remove" else dp.REPLACE_ONE
        for name in one.instead:
            report = dp.examine(
                getattr(dp, name)(),
                target=dp.ApproxDP(dp.EPSILON, dp.DELTA),
                setting=dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=chosen),
            )
            assert report.proved, (one.name, name, relation)


def test_relations_come_one_after_the_other(cases):
    """Add/remove first."""
    order = [str(one.relation) for one in by_relation(cases.values())]
    half = len(order) // 2
    assert order == ["add/remove"] * half + ["replace-one"] * half


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
    for cls in (dp.AdaSSP, dp.BoostedAdaSSPCoded, dp.ThesisStandardised, dp.FunctionalLinear):
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


@pytest.mark.parametrize("wrong", [{"delta": Fraction(0)}, {"epsilons": [Fraction(0)]}])
def test_claims_must_be_claims(wrong):
    """In words."""
    with pytest.raises(dp.InvalidArgument, match="epsilons and delta"):
        next(dossier([dp.SSPWang], **wrong))
