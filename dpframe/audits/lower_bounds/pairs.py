"""Draws of one mechanism on the worst pair of inputs that is known for it.

Whether two tables are neighbours, and how far they are apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial, singledispatch
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.identity import own
from dpframe.mechanisms import (
    AdditiveNoise,
    CorrelatedGaussian,
    Mechanism,
    PoissonSubsampled,
    RandomizedResponse,
    SelectionNoise,
    SubsampledWithoutReplacement,
)
from dpframe.numerics.rounding import to_float
from dpframe.privacy import ADD_REMOVE, Relation, number
from dpframe.randomness import Randomness
from dpframe.symbols import exact

from .exact_laws import worst_scores
from .neighbours import AttackedTable, Neighbours
from .threshold_events import Scores, fitted, log_density


def neighbouring(pair: Neighbours, relation: Relation, each: int = 1) -> Neighbours:
    """The pair, with how it differs in words: in at most `each` rows, those of one person. The
    order of the rows does not count. Raises InvalidArgument for tables that are no neighbours.
    """
    first, second = pair.tables
    _alike(first, second)
    gone, come = (_only(one, other) for one, other in ((first, second), (second, first)))
    if not gone and not come:
        way_out = "Two equal tables show nothing: let the second lack a row, or have another."
        raise InvalidArgument("on", f"two different tables ({relation})", "the same rows", way_out)
    added = relation is ADD_REMOVE
    if max(gone, come) > each or (bool(gone and come) if added else gone != come):
        wanted = f"neighbours under {relation}, which differ in {_rows(each)}"
        said = f"{_rows(gone)} only in the first, {_rows(come)} only in the second"
        raise InvalidArgument("on", wanted, said, _way_out(gone, come, each, added=added))
    told = f"{_rows(max(gone, come))} {'added or removed' if added else 'replaced'}"
    return attrs.evolve(pair, told=f"{pair.told}: {told}")


def _way_out(gone: int, come: int, each: int, *, added: bool) -> str:
    if max(gone, come) <= each and (gone == come or not (gone and come)):
        other = "REPLACE_ONE" if added else "ADD_REMOVE"
        return f"Under the other relation they are neighbours: dp.{other}."
    return "Give two tables that differ in the rows of one person."


def _alike(first: AttackedTable, second: AttackedTable) -> None:
    """Raises InvalidArgument for tables of other columns."""
    if first.X.shape[1:] != second.X.shape[1:]:
        wanted = "two tables with the same columns"
        raise InvalidArgument(
            "on", wanted, f"rows of shape {first.X.shape[1:]} and {second.X.shape[1:]}"
        )
    if (first.y is None) is not (second.y is None):
        raise InvalidArgument("on", "two tables with labels, or two without", "labels in one only")


def _only(one: AttackedTable, other: AttackedTable) -> int:
    """How many rows of the first the second lacks."""
    return sum((Counter(_records(one)) - Counter(_records(other))).values())


def _records(one: AttackedTable) -> list[tuple[Any, ...]]:
    labels = [None] * len(one.X) if one.y is None else one.y.tolist()
    return [(repr(row.tolist()), repr(y)) for row, y in zip(one.X, labels, strict=True)]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


Array = NDArray[Any]
FINE = 2**20  # steps of the grid to a unit of sensitivity
VECTOR = 3  # numbers of a joint draw


@attrs.frozen(eq=False)
class Drawn:
    """Draws on both inputs of a pair, in scores, and what the pair was."""

    what: str
    pair: str
    scores: Callable[[int, Randomness], Scores]
    doubles: bool = False
    """Whether noise is drawn in floating point."""


@singledispatch
def draws_of(mechanism: object, sensitivity: Fraction, relation: Relation) -> Iterator[Drawn]:
    """Every way in which a mechanism is drawn, on its worst pair. Raises InvalidArgument."""
    del sensitivity, relation
    kind = getattr(mechanism, "kind", mechanism)
    way_out = "Attack what draws it: dp.attack(run, on=(D, E), claim=mechanism)."
    raise InvalidArgument("mechanism", "one whose draws are known here", kind, way_out)


def from_draws(first: Array, second: Array) -> Scores:
    """Scores of draws, (n, m), that are learned on their first quarter."""
    quarter = len(first) // 4
    score = fitted(first[:quarter], second[:quarter])
    return Scores(score(first), score(second))


def law_of(noise: AdditiveNoise) -> type[AdditiveNoise]:
    """Its class; of noise from outside with parameters, one that draws at these."""
    kind = type(noise)
    if own(kind) or not noise.parameters:
        return kind
    law = {name: to_float(number(name, one), up=True) for name, one in noise.parameters.items()}
    draw: Callable[..., Array] = kind.sample
    drawing = staticmethod(partial(draw, **law))
    return type(kind.__name__, (kind,), {"__slots__": (), "sample": drawing})


@draws_of.register
def _(mechanism: AdditiveNoise, sensitivity: Fraction, *_: object) -> Iterator[Drawn]:
    """One number that moves by all of the sensitivity; on a grid, in doubles, and in a matrix."""
    kind, size = law_of(mechanism), number(mechanism.noise, mechanism.formula)
    moved = f"one number that is {float(sensitivity):g} larger"
    if kind.exact:
        told = "whole numbers" if kind.integer else "noise in steps of a grid"
        yield Drawn(told, moved, partial(_on_grid, kind, size, sensitivity))
    if kind.integer:
        if not kind.exact:
            way = partial(_in_doubles, kind, size, sensitivity, many=1)
            yield Drawn("whole numbers", moved, way)
        return
    for many in (1, VECTOR) if kind.joint else (1,):
        told = "noise in doubles" if many == 1 else f"a vector of {many} numbers"
        yield Drawn(
            told, moved, partial(_in_doubles, kind, size, sensitivity, many=many), doubles=True
        )
    off = f"entries off the diagonal that are larger, by {float(sensitivity):g} in all"
    yield Drawn("a symmetric matrix", off, partial(_matrix, kind, size, sensitivity), doubles=True)


def _on_grid(
    kind: type[AdditiveNoise], size: Fraction, moved: Fraction, n: int, rng: Randomness
) -> Scores:
    step = Fraction(1) if kind.integer else moved / FINE
    first, second = (kind.on_grid(size / step, n, rng.bits) for _ in range(2))
    shift, scale = float(moved / step), to_float(size / step, up=True)
    return _scores(kind, scale, np.array([shift]), first[:, None] + shift, second[:, None])


def _in_doubles(
    kind: type[AdditiveNoise],
    size: Fraction,
    moved: Fraction,
    n: int,
    rng: Randomness,
    *,
    many: int,
) -> Scores:
    scale, shift = to_float(size, up=True), np.zeros(many)
    shift[0] = float(moved)
    first, second = (sampled(kind, scale, n, (many,), rng.generator) for _ in range(2))
    return _scores(kind, scale, shift, first + shift, second)


def _matrix(
    kind: type[AdditiveNoise], size: Fraction, moved: Fraction, n: int, rng: Randomness
) -> Scores:
    """L1 counts the upper triangle; L2 is Frobenius's."""
    scale = to_float(size, up=True)
    entry = float(moved) / (2**0.5 if str(kind.norm) == "L2" else 1.0)
    shift = np.array([[0.0, entry], [entry, 0.0]])
    first, second = (
        sampled(kind, scale, n, (2, 2), rng.generator, symmetric=True) for _ in range(2)
    )
    return _scores(kind, scale, shift, first + shift, second, symmetric=True)


def sampled(
    kind: type[AdditiveNoise],
    size: float,
    n: int,
    shape: tuple[int, ...],
    rng: np.random.Generator,
    *,
    symmetric: bool = False,
) -> Array:
    """n draws of the mechanism's own sampler, (n, *shape); one call each where numbers depend on
    each other, as in an execution.
    """
    if not kind.joint or symmetric:  # of symmetric matrices each is a draw
        return kind.sample(size, (n, *shape), rng, symmetric=symmetric)
    return np.stack([kind.sample(size, shape, rng, symmetric=symmetric) for _ in range(n)])


def _scores(
    kind: type[AdditiveNoise],
    scale: float,
    shift: Array,
    first: Array,
    second: Array,
    *,
    symmetric: bool = False,
) -> Scores:
    """The logarithm of the ratio of the densities that are stated; learned where none is known."""
    found = []
    for one in (first, second):
        moved, still = (
            log_density(kind, scale, noise, symmetric=symmetric) for noise in (one - shift, one)
        )
        if moved is None or still is None:
            return from_draws(first.reshape(len(first), -1), second.reshape(len(second), -1))
        found.append(moved - still)
    return Scores(*found)


@draws_of.register
def _(mechanism: CorrelatedGaussian, sensitivity: Fraction, *_: object) -> Iterator[Drawn]:
    """A move along the direction of least noise."""
    rows = np.array([[float(entry) for entry in row] for row in mechanism.covariance])
    shift = float(sensitivity) * np.linalg.eigh(rows)[1][:, 0]

    def scores(n: int, rng: Randomness) -> Scores:
        first, second = (mechanism.sample((n,), rng.generator) for _ in range(2))
        towards = np.linalg.solve(rows, shift)
        return Scores((first + shift) @ towards, second @ towards)

    yield Drawn(
        "noise in doubles", "a move along the direction of least noise", scores, doubles=True
    )


@draws_of.register
def _(mechanism: RandomizedResponse, sensitivity: Fraction, *_: object) -> Iterator[Drawn]:
    """One value becomes another."""
    changed = int(sensitivity)

    def scores(n: int, rng: Randomness) -> Scores:
        first, second = (
            mechanism.sample(np.full((n, changed), value), rng.bits) for value in (0, 1)
        )
        return Scores(
            *(((a == 0).sum(axis=1) - (a == 1).sum(axis=1)).astype(float) for a in (first, second))
        )

    yield Drawn(
        "answers",
        "the value 0 against 1" if changed == 1 else f"{changed} values 0 against 1",
        scores,
    )


@draws_of.register
def _(mechanism: SelectionNoise, sensitivity: Fraction, *_: object) -> Iterator[Drawn]:
    """The pair of score vectors whose laws are the hardest to hide, by the law in exact balls."""
    pair, scale = worst_scores(mechanism, sensitivity), number("scale", mechanism.scale)

    def scores(n: int, rng: Randomness) -> Scores:
        drawn = [mechanism.chosen(np.tile(row, (n, 1)), scale, rng.bits) for row in pair]
        return from_draws(*(one[:, None].astype(float) for one in drawn))

    told = " against ".join(str([round(one, 6) for one in row]) for row in pair)
    yield Drawn("the index", f"scores {told}", scores)


@draws_of.register
def _(mechanism: PoissonSubsampled, sensitivity: Fraction, relation: Relation) -> Iterator[Drawn]:
    """A table of one row against the empty one: n coins are n samples of it."""
    if relation is not ADD_REMOVE:
        raise InvalidArgument("relation", "add/remove for a Poisson sample", relation)

    def chosen(n: int, rng: Randomness) -> Array:
        seen = np.zeros(n)
        seen[mechanism.rows(n, rng.bits)] = 1.0
        return seen

    yield _subsampled(mechanism.mechanism, sensitivity, chosen)


@draws_of.register
def _(
    mechanism: SubsampledWithoutReplacement, sensitivity: Fraction, *_: object
) -> Iterator[Drawn]:
    """The first row of the table is replaced: it counts where the sample has it."""

    def chosen(n: int, rng: Randomness) -> Array:
        return np.array([float(mechanism.rows(mechanism.of, rng.bits)[0] == 0) for _ in range(n)])

    yield _subsampled(mechanism.mechanism, sensitivity, chosen)


def _subsampled(
    base: Mechanism, sensitivity: Fraction, chosen: Callable[[int, Randomness], Array]
) -> Drawn:
    if not isinstance(base, AdditiveNoise):
        way_out = "Attack what draws it: dp.attack(run, on=(D, E), claim=mechanism)."
        raise InvalidArgument("mechanism", "additive noise on a sample", base.kind, way_out)
    kind, size = type(base), to_float(number(base.noise, base.formula), up=True)

    def scores(n: int, rng: Randomness) -> Scores:
        shape = (1,) if kind.joint else ()
        first, second = (sampled(kind, size, n, shape, rng.generator).reshape(n) for _ in range(2))
        first = first + float(sensitivity) * chosen(n, rng)
        return Scores(first, second)

    return Drawn("fresh samples of the rows", "one row, which a sample may have or not", scores)


def sensitivity_of(value: object) -> Fraction:
    """A sensitivity as an exact number above 0. Raises InvalidArgument."""
    found = number("sensitivity", exact(value, "sensitivity"))
    if found <= 0:
        raise InvalidArgument("sensitivity", "above 0", found)
    return found
