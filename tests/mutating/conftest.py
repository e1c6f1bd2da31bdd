"""Lets the tests here import what the suites share; all mutants of all regressions, judged once."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from mutation_page import breaking  # noqa: E402

from dpframe.auditing.catalogue import everything, example  # noqa: E402
from dpframe.mutating import EXAMPLES, around, mended, together  # noqa: E402


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
