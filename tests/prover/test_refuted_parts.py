"""A part of the releases costs at most the whole: a description that is refuted stays refuted
whatever is released besides, and a lower end of the cost above the claim refutes it.
"""

import itertools

import pytest

import dpframe as dp
from dpframe.audits import parse_description
from dpframe.audits.findings.accountants import cost
from dpframe.prover import Verdict

CLAIMS = {
    "approx": "epsilon = 1\ndelta = 1e-6",
    "pure": "epsilon = 1",
    "zcdp": "rho = 0.05",
    "gaussian": "mu = 0.3",
    "renyi": "order = 4\nepsilon = 0.5",
}
COUNT, SCORES = '"n"', '"bin_counts(y, -1, 0, 1)"'
NOISE = {  # statistic, mechanism, its size
    "gaussian": ('"X\'X"', "gaussian", 'std = "4.2"'),
    "many gaussians": ('"X\'y"', "gaussian", 'std = "10"\ntimes = "20"'),
    "loud laplace": (COUNT, "laplace", 'scale = "4"'),
    "laplace": ('"y\'y"', "laplace", 'scale = "0.9"'),
    "l2 laplace": ('"X\'y"', "l2 laplace", 'scale = "9"'),
    "discrete gaussian": (COUNT, "discrete gaussian", 'std = "1"'),
    "discrete laplace": (COUNT, "discrete laplace", 'scale = "0.5"'),
    "response": (SCORES, "exponential selection", 'scale = "0.5"'),
    "loud response": (SCORES, "exponential selection", 'scale = "10"'),
    "sampled": ('"X\'X"', "gaussian", 'std = "0.5"\nsampled = "0.01"'),
    "sampled laplace": (COUNT, "laplace", 'scale = "0.1"\nsampled = "0.5"'),
    "calibrated": ('"X\'y"', "gaussian", 'calibration = "analytic"\nshare = "epsilon, delta"'),
    "shared laplace": (COUNT, "laplace", 'scale = "4"\nshare = "epsilon/4, 0"'),
    "unknown": ('"X\'(y / max_abs(y))"', "laplace", 'scale = "1"'),
}
OF_APPROX = {"calibrated", "shared laplace"}
COSTLY = {"sampled"}  # seconds beside other noise


def audited(names, claim, relation):
    """The audit of a description of these releases."""
    text = f'title = "t"\nrelation = "{relation}"\n[claim]\n{CLAIMS[claim]}\n'
    text += "[rows]\nnorm = 1\n[labels]\nbound = 1\n"
    for k, name in enumerate(names):
        statistic, mechanism, size = NOISE[name]
        text += f'[[release]]\nname = "r{k}"\nstatistic = {statistic}\n'
        text += f'mechanism = "{mechanism}"\n{size}\n'
    found = parse_description(text)
    return dp.audit(found.regression, target=found.target, setting=found.setting)


def fits(names, claim):
    """Whether these releases have shares in the currency of the claim, and are composed at once."""
    return not {*names} & (COSTLY if claim == "approx" else OF_APPROX)


BASES = [(one,) for one in NOISE if one not in COSTLY] + [
    ("calibrated", "calibrated"),
    ("gaussian", "many gaussians"),
]
CASES = [
    (base, claim, relation)
    for base, claim, relation in itertools.product(BASES, CLAIMS, ("add-remove", "replace-one"))
    if fits(base, claim)
]


@pytest.mark.some(4, most=40)
@pytest.mark.parametrize(("base", "claim", "relation"), CASES)
def test_a_refuted_description_stays_refuted(base, claim, relation):
    """Neither another release nor other noise makes it proved or unproved."""
    before = audited(base, claim, relation).verdict
    for more in NOISE:
        if not fits((more,), claim):
            continue
        audit = audited((*base, more), claim, relation)
        assert before is not Verdict.REFUTED or audit.verdict is Verdict.REFUTED, more
        known = cost(audit) if "epsilon" in audit.target.currency else None
        refuting = known is not None and known.lower > known.claimed
        assert not refuting or audit.verdict is Verdict.REFUTED, more


@pytest.mark.parametrize(
    "more", ["shared laplace", pytest.param("sampled", marks=pytest.mark.slow)]
)
def test_two_full_shares_and_a_third_release_are_refuted(more):
    """The shares exceed the budget, and so does the cost of the Gaussian releases."""
    names = ("calibrated", "calibrated", "shared laplace", more)
    audit = audited(names, "approx", "add-remove")
    assert audit.verdict is Verdict.REFUTED
    known = cost(audit)
    assert known is not None
    assert known.lower > 1
    assert audit.sentence.startswith('"t" does not satisfy')
