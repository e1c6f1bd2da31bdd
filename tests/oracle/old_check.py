"""Checks a certificate from its file alone: `python check.py FILE [--expect HASH]`.

Everything is derived again from the nodes of the graph: facts about rows, sensitivities, the list
of obligations, the total. Nothing of dpframe is imported, hints are never read, and mpmath serves
only for bounds on exp, log and pi. What is not shown here is refused. Exit status: 0 accepted,
1 rejected (with the first obligation that was not shown), 2 not a certificate file.

Reading order: CORE 1 and 2, what a file may hold and which obligations it has (at most 300 lines of
code); ALGEBRA, exact formulas and what is shown of their signs; TABLES, one short function for each
kind of node, theorem and derivation; BOUNDS, numbers with proved remainders; TEXT.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import math
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice, product
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

Json = Any
Exponent = int | Fraction
Mono = tuple[tuple[int, Exponent], ...]  # a product of powers of atoms
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
PRIMES = [p for p in range(2, 100) if all(p % k for k in range(2, p))]

# ================================================================ CORE 1: what a file may hold
SCHEMA = "dpframe-certificate/1"
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,699})(/[1-9][0-9]{0,699})?\Z")
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,40}\Z")
CLOSED = {"neither": (0, 0), "left": (1, 0), "right": (0, 1), "both": (1, 1)}
FUNCTIONS = {"log": 1, "exp": 1, "analytic_sigma": 2, "+": 0, "*": 0, "min": 0, "max": 0}  # 0: any
MAX_DEPTH, MAX_TEXT, MAX_BITS, MAX_WORK = 80, 100_000_000, 40_000, 2_000_000
MAX_BOXES, MAX_TENSOR, MAX_PATCHES = 4_000, 60_000, 1_000


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
        elif type(value) is float and not math.isfinite(value):
            raise Unusable(f"not a JSON number: {value}")
        elif value is not None and type(value) not in (str, bool, float):
            raise Unusable(f"not a JSON value: {type(value).__name__}")


def keys(value: Json, where: str, /, **types: Any) -> Any:
    """`value`, if it is an object with exactly these keys of these types. Raises Refused."""
    if type(value) is not dict or value.keys() != types.keys():
        found = sorted(value) if type(value) is dict else value
        raise Refused(f"{where}: must have exactly the keys {sorted(types)}, not {found!r:.200}")
    for name, kind in types.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if object not in kinds and type(value[name]) not in kinds:
            raise Refused(f"{where}: {name} has the wrong type: {value[name]!r:.80}")
    return value


def number(text: Json, where: str) -> Fraction:
    """An exact rational, given as text. Raises Refused."""
    if type(text) is not str or not NUMBER.match(text):
        raise Refused(f"{where}: not an exact rational such as '3/2': {text!r:.80}")
    return Fraction(text)


class Range(NamedTuple):
    """An interval; None is an infinite end, `left` and `right` say whether it has its ends."""

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
        return -2 if self.upper is not None and self.upper <= 0 and ZERO not in self else 0


def domain(spec: Json, where: str) -> Range:
    """The domain of a symbol, drawn in to whole numbers if only these count. Raises Refused."""
    end, origin = (str, type(None)), (int, type(None))
    keys(spec, where, lower=end, upper=end, closed=str, integer=bool, origin=origin)
    low, high = (None if spec[e] is None else number(spec[e], where) for e in ("lower", "upper"))
    left, right = map(bool, CLOSED.get(spec["closed"], (1, 1)))
    if spec["closed"] not in CLOSED or (left and low is None) or (right and high is None):
        raise Refused(f"{where}: closed must be in {sorted(CLOSED)}, infinite ends are open")
    if spec["integer"] and low is not None:
        low, left = Fraction(math.ceil(low) if left else math.floor(low) + 1), True
    if spec["integer"] and high is not None:
        high, right = Fraction(math.floor(high) if right else math.ceil(high) - 1), True
    width = ONE if low is None or high is None else high - low
    if width < 0 or (width == 0 and not (left and right)):
        raise Refused(f"{where}: the domain is empty")
    return Range(low, high, left, right, spec["integer"])


# ========================================================================= ALGEBRA 1: formulas
class Atom(NamedTuple):
    """What formulas are polynomials in, with its sign on the whole domain (as Range.sign)."""

    kind: str  # symbol, number (below a root), sum (base of a power), log, exp, min, max, ...
    sign: int
    args: tuple[Formula, ...] = ()  # of a log: numerator and denominator of its argument
    name: str = ""
    range: Range = Range(None, None)


class Formula:
    """A sum of rational multiples of products of rational powers of atoms: `terms`, over `den`.

    It is defined on the whole domain: an atom under a fractional power is >= 0 there, and one
    under a negative power is not 0.
    """

    __slots__ = ("den", "ring", "terms")

    def __init__(self, ring: Ring, terms: Mapping[Mono, int], den: int = 1) -> None:
        gcd = math.gcd(den, *terms.values())
        self.ring, self.den = ring, den // gcd
        self.terms = {mono: c // gcd for mono, c in terms.items() if c}
        if self.bits > MAX_BITS:
            raise Refused(f"numbers of more than {MAX_BITS} bits")

    @property
    def bits(self) -> int:
        """About the size of the largest number in it."""
        cs = self.terms.values()
        return self.den.bit_length() + max(*cs, -min(cs)).bit_length() if cs else 0

    @property
    def pairs(self) -> list[tuple[Mono, Fraction]]:
        """Products of powers, and what they are multiplied by."""
        return [(mono, Fraction(c, self.den)) for mono, c in self.terms.items()]

    @property
    def key(self) -> object:
        """Equal formulas mostly have equal keys, different ones never."""
        return self.den, frozenset(self.terms.items())

    @property
    def constant(self) -> Fraction | None:
        """Its value, where it is a rational number."""
        known = self.terms.keys() <= {()}
        return Fraction(self.terms.get((), 0), self.den) if known else None

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Formula | Exponent) -> Formula:
        return self.ring.total((self, self.ring.lift(other)))

    def __neg__(self) -> Formula:
        return Formula(self.ring, {mono: -c for mono, c in self.terms.items()}, self.den)

    def __sub__(self, other: Formula | Exponent) -> Formula:
        return self + -self.ring.lift(other)

    def __rsub__(self, other: Exponent) -> Formula:
        return -self + other

    def __mul__(self, other: Formula | Exponent) -> Formula:
        ring, right = self.ring, self.ring.lift(other)
        ring.spend(len(self.terms) * len(right.terms) * (1 + self.den.bit_length() // 256))
        found: dict[Mono, Exponent] = {}
        for (m, c), (n, k) in product(self.terms.items(), right.terms.items()):
            both = m + n
            apart = len(dict(both)) == len(both)
            mono, factor = (tuple(sorted(both)), 1) if apart else ring.tidy(both)
            found[mono] = found.get(mono, 0) + c * k * factor
        return ring.over(found, self.den * right.den)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Formula | Exponent) -> Formula:
        return self * self.ring.lift(other) ** -1

    def __rtruediv__(self, other: Exponent) -> Formula:
        return self**-1 * other

    def __pow__(self, exponent: Exponent) -> Formula:
        key = (self.key, exponent)
        if key not in self.ring.powers:
            self.ring.powers[key] = self.ring.power(self, Fraction(exponent))
        return self.ring.powers[key]


class Ring:
    """Formulas over declared symbols; what is shown of their signs holds on the whole domain."""

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.names: list[frozenset[str]] = []  # for each atom, the symbols in it
        self.index: dict[object, int] = {}
        self.symbols: dict[str, Formula] = {}  # those that a formula may use so far
        self.memo: dict[str, Formula] = {}
        self.logs: dict[object, Formula] = {}
        self.powers: dict[object, Formula] = {}
        self.seen: dict[object, bool] = {}
        self.work = 0

    def spend(self, work: int) -> None:
        """Count work, so that no file keeps the checker busy. Raises Refused."""
        self.work += work
        if self.work > MAX_WORK:
            raise Refused("more work than this checker is willing to do")

    def intern(self, key: object, atom: Atom) -> int:
        """The number of the atom with this key: `atom`, where there is none yet."""
        if key not in self.index:
            self.index[key] = len(self.atoms)
            self.atoms.append(atom)
            own = {atom.name} if atom.kind == "symbol" else set()
            self.names.append(frozenset(own.union(*map(self.depends, atom.args))))
        return self.index[key]

    def depends(self, *fs: Formula) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset().union(*(self.names[g] for f in fs for mono in f.terms for g, _ in mono))

    def lift(self, value: Formula | Exponent) -> Formula:
        """A number as a formula."""
        if isinstance(value, Formula):
            return value
        return Formula(self, {(): value.numerator}, value.denominator)

    def over(self, terms: Mapping[Mono, Exponent], den: int = 1) -> Formula:
        """A formula from coefficients that may be fractions."""
        common = math.lcm(*[c.denominator for c in terms.values()])
        whole = {mono: (c * common).numerator for mono, c in terms.items()}
        return Formula(self, whole, den * common)

    def product(self, factors: Iterable[tuple[int, Exponent]], c: Exponent = 1) -> Formula:
        """c times a product of powers of atoms."""
        mono, more = self.tidy(factors)
        value = c * more
        return Formula(self, {mono: value.numerator}, value.denominator)

    def total(self, parts: Iterable[Formula]) -> Formula:
        """The sum."""
        parts = list(parts)
        den = 1
        for part in parts:
            den = math.lcm(den, part.den)
            if den.bit_length() > MAX_BITS:
                raise Refused(f"numbers of more than {MAX_BITS} bits")
        found: dict[Mono, int] = {}
        for part in parts:
            scale = den // part.den
            self.spend(len(part.terms) * (1 + den.bit_length() // 256))
            for mono, c in part.terms.items():
                found[mono] = found.get(mono, 0) + c * scale
        return Formula(self, found, den)

    def tidy(self, factors: Iterable[tuple[int, Exponent]]) -> tuple[Mono, Exponent]:
        """A product of powers, like ones collected; whole powers of numbers become a factor."""
        powers: dict[int, Exponent] = {}
        for g, e in factors:
            powers[g] = powers.get(g, 0) + e
        factor: Exponent = 1
        for g, e in powers.items():
            if not -4096 <= e <= 4096:
                raise Refused("an exponent above 4096")
            whole = math.floor(e) if self.atoms[g].kind == "number" else 0
            if whole:
                factor = factor * Fraction(int(self.atoms[g].name)) ** whole
            if type(e) is not int or whole:
                powers[g] = int(e - whole) if e.denominator == 1 else e - whole
        return tuple(sorted([(g, e) for g, e in powers.items() if e])), factor

    def expand(self, f: Formula) -> Formula:
        """The same with whole powers of sums multiplied out."""
        done = []
        if not any(e >= 1 and self.atoms[g].kind == "sum" for mono in f.terms for g, e in mono):
            return f
        for mono, c in f.terms.items():
            sums = [(g, math.floor(e)) for g, e in mono if self.atoms[g].kind == "sum" and e >= 1]
            part = self.product((*mono, *((g, -k) for g, k in sums)), c)
            for g, k in sums:
                part = part * self.atoms[g].args[0] ** k
            done.append(part)
        return self.total(done) * Fraction(1, f.den)

    def clear(self, f: Formula) -> tuple[Formula, Mono]:
        """(n, m), f = n/m: m > 0 a product of atoms, n expanded and without negative powers."""
        low: dict[int, int] = {}
        for mono in f.terms:
            for g, e in mono:
                if e < low.get(g, 0):
                    low[g] = math.floor(e)
        shift = [(g, -e if self.atoms[g].sign == 2 else e % 2 - e) for g, e in low.items()]
        if not low:
            return self.expand(f), ()
        return self.expand(f * self.product(shift)), self.tidy(shift)[0]

    def content(self, *fs: Formula) -> list[tuple[int, Exponent]]:
        """The inverse of the largest product of positive atoms in all terms of fs (cleared)."""
        monos = [dict(mono) for f in fs for mono in f.terms]
        least = [(g, min(m.get(g, 0) for m in monos)) for g in monos[0]]
        return [(g, -e) for g, e in least if e and self.atoms[g].sign == 2]

    def ratio(self, f: Formula) -> tuple[Formula, Formula]:
        """f = n/d, d > 0, both polynomials in atoms, in a form that equal formulas mostly share."""
        top, shift = self.clear(f)
        bottom = self.expand(self.product(shift)) * top.den
        gcd = math.gcd(*top.terms.values(), *bottom.terms.values())
        common = self.product(self.content(top, bottom), Fraction(1, gcd))
        return top * top.den * common, bottom * common

    def key(self, *fs: Formula) -> tuple[object, ...]:
        """What to look up an atom with these arguments by."""
        return tuple(part.key for f in fs for part in self.ratio(f))

    def power(self, f: Formula, e: Fraction) -> Formula:
        """f^e, if f >= 0 (for a fraction) or f not 0 (for e < 0) is shown. Raises Refused."""
        whole, result = e.denominator == 1, self.lift(1)
        if f.bits * abs(e) > MAX_BITS:
            raise Refused(f"numbers of more than {MAX_BITS} bits")
        if whole and e >= 0 and (len(f.terms) != 1 or e == 0):
            for _ in range(int(e)):
                result = result * f
            return result
        mono, c = f.pairs[0] if len(f.terms) == 1 else self.primitive(f)
        if not c and e > 0:
            return self.lift(0)
        usable = all(self.usable(self.atoms[g].sign, k, e) for g, k in mono)
        if not c or (c < 0 and not whole) or not (usable or (whole and e > 0)):
            raise Refused(f"({text_of(f)})^({e}): not shown to be defined on the whole domain")
        roots, factor = ([], c ** int(e)) if whole else (self.root(c, e), 1)
        return self.product((*roots, *((g, k * e) for g, k in mono)), factor)

    @staticmethod
    def usable(sign: int, k: Exponent, e: Fraction) -> bool:
        """Whether (x^k)^e = x^(k e) is defined and true for every x of this sign."""
        return sign == 2 or (sign == 1 and k > 0 and e > 0) or (sign == -2 and e.denominator == 1)

    def primitive(self, f: Formula) -> tuple[Mono, Fraction]:
        """(m, c), f = c m: m a product of powers of atoms, one of them a sum made for this."""
        top, shift = self.clear(f)
        if not top:
            return (), ZERO
        content = self.content(top)
        c = dict(top.pairs)[max(top.terms)]
        base = top * self.product(content, 1 / c)
        sign = self.sign(base)
        if sign == -2:
            c, base, sign = -c, -base, 2
        mono = [(g, -e) for g, e in (*content, *shift)]
        if base.constant is not None:
            return self.tidy(mono)[0], c * base.constant
        g = self.intern(("sum", base.key), Atom("sum", sign, (base,)))
        return self.tidy((*mono, (g, 1)))[0], c

    def factored(self, f: Formula) -> Formula:
        """The same as one product, so that it cancels against equal factors."""
        mono, c = self.primitive(f) if len(f.terms) > 1 else (f.pairs or [((), ZERO)])[0]
        return self.product(mono, c)

    def root(self, c: Fraction, e: Fraction) -> list[tuple[int, Exponent]]:
        """c^e for c > 0 and a fraction e: primes below 100, and what is left, become atoms."""
        factors: list[tuple[int, Exponent]] = []
        for value, power in ((c.numerator, e), (c.denominator, -e)):
            left = value
            for prime in PRIMES:
                while left % prime == 0:
                    left //= prime
                    factors.append((prime, power))
            exact = whole_root(left, e.denominator)
            perfect = exact**e.denominator == left
            factors.append((exact, power * e.denominator) if perfect else (left, power))
        return [(self.intern(n, Atom("number", 2, name=str(n))), k) for n, k in factors if n > 1]

    def log(self, f: Formula) -> Formula:
        """log f, if f > 0 is shown. Raises Refused."""
        if f.key not in self.logs:
            self.logs[f.key] = self.new_log(f)
        return self.logs[f.key]

    def new_log(self, f: Formula) -> Formula:
        """The same, when it is first asked for. Raises Refused."""
        if not self.prove(f, strict=True):
            raise Refused(f"log({text_of(f)}): not shown to be defined on the whole domain")
        top, bottom = self.ratio(f)
        if top.key == bottom.key:
            return self.lift(0)
        sign, turned = self.sign(top - bottom), ("log", bottom.key, top.key)
        if sign == -2 or turned in self.index:  # log(n/d) = -log(d/n)
            return -self.product([(self.intern(turned, Atom("log", abs(sign), (bottom, top))), 1)])
        plus = Atom("log", sign, (top, bottom))
        return self.product([(self.intern(("log", top.key, bottom.key), plus), 1)])

    def extremum(self, name: str, parts: Sequence[Formula]) -> Formula:
        """The least or largest of formulas; those that never decide are left out."""
        side = 1 if name == "max" else -1
        kept: list[Formula] = []
        for part in parts:
            if not any(self.prove((other - part) * side, patches=32) for other in kept):
                worse = [k for k in kept if self.prove((part - k) * side, patches=32)]
                kept = [*(k for k in kept if k not in worse), part]
        if len(kept) == 1:
            return kept[0]
        signs = [self.sign(part) for part in kept]
        sign = max(0, max(signs) if side == 1 else min(signs))
        if side == 1 and len(kept) == 2 and self.opposite(*kept):  # max(f, -f) = |f|
            sign = max(1, sign)
        atom = Atom(name, sign, tuple(kept))
        return self.product([(self.intern((name, frozenset(map(self.key, kept))), atom), 1)])

    def opposite(self, left: Formula, right: Formula) -> bool:
        """Whether two formulas add up to 0."""
        total = left + right
        return self.prove(total) and self.prove(total * -1)

    def implicit(self, name: str, parts: Sequence[Formula]) -> Formula:
        """exp or analytic_sigma. Raises Refused."""
        if name == "analytic_sigma":
            inside = self.prove(parts[1], strict=True) and self.prove(1 - parts[1], strict=True)
            if not (inside and self.prove(parts[0])):
                raise Refused("analytic_sigma: needs epsilon >= 0 and 0 < delta < 1 everywhere")
        atom = Atom(name, 2, tuple(parts))
        return self.product([(self.intern((name, *self.key(*parts)), atom), 1)])

    def formula(self, value: Json, where: str, depth: int = 0) -> Formula:
        """The formula of a JSON value over the symbols that may be used so far. Raises Refused."""
        if type(value) is str:
            if value in self.symbols:
                return self.symbols[value]
            if NAME.match(value):
                raise Refused(f"{where}: {value} is no symbol that is public here")
            return self.lift(number(value, where))
        text = repr(value)
        if text not in self.memo:
            if type(value) is not list or len(value) < 2 or type(value[0]) is not str or depth > 60:
                raise Refused(f"{where}: not a formula: {text:.80}")
            self.memo[text] = self.operation(value, where, depth + 1)
        return self.memo[text]

    def operation(self, value: list[Json], where: str, depth: int) -> Formula:
        """The formula of [operation, arguments]. Raises Refused."""
        name, count = value[0], len(value) - 1
        if name == "^" and count == 2:
            e = number(value[2], where)
            if abs(e) > 64 or e.denominator > 64:
                raise Refused(f"{where}: an exponent above 64")
            return self.formula(value[1], where, depth) ** e
        if FUNCTIONS.get(name, -1) not in (0, count):
            raise Refused(f"{where}: no such operation: {value!r:.80}")
        parts = [self.formula(part, where, depth) for part in value[1:]]
        if name == "log":
            return self.log(parts[0])
        if name in ("+", "*"):
            return self.total(parts) if name == "+" else math.prod(parts[1:], start=parts[0])
        return self.extremum(name, parts) if name in ("min", "max") else self.implicit(name, parts)

    # ======================================================================= ALGEBRA 2: signs
    def sign(self, f: Formula) -> int:
        """2: shown > 0 on the whole domain; 1: >= 0; -2: < 0; 0: not shown."""
        if self.prove(f, strict=True):
            return 2
        return 1 if self.prove(f) else -2 if self.prove(-f, strict=True) else 0

    def prove(self, f: Formula, *, strict: bool = False, patches: int = MAX_PATCHES) -> bool:
        """Whether f >= 0 (f > 0 where strict) is shown on the whole domain."""
        key = (frozenset(f.terms.items()), strict, patches)
        if key not in self.seen:
            top = self.clear(f)[0]
            if not top:
                return not strict
            content = self.content(top)
            top = top * self.product(content) if content else top
            gcd = math.gcd(*top.terms.values())
            part = Formula(self, {mono: c // gcd for mono, c in top.terms.items()})
            own = (frozenset(part.terms.items()), strict, patches, "cleared")
            if own not in self.seen:
                shown = self.decide(part, strict=strict, patches=patches)
                self.seen[own] = self.coarse(f, strict=strict) if shown is None else shown
            self.seen[key] = self.seen[own]
        return self.seen[key]

    def coarse(self, f: Formula, *, strict: bool) -> bool:
        """The same by one enclosure, where the domain is bounded."""
        names = self.depends(f)
        spans = {a.name: a.range for a in self.atoms if a.kind == "symbol" and a.name in names}
        box: Any = {name: span[:2] for name, span in spans.items()}
        if any(end is None for pair in box.values() for end in pair):
            return False
        ends = Enclosure(self, box, 64).ends(f)
        return ends is not None and (ends[0][0] > 0 or (ends[0][0] == 0 and not strict))

    def decide(self, f: Formula, *, strict: bool, patches: int) -> bool | None:
        """The same for a cleared formula, each atom a variable of its own; None: too large."""
        monos, cs = [dict(mono) for mono in f.terms], list(f.terms.values())
        signs = [min((self.atoms[g].sign for g in mono), default=2) for mono in monos]
        if min(signs) >= 1 and min(cs) > 0 and (not strict or 2 in signs):
            return True
        if min(signs) == 2 and max(cs) < 0:
            return False
        used = dict.fromkeys(g for m in monos for g in m)
        steps = {g: math.lcm(*(m[g].denominator for m in monos if g in m)) for g in used}
        spans = [self.span(g, q) for g, q in steps.items()]
        rows = [[int(m.get(g, 0) * q) for g, q in steps.items()] for m in monos]
        shape = [max(column) + 1 for column in zip(*rows, strict=True)]
        if math.prod(shape) > MAX_TENSOR:
            return None
        if None in spans:
            return False
        flat = [0] * math.prod(shape)
        for row, c in zip(rows, cs, strict=True):
            flat[place(row, shape)] = c
        return self.bernstein(flat, shape, [s for s in spans if s], strict=strict, patches=patches)

    def span(self, g: int, q: int) -> Range | None:
        """Where the q-th root of an atom lies, its ends rounded outwards; None: not known."""
        atom = self.atoms[g]
        low, high, left, right, _ = atom.range
        if not self.names[g]:  # a number
            ends = Enclosure(self, {}, 128).ends(Formula(self, {((g, 1),): 1}))
            (low, high), left, right = ends[0] if ends else (None, None), True, True
        elif atom.kind != "symbol":
            low, left = (ZERO if atom.sign >= 1 else None), atom.sign == 1
        if q == 1:
            return Range(low, high, left, right)
        if low is None or low < 0:
            return None
        bottom, top = root_ends(low, q, 64), root_ends(high or ZERO, q, 64)
        left, right = left or bottom[0] < bottom[1], right or top[0] < top[1]
        return Range(bottom[0], None if high is None else top[1], left, high is not None and right)

    def bernstein(
        self, flat: list[int], shape: list[int], spans: list[Range], *, strict: bool, patches: int
    ) -> bool:
        """Whether a polynomial is >= 0 (> 0) on a box, by the signs of Bernstein coefficients.

        Where all are >= 0, p >= 0; and p > 0 inside every face whose coefficients are not all 0.
        Ends at infinity are moved to 1 by x = l + t/(1 - t), times a power of 1 - t.
        """
        for axis, span in enumerate(spans):
            matrix = to_bernstein(shape[axis] - 1, span.lower, span.upper)
            if matrix is None:
                return False
            flat = along(flat, shape, axis, matrix)
        queue = [(flat, [(span.left, span.right) for span in spans], 0)]
        corners = [place(at, shape) for at in product(*((0, n - 1) for n in shape))]
        while queue:
            flat, ends, depth = queue.pop()
            self.spend(len(flat) // 2 + 1)
            if min(flat) >= 0 and (not strict or inside_faces(flat, shape, ends)):
                continue
            patches -= 1
            if patches < 0 or any(flat[at] < 0 for at in corners):
                return False
            axis = depth % len(shape)
            left, right = halves(shape[axis] - 1)
            for matrix, end in ((left, (ends[axis][0], True)), (right, (True, ends[axis][1]))):
                box = [*ends[:axis], end, *ends[axis + 1 :]]
                queue.append((along(flat, shape, axis, matrix), box, depth + 1))
        return True


# ==================================================================== CORE 2: the obligations
TARGETS = {"pure": 1, "approx": 2, "zcdp": 1, "gaussian": 1}  # kind: number of amounts
RELATIONS = {"add_remove": "added or removed", "replace_one": "replaced"}
IDEALIZED = "idealized numerics"
WHOLE = {"discrete_laplace", "discrete_gaussian"}  # noise for whole numbers only
EXACT = {"gaussian", "laplace", *WHOLE}  # noise that is drawn on a grid
ALIKE = {  # and more noise off a diagonal, or a second draw there
    ("mirrored_gaussian", "stated"): "gaussian",
    ("full_gaussian", "stated"): "gaussian",
}
BY_L1 = ("laplace", "discrete_laplace")  # noise that answers to the L1 norm
PURE = (*BY_L1, "l2_laplace")
CURRENCIES = ({"epsilon"}, {"epsilon", "delta"}, {"rho"}, {"mu^2"})


@dataclass(frozen=True, eq=False)
class Rows:
    """Facts about every row: columns, bounds on the 2-norm and 1-norm, whether the first is met;
    the step of its grid (None: floating point), also as a share of the norm; a bound on every
    entry, where the norms are those that follow from it.
    """

    columns: Formula
    norm: Formula | None = None
    norm1: Formula | None = None
    exact: bool = False
    step: Formula | None = None
    share: Fraction = ZERO  # of the norm, that is the step (or more)
    entry: Formula | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """A bound on every label; the step of its grid."""

    bound: Formula | None = None
    step: Formula | None = None


@dataclass(frozen=True, eq=False)
class Statistic:
    """How far one row moves it, in L1 and L2 norm (None: no bound); its part in a joint move; the
    steps of its entries' grids (empty: it is computed in floating point); whether it is a stack.
    """

    shape: tuple[Formula, ...]  # two sizes: a symmetric matrix
    l1: Formula | None
    l2: Formula | None
    part: str = "rest"
    size: Formula | None = None
    table: tuple[Rows | None, Column | None] = (None, None)
    charge: Fraction = ZERO  # what rounding may add to its squared move, as a part of it
    steps: tuple[Formula, ...] = ()
    stacked: bool = False
    constant: bool | None = None  # of sufficient statistics: whether y'y is among them
    ridge: tuple[Formula, ...] = ()  # of a log_residual: penalty and floor
    counts: bool = False  # whether it is the number of rows

    @property
    def still(self) -> bool:
        """Whether it is constant over neighbours."""
        return self.l2 is not None and not self.l2


@dataclass(frozen=True, eq=False)
class Release:
    """A statistic and its noise; whether each draw reads a sample of the rows."""

    where: str
    statistic: Statistic
    mechanism: str
    size: Formula
    rule: str
    share: dict[str, Formula] | None
    times: Formula
    sampled: bool = False


@dataclass
class Hypothesis:
    """left <= right (or <), where the claim is made; `used` by a theorem that needs it."""

    left: Formula
    right: Formula
    strict: bool
    used: bool = False


class Kind(NamedTuple):
    """A row of the table of kinds: what its inputs are, its own keys, what it derives, and values
    of the keys that may be left out.
    """

    takes: tuple[type, ...]
    many: bool  # any number of inputs, each one of `takes`
    names: frozenset[str]
    make: Callable[..., Any]
    defaults: dict[str, Json]


class Checker:
    """The obligations of one certificate; `count` of them were shown so far."""

    def __init__(self) -> None:
        self.ring, self.where, self.count, self.hash = Ring(), "certificate", 0, ""
        self.facts: list[Any] = []
        self.domains: dict[str, Range] = {}
        self.free: set[str] = set()  # symbols that stand for no statistic
        self.region: list[Hypothesis] = []
        self.lines: dict[object, list[Hypothesis]] = {}  # the same by their two sides
        self.idealized: list[str] = []  # releases that are computed in floating point
        self.cells: dict[object, Any] = {}  # the cell of a partition that decides a fact
        self.past, self.personal = Past(), Personal()

    @property
    def releases(self) -> list[Release]:
        """Every release, whether or not the output needs it."""
        return [fact for fact in self.facts if isinstance(fact, Release)]

    def require(self, shown: object, rule: str) -> None:
        """One obligation. Raises Refused."""
        self.count += 1
        if not shown:
            raise Refused(f"{self.where}: {rule}")

    def at_least(self, f: Formula, g: Formula | int, rule: str, *, strict: bool = False) -> None:
        """The obligation g <= f (g < f where strict) on the whole domain. Raises Refused."""
        self.count += 1
        if not self.ring.prove(f - g if g else f, strict=strict):
            sides = f"{text_of(self.ring.lift(g))} {'<' if strict else '<='} {text_of(f)}"
            raise Refused(f"{self.where}: {rule}: {sides}{witness(self, f - g, strict=strict)}")

    def equal(self, f: Formula, g: Formula, rule: str) -> None:
        """The obligation that f, which is positive, and g are the same formula. Raises Refused."""
        self.count += 1
        shown = f.key == g.key or not self.ring.clear(f - g)[0]
        if not shown and self.ring.prove(g, strict=True):
            shown = not self.ring.clear(f**2 - g**2)[0]
        if not shown:
            raise Refused(f"{self.where}: {rule}: {text_of(f)} is not shown to be {text_of(g)}")

    def formula(self, value: Json) -> Formula:
        """A formula of public symbols. Raises Refused."""
        return self.past.read(self.ring.formula(value, self.where))

    def positive(self, value: Json, name: str) -> Formula:
        """A formula that is positive on the whole domain. Raises Refused."""
        found = self.formula(value)
        self.at_least(found, 0, f"{name} must be positive", strict=True)
        return found

    def whole(self, value: Json, name: str) -> Formula:
        """A formula that is a whole number, at least 1, on the whole domain. Raises Refused."""
        found = self.formula(value)
        atoms = [(self.ring.atoms[g], e) for mono in found.terms for g, e in mono]
        shown = found.den == 1 and all(
            atom.range.integer and e > 0 and e.denominator == 1 for atom, e in atoms
        )
        self.require(shown, f"{name} must be a whole number or symbol: {text_of(found)}")
        self.at_least(found, 1, f"{name} must be at least 1")
        return found

    def assume(self, f: Formula, g: Formula, *, strict: bool = False) -> bool:
        """Whether f <= g (f < g) follows from one line of `region`, or else on the whole domain."""
        same = self.lines.get((f.key, g.key), ())
        for h in (*same, *self.region[:32]):
            if h.strict >= strict and self.ring.prove(g - h.right) and self.ring.prove(h.left - f):
                for twin in self.lines[h.left.key, h.right.key]:
                    twin.used = True
                return True
        return self.ring.prove(g - f, strict=strict)

    def run(self, document: Json, expect: str | None) -> str:
        """Every obligation; the sentence that they prove. Raises Refused, Unusable."""
        if type(document) is not dict or document.get("schema") != SCHEMA:
            raise Unusable(f"the schema is not {SCHEMA}")
        parts = {"statement": dict, "graph": dict, "declaration": dict, "assumptions": list}
        keys(document, "certificate", schema=str, **parts, hints=object, hash=str)
        self.require(all(type(a) is str for a in document["assumptions"]), "assumptions are text")
        claimed, graph = document["statement"], document["graph"]
        self.hash = hash_of(claimed, graph, document["assumptions"])
        self.require(document["hash"] == self.hash, f"its hash must be {self.hash}")
        self.require(expect in (None, self.hash), f"expected {expect}, but the hash is {self.hash}")
        self.where = "statement"
        parts = {"target": dict, "relation": str, "symbols": dict, "region": list, "values": dict}
        each = {"each": dict} if "each" in claimed else {}
        keys(claimed, self.where, **parts, rows_per_person=object, derivation=str, **each)
        keys(graph, "graph", nodes=list, output=list)
        self.require(claimed["relation"] in RELATIONS, f"relation: one of {sorted(RELATIONS)}")
        self.require(claimed["derivation"] in DERIVATIONS, f"one of {sorted(DERIVATIONS)}")
        self.replaced = claimed["relation"] == "replace_one"
        waiting = self.declare(claimed["symbols"])
        self.rows = self.whole(claimed["rows_per_person"], "rows_per_person")
        each_record(self, claimed.get("each"))
        for index, node in enumerate(graph["nodes"]):
            self.facts.append(self.derive(node, index))
            for name in waiting.pop(index, ()):
                self.ring.symbols[name] = learned(self, name, self.facts[-1])
        self.where = "statement"
        self.require(not waiting, f"origins {sorted(waiting)} are no nodes")
        self.aim(claimed["target"], claimed["region"])
        committed(self, claimed["derivation"])
        DERIVATIONS[claimed["derivation"]](self)
        self.where = "statement"
        self.close(claimed["values"], graph["output"])
        listed = any(a.startswith(IDEALIZED) for a in document["assumptions"])
        floating = f"assumptions must list {IDEALIZED}, of {self.idealized}"
        self.require(listed or not self.idealized, floating)
        return sentence(self, claimed)

    def aim(self, target: Json, region: Json) -> None:
        """Read what is claimed, and under which hypotheses."""
        keys(target, "target", kind=str, amounts=list)
        count = TARGETS.get(target["kind"])
        self.require(len(target["amounts"]) == count, f"target: amounts of one of {TARGETS}")
        self.kind = target["kind"]
        self.amounts = [
            self.positive(value, "an amount of the target") for value in target["amounts"]
        ]
        for line in region:
            fits = type(line) is list and len(line) == 3 and type(line[2]) is bool
            self.require(fits, "a line of region is [left, right, strict]")
            h = Hypothesis(self.formula(line[0]), self.formula(line[1]), line[2])
            self.lines.setdefault((h.left.key, h.right.key), []).append(h)
            self.region.append(h)

    def declare(self, symbols: Json) -> dict[int, list[str]]:
        """Read the table of symbols; those that stand for a statistic's value wait for it."""
        waiting: dict[int, list[str]] = {}
        for name, spec in symbols.items():
            self.require(NAME.match(name) and name not in (*FUNCTIONS, "sqrt"), f"name {name!r}")
            self.domains[name] = domain(spec, f"symbol {name}")
            if spec["origin"] is None:
                self.free.add(name)
                self.ring.symbols[name] = self.symbol(name)
            else:
                waiting.setdefault(spec["origin"], []).append(name)
        return waiting

    def symbol(self, name: str) -> Formula:
        """A declared symbol as a formula."""
        span = self.domains[name]
        atom = Atom("symbol", span.sign, (), name, span)
        return self.ring.product([(self.ring.intern(("symbol", name), atom), 1)])

    def derive(self, node: Json, index: int) -> Any:
        """The facts of a node, by the table of kinds. Raises Refused."""
        self.where = f"node {index}"
        self.require(type(node) is dict and type(node.get("kind")) is str, "an object with a kind")
        self.where = f"node {index} ({node['kind']:.40})"
        self.require(node["kind"] in KINDS, f"kind must be one of {sorted(KINDS)}")
        kind = KINDS[node["kind"]]
        node = {**kind.defaults, **node}
        keys(node, self.where, id=int, kind=str, inputs=list, **dict.fromkeys(kind.names, object))
        ids = node["inputs"]
        self.require(node["id"] == index, "id must be its position")
        self.require(all(type(i) is int and 0 <= i < index for i in ids), "inputs come before it")
        inputs = [self.facts[i] for i in ids]
        if kind.many:
            right = all(isinstance(i, kind.takes) for i in inputs)
        else:
            right = list(map(type, inputs)) == list(kind.takes)
        takes = " or ".join(t.__name__ for t in kind.takes)
        self.require(right, f"its inputs must be {takes or 'none'}")
        return made(self, node, inputs)

    def close(self, values: Json, output: Json) -> None:
        """Hypotheses are those of theorems and hold somewhere; the output is released."""
        for h in self.region:
            fits = h.used or self.ring.prove(h.right - h.left, strict=h.strict)
            sides = f"{text_of(h.left)} <= {text_of(h.right)}"
            self.require(fits, f"region: no theorem needs {sides}, which carves the domain")
        given = {name: number(value, f"value of {name}") for name, value in values.items()}
        for name, value in given.items():
            chosen = name in self.domains.keys() - self.past.symbols - self.personal.fixed
            self.require(chosen and value in self.domains[name], f"value of {name}")
        spans = {name: narrowed(self, name) for name in self.domains}
        inside = any(
            all(holds(self.ring, h.right - h.left, p, strict=h.strict) for h in self.region)
            for p in points(spans, given)
        )
        self.require(inside or not self.region, "region: no point found inside, with these values")
        self.require(output, "output: at least one node")
        for i in output:
            known = type(i) is int and 0 <= i < len(self.facts)
            self.require(known and public(self.facts[i]), f"output {i!r:.20} is not released")


def hash_of(claimed: Json, graph: Json, assumptions: Json) -> str:
    """SHA-256 of the canonical JSON of statement, graph and assumptions."""
    text = json.dumps([claimed, graph, assumptions], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# ============================================================================ TABLES: more facts
Slope = Callable[[Formula | None, Formula], Formula | None]


@dataclass(frozen=True, eq=False)
class Loss:
    """A convex loss of x'theta: a bound on its slope, from bounds on |x'theta| (None: no bound) and
    on the label; one on its curvature, from that on the label; whether it is (x'theta - y)^2/2.
    """

    slope: Slope
    bend: Callable[[Formula], Formula]
    square: bool = False


@dataclass(frozen=True, eq=False)
class Records(Rows):
    """Rows whose last entry is a label."""


class Post:
    """A function of released values, or all points of a loop."""


@dataclass(frozen=True, eq=False)
class Known:
    """A released number, put into the range of its symbol before anything reads it."""

    name: str


@dataclass(frozen=True, eq=False)
class Bound(Known):
    """One that lies above (`upper`) or below the statistic on both neighbours, and on what lies
    between them, but with a probability that delta pays for.
    """

    statistic: Statistic
    upper: bool
    failure: Formula


@dataclass(frozen=True, eq=False)
class Iterate:
    """The point of a loop, of this many numbers."""

    size: Formula


@dataclass(frozen=True, eq=False)
class Procedure:
    """A release by a theorem of its own, shown where it was read, for epsilon and delta."""

    where: str
    epsilon: Formula
    delta: Formula


@dataclass(frozen=True, eq=False)
class Budgets:
    """Each record's budget: public."""


@dataclass(frozen=True, eq=False)
class Weight:
    """A positive factor of each record, a formula of its budget."""

    factor: Formula


@dataclass(frozen=True, eq=False)
class RecordWeights(Weight):
    """The same, one number a record of these rows."""

    rows: Rows


@dataclass(frozen=True, eq=False)
class OfBudgets:
    """A positive number of everybody's budgets."""

    what: str
    formula: Formula


@dataclass(frozen=True, eq=False)
class Thinning:
    """A coin for each record: kept with probability min(1, (e^epsilon - 1)/(e^threshold - 1))."""

    threshold: Formula
    epsilon: Formula
    delta: Formula | None


@dataclass(frozen=True, eq=False)
class Tilted(Procedure):
    """One whose cost follows from the record's own loss, and shrinks as its noise grows."""


SEEN = (Release, Procedure, Post, Known, Statistic)  # what may be public


def public(fact: object) -> bool:
    """Whether a node may be seen: a release, a function of releases, or a constant statistic."""
    seen = isinstance(fact, (Release, Procedure, Post, Known))
    return seen or (isinstance(fact, Statistic) and fact.still)


class Past:
    """What nodes read of what was released before them."""

    def __init__(self) -> None:
        self.reads: set[str] = set()  # symbols that the present node reads
        self.symbols: dict[str, Known] = {}  # those that stand for released numbers
        self.counts: list[Formula] = []  # those that stand for the number of rows
        self.points: dict[object, frozenset[object]] = {}  # for each fact, the loops' points
        self.late: set[object] = set()  # facts that a released value decides
        self.sums: set[object] = set()  # statistics that a sample of the rows may be asked for
        self.loops: dict[object, Release] = {}  # for each point, what is asked there

    def read(self, f: Formula) -> Formula:
        """Note what a formula reads."""
        self.reads |= f.ring.depends(f)
        return f

    def keep(self, fact: object, inputs: Sequence[object]) -> None:
        """Note what a new fact reads, through its inputs and its formulas."""
        before = [*inputs, *(self.symbols[name] for name in self.reads & self.symbols.keys())]
        own = {fact} if isinstance(fact, Iterate) else set()
        self.points[fact] = frozenset(own).union(*(self.points[one] for one in before))
        seen = isinstance(fact, (Release, Procedure, Post, Known, Iterate))
        if seen or any(one in self.late for one in before):
            self.late.add(fact)


class Personal:
    """Budgets of each record: whose symbols they are, and what is made of them."""

    def __init__(self) -> None:
        self.own: frozenset[str] = frozenset()  # symbols that differ from record to record
        self.fixed: set[str] = set()  # these, and numbers of all budgets: nobody chooses them
        self.groups = ""  # in words
        self.largest: dict[object, Formula] = {}  # by the formula's key
        self.weighed: dict[object, tuple[Formula, Formula | None]] = {}  # factor, bound without
        self.kept: set[object] = set()  # facts about records that a sample keeps
        self.bare: list[str] = []  # statistics of other records
        self.claimed: tuple[str, list[Formula]] | None = None  # where a sample's claim is another


def each_record(c: Checker, each: Json) -> None:
    """Read which symbols of the target every record has of its own, and the groups of records."""
    if each is None:
        return
    grouped = {"groups": list, "amounts": dict, "shares": (list, type(None))}
    keys(each, "each", own=list, **(grouped if "groups" in each else {}))
    own = each["own"]
    c.require(own and all(type(name) is str for name in own), "each: names of the target's symbols")
    known = len(set(own)) == len(own) and all(name in c.free for name in own)
    known = known and not any(c.domains[name].integer for name in own)  # so `times` reads none
    c.require(known, "each: a record's own numbers are symbols that stand for no node")
    c.personal.own, c.personal.fixed = frozenset(own), set(own)
    if "groups" in each:
        grouped_records(c, each)


def grouped_records(c: Checker, each: Json) -> None:
    """Every group has its amounts, inside the ranges of the symbols. Raises Refused."""
    names, amounts, shares = each["groups"], each["amounts"], each["shares"]
    texts = names and all(type(name) is str and name for name in names)
    c.require(texts and len(set(names)) == len(names), "groups: different names")
    known = amounts and amounts.keys() <= c.personal.own
    c.require(known, "amounts: of what each record has of its own")
    for name, values in amounts.items():
        fits = type(values) is list and len(values) == len(names)
        c.require(fits, f"{name}: one amount for each group")
        for value in values:
            found = c.positive(value, f"{name} of a group")
            one_for_all(c, found)
            within_range(c, found, c.domains[name], f"{name} of a group must lie in its range")
    parts = [number(share, "shares") for share in shares or ()]
    whole = len(parts) == len(names) and min(parts) > 0 and sum(parts) == 1
    c.require(shares is None or whole, "shares: one for each group, positive, of sum 1")
    c.personal.groups = groups_text(each)


def within_range(c: Checker, f: Formula, span: Range, rule: str) -> None:
    """The obligation that a formula lies in a range on the whole domain. Raises Refused."""
    if span.lower is not None:
        c.at_least(f, c.ring.lift(span.lower), rule, strict=not span.left)
    if span.upper is not None:
        c.at_least(c.ring.lift(span.upper), f, rule, strict=not span.right)


def one_for_all(c: Checker, *formulas: Formula) -> None:
    """What all records share reads no record's own budget. Raises Refused."""
    mine = sorted(c.ring.depends(*formulas) & c.personal.own)
    c.require(not mine, f"one number for all records must not read a record's own {mine}")


def promised(c: Checker) -> None:
    """What personalised budgets ask of the whole graph: the noise of a release is the largest that
    any budget asks for, more noise never costs more, and every record's move follows from its own
    budget. Then what is shown for one record's symbols holds for every record. Raises Refused.
    """
    coins = [fact for fact in c.facts if isinstance(fact, Thinning)]
    if not c.personal.own:
        return  # then no node reads budgets
    silent = sorted(c.personal.own - c.ring.depends(*c.amounts))
    c.require(not silent, f"each: {silent} must occur in the target")
    common = sorted(c.ring.depends(*c.amounts) & (c.personal.fixed - c.personal.own))
    c.require(not common, f"the target must not read numbers of all budgets: {common}")
    c.require(c.rows.constant == 1, "budgets of each record are for people with one row each")
    others = [fact for fact in c.facts if isinstance(fact, (Procedure, Bound))]
    rule = "budgets of each record are spent on noise: no bounds, no procedures but tilted_minimum"
    c.require(all(isinstance(fact, Tilted) for fact in others), rule)
    for coin in coins:
        on_sample(c, coin)


def on_sample(c: Checker, coin: Thinning) -> None:
    """Whatever costs `threshold` on the sample costs each record its own epsilon [JorgensenYC15,
    Thm 1]: that is then to be shown. Raises Refused.
    """
    mixed = f"everything that is released must read the sample: {c.personal.bare}"
    c.require(not c.personal.bare, mixed)
    c.require(c.replaced is False, "a sample hides whether a record is there: add/remove only")
    base = [coin.threshold] if coin.delta is None else [coin.threshold, coin.delta]
    c.require(
        c.kind == ("pure" if coin.delta is None else "approx"), "a sample proves its own kind"
    )
    own = [coin.epsilon, *base[1:]]
    same = all(mine.key == other.key for mine, other in zip(own, c.amounts, strict=True))
    c.require(same, "coins must fall by the target's own epsilon; delta must be the target's")
    one_for_all(c, *base)
    c.personal.claimed, c.amounts = (c.kind, c.amounts), base


def apart(c: Checker, fact: object) -> bool:
    """Whether bounds on rows or labels differ from record to record."""
    factor, _ = c.personal.weighed.get(fact, (c.ring.lift(1), None))
    return bool(c.ring.depends(factor) & c.personal.own)


def by_record(c: Checker, node: Mapping[str, Json], inputs: Sequence[Any], fact: Any) -> None:
    """Records are weighed last; a record's own numbers are read where each record is meant, or all
    budgets; what reads kept records only is a statistic of the sample. Raises Refused.
    """
    kind_of, own = node["kind"], c.personal
    weighed = any(apart(c, i) for i in inputs)
    rule = "rows and labels are weighed last, and summed"
    c.require(kind_of in LAST or not weighed, rule)
    mine = sorted(c.past.reads & own.own)
    rule = f"one number for all records must not read a record's own {mine}"
    c.require(kind_of in OWN or not mine, rule)
    data = [i for i in inputs if isinstance(i, (Rows, Column, RecordWeights))]
    if kind_of in SAMPLES or (data and all(i in own.kept for i in data)):
        own.kept.add(fact)
    elif data and isinstance(fact, (Statistic, Procedure)):
        own.bare.append(c.where)


def learned(c: Checker, name: str, fact: object) -> Formula:
    """The symbol of a node: its own released number, whose range execution enforces, or the number
    of rows where that is constant over neighbours. Raises Refused.
    """
    if isinstance(fact, OfBudgets):
        return of_all(c, name, fact)
    span, still = c.domains[name], isinstance(fact, Statistic) and fact.still and fact.counts
    if not isinstance(fact, Known):
        own = still and not named(c, name)
        c.require(own, f"{name} reads a value that is not constant over neighbours")
        c.past.counts.append(c.symbol(name))
        return c.symbol(name)
    c.require(fact.name == name, f"{name} must have the name of its node, {fact.name}")
    ends = span.left == (span.lower is not None) and span.right == (span.upper is not None)
    c.require(ends and not span.integer, f"{name}: the range of a released number has its ends")
    if isinstance(fact, Bound):
        floor = ZERO if fact.statistic.part == "floor" and not fact.upper else None
        c.require(span[:2] == (floor, None), f"{name}: the range of a bound is its statistic's")
    c.past.symbols[name] = fact
    return c.symbol(name)


def of_all(c: Checker, name: str, fact: OfBudgets) -> Formula:
    """The symbol of a number of all budgets, of which only its sign is known. Raises Refused."""
    counted = f"{name} is a total over the records that are there: neighbours differ in it"
    c.require(c.replaced or fact.what != "total", counted)
    c.require(c.domains[name] == Range(ZERO, None), f"{name}: its range is (0, inf)")
    c.require(not named(c, name), f"{name} must be its own name")
    c.personal.fixed.add(name)
    if fact.what == "largest":
        c.personal.largest[fact.formula.key] = c.symbol(name)
    return c.symbol(name)


def named(c: Checker, name: str) -> bool:
    """Whether some released number has this name."""
    return any(isinstance(fact, Known) and fact.name == name for fact in c.facts)


def settled(c: Checker, *formulas: Formula) -> None:
    """Budgets, failures and numbers of draws are divided before anything is released."""
    late = sorted(c.ring.depends(*formulas) & c.past.symbols.keys())
    c.require(not late, f"shares, draws and claims must not depend on what is released: {late}")


def committed(c: Checker, derivation: str) -> None:
    """What adaptive composition asks of the whole graph. Raises Refused."""
    promised(c)
    settled(c, *c.amounts, *(side for h in c.region for side in (h.left, h.right)))
    others = any(isinstance(fact, (Procedure, Bound)) for fact in c.facts)
    alone = "only basic composition adds procedures, and bounds that may fail"
    c.require(derivation == "basic" or not others, alone)
    for fact in c.facts:
        if isinstance(fact, (Release, Procedure)):
            points, sampled = c.past.points[fact], isinstance(fact, Release) and fact.sampled
            asked = len(points) == 1 and c.past.loops.get(*points) is fact
            once = "a release that reads a point, or samples, is what one loop asks"
            c.require(asked or not (points or sampled), f"{fact.where}: {once}")


# ================================================================================ TABLES: kinds
KINDS: dict[str, Kind] = {}


def kind(name: str, *takes: type, many: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Enter a rule into the table: its keyword parameters are the node's own keys."""

    def enter(make: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(make).parameters.values()
        own = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
        defaults = {key: value for key, value in own.items() if value is None}
        KINDS[name] = Kind(takes, many, frozenset(own), make, defaults)
        return make

    return enter


@kind("rows")
def _rows(c: Checker, *, name: Json, columns: Json) -> Rows:
    """A table of finite numbers: nothing bounds a row. One table only: a record is a row of it."""
    c.require(type(name) is str, "name must be text")
    c.require(not any(type(fact) is Rows for fact in c.facts), "there is one table of rows")
    return Rows(c.whole(columns, "columns"))


@kind("encode", Rows)
def _encode(c: Checker, rows: Rows, *, schema: Json) -> Rows:
    """Each of k entries adds at most 1 to |x|^2."""
    c.require(type(schema) is list and schema, "schema must be a list of columns")
    widths = [_encoded(c, entry) for entry in schema]
    k = c.ring.lift(len(schema))
    c.equal(rows.columns, k, "the table has one column for each entry of schema")
    norm1 = c.ring.lift(0)
    for _, longest in widths:
        norm1 += longest
    return Rows(c.ring.lift(sum(width for width, _ in widths)), k**HALF, norm1)


def _encoded(c: Checker, entry: Json) -> tuple[int, Formula]:
    """Columns of an entry and its part of |x|_1: a number in [-1, 1]; indicators of distinct
    levels; or a corner of a simplex of radius 1 in one column less, of |x|_1 at most sqrt(columns).
    """
    named = type(entry) is list and len(entry) in (2, 3) and type(entry[0]) is str
    c.require(named, "an entry of schema is [name, lower, upper] or [name, levels, coding]")
    if len(entry) == 3 and type(entry[1]) is not list:
        low, high = number(entry[1], c.where), number(entry[2], c.where)
        c.require(low < high, f"bounds of {entry[0]!r:.40} must increase")
        return 1, c.ring.lift(1)
    levels = entry[1]
    known = type(levels) is list and levels and all(type(level) is str for level in levels)
    c.require(known and len(set(levels)) == len(levels), "levels must be distinct texts")
    if len(entry) == 2:
        return len(levels), c.ring.lift(1)
    corner = entry[2] == "simplex" and len(levels) > 1
    c.require(corner, "levels are coded as a simplex")
    return len(levels) - 1, c.ring.lift(len(levels) - 1) ** HALF


@kind("clip_norm", Rows)
def _clip_norm(c: Checker, rows: Rows, *, norm: Json) -> Rows:
    """x min(1, norm/|x|): every entry shrinks, so a bound on the 1-norm stays; Cauchy-Schwarz."""
    bound = c.positive(norm, "norm")
    here = rows.columns**HALF * bound
    norm1 = here if rows.norm1 is None else c.ring.extremum("min", [here, rows.norm1])
    return Rows(rows.columns, bound, norm1)


@kind("box", Rows)
def _box(c: Checker, rows: Rows, *, bound: Json) -> Rows:
    """Entries in [-bound, bound]: |x|_1 <= d bound, |x| <= sqrt(d) bound; every entry shrinks."""
    side = c.positive(bound, "bound")
    norm, norm1 = rows.columns**HALF * side, rows.columns * side
    if rows.norm is None or rows.norm1 is None:
        return Rows(rows.columns, norm, norm1, entry=side)
    alone = c.ring.prove(rows.norm - norm) and c.ring.prove(rows.norm1 - norm1)
    norm = c.ring.extremum("min", [norm, rows.norm])
    norm1 = c.ring.extremum("min", [norm1, rows.norm1])
    return Rows(rows.columns, norm, norm1, entry=side if alone else None)


@kind("capped", Rows)
def _capped(c: Checker, rows: Rows, *, bound: Json) -> Rows:
    """min(x_j, bound): no entry grows."""
    c.positive(bound, "bound")
    return Rows(rows.columns, rows.norm, rows.norm1)


@kind("normalize", Rows)
def _normalize(c: Checker, rows: Rows) -> Rows:
    """x/|x|, and the first unit vector for x = 0: the norm is 1, exactly."""
    return Rows(rows.columns, c.ring.lift(1), rows.columns**HALF, exact=True)


@kind("intercept", Rows)
def _intercept(c: Checker, rows: Rows, *, value: Json) -> Rows:
    """One more entry, a constant."""
    constant = c.positive(value, "value")
    if rows.norm is None or rows.norm1 is None:
        return Rows(rows.columns + 1)
    norm = (rows.norm**2 + constant**2) ** HALF
    entry = rows.entry if rows.entry is not None and rows.entry.key == constant.key else None
    return Rows(rows.columns + 1, norm, rows.norm1 + constant, entry=entry)


@kind("scale", Rows)
def _scale(c: Checker, rows: Rows, *, by: Json) -> Rows:
    """x/by, for a public number."""
    divisor = c.positive(by, "by")
    if rows.norm is None:
        return Rows(rows.columns)
    norm = rows.norm / divisor
    entry = None if rows.entry is None else rows.entry / divisor
    return Rows(rows.columns, norm, rows.columns**HALF * norm, entry=entry)


@kind("scaled_columns", Rows)
def _scaled_columns(c: Checker, rows: Rows, *, by: Json, minus: Json) -> Rows:
    """(x_j - minus_j)/by_j, by public numbers: at most (|x| + |minus|)/min by."""
    lists = type(by) is list and type(minus) is list and len(by) == len(minus) > 0
    c.require(lists, "by and minus must be lists, one number a column")
    divisors = [number(one, c.where) for one in by]
    c.require(min(divisors) > 0, "by must be positive")
    far = sum((number(one, c.where) ** 2 for one in minus), ZERO)
    if rows.norm is None:
        return Rows(rows.columns)
    norm = (rows.norm + c.ring.lift(far) ** HALF) / min(divisors)
    return Rows(rows.columns, norm, rows.columns**HALF * norm)


@kind("divided_columns", Rows, *SEEN, many=True)
def _divided_columns(c: Checker, *inputs: Any, lower: Json, upper: Json, centred: Json) -> Rows:
    """(x_j - m_j)/s_j by released vectors, s put into [lower, upper]: whatever they are, a map of
    one row. It bounds nothing.
    """
    c.require(type(centred) is bool and len(inputs) == 2 + centred, "rows, and one vector or two")
    fits = type(inputs[0]) is Rows and all(map(public, inputs[1:]))
    c.require(fits, "what rows are shifted and divided by must be released")
    low = c.positive(lower, "lower")
    c.at_least(c.positive(upper, "upper"), low, "the range of divisors must not be empty")
    return Rows(inputs[0].columns)


@kind("divided_records", Rows, Column)
def _divided_records(_: Checker, rows: Rows, __: Column) -> Records:
    """(x, y)/|x|: a record's own row, its label the last entry."""
    return Records(rows.columns + 1)


@kind("record_rows", Records)
def _record_rows(c: Checker, records: Records) -> Rows:
    """x/|x|, and 0 for x = 0."""
    columns = records.columns - 1
    return Rows(columns, c.ring.lift(1), columns**HALF)


@kind("record_labels", Records)
def _record_labels(_: Checker, __: Records) -> Column:
    """y/|x|, which nothing bounds."""
    return Column()


@kind("residuals", Rows, Column, *SEEN, many=True)
def _residuals(c: Checker, *inputs: Any) -> Rows:
    """y - x'theta, as rows of one column; theta was released. It bounds nothing."""
    fits = [*map(type, inputs[:2])] == [Rows, Column] and len(inputs) == 3 and public(inputs[2])
    c.require(fits, "rows, labels, and coefficients that are released")
    return Rows(c.ring.lift(1))


@kind("residual_labels", Column, Rows, *SEEN, many=True)
def _residual_labels(c: Checker, *inputs: Any) -> Column:
    """y - x'theta, as labels; theta was released. It bounds nothing."""
    fits = [*map(type, inputs[:2])] == [Column, Rows] and len(inputs) == 3 and public(inputs[2])
    c.require(fits, "labels, rows, and coefficients that are released")
    return Column()


@kind("gradient", Rows, Column, Iterate, Loss)
def _gradient(c: Checker, rows: Rows, column: Column, point: Iterate, loss: Loss) -> Rows:
    """phi'(x'theta, y) x at the point of a loop, which is known: of norm slope B, where the slope
    has a bound for every theta.
    """
    c.equal(point.size, rows.columns, "the point has one number for each column")
    slope = None if column.bound is None else loss.slope(None, column.bound)
    if rows.norm is None or slope is None:
        return Rows(rows.columns)
    norm = slope * rows.norm
    return Rows(rows.columns, norm, rows.columns**HALF * norm)


@kind("gradient_at", Rows, Column, *SEEN, many=True)
def _gradient_at(c: Checker, *inputs: Any) -> Rows:
    """(x'theta - y) x at coefficients that were released, or at 0. It bounds nothing."""
    fits = [*map(type, inputs[:2])] == [Rows, Column] and len(inputs) <= 3
    c.require(fits and all(map(public, inputs[2:])), "rows, labels, released coefficients")
    return Rows(inputs[0].columns)


@kind("grid", Rows)
def _grid(c: Checker, rows: Rows, *, bits: Json) -> Rows:
    """Rows in whole steps of norm/2^bits: towards zero, inside the ball, no longer in L1."""
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    if rows.norm is None or rows.norm1 is None:
        raise Refused(f"{c.where}: rows on a grid must be bounded")
    share = Fraction(1, 2**bits)
    return Rows(rows.columns, rows.norm, rows.norm1, step=rows.norm * share, share=share)


@kind("box_grid", Rows)
def _box_grid(c: Checker, rows: Rows, *, bits: Json) -> Rows:
    """Rows in whole steps of entry/2^bits, towards zero, entry by entry."""
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    if rows.entry is None:
        raise Refused(f"{c.where}: a grid of entries is for rows whose entries are bounded")
    share = Fraction(1, 2**bits)
    facts = (rows.columns, rows.norm, rows.norm1, False, rows.entry * share, share, rows.entry)
    return Rows(*facts)


@kind("grid_column", Column)
def _grid_column(c: Checker, column: Column, *, bits: Json) -> Column:
    """Labels in whole steps of bound/2^bits, towards zero."""
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    if column.bound is None:
        raise Refused(f"{c.where}: labels on a grid must be bounded")
    return Column(column.bound, column.bound * Fraction(1, 2**bits))


def stepped(*nodes: Rows | Column) -> tuple[Formula, ...]:
    """The step of a sum of products of rows and labels, where all are on a grid."""
    known = [node.step for node in nodes if node.step is not None]
    return (math.prod(known[1:], start=known[0]),) if len(known) == len(nodes) else ()


# These map zeros to zeros, or zeros add nothing to them: they stay in the cell of their inputs.
ZEROS = {"clip_norm", "box", "box_grid", "scale", "grid", "grid_column", "gram", "lambda_min"}
ZEROS |= {"moment", "squares", "row_sum", "label_sum", "trace", "linear", "stack"}
ZEROS |= {"sufficient_statistics", "monomials", "gradient_at", "norm_counts"}
SUMS = {"row_sum", "label_sum", "gram", "moment", "squares", "trace"}  # over records, of all tables
# What may read weighed rows and labels: its rule holds record by record.
LAST = {"weighted_grid", "weighted_grid_column", "count", "gram", "label_sum", "moment", "row_sum"}
LAST |= {"squares"}
OWN = {"loop", "of_budgets", "post", "release", "thinning", "weight"}  # may read a budget
OWN |= {"tilted_minimum"}
SAMPLES = {"sampled_rows", "sampled_column"}


def made(c: Checker, node: Mapping[str, Json], inputs: Sequence[Any]) -> Any:
    """What a node's kind derives, in the cell of its inputs where it stays there."""
    kind_of = KINDS[node["kind"]]
    c.past.reads = set()
    fact = kind_of.make(c, *inputs, **{name: node[name] for name in kind_of.names})
    c.past.keep(fact, inputs)
    by_record(c, node, inputs, fact)
    c.past.sums.update({fact} if node["kind"] in SUMS else ())
    data = [i for i in inputs if not isinstance(i, (Release, Procedure, Post, Known))]
    cells = {c.cells.get(i) for i in data} if node["kind"] in ZEROS else set()
    if len(cells) == 1 and None not in cells:
        c.cells[fact] = cells.pop()
    return fact


def parted(c: Checker, inputs: Sequence[Any], partition: Json, cell: Json = 0) -> Any:
    """A public partition of records, and one of its cells: by a hash of their numbers, or by cuts
    of one of them. Raises Refused.
    """
    fits = [*map(type, inputs)] in ([Rows], [Rows, Column])
    c.require(fits, "a partition is of rows, and perhaps of labels")
    hashed = type(partition) is dict and partition.get("assignment") == "hashed"
    own = {"cells": int, "salt": str} if hashed else {"cuts": list, "column": object}
    keys(partition, c.where, assignment=str, **own)
    c.require(hashed or partition["assignment"] == "cut", "assignment: hashed or cut")
    cuts = [number(cut, c.where) for cut in ([] if hashed else partition["cuts"])]
    c.require(sorted(set(cuts)) == cuts, "cuts must increase")
    count = partition["cells"] if hashed else len(cuts) + 1
    c.require(type(cell) is int and 0 <= cell < count <= 1000, "a cell of at most 1000")
    return *inputs, json.dumps(partition, sort_keys=True), count, cell


def within(c: Checker, fact: object, inputs: Iterable[object], place: Any) -> None:
    """Note the cell of a fact, if nothing that was released moves the cells."""
    if not any(node in c.past.late for node in inputs):
        c.cells[fact] = place


@kind("cell_rows", Rows, Column, many=True)
def _cell_rows(c: Checker, *inputs: Any, partition: Json, cell: Json) -> Rows:
    """The rows of one cell, zeros elsewhere: bounds stay."""
    place = parted(c, inputs, partition, cell)
    rows = inputs[0]
    fact = Rows(rows.columns, rows.norm, rows.norm1, entry=rows.entry)
    within(c, fact, inputs, place)
    return fact


@kind("cell_column", Column, Rows)
def _cell_column(c: Checker, column: Column, rows: Rows, *, partition: Json, cell: Json) -> Column:
    """The labels of one cell, 0 elsewhere."""
    fact = Column(column.bound)
    within(c, fact, [rows, column], parted(c, [rows, column], partition, cell))
    return fact


@kind("cell_count", Rows, Column, many=True)
def _cell_count(c: Checker, *inputs: Any, partition: Json, cell: Json) -> Statistic:
    """How many records lie in a cell: one more, one less, or as many, also where replaced."""
    one = c.ring.lift(1)
    fact = Statistic((), one, one, steps=(one,))
    within(c, fact, inputs, parted(c, inputs, partition, cell))
    return fact


@kind("cell_sums", Rows, Column, Rows, Column)
def _cell_sums(
    c: Checker, own: Rows, y: Column, rows: Rows, labels: Column, *, partition: Json
) -> Statistic:
    """Upper X'X and X'y of x/B, y/Y for every cell: one record is in one cell; replaced, twice."""
    count = parted(c, [rows, labels], partition)[-2]
    shape = (own.columns * (own.columns + 3) * HALF * count,)
    side = own.norm if own.entry is None else own.entry
    if side is None or own.norm1 is None or own.step is None or y.bound is None or y.step is None:
        return Statistic(shape, None, None)
    share = y.step / y.bound
    c.equal(own.step / side, share, "rows and labels must have as many steps to their bounds")
    n1, squared = (own.norm1 / side, c.ring.lift(1)) if own.entry is None else (own.columns,) * 2
    twice, l1 = 2 if c.replaced else 1, (n1**2 + squared) * HALF + n1
    l2 = (squared * (squared + 1)) ** HALF
    table = (own, y)
    fact = Statistic(shape, l1 * twice, l2 * twice, table=table, steps=(share**2,))
    c.cells["sums", fact] = count  # of all cells: it stays in none
    return fact


@kind("block_estimates", Statistic)
def _block_estimates(c: Checker, sums: Statistic, *, penalty: Json, radius: Json) -> Statistic:
    """The mean of k points of a ball, one for each cell: a cell that changes moves it by 2R/k."""
    count = c.cells.get(("sums", sums), 0)
    c.require(count, "its input must be sums of cells, bounded")
    c.formula(penalty)
    columns = (sums.table[0] or Rows(c.ring.lift(1))).columns
    changed = min(count, 2 if c.replaced else 1)
    l2 = c.positive(radius, "radius") * Fraction(2 * changed, count)
    return Statistic((columns,), columns**HALF * l2, l2)


@kind("column")
def _column(c: Checker, *, name: Json) -> Column:
    """Labels: finite numbers, one for each row of the table."""
    c.require(type(name) is str, "name must be text")
    c.require(not any(type(fact) is Column for fact in c.facts), "there is one column of labels")
    return Column()


@kind("clip_column", Column)
def _clip_column(c: Checker, _: Column, *, lower: Json, upper: Json) -> Column:
    """y clipped into [lower, upper]: numbers, or -Y and Y for one positive parameter Y."""
    low, high = c.formula(lower), c.formula(upper)
    if low.constant is not None and high.constant is not None:
        c.at_least(high, low, "bounds must increase", strict=True)
    else:
        named = type(upper) is str and upper in c.free and not low + high
        c.require(named, "bounds must be numbers, or -Y and Y for one parameter Y")
        c.at_least(high, 0, "Y must be positive", strict=True)
    return Column(c.ring.extremum("max", [-low, high]))


@kind("unit_interval", Column)
def _unit_interval(c: Checker, _: Column, *, lower: Json, upper: Json) -> Column:
    """[lower, upper] onto [-1, 1], clipped."""
    c.require(number(lower, c.where) < number(upper, c.where), "bounds must increase")
    return Column(c.ring.lift(1))


@kind("scaled_labels", Column)
def _scaled_labels(c: Checker, column: Column, *, by: Json, minus: Json) -> Column:
    """(y - minus)/by, by numbers that are public or released."""
    divisor, shift = c.positive(by, "by"), c.formula(minus)
    return Column(None if column.bound is None or shift else column.bound / divisor)


@kind("gram", Rows)
def _gram(c: Checker, rows: Rows) -> Statistic:
    """X'X: |xx'|_F = |x|^2; |xx' - zz'|_F^2 <= 2 B^4; upper triangle in L1 (|x|_1^2 + |x|^2)/2."""
    d = rows.columns
    if rows.norm is None or rows.norm1 is None:
        return Statistic((d, d), None, None, "gram")
    square = rows.norm**2
    l1, l2 = (rows.norm1**2 + square) * HALF, square
    if c.replaced:
        cauchy = (d * (d + 3) * HALF) ** HALF * square
        l1, l2 = c.ring.extremum("min", [l1 * 2, cauchy]), c.ring.lift(2) ** HALF * square
    if c.replaced and d.constant == 1:
        l1 = l2 = square
    steps = stepped(rows, rows)
    return Statistic((d, d), l1, l2, "gram", square, (rows, None), steps=steps)


@kind("lambda_min", Statistic)
def _lambda_min(c: Checker, gram: Statistic) -> Statistic:
    """The smallest eigenvalue of X'X, 1-Lipschitz in the operator norm [Weyl], which is B^2."""
    c.require(gram.part == "gram", "its input must be a gram")
    # Rounded down to multiples of g = B^2/2^bits: moves of B^2 stay, l < B^2 becomes l + g at most
    g = gram.table[0].share if gram.steps and gram.table[0] else ZERO
    charge = g * (2 + g) if c.replaced else ZERO
    steps = (gram.size * g,) if g and gram.size is not None else ()
    return Statistic((), gram.size, gram.size, "floor", gram.size, gram.table, charge, steps)


@kind("moment", Rows, Column)
def _moment(c: Checker, rows: Rows, column: Column) -> Statistic:
    """X'y: |y x| <= Y B; replaced, twice that."""
    if rows.norm is None or rows.norm1 is None or column.bound is None:
        return Statistic((rows.columns,), None, None)
    size, twice = rows.norm * column.bound, 2 if c.replaced else 1
    l1 = rows.norm1 * column.bound * twice
    steps = stepped(rows, column)
    table = (rows, column)
    return Statistic((rows.columns,), l1, size * twice, "moment", size, table, steps=steps)


@kind("squares", Column)
def _squares(_: Checker, column: Column) -> Statistic:
    """y'y: 0 <= y^2 <= Y^2."""
    size = None if column.bound is None else column.bound**2
    steps = stepped(column, column)
    return Statistic((), size, size, "squares", size, (None, column), steps=steps)


@kind("count", Rows)
def _count(c: Checker, _: Rows) -> Statistic:
    """n: one row counts once; replacing it changes nothing."""
    one = c.ring.lift(0 if c.replaced else 1)
    return Statistic((), one, one, steps=(c.ring.lift(1),), counts=True)


@kind("row_sum", Rows)
def _row_sum(c: Checker, rows: Rows) -> Statistic:
    """The sum of the rows: |x| <= B; replaced, twice that."""
    twice = 2 if c.replaced else 1
    l1, l2 = (None if b is None else b * twice for b in (rows.norm1, rows.norm))
    return Statistic((rows.columns,), l1, l2, steps=stepped(rows))


@kind("label_sum", Column)
def _label_sum(c: Checker, column: Column) -> Statistic:
    """The sum of the labels: |y| <= Y; replaced, twice that."""
    size = None if column.bound is None else column.bound * (2 if c.replaced else 1)
    return Statistic((), size, size, steps=stepped(column))


@kind("trace", Rows)
def _trace(c: Checker, rows: Rows) -> Statistic:
    """The sum of the |x|^2, each in [0, B^2]; constant where each is B^2 and rows are replaced."""
    size = None if rows.norm is None else rows.norm**2
    size = c.ring.lift(0) if c.replaced and rows.exact else size
    # rows of one norm are counted
    steps = (rows.norm**2,) if rows.exact and rows.norm is not None else stepped(rows, rows)
    return Statistic((), size, size, steps=steps)


@kind("column_squares", Rows)
def _column_squares(c: Checker, rows: Rows) -> Statistic:
    """(sum of x_j^2)_j: |x o x|_2 <= |x o x|_1 = |x|^2; in a box every entry in [0, b^2]. Replaced,
    two vectors without negative entries.
    """
    shape = (rows.columns,)
    if rows.norm is None:
        return Statistic(shape, None, None)
    l1 = l2 = rows.norm**2
    if rows.entry is not None:
        square = rows.entry**2
        l1, l2 = rows.columns * square, rows.columns**HALF * square
    elif c.replaced and rows.columns.constant != 1:
        l1, l2 = l1 * 2, l2 * c.ring.lift(2) ** HALF
    return Statistic(shape, l1, l2, steps=stepped(rows, rows))


@kind("bin_counts", Rows, Column, many=True)
def _bin_counts(c: Checker, *data: Rows | Column, cuts: Json, absolute: Json) -> Statistic:
    """Records between cuts, column by column: each in one bin of each; replaced, two bins move."""
    c.require(len(data) == 1 and type(absolute) is bool, "one input; absolute: true or false")
    c.require(type(cuts) is list and 1 <= len(cuts) <= 10_000, "cuts: a list of numbers")
    ends = [number(cut, c.where) for cut in cuts]
    c.require(sorted(set(ends)) == ends, "cuts must increase")
    d = data[0].columns if isinstance(data[0], Rows) else c.ring.lift(1)
    l1 = d * 2 if c.replaced else d
    return Statistic((d * (len(ends) + 1),), l1, l1**HALF, steps=(c.ring.lift(1),))


@kind("norm_counts", Rows)
def _norm_counts(c: Checker, _: Rows, *, cuts: Json) -> Statistic:
    """Rows with norms between cuts, none at or below the first: each in one bin at most."""
    c.require(type(cuts) is list and 1 <= len(cuts) <= 10_000, "cuts: a list of numbers")
    ends = [number(cut, c.where) for cut in cuts]
    c.require(sorted(set(ends)) == ends and ends[0] > 0, "cuts must increase, from above 0")
    one = c.ring.lift(1)
    l1 = one * 2 if c.replaced else one
    return Statistic((one * len(ends),), l1, l1**HALF, steps=(one,))


@kind("log_residual", Statistic, Statistic)
def _log_residual(
    c: Checker, gram: Statistic, moment: Statistic, *, penalty: Json, floor: Json
) -> Statistic:
    """log(Y + B |theta|), theta = H^-1 X'y, H = X'X + penalty I >= h: a record more moves theta by
    at most B (Y + B |theta|)/h, and so this by log(1 + B^2/h).
    """
    size, least = c.positive(penalty, "penalty"), floor_of(c, gram, moment, floor)
    c.require(c.rows.constant == 1 or not least, "with a floor, one row a person")
    assert gram.size is not None  # noqa: S101 - required by floor_of
    move = c.ring.log(gram.size / (size + least) + 1) * (2 if c.replaced else 1)
    return Statistic((), move, move, table=moment.table, ridge=(size, least))


@kind("linear", Statistic, many=True)
def _linear(c: Checker, *parts: Statistic, coefficients: Json) -> Statistic:
    """sum c_i S_i: the triangle inequality."""
    fits = type(coefficients) is list and len(coefficients) == len(parts) > 0
    c.require(fits, "one coefficient for each input")
    for part in parts:
        c.require(len(part.shape) == len(parts[0].shape), "its inputs must have one shape")
        for mine, first in zip(part.shape, parts[0].shape, strict=True):
            c.equal(mine, first, "its inputs must have one shape")
    factors = [c.formula(value) for value in coefficients]
    sizes = [c.ring.extremum("max", [f, -f]) for f in factors]
    bounds: list[Formula | None] = []
    for own in ([p.l1 for p in parts], [p.l2 for p in parts]):
        known = [size * bound for size, bound in zip(sizes, own, strict=True) if bound is not None]
        bounds.append(c.ring.total(known) if len(known) == len(parts) else None)
    return Statistic(parts[0].shape, bounds[0], bounds[1], steps=common_step(factors, parts))


def common_step(factors: Sequence[Formula], parts: Sequence[Statistic]) -> tuple[Formula, ...]:
    """The largest step of which every term is a whole multiple: quotients must be rational."""
    if not all(len(part.steps) == 1 and not part.stacked for part in parts):
        return ()
    first = parts[0].steps[0]
    terms = [(f * part.steps[0] / first).constant for f, part in zip(factors, parts, strict=True)]
    shares = [term for term in terms if term is not None]
    if len(shares) < len(terms) or not any(shares):
        return (first,) if len(shares) == len(terms) else ()
    above = math.gcd(*(share.numerator for share in shares))
    return (first * Fraction(above, math.lcm(*(share.denominator for share in shares))),)


@kind("stack", Statistic, many=True)
def _stack(c: Checker, *parts: Statistic) -> Statistic:
    """All in one vector; off the diagonal of a matrix times sqrt(2), so that L2 is Frobenius's."""
    c.require(parts, "at least one input")
    first = [math.prod(p.shape[:1], start=c.ring.lift(1)) for p in parts]
    counts = [
        n * (n + 1) * HALF if len(p.shape) == 2 else n for n, p in zip(first, parts, strict=True)
    ]
    shape = (c.ring.total(counts),)
    known = [(p.l1, len(p.shape) == 2) for p in parts if p.l1 is not None and p.l2 is not None]
    if len(known) < len(parts):
        return Statistic(shape, None, None)
    root = c.ring.lift(2) ** HALF
    l1 = c.ring.total(size * root if matrix else size for size, matrix in known)
    sums = by_part(c, charged(parts, [(part, size**2) for part, size in sizes_of(c, parts)]))
    largest = c.ring.extremum("max", joint(sums, lambda a, b: c.ring.extremum("max", [a, b])))
    exact = all(part.steps for part in parts)
    scales = [(1, root) if len(p.shape) == 2 else (1,) for p in parts] if exact else []
    steps = tuple(s * f for p, fs in zip(parts, scales, strict=False) for s in p.steps for f in fs)
    return Statistic(shape, l1, largest**HALF, steps=steps, stacked=True)


@kind("sufficient_statistics", Rows, Column)
def _sufficient(c: Checker, rows: Rows, column: Column, *, constant: Json) -> Statistic:
    """Upper X'X, X'y, perhaps y'y of u = (x/B, y/Y): (|u|_1^2 + |u|^2)/2; |uu'|_F = |u|^2. Replaced
    in a box, uu' - vv' = 2 (pq' + qp') with |p_j| + |q_j| <= 1: the same, and d (d + 2)^2/(2 d + 2)
    without y'y, which is largest at p, q constant.
    """
    c.require(type(constant) is bool, "constant must be true or false")
    shape = (rows.columns * (rows.columns + 3) * HALF + int(constant),)
    share = None if column.bound is None or column.step is None else column.step / column.bound
    side = rows.norm if rows.entry is None else rows.entry
    if side is None or rows.norm1 is None or rows.step is None or share is None:
        return Statistic(shape, None, None, table=(rows, column), constant=constant)
    c.equal(rows.step / side, share, "rows and labels must have as many steps to their bounds")
    n1, squared = (rows.norm1 / side, c.ring.lift(1)) if rows.entry is None else (rows.columns,) * 2
    l1, l2 = (n1**2 + squared) * HALF + n1 + int(constant), squared + 1
    if c.replaced:
        l2 = l2 * c.ring.lift(2) ** HALF
        boxed = l1 if constant else n1 * (n1 + 2) ** 2 / ((n1 + 1) * 2)
        l1 = l1 * 2 if rows.entry is None else boxed
    return Statistic(shape, l1, l2, table=(rows, column), steps=(share**2,), constant=constant)


@kind("monomials", Statistic)
def _monomials(c: Checker, own: Statistic) -> Statistic:
    """Its statistics times 1, 2, -2: sum_jk |u_j u_k| = |u|_1^2 with y'y, |u|_1^2 - 1 without.
    Replaced in a box, 4 |p|_1 |q|_1 <= (d + 1)^2; without y'y no more.
    """
    (rows, _), constant = own.table, own.constant
    c.require(constant is not None and rows, "its input must be sufficient statistics")
    side = rows and (rows.norm if rows.entry is None else rows.entry)
    if not (rows and rows.norm1 and side and own.l2):
        return Statistic(own.shape, None, None)
    whole = ((rows.columns if rows.entry is not None else rows.norm1 / side) + 1) ** 2
    l1 = whole if constant or (c.replaced and rows.entry is not None) else whole - 1
    l1 = l1 * 2 if c.replaced and rows.entry is None else l1
    return Statistic(own.shape, l1, own.l2 * c.ring.lift(2) ** HALF, steps=own.steps)


@kind("histogram", Rows, Column)
def _histogram(c: Checker, rows: Rows, column: Column, *, cells: Json) -> Statistic:
    """Records in cells of a public grid: one each; replaced, one cell loses it, one gains it."""
    c.require(type(cells) is int and 2 <= cells <= 1000, "cells: a whole number from 2 to 1000")
    logarithm = c.ring.log(c.ring.lift(cells))  # that of the number of cells stands for it
    shape = ((rows.columns + 1) * logarithm,)
    if rows.step is None or column.step is None:
        return Statistic(shape, None, None)
    one, two = c.ring.lift(1), c.ring.lift(2)
    l1, l2 = (two, two**HALF) if c.replaced else (one, one)
    return Statistic(shape, l1, l2, steps=(one,))


@kind("budgets")
def _budgets(c: Checker) -> Budgets:
    """Everybody's budgets, which are no data."""
    c.require(c.personal.own, "the target has no budgets of each record")
    return Budgets()


@kind("of_budgets")
def _of_budgets(c: Checker, *, what: Json, formula: Json, noise: Json = None) -> OfBudgets:
    """The total, largest, smallest or average of a positive formula of each record's budget, or a
    cap for it: all that is used of it is that it is positive.
    """
    kinds = ("total", "largest", "smallest", "average", "cap")
    c.require(what in kinds and (noise is not None) == (what == "cap"), f"what: one of {kinds}")
    found = c.positive(formula, "what is counted of each budget")
    c.require(c.ring.depends(found) & c.personal.own, "its formula must read each record's budget")
    if noise is not None:
        one_for_all(c, c.positive(noise, "noise"))
    return OfBudgets(what, found)


@kind("weight")
def _weight(c: Checker, *, factor: Json) -> Weight:
    """A public factor of each record."""
    return Weight(c.positive(factor, "a weight"))


def weighing(c: Checker, takes: type, inputs: Sequence[Any]) -> tuple[Any, Weight]:
    """Rows or labels and a weight; and everybody's budgets, where it reads them. Raises Refused."""
    fits = bool(inputs) and type(inputs[-1]) is Weight
    differs = fits and bool(c.ring.depends(inputs[-1].factor) & c.personal.own)
    wanted = [takes, Budgets, Weight] if differs else [takes, Weight]
    c.require(fits and [*map(type, inputs)] == wanted, "what is weighed, budgets, and a weight")
    return inputs[0], inputs[-1]


@kind("weighted_rows", Rows, Budgets, Weight, many=True)
def _weighted_rows(c: Checker, *inputs: Any) -> Rows:
    """w x, of a record whose w is known: every bound is w times what it was."""
    rows, weight = weighing(c, Rows, inputs)
    norms = [None if one is None else one * weight.factor for one in (rows.norm, rows.norm1)]
    fact = Rows(rows.columns, norms[0], norms[1])
    c.personal.weighed[fact] = weight.factor, rows.norm
    return fact


@kind("weighted_column", Column, Budgets, Weight, many=True)
def _weighted_column(c: Checker, *inputs: Any) -> Column:
    """w y."""
    column, weight = weighing(c, Column, inputs)
    fact = Column(None if column.bound is None else column.bound * weight.factor)
    c.personal.weighed[fact] = weight.factor, column.bound
    return fact


@kind("record_weights", Rows, Budgets, Weight, many=True)
def _record_weights(c: Checker, *inputs: Any) -> RecordWeights:
    """w itself."""
    rows, weight = weighing(c, Rows, inputs)
    return RecordWeights(weight.factor, rows)


def common(c: Checker, own: Rows | Column, bits: Json) -> Formula:
    """The step that all weighed records share, of the largest: each row or label is drawn in and
    rounded towards zero, inside its record's own bounds. Raises Refused.
    """
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    factor, bound = c.personal.weighed.get(own, (c.ring.lift(1), None))
    fits = own.step is None and bound is not None
    c.require(fits, "its input must be weighed, bounded, and on no grid")
    largest = c.personal.largest.get(factor.key) if apart(c, own) else factor
    c.require(largest is not None, "the largest weight must be a symbol")
    return c.ring.lift(largest or 0) * (bound or 0) * Fraction(1, 2**bits)


@kind("weighted_grid", Rows)
def _weighted_grid(c: Checker, rows: Rows, *, bits: Json) -> Rows:
    """Rows on the common grid; eigenvalues of such X'X are computed in floating point."""
    fact = Rows(rows.columns, rows.norm, rows.norm1, step=common(c, rows, bits))
    c.personal.weighed[fact] = c.personal.weighed[rows]
    return fact


@kind("weighted_grid_column", Column)
def _weighted_grid_column(c: Checker, column: Column, *, bits: Json) -> Column:
    """Labels on the common grid."""
    fact = Column(column.bound, common(c, column, bits))
    c.personal.weighed[fact] = c.personal.weighed[column]
    return fact


@kind("thinning")
def _thinning(c: Checker, *, threshold: Json, epsilon: Json, delta: Json = None) -> Thinning:
    """One coin a record, in secret; once."""
    once = c.personal.own and not any(isinstance(fact, Thinning) for fact in c.facts)
    c.require(once, "one sample, where every record has an epsilon of its own")
    last = None if delta is None else c.positive(delta, "delta")
    return Thinning(c.positive(threshold, "threshold"), c.positive(epsilon, "epsilon"), last)


@kind("sampled_rows", Rows, Budgets, Thinning)
def _sampled_rows(_: Checker, rows: Rows, __: Budgets, ___: Thinning) -> Rows:
    """The rows of kept records: as bounded as all."""
    return Rows(rows.columns, rows.norm, rows.norm1)


@kind("sampled_column", Column, Budgets, Thinning)
def _sampled_column(_: Checker, column: Column, __: Budgets, ___: Thinning) -> Column:
    """The labels of kept records."""
    return Column(column.bound)


@kind("squared")
def _squared(c: Checker) -> Loss:
    """(x'theta - y)^2/2: its slope is the residual."""
    slope: Slope = lambda margin, label: None if margin is None else margin + label  # noqa: E731
    return Loss(slope, lambda _: c.ring.lift(1), square=True)


@kind("logistic")
def _logistic(_: Checker) -> Loss:
    """log(1 + exp(-y x'theta)): its slope is at most |y|."""
    return Loss(lambda _, label: label, lambda label: label**2 / 4)


@kind("huber")
def _huber(c: Checker, *, knee: Json) -> Loss:
    """r^2/2 for residuals up to the knee, linear beyond: its slope is the clipped residual."""
    most = c.positive(knee, "knee")
    slope: Slope = lambda m, y: most if m is None else c.ring.extremum("min", [most, m + y])  # noqa: E731
    return Loss(slope, lambda _: c.ring.lift(1))


@kind("argmin", Rows, Column, Loss, RecordWeights, many=True)
def _argmin(
    c: Checker, *inputs: Any, penalty: Json, radius: Json, tolerance: Json, weight: Json = None
) -> Statistic:
    """sum w phi(x'theta, y) + penalty/2 |theta|^2 is penalty-strongly convex, on the ball too: one
    record's gradient moves its argmin by |gradient|/penalty [ChaudhuriM09, Lem 1].
    """
    rows, column, loss, factor = losses(c, inputs, weight)
    size, far = c.positive(penalty, "penalty"), number(tolerance, c.where)
    ball = None if radius is None else c.positive(radius, "radius")
    rule = "tolerance must lie in (0, 1], or be 0 for the squared loss, which has a closed form"
    c.require(0 < far <= 1 or (far == 0 and loss.square), rule)
    if rows.norm is None or column.bound is None:
        return Statistic((rows.columns,), None, None)
    once, move = moves_of(c, loss, (rows.norm, column.bound, ball), size, factor)
    if once is None or move is None:
        return Statistic((rows.columns,), None, None)
    move = move + once * (2 * far)
    l2 = move if ball is None else c.ring.extremum("min", [ball * 2, move])
    return Statistic((rows.columns,), rows.columns**HALF * l2, l2)


def losses(
    c: Checker, inputs: Sequence[Any], weight: Json
) -> tuple[Rows, Column, Loss, Formula | None]:
    """Rows, labels, a loss, and the weight of each record of these rows, None for 1."""
    weights = [i for i in inputs if isinstance(i, RecordWeights)]
    wanted = [Rows, Column, Loss] if weight is None else [Rows, Column, Loss, RecordWeights]
    c.require([*map(type, inputs)] == wanted, "rows, labels, a loss, and weights where it has any")
    for own in weights:
        stated = c.ring.formula(weight, c.where).key == own.factor.key
        c.require(stated and own.rows is inputs[0], "the weights must be those of these rows")
    factor = weights[0].factor if weights and weights[0].factor.constant != 1 else None
    return inputs[0], inputs[1], inputs[2], factor


def moves_of(
    c: Checker,
    loss: Loss,
    known: tuple[Formula, Formula, Formula | None],
    size: Formula,
    factor: Formula | None,
) -> tuple[Formula | None, Formula | None]:
    """How far a record more, or a change of the relation, moves an exact argmin. For squared losses
    of weight 1, penalty |v|^2 + u^2 <= (B R + Y) |u|, where u = x'v, bounds the move v.
    """
    row, label, ball = known
    slope = loss.slope(None if ball is None else row * ball, label)
    if slope is None:
        return None, None
    weighed = row / size if factor is None else row * factor / size
    once = slope * weighed
    gap = (slope + label) * weighed  # of gradients of squared losses: |xx' - zz'| <= B^2
    if not loss.square:
        return once, once * 2 if c.replaced else once
    if factor is not None:
        return once, gap if c.replaced else once
    reach = c.ring.extremum("min", [row, size**HALF])
    once = slope * reach / (reach**2 + size)
    return once, c.ring.extremum("min", [once * 2, gap]) if c.replaced else once


@kind("raw", Rows, Column, Statistic, many=True)
@kind("identity", Rows, Column, Statistic, many=True)
def _unbounded(c: Checker, *_: object) -> NoReturn:
    """Nothing bounds what one row does to it."""
    raise Refused(f"{c.where}: no rule bounds its sensitivity")


def exactly_drawn(c: Checker, statistic: Statistic, mechanism: str) -> None:
    """Discrete noise is for whole numbers; what is on no grid is drawn in floating point."""
    whole = bool(statistic.steps) and all(step.constant == 1 for step in statistic.steps)
    c.require(whole or mechanism not in WHOLE, "discrete noise is for whole numbers")
    if not (statistic.steps and mechanism in EXACT):
        c.idealized.append(c.where)


def of_samples(c: Checker, statistic: Statistic, sampled: Json) -> bool:
    """Whether each draw reads a sample of its own, at a rate. Raises Refused."""
    rated = statistic in c.past.sums and 0 < number(sampled or "0", c.where) <= 1
    c.require(sampled is None or rated, "sampled: a rate in (0, 1], for a sum over records")
    return sampled is not None


@kind("release", Statistic)
def _release(
    c: Checker,
    statistic: Statistic,
    *,
    mechanism: Json,
    size: Json,
    rule: Json,
    share: Json,
    times: Json,
    name: Json,
    sampled: Json = None,
) -> Release:
    """The statistic plus noise of its own, `times` times over; of samples it costs no more."""
    texts = all(type(text) is str for text in (mechanism, rule, name))
    c.require(texts and (name or "a").isidentifier(), "mechanism, rule and name must be names")
    mechanism = ALIKE.get((mechanism, rule), mechanism)
    c.require((mechanism, rule) in THEOREMS, f"mechanism and rule: one of {sorted(THEOREMS)}")
    one = statistic.l1 if mechanism in BY_L1 else statistic.l2
    c.require(one is not None, "its statistic must have a derived sensitivity")
    amounts, noise, draws = amounts_of(c, share), c.positive(size, "size"), c.whole(times, "times")
    settled(c, draws)
    part = of_samples(c, statistic, sampled)
    exactly_drawn(c, statistic, mechanism)
    return Release(c.where, statistic, mechanism, noise, rule, amounts, draws, part)


def amounts_of(c: Checker, share: Json) -> dict[str, Formula] | None:
    """What a release claims of the budget, by currency; None where it claims nothing."""
    own = share is None or (type(share) is dict and set(share) in CURRENCIES)
    c.require(own, f"share: null, or amounts of one of {[sorted(s) for s in CURRENCIES]}")
    amounts = None if share is None else {key: c.formula(value) for key, value in share.items()}
    settled(c, *(amounts or {}).values())
    return amounts


@kind("post", *SEEN, many=True)
def _post(c: Checker, *inputs: Any, function: Json, digest: Json, arguments: Json) -> Post:
    """A function of releases, of constant statistics and of public formulas."""
    called(c, inputs, (function, digest, arguments))
    return Post()


def called(c: Checker, inputs: Sequence[Any], call: tuple[Json, Json, Json]) -> None:
    """A named function, and its arguments: public nodes and formulas, constants. Raises Refused."""
    function, digest, arguments = call
    c.require(type(function) is str and type(digest) is str, "function and digest are text")
    c.require(all(public(fact) for fact in inputs), "its inputs must be released")
    c.require(type(arguments) is list, "arguments must be a list")
    nodes = 0
    for argument in arguments:
        (kind_of,) = argument if type(argument) is dict and len(argument) == 1 else ("",)
        c.require(kind_of in ("node", "formula", "constant"), "node, formula or constant")
        c.require(kind_of != "node" or argument["node"] is None, "node must be null")
        nodes += kind_of == "node"
        if kind_of == "formula":
            c.formula(argument["formula"])
    c.require(nodes == len(inputs), "one node argument for each input")


@kind("iterate")
def _iterate(c: Checker, *, name: Json, size: Json) -> Iterate:
    """The point of a loop: made of what the loop has released so far."""
    c.require(type(name) is str, "name must be text")
    return Iterate(c.whole(size, "size"))


@kind("loop", Iterate, *SEEN, many=True)
def _loop(c: Checker, *inputs: Any, function: Json, digest: Json, arguments: Json) -> Post:
    """Every point: the next is made of the last one, the answer there, and what was released before
    the loop. One answer's guarantee holds at every point, so all compose.
    """
    fits = len(inputs) > 1 and type(inputs[0]) is Iterate and type(inputs[-1]) is Release
    c.require(fits, "a point, what was released before, and a release")
    point, *others, step = inputs
    called(c, others, (function, digest, arguments))
    points = c.past.points
    read = [*others, *(c.past.symbols[n] for n in c.past.reads & c.past.symbols.keys())]
    c.require(not any(point in points[one] for one in read), "arguments are known before the loop")
    once = point in points[step] and point not in c.past.loops
    c.require(once, "its release must read the point, which has one loop")
    c.past.loops[point] = step
    return Post()


@kind("known", *SEEN, many=True)
def _known(c: Checker, *values: Any, name: Json) -> Known:
    """A released number for formulas to read: what they claim is shown for all of its range."""
    fits = len(values) == 1 and isinstance(values[0], (Release, Post, Known))
    c.require(fits, "a release, or a function of releases")
    return Known(own_name(c, name))


def own_name(c: Checker, name: Json) -> str:
    """The name of a released number, which nothing else has. Raises Refused."""
    c.require(type(name) is str and NAME.match(name), "name must be a name")
    c.require(name not in c.ring.symbols and not named(c, name), f"{name} must be its own name")
    return str(name)


@kind("bound", Release)
def _bound(
    c: Checker,
    release: Release,
    *,
    name: Json,
    upper: Json,
    stds: Json,
    margin: Json,
    failure: Json,
) -> Bound:
    """f(D) + N moved by stds and margin >= sensitivity: on one side of f on both neighbours unless
    |N| > stds, and of f on every table between them.
    """
    once = release.times.constant == 1 and not release.sampled and not release.statistic.shape
    fits = once and release.mechanism == "gaussian" and type(upper) is bool
    c.require(fits, "a bound is of one number that is drawn once, with Gaussian noise")
    paid, far = c.positive(failure, "failure"), c.formula(stds)
    settled(c, paid)
    c.at_least(c.formula(margin), moved_by(c, release), "the margin must cover the sensitivity")
    c.at_least(far, 0, "stds must not be negative")
    c.require(tail_paid(c, far, paid), "exp(-stds^2/2)/2 <= failure was not shown")
    return Bound(own_name(c, name), release.statistic, upper, paid)


def tail_paid(c: Checker, far: Formula, failure: Formula) -> bool:
    """Whether exp(-far^2/2)/2 <= failure, for far >= 0: exactly for far^2 = 2 k log(A), k whole,
    where it says 2 A^k failure >= 1; or else on boxes.
    """
    square, ring = far**2, c.ring
    for mono, twice in square.pairs if len(square.terms) == 1 else ():
        k = twice / 2
        logs = [ring.atoms[g] for g, e in mono if e == 1 and ring.atoms[g].kind == "log"]
        whole = len(logs) == len(mono) == 1 and k.denominator == 1 and abs(k) <= 64
        if whole and ring.prove(logs[0].args[1], strict=True):
            top, bottom = logs[0].args
            return ring.prove((top / bottom) ** k * failure * 2 - 1)

    def decide(ends: Sequence[Interval] | None) -> bool:
        if ends is None or ends[0][0] < 0:
            return False
        return transcendental("exp", -(ends[0][0] ** 2) / 2, 96)[1] / 2 <= ends[1][0]

    return on_boxes(c, [far, failure], decide)


# =========================================================================== TABLES: procedures
def floor_of(c: Checker, gram: Statistic, moment: Statistic, floor: Json) -> Formula:
    """X'X and X'y are of one table, with bounds; the floor is 0, or a bound below lambda_min(X'X).
    Raises Refused.
    """
    own = gram.part == "gram" and moment.part == "moment" and gram.table[0] is moment.table[0]
    c.require(own, "X'X and X'y must be of one table, with bounds")
    plain = not any(apart(c, fact) for fact in moment.table)
    c.require(plain, "B and Y must be those of all records: rows or labels are weighed")
    least = c.formula(floor)
    if least:
        bound = bound_of(c, least)
        known = bound is not None and not bound.upper and bound.statistic.part == "floor"
        same = known and bound is not None and bound.statistic.table[0] is gram.table[0]
        c.require(same, "the floor must be 0, or a bound below lambda_min of this X'X")
    return least


def floor_under(c: Checker, gram: Statistic, floor: Json) -> Formula:
    """0, or a bound below lambda_min of this X'X, of bounded rows that no loop moves. Raises
    Refused.
    """
    own = gram.part == "gram" and gram.size is not None and not c.past.points[gram]
    c.require(own, "X'X must be of bounded rows, the same in every round")
    c.require(not apart(c, gram.table[0]), "B must be that of all records: rows are weighed")
    least = c.formula(floor)
    bound = bound_of(c, least) if least else None
    below = bound is not None and not bound.upper and bound.statistic.part == "floor"
    same = below and bound is not None and bound.statistic.table[0] is gram.table[0]
    c.require(not least or same, "the floor must be 0, or a bound below lambda_min of this X'X")
    return least


@kind("gaussian_mixing", Statistic)
def _gaussian_mixing(
    c: Checker, gram: Statistic, *, formulas: Json, share: Json, name: Json
) -> Procedure:
    """Sketches, each of k draws of N(0, X'X + s^2 I): a record makes k T draws of N(0, 1 + m) from
    those of N(0, 1), m <= B^2/(s^2 + floor); execution takes the least s^2 inside the share.
    """
    c.require(type(name) is str, "name must be text")
    keys(formulas, c.where, rows=object, sketches=object, floor=object)
    c.require(c.rows.constant == 1, "one row a person")
    for key in ("rows", "sketches"):
        c.positive(formulas[key], key)
    floor_under(c, gram, formulas["floor"])
    c.idealized.append(c.where)
    return Procedure(c.where, *share_of(c, share))


def bound_of(c: Checker, f: Formula) -> Bound | None:
    """The bound that a formula is."""
    for name, known in c.past.symbols.items():
        if isinstance(known, Bound) and c.ring.symbols[name].key == f.key:
            return known
    return None


TILTED = ("penalty", "noise_share", "size")


def share_of(c: Checker, share: Json, *, delta: bool = True) -> tuple[Formula, Formula]:
    """The share (epsilon, delta) of a procedure; `delta` says whether it must be positive."""
    fits = type(share) is dict and set(share) in CURRENCIES[:2]
    c.require(fits, "share: amounts of epsilon, and perhaps of delta")
    amounts = c.positive(share["epsilon"], "epsilon"), c.formula(share.get("delta", "0"))
    c.at_least(amounts[1], 0, "its share of delta", strict=delta)
    settled(c, *amounts)
    return amounts


@kind("posterior", Statistic, Statistic)
def _posterior(
    c: Checker, gram: Statistic, moment: Statistic, *, formulas: Json, share: Json, name: Json
) -> Procedure:
    """N(H^-1 X'y, (gamma H)^-1): execution takes the largest gamma for which the pair of one
    dimension is inside the share; what that needs are bounds on leverage and residual.
    """
    c.require(type(name) is str, "name must be text")
    keys(formulas, f"{c.where}: no temperature", penalty=object, floor=object, residual=object)
    c.require(c.rows.constant == 1, "one row a person")
    size = c.positive(formulas["penalty"], "penalty")
    least = floor_of(c, gram, moment, formulas["floor"])
    most = c.formula(formulas["residual"])
    shown = any(c.ring.prove(most - one) for one in residuals_of(c, moment, (size, least)))
    c.require(shown, f"{text_of(most)} is not shown to bound every residual of this table")
    c.idealized.append(c.where)
    return Procedure(c.where, *share_of(c, share))


def residuals_of(
    c: Checker, moment: Statistic, ridge: tuple[Formula, Formula]
) -> Iterator[Formula]:
    """Bounds on |y - x'theta| of this ridge regression: exp of a bound on its logarithm; where n is
    public, from |theta| <= |y|/(2 sqrt(penalty)) and |theta| <= |X'y|/penalty.
    """
    own = [part.key for part in ridge]
    for name, known in c.past.symbols.items():
        bound = known.statistic if isinstance(known, Bound) and known.upper else moment
        same = [part.key for part in bound.ridge] == own
        if same and all(a is b for a, b in zip(bound.table, moment.table, strict=True)):
            yield c.ring.implicit("exp", [c.ring.symbols[name]])
    rows, column = moment.table
    if c.replaced and rows and column and rows.norm and column.bound:
        for n in c.past.counts:
            first = n**HALF * column.bound * HALF / ridge[0] ** HALF
            second = n * rows.norm * column.bound / ridge[0]
            longest = c.ring.extremum("min", [first, second])
            yield column.bound + rows.norm * longest


@kind("perturbed_minimum", Statistic, Statistic)
def _perturbed_minimum(
    c: Checker,
    gram: Statistic,
    moment: Statistic,
    *,
    formulas: Json,
    share: Json,
    name: Json,
    noise: Json,
    stated: Json,
) -> Procedure:
    """The minimiser over a ball of (x'theta - y)^2/2 summed, plus penalty and a random tilt."""
    c.require(type(name) is str, "name must be text")
    own = share_of(c, share, delta=noise == "gaussian")
    size = tilted(c, (gram, moment), formulas, noise, own)
    c.idealized.append(c.where)
    same = stated is None or c.formula(stated).key == size.key
    c.require(same, "what is stated must be the size of the noise")
    return Procedure(c.where, *own)


def tilted(
    c: Checker,
    data: tuple[Statistic, Statistic],
    formulas: Json,
    noise: Json,
    share: tuple[Formula, Formula],
) -> Formula:
    """Objective perturbation [KiferST12, Thm 2] [ChaudhuriMS11, Thm 9]: the Jacobian costs log(1 +
    B^2/penalty), the noise hides a gradient of A = B (B R + Y). Returns its size. Raises Refused.
    """
    keys(formulas, c.where, penalty=object, radius=object, noise_share=object, size=object)
    floor_of(c, *data, "0")
    c.require(c.rows.constant == 1, "one row a person")
    names = ("penalty", "radius", "noise_share", "size")
    penalty, radius, part, size = (c.positive(formulas[name], name) for name in names)
    square, product = data[0].size, data[1].size
    assert square and product  # noqa: PT018, S101 - B^2 and B Y, required by floor_of
    own, slope = part * share[0], square * radius + product
    rule = "B^2/penalty must be at most what the noise leaves of epsilon"
    c.at_least(share[0] - own, square / penalty, rule)
    moved = slope * 2 if c.replaced else slope
    if noise == "l2_laplace":
        c.at_least(size * own, moved, "the scale must be the theorem's")
        return size
    c.require(noise == "gaussian", "noise: gaussian or l2_laplace")
    enough = any(c.ring.prove(size - least) for least in tilts(c, moved, part, share))
    c.require(enough, f"the std must be the theorem's: {text_of(size)} is not shown to be")
    return size


def tilts(
    c: Checker, moved: Formula, part: Formula, share: tuple[Formula, Formula]
) -> Iterator[Formula]:
    """Stds that are enough, by analytic_sigma, or published; E1 proves the latter with delta/4."""
    (epsilon, delta), ring = share, c.ring
    own = part * epsilon
    if c.replaced:
        yield moved * ring.implicit("analytic_sigma", [own, delta / 4])
        return
    pairs = [[own, delta], [epsilon, delta / 2]]
    yield moved * ring.extremum("max", [ring.implicit("analytic_sigma", pair) for pair in pairs])
    if ring.prove(part - HALF):
        yield moved * (ring.log(2 / delta) * 8 + epsilon * 4) ** HALF / epsilon


@kind("deep_point", Statistic, many=True)
def _deep_point(c: Checker, *sums: Statistic, formulas: Json, share: Json, name: Json) -> Procedure:
    """A point of a public grid with a chance proportional to e^(rate depth) among the models of all
    cells: a changed model moves every depth, and so their total, by a factor of at most e^rate.
    """
    c.require(type(name) is str, "name must be text")
    whole = share_of(c, share, delta=False)
    deep(c, sums, formulas, whole[0])
    return Procedure(c.where, *whole)


@kind("tested_point", Statistic, many=True)
def _tested_point(
    c: Checker, *sums: Statistic, formulas: Json, share: Json, name: Json, least: Json
) -> Procedure:
    """The same among points of depth `least` or more, if a noisy count of the models that decide
    which those are passes: unsafe tables pass, and safe ones differ, with probability delta.
    """
    c.require(type(name) is str, "name must be text")
    c.require(type(least) is int and least >= 1, "least: a whole number, 1 or more")
    whole = share_of(c, share)
    c.require(type(formulas) is dict and "test" in formulas, "formulas: the epsilon of its test")
    left = whole[0] - c.positive(formulas["test"], "test")
    deep(c, sums, without(formulas, "test"), left)
    return Procedure(c.where, *whole)


def deep(c: Checker, sums: Sequence[Statistic], formulas: Json, epsilon: Formula) -> None:
    """2 rate for each cell that changes, a replaced row changes two of each partition, is inside
    epsilon. Raises Refused.
    """
    cells = [("sums", one) in c.cells for one in sums]
    c.require(cells and all(cells), "its inputs must be sums of cells, bounded")
    keys(formulas, c.where, penalty=object, radius=object, grain=object, rate=object)
    c.formula(formulas["penalty"])
    *_, rate = (c.positive(formulas[key], key) for key in ("radius", "grain", "rate"))
    spent = rate * c.rows * (len(cells) * (4 if c.replaced else 2))
    c.at_least(epsilon, spent, "2 rate a cell that changes must be at most epsilon")


@kind("tilted_minimum", Rows, Column, Loss, RecordWeights, many=True)
def _tilted_minimum(
    c: Checker, *inputs: Any, formulas: Json, share: Json, name: Json, weight: Json
) -> Tilted:
    """The minimiser over all theta of sum w phi(x'theta, y) + penalty/2 |theta|^2 + z'theta, |z| of
    density exp(-|z|/size) [ChaudhuriMS11, Thm 9]: its Jacobian costs log(1 + w c B^2/penalty).
    """
    c.require(type(name) is str, "name must be text")
    c.require(c.rows.constant == 1, "one row a person")
    rows, column, loss, factor = losses(c, inputs, weight)
    keys(formulas, c.where, penalty=object, noise_share=object, size=object)
    penalty, part, size = (c.positive(formulas[key], key) for key in TILTED)
    one_for_all(c, penalty, part)
    whole = share_of(c, share, delta=False)
    slope = None if column.bound is None else loss.slope(None, column.bound)
    if rows.norm is None or column.bound is None or slope is None:
        raise Refused(f"{c.where}: records, and the slope of the loss, must be bounded")
    own, weighed = part * whole[0], rows.norm if factor is None else rows.norm * factor
    bend = loss.bend(column.bound) * rows.norm * weighed / penalty
    at_most(c, whole[0] - own, bend, "w c B^2/penalty must be at most what noise leaves of epsilon")
    moved = slope * weighed * (2 if c.replaced else 1)
    at_most(c, size * own, moved, "the scale must be the theorem's")
    c.idealized.append(c.where)
    return Tilted(c.where, *whole)


@kind("approximate_minimum", Statistic, Statistic)
def _approximate_minimum(
    c: Checker,
    gram: Statistic,
    moment: Statistic,
    *,
    formulas: Json,
    share: Json,
    name: Json,
    noise: Json,
    minimum: Json,
    difference: Json,
) -> Procedure:
    """A point within a tolerance of one, plus noise that hides by how much. [IyengarNSTTW19]"""
    c.require(type(name) is str and type(formulas) is dict, "name and formulas")
    whole, apart = share_of(c, share), share_of(c, difference)
    exact = share_of(c, minimum, delta=noise == "gaussian")
    for all_of, one, other in zip(whole, exact, apart, strict=True):
        c.at_least(all_of, one + other, "both parts must fit the share")
    far, std = (c.positive(formulas.get(key), key) for key in ("tolerance", "std"))
    tilted(c, (gram, moment), without(formulas, "tolerance", "std"), noise, exact)
    least = c.ring.implicit("analytic_sigma", [*apart]) * far * 2
    c.at_least(std, least, "the std must hide two points in the ball of the tolerance")
    c.idealized.append(c.where)
    return Procedure(c.where, *whole)


def without(formulas: Mapping[str, Json], *names: str) -> dict[str, Json]:
    """All but these."""
    return {key: value for key, value in formulas.items() if key not in names}


@kind("random_stopping", Rows, Column)
def _random_stopping(
    c: Checker,
    _: Rows,
    __: Column,
    *,
    share: Json,
    name: Json,
    gamma: Json,
    graphs: Json,
) -> Procedure:
    """The fit of the lowest score among a geometric number of runs, each e-DP with its score: 3 e.
    [LiuT19] [PapernotS22, Cor 3]
    """
    c.require(type(name) is str, "name must be text")
    c.require(Fraction(1, 1000) <= number(gamma, c.where) <= 1, "gamma: from 1/1000 to 1")
    whole = share_of(c, share, delta=False)
    c.require(type(graphs) is list and graphs and not c.past.symbols, "graphs, of public numbers")
    for graph in graphs:
        nested(c, graph, whole[0] / 3)
    return Procedure(c.where, *whole)


def nested(c: Checker, graph: Json, epsilon: Formula) -> None:
    """A graph within, of the same table, is epsilon-DP wherever it is run. Raises Refused."""
    inner, outer = Checker(), c.where
    inner.ring, inner.domains, inner.free = c.ring, c.domains, c.free
    inner.replaced, inner.rows, inner.kind, inner.amounts = c.replaced, c.rows, "pure", [epsilon]
    c.require(type(graph) is list and [*map(type, graph)] == [list, list], "nodes and outputs")
    try:
        for index, node in enumerate(graph[0]):
            inner.facts.append(inner.derive(node, index))
        tables = [[f for f in one.facts if type(f) is Rows] for one in (c, inner)]
        for mine, own in zip(tables[0][:1], tables[1][:1], strict=False):
            c.equal(own.columns, mine.columns, "a run reads this table")
        committed(inner, "basic")
        DERIVATIONS["basic"](inner)
    except Refused as error:
        raise Refused(f"{outer}: {error}") from None
    seen = [type(i) is int and 0 <= i < len(inner.facts) for i in graph[1]]
    shown = len(seen) == 2 and all(seen) and all(public(inner.facts[i]) for i in graph[1])
    c.require(shown, "a run releases a fit and a score")
    c.idealized += inner.idealized
    c.count += inner.count


# ============================================================================= TABLES: theorems
Theorem = Callable[[Checker, Release, Formula, Formula], None]
THEOREMS: dict[tuple[str, str], Theorem] = {}


def theorem(mechanism: str, rule: str) -> Callable[[Theorem], Theorem]:
    """Enter a theorem: why noise of this size gives the release its share (epsilon, delta)."""

    def enter(judge: Theorem) -> Theorem:
        THEOREMS[mechanism, rule] = judge
        return judge

    return enter


def moved_by(c: Checker, r: Release) -> Formula:
    """The sensitivity of a release in the norm of its noise, for one person's rows."""
    one = r.statistic.l1 if r.mechanism in BY_L1 else r.statistic.l2
    assert one is not None  # noqa: S101 - required where the release was read
    return c.ring.factored(c.rows * one)


def calibrated(c: Checker, r: Release, factor: Fraction, epsilon: Formula, delta: Formula) -> None:
    """size = sqrt(2 log(factor/delta)) Delta/epsilon."""
    root = (c.ring.log(factor / delta) * 2) ** HALF
    c.equal(r.size, root * moved_by(c, r) / epsilon, "the theorem's size")


@theorem("gaussian", "Gaussian.classical")
def _classical(c: Checker, r: Release, epsilon: Formula, delta: Formula) -> None:
    """[DworkR14, Thm A.1], for epsilon < 1."""
    calibrated(c, r, Fraction(5, 4), epsilon, delta)
    c.require(c.assume(epsilon, c.ring.lift(1), strict=True), f"{text_of(epsilon)} < 1 is missing")


@theorem("gaussian", "Gaussian.kamath_ullman")
def _kamath_ullman(c: Checker, r: Release, epsilon: Formula, delta: Formula) -> None:
    """[KamathU20, Lem 2.4] up to 1, and up to 4 log 2 by E1 with a = 2, S = 1/2."""
    calibrated(c, r, Fraction(2), epsilon, delta)
    limit = c.ring.log(c.ring.lift(2)) * 4
    c.require(c.assume(epsilon, limit), f"{text_of(epsilon)} <= 4*log(2) is missing")


@theorem("gaussian", "Gaussian.analytic")
def _analytic(c: Checker, r: Release, epsilon: Formula, delta: Formula) -> None:
    """[BalleW18, Thm 8]: what analytic_sigma is."""
    least = c.ring.implicit("analytic_sigma", [epsilon, delta])
    c.equal(r.size, least * moved_by(c, r), "the theorem's size")


@theorem("laplace", "Laplace.pure")
@theorem("discrete_laplace", "DiscreteLaplace.pure")
@theorem("l2_laplace", "L2Laplace.pure")
def _pure(c: Checker, r: Release, epsilon: Formula, _: Formula) -> None:
    """[DworkR14, Thm 3.6] in the L1 norm, [HardtT10, Sec 4] in L2: the slope of the log-density; in
    whole numbers, of the log-probabilities. [GhoshRS12, Def 2.3]
    """
    c.equal(r.size, moved_by(c, r) / epsilon, "the theorem's size")


@theorem("laplace", "stated")
@theorem("discrete_laplace", "stated")
@theorem("l2_laplace", "stated")
def _stated_laplace(c: Checker, r: Release, epsilon: Formula, _: Formula) -> None:
    """scale >= Delta/epsilon: Delta_1 [DworkR14, Thm 3.6], or Delta_2 [HardtT10, Sec 4]."""
    norm = "L1" if r.mechanism in BY_L1 else "L2"
    at_most(c, epsilon * r.size, moved_by(c, r), f"{norm} sensitivity at most epsilon times scale")


def at_most(c: Checker, most: Formula, f: Formula, rule: str) -> None:
    """The obligation f <= most, shown of f or of a bound on f. Raises Refused."""
    bounds = islice(bounds_of(c.ring, c.ring.factored(f)), 64)
    c.at_least(most, next((one for one in bounds if c.ring.prove(most - one)), f), rule)


def bounds_of(ring: Ring, f: Formula) -> Iterator[Formula]:
    """Bounds on f: itself; where it is a product of what is positive and a minimum, or divided by a
    maximum, that with one of the arguments.
    """
    yield f
    (mono, c), *others = f.pairs or [((), ZERO)]
    if others or c <= 0:
        return
    for g, e in mono:
        atom, rest = ring.atoms[g], [(h, k) for h, k in mono if h != g]
        extreme = (atom.kind == "min" and e > 0) or (atom.kind == "max" and e < 0)
        if extreme and atom.sign == 2 and all(ring.atoms[h].sign == 2 for h, _ in rest):
            for part in atom.args:
                if ring.sign(part) == 2:
                    yield from bounds_of(ring, ring.factored(ring.product(rest, c) * part**e))


@theorem("discrete_gaussian", "DiscreteGaussian.concentrated")
def _concentrated(c: Checker, r: Release, epsilon: Formula, delta: Formula) -> None:
    """rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, so that rho + 2 sqrt(rho
    log(1/delta)) = epsilon. [CanonneKS20, Thm 4] [BunS16, Prop 1.3]
    """
    tail = c.ring.log(1 / delta)
    root = epsilon / ((tail + epsilon) ** HALF + tail**HALF)
    c.equal(r.size, moved_by(c, r) / (root * c.ring.lift(2) ** HALF), "the theorem's size")


@theorem("discrete_gaussian", "stated")
def _stated_concentrated(c: Checker, r: Release, epsilon: Formula, delta: Formula) -> None:
    """rho + 2 sqrt(rho log(1/delta)) <= epsilon for rho = (Delta/std)^2/2. [BunS16, Prop 1.3]"""
    rho = (moved_by(c, r) / r.size) ** 2 * HALF
    worth = rho + (rho * c.ring.log(1 / delta)) ** HALF * 2
    c.at_least(epsilon, worth, "rho + 2 sqrt(rho log(1/delta)) must be at most epsilon")


@theorem("gaussian", "stated")
def _stated_gaussian(c: Checker, r: Release, epsilon: Formula, delta: Formula) -> None:
    """E1, or the exact profile."""
    approximately(c, epsilon, delta, [("rest", (moved_by(c, r) / r.size) ** 2)])


def narrowed(c: Checker, name: str) -> Range:
    """The domain of a symbol, between the numbers that `region` sets for it."""
    span, own = c.domains[name], c.ring.symbols[name].key
    for h in c.region:
        low, high = h.left.constant, h.right.constant
        if low is not None and h.right.key == own and (span.lower is None or low > span.lower):
            span, h.used = span._replace(lower=low, left=True), True
        if high is not None and h.left.key == own and (span.upper is None or high < span.upper):
            span, h.used = span._replace(upper=high, right=True), True
    return span


def on_boxes(c: Checker, parts: Sequence[Formula], decide: Callable[..., bool]) -> bool:
    """Whether `decide` says yes to enclosures of `parts` on boxes that cover the domain."""
    spans = {name: narrowed(c, name) for name in sorted(c.ring.depends(*parts))}
    if not spans:
        return any(decide(Enclosure(c.ring, {}, bits).ends(*parts)) for bits in (96, 300))
    if any(span.lower is None or span.upper is None for span in spans.values()):
        return False

    def settled(box: Mapping[str, Interval]) -> bool:
        c.ring.spend(100)
        return decide(Enclosure(c.ring, box, 96).ends(*parts))

    tried = ({name: (value, value) for name, value in at.items()} for at in points(spans, {}))
    if not all(settled(point) for point in islice(tried, 8)):
        return False  # where it fails at a point, boxes are of no use
    queue: Any = [({name: span[:2] for name, span in spans.items()}, 0)]
    for _ in range(MAX_BOXES):
        if not queue:
            return True
        box, depth = queue.pop()
        if not settled(box):
            if depth > 100:
                return False
            queue += [(half, depth + 1) for half in split(box, settled)]
    return False


def sizes_of(c: Checker, statistics: Sequence[Statistic]) -> list[tuple[str, Formula]]:
    """The part of each statistic in the joint move of all, and the size that goes with it."""
    moments = [s.table for s in statistics if s.part == "moment" and c.replaced]
    family = (None, *moments[0]) if moments else ()
    found = []
    for s in statistics:
        own = s.part != "rest" and all(fact in family for fact in s.table)
        size = s.size if own else s.l2
        c.require(size is not None, "an L2 sensitivity must be derived")
        found.append((s.part if own else "rest", size or c.ring.lift(0)))
    return found


def squared_moves(c: Checker, releases: Sequence[Release]) -> list[tuple[str, Formula]]:
    """(part, m_i) of Gaussian releases, m_i = times (rows_per_person size_i/std_i)^2."""
    moves = sizes_of(c, [release.statistic for release in releases])
    sized = zip(releases, moves, strict=True)
    whole = c.ring.factored
    found = [(part, (whole(c.rows * size) / r.size) ** 2 * r.times) for r, (part, size) in sized]
    return charged([release.statistic for release in releases], found)


def charged(
    statistics: Sequence[Statistic], squares: Sequence[tuple[str, Formula]]
) -> list[tuple[str, Formula]]:
    """The m_i, and what rounding may add to those of an eigenvalue that moves with others."""
    added = [
        ("charge", m * s.charge)
        for s, (part, m) in zip(statistics, squares, strict=True)
        if part == "floor" and s.charge
    ]
    return [*squares, *added]


def by_part(c: Checker, squares: Sequence[tuple[str, Formula]]) -> dict[str, Formula]:
    """The m_i added up by their part."""
    total = c.ring.total
    return {part: total(m for own, m in squares if own == part) for part in PARTS}


def above(c: Checker, a: Formula, b: Formula) -> Formula:
    """max(a, b) of positive formulas, or a + b where it is not settled which is larger."""
    return a if c.ring.prove(a - b) else b if c.ring.prove(b - a) else a + b


PARTS = ("gram", "floor", "moment", "squares", "rest", "charge")


def joint(m: Mapping[str, Any], larger: Callable[[Any, Any], Any]) -> list[Any]:
    """Amounts whose maximum bounds sum_i (shift_i/std_i)^2 over one pair of neighbours.

    x, z the rows (|x| >= |z|), y, w their labels, c = |x.z|, all bounds 1: gram moves by at most
    2 (1 - c^2), the eigenvalue's square by 1 - c^2, the moment by y^2 + w^2 + 2 c |y w|, y'y's
    square by (y^2 - w^2)^2. Best c, then a convex function of min(y, w)^2/max(y, w)^2. What
    rounding adds to an eigenvalue counts where the best c is not 0.
    """
    amount = m["gram"] * 2 + m["floor"]
    if not m["moment"]:
        return [amount + m["squares"] + m["rest"]]
    top = larger(amount, m["moment"]) if amount else m["moment"]
    rest = m["rest"] + m["charge"]
    first = (top + m["moment"]) ** 2 / top + rest
    return [first, top + m["moment"] + m["squares"] + rest] if m["squares"] else [first]


def approximately(
    c: Checker, e: Formula, d: Formula, squares: Sequence[tuple[str, Formula]]
) -> None:
    """The obligation that Gaussian releases with these m_i are (e, d)-DP: E1, or the profile."""
    sums = by_part(c, squares)
    parts = [e, d, *sums.values()]

    def decide(ends: Sequence[tuple[Fraction, Fraction]] | None) -> bool:
        if ends is None or ends[1][0] <= 0:
            return False
        square = max(joint(dict(zip(PARTS, (high for _, high in ends[2:]), strict=True)), max))
        return profile(max(ZERO, ends[0][0]), root_ends(square, 2, 96)[1])[1] <= ends[1][0]

    shown = not any(m for _, m in squares) or by_definition(c, e, d, squares)
    shown = shown or bool(c.ring.depends(*parts) and elementary(c, e, d, squares))
    shown = shown or on_boxes(c, parts, decide)
    claim = f"({text_of(e)}, {text_of(d)})-DP by definition, by E1, or by the profile"
    c.require(shown, "" if shown else f"not shown: {claim}{refutation(c, parts)}")


def by_definition(
    c: Checker, e: Formula, d: Formula, squares: Sequence[tuple[str, Formula]]
) -> bool:
    """Whether mu^2 <= analytic_sigma(x, y)^-2, what analytic_sigma is, for x <= e, y <= d < 1:
    what is (x, y)-DP is (e, d)-DP.
    """
    ring = c.ring
    found = sorted({g for _, m in squares for mono in m.terms for g, _ in mono})
    atoms = [ring.atoms[g].args for g in found if ring.atoms[g].kind == "analytic_sigma"]
    if not atoms or not ring.prove(1 - d, strict=True):
        return False
    totals = joint(by_part(c, squares), lambda a, b: above(c, a, b))
    claims = [(e, d), *((x, y) for x, y in atoms[:8] if ring.prove(e - x) and ring.prove(d - y))]
    leasts = (ring.implicit("analytic_sigma", [*claim]) for claim in claims)
    return any(all(ring.prove(1 - most * least**2) for most in totals) for least in leasts)


def elementary(c: Checker, e: Formula, d: Formula, squares: Sequence[tuple[str, Formula]]) -> bool:
    """E1: m_i = R_i e^2/log(q_i/d), q_i >= a, joint total of R_i <= S <= 1/2, a^(1/S) >= 4 or d <=
    1/2.

    Then C^2 = e^2/mu^2 >= (log a + L)/S with L = log(1/d) >= 0, and Pr[Z > C - e/(2C)] <=
    exp(e/2 - C^2/2)/2 <= d wherever e <= 2 log 2 + log(a)/S + (1/S - 2) L, since C^2 >= e/2 there:
    log(a)/S + (1/S + 2) L >= 2 log 2.
    """
    ring, shares, insides = c.ring, [], {}
    for part, m in squares:
        logs = {g for mono in m.terms for g, _ in mono if ring.atoms[g].kind == "log"}
        g = min(logs, default=-1)
        if len(logs) > 1 or any((g, -1) not in mono for mono in m.terms):
            return False
        if m:
            top, bottom = ring.atoms[g].args
            if not ring.prove(bottom, strict=True):
                return False
            insides[g] = top / bottom * d
            shares.append((part, m * ring.product([(g, 1)]) / e**2))
    totals = joint(by_part(c, shares), lambda a, b: above(c, a, b))
    inside = list(insides.values())
    pairs = tails(c, e, d, inside, totals) if ring.prove(1 - d) else ()
    small = ring.prove(HALF - d)
    good = ((a, S) for a, S in pairs if tail_proved(ring, (a, S), inside, totals, small=small))
    shown = (c.assume(e, tail_bound(ring, a, S, d)) for a, S in good)
    return any(list(shown) if len(c.region) > 1 else shown)  # one line may serve for another's


def tail_bound(ring: Ring, a: Fraction, S: Fraction, d: Formula) -> Formula:
    """2 log 2 + log(a)/S + (1/S - 2) log(1/d)."""
    two, least = ring.log(ring.lift(2)), ring.log(ring.lift(a))
    return two * 2 + least / S + ring.log(1 / d) * (1 / S - 2)


def tail_proved(
    ring: Ring,
    pair: tuple[Fraction, Fraction],
    insides: list[Formula],
    totals: list[Formula],
    *,
    small: bool,
) -> bool:
    """The hypotheses of E1 about a and S; `small` says that delta is at most 1/2."""
    a, S = pair
    if not 0 < S <= HALF or a < 1 or S.denominator > 2000 or a.denominator > 10**9:
        return False
    if not small and a < 2 and a**S.denominator < 4**S.numerator:  # a^(1/S) < 4
        return False
    return all(ring.prove(q - a) for q in insides) and all(ring.prove(S - R) for R in totals)


def tails(
    c: Checker, e: Formula, d: Formula, insides: list[Formula], totals: list[Formula]
) -> Iterator[tuple[Fraction, Fraction]]:
    """Pairs (a, S) worth trying in E1: read off the region, then suggested by corners."""
    ring = c.ring
    log = ring.log(1 / d)
    for h in c.region[:32]:
        if h.left.key == e.key and len(log.terms) == 1:
            ((mono, sign),) = log.pairs
            slope = dict(h.right.pairs).get(mono, ZERO) / sign
            rest = h.right - log * slope - ring.log(ring.lift(2)) * 2
            g = next((g for mono in rest.terms for g, _ in mono), None)
            if slope >= 0 and g is not None and ring.atoms[g].kind == "log":
                top, bottom = (side.constant for side in ring.atoms[g].args)
                if top and bottom and rest.terms.keys() == {((g, 1),)}:
                    yield top / bottom, 1 / (slope + 2)
    a = min((v for q in insides for v in corner_values(c, q)), default=ONE)
    most = max((v for R in totals for v in corner_values(c, R)), default=HALF)
    for S in (most, most * Fraction(65, 64), most * Fraction(9, 8), most * Fraction(3, 2), HALF):
        yield a, S if S.denominator <= 1000 else Fraction(math.ceil(S * 64), 64)


def corner_values(c: Checker, f: Formula) -> Iterator[Fraction]:
    """Values at some corners of the domain's closure, where they are rational."""
    names = sorted(c.ring.depends(f))[:6]
    ends = [[v for v in c.domains[name][:2] if v is not None] or [ONE] for name in names]
    for point in product(*ends):
        value = exactly(c.ring, f, dict(zip(names, point, strict=True)))
        if value is not None:
            yield value


# ========================================================================== TABLES: derivations
DERIVATIONS: dict[str, Callable[[Checker], None]] = {}


def derivation(name: str) -> Callable[[Callable[[Checker], None]], Callable[[Checker], None]]:
    """Enter a derivation of the target from the releases."""

    def enter(derive: Callable[[Checker], None]) -> Callable[[Checker], None]:
        DERIVATIONS[name] = derive
        return derive

    return enter


def moving(c: Checker, releases: Sequence[Release]) -> list[list[Release]]:
    """Releases that one change of the table may move together, every case of them: of a partition
    as many cells as a person has rows, twice that where rows are replaced. [McSherry09, Thm 4]
    """
    rows = None if any(isinstance(fact, Bound) for fact in c.facts) else c.rows.constant
    inside = [r for r in releases if r.statistic in c.cells and not r.sampled]
    placed = inside if rows is not None else []
    most = int((rows or 0) * (2 if c.replaced else 1))
    groups: dict[object, dict[object, list[Release]]] = {}
    for r in placed:
        *partition, cell = c.cells[r.statistic]
        groups.setdefault(tuple(partition), {}).setdefault(cell, []).append(r)
    options: list[list[Any]] = []
    for cells in groups.values():
        kinds: dict[object, list[Any]] = {}
        for own in cells.values():
            kinds.setdefault(charged_alike(own), []).append(own)
        ones = [own for same in kinds.values() for own in same[:most]]
        few = math.comb(len(ones), min(most, len(ones))) <= 256
        c.require(few, "at most 256 choices of cells that differ in what they are charged")
        options.append(list(combinations(ones, min(most, len(ones)))))
    c.require(math.prod(map(len, options)) <= 256, "at most 256 choices of cells")
    known = set(map(id, placed))
    found = []
    for chosen in product(*options):
        kept = {id(r) for cells in chosen for own in cells for r in own}
        found.append([r for r in releases if id(r) in kept or id(r) not in known])
    return found


def charged_alike(own: Sequence[Release]) -> object:
    """What the releases of a cell are charged by, the same where only the cell is another."""
    facts = [id(fact) for r in own for fact in r.statistic.table]
    found = []
    for r in own:
        s, share = r.statistic, r.share or {}
        formulas = (r.size, r.times, s.l1, s.l2, s.size, *share.values())
        shown = tuple(None if f is None else f.key for f in formulas)
        tables = tuple(facts.index(id(fact)) for fact in s.table)
        found.append((r.mechanism, r.rule, tuple(share), shown, s.part, s.charge, tables))
    return tuple(found)


@derivation("basic")
def _basic(c: Checker) -> None:
    """Every release earns its share; epsilons add, deltas and failures of bounds add.
    [DworkR14, Thm B.1]
    """
    c.require(c.kind in ("pure", "approx"), "basic composition proves pure or approximate DP")
    spent = {id(r): earned(c, r) for r in c.releases}
    procedures = [fact for fact in c.facts if isinstance(fact, Procedure)]
    failures = [fact.failure for fact in c.facts if isinstance(fact, Bound)]
    others = [p.epsilon for p in procedures], [p.delta for p in procedures] + failures
    c.where = "total"
    whole = [*c.amounts, c.ring.lift(0)]
    for some in moving(c, c.releases):
        for i, name in enumerate(("epsilons", "deltas")):
            parts = c.ring.total([*(spent[id(r)][i] for r in some), *others[i]])
            c.at_least(whole[i], parts, f"the {name} must sum to at most the target's")


def earned(c: Checker, r: Release) -> tuple[Formula, Formula]:
    """The share of a release, all its draws together, which each draw earns. Raises Refused."""
    c.where = r.where
    c.require(r.share is not None and "epsilon" in r.share, "a share of epsilon is missing")
    share = r.share or {}
    epsilon, delta = share["epsilon"], share.get("delta", c.ring.lift(0))
    c.at_least(epsilon, 0, "its share of epsilon must be positive", strict=True)
    c.at_least(delta, 0, "its share of delta", strict=r.mechanism == "gaussian")
    if r.mechanism == "gaussian":
        c.at_least(c.ring.lift(1), delta, "its share of delta", strict=True)
    THEOREMS[r.mechanism, r.rule](c, r, epsilon, delta)
    return r.times * epsilon, r.times * delta


def named_theorems(c: Checker) -> None:
    """Mark the hypotheses of the theorems that calibrated noise: a region may keep them, where
    another derivation proves the total, since they only narrow what is claimed.
    """
    for r in c.releases:
        if r.rule != "stated" and r.share is not None and "epsilon" in r.share:
            with suppress(Refused):
                earned(c, r)


@derivation("gaussian")
def _gaussian(c: Checker) -> None:
    """Gaussian releases together: one release of the stacked vector. [DongRS22, Cor 3.3]"""
    named_theorems(c)
    kind_of, amounts = c.kind, c.amounts
    c.where = "total"
    c.require(kind_of != "pure", "Gaussian noise is never pure DP")
    c.require(all(r.mechanism == "gaussian" for r in c.releases), "every release must be Gaussian")
    for some in moving(c, c.releases):
        squares = squared_moves(c, some)
        if kind_of == "approx":
            approximately(c, amounts[0], amounts[1], squares)
            continue
        worth = amounts[0] * (2 if kind_of == "zcdp" else 1)
        for most in joint(by_part(c, squares), lambda a, b: above(c, a, b)):
            c.at_least(worth, most, "the joint mu^2 must be inside the target")


@derivation("zcdp")
def _zcdp(c: Checker) -> None:
    """rhos add: (Delta/size)^2/2 of every noise, discrete Gaussians too. [BunS16] [CanonneKS20]"""
    named_theorems(c)
    c.where = "total"
    c.require(c.kind in ("zcdp", "approx"), "zCDP proves zCDP or approximate DP")
    for some in moving(c, c.releases):
        rhos(c, some)


def rhos(c: Checker, releases: Sequence[Release]) -> None:
    """The rhos of releases that may move together are inside the target. Raises Refused."""
    kind_of, amounts = c.kind, c.amounts
    others = [r for r in releases if r.mechanism in (*PURE, "discrete_gaussian")]
    gaussians = [r for r in releases if r.mechanism == "gaussian"]
    c.require(len(others) + len(gaussians) == len(releases), "the rho of a release is unknown")
    extra = c.ring.total((moved_by(c, r) / r.size) ** 2 * r.times * HALF for r in others)
    sums = by_part(c, squared_moves(c, gaussians))
    if kind_of == "zcdp":
        for most in joint(sums, lambda a, b: above(c, a, b)):
            c.at_least(amounts[0], most * HALF + extra, "rho must be inside the target")
        return

    def decide(ends: Sequence[tuple[Fraction, Fraction]] | None) -> bool:
        if ends is None or ends[1][0] <= 0:
            return False
        square = max(joint(dict(zip(PARTS, (high for _, high in ends[3:]), strict=True)), max))
        rho = square / 2 + ends[2][1]
        root = root_ends(rho * max(ZERO, -log_below(ends[1][0])), 2, 96)[1]
        return bool(rho + 2 * root <= ends[0][0])

    shown = on_boxes(c, [*amounts, extra, *sums.values()], decide)
    c.require(shown, "rho + 2 sqrt(rho log(1/delta)) <= epsilon was not shown")


@derivation("numeric")
def _numeric(c: Checker) -> None:
    """Dominating pairs multiply: a Gaussian of the joint mu, one pair a draw. [ZhuDW22, Thm 10]"""
    named_theorems(c)
    c.where = "total"
    c.require(c.kind == "approx", "a numeric total proves approximate DP")
    pure = [r for r in c.releases if r.mechanism in PURE]
    gaussians = [r for r in c.releases if r.mechanism == "gaussian"]
    c.require(len(pure) + len(gaussians) == len(c.releases), "the loss of a release is unknown")
    draws = [exactly(c.ring, r.times, {}) for r in pure]
    c.require(None not in draws, "the numbers of draws must be numbers")
    costs = [moved_by(c, r) / r.size for r in pure]
    sums = by_part(c, squared_moves(c, gaussians))
    settled(c, *costs, *sums.values())

    def decide(ends: Sequence[tuple[Fraction, Fraction]] | None) -> bool:
        if ends is None or ends[1][0] <= 0:
            return False
        tops = [high for _, high in ends[2:]]
        square = max(joint(dict(zip(PARTS, tops[len(costs) :], strict=True)), max))
        parts = [(r.mechanism, e, int(n or 0)) for r, e, n in zip(pure, tops, draws, strict=False)]
        return composes(c, ends[0][0], ends[1][0], square, parts)

    shown = on_boxes(c, [*c.amounts, *costs, *sums.values()], decide)
    c.require(shown, "delta of all losses, none on samples, was not shown (it needs a Gaussian)")


def composes(c: Checker, e: Fraction, d: Fraction, square: Fraction, pure: Parts) -> bool:
    """Whether a Gaussian of this mu^2 and pure releases are (e, d)-DP together; equal ones once."""
    if not (0 < e < 10**6 and d > FAR and Fraction(1, 10**12) < square < 10**12):
        return False
    drawn: dict[tuple[str, Fraction], int] = {}
    for mechanism, cost, n in pure:
        drawn[mechanism, cost] = drawn.get((mechanism, cost), 0) + n
    parts = [(*key, n) for key, n in drawn.items()]
    try:
        path = line(e, d, square, parts)
        c.ring.spend(path[2] * (20 + sum(16 + 3 * n.bit_length() for *_, n in parts)))
        return composed(e, square, parts, path) <= d
    except (Unbounded, ArithmeticError, ValueError):  # numbers too far out for a line
        return False


# ============================================================================ BOUNDS: polynomials
def place(exponents: Sequence[int], shape: Sequence[int]) -> int:
    """The position of an entry of a tensor that is stored flat, last axis fastest."""
    position = 0
    for e, n in zip(exponents, shape, strict=True):
        position = position * n + e
    return position


def along(
    flat: list[int], shape: list[int], axis: int, matrix: Sequence[Sequence[int]]
) -> list[int]:
    """The tensor with a matrix applied along one axis."""
    step = math.prod(shape[axis + 1 :])
    found: list[int] = []
    for start in range(0, len(flat), shape[axis] * step):
        lines = [flat[start + k * step : start + (k + 1) * step] for k in range(shape[axis])]
        for weights in matrix:
            found += [sum(map(mul, weights, entries)) for entries in zip(*lines, strict=True)]
    return found


@lru_cache(maxsize=4096)
def to_bernstein(
    n: int, lower: Fraction | None, upper: Fraction | None
) -> tuple[tuple[int, ...], ...] | None:
    """A positive multiple of the map from coefficients of p to Bernstein coefficients on a range.

    On [l, u]: x = l + (u - l) t. On [l, inf): x = l + t/(1 - t), p times (1 - t)^n; alike at -inf.
    """
    if lower is None and upper is None:
        return None
    start, side = (lower, 1) if lower is not None else (upper or ZERO, -1)
    width = upper - lower if lower is not None and upper is not None else None
    rows = []
    for k in range(n + 1):
        row = []
        for i in range(n + 1):  # x^i = sum_j C(i, j) start^(i-j) (width t)^j
            if width is None:
                entry = math.comb(i, k) * start ** (i - k) * side**k if k <= i else ZERO
                row.append(Fraction(entry) / math.comb(n, k))
                continue
            terms = (
                math.comb(i, j) * start ** (i - j) * width**j * math.comb(k, j) / math.comb(n, j)
                for j in range(min(i, k) + 1)
            )
            row.append(sum(terms, ZERO))
        rows.append(row)
    scale = math.lcm(*(c.denominator for row in rows for c in row))
    return tuple(tuple(int(c * scale) for c in row) for row in rows)


@lru_cache(maxsize=256)
def halves(n: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """2^n times the maps to Bernstein coefficients on the lower and upper half. [de Casteljau]"""
    low = tuple(tuple(math.comb(k, i) * 2 ** (n - k) for i in range(n + 1)) for k in range(n + 1))
    return low, tuple(row[::-1] for row in low[::-1])


def inside_faces(flat: list[int], shape: list[int], ends: Sequence[tuple[bool, bool]]) -> bool:
    """Whether each least face that belongs to the box has a coefficient that is not 0."""
    choices = []
    for n, (left, right) in zip(shape, ends, strict=True):
        fixed = [range(1)] * left + [range(n - 1, n)] * right
        choices.append(fixed or [range(n)])
    return all(any(flat[place(at, shape)] for at in product(*face)) for face in product(*choices))


def whole_root(value: int, q: int) -> int:
    """The whole part of value^(1/q), for value >= 0."""
    if q == 2 or value < 2:
        return math.isqrt(value) if q == 2 else value
    low, high = 0, 1 << (value.bit_length() // q + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**q <= value else (low, middle)
    return low


def root_ends(value: Fraction, q: int, bits: int) -> Interval:
    """value^(1/q) for value >= 0, exact where it is rational, or else to `bits` bits."""
    root = Fraction(whole_root(value.numerator, q), whole_root(value.denominator, q))
    if root**q == value:
        return root, root
    scale = Fraction(2) ** (bits - magnitude(value) // q)
    low = whole_root(math.floor(value * scale**q), q)
    return low / scale, (low + 1) / scale


# ================================================================================ BOUNDS: points
def points(
    spans: Mapping[str, Range], fixed: Mapping[str, Fraction]
) -> Iterator[dict[str, Fraction]]:
    """Some points of a box, ordinary ones first; `fixed` coordinates are kept."""
    choices = {name: [fixed[name]] if name in fixed else some(span) for name, span in spans.items()}
    if all(choices.values()):
        for k in range(120 if choices else 1):
            yield {
                name: values[(k + (k // 10) * i * 3) % len(values)]
                for i, (name, values) in enumerate(choices.items())
            }


def some(span: Range) -> list[Fraction]:
    """Some numbers in a range."""
    low, high = span.lower, span.upper
    small = [Fraction(1, 10**k) for k in (3, 6, 12, 40)]
    if low is not None and high is not None:
        parts = [HALF, HALF / 2, 3 * HALF / 2, *small, 1 - small[0], 1 - small[1], ZERO, ONE]
        tries = [low + (high - low) * part for part in parts]
    else:
        steps = [ONE, Fraction(2), HALF, *small, Fraction(10), 1 / small[0], 1 / small[1], ZERO]
        tries = [high - step if high is not None else (low or ZERO) + step for step in steps]
    tries = [Fraction(round(t)) for t in tries] if span.integer else tries
    return list(dict.fromkeys(t for t in tries if t in span))


def exactly(ring: Ring, f: Formula, point: Mapping[str, Fraction]) -> Fraction | None:
    """The value at a point, if it is defined there and seen to be rational."""
    total = ZERO
    for mono, c in f.pairs:
        value = c
        for g, e in mono:
            atom = ring.atoms[g]
            inner = point.get(atom.name) if atom.kind == "symbol" else None
            if atom.kind == "sum":
                inner = exactly(ring, atom.args[0], point)
            if inner is None or e.denominator != 1 or (inner == 0 and e < 0):
                return None
            value *= inner ** int(e)
        total += value
    return total


def holds(ring: Ring, gap: Formula, point: Mapping[str, Fraction], *, strict: bool) -> bool:
    """Whether gap >= 0 (> 0 where strict) at a point, for certain."""
    value = exactly(ring, gap, point)
    if value is None:
        ends = Enclosure(ring, {name: (v, v) for name, v in point.items()}, 96).ends(gap)
        value = -ONE if ends is None else ends[0][0]
    return value > 0 or (value == 0 and not strict)


def split(
    box: Mapping[str, Interval], settled: Callable[[Mapping[str, Interval]], bool]
) -> list[dict[str, Interval]]:
    """Halves of a side whose width alone is too much, or else of the relatively widest side."""

    def width(name: str) -> float:
        low, high = box[name]
        if low <= 0:
            return 4 * float(high > low)
        return float(high / low - 1) if high < 4 * low else 3 + magnitude(high / low)

    names = sorted(box, key=width, reverse=True)
    middles = {name: middle(*box[name]) for name in names}
    alone = (n for n in names[:4] if settled({**box, n: (middles[n], middles[n])}))
    name = next(alone, names[0])
    low, high = box[name]
    return [{**box, name: (low, middles[name])}, {**box, name: (middles[name], high)}]


def middle(low: Fraction, high: Fraction) -> Fraction:
    """A number between; about the geometric mean where magnitudes lie between."""
    if low > 0 and high > 4 * low:
        return low * (1 << magnitude(high / low) // 2)
    return high / 4 if low == 0 else (low + high) / 2


def magnitude(value: Fraction) -> int:
    """About log2 of a positive number."""
    return value.numerator.bit_length() - value.denominator.bit_length()


# ============================================================================= BOUNDS: intervals
# Ends are rational. mpmath gives exp, log and pi only: asked for 24 bits more than are used, and
# widened by 2^-bits, so that an error of a few of its last bits does no harm.
Interval = tuple[Fraction, Fraction]
FAR = Fraction(1, 2**2900)  # above exp(-64^2/2)


class Unbounded(Exception):
    """An enclosure that is not finite."""


def floor_to(value: Fraction, bits: int) -> Fraction:
    """A number at or below `value` with `bits` significant bits; a short one is kept."""
    if value.numerator.bit_length() + value.denominator.bit_length() < 3 * bits:
        return value
    shift = bits - magnitude(abs(value))
    if shift < 0:
        return Fraction((value.numerator // (value.denominator << -shift)) << -shift)
    return Fraction((value.numerator << shift) // value.denominator, 1 << shift)


def outwards(low: Fraction, high: Fraction, bits: int) -> Interval:
    """An enclosure with short ends."""
    return floor_to(low, bits), -floor_to(-high, bits)


@lru_cache(maxsize=4096)
def transcendental(name: str, x: Fraction, bits: int) -> Interval:
    """An enclosure of exp(x), log(x) (x > 0), or pi, to a relative width of 2^(2 - bits); of cos(x)
    or sin(x), |x| < 2^40, to an absolute one.
    """
    from mpmath import libmp

    point = [libmp.from_rational(x.numerator, x.denominator, bits + 64, end) for end in "fc"]
    if name == "pi":
        point = [libmp.mpf_pi(bits + 24, end) for end in "fc"]
    elif name == "exp" and abs(x) > 20_000:
        if x > 0:
            raise Unbounded
        return ZERO, FAR
    elif name in ("cos", "sin"):
        if abs(x) >= 2**40:
            raise Unbounded
        both = libmp.mpf_cos_sin(point[0], bits + 24)
        point = [both[name == "sin"]] * 2
    else:
        function = libmp.mpf_exp if name == "exp" else libmp.mpf_log
        point = [function(p, bits + 24, end) for p, end in zip(point, "fc", strict=True)]
    low, high = (Fraction(*map(int, libmp.to_rational(p))) for p in point)
    slack = ONE / 2**bits if name in ("cos", "sin") else max(abs(low), abs(high)) / 2**bits
    return floor_to(low - slack, bits), -floor_to(-high - slack, bits)


def multiplied(a: Interval, b: Interval, bits: int) -> Interval:
    """The product."""
    ends = [x * y for x in a for y in b] if a[0] < 0 or b[0] < 0 else [a[0] * b[0], a[1] * b[1]]
    return outwards(min(ends), max(ends), bits)


def raised(x: Interval, e: Exponent, bits: int) -> Interval:
    """x^e; for a fraction e, of the part that is >= 0. Raises Unbounded."""
    low, high = x
    if e < 0:
        if low <= 0 <= high:
            raise Unbounded
        low, high = raised(x, -e, bits)
        return outwards(1 / high, 1 / low, bits)
    if e.denominator == 1:
        ends = [low ** int(e), high ** int(e)]
        return outwards(ZERO if low < 0 < high and e % 2 == 0 else min(ends), max(ends), bits)
    roots = [root_ends(max(end, ZERO) ** e.numerator, e.denominator, bits) for end in x]
    return outwards(roots[0][0], roots[1][1], bits)


class Enclosure:
    """Encloses formulas where each symbol lies in an interval."""

    def __init__(self, ring: Ring, box: Mapping[str, Interval], bits: int) -> None:
        self.ring, self.box, self.bits = ring, box, bits
        self.atoms: dict[int, Interval] = {}

    def ends(self, *fs: Formula) -> list[Interval] | None:
        """Lower and upper bounds, if all are finite."""
        try:
            return [self.value(f) for f in fs]
        except Unbounded:
            return None

    def value(self, f: Formula) -> Interval:
        """An enclosure. Raises Unbounded."""
        low = high = ZERO
        for mono, c in f.pairs:
            term = (c, c)
            for g, e in mono:
                term = multiplied(term, raised(self.atom(g), e, self.bits), self.bits)
            low, high = outwards(low + term[0], high + term[1], self.bits)
        return low, high

    def atom(self, g: int) -> Interval:
        """An enclosure of an atom, cut at 0 where it is known to be >= 0. Raises Unbounded."""
        if g not in self.atoms:
            low, high = self.bare(self.ring.atoms[g])
            self.atoms[g] = (
                (max(low, ZERO), max(high, ZERO)) if self.ring.atoms[g].sign >= 1 else (low, high)
            )
        return self.atoms[g]

    def bare(self, atom: Atom) -> Interval:
        """An enclosure of an atom. Raises Unbounded."""
        if atom.kind == "symbol":
            return self.box[atom.name]
        if atom.kind == "number":
            return Fraction(int(atom.name)), Fraction(int(atom.name))
        args = [self.value(arg) for arg in atom.args]
        if atom.kind == "sum":
            return args[0]
        if atom.kind in ("min", "max"):
            choose = min if atom.kind == "min" else max
            return choose(low for low, _ in args), choose(high for _, high in args)
        if atom.kind == "analytic_sigma":
            return least_std(args[0], args[1])
        if atom.kind == "exp":
            low, high = args[0]
        else:  # a quotient of numbers that are > 0 on the domain
            (low, high), (least, most) = args
            if low <= 0 or least <= 0:
                raise Unbounded
            low, high = outwards(low / most, high / least, self.bits)
        below, above = (transcendental(atom.kind, end, self.bits) for end in (low, high))
        return below[0], above[1]


# =============================================================================== BOUNDS: profile
def mills(x: Fraction, bits: int) -> Interval:
    """R(x) = (1 - Phi(x))/phi(x) for |x| <= 2^40 or x >= 4, to a width of about 2^-bits.

    x >= 4: R = 1/g_1, g_k = x + k/g_(k+1), where x < g_k < x + k/x, since g_k is a quotient of
    repeated integrals of the normal tail, which are positive. [DLMF, 7.18(iv), 7.9.1]
    |x| < 4: R = sqrt(pi/2) exp(x^2/2) - sum of x^(2k+1)/(2k+1)!!, of one sign. [DLMF, 7.6.2]
    """
    unit = 1 << (bits + 24)
    if x >= 4:
        a, b = math.floor(x * unit), math.ceil(x * unit)
        n = int(bits**2 / min(x, Fraction(10**6)) ** 2 / 4) + 12
        start = (a, b)
        b += (n + 1) * unit * unit // a + 1
        for k in range(n, 0, -1):
            a, b = start[0] + k * unit * unit // b, start[1] - (-k * unit * unit) // a
        return Fraction(unit, b), Fraction(unit, a)
    more = bits + 24 + int(x * x)
    pi, power = transcendental("pi", ZERO, more), transcendental("exp", x * x / 2, more)
    whole = multiplied(raised((2 * pi[0], 2 * pi[1]), HALF, more), power, more)  # phi(x) R(-inf)
    if x <= -4:
        low, high = mills(-x, bits)
        return whole[0] - high, whole[1] - low
    low, high = odd_series(abs(x), unit)
    if x < 0:
        low, high = -high, -low
    return whole[0] / 2 - high, whole[1] / 2 - low


def odd_series(x: Fraction, unit: int) -> Interval:
    """The sum of x^(2k+1)/(2k+1)!! for 0 <= x < 4; beyond the cut it is below a geometric one."""
    low, high = math.floor(x * unit), math.ceil(x * unit)
    square = (math.floor(x * x * unit), math.ceil(x * x * unit))
    total, k = (0, 0), 0
    while high > 1 or 2 * x * x > 2 * k + 3:
        total = (total[0] + low, total[1] + high)
        low = low * square[0] // (unit * (2 * k + 3))
        high = -(-high * square[1] // (unit * (2 * k + 3)))
        k += 1
    return Fraction(total[0], unit), Fraction(total[1] + 2 * high, unit)


@lru_cache(maxsize=4096)
def profile(e: Fraction, mu: Fraction) -> Interval:
    """delta(e; mu) = Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu), for e >= 0. [BalleW18, Thm 8]

    With t = e/mu - mu/2 and w = t + mu it is phi(t) (R(t) - R(w)), R the Mills ratio.
    """
    if mu <= 0:
        return ZERO, ZERO
    near, far = e / mu - mu / 2, e / mu + mu / 2
    if abs(near) > 64:
        return (ZERO, FAR) if near > 0 else (1 - FAR, ONE)
    bits = 80 + max(0, -magnitude(mu))
    (low, high), (least, most) = mills(near, bits), mills(far, bits)
    pi, power = transcendental("pi", ZERO, bits), transcendental("exp", -near * near / 2, bits)
    root = raised((2 * pi[0], 2 * pi[1]), -HALF, bits)
    gap = (max(low - most, ZERO), high - least)
    below, above = multiplied(multiplied(power, root, bits), gap, bits)
    return below, min(above, ONE)


Complex = tuple[Interval, Interval]
Parts = Sequence[tuple[str, Fraction, int]]  # mechanism, epsilon, number of draws
Contour = tuple[Fraction, Fraction, int]  # real part, step, number of nodes
DIGITS = 160


def composed(e: Fraction, square: Fraction, pure: Parts, path: Contour) -> Fraction:
    """An upper bound on delta(e) of a Gaussian, mu^2 = square > 0, and pure releases.

    (h/pi) (g(c)/2 + sum_k Re g(c + ikh)), g(z) = E[exp(zL)] exp(-ez)/(z (z + 1)), is delta plus
    aliases, all >= 0, for every c, h > 0. What is left out from t on is at most
    E[exp(cL)] exp(-ec) exp(-square t^2/2)/(pi (t - h)).
    """
    c, h, count = path
    first = node(c, ZERO, e, square, pure)[0][1]
    total = first / 2 + sum(node(c, k * h, e, square, pure)[0][1] for k in range(1, count))
    t = count * h
    rest = transcendental("exp", -square * t * t / 2, DIGITS)[1] * first * c * (c + 1) / (t - h)
    return (h * total + rest) / transcendental("pi", ZERO, DIGITS)[0]


def line(at: Fraction, d: Fraction, joint_square: Fraction, pure: Parts) -> Contour:
    """c near the saddle, a step h and a number of nodes: any are sound, these are sharp near d."""
    e, square = float(at), float(joint_square)
    digits = 45 - math.log(d.numerator) + math.log(d.denominator)

    def bound(b: float) -> float:
        logs = (
            n * (b * x + math.log((b + 1 + b * math.exp(-(2 * b + 1) * x)) / (2 * b + 1)))
            for _, x, n in ((m, float(x), n) for m, x, n in pure)
        )
        return b * (b + 1) * square / 2 + sum(logs) - b * e - math.log(b) - math.log1p(b)

    c = min((2 ** (k / 8) for k in range(-160, 240)), key=bound)
    bend = max(square, (bound(1.02 * c) - 2 * bound(c) + bound(0.98 * c)) / (0.02 * c) ** 2)
    h = min(0.5 / math.sqrt(bend), 2 * math.pi * c / digits)
    count = 3 + int(math.sqrt(2 * digits / square) / h)
    if count > MAX_BOXES:
        raise Unbounded
    return floor_to(Fraction(c), 30), floor_to(Fraction(h), 30), count


def node(c: Fraction, t: Fraction, e: Fraction, square: Fraction, pure: Parts) -> Complex:
    """E[exp(zL)] exp(-ez)/(z (z + 1)) at z = c + it, enclosed. A draw of Laplace noise contributes
    ((z + 1) exp(zx) + z exp(-(z + 1) x))/(2z + 1); of another pure kind, randomised response.
    """
    value = turned((c * (c + 1) - t * t) * square / 2 - c * e, (2 * c + 1) * t * square / 2 - t * e)
    value = times(value, over((ONE, ZERO), (c * (c + 1) - t * t, (2 * c + 1) * t)))
    for mechanism, x, count in pure:
        up, down = turned(c * x, t * x), turned(-(c + 1) * x, -t * x)
        if mechanism == "laplace":
            up = times(up, over((c + 1, t), (2 * c + 1, 2 * t)))
            down = times(down, over((c, t), (2 * c + 1, 2 * t)))
        else:
            low, high = transcendental("exp", -x, DIGITS)
            up = times(up, ((1 / (1 + high), 1 / (1 + low)), (ZERO, ZERO)))
            down = times(down, ((1 / (1 + high), 1 / (1 + low)), (ZERO, ZERO)))
        both = [outwards(a[0] + b[0], a[1] + b[1], DIGITS) for a, b in zip(up, down, strict=True)]
        power = (both[0], both[1])
        for bit in f"{count:b}"[::-1]:  # by squaring
            value = tamed(times(value, power)) if bit == "1" else value
            power = tamed(times(power, power))
    return value


def tamed(a: Complex) -> Complex:
    """The same, widened where it is tiny, so that no number becomes long. Raises Unbounded."""
    size = max(abs(end) for part in a for end in part)
    if size * FAR**10 > 1:
        raise Unbounded
    return ((-FAR, FAR), (-FAR, FAR)) if size < FAR else a


def turned(x: Fraction, y: Fraction) -> Complex:
    """exp(x + iy)."""
    size = transcendental("exp", x, DIGITS)
    real, imaginary = (transcendental(name, y, DIGITS) for name in ("cos", "sin"))
    return multiplied(size, real, DIGITS), multiplied(size, imaginary, DIGITS)


def times(a: Complex, b: Complex) -> Complex:
    """The product of complex numbers."""
    products = [multiplied(x, y, DIGITS) for x in a for y in b]
    (low, high), (least, most) = products[0], products[3]
    real = outwards(low - most, high - least, DIGITS)
    (low, high), (least, most) = products[1], products[2]
    return real, outwards(low + least, high + most, DIGITS)


def over(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> Complex:
    """The quotient of exact complex numbers, enclosed."""
    size = b[0] * b[0] + b[1] * b[1]
    real, imaginary = a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]
    ends = [outwards(part / size, part / size, DIGITS) for part in (real, imaginary)]
    return ends[0], ends[1]


def least_std(e: Interval, d: Interval) -> Interval:
    """An enclosure of analytic_sigma: decreasing in both arguments. Raises Unbounded."""
    if d[0] <= 0 or d[1] >= 1:
        raise Unbounded
    low, high = most_mu(max(e[1], ZERO), d[1])[1], most_mu(max(e[0], ZERO), d[0])[0]
    return 1 / low, 1 / high


@lru_cache(maxsize=1024)
def most_mu(e: Fraction, d: Fraction) -> Interval:
    """(a, b) close together, delta(e; a) <= d < delta(e; b). Raises Unbounded."""
    b = ONE
    for step in (Fraction(2), HALF):
        for _ in range(1500):
            low, high = profile(e, b)
            if low > d if step == 2 else high <= d:
                break
            b *= step
        else:
            raise Unbounded
    a, b = b, 2 * b
    while profile(e, b)[0] <= d:
        b *= 2
    while b - a > a / 2**44:
        middle = (a + b) / 2
        low, high = profile(e, middle)
        if low <= d < high:
            break
        a, b = (middle, b) if high <= d else (a, middle)
    return a, b


def log_below(x: Fraction) -> Fraction:
    """A lower bound on log x, for x > 0."""
    return transcendental("log", x, 96)[0]


# ========================================================================================== TEXT
def text_of(f: Formula) -> str:
    """A formula as a person writes it."""
    terms = [term_text(f.ring, mono, c) for mono, c in sorted(f.pairs)]
    return " + ".join(terms).replace("+ -", "- ") or "0"


def term_text(ring: Ring, mono: Mono, c: Fraction) -> str:
    """`2*log(2)`, `-1/2*gamma^2`."""
    factors = []
    for g, e in mono:
        power = "" if e == 1 else f"^{e}" if e.denominator == 1 and e > 0 else f"^({e})"
        factors.append(atom_text(ring.atoms[g]) + power)
    if not factors or abs(c) != 1:
        factors.insert(0, str(abs(c)))
    return ("-" if c < 0 else "") + "*".join(factors)


def atom_text(atom: Atom) -> str:
    """`epsilon`, `log(2/delta)`, `(1 - gamma)`."""
    if atom.kind in ("symbol", "number"):
        return atom.name
    args = [text_of(arg) for arg in atom.args]
    if atom.kind == "log":
        top, bottom = (f"({a})" if " " in a or "*" in a else a for a in args)
        return f"log({args[0]})" if bottom == "1" else f"log({top}/{bottom})"
    return f"{'' if atom.kind == 'sum' else atom.kind}({', '.join(args)})"


def range_text(span: Range) -> str:
    """`in (0, 1)`."""
    low = "-inf" if span.lower is None else str(span.lower)
    high = "inf" if span.upper is None else str(span.upper)
    ends = f"{'[' if span.left else '('}{low}, {high}{']' if span.right else ')'}"
    return f"in {ends}" + (", whole" if span.integer else "")


GUARANTEES = {
    "pure": "{0}-differential privacy",
    "approx": "({0}, {1})-differential privacy",
    "zcdp": "{0}-zero-concentrated differential privacy",
    "gaussian": "Gaussian differential privacy of squared parameter {0}",
}


def sentence(c: Checker, claimed: Json) -> str:
    """The statement in words."""
    own = sorted(c.personal.own)
    free = [f"{name} {range_text(c.domains[name])}" for name in c.domains if name not in own]
    if own:
        mine = ", ".join(f"{name} {range_text(c.domains[name])}" for name in own)
        free.append(f"all public budgets of the records{c.personal.groups}")
        free.append(f"each record, with its own {mine}")
    rows = "one row" if c.rows.constant == 1 else f"up to {text_of(c.rows)} rows of one person"
    kind_of, amounts = c.personal.claimed or (c.kind, c.amounts)
    guarantee = GUARANTEES[kind_of].format(*map(text_of, amounts))
    differ = f"differ by {rows} {RELATIONS[claimed['relation']]}"
    lines = [
        f"For all {'; '.join(free)}, and" if free else "For",
        f"every two tables that {differ}{', which is that record' if own else ''},",
        f"the released values together satisfy {guarantee}"
        + (f" with that record's own {' and '.join(own)}" if own else ""),
    ]
    sides = (f"{text_of(h.left)} {'<' if h.strict else '<='} {text_of(h.right)}" for h in c.region)
    where = "; ".join(sides)
    values = ", ".join(f"{name} = {value}" for name, value in claimed["values"].items())
    given = f" Given here: {values}." if values else ""
    return " ".join(lines) + (f", where {where}." if where else ".") + given


def groups_text(each: Mapping[str, Json]) -> str:
    """` (groups a: epsilon 1/10, share 1/3; ...)`, as the file has it."""
    parts = []
    for i, name in enumerate(each["groups"]):
        amounts = [f"{own} {formula_text(values[i])}" for own, values in each["amounts"].items()]
        share = [] if each["shares"] is None else [f"share {each['shares'][i]}"]
        parts.append(f"{name}: {', '.join(amounts + share)}")
    return f" (groups {'; '.join(parts)})"


def formula_text(value: Json) -> str:
    """A formula of a file."""
    return value if type(value) is str else json.dumps(value)


def witness(c: Checker, gap: Formula, *, strict: bool) -> str:
    """Where gap >= 0 fails, if such a point is found."""
    spans = {name: c.domains[name] for name in sorted(c.ring.depends(gap))}
    for point in points(spans, {}) if len(gap.terms) < 1000 else ():
        if holds(c.ring, -gap, point, strict=not strict):
            where = ", ".join(f"{name} = {value}" for name, value in point.items())
            return f" is false at {where or 'these numbers'}"
    return " was not shown"


def refutation(c: Checker, parts: Sequence[Formula]) -> str:
    """A point at which the profile exceeds delta, if one is found among a few."""
    names = sorted(c.ring.depends(*parts))
    for _, point in zip(range(12), points({n: c.domains[n] for n in names}, {}), strict=False):
        ends = Enclosure(c.ring, {n: (v, v) for n, v in point.items()}, 96).ends(*parts)
        if ends is not None:
            sums = dict(zip(PARTS, (low for low, _ in ends[2:]), strict=True)) | {"charge": ZERO}
            mu = root_ends(max(joint(sums, max)), 2, 96)[0]
            true = profile(max(ZERO, ends[0][1]), mu)[0]
            if true > ends[1][1]:
                where = ", ".join(f"{n} = {v}" for n, v in point.items()) or "these numbers"
                return f"; at {where} mu = {float(mu):.6g} gives delta {float(true):.4g}"
    return ""


def safe(text: str) -> str:
    """Text of a file without characters that could steer a terminal."""
    return "".join(ch if ch.isprintable() and ch.isascii() else f"<{ord(ch):x}>" for ch in text)


@dataclass(frozen=True)
class Verdict:
    """What became of a certificate: `sentence` is proved if and only if `accepted`."""

    accepted: bool
    sentence: str
    hash: str
    obligations: int
    reason: str


def check(document: Json, expect: str | None = None) -> Verdict:
    """Check a certificate given as JSON values. `expect` pins its hash. Never raises."""
    checker = Checker()
    try:
        plain(document)
        proved = checker.run(document, expect)
    except Unusable as error:
        return Verdict(False, "", "", 0, f"unusable: {error}")  # noqa: FBT003
    except Refused as error:
        reason = f"{error!s:.2000}"
        return Verdict(False, "", checker.hash, checker.count, reason)  # noqa: FBT003
    except Exception as error:  # noqa: BLE001 - what this checker does not foresee is refused
        reason = f"{checker.where}: {type(error).__name__}: {error!s:.200}"
        return Verdict(False, "", checker.hash, checker.count, reason)  # noqa: FBT003
    return Verdict(True, proved, checker.hash, checker.count, "")  # noqa: FBT003


MAX_FILE, MAX_VALUES = 16 * 2**20, 1_000_000  # before anything is parsed


def content_of(path: str | Path) -> str:
    """The text of a regular file of limited size; a pipe or a device is not read. Raises OSError or
    Unusable.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(handle, encoding="utf-8") as file:  # noqa: PTH123 - of a handle
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Unusable("not a regular file")
        text = "" if found.st_size > MAX_FILE else file.read(MAX_FILE + 1)
    if max(found.st_size, len(text)) > MAX_FILE:
        raise Unusable(f"larger than {MAX_FILE} bytes")
    if sum(map(text.count, ",[{")) > MAX_VALUES:
        raise Unusable(f"more than {MAX_VALUES} values")
    return text


def main(argv: Sequence[str] | None = None) -> int:
    """Check a file and say what was proved, or what was not. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="check", description="Check a dpframe certificate.")
    parser.add_argument("file", help="the certificate, a JSON file")
    parser.add_argument("--expect", metavar="HASH", help="refuse any other hash")
    options = parser.parse_args(argv)
    try:
        document = read(content_of(options.file))
    except (OSError, ValueError, Unusable) as error:
        print(f"unusable: {safe(str(error))}")
        return 2
    verdict = check(document, options.expect)
    if not verdict.accepted:
        unusable = verdict.reason.startswith("unusable: ")
        print(safe(verdict.reason if unusable else f"rejected: {verdict.reason}"))
        if verdict.hash:
            print(f"hash: {verdict.hash}")
        return 2 if unusable else 1
    print(f"accepted: {safe(verdict.sentence)}")
    print(f"derivation: {document['statement']['derivation']}")
    print(f"obligations: {verdict.obligations}, all shown")
    for assumption in document["assumptions"]:
        print(f"the file assumes: {safe(assumption)}")
    print(f"hash: {verdict.hash}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
