"""The certificate: an immutable value that says what was proved, and the only thing that can be
executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Regression, Setting, still
from dpframe.graph.rows import COLUMNS
from dpframe.guarantees import Guarantee
from dpframe.symbols import Expression, Symbol, rational

from .enclose import enclose, rational_ball
from .obligation import Constraint, Obligation
from .report import Report, satisfied

IDEALIZED = "idealized numerics: {} proved over the reals and executed in floating point"
FAILURES = (
    "failures are not published: whether bad input is refused depends on the data "
    '(missing="drop" removes this)'
)
AMBIENT = "the declaration and its post-processing functions read no data but their arguments"


def _read_only(values: Mapping[str, Fraction]) -> Mapping[str, Fraction]:
    return MappingProxyType(dict(values))


@attrs.frozen(slots=False, eq=False)
class Certificate:
    """`report` proved its problem; `values` are the numbers given so far. Built by certify and load
    only.
    """

    regression: Regression
    report: Report
    values: Mapping[str, Fraction] = attrs.field(factory=dict, converter=_read_only)

    def __attrs_post_init__(self) -> None:
        """A certificate without a proof does not exist."""
        if not self.report.proved:
            raise InvalidArgument(
                "report", "proved", "one with open obligations", "dp.certify makes certificates."
            )
        for name, value in self.values.items():
            self._checked(name, value)
        self._inside(self.values)
        self._defined(self.values)

    @property
    def graph(self) -> Graph:
        """The graph that was proved."""
        return self.report.problem.graph

    @property
    def target(self) -> Guarantee:
        """What every execution satisfies, symbolic where the parameters are."""
        return self.report.problem.target

    @property
    def setting(self) -> Setting:
        """What is public, who is a neighbour, what one unit is."""
        return self.report.problem.setting

    @property
    def derivation(self) -> str:
        """The name of the derivation that proves the total."""
        return "" if self.report.chosen is None else self.report.chosen.name

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """Every obligation of the proof."""
        return self.report.obligations

    @property
    def region(self) -> tuple[Constraint, ...]:
        """Hypotheses of theorems that carve the declared domain; enforced by `at`."""
        return () if self.report.chosen is None else self.report.chosen.constraints

    @property
    def symbols(self) -> dict[str, Symbol]:
        """Every symbol, by name."""
        return {symbol.name: symbol for symbol in self.report.problem.symbols}

    @property
    def free(self) -> frozenset[str]:
        """Names of the parameters that still lack a number; public sizes of the data are bound at
        execution.
        """
        return frozenset(
            name
            for name, symbol in self.symbols.items()
            if name not in self.values and not is_size(symbol)
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed, not proved."""
        trusted = tuple(
            f"{kind.__module__}:{kind.__qualname__} is trusted: what it states of its sensitivity, "
            "noise or theorem is taken on its word"
            for kind in self.report.problem.foreign
        )
        unit = f"one unit of privacy is: {self.setting.unit}"
        return (unit, *self._idealized(), FAILURES, AMBIENT, *trusted)

    def _idealized(self) -> tuple[str, ...]:
        """The releases that are not computed exactly, each by name."""
        named = [one.label for one in self.graph.releases if not one.exact]
        if not named:
            return ()
        verb = "is" if len(named) == 1 else "are"
        return (IDEALIZED.format(f"{', '.join(dict.fromkeys(named))} {verb}"),)

    def at(self, **values: object) -> Certificate:
        """The certificate at numbers (exact: text, Fraction, int; a float is its shortest decimal);
        some may be left for later.

        Every number is checked against its domain, and against the proof's region by rigorous
        enclosure. Raises InvalidArgument.
        """
        given = {name: self._checked(name, value) for name, value in values.items()}
        return attrs.evolve(self, values={**self.values, **given})

    def _inside(self, given: Mapping[str, Fraction]) -> None:
        balls = {name: rational_ball(value) for name, value in given.items()}
        for constraint in self.region:
            names = {
                symbol.name for symbol in constraint.left.symbols() | constraint.right.symbols()
            }
            if names <= given.keys() and not satisfied(constraint, balls):
                where = ", ".join(f"{name} = {given[name]}" for name in sorted(names))
                way_out = (
                    "Certify at these numbers: dp.certify(..., target=dp.ApproxDP(...)) then "
                    "decides by the exact profile; or use dp.Gaussian.analytic."
                )
                raise InvalidArgument(
                    "parameters",
                    f"inside the proof's region, {constraint} ({constraint.source})",
                    where,
                    way_out,
                )

    def _defined(self, given: Mapping[str, Fraction]) -> None:
        """Every size of noise that has its numbers is a positive number there."""
        balls = {name: rational_ball(value) for name, value in given.items()}
        stated = {release.stated: release for release in self.graph.releases} if given else {}
        for release in stated.values():
            size = release.mechanism.formula
            names = {symbol.name for symbol in size.symbols()}
            if names and names <= given.keys() and not enclose(size, balls) > 0:
                where = ", ".join(f"{name} = {given[name]}" for name in sorted(names))
                way_out = f"{release.label}: {release.noise.noise} = {size} is undefined there."
                raise InvalidArgument("parameters", "where the noise is defined", where, way_out)

    def _checked(self, name: str, value: object) -> Fraction:
        if name not in self.symbols:
            known = ", ".join(sorted(self.symbols)) or "none"
            raise InvalidArgument(name, f"a parameter of this certificate: {known}", value, "")
        number, domain = rational(value, name), self.symbols[name].domain
        if number not in domain:
            raise InvalidArgument(name, str(domain), value, "")
        if name in self.values and self.values[name] != number:
            raise InvalidArgument(
                name,
                f"left at {self.values[name]}",
                value,
                "Start again from the certificate without numbers.",
            )
        return number

    def number(
        self, formula: Expression, *, up: bool, sizes: Mapping[str, int] | None = None
    ) -> float:
        """The value of `formula` at this certificate's numbers and the data's public sizes, rounded
        up or down rigorously.
        """
        from dpframe.numerics.rounding import arb_float

        return float(arb_float(self._ball(formula, sizes), up=up))

    def _ball(self, formula: Expression, sizes: Mapping[str, int] | None) -> Any:
        bound = {name for name, symbol in self.symbols.items() if is_size(symbol)}
        given = {name: Fraction(size) for name, size in (sizes or {}).items() if name in bound}
        known = {**self.values, **given}
        missing = sorted({symbol.name for symbol in formula.symbols()} - known.keys())
        if missing:
            raise InvalidArgument(
                "certificate",
                f"given a number for {', '.join(missing)}",
                "none",
                f"run = certificate.at({missing[0]}=...)",
            )
        return enclose(formula, {name: rational_ball(value) for name, value in known.items()})

    @cached_property
    def document(self) -> dict[str, object]:
        """The certificate file, as JSON values: see docs/certificate-format."""
        from .document import document

        return document(self)

    @property
    def hash(self) -> str:
        """SHA-256 of the statement, the graph and the assumptions."""
        return str(self.document["hash"])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its file, and proved again when it is loaded."""
        from .document import load

        return load, (json.loads(json.dumps(self.document)),)

    def save(self, path: str | Path) -> None:
        """Write the certificate file; `dpframe check` and dp.load read it.

        Raises InvalidArgument where dp.load could not import the declaration or a function again.
        """
        places: list[Any] = [type(self.regression), *(p.function for p in self.graph.posts)]
        lost = [place.__qualname__ for place in places if "<" in place.__qualname__]
        if lost:
            way_out = "Define it at the top of a module."
            raise InvalidArgument("declaration", "importable as module:name", lost[0], way_out)
        Path(path).write_text(json.dumps(self.document, indent=1) + "\n")

    def preview(self, *, n: int, d: int) -> Any:
        """Noise and expected error at public sizes, before anything is spent."""
        from .preview import preview

        return preview(self, n=n, d=d)

    def __str__(self) -> str:
        """What was proved, as an officer reads it."""
        from .text import certificate_text

        return certificate_text(self)

    __repr__ = __str__


def is_size(symbol: Symbol) -> bool:
    """Whether the symbol is a public size of the data: d, or n under replace-one."""
    return symbol == COLUMNS or (symbol.origin is not None and still(symbol))


def canonical_hash(*parts: object) -> str:
    """SHA-256 of canonical JSON."""
    return hashlib.sha256(
        json.dumps(list(parts), sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()
