"""A progress bar for passes that take longer than a person waits quietly."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from threading import Lock, Timer
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")
PATIENCE = 2.0  # seconds


class Progress:
    """A bar on stderr, after two seconds and on an interactive terminal only, while it is entered.

    `count` is how many steps there will be, None where nobody knows.
    """

    def __init__(self, count: int | None, what: str = "reading the table") -> None:
        """Nothing is shown yet."""
        self._count, self._done, self._what = count, 0, what
        self._bar: Any = None
        self._task: Any = None
        self._lock, self._over = Lock(), False
        self._timer = Timer(PATIENCE, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def step(self) -> None:
        """One step is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done)

    def steps(self, items: Iterable[T]) -> Iterator[T]:
        """`items` as they come, a step each."""
        for item in items:
            yield item
            self.step()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        with self._lock:
            if self._over:
                return
            bar = Bar(console=Console(stderr=True), transient=True)
            self._task = bar.add_task(self._what, total=self._count, completed=self._done)
            self._bar = bar
            bar.start()
