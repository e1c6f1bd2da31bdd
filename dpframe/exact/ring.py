"""The ring of formulas over declared symbols: a normal form, and signs that are shown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from .documents import MAX_BITS, MAX_TENSOR, MAX_WORK, ZERO, Exponent, Json, Range, Refused, number
from .formula import Atom, Formula, Mono, text_of
from .interval import whole_root
from .signs import Sign, Steps, at_once

PRIMES = [p for p in range(2, 100) if all(p % k for k in range(2, p))]
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,40}\Z")
FUNCTIONS = {"log": 1, "exp": 1, "analytic_sigma": 2, "+": 0, "*": 0, "min": 0, "max": 0}  # 0: any


class Ring:
    """Formulas over declared symbols; what is shown of their signs holds on the whole domain."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.atoms: list[Atom] = []
        self.names: list[frozenset[str]] = []  # for each atom, the symbols in it
        self.index: dict[object, int] = {}
        self.symbols: dict[str, Formula] = {}  # those that a formula may use so far
        self.numbers: dict[object, Formula] = {}  # by numerator and denominator, and by their text
        self.memo: dict[str, Formula] = {}  # of [operation, arguments], by their repr
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

    def alone(self, key: object, atom: Atom) -> Formula:
        """An atom as a formula."""
        return self.product([(self.intern(key, atom), 1)])

    def symbol(self, name: str, span: Range) -> Formula:
        """A symbol with this range as a formula."""
        return self.alone(("symbol", name), Atom("symbol", span.sign, (), name, span))

    def depends(self, *fs: Formula) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset().union(*(self.names[g] for f in fs for mono in f.terms for g, _ in mono))

    def lift(self, value: Formula | Exponent) -> Formula:
        """A number as a formula."""
        if isinstance(value, Formula):
            return value
        top, bottom = ratio = value.as_integer_ratio()
        if ratio not in self.numbers:
            self.numbers[ratio] = Formula(self, {(): top}, bottom)
        return self.numbers[ratio]

    def over(self, terms: Sequence[tuple[Mono, Exponent]], den: int) -> Formula:
        """The sum of terms over a number; what they are multiplied by may be fractions."""
        collected = dict(terms)
        if len(collected) < len(terms):
            collected = dict.fromkeys(collected, 0)
            for mono, c in terms:
                collected[mono] += c
        if all(type(c) is int for c in collected.values()):
            return Formula(self, collected, den)  # type: ignore[arg-type]  # whole already
        common = math.lcm(*[c.denominator for c in collected.values()])
        whole = {mono: c.numerator * (common // c.denominator) for mono, c in collected.items()}
        return Formula(self, whole, den * common)

    def product(self, factors: Iterable[tuple[int, Exponent]], c: Exponent = 1) -> Formula:
        """c times a product of powers of atoms."""
        mono, more = self.tidy(factors)
        value = c if more == 1 else c * more
        return Formula(self, {mono: value.numerator}, value.denominator)

    def total(self, parts: Iterable[Formula]) -> Formula:
        """The sum."""
        parts, den = list(parts), 1
        for part in parts:
            den = math.lcm(den, part.den)
            if den.bit_length() > MAX_BITS:
                raise Refused(f"numbers of more than {MAX_BITS} bits")
        self.spend(sum(len(part.terms) for part in parts) * (1 + den.bit_length() // 256))
        return self.over([(m, c * (den // p.den)) for p in parts for m, c in p.terms.items()], den)

    def tidy(self, factors: Iterable[tuple[int, Exponent]]) -> tuple[Mono, Exponent]:
        """A product of powers, like ones collected; whole powers of numbers become a factor."""
        powers: dict[int, Exponent] = {}
        for g, e in factors:
            powers[g] = powers[g] + e if g in powers else e
        factor: Exponent = 1
        for g, e in powers.items():
            if abs(e.numerator) > 4096 * e.denominator:
                raise Refused("an exponent above 4096")
            whole = math.floor(e) if self.atoms[g].kind == "number" else 0
            if whole:
                factor = factor * Fraction(int(self.atoms[g].name)) ** whole
            if whole or (type(e) is not int and e.denominator == 1):
                powers[g] = int(e - whole) if e.denominator == 1 else e - whole
        return tuple(sorted([one for one in powers.items() if one[1]])), factor

    def expand(self, f: Formula) -> Formula:
        """The same with whole powers of sums multiplied out."""
        done = []
        if not any(e >= 1 and self.atoms[g].kind == "sum" for mono in f.terms for g, e in mono):
            return f
        for mono, c in f.pairs:
            sums = [(g, e) for g, e in mono if e >= 1 and self.atoms[g].kind == "sum"]
            part = self.product((*mono, *((g, -math.floor(e)) for g, e in sums)), c)
            for g, e in sums:
                part = part * self.multiplied_out(self.atoms[g].args[0], math.floor(e))
            done.append(part)
        return self.expand(self.total(done) if len(done) > 1 else part)

    def clear(self, f: Formula) -> tuple[Formula, Mono]:
        """(n, m), f = n/m: m > 0 a product of atoms, n expanded and without negative powers."""
        low: dict[int, int] = {}
        for mono in f.terms:
            for g, e in mono:
                if e < 0 and e < low.get(g, 0):
                    low[g] = math.floor(e)
        if not low:
            return self.expand(f), ()
        shift = [(g, -e if self.atoms[g].sign == 2 else e % 2 - e) for g, e in low.items()]
        factor = self.product(shift)
        return self.expand(f * factor), next(iter(factor.terms))

    def content(self, *fs: Formula) -> list[tuple[int, Exponent]]:
        """The inverse of the largest product of positive atoms in all terms of fs (cleared)."""
        monos = [dict(mono) for f in fs for mono in f.terms]
        least = [(g, min(m.get(g, 0) for m in monos)) for g in monos[0]]
        return [(g, -e) for g, e in least if e and self.atoms[g].sign == 2]

    def ratio(self, f: Formula) -> tuple[Formula, Formula]:
        """f = n/d, d > 0, both polynomials in atoms, in a form that equal formulas mostly share."""
        top, shift = self.clear(f)
        bottom = self.expand(Formula(self, {shift: top.den}))
        gcd = math.gcd(*top.terms.values(), *bottom.terms.values())
        common = self.product(self.content(top, bottom), Fraction(1, gcd))
        return top * (common * top.den), bottom * common

    def key(self, *fs: Formula) -> tuple[object, ...]:
        """What to look up an atom with these arguments by."""
        return tuple(part.key for f in fs for part in self.ratio(f))

    def power(self, f: Formula, e: Exponent) -> Formula:
        """f^e, if f >= 0 (for a fraction) or f not 0 (for e < 0) is shown. Raises Refused."""
        whole = e.denominator == 1
        if f.bits * abs(e.numerator) > MAX_BITS * e.denominator:
            raise Refused(f"numbers of more than {MAX_BITS} bits")
        if e == -1 and len(f.terms) > 1 and f.key[:2] != (1, 1):  # one search for all multiples
            if f.key[2] not in self.powers:
                self.powers[f.key[2]] = f.whole**e
            return self.powers[f.key[2]] * Fraction(f.den, f.key[0])
        if whole and e >= 0 and (len(f.terms) != 1 or e == 0) and not self.rooted(f):
            return self.multiplied_out(f, int(e))
        mono, c = f.pairs[0] if len(f.terms) == 1 else self.primitive(f)
        if not c and e > 0:
            return self.lift(0)
        usable = all(self.usable(self.atoms[g].sign, k, e) for g, k in mono)
        if not c or (c < 0 and not whole) or not (usable or (whole and e > 0)):
            raise Refused(f"({text_of(f)})^({e}): not shown to be defined on the whole domain")
        roots, factor = ([], c**e.numerator) if whole else (self.root(c, e), 1)
        return self.product((*roots, *((g, k * e) for g, k in mono)), factor)

    def multiplied_out(self, f: Formula, k: int) -> Formula:
        """f^k as a sum: of one term for each choice of k of its terms. Raises Refused."""
        if len(f.terms) > 1 and math.comb(len(f.terms) + k - 1, k) > MAX_TENSOR:
            raise Refused(f"({text_of(f)})^{k}: more than {MAX_TENSOR} terms")
        return math.prod([f] * (k - 1), start=f) if k else self.lift(1)

    def rooted(self, f: Formula) -> bool:
        """Whether a root of a sum occurs: then f^k is kept as a power, whose root is f again."""
        return any(e % 1 and self.atoms[g].kind == "sum" for mono in f.terms for g, e in mono)

    @staticmethod
    def usable(sign: int, k: Exponent, e: Exponent) -> bool:
        """Whether (x^k)^e = x^(k e) is defined and true for every x of this sign."""
        return sign == 2 or (sign == 1 and k > 0 and e > 0) or (sign == -2 and e.denominator == 1)

    def primitive(self, f: Formula) -> tuple[Mono, Fraction]:
        """(m, c), f = c m: m a product of powers of atoms, one of them a sum made for this."""
        top, shift = self.clear(f)
        if not top:
            return (), ZERO
        content = self.content(top)
        c = Fraction(top.terms[max(top.terms)], top.den)
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

    def root(self, c: Fraction, e: Exponent) -> list[tuple[int, Exponent]]:
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
        """The same, computed. Raises Refused."""
        if not self.prove(f, strict=True):
            raise Refused(f"log({text_of(f)}): not shown to be defined on the whole domain")
        top, bottom = self.ratio(f)
        if top.key == bottom.key:
            return self.lift(0)
        sign, turned = self.sign(top - bottom), ("log", bottom.key, top.key)
        if sign == -2 or turned in self.index:  # log(n/d) = -log(d/n)
            return -self.alone(turned, Atom("log", abs(sign), (bottom, top)))
        return self.alone(("log", top.key, bottom.key), Atom("log", sign, (top, bottom)))

    def extremum(self, name: str, parts: Sequence[Formula]) -> Formula:
        """The least or largest of formulas; those that never decide are left out."""
        side = 1 if name == "max" else -1
        deciding: list[Formula] = []
        for part in parts:
            if not any(self.prove((other - part) * side) for other in deciding):
                worse = [k for k in deciding if self.prove((part - k) * side)]
                deciding = [*(k for k in deciding if k not in worse), part]
        if len(deciding) == 1:
            return deciding[0]
        signs = [self.sign(part) for part in deciding]
        sign = max(0, max(signs) if side == 1 else min(signs))
        if side == 1 and self.prove(self.total(deciding)):  # such as max(f, -f) = |f|
            sign = max(1, sign)
        return self.alone(
            (name, frozenset(map(self.key, deciding))), Atom(name, sign, tuple(deciding))
        )

    def implicit(self, name: str, parts: Sequence[Formula]) -> Formula:
        """exp or analytic_sigma. Raises Refused."""
        if name == "analytic_sigma":
            inside = self.prove(parts[1], strict=True) and self.prove(1 - parts[1], strict=True)
            if not (inside and self.prove(parts[0])):
                raise Refused("analytic_sigma: needs epsilon >= 0 and 0 < delta < 1 everywhere")
        return self.alone((name, *self.key(*parts)), Atom(name, 2, tuple(parts)))

    def formula(self, value: Json, where: str, depth: int = 0) -> Formula:
        """The formula of a JSON value over the symbols that may be used so far. Raises Refused."""
        if type(value) is str:
            if value in self.symbols:
                return self.symbols[value]
            if value not in self.numbers:
                if NAME.match(value):
                    raise Refused(f"{where}: {value} is no symbol that is public here")
                self.numbers[value] = self.lift(number(value, where))
            return self.numbers[value]
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
            whole = int(e) if e.denominator == 1 else e  # as a key, faster than a fraction
            return self.formula(value[1], where, depth) ** whole
        if FUNCTIONS.get(name, -1) not in (0, count):
            raise Refused(f"{where}: no such operation: {value!r:.80}")
        parts = [self.formula(part, where, depth) for part in value[1:]]
        if name in ("+", "*"):
            return self.total(parts) if name == "+" else math.prod(parts[1:], start=parts[0])
        return self.log(parts[0]) if name == "log" else self.called(name, parts)

    def called(self, name: str, parts: Sequence[Formula]) -> Formula:
        """A minimum, maximum, exponential or analytic_sigma. Raises Refused."""
        return self.extremum(name, parts) if name in ("min", "max") else self.implicit(name, parts)

    def sign(self, f: Formula) -> int:
        """2: shown > 0 on the whole domain; 1: >= 0; -2: < 0; 0: not shown."""
        if self.prove(f, strict=True):
            return 2
        return 1 if self.prove(f) else -2 if self.prove(-f, strict=True) else 0

    def prove(self, f: Formula, *, strict: bool = False) -> bool:
        """Whether f >= 0 (f > 0 where strict) is shown on the whole domain: at once, or by a step
        of the proof.
        """
        key = f.key[2], strict
        if key not in self.seen:
            part = f if self.product_of_positive(f) else self.cleared(f)
            own = (part.key[2], strict, "cleared")
            if own not in self.seen:
                known = at_once(part, strict=strict)
                self.seen[own] = self.steps.closes(Sign(part, strict)) if known is None else known
            self.seen[key] = self.seen[own]
        return self.seen[key]

    def product_of_positive(self, f: Formula) -> bool:
        """Whether clearing it would leave a number, but for sums that it would multiply out."""
        own = ((self.atoms[g], e) for mono in f.terms for g, e in mono)
        return len(f.terms) == 1 and all(a.sign == 2 and (e < 0 or a.kind != "sum") for a, e in own)

    def cleared(self, f: Formula) -> Formula:
        """A polynomial in atoms that has the sign of f: f times what is positive."""
        top = self.clear(f)[0]
        if not top:
            return top
        content = self.content(top)
        top = self.expand(top * self.product(content)) if content else top
        return top if top.key[:2] == (1, 1) else top.whole
