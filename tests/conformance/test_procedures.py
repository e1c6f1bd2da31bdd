"""Every procedure is exported, has an entry in the rule book or none that proves it, and cites a
proof page; a forgotten step is noticed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dpframe as dp
from dpframe.graph import Procedure, procedures
from dpframe.graph.procedure import Objective, WithoutTheorem
from dpframe.identity import own
from dpframe.prover.procedures import WAYS_OUT
from dpframe.theory import KINDS as ENTRIES
from dpframe.theory import procedures as book
from tests.support import samples

DOCS = Path(dp.__file__).parents[1] / "docs"
KINDS = samples.final_subclasses(Procedure)
every = pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)


def test_there_are_procedures():
    """The walk finds them."""
    assert len(KINDS) >= 5


@pytest.mark.some(len(KINDS))
@every
def test_it_is_exported_and_has_an_entry_or_no_theorem(cls):
    """One of the two: the rule book's entry proves it, or nothing does, and it is literature's."""
    assert (cls.kind in ENTRIES) != issubclass(cls, WithoutTheorem)
    if issubclass(cls, WithoutTheorem):
        assert cls.__module__ == "dpframe.literature.without_theorem"
    else:
        assert getattr(procedures, cls.__name__) is cls
        assert cls.__name__ in procedures.__all__


@pytest.mark.some(len(KINDS))
@every
def test_its_kind_is_its_own(cls):
    """Certificates tell kinds apart by name."""
    assert [one.kind for one in KINDS].count(cls.kind) == 1


@pytest.mark.some(len(KINDS))
@every
def test_its_proof_page_is_there(cls):
    """Where it claims privacy: the docstring names a page, and the page exists."""
    named = re.search(r"[Pp]roof page: proofs/(\w+)", cls.__doc__ or "")
    assert named or "never certified" in cls.__doc__
    assert not named or (DOCS / "proofs" / f"{named[1]}.md").is_file()


def test_a_subclass_elsewhere_is_foreign():
    """It is believed only with trust, whatever theorem its base has."""
    assert not own(type("Mine", (procedures.PerturbedMinimum,), {}))


def test_every_hypothesis_of_a_theorem_has_a_way_out():
    """The sentences of the rule book that a person may meet, but for what execution chooses."""
    words = {one for name, one in vars(book).items() if name.isupper() and isinstance(one, str)}
    chosen = {book.LEAST, book.LARGEST, book.SKETCH}
    assert words | set(book.SIZES.values()) == set(WAYS_OUT) | chosen


@pytest.mark.parametrize("cls", samples.final_subclasses(Objective), ids=lambda cls: cls.__name__)
def test_every_objective_is_exported_and_sampled(cls):
    """As for statistics."""
    assert getattr(dp.graph, cls.__name__) is cls
    assert cls in samples.OBJECTIVES
