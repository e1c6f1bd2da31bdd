"""Checks a certificate from its file alone: `python check.py FILE [--expect HASH]`.

Everything is derived again from the nodes of the graph: facts about rows, sensitivities, obligations,
the total. Nothing of dpframe is imported; mpmath is used for bounds on exp and log only, and hints
are never read. What is not shown here is refused. Exit status: 0 accepted, 1 rejected (with the
first obligation that was not shown), 2 not a certificate file.

Reading order: CORE 1-4 (at most 300 lines), then TABLES (one short function for each kind of node,
theorem and derivation), BOUNDS (numbers), TEXT.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

Json = Any
Exponent = int | Fraction
Mono = tuple[tuple[int, Exponent], ...]
Point = dict[str, Fraction]
ONE, HALF = Fraction(1), Fraction(1, 2)

# ============================================================ CORE 1: what a file may contain
SCHEMA = "dpframe-certificate/1"
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,699})(/[1-9][0-9]{0,699})?\Z")
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,40}\Z")
CLOSED = {
    "neither": (False, False),
    "left": (True, False),
    "right": (False, True),
    "both": (True, True),
}
MAX_DEPTH, MAX_TEXT, MAX_BITS, MAX_WORK = 80, 100_000_000, 40_000, 4_000_000
MAX_BOXES, MAX_TENSOR, MAX_PATCHES = 4_000, 100_000, 1_500


class Unusable(Exception):
    """The file is not a certificate of this schema."""


class Refused(Exception):
    """An obligation that fails or was not shown, with its operands."""


def read(text: str) -> Json:
    """The JSON value of a text without repeated keys, NaN or infinities. Raises Unusable."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"not usable JSON: {error}") from None


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(dict(pairs)) < len(pairs):
        raise Unusable(f"a key occurs twice among {sorted(name for name, _ in pairs)}")
    return dict(pairs)


def _no_number(text: str) -> NoReturn:
    raise Unusable(f"{text} is not a number")


def plain(document: object) -> None:
    """Refuse anything but finite JSON of bounded depth and size. Raises Unusable."""
    stack, size = [(document, 0)], 0
    while stack:
        value, depth = stack.pop()
        size += 8 + (len(value) if isinstance(value, str) else 0)
        if depth > MAX_DEPTH or size > MAX_TEXT:
            raise Unusable(f"deeper than {MAX_DEPTH} levels or larger than {MAX_TEXT} bytes")
        if isinstance(value, dict) and all(type(key) is str for key in value):
            stack += [(part, depth + 1) for part in value.values()]
        elif isinstance(value, list):
            stack += [(part, depth + 1) for part in value]
        elif type(value) is int:
            size += value.bit_length() ** 2 // 64  # arithmetic on it is not linear
        elif not (value is None or type(value) in (str, bool)):
            if type(value) is not float or not math.isfinite(value):
                raise Unusable(f"not a JSON value: {value!r:.80}")


def fields(value: Json, where: str, **types: type | tuple[type, ...]) -> dict[str, Any]:
    """`value`, an object with exactly these keys of these types. Raises Refused."""
    if not isinstance(value, dict) or value.keys() != types.keys():
        found = sorted(value) if isinstance(value, dict) else value
        raise Refused(f"{where}: must have exactly the keys {sorted(types)}; has {found!r:.300}")
    for name, kind in types.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if type(value[name]) not in kinds and object not in kinds:
            raise Refused(f"{where}: {name} has the wrong type: {value[name]!r:.80}")
    return value


def number(text: Json, where: str) -> Fraction:
    """An exact rational in lowest form or not, as text. Raises Refused."""
    if not isinstance(text, str) or not NUMBER.match(text):
        raise Refused(f"{where}: not an exact rational such as '3/2': {text!r:.80}")
    return Fraction(text)


class Range(NamedTuple):
    """An interval; None is an infinite end, `left` and `right` say whether the ends belong to it."""

    lower: Fraction | None
    upper: Fraction | None
    left: bool = False
    right: bool = False
    integer: bool = False

    @classmethod
    def read(cls, spec: Json, where: str) -> Range:
        """The domain of a symbol, drawn in to whole numbers where it holds only these."""
        text = (str, type(None))
        fields(spec, where, lower=text, upper=text, closed=str, integer=bool, origin=object)
        if spec["closed"] not in CLOSED:
            raise Refused(f"{where}: closed must be one of {sorted(CLOSED)}")
        low, high = (None if spec[e] is None else number(spec[e], where) for e in ("lower", "upper"))
        left, right = CLOSED[spec["closed"]]
        if (left and low is None) or (right and high is None):
            raise Refused(f"{where}: an infinite end cannot be closed")
        if spec["integer"]:
            low = low if low is None else Fraction(math.ceil(low) if left else math.floor(low) + 1)
            high = high if high is None else Fraction(math.floor(high) if right else -(-high // 1) - 1)
            left, right = low is not None, high is not None
        if low is not None and high is not None and (low > high or (low == high and not (left and right))):
            raise Refused(f"{where}: the domain is empty")
        return cls(low, high, left, right, spec["integer"])

    def __contains__(self, value: object) -> bool:
        assert isinstance(value, Fraction)
        above = self.lower is None or value > self.lower or (self.left and value == self.lower)
        below = self.upper is None or value < self.upper or (self.right and value == self.upper)
        return above and below and not (self.integer and value.denominator != 1)

    @property
    def sign(self) -> int:
        """2: > 0, 1: >= 0, -2: < 0, 0: none of these."""
        if self.lower is not None and self.lower >= 0:
            return 1 if self.lower == 0 and self.left else 2
        negative = self.upper is not None and (self.upper < 0 or (self.upper == 0 and not self.right))
        return -2 if negative else 0


# ============================================================ CORE 2: formulas
class Atom(NamedTuple):
    """What a formula is a polynomial in, with its sign on the whole domain (as Range.sign)."""

    kind: str  # symbol, number (a root's), sum (a power's base), log, exp, min, max, analytic_sigma
    sign: int
    args: tuple[Formula, ...] = ()  # log: numerator and denominator of its argument
    name: str = ""
    range: Range | None = None


class Formula:
    """A sum of rational multiples of products of rational powers of atoms.

    Powers that are fractions or negative are of atoms that are >= 0, or not 0, on the whole domain.
    """

    __slots__ = ("bits", "ring", "terms")

    def __init__(self, ring: Ring, terms: dict[Mono, Fraction]) -> None:
        self.ring, self.terms = ring, terms
        sizes = (max(c.numerator.bit_length(), c.denominator.bit_length()) for c in terms.values())
        self.bits = max(sizes, default=0)
        if self.bits > MAX_BITS:
            raise Refused(f"numbers of more than {MAX_BITS} bits")

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Formula | Fraction | int) -> Formula:
        return self.ring.total((self, self.ring.lift(other)))

    def __neg__(self) -> Formula:
        return Formula(self.ring, {mono: -c for mono, c in self.terms.items()})

    def __sub__(self, other: Formula | Fraction | int) -> Formula:
        return self + -self.ring.lift(other)

    def __mul__(self, other: Formula | Fraction | int) -> Formula:
        ring, right = self.ring, self.ring.lift(other)
        ring.spend(len(self.terms) * len(right.terms) * (1 + (self.bits + right.bits) // 256))
        found: dict[Mono, Fraction] = {}
        for (m, c), (n, k) in product(self.terms.items(), right.terms.items()):
            mono, factor = (m + n, ONE) if not (m and n) else ring.tidy((*m, *n))
            found[mono] = found.get(mono, 0) + (c * k if factor == 1 else c * k * factor)
        return Formula(ring, {mono: c for mono, c in found.items() if c})

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Fraction | int) -> Formula:
        return -self + other

    def __truediv__(self, other: Formula | Fraction | int) -> Formula:
        return self * self.ring.lift(other) ** -1

    def __rtruediv__(self, other: Fraction | int) -> Formula:
        return self**-1 * other

    def __pow__(self, exponent: Exponent) -> Formula:
        return self.ring.power(self, Fraction(exponent))

    @property
    def constant(self) -> Fraction | None:
        """Its value, where it is a rational number."""
        return self.terms.get((), Fraction(0)) if self.terms.keys() <= {()} else None


class Ring:
    """Formulas over declared symbols, and what can be shown of their signs on the whole domain."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.index: dict[object, int] = {}
        self.symbols: dict[str, Formula] = {}  # those that a formula may use so far
        self.memo: dict[str, Formula] = {}
        self.shown: dict[object, bool] = {}
        self.work = 0

    def spend(self, work: int) -> None:
        """Count work, so that no file keeps the checker busy for long. Raises Refused."""
        self.work += work
        if self.work > MAX_WORK:
            raise Refused("more algebra than this checker is willing to do")

    def atom(self, key: object, make: Callable[[], Atom]) -> Formula:
        """The atom with this key, made when first asked for."""
        if key not in self.index:
            made = make()
            self.index[key] = len(self.atoms)
            self.atoms.append(made)
        return Formula(self, {((self.index[key], 1),): ONE})

    def lift(self, value: Formula | Fraction | int) -> Formula:
        """A number as a formula."""
        if isinstance(value, Formula):
            return value
        return Formula(self, {(): Fraction(value)} if value else {})

    def total(self, parts: Iterable[Formula]) -> Formula:
        """The sum."""
        found: dict[Mono, Fraction] = {}
        for part in parts:
            self.spend(len(part.terms))
            for mono, c in part.terms.items():
                found[mono] = found.get(mono, 0) + c
        return Formula(self, {mono: c for mono, c in found.items() if c})

    def tidy(self, factors: Iterable[tuple[int, Exponent]]) -> tuple[Mono, Fraction]:
        """A product of powers, like ones collected; whole powers of numbers become a factor."""
        powers: dict[int, Exponent] = {}
        for g, e in factors:
            powers[g] = powers.get(g, 0) + e
        factor = ONE
        for g, e in powers.items():
            if abs(e) > 4096:
                raise Refused("an exponent above 4096")
            powers[g] = int(e) if e.denominator == 1 else e
            if self.atoms[g].kind == "number" and not 0 < e < 1:
                factor *= Fraction(int(self.atoms[g].name)) ** math.floor(e)
                powers[g] = e - math.floor(e)
        return tuple(sorted((g, e) for g, e in powers.items() if e)), factor

    def power(self, f: Formula, e: Fraction) -> Formula:
        """f ** e. A fraction needs f >= 0, a negative power f != 0, on the whole domain."""
        if e.denominator == 1 and 0 <= e and (len(f.terms) != 1 or e == 0):
            result = self.lift(1)
            for _ in range(int(e)):
                result = result * f
            return result
        if not f.terms:
            if e > 0:
                return f
            raise Refused("a division by zero")
        whole = e.denominator == 1
        c, mono, base = self.split(f)
        factors, rest = list(mono), None
        if base.constant is None and (len(f.terms) > 1 or not whole or e < 0):
            sign = self.sign(base)
            if sign < 0:
                c, base, sign = -c, -base, 2
            key = ("sum", frozenset(base.terms.items()))
            atom = self.atom(key, lambda: Atom("sum", sign, (base,)))
            rest = next(iter(atom.terms))[0]
            factors.append(rest)
        for g, k in factors if not whole or e < 0 else ():
            sign = self.atoms[g].sign
            if not (sign == 2 or (sign == 1 and k * e > 0) or (sign == -2 and whole)):
                raise Refused(f"not shown to be > 0 on the whole domain: {text_of(self.bare(g))}")
        if c < 0 and not whole:
            raise Refused(f"a root of something negative: {text_of(f)}")
        if f.bits * abs(e) > MAX_BITS:
            raise Refused(f"numbers of more than {MAX_BITS} bits")
        roots, factor = ((), c ** int(e)) if whole else self.root(c, e)
        monos, more = self.tidy((*roots, *((g, k * e) for g, k in factors)))
        return Formula(self, {monos: factor * more})

    def root(self, c: Fraction, e: Fraction) -> tuple[Mono, Fraction]:
        """c ** e for c > 0: prime factors below 100, and what is left of them, become atoms."""
        factors: list[tuple[int, Exponent]] = []
        for value, power in ((c.numerator, e), (c.denominator, -e)):
            left = value
            for prime in (p for p in range(2, 100) if all(p % k for k in range(2, p))):
                count = 0
                while left % prime == 0:
                    left, count = left // prime, count + 1
                factors.append((self.number_atom(prime), power * count))
            exact = integer_root(left, e.denominator)
            if exact**e.denominator == left:
                left, power = exact, power * e.denominator
            if left > 1:
                factors.append((self.number_atom(left), power))
        return self.tidy((g, k) for g, k in factors if k)

    def number_atom(self, value: int) -> int:
        """The atom of a whole number, for its roots."""
        return next(iter(self.atom(("number", value), lambda: Atom("number", 2, name=str(value))).terms))[0][0]

    def bare(self, g: int) -> Formula:
        """An atom as a formula."""
        return Formula(self, {((g, 1),): ONE})

    def clear(self, f: Formula) -> tuple[Formula, Formula]:
        """(n, d) with f = n/d, d > 0 on the domain, no negative powers, and sums multiplied out."""
        low: dict[int, int] = {}
        for mono in f.terms:
            for g, e in mono:
                if e < 0:
                    low[g] = min(low.get(g, 0), math.floor(e))
        shift = [(g, -e if self.atoms[g].sign == 2 else -e - e % -2 + (e % 2)) for g, e in low.items()]
        shift = [(g, k + k % 2 if self.atoms[g].sign != 2 else k) for g, k in ((g, -low[g]) for g, _ in shift)]
        return self.expand(f * Formula(self, {self.tidy(shift)[0]: ONE})), self.expand(
            Formula(self, {self.tidy(shift)[0]: ONE})
        )
