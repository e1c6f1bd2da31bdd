"""The test of the test: a verifier with a hole lets mutants survive, and they are named."""

from __future__ import annotations

import attrs
import pytest

import dpframe as dp
from dpframe.prover import basic, parallel, report, structure, total
from dpframe.prover.judge import Earned
from tests.mutating import Operator, Outcome, judged, mutant, mutants
from tests.mutating.examples import CellCounts

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
HERE = dp.Setting(X=dp.Rows(norm=2), y=dp.Column(bound=3), relation=dp.ADD_REMOVE)


def survivors(regression, target=TARGET):
    """Names of operators whose mutants survive."""
    found = mutants(regression, target=target, setting=HERE)
    assert all(one.name in str(found) for one in found.survivors)
    return {one.operator.name for one in found.survivors}


def test_a_profile_that_always_holds(monkeypatch):
    """Wrong sizes of noise survive."""

    def judged(problem, move):
        del problem
        return Earned(move.obligation("it is so"))

    monkeypatch.setattr(total, "judge", judged)
    found = survivors(dp.AdaSSP())
    assert {"nine tenths", "half", "root of 2", "mu", "B forgotten", "epsilon doubled"} <= found


def test_shares_that_are_never_added_up(monkeypatch):
    """Overspent budgets survive."""
    monkeypatch.setattr(report, "plan", lambda _: [])
    monkeypatch.setattr(report, "with_theorems", lambda attempt, _: attempt)
    found = survivors(dp.literature.AdaSSPPiazza())
    assert {"one share", "released twice", "whole epsilon", "one too few"} <= found


def test_shares_that_are_always_earned(monkeypatch):
    """Noise that is too small for its share survives."""

    def earned(problem, release):
        del problem
        word = dp.audits.Obligation(
            "share", release.label, "it is so", (), dp.audits.Verdict.PROVED
        )
        return Earned(word)

    monkeypatch.setattr(basic, "earns", earned)
    assert {"half of all", "nine tenths", "Laplace"} <= survivors(dp.literature.AdaSSPPiazza())


def test_a_structure_that_nobody_looks_at(monkeypatch):
    """Raw values survive."""
    monkeypatch.setattr(structure, "obligations", lambda _: [])
    found = survivors(dp.AdaSSP())
    assert {"raw argument", "raw labels", "raw output", "noise by n"} <= found


def test_sensitivities_that_are_never_asked_for(monkeypatch):
    """Unbounded rows are caught elsewhere too: the total has no joint move without bounds."""
    monkeypatch.setattr(report, "noise", lambda *_, **__: [])
    found = mutants(dp.SSP(), target=TARGET, setting=HERE)
    dropped = [one for one in found if one.operator.name == "clip dropped"]
    assert dropped
    assert {one.verdict for one in dropped} == {Outcome.REFUSED}


@pytest.mark.parametrize("judge", ["verify", "confirmed"])
def test_a_judge_that_raises(monkeypatch, judge):
    """An error of the verifier is no refusal, and none of spelling: every mutant survives."""

    def raises(*_):
        raise dp.InvalidArgument("x", "y", 1, "")

    if judge == "verify":
        monkeypatch.setattr(judged, "verify", raises)
    else:
        monkeypatch.setattr(judged.Certificate, "document", property(raises))
    found = mutants(dp.SSP(), target=TARGET, setting=HERE)
    kinds = {one.verdict for one in found}
    assert judge != "verify" or kinds <= {Outcome.SURVIVOR, Outcome.UNSPELLABLE}
    assert len(found.survivors) >= (40 if judge == "verify" else 8)
    assert all("raised InvalidArgument" in one.reason for one in found.survivors)
    assert not kinds & {Outcome.ACCEPTED, Outcome.EQUIVALENT}
    assert len({one.key for one in found}) == len(found)
    assert found.records()


def test_an_operator_that_raises(monkeypatch):
    """None of its edits is left out silently."""

    def changes(_):
        raise dp.InvalidArgument("x", "y", 1, "")
        yield

    broken = Operator("broken", "it raises", changes)
    monkeypatch.setattr(mutant, "BREAKING", (broken,))
    with pytest.raises(dp.InvalidArgument, match="x must be y"):
        mutants(dp.SSP(), target=TARGET, setting=HERE)


def test_one_cell_that_is_charged_for_two(monkeypatch):
    """Where a replaced record changes two cells."""
    here = attrs.evolve(HERE, relation=dp.REPLACE_ONE)
    found = mutants(CellCounts(), target=dp.PureDP(1), setting=here)
    assert not found.survivors
    monkeypatch.setattr(parallel, "changed", lambda _: 1)
    found = mutants(CellCounts(), target=dp.PureDP(1), setting=here)
    assert "one cell" in {one.operator.name for one in found.survivors}
