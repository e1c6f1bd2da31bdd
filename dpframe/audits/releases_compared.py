"""The noise that each calibration adds to each release of a declaration, beside the least noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Column, Regression, Release, Rows, Setting
from dpframe.mechanisms import Gaussian
from dpframe.privacy import ADD_REMOVE, ApproxDP, GaussianDP, Share
from dpframe.prover import Verdict, examine
from dpframe.prover.algebra import number
from dpframe.prover.jointly import noise_factor
from dpframe.prover.mixture import amplified
from dpframe.prover.parallel import moving
from dpframe.prover.problem import Problem
from dpframe.prover.text import bounds
from dpframe.sources.progress import Progress
from dpframe.symbols import Expression, Number, add

from .calibrations_compared import cell_of
from .comparison import Cell, Comparison, Method, Point
from .findings.example import Values, number_at, used_in, values_of
from .sentence import values_text

UNIT_SETTING = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)
ALONE = {"analytic": Gaussian.analytic, "classical": Gaussian.classical}
NOTES = (
    "enough: all noise in the proportions declared, so that the whole spends (epsilon, delta).",
    "ratio: how many times that is enough.",
    "analytic, classical: each release alone by these calibrations, for {shares}.",
    "In brackets: the classical theorem does not hold (epsilon >= 1 for this release alone).",
    "unit: {unit}",
)


def compare_releases(
    regression: Regression,
    points: Sequence[Point],
    setting: Setting | None,
    trust: Sequence[type],
) -> Comparison:
    """At each (epsilon, delta): the std of each release as declared; with which the whole spends
    (epsilon, delta) exactly, all noise in the proportions declared; and, of Gaussian noise, by each
    calibration of its share alone. Stds are those of one number (of a symmetric matrix, on its
    diagonal), rounded up; where symbols are free, at example numbers. Raises InvalidArgument where
    the declaration adds other noise than Gaussian and pure noise, or where its inputs are not
    bounded by public numbers.
    """
    chosen = UNIT_SETTING if setting is None else setting
    cells: dict[tuple[int, str, str], list[Cell]] = {}
    with Progress(len(points), "comparing noise") as bar:
        for point in bar.steps(points):
            target = ApproxDP(*point)
            report = examine(
                regression, target=target, setting=chosen, accountant="auto", trust=trust
            )
            problem = report.problem
            if any(one.verdict is not Verdict.PROVED for one in report.common):
                wanted, way_out = "one whose noise can be compared", "dp.audit says what is open."
                raise InvalidArgument("declaration", wanted, regression, way_out)
            shares, values = _shares(problem, target.budget), values_of(problem)
            releases = problem.graph.releases
            factor = number_at(noise_factor(releases, target.budget), values)
            for place, (one, share) in enumerate(zip(releases, shares, strict=True)):
                for noise, cell in _cells(one, share, factor, values):
                    cells.setdefault((place, one.label, noise), []).append(cell)
    alike: dict[tuple[str, tuple[Cell, ...]], list[str]] = {}
    for (_, name, noise), row in cells.items():
        alike.setdefault((noise, tuple(row)), []).append(name)
    stated = all(one.share is not None for one in releases)
    words = {
        "shares": "its share" if stated else "an equal part of (epsilon, delta)",
        "unit": chosen.unit,
    }
    notes = [text.format(**words) for text in NOTES]
    notes.append(f"{'; '.join(f'{name}: {ends}' for name, ends in bounds(chosen))}.")
    at = values_text(used_in(problem, values))
    return Comparison(
        f"Noise of {regression}: std of each release{f' at {at}' if at else ''}",
        ("release", "noise"),
        tuple(points),
        tuple(Method(tuple(names), row, noise) for (noise, row), names in alike.items()),
        tuple(notes),
    )


def _shares(problem: Problem, budget: Share) -> list[Share]:
    """The share of each draw: those declared, or equal parts. Raises InvalidArgument."""
    graph = problem.graph
    releases = graph.releases
    several = len(moving(problem, graph.classes)) > 1
    if not graph.additive or not releases or problem.personal is not None or several:
        wanted = "a declaration that only adds noise to the whole table, under one budget for all"
        raise InvalidArgument("declaration", wanted, problem.graph, "dp.audit judges others.")
    stated = [one.share for one in releases if one.share is not None]
    if len(stated) == len(releases):
        return stated
    part = Number(Fraction(1)) / add(*(one.times for one in releases))
    return [attrs.evolve(budget, weights=(part, part))] * len(releases)


def _cells(
    release: Release, share: Share, factor: Expression, values: Values
) -> Iterator[tuple[str, Cell]]:
    """The noise that is enough, as declared, and by each calibration alone."""
    size = number_at(release.deviation, values)
    enough, declared = (number(one, {}, up=True) for one in (factor * size, size))
    yield "enough", Cell(enough, ratio=1.0)
    yield "declared", Cell(declared, ratio=declared / enough)
    bound = release.statistic.sensitivity(Gaussian.norm)
    if release.gives is GaussianDP and not amplified(release) and bound is not None:
        weights = tuple(number_at(weight, values) for weight in share.weights)
        own, moved = attrs.evolve(share, weights=weights), number_at(bound.value, values)
        for name, calibration in ALONE.items():
            cell = cell_of(calibration, own, moved, enough)
            yield name, Cell(cell.std, cell.valid, ratio=cell.ratio)
