"""How much work a formula can make, before any of it is built: its parts, its terms when multiplied
out, and the powers that stand on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import attrs

from dpframe.errors import UnsafeFormula

from .language import Added, Call, Literal, Multiplied, Name, Raised, Tree, Turned
from .limits import MOST_DEEP, MOST_PARTS, MOST_POWER, MOST_TERMS

ONE = Fraction(1)


@attrs.frozen
class Size:
    """Parts of the tree, terms of the polynomial, depth, and the product of nested powers."""

    parts: int = 1
    terms: int = 1
    power: Fraction = ONE
    depth: int = 1

    def over(self, inside: tuple[Size, ...], combine: Callable[[int, int], int]) -> Size:
        """The size of an operation on parts of these sizes."""
        terms = 1
        for k, size in enumerate(inside):
            terms = combine(terms, size.terms) if k else size.terms
        return Size(
            sum(size.parts for size in inside) + 1,
            min(terms, 10**9),
            max((size.power for size in inside), default=ONE),
            max((size.depth for size in inside), default=0) + 1,
        )


def measured(tree: Tree, named: Mapping[str, Size], text: str) -> Size:
    """The size of a formula over names of known sizes. Raises UnsafeFormula beyond the limits."""
    found = _size(tree, named, text)
    for amount, most, what in (
        (found.parts, MOST_PARTS, "parts, with all that it names put in"),
        (found.terms, MOST_TERMS, "terms when it is multiplied out"),
        (found.depth, MOST_DEEP, "operations inside each other"),
    ):
        if amount > most:
            raise UnsafeFormula("formula", f"of at most {most} {what}", text)
    return found


def _size(tree: Tree, named: Mapping[str, Size], text: str) -> Size:
    match tree:
        case Name(word):
            return named.get(word, Size())
        case Literal():
            return Size()
        case Added(terms):
            inside = tuple(_size(term, named, text) for _, term in terms)
            return Size().over(inside, int.__add__)
        case Multiplied(factors):
            inside = tuple(_size(factor, named, text) for _, factor in factors)
            return Size().over(inside, int.__mul__)
        case Raised(base, exponent):
            return _raised(_size(base, named, text), exponent, text)
        case Call(_, arguments):
            inside = tuple(_size(argument, named, text) for argument in arguments)
            return Size().over(inside, max)
        case Turned(left, right):
            inside = (_size(left, named, text), _size(right, named, text))
            return Size().over(inside, max)
    raise TypeError(tree)


def _raised(base: Size, exponent: Fraction, text: str) -> Size:
    power = base.power * max(ONE, abs(exponent))
    if power > MOST_POWER or exponent.denominator > MOST_POWER:
        raise UnsafeFormula("formula", f"of powers of at most {MOST_POWER} in all", text)
    many = math.ceil(abs(exponent))
    return Size(base.parts + 1, math.comb(base.terms + many - 1, many), power, base.depth + 1)
