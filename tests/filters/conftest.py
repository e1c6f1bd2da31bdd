"""Ledgers that the tests of filters share, and how their state is read from outside."""

import json
from fractions import Fraction

import pytest

import dpframe as dp
from dpframe.budgets import saved_ledger

KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def _fresh_process():
    """Each test begins as a process that has seen no ledger."""
    saved_ledger._NEWEST.clear()


@pytest.fixture
def key():
    """A key, the same at every run."""
    return KEY


@pytest.fixture
def half_spent():
    """A filter of (1, 1e-6)-DP after three queries."""
    gate = dp.Filter(dp.ApproxDP(1, "1e-6"))
    for epsilon in ("0.1", "1/7", "0.2"):
        gate.spend(dp.ApproxDP(epsilon, "1e-8"))
    return gate


@pytest.fixture
def bytes_of():
    """A function: all that a ledger would save, read without telling the registry."""

    def bytes_of(ledger):
        noted = dict(saved_ledger._NEWEST)
        text = ledger.to_json()
        saved_ledger._NEWEST.clear()
        saved_ledger._NEWEST.update(noted)
        return text.encode()

    return bytes_of


@pytest.fixture
def spent_of():
    """A function: the amounts in the file of a ledger, as Fractions read from its text."""

    def spent_of(ledger):
        return tuple(map(Fraction, json.loads(ledger.to_json())["ledger"]["spent"]))

    return spent_of
