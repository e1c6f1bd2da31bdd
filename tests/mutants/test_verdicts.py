"""Every mutant is refused with what a person needs to mend it; every variant is accepted."""

from __future__ import annotations

import inspect
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.prover import Verdict
from tests.mutants.cases import ACCEPTED, CASES, REFUSED, UNSPELLABLE, Declared
from tests.support.verdicts_page import EVERY, HEAD, PAGE, page

# Verdicts that are right but weaker than they should be: refused without a counterexample.
NO_COUNTEREXAMPLE = {
    "E21": "a pure target and Gaussian noise: no numbers are at fault",
    "C01b": "folds read several cells, and are charged as if every record were in all of them",
}
MUTANTS = [case for case in CASES if case.expected == REFUSED]
VARIANTS = [case for case in CASES if case.expected == ACCEPTED]
SILENT = [case for case in CASES if case.expected == UNSPELLABLE]


def named(case):
    """The name of a case, for pytest."""
    return case.name


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_mutant_is_refused(case):
    """No derivation proves a mutant."""
    assert not case.examine().proved


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_mutant_is_never_certified(case):
    """certify raises Uncertified and carries the open obligations in its text."""
    with pytest.raises(dp.Uncertified) as caught:
        dp.certify(
            Declared(case.name),
            target=case.target,
            setting=case.setting,
            accountant=case.accountant,
        )
    assert caught.value.obligations
    assert all(obligation.node in str(caught.value) for obligation in caught.value.obligations)


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_refusal_names_node_rule_facts_and_repair(case):
    """Each open obligation has a node, a rule, operand facts and a way out."""
    opened = case.examine().open_obligations
    assert opened
    assert any(case.node in obligation.node for obligation in opened)
    for obligation in opened:
        assert obligation.node
        assert obligation.rule
        assert obligation.facts
        assert obligation.repair


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_refusal_shows_a_counterexample(case):
    """Some obligation is refuted by a witness, which breaks the claim when evaluated anew."""
    if case.name in NO_COUNTEREXAMPLE:
        pytest.skip(NO_COUNTEREXAMPLE[case.name])
    opened = case.examine().open_obligations
    refuted = [o for o in opened if o.verdict is Verdict.REFUTED]
    assert refuted
    for obligation in refuted:
        assert obligation.witness is not None
        assert str(obligation.witness)
        assert all(type(value) is Fraction for value in obligation.witness.values.values())
        if case.broken is not None:
            assert case.broken(obligation.witness.values), obligation


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_witness_lies_in_the_declared_domain(case):
    """A counterexample outside the declared ranges would refute nothing."""
    report = case.examine()
    domains = {symbol.name: symbol.domain for symbol in report.problem.symbols}
    for obligation in report.open_obligations:
        for name, value in (obligation.witness.values if obligation.witness else {}).items():
            assert name in domains
            assert value in domains[name]


@pytest.mark.parametrize("case", VARIANTS, ids=named)
def test_a_variant_is_accepted(case):
    """A variant is proved, with every obligation of its derivation."""
    report = case.examine()
    assert report.proved, [str(obligation) for obligation in report.open_obligations]
    assert all(obligation.verdict is Verdict.PROVED for obligation in report.obligations)


@pytest.mark.parametrize("case", SILENT, ids=named)
def test_what_cannot_be_spelled_is_an_error(case):
    """The declaration raises a deliberate error, or Python's for an argument that is not there."""
    with pytest.raises((dp.DPFrameError, TypeError)):
        case.examine()


def test_gamma_of_one_third_is_adassp():
    """V01: Piazza's adaSSPbudget at gamma = 1/3 is his adaSSP, graph and noise."""
    setting = CASES[0].setting
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    same, other = (
        dp.literature.AdaSSPBudget(gamma=Fraction(1, 3)),
        dp.literature.AdaSSPBudget(gamma=Fraction(1, 4)),
    )
    comparison = dp.audits.identical(
        same, dp.literature.AdaSSPPiazza(), target=target, setting=setting
    )
    assert comparison.identical, comparison
    assert not dp.audits.identical(
        other, dp.literature.AdaSSPPiazza(), target=target, setting=setting
    ).identical


def test_the_generator_takes_no_seed_from_the_graph():
    """T17: neither a release nor a mechanism has a parameter that seeds its noise."""
    for function in (dp.release, dp.Gaussian, dp.Laplace, dp.post):
        assert not {"seed", "rng", "random_state"} & set(inspect.signature(function).parameters)


def test_names_are_unique():
    """No row of the table hides another."""
    assert len({case.name for case in EVERY}) == len(EVERY)


@pytest.mark.page
@pytest.mark.slow
def test_the_page_is_fresh():
    """docs/verdicts.md is what `python -m tests.support.verdicts_page` writes."""
    assert PAGE.read_text() == page(), "stale: run python -m tests.support.verdicts_page"


def test_the_head_explains_every_reason():
    """Each word of the column `decides` is explained above the table."""
    assert all(f"({case.decides})" in HEAD for case in EVERY)
