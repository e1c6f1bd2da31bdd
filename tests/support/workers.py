"""Processes that work for a pass: clusters of Dask on this machine, and pools."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def clustered() -> Iterator[object]:
    """A client of a scheduler and two worker processes on the loopback address."""
    import dask
    from dask.distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": "CRITICAL"}
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "300s"}),
        LocalCluster(**options, **quiet) as local,
        Client(local, set_as_default=False, timeout="300s") as client,
    ):
        yield client


WHOLE_POOLS = pytest.mark.skipif(
    sys.version_info < (3, 11, 7),
    reason="pools of processes of CPython 3.11.2 wait forever for a dead worker (gh-94777)",
)
