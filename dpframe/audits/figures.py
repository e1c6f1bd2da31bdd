"""Numbers as a person writes them: three digits below 1, four from 1 up, to a stated side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from textwrap import wrap
from typing import Literal

from dpframe.numbers import shortest
from dpframe.symbols import Expression, Number, Product, Symbol
from dpframe.wording import Formula, Text, joined, parts_of, say, written

Side = Literal["up", "down", "near"]
ROUNDING = {"up": ROUND_CEILING, "down": ROUND_FLOOR, "near": ROUND_HALF_EVEN}
WIDTH = 100
TINY = 1e-300  # below, doubles lose digits
SLACK = Fraction(1, 10**12)
EQUAL, EXACT = 1e-6, 1e-9  # relative: as printed, and but for rounding
KEPT = 24  # characters that are not parted at the end of a line


def figure(value: float | Fraction | None, side: Side = "near", digits: int = 0) -> Formula:
    """`8.85e-7`, `0.596`, `1.587`, rounded to `side`; `-` where there is no number.

    >>> figure(8.848e-7, "up"), figure(0.5956), figure(36.3047, "up"), figure(None)
    ('8.85e-7', '0.596', '36.31', '-')
    """
    if value is None:
        return Formula("-")
    if isinstance(value, float) and not math.isfinite(value):
        return Formula("-" if math.isnan(value) else value)
    rounded = _rounded(value, side, digits)
    size = abs(rounded)
    if rounded.is_zero():
        return Formula("0")
    if Decimal("0.001") <= size < 10**6:
        return Formula(f"{rounded:f}")
    return _scientific(rounded)


def _rounded(value: float | Fraction, side: Side, digits: int = 0) -> Decimal:
    """To nearest where that is within 1e-12 of the value: 1 + 2e-16 is 1.000 on any side."""
    top, bottom = value.as_integer_ratio()
    wanted = digits or (4 if abs(top) >= bottom else 3)
    near, out = (
        Context(prec=wanted, rounding=mode).divide(Decimal(top), Decimal(bottom))
        for mode in (ROUND_HALF_EVEN, ROUNDING[side])
    )
    best = near if abs(Fraction(near) * bottom - top) <= SLACK * abs(top) else out
    last = Decimal(1).scaleb(best.adjusted() + 1 - wanted)
    return best if best.is_zero() else best.quantize(last)


def against(value: float, limit: Fraction) -> Formula:
    """`value` in a few digits; where it exceeds `limit`, in as many as show that.

    >>> against(0.596, Fraction(1)), against(1.00004, Fraction(1)), against(1.0, Fraction(1))
    ('0.596', '1.00004', '1.000')
    """
    if math.isfinite(value) and Fraction(value) > limit * (1 + SLACK):
        for digits in (0, 4, 5, 6, 8, 10, 13):
            if Fraction(_rounded(value, "near", digits)) > limit:
                return figure(value, digits=digits)
    return figure(value)


def exactly(value: Fraction) -> Formula:
    """A rational without rounding: `1`, `0.05`, `1e-6`, `1/3`.

    >>> [exactly(Fraction(text)) for text in ("1", "0.05", "1e-6", "1/3", "53/7")]
    ['1', '0.05', '1e-6', '1/3', '53/7']
    """
    if value.denominator == 1:
        return Formula(value.numerator) if abs(value) < 10**12 else figure(value)
    short = Context(prec=6).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    if Fraction(short) == value:
        return Formula(f"{short:f}") if abs(value) >= Fraction(1, 1000) else _scientific(short)
    double = repr(float(value))
    return Formula(double if Fraction(double) == value else value)


def chosen(value: float) -> Formula:
    """A number that the user chose, as it was written: `0.25`, `1e-6`."""
    return exactly(shortest(value)) if math.isfinite(value) else Formula(value)


def pair(epsilon: Fraction, delta: Fraction) -> Formula:
    """`(1, 1e-6)`."""
    return Formula(f"({exactly(epsilon)}, {exactly(delta)})")


def _scientific(value: Decimal) -> Formula:
    mantissa, _, exponent = f"{value:e}".partition("e")
    few = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return Formula(f"{few}e{int(exponent)}")


def short(value: Fraction) -> Formula:
    """A rational exactly where that is short, else its first digits: `0.5`, `0.333`, `3.33e-7`."""
    text = exactly(value)
    return figure(value) if "/" in text or len(text) > len("0.0001") else text


def formula(expression: Expression) -> Formula:
    """A formula as papers write it: `epsilon/3`, `1e-6`.

    >>> from dpframe.symbols import EPSILON
    >>> formula(EPSILON / 3)
    'epsilon/3'
    """
    match expression:
        case Number(value):
            return exactly(value)
        case Product((Number(value), Symbol(name))) if (
            value.numerator == 1 and value.denominator < 1000
        ):
            return Formula(f"{name}/{value.denominator}")
    return Formula(written(expression))


def equals(bounds: tuple[float, float], limit: Fraction | None = None) -> Text:
    """`= 0.596`, `at most 0.600`."""
    text = between(bounds, limit)
    return say("= {}", text) if text[0].isdigit() else text


def between(bounds: tuple[float, float], limit: Fraction | None = None) -> Text:
    """One number where both bounds agree, in enough digits to tell it from `limit`; else the range.

    >>> between((0.59559, 0.59559)), between((0.5, 0.6)), between((0.0, 0.6))
    ('0.596', 'between 0.500 and 0.600', 'at most 0.600')
    """
    low, high = bounds
    if math.isinf(high):
        return say("above {}", figure(low, "down"))
    if 0 < high < TINY:
        return say("below {}", figure(TINY))
    apart = limit is not None and low <= limit < high  # one of them meets the limit
    if high - low <= (EXACT if apart else EQUAL) * high:
        return say("{}", figure(high) if limit is None else against(high, limit))
    if low > 0:
        return say("between {} and {}", figure(low, "down"), figure(high, "up"))
    return say("at most {}", figure(high, "up"))


def percent(share: float | None) -> str | None:
    r"""`33.3 %`; None where there is no number.

    >>> percent(1 / 3), percent(1.0)
    ('33.3\xa0%', '100\xa0%')
    """
    if share is None:
        return None
    return f"{100 * share:{'.3g' if share < 9.995 else '.0f'}}\N{NO-BREAK SPACE}%"


def sharp(low: float, high: float) -> bool:
    """Whether two bounds are one number in all digits that are printed."""
    return high - low <= EQUAL * high


def listed(names: Sequence[str]) -> Text:
    """`floor, gram`, `gram (x3)`, or the first and the last of more than three."""
    counts = Counter(names).items()
    one = [name if many == 1 else say("{} (x{})", name, many) for name, many in counts]
    if len(one) < 4:
        return joined(", ", one)
    return say("{}, ..., {} ({} names)", one[0], one[-1], len(one))


def clipped(text: str, width: int) -> str:
    """The text, its middle left out where it is longer than `width`."""
    if len(text) <= width:
        return text
    half = (width - 3) // 2
    parts = parts_of(text)
    return Text((*_between(parts, 0, width - 3 - half), "...", *_between(parts, -half, 0)))


def _between(parts: Iterable[str], start: int, end: int) -> Iterator[str]:
    """The parts from one place to another, both from the beginning, or from the end."""
    found = list(parts)
    at = 0 if start >= 0 else -sum(map(len, found))
    for part in found:
        kind = (
            Formula if isinstance(part, Formula) else str if isinstance(part, Text) else type(part)
        )
        yield kind(part[max(start - at, 0) : max(end - at, 0)])
        at += len(part)


def hanging(line: str, indent: int = 4, width: int = WIDTH) -> list[str]:
    """The line in pieces of at most `width`, later ones indented by `indent` more.

    >>> hanging("it satisfies (1, 1e-6)-differential privacy", 2, 34)
    ['it satisfies', '  (1, 1e-6)-differential privacy']
    """
    before = len(line) - len(line.lstrip())
    later = " " * (before + indent)
    pieces = wrap(_glued(line), width, subsequent_indent=later, break_on_hyphens=False) or [""]
    return [piece.replace("\N{NO-BREAK SPACE}", " ") for piece in pieces]


def _glued(line: str) -> str:
    """The line with blanks that do not break around `=` and in short brackets: `(1, 1e-6)`."""
    letters = list(line)
    opened: list[int] = []
    for place, letter in enumerate(line):
        if letter in "([":
            opened.append(place)
        elif letter in ")]" and opened:
            start = opened.pop()
            alone = start == 0 or line[start - 1] in " ("
            if alone and place - start <= KEPT:
                letters[start:place] = line[start:place].replace(" ", "\N{NO-BREAK SPACE}")
    return "".join(letters).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")


def paragraphs(lines: Iterable[str], width: int = WIDTH) -> str:
    """Lines that fit on a page, joined."""
    return "\n".join(piece for line in lines for piece in hanging(line, width=width))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Iterable[int]) -> list[str]:
    """Rows as columns two blanks apart, indented by two; those in `right` end in one place."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    ends = set(right)
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if i in ends else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
