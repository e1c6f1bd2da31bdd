"""The text of a certificate file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from dpframe.exact.documents import Unusable

MAX_FILE, MAX_VALUES = 16 * 2**20, 1_000_000  # before anything is parsed


def content_of(path: str | Path) -> str:
    """The text of a regular file of limited size; a pipe or a device is not read. Raises OSError or
    Unusable.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(handle, encoding="utf-8") as file:  # noqa: PTH123 - of a handle
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Unusable("not a regular file")
        text = "" if found.st_size > MAX_FILE else file.read(MAX_FILE + 1)
    if max(found.st_size, len(text)) > MAX_FILE:
        raise Unusable(f"larger than {MAX_FILE} bytes")
    if sum(map(text.count, ",[{")) > MAX_VALUES:
        raise Unusable(f"more than {MAX_VALUES} values")
    return text
