"""Lets the tests here import what the suites share; all mutants of all regressions, judged once."""


import pytest

from dpframe.auditing.catalogue import everything, example
from dpframe.mutating import EXAMPLES, around, mended, together
from tests.mutating.mutation_page import breaking


@pytest.fixture(scope="session")
def everywhere():
    """The mutants of every regression, each edit in one of its settings."""
    return together([around(one) for one in (*map(example, everything()), *EXAMPLES)])


@pytest.fixture(scope="session")
def sure(everywhere):
    """Every refused mutant that breaks its claim for certain, with why."""
    return breaking(everywhere)


@pytest.fixture(scope="session")
def repairs(everywhere):
    """Every refusal that offers a way out, with what came of taking it."""
    return [(one, mended(one.report)) for one in everywhere if one.offered]
