"""Every map of rows or labels: what its rule says of each record is true of what it computes."""

from __future__ import annotations

import numpy as np
import pytest

from dpframe.graph.maps.base import OfOne
from dpframe.graph.maps.grid import OnGrid
from dpframe.graph.rows import Rows
from dpframe.theory.book import answers_of
from tests.support import samples
from tests.support.oracles import value

every = pytest.mark.some(len(samples.MAPS))
maps = pytest.mark.parametrize("cls", samples.MAPS, ids=lambda cls: cls.__name__)
ROOM = 1e-12


def made(cls):
    """The sample of a map, of a table that no grid stands under."""
    return samples.MAPS[cls](*samples.setting(grid=None).nodes())


def number(formula):
    """A formula of numbers, in doubles."""
    return float(value(formula, {"d": 3}))


def block(node):
    """Records within the bounds of the table: inside, at the ends, along axes, small and zero."""
    rng, norm, bound = np.random.default_rng(8), float(samples.NORM), float(samples.BOUND)
    if not isinstance(node.source, Rows):
        return np.concatenate([rng.uniform(-bound, bound, 30), [-bound, bound, 0.0, 1e-300]])
    inside = rng.normal(size=(30, 3))
    inside *= norm * rng.uniform(size=(30, 1)) / np.linalg.norm(inside, axis=1, keepdims=True)
    corners = np.array([[1, 1, 1], [-1, 1, -1]]) * (norm / 3**0.5)
    return np.concatenate([inside, norm * np.eye(3), corners, np.zeros((1, 3)), 1e-300 * np.eye(3)])


def mapped(cls):
    """The sample, and what it makes of the records."""
    node = made(cls)
    return node, np.asarray(node.apply(block(node), number))


@every
@maps
def test_its_bounds_hold(cls):
    """Norms, entries and columns of rows, sizes of labels: no record is beyond them."""
    node, found = mapped(cls)
    if not isinstance(node, Rows):
        assert node.bound is None or np.abs(found).max() <= number(node.bound) + ROOM
        return
    assert found.shape[1] == number(node.columns)
    bounds = {2: node.norm, 1: node.norm1, np.inf: node.entry}
    for order, most in bounds.items():
        lengths = np.linalg.norm(found, ord=order, axis=1)
        assert most is None or lengths.max() <= number(most) + ROOM
    if node.unit_norm:
        assert np.allclose(np.linalg.norm(found, axis=1), number(node.norm), rtol=1e-12)


@every
@maps
def test_zeros_stay_zeros_where_the_rule_says_so(cls):
    """Other rules rely on that answer: a record of zeros adds nothing."""
    node = made(cls)
    zeros = np.zeros_like(block(node)[:2])
    if answers_of(cls.kind).keeps_zeros(node.record()):
        assert not np.any(node.apply(zeros, number))


@every
@maps
def test_each_record_is_mapped_by_itself(cls):
    """To the same bits, wherever it stands; the block itself stays as it is."""
    node, found = mapped(cls)
    records = block(node)
    for i in range(len(records)):
        assert np.array_equal(node.apply(records[i : i + 1], number)[0], found[i])
    assert np.array_equal(records, block(node))


def test_every_map_has_a_sample():
    """But for maps onto a grid, which have tests of their own."""
    found = {cls for cls in samples.final_subclasses(OfOne) if not issubclass(cls, OnGrid)}
    assert found == set(samples.MAPS) | samples.MAPS_OF_OTHERS
