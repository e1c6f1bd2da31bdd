"""Rule E1, the exact profile and the region of a proof, against mpmath's profile."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.prover.algebra import Field
from dpframe.prover.judge import Assuming, ProfileClaim, holds, refute, region_of
from dpframe.theory.gaussian import tail_of
from tests.support.oracles import delta_of, value
from tests.support.samples import RELATIONS, setting

EPSILON, DELTA = dp.EPSILON, dp.DELTA
TARGET = dp.ApproxDP(EPSILON, DELTA)
GAMMA = dp.parameter("gamma", 0, 1)

# moves m_i = R epsilon^2/log(q/delta) of independent releases, as formulas
FAMILIES = {
    "one": ["epsilon^2/(2*log(2/delta))"],
    "Wang's adaSSP": ["epsilon^2/(9*log(6/delta))"] * 3,
    "Piazza's SSP": ["epsilon^2/(8*log(4/delta))"] * 2,
    "thesis": ["epsilon^2/(18*log(3.75/delta))"] * 3,
    "unequal": ["epsilon^2/(4*log(3/delta))", "epsilon^2/(16*log(8/delta))"],
    "budget": [
        "gamma^2*epsilon^2/(2*log(2/(gamma*delta)))",
        "(1-gamma)^2*epsilon^2/(8*log(4/((1-gamma)*delta)))",
        "(1-gamma)^2*epsilon^2/(8*log(4/((1-gamma)*delta)))",
    ],
}


def region(moves, symbols):
    """Where E1 proves that independent releases are (epsilon, delta)-DP together."""
    field = Field(symbols.values())
    squares = [("rest", field.formula(move)) for move in moves]
    epsilon, delta = field.formula(EPSILON), field.formula(DELTA)
    found = region_of(tail_of(Assuming(field), epsilon, delta, squares), EPSILON, DELTA)
    return None if found is None else found[2]


@pytest.mark.parametrize("name", FAMILIES)
def test_e1_holds_in_its_region(name):
    """At 60 random points on and inside the claimed region the exact delta is at most delta."""
    symbols = {"epsilon": EPSILON, "delta": DELTA, "gamma": GAMMA}
    moves = [dp.graph.parse(text, symbols) for text in FAMILIES[name]]
    where = region(moves, symbols)
    assert where is not None
    rng = np.random.default_rng(1)
    for _ in range(60):
        at = {"delta": 10.0 ** -rng.uniform(0.001, 12), "gamma": rng.uniform(0.01, 0.99)}
        most = float(value(where.right, at))
        at["epsilon"] = most * rng.choice([1.0, rng.uniform(0.01, 1)])
        with mpmath.workdps(50):
            mu = mpmath.sqrt(sum(value(move, at) for move in moves))
        assert delta_of(at["epsilon"], mu) <= at["delta"]


@pytest.mark.parametrize(
    "moves",
    [
        ["epsilon^2/log(2/delta)"],  # S = 1: too little noise
        ["epsilon^2/(2*log(1.25/delta))"],  # a^(1/S) < 4
        ["epsilon^2/(2*log(1/delta))"],
        ["epsilon^2/(3*log(2/delta))"] * 2,
        ["epsilon/(2*log(2/delta))"],
        ["epsilon^2/2"],
    ],
)
def test_e1_does_not_apply_outside_its_hypotheses(moves):
    """Too little noise, another shape: no claim."""
    symbols = {"epsilon": EPSILON, "delta": DELTA}
    formulas = [dp.graph.parse(text, symbols) for text in moves]
    assert region(formulas, symbols) is None


@pytest.mark.parametrize("epsilon", ["1/10", "1", "5", "20"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12"])
def test_the_profile_decides_to_nine_digits(epsilon, delta):
    """A mu just below the allowed one is proved, one just above is refuted."""
    with mpmath.workdps(50):
        allowed = 1 / value(dp.analytic_sigma(epsilon, delta), {})
        square = Fraction(int(allowed**2 * 10**30), 10**30)
    for factor, proved in ((1 - Fraction(1, 10**9), True), (1 + Fraction(1, 10**9), False)):
        move = dp.constant(square * factor)
        claim = ProfileClaim(dp.constant(epsilon), dp.constant(delta), move, move)
        assert holds(claim, {}) is proved
        assert (refute(claim) is None) is proved


REGIONS = [
    (cls, relation)
    for cls in (
        dp.literature.SSPPiazza,
        dp.literature.SSPWang,
        dp.literature.AdaSSPWang,
        dp.literature.AdaSSPPiazza,
        dp.literature.AdaSSPThesis,
        dp.literature.AdaSSPBudget,
        dp.literature.ConstSSPFullPiazza,
        dp.AdaSSP,
        dp.regressions.AdaSSPBudgetTight,
    )
    for relation in RELATIONS
]


@pytest.mark.parametrize(("cls", "relation"), REGIONS, ids=str)
def test_what_is_certified_is_private(cls, relation):
    """Where `at` lets numbers through, the exact joint profile of all releases is inside."""
    table = setting(relation, norm=2, bound="1/2")
    report = dp.examine(cls(), target=TARGET, setting=table)
    if not report.proved:
        return
    proof = dp.certify(cls(), target=TARGET, setting=table)
    rng = np.random.default_rng(2)
    passed = 0
    for _ in range(12):
        at = {"epsilon": float(rng.uniform(0.05, 12)), "delta": float(10 ** -rng.uniform(1, 12))}
        if "gamma" in proof.symbols:
            at["gamma"] = float(rng.uniform(0.01, 0.99))
        try:
            run = proof.at(**at)
        except dp.InvalidArgument:
            continue
        passed += 1
        releases = run.graph.releases
        exact = {name: Fraction(repr(number)) for name, number in at.items()}
        m = {r.statistic.kind: 1 / value(r.mechanism.formula, exact) ** 2 for r in releases}
        m = {kind: m[kind] * s**2 for kind, s in SIZES.items() if kind in m}
        mu = mpmath.sqrt(worst_case(m, relation))
        assert delta_of(exact["epsilon"], mu) <= exact["delta"] * (1 + 1e-9)
    assert passed


SIZES = {"gram": 4, "moment": 1, "lambda_min": 4}  # |x| <= 2, |y| <= 1/2


def worst_case(m, relation):
    """The joint squared mu over one pair: add/remove exactly, replace-one over a fine grid."""
    if relation is dp.ADD_REMOVE:
        return sum(m.values())
    cosines = np.linspace(-1, 1, 401)
    gram, moment, floor = (float(m.get(kind, 0)) for kind in SIZES)
    return max(2 * gram * (1 - cosines**2) + floor * (1 - cosines**2) + 2 * moment * (1 + cosines))


def test_numbers_outside_the_region_are_refused_with_a_way_out():
    """Piazza's SSP is proved symbolically up to 8 log 2; beyond, certify at the numbers."""
    proof = dp.certify(dp.literature.SSPPiazza(), target=TARGET, setting=setting())
    proof.at(epsilon="5.5")
    with pytest.raises(dp.InvalidArgument, match=r"region.*Certify at these numbers"):
        proof.at(epsilon="5.6")
    dp.certify(dp.literature.SSPPiazza(), target=dp.ApproxDP("5.6", "1e-6"), setting=setting())
