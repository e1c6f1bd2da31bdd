"""Every procedure is exported, has a rule, and cites a proof page; a forgotten step is noticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dpframe as dp
from dpframe.graph import Procedure, objectives, procedures
from dpframe.graph.objectives import Objective
from dpframe.prover.rules import RULES
from tests.support import samples

DOCS = Path(dp.__file__).parents[1] / "docs"
KINDS = samples.final_subclasses(Procedure)
every = pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)


def test_there_are_procedures():
    """The walk finds them."""
    assert len(KINDS) >= 5


@every
def test_it_is_exported_and_has_a_rule(cls):
    """A rule of its own: none is inherited."""
    assert getattr(procedures, cls.__name__) is cls
    assert cls.__name__ in procedures.__all__
    assert cls in RULES


@every
def test_its_kind_is_its_own(cls):
    """Certificates tell kinds apart by name."""
    assert [one.kind for one in KINDS].count(cls.kind) == 1


@every
def test_its_proof_page_is_there(cls):
    """Where it claims privacy: the docstring names a page, and the page exists."""
    named = re.search(r"[Pp]roof page: proofs/(\w+)", cls.__doc__ or "")
    assert named or "never certified" in cls.__doc__
    assert not named or (DOCS / "proofs" / f"{named[1]}.md").is_file()


def test_every_rule_is_of_a_procedure_that_exists():
    """No rule outlives its kind."""
    assert set(RULES) == set(KINDS)


def test_a_procedure_without_a_rule_is_foreign():
    """A subclass elsewhere is believed only with trust, whatever rules there are."""
    mine = type("Mine", (procedures.PerturbedMinimum,), {})
    assert mine not in RULES


@pytest.mark.parametrize("cls", samples.final_subclasses(Objective), ids=lambda cls: cls.__name__)
def test_every_objective_is_exported_and_sampled(cls):
    """As for statistics."""
    assert cls.__name__ in objectives.__all__
    assert cls in samples.OBJECTIVES
