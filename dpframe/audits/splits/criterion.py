"""What a split is to make small: a formula of the noise and of public numbers; the simplest is the
expected squared noise of all releases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Release
from dpframe.prover.at_numbers import is_size
from dpframe.symbols import Expression, Number, Symbol, add, power, rational


class Criterion(ABC):
    """Abstract: a number that a split makes small, a formula of the noise of a graph and of public
    numbers alone.
    """

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What it is, in words, with its public numbers."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the caller says is public or true."""
        return ()

    @property
    @abstractmethod
    def sizes(self) -> Mapping[str, Expression]:
        """The public sizes of the table, d and perhaps n, by name."""

    @abstractmethod
    def formula(self, graph: Graph) -> Expression:
        """The criterion of a graph, in its symbols but for the sizes. Raises InvalidArgument."""

    def of(self, graph: Graph, free: Sequence[Symbol] = ()) -> Expression:
        """The formula, checked to read nothing but the symbols `free`. Raises InvalidArgument."""
        found = self.formula(graph).substitute(dict(self.sizes))
        for symbol in sorted(found.symbols() - set(free), key=lambda one: one.name):
            _refuse(symbol)
        return found


def _refuse(symbol: Symbol) -> None:
    if is_size(symbol):
        wanted, way_out = "given to the criterion", f"Give it {symbol.name}=..., a public number."
    elif symbol.origin is not None:
        wanted = "no part of a criterion: it is not public before the release"
        way_out = "A split is chosen from public numbers; take a number that was known before."
    else:
        wanted, way_out = "a number", "Give the target, the setting and other fields numbers."
    raise InvalidArgument(symbol.name, wanted, f"the symbol {symbol}", way_out)


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least `least`, as it was given. Raises InvalidArgument."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        way_out = "It is public: a number that you know without looking at the data."
        raise InvalidArgument(name, f"a whole number of at least {least}", value, way_out)
    if value < least:
        raise InvalidArgument(name, f"a whole number of at least {least}", value)
    return int(value)


def columns(value: Any) -> int:
    """d >= 1. Raises InvalidArgument."""
    return whole("d", value, 1)


def rows(value: Any) -> int:
    """n >= 1. Raises InvalidArgument."""
    return whole("n", value, 1)


def condition(value: Any) -> Fraction:
    """A condition >= 1. Raises InvalidArgument."""
    found = public_number("condition", value)
    if found < 1:
        raise InvalidArgument("condition", "at least 1", value)
    return found


def public_number(name: str, value: Any, *, zero: bool = False) -> Fraction:
    """A positive number, exact (0 too where `zero`). Raises InvalidArgument, also for a symbol."""
    if isinstance(value, Expression) and not isinstance(value, Number):
        way_out = "A split is chosen from public numbers, before any data is touched."
        raise InvalidArgument(name, "a public number", str(value), way_out)
    number = rational(value, name)
    if number < 0 or (number == 0 and not zero):
        raise InvalidArgument(name, "0 or more" if zero else "positive", value)
    return number


def _weights(value: Any) -> tuple[tuple[str, Fraction], ...]:
    if not isinstance(value, Mapping):
        way_out = "Such as weights={'gram': 1, 'floor': '1/10'}."
        raise InvalidArgument("weights", "numbers by the names of releases", value, way_out)
    return tuple(
        (str(name), public_number(f"weight of {name}", one, zero=True))
        for name, one in value.items()
    )


@attrs.frozen(kw_only=True)
class NoiseCriterion(Criterion):
    """The expected squared noise, sum_i c_i times_i E|Z_i|^2: |Z_i| is the 2-norm of the noise that
    one draw adds to release i, over all entries of its value (of a matrix the Frobenius norm).

    `d` >= 1 columns of the table, `n` >= 1 rows where noise may read them (replace-one); `weights`
    are the c_i >= 0 by the names of releases, 1 where none is given. E|Z|^2 of p numbers is p
    std^2; of a symmetric matrix d (d + 1)/2 std^2 where noise is isotropic (dp.Gaussian,
    L2Laplace), d^2 std^2 where it is mirrored or drawn for every entry. Its unit is that of the
    squared statistics. Raises InvalidArgument.
    """

    d: int = attrs.field(converter=columns)
    n: int | None = attrs.field(default=None, converter=attrs.converters.optional(rows))
    weights: tuple[tuple[str, Fraction], ...] = attrs.field(factory=dict, converter=_weights)

    @property
    def sizes(self) -> Mapping[str, Expression]:
        """d, and n where it was given."""
        given = {"d": self.d} | ({} if self.n is None else {"n": self.n})
        return {name: Number(Fraction(value)) for name, value in given.items()}

    @property
    def sentence(self) -> str:
        """In words."""
        said = ", ".join(f"{name} {weight}" for name, weight in self.weights)
        weighed = f", weighted {said} (others 1)" if said else ""
        return f"expected squared noise, all entries of all releases{weighed}, at d = {self.d}"

    def formula(self, graph: Graph) -> Expression:
        """The sum over the releases."""
        return add(*(self.cost(one, graph) * power(one.std, 2) for one in graph.releases))

    def cost(self, release: Release, graph: Graph) -> Expression:
        """What the squared std of a release is multiplied by: c, the draws, the entries."""
        weights = dict(self.weights)
        labels = [one.label for one in graph.releases]
        for name in weights:
            if name not in labels:
                raise InvalidArgument("weights", f"of {', '.join(labels)}", name)
        weight = Number(weights.get(release.label, Fraction(1)))
        return weight * release.times * release.squared_noise
