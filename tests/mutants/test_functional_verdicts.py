"""The functional mechanism's mutants are refused with a counterexample, its variants accepted."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.prover import Verdict
from tests.mutants.cases import ACCEPTED, CASES, REFUSED, UNSPELLABLE, Declared
from tests.mutants.functional_cases import FUNCTIONAL

MUTANTS = [case for case in FUNCTIONAL if case.expected == REFUSED]
VARIANTS = [case for case in FUNCTIONAL if case.expected == ACCEPTED]
SILENT = [case for case in FUNCTIONAL if case.expected == UNSPELLABLE]


def named(case):
    """The name of a case, for pytest."""
    return case.name


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_mutant_is_refused_with_what_mends_it(case):
    """Uncertified; each open obligation has a rule, facts and a way out, and names the node."""
    with pytest.raises(dp.Uncertified):
        dp.certify(Declared(case.name), target=case.target, setting=case.setting)
    opened = case.examine().open_obligations
    assert any(case.node in obligation.node for obligation in opened)
    assert all(o.rule and o.facts and o.repair for o in opened)


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_mutant_has_a_counterexample(case):
    """Some obligation is refuted, by numbers of the domain that break the claim evaluated anew."""
    report = case.examine()
    refuted = [o for o in report.open_obligations if o.verdict is Verdict.REFUTED]
    domains = {symbol.name: symbol.domain for symbol in report.problem.symbols}
    assert refuted
    for obligation in refuted:
        values = obligation.witness.values
        assert all(
            type(value) is Fraction and value in domains[name] for name, value in values.items()
        )
        assert case.broken is None or case.broken(values)


@pytest.mark.parametrize("case", VARIANTS, ids=named)
def test_a_variant_is_accepted(case):
    """Every obligation is proved."""
    report = case.examine()
    assert report.proved, [str(obligation) for obligation in report.open_obligations]


@pytest.mark.parametrize("case", SILENT, ids=named)
def test_what_cannot_be_spelled_is_an_error(case):
    """A deliberate error at the declaration."""
    with pytest.raises(dp.DPFrameError):
        case.examine()


def test_names_are_new():
    """No row hides another of this or of the main table."""
    names = [case.name for case in (*FUNCTIONAL, *CASES)]
    main = {case.name for case in CASES}
    ours = {case.name for case in FUNCTIONAL}
    assert len(ours) == len(FUNCTIONAL)
    assert len(set(names)) == len(names) or ours <= main  # merged into it
