"""Verdicts at numbers against the exact joint cost, at 50 digits and by no code of the prover."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.mutating import Outcome
from tests.mutating.exact_costs import SLACK, costs


@pytest.fixture(scope="session")
def exact(everywhere):
    """The list of them."""
    return list(costs(everywhere))


def test_there_are_many(exact, many):
    """Enough of each verdict to say something."""
    counts = Counter(one.verdict for one, _ in exact)
    assert counts[Outcome.REFUSED] >= many / 5
    assert counts[Outcome.ACCEPTED] >= many / 20
    assert counts[Outcome.EQUIVALENT] >= many / 100


def test_what_is_accepted_costs_no_more_than_is_claimed(exact):
    """The worst bug: a wrong `proved`."""
    for one, excess in exact:
        if one.verdict in {Outcome.ACCEPTED, Outcome.EQUIVALENT}:
            assert excess <= SLACK, one


def test_what_is_refuted_in_total_costs_more(exact, many):
    """A counterexample at numbers is one."""
    refuted = [
        (one, excess)
        for one, excess in exact
        if one.verdict is Outcome.REFUSED
        and any(o.kind == "total" and o.witness is not None for o in one.report.open_obligations)
    ]
    assert len(refuted) >= many / 10
    for one, excess in refuted:
        assert excess > SLACK, one


def test_refusals_of_private_mutants_are_few(exact):
    """Of mutants that cost no more than is claimed, those that are refused break a promise about
    shares, or about where values come from.
    """
    private = [one for one, excess in exact if excess <= SLACK]
    refused = [one for one in private if one.verdict is Outcome.REFUSED]
    kinds = {"plan", "share", "structure", "draws", "noise"}
    for one in refused:
        assert {o.kind for o in one.report.open_obligations} & kinds, one
