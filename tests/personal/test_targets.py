"""Targets of each record: what is given, what is refused, what is certified for all budgets."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

import dpframe as dp
from dpframe.privacy.personal import Listed, given
from dpframe.prover import load
from tests.support.samples import declared

EACH = dp.PersonalizedDP(dp.each("epsilon"))
LAM = dp.parameter("lam")


def setting(relation=dp.REPLACE_ONE, norm=1, bound=1, **kwargs):
    """Rows of a ball, labels of an interval."""
    return dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=bound), relation=relation, **kwargs)


SYMBOLIC_ADD = setting(dp.ADD_REMOVE, dp.parameter("B"), dp.parameter("Y"))


# ------------------------------------------------------------------------------ what is given
@pytest.mark.parametrize(
    "budgets",
    [
        [0.1, 0.0],
        [0.1, -1],
        [0.1, float("inf")],
        [1e308] * 20,
        ["a", "b"],
        "0.1.2",
        [True, False],
        [[0.1, 0.2]],
        [],
        {},
        {"a": 0},
        {"a": True},
        {1: 0.5},
        {"": 0.5},
        0.5,
        dp.EPSILON,
        2 * dp.each("epsilon"),
        dp.parameter("e", -1, 1),
    ],
)
def test_bad_budgets_are_refused_by_name(budgets):
    """Before anything is declared."""
    with pytest.raises(dp.InvalidArgument, match=r"epsilon|budgets"):
        dp.PersonalizedDP(budgets)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": [0.1, 0.2], "delta": [1e-6]},
        {"epsilon": [0.1], "delta": {"a": 1e-6}},
        {"epsilon": {"a": 1}, "delta": {"b": 1e-6}},
        {"epsilon": [0.1], "delta": [1.0]},
        {"epsilon": [0.1], "rho": [0.1]},
        {"delta": [1e-6]},
        {},
        {"epsilon": {"a": 1, "b": 2}, "shares": {"a": 0.5, "b": 0.4}},
        {"epsilon": {"a": 1, "b": 2}, "shares": {"a": 1}},
        {"epsilon": [0.1], "shares": {"a": 1}},
        {"epsilon": [0.1], "public": "yes"},
    ],
)
def test_budgets_that_do_not_belong_together_are_refused(wrong):
    """Lengths, groups, notions, shares."""
    with pytest.raises((dp.InvalidArgument, TypeError)):
        dp.PersonalizedDP(**wrong)


def test_a_list_has_the_range_of_its_decimals():
    """0.1 means 1/10, not the double."""
    found = given("epsilon", np.array([0.3, 0.1]))
    assert isinstance(found, Listed)
    assert (found.domain.lower, found.domain.upper) == (Fraction(1, 10), Fraction(3, 10))


@pytest.mark.parametrize("name", ["gamma", "", "n"])
def test_each_has_a_budgets_name(name):
    """Only epsilon, delta, rho and mu differ from record to record."""
    with pytest.raises(dp.InvalidArgument, match="name"):
        dp.each(name)


# ------------------------------------------------------------------------ certified, for all


@pytest.mark.parametrize("cls", [dp.PersonalizedRidge, dp.literature.PersonalizedRidgePrinted])
def test_pdp_op_is_refused_under_add_remove_with_the_way_out(cls):
    """Its rate reads the total of those who are there; a public number mends it."""
    with pytest.raises(dp.Uncertified) as refusal:
        dp.certify(cls(penalty=LAM), target=EACH, setting=SYMBOLIC_ADD)
    told = str(refusal.value)
    assert "total of epsilon" in told
    assert "no finite epsilon" in told
    assert "public number S" in told
    public = cls(penalty=LAM, total=dp.parameter("S"))
    assert dp.certify(public, target=EACH, setting=SYMBOLIC_ADD).free == {"B", "S", "Y", "lam"}


TARGETS = [
    dp.PersonalizedDP(dp.each("epsilon"), 1e-6),
    dp.PersonalizedDP(dp.each("epsilon"), dp.each("delta")),
    dp.PersonalizedDP(rho=dp.each("rho")),
    dp.PersonalizedDP(mu=dp.each("mu")),
    dp.PersonalizedDP({"a": 0.1, "b": dp.parameter("e_b")}, delta=1e-6),
    dp.PersonalizedDP([0.1, 0.5, 3.0], delta=[1e-6, 1e-7, 1e-8]),
]


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.parametrize("cls", [dp.regressions.PersonalizedSSP, dp.regressions.PersonalizedAdaSSP])
def test_weighted_statistics_are_certified_in_every_notion(cls, relation, target):
    """For all budgets, by the definition of the std."""
    proof = dp.certify(cls(), target=target, setting=setting(relation, dp.parameter("B")))
    assert proof.derivation == "gaussian"
    assert load(proof.document).hash == proof.hash


def test_the_tight_rule_has_the_noise_that_the_docs_say():
    """d = 30, B^2 = 30, Y = 1: 3.80, 2.73, 1.91, 1.17 times less than the printed rule; each scale
    against its formula at 50 digits.
    """
    found = []
    for penalty in ("0.01", "1", "10", "100"):
        sizes = [
            _scale(cls, penalty)
            for cls in (dp.literature.PersonalizedRidgePrinted, dp.PersonalizedRidge)
        ]
        with mp.workdps(50):
            lam, row = mpf(penalty), mp.sqrt(30)
            length = min(1 / mp.sqrt(lam), row / lam)
            printed = 2 * row * (1 + row * length) / lam
            reach = min(row, mp.sqrt(lam))
            tight = row * (2 + row * reach / (reach**2 + lam)) / lam
            assert sizes == [pytest.approx(float(x), rel=1e-14) for x in (printed, tight)]
        found.append(round(sizes[0] / sizes[1], 2))
    assert found == [3.80, 2.73, 1.91, 1.17]


def _scale(cls, penalty):
    """The scale of the noise where the epsilons sum to 1, each of them small."""
    bounded = setting(norm=dp.sqrt(30))
    proof = dp.certify(cls(penalty=penalty), target=EACH, setting=bounded)
    formula = proof.graph.releases[0].mechanism.formula
    return proof.number(
        formula,
        up=True,
        sizes={"d": 30},
        released={"epsilon": Fraction(1, 10**6), "total_epsilon": Fraction(1)},
    )


@pytest.mark.parametrize("penalty", [0, -1, "0"])
@pytest.mark.parametrize(
    "cls",
    [
        dp.PersonalizedRidge,
        dp.literature.PersonalizedRidgePrinted,
        dp.literature.UniformRidge,
        dp.regressions.SampledRidge,
    ],
)
def test_without_a_penalty_noise_would_vanish(cls, penalty):
    """The published code returns the exact minimiser at lambda = 0: here it is refused."""
    with pytest.raises(dp.DPFrameError):
        dp.certify(cls(penalty=penalty), target=EACH, setting=setting())


# ------------------------------------------------------------------------------ what is refused


def weighted_gram(X, budget, before=lambda rows: rows, after=lambda rows: rows):
    """X'WX with everything else in the way."""
    rows = after(before(X).weighted(budget.epsilon / X.largest(budget.epsilon)))
    return rows.T @ rows


APPROX = dp.PersonalizedDP(dp.each("epsilon"), 1e-6)
ANALYTIC = dp.Gaussian.analytic
REFUSED = {
    "clip after weighing": lambda X, y, b: dp.release(
        weighted_gram(X, b, after=lambda rows: rows.clip(norm=1)), ANALYTIC, b
    ),
    "the trace of X'X of weighed rows": lambda X, y, b: dp.release(
        dp.trace(weighted_gram(X, b)), ANALYTIC, b
    ),
    "noise at the average": lambda X, y, b: dp.release(
        X.T @ X, dp.Gaussian(dp.analytic_sigma(X.average(b.epsilon), b.delta)), b
    ),
    "noise at the smallest formula of half the budget": lambda X, y, b: dp.release(
        weighted_gram(X, b), dp.Gaussian(X.smallest(dp.analytic_sigma(b.epsilon, b.delta))), b
    ),
    "a procedure": lambda X, y, b: dp.graph.perturbed_minimum(
        X.T @ X, X.T @ y, penalty=100, radius=1, share=b
    ),
    "weights that may be 0": lambda X, y, b: dp.release(
        X.weighted(dp.maximum(0, b.epsilon - 1)).T @ X.weighted(dp.maximum(0, b.epsilon - 1)),
        ANALYTIC,
        b,
    ),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_is_one_number_for_all_reads_no_record(body):
    """Refused with a reason, never certified."""
    with pytest.raises(dp.DPFrameError):
        dp.certify(declared(body), target=APPROX, setting=setting())


def test_private_budgets_are_refused_with_a_budget_vector():
    """Weights and noise publish them."""
    target = dp.PersonalizedDP({"a": 0.1, "b": 1}, public=False)
    with pytest.raises(dp.Uncertified) as refusal:
        dp.certify(dp.PersonalizedRidge(), target=target, setting=setting())
    assert "budget vectors" in str(refusal.value)
    assert "public=True" in str(refusal.value)


def test_several_rows_a_person_are_refused():
    """Their budgets would have to agree."""
    with pytest.raises(dp.Uncertified, match="one row each"):
        dp.certify(
            dp.regressions.PersonalizedSSP(), target=APPROX, setting=setting(rows_per_person=2)
        )


def test_a_declaration_of_each_record_needs_such_a_target():
    """A budget captured from elsewhere is none of the target's."""
    own = dp.each("epsilon")
    body = declared(lambda X, y, b: dp.release(X.T @ X, dp.Gaussian(10 / own), b))
    with pytest.raises(dp.Uncertified, match="PersonalizedDP"):
        dp.certify(body, target=dp.ApproxDP(1, 1e-6), setting=setting())
    narrow = dp.each("epsilon", upper=1)
    other = declared(lambda X, y, b: dp.release(X.T @ X, dp.Gaussian(10 / narrow), b))
    with pytest.raises(dp.DPFrameError):
        dp.certify(other, target=APPROX, setting=setting())
