"""Whether the pages of a Parquet file have checksums: only their headers say so."""

from __future__ import annotations

from pathlib import Path

from .telling import safely

START = 4  # the place of the first page, behind the letters PAR1
HEAD = 64  # bytes, of which the first four fields of a header take at most 24
CRC = 4  # the number of the checksum among the fields of a PageHeader
I32 = 5  # the type of a 32-bit number in Thrift's compact protocol


def has_checksums(path: str) -> bool:
    """Whether the first page of the file has a checksum: writers give one to all pages or to none.
    (pyarrow knows where every page begins, but aborts where a footer is damaged.) Raises
    SourceFailed.
    """
    return has_crc(safely(lambda: _first(path), path))


def _first(path: str) -> bytes:
    with Path(path).open("rb") as file:
        file.seek(START)
        return file.read(HEAD)


def has_crc(header: bytes) -> bool:
    """Whether a page header, in Thrift's compact protocol, has its optional field `crc`.

    A field begins with a byte: the step from the last field's number, and a type. The fields
    before `crc` (type, size, compressed size) are 32-bit numbers, seven bits a byte.
    """
    field, place = 0, 0
    while field < CRC and place < len(header):
        step, kind = divmod(header[place], 16)
        field += step
        if kind != I32 or step == 0:
            return False
        place += 1
        while place < len(header) and header[place] >= 128:
            place += 1
        place += 1
    return field == CRC
