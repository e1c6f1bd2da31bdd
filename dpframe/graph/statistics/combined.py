"""Statistics computed from other statistics: eigenvalues, linear combinations, stacks, and a
logarithmic bound on the residuals of a ridge regression.
"""

from __future__ import annotations

from math import isqrt
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words, of_kind
from dpframe.sensitivity import L1
from dpframe.symbols import ONE, RELEASED, ZERO, Expression, exact

from ..facts import facts_of
from ..maps.grid import Grid
from ..node import Array, Numbers, Reading, Values, np, reads, titled
from ..reached import Metrics, Reached, moves_evenly
from .base import Statistic
from .sums import Gram, Moment, SufficientStatistics, by_a_corner


@attrs.frozen(cache_hash=True)
class LambdaMin(Statistic):
    """lambda_min(X'X), a number; 0 when there are no columns.

    |lambda_min(A) - lambda_min(A')| <= |A - A'| in operator norm (Weyl), which is B^2 under both
    relations; attained. Proof page: proofs/lambda_min.
    """

    kind: ClassVar[str] = "lambda_min"
    many_rows: ClassVar[bool] = True
    angled: ClassVar[bool] = True
    unbounded: ClassVar[bool] = True
    label: ClassVar[str] = "lambda_min(X'X)"
    code = titled("dp.lambda_min({0.gram.code})")
    gram: Gram = attrs.field()

    @gram.validator
    def _matrix(self, attribute: object, value: object) -> None:
        if not isinstance(value, Gram):
            way_out = "Smallest eigenvalues of noisy matrices are post-processing: dp.post."
            raise InvalidArgument("argument of lambda_min", "X.T @ X", value, way_out)

    def compute(self, values: Values, number: Numbers) -> Array:
        """The eigenvalue. For whole numbers, the number of times that it contains B^2/2^bits,
        exactly: rounding down preserves the bound of 2^bits steps from Weyl's inequality.
        """
        gram, rows = values[self.gram], self.gram.rows
        if self.step is not None and isinstance(rows, Grid):
            from dpframe.numerics.eigenvalue import floor_smallest_eigenvalue

            return np.array(floor_smallest_eigenvalue(gram, 2**rows.bits), dtype=object)
        return np.asarray(np.linalg.eigvalsh(gram)[0] if gram.size else 0.0)

    def attains(self, at: Metrics) -> Reached:
        """By a longest row along the last eigenvector, beside many others."""
        plain_gram = facts_of(self.gram, at.relation).part == "gram"
        attained = plain_gram and self.gram.rows.ball
        return "Weyl: 1-Lipschitz in the operator norm of X'X", attained


@attrs.frozen(cache_hash=True)
class Linear(Statistic):
    """sum c_i S_i with public coefficients: sensitivity at most sum |c_i| Delta_i (triangle
    inequality). Proof page: proofs/linear.
    """

    kind: ClassVar[str] = "linear"
    coefficients: tuple[Expression, ...]
    parts: tuple[Statistic, ...]

    def _turns(self) -> tuple[int, ...] | None:
        """For each part, the signed number of steps of the combination in a step of that part; None
        if it has no grid.
        """
        own = self.step
        if own is None:
            return None
        terms = zip(self.coefficients, self.parts, strict=True)
        ratios = [c * (part.step / own) for c, part in terms]
        return tuple(int(ratio.value) for ratio in ratios)  # type: ignore[attr-defined]

    @property
    def label(self) -> str:
        """`2*X'X`."""
        terms = zip(self.coefficients, self.parts, strict=True)
        written = [part.label if c == ONE else f"{c}*{part.label}" for c, part in terms]
        return " + ".join(written).replace("+ -1*", "- ")

    @property
    def code(self) -> str:
        """`2 * (X.T @ X)`."""
        terms = zip(self.coefficients, self.parts, strict=True)
        return " + ".join(f"{c} * ({part.code})" for c, part in terms).replace("^", "**")

    @property
    def readings(self) -> dict[str, Reading]:
        """The coefficients."""
        numbered = enumerate(self.coefficients, start=1)
        return {f"coefficient {i}": Reading(c, RELEASED) for i, c in numbered}

    def compute(self, values: Values, number: Numbers) -> Array:
        """The combination, in whole steps if the parts are."""
        turns, first = self._turns(), values[self.parts[0]]
        factors = [number(c) for c in self.coefficients] if turns is None else turns
        total: Array = first * 0 if turns else np.zeros(np.shape(first))
        for c, factor, part in zip(self.coefficients, factors, self.parts, strict=True):
            if c != ZERO and factor != 0:  # nothing times infinity is nothing
                total = total + factor * values[part]
        return total

    def attains(self, at: Metrics) -> Reached:
        """By what moves its only part furthest."""
        alone = self.parts[0].one_row(at.norm, at.relation) if len(self.parts) == 1 else None
        attained = alone is not None and alone.attained
        return "triangle inequality: sum |c_i| Delta_i", attained

    attains_range = attains

    @property
    def even(self) -> bool:  # type: ignore[override]
        """That of its only part."""
        return len(self.parts) == 1 and moves_evenly(self.parts[0])


def combine(*terms: tuple[object, object]) -> Statistic:
    """The linear combination of (coefficient, statistic) terms, with nested ones flattened. Raises
    InvalidArgument for unequal shapes.
    """
    collected: dict[Statistic, Expression] = {}
    for coefficient, part in terms:
        if not isinstance(part, Statistic):
            raise InvalidArgument("term", "a statistic", part, "")
        own = part if isinstance(part, Linear) else Linear((ONE,), (part,))
        for c, statistic in zip(own.coefficients, own.parts, strict=True):
            collected[statistic] = collected.get(statistic, exact(0)) + exact(coefficient) * c
    if len({statistic.shape for statistic in collected}) != 1:
        labels = listed_words(one.label for one in collected)
        way_out = "dp.graph.stack releases several together."
        raise InvalidArgument("terms", "statistics of one shape", labels, way_out)
    return Linear(tuple(collected.values()), tuple(collected))


def _parts(value: object) -> tuple[Statistic, ...]:
    parts = tuple(value) if isinstance(value, (list, tuple)) else ()
    if not parts or not all(isinstance(part, Statistic) for part in parts):
        raise InvalidArgument("parts of a stack", "statistics", value, "")
    return parts


@attrs.frozen(cache_hash=True)
class Stack(Statistic):
    """(S_1, ..., S_k), flattened and concatenated. A symmetric part gives its upper triangle, with
    off-diagonal entries times sqrt 2 so that the L2 norm is the Frobenius norm. The L2 sensitivity
    is the joint supremum over one pair of neighbours (dpframe.graph.joint), the L1 sensitivity at
    most the sum. Proof page: proofs/stack.
    """

    kind: ClassVar[str] = "stack"
    label = titled(lambda one: f"({', '.join(part.label for part in one.parts)})")
    code = titled(lambda one: f"dp.graph.stack({', '.join(part.code for part in one.parts)})")
    parts: tuple[Statistic, ...] = attrs.field(converter=_parts)

    def compute(self, values: Values, number: Numbers) -> Array:
        """The flat vector."""
        flat = [_flat(values[part], symmetric=part.symmetric) for part in self.parts]
        return np.concatenate(flat)

    def attains(self, at: Metrics) -> Reached:
        """By one pair that moves all parts furthest at once."""
        if at.norm is L1:  # of a symmetric matrix more is charged than its triangle moves
            moves = [part.one_row(at.norm, at.relation) for part in self.parts]
            alone = all(move is not None and move.attained for move in moves)
            flat = all(len(part.shape) < 2 for part in self.parts)
            return "sum of the parts", alone and flat and not at.replaced
        from ..joint import Joint

        joint = Joint.of(self.parts, at.relation)
        if joint is None:
            return "", False
        squares = [size**2 for size in joint.sizes]
        return joint.rule, joint.attained(squares) == joint.total(squares)


def _flat(value: Array, *, symmetric: bool) -> Array:
    if not symmetric:
        return np.ravel(value)
    upper = value * np.where(np.eye(len(value), dtype=bool), 1.0, np.sqrt(2.0))
    return upper[np.triu_indices(len(value))]


def unflatten(flat: Array, d: int) -> Array:
    """The symmetric (d, d) matrix of a flattened upper triangle in the layout of a stack."""
    matrix = np.zeros((d, d))
    matrix[np.triu_indices(d)] = flat
    matrix = (matrix + matrix.T) / np.sqrt(2.0)
    matrix[np.diag_indices(d)] /= np.sqrt(2.0)
    whole: Array = matrix
    return whole


SUFFICIENT = "sufficient statistics of rows and labels"


@attrs.frozen(cache_hash=True)
class Monomials(Statistic):
    """The coefficients of |y - X theta|^2 of x/B and y/Y as a polynomial in theta: 2 (X'X)_jk of
    theta_j theta_k, (X'X)_jj of theta_j^2, -2 (X'y)_j of theta_j, and y'y where it is among the
    statistics. Laid out as they are: a matrix entry is half of its monomial's.

    L1, of rows in a box, sharp: (d + 1)^2 with y'y under both relations; without it d^2 + 2 d, and
    (d + 1)^2 under replace-one. Proof page: proofs/monomials.
    """

    kind: ClassVar[str] = "monomials"
    unbounded: ClassVar[bool] = True
    statistics: SufficientStatistics = attrs.field(
        validator=of_kind(SufficientStatistics, SUFFICIENT, "dp.graph.monomials(X, y).")
    )

    @property
    def label(self) -> str:
        """`coefficients of |y - X theta|^2`."""
        return f"coefficients of |y - X theta|^2{'' if self.statistics.constant else ' but y^2'}"

    def compute(self, values: Values, number: Numbers) -> Array:
        """Each statistic times its factor: 1 on the diagonal and for y'y, 2 off it, -2 for X'y."""
        own = np.asarray(values[self.statistics])
        times = factors(len(own), constant=self.statistics.constant)
        return np.asarray(own * times.astype(own.dtype))

    def attains(self, at: Metrics) -> Reached:
        """By a corner."""
        added = "sum of |u_j u_k|: |u|_1^2, u = (x, y)"
        replaced = "4 |p|_1 |q|_1 <= (|p|_1 + |q|_1)^2"
        return by_a_corner(self.statistics, at, "sqrt(2) |uu'|_F", added, replaced)


def columns_of(entries: int) -> int:
    """d, from d (d + 3)/2 statistics, or from one more."""
    return (isqrt(9 + 8 * entries) - 3) // 2


def factors(entries: int, *, constant: bool) -> Array:
    """The factor of each statistic, shape (entries,), whole numbers."""
    d = columns_of(entries)
    rows, columns = np.triu_indices(d)
    whole = [np.where(rows == columns, 1, 2), np.full(d, -2), np.ones(int(constant), dtype=int)]
    return np.concatenate(whole)


def _formula(value: object) -> Expression:
    return exact(value, "penalty or floor")


@attrs.frozen(cache_hash=True)
class LogResidual(Statistic):
    """log(Y + B |theta|), theta = (X'X + penalty I)^-1 X'y: the exponential bounds every |y -
    x'theta|.

    With h = penalty + floor, where floor is a lower bound on lambda_min(X'X) of every table between
    two neighbours (0, or a bound that may fail), the sensitivity is at most log(1 + B^2/h), under
    replace-one twice that. Proof page: proofs/log_residual.
    """

    kind: ClassVar[str] = "log_residual"
    label: ClassVar[str] = "log(Y + B |theta|)"
    gram: Gram
    moment: Moment
    penalty: Expression = attrs.field(converter=_formula, metadata=reads(positive=True))
    floor: Expression = attrs.field(converter=_formula, default=ZERO, metadata=reads())

    def compute(self, values: Values, number: Numbers) -> Array:
        """From X'X and X'y."""
        theta = ridge(values[self.gram], values[self.moment], number(self.penalty))
        bound, norm = number(self.moment.column.radius), number(self.gram.rows.radius)
        return np.asarray(np.log(bound + norm * np.linalg.norm(theta)))

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known."""
        return "theta moves by x r/lambda_min, |r| <= Y + B |theta|", False


def ridge(gram: Array, moment: Array, penalty: float) -> Array:
    """(gram + penalty I)^-1 moment, finite for every table: penalty > 0."""
    system = gram + penalty * np.eye(len(moment))
    try:
        theta: Array = np.linalg.solve(system, moment)
    except np.linalg.LinAlgError:
        theta = np.full(len(moment), np.nan)
    if not np.all(np.isfinite(theta)):
        theta = np.linalg.lstsq(system, moment, rcond=None)[0]
    return np.asarray(np.nan_to_num(theta))
