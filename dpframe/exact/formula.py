"""Formulas: sums of rational multiples of products of powers of atoms; their words, and enclosures
of them where each symbol lies in an interval.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from .documents import MAX_BITS, ZERO, Exponent, Range, Refused, Unbounded
from .interval import Interval, added, exp, log, multiplied, outwards, raised
from .profile import least_std

if TYPE_CHECKING:
    from .ring import Ring

Mono = tuple[tuple[int, Exponent], ...]  # a product of powers of atoms
Key = tuple[int, int, frozenset[tuple[Mono, int]]]


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

    __slots__ = ("_key", "bits", "den", "ring", "terms")
    _key: Key | None

    def __init__(self, ring: Ring, terms: Mapping[Mono, int], den: int = 1) -> None:
        gcd = 1 if den == 1 else math.gcd(den, *terms.values())
        if gcd > 1 or not all(terms.values()):
            terms, den = {mono: c // gcd for mono, c in terms.items() if c}, den // gcd
        self.ring, self.den, self.terms, self._key = ring, den, terms, None
        self.bits = den.bit_length() + sum(map(abs, terms.values())).bit_length()  # about its size
        if self.bits > MAX_BITS:
            raise Refused(f"numbers of more than {MAX_BITS} bits")

    @property
    def pairs(self) -> list[tuple[Mono, Fraction]]:
        """Products of powers, and what they are multiplied by."""
        return [(mono, Fraction(c, self.den)) for mono, c in self.terms.items()]

    @property
    def key(self) -> Key:
        """Equal formulas mostly have equal keys, different ones never; the last part is that of all
        its positive multiples.
        """
        if self._key is None:
            gcd, terms = math.gcd(*self.terms.values()), self.terms.items()
            own = terms if gcd < 2 else [(mono, c // gcd) for mono, c in terms]
            self._key = gcd, self.den, frozenset(own)
        return self._key

    @property
    def whole(self) -> Formula:
        """Its positive multiple whose coefficients are whole and have no common divisor."""
        gcd = math.gcd(*self.terms.values()) or 1
        return Formula(self.ring, {mono: c // gcd for mono, c in self.terms.items()})

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
        ring, left, right = self.ring, self, self.ring.lift(other)
        if () in left.terms and len(left.terms) == 1:
            left, right = right, left
        if () in right.terms and len(right.terms) == 1:
            k = right.terms[()]
            terms = {mono: c * k for mono, c in left.terms.items()}
            return left if k == right.den else Formula(ring, terms, left.den * right.den)
        work = len(self.terms) * len(right.terms) * (1 + self.den.bit_length() // 256)
        ring.spend(work if 1 in (len(self.terms), len(right.terms)) else 8 * work)
        products: list[tuple[Mono, Exponent]] = []
        for (m, c), (n, k) in product(left.terms.items(), right.terms.items()):
            mono, factor = ring.tidy(m + n) if m and n else (m or n, 1)
            products.append((mono, c * k if factor == 1 else c * k * factor))
        return ring.over(products, left.den * right.den)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Formula | Exponent) -> Formula:
        return self * self.ring.lift(other) ** -1

    def __rtruediv__(self, other: Exponent) -> Formula:
        return self**-1 * other

    def __pow__(self, exponent: Exponent) -> Formula:
        key = (self.key, exponent)
        if key not in self.ring.powers:
            self.ring.powers[key] = self.ring.power(self, exponent)
        return self.ring.powers[key]


def text_of(f: Formula) -> str:
    """A formula as a person writes it."""
    terms = [term_text(f.ring, mono, c) for mono, c in sorted(f.pairs)]
    return " + ".join(terms).replace("+ -", "- ") or "0"


def decimal(f: Formula) -> str:
    """`1e-6` for 1/1000000: a number as a double where that is exact, else as `text_of`."""
    value = f.constant or ZERO
    short = repr(float(value)).removesuffix(".0") if abs(value) < 10**300 else "0"
    return short.replace("e-0", "e-") if value and Fraction(short) == value else text_of(f)


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


def digest(text: str, short: int = 160) -> str:
    """A short text as it is, a long one by its beginning and its hash."""
    if len(text) <= short:
        return text
    return f"{text[: short // 2]}... sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


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
        total = Interval(ZERO, ZERO)
        for mono, c in f.pairs:
            term = Interval(c, c)
            for g, e in mono:
                term = multiplied(term, raised(self.atom(g), e, self.bits), self.bits)
            total = added(total, term, self.bits)
        return total

    def atom(self, g: int) -> Interval:
        """An enclosure of an atom, cut at 0 where it is known to be >= 0. Raises Unbounded."""
        if g not in self.atoms:
            low, high = self.bare(self.ring.atoms[g])
            least = min(low, ZERO) if self.ring.atoms[g].sign < 1 else ZERO
            self.atoms[g] = Interval(max(low, least), max(high, least))
        return self.atoms[g]

    def bare(self, atom: Atom) -> Interval:
        """An enclosure of an atom. Raises Unbounded."""
        if atom.kind == "symbol":
            return self.box[atom.name]
        if atom.kind == "number":
            return Interval(Fraction(int(atom.name)), Fraction(int(atom.name)))
        args = [self.value(arg) for arg in atom.args]
        if atom.kind == "sum":
            return args[0]
        if atom.kind in ("min", "max"):
            choose = min if atom.kind == "min" else max
            return Interval(choose(low for low, _ in args), choose(high for _, high in args))
        if atom.kind == "analytic_sigma":
            return least_std(args[0], args[1])
        if atom.kind == "exp":
            return Interval(exp(args[0][0], self.bits)[0], exp(args[0][1], self.bits)[1])
        (low, high), (least, most) = args  # a quotient of numbers that are > 0 on the domain
        if low <= 0 or least <= 0:
            raise Unbounded
        low, high = outwards(low / most, high / least, self.bits)
        return Interval(log(low, self.bits)[0], log(high, self.bits)[1])
