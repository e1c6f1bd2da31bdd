"""Paths, globs and lists of them, as files that exist, each once."""

from __future__ import annotations

import glob
import os
import stat
from typing import Any

import attrs

from dpframe.errors import BadData, SourceFailed, by_type

from .reading import Plain

KINDS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}
UNCHANGED = "no program changes the files while they are read unless size, time or inode shows it"
OTHERS = "Open other files with Polars, DuckDB or pyarrow and give what they return."


@attrs.frozen
class File:
    """A file as it was when the table was opened."""

    path: str
    size: int
    time: int
    place: tuple[int, int]
    """Its device and inode, which other names of it share."""

    @classmethod
    def of(cls, path: str) -> File:
        """The file at this path now. Raises BadData."""
        try:
            status = os.stat(path)  # noqa: PTH116 - a path may be one of a worker's own
        except OSError as error:
            raise BadData("X", "a readable file", path, f"{error.strerror}.") from None
        if not stat.S_ISREG(status.st_mode):
            raise BadData("X", "a regular file", path, "A pipe is read once: write it to a file.")
        place = status.st_dev, status.st_ino
        return cls(path, status.st_size, status.st_mtime_ns, place)

    def unchanged(self) -> None:
        """Refuse a file that has changed since it was opened. Raises BadData or SourceFailed."""
        if File.of(self.path) != self:
            raise SourceFailed(self.path, "the file has changed since it was opened")


def is_path(X: Any) -> bool:
    """Whether X is a path or a list of paths."""
    several = isinstance(X, (list, tuple)) and len(X) > 0 and all(map(_is_one, X))
    return several or _is_one(X)


def _is_one(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def existing_files(X: Any) -> tuple[File, ...]:
    """The files, globs in the order of their names. Raises BadData.

    A file that is listed twice is refused: its records would be counted twice.
    """
    given = [X] if _is_one(X) else X
    files = tuple(File.of(path) for one in given for path in _expanded(os.fspath(one)))
    places: set[tuple[int, int]] = set()
    for file in files:
        if file.place in places:
            raise BadData("X", "a list of different files", file.path, "It stands there twice.")
        places.add(file.place)
    return files


def _expanded(path: str) -> list[str]:
    given = path if _kind(path) else Plain(by_type(path))  # perhaps data, not the name of a file
    if "://" in path:
        raise BadData("X", "a path on this machine", given, OTHERS)
    if os.path.isdir(path):  # noqa: PTH112
        way_out = f"The files in it are {os.path.join(path, '*.parquet')!r}."  # noqa: PTH118
        raise BadData("X", "a file, or a pattern of files", path, way_out)
    if os.path.exists(path):  # noqa: PTH110
        return [os.path.realpath(path)]
    if not glob.has_magic(path):
        raise BadData("X", "an existing file", given, "No such file.")
    paths = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - of text, perhaps absolute
    if not paths:
        raise BadData("X", "a pattern that some file matches", given, "* matches any letters.")
    return [os.path.realpath(one) for one in paths]


def file_kind(files: tuple[File, ...]) -> str:
    """`parquet` or `csv`, by the end of the names. Raises BadData."""
    kinds = {_kind(file.path) for file in files}
    if len(kinds) > 1:
        raise BadData("X", "files of one kind", Plain("several kinds"), OTHERS)
    if kinds == {""}:
        wanted = "a .parquet or .csv file, or a pattern or list of them"
        raise BadData("X", wanted, files[0].path, OTHERS)
    return kinds.pop()


def _kind(path: str) -> str:
    """`parquet` or `csv`, by the end of the name; "" for others."""
    return KINDS.get(os.path.splitext(path)[1].lower(), "")  # noqa: PTH122
