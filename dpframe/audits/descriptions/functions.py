"""The named functions of descriptions: what each takes, and what it makes of it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, DataNode, Post, RowsNode, iterate
from dpframe.graph import functions as of
from dpframe.graph.procedure import Huber, Logistic, Objective, Squared
from dpframe.graph.statistics import AGGREGATES, Gram, Moment, Statistic
from dpframe.symbols import Expression, Number, call, exact, sqrt
from dpframe.theory.bins import MOST_BINS

Value = Expression | DataNode
MANY = 64


@attrs.frozen
class Function:
    """A function: how it is written, what it means, and how it is made of its arguments, which are
    checked against `takes` (more than that many up to `most`).
    """

    written: str
    meaning: str
    takes: tuple[type, ...]
    make: Callable[..., Any]
    least: int = -1

    @property
    def most(self) -> int:
        """The largest number of arguments."""
        return len(self.takes)

    def of(self, arguments: list[Value]) -> Value:
        """The value. Raises InvalidArgument for other arguments than it takes."""
        least = len(self.takes) if self.least < 0 else self.least
        if not least <= len(arguments) <= self.most:
            self.refuse(f"{len(arguments)} arguments")
        taken = [
            self.fitting(value, kind) for value, kind in zip(arguments, self.takes, strict=False)
        ]
        found: Value = self.make(*taken)
        return found

    def fitting(self, value: Value, kind: type) -> object:
        """The argument as what the function takes: statistics are numbers where numbers are due,
        which taints what they reach.
        """
        if kind is Expression and isinstance(value, Statistic):
            return exact(value)
        if not isinstance(value, kind):
            self.refuse(value.label if isinstance(value, DataNode) else str(value))
        return value

    def refuse(self, found: str) -> None:
        """Raise InvalidArgument."""
        raise InvalidArgument(self.written.partition("(")[0], f"written {self.written}", found)


def _clipped(data: Any, *ends: Any) -> DataNode:
    if isinstance(data, RowsNode) and len(ends) == 1:
        return data.clip(norm=ends[0])
    if isinstance(data, ColumnNode):
        return data.clip(-ends[0] if len(ends) == 1 else ends[0], ends[-1])
    raise InvalidArgument(
        "clip", "written clip(X, norm), clip(y, Y) or clip(y, lower, upper)", data
    )


def _centred(rows: RowsNode) -> RowsNode:
    return rows.scaled(of.aggregate("std", rows))


def _stack(*parts: Statistic) -> Statistic:
    return of.stack(*parts)


def _cuts(data: Any, *cuts: Any) -> Statistic:
    return of.bin_counts(data, cuts)


def _whole(value: Expression) -> int:
    if isinstance(value, Number) and value.value.denominator == 1 and 1 < value.value <= 1000:
        return int(value.value)
    raise InvalidArgument("cells", "a whole number from 2 to 1000", str(value))


def _number(value: Expression) -> int:
    if isinstance(value, Number) and value.value.denominator == 1:
        return int(value.value)
    raise InvalidArgument("argument", "a whole number", str(value))


def _ends(column: ColumnNode, many: Expression) -> list[Fraction]:
    """The ends of that many equal parts of [-Y, Y], for a Y that is a number."""
    bound, count = column.bound, _number(many)
    if not isinstance(bound, Number) or not 1 < count <= MOST_BINS:
        wanted = f"2 to {MOST_BINS} parts of labels whose bound is a number"
        raise InvalidArgument("T", wanted, f"{count} parts, bound {bound}")
    return [bound.value * (Fraction(2 * t, count) - 1) for t in range(1, count)]


def _gradient(loss: Objective | None, rows: Any, column: Any, *clip: Any) -> Statistic:
    point = iterate(rows.columns)
    return of.gradient(rows, column, at=point, clip=clip[0] if clip else None, loss=loss)


R, C, D, S, E = RowsNode, ColumnNode, DataNode, Statistic, Expression
FORMULAS = {
    "sqrt": Function("sqrt(x)", "the square root", (E,), sqrt),
    "log": Function("log(x)", "the natural logarithm", (E,), lambda x: call("log", x)),
    "exp": Function("exp(x)", "the exponential", (E,), lambda x: call("exp", x)),
    "min": Function("min(a, b)", "the smaller", (E,) * MANY, lambda *x: call("min", *x), 1),
    "max": Function("max(a, b)", "the larger", (E,) * MANY, lambda *x: call("max", *x), 1),
    "analytic_sigma": Function(
        "analytic_sigma(epsilon, delta)",
        "the least std at sensitivity 1",
        (E, E),
        lambda e, d: call("analytic_sigma", e, d),
    ),
}
MAPS = {
    "clip": Function(
        "clip(X, c)", "every row put onto the ball of radius c; clip(y, c) and clip(y, a, b)",
        (D, E, E), _clipped, 2,
    ),
    "box": Function(
        "box(X, c)", "every entry clipped to [-c, c]", (R, E), lambda X, c: X.boxed(c)
    ),
    "normalize": Function(
        "normalize(X)", "every row divided by its own norm", (R,), lambda X: X.normalized()
    ),
    "times": Function(
        "times(X, name)", "every row times a matrix that is made of the release of that name",
        (R, Post), lambda X, made: X.times(made),
    ),
    "intercept": Function(
        "intercept(X)", "a column of ones appended; intercept(X, c) of c", (R, E),
        lambda X, *c: X.with_intercept(*c), 1,
    ),
    "zscore": Function(
        "zscore(X)", "columns scaled by means and standard deviations of the data: raw",
        (R,), _centred,
    ),
}  # fmt: skip
STATISTICS = {
    "lambda_min": Function(
        "lambda_min(X'X)", "the smallest eigenvalue", (Gram,), of.lambda_min
    ),
    "trace": Function("trace(X'X)", "the sum of squared row norms", (Gram,), of.trace),
    "sum": Function("sum(X)", "the sum of the rows; sum(y) of the labels", (D,), of.total),
    "count": Function("count(X)", "the number of rows, as is n", (R,), of.count),
    "stack": Function(
        "stack(X'X, X'y)", "several statistics, released as one", (S,) * MANY, _stack, 1
    ),
    "column_squares": Function(
        "column_squares(X)", "the diagonal of X'X", (R,), of.column_squares
    ),
    "bin_counts": Function(
        "bin_counts(y, 0, 1)",
        "how many are at most the first public cut, between each two, above the last",
        (D, *(E,) * MANY), _cuts, 3,
    ),
    "histogram": Function(
        "histogram(X, y, 4)", "records in equal cells of the box of rows and labels",
        (R, C, E), lambda X, y, k: of.histogram(X, y, _whole(k)),
    ),
    "counts": Function(
        "counts(y, T)", "how many labels lie in T equal parts of [-Y, Y]",
        (C, E), lambda y, many: of.bin_counts(y, _ends(y, many)),
    ),
    "binned_sums": Function(
        "binned_sums(X, y, T)", "the sum of the rows of each of T equal parts of [-Y, Y]",
        (R, C, E), lambda X, y, many: of.binned_sums(X, y, _ends(y, many)),
    ),
    "tree": Function(
        "tree(counts(y, T))", "all nodes of the binary tree over counts or sums of bins",
        (S,), lambda sums: of.factored(sums, "tree"),
    ),
    "square_root": Function(
        "square_root(counts(y, T))", "the square root of the matrix of prefix sums, times them",
        (S,), lambda sums: of.factored(sums, "square_root"),
    ),
    "median_distance": Function(
        "median_distance(counts(y, T), r)", "records to change until one may move the median r + 1",
        (S, E), lambda own, r: of.median_distance(own, _number(r)),
    ),
    "tested_median": Function(
        "tested_median(counts(y, T), r, test)", "the median bin if the lower bound test is above 0",
        (S, E, E), lambda own, r, test: of.tested_median(own, _number(r), test),
    ),
    "sufficient_statistics": Function(
        "sufficient_statistics(X, y)", "the upper triangle of X'X, then X'y, of x/B and y/Y",
        (R, C), of.sufficient_statistics,
    ),
    "monomials": Function(
        "monomials(X, y)", "the coefficients of |y - X theta|^2 of x/B and y/Y",
        (R, C), of.monomials,
    ),
    "log_residual": Function(
        "log_residual(X'X, X'y, c)", "log(Y + B |theta|) of the ridge regression with penalty c",
        (Gram, Moment, E), of.log_residual,
    ),
    "argmin_squared": Function(
        "argmin_squared(X, y, penalty, radius)", "ridge regression inside a ball",
        (R, C, E, E), lambda X, y, c, r: of.argmin(X, y, Squared(), c, radius=r),
    ),
    "argmin_huber": Function(
        "argmin_huber(X, y, knee, penalty)", "the minimiser of Huber's loss",
        (R, C, E, E), lambda X, y, k, c: of.argmin(X, y, Huber(k), c),
    ),
    "argmin_logistic": Function(
        "argmin_logistic(X, y, penalty)", "logistic regression",
        (R, C, E), lambda X, y, c: of.argmin(X, y, Logistic(), c),
    ),
    "gradient": Function(
        "gradient(X, y, c)", "the sum of gradients of the squared loss, each clipped to norm c",
        (R, C, E), lambda X, y, c: _gradient(None, X, y, c),
    ),
    "gradient_huber": Function(
        "gradient_huber(X, y, knee)", "the sum of gradients of Huber's loss; a fourth clips",
        (R, C, E, E), lambda X, y, k, *c: _gradient(Huber(k), X, y, *c), 3,
    ),
    "gradient_logistic": Function(
        "gradient_logistic(X, y)", "the sum of gradients of the logistic loss; a third clips",
        (R, C, E), lambda X, y, *c: _gradient(Logistic(), X, y, *c), 2,
    ),
}  # fmt: skip


def _raw(name: str) -> Function:
    what = AGGREGATES[name][0]
    return Function(f"{name}(X)", what, (D,), lambda data: of.aggregate(name, data))


RAW = {name: _raw(name) for name in AGGREGATES}
"""Aggregates that no rule bounds: a description that reads one is refused by its path."""

FUNCTIONS = {**FORMULAS, **MAPS, **STATISTICS, **RAW}
