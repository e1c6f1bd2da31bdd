"""Noise of wrong size or kind, and formulas of another setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.graph import Graph, Procedure, Release
from dpframe.graph.maps.bounds import Box, ClipColumn, ClipNorm
from dpframe.graph.rewriting import Replacement, rewritten
from dpframe.mechanisms import AdditiveNoise, Calibration, Gaussian, Laplace
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE
from dpframe.sensitivity import L1, L2, Norm
from dpframe.symbols import ONE, Expression, Number, exact, power, sqrt

from ..subject import Change, Operator, Subject, in_unit, keep

# ---------------------------------------------------------------------------- Wrong sizes and kinds
Noise = Callable[[Subject, Release], AdditiveNoise | None]
Factor = Callable[[Subject, Release], Expression | None]
NINE_TENTHS, HALF = Number(Fraction(9, 10)), Number(Fraction(1, 2))


def each(noise: Noise) -> Callable[[Subject], Iterator[Change]]:
    """One edit a release: other noise, where `noise` has some for it."""

    def changes(subject: Subject) -> Iterator[Change]:
        for release in subject.releases:
            found = noise(subject, release)
            if found is not None:
                yield Change(release.label, partial(subject.replaced, {release: keep(found)}))

    return changes


def together(noise: Noise) -> Callable[[Subject], Iterator[Change]]:
    """One edit: other noise in all releases that `noise` has some for."""

    def changes(subject: Subject) -> Iterator[Change]:
        pairs = [(release, noise(subject, release)) for release in subject.releases]
        found = {release: keep(other) for release, other in pairs if other is not None}
        if found:
            yield Change("all releases", partial(subject.replaced, found))

    return changes


def several(noise: Noise) -> Callable[[Subject], Iterator[Change]]:
    """As `together`, where there are several releases."""

    def changes(subject: Subject) -> Iterator[Change]:
        if len(subject.releases) > 1:
            yield from together(noise)(subject)

    return changes


def times(factor: Factor) -> Noise:
    """Noise of the same kind, a multiple of what it was."""

    def noise(subject: Subject, release: Release) -> AdditiveNoise | None:
        found = factor(subject, release)
        return None if found is None else release.mechanism.scaled(found)

    return noise


def moved(release: Release, norm: Norm) -> Expression | None:
    """The sensitivity of what is released."""
    found = release.statistic.sensitivity(norm)
    return None if found is None else found.value


def gaussian(release: Release) -> bool:
    """Whether the noise is Gaussian."""
    return release.noise is Gaussian


def _laplace(subject: Subject, release: Release) -> AdditiveNoise | None:
    del subject
    return Laplace(release.mechanism.formula) if gaussian(release) else None


def _gaussian(subject: Subject, release: Release) -> AdditiveNoise | None:
    del subject
    return Gaussian(release.mechanism.formula) if release.noise is Laplace else None


def _other_norm(subject: Subject, release: Release) -> Expression | None:
    del subject
    one, two = moved(release, L1), moved(release, L2)
    return None if release.noise.norm is not L1 or one is None or two is None else two / one


def _inverse(subject: Subject, release: Release) -> AdditiveNoise | None:
    """Delta mu where Delta/mu was meant."""
    del subject
    own = moved(release, L2)
    if not gaussian(release) or own is None:
        return None
    return Gaussian(power(own, 2) / release.mechanism.formula)


def _from_epsilon(size: Callable[[Expression, Expression], Expression]) -> Noise:
    def noise(subject: Subject, release: Release) -> AdditiveNoise | None:
        own = moved(release, L2)
        if not gaussian(release) or own is None or subject.budget.currency[0] != "epsilon":
            return None
        return Gaussian(size(own, subject.budget.epsilon))

    return noise


def _of_epsilon(subject: Subject, release: Release) -> Expression | None:
    del release
    return 1 / subject.budget.epsilon if subject.budget.currency[0] == "epsilon" else None


def _rounds(subject: Subject, release: Release) -> Expression | None:
    del subject
    return None if release.times is ONE else 1 / sqrt(release.times)


def _alone(subject: Subject, release: Release) -> Expression:
    del release
    return 1 / sqrt(len(subject.releases))


def _classical(subject: Subject) -> Iterator[Change]:
    """sqrt(2 ln(1.25/delta))/epsilon, whose theorem asks for epsilon < 1."""
    found = {
        one: _ruled(Gaussian.classical)
        for one in subject.releases
        if gaussian(one) and _beyond(one)
    }
    if found:
        yield Change("all releases", partial(subject.replaced, found))


def _beyond(release: Release) -> bool:
    """Whether its share of epsilon may be 1 and more."""
    share = release.share
    if share is None or share.currency != ("epsilon", "delta"):
        return False
    return not isinstance(share.epsilon, Number) or share.epsilon.value >= 1


def _ruled(theorem: Calibration) -> Replacement:
    return lambda release: attrs.evolve(release, stated=theorem)


def _power(release: Release, exponent: Fraction) -> AdditiveNoise:
    return type(release.mechanism)(power(release.mechanism.formula, exponent))  # type: ignore[call-arg]


SIZES: Sequence[Operator] = (
    Operator("nine tenths", "0.9 of the noise", each(times(lambda _, __: NINE_TENTHS))),
    Operator("half", "half of the noise", each(times(lambda _, __: HALF))),
    Operator("half of all", "a factor 2 forgotten", several(times(lambda _, __: HALF))),
    Operator("root of 2", "a sqrt(2) forgotten", together(times(lambda _, __: 1 / sqrt(2)))),
    Operator("variance", "the variance given as std", each(lambda _, r: _power(r, Fraction(2)))),
    Operator("std", "the std given as variance", together(lambda _, r: _power(r, Fraction(1, 2)))),
    Operator("mu", "std = Delta mu where Delta/mu was meant", together(_inverse)),
    Operator(
        "epsilon for rho",
        "std = Delta/sqrt(2 epsilon)",
        together(_from_epsilon(lambda own, epsilon: own / sqrt(2 * epsilon))),
    ),
    Operator(
        "epsilon for mu",
        "std = Delta/epsilon",
        together(_from_epsilon(lambda own, epsilon: own / epsilon)),
    ),
    Operator("epsilon twice", "noise divided by epsilon once more", together(times(_of_epsilon))),
    Operator("norm", "L1 noise by the L2 sensitivity", each(times(_other_norm))),
    Operator("Laplace", "Laplace noise of the Gaussian's size", each(_laplace)),
    Operator("Gaussian", "Gaussian noise of the Laplace's size", each(_gaussian)),
    Operator("classical", "the classical theorem outside its range", _classical),
    Operator("rounds", "noise of one round for all of them", together(times(_rounds))),
    Operator("alone", "noise as if each were the only release", several(times(_alone))),
)


# ----------------------------------------------------- Formulas of other bounds or other neighbours
Table = tuple[Any, Any]


def grafted(other: Callable[[Subject], Table]) -> Callable[[Subject], Iterator[Change]]:
    """The graph with the noise, and the parameters of procedures, that it would have on another
    table.
    """

    def changes(subject: Subject) -> Iterator[Change]:
        table = other(subject)
        if table != (subject.X, subject.y) and _alike(subject, *table):
            yield Change("all formulas", partial(_output, subject, *table))

    return changes


def _alike(subject: Subject, X: Any, y: Any) -> bool:
    """Whether the declaration asks the same there: the same kinds of node, in the same order."""
    theirs = subject.declared(X, y, subject.budget)
    return [type(n) for n in theirs.charged] == [type(n) for n in subject.graph.charged] and [
        type(one.statistic) for one in theirs.releases
    ] == [type(one.statistic) for one in subject.graph.releases]


def _output(subject: Subject, X: Any, y: Any) -> Any:
    theirs = subject.declared(X, y, subject.budget)
    ours, names = subject.graph, _names(subject.graph)
    pairs = zip(ours.releases, theirs.releases, strict=False)
    changes: dict[Any, Replacement] = {
        own: keep(type(noise)(noise.formula.substitute(names)))  # type: ignore[call-arg]
        for own, noise in ((own, other.mechanism) for own, other in pairs)
    }
    for one, other in zip(ours.procedures, theirs.procedures, strict=False):
        changes[one] = _evolved(formulas_of(other), names)
    return subject.replaced(changes)


def _names(graph: Graph) -> dict[str, Expression]:
    """What symbols are called here that stand for numbers of the data, or released ones."""
    formulas = [f for node in graph.nodes for f in node.formulas.values()]
    found = {one for formula in formulas for one in formula.symbols()}
    return {one.name: one for one in found if one.origin is not None}


def formulas_of(procedure: Procedure) -> dict[str, Expression]:
    """The formulas that were given to a procedure, and the noise that its theorem prescribes."""
    names = [field.name for field in attrs.fields(type(procedure)) if field.init]  # type: ignore[arg-type]
    found = {name: getattr(procedure, name) for name in names}
    if "stated" in found and found["stated"] is None:
        found["stated"] = procedure.size  # type: ignore[attr-defined]
    return {name: value for name, value in found.items() if isinstance(value, Expression)}


def _evolved(fields: dict[str, Expression], names: dict[str, Expression]) -> Replacement:
    here = {name: formula.substitute(names) for name, formula in fields.items()}
    return lambda one: attrs.evolve(one, **here)


def _related(subject: Subject) -> Table:
    unit = subject.X.unit
    other = REPLACE_ONE if unit.relation is ADD_REMOVE else ADD_REMOVE
    return _in(subject, attrs.evolve(unit, relation=other))


def stricter(subject: Subject) -> Table:
    """The table under replace-one, where neighbours were added or removed."""
    return _related(subject) if subject.added else (subject.X, subject.y)


def _looser(subject: Subject) -> Table:
    return (subject.X, subject.y) if subject.added else _related(subject)


def _one_row(subject: Subject) -> Table:
    return _in(subject, attrs.evolve(subject.X.unit, rows_per_person=exact(1)))


def _in(subject: Subject, unit: Any) -> Table:
    return in_unit(subject.X, unit), in_unit(subject.y, unit)


def _bounded(change: Callable[[Any], Any], *kinds: type) -> Callable[[Subject], Table]:
    """The same table with other bounds."""

    def table(subject: Subject) -> Table:
        X, y = subject.X, subject.y
        for node in (one for one in subject.graph.nodes if type(one) in kinds):
            X, y = rewritten((X, y), {node: change})
        return X, y

    return table


def _unit(one: Any) -> Any:
    if isinstance(one, ClipColumn):
        return attrs.evolve(one, lower=exact(-1), upper=exact(1))
    return attrs.evolve(one, **{"norm" if isinstance(one, ClipNorm) else "bound": exact(1)})


def _root(one: Any) -> Any:
    name = "norm" if isinstance(one, ClipNorm) else "bound"
    return attrs.evolve(one, **{name: sqrt(getattr(one, name))})


SETTINGS: Sequence[Operator] = (
    Operator("B forgotten", "noise for rows of norm 1", grafted(_bounded(_unit, ClipNorm, Box))),
    Operator("Y forgotten", "noise for labels up to 1", grafted(_bounded(_unit, ClipColumn))),
    Operator(
        "B for B^2", "noise for rows of norm sqrt(B)", grafted(_bounded(_root, ClipNorm, Box))
    ),
    Operator("relation", "noise of add/remove under replace-one", grafted(_looser)),
    Operator("rows of a person", "noise for one row a person", grafted(_one_row)),
)

OPERATORS: Sequence[Operator] = (*SIZES, *SETTINGS)
