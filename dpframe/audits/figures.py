"""Numbers as a person writes them: three digits below 1, four from 1 up, to a stated side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from textwrap import wrap
from typing import Literal

from dpframe.symbols import Expression, Number

Side = Literal["up", "down", "near"]
ROUNDING = {"up": ROUND_CEILING, "down": ROUND_FLOOR, "near": ROUND_HALF_EVEN}
WIDTH = 100
TINY = 1e-300  # below, doubles lose digits
SLACK = Fraction(1, 10**12)
BARE = re.compile(r"1/(\d+)\*([A-Za-z_]\w*)\Z")
DECIMAL = re.compile(r"(?<![\w./^])(\d{6,})/(10{5,})(?![\d.^])")  # 8449357/1000000
POWER_OF_TEN = re.compile(r"(?<![\w./])1/10(0{3,})(?![\d.])")
TOGETHER = re.compile(  # (1, 1e-6), [BalleW18, Thm 8], delta = 1e-6
    r"[(\[][^\s()\[\]]+, [^()\[\]]{1,20}[)\]]|\b\w+ = [\w.+-]+"
)
BELOW = re.compile(r"(?<![\w./^])(\d+)/(\d+)/([A-Za-z_]\w*(?:\^\d+)?)(?![\w(^])")
PADDED = re.compile(r"(?<=\d)e([+-])0+(?=\d)")


def figure(value: float | Fraction | None, side: Side = "near", digits: int = 0) -> str:
    """`8.85e-7`, `0.596`, `1.587`, rounded to `side`; `-` where there is no number.

    >>> figure(8.848e-7, "up"), figure(0.5956), figure(36.3047, "up"), figure(None)
    ('8.85e-7', '0.596', '36.31', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, float) and not math.isfinite(value):
        return "-" if math.isnan(value) else str(value)
    rounded = _rounded(value, side, digits)
    size = abs(rounded)
    if rounded.is_zero():
        return "0"
    return f"{rounded:f}" if Decimal("0.001") <= size < 10**6 else _scientific(rounded)


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


def against(value: float, limit: Fraction) -> str:
    """`value` in a few digits; where it exceeds `limit`, in as many as show that.

    >>> against(0.596, Fraction(1)), against(1.00004, Fraction(1)), against(1.0, Fraction(1))
    ('0.596', '1.00004', '1.000')
    """
    if math.isfinite(value) and Fraction(value) > limit * (1 + SLACK):
        for digits in (0, 4, 5, 6, 8, 10, 13):
            if Fraction(_rounded(value, "near", digits)) > limit:
                return figure(value, digits=digits)
    return figure(value)


def exactly(value: Fraction) -> str:
    """A rational without rounding: `1`, `0.05`, `1e-6`, `1/3`.

    >>> [exactly(Fraction(text)) for text in ("1", "0.05", "1e-6", "1/3", "53/7")]
    ['1', '0.05', '1e-6', '1/3', '53/7']
    """
    if value.denominator == 1:
        return str(value.numerator) if abs(value) < 10**12 else figure(value)
    short = Context(prec=6).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    if Fraction(short) != value:
        double = repr(float(value))
        return double if Fraction(double) == value else tidy(str(value))
    return f"{short:f}" if abs(value) >= Fraction(1, 1000) else _scientific(short)


def pair(epsilon: Fraction, delta: Fraction) -> str:
    """`(1, 1e-6)`."""
    return f"({exactly(epsilon)}, {exactly(delta)})"


def _scientific(value: Decimal) -> str:
    mantissa, _, exponent = f"{value:e}".partition("e")
    few = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{few}e{int(exponent)}"


def short(value: Fraction) -> str:
    """A rational exactly where that is short, else its first digits: `0.5`, `0.333`, `3.33e-7`."""
    text = exactly(value)
    return figure(value) if "/" in text or len(text) > len("0.0001") else text


def formula(expression: Expression) -> str:
    """A formula as papers write it: `epsilon/3`, `1e-6`.

    >>> from dpframe.symbols import EPSILON
    >>> formula(EPSILON / 3)
    'epsilon/3'
    """
    if isinstance(expression, Number):
        return exactly(expression.value)
    text = str(expression)
    simple = BARE.match(text)
    return f"{simple[2]}/{simple[1]}" if simple else tidy(text)


def tidy(text: str) -> str:
    """Powers of ten, long decimals and names below fractions, as a person writes them.

    >>> tidy("1/1000000 and 3.3e-07"), tidy("log(5/2/delta)"), tidy("84493577/10000000")
    ('1e-6 and 3.3e-7', 'log(5/(2*delta))', '8.4493577')
    """
    text = DECIMAL.sub(_point, text)
    text = BELOW.sub(r"\1/(\2*\3)", text)
    scientific = POWER_OF_TEN.sub(lambda zeros: f"1e-{len(zeros[1]) + 1}", text)
    return PADDED.sub(r"e\1", scientific).replace("e+", "e")


def _point(found: re.Match[str]) -> str:
    places = len(found[2]) - 1
    digits = found[1].zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}"


def equals(bounds: tuple[float, float], limit: Fraction | None = None) -> str:
    """`= 0.596`, `at most 0.600`."""
    text = between(bounds, limit)
    return f"= {text}" if text[0].isdigit() else text


def between(bounds: tuple[float, float], limit: Fraction | None = None) -> str:
    """One number where both bounds agree, in enough digits to tell it from `limit`; else the range.

    >>> between((0.59559, 0.59559)), between((0.5, 0.6)), between((0.0, 0.6))
    ('0.596', 'between 0.500 and 0.600', 'at most 0.600')
    """
    low, high = bounds
    if math.isinf(high):
        return f"above {figure(low, 'down')}"
    if 0 < high < TINY:
        return f"below {figure(TINY)}"
    if high - low <= 1e-9 * high:
        return figure(high) if limit is None else against(high, limit)
    return (
        f"between {figure(low, 'down')} and {figure(high, 'up')}"
        if low > 0
        else f"at most {figure(high, 'up')}"
    )


def clipped(text: str, width: int) -> str:
    """The text, its middle left out where it is longer than `width`."""
    if len(text) <= width:
        return text
    half = (width - 3) // 2
    return f"{text[: width - 3 - half]}...{text[len(text) - half :]}"


def hanging(line: str, indent: int = 4, width: int = WIDTH) -> list[str]:
    """The line in pieces of at most `width`, later ones indented by `indent` more.

    >>> hanging("it satisfies (1, 1e-6)-differential privacy", 2, 34)
    ['it satisfies', '  (1, 1e-6)-differential privacy']
    """
    before = len(line) - len(line.lstrip())
    later = " " * (before + indent)
    glued = TOGETHER.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), line)
    pieces = wrap(glued, width, subsequent_indent=later, break_on_hyphens=False) or [""]
    return [piece.replace("\N{NO-BREAK SPACE}", " ") for piece in pieces]


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
