"""The noise that each calibration adds to each release of a declaration, beside the least noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Column, Regression, Release, Rows, Setting
from dpframe.mechanisms import Calibration, Gaussian
from dpframe.notebooks import card, sentences
from dpframe.notebooks import table as html_table
from dpframe.privacy import ADD_REMOVE, ApproxDP, GaussianDP, Share
from dpframe.prover import Verdict, examine
from dpframe.prover.algebra import number
from dpframe.prover.jointly import noise_factor
from dpframe.prover.parallel import moving
from dpframe.prover.problem import Problem
from dpframe.prover.profile_rule import amplified
from dpframe.prover.text import bounds
from dpframe.sources.progress import Progress
from dpframe.symbols import Expression, Number, add

from .comparison import Cell, cell_of
from .figures import WIDTH, against, clipped, exactly, figure, hanging, table
from .findings.example import Values, number_at, used_in, values_of

UNIT_SETTING = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)
ALONE = (Gaussian.classical, Gaussian.analytic)
ONE = Fraction(1)
NOTES = (
    "enough: all noise in the proportions declared, so that the whole spends (epsilon, delta).",
    "ratio: how many times that is enough.",
    "analytic, classical: each release alone by these calibrations, for {shares}.",
    "In brackets: the classical theorem does not hold (epsilon >= 1 for this release alone).",
    "unit: {unit}",
)


@attrs.frozen
class ReleaseNoise:
    """One release at one epsilon and delta. `declared` is the std as it is declared, `enough` the
    std with which the whole spends (epsilon, delta) exactly, all noise in the proportions declared;
    `classical` and `analytic` are stds for its share alone, None where it is not Gaussian noise.
    All are stds of one number (of a symmetric matrix, on its diagonal), rounded up.
    """

    epsilon: Fraction
    delta: Fraction
    name: str
    statistic: str
    declared: float
    enough: float
    classical: Cell | None
    analytic: Cell | None

    @property
    def ratio(self) -> float:
        """The std declared over the one that is enough: the excess over 1 is wasted."""
        return self.declared / self.enough

    def record(self) -> dict[str, Any]:
        """Every number."""
        cells = {"analytic": self.analytic, "classical": self.classical}
        return {
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "release": self.name,
            "statistic": self.statistic,
            "enough": self.enough,
            "declared": self.declared,
            "declared_ratio": self.ratio,
            **{name: cell and cell.std for name, cell in cells.items()},
            **{f"{name}_ratio": cell and cell.ratio for name, cell in cells.items()},
            **{f"{name}_valid": cell and cell.valid for name, cell in cells.items()},
        }


@attrs.frozen(eq=False, repr=False, str=False)
class ReleasesCompared:
    """The noise of each release of a declaration, by each calibration. `stated` says whether the
    shares are those of the declaration; if not, each draw has an equal part of the budget. Stds are
    stated where the free symbols have the numbers `at`.
    """

    subject: str
    setting: Setting
    stated: bool
    lines: tuple[ReleaseNoise, ...]
    at: Mapping[str, Fraction]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a release, epsilon and delta."""
        return [line.record() for line in self.lines]

    def _parts(self) -> tuple[str, list[str], list[list[str]], list[str]]:
        """Title, head, rows and notes."""
        head = ["epsilon", "delta", "release", "enough", "declared", "ratio"]
        head += ["analytic", "ratio", "classical", "ratio"]
        rows = [
            [
                exactly(line.epsilon),
                exactly(line.delta),
                clipped(line.name, 20),
                figure(line.enough, "up"),
                figure(line.declared, "up"),
                against(line.ratio, ONE),
                *_cells(line.analytic),
                *_cells(line.classical),
            ]
            for line in self.lines
        ]
        shares = "its share" if self.stated else "an equal part of (epsilon, delta)"
        notes = [text.format(shares=shares, unit=self.setting.unit) for text in NOTES]
        at = ", ".join(f"{name} = {exactly(value)}" for name, value in self.at.items())
        notes.append(f"{'; '.join(f'{name}: {ends}' for name, ends in bounds(self.setting))}.")
        title = f"Noise of {self.subject}: std of each release{at and f', at {at}'}"
        return title, head, rows, notes

    def text(self, width: int = WIDTH) -> str:
        """The table and the meaning of its columns, in at most `width` characters a line."""
        title, head, rows, notes = self._parts()
        below = [piece for note in notes for piece in hanging(note, width=width)]
        right = [i for i, name in enumerate(head) if name != "release"]
        return "\n".join([title, "", *table(head, rows, right), "", *below])

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def plot(self, ax: Any = None) -> Any:
        """The ratio of each release's noise to the noise that is enough, against epsilon.

        Draws into `ax`, or a new figure; returns the axes. Raises MissingExtra without matplotlib.
        """
        from .plot import draw_releases

        return draw_releases(self, ax)

    def _repr_html_(self) -> str:
        """The same as a table of HTML, for notebooks."""
        title, head, rows, notes = self._parts()
        return card(title, html_table(rows, head), sentences(notes))


def _cells(cell: Cell | None) -> list[str]:
    """`5.89`, `1.460`, in brackets where no theorem holds."""
    if cell is None:
        return ["-", "-"]
    text = figure(cell.std, "up")
    return [text if cell.valid else f"({text})", cell.times]


def compare_releases(
    regression: Regression,
    points: Sequence[tuple[Fraction, Fraction]],
    setting: Setting | None,
    trust: Sequence[type],
) -> ReleasesCompared:
    """At each (epsilon, delta). Raises InvalidArgument where the declaration adds other noise than
    Gaussian and pure noise, or where its inputs are not bounded by public numbers.
    """
    chosen = UNIT_SETTING if setting is None else setting
    lines: list[ReleaseNoise] = []
    stated, at = True, dict[str, Fraction]()
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
            shares = _shares(problem, target.budget)
            stated = all(one.share is not None for one in problem.graph.releases)
            values = values_of(problem)
            at = used_in(problem, values)
            factor = number_at(noise_factor(problem.graph.releases, target.budget), values)
            lines += [
                _line(release, share, factor, point, values)
                for release, share in zip(problem.graph.releases, shares, strict=True)
            ]
    return ReleasesCompared(str(regression), chosen, stated, tuple(lines), at)


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
    part = Number(ONE) / add(*(one.times for one in releases))
    return [attrs.evolve(budget, weights=(part, part))] * len(releases)


def _line(
    release: Release,
    share: Share,
    factor: Expression,
    point: tuple[Fraction, Fraction],
    values: Values,
) -> ReleaseNoise:
    declared = number_at(release.deviation, values)
    enough = number(factor * declared, {}, up=True)
    classical, analytic = (_alone(one, release, share, enough, values) for one in ALONE)
    return ReleaseNoise(
        *point,
        release.label,
        release.statistic.label,
        number(declared, {}, up=True),
        enough,
        classical,
        analytic,
    )


def _alone(
    calibration: Calibration, release: Release, share: Share, enough: float, values: Values
) -> Cell | None:
    """The std of Gaussian noise for a share of this release alone."""
    bound = release.statistic.sensitivity(Gaussian.norm)
    if release.gives is not GaussianDP or amplified(release) or bound is None:
        return None
    weights = tuple(number_at(weight, values) for weight in share.weights)
    own = attrs.evolve(share, weights=weights)
    return cell_of(calibration, own, number_at(bound.value, values), enough)
