"""A privacy odometer: what adaptively chosen queries have cost so far, with no ceiling."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NoReturn

from dpframe.accountants.conversions import epsilon_of
from dpframe.errors import OutsideTheorem
from dpframe.numbers import Exact, given, open_unit, positive
from dpframe.numerics import Interval, arb_float, ball, to_float, working
from dpframe.privacy import ApproxDP, Guarantee, PureDP, ZeroConcentratedDP

from .meter import Cost, Meter, empty, new_header
from .prices import guarantee_of, kind_of


class Odometer(Meter):
    """Adds up what queries cost, in the currency of `kind`, and never refuses for lack of budget.

    `total` is what the queries guarantee where it does not depend on what was released: costs and
    end were fixed beforehand, or bounded by a total that was. Where costs were chosen adaptively,
    `epsilon_at_all_times` is what holds. [RogersRUV16] [WhitehouseRRW23]

    >>> import dpframe as dp
    >>> odometer = dp.Odometer(dp.ZeroConcentratedDP)
    >>> odometer.spend(dp.ZeroConcentratedDP("1/10"))
    >>> odometer.spend(dp.PureDP("1/2"))
    >>> odometer.total
    ZeroConcentratedDP(rho=9/40)
    """

    __slots__ = ()
    endless = True

    def __init__(self, kind: type[Guarantee]) -> None:
        """Begin with nothing spent. `kind` is a class, such as dp.PureDP."""
        found = kind_of(kind)
        super().__init__(new_header(found, None, None), empty(found, None))

    @property
    def total(self) -> Guarantee | None:
        """The sum as a guarantee: None where nothing was spent. Raises InvalidArgument where the
        deltas have reached 1, which guarantees nothing.
        """
        return guarantee_of(self.kind, self._state.spent)

    def epsilon(self, delta: Exact) -> Interval:
        """The epsilon that `total` implies at this delta, as for a total fixed beforehand.

        0 < delta < 1. At a time, or for costs, that were chosen by what was released this is no
        guarantee: fix a ceiling (a Filter), or take `epsilon_at_all_times`.
        """
        at, total = open_unit("delta", given("delta", delta)), self.total
        return Interval(0.0, 0.0) if total is None else epsilon_of(total, at)

    def epsilon_at_all_times(self, delta: Exact, *, aim: Exact) -> float:
        """A bound on the privacy loss that holds at all times together, rounded up.

        For every pair of neighbours: with probability at least 1 - delta, the loss of all that was
        released never exceeds this number, read at any and every time with the same delta and
        aim, both fixed before the first query. In zCDP it is rho (1 + s) + log(1/delta)/s with s
        = sqrt(log(1/delta)/aim), least at rho = aim > 0; mu-Gaussian DP counts as rho = mu^2/2; in
        pure DP it is epsilon itself, with certainty. Raises OutsideTheorem for approximate DP.
        """
        at = open_unit("delta", given("delta", delta))
        wanted, spent = positive("aim", given("aim", aim)), self._state.spent[0]
        if self.kind is ApproxDP:
            way_out = "Fix a ceiling beforehand: dp.Filter."
            raise OutsideTheorem(f"sums of (epsilon, delta) bound no loss at all times. {way_out}")
        if self.kind is PureDP or not spent:
            return to_float(spent, up=True)
        rho = spent if self.kind is ZeroConcentratedDP else spent / 2
        return _line(rho, at, _slope(at, wanted))

    def _refuse(self, cost: Cost) -> NoReturn:
        raise TypeError(cost)  # there is no ceiling to exceed

    def __repr__(self) -> str:
        """`Odometer(zcdp: rho 1/2 in 3 queries)`."""
        state = self._state
        totals = ", ".join(
            f"{name} {total}" for name, total in zip(self.kind.currency, state.spent, strict=True)
        )
        return f"Odometer({self.kind.kind}: {totals} in {state.queries} queries)"


def _slope(delta: Fraction, aim: Fraction) -> Fraction:
    """Near sqrt(log(1/delta)/aim), as one exact positive number, the same at every call.

    Any positive number would do; it is fixed by delta and aim alone, so all times share it.
    """
    surprise = math.log(delta.denominator) - math.log(delta.numerator)
    most = min(max(to_float(aim, up=False), 1e-300), 1e300)
    return Fraction(max(math.sqrt(surprise / most), 1e-150))


def _line(rho: Fraction, delta: Fraction, slope: Fraction) -> float:
    with working(128):
        s = ball(slope)
        return arb_float(ball(rho) * (1 + s) - ball(delta).log() / s, up=True)
