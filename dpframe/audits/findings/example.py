"""The numbers at which the costs of an audit are stated where its claim is symbolic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpframe.numerics import arb_upper
from dpframe.privacy import ApproxDP, PureDP
from dpframe.prover import Constraint
from dpframe.prover.algebra import enclose
from dpframe.prover.problem import Problem
from dpframe.prover.report import example, satisfied
from dpframe.symbols import Expression, Number

from ..cost import numbers_of

Values = Mapping[str, Fraction]
USUAL = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}


def values_of(problem: Problem, region: Sequence[Constraint] = ()) -> dict[str, Fraction]:
    """A number for every symbol: epsilon = 1 and delta = 1e-6 where these are free, 10 columns,
    1,000 rows, and a point of its range for anything else; a point of `region` where it has one.
    """
    found = _usual(problem)
    if all(satisfied(one, found) for one in region):
        return found
    point = example(region)
    inside = {} if point is None else point.values
    return {**found, **inside}


def _usual(problem: Problem) -> dict[str, Fraction]:
    found = numbers_of(problem.symbols)
    domains = {symbol.name: symbol.domain for symbol in problem.symbols}
    usual = {name: value for name, value in USUAL.items() if name in found}
    return found | {name: value for name, value in usual.items() if value in domains[name]}


def amounts_at(problem: Problem, values: Values) -> tuple[Fraction, ...] | None:
    """The amounts of the target as rationals; None where one is no rational at these numbers."""
    numbers = {name: Number(value) for name, value in values.items()}
    found = [amount.substitute(numbers) for amount in problem.target.amounts]
    known = tuple(amount.value for amount in found if isinstance(amount, Number))
    return known if len(known) == len(found) else None


def delta_at(problem: Problem, values: Values) -> Fraction:
    """The delta at which costs are stated: the target's own; 0 under pure privacy; 1e-6 where the
    target has none.
    """
    if isinstance(problem.target, PureDP):
        return Fraction(0)
    amounts = amounts_at(problem, values)
    approximate = isinstance(problem.target, ApproxDP) and amounts is not None
    return amounts[1] if approximate and amounts else USUAL["delta"]


def number_at(formula: Expression, values: Values) -> Expression:
    """The formula with these numbers for its symbols."""
    return formula.substitute({name: Number(value) for name, value in values.items()})


def used_in(problem: Problem, values: Values) -> dict[str, Fraction]:
    """Those of the numbers that formulas of the claim or of the noise read."""
    read = [*problem.target.amounts, problem.rows]
    read += [formula for one in problem.graph.charged for formula in one.formulas.values()]
    read += [one.mechanism.formula for one in problem.graph.releases]
    names = {symbol.name for formula in read for symbol in formula.symbols()}
    return {name: value for name, value in values.items() if name in names}


def upper_at(formula: Expression, values: Values) -> Fraction | None:
    """An upper bound on a formula at numbers, exact where it is rational; None where a number is
    missing or it is infinite.
    """
    known = number_at(formula, values)
    if known.symbols():
        return None
    if isinstance(known, Number):
        return known.value
    ball = enclose(known, {})
    return arb_upper(ball) if ball.is_finite() else None
