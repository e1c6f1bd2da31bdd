"""The names of noise and of functions that a description may use: those of dpframe, with their
arguments, meaning and value, and the kinds of trusted classes. The file itself imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, get_type_hints

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.exact.ring import NAME
from dpframe.graph import ColumnNode, DataNode, Post, RowsNode, iterate
from dpframe.graph import functions as of
from dpframe.graph.procedure import Huber, Logistic, Objective, Squared
from dpframe.graph.statistics import AGGREGATES, Gram, Moment, Statistic
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import Calibration
from dpframe.symbols import Expression, Number, call, exact, sqrt
from dpframe.theory.statistics import MOST_BINS

from .keys import JOINTLY, MECHANISMS, THEOREMS, theorems_of

Value = Expression | DataNode
MANY = 64


@attrs.frozen
class Function:
    """A function: how it is written, its meaning, the types of its arguments, of which the first
    `least` are required (all by default), and how it is made of them.
    """

    written: str
    meaning: str
    takes: tuple[type, ...]
    make: Callable[..., Any]
    least: int = attrs.field(default=attrs.Factory(lambda self: len(self.takes), takes_self=True))

    @property
    def name(self) -> str:
        """The word before the bracket."""
        return self.written.partition("(")[0]

    def of(self, arguments: Sequence[Value | Post]) -> Any:
        """The value. Raises InvalidArgument for other arguments than it takes."""
        if not self.least <= len(arguments) <= len(self.takes):
            self._refuse(f"{len(arguments)} arguments")
        return self.make(*map(self._fitting, arguments, self.takes))

    def _fitting(self, value: Value | Post, kind: type) -> object:
        """The argument as the function takes it: statistics are numbers where numbers are due,
        which taints all formulas that they reach.
        """
        if kind is Expression and isinstance(value, Statistic):
            return exact(value)
        if not isinstance(value, kind):
            self._refuse(value.label if isinstance(value, DataNode) else str(value))
        return value

    def _refuse(self, value: str) -> None:
        raise InvalidArgument(self.name, f"written {self.written}", value)


def _clipped(data: Any, *ends: Any) -> DataNode:
    if isinstance(data, RowsNode) and len(ends) == 1:
        return data.clip(norm=ends[0])
    if isinstance(data, ColumnNode):
        return data.clip(-ends[0] if len(ends) == 1 else ends[0], ends[-1])
    wanted = "written clip(X, norm), clip(y, Y) or clip(y, lower, upper)"
    raise InvalidArgument("clip", wanted, data)


def _whole(value: Expression, name: str = "argument", least: int = 0, most: int = 0) -> int:
    number = value.value if isinstance(value, Number) else Fraction(1, 2)
    if number.denominator == 1 and (not most or least <= number <= most):
        return int(number)
    span = f" from {least} to {most}" if most else ""
    raise InvalidArgument(name, f"a whole number{span}", Plain(value))


def _ends(column: ColumnNode, many: Expression) -> list[Fraction]:
    """The ends of that many equal parts of [-Y, Y], for a Y that is a number."""
    bound, count = column.bound, _whole(many)
    if not isinstance(bound, Number) or not 1 < count <= MOST_BINS:
        wanted = f"2 to {MOST_BINS} parts of labels whose bound is a number"
        raise InvalidArgument("T", wanted, Plain(f"{count} parts, bound {bound}"))
    return [bound.value * (Fraction(2 * t, count) - 1) for t in range(1, count)]


def _gradient(loss: Objective | None, rows: Any, column: Any, *clip: Any) -> Statistic:
    point = iterate(rows.columns)
    return of.gradient(rows, column, at=point, clip=clip[0] if clip else None, loss=loss)


def _by_name(*functions: Function) -> dict[str, Function]:
    return {one.name: one for one in functions}


R, C, D, S, E = RowsNode, ColumnNode, DataNode, Statistic, Expression
FORMULAS = _by_name(
    Function("sqrt(x)", "the square root", (E,), sqrt),
    Function("log(x)", "the natural logarithm", (E,), partial(call, "log")),
    Function("exp(x)", "the exponential", (E,), partial(call, "exp")),
    Function("min(a, b)", "the smaller", (E,) * MANY, partial(call, "min"), 1),
    Function("max(a, b)", "the larger", (E,) * MANY, partial(call, "max"), 1),
    Function("analytic_sigma(epsilon, delta)", "the least std at sensitivity 1", (E, E),
             partial(call, "analytic_sigma")),
)  # fmt: skip
MAPS = _by_name(
    Function("clip(X, c)", "every row put onto the ball of radius c; clip(y, c) and clip(y, a, b)",
             (D, E, E), _clipped, 2),
    Function("box(X, c)", "every entry clipped to [-c, c]", (R, E), lambda X, c: X.boxed(c)),
    Function("normalize(X)", "every row divided by its own norm", (R,), lambda X: X.normalized()),
    Function("times(X, name)",
             "every row times a matrix that is made of the release of that name",
             (R, Post), lambda X, made: X.times(made)),
    Function("intercept(X)", "a column of ones appended; intercept(X, c) of c", (R, E),
             lambda X, *c: X.with_intercept(*c), 1),
    Function("zscore(X)", "columns scaled by means and standard deviations of the data: raw",
             (R,), lambda X: X.scaled(of.aggregate("std", X))),
)  # fmt: skip
STATISTICS = _by_name(
    Function("lambda_min(X'X)", "the smallest eigenvalue", (Gram,), of.lambda_min),
    Function("trace(X'X)", "the sum of squared row norms", (Gram,), of.trace),
    Function("sum(X)", "the sum of the rows; sum(y) of the labels", (D,), of.total),
    Function("count(X)", "the number of rows, as is n", (R,), of.count),
    Function("stack(X'X, X'y)", "several statistics, released as one", (S,) * MANY, of.stack, 1),
    Function("column_squares(X)", "the diagonal of X'X", (R,), of.column_squares),
    Function("bin_counts(y, 0, 1)",
             "how many are at most the first public cut, between each two, above the last",
             (D, *(E,) * MANY), lambda data, *cuts: of.bin_counts(data, cuts), 3),
    Function("histogram(X, y, 4)", "records in equal cells of the box of rows and labels",
             (R, C, E), lambda X, y, k: of.histogram(X, y, _whole(k, "cells", 2, 1000))),
    Function("counts(y, T)", "how many labels lie in T equal parts of [-Y, Y]",
             (C, E), lambda y, many: of.bin_counts(y, _ends(y, many))),
    Function("binned_sums(X, y, T)", "the sum of the rows of each of T equal parts of [-Y, Y]",
             (R, C, E), lambda X, y, many: of.binned_sums(X, y, _ends(y, many))),
    Function("tree(counts(y, T))", "all nodes of the binary tree over counts or sums of bins",
             (S,), lambda sums: of.factored(sums, "tree")),
    Function("square_root(counts(y, T))",
             "the square root of the matrix of prefix sums, times them",
             (S,), lambda sums: of.factored(sums, "square_root")),
    Function("median_distance(counts(y, T), r)",
             "records to change until one may move the median r + 1",
             (S, E), lambda own, r: of.median_distance(own, _whole(r))),
    Function("tested_median(counts(y, T), r, test)",
             "the median bin if the lower bound test is above 0",
             (S, E, E), lambda own, r, test: of.tested_median(own, _whole(r), test)),
    Function("sufficient_statistics(X, y)",
             "the upper triangle of X'X, then X'y, of x/B and y/Y", (R, C),
             of.sufficient_statistics),
    Function("monomials(X, y)", "the coefficients of |y - X theta|^2 of x/B and y/Y", (R, C),
             of.monomials),
    Function("log_residual(X'X, X'y, c)",
             "log(Y + B |theta|) of the ridge regression with penalty c", (Gram, Moment, E),
             of.log_residual),
    Function("argmin_squared(X, y, penalty, radius)", "ridge regression inside a ball",
             (R, C, E, E), lambda X, y, c, r: of.argmin(X, y, Squared(), c, radius=r)),
    Function("argmin_huber(X, y, knee, penalty)", "the minimiser of Huber's loss",
             (R, C, E, E), lambda X, y, k, c: of.argmin(X, y, Huber(k), c)),
    Function("argmin_logistic(X, y, penalty)", "logistic regression",
             (R, C, E), lambda X, y, c: of.argmin(X, y, Logistic(), c)),
    Function("gradient(X, y, c)",
             "the sum of gradients of the squared loss, each clipped to norm c",
             (R, C, E), partial(_gradient, None)),
    Function("gradient_huber(X, y, knee)",
             "the sum of gradients of Huber's loss; a fourth clips",
             (R, C, E, E), lambda X, y, k, *c: _gradient(Huber(k), X, y, *c), 3),
    Function("gradient_logistic(X, y)",
             "the sum of gradients of the logistic loss; a third clips",
             (R, C, E), partial(_gradient, Logistic()), 2),
)  # fmt: skip
RAW = _by_name(
    *(
        Function(f"{name}(X)", one[0], (D,), partial(of.aggregate, name))
        for name, one in AGGREGATES.items()
    )
)
"""Aggregates that no rule bounds: a description that reads one is refused by its path."""

FUNCTIONS = {**FORMULAS, **MAPS, **STATISTICS, **RAW}


# ----------------------------------------------------------------------- All names of a description
@attrs.frozen
class Vocabulary:
    """Mechanisms and functions by name."""

    mechanisms: Mapping[str, type[AdditiveNoise]] = MECHANISMS
    functions: Mapping[str, Function] = FUNCTIONS

    @property
    def theorems(self) -> tuple[str, ...]:
        """The names of calibrations, of every mechanism."""
        own = (theorems_of(one) for one in self.mechanisms.values())
        return tuple(dict.fromkeys([*THEOREMS, *(name for some in own for name in some)]))

    def theorems_for(self, kind: type[AdditiveNoise]) -> Mapping[str, Calibration | None]:
        """The calibrations of one mechanism; the joint one is no theorem about it alone."""
        jointly = {JOINTLY: None} if kind.kind == "gaussian" else {}
        return {**{name: getattr(kind, name) for name in theorems_of(kind)}, **jointly}


@lru_cache(maxsize=64)
def vocabulary_of(trust: tuple[type, ...] = ()) -> Vocabulary:
    """The names of dpframe and the kinds of these classes, those of noise with spaces for
    underscores. Raises InvalidArgument for a kind that is no new name.
    """
    mechanisms, functions = dict(MECHANISMS), dict(FUNCTIONS)
    for one in trust:  # a theorem stands in its mechanism; an accountant is an argument of its own
        if issubclass(one, AdditiveNoise):
            mechanisms[_new_kind(one, mechanisms).replace("_", " ")] = one
        elif issubclass(one, DataNode):
            name = _new_kind(one, functions)
            functions[name] = _function(name, one)
    return Vocabulary(mechanisms, functions)


def _new_kind(one: Any, names: Mapping[str, object]) -> str:
    """The kind of a class, which must be a new name. Raises InvalidArgument."""
    name = getattr(one, "kind", "")
    if not NAME.match(name) or name.replace("_", " ") in names or name in names:
        way_out = "Give the class a kind of its own."
        raise InvalidArgument(f"kind of {one.__name__}", "a new name", name, way_out)
    return str(name)


def _function(name: str, kind: Any) -> Function:
    """A class of nodes as a function of its fields, in order."""
    fields = [one for one in attrs.fields(kind) if one.init] if attrs.has(kind) else []
    try:
        hints = get_type_hints(kind)
    except NameError:  # an annotation that is imported for checkers only
        hints = {}
    types = [hints.get(one.name, object) for one in fields]

    def make(*values: Value) -> Any:
        try:
            return kind(*map(_plain, values, types))
        except (TypeError, ValueError, AttributeError) as error:
            raise InvalidArgument(name, f"arguments of {kind.__name__}", Plain(error)) from None

    takes = tuple(_accepted(hint) for hint in types)
    least = sum(one.default is attrs.NOTHING for one in fields)
    written = f"{name}({', '.join(one.name.lstrip('_') for one in fields)})"
    return Function(written, (kind.__doc__ or "").partition("\n")[0], takes, make, least)


def _accepted(hint: object) -> type:
    """Nodes of the class that the field names; anything else is checked by the class itself."""
    return hint if isinstance(hint, type) and issubclass(hint, (DataNode, Expression)) else object


def _plain(value: Value, hint: object) -> object:
    """A number where the field is a plain one."""
    if hint is int and isinstance(value, Number) and value.value.denominator == 1:
        return int(value.value)
    return value
