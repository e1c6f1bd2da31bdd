"""Ledgers that the tests share; the suites' oracles can be imported."""

import numpy as np
import pytest

import dpframe as dp
from dpframe.budgets import saved_ledger
from dpframe.budgets.records import RecordLedger

PEOPLE = ["careful", "open", "careful", "open", "open"]
LEDGERS = {
    "pure groups": lambda: RecordLedger({"careful": 0.5, "open": 2}, PEOPLE, kind=dp.PureDP),
    "zcdp groups": lambda: RecordLedger({"a": 1}, np.zeros(5, int), kind=dp.ZeroConcentratedDP),
    "approx groups": lambda: RecordLedger(
        {"careful": (0.5, 1e-6), "open": (2, 1e-5)}, PEOPLE, kind=dp.ApproxDP
    ),
    "gaussian singles": lambda: RecordLedger([0.5, 1, 2.5, 0.7, 1], kind=dp.GaussianDP),
    "approx singles": lambda: RecordLedger(
        ([0.5, 1, 2.5, 0.7, 1], [1e-6, 1e-5, 1e-6, 2e-6, 1e-7]), kind=dp.ApproxDP
    ),
}


@pytest.fixture(autouse=True)
def _fresh_process():
    """Each test begins as a process that has seen no ledger."""
    saved_ledger._NEWEST.clear()


@pytest.fixture(params=LEDGERS)
def any_ledger(request):
    """A ledger of five people, nothing spent."""
    return LEDGERS[request.param]()


@pytest.fixture
def people():
    """Five people in two groups, in epsilon."""
    return LEDGERS["pure groups"]()


@pytest.fixture
def small():
    """A function: a cost that fits a ledger many times, about 1/k of little."""

    def small(ledger, k=1):
        return (0.01 / k, 1e-9 / k) if ledger.kind is dp.ApproxDP else 0.01 / k

    return small
