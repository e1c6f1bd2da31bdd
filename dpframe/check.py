"""Checks a certificate from its file alone: `python check.py FILE [--expect HASH]`.

Everything is derived again from the nodes of the graph: facts about rows, sensitivities, obligations,
the total. Nothing of dpframe is imported, hints are never read, and mpmath serves only for bounds on
exp and log. What is not shown here is refused. Exit status: 0 accepted, 1 rejected (with the first
obligation that was not shown), 2 not a certificate file.

Reading order: CORE 1-4; TABLES, one short function for each kind of node, theorem and derivation;
BOUNDS, numbers with proved remainders; TEXT.
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
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

Json = Any
Exponent = int | Fraction
Mono = tuple[tuple[int, Exponent], ...]
Point = Mapping[str, Fraction]
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)

# ==================================================================== CORE 1: what a file may hold
SCHEMA = "dpframe-certificate/1"
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,699})(/[1-9][0-9]{0,699})?\Z")
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,40}\Z")
CLOSED = {"neither": (False, False), "left": (True, False), "right": (False, True), "both": (True, True)}
MAX_DEPTH, MAX_TEXT, MAX_BITS, MAX_WORK = 80, 100_000_000, 40_000, 4_000_000
MAX_BOXES, MAX_TENSOR, MAX_PATCHES = 4_000, 100_000, 1_000


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
        if type(value) is dict and all(type(key) is str for key in value):
            stack += [(part, depth + 1) for part in value.values()]
        elif type(value) is list:
            stack += [(part, depth + 1) for part in value]
        elif type(value) is int:
            size += value.bit_length() ** 2  # writing it down takes quadratic time
        elif not (value is None or type(value) in (str, bool)) and not (type(value) is float and math.isfinite(value)):
            raise Unusable(f"not a JSON value: {value!r:.80}")


def keys(value: Json, where: str, **types: Any) -> Any:
    """`value`, if it is an object with exactly these keys of these types. Raises Refused."""
    if type(value) is not dict or value.keys() != types.keys():
        found = sorted(value) if type(value) is dict else value
        raise Refused(f"{where}: must have exactly the keys {sorted(types)}, has {found!r:.200}")
    for name, kind in types.items():
        if kind is not object and type(value[name]) not in (kind if isinstance(kind, tuple) else (kind,)):
            raise Refused(f"{where}: {name} has the wrong type: {value[name]!r:.80}")
    return value


def number(text: Json, where: str) -> Fraction:
    """An exact rational, given as text. Raises Refused."""
    if type(text) is not str or not NUMBER.match(text):
        raise Refused(f"{where}: not an exact rational such as '3/2': {text!r:.80}")
    return Fraction(text)


class Range(NamedTuple):
    """An interval; None is an infinite end, `left` and `right` say whether the ends belong to it."""

    lower: Fraction | None
    upper: Fraction | None
    left: bool = False
    right: bool = False
    integer: bool = False

    def __contains__(self, value: Any) -> bool:
        above = self.lower is None or value > self.lower or (self.left and value == self.lower)
        below = self.upper is None or value < self.upper or (self.right and value == self.upper)
        return above and below and not (self.integer and value.denominator != 1)

    @property
    def sign(self) -> int:
        """2: every point > 0; 1: >= 0; -2: < 0; 0: none of these."""
        if self.lower is not None and self.lower >= 0:
            return 1 if self.lower == 0 and self.left else 2
        negative = self.upper is not None and (self.upper < 0 or (self.upper == 0 and not self.right))
        return -2 if negative else 0


def domain(spec: Json, where: str) -> Range:
    """The domain of a symbol, drawn in to whole numbers where it holds only these. Raises Refused."""
    text = (str, type(None))
    keys(spec, where, lower=text, upper=text, closed=str, integer=bool, origin=(int, type(None)))
    low, high = (None if spec[end] is None else number(spec[end], where) for end in ("lower", "upper"))
    left, right = CLOSED.get(spec["closed"], (True, True))
    if spec["closed"] not in CLOSED or (left and low is None) or (right and high is None):
        raise Refused(f"{where}: closed must be one of {sorted(CLOSED)}, and an infinite end is open")
    if spec["integer"]:
        low = low if low is None else Fraction(math.ceil(low) if left else math.floor(low) + 1)
        high = high if high is None else Fraction(math.floor(high) if right else math.ceil(high) - 1)
        left, right = low is not None, high is not None
    if low is not None and high is not None and not (low < high or (low == high and left and right)):
        raise Refused(f"{where}: the domain is empty")
    return Range(low, high, left, right, spec["integer"])


# =================================================================================== CORE 2: formulas
class Atom(NamedTuple):
    """What formulas are polynomials in, with its sign on the whole domain (as Range.sign)."""

    kind: str  # symbol, number (of a root), sum (base of a power), log, exp, min, max, analytic_sigma
    sign: int
    args: tuple[Formula, ...] = ()  # log: numerator and denominator of its argument
    name: str = ""
    range: Range = Range(None, None)


class Formula:
    """A sum of rational multiples of products of rational powers of atoms, defined on the whole domain.

    An atom under a fractional power is >= 0, and one under a negative power is not 0, on the whole domain.
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

    def __add__(self, other: Formula | Exponent) -> Formula:
        return self.ring.total((self, self.ring.lift(other)))

    def __neg__(self) -> Formula:
        return Formula(self.ring, {mono: -c for mono, c in self.terms.items()})

    def __sub__(self, other: Formula | Exponent) -> Formula:
        return self + -self.ring.lift(other)

    def __mul__(self, other: Formula | Exponent) -> Formula:
        ring, right = self.ring, self.ring.lift(other)
        ring.spend(len(self.terms) * len(right.terms) * (1 + (self.bits + right.bits) // 256))
        found: dict[Mono, Fraction] = {}
        for (m, c), (n, k) in product(self.terms.items(), right.terms.items()):
            mono, factor = (m + n, ONE) if not (m and n) else ring.tidy((*m, *n))
            found[mono] = found.get(mono, ZERO) + c * k * factor
        return Formula(ring, {mono: c for mono, c in found.items() if c})

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Formula | Exponent) -> Formula:
        return self * self.ring.lift(other) ** -1

    def __pow__(self, exponent: Exponent) -> Formula:
        return self.ring.power(self, Fraction(exponent))

    @property
    def constant(self) -> Fraction | None:
        """Its value, where it is a rational number."""
        return self.terms.get((), ZERO) if self.terms.keys() <= {()} else None


class Ring:
    """Formulas over declared symbols; what is shown of their signs holds on the whole domain."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.names: list[frozenset[str]] = []  # for each atom, the symbols in it
        self.index: dict[object, int] = {}
        self.symbols: dict[str, Formula] = {}  # those that a formula may use so far
        self.ranges: dict[str, Range] = {}
        self.memo: dict[str, Formula] = {}
        self.seen: dict[object, bool] = {}
        self.work = 0

    def spend(self, work: int) -> None:
        """Count work, so that no file keeps the checker busy. Raises Refused."""
        self.work += work
        if self.work > MAX_WORK:
            raise Refused("more work than this checker is willing to do")

    def intern(self, key: object, atom: Atom) -> int:
        """The number of the atom with this key; `atom` where there is none yet."""
        if key not in self.index:
            self.index[key] = len(self.atoms)
            self.atoms.append(atom)
            own = {atom.name} if atom.kind == "symbol" else set()
            self.names.append(frozenset(own.union(*map(self.depends, atom.args))))
        return self.index[key]

    def bare(self, g: int) -> Formula:
        """An atom as a formula."""
        return Formula(self, {((g, 1),): ONE})

    def depends(self, f: Formula) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset().union(*(self.names[g] for mono in f.terms for g, _ in mono))

    def lift(self, value: Formula | Exponent) -> Formula:
        """A number as a formula."""
        if isinstance(value, Formula):
            return value
        return Formula(self, {(): Fraction(value)} if value else {})

    def total(self, parts: Iterable[Formula]) -> Formula:
        """The sum."""
        found: dict[Mono, Fraction] = {}
        for part in parts:
            self.spend(len(part.terms) * (1 + part.bits // 256))
            for mono, c in part.terms.items():
                found[mono] = found.get(mono, ZERO) + c
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
            if self.atoms[g].kind == "number" and not 0 < e < 1:
                factor *= Fraction(int(self.atoms[g].name)) ** math.floor(e)
                e -= math.floor(e)
            powers[g] = int(e) if e.denominator == 1 else e
        return tuple(sorted((g, e) for g, e in powers.items() if e)), factor

    def expand(self, f: Formula) -> Formula:
        """The same with whole powers of sums multiplied out."""
        done = []
        for mono, c in f.terms.items():
            sums = [(g, math.floor(e)) for g, e in mono if self.atoms[g].kind == "sum" and e >= 1]
            part = Formula(self, {self.tidy((*mono, *((g, -k) for g, k in sums)))[0]: c})
            for g, k in sums:
                part = part * self.atoms[g].args[0] ** k
            done.append(part)
        return self.total(done)

    def clear(self, f: Formula) -> tuple[Formula, Mono]:
        """(n, m) with f = n/m: m > 0 a product of atoms, n without negative powers, sums multiplied out."""
        low: dict[int, int] = {}
        for mono in f.terms:
            for g, e in mono:
                if e < low.get(g, 0):
                    low[g] = math.floor(e)
        shift, _ = self.tidy((g, -e if self.atoms[g].sign == 2 else e % 2 - e) for g, e in low.items())
        return self.expand(f * Formula(self, {shift: ONE})), shift

    def content(self, *fs: Formula) -> Mono:
        """The largest product of positive atoms that divides every term; fs have no negative powers."""
        monos = [dict(mono) for f in fs for mono in f.terms]
        least = ((g, min(m.get(g, 0) for m in monos)) for g in monos[0] if self.atoms[g].sign == 2)
        return tuple((g, -e) for g, e in least if e)

    def ratio(self, f: Formula) -> tuple[Formula, Formula]:
        """f as n/d of polynomials, d > 0, in a form that equal formulas mostly share."""
        top, shift = self.clear(f)
        bottom = self.expand(Formula(self, {shift: ONE}))
        common = Formula(self, {self.tidy(self.content(top, bottom))[0]: 1 / abs(bottom.terms[max(bottom.terms)])})
        return top * common, bottom * common

    def key(self, *fs: Formula) -> tuple[object, ...]:
        """What to look up an atom with these arguments by."""
        return tuple(frozenset(part.terms.items()) for f in fs for part in self.ratio(f))

    def power(self, f: Formula, e: Fraction) -> Formula:
        """f ** e, where f >= 0 (for a fraction) and f is not 0 (for e < 0) on the domain. Raises Refused."""
        whole = e.denominator == 1
        if f.bits * abs(e) > MAX_BITS:
            raise Refused(f"numbers of more than {MAX_BITS} bits")
        if whole and e >= 0 and len(f.terms) != 1:
            result = self.lift(1)
            for _ in range(int(e)):
                result = result * f
            return result
        if len(f.terms) == 1:
            ((mono, c),) = f.terms.items()
        else:
            mono, c = self.primitive(f)
        if not c and e > 0:
            return self.lift(0)
        usable = all(self.usable(self.atoms[g].sign, k, e) for g, k in mono) and (whole or c > 0) and c != 0
        if not usable and not (whole and e > 0):
            raise Refused(f"({text_of(f)}) ^ {e}: not shown to be defined on the whole domain")
        roots, factor = ((), c ** int(e)) if whole else self.root(c, e)
        monos, more = self.tidy((*roots, *((g, k * e) for g, k in mono)))
        return Formula(self, {monos: factor * more})

    @staticmethod
    def usable(sign: int, k: Exponent, e: Fraction) -> bool:
        """Whether (x ** k) ** e = x ** (k e) is defined for an x of this sign."""
        return sign == 2 or (sign == 1 and k > 0 and e > 0) or (sign == -2 and e.denominator == 1)

    def primitive(self, f: Formula) -> tuple[Mono, Fraction]:
        """(m, c) with f = c m, m a product of powers of positive atoms and of one sum, where that can be shown."""
        top, shift = self.clear(f)
        if not top:
            return (), ZERO
        outside = self.content(top)
        c = top.terms[max(top.terms)]
        base = top * Formula(self, {self.tidy(outside)[0]: 1 / c})
        sign = self.sign(base)
        if sign < 0:
            c, base, sign = -c, -base, 2
        inverse = [(g, -e) for g, e in (*outside, *shift)]
        if base.constant is not None:
            return self.tidy(inverse)[0], c * base.constant
        g = self.intern(("sum", frozenset(base.terms.items())), Atom("sum", sign, (base,)))
        return self.tidy((*inverse, (g, 1)))[0], c

    def root(self, c: Fraction, e: Fraction) -> tuple[Mono, Fraction]:
        """c ** e for c > 0: primes below 100, and what is left beside them, become atoms."""
        factors: list[tuple[int, Exponent]] = []
        for value, sign in ((c.numerator, 1), (c.denominator, -1)):
            left = value
            for prime in (p for p in range(2, 100) if all(p % k for k in range(2, p))):
                while left % prime == 0:
                    left //= prime
                    factors.append((prime, sign * e))
            exact = whole_root(left, e.denominator)
            perfect = exact**e.denominator == left
            factors.append((exact, sign * e * e.denominator) if perfect else (left, sign * e))
        atoms = ((self.intern(n, Atom("number", 2, name=str(n))), k) for n, k in factors if n > 1)
        return self.tidy(atoms)

    def log(self, f: Formula) -> Formula:
        """log f, for f > 0. Raises Refused."""
        if not self.prove(f, strict=True):
            raise Refused(f"log({text_of(f)}): not shown to be positive on the whole domain")
        top, bottom = self.ratio(f)
        sign = self.sign(top - bottom)
        one, other = frozenset(top.terms.items()), frozenset(bottom.terms.items())
        if sign == -2 or ("log", other, one) in self.index:
            return -self.log(self.lift(1) / f) if len(f.terms) else f
        return self.bare(self.intern(("log", one, other), Atom("log", sign, (top, bottom)))) if top - bottom else self.lift(0)
