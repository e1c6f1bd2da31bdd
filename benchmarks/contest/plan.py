"""What a contest asks for: every world, repeat, method and claim, each as a line of results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Relation

from .entrants import BASELINES, Entrant, default
from .fitting import fitter, refusal
from .worlds import World

KEY = (
    "family",
    "world",
    "bounds",
    "method",
    "version",
    "epsilon",
    "delta",
    "relation",
    "seed",
    "repeat",
    "folds",
)
"""What names a line. A baseline's epsilon, delta and relation are null: it claims nothing. The
version is the hash of a certificate's graph, which names its functions and does not hold their
code: a method whose post-processing was edited is to be run again by name.
"""
Key = tuple[Any, ...]
RELATIONS = {one.option: one for one in Relation}


@attrs.frozen
class Ask:
    """A line to be written: its key, and the method that answers."""

    key: Key
    spec: str
    epsilon: float | None


@attrs.frozen
class Task:
    """One repeat of one world, and everything that is asked of its splits."""

    world: World
    repeat: int
    asks: tuple[Ask, ...]
    contest: Contest


def _positive(_instance: object, field: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    if not value or not all(0 < one < float("inf") for one in value):
        raise InvalidArgument(field.name, "numbers above 0", value)


def _share(_instance: object, field: attrs.Attribute[Any], value: float) -> None:
    if not 0 < value < 1:
        raise InvalidArgument(field.name, "a number in (0, 1)", value)


@attrs.frozen
class Contest:
    """Worlds, claims and methods. The zero predictor and the worlds' references always enter.

    Folds are random by (seed, repeat, world), noise by (seed, repeat, world, method, epsilon): who
    enters moves nobody else.
    """

    worlds: tuple[World, ...]
    methods: tuple[str, ...] = attrs.field(factory=default)
    epsilons: tuple[float, ...] = attrs.field(default=(0.1,), validator=_positive)
    delta: float = attrs.field(default=1e-6, validator=_share)
    relation: str = attrs.field(default="add-remove", validator=attrs.validators.in_(RELATIONS))
    repeats: int = 20
    folds: int = 10
    seed: int = 0

    @property
    def entrants(self) -> tuple[str, ...]:
        """Every method once, baselines first."""
        return tuple(dict.fromkeys((*BASELINES, *self.methods)))

    def refusals(self) -> dict[str, str]:
        """Methods that nobody certifies here, and why."""
        found = {
            (spec, epsilon): refusal(spec, RELATIONS[self.relation], epsilon, self.delta)
            for spec in self.entrants
            for epsilon in self.epsilons
        }
        return {
            f"{spec} at epsilon {epsilon:g}": why for (spec, epsilon), why in found.items() if why
        }

    def tasks(self, done: Collection[Key]) -> Iterator[Task]:
        """What is not `done`: one repeat of every world, then the next, so that a contest that was
        stopped has equally many of each.
        """
        claims = list(self._claims())
        for repeat in range(self.repeats):
            for world in self.worlds:
                asks = (self._ask(world, repeat, claim) for claim in claims)
                missing = tuple(ask for ask in asks if ask.key not in done)
                if missing:
                    yield Task(world, repeat, missing, self)

    def _claims(self) -> Iterator[tuple[str, float | None, str]]:
        """(method, epsilon, version) for all that run."""
        relation = RELATIONS[self.relation]
        for spec in self.entrants:
            for epsilon in (None,) if Entrant.of(spec).baseline else self.epsilons:
                if epsilon is None or not refusal(spec, relation, epsilon, self.delta):
                    yield spec, epsilon, fitter(spec, relation).version(epsilon, self.delta)

    def _ask(self, world: World, repeat: int, method: tuple[str, float | None, str]) -> Ask:
        spec, epsilon, version = method
        claim = (None, None, None) if epsilon is None else (epsilon, self.delta, self.relation)
        named = (world.family, world.name, world.bounds, spec, version)
        return Ask((*named, *claim, self.seed, repeat, self.folds), spec, epsilon)
