"""Column names that may be a record: the first one of a CSV file without a line of names."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph import Categorical, Numeric

Schema = tuple[Numeric | Categorical, ...] | None


def is_name(text: str) -> bool:
    """Whether a text has a letter and is no number, as 1e5 and nan are."""
    try:
        float(text)
    except ValueError:
        return any(map(str.isalpha, text))
    return False


def columns_said(schema: Schema, header: Sequence[str]) -> str:
    """`X has age, town.`, without the names where they may be a record."""
    if not headless(schema, header):
        return f"X has {', '.join(header)}."
    undeclared = schema is not None and not any(part.name in header for part in schema)
    which = "none of the declared names" if undeclared else "numbers among their names"
    return f"X has {len(header)} columns, {which}. Does it have a header?"


def headless(schema: Schema, header: Sequence[str]) -> bool:
    """Whether the names may be a record: one is a number, or none is declared."""
    numbers = any(text.strip() and not is_name(text) for text in header)
    return numbers or not (schema is None or any(part.name in header for part in schema))
