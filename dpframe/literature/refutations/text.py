"""Refutations as a table on a screen."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from dpframe.audits.figures import WIDTH, figure

from .refutation import Refutation

HEAD = ("what", "at", "quantity", "claimed", "at least", "")


def refutations_text(records: Iterable[Refutation], width: int = WIDTH, *, how: bool = True) -> str:
    """One line a record: what, at which parameters, the claim, the bound that was found, verdict.

    The bound is rounded down, the claim to nearest. `how` adds the tables, and why it is a bound.
    """
    listed = list(records)
    rows = [HEAD, *map(cells, listed)]
    sizes = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    lines = [_line(row, sizes) for row in rows]
    if not how:
        return "\n".join(lines)
    told = [
        "\n".join([line, *_how(record, width)])
        for line, record in zip(lines[1:], listed, strict=True)
    ]
    return "\n".join([lines[0], *told])


def cells(record: Refutation) -> tuple[str, ...]:
    """The words of one line."""
    at = ", ".join(f"{name} {value}" for name, value in record.parameters)
    found = figure(record.found, "down") if record.found > 1e-300 else "0"
    return record.what, at, record.quantity, figure(record.claimed), found, verdict(record)


def verdict(record: Refutation) -> str:
    """`REFUTED`, `stands`, or, of a control, whether it holds as it should."""
    if record.control:
        return "control FAILS" if record.refuted else "control holds"
    return "REFUTED" if record.refuted else "not refuted"


def _line(row: tuple[str, ...], sizes: list[int]) -> str:
    return "  ".join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip()


def _how(record: Refutation, width: int) -> list[str]:
    seed = "" if record.seed is None else f"; seed {record.seed}"
    told = f"{record.how} ({record.rigour.value}{seed})"
    return wrap(told, width, initial_indent="    ", subsequent_indent="    ")
