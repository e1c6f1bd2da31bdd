"""Pools of processes that work for a pass."""

import sys

import pytest

WHOLE_POOLS = pytest.mark.skipif(
    sys.version_info < (3, 11, 7),
    reason="pools of processes of CPython 3.11.2 wait forever for a dead worker (gh-94777)",
)
