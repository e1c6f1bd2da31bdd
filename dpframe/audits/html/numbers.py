"""Numbers of a page, rounded to a stated side, as a reader sees them."""

from __future__ import annotations

import math
from fractions import Fraction

from dpframe.numbers import shortest
from dpframe.symbols import Expression

from ..figures import Side, between, clipped, exactly, figure
from ..figures import formula as written
from .elements import Element, element
from .words import plain_words

DASH = "–"


def shown(value: float | Fraction | None, side: Side = "near", digits: int = 0) -> str:
    """`8.85 × 10⁻⁷`, `0.596`; a dash where there is no number.

    >>> shown(8.848e-7, "up"), shown(None)
    ('8.85\u202f×\u202f10⁻⁷', '–')
    """
    return DASH if value is None else plain_words(figure(value, side, digits))


def given(value: float) -> str:
    """A number that somebody chose, as it was written.

    >>> given(1.0), given(1e-06), given(0.25)
    ('1', '10⁻⁶', '0.25')
    """
    return plain_words(exactly(shortest(value))) if math.isfinite(value) else str(value)


def range_of(bounds: tuple[float, float], limit: Fraction | None = None) -> str:
    """`0.596`, `at most 0.600`, `between 5.97 and 42.7`."""
    return plain_words(between(bounds, limit))


def number(text: str, **attributes: object) -> Element:
    """A cell of a table that holds a number."""
    return element("td", text, class_="number", **attributes)


def value_of(expression: Expression) -> str:
    """A formula as words, its middle left out where it is long."""
    return plain_words(clipped(written(expression), 120))


def percent(share: float | None) -> str:
    r"""`33.3 %`; a dash where there is no number.

    >>> percent(1 / 3), percent(1.0), percent(None)
    ('33.3\xa0%', '100\xa0%', '–')
    """
    if share is None:
        return DASH
    return (
        f"{100 * share:.3g}\N{NO-BREAK SPACE}%"
        if share < 9.995
        else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
    )
