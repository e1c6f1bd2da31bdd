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
the total, so noise for several statistics at once spends one budget exactly. Proof page:
proofs/joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, Plain, listed_words
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Relation, Share
from dpframe.sensitivity import L2
from dpframe.symbols import ZERO, Expression, Number, add, analytic_sigma, exact, maximum, sqrt
from dpframe.theory import gaussian as book
from dpframe.theory.guarantees import OF_MU

from .facts import SymbolicContext, facts_of
from .statistics import Statistic

ALONE = "rest"
Larger = Callable[[Expression, Expression], Expression]


@attrs.frozen
class Joint:
    """The joint sensitivity of `statistics` under `relation`. `sizes` are for one row; `family` is
    the role of each statistic in the joint sensitivity, ALONE if it moves independently.
    """

    statistics: tuple[Statistic, ...]
    relation: Relation
    sizes: tuple[Expression, ...]
    family: tuple[str, ...]

    @classmethod
    def of(cls, statistics: Sequence[Statistic], relation: Relation) -> Joint | None:
        """The joint sensitivity, or None if some statistic has no L2 bound."""
        at = SymbolicContext(None, relation)
        known: list[Any] = book.sizes_of(at, [facts_of(one, relation) for one in statistics])  # type: ignore[arg-type]
        roles, sizes = (tuple(one[place] for one in known) for place in (0, 1))
        return None if at.open else cls(tuple(statistics), relation, sizes, roles)

    @property
    def together(self) -> bool:
        """Whether some of them move together."""
        return any(role != ALONE for role in self.family)

    @property
    def rule(self) -> str:
        """The rule's name."""
        return "joint supremum of one pair (proofs/joint)" if self.together else "sum of squares"

    @property
    def facts(self) -> list[Any]:
        """The facts that the rule book derives for each statistic."""
        return [facts_of(one, self.relation) for one in self.statistics]

    @property
    def exact_below(self) -> tuple[bool, ...]:
        """For each statistic, whether its sensitivity counts in `attained`."""
        moves = [one.one_row(L2, self.relation) for one in self.statistics]
        return tuple(move is not None and move.attained for move in moves)

    def total(self, moves: Sequence[Expression]) -> Expression:
        """An upper bound on the sum, from the m_i (or upper bounds of them)."""
        return maximum(*self.branches(moves))

    def squares(self, moves: Sequence[Expression]) -> Any:
        """The m_i by role in the joint sensitivity, and what rounding may add."""
        own: Any = list(zip(self.family, moves, strict=True))
        return book.charged(self.facts, own)

    def branches(
        self, moves: Sequence[Expression], larger: Larger | None = None
    ) -> tuple[Expression, ...]:
        """Formulas whose maximum is the total. `larger` decides max(A, m2), or bounds it from
        above; by default it is their maximum.
        """
        at: Any = SymbolicContext(None, self.relation)
        sums = book.by_part(at, self.squares(moves))
        decide = partial(book.larger, at, otherwise=larger)
        return tuple(book.joint(sums, decide, lambda f: at.constant(f) == 0))

    def attained(self, moves: Sequence[Expression]) -> Expression:
        """A lower bound on the supremum, from the m_i: only sensitivities that one pair of
        neighbours is known to attain simultaneously count.
        """
        at: Any = SymbolicContext(None, self.relation)
        attained = [m if one else ZERO for m, one in zip(moves, self.exact_below, strict=True)]
        if not at.replaced:
            return add(*attained)
        if not self.together:
            return maximum(ZERO, *attained)
        squares: Any = list(zip(self.family, attained, strict=True))
        m: Any = book.by_part(at, squares)
        rows = [s.table[0] for s in self.facts if s.part in {"gram", "floor"}]
        if any(at.constant(one.columns) == 1 for one in rows):  # (B, Y) for (0, 0), for (-B, Y)
            return maximum(m["gram"] + m["floor"] + m["moment"] + m["squares"], 4 * m["moment"])
        amount, moment, labels = m["gram"] * 2 + m["floor"], m["moment"], m["squares"]
        if moment == ZERO:
            return add(amount, labels)
        top = moment if amount == ZERO else book.larger(at, amount, moment)
        return maximum((top + moment) ** 2 / top, amount + moment + labels)


def jointly(
    budget: Share,
    statistics: Sequence[Statistic],
    weights: Sequence[object] | None = None,
    times: Sequence[object] | None = None,
) -> tuple[Gaussian, ...]:
    """Gaussian mechanisms whose joint cost for one pair of neighbours is exactly `budget`.

    `weights` divide its squared mu (equally by default). `times` is the number of draws of each
    statistic (1 by default); a weight covers all draws.

    For the whole budget this is proved for every epsilon and delta. For a part of it, beside other
    releases, it is proved at numbers only, since no share states the cost of each release by
    itself.

    std_i = unit_std size_i sqrt(J/w_i), where J is the joint total of the weights (their sum under
    add/remove) and unit_std is the std at sensitivity 1 that the budget allows:
    analytic_sigma(epsilon, delta), 1/sqrt(2 rho) or 1/mu. Raises InvalidArgument.
    """
    shares = [
        exact(weight, "weight")
        for weight in (weights if weights is not None else [1] * len(statistics))
    ]
    for weight in shares:
        if isinstance(weight, Number) and weight.value <= 0:
            way_out = "It is the part of the budget that its statistic spends, such as 1/10."
            raise InvalidArgument("weight", "positive", Plain("a number of 0 or less"), way_out)
    draws = [exact(count, "times") for count in (times or [1] * len(statistics))]
    joint = Joint.of(statistics, statistics[0].unit.relation) if statistics else None
    if joint is None or not len(shares) == len(draws) == len(statistics):
        got = listed_words(s.label for s in statistics)
        way_out = "Clip rows and labels to public bounds."
        raise InvalidArgument("statistics", "bounded in L2 norm, one weight each", got, way_out)
    spread = sqrt(joint.total(shares)) * unit_std(budget) * statistics[0].unit.rows_per_person
    return tuple(
        Gaussian(std=spread * size * sqrt(count) / sqrt(weight))
        for size, weight, count in zip(joint.sizes, shares, draws, strict=True)
    )


def unit_std(budget: Share) -> Expression:
    """The least std at sensitivity 1 that the budget allows."""
    if budget.currency == ("epsilon", "delta"):
        return analytic_sigma(budget.epsilon, budget.delta)
    if known := [one.of_mu for one in OF_MU if one.currency == budget.currency]:
        return 1 / sqrt(known[0] * budget.amounts[0])
    got = listed_words(budget.currency)
    way_out = (
        "Give it a delta. Without one, dp.Laplace.pure spends epsilon; of regressions with a "
        "budget for each person, dp.regressions.PersonalizedObjective."
    )
    raise InvalidArgument("budget", "one that Gaussian noise can spend", got, way_out)
