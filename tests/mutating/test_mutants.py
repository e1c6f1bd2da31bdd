"""One declaration's mutants: values that print, hash, are declared anew, and say why."""

from __future__ import annotations

import json
import pickle

import attrs
import pytest

import dpframe as dp
from dpframe.prover import basic, parallel, report, structure, total
from dpframe.prover.judge import Earned
from dpframe.regressions.solve import ridge_solve
from tests.mutating import (
    BREAKING,
    OPERATORS,
    Mutant,
    Operator,
    Outcome,
    around,
    bases,
    judged,
    mended,
    mutant,
    mutants,
    together,
)
from tests.mutating.bases import CellCounts
from tests.mutating.judged import key_of
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


def test_a_mutant_is_declared_anew(own):
    """From its fields alone, with the very graph that was judged."""
    for one in own:
        if one.verdict is not Outcome.UNSPELLABLE:
            again = Mutant(of=Own(), operator=one.mutant.operator, place=one.mutant.place)
            graph = again.graph(HERE, TARGET.budget)
            assert again == one.mutant
            assert hash(again) == hash(one.mutant)
            assert key_of(graph.hash, TARGET, HERE) == one.key


def test_a_mutant_is_judged_like_any_declaration(own):
    """dp.examine says the same, and dp.certify refuses."""
    one = one_of(own, "half", "gram")
    assert not dp.examine(one.mutant, target=TARGET, setting=HERE).proved
    with pytest.raises(dp.Uncertified, match="gram"):
        dp.certify(one.mutant, target=TARGET, setting=HERE)
    assert str(one.mutant) == "Own(penalty=3), edited: half (0)"
    assert str(one).startswith("refused: Own, half: gram: ")


@pytest.mark.slow
def test_keys_tell_targets_settings_and_graphs_apart(own):
    """No mutant is counted twice; another target makes another mutant."""
    keys = [one.key for one in own if one.report is not None]
    assert len(set(keys)) == len(keys)
    others = mutants(Own(), target=ONE, setting=HERE)
    assert not set(keys) & {one.key for one in others if one.report is not None}
    assert len(together([own, own])) == len(own)
    assert len(together([own, others])) == len(own) + len(others)


@pytest.mark.slow
def test_edits_without_words_are_counted_once(own):
    """They have no graph, and the same reason twice is one."""
    found = around(dp.literature.ObjPertPrinted())
    bare = found.of(Outcome.UNSPELLABLE)
    assert {one.graph for one in bare} <= {None}
    assert len(found.spelled) == len(found) - len(bare)
    assert len(together([found, found])) == len(found)
    assert not set(found.of(Outcome.SURVIVOR))
    del own


def test_names_and_post_processing_release_nothing_new(own):
    """What is done with releases is no other release; other noise, shares and targets are."""
    renamed, processed = one_of(own, "renamed"), one_of(own, "processed")
    assert renamed.key != processed.key
    assert renamed.essence == processed.essence
    others = [one_of(own, name) for name in ("half", "one share", "raw argument", "raw labels")]
    assert len({one.essence for one in (renamed, *others)}) == 5
    other = mutants(Own(), target=ONE, setting=HERE)
    assert one_of(other, "renamed").essence != renamed.essence


def test_raw_labels_leave(own):
    """The function that reads them has as many arguments as it is given."""
    post = one_of(own, "raw labels").graph.outputs[0]
    assert post.function(1, 2) == (1, 2)
    assert len(post.arguments) == 2


def test_shares_that_sum_to_one(own):
    """M05: 2 g and 1 - 2 g, refused by the sign of the last and not by their sum."""
    one = one_of(own, "rest")
    assert one.verdict is Outcome.REFUSED
    assert "positive" in str(one), one


def test_records_are_json(own):
    """Everything, as text and numbers."""
    records = json.loads(json.dumps(own.records()))
    assert len(records) == len(own)
    refused = [one for one in records if one["verdict"] == "refused"]
    assert all(one["node"] and one["rule"] and one["way_out"] for one in refused)


def test_what_is_not_certified_has_no_mutants():
    """Nothing to break; the way out is named."""
    with pytest.raises(dp.InvalidArgument, match="jointly"):
        mutants(dp.literature.SSPWangCoded(), target=ONE, setting=HERE)
    found = mutants(dp.literature.SSPWangCoded(), target=ONE, setting=HERE, calibrate="jointly")
    assert not found.survivors
    assert found.of(Outcome.REFUSED)
    assert not bases(dp.regressions.OLS())
    assert not len(around(dp.regressions.OLS()))


def test_turns_share_the_edits():
    """Each edit in one setting, in turn; in every setting there are four times as many."""
    turns, every = around(dp.SSP()), around(dp.SSP(), every=True)
    assert {one.key for one in turns if one.report} <= {one.key for one in every if one.report}
    assert 3 * len(turns) < len(every) <= 4 * len(turns)


@pytest.mark.parametrize(("name", "place"), [("no such operator", 0), ("half", 99), ("half", -1)])
def test_a_mutant_that_is_none(name, place):
    """An unknown operator, or a place where there is nothing."""
    with pytest.raises((dp.InvalidArgument, ValueError)):
        Mutant(of=Own(), operator=name, place=place).graph(HERE, TARGET.budget)


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


def test_edits_of_obligations_are_no_part_of_them(own):
    """Two obligations that say the same are equal, whatever a program may do about them."""
    found = one_of(own, "half", "gram").refusal
    bare = attrs.evolve(found, edit=None)
    assert bare == found
    assert hash(bare) == hash(found)
    assert str(bare) == str(found)
    assert "edit" not in repr(found)


def test_operators_have_names_and_say_what_they_do():
    """As a person reads them."""
    assert len(BREAKING) >= 40
    assert all(one.says and one.name for one in OPERATORS.values())
    assert len({one.says for one in OPERATORS.values()}) == len(OPERATORS)
    assert pickle.loads(pickle.dumps(Mutant(of=dp.SSP(), operator="half"))).operator == "half"


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
