"""Which threads hold a connection: a fork waits until none does, since a child that inherits one
would believe that it holds the locks of its parent.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Open to any number of threads, but while a fork is about to happen."""

    def __init__(self) -> None:
        """No thread is inside."""
        self._changed = threading.Condition()
        self._inside: Counter[int] = Counter()
        self._forks = 0

    @contextmanager
    def passage(self) -> Iterator[None]:
        """Hold this only while a connection is open, and never while waiting for another writer."""
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: not self._forks or self._inside[me])
            self._inside[me] += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside[me] -= 1
                self._inside += Counter()  # forget threads that are outside
                self._changed.notify_all()

    def shut(self) -> None:
        """Let nobody in, and wait until all other threads are out."""
        me = threading.get_ident()
        self._changed.acquire()
        self._forks += 1
        self._changed.wait_for(lambda: not any(thread != me for thread in self._inside))

    def open(self) -> None:
        """After a fork, in the parent."""
        self._forks -= 1
        self._changed.notify_all()
        self._changed.release()

    def renew(self) -> None:
        """After a fork, in the child: the other threads are gone."""
        inside = self._inside
        self.__init__()  # type: ignore[misc]
        self._inside = inside


GATE = Gate()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=GATE.shut, after_in_parent=GATE.open, after_in_child=GATE.renew)
