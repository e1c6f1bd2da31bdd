"""Joint calibration: the noise of a whole declaration, scaled together until the target is met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain, listed_words, of_kind
from dpframe.graph import ColumnNode, Graph, Regression, Release, RowsNode
from dpframe.graph.joint import unit_std
from dpframe.graph.rewriting import Rule, Scaling, recalibrated
from dpframe.privacy import GaussianDP, PureDP, Share
from dpframe.symbols import Expression, Number, add, sqrt

from .mixture import (
    ADDED,
    Mixture,
    amplified,
    composed_factor,
    epsilons,
    squared_mu,
    total_rho,
    upper,
)

REACH = 32  # doublings of noise that are tried
EXAMPLE = "Such as dp.regressions.Jointly(of=dp.literature.AdaSSPWang())."


class Jointly(Regression):
    """Another declaration, with all of its noise multiplied by the one factor at which the whole
    spends the budget; proportions stay. [DongRS22, Cor 3.3; ZhuDW22, Thm 10]

    All Gaussian: the factor is a formula, right for every epsilon and delta. Gaussian and pure
    noise together: under zCDP a formula, under (epsilon, delta) a number, from numbers, by the
    certified numeric accountant. Claims of the declaration about shares are dropped.
    """

    title: ClassVar[str] = "joint calibration"
    of: Regression = attrs.field(validator=of_kind(Regression, "a declaration", EXAMPLE))

    def __str__(self) -> str:
        """`AdaSSPWang(rho=1/20), all noise calibrated jointly`."""
        return f"{self.of}, all noise calibrated jointly"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The declaration with the noise of each release scaled. Calibrated already, it stays."""
        if isinstance(self.of, Jointly):
            return self.of.declare(X, y, budget)
        pure = budget if budget.currency == ("epsilon",) else None

        def scaled(graph: Graph) -> Rule:
            return Scaling(noise_factor(_additive(graph).releases, budget), pure).release

        return recalibrated(self.of, X, y, budget, scaled)


def _additive(graph: Graph) -> Graph:
    """The graph, if all that it spends is noise. Raises InvalidArgument."""
    if not graph.additive:
        named = ", ".join(one.label for one in (*graph.procedures, *graph.bounds))
        way_out = "Procedures and bounds that may fail are calibrated by their shares."
        raise InvalidArgument("of", "a declaration that only adds noise", named, way_out)
    return graph


def noise_factor(releases: Sequence[Release], budget: Share) -> Expression:
    """What all noise must be multiplied by to spend the budget. Raises InvalidArgument."""
    kinds = {release.gives for release in releases}
    if not releases or not kinds <= ADDED:
        names = ", ".join(sorted({release.noise.kind for release in releases})) or "no release"
        raise InvalidArgument("noise", "Gaussian or pure", names, "Calibrate each release alone.")
    numbers = all(isinstance(amount, Number) for amount in budget.amounts)
    counted = numbers and any(map(amplified, releases))
    if kinds == {GaussianDP} and not (counted and budget.currency == ("epsilon", "delta")):
        return sqrt(_moved(squared_mu(releases))) * unit_std(budget)
    if budget.currency == ("rho",):
        return sqrt(total_rho(releases) / budget.rho)
    if budget.currency == ("epsilon", "delta"):
        return Mixture.of(releases).factor(budget.epsilon, budget.delta)
    if budget.currency == ("epsilon",) and kinds == {PureDP}:
        return _pure_factor(releases, budget.epsilon)
    way_out = "(epsilon, delta) and rho take Gaussian and pure noise together."
    got = listed_words(budget.currency)
    raise InvalidArgument("budget", "one that this noise can spend", got, way_out)


def _pure_factor(releases: Sequence[Release], epsilon: Expression) -> Expression:
    """For pure noise: a formula on all rows, which is enough on samples; on these, at numbers, the
    least factor, rounded up.
    """
    whole = add(*epsilons(releases)) / epsilon
    counted = any(release.hides is not None for release in releases)
    if not counted or whole.symbols() or not isinstance(epsilon, Number):
        return whole
    draws, most = Mixture.of(releases).pure, epsilon.value

    def enough(factor: Fraction) -> bool:
        return sum(one.spent(factor) * one.count for one in draws) <= most

    return Number(_least(enough, Fraction(0), upper(whole)))


def _least(enough: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Fraction:
    """The least factor that is enough, rounded up, where `high` is enough."""
    for _ in range(64):
        middle = Fraction(float(low + high) / 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def factor_beside(
    changed: Sequence[Release], kept: Sequence[Release], budget: Share, least: Fraction
) -> Fraction:
    """What the noise of `changed` must be multiplied by to spend the budget beside the noise of
    `kept`, at numbers, rounded up; it is at least `least`. Raises InvalidArgument where no factor
    is enough.
    """

    def scaled(factor: Fraction) -> list[Release]:
        return [*map(Scaling(Number(factor)).release, changed), *kept]

    if budget.currency == ("epsilon", "delta"):
        epsilon, delta = budget.amounts
        return composed_factor(
            lambda factor: Mixture.of(scaled(factor)).parts(), epsilon, delta, least
        ).value

    def enough(factor: Fraction) -> bool:
        return upper(noise_factor(scaled(factor), budget)) <= 1

    high = next((least * 2**k for k in range(REACH) if enough(least * 2**k)), None)
    if high is None:
        names = listed_words(one.label for one in kept)
        way_out = "Raise this noise too."
        raise InvalidArgument("noise that stays", "within the budget", names, way_out)
    return _least(enough, least, high)


def _moved(square: Expression) -> Expression:
    if square == Number(Fraction(0)):
        way_out = "They are public here: use them without a release."
        raise InvalidArgument("statistics", "ones that neighbours move", Plain("none"), way_out)
    return square
