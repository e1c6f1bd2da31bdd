"""Boards: the errors of one family, bounds and claim, by world and method, from results alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .entrants import BASELINES, ZERO
from .results import Record

Array = NDArray[Any]
REFERENCES = {"uci": "Ridge", "codebook": "Ridge", "synthetic": "OLS", "drawn": "OLS"}
TABLES = ("uci", "codebook")  # families of real tables, cross-validated
LEAST = 0.01  # of zero's error, that the reference must save for a world to have a signal


@attrs.frozen(order=True)
class Heading:
    """What a board's numbers have in common."""

    family: str
    bounds: str
    relation: str
    delta: float
    epsilon: float
    folds: int
    seed: int


@attrs.frozen(eq=False)
class Board:
    """Test errors by world, method and repeat: each the mean over its folds.

    `reference` is the regression without noise that errors are measured from.
    """

    heading: Heading
    errors: Mapping[str, Mapping[str, Mapping[int, float]]]
    sizes: Mapping[str, tuple[int, int]]

    @property
    def reference(self) -> str:
        """Of the family."""
        return REFERENCES[self.heading.family]

    @property
    def worlds(self) -> tuple[str, ...]:
        """In the order of the results."""
        return tuple(self.errors)

    @property
    def methods(self) -> tuple[str, ...]:
        """Those that some world has, in the order of the results; baselines first."""
        found = dict.fromkeys(one for of_world in self.errors.values() for one in of_world)
        return tuple(sorted(found, key=lambda one: one not in BASELINES))

    @property
    def private(self) -> tuple[str, ...]:
        """Methods that claim something."""
        return tuple(one for one in self.methods if one not in BASELINES)

    @property
    def repeats(self) -> tuple[int, int]:
        """The least and the largest number of repeats of a private method."""
        counts = [
            len(of_method)
            for of_world in self.errors.values()
            for name, of_method in of_world.items()
            if name in self.private
        ]
        return min(counts, default=0), max(counts, default=0)

    def has(self, world: str, *methods: str) -> bool:
        """Whether a world has them all."""
        return all(self.errors[world].get(one) for one in methods)

    def worlds_with(self, *methods: str) -> tuple[str, ...]:
        """Those that have them all."""
        return tuple(world for world in self.worlds if self.has(world, *methods))

    def mean(self, world: str, method: str, repeats: Sequence[int] | None = None) -> float:
        """The mean error over repeats, or some of them; NaN where there is none."""
        found = self.errors[world].get(method, {})
        chosen = [found[one] for one in (found if repeats is None else repeats) if one in found]
        return float(np.mean(chosen)) if chosen else np.nan

    def common(self, world: str, *methods: str) -> tuple[int, ...]:
        """The repeats that all methods have."""
        of_world = self.errors[world]
        found = [of_world.get(one, {}).keys() for one in methods]
        return tuple(sorted(set.intersection(*map(set, found))))

    def signal(self, world: str) -> bool:
        """Whether the reference saves at least 1% of zero's error: whether there is something to be
        learnt.
        """
        zero = self.mean(world, ZERO)
        return zero - self.mean(world, self.reference) >= LEAST * zero

    def relative(self, world: str, method: str) -> float:
        """(error - reference)/(zero - reference): 0 as good as without noise, 1 as bad as zero."""
        zero, least = self.mean(world, ZERO), self.mean(world, self.reference)
        return (self.mean(world, method) - least) / (zero - least)

    def lost(self, world: str, method: str) -> Array:
        """(error - reference)/zero of every repeat: the R^2 lost, where labels have mean 0."""
        of_world = self.errors[world]
        mine, least, zero = (of_world.get(one, {}) for one in (method, self.reference, ZERO))
        common = self.common(world, method, self.reference, ZERO)
        return np.array([(mine[i] - least[i]) / zero[i] for i in common])

    def differences(self, world: str, mine: str, other: str) -> Array:
        """Errors of `mine` less those of `other`, of the repeats that both have."""
        a, b = self.errors[world].get(mine, {}), self.errors[world].get(other, {})
        return np.array([a[i] - b[i] for i in self.common(world, mine, other)])


def boards(records: Iterable[Record]) -> list[Board]:
    """A board for every heading, in order. Of a method that has several versions, the last written
    counts; baselines, which claim nothing, stand on every board of their worlds.
    """
    kept = latest(records)
    found: dict[Heading, list[Record]] = {}
    for record in kept:
        if record["epsilon"] is not None:
            found.setdefault(heading_of(record), []).append(record)
    plain = [record for record in kept if record["epsilon"] is None]
    return [
        board(heading, [*(one for one in plain if stands_on(one, heading)), *found[heading]])
        for heading in sorted(found)
    ]


def latest(records: Iterable[Record]) -> list[Record]:
    """Records of the last version of each method, at each claim."""
    known = list(records)
    last = {_family(record): record["version"] for record in known}
    return [record for record in known if last[_family(record)] == record["version"]]


def _family(record: Record) -> tuple[Any, ...]:
    names = ("family", "bounds", "method", "epsilon", "delta", "relation")
    return tuple(record[name] for name in names)


def heading_of(record: Record) -> Heading:
    """What its board has in common."""
    return Heading(**{field.name: record[field.name] for field in attrs.fields(Heading)})


def stands_on(record: Record, heading: Heading) -> bool:
    """Whether a baseline's record belongs on a board."""
    names = ("family", "bounds", "folds", "seed")
    return all(record[name] == getattr(heading, name) for name in names)


def board(heading: Heading, records: Iterable[Record]) -> Board:
    """The board of these records."""
    errors: dict[str, dict[str, dict[int, float]]] = {}
    sizes = {}
    for record in records:
        of_method = errors.setdefault(record["world"], {}).setdefault(record["method"], {})
        of_method[record["repeat"]] = float(np.mean(record["errors"]))
        sizes[record["world"]] = record["n"], record["d"]
    claimed = {world: one for world, one in errors.items() if set(one) - set(BASELINES)}
    return Board(heading, claimed, sizes)


def each(items: Iterable[Board]) -> Iterator[tuple[str, Board]]:
    """Boards with a short name, for files and anchors."""
    for one in items:
        head = one.heading
        yield f"{head.family}-{head.bounds}-{head.relation}-{head.delta:g}-{head.epsilon:g}", one
