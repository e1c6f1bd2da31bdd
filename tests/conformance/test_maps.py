"""Every map of rows or labels: what its rule says of each record is true of what it computes."""

from __future__ import annotations

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.maps.base import OfOne
from dpframe.graph.maps.grid import OnGrid
from dpframe.graph.rows import Rows
from dpframe.theory.book import answers_of
from tests.support import samples
from tests.support.oracles import value

every = pytest.mark.some(len(samples.MAPS))
maps = pytest.mark.parametrize("cls", samples.MAPS, ids=lambda cls: cls.__name__)


def made(cls):
    """The sample of a map, of a table that no grid stands under."""
    return samples.MAPS[cls](*samples.setting(grid=None).nodes())


def number(formula):
    """A formula of numbers, in doubles."""
    return float(value(formula, {"d": 3}))


@every
@maps
def test_a_map_conforms(cls):
    """As one from outside must: its bounds hold, each record by itself."""
    dp.audits.check_map(samples.MAPS[cls], samples.setting(grid=None), columns=3)


@every
@maps
def test_rows_of_one_norm_have_it(cls):
    """Where the rule says so."""
    node = made(cls)
    if isinstance(node, Rows) and node.unit_norm:
        found = node.apply(np.random.default_rng(8).normal(size=(30, 3)), number)
        assert np.allclose(np.linalg.norm(found, axis=1), number(node.norm), rtol=1e-12)


@every
@maps
def test_zeros_stay_zeros_where_the_rule_says_so(cls):
    """Other rules rely on that answer: a record of zeros adds nothing."""
    node = made(cls)
    zeros = np.zeros((2, 3) if isinstance(node.source, Rows) else 2)
    if answers_of(cls.kind).keeps_zeros(node.record()):
        assert not np.any(node.apply(zeros, number))


def test_every_map_has_a_sample():
    """But for maps onto a grid, which have tests of their own."""
    found = {cls for cls in samples.final_subclasses(OfOne) if not issubclass(cls, OnGrid)}
    assert found == set(samples.MAPS) | samples.MAPS_OF_OTHERS
