"""Formulas enclosed where each symbol lies in an interval, and at points."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from .interval import Interval, added, multiplied, outwards, raised, transcendental
from .limits import ONE, ZERO, Unbounded
from .profile import least_std

if TYPE_CHECKING:
    from .formula import Atom, Formula
    from .ring import Ring


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
        ends = Enclosure(ring, {name: Interval(v, v) for name, v in point.items()}, 96).ends(gap)
        value = -ONE if ends is None else ends[0][0]
    return value > 0 or (value == 0 and not strict)


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
            low, high = args[0]
        else:  # a quotient of numbers that are > 0 on the domain
            (low, high), (least, most) = args
            if low <= 0 or least <= 0:
                raise Unbounded
            low, high = outwards(low / most, high / least, self.bits)
        below, above = (transcendental(atom.kind, end, self.bits) for end in (low, high))
        return Interval(below[0], above[1])
