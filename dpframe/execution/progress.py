"""A progress bar for passes that take longer than a person waits quietly."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 2.0  # seconds


def watched(items: Iterable[T], count: int) -> Iterator[T]:
    """`items` as they come; after two seconds on an interactive terminal, with a bar on stderr."""
    late = time.monotonic() + PATIENCE
    remaining = iter(items)
    for done, item in enumerate(remaining, start=1):
        yield item
        if time.monotonic() > late:
            yield from _shown(remaining, done, count) if sys.stderr.isatty() else remaining


def _shown(remaining: Iterator[T], done: int, count: int) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading the table", total=count, completed=done)
        for item in remaining:
            yield item
            bar.advance(task)
