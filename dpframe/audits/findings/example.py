"""The numbers at which the costs of an audit are stated where its claim is symbolic.

Also the assumptions of a page by their identifiers, which docs/assumptions explains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import attrs

from dpframe.audits.sentence import in_order
from dpframe.graph.rows import COLUMNS
from dpframe.privacy import ApproxDP, PureDP, Share
from dpframe.prover import Constraint
from dpframe.prover.algebra import ends_of
from dpframe.prover.at_numbers import is_released
from dpframe.prover.certify import Premise
from dpframe.prover.problem import Problem
from dpframe.prover.report import example, satisfied
from dpframe.symbols import Expression, Number
from dpframe.wording import say

WORLD = (
    (
        "W1",
        "Bounds are public",
        "bounds of rows and labels come from a codebook, not from data",
    ),
    ("W2", "Public sizes", "columns, levels and, under replace-one, the number of rows are public"),
    ("W3", "delta is small", say("$delta$ is far below $1/n$")),
    ("W4", "The machine", "doubles follow IEEE 754; the system's random bits are uniform"),
    ("W5", "No side channels", "nobody sees time, memory or log files"),
)


@attrs.frozen
class Assumption:
    """`id` and `title` as in docs/assumptions; `text` as it is printed."""

    id: str
    title: str
    text: str

    def __str__(self) -> str:
        """`A1 one unit of privacy is: ...`."""
        return f"{self.id} {self.text}"


def assumptions(premises: Iterable[Premise], *, approximate: bool) -> tuple[Assumption, ...]:
    """Those of a certificate, then those about the world; delta where there is one."""
    stated = (Assumption(*one.heading, one.says) for one in premises)
    world = (Assumption(*one) for one in WORLD if approximate or one[0] != "W3")
    return (*stated, *world)


Values = Mapping[str, Fraction]
USUAL = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
SIZES = {"d": Fraction(10), "n": Fraction(1000)}


def values_of(
    problem: Problem, region: Sequence[Constraint] = (), fixed: Values | None = None
) -> dict[str, Fraction]:
    """The `numbers_of` an example: at a point of `region` where it has one; with the numbers
    `fixed`, as of a counterexample, in place of usual ones.
    """
    found = numbers_of(problem) | {**(fixed or {})}
    if all(satisfied(one, found) for one in region):
        return found
    point = example(region)
    inside = {} if point is None else point.values
    return {**found, **inside}


def numbers_of(problem: Problem) -> dict[str, Fraction]:
    """A number for every symbol but those of released numbers: 10 columns, 1,000 rows, epsilon = 1
    and delta = 1e-6 where these are free, and a point of its range for a hyperparameter.
    """
    found = {}
    for symbol in problem.symbols:
        size = symbol == COLUMNS or symbol.origin is not None
        number = (SIZES if size else USUAL).get(symbol.name)
        if number is None or not (size or number in symbol.domain):
            number = symbol.domain.example()
        if not is_released(symbol) and number is not None:
            found[symbol.name] = number
    return found


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


def budget_at(budget: Share, values: Values) -> Share:
    """The budget at numbers."""
    wholes = tuple(number_at(whole, values) for whole in budget.wholes)
    return attrs.evolve(budget, wholes=wholes)


def used_in(problem: Problem, values: Values) -> dict[str, Fraction]:
    """Those of the numbers that formulas of the claim, of the noise or of sensitivities read."""
    read = [*problem.target.amounts, problem.rows]
    read += [formula for one in problem.graph.charged for formula in one.formulas.values()]
    read += [one.deviation for one in problem.graph.releases]
    read += [one.moved.value for one in problem.graph.releases if one.moved is not None]
    names = {symbol.name for formula in read for symbol in formula.symbols()}
    return {name: values[name] for name in sorted(values, key=in_order) if name in names}


def upper_at(formula: Expression, values: Values) -> Fraction | None:
    """An upper bound on a formula at numbers, exact where it is rational; None where a number is
    missing or it is infinite.
    """
    found = ends_of(number_at(formula, values))
    return None if found is None else found[1]
