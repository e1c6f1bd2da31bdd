"""Another declaration with its budget divided anew: every noise level is free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words, of_kind
from dpframe.graph import ColumnNode, Graph, Regression, Release, RowsNode
from dpframe.graph.joint import unit_std
from dpframe.graph.rewriting import Rule, recalibrated
from dpframe.mechanisms.base import PureNoise, StdNoise
from dpframe.privacy import GaussianDP, PureDP, Share
from dpframe.prover import Jointly
from dpframe.prover.mixture import joint_of
from dpframe.symbols import Expression, Number, add, exact, sqrt

EXAMPLE = "Such as dp.audits.Resplit(of=dp.SSP(), weights=(2, 1))."


def _weights(value: Any) -> tuple[Expression, ...]:
    found = tuple(value) if isinstance(value, (list, tuple)) else ()
    weights = tuple(exact(weight, "weight") for weight in found)
    wrong = [one for one in weights if isinstance(one, Number) and one.value <= 0]
    if not weights or wrong:
        wanted = "positive numbers or formulas, one for each release in order"
        raise InvalidArgument("weights", wanted, value, "Such as weights=(2, 1).")
    return weights


class Resplit(Regression):
    """Another declaration, whose releases spend the whole budget together in the proportions
    `weights`: of squared mu where all noise is Gaussian [DongRS22, Cor 3.3], of epsilon where it is
    pure [DworkR14, Thm B.1].

    `weights` are positive numbers or formulas, one for each release in the order in which the
    declaration makes them; a weight is that of all draws of its release. What the declaration says
    of shares and noise is dropped; its statistics, its kinds of noise and its post-processing stay.
    Release i is Gaussian of std rows size_i sqrt(times_i J/w_i) unit, where J is the joint total of
    the weights and unit the least std that the budget affords at sensitivity 1; or has pure noise
    of w_i/sum(w) of epsilon. A rule about noise of several kinds there is none: InvalidArgument.
    """

    title: ClassVar[str] = "budget divided anew"
    of: Regression = attrs.field(validator=of_kind(Regression, "a declaration", EXAMPLE))
    weights: tuple[Expression, ...] = attrs.field(converter=_weights)

    def __str__(self) -> str:
        """`SSP(ridge=1), noise divided 2 : 1`."""
        return f"{self.of}, noise divided {' : '.join(map(_said, self.weights))}"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The declaration with the noise of each release replaced."""

        def replaced(graph: Graph) -> Rule:
            releases = released(graph)
            if len(releases) != len(self.weights):
                wanted = f"{len(releases)} numbers, for {', '.join(one.label for one in releases)}"
                raise InvalidArgument("weights", wanted, listed_words(self.weights))
            noise = divided(releases, self.weights, budget)
            return lambda one: attrs.evolve(
                one, stated=noise[one.label][0], share=noise[one.label][1]
            )

        return recalibrated(inner(self.of), X, y, budget, replaced)


def _said(weight: Expression) -> str:
    """A decimal where it is short: 0.138."""
    if not isinstance(weight, Number):
        return str(weight)
    decimal = f"{float(weight.value):.6g}"
    return decimal if Fraction(decimal) == weight.value else str(weight)


def inner(regression: Regression) -> Regression:
    """The declaration whose noise is to be replaced: without what only scales or divides noise."""
    return inner(regression.of) if isinstance(regression, (Jointly, Resplit)) else regression


def released(graph: Graph) -> tuple[Release, ...]:
    """The releases of a graph that only adds noise, distinguished by their names. Raises
    InvalidArgument.
    """
    if not graph.additive or not graph.releases:
        named = ", ".join(one.label for one in (*graph.procedures, *graph.bounds)) or "no release"
        way_out = "Procedures, and bounds that may fail, are calibrated by their own shares."
        raise InvalidArgument("declaration", "one that only adds noise", named, way_out)
    labels = [release.label for release in graph.releases]
    if len(set(labels)) < len(labels):
        way_out = "Give each its own: dp.release(..., name='gram')."
        raise InvalidArgument("releases", "of different names", ", ".join(labels), way_out)
    sampled = [release.label for release in graph.releases if release.sampled is not None]
    if sampled:
        way_out = "dp.regressions.Jointly scales them by the numeric accountant."
        raise InvalidArgument("releases", "ones that read all rows", ", ".join(sampled), way_out)
    return graph.releases


def divided(
    releases: Sequence[Release], weights: Sequence[Expression], budget: Share
) -> dict[str, tuple[Any, Share | None]]:
    """The mechanism and the share of each release, by its name. Raises InvalidArgument."""
    kinds = {release.gives for release in releases}
    if kinds == {GaussianDP} and all(issubclass(one.noise, StdNoise) for one in releases):
        rule: Callable[..., list[tuple[Any, Share | None]]] = _gaussian
    elif kinds == {PureDP} and all(issubclass(one.noise, PureNoise) for one in releases):
        rule = _pure
    else:
        names = ", ".join(sorted({release.noise.kind for release in releases}))
        way_out = "Divide its budget by shares of your own, with a parameter for what is chosen."
        raise InvalidArgument("noise", "all Gaussian, or all pure", names, way_out)
    noise = rule(releases, weights, budget)
    return {release.label: one for release, one in zip(releases, noise, strict=True)}


def _gaussian(
    releases: Sequence[Release], weights: Sequence[Expression], budget: Share
) -> list[tuple[Any, Share | None]]:
    joint, unit = joint_of(releases), releases[0].statistic.unit
    spread = sqrt(joint.total(weights)) * unit_std(budget) * unit.rows_per_person
    rows = zip(releases, joint.sizes, weights, strict=True)
    return [
        (one.noise(spread * size * sqrt(one.times) / sqrt(weight)), None)  # type: ignore[call-arg]
        for one, size, weight in rows
    ]


def _pure(
    releases: Sequence[Release], weights: Sequence[Expression], budget: Share
) -> list[tuple[Any, Share | None]]:
    if budget.currency != ("epsilon",):
        way_out = "Certify it for dp.PureDP(epsilon)."
        got = listed_words(budget.currency)
        raise InvalidArgument("budget", "pure, as the noise is", got, way_out)
    whole = add(*weights)
    shares = budget.split(*(weight / whole for weight in weights))
    return [
        (one.noise(moved(one) * one.times / share.epsilon), share.split(1 / one.times)[0])  # type: ignore[call-arg]
        for one, share in zip(releases, shares, strict=True)
    ]


def moved(release: Release) -> Expression:
    """The sensitivity in the norm of its noise. Raises InvalidArgument."""
    sensitivity = release.statistic.sensitivity(release.noise.norm)
    if sensitivity is None:
        raise InvalidArgument("statistic", "bounded", release.statistic.label, "Clip its rows.")
    return sensitivity.value
