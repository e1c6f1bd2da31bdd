"""What a statistic states of itself, attacked: a search for neighbouring tables that move it
further than it says.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import attrs
import numpy as np

from dpframe.graph import Setting
from dpframe.privacy import ADD_REMOVE
from dpframe.sensitivity import L1, L2, Norm

from .moves import Measured
from .table_pairs import Palette, Shows, TablePair, described, invented, simpler, varied

ROUNDING = Fraction(1, 10**9)  # of what is stated: doubles added in another order differ


@attrs.frozen(eq=False)
class Attacked:
    """What `tried` pairs of neighbouring tables say of what a statistic states in one norm: the
    worst of them, or, where it breaks the claim, a simpler `pair` that breaks it too.

    `moved` is at most the true move and `stated` at least what is stated for tables of that size,
    both exact; so `refuted` is a fact, and its absence proves nothing. `slack` is the share of
    `stated` that rounding may add: 0 for statistics in whole steps. `ratio` is the largest
    moved/stated that was seen, in doubles.
    """

    label: str
    norm: Norm
    unit: str
    stated: Fraction
    moved: Fraction
    pair: TablePair
    tried: int
    slack: Fraction
    ratio: float
    shows: Shows

    @property
    def refuted(self) -> bool:
        """Whether the pair breaks what is stated."""
        return self.moved > self.stated * (1 + self.slack)

    @property
    def _more(self) -> bool:
        return self.stated > 0 and self.ratio > 1.01 * float(self.moved / self.stated)

    def __str__(self) -> str:
        """`refuted: ...` with the two tables, or how near the search came."""
        states = f"{self.label} states {_shown(self.stated)} in {self.norm} ({self.unit})"
        far = _shown(self.moved)
        if not self.refuted:
            return f"not refuted: {states}; the worst of {self.tried} pairs moves it by {far}"
        pair = described(self.pair, self.shows)
        more = f"; others by {self.ratio:.4g} times what it states" if self._more else ""
        return f"refuted: {states}; these neighbours move it by {far}{more}\n{pair}"


def attack_statistic(
    make: Callable[..., object],
    setting: Setting,
    *,
    columns: int = 2,
    norms: tuple[Norm, ...] = (L1, L2),
    tries: int = 1000,
    rng: np.random.Generator | int = 0,
) -> tuple[Attacked, ...]:
    """Look for two neighbouring tables between which `make(X, y)` moves further than it states: one
    answer for each of the norms in which it states anything, for a number one at most.

    Tables are random, at the ends of the declared intervals and beyond, and made for floating
    point: many equal records, and records that differ in the last bit. Half of the `tries`, for
    each norm, vary the worst pair so far. Rows have so many `columns`, or those of a codebook.
    What is stated may read d and, under replace-one, n. Values are those that the machine computes,
    compared exactly.

    >>> import dpframe as dp
    >>> table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    >>> print(*attack_statistic(lambda X, y: X.T @ y, table, norms=(L2,), tries=50))
    not refuted: X'y states 1 in L2 (one row added or removed); the worst of 50 pairs moves it by 1
    """
    statistic = make(*setting.nodes())
    measured = Measured(statistic, columns)
    palette = Palette.of(measured.graph, measured.columns, measured.number)
    asked = [norm for norm in norms if statistic.sensitivity(norm) is not None]
    asked = asked if statistic.shape else asked[:1]
    random = np.random.default_rng(rng)
    return tuple(_attacked(measured, palette, norm, tries, random) for norm in asked)


def _attacked(
    measured: Measured, palette: Palette, norm: Norm, tries: int, rng: np.random.Generator
) -> Attacked:
    statistic = measured.statistic
    removes, k = statistic.unit.relation is ADD_REMOVE, measured.records
    worst = invented(palette, k, removes=removes, rng=rng)
    most = measured.ratio(worst, norm)
    for turn in range(1, tries):
        large = 2 * turn < tries
        pair = (
            invented(palette, k, removes=removes, rng=rng)
            if large
            else varied(worst, palette, rng=rng)
        )
        ratio = measured.ratio(pair, norm)
        if ratio > most:
            worst, most = pair, ratio
    slack = Fraction(0) if statistic.exact else ROUNDING
    pair = _simplified(measured, worst, norm, slack)
    return Attacked(
        label=statistic.label,
        norm=norm,
        unit=str(statistic.unit),
        stated=measured.stated(norm, pair),
        moved=measured.moved(pair, norm),
        pair=pair,
        tried=tries,
        slack=slack,
        ratio=max(most, measured.ratio(pair, norm)),
        shows=measured.shows,
    )


def _simplified(measured: Measured, worst: TablePair, norm: Norm, slack: Fraction) -> TablePair:
    """The pair made simpler, step by step, as long as it breaks what is stated."""

    def breaks(pair: TablePair) -> bool:
        return measured.moved(pair, norm) > measured.stated(norm, pair) * (1 + slack)

    found: TablePair | None = worst if breaks(worst) else None
    while found is not None:
        worst, found = found, next(filter(breaks, simpler(found)), None)
    return worst


def _shown(value: Fraction) -> str:
    return f"{float(value):.6g}"
