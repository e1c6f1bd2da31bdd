"""Making parameters, constants and formulas."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from dpframe.errors import InvalidArgument, check_kind, check_word

from .arithmetic import call, power
from .domain import CLOSED, Domain
from .exactness import rational
from .expression import FUNCTIONS, Expression, Number, Symbol

NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,40}\Z")
RESERVED = {*FUNCTIONS, "sqrt"}


def parameter(
    name: str,
    lower: object = 0,
    upper: object = None,
    *,
    closed: str = "neither",
    integer: bool = False,
) -> Symbol:
    """A parameter `name` that ranges over (lower, upper); None is an infinite end.

    `closed` is "neither", "left", "right" or "both"; `integer` admits whole numbers only. Every
    claim about a graph is proved
    for every value in this range. Raises InvalidArgument.

    >>> parameter("gamma", 0, 1).domain.positive
    True
    """
    if not isinstance(name, str) or not NAME.match(name) or name in RESERVED:
        raise InvalidArgument("name", "a Python name that is no function of formulas", name, "")
    check_word("closed", closed, CLOSED)
    check_kind("integer", integer, bool)
    low, high = _end(lower, "lower"), _end(upper, "upper")
    left, right = CLOSED[closed]
    return Symbol(
        name, _domain(low, high, left and low is not None, right and high is not None, integer)
    )


_domain = lru_cache(maxsize=1024)(
    Domain
)  # equal domains are one object, so comparing symbols is cheap


def _end(value: object, name: str) -> Fraction | None:
    return None if value is None else rational(value, name)


def constant(value: object) -> Number:
    """An exact number: constant("0.05"), constant(1), constant("1/3")."""
    return Number(rational(value, "constant"))


def sqrt(x: object) -> Expression:
    """The square root. Domain: x >= 0."""
    return power(x, Fraction(1, 2))


def log(x: object) -> Expression:
    """The natural logarithm. Domain: x > 0."""
    return call("log", x)


def exp(x: object) -> Expression:
    """The exponential."""
    return call("exp", x)


def minimum(*x: object) -> Expression:
    """The smallest argument."""
    return call("min", *x)


def maximum(*x: object) -> Expression:
    """The largest argument."""
    return call("max", *x)


def analytic_sigma(epsilon: object, delta: object) -> Expression:
    """The least std at sensitivity 1 with privacy profile delta(epsilon) <= delta. [BalleW18, Thm
    8]

    An implicit atom: exact in proofs by its definition, rounded up when it is executed.
    """
    return call("analytic_sigma", epsilon, delta)


EPSILON = parameter("epsilon", 0)
DELTA = parameter("delta", 0, 1)
RHO = parameter("rho", 0)
MU = parameter("mu", 0)
