"""Formulas with roots, logarithms, minima and maxima as rational functions of unknowns.

Each root x^(1/q) of a number, symbol or sum, and each logarithm, exponential and analytic_sigma,
becomes an unknown t with a range that contains its value at every point of the domain; x becomes
t^q. At every point the formula is the rational function at some values of the unknowns, so what
holds for all of these holds for all points. Of the root t of a sum, t^q = sum is kept.

A maximum m of a and b is a or b at every point, and is a + p with some p >= 0; a minimum is a - p.
What is shown for either argument, or for all p, holds. Proof page: proofs/unknowns
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Protocol

import attrs

from dpframe.symbols import (
    Call,
    Domain,
    Expression,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    add,
    multiply,
    power,
)

from .algebra import Field
from .spans import roots, span

ONE, ZERO = Fraction(1), Fraction(0)
EXTREMA = ("min", "max")


class Holds(Protocol):
    """Decides signs."""

    def __call__(self, formula: Expression, *, strict: bool) -> bool:
        """Whether formula >= 0 (> 0 where `strict`) is shown on the whole domain."""


class NotShown(Exception):
    """A root, a logarithm or a quotient is not shown to be defined everywhere."""


@attrs.frozen
class Rewritten:
    """`formula` is rational in its symbols, and unknown^degree = sum for each of `relations`, the
    outermost root first.
    """

    formula: Expression
    relations: tuple[tuple[Symbol, int, Expression], ...] = ()


def rewritten(formula: Expression, holds: Holds) -> Iterator[Rewritten]:
    """The formula as a rational function of unknowns; then with one root of a sum x + r eliminated:
    sqrt(x + r) = sqrt(r) + p, x = 2 sqrt(r) p + p^2, p >= 0, where x and r are >= 0. Nothing where
    a part is not shown to be defined.
    """
    formula = _collapsed(formula)
    try:
        degrees = _degrees(formula, holds)
    except NotShown:
        return
    yield _written(formula, degrees, holds)
    for leaf, degree in degrees.items():
        if isinstance(leaf, Sum) and degree == 2:
            for found in _parted(leaf, holds):
                replaced = {leaf: found[0], found[1]: found[2]}
                yield from itertools.islice(_eliminated(formula, replaced, holds), 1)


def _collapsed(formula: Expression, *, under: bool = False) -> Expression:
    """The same with each sum `under` a power as one product where it is equal to one, such as
    gamma rho + (1 - gamma) rho.
    """
    powered = isinstance(formula, Power) or (under and isinstance(formula, Product))
    parts = tuple(_collapsed(part, under=powered) for part in formula.parts)
    same = formula.rebuild(parts) if parts else formula
    if not (under and isinstance(same, Sum)):
        return same
    field = Field(same.symbols())
    ratio = field.ratio(same)
    found = None if ratio is None or ratio.is_zero else field.product(ratio)
    return same if found is None else found


def _eliminated(
    formula: Expression, replaced: dict[Expression, Expression], holds: Holds
) -> Iterator[Rewritten]:
    try:
        other = substituted(formula, replaced)
        yield _written(other, _degrees(other, holds), holds)
    except NotShown:
        return


def _parted(total: Sum, holds: Holds) -> Iterator[tuple[Expression, Expression, Expression]]:
    """((sqrt(r) + p)^2, x, 2 sqrt(r) p + p^2) for a sum x + r with a symbol x >= 0, r >= 0."""
    for part in total.parts:
        if not isinstance(part, Symbol) or not part.domain.nonnegative:
            continue
        rest = add(*(other for other in total.parts if other is not part))
        if part not in rest.symbols() and holds(rest, strict=False):
            p = Symbol("beyond a root", Domain(ZERO, lower_closed=not part.domain.positive))
            low = power(rest, Fraction(1, 2))
            yield power(low + p, 2), part, 2 * low * p + p**2


def _degrees(formula: Expression, holds: Holds) -> dict[Expression, int]:
    """What becomes an unknown or stays a symbol, and of which root. Raises NotShown."""
    found: dict[Expression, int] = {}
    _collect(formula, ONE, holds, found)
    return found


def _collect(
    formula: Expression, exponent: Fraction, holds: Holds, found: dict[Expression, int]
) -> None:
    """Every leaf of formula^exponent, with the least common denominator of its exponents."""
    rooted = exponent.denominator > 1
    if rooted and not holds(formula, strict=False):
        raise NotShown
    match formula:
        case Product(parts) if not rooted or all(holds(part, strict=False) for part in parts):
            for part in parts:
                _collect(part, exponent, holds, found)
            return
        case Power(base, own) if not rooted or holds(base, strict=False):
            if own.denominator > 1 and not holds(base, strict=False):
                raise NotShown
            _collect(base, exponent * own, holds, found)
            return
        case Product() | Power():
            raise NotShown  # a root of what is >= 0 for another reason than its factors
        case Sum(parts):
            for part in parts:
                _collect(part, ONE, holds, found)
        case Call():
            defined(formula, holds)
    if rooted or not isinstance(formula, (Sum, Number)):
        found[formula] = math.lcm(found.get(formula, 1), exponent.denominator)


def defined(formula: Expression, holds: Holds) -> None:
    """Raises NotShown unless every part is shown to be defined on the whole domain."""
    match formula:
        case Call("log", (part,)):
            shown = holds(part, strict=True)
        case Call("analytic_sigma", (epsilon, delta)):
            inside = all(holds(part, strict=True) for part in (delta, 1 - delta))
            shown = inside and holds(epsilon, strict=False)
        case Power(base, exponent) if exponent < 0:
            below = exponent.denominator == 1 and holds(-base, strict=True)
            shown = below or holds(base, strict=True)
        case Power(base, exponent) if exponent.denominator > 1:
            shown = holds(base, strict=False)
        case _:
            shown = True
    if not shown:
        raise NotShown
    for part in formula.parts:
        defined(part, holds)


def _written(formula: Expression, degrees: dict[Expression, int], holds: Holds) -> Rewritten:
    """The formula in its unknowns."""
    names: dict[Expression, Symbol] = {}
    for leaf, degree in degrees.items():
        if degree > 1 or isinstance(leaf, Call):
            names[leaf] = Symbol(f"unknown {len(names)}", _range(leaf, degree, holds))
    sums = [leaf for leaf in names if isinstance(leaf, Sum)]
    sums.sort(key=_depth, reverse=True)
    relations = tuple(
        (names[leaf], degrees[leaf], _write(leaf, ONE, degrees, names)) for leaf in sums
    )
    return Rewritten(_write(formula, ONE, degrees, names), relations)


def _depth(formula: Expression) -> int:
    return 1 + max(map(_depth, formula.parts), default=0)


def _range(leaf: Expression, degree: int, holds: Holds) -> Domain:
    """A range that contains every root of the leaf."""
    own = span(leaf)
    if degree > 1:
        own = roots(own, degree)
    if not own.positive and _seen(leaf, holds, strict=True):
        return attrs.evolve(own, lower=ZERO, lower_closed=False)
    if not own.nonnegative and _seen(leaf, holds, strict=False):
        return attrs.evolve(own, lower=ZERO, lower_closed=True)
    return own


def _seen(leaf: Expression, holds: Holds, *, strict: bool) -> bool:
    """Whether a leaf is shown to be >= 0 (> 0) by the signs of its parts."""
    match leaf:
        case Sum():
            return holds(leaf, strict=strict)
        case Call("log", (part,)):
            return holds(part - 1, strict=strict)
        case Call("max", parts):
            return any(holds(part, strict=strict) for part in parts)
        case Call("min", parts):
            return all(holds(part, strict=strict) for part in parts)
    return False


def _write(
    formula: Expression,
    exponent: Fraction,
    degrees: dict[Expression, int],
    names: dict[Expression, Symbol],
) -> Expression:
    """formula^exponent in the unknowns."""
    rooted = exponent.denominator > 1
    match formula:
        case Sum(parts) if not rooted:
            return power(add(*(_write(part, ONE, degrees, names) for part in parts)), exponent)
        case Number() if not rooted:
            return power(formula, exponent)
        case Product(parts):
            return multiply(*(_write(part, exponent, degrees, names) for part in parts))
        case Power(base, own):
            return _write(base, exponent * own, degrees, names)
    return power(names.get(formula, formula), exponent * degrees[formula])


def extremum(formula: Expression) -> Call | None:
    """A minimum or maximum that is not inside another call, or None."""
    if isinstance(formula, Call):
        return formula if formula.name in EXTREMA else None
    found = map(extremum, formula.parts)
    return next((one for one in found if one is not None), None)


def beyond(found: Call, depth: int) -> list[Expression]:
    """The extremum as each argument and something more (a maximum) or less (a minimum)."""
    more = Symbol(f"beyond {depth}", Domain(ZERO, lower_closed=True))
    signed = more if found.name == "max" else -more
    return [part + signed for part in found.parts]


def substituted(formula: Expression, replaced: Mapping[Any, Expression]) -> Expression:
    """The formula with other formulas in place of some."""
    if formula in replaced:
        return replaced[formula]
    if not formula.parts:
        return formula
    return formula.rebuild(tuple(substituted(part, replaced) for part in formula.parts))
