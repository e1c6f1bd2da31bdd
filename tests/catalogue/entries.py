"""The entries of the whole catalogue, made once for all tests."""

from functools import cache

from dpframe.literature.catalogue import Entry, catalogue


@cache
def everything() -> list[Entry]:
    """Every entry."""
    return catalogue()
