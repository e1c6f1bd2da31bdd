"""Lets the tests here import what the suites share: samples, oracles."""

import pytest

import dpframe as dp


@pytest.fixture
def ball():
    """Rows and labels of length at most 1; add/remove."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


@pytest.fixture
def one():
    """(1, 1e-6)-differential privacy."""
    return dp.ApproxDP(1, "1e-6")
