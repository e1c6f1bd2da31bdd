"""Every known mistake in every regression: verdicts, brute force, the command."""

from collections import Counter
from itertools import product

import pytest

from docs.generate.pages.mutation import PAGE, TEXT, page
from dpframe.literature import UniformRidge
from dpframe.literature.catalogue import example
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE, GaussianDP
from dpframe.prover import Verdict, total
from dpframe.prover.judge import Earned
from dpframe.symbols import Number
from tests.mutating import BENIGN, BREAKING, Outcome, bases
from tests.mutating.__main__ import main
from tests.mutating.certain import adaptive, broken, certain

# ---------------------------------------------------- Every known mistake, made in every regression
all_of_them = pytest.mark.parametrize(
    "which", [pytest.param("all", marks=pytest.mark.exhaustive)], indirect=True
)


def numeric(judged):
    """Whether its target is in numbers."""
    return isinstance(judged.target.amounts[0], Number)


def test_nothing_survives(everywhere):
    """What is accepted is private still, by the checker; survivors are printed by name."""
    assert not everywhere.survivors, "\n".join(map(str, everywhere.survivors))


def test_enough_mutants_are_refused(everywhere, many):
    """Under both relations, for symbols and numbers; each distinct."""
    refused = everywhere.of(Outcome.REFUSED)
    assert len({one.key for one in refused}) == len(refused) >= many
    found = Counter((one.setting.relation, numeric(one)) for one in refused)
    kinds = product((ADD_REMOVE, REPLACE_ONE), (False, True))
    assert all(found[kind] >= many / 4 for kind in kinds), found


def test_enough_of_them_break_for_certain(sure, many):
    """Raw data, or two neighbours that cost more than is claimed, by no code of the verifier; also
    of different releases, whatever is done with them afterwards.
    """
    assert len({one.key for one, _ in sure}) == len(sure) >= many
    assert len({one.essence for one, _ in sure}) >= many
    why = Counter(reason for _, reason in sure)
    assert why["raw"] >= many / 5
    assert why["noise"] >= many / 5
    assert why["cost"] >= many / 2
    found = Counter((one.setting.relation, numeric(one)) for one, _ in sure)
    assert all(
        found[kind] >= many / 4 for kind in product((ADD_REMOVE, REPLACE_ONE), (False, True))
    )


def test_what_is_accepted_does_not_break_for_certain(everywhere):
    """The same code finds nothing in what the verifier accepts: the worst bug is a wrong proof."""
    accepted = [*everywhere.of(Outcome.EQUIVALENT), *everywhere.of(Outcome.ACCEPTED)]
    assert [one.name for one in accepted if certain(one)] == []
    assert sum(broken(one) is False for one in accepted) > len(accepted) / 2


def test_harmless_edits_are_accepted(everywhere, many):
    """A hundred and more; of those that the prover cannot show there are few."""
    accepted = everywhere.of(Outcome.ACCEPTED)
    assert len({one.key for one in accepted}) == len(accepted) >= many / 5
    assert len(everywhere.overcautious) <= 0.03 * len(accepted), everywhere.overcautious


def test_a_refusal_says_where_why_and_with_what(everywhere):
    """Node, rule, facts or witness, and a way out; a refuted one has a witness."""
    for one in everywhere.of(Outcome.REFUSED):
        found = one.refusal
        assert found.node, one
        assert found.rule, one
        assert found.facts or found.witness is not None, one
        assert found.repair, one
        assert found.verdict is not Verdict.REFUTED or str(found.witness), one


def test_most_refusals_show_a_counterexample(everywhere):
    """Numbers, or two neighbours, rather than a proof that was not found: of two thirds. Which
    tenth is drawn moves the share by 2 to 3 hundredths.
    """
    refused = everywhere.of(Outcome.REFUSED)
    assert sum(one.witnessed for one in refused) >= 2 / 3 * len(refused)


def test_ways_out_lead_out(repairs, which):
    """At least 80% of refusals that offer one are accepted after it was taken; of nearly each
    operator some, where all its edits are tried. (Bounds of AdaOPS need another statistic.)
    """
    accepted = sum(found.accepted for _, found in repairs)
    assert accepted >= 0.8 * len(repairs)
    mended = Counter(one.operator.name for one, found in repairs if found.accepted)
    never = {one.operator.name for one, _ in repairs} - set(mended)
    assert which == "a tenth" or never <= {"raw floor", "other end", "no bound"}, never


def test_what_was_mended_is_another_graph(repairs):
    """Accepted for the same target, setting and relation, with all that it releases still there."""
    for one, found in repairs:
        if found.accepted:
            problem = found.report.problem
            assert (problem.target, problem.setting) == (one.target, one.setting)
            assert problem.graph.charged
            assert problem.graph != one.report.problem.graph or found.done[0] == "table"


@all_of_them
def test_every_operator_finds_work(everywhere):
    """No line of the tables is dead: each makes an edit that a graph has words for."""
    ends = {one.operator.name for one in everywhere if one.verdict is not Outcome.UNSPELLABLE}
    assert {one.name for one in (*BREAKING, *BENIGN)} == ends


def test_noise_of_the_other_relation_is_smaller(everywhere):
    """`other table` makes no edit where it would only add noise."""
    found = {one.setting.relation for one in everywhere if one.operator.name == "other table"}
    assert found == {REPLACE_ONE}


def test_what_reads_the_data_is_never_accepted(everywhere):
    """Whoever would confirm it."""
    raw = [one for one in everywhere if one.operator.never]
    assert raw
    assert {one.verdict for one in raw} <= {Outcome.REFUSED, Outcome.UNSPELLABLE}


def test_every_regression_that_releases_is_edited(declared, everywhere):
    """Or is certified nowhere, as declared or with its noise scaled; or is another, under one
    budget for all.
    """
    edited = {type(getattr(one.mutant.of, "of", one.mutant.of)) for one in everywhere}
    edited |= {type(one.mutant.of) for one in everywhere}
    for cls in declared:
        assert cls in edited or cls is UniformRidge or not bases(example(cls)), cls


def test_the_page_has_every_operator():
    """A row for each; what is above the figures is fresh."""
    text = PAGE.read_text()
    assert text.startswith(TEXT)
    assert [one.name for one in (*BREAKING, *BENIGN) if f"\n| {one.name} | " not in text] == []


@pytest.mark.page
@all_of_them
def test_the_page_is_fresh(everywhere, repairs, sure):
    """docs/mutation.md is what `python -m docs.generate.pages.mutation` writes."""
    assert PAGE.read_text() == page(everywhere, repairs, sure), (
        "run python -m docs.generate.pages.mutation"
    )


# ------------------------------------------------------------- Verdicts at numbers, and brute force
def at_numbers(everywhere):
    """Of one record more or less, where brute force finds the worst pair."""
    return [one for one in everywhere if numeric(one) and one.setting.relation is ADD_REMOVE]


def test_what_is_refuted_in_total_costs_more(everywhere, many):
    """A counterexample at numbers is one."""
    refuted = [
        one
        for one in at_numbers(everywhere.of(Outcome.REFUSED))
        if any(o.kind == "total" and o.witness is not None for o in one.report.open_obligations)
    ]
    assert [one.name for one in refuted if broken(one) is False] == []
    assert sum(bool(broken(one)) for one in refuted) >= many / 10


def test_refusals_of_private_mutants_are_few(everywhere):
    """Of Gaussian noise that costs no more than is claimed on the pairs tried, nearly all that are
    refused break a promise about shares, bounds, or where values come from.
    """
    kinds = {"plan", "share", "structure", "draws", "noise", "sensitivity"}
    private = [
        one
        for one in at_numbers(everywhere.of(Outcome.REFUSED))
        if {charged.gives for charged in one.graph.charged} == {GaussianDP}
        and not adaptive(one.graph)  # brute force tries one value of what was released
        and broken(one) is False
    ]
    cautious = [one for one in private if not kinds & {o.kind for o in one.report.open_obligations}]
    assert private
    assert len(cautious) <= 0.03 * len(private), cautious


# ------------------------------------------------------------------------- python -m tests.mutating
def test_a_regression_by_name(capsys):
    """Exit status 0, a table, the sums."""
    assert main(["SSP", "--set", "ridge=2", "--list", "--repairs"]) == 0
    output = capsys.readouterr().out
    assert "No survivors." in output
    assert "refused: SSP, half: gram: all releases together:" in output
    assert "refusals offer a way out" in output


def test_survivors_are_named(capsys, monkeypatch):
    """Exit status 1."""
    monkeypatch.setattr(total, "judge", lambda _, move: Earned(move.obligation("so")))
    assert main(["AdaSSP"]) == 1
    assert "survivor: AdaSSP, half: " in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["SSP", "--all"], ["OLS"], ["NoSuchRegression"]])
def test_bad_arguments(words):
    """Exit status 2, with a sentence."""
    with pytest.raises(SystemExit, match="2"):
        main(words)
