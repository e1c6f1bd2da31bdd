"""The price of repairing AdaOPS: ratios and medians by hand, labels everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from dpframe.experiments.adaops_price import PRINTED, VERSIONS, Price, lines, medians, price
from dpframe.experiments.uci import Table


def priced(name, zero, *errors):
    """A price with these errors, in the order of the versions."""
    return Price(name, zero, dict(zip(VERSIONS, errors, strict=True)))


def test_medians_are_over_the_sets_where_the_printed_one_beats_zero():
    """The set on which it loses does not count."""
    found = [
        priced("a", 1.0, 0.5, 1.0, 0.6),
        priced("b", 1.0, 0.5, 0.6, 0.5),
        priced("c", 1, 2, 9, 9),
    ]
    got = medians(found)
    assert [one.counts for one in found] == [True, True, False]
    assert got[PRINTED] == 1
    assert got["AdaOPSRepaired"] == pytest.approx((2.0 + 1.2) / 2)
    assert got["AdaOPS"] == pytest.approx((1.2 + 1.0) / 2)


def test_every_line_and_record_is_labelled():
    """NOT PRIVATE, also in JSON."""
    found = [priced("a", 1.0, 0.5, 1.0, 0.6)]
    assert all(line.startswith("NOT PRIVATE") for line in lines(found))
    assert found[0].record()["label"] == "NOT PRIVATE"


def test_a_long_table_costs_little():
    """Where noise is small, all versions find the same coefficients; a seed repeats itself."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    table = Table("easy", X, X @ [2.0, -1.0])
    found = price(table, repeats=1, epsilon=3.0)
    assert found.counts
    assert all(found.ratio(version) < 1.5 for version in VERSIONS)
    assert found == price(table, repeats=1, epsilon=3.0)
