"""Parameters that shape a graph."""

from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.regressions.whole import whole
from dpframe.symbols import constant


def test_whole_numbers():
    """Ends included."""
    assert [whole(constant(k), "rounds", 0, 20) for k in (0, 7, 20)] == [0, 7, 20]
    assert whole(constant(10**9), "cells") == 10**9


@pytest.mark.parametrize("value", [-1, 21, Fraction(1, 2), "0.999999999999"])
def test_others_are_refused_by_name(value):
    """Also what is nearly whole."""
    with pytest.raises(dp.InvalidArgument, match="rounds must be a whole number from 0 to 20"):
        whole(constant(value), "rounds", 0, 20)


def test_formulas_are_refused():
    """A graph has no epsilon rounds."""
    with pytest.raises(dp.InvalidArgument, match="a number before anything is drawn"):
        whole(dp.EPSILON, "rounds")
