"""Clusters of Dask on this machine, which may be slow."""

from collections.abc import Iterator
from contextlib import contextmanager

import dask
from dask.distributed import Client, LocalCluster


@contextmanager
def clustered() -> Iterator[Client]:
    """A client of a scheduler and two worker processes on the loopback address."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": "CRITICAL"}
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "300s"}),
        LocalCluster(**options, **quiet) as local,
        Client(local, set_as_default=False, timeout="300s") as client,
    ):
        yield client
