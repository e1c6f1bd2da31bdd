"""What is free: one hyperparameter of a declaration, or every share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.exact.interval import Interval
from dpframe.graph import Graph, Regression, Setting
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, Symbol, parameter

from .resplit import Resplit, inner, released

SHARES = "shares"


@attrs.frozen
class Family:
    """Declarations that differ in the numbers of `symbols` only; `labels` names the releases where
    their shares are what is free.
    """

    regression: Regression
    symbols: tuple[Symbol, ...]
    labels: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, regression: Regression, setting: Setting, budget: Share, over: str | None
    ) -> Family:
        """The hyperparameter called `over`, or every share for "shares"; None: the one that is
        symbolic, else every share. Raises InvalidArgument.
        """
        if not isinstance(regression, Regression):
            raise InvalidArgument("regression", "a dp.Regression", regression)
        named = {symbol.name: symbol for symbol in symbols_of(regression)}
        if over == SHARES or (over is None and not named):
            return _shares(regression, setting, budget)
        if over is None and len(named) > 1:
            way_out = "Name one by over=..., and give the others numbers; or over='shares'."
            raise InvalidArgument("over", "one symbolic field", ", ".join(sorted(named)), way_out)
        name = next(iter(named)) if over is None else over
        if name not in named:
            known = ", ".join([*sorted(named), SHARES])
            way_out = f"A field is free while it is symbolic: {name}=dp.parameter({name!r}, 0, 1)."
            raise InvalidArgument("over", f"one of {known}", name, way_out)
        if named[name].origin is not None:
            way_out = "A split is chosen from public numbers, before any data is touched."
            raise InvalidArgument(name, "a public parameter", "a number of the data", way_out)
        return cls(regression, (named[name],))

    def at(self, point: Mapping[str, Fraction]) -> Regression:
        """The declaration at numbers."""
        values = {name: Number(value) for name, value in point.items()}
        return filled(self.regression, values)

    def ends(self, within: Sequence[object] | None) -> list[Interval]:
        """Between which numbers to look, for each symbol. Raises InvalidArgument."""
        if within is not None and self.labels:
            raise InvalidArgument("within", "left out where shares are free", within)
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
