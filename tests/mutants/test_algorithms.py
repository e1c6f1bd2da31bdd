"""Posterior samples, perturbed objectives and loops: every mutant is refused in words."""

from __future__ import annotations

import pytest

from dpframe.prover import Verdict
from tests.mutants.algorithm_cases import ALGORITHMS
from tests.mutants.cases import ACCEPTED, REFUSED

# unproved, without a counterexample: later gradients may be short, and n is unbounded
NO_COUNTEREXAMPLE = {"M11s", "S32", "S34"}


@pytest.mark.parametrize("case", ALGORITHMS, ids=lambda case: case.name)
def test_verdict(case):
    """As the table says; a refusal names its node, rule, facts, way out, and a counterexample."""
    report = case.examine()
    assert report.proved is (case.expected == ACCEPTED)
    if case.expected != REFUSED:
        return
    opened = report.open_obligations
    assert any(case.node in one.node for one in opened)
    assert all(one.rule and one.facts and one.repair for one in opened)
    refuted = [one for one in opened if one.verdict is Verdict.REFUTED]
    assert bool(refuted) is (case.name not in NO_COUNTEREXAMPLE)
    assert all(str(one.witness) for one in refuted)
