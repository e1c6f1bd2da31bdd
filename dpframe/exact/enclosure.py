"""Formulas enclosed where each symbol lies in an interval."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from .documents import ZERO, Unbounded
from .interval import Interval, added, exp, log, multiplied, outwards, raised
from .profile import least_std

if TYPE_CHECKING:
    from .formula import Atom, Formula
    from .ring import Ring


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
