"""Column names that may be a record: the first one of a CSV file without a line of names."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph import Categorical, Numeric

MOST_NAMES = 30  # that an error lists
Schema = tuple[Numeric | Categorical, ...] | None


def is_name(text: str) -> bool:
    """Whether a text has a letter and is no number, as 1e5 and nan are."""
    try:
        float(text)
    except ValueError:
        return any(map(str.isalpha, text))
    return False


def columns_said(schema: Schema, header: Sequence[str]) -> str:
    """`X has age, town.`, without the names where they may be a record; a single one may be of a
    file that is not separated by commas.
    """
    if len(header) == 1:
        name = "" if headless(schema, header) else f", {header[0]!r}"
        return f"X has one column{name}. Is it separated by commas, with a row of names?"
    if not headless(schema, header):
        more = len(header) - MOST_NAMES
        return f"X has {', '.join(header[:MOST_NAMES])}{f' and {more} more' if more > 0 else ''}."
    undeclared = schema is not None and not any(part.name in header for part in schema)
    which = "none of the declared names" if undeclared else "numbers among their names"
    return f"X has {len(header)} columns, {which}. Does it have a header?"


def headless(schema: Schema, header: Sequence[str]) -> bool:
    """Whether the names may be a record: one is a number, or none is declared."""
    numbers = any(text.strip() and not is_name(text) for text in header)
    return numbers or not (schema is None or any(part.name in header for part in schema))
