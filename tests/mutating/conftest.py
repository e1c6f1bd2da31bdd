"""All mutants of all regressions, judged once; and of a few, which is quick."""

import pytest

import dpframe as dp
from dpframe.literature.catalogue import everything, example
from tests.mutating import EXAMPLES, around, mended, together
from tests.mutating.mutation_page import breaking

FEW = (
    dp.SSP,
    dp.literature.AdaSSPPiazza,
    dp.regressions.NoisySGD,
    dp.regressions.SubAgg,
    dp.regressions.BoostedAdaSSP,
)
MANY = {"a few": 40, "all": 500}  # how many mutants are many


@pytest.fixture(scope="session", params=["a few", pytest.param("all", marks=pytest.mark.slow)])
def which(request):
    """Of which regressions."""
    return request.param


@pytest.fixture(scope="session")
def declared(which):
    """The regressions."""
    return FEW if which == "a few" else everything()


@pytest.fixture(scope="session")
def many(which):
    """How many mutants are many."""
    return MANY[which]


@pytest.fixture(scope="session")
def everywhere(declared):
    """The mutants of every regression, each edit in one of its settings."""
    return together([around(one) for one in (*map(example, declared), *EXAMPLES)])


@pytest.fixture(scope="session")
def sure(everywhere):
    """Every refused mutant that breaks its claim for certain, with why."""
    return breaking(everywhere)


@pytest.fixture(scope="session")
def repairs(everywhere):
    """Every refusal that offers a way out, with what came of taking it."""
    return [(one, mended(one.report)) for one in everywhere if one.offered]
