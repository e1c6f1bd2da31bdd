"""Checks a certificate from its file alone: `python check.py FILE [--expect HASH]`.

Everything is derived again from the nodes of the graph: facts about rows, sensitivities, the list
of obligations, the total. Nothing of dpframe is imported, hints are never read, and mpmath serves
only for bounds on exp, log and pi. What is not shown here is refused. Exit status: 0 accepted,
1 rejected (with the first obligation that was not shown), 2 not a certificate file.

Reading order: CORE 1-4; TABLES, one short function for each kind of node, theorem and derivation;
BOUNDS, numbers with proved remainders; TEXT. A line of the core is a line of code: blank lines,
comments and docstrings are not counted.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple, NoReturn

Json = Any
Exponent = int | Fraction
Mono = tuple[tuple[int, Exponent], ...]  # a product of powers of atoms
Point = Mapping[str, Fraction]
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)

# ---------------------------------------------------------------- CORE 1: what a file may hold
SCHEMA = "dpframe-certificate/1"
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,699})(/[1-9][0-9]{0,699})?\Z")
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,40}\Z")
CLOSED = {"neither": (False, False), "left": (True, False), "right": (False, True)}
CLOSED["both"] = (True, True)
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
        elif type(value) is float and not math.isfinite(value):
            raise Unusable(f"not a JSON number: {value}")
        elif value is not None and type(value) not in (str, bool, float):
            raise Unusable(f"not a JSON value: {type(value).__name__}")


def keys(value: Json, where: str, **types: Any) -> Any:
    """`value`, if it is an object with exactly these keys of these types. Raises Refused."""
    if type(value) is not dict or value.keys() != types.keys():
        found = sorted(value) if type(value) is dict else value
        raise Refused(f"{where}: must have exactly the keys {sorted(types)}; {found!r:.200}")
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
        negative = self.upper is not None and self.upper <= 0 and ZERO not in self
        return -2 if negative else 0


def domain(spec: Json, where: str) -> Range:
    """The domain of a symbol, drawn in to whole numbers where only these count. Raises Refused."""
    end = (str, type(None))
    origin = (int, type(None))
    keys(spec, where, lower=end, upper=end, closed=str, integer=bool, origin=origin)
    low, high = (None if spec[e] is None else number(spec[e], where) for e in ("lower", "upper"))
    left, right = CLOSED.get(spec["closed"], (True, True))
    if spec["closed"] not in CLOSED or (left and low is None) or (right and high is None):
        raise Refused(f"{where}: closed must be in {sorted(CLOSED)}, infinite ends are open")
    if spec["integer"] and low is not None:
        low, left = Fraction(math.ceil(low) if left else math.floor(low) + 1), True
    if spec["integer"] and high is not None:
        high, right = Fraction(math.floor(high) if right else math.ceil(high) - 1), True
    if low is not None and high is not None and not (low < high or (low == high and left & right)):
        raise Refused(f"{where}: the domain is empty")
    return Range(low, high, left, right, spec["integer"])


# ----------------------------------------------------------------------------- CORE 2: formulas
class Atom(NamedTuple):
    """What formulas are polynomials in, with its sign on the whole domain (as Range.sign)."""

    kind: str  # symbol, number (below a root), sum (base of a power), log, exp, min, max, ...
    sign: int
    args: tuple[Formula, ...] = ()  # of a log: numerator and denominator of its argument
    name: str = ""
    range: Range = Range(None, None)


class Formula:
    """A sum of rational multiples of products of rational powers of atoms.

    It is defined on the whole domain: an atom under a fractional power is >= 0 there, and one
    under a negative power is not 0.
    """

    __slots__ = ("bits", "ring", "terms")

    def __init__(self, ring: Ring, terms: dict[Mono, Fraction]) -> None:
        self.ring, self.terms = ring, terms
        self.bits = max((c.numerator.bit_length() for c in terms.values()), default=0)
        self.bits = max((c.denominator.bit_length() for c in terms.values()), default=self.bits)
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
            mono, factor = ring.tidy((*m, *n)) if m and n else (m + n, ONE)
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
        self.memo: dict[str, Formula] = {}
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

    def bare(self, g: int) -> Formula:
        """An atom as a formula."""
        return Formula(self, {((g, 1),): ONE})

    def product(self, factors: Iterable[tuple[int, Exponent]], c: Fraction = ONE) -> Formula:
        """c times a product of powers of atoms."""
        mono, more = self.tidy(factors)
        return Formula(self, {mono: c * more})

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
            whole = math.floor(e) if self.atoms[g].kind == "number" else 0
            factor = factor * Fraction(int(self.atoms[g].name)) ** whole if whole else factor
            powers[g] = int(e - whole) if e.denominator == 1 else e - whole
        return tuple(sorted((g, e) for g, e in powers.items() if e)), factor

    def expand(self, f: Formula) -> Formula:
        """The same with whole powers of sums multiplied out."""
        done = []
        for mono, c in f.terms.items():
            sums = [(g, math.floor(e)) for g, e in mono if self.atoms[g].kind == "sum" and e >= 1]
            part = self.product((*mono, *((g, -k) for g, k in sums)), c) if sums else None
            for g, k in sums:
                part = part * self.atoms[g].args[0] ** k if part else part
            done.append(part or Formula(self, {mono: c}))
        return self.total(done)

    def clear(self, f: Formula) -> tuple[Formula, Mono]:
        """(n, m), f = n/m: m > 0 a product of atoms, n expanded and without negative powers."""
        low: dict[int, int] = {}
        for mono in f.terms:
            for g, e in mono:
                if e < low.get(g, 0):
                    low[g] = math.floor(e)
        shift = [(g, -e if self.atoms[g].sign == 2 else e % 2 - e) for g, e in low.items()]
        return self.expand(f * self.product(shift) if shift else f), self.tidy(shift)[0]

    def content(self, *fs: Formula) -> list[tuple[int, Exponent]]:
        """The largest product of positive atoms in every term of fs, which are cleared."""
        monos = [dict(mono) for f in fs for mono in f.terms]
        least = [(g, min(m.get(g, 0) for m in monos)) for g in monos[0]]
        return [(g, e) for g, e in least if e and self.atoms[g].sign == 2]

    def ratio(self, f: Formula) -> tuple[Formula, Formula]:
        """f = n/d, d > 0, both polynomials in atoms, in a form that equal formulas mostly share."""
        top, shift = self.clear(f)
        bottom = self.expand(self.product(shift))
        cs = [*top.terms.values(), *bottom.terms.values()]
        scale = Fraction(math.lcm(*(c.denominator for c in cs)), math.gcd(*(c.numerator for c in cs)))
        common = self.product(((g, -e) for g, e in self.content(top, bottom)), scale)
        return top * common, bottom * common

    def key(self, *fs: Formula) -> tuple[object, ...]:
        """What to look up an atom with these arguments by."""
        return tuple(frozenset(part.terms.items()) for f in fs for part in self.ratio(f))

    def power(self, f: Formula, e: Fraction) -> Formula:
        """f ** e, if f >= 0 (for a fraction), f not 0 (for e < 0) is shown. Raises Refused."""
        whole = e.denominator == 1
        if f.bits * abs(e) > MAX_BITS:
            raise Refused(f"numbers of more than {MAX_BITS} bits")
        if whole and e >= 0 and len(f.terms) != 1:
            result = self.lift(1)
            for _ in range(int(e)):
                result = result * f
            return result
        mono, c = next(iter(f.terms.items())) if len(f.terms) == 1 else self.primitive(f)
        if not c and e > 0:
            return self.lift(0)
        free = whole and e > 0
        if not free and (not c or not all(self.usable(self.atoms[g].sign, k, e) for g, k in mono)):
            raise Refused(f"({text_of(f)})^({e}): not shown to be defined on the whole domain")
        if not whole and c < 0:
            raise Refused(f"({text_of(f)})^({e}): a root of something negative")
        roots, factor = ([], c ** int(e)) if whole else (self.root(c, e), ONE)
        return self.product((*roots, *((g, k * e) for g, k in mono)), factor)

    @staticmethod
    def usable(sign: int, k: Exponent, e: Fraction) -> bool:
        """Whether (x^k)^e = x^(k e) is defined and true for every x of this sign."""
        return sign == 2 or (sign == 1 and k > 0 and e > 0) or (sign == -2 and e.denominator == 1)

    def primitive(self, f: Formula) -> tuple[Mono, Fraction]:
        """(m, c), f = c m: m a product of powers of atoms, one of them a sum made for the purpose."""
        top, shift = self.clear(f)
        if not top:
            return (), ZERO
        outside = self.content(top)
        c = top.terms[max(top.terms)]
        base = top * self.product(((g, -e) for g, e in outside), 1 / c)
        sign = self.sign(base)
        if sign == -2:
            c, base, sign = -c, -base, 2
        inner = [(self.intern(("sum", frozenset(base.terms.items())), Atom("sum", sign, (base,))), 1)]
        if base.constant is not None:
            c, inner = c * base.constant, []
        return self.tidy((*outside, *((g, -e) for g, e in shift), *inner))[0], c

    def root(self, c: Fraction, e: Fraction) -> list[tuple[int, Exponent]]:
        """c^e for c > 0 and a fraction e: primes below 100, and what is left, become atoms."""
        factors: list[tuple[int, Exponent]] = []
        for value, sign in ((c.numerator, e), (c.denominator, -e)):
            left = value
            for prime in (p for p in range(2, 100) if all(p % k for k in range(2, p))):
                while left % prime == 0:
                    left //= prime
                    factors.append((prime, sign))
            exact = whole_root(left, e.denominator)
            perfect = exact**e.denominator == left
            factors.append((exact, sign * e.denominator) if perfect else (left, sign))
        return [(self.intern(n, Atom("number", 2, name=str(n))), k) for n, k in factors if n > 1]

    def log(self, f: Formula) -> Formula:
        """log f, if f > 0 is shown. Raises Refused."""
        if not self.prove(f, strict=True):
            raise Refused(f"log({text_of(f)}): not shown to be defined on the whole domain")
        top, bottom = self.ratio(f)
        sign = self.sign(top - bottom)
        sides = (frozenset(top.terms.items()), frozenset(bottom.terms.items()))
        if sign == -2 or ("log", *sides[::-1]) in self.index:  # log(n/d) = -log(d/n)
            turned = Atom("log", abs(sign), (bottom, top))
            return -self.bare(self.intern(("log", *sides[::-1]), turned))
        plus = Atom("log", sign, (top, bottom))
        return self.bare(self.intern(("log", *sides), plus)) if sides[0] != sides[1] else self.lift(0)

    def call(self, name: str, parts: list[Formula]) -> Formula:
        """exp, min, max or analytic_sigma of formulas. Raises Refused."""
        sign = 2
        if name in ("min", "max"):
            side = 1 if name == "max" else -1
            kept: list[Formula] = []
            for part in parts:  # one that never decides is left out
                if not any(self.prove((other - part) * side, patches=32) for other in kept):
                    kept = [k for k in kept if not self.prove((part - k) * side, patches=32)] + [part]
            if len(kept) == 1:
                return kept[0]
            signs = [self.sign(part) for part in kept]
            parts, sign = kept, max(signs) if name == "max" else min(signs)
            sign = sign if sign > 0 else 0
        elif name == "analytic_sigma" and not (
            self.prove(parts[0])
            and self.prove(parts[1], strict=True)
            and self.prove(1 - parts[1], strict=True)
        ):
            raise Refused("analytic_sigma: needs epsilon >= 0 and 0 < delta < 1 on the domain")
        found = [self.key(part) for part in parts]
        key = (name, *(found if name == "analytic_sigma" else sorted(found, key=repr)))
        return self.bare(self.intern(key, Atom(name, sign, tuple(parts))))

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
            if type(value) is not list or depth > 60 or len(value) < 2:
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
            return self.power(self.formula(value[1], where, depth), e)
        if (name, count) not in {("log", 1), ("exp", 1), ("analytic_sigma", 2)}:
            if name not in ("+", "*", "min", "max"):
                raise Refused(f"{where}: no such operation: {value!r:.80}")
        parts = [self.formula(part, where, depth) for part in value[1:]]
        if name == "*":
            result = parts[0]
            for part in parts[1:]:
                result = result * part
            return result
        if name == "log":
            return self.log(parts[0])
        return self.total(parts) if name == "+" else self.call(name, parts)

    # ------------------------------------------------------------------------ CORE 3: signs
    def sign(self, f: Formula) -> int:
        """2: shown > 0 on the whole domain; 1: >= 0; -2: < 0; 0: not shown."""
        if self.prove(f, strict=True):
            return 2
        return 1 if self.prove(f) else -2 if self.prove(-f, strict=True) else 0

    def prove(self, f: Formula, *, strict: bool = False, patches: int = MAX_PATCHES) -> bool:
        """Whether f >= 0 (f > 0 where strict) is shown on the whole domain."""
        key = (frozenset(f.terms.items()), strict, patches)
        if key not in self.seen:
            self.seen[key] = self.decide(self.clear(f)[0], strict=strict, patches=patches)
        return self.seen[key]

    def decide(self, f: Formula, *, strict: bool, patches: int) -> bool:
        """The same for a polynomial in powers of atoms, each atom a variable of its own."""
        if not f:
            return not strict
        f = f * self.product((g, -e) for g, e in self.content(f))
        signs = [min((self.atoms[g].sign for g, _ in mono), default=2) for mono in f.terms]
        if all(s >= 1 for s in signs) and all(c > 0 for c in f.terms.values()):
            if not strict or 2 in signs:
                return True
        if min(signs) == 2 and all(c < 0 for c in f.terms.values()):
            return False
        monos = [dict(mono) for mono in f.terms]
        axes, steps = [], {}
        for g in sorted(set().union(*monos)):
            steps[g] = math.lcm(*(m[g].denominator for m in monos if g in m))
            span = self.span(g, steps[g])
            if span is None:
                return False
            axes.append((int(max(m.get(g, 0) for m in monos) * steps[g]), span))
        rows = {tuple(int(m.get(g, 0) * q) for g, q in steps.items()): c for m, c in
                zip(monos, f.terms.values(), strict=True)}
        return self.bernstein(rows, axes, strict=strict, patches=patches)

    def span(self, g: int, q: int) -> Range | None:
        """Where the q-th root of an atom lies: rational ends, outwards; None: not known."""
        atom = self.atoms[g]
        low, high, left, right, _ = atom.range
        if not self.names[g]:  # a number that is not rational
            (low, high), left, right = bounds_of(self, self.bare(g), {}), True, True
        elif atom.kind != "symbol":
            low, left = ZERO, atom.sign == 1
            if atom.sign < 1:
                return None
        if q == 1 or low is None or low < 0:
            return Range(low, high, left, right) if q == 1 else None
        bottom, exact = root_below(low, q)
        left = left or not exact
        if high is None:
            return Range(bottom, None, left)
        top, exact = root_below(high, q)
        return Range(bottom, top if exact else top + Fraction(1, 2**64), left, right or not exact)

    def bernstein(
        self,
        rows: Mapping[tuple[int, ...], Fraction],
        axes: Sequence[tuple[int, Range]],
        *,
        strict: bool,
        patches: int,
    ) -> bool:
        """Signs by Bernstein coefficients: p >= 0 on a box whose coefficients all are >= 0.

        p > 0 at a point in the inside of a face where not all coefficients of the face are 0.
        """
        shape = [degree + 1 for degree, _ in axes]
        if math.prod(shape) > MAX_TENSOR:
            return False
        scale = math.lcm(*(c.denominator for c in rows.values()))
        flat = [0] * math.prod(shape)
        for exponents, c in rows.items():
            place = 0
            for e, n in zip(exponents, shape, strict=True):
                place = place * n + e
            flat[place] = int(c * scale)
        for axis, (degree, span) in enumerate(axes):
            matrix = to_bernstein(degree, span.lower, span.upper)
            if matrix is None:
                return False
            flat = along(flat, shape, axis, matrix)
        queue = [(flat, [(span.left, span.right) for _, span in axes], 0)]
        while queue:
            flat, ends, depth = queue.pop()
            self.spend(len(flat) // 8 + 1)
            if min(flat) >= 0 and (not strict or faces_positive(flat, shape, ends)):
                continue
            patches -= 1
            axis = depth % len(shape)
            corners = product(*((0, n - 1) for n in shape))
            if patches < 0 or any(flat[place_of(corner, shape)] < 0 for corner in corners):
                return False
            if min(flat) >= 0 and all(not flat[place_of(c, shape)] for c in ()):
                return False
            low, high = halves(shape[axis] - 1)
            for matrix, end in ((low, (ends[axis][0], True)), (high, (True, ends[axis][1]))):
                part = [*ends[:axis], end, *ends[axis + 1 :]]
                queue.append((along(flat, shape, axis, matrix), part, depth + 1))
        return True
