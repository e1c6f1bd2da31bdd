"""Steps of a proof: a claim is closed by the step that the proof has for it, or not at all.

Signs of polynomials in atoms on the whole domain: by their terms; by Bernstein coefficients on a
subdivision that the proof names; by cases of a minimum or maximum; or by squares of both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from .documents import MAX_TENSOR, ONE, ZERO, Exponent, Json, Range, Refused
from .formula import Atom, Enclosure, Formula, atom_text, digest, text_of
from .interval import floor_to, log, root_ends

if TYPE_CHECKING:
    from .ring import Ring


Part = TypeVar("Part")


class StepClaim(Protocol):
    """What one step shows."""

    @property
    def key(self) -> str:
        """The claim in words, by which its step is found: what a step shows never depends on it."""

    def shown(self, step: Mapping[str, Json]) -> Any:
        """What the step shows; something false where it does not hold. Raises Refused."""


class Steps:
    """Steps by the claims that they close; `used` are the claims that were looked up and found."""

    def __init__(self, given: Mapping[str, Json]) -> None:
        self.given, self.used = given, set[str]()

    def find(self, claim: StepClaim) -> Json | None:
        """The step for a claim."""
        return self.given.get(claim.key)

    def closes(self, claim: StepClaim) -> Any:
        """What the step for a claim shows; False where there is none. Raises Refused."""
        step = self.find(claim)
        if step is None:
            return False
        self.used.add(claim.key)
        shown = claim.shown(step) if type(step) is dict else None
        if not shown:
            raise Refused(f"the step for {claim.key} does not show it")
        return shown


def at_once(f: Formula, *, strict: bool) -> bool | None:
    """Whether the signs or the ends of the terms settle f >= 0 (> 0); None where a step must."""
    if not f:
        return not strict
    atoms, cs = f.ring.atoms, f.terms.values()
    signs = [min([atoms[g].sign for g, _ in mono], default=2) for mono in f.terms]
    if min(signs) >= 1 and min(cs) > 0 and (not strict or 2 in signs):
        return True
    if min(signs) == 2 and max(cs) < 0:
        return False
    low, met = infimum(f)
    return (low is not None and (low > 0 or (low == 0 and not (strict and met)))) or None


class Sign(NamedTuple):
    """The claim part >= 0 (part > 0 where strict) on the whole domain."""

    part: Formula
    strict: bool

    @property
    def key(self) -> str:
        """`1 - gamma > 0`."""
        return digest(f"{text_of(self.part)} {'>' if self.strict else '>='} 0")

    def shown(self, step: Mapping[str, Json]) -> bool:
        """Whether the step shows it."""
        match step:
            case {"by": "cases", "of": str(name), **more} if more.keys() <= {"beyond"}:
                cases = cases_of(self.part, name, more.get("beyond"))
                return bool(cases) and all(f.ring.prove(f, strict=self.strict) for f in cases)
            case {"by": "bernstein", "tree": str(tree)} if len(step) == 2:
                patch = patch_of(self.part)
                self.part.ring.spend(len(tree) * (len(patch.flat) if patch else 0))
                good = partial(Patch.good, strict=self.strict)
                return patch is not None and covered(patch, tree, good, Patch.halved)
            case {"by": "squares"} if len(step) == 1:
                return self.squared()
        return False

    def squared(self) -> bool:
        """Whether p >= q follows from p^2 >= q^2 and p, q >= 0, where p - q is the formula and q
        has the terms with negative coefficients. Raises Refused.
        """
        f = self.part
        p = Formula(f.ring, {mono: c for mono, c in f.terms.items() if c > 0}, f.den)
        q = p - f
        known = bool(p and q) and at_once(p, strict=False) and at_once(q, strict=False)
        return bool(known) and f.ring.prove(p * p - q * q, strict=self.strict)


def cases_of(f: Formula, name: str, beyond: int | None) -> list[Formula]:
    """A formula with each argument in the place of the minimum or maximum of this text, which is
    one of them at every point; or with one argument less, or more, some number >= 0. Empty where it
    does not occur. Raises Refused.
    """
    ring = f.ring
    g = next((g for g in extrema(f) if atom_text(ring.atoms[g]) == name), None)
    if g is None:
        return []
    parts, side = ring.atoms[g].args, 1 if ring.atoms[g].kind == "max" else -1
    if beyond is None:
        return [swapped(f, g, part) for part in parts]
    text = f"beyond {beyond} of {digest(name, short=60)}"
    own = ring.intern(text, Atom("symbol", 1, (), text, Range(ZERO, None, left=True)))
    return [swapped(f, g, parts[beyond] + ring.product([(own, 1)], side))]


def extrema(f: Formula) -> list[int]:
    """The minima and maxima in a formula, also those inside of others."""
    axes, kinds = axes_of(f), f.ring.atoms
    inner = [h for g in axes for arg in kinds[g].args for h in extrema(arg)]
    own = [g for g in axes if kinds[g].kind in ("min", "max")]
    return list(dict.fromkeys(own + inner))


def swapped(f: Formula, g: int, other: Formula) -> Formula:
    """A formula with another in the place of an atom. Raises Refused."""
    return f.ring.total(
        math.prod((changed(f.ring, h, g, other) ** e for h, e in mono), start=f.ring.lift(c))
        for mono, c in f.pairs
    )


def changed(ring: Ring, h: int, g: int, other: Formula) -> Formula:
    """The atom h with another formula in the place of g. Raises Refused."""
    atom = ring.atoms[h]
    if h == g:
        return other
    if not atom.args or g not in {one for arg in atom.args for one in extrema(arg)}:
        return ring.product([(h, 1)])
    args = [swapped(arg, g, other) for arg in atom.args]
    if atom.kind == "sum":
        return args[0]
    return ring.log(args[0] / args[1]) if atom.kind == "log" else ring.called(atom.kind, args)


def infimum(f: Formula) -> tuple[Fraction | None, bool]:
    """A lower bound of a polynomial in symbols, term by term, and whether it may be met; None: not
    known. Products and powers are those of symbols >= 0.
    """
    met, atoms, ends = True, f.ring.atoms, list[Exponent]()  # of each term
    for mono, c in f.terms.items():
        alone = len(mono) == 1 and mono[0][1] == 1
        ends.append(c)
        closed, positive = True, True
        for g, e in mono:
            atom, span = atoms[g], atoms[g].range
            end, has = (span.lower, span.left) if c > 0 else (span.upper, span.right)
            rising = alone or (atom.sign > 0 and e > 0 and e.denominator == 1)
            if atom.kind != "symbol" or end is None or not rising:
                return None, False
            ends[-1] = ends[-1] * (end if e == 1 else end ** int(e)) if end else 0
            closed, positive = closed and has, positive and atom.sign == 2
        zero = not ends[-1] and not alone  # met where a factor may be 0
        met = met and (not positive if zero else closed)
    return Fraction(sum(ends), f.den), met


def least(atom: Atom) -> tuple[Fraction | None, bool]:
    """A lower bound of an atom, and whether it may be met; None: not known."""
    if atom.kind == "sum":
        return infimum(atom.args[0])
    if atom.kind == "log":
        top, bottom = infimum(atom.args[0])[0], infimum(-atom.args[1])[0]
        if top is not None and bottom is not None and top > 0:
            return floor_to(log(top / -bottom, 64).lower, 40), True
    return None, False


class Patch(NamedTuple):
    """Bernstein coefficients on a box, and which of its ends belong to it."""

    flat: list[int]
    shape: list[int]
    ends: Sequence[tuple[bool, bool]]
    depth: int = 0

    def good(self, *, strict: bool) -> bool:
        """Where all are >= 0, p >= 0; and p > 0 inside every face whose coefficients are not all
        0.
        """
        least = min(self.flat) >= 0
        return least and (not strict or inside_faces(self.flat, self.shape, self.ends))

    def halved(self, mark: str = "+") -> list[Patch]:
        """Both halves along the next axis, by the mark `+` only."""
        axis = self.depth % len(self.shape)
        left, right = self.ends[axis]
        parts: list[Patch] = []
        if mark != "+":
            return parts
        sides = ((left, True), (True, right))
        for matrix, end in zip(halves(self.shape[axis] - 1), sides, strict=True):
            ends = [*self.ends[:axis], end, *self.ends[axis + 1 :]]
            flat = along(self.flat, self.shape, axis, matrix)
            parts.append(Patch(flat, self.shape, ends, self.depth + 1))
        return parts


def covered(
    whole: Part,
    marks: Iterable[str],
    good: Callable[[Part], bool],
    split: Callable[[Part, str], list[Part]],
) -> bool:
    """Whether every leaf of a subdivision is good: `.` is a leaf, any other mark splits a part, if
    it may; the last part comes first.
    """
    queue = [whole]
    for mark in marks:
        if not queue:
            return False
        here = queue.pop()
        parts = [] if mark == "." else split(here, mark)
        if not parts and (mark != "." or not good(here)):
            return False
        queue += parts
    return not queue


def axes_of(f: Formula) -> list[int]:
    """The atoms of a formula, in the order of the axes of its patch."""
    return list(dict.fromkeys(g for mono in f.terms for g, _ in mono))


def patch_of(f: Formula) -> Patch | None:
    """A cleared formula on the whole domain, each atom a variable of its own; None where it is too
    large, or an atom has no range. Ends at infinity are moved to 1 by x = l + t/(1 - t).
    """
    monos = [dict(mono) for mono in f.terms]
    steps = {g: math.lcm(*(m[g].denominator for m in monos if g in m)) for g in axes_of(f)}
    rows = [[int(m.get(g, 0) * q) for g, q in steps.items()] for m in monos]
    shape = [max(column) + 1 for column in zip(*rows, strict=True)]
    small = math.prod(shape) <= MAX_TENSOR
    spans = [span_of(f, g, q) for g, q in steps.items()] if small else [None]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    flat = [0] * math.prod(shape)
    for row, c in zip(rows, f.terms.values(), strict=True):
        flat[place(row, shape)] = c
    f.ring.spend(len(flat) // 2 + 1)
    for axis, span in enumerate(known):
        matrix = to_bernstein(shape[axis] - 1, span.lower, span.upper)
        if matrix is None:
            return None
        flat = along(flat, shape, axis, matrix)
    # below u, x = u - t/(1 - t): t = 0 is u
    ends = [(s.left, s.right) if s.lower is not None else (s.right, s.left) for s in known]
    return Patch(flat, shape, ends)


def span_of(f: Formula, g: int, q: int) -> Range | None:
    """Where the q-th root of an atom lies, its ends rounded outwards; None: not known."""
    atom = f.ring.atoms[g]
    low, high, left, right, _ = atom.range
    if not f.ring.names[g]:  # a number
        ends = Enclosure(f.ring, {}, 128).ends(Formula(f.ring, {((g, 1),): 1}))
        (low, high), left, right = ends[0] if ends else (None, None), True, True
    elif atom.kind != "symbol":
        low, left = least(atom)
        if atom.sign >= 1 and (low is None or low <= 0):
            low, left = ZERO, atom.sign == 1
    if q == 1:
        return Range(low, high, left, right)
    if low is None or low < 0:
        return None
    bottom, top = root_ends(low, q, 64), root_ends(high or ZERO, q, 64)
    left, right = left or bottom[0] < bottom[1], right or top[0] < top[1]
    return Range(bottom[0], None if high is None else top[1], left, high is not None and right)


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
    mapped: list[int] = []
    for start in range(0, len(flat), shape[axis] * step):
        lines = [flat[start + k * step : start + (k + 1) * step] for k in range(shape[axis])]
        for weights in matrix:
            mapped += [sum(map(mul, weights, entries)) for entries in zip(*lines, strict=True)]
    return mapped


@lru_cache(maxsize=4096)
def to_bernstein(
    n: int, lower: Fraction | None, upper: Fraction | None
) -> tuple[tuple[int, ...], ...] | None:
    """A positive multiple of the map from coefficients of p to Bernstein coefficients on a range.

    On [l, u]: x = l + (u - l) t. On [l, inf): x = l + t/(1 - t), p times (1 - t)^n; alike at -inf.
    """
    if lower is None and upper is None:
        return None
    start, width = (lower, ONE) if lower is not None else (upper or ZERO, -ONE)
    bounded = None not in (lower, upper)
    if lower is not None and upper is not None:
        width = upper - lower

    def entry(k: int, i: int) -> Fraction:  # x^i = sum_j C(i, j) start^(i-j) (width t)^j
        terms = (
            math.comb(i, j) * start ** (i - j) * width**j * math.comb(k, j) / math.comb(n, j)
            for j in range(0 if bounded else k, min(i, k) + 1)
        )
        return sum(terms, ZERO)

    rows = [[entry(k, i) for i in range(n + 1)] for k in range(n + 1)]
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
