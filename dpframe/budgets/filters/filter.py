"""A privacy filter: a budget that adaptively chosen queries cannot exceed."""

from __future__ import annotations

from typing import NoReturn

from dpframe.errors import BudgetExceeded, InvalidArgument
from dpframe.privacy import ApproxDP, Guarantee, Share

from .ledger import after
from .meter import Cost, Meter, empty, new_header
from .prices import KINDS, amounts_of, exactly, fixed, price, share_of
from .targets import largest_inside


class Filter(Meter):
    """Admits queries while their exact total is at most `ceiling`; each query, its cost and the end
    may depend on everything released before.

    All that was released together satisfies `ceiling`: epsilons and deltas add [RogersRUV16], rhos
    add [WhitehouseRRW23, Thm 1], squares of mu add [KoskelaTH23]. A cost in another kind counts by
    a cited implication. With `by`, zCDP or Gaussian DP, the ceiling is the largest one inside the
    given (epsilon, delta), rounded down.

    >>> import dpframe as dp
    >>> filter = dp.Filter(dp.PureDP(1))
    >>> for _ in range(10):
    ...     filter.spend(dp.PureDP(0.1))
    >>> filter.fits(dp.PureDP("1e-300")), filter
    (False, Filter(1-differential privacy: epsilon 1 of 1 in 10 queries))
    """

    __slots__ = ()
    endless = False

    def __init__(self, ceiling: Guarantee, *, by: type[Guarantee] | None = None) -> None:
        """Begin with nothing spent. Raises InvalidArgument for a ceiling that is no number."""
        target = None
        if by is not None:
            ceiling, target = largest_inside(ceiling, by), ceiling
        if type(ceiling) not in KINDS.values():
            known = ", ".join(f"dp.{kind.__name__}" for kind in KINDS.values())
            raise InvalidArgument("ceiling", f"one of {known}", ceiling)
        kind = type(ceiling)
        amounts = amounts_of(ceiling, kind)
        state = empty(kind, fixed("ceiling", kind.currency, amounts))
        super().__init__(
            new_header(kind, amounts, target if type(target) is ApproxDP else None), state
        )

    @property
    def ceiling(self) -> Guarantee:
        """What everything that is ever released through this filter satisfies."""
        return exactly(self.kind, self._header.ceiling or ())

    @property
    def target(self) -> ApproxDP | None:
        """The (epsilon, delta) that the ceiling was chosen inside, where it was."""
        return self._header.target

    @property
    def remaining(self) -> Share:
        """What is left of the ceiling, exactly; it can be split, and spent."""
        return share_of(self.kind, self._state.remaining)

    def fits(self, cost: Cost) -> bool:
        """Whether `spend` would admit it now. Raises InvalidArgument as `spend` does."""
        return after(self._state, price(cost, self.kind)) is not None

    def _refuse(self, cost: Cost) -> NoReturn:
        left = self.remaining
        named = ", ".join(
            f"{name} {amount}" for name, amount in zip(left.currency, left.amounts, strict=True)
        )
        way_out = "Nothing was charged; ask for less."
        raise BudgetExceeded(
            cost, left, f"{cost} does not fit: {named} is left of {self.ceiling}. {way_out}"
        )

    def __repr__(self) -> str:
        """`Filter(1-zCDP: rho 1/2 of 1 in 3 queries)`."""
        state, amounts = self._state, self._header.ceiling or ()
        totals = ", ".join(
            f"{name} {total} of {most}"
            for name, total, most in zip(self.kind.currency, state.spent, amounts, strict=True)
        )
        inside = f", inside {self.target}" if self.target else ""
        return f"Filter({self.ceiling}{inside}: {totals} in {state.queries} queries)"
