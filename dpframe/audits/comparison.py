"""Calibrations side by side: the std of each where its theorem holds, and where it does not. For
each release of a declaration: `releases_compared`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.identity import strangers
from dpframe.mechanisms import AdditiveNoise, Calibration, Gaussian
from dpframe.notebooks import card, data_frame, sentences
from dpframe.notebooks import table as html_table
from dpframe.numerics import epsilon_limit
from dpframe.privacy import ApproxDP, Share
from dpframe.prover import Constraint
from dpframe.prover.algebra import enclose, number
from dpframe.prover.problem import place
from dpframe.prover.report import satisfied
from dpframe.symbols import EPSILON, Expression, Number, parameter, power, rational

from .compositions_compared import Workload, conversions
from .figures import WIDTH, against, exactly, figure, hanging, pair, table

FAMILY = "Gaussian."
COUNT = parameter("m", 1)
ONE = Fraction(1)
RATIO = (
    "ratio: how many times the std that is enough, by the exact profile; in brackets where no "
    "theorem holds."
)


@attrs.frozen
class Cell:
    """What one calibration gives at one epsilon and delta.

    `std` is the number of its formula, rounded up. `valid` says whether its theorem holds there;
    `suffices` whether that number gives (epsilon, delta), by the exact profile (None: not Gaussian,
    or not decided). `ratio` is `std` over the std of Gaussian.analytic, the least that gives
    (epsilon, delta); None where the noise is not Gaussian.
    """

    std: float
    valid: bool
    suffices: bool | None
    ratio: float | None = None

    def __str__(self) -> str:
        """`5.90`, `not valid (1.78)`, `not valid (0.530, too small)`, rounded up."""
        digits = len(str(int(self.std))) + 2
        text = figure(self.std, "up", digits if self.std >= 1 else 0)
        if self.valid:
            return text
        return f"not valid ({text}{', too small' if self.suffices is False else ''})"

    @property
    def times(self) -> str:
        """The ratio, `1.460`, in brackets outside the theorem; `-` where there is none."""
        text = "-" if self.ratio is None else against(round(self.ratio, 3), ONE)
        return text if self.valid else f"({text})"


@attrs.frozen
class NoiseTheorem:
    """A calibration: its name, citation and hypothesis, and how far its formula is enough.

    `reach` has, for each delta, the largest epsilon up to which the number of the formula suffices,
    rounded down; it is empty where the theorem always holds or the question does not arise.
    `trusted` names the class whose word it is, where that is none of dpframe's; `norm` says what
    its sensitivity is, where it is not in 2-norm; `among` is the std of each of m numbers over that
    of one alone, where it grows with m and one is compared.
    """

    name: str
    citation: str
    hypothesis: str
    reach: tuple[float, ...]
    trusted: str = ""
    norm: str = ""
    among: str = ""

    @property
    def short(self) -> str:
        """The name without its family."""
        return self.name.removeprefix(FAMILY)


@attrs.frozen(eq=False, repr=False, str=False)
class Comparison:
    """Stds of `calibrations` (columns) at the `points` (rows), pairs of an epsilon and a delta, for
    one sensitivity in 2-norm; of `dimension` numbers, the std of each. `theorems` and each row of
    `cells` are in the order of the calibrations.
    """

    points: tuple[tuple[Fraction, Fraction], ...]
    workload: Workload
    calibrations: tuple[Calibration, ...]
    theorems: tuple[NoiseTheorem, ...]
    cells: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(
        cls,
        calibrations: tuple[Calibration, ...],
        points: tuple[tuple[Fraction, Fraction], ...],
        workload: Workload,
    ) -> Comparison:
        """The comparison of calibrations at these points."""
        deltas = tuple(dict.fromkeys(delta for _, delta in points))
        theorems = tuple(_theorem(one, deltas, workload) for one in calibrations)
        rows = tuple(_row(calibrations, *point, workload) for point in points)
        return cls(points, workload, calibrations, theorems, rows)

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        """Each epsilon once, in order."""
        return tuple(dict.fromkeys(epsilon for epsilon, _ in self.points))

    @property
    def deltas(self) -> tuple[Fraction, ...]:
        """Each delta once, in order."""
        return tuple(dict.fromkeys(delta for _, delta in self.points))

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a row and theorem: epsilon, delta, dimension, sensitivity, calibration,
        std, ratio, valid, suffices, reach.
        """
        return [
            {
                "epsilon": float(epsilon),
                "delta": float(delta),
                "dimension": self.workload.dimension,
                "sensitivity": float(self.workload.sensitivity),
                "calibration": theorem.name,
                "std": cell.std,
                "ratio": cell.ratio,
                "valid": cell.valid,
                "suffices": cell.suffices,
                "reach": theorem.reach[self.deltas.index(delta)] if theorem.reach else None,
                **({"trusted": theorem.trusted} if theorem.trusted else {}),
            }
            for (epsilon, delta), row in zip(self.points, self.cells, strict=True)
            for theorem, cell in zip(self.theorems, row, strict=True)
        ]

    def summary_frame(self) -> Any:
        """The records as a data frame. Raises MissingExtra without pandas."""
        return data_frame(self.records())

    def at(self, epsilons: object, delta: object) -> Comparison:
        """The same calibrations elsewhere."""
        pairs = points_of(epsilons, delta)
        rows = tuple(_row(self.calibrations, *pair, self.workload) for pair in pairs)
        return attrs.evolve(self, points=pairs, cells=rows)

    def text(self, width: int = WIDTH) -> str:
        """A table, and below it, in at most `width` columns, how far each theorem reaches. Where
        the table is wider than that, "not valid" is left to brackets, then the first calibration
        alone has its ratio, then calibrations are rows, with a line for each point if needed.
        """
        forms = (
            (*_columns(self), 0),
            (*_columns(self, brief=True), 0),
            (*_columns(self, brief=True, ratios=False), 0),
            (*_rows(self), 1),
            (*_rows(self, ratios=False), 1),
            (*_rows(self, brief=True, ratios=False), 1),
            (*_lines(self), 3),
        )
        drawn = [table(head, rows, range(left, len(head))) for head, rows, left in forms]
        shown = next((one for one in drawn if max(map(len, one)) <= width), drawn[-1])
        below = [piece for note in _below(self) for piece in hanging(note, width=width)]
        return "\n".join([_title(self), "", *shown, "", *below]).rstrip()

    def __str__(self) -> str:
        """The table, and what "not valid" means below it."""
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same as a table of HTML, for notebooks."""
        head, rows = _columns(self)
        return card(_title(self), html_table(rows, head), sentences(_below(self)))

    def plot(self, ax: Any = None, *, of: str = "ratio") -> Any:
        """The ratio to the least std against epsilon; against delta where there is one epsilon and
        several deltas. Solid where the theorem holds, dashed where it does not; the region where
        none but the exact profile is a theorem is shaded. `of="std"` draws the stds.

        Draws into `ax`, or a new figure; returns the axes. Raises MissingExtra without matplotlib.
        """
        from .plot import draw

        if of not in {"ratio", "std"}:
            raise InvalidArgument("of", "'ratio' or 'std'", of)
        return draw(self, ax, of)


def _title(comparison: Comparison) -> str:
    noise = "Gaussian noise" if _gaussian(comparison) else "the noise"
    deltas = comparison.deltas
    at = f" at delta = {exactly(deltas[0])}" if len(deltas) == 1 else ""
    dimension = comparison.workload.dimension
    each = "" if dimension == 1 else f" for each of {dimension} numbers"
    size = exactly(comparison.workload.sensitivity)
    return f"Std of {noise}{each}{at}, sensitivity {size}{' in 2-norm' if each else ''}"


def _gaussian(comparison: Comparison) -> bool:
    return all(theorem.name.startswith(FAMILY) for theorem in comparison.theorems)


def _columns(
    comparison: Comparison, *, ratios: bool = True, brief: bool = False
) -> tuple[list[str], list[list[str]]]:
    """The head and the rows; with the ratio of each calibration but the exact one, or the first."""
    several, gaussian = len(comparison.deltas) > 1, _gaussian(comparison)
    rated = [i for i, one in enumerate(comparison.calibrations) if one != Gaussian.analytic]
    rated = [i for i in rated if any(row[i].ratio is not None for row in comparison.cells)]
    rated = rated if ratios else rated[:1]
    head = ["epsilon", *(["delta"] if several else [])]
    for i, theorem in enumerate(comparison.theorems):
        head += [
            theorem.short if gaussian else theorem.name,
            *(["ratio"] if i in rated else []),
        ]
    rows = []
    for (epsilon, delta), cells in zip(comparison.points, comparison.cells, strict=True):
        row: list[str] = [exactly(epsilon), *([exactly(delta)] if several else [])]
        for i, cell in enumerate(cells):
            row += [_std(cell, brief=brief), *([cell.times] if i in rated else [])]
        rows.append(row)
    return head, rows


def _std(cell: Cell, *, brief: bool) -> str:
    return str(cell).removeprefix("not valid ") if brief else str(cell)


def _rows(
    comparison: Comparison, *, ratios: bool = True, brief: bool = False
) -> tuple[list[str], list[list[str]]]:
    """The head and the rows: a row for each calibration, a column for each point."""
    several = len(comparison.deltas) > 1
    head = ["calibration"]
    for epsilon, delta in comparison.points:
        at = pair(epsilon, delta) if several else f"epsilon = {exactly(epsilon)}"
        head += [at, *(["ratio"] if ratios else [])]
    rows = []
    for i, theorem in enumerate(comparison.theorems):
        cells = [row[i] for row in comparison.cells]
        shown = ([_std(cell, brief=brief), *([cell.times] if ratios else [])] for cell in cells)
        rows.append([theorem.name, *chain.from_iterable(shown)])
    return head, rows


def _lines(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """The head and the rows: a row for each point and calibration."""
    rows = [
        [exactly(epsilon), exactly(delta), theorem.name, str(cell), cell.times]
        for (epsilon, delta), cells in zip(comparison.points, comparison.cells, strict=True)
        for theorem, cell in zip(comparison.theorems, cells, strict=True)
    ]
    return ["epsilon", "delta", "calibration", "std", "ratio"], rows


def _below(comparison: Comparison) -> Iterator[str]:
    """What the columns mean and how far each theorem reaches."""
    if any(cell.times not in {"-", "1.000"} for row in comparison.cells for cell in row):
        yield RATIO
    for theorem in comparison.theorems:
        yield from _notes(theorem, comparison.deltas)
    yield from conversions(comparison.calibrations)


def _notes(theorem: NoiseTheorem, deltas: Sequence[Fraction]) -> Iterator[str]:
    if theorem.trusted:
        yield f"{theorem.name}: on trust in {theorem.trusted}."
    if theorem.norm:
        yield f"{theorem.name}: {theorem.norm}."
    if theorem.among:
        yield (
            f"{theorem.name}: the std of one number released alone; each of m numbers released "
            f"together has {theorem.among} times that."
        )
    if not theorem.hypothesis:
        return
    text = f"{theorem.name}: a theorem where {theorem.hypothesis} ({theorem.citation})."
    if theorem.reach:
        text += f" {_enough_up_to(theorem.reach, deltas)}"
    yield text


def _enough_up_to(reach: Sequence[float], deltas: Sequence[Fraction]) -> str:
    """`Outside the theorem this std is still enough up to epsilon = 8.782, ...`."""
    ends: list[str] = [figure(one, "down") for one in reach]
    if len(deltas) > 1:
        ends = [f"{end} at delta = {exactly(one)}" for end, one in zip(ends, deltas, strict=True)]
    return (
        f"Outside the theorem this std is still enough up to epsilon = {', '.join(ends)}, by the "
        "exact profile (rule F1), and not beyond."
    )


def points_of(epsilon: object, delta: object) -> tuple[tuple[Fraction, Fraction], ...]:
    """Every pair of an epsilon and a delta, that of a guarantee. Raises InvalidArgument."""
    epsilons, deltas = _numbers(epsilon, "epsilon"), _numbers(delta, "delta")
    for failing in deltas:
        ApproxDP(EPSILON, failing)
    for spent in epsilons:
        ApproxDP(spent, deltas[0])
    return tuple((one, other) for other in deltas for one in epsilons)


def _numbers(value: object, name: str) -> tuple[Fraction, ...]:
    if isinstance(value, Mapping):
        raise InvalidArgument(name, "one number or several", type(value).__name__)
    many = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(many, (str, Expression)) or not isinstance(many, Iterable):
        many = (many,)
    found = tuple(rational(one, name) for one in many)
    if not found:
        raise InvalidArgument(name, "one number or several", value)
    return found


def _row(
    calibrations: Sequence[Calibration], epsilon: Fraction, delta: Fraction, workload: Workload
) -> tuple[Cell, ...]:
    share, size = ApproxDP(epsilon, delta).budget, Number(workload.sensitivity)
    least = number(Gaussian.analytic.calibrate(share, size).deviation, {}, up=True)
    entries = Number(Fraction(workload.dimension))
    return tuple(
        cell_of(one, share, workload.moved(one.mechanism), least, entries) for one in calibrations
    )


def cell_of(
    calibration: Calibration,
    share: Share,
    sensitivity: Expression,
    least: float,
    entries: Expression = Number(ONE),  # noqa: B008 - a frozen value
) -> Cell:
    """What a calibration gives for a share in numbers, for each of `entries` numbers; its ratio is
    to `least`.
    """
    mechanism = calibration.calibrate_among(share, sensitivity, entries)
    limit = calibration.limit(share)
    valid = limit is None or satisfied(Constraint(*limit), {})
    std = number(mechanism.deviation_among(entries), {}, up=True)
    ratio = std / least if isinstance(mechanism, Gaussian) else None
    return Cell(std, valid, valid or _suffices(mechanism, share, sensitivity), ratio)


def _suffices(mechanism: object, share: Share, sensitivity: Expression) -> bool | None:
    """Whether the formula's number gives the share, by the exact profile."""
    if not isinstance(mechanism, Gaussian):
        return None
    from dpframe.prover.profile_rule import ProfileClaim, holds, refute

    move = power(sensitivity / mechanism.std, 2)
    claim = ProfileClaim(share.epsilon, share.delta, move, move)
    if holds(claim, {}):
        return True
    return None if refute(claim) is None else False


def _theorem(
    calibration: Calibration, deltas: Sequence[Fraction], workload: Workload
) -> NoiseTheorem:
    budgets = [ApproxDP(EPSILON, delta).budget for delta in deltas]
    limit = calibration.limit(budgets[0])
    hypothesis = "" if limit is None else str(Constraint(*limit))
    reach = [_reach(calibration, budget) for budget in budgets]
    known = tuple(one for one in reach if one is not None)
    trusted = "".join(map(place, strangers((calibration,))[:1]))
    own = known if len(known) == len(reach) else ()
    other = workload.note(calibration.mechanism)
    alone = workload.dimension == 1
    among = _among(calibration.calibrate(budgets[0], Number(ONE))) if alone else ""
    return NoiseTheorem(
        calibration.name, calibration.citation, hypothesis, own, trusted, other, among
    )


def _among(mechanism: AdditiveNoise) -> str:
    """`sqrt(m + 1)/sqrt(2)`: how the std of one of m numbers grows with m; empty if it does not."""
    alone, among = mechanism.deviation, mechanism.deviation_among(COUNT)
    return "" if among == alone else str(among / alone)


def _reach(calibration: Calibration, budget: Share) -> float | None:
    """Rule F1: where std = C Delta/epsilon with C free of epsilon, one number decides."""
    mechanism = calibration.calibrate(budget, Number(Fraction(1)))
    if calibration.limit(budget) is None or not isinstance(mechanism, Gaussian):
        return None
    constant = mechanism.std * EPSILON
    if constant.symbols() or not isinstance(budget.delta, Number):
        return None
    return epsilon_limit(enclose(power(constant, 2), {}), budget.delta.value)
