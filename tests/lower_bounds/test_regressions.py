"""Every certified regression: its noise passes, noise x0.7 in its samplers is flagged."""

from __future__ import annotations

import pytest

import dpframe as dp
from dpframe.audits.lower_bounds.of_certificates import strength
from dpframe.audits.lower_bounds.two_tables import TwoTables
from dpframe.prover.composed import joint_gaussian
from dpframe.randomness import Randomness
from tests.lower_bounds import attacked_cases as cases
from tests.lower_bounds.attacked_cases import regression_attack

pytestmark = pytest.mark.some(2)
CERTIFIED = [
    pytest.param(cls, relation, id=f"{cls.__name__}-{relation}")
    for cls, relation in cases.certified()
]
every = pytest.mark.parametrize(("cls", "relation"), CERTIFIED)


@every
def test_the_true_noise_passes_and_too_little_is_flagged(cls, relation):
    """Nothing is flagged, and every release and procedure was attacked. On the same pair too little
    noise is; the fault is in the samplers, which the proof cannot see. Where all noise is Gaussian,
    the pair's exact mu is at most the certificate's, but for 1e-9.
    """
    found = regression_attack(cls, relation)
    assert not found.flagged, str(found)
    assert found.passed_over == ()
    assert all(one.found <= one.allowed for one in found.findings)
    less = regression_attack(cls, relation, "0.7")
    assert less.flagged, str(less)
    proof = cases.proof_of(cls, relation)
    joint = joint_gaussian(proof)
    if joint is not None and all(one.sampled is None for one in proof.graph.releases):
        both = TwoTables.of(proof, found.pair, Randomness.of(0))
        assert strength(both) <= float(joint.mu.value) ** 2 * (1 + 1e-9)


@pytest.mark.parametrize(
    "cls",
    [
        dp.SSP,
        dp.AdaSSP,
        dp.literature.AdaSSPWangCoded,
        dp.regressions.ConstSSPFull,
        dp.literature.AdaSSPPiazza,
    ],
)
@pytest.mark.parametrize("relation", cases.samples.RELATIONS, ids=str)
def test_the_search_attains_what_is_attained(cls, relation):
    """Where the joint move is attained, the search comes within two parts in a hundred of it."""
    proof = cases.proof_of(cls, relation)
    both = TwoTables.of(proof, regression_attack(cls, relation).pair, Randomness.of(0))
    assert strength(both) >= 0.98 * float(joint_gaussian(proof).mu.value) ** 2
