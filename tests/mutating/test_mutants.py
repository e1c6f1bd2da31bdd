"""One declaration's mutants: values that print, hash, are declared anew, and say why."""

from __future__ import annotations

import json

import attrs
import pytest

import dpframe as dp
from dpframe.prover import basic, parallel, report, structure, total
from dpframe.prover.judge import Earned
from dpframe.regressions.solve import ridge_solve
from tests.mutating import (
    Operator,
    Outcome,
    around,
    bases,
    judged,
    mended,
    mutant,
    mutants,
)
from tests.mutating.bases import CellCounts
from tests.support import checking as check

ONE = dp.ApproxDP(1, "1e-6")
TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
HERE = dp.Setting(X=dp.Rows(norm=2), y=dp.Column(bound=3), relation=dp.ADD_REMOVE)


class Own(dp.Regression):
    """A declaration that dpframe has never seen. [tests]"""

    penalty: dp.Expression = dp.constant(3)

    def declare(self, X, y, budget):
        """X'X by a theorem, the moment as stated."""
        first, second = budget.split("1/4", "3/4")
        small = X.clip(norm=1)
        gram = dp.release(small.T @ small, dp.Gaussian.analytic, first, name="gram")
        std = dp.analytic_sigma(*second.amounts) * y.radius
        moment = dp.release(small.T @ y, dp.Gaussian(std=std), second, name="moment")
        return dp.post(ridge_solve, gram, moment, self.penalty)


@pytest.fixture(scope="module")
def own():
    """Mutants of it."""
    return mutants(Own(), target=TARGET, setting=HERE)


def one_of(found, operator, place=""):
    """The first mutant by an operator, at a place."""
    return next(one for one in found if one.operator.name == operator and place in one.place)


def test_a_new_declaration_has_mutants_of_its_own(own):
    """The list is made of its graph: each release, each clip."""
    assert not own.survivors
    assert len(own.of(Outcome.REFUSED)) > 40
    assert len(own.of(Outcome.ACCEPTED)) > 8
    assert {one.place for one in own if one.operator.name == "half"} == {"gram", "moment"}
    clips = {one.place for one in own if one.operator.name == "clip dropped"}
    assert {"clip to norm 1", "clip to norm 2", "clip to [-3, 3]"} == clips


def test_a_clip_behind_another_may_go(own):
    """An equivalent mutant, found by proof: rows of norm 2 are clipped to 1 anyway."""
    assert one_of(own, "clip dropped", "norm 2").verdict is Outcome.EQUIVALENT
    assert one_of(own, "clip dropped", "norm 1").verdict is Outcome.REFUSED
    assert one_of(own, "bound doubled", "norm 2").verdict is Outcome.EQUIVALENT


def test_a_mutant_is_judged_like_any_declaration(own):
    """dp.examine says the same, and dp.certify refuses."""
    one = one_of(own, "half", "gram")
    assert not dp.examine(one.mutant, target=TARGET, setting=HERE).proved
    with pytest.raises(dp.Uncertified, match="gram"):
        dp.certify(one.mutant, target=TARGET, setting=HERE)
    assert str(one.mutant) == "Own(penalty=3), edited: half (0)"
    assert str(one).startswith("refused: Own, half: gram: ")


def test_shares_that_sum_to_one(own):
    """M05: 2 g and 1 - 2 g, refused by the sign of the last and not by their sum."""
    one = one_of(own, "rest")
    assert one.verdict is Outcome.REFUSED
    assert "positive" in str(one), one


def test_what_is_not_certified_has_no_mutants():
    """Nothing to break; the way out is named."""
    with pytest.raises(dp.InvalidArgument, match="jointly"):
        mutants(dp.literature.SSPWangCoded(), target=ONE, setting=HERE)
    found = mutants(dp.literature.SSPWangCoded(), target=ONE, setting=HERE, calibrate="jointly")
    assert not found.survivors
    assert found.of(Outcome.REFUSED)
    assert not bases(dp.regressions.OLS())
    assert not len(around(dp.regressions.OLS()))


def test_noise_cannot_be_reused_in_a_graph():
    """No field of a release names a draw, and a copy of a release is a draw of its own."""
    fields = {field.name for field in attrs.fields(dp.graph.Release)}
    assert fields == {"statistic", "stated", "share", "times", "name", "sampled"}
    one = dp.release(HERE.nodes()[0].T @ HERE.nodes()[0], dp.Gaussian(std=1))
    assert attrs.evolve(one) != one


def test_a_mutant_is_refused_by_the_checker_too(own):
    """A certificate that was forged for it: the numbers of its graph, the claim of the original."""
    certificate = dp.certify(Own(), target=TARGET, setting=HERE)
    document = json.loads(json.dumps(certificate.document))
    assert check.check(document).accepted
    tried = 0
    for one in own.of(Outcome.REFUSED):
        graph = one.report.problem.graph
        forged = {
            **document,
            "graph": {"nodes": list(graph.records), "output": graph.output_ids},
        }
        verdict = check.check(json.loads(json.dumps(forged)))
        assert not verdict.accepted, one
        tried += 1
    assert tried > 40


def test_repairs_know_nothing_of_the_edit(own):
    """They work from a report whose graph was built by hand."""

    class Raw(dp.Regression):
        """Reads X'y raw, and halves the noise. [tests]"""

        def declare(self, X, y, budget):
            std = dp.analytic_sigma(*budget.amounts) * X.radius**2 / 2
            gram = dp.release(X.T @ X, dp.Gaussian(std=std), budget)
            return dp.post(ridge_solve, gram, X.T @ y, dp.constant(1))

    report = dp.examine(Raw(), target=ONE, setting=HERE)
    found = mended(report)
    assert found.accepted, found.report.open_obligations
    assert found.done[0] == "release"
    assert len(found.report.problem.graph.releases) == 2
    del own


# ----------------------------------------------------------------------------- The test of the test
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
    assert "No survivors." not in str(found)


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
