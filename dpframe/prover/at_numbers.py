"""A declaration at numbers: the values of its formulas, whether or not it was proved."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Self

import attrs

from dpframe.errors import InvalidArgument, Plain, nearest
from dpframe.graph import Graph, Known, OfBudgets, Regression, Setting
from dpframe.graph.rows import COLUMNS
from dpframe.graph.statistics import Statistic
from dpframe.privacy import Each, Guarantee
from dpframe.symbols import PUBLIC, Expression, Symbol, rational

from .algebra import enclose, rational_ball
from .report import Report


def _read_only(values: Mapping[str, Fraction]) -> Mapping[str, Fraction]:
    return MappingProxyType({name: Fraction(value) for name, value in values.items()})


@attrs.frozen(slots=False, eq=False)
class AtNumbers:
    """The graph of a declaration, with the numbers given so far."""

    regression: Regression
    report: Report
    values: Mapping[str, Fraction] = attrs.field(factory=dict, converter=_read_only)

    def __attrs_post_init__(self) -> None:
        """Check that numbers lie in their domains, and that noise is defined there."""
        for name, value in self.values.items():
            self._checked(name, value)
        self._defined(self.values)

    @property
    def graph(self) -> Graph:
        """The graph that was proved."""
        return self.report.problem.graph

    @property
    def target(self) -> Guarantee:
        """What every execution satisfies, symbolic where the parameters are."""
        return self.report.problem.claimed

    @property
    def setting(self) -> Setting:
        """Public bounds, neighbouring relation and unit of privacy."""
        return self.report.problem.setting

    @property
    def symbols(self) -> dict[str, Symbol]:
        """Every symbol, by name."""
        return {symbol.name: symbol for symbol in self.report.problem.symbols}

    @property
    def free(self) -> frozenset[str]:
        """Names of the parameters without a number; public sizes of the data are known at
        execution.
        """
        symbols, later = self.symbols, (is_size, is_released, is_of_budgets)
        names = symbols.keys() - self.values.keys()
        return frozenset(name for name in names if not any(one(symbols[name]) for one in later))

    def at(self, **values: object) -> Self:
        """The same at numbers (exact: text, Fraction, int; a float is read as its shortest
        decimal); some may be left for later. Every number is checked against its domain, and
        against the proof's region by rigorous enclosure. Raises InvalidArgument.
        """
        given = {name: self._checked(name, value) for name, value in values.items()}
        return attrs.evolve(self, values={**self.values, **given})

    def _defined(self, given: Mapping[str, Fraction]) -> None:
        """Check that every noise size with known numbers is positive there."""
        balls = {name: rational_ball(value) for name, value in given.items()}
        stated = {release.stated: release for release in self.graph.releases} if given else {}
        for release in stated.values():
            size = release.mechanism.formula
            names = {symbol.name for symbol in size.symbols()}
            if names and names <= given.keys() and not enclose(size, balls) > 0:
                where = ", ".join(f"{name} = {given[name]}" for name in sorted(names))
                way_out = f"{release.label}: {release.noise.noise} = {size} is undefined there."
                raise InvalidArgument("parameters", "where the noise is defined", where, way_out)

    def _instead(self, name: str) -> str:
        """The way out for a number that the target already has."""
        if not hasattr(self.target, name):
            return ""
        return f"It is of {self.target}: preview, dp.execute and the rest take it as it is."

    def _checked(self, name: str, value: object) -> Fraction:
        if name not in self.symbols:
            known = ", ".join(sorted(self.symbols)) or "none"
            hint = nearest(name, list(self.symbols)).strip() or self._instead(name)
            raise InvalidArgument(name, f"a parameter of this certificate: {known}", value, hint)
        if is_released(self.symbols[name]):
            raise InvalidArgument(name, "left to execution, which releases it", value, "")
        if is_of_budgets(self.symbols[name]):
            wanted, way_out = "left to the budgets of the records", "dp.execute(..., budgets=...)."
            raise InvalidArgument(name, wanted, value, way_out)
        number, domain = rational(value, name), self.symbols[name].domain
        if number not in domain:
            raise InvalidArgument(name, str(domain), value, "")
        if name in self.values and self.values[name] != number:
            way_out = "Start again from the certificate without numbers."
            raise InvalidArgument(name, f"left at {self.values[name]}", value, way_out)
        return number

    def number(
        self,
        formula: Expression,
        *,
        up: bool,
        sizes: Mapping[str, int] | None = None,
        released: Mapping[str, Fraction] | None = None,
    ) -> float:
        """The value of `formula` at this certificate's numbers, the data's public sizes and numbers
        that were released, rounded up or down rigorously.
        """
        from dpframe.numerics.rounding import arb_float

        return float(arb_float(self._ball(formula, sizes, released or {}), up=up))

    def _ball(
        self, formula: Expression, sizes: Mapping[str, int] | None, released: Mapping[str, Fraction]
    ) -> Any:
        names = {symbol.name for symbol in formula.symbols()}
        bound = {name for name, symbol in self.symbols.items() if is_size(symbol)} if sizes else {}
        given = {name: Fraction(size) for name, size in (sizes or {}).items() if name in bound}
        known = {**self.values, **given, **released}
        missing = sorted(names - known.keys())
        if missing:
            wanted = f"given a number for {', '.join(missing)}"
            way_out = f"run = certificate.at({missing[0]}=...)"
            raise InvalidArgument("certificate", wanted, Plain("none"), way_out)
        return enclose(formula, {name: rational_ball(known[name]) for name in names})


def is_size(symbol: Symbol) -> bool:
    """Whether the symbol is a public size of the data: d, or n under replace-one."""
    return symbol == COLUMNS or (isinstance(symbol.origin, Statistic) and symbol.scope is PUBLIC)


def is_released(symbol: Symbol) -> bool:
    """Whether the symbol stands for a number that an execution releases."""
    return isinstance(symbol.origin, Known)


def is_of_budgets(symbol: Symbol) -> bool:
    """Whether the symbol stands for a record's own budget, or for a number of all budgets."""
    return isinstance(symbol.origin, (Each, OfBudgets))
