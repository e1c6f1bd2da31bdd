"""OpenDP keeps a bound after the column that it bounded has been redefined."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)


def clipped_first(X):
    """The map comes after the clip: rows of norm 100."""
    return X.clip(norm=1).scaled("1/100")


def clipped_last(X):
    """The clip comes last."""
    return X.scaled("1/100").clip(norm=1)


def sums(X, _, budget, *, rows):
    """Unit noise, for sums that one record moves by at most 1."""
    noise = dp.Gaussian(std=1)
    return dp.release(dp.total(rows(X)), noise, budget.split(1)[0], name="sums")


def put(rows):
    """rho = 1/2 is what noise of std 1 costs at sensitivity 1."""
    target = dp.ZeroConcentratedDP("1/2")
    return certified(partial(sums, rows=rows), target=target, setting=TABLE)


EXHIBIT = Exhibit(
    number=10,
    name="A row bound that is out of date",
    system="OpenDP 0.16.0, Polars",
    source="opendp/opendp#2949",
    claim="rho = 0.5: at most 100 groups per person, and one row in each.",
    fact="rho = 5000. `with_columns` merges the 100 groups into one after the truncation, but "
    "the bound is not updated: one person moves one count by 100.",
    port="A map after the clip that makes rows 100 times as long. Bounds belong to immutable "
    "nodes, so the map is a new node with the bound 100.",
    wrong=partial(put, clipped_first),
    mended=partial(put, clipped_last),
    repair="Clip after the last map.",
    shows=("mu^2 = 10000",),
)
