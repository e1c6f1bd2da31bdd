"""The mutants of a few regressions, of all, and a tenth of the latter, each judged once."""

import pytest

import dpframe as dp
from dpframe.literature.catalogue import example
from dpframe.literature.every import everything
from tests.mutating import EXAMPLES, around, mended, together
from tests.mutating.certain import breaking

FEW = (
    dp.SSP,
    dp.literature.AdaSSPPiazza,
    dp.regressions.NoisySGD,
    dp.regressions.SubAgg,
    dp.regressions.BoostedAdaSSP,
)
MANY = {"a few": 40, "a tenth": 50, "all": 500}  # how many mutants are many
TENTH = 10
WHICH = [
    "a few",
    pytest.param("a tenth", marks=pytest.mark.slow),
    pytest.param("all", marks=pytest.mark.exhaustive),
]


@pytest.fixture(scope="session", params=WHICH)
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
def everywhere(declared, which):
    """The mutants of every regression, each edit in one of its settings."""
    step = TENTH if which == "a tenth" else 1
    listed = enumerate((*map(example, declared), *EXAMPLES))
    return together([around(one, part=slice(i % step, None, step)) for i, one in listed])


@pytest.fixture(scope="session")
def sure(everywhere):
    """Every refused mutant that breaks its claim for certain, with why."""
    return breaking(everywhere)


@pytest.fixture(scope="session")
def repairs(everywhere):
    """Every refusal that offers a way out, with what came of taking it."""
    return [(one, mended(one.report)) for one in everywhere if one.offered]
