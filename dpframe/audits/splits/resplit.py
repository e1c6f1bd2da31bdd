"""Another declaration with its budget divided anew: every noise level is free.

What is free: one hyperparameter of a declaration, or every share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain, listed_words, of_kind
from dpframe.exact.interval import Interval
from dpframe.graph import ColumnNode, Graph, Regression, Release, RowsNode, Setting
from dpframe.graph.joint import unit_std
from dpframe.graph.rewriting import Rule, recalibrated
from dpframe.mechanisms.base import PureNoise, StdNoise
from dpframe.privacy import GaussianDP, PureDP, Share
from dpframe.prover import Jointly
from dpframe.prover.algebra import Field
from dpframe.prover.profile_rule import joint_of
from dpframe.symbols import Expression, Number, Symbol, add, exact, parameter, sqrt

EXAMPLE = "Such as dp.audits.Resplit(of=dp.SSP(), weights=(2, 1))."
Noise = dict[str, tuple[Any, Share | None]]


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
            return lambda one: _with(one, noise)

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
    rule = rule_of(releases)
    found = rule(releases, weights, budget)
    return {release.label: one for release, one in zip(releases, found, strict=True)}


def rule_of(releases: Sequence[Release]) -> Callable[..., list[tuple[Any, Share | None]]]:
    """How these releases divide a budget. Raises InvalidArgument."""
    kinds = {release.gives for release in releases}
    if kinds == {GaussianDP} and all(issubclass(one.noise, StdNoise) for one in releases):
        return _gaussian
    if kinds == {PureDP} and all(issubclass(one.noise, PureNoise) for one in releases):
        return _pure
    names = ", ".join(sorted({release.noise.kind for release in releases}))
    way_out = "Divide its budget by shares of your own, with a parameter for what is to be chosen."
    raise InvalidArgument("noise", "all Gaussian, or all pure", names, way_out)


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
        (one.noise(moved(one) * one.times / share.epsilon), _once(share, one))  # type: ignore[call-arg]
        for one, share in zip(releases, shares, strict=True)
    ]


def _once(share: Share, release: Release) -> Share:
    """The share of one draw."""
    return share.split(1 / release.times)[0]


def moved(release: Release) -> Expression:
    """The sensitivity in the norm of its noise. Raises InvalidArgument."""
    sensitivity = release.statistic.sensitivity(release.noise.norm)
    if sensitivity is None:
        raise InvalidArgument("statistic", "bounded", release.statistic.label, "Clip its rows.")
    return sensitivity.value


def _with(release: Release, noise: Noise) -> Release:
    """The release with its new noise."""
    mechanism, share = noise[release.label]
    return attrs.evolve(release, stated=mechanism, share=share)


SHARES = "shares"


@attrs.frozen
class Family:
    """Declarations that differ in the numbers of `symbols` only; `labels` names the releases where
    their shares are what is free. `implied` are fields that follow, by their formulas.
    """

    regression: Regression
    symbols: tuple[Symbol, ...]
    labels: tuple[str, ...] = ()
    implied: Mapping[str, Expression] = attrs.field(factory=dict)

    @classmethod
    def of(cls, regression: Regression, setting: Setting, budget: Share, over: object) -> Family:
        """The fields called `over`, or every share for "shares"; None: the one that is symbolic,
        all that are where shares are made of them, else every share. Raises InvalidArgument.
        """
        if not isinstance(regression, Regression):
            raise InvalidArgument("regression", "a dp.Regression", regression)
        named = {symbol.name: symbol for symbol in symbols_of(regression)}
        if over == SHARES or (over is None and not named):
            return _shares(regression, setting, budget)
        names = _every(named, regression, setting, budget) if over is None else _listed(over)
        for name in names:
            if name not in named:
                known = ", ".join([*sorted(named), SHARES])
                way_out = "A field is free while it is symbolic: "
                way_out += f"{name}=dp.parameter({name!r}, 0, 1)."
                raise InvalidArgument("over", f"one of {known}", name, way_out)
            if named[name].origin is not None:
                way_out = "A split is chosen from public numbers, before any data is touched."
                raise InvalidArgument(name, "a public parameter", "a number of the data", way_out)
        found = cls(regression, tuple(named[name] for name in names))
        return found._without_last(setting, budget) if len(names) > 1 else found

    def _without_last(self, setting: Setting, budget: Share) -> Family:
        """With the last field 1 less the others, where the shares are seen to sum to all fields
        and a number.
        """
        shares = _shares_of(self.regression, setting, budget)
        fields = add(*self.symbols)
        rest = Field(self.symbols).constant(add(*shares) - fields) if shares else None
        if rest is None:
            return self
        *others, last = self.symbols
        left = add(Number(1 - rest), *(-1 * one for one in others))
        regression = filled(self.regression, {last.name: left})
        return Family(regression, tuple(others), implied={last.name: left})

    def at(self, point: Mapping[str, Fraction]) -> Regression:
        """The declaration at numbers."""
        values = {name: Number(value) for name, value in point.items()}
        return filled(self.regression, values)

    @property
    def names(self) -> tuple[str, ...]:
        """What is chosen: every field, those that follow last."""
        return (*(symbol.name for symbol in self.symbols), *self.implied)

    def whole(self, point: Mapping[str, Fraction]) -> dict[str, Expression]:
        """The numbers of a point, and of the fields that follow from them."""
        values = {name: Number(value) for name, value in point.items()}
        follow = {name: left.substitute(values) for name, left in self.implied.items()}
        return {**values, **follow}

    def ends(self, within: Sequence[object] | None) -> list[Interval]:
        """Between which numbers to look, for each symbol. Raises InvalidArgument."""
        if within is not None and (self.labels or len(self.symbols) > 1):
            raise InvalidArgument("within", "left out where more than one number is free", within)
        if within is not None:
            return [_within(self.symbols[0], within)]
        return [_bounded(symbol) for symbol in self.symbols]

    def weights(self, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The part of each release at a point of the shares; they sum to 1."""
        parts, rest = {}, Fraction(1)
        for label, symbol in zip(self.labels, self.symbols, strict=False):
            parts[label] = rest * point[symbol.name]
            rest -= parts[label]
        return {**parts, self.labels[-1]: rest}

    def point(self, weights: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The inverse of `weights`, from positive numbers of any sum."""
        rest, found = sum(weights.values(), Fraction(0)), {}
        for label, symbol in zip(self.labels, self.symbols, strict=False):
            found[symbol.name] = weights[label] / rest
            rest -= weights[label]
        return found


def _every(
    named: Iterable[str], regression: Regression, setting: Setting, budget: Share
) -> tuple[str, ...]:
    """All symbolic fields, one or those that shares are made of. Raises InvalidArgument."""
    names = tuple(sorted(named))
    if len(names) > 1 and not set(names) <= _dividing(regression, setting, budget):
        way_out = (
            f"Name what is to be chosen: over={names[0]!r}, over={names[:2]} for several, or "
            "over='shares'; give the others numbers."
        )
        given = Plain(f"none, with symbolic {', '.join(names)}")
        raise InvalidArgument("over", "given where several fields are symbolic", given, way_out)
    return names


def _listed(over: object) -> tuple[str, ...]:
    """One name or several different ones. Raises InvalidArgument."""
    given = over if isinstance(over, (tuple, list)) else (over,)
    names = tuple(one for one in given if isinstance(one, str))
    if not names or len(names) < len(given) or len(set(names)) < len(names):
        way_out = "Such as over='gamma', over=('a', 'b') or over='shares'."
        raise InvalidArgument("over", "a field, several different ones, or shares", over, way_out)
    return names


def _shares_of(regression: Regression, setting: Setting, budget: Share) -> list[Expression]:
    """The part of the budget of each release in all its draws; empty where one states none."""
    releases = Graph.of(regression.graph(setting, budget).output).releases
    shares = [one.share.weights[0] * one.times for one in releases if one.share is not None]
    return shares if len(shares) == len(releases) else []


def _dividing(regression: Regression, setting: Setting, budget: Share) -> set[str]:
    """The names of the symbols that shares are made of."""
    shares = _shares_of(regression, setting, budget)
    return {symbol.name for share in shares for symbol in share.symbols()}


def _shares(regression: Regression, setting: Setting, budget: Share) -> Family:
    """The first share is p_1, the next p_2 of what is left, and so on."""
    of = inner(regression)
    releases = released(Graph.of(of.graph(setting, budget).output))
    if len(releases) < 2:
        wanted, way_out = "at least two, to divide a budget among", "Free a field of it instead."
        raise InvalidArgument("releases", wanted, releases[0].label, way_out)
    symbols = tuple(parameter(f"p_{i + 1}", 0, 1) for i in range(len(releases) - 1))
    weights: list[Expression] = []
    rest: Expression = Number(Fraction(1))
    for symbol in symbols:
        weights.append(rest * symbol)
        rest = rest * (1 - symbol)
    free: Any = Resplit(of=of, weights=(*weights, rest))  # type: ignore[call-arg]
    return Family(free, symbols, tuple(release.label for release in releases))


def symbols_of(regression: Regression) -> set[Symbol]:
    """Every symbol of its fields, and of those of declarations inside."""
    kind: Any = type(regression)
    found: set[Symbol] = set()
    for field in attrs.fields(kind):
        value = getattr(regression, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Expression):
                found |= part.symbols()
            if isinstance(part, Regression):
                found |= symbols_of(part)
    return found


def filled(regression: Regression, values: Mapping[str, Expression]) -> Regression:
    """The declaration with numbers for symbols of its fields. Raises InvalidArgument."""
    kind: Any = type(regression)
    given = {f.alias: _filled(getattr(regression, f.name), values) for f in attrs.fields(kind)}
    changed: Regression = attrs.evolve(regression, **given)  # type: ignore[misc]
    return changed


def _filled(value: Any, values: Mapping[str, Expression]) -> Any:
    if isinstance(value, Expression):
        return value.substitute(values)
    if isinstance(value, Regression):
        return filled(value, values)
    return tuple(_filled(part, values) for part in value) if isinstance(value, tuple) else value


def _bounded(symbol: Symbol) -> Interval:
    domain = symbol.domain
    if domain.integer:
        raise InvalidArgument(symbol.name, "a number that varies continuously", str(domain))
    if domain.lower is None or domain.upper is None:
        way_out = "Say where to look: within=(lower, upper)."
        raise InvalidArgument(symbol.name, "bounded on both sides", str(domain), way_out)
    return Interval(domain.lower, domain.upper)


def _within(symbol: Symbol, within: Sequence[object]) -> Interval:
    from dpframe.symbols import rational

    if not isinstance(within, (tuple, list)) or len(within) != 2:
        raise InvalidArgument("within", "a pair (lower, upper)", within)
    low, high = (rational(end, "within") for end in within)
    domain = symbol.domain
    inside = (domain.lower is None or low >= domain.lower) and (
        domain.upper is None or high <= domain.upper
    )
    if not (inside and low < high):
        raise InvalidArgument("within", f"(lower, upper) with lower < upper, {domain}", within)
    return Interval(low, high)
