"""Signs of polynomials on boxes: Bernstein coefficients with bisection. A proof, a witness, or
neither.

A range [lower, inf) is mapped onto [0, 1) by x = lower + t/(1 - t) and multiplied through by (1 -
t)^degree > 0. On a box, a polynomial lies between its
least and largest Bernstein coefficient, and equals the corner coefficients at the corners; where
all are >= 0 and one is > 0 it is > 0 inside. [Garloff93]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Any

import attrs
import flint
import numpy as np

from dpframe.symbols import Domain

MAX_COEFFICIENTS = 100_000
MAX_BOXES = 256
MAX_FACES = 3**7
Tensor = Any  # numpy array of flint.fmpq


@attrs.frozen(eq=False)
class Box:
    """Coefficients on a box in t; its corners; which lower and upper faces belong to the domain."""

    coefficients: Tensor
    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]
    closed: tuple[tuple[bool, bool], ...]


@attrs.frozen
class Outcome:
    """proved is True, False (with `corner` in t coordinates, a closed-box point where the sign is
    wrong) or None.
    """

    proved: bool | None
    corner: tuple[Fraction, ...] = ()


def decide(
    terms: dict[tuple[int, ...], Any],
    domains: list[Domain],
    *,
    strict: bool,
    boxes: int = MAX_BOXES,
    most: int = MAX_COEFFICIENTS,
) -> Outcome:
    """Whether the polynomial is >= 0 (> 0 where `strict`) on the product of the domains, looked at
    in at most so many boxes of at most so many coefficients.
    """
    start = _start(terms, domains, most)
    if start is None:
        return Outcome(None)
    queue, seen = [start], 0
    while queue:
        seen += 1
        box = queue.pop()
        corner = _bad_corner(box, strict=strict)
        if corner is not None:
            return Outcome(proved=False, corner=corner)
        if _good(box, strict=strict):
            continue
        if seen > boxes:
            return Outcome(None)
        queue.extend(_halves(box))
    return Outcome(proved=True)


def _start(terms: dict[tuple[int, ...], Any], domains: list[Domain], most: int) -> Box | None:
    degrees = [max(exponents[axis] for exponents in terms) for axis in range(len(domains))]
    size = int(np.prod([degree + 1 for degree in degrees]))
    if size > most or any(domain.lower is None for domain in domains):
        return None
    tensor = np.full([degree + 1 for degree in degrees], flint.fmpq(0), dtype=object)
    for exponents, coefficient in terms.items():
        tensor[tuple(exponents)] = coefficient
    for axis, (domain, degree) in enumerate(zip(domains, degrees, strict=True)):
        tensor = _along(tensor, axis, _to_bernstein(domain, degree))
    closed = tuple(
        (domain.lower_closed, domain.upper_closed and domain.upper is not None)
        for domain in domains
    )
    zeros, ones = (Fraction(0),) * len(domains), (Fraction(1),) * len(domains)
    return Box(tensor, zeros, ones, closed)


def _along(tensor: Tensor, axis: int, matrix: Tensor) -> Tensor:
    return np.moveaxis(np.tensordot(matrix, tensor, axes=(1, axis)), 0, axis)


def _q(value: Fraction) -> Any:
    return flint.fmpq(value.numerator, value.denominator)


def _to_bernstein(domain: Domain, degree: int) -> Tensor:
    """Power coefficients in x to Bernstein coefficients in t, as a matrix."""
    infinite, low = domain.upper is None, domain.lower or Fraction(0)
    width = Fraction(1) if domain.upper is None else domain.upper - low
    shift = np.full((degree + 1, degree + 1), flint.fmpq(0), dtype=object)
    for k in range(degree + 1):
        for j in range(k + 1):
            shift[j, k] = _q(comb(k, j) * low ** (k - j) * width**j)
    basis = np.full((degree + 1, degree + 1), flint.fmpq(0), dtype=object)
    for i in range(degree + 1):
        for j in range(i + 1):
            basis[i, j] = _q(
                Fraction(
                    1 if infinite and i == j else 0 if infinite else comb(i, j), comb(degree, j)
                )
            )
    return basis.dot(shift)


def _bad_corner(box: Box, *, strict: bool) -> tuple[Fraction, ...] | None:
    """A corner where the polynomial is negative, or 0 though it must be positive at that corner."""
    for ends in itertools.product((0, -1), repeat=box.coefficients.ndim):
        value = box.coefficients[ends]
        if value < 0 or (
            strict
            and value == 0
            and all(sides[end] for sides, end in zip(box.closed, ends, strict=True))
        ):
            return tuple(
                box.lower[axis] if end == 0 else box.upper[axis] for axis, end in enumerate(ends)
            )
    return None


def _good(box: Box, *, strict: bool) -> bool:
    least = min(box.coefficients.flat)
    if least < 0 or not strict:
        return bool(least >= 0)
    return bool(least > 0) or all(
        any(c > 0 for c in np.asarray(face, dtype=object).flat) for face in _faces(box)
    )


def _faces(box: Box) -> Iterator[Tensor]:
    """The box itself and each of its faces (of every dimension) that belongs to the domain."""
    choices: list[list[Any]] = [
        [slice(None), *([0] if low else []), *([-1] if high else [])] for low, high in box.closed
    ]
    if np.prod([len(choice) for choice in choices]) > MAX_FACES:
        yield np.array([flint.fmpq(0)], dtype=object)  # too many to look at: not good
        return
    for choice in itertools.product(*choices):
        yield box.coefficients[choice]


def _halves(box: Box) -> list[Box]:
    """Two halves along the axis where coefficients differ most in sign, by de Casteljau."""
    widths = [
        high - low if size > 1 else Fraction(-1)
        for low, high, size in zip(box.lower, box.upper, box.coefficients.shape, strict=True)
    ]
    axis = widths.index(max(widths))
    degree = box.coefficients.shape[axis] - 1
    middle = (box.lower[axis] + box.upper[axis]) / 2
    left = np.full((degree + 1, degree + 1), flint.fmpq(0), dtype=object)
    for i in range(degree + 1):
        for j in range(i + 1):
            left[i, j] = _q(Fraction(comb(i, j), 2**i))
    right = left[::-1, ::-1]
    low, high = box.closed[axis]
    first = Box(
        _along(box.coefficients, axis, left),
        box.lower,
        _with(box.upper, axis, middle),
        _with(box.closed, axis, (low, True)),
    )
    second = Box(
        _along(box.coefficients, axis, right),
        _with(box.lower, axis, middle),
        box.upper,
        _with(box.closed, axis, (True, high)),
    )
    return [first, second]


def _with(values: tuple[Any, ...], axis: int, value: Any) -> tuple[Any, ...]:
    return (*values[:axis], value, *values[axis + 1 :])


def to_domain(domain: Domain, t: Fraction) -> Fraction | None:
    """The point of the domain's closure at t in [0, 1]; None at infinity. It has a lower end."""
    low = domain.lower or Fraction(0)
    if domain.upper is not None:
        return low + t * (domain.upper - low)
    return None if t == 1 else low + t / (1 - t)
