"""Budgets of each record: every mutant is refused in words, every variant is accepted."""

from __future__ import annotations

import pytest

import dpframe as dp
from dpframe.prover import Verdict
from tests.mutants.cases import ACCEPTED, REFUSED, UNSPELLABLE, Declared
from tests.mutants.personalized_cases import PERSONALIZED

MUTANTS, VARIANTS, SILENT = (
    [case for case in PERSONALIZED if case.expected == kind]
    for kind in (REFUSED, ACCEPTED, UNSPELLABLE)
)
# refused with a counterexample: the others need noise of the 2-norm judged, which has none
SHOWN = {"P01", "P01n", "P01w", "P02", "P05", "P09", "P10", "P13", "P16", "P19", "P20", "P23"}


def named(case):
    """The name of a case, for pytest."""
    return case.name


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_a_mutant_is_refused(case):
    """Uncertified; each open obligation has a rule and a way out, and one names the node."""
    opened = case.examine().open_obligations
    assert opened
    assert any(case.node in one.node for one in opened)
    assert all(one.rule and one.repair for one in opened)
    refuted = [one for one in opened if one.verdict is Verdict.REFUTED]
    assert all(str(one.witness) for one in refuted)
    assert refuted or case.name not in SHOWN
    with pytest.raises(dp.Uncertified):
        dp.certify(Declared(case.name), target=case.target, setting=case.setting)


@pytest.mark.parametrize("case", MUTANTS, ids=named)
def test_no_accountant_certifies_a_mutant(case):
    """Not at numbers of the groups either."""
    for accountant in ("basic", "gaussian", "zcdp", "numeric"):
        try:
            report = dp.examine(
                Declared(case.name),
                target=case.target,
                setting=case.setting,
                accountant=accountant,
            )
        except dp.DPFrameError:
            continue
        assert not report.proved


@pytest.mark.parametrize("case", VARIANTS, ids=named)
def test_a_variant_is_accepted(case):
    """Every obligation is proved."""
    report = case.examine()
    assert report.proved, [str(one) for one in report.open_obligations]
    assert all(one.verdict is Verdict.PROVED for one in report.obligations)


@pytest.mark.parametrize("case", SILENT, ids=named)
def test_what_cannot_be_spelled_is_an_error(case):
    """A deliberate error at the declaration."""
    with pytest.raises(dp.DPFrameError):
        case.examine()


def test_the_catalogue_is_there():
    """P01 to P05 and V35."""
    assert {"P01", "P02", "P03", "P04", "P05", "V35"} <= {case.name for case in PERSONALIZED}
