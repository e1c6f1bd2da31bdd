"""Ends of polynomials, term by term: below every value, and met only where that is said."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

from dpframe.exact.documents import Range
from dpframe.exact.formula import Atom, Formula
from dpframe.exact.ring import Ring
from dpframe.exact.signs import Steps, at_once, infimum

TINY = Fraction(1, 10**7)


def some_range(draw: random.Random) -> Range:
    """Open, half open or closed, at 0 as often as not, perhaps one point or whole numbers."""
    low = draw.choice([None, *map(Fraction, (-2, -1, 0, 0, 0, 1, 2))])
    high = draw.choice([None, *map(Fraction, (-1, 0, 1, 1, 3))])
    if low is not None and high is not None:
        low, high = min(low, high), max(low, high)
    one = low is not None and low == high
    left, right = (end is not None and (one or draw.random() < 0.5) for end in (low, high))
    return Range(low, high, left, right, integer=draw.random() < 0.15).whole


def values_in(span: Range) -> list[Fraction]:
    """Ordinary numbers, huge and tiny ones, and the ends with their neighbourhoods."""
    found = [Fraction(k, 4) for k in range(-12, 17, 3)] + [Fraction(10**6), -Fraction(10**6)]
    found += [Fraction(0), TINY, -TINY]
    for end in span[:2]:
        if isinstance(end, Fraction):
            found += [end, end + TINY, end - TINY]
    inside = [value for value in dict.fromkeys(found) if value in span]
    return sorted(inside, key=abs)[:4] + inside[-2:]


def value_of(f: Formula, at: tuple[Fraction, ...]) -> Fraction:
    """The value of a polynomial in the atoms 0, 1 and 2."""
    total = Fraction(0)
    for mono, c in f.pairs:
        term = c
        for g, e in mono:
            term *= at[g] ** int(e)
        total += term
    return total


def test_the_ends_of_terms_are_below_every_value() -> None:
    """Of 600 random polynomials in three symbols; signs that follow from them hold, too."""
    draw, known, shown = random.Random(1), 0, 0
    for _ in range(600):
        ring, spans = Ring(Steps({})), [some_range(draw) for _ in "abc"]
        places = [values_in(span) for span in spans]
        f = ring.lift(Fraction(draw.randint(-3, 4)))
        for name, span in zip("abc", spans, strict=True):
            ring.intern(("symbol", name), Atom("symbol", span.sign, (), name, span))
        for _ in range(draw.randint(1, 3)):
            powers = [(g, draw.choice([0, 0, 1, 1, 2])) for g in range(3)]
            f += ring.product(powers, Fraction(draw.randint(-4, 4), draw.choice([1, 2])))
        if not all(places):
            continue
        least = min(value_of(f, at) for at in product(*places))
        low, met = infimum(f)
        assert low is None or low < least or (met and low == least)
        assert not at_once(f, strict=False) or least >= 0
        assert not at_once(f, strict=True) or least > 0
        known, shown = known + (low is not None), shown + bool(at_once(f, strict=True))
    assert known > 150
    assert shown > 60
