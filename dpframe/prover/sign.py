"""Is a formula >= 0, or > 0, for all values of its symbols? Proved, refuted by a point that is
evaluated exactly, or neither.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import (
    Call,
    Domain,
    Expression,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    multiply,
    split_coefficient,
)

from . import bernstein
from .algebra import Field, Polynomial, Ratio
from .enclose import at_point
from .obligation import Witness, named
from .unknowns import NotShown, Rewritten, beyond, defined, extremum, rewritten, substituted

Point = Mapping[Symbol, Fraction]
MAX_POINTS = 2000
MAX_TRIES, FIRST = 40, 2  # points at which roots and logarithms are enclosed, in all and at first
BOXES, COEFFICIENTS = 64, 20_000  # of a polynomial in unknowns
EXTREMA = 2  # minima and maxima that are looked into, one inside the other


@attrs.frozen
class Decision:
    """`proved` True; or False with a `witness`, a point of the domain where it fails; or None."""

    proved: bool | None
    witness: Point | None = None
    value: Fraction | None = None


PROVED, OPEN = Decision(proved=True), Decision(proved=None)


def nonnegative(formula: Expression, field: Field) -> Decision:
    """Whether formula >= 0 on the whole domain of its symbols."""
    return _decide(formula, field, strict=False)


def positive(formula: Expression, field: Field) -> Decision:
    """Whether formula > 0 on the whole domain of its symbols."""
    return _decide(formula, field, strict=True)


def _decide(formula: Expression, field: Field, *, strict: bool) -> Decision:
    if quick_sign(formula) >= strict:
        return PROVED
    ratio = field.ratio(formula)
    if ratio is None:
        found = _by_enclosure(formula, FIRST, strict=strict)
        if found is OPEN and holds(formula, strict=strict):
            return PROVED
        return _by_enclosure(formula, MAX_TRIES, strict=strict) if found is OPEN else found
    if ratio.is_zero:
        return _at(field, ratio, next(points(field.symbols)), strict=strict) if strict else PROVED
    ratio = ratio.reduced()
    sign = _constant_sign(ratio.bottom, field)
    if sign == 0:
        return OPEN
    top = ratio.top if sign > 0 else -ratio.top
    return _polynomial(top, field, strict=strict)


@lru_cache(maxsize=4096)
def holds(formula: Expression, *, strict: bool) -> bool:
    """Whether the formula is shown to be >= 0 (> 0 where `strict`) on the domain of its symbols,
    with roots, logarithms, minima and maxima in it. False says nothing.
    """
    return quick_sign(formula) >= strict or _by_unknowns(formula, 0, strict=strict)


def _by_unknowns(formula: Expression, depth: int, *, strict: bool) -> bool:
    """The same as a rational function of unknowns; and by each argument of a minimum or maximum, or
    by one of them and what lies beyond it. (proofs/unknowns)
    """
    try:
        if any(_rational(one, strict=strict) for one in rewritten(formula, holds)):
            return True
        found = extremum(formula) if depth < EXTREMA else None
        if found is None:
            return False
        others = (substituted(formula, {found: other}) for other in beyond(found, depth))
        if any(_by_unknowns(other, depth + 1, strict=strict) for other in others):
            return True
        cases = (substituted(formula, {found: part}) for part in found.parts)
        return all(_by_unknowns(case, depth + 1, strict=strict) for case in cases)
    except InvalidArgument:  # a quotient or a power that is undefined, or too large
        return False


def _rational(found: Rewritten, *, strict: bool) -> bool:
    """Whether a rational function is shown to be >= 0 (> 0) for all values of its symbols."""
    tied = [formula for root, _, total in found.relations for formula in (root, total)]
    field = Field(set().union(*(one.symbols() for one in (found.formula, *tied))))
    ratio = field.ratio(found.formula)
    for root, degree, total in found.relations:
        other = field.ratio(total)
        if ratio is not None and other is not None:
            ratio = field.modulo(ratio, root, degree, other)
    if ratio is None or ratio.bottom.is_zero():
        return False
    if ratio.is_zero:
        return not strict
    ratio = ratio.reduced()
    for bottom, top in ((ratio.bottom, ratio.top), (-ratio.bottom, -ratio.top)):
        if _positive(bottom, field, strict=True):
            return _positive(top, field, strict=strict)
    return False


def _positive(polynomial: Polynomial, field: Field, *, strict: bool) -> bool:
    """Whether Bernstein coefficients show that it is > 0, or >= 0, without much work."""
    if polynomial.is_constant():
        return bool(polynomial.leading_coefficient() > 0)
    used = field.used(polynomial)
    terms = {tuple(e[i] for i in used): c for e, c in polynomial.to_dict().items()}
    domains = [field.symbols[i].domain for i in used]
    found = bernstein.decide(terms, domains, strict=strict, boxes=BOXES, most=COEFFICIENTS)
    return found.proved is True


def _by_enclosure(formula: Expression, tries: int, *, strict: bool) -> Decision:
    """A formula with roots or logarithms: decided where it has no symbols; else only refuted, at an
    ordinary point.
    """
    symbols = sorted(formula.symbols(), key=lambda symbol: symbol.name)
    for point in itertools.islice(points(symbols), tries):
        (value,) = at_point([formula], {one.name: number for one, number in point.items()})
        if value < 0 or (strict and value <= 0):
            return Decision(proved=False, witness=point)
        if not symbols and (value > 0 or (value >= 0 and not strict)):
            return PROVED
    return OPEN


def quick_sign(formula: Expression) -> int:
    """1 where the formula is certainly > 0, 0 where it is certainly >= 0, -1 where neither is seen
    at once.
    """
    match formula:
        case Number(value):
            return (value.numerator > 0) - (value.numerator < 0)
        case Symbol(_, domain, _):
            return 1 if domain.positive else 0 if domain.nonnegative else -1
        case Product(parts):
            return min(_signs(parts))
        case Power(base, exponent):
            if exponent.denominator % 2 == 0 or (exponent.denominator == 1 and exponent % 2 == 0):
                return max(quick_sign(base), 0 if exponent > 0 else -1)
            return quick_sign(base) if exponent > 0 or quick_sign(base) > 0 else -1
        case Sum(parts):
            signs = _signs(parts)
            return max(signs) if min(signs) >= 0 else _linear_sign(parts)
        case Call(name, parts):
            return _call_sign(name, parts)
    return -1


def _call_sign(name: str, parts: tuple[Expression, ...]) -> int:
    signs = [quick_sign(part) for part in parts]
    if name == "max":
        magnitude = any(multiply(-1, part) in parts for part in parts)
        return max(*signs, 0 if magnitude else -1)
    if name == "min":
        return min(signs)
    return 1 if name == "exp" else -1


def _linear_sign(parts: tuple[Expression, ...]) -> int:
    """The sign of a sum of numbers and multiples of parameters, by its infimum."""
    total, attained = Fraction(0), True
    for part in parts:
        coefficient, rest = split_coefficient(part)
        if type(part) is Number:
            total += part.value
            continue
        if type(rest) is not Symbol:
            return -1
        domain, up = rest.domain, coefficient > 0
        end = domain.lower if up else domain.upper
        if end is None:
            return -1
        total += coefficient * end
        attained = attained and (domain.lower_closed if up else domain.upper_closed)
    return 1 if total > 0 or (total == 0 and not attained) else 0 if total == 0 else -1


def _signs(parts: tuple[Expression, ...]) -> list[int]:
    """The signs of the parts, up to the first that is not seen."""
    found = []
    for part in parts:
        found.append(quick_sign(part))
        if found[-1] < 0:
            break
    return found


def positive_size(formula: Expression, field: Field) -> bool:
    """Whether a formula with logarithms and roots is certainly defined and > 0 everywhere."""
    return _positive_size(formula, field) and _defined(formula)


@lru_cache(maxsize=4096)
def _defined(formula: Expression) -> bool:
    """Whether every part is shown to be defined everywhere."""
    try:
        defined(formula, holds)
    except NotShown:
        return False
    return True


def _positive_size(formula: Expression, field: Field) -> bool:
    match formula:
        case Product(parts):
            return (
                all(_positive_size(part, field) for part in parts)
                or positive(formula, field).proved is True
            )
        case Power(base, _) if _positive_size(base, field):
            return True
        case Call("log", (inner,)):
            return positive(inner - 1, field).proved is True
        case Call("exp", _):
            return True
        case Call("analytic_sigma", (epsilon, delta)):
            return all(positive(part, field).proved for part in (epsilon, delta, 1 - delta))
        case Call("max" | "min", parts) | Sum(parts) if all(
            _positive_size(part, field) for part in parts
        ):
            return True
    return positive(formula, field).proved is True


def _constant_sign(polynomial: Polynomial, field: Field) -> int:
    """1 or -1 where the polynomial never vanishes on the domain and has that sign; 0 where that is
    not seen.
    """
    if polynomial.is_constant():
        return 1 if polynomial.leading_coefficient() > 0 else -1
    if _polynomial(polynomial, field, strict=True).proved:
        return 1
    return -1 if _polynomial(-polynomial, field, strict=True).proved else 0


def _polynomial(polynomial: Polynomial, field: Field, *, strict: bool) -> Decision:
    used = field.used(polynomial)
    if not used:
        good = polynomial.leading_coefficient() > 0
        return (
            PROVED
            if good
            else _at(
                field, Ratio(polynomial, field.one), next(points(field.symbols)), strict=strict
            )
        )
    domains = [field.symbols[index].domain for index in used]
    terms = {
        tuple(exponents[index] for index in used): c
        for exponents, c in polynomial.to_dict().items()
    }
    outcome = bernstein.decide(terms, domains, strict=strict)
    if outcome.proved:
        return PROVED
    return _refute(polynomial, field, used, outcome.corner, strict=strict)


def _refute(
    polynomial: Polynomial,
    field: Field,
    used: list[int],
    corner: tuple[Fraction, ...],
    *,
    strict: bool,
) -> Decision:
    base = next(points(field.symbols))
    symbols = [field.symbols[index] for index in used]
    nearby = _towards(symbols, corner) if corner else iter(())
    ordinary = itertools.islice(points(symbols), MAX_TRIES)
    for partial in itertools.chain(ordinary, nearby, points(symbols)):
        decision = _at(field, Ratio(polynomial, field.one), {**base, **partial}, strict=strict)
        if decision.proved is False:
            return decision
    return OPEN


def _at(field: Field, ratio: Ratio, point: Point, *, strict: bool) -> Decision:
    value = field.evaluate(ratio.top, point)
    wrong = value <= 0 if strict else value < 0
    return Decision(proved=False, witness=point, value=value) if wrong else OPEN


def _towards(symbols: list[Symbol], corner: tuple[Fraction, ...]) -> Iterator[Point]:
    """Points of the domain that approach a corner of the box."""
    for step in range(40):
        weight = Fraction(1, 2**step) if step else Fraction(0)
        inward = [t + (Fraction(1, 2) - t) * weight for t in corner]
        found = [
            bernstein.to_domain(symbol.domain, t) for symbol, t in zip(symbols, inward, strict=True)
        ]
        rounded = [
            _whole(symbol.domain, value) for symbol, value in zip(symbols, found, strict=True)
        ]
        if all(
            value is not None and value in symbol.domain
            for symbol, value in zip(symbols, rounded, strict=True)
        ):
            yield {
                symbol: value
                for symbol, value in zip(symbols, rounded, strict=True)
                if value is not None
            }


def _whole(domain: Domain, value: Fraction | None) -> Fraction | None:
    return Fraction(round(value)) if domain.integer and value is not None else value


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
        said = says(*at_point(formulas, {symbol.name: value for symbol, value in point.items()}))
        if said is not None:
            return Witness(named(point, *formulas), said)
    return None


def points(symbols: tuple[Symbol, ...] | list[Symbol]) -> Iterator[Point]:
    """Points of the domain, ordinary ones first: all symbols together, each symbol by itself, then
    every combination; at most 2000.
    """
    choices = [[c for c in dict.fromkeys(_candidates(s)) if c in s.domain] for s in symbols]
    base = {symbol: choice[0] for symbol, choice in zip(symbols, choices, strict=True)}
    pairs = list(zip(symbols, choices, strict=True))
    deepest = max((len(choice) for choice in choices), default=1)
    together = ({s: c[min(i, len(c) - 1)] for s, c in pairs} for i in range(deepest))
    alone = ({**base, s: value} for s, choice in pairs for value in choice[1:])
    every = (dict(zip(symbols, values, strict=True)) for values in itertools.product(*choices))
    return itertools.islice(itertools.chain(together, alone, every), MAX_POINTS)


def _candidates(symbol: Symbol) -> tuple[Fraction, ...]:
    special = {
        "epsilon": (Fraction(1), Fraction(1, 10), Fraction(10)),
        "delta": (Fraction(1, 10**6), Fraction(1, 10**9), Fraction(1, 1000)),
    }
    return (*special.get(symbol.name, ()), *symbol.domain.candidates())
