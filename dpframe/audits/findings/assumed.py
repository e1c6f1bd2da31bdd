"""The assumptions of a page by their identifiers, which docs/assumptions explains."""

from __future__ import annotations

import re
from collections.abc import Iterable

import attrs

PATTERNS = (
    ("A1", "The unit of privacy", r"one unit of privacy is"),
    ("A2", "Budgets are public", r"everybody's budget is public"),
    ("A3", "Idealised numerics", r"idealized numerics"),
    ("A4", "Failures are not published", r"failures are not published"),
    ("A8", "Records are read alone", r"each record is read by itself"),
    ("A5", "No ambient data", r"the declaration and its post-processing"),
    ("A6", "Trusted by name", r".* is trusted: what it states"),
    ("A7", "Stated sensitivities", r"the sensitivity of .* is stated, not derived"),
)
OTHER = ("A0", "Assumed")
WORLD = (
    (
        "W1",
        "Bounds are public",
        "bounds of rows and labels come from a codebook, not from data",
    ),
    ("W2", "Public sizes", "columns, levels and, under replace-one, the number of rows are public"),
    ("W3", "delta is small", "delta is far below 1/n"),
    ("W4", "The machine", "doubles follow IEEE 754; the system's random bits are uniform"),
    ("W5", "No side channels", "nobody sees time, memory or log files"),
)


@attrs.frozen
class Assumption:
    """`id` and `title` as in docs/assumptions; `text` as the certificate has it."""

    id: str
    title: str
    text: str

    def __str__(self) -> str:
        """`A1 one unit of privacy is: ...`."""
        return f"{self.id} {self.text}"

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        return attrs.asdict(self)


def assumptions(texts: Iterable[str], *, approximate: bool) -> tuple[Assumption, ...]:
    """Those of a certificate, then those about the world; delta where there is one."""
    world = (Assumption(*one) for one in WORLD if approximate or one[0] != "W3")
    return (*map(assumed, texts), *world)


def assumed(text: str) -> Assumption:
    """An assumption of a certificate, with its identifier.

    >>> assumed("one unit of privacy is: one row added or removed").id
    'A1'
    """
    known = ((key, title) for key, title, pattern in PATTERNS if re.match(pattern, text))
    return Assumption(*next(known, OTHER), text)
