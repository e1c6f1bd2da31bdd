"""Is a formula >= 0, or > 0, for all values of its symbols? Proved, refuted by a point that is
evaluated exactly, or neither.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache

import attrs

from dpframe.exact.documents import HALF, Range, Refused
from dpframe.exact.formula import Formula
from dpframe.exact.signs import Patch, axes_of, patch_of, place
from dpframe.graph.known import OfBudgets
from dpframe.graph.statistics import Count
from dpframe.symbols import RECORD, Domain, Expression, Number, Symbol

from .algebra import Field, Point, at_point, is_rational
from .problem import Witness, named

MAX_POINTS = 2000
FIRST = 8  # points that are tried before a proof is searched for
MAX_TRIES = 40  # points at which roots and logarithms are enclosed
MAX_PATCHES, STEPS = 256, 40  # where a polynomial is negative, and on the way there


@attrs.frozen
class Decision:
    """`proved` True; or False with a `witness`, a point of the domain where it fails; or None."""

    proved: bool | None
    witness: Point | None = None
    value: Fraction | None = None

    def counterexample(self, says: str, *formulas: Expression) -> Witness | None:
        """The witness with the numbers that these formulas read; None where there is none."""
        return None if self.witness is None else Witness(named(self.witness, *formulas), says)


PROVED, OPEN = Decision(proved=True), Decision(proved=None)


def nonnegative(formula: Expression, field: Field) -> Decision:
    """Whether formula >= 0 on the whole domain of its symbols."""
    return _decide(formula, field, strict=False)


def positive(formula: Expression, field: Field) -> Decision:
    """Whether formula > 0 on the whole domain of its symbols."""
    return _decide(formula, field, strict=True)


def surely_nonnegative(formula: Expression, field: Field) -> bool:
    """Whether formula >= 0 is shown on the whole domain, and no point refutes it first."""
    return nonnegative(formula, field).proved is True


def _decide(formula: Expression, field: Field, *, strict: bool) -> Decision:
    some = (point for point in _tried(formula, field) if strict or peopled(point))
    tried = (_at(formula, field, point, strict=strict) for point in some)
    first = next((one for one in itertools.islice(tried, FIRST) if one is not OPEN), OPEN)
    if first is not OPEN:  # no proof to search for
        return first
    if field.shown(formula, strict=strict):
        return PROVED
    return next((one for one in tried if one is not OPEN), OPEN)


def _tried(formula: Expression, field: Field) -> Iterator[Point]:
    """Ordinary points first; of a polynomial also those on the way to where it is negative, and
    many more.
    """
    symbols = sorted(formula.symbols(), key=lambda symbol: symbol.name)
    yield from itertools.islice(points(symbols), MAX_TRIES)
    in_ring = field.formula(formula)
    if in_ring is not None and is_rational(in_ring):
        with suppress(Refused):  # more work than a counterexample is worth
            part = field.ring.cleared(in_ring)
            yield from _towards(part, {symbol.name: symbol for symbol in symbols})
        yield from points(symbols)


def _towards(part: Formula, symbols: Mapping[str, Symbol]) -> Iterator[Point]:
    """Points of the domain that approach a corner where a polynomial is negative."""
    atoms = [part.ring.atoms[g] for g in axes_of(part)]
    patch = patch_of(part) if {atom.kind for atom in atoms} == {"symbol"} else None
    corner = None if patch is None else _corner(patch)
    if any(isinstance(symbol.origin, OfBudgets) for symbol in symbols.values()):
        return
    base = next(points(list(symbols.values())))
    for step in range(STEPS if corner else 0):
        inward = [t + (HALF - t) * (Fraction(1, 2**step) if step else 0) for t in corner or ()]
        ends = zip(atoms, inward, strict=True)
        coordinates = {symbols[atom.name]: _placed(atom.range, t) for atom, t in ends}
        at = {symbol: value for symbol, value in coordinates.items() if value is not None}
        if len(at) == len(coordinates) and all(
            value in symbol.domain for symbol, value in at.items()
        ):
            yield {**base, **at}


def _corner(patch: Patch) -> list[Fraction] | None:
    """Where a coefficient at a corner is negative, each coordinate from 0 to 1."""
    axes = len(patch.shape)
    queue = deque([(patch, [(Fraction(0), Fraction(1))] * axes)])
    for _ in range(MAX_PATCHES):
        here, sides = queue.popleft()
        for ends in itertools.product((0, 1), repeat=axes):
            at = [end * (size - 1) for end, size in zip(ends, patch.shape, strict=True)]
            if here.flat[place(at, patch.shape)] < 0:
                return [side[end] for side, end in zip(sides, ends, strict=True)]
        axis = here.depth % axes
        low, high = sides[axis]
        halves = (low, (low + high) / 2), ((low + high) / 2, high)
        for part, half in zip(here.halved(), halves, strict=True):
            queue.append((part, [*sides[:axis], half, *sides[axis + 1 :]]))
    return None


def _placed(span: Range, t: Fraction) -> Fraction | None:
    """The point of a range at t in [0, 1], whole where only these count; None at infinity."""
    low, high = span.lower, span.upper
    if low is not None and high is not None:
        value = low + t * (high - low)
    elif t == 1:
        return None
    else:
        value = low + t / (1 - t) if low is not None else (high or Fraction(0)) - t / (1 - t)
    return Fraction(round(value)) if span.integer else value


def _at(formula: Expression, field: Field, point: Point, *, strict: bool) -> Decision:
    """Whether a formula is seen to be negative, or not positive, at a point."""
    value = field.value(formula, point)
    if value is None:
        (ball,) = at_point([formula], {one.name: number for one, number in point.items()})
        wrong = ball <= 0 if strict else ball < 0
    else:
        wrong = value <= 0 if strict else value < 0
    return Decision(proved=False, witness=point, value=value) if wrong else OPEN


def counterexample(
    formulas: Sequence[Expression],
    says: Callable[..., str | None],
    symbols: Iterable[Symbol] = (),
    most: int = MAX_POINTS,
) -> Witness | None:
    """The first of at most so many points of the domain at which `says` has something to say of
    enclosures of the formulas: what it says, with the numbers. `symbols` are chosen too.
    """
    read = set().union(*(formula.symbols() for formula in formulas), symbols)
    for point in itertools.islice(points(sorted(read, key=lambda one: one.name)), most):
        if not peopled(point):
            continue
        excess = says(*at_point(formulas, {symbol.name: value for symbol, value in point.items()}))
        if excess is not None:
            return Witness(named(point, *formulas), excess)
    return None


def peopled(point: Point) -> bool:
    """Whether a table of so many rows has neighbours that differ in all rows of one person."""
    given = {symbol.name: Number(value) for symbol, value in point.items()}
    for symbol, value in point.items():
        if isinstance(symbol.origin, Count):
            rows = symbol.origin.unit.rows_per_person.substitute(given)
            if value < (rows.value if isinstance(rows, Number) else 1):
                return False
    return True


def points(symbols: Sequence[Symbol]) -> Iterator[Point]:
    """Points of the domain, ordinary ones first: all symbols together, each symbol by itself, then
    every combination; at most 2000. Numbers of all budgets are those of records with one budget:
    there are none where budgets were listed, which these numbers follow from.
    """
    numbers = {one: one.origin for one in symbols if isinstance(one.origin, OfBudgets)}
    if not numbers:
        yield from _free(symbols)
        return
    read = set(symbols).union(*(one.formula.symbols() for one in numbers.values()))
    own = [one for one in read if RECORD in one.scope]
    if any(one.domain.lower_closed and one.domain.upper_closed for one in own):
        return
    for point in _free(sorted(read - numbers.keys(), key=lambda one: one.name)):
        whole = _alike(point, numbers)
        if whole is not None:
            yield whole


def _alike(point: Point, numbers: Mapping[Symbol, OfBudgets]) -> Point | None:
    """The point with the numbers of all budgets, where every record has these; None where a number
    is not rational, or is not known by that.
    """
    exact = {symbol.name: Number(value) for symbol, value in point.items()}
    known = dict(point)
    for symbol, origin in numbers.items():
        value = origin.formula.substitute(exact)
        if origin.what == "cap" or not isinstance(value, Number):
            return None
        known[symbol] = value.value
    return known


def _free(symbols: Sequence[Symbol]) -> Iterator[Point]:
    """The same of symbols that do not depend on each other."""
    choices = [_choices(symbol.name, symbol.domain) for symbol in symbols]
    base = {symbol: choice[0] for symbol, choice in zip(symbols, choices, strict=True)}
    pairs = list(zip(symbols, choices, strict=True))
    deepest = max((len(choice) for choice in choices), default=1)
    together = ({s: c[min(i, len(c) - 1)] for s, c in pairs} for i in range(deepest))
    alone = ({**base, s: value} for s, choice in pairs for value in choice[1:])
    every = (dict(zip(symbols, values, strict=True)) for values in itertools.product(*choices))
    yield from itertools.islice(itertools.chain(together, alone, every), MAX_POINTS)


SPECIAL = {
    "epsilon": (Fraction(1), Fraction(1, 10), Fraction(10)),
    "delta": (Fraction(1, 10**6), Fraction(1, 10**9), Fraction(1, 1000)),
}


@lru_cache(maxsize=1024)
def _choices(name: str, domain: Domain) -> tuple[Fraction, ...]:
    """The values of a symbol that are tried."""
    tried = dict.fromkeys((*SPECIAL.get(name, ()), *domain.candidates()))
    return tuple(one for one in tried if one in domain)
