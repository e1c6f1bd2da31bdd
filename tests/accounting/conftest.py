"""Lets the tests here import what the suites share, and asks dp_accounting."""

import pytest


@pytest.fixture(scope="session")
def theirs():
    """epsilon(event, delta) by one of dp_accounting's accountants, fresh for each answer."""
    library = pytest.importorskip("dp_accounting")

    def epsilon(event, delta=1e-6, *, by="pld", relation="ADD_OR_REMOVE_ONE"):
        neighbours = library.NeighboringRelation[relation]
        if by == "pld":
            accountant = library.pld.PLDAccountant(neighbours)
        else:
            accountant = library.rdp.RdpAccountant(neighboring_relation=neighbours)
        accountant.compose(event)
        return accountant.get_epsilon(delta)

    return epsilon
