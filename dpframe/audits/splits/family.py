"""What a search for a split varies: a symbolic field of a declaration, or every share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.exact.interval import Interval
from dpframe.graph import Graph, Regression, Setting
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, Symbol, parameter, rational

from .resplit import Resplit, inner, released

SHARES = "shares"
Numbers = Mapping[str, Fraction]


@attrs.frozen
class Family:
    """Declarations that differ in the numbers of the `free` symbols only, by the names under which
    a split shows them: a field, or releases, of whose `shares` the proportions are free.
    """

    regression: Regression
    free: Mapping[str, Symbol]
    shares: bool = False

    @classmethod
    def of(cls, regression: Regression, setting: Setting, budget: Share, over: object) -> Family:
        """The field called `over`, or every share for "shares"; None: the one that is symbolic, or
        every share where none is. Raises InvalidArgument.
        """
        if not isinstance(regression, Regression):
            raise InvalidArgument("regression", "a dp.Regression", regression)
        fields = {symbol.name: symbol for symbol in symbols_of(regression)}
        names = sorted(fields)
        if over == SHARES or (over is None and not fields):
            return _every_share(regression, setting, budget)
        if over is None and len(names) > 1:
            way_out = f"Such as over={names[0]!r}, or over='shares' for the whole budget."
            given = Plain(f"none, with symbolic {', '.join(names)}")
            raise InvalidArgument("over", "given where several fields are symbolic", given, way_out)
        name = names[0] if over is None else over
        if not isinstance(name, str) or name not in fields:
            way_out = "A field is free while it is symbolic: gamma=dp.parameter('gamma', 0, 1)."
            raise InvalidArgument("over", f"one of {', '.join([*names, SHARES])}", over, way_out)
        if fields[name].origin is not None:
            way_out = "A split is chosen from public numbers, before any data is touched."
            raise InvalidArgument(
                name, "a public parameter", Plain("a number of the data"), way_out
            )
        return cls(regression, {name: fields[name]})

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The free ones, in order."""
        return tuple(self.free.values())

    @property
    def over(self) -> str:
        """What is chosen, in words."""
        return SHARES if self.shares else ", ".join(self.free)

    def point(self, split: Numbers) -> dict[str, Fraction]:
        """The numbers of the free symbols."""
        return {symbol.name: split[name] for name, symbol in self.free.items()}

    def at(self, split: Numbers) -> Regression:
        """The declaration at a split."""
        point = self.point(split).items()
        return filled(self.regression, {name: Number(value) for name, value in point})

    def ends(self, within: Sequence[object] | None) -> list[Interval]:
        """Between which numbers to look, for each symbol. Raises InvalidArgument."""
        if within is None:
            return [_bounded(symbol) for symbol in self.symbols]
        if self.shares:
            raise InvalidArgument("within", "left out where every share is free", within)
        return [_within(self.symbols[0], within)]

    def inside(self, split: Numbers, ends: Sequence[Interval]) -> bool:
        """Every number is in its domain and range."""
        return all(
            low <= split[name] <= high and split[name] in symbol.domain
            for (name, symbol), (low, high) in zip(self.free.items(), ends, strict=True)
        )

    def equal(self, releases: int) -> tuple[str, dict[str, Fraction]]:
        """Equal parts, with which a choice is compared, and their name: adaSSP's own split for
        adaSSPbudget.
        """
        split = dict.fromkeys(self.free, Fraction(1, releases))
        said = "equal shares" if self.shares else f"{' = '.join(self.free)} = 1/{releases}"
        return said, split


def _every_share(regression: Regression, setting: Setting, budget: Share) -> Family:
    of = inner(regression)
    releases = released(Graph.of(of.graph(setting, budget).output))
    if len(releases) < 2:
        wanted, way_out = "at least two, to divide a budget among", "Free a field of it instead."
        raise InvalidArgument("releases", wanted, releases[0].label, way_out)
    free = {one.label: parameter(f"p_{i + 1}", 0, 1) for i, one in enumerate(releases)}
    resplit: Any = Resplit(of=filled(of, {}), weights=tuple(free.values()))  # type: ignore[call-arg]
    return Family(resplit, free, shares=True)


def symbols_of(regression: Regression) -> set[Symbol]:
    """Every symbol of its fields, and of those of declarations inside."""
    kind: Any = type(regression)
    symbols: set[Symbol] = set()
    for field in attrs.fields(kind):
        value = getattr(regression, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Expression):
                symbols |= part.symbols()
            if isinstance(part, Regression):
                symbols |= symbols_of(part)
    return symbols


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
        raise InvalidArgument(symbol.name, "a number that varies continuously", Plain(domain))
    if domain.lower is None or domain.upper is None:
        way_out = "Say where to look: within=(lower, upper)."
        raise InvalidArgument(symbol.name, "bounded on both sides", Plain(domain), way_out)
    return Interval(domain.lower, domain.upper)


def _within(symbol: Symbol, within: Sequence[object]) -> Interval:
    if not isinstance(within, (tuple, list)) or len(within) != 2:
        raise InvalidArgument("within", "a pair (lower, upper)", within)
    low, high = (rational(end, "within") for end in within)
    domain = symbol.domain
    above = domain.lower is None or low >= domain.lower
    below = domain.upper is None or high <= domain.upper
    if not (above and below and low < high):
        raise InvalidArgument("within", f"(lower, upper) with lower < upper, {domain}", within)
    return Interval(low, high)
