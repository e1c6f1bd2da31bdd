"""Lets the tests here import what the suites share: oracles, the page; the cases, made once."""


import pytest


@pytest.fixture(scope="session")
def cases():
    """Every case, by name and relation."""
    from dpframe.auditing.dossier import dossier

    return {(one.name, str(one.relation)): one for one in dossier()}
