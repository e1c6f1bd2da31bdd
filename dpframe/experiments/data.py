"""Where data lies: a folder of sets and a file of medical costs, read when they are asked for."""

from __future__ import annotations

import functools
import os
import zlib
from pathlib import Path

import attrs

from dpframe.errors import InvalidArgument

from . import medical_costs, uci

COSTS = "insurance.csv"


@attrs.frozen
class Data:
    """A folder of sets as uci.py reads them, and the file of medical costs; None where there is
    none.
    """

    folder: Path | None = None
    costs: Path | None = None

    @classmethod
    def found(cls, given: Path | None) -> Data:
        """What `given` or the environment names: DPFRAME_DATA a folder of sets, DPFRAME_INSURANCE
        the medical costs, which may lie in the folder or beside it too.
        """
        folder = given or _named("DPFRAME_DATA")
        costs = _named("DPFRAME_INSURANCE")
        if costs is None and folder is not None:
            near = (folder / COSTS, folder.parent / COSTS)
            costs = next((path for path in near if path.is_file()), None)
        return cls(folder, costs)

    def present(self) -> tuple[str, ...]:
        """Names of the sets that are there. Raises InvalidArgument where there is no folder."""
        if self.folder is None:
            way_out = f"Name it with --data or DPFRAME_DATA. {uci.FORM}"
            raise InvalidArgument("data", "a folder of sets", self.folder, way_out)
        return uci.present(self.folder)

    def table(self, name: str) -> uci.Table:
        """A set. Raises BadData, InvalidArgument."""
        self.present()
        return _table(self.folder or Path(), name)

    def people(self) -> medical_costs.Costs:
        """The medical costs. Raises BadData, InvalidArgument."""
        if self.costs is None:
            way_out = f"Name it with DPFRAME_INSURANCE. {medical_costs.FORM}"
            raise InvalidArgument("data", "a file of medical costs", self.costs, way_out)
        return _people(self.costs)

    def mark(self, name: str | None) -> str:
        """A checksum of the file of a set, or of the medical costs: remembered results are of one
        file and no other.
        """
        path = self.costs if name is None else (self.folder or Path()) / f"{name}{uci.ENDING}"
        return f"{_checksum(path):08x}" if path is not None and path.is_file() else ""


def _named(variable: str) -> Path | None:
    path = os.environ.get(variable)
    return Path(path) if path else None


@functools.lru_cache(maxsize=2)
def _table(folder: Path, name: str) -> uci.Table:
    return uci.load(folder, name)


@functools.lru_cache(maxsize=1)
def _people(path: Path) -> medical_costs.Costs:
    return medical_costs.load(path)


@functools.lru_cache(maxsize=64)
def _checksum(path: Path) -> int:
    return zlib.crc32(path.read_bytes())
