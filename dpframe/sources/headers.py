"""What errors may say of a table's names: they are its first record where it has no header."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph import Categorical, Numeric

Schema = tuple[Numeric | Categorical, ...] | None


def columns_said(schema: Schema | None, header: Sequence[str]) -> str:
    """`X has age, town.`; no names where they may be the first record of a table without header."""
    if headless(schema, header):
        return f"{_unlike(schema, header)} Does it have a header?"
    return f"X has {', '.join(header)}."


def headless(schema: Schema | None, header: Sequence[str]) -> bool:
    """Whether what stands for names may be a record: a number, or nothing that is declared."""
    return any(map(_is_number, header)) or not (
        schema is None or any(part.name in header for part in schema)
    )


def _unlike(schema: Schema | None, header: Sequence[str]) -> str:
    declared = schema is not None and not any(part.name in header for part in schema)
    which = "none of the declared names" if declared else "numbers among their names"
    return f"X has {len(header)} columns, {which}."


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
