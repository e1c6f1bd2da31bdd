"""How far several statistics move together, for one pair of neighbours: sup of sum_i
(shift_i/std_i)^2.

With m_i = (size_i/std_i)^2, where size is B^2 for X'X and lambda_min, B Y for X'y, Y^2 for y'y, and
the sensitivity for any other:
- add/remove: the sum of the m_i, attained by x = B e (e where the others have no mass), |y| = Y,
  all at once.
- replace-one, m1 for X'X, m2 for X'y, m3 for lambda_min, m4 for y'y of the same rows and labels, A
  = 2 m1 + m3, A+ = max(A, m2):
  at most max((A+ + m2)^2/A+, A+ + m2 + m4). It is exact for d >= 2 unless m2 > A and m4 > 2 m2. Any
  other statistic adds its own square. An eigenvalue that is rounded onto a grid is charged for it.
The total is increasing and of degree one in the m_i: upper bounds on the m_i give upper bounds on
the total. Proof page: proofs/joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs

from dpframe.privacy import REPLACE_ONE, Relation
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, Number, add, maximum, power
from dpframe.theory.book import PLAIN

from .answers import answers
from .columns import Column
from .maps.grid import Grid
from .rows import Rows
from .statistics import Statistic

ALONE = PLAIN.role


@attrs.frozen
class Joint:
    """The joint move of `statistics` under `relation`; `sizes` are per row."""

    statistics: tuple[Statistic, ...]
    relation: Relation
    sizes: tuple[Expression, ...]
    family: tuple[str, ...]

    @classmethod
    def of(cls, statistics: Sequence[Statistic], relation: Relation) -> Joint | None:
        """The joint move, or None where some statistic has no L2 bound."""
        table = _table(statistics) if relation is REPLACE_ONE else (None, None)
        roles = tuple(_role(statistic, table) for statistic in statistics)
        sizes = [
            _size(statistic, role, relation)
            for statistic, role in zip(statistics, roles, strict=True)
        ]
        known = tuple(size for size in sizes if size is not None)
        return cls(tuple(statistics), relation, known, roles) if len(known) == len(sizes) else None

    @property
    def together(self) -> bool:
        """Whether some of them move together."""
        return any(role != ALONE for role in self.family)

    @property
    def rule(self) -> str:
        """The rule's name."""
        return "joint supremum of one pair (proofs/joint)" if self.together else "sum of squares"

    @property
    def exact_below(self) -> tuple[bool, ...]:
        """For each statistic, whether its move is part of `attained`."""
        return tuple(_reached(statistic, self.relation) for statistic in self.statistics)

    @property
    def charge(self) -> Fraction:
        """What rounding lambda_min down to multiples of B^2/2^bits may add, as a part of m3: a move
        of l <= B^2 becomes one of at most l + B^2/2^bits. (Moves of B^2 stay what they are.)
        """
        if self.relation is not REPLACE_ONE:
            return Fraction(0)
        pairs = zip(self.statistics, self.family, strict=True)
        floors = [_read(one)[0] for one, role in pairs if role == "floor"]
        shares = [Fraction(1, 2**rows.bits) for rows in floors if isinstance(rows, Grid)]
        return max((share * (2 + share) for share in shares), default=Fraction(0))

    def total(self, moves: Sequence[Expression]) -> Expression:
        """An upper bound on the sum, from the m_i (or upper bounds of them)."""
        return maximum(*self.branches(moves, maximum))

    def branches(
        self, moves: Sequence[Expression], larger: Callable[[Expression, Expression], Expression]
    ) -> tuple[Expression, ...]:
        """Formulas whose maximum is the total; `larger` decides max(A, m2), or bounds it from
        above.
        """
        gram, moment, floor, squares = (
            self._of(role, moves) for role in ("gram", "moment", "floor", "squares")
        )
        rest = self._of(ALONE, moves)
        amount = 2 * gram + floor
        if moment == ZERO:
            return (amount + squares + rest,)
        rest = rest + self.charge * floor
        most = moment if amount == ZERO else _settle(amount, moment, larger)
        first = power(most + moment, 2) / most + rest
        return (first,) if squares == ZERO else (first, most + moment + squares + rest)

    def attained(self, moves: Sequence[Expression]) -> Expression:
        """A lower bound on the supremum, from the m_i: only moves that one pair is known to reach
        together count.
        """
        moves = [
            move if reached else ZERO for move, reached in zip(moves, self.exact_below, strict=True)
        ]
        if self.relation is REPLACE_ONE and not self.together:
            return maximum(ZERO, *moves)
        gram, moment, floor, squares = (
            self._of(role, moves) for role in ("gram", "moment", "floor", "squares")
        )
        if self.relation is not REPLACE_ONE:
            return add(*moves)
        amount = 2 * gram + floor
        if moment == ZERO:
            return amount + squares
        larger = moment if amount == ZERO else _settle(amount, moment, maximum)
        return maximum(power(larger + moment, 2) / larger, amount + moment + squares)

    def _of(self, role: str, moves: Sequence[Expression]) -> Expression:
        return add(
            *(move for move, own in zip(moves, self.family, strict=True) if own == role), ZERO
        )


ZERO = Number(Fraction(0))


def _settle(
    a: Expression, b: Expression, larger: Callable[[Expression, Expression], Expression]
) -> Expression:
    """The larger of two positive formulas: at once where their quotient is a number, by `larger`
    otherwise.
    """
    quotient = a / b
    if isinstance(quotient, Number):
        return a if quotient.value >= 1 else b
    return larger(a, b)


def _table(statistics: Sequence[Statistic]) -> tuple[Rows | None, Column | None]:
    """The rows and labels that move together: those of the first X'y, if there is one."""
    known = [_read(statistic) for statistic in statistics if _known(statistic)]
    both = [(rows, column) for rows, column in known if rows is not None and column is not None]
    rows_of = [rows for rows, _ in known if rows is not None]
    columns = [column for _, column in known if column is not None]
    return next(iter(both), (next(iter(rows_of), None), next(iter(columns), None)))


def _read(statistic: Statistic) -> tuple[Rows | None, Column | None]:
    """The rows and the labels of a statistic that moves with others."""
    table = getattr(statistic, "gram", statistic)
    return getattr(table, "rows", None), getattr(table, "column", None)


def _known(statistic: Statistic) -> bool:
    """Whether the rule is about this statistic: a class derived from it may be anything."""
    inner = [one for one in statistic.inputs if isinstance(one, Statistic)]
    return all(answers(one).role != ALONE for one in (statistic, *inner))


def _role(statistic: Statistic, table: tuple[Rows | None, Column | None]) -> str:
    """Its role among statistics of this table; alone where it is of another."""
    if not _known(statistic):
        return ALONE
    pairs = zip(_read(statistic), table, strict=True)
    here = all(own is None or own == common for own, common in pairs)
    return answers(statistic).role if here else ALONE


def _size(statistic: Statistic, role: str, relation: Relation) -> Expression | None:
    """B^2 or B Y where it moves with others, its sensitivity where it moves by itself."""
    rows, column = (None, None) if role == ALONE else _read(statistic)
    if rows is None:
        own = statistic.one_row(L2, relation)
        return None if own is None else own.value
    norm, bound = rows.norm, rows.norm if column is None else column.bound
    if norm is None or bound is None:
        return None
    return power(norm, 2) if column is None else norm * bound


def _reached(statistic: Statistic, relation: Relation) -> bool:
    own = statistic.one_row(L2, relation)
    return own is not None and own.attained
