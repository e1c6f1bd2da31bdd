"""What the tests of sources share."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
import pytest

from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE

ROWS = 700
EXTREMES = [5e-324, -0.0, 0.1, 1 / 3, -1e308, 1.7976931348623157e308, 2.0**53 - 1, 1e-310, -7.0]


@pytest.fixture
def setting():
    """Rows of norm at most 1, labels of size at most 1, add/remove."""
    return Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)


@pytest.fixture
def named():
    """The same, with labels in a column called rating."""
    return Setting(X=Rows(norm=1), y=Column("rating", bound=1), relation=ADD_REMOVE)


@pytest.fixture
def codebook():
    """Columns by name, in another order than they stand in the table, one of them of levels."""
    town = Categorical("town", ("A", "B"), unknown="zeros")
    columns = [Numeric("v", -1, 1), town, Numeric("u", -1, 1)]
    return Setting(X=Rows(columns=columns), y=Column("rating", bound=1), relation=ADD_REMOVE)


@pytest.fixture(scope="session")
def table():
    """u, v, rating: doubles over the whole range, the awkward ones first."""
    rng = np.random.default_rng(11)
    wide = rng.normal(size=(ROWS, 3)) * 10.0 ** rng.integers(-300, 300, size=(ROWS, 3))
    wide[: len(EXTREMES), 0] = EXTREMES
    wide[: len(EXTREMES), 1] = EXTREMES[::-1]
    wide[: len(EXTREMES), 2] = EXTREMES
    return pd.DataFrame(wide, columns=["u", "v", "rating"])


@pytest.fixture(scope="session")
def mixed(table):
    """The table with a column of levels, one of which no codebook knows."""
    towns = np.random.default_rng(12).choice(["A", "B", "elsewhere"], ROWS)
    return table.assign(town=towns)[["u", "town", "v", "rating"]]


@pytest.fixture(scope="session")
def processes():
    """Two worker processes that share nothing with this one."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        yield pool
