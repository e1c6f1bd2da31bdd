"""Steps of a proof: a claim is closed by the step that the proof has for it, or not at all.

Signs of polynomials in atoms on the whole domain: by their terms, by the ends of an affine
formula, by Bernstein coefficients on a subdivision that the proof names, or by one enclosure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import mul
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from .documents import Range, number
from .enclosure import Enclosure
from .formula import Formula, atom_text, digest, text_of
from .interval import Interval, exp, root_ends
from .limits import MAX_TENSOR, ZERO, Json, Refused


class Claim(Protocol):
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

    def find(self, claim: Claim) -> Json | None:
        """The step for a claim."""
        return self.given.get(claim.key)

    def closes(self, claim: Claim) -> Any:
        """What the step for a claim shows; False where there is none. Raises Refused."""
        step = self.find(claim)
        if step is None:
            return False
        self.used.add(claim.key)
        shown = claim.shown(step) if type(step) is dict else None
        if not shown:
            raise Refused(f"the step for {claim.key} does not show it")
        return shown


NO_FLOORS: Mapping[int, Fraction] = MappingProxyType({})


def at_once(f: Formula, *, strict: bool) -> bool | None:
    """Whether the signs of the terms settle f >= 0 (> 0); None where a step must."""
    if not f:
        return not strict
    atoms, cs = f.ring.atoms, f.terms.values()
    signs = [min((atoms[g].sign for g, _ in mono), default=2) for mono in f.terms]
    if min(signs) >= 1 and min(cs) > 0 and (not strict or 2 in signs):
        return True
    return False if min(signs) == 2 and max(cs) < 0 else None


class Sign(NamedTuple):
    """The claim f >= 0 (f > 0 where strict) on the whole domain; `part` is f cleared."""

    f: Formula
    part: Formula
    strict: bool

    @property
    def key(self) -> str:
        """`1 - gamma > 0`."""
        return digest(f"{text_of(self.part)} {'>' if self.strict else '>='} 0")

    def shown(self, step: Mapping[str, Json]) -> bool:
        """Whether the step shows it."""
        match step:
            case {"by": "affine"}:
                return affine(self.part, strict=self.strict)
            case {"by": "enclosure"}:
                return enclosed(self.f, strict=self.strict)
            case {"by": "bernstein", "tree": str(tree), **more} if more.keys() <= {"logs"}:
                patch = patch_of(self.part, logs_above(self.part, more.get("logs", {})))
                self.f.ring.spend(len(tree) * (len(patch.flat) if patch else 0))
                return patch is not None and subdivided(patch, tree, strict=self.strict)
        raise Refused(f"no step for a sign: {step!r:.80}")


def affine(f: Formula, *, strict: bool) -> bool:
    """Whether a number plus multiples of symbols has an infimum >= 0, which is not met or > 0 where
    strict.
    """
    total, met = ZERO, True
    for mono, c in f.pairs:
        if not mono:
            total += c
            continue
        (g, e), *others = mono
        low, high, left, right, _ = f.ring.atoms[g].range
        end, closed = (low, left) if c > 0 else (high, right)
        if others or e != 1 or f.ring.atoms[g].kind != "symbol" or end is None:
            return False
        total, met = total + c * end, met and closed
    return total > 0 or (total == 0 and not (strict and met))


def enclosed(f: Formula, *, strict: bool) -> bool:
    """Whether one enclosure over the whole domain, where it is bounded, shows f >= 0 (> 0)."""
    ring, names = f.ring, f.ring.depends(f)
    spans = {a.name: a.range for a in ring.atoms if a.kind == "symbol" and a.name in names}
    box = {
        name: Interval(span.lower, span.upper)
        for name, span in spans.items()
        if span.lower is not None and span.upper is not None
    }
    ends = Enclosure(ring, box, 64).ends(f) if len(box) == len(spans) else None
    return ends is not None and (ends[0][0] > 0 or (ends[0][0] == 0 and not strict))


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
        return min(self.flat) >= 0 and (
            not strict or inside_faces(self.flat, self.shape, self.ends)
        )

    def corners(self) -> bool:
        """Whether p >= 0 at every corner."""
        at = product(*((0, n - 1) for n in self.shape))
        return all(self.flat[place(corner, self.shape)] >= 0 for corner in at)

    def halved(self) -> list[Patch]:
        """Both halves along the next axis."""
        axis = self.depth % len(self.shape)
        left, right = self.ends[axis]
        parts = []
        sides = ((left, True), (True, right))
        for matrix, end in zip(halves(self.shape[axis] - 1), sides, strict=True):
            ends = [*self.ends[:axis], end, *self.ends[axis + 1 :]]
            flat = along(self.flat, self.shape, axis, matrix)
            parts.append(Patch(flat, self.shape, ends, self.depth + 1))
        return parts


def subdivided(patch: Patch, tree: str, *, strict: bool) -> bool:
    """Whether every leaf is good: `.` is a leaf, `+` halves a patch; the last patch comes first."""
    queue = [patch]
    for mark in tree:
        if not queue:
            return False
        here = queue.pop()
        if mark == "+":
            queue += here.halved()
        elif mark != "." or not here.good(strict=strict):
            return False
    return not queue


def logs_above(f: Formula, floors: Json) -> dict[int, Fraction]:
    """Lower bounds b on logarithms of f that a step gives by their texts: each inside is shown to
    be at least what is above exp(b). Raises Refused.
    """
    ring, found = f.ring, {}
    known = {g for mono in f.terms for g, _ in mono if ring.atoms[g].kind == "log"}
    for g in known if type(floors) is dict else ():
        name = atom_text(ring.atoms[g])
        if name in floors:
            floor = number(floors[name], name)
            top, bottom = ring.atoms[g].args
            if not ring.prove(top - bottom * exp(floor, 64).upper):
                raise Refused(f"{name} >= {floor} was not shown")
            found[g] = floor
    if type(floors) is not dict or len(found) < len(floors):
        raise Refused(f"bounds on logarithms that do not occur: {floors!r:.80}")
    return found


def patch_of(f: Formula, floors: Mapping[int, Fraction] = NO_FLOORS) -> Patch | None:
    """A cleared formula on the whole domain, each atom a variable of its own; None where it is too
    large, or an atom has no range. Ends at infinity are moved to 1 by x = l + t/(1 - t).
    """
    monos = [dict(mono) for mono in f.terms]
    used = dict.fromkeys(g for m in monos for g in m)
    steps = {g: math.lcm(*(m[g].denominator for m in monos if g in m)) for g in used}
    rows = [[int(m.get(g, 0) * q) for g, q in steps.items()] for m in monos]
    shape = [max(column) + 1 for column in zip(*rows, strict=True)]
    spans = (
        [span_of(f, g, q, floors.get(g)) for g, q in steps.items()]
        if math.prod(shape) <= MAX_TENSOR
        else [None]
    )
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


def span_of(f: Formula, g: int, q: int, floor: Fraction | None) -> Range | None:
    """Where the q-th root of an atom lies, its ends rounded outwards; None: not known."""
    atom = f.ring.atoms[g]
    low, high, left, right, _ = atom.range
    if not f.ring.names[g]:  # a number
        ends = Enclosure(f.ring, {}, 128).ends(Formula(f.ring, {((g, 1),): 1}))
        (low, high), left, right = ends[0] if ends else (None, None), True, True
    elif atom.kind != "symbol":
        low, left = (ZERO if atom.sign >= 1 else None), atom.sign == 1
    if floor is not None and (low is None or floor > low):
        low, left = floor, True
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
