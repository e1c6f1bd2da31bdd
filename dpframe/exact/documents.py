"""JSON documents from strangers: files of limited size, finite values of bounded depth, exact
rationals as text; domains; limits on the work for a document, and the two ways to refuse it.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

Json = Any
Exponent = int | Fraction
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
MAX_FILE, MAX_VALUES = 16 * 2**20, 1_000_000  # before anything is parsed
MAX_DEPTH, MAX_TEXT, MAX_WORK = 80, 100_000_000, 2_000_000
MAX_BITS = 14_000  # Python prints integers of up to 4,300 digits
MAX_BOXES, MAX_TENSOR = 4_000, 60_000


class Unusable(Exception):
    """The document is not a certificate of this schema."""


class Refused(Exception):
    """An obligation that fails or was not shown, with its operands."""


class Unbounded(Exception):
    """An enclosure that is not finite."""


class Range(NamedTuple):
    """An interval; None is an infinite end, `left` and `right` say whether it has its ends."""

    lower: Fraction | None
    upper: Fraction | None
    left: bool = False
    right: bool = False
    integer: bool = False

    def __contains__(self, value: Any) -> bool:
        above = self.lower is None or value > self.lower or (self.left and value == self.lower)
        below = self.upper is None or value < self.upper or (self.right and value == self.upper)
        return above and below and not (self.integer and value.denominator != 1)

    @property
    def whole(self) -> Range:
        """The same, drawn in to whole numbers if only these count."""
        low, high, left, right, integer = self
        if integer and low is not None:
            low, left = Fraction(math.ceil(low) if left else math.floor(low) + 1), True
        if integer and high is not None:
            high, right = Fraction(math.floor(high) if right else math.ceil(high) - 1), True
        return Range(low, high, left, right, integer)

    @property
    def sign(self) -> int:
        """2: every point > 0; 1: >= 0; -2: < 0; 0: none of these."""
        if self.lower is not None and self.lower >= 0:
            return 1 if self.lower == 0 and self.left else 2
        return -2 if self.upper is not None and self.upper <= 0 and ZERO not in self else 0


NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,699})(/[1-9][0-9]{0,699})?\Z")
CLOSED = {"neither": (0, 0), "left": (1, 0), "right": (0, 1), "both": (1, 1)}


def content_of(path: str | Path) -> str:
    """The text of a regular file of limited size; a pipe or a device is not read. Raises OSError or
    Unusable.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(handle, encoding="utf-8") as file:  # noqa: PTH123 - of a handle
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise Unusable("not a regular file")
        text = "" if status.st_size > MAX_FILE else file.read(MAX_FILE + 1)
    if max(status.st_size, len(text)) > MAX_FILE:
        raise Unusable(f"larger than {MAX_FILE} bytes")
    if sum(map(text.count, ",[{")) > MAX_VALUES:
        raise Unusable(f"more than {MAX_VALUES} values")
    return text


def read(text: str) -> Json:
    """The JSON value of a text without repeated keys, NaN or infinities. Raises Unusable."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"not usable JSON: {error}") from None


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(dict(pairs)) < len(pairs):
        raise Unusable(f"a key occurs twice among {sorted(name for name, _ in pairs)}")
    return dict(pairs)


def _no_number(text: str) -> NoReturn:
    raise Unusable(f"{text} is not a number")


def plain(document: Json) -> None:
    """Refuse anything but finite JSON of bounded depth and size. Raises Unusable."""
    level, size, depth = [document], 8, 0
    while level:
        below: list[Any] = []
        for value in level:
            kind = type(value)
            if kind is str:
                size += len(value)
            elif kind is list or (kind is dict and all(type(key) is str for key in value)):
                below += value if kind is list else value.values()
                size += 8 * len(value)
            elif kind is int:
                size += value.bit_length() ** 2  # writing it down takes quadratic time
            elif kind is float and not math.isfinite(value):
                raise Unusable(f"not a JSON number: {value}")
            elif value is not None and kind not in (bool, float):
                raise Unusable(f"not a JSON value: {kind.__name__}")
            if depth > MAX_DEPTH or size > MAX_TEXT:
                raise Unusable(f"deeper than {MAX_DEPTH} levels or larger than {MAX_TEXT} bytes")
        level, depth = below, depth + 1


def keys(value: Json, where: str, /, **types: Any) -> Any:
    """`value`, if it is an object with exactly these keys of these types. Raises Refused."""
    if type(value) is not dict or value.keys() != types.keys():
        given = sorted(value) if type(value) is dict else value
        raise Refused(f"{where}: must have exactly the keys {sorted(types)}, not {given!r:.200}")
    for name, kind in types.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if object not in kinds and type(value[name]) not in kinds:
            raise Refused(f"{where}: {name} has the wrong type: {value[name]!r:.80}")
    return value


def number(text: Json, where: str) -> Fraction:
    """An exact rational, given as text. Raises Refused."""
    if type(text) is not str or not NUMBER.match(text):
        raise Refused(f"{where}: not an exact rational such as '3/2': {text!r:.80}")
    return Fraction(*map(int, text.split("/")))


def domain(spec: Json, where: str) -> Range:
    """The domain of a symbol, drawn in to whole numbers if only these count. Raises Refused."""
    end, origin = (str, type(None)), (int, type(None))
    keys(spec, where, lower=end, upper=end, closed=str, integer=bool, origin=origin)
    low, high = (None if spec[e] is None else number(spec[e], where) for e in ("lower", "upper"))
    left, right = map(bool, CLOSED.get(spec["closed"], (1, 1)))
    if spec["closed"] not in CLOSED or (left and low is None) or (right and high is None):
        raise Refused(f"{where}: closed must be in {sorted(CLOSED)}, infinite ends are open")
    low, high, left, right, _ = span = Range(low, high, left, right, spec["integer"]).whole
    width = ONE if low is None or high is None else high - low
    if width < 0 or (width == 0 and not (left and right)):
        raise Refused(f"{where}: the domain is empty")
    return span
