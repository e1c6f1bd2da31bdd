"""Files that are replaced whole or not at all, by one writer at a time."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpframe import documents
from dpframe.errors import BadLedger, InvalidArgument

Where = str | os.PathLike[str]


def place(path: Where) -> Path:
    """The file that `path` names, links followed. Raises InvalidArgument."""
    documents.check_place(path, "path")
    return Path(os.path.realpath(path))


def read(path: Path, most: int) -> str:
    """The text of a file, undecodable bytes kept apart. Raises OSError where there is none, and
    BadLedger.
    """
    path.stat()
    content = documents.content_of(path, "the saved ledger", most, BadLedger)
    return content.decode("ascii", "surrogateescape")


@contextmanager
def one_writer(path: Path) -> Iterator[None]:
    """Wait until no other thread or process is between reading and replacing `path`.

    The lock is advisory, on `path` + ".lock", and falls when its holder dies.
    """
    try:
        import fcntl
    except ImportError:
        way_out = "Take to_json, and keep writers apart yourself."
        raise InvalidArgument("path", "on a system with POSIX locks", path, way_out) from None
    with path.with_name(path.name + ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released when the file is closed
        yield


def replace(path: Path, text: str) -> None:
    """Write beside `path`, flush to disk, rename over it, and flush the folder."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
