"""Lets the tests here import what the suites share; all mutants of all regressions, judged once."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from dpframe.auditing.catalogue import everything, example  # noqa: E402
from dpframe.mutating import around, mended, together  # noqa: E402


@pytest.fixture(scope="session")
def everywhere():
    """The mutants of every regression, each edit in one of its settings."""
    return together([around(example(cls)) for cls in everything()])


@pytest.fixture(scope="session")
def repairs(everywhere):
    """Every refusal that offers a way out, with what came of taking it."""
    return [(one, mended(one.report)) for one in everywhere if one.offered]
