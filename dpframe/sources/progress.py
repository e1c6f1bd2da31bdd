"""A progress bar for work that takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from html import escape
from threading import Lock, Timer, local
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")
PATIENCE = 2.0  # seconds
PAUSE = 0.2  # seconds, between two updates of a notebook
_within = local()  # this thread's innermost one that is entered


class Progress:
    """A bar on stderr or under a notebook's cell, after two seconds, while it is entered: on an
    interactive terminal and in Jupyter only. One inside another is shown in the outer one's place.

    `count` is the number of steps, None where it is unknown.
    """

    def __init__(self, count: int | None, what: str = "reading the table") -> None:
        """Nothing is shown yet."""
        self._count, self._done, self._what = count, 0, what
        self._bar: Any = None
        self._lock, self._over = Lock(), False
        self._timer = Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._outer: Progress | None = None
        self._inner: Progress = self

    def __enter__(self) -> Self:
        self._outer, _within.now = getattr(_within, "now", None), self
        if self._outer is None and (sys.stderr.isatty() or in_notebook()):
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _within.now = self._outer
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def step(self) -> None:
        """One step is done."""
        self._done += 1
        self._update()

    def say(self, what: str) -> None:
        """Something else is being done."""
        self._what = what
        self._update()

    def steps(self, items: Iterable[T]) -> Iterator[T]:
        """`items` as they come, a step each."""
        for item in items:
            yield item
            self.step()

    def _update(self) -> None:
        shown = self
        while shown._outer is not None:
            shown = shown._outer
        shown._inner = self  # noqa: SLF001
        if shown._bar is not None:  # noqa: SLF001
            shown._bar.update(self._what, self._done, self._count)  # noqa: SLF001

    def _show(self) -> None:
        with self._lock:
            if not self._over:
                now = self._inner
                bar: _Cell | _Terminal = _Cell() if in_notebook() else _Terminal()
                bar.update(now._what, now._done, now._count)  # noqa: SLF001
                self._bar = bar


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class _Terminal:
    """A bar of rich on stderr."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=None)
        self._bar.start()

    def update(self, what: str, done: int, count: int | None) -> None:
        self._bar.update(self._task, description=what, completed=done, total=count)

    def stop(self) -> None:
        self._bar.stop()


class _Cell:
    """A bar under the cell that runs, which ends as an empty output."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._said = 0.0

    def update(self, what: str, done: int, count: int | None) -> None:
        if time.monotonic() - self._said > PAUSE:
            self._said = time.monotonic()
            ends = "" if count is None else f' value="{done}" max="{count}"'
            self._display(f"{what} ...", f"<progress{ends}></progress> {escape(what)} ...")

    def stop(self) -> None:
        self._display("", "")

    def _display(self, text: str, html: str) -> None:
        from IPython.display import display

        bundle = {"text/plain": text, "text/html": html}
        if self._handle is None:
            shown: Any = display
            self._handle = shown(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)
