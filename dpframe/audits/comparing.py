"""dp.compare: noise side by side, for calibrations and for several releases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any

from dpframe import mechanisms
from dpframe.errors import InvalidArgument, Plain, address
from dpframe.graph import Regression
from dpframe.identity import strangers
from dpframe.mechanisms import (
    Calibration,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    L2Laplace,
    Laplace,
)
from dpframe.numbers import whole
from dpframe.privacy import ApproxDP
from dpframe.prover.algebra import number
from dpframe.prover.problem import place, trusted_classes
from dpframe.symbols import EPSILON, Expression, rational

from .calibrations_compared import Workload, compare_calibrations, compare_compositions
from .comparison import Comparison, Point

OTHERS = (Laplace.pure, DiscreteLaplace.pure, DiscreteGaussian.concentrated)
ALL = (Gaussian.classical, Gaussian.kamath_ullman, Gaussian.analytic, *OTHERS)
COMPOSED = (Gaussian.analytic, Gaussian.classical, *OTHERS)
SIX_DIGITS = Context(prec=6, rounding=ROUND_CEILING)
CURRENCY = ("epsilon", "delta")
EPSILONS = ("0.1", "0.9", 3, 10)
DELTAS = "1e-6"
OF_DECLARATION = "dp.audit says how much noise of a declaration is enough, by every accountant."


def compare(
    *calibrations: Any,
    epsilon: object = EPSILONS,
    delta: object = DELTAS,
    pairs: object = None,
    sensitivity: object = 1,
    dimension: object = 1,
    times: object = 1,
    accountant: object = None,
    trust: Sequence[type] = (),
) -> Comparison:
    """The std that each calibration prescribes at each epsilon and delta, or that each kind of
    noise needs by each accountant for several releases together.

    `epsilon` and `delta` are numbers, or lists or arrays of numbers: every combination is a row.
    `pairs` lists (epsilon, delta) instead. Without calibrations: those of Gaussian noise,
    Laplace.pure, DiscreteLaplace.pure and DiscreteGaussian.concentrated, and L2Laplace.pure for
    several numbers. Beside DiscreteGaussian.concentrated stands the std by the exact law, where one
    number can move, by 1. Numbers are rounded up, rigorously. Outside its theorem the number of a
    formula is in brackets. That the theorem of a class of your own holds is its word: `trust` names
    it, and the table says so.

    `dimension` numbers are released together, of this `sensitivity` in 2-norm, a number or a
    formula of numbers, `dp.graph.parse("sqrt(10)/5000")`, rounded up; noise for an L1
    sensitivity is compared at sqrt(dimension) times it, discrete noise at the largest L1 move of
    whole numbers. With `times` above 1 they are released so
    many times, with (epsilon, delta) for all releases together: the table has each calibration on
    equal parts of the budget, and its noise by every accountant that can add it, or by
    `accountant`, one or several, as of dp.compose. For noise on samples, as of DP-SGD, use
    dp.calibrate((dp.mechanisms.PoissonSubsampled(dp.Gaussian(std=1), rate="0.01"), 1000), ...).
    Raises InvalidArgument.

    >>> import dpframe as dp
    >>> dp.compare(dp.Gaussian.classical, epsilon=[0.1, 10]).methods[0].cells[0].times
    '1.460'
    >>> found = dp.compare(epsilon=1, delta="1e-6", dimension=5, times=10)
    >>> [(one["noise"], one["accountant"], round(one["std"], 2)) for one in found.records()[:2]]
    [('Gaussian', 'gaussian', 13.36), ('Gaussian', 'numeric', 13.36)]
    """
    points = points_of(epsilon, delta) if pairs is None else _pairs(pairs, epsilon, delta)
    size = _rounded_up(sensitivity)
    if size <= 0:
        raise InvalidArgument("sensitivity", "above 0", sensitivity)
    workload = Workload(size, whole("dimension", dimension, 1), whole("times", times, 1))
    composed = workload.times > 1 or accountant is not None
    _check_calibrations(calibrations, trusted_classes(trust), composed=composed)
    usual = (*(COMPOSED if composed else ALL), *([L2Laplace.pure] * (workload.dimension > 1)))
    chosen = calibrations or tuple(one for one in usual if workload.moves(one.mechanism))
    if not composed:
        return compare_calibrations(chosen, points, workload)
    return compare_compositions(chosen, points, workload, accountant)


def _rounded_up(size: object) -> Fraction:
    """A sensitivity: a number, or a formula of numbers, rounded up. Raises InvalidArgument."""
    if not isinstance(size, Expression):
        return rational(size, "sensitivity")
    if names := sorted(map(str, size.symbols())):
        raise InvalidArgument("sensitivity", "a formula of numbers alone", ", ".join(names))
    most = number(size, {}, up=True)
    if not math.isfinite(most):
        raise InvalidArgument("sensitivity", "a formula of a finite number", Plain(size))
    return Fraction(SIX_DIGITS.create_decimal(most))


def _check_calibrations(
    compared: Sequence[object], trust: Sequence[type], *, composed: bool
) -> None:
    """Refuse anything but calibrations of dpframe and trusted ones; where they are not `composed`
    by accountants, they must spend (epsilon, delta). Raises InvalidArgument.
    """
    for one in compared:
        if not isinstance(one, Calibration) or not (composed or CURRENCY in one.currencies):
            wanted = "calibrations that spend (epsilon, delta), such as dp.Gaussian.analytic"
            raise InvalidArgument("calibrations", wanted, one, _way_out(one))
        for kind in strangers((one, one.mechanism)):
            if kind not in trust:
                way_out = f"Pass trust=[{kind.__name__}]; the table then says that it is trusted."
                raise InvalidArgument("calibrations", "theorems of dpframe", place(kind), way_out)


def _way_out(value: object) -> str:
    """The call that compares the theorems of a kind of noise, of a value that is one or names one;
    empty where none does.
    """
    if isinstance(value, Regression):
        return OF_DECLARATION
    known = {name.lower(): getattr(mechanisms, name) for name in dir(mechanisms)}
    if isinstance(value, str):
        value = known.get(value.partition(".")[0].lower())
    noise: Any = value.mechanism if isinstance(value, Calibration) else value
    noise = noise if isinstance(noise, type) else type(noise)
    calls = {
        f"{address(noise.__name__)}.{name}": CURRENCY in one.currencies
        for name, one in vars(noise).items()
        if isinstance(one, Calibration)
    }
    direct = [call for call, spends in calls.items() if spends]
    if direct:
        return f"Name its theorem: dp.compare({', '.join(direct)})."
    return f"By an accountant: dp.compare({next(iter(calls))}, accountant='zcdp')." if calls else ""


def points_of(epsilon: object, delta: object) -> tuple[Point, ...]:
    """Every pair of an epsilon and a delta, that of a guarantee. Raises InvalidArgument."""
    epsilons, deltas = _numbers(epsilon, "epsilon"), _numbers(delta, "delta")
    for failing in deltas:
        if failing == 0:
            way_out = "Pure noise does not read delta: leave it out."
            raise InvalidArgument("delta", "in (0, 1)", Plain("0"), way_out)
        ApproxDP(EPSILON, failing)
    for spent in epsilons:
        ApproxDP(spent, deltas[0])
    return tuple((one, other) for other in deltas for one in epsilons)


def _numbers(value: object, name: str) -> tuple[Fraction, ...]:
    if isinstance(value, Mapping):
        raise InvalidArgument(name, "one number or several", type(value).__name__)
    many = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(many, (str, Expression)) or not isinstance(many, Iterable):
        many = (many,)
    found = tuple(rational(one, name) for one in many)
    if not found:
        raise InvalidArgument(name, "one number or several", value)
    return found


def _pairs(pairs: object, epsilon: object, delta: object) -> tuple[Point, ...]:
    """Pairs as they are given. Raises InvalidArgument."""
    if epsilon is not EPSILONS or delta is not DELTAS:
        wanted = "left out where epsilon or delta is given"
        raise InvalidArgument("pairs", wanted, Plain("both"), "pairs=[(1, '1e-6'), (3, '1e-5')].")
    many = pairs.tolist() if hasattr(pairs, "tolist") else pairs
    given = list(many) if isinstance(many, (list, tuple)) else []
    if not given or not all(isinstance(one, (list, tuple)) and len(one) == 2 for one in given):
        way_out = "Such as pairs=[(1, '1e-6'), (3, '1e-5')]."
        raise InvalidArgument("pairs", "pairs of an epsilon and a delta", pairs, way_out)
    return tuple(point for one, other in given for point in points_of((one,), (other,)))
