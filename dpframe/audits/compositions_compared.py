"""The std that each kind of noise needs where the same numbers are released several times, by each
accountant that can add the releases up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.accountants import Accountant, calibrate, compose
from dpframe.accountants.every import ACCOUNTANTS, accountant_of, unknown_accountant
from dpframe.errors import InvalidArgument
from dpframe.identity import strangers
from dpframe.mechanisms import AdditiveNoise, Calibration, DiscreteGaussian
from dpframe.notebooks import card, data_frame, sentences
from dpframe.notebooks import table as html_table
from dpframe.numerics import to_float
from dpframe.privacy import ApproxDP, ZeroConcentratedDP
from dpframe.prover import Constraint
from dpframe.prover.algebra import number
from dpframe.prover.problem import place as class_of
from dpframe.prover.report import satisfied
from dpframe.sensitivity import L1, L2
from dpframe.symbols import Expression, Number, power, rational
from dpframe.theory.guarantees import APPROX

from .figures import WIDTH, against, exactly, figure, hanging, pair, table

BASIC = "basic"
ONE = Fraction(1)
NEXT = 1 + 1e-6  # what is rounded up to a few digits is then the next number of as many digits
FINE = 10**12
RATIO = "ratio: how many times the least std of the table."
Point = tuple[Fraction, Fraction]


@attrs.frozen
class Workload:
    """`dimension` numbers, of this sensitivity in 2-norm, released `times` times."""

    sensitivity: Fraction
    dimension: int = 1
    times: int = 1

    def moves(self, noise: type[AdditiveNoise]) -> bool:
        """False for whole numbers at a sensitivity below 1, which cannot move."""
        return not noise.integer or self.sensitivity >= 1

    def moved(self, noise: type[AdditiveNoise]) -> Expression:
        """The sensitivity in the norm of the noise: sqrt(d) times that in 2-norm bounds it in L1,
        and `largest_sum` where the noise is for whole numbers. Raises InvalidArgument for noise of
        another norm, and for whole numbers that cannot move.
        """
        if not self.moves(noise):
            wanted = f"at least 1 for {noise.__name__} noise, as whole numbers move by 1 or more"
            raise InvalidArgument("sensitivity", wanted, str(self.sensitivity))
        if noise.norm is L1 and noise.integer:
            whole = largest_sum(self.dimension, math.floor(self.sensitivity**2))
            return Number(Fraction(whole))
        if noise.norm is L1:
            return power(Number(Fraction(self.dimension)), Fraction(1, 2)) * self.sensitivity
        if noise.norm is not L2 and self.dimension > 1:
            wanted = "noise for a sensitivity in L1 or L2, where dimension is above 1"
            raise InvalidArgument("calibrations", wanted, f"{noise.__name__}, of {noise.norm}")
        return Number(self.sensitivity)

    def note(self, noise: type[AdditiveNoise]) -> str:
        """In which norm the sensitivity of the noise is; empty in 2-norm, of real numbers."""
        if noise.integer:
            own = f", whose sensitivity in the L1 norm is at most {self.moved(noise)}"
            return f"for whole numbers{own if noise.norm is L1 else ''}"
        if noise.norm is L2:
            return ""
        if self.dimension == 1:
            return f"the sensitivity is that in the {noise.norm} norm, for one number the same"
        bound = self.moved(noise) / Number(self.sensitivity)
        return f"the sensitivity in the {noise.norm} norm is at most {bound} times that in 2-norm"

    def moved_by(self, noise: type[AdditiveNoise]) -> Fraction:
        """The same as a number, rounded up."""
        moved = self.moved(noise)
        if isinstance(moved, Number):
            return moved.value
        square = self.dimension * self.sensitivity**2
        root = math.isqrt(square.numerator * square.denominator * FINE**2)
        exact = root**2 == square.numerator * square.denominator * FINE**2
        return Fraction(root + (not exact), square.denominator * FINE)


def largest_sum(dimension: int, square: int) -> int:
    """The largest sum |v_1| + ... + |v_d| of d whole numbers whose squares sum to at most `square`.
    (docs/proofs/shifts.md)
    """
    level = math.isqrt(square // dimension)
    return dimension * level + (square - dimension * level**2) // (2 * level + 1)


@attrs.frozen
class NoiseMethod:
    """A kind of noise and the accountant that adds its releases up; with `theorem`, that calibrates
    each release to an equal part of epsilon and delta, which basic composition adds up.
    """

    noise: str
    accountant: str
    citation: str
    theorem: bool = False


@attrs.frozen
class RequiredStd:
    """The std that a method needs at one epsilon and delta, rounded up; None where it reaches no
    target. `valid` says whether its theorem holds there.
    """

    std: float | None
    valid: bool = True

    def __str__(self) -> str:
        """`13.36`; in brackets where no theorem holds."""
        text = figure(self.std, "up")
        return text if self.valid else f"({text})"


@attrs.frozen(eq=False, repr=False, str=False)
class CompositionsCompared:
    """The std that each of `methods` needs at each of `points`, pairs of an epsilon and a delta for
    all releases together: `needs` has a row for each method, a column for each point.
    """

    points: tuple[Point, ...]
    workload: Workload
    methods: tuple[NoiseMethod, ...]
    needs: tuple[tuple[RequiredStd, ...], ...]
    notes: tuple[str, ...] = ()

    def _least(self, place: int) -> float:
        """The least std of a proved method at a point; nan where there is none."""
        column = [row[place] for row in self.needs]
        return min((n.std for n in column if n.std is not None and n.valid), default=math.nan)

    def ratio(self, need: RequiredStd, place: int) -> float | None:
        """The std over the least of the table at this point."""
        return None if need.std is None else need.std / self._least(place)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a point and method: epsilon, delta, times, dimension, sensitivity, noise,
        accountant, std, ratio, valid.
        """
        return [
            {
                "epsilon": float(epsilon),
                "delta": float(delta),
                "times": self.workload.times,
                "dimension": self.workload.dimension,
                "sensitivity": float(self.workload.sensitivity),
                "noise": method.noise,
                "accountant": method.accountant,
                "std": row[place].std,
                "ratio": self.ratio(row[place], place),
                "valid": row[place].valid,
            }
            for place, (epsilon, delta) in enumerate(self.points)
            for method, row in zip(self.methods, self.needs, strict=True)
        ]

    def summary_frame(self) -> Any:
        """The records as a data frame. Raises MissingExtra without pandas."""
        return data_frame(self.records())

    def text(self, width: int = WIDTH) -> str:
        """A table and its notes, in at most `width` columns: a column for each epsilon and delta
        where that fits, else a row.
        """
        forms = (self._wide(), self._wide(ratios=False), self._long())
        drawn = [table(head, rows, range(left, len(head))) for head, rows, left in forms]
        shown = next((one for one in drawn if max(map(len, one)) <= width), drawn[-1])
        below = [piece for note in self._notes() for piece in hanging(note, width=width)]
        return "\n".join([*hanging(self.title, width=width), "", *shown, "", *below])

    def __str__(self) -> str:
        """The table and its notes."""
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same as a table of HTML, for notebooks."""
        head, rows, left = self._wide()
        return card(self.title, html_table(rows, head, texts=left), sentences(self._notes()))

    def plot(self, ax: Any = None) -> Any:
        """The std of each method, a row each, on a logarithmic axis; a colour for each epsilon and
        delta.

        Draws into `ax`, or a new figure; returns the axes. Raises MissingExtra without matplotlib.
        """
        from .plot import draw_methods

        return draw_methods(self, ax)

    @property
    def title(self) -> str:
        """What the table has."""
        workload = self.workload
        numbers = (
            "one number" if workload.dimension == 1 else f"each of {workload.dimension} numbers"
        )
        often = "once" if workload.times == 1 else f"{workload.times:,} times"
        at = f", {pair(*self.points[0])} in total" if len(self.points) == 1 else ""
        size = exactly(workload.sensitivity)
        return f"Noise std of {numbers} released {often}{at}; 2-norm sensitivity {size} each time"

    def _wide(self, *, ratios: bool = True) -> tuple[list[str], list[list[str]], int]:
        """Head, rows, and how many of the columns are words: a column for each point."""
        head = ["noise", "accountant"]
        for point in self.points:
            head += [
                "std" if len(self.points) == 1 else pair(*point),
                *(["ratio"] if ratios else []),
            ]
        rows = []
        for method, needs in zip(self.methods, self.needs, strict=True):
            row = [method.noise, method.accountant]
            for place, need in enumerate(needs):
                row += [str(need), *([self._times(need, place)] if ratios else [])]
            rows.append(row)
        return head, rows, 2

    def _long(self) -> tuple[list[str], list[list[str]], int]:
        """The same with a row for each point."""
        rows = [
            [
                exactly(epsilon),
                exactly(delta),
                method.noise,
                method.accountant,
                str(needs[place]),
                self._times(needs[place], place),
            ]
            for place, (epsilon, delta) in enumerate(self.points)
            for method, needs in zip(self.methods, self.needs, strict=True)
        ]
        return ["epsilon", "delta", "noise", "accountant", "std", "ratio"], rows, 4

    def _times(self, need: RequiredStd, place: int) -> str:
        ratio = self.ratio(need, place)
        text = "-" if ratio is None or math.isnan(ratio) else against(round(ratio, 3), ONE)
        return text if need.valid else f"({text})"

    def _notes(self) -> Iterator[str]:
        yield RATIO
        theorems = [one for one in self.methods if one.theorem]
        if theorems:
            of = "(epsilon, delta)"
            if self.workload.times > 1:
                of = f"(epsilon/{self.workload.times}, delta/{self.workload.times})"
            yield f"{BASIC}: each release has {of}, calibrated by the theorem named."
        if any(not need.valid for row in self.needs for need in row):
            yield "In brackets: the theorem does not hold for that part of epsilon."
        cited = dict.fromkeys(f"{m.accountant} {m.citation}" for m in self.methods if not m.theorem)
        if cited:
            yield f"Accountants: {', '.join(cited)}."
        yield from self.notes


def conversions(calibrations: Sequence[Calibration]) -> list[str]:
    """The conversions from rho to epsilon of calibrations by zCDP and of the accountant."""
    named = [one.name for one in calibrations if one.mechanism.gives is ZeroConcentratedDP]
    return [
        f"{name}: epsilon is rho + 2 sqrt(rho log(1/delta)) [BunS16, Prop 1.3]. The accountants "
        "zcdp, at the best Renyi order [CanonneKS20, Prop 12], and numeric, by the exact law where "
        "one number moves by 1, need less noise."
        for name in named
    ]


def compare_compositions(
    calibrations: Sequence[Calibration],
    points: Sequence[Point],
    workload: Workload,
    accountant: object,
) -> CompositionsCompared:
    """Each calibration on equal parts of the budget, and its noise by each accountant, or by those
    given; the least std at the first point first. Raises InvalidArgument where no accountant given
    can add the noise.
    """
    chosen = _accountants(accountant)
    found: list[tuple[NoiseMethod, tuple[RequiredStd, ...]]] = []
    for calibration in calibrations:
        spends = APPROX.currency in calibration.currencies
        if spends and any(one.name == BASIC for one in chosen):
            method = NoiseMethod(calibration.name, BASIC, calibration.citation, theorem=True)
            found.append((method, tuple(_alone(calibration, point, workload) for point in points)))
    kinds = list(dict.fromkeys(one.mechanism for one in calibrations))
    for noise in kinds:
        for one in chosen:
            needs = None if one.name == BASIC else _together(noise, one, points, workload)
            if needs is not None:
                method = NoiseMethod(noise.__name__, one.name, one.citation)
                found.append((method, needs))
    if not found:
        added = ", ".join(one.__name__ for one in kinds)
        names = ", ".join(one.name for one in chosen)
        way_out = "Leave accountant= out: every accountant that can is in the table."
        raise InvalidArgument("accountant", f"one that adds {added} noise", names, way_out)
    found.sort(key=lambda row: math.inf if row[1][0].std is None else row[1][0].std)
    methods, needs_of = zip(*found, strict=True)
    notes = [f"{one.__name__}: {workload.note(one)}." for one in kinds if workload.note(one)]
    notes += conversions(calibrations)
    for rule in calibrations:
        outside = strangers((rule, rule.mechanism))[:1]
        notes += [f"{rule.name}: on trust in {class_of(kind)}." for kind in outside]
    return CompositionsCompared(tuple(points), workload, methods, needs_of, tuple(notes))


def _accountants(given: object) -> tuple[Accountant, ...]:
    if given is None:
        return ACCOUNTANTS
    if not isinstance(given, (list, tuple)):
        return (accountant_of(given),)
    names = {one.name for one in ACCOUNTANTS} | {"auto"}
    for one in given:
        if not (isinstance(one, Accountant) or (type(one) is str and one in names)):
            raise unknown_accountant(given)  # its entries are not repeated: they may be data
    return tuple(dict.fromkeys(map(accountant_of, given)))


def _alone(calibration: Calibration, point: Point, workload: Workload) -> RequiredStd:
    """By the theorem, for an equal part of the budget."""
    part = ApproxDP(*point).budget.split(Fraction(1, workload.times))[0]
    entries = Number(Fraction(workload.dimension))
    noise = calibration.calibrate_among(part, workload.moved(calibration.mechanism), entries)
    limit = calibration.limit(part)
    valid = limit is None or satisfied(Constraint(*limit), {})
    return RequiredStd(number(noise.deviation_among(entries), {}, up=True), valid)


def _together(
    kind: type[AdditiveNoise], accountant: Accountant, points: Sequence[Point], workload: Workload
) -> tuple[RequiredStd, ...] | None:
    """By the accountant; None where it cannot add such noise."""
    size = workload.moved_by(kind)
    try:
        unit = kind(1)  # type: ignore[call-arg]  # its one field
        known = compose((unit, workload.times), accountant=accountant, sensitivity=size)
        known.epsilon(points[0][1])
    except (InvalidArgument, TypeError):
        return None
    return tuple(_need(unit, accountant, point, workload) for point in points)


def _need(
    unit: AdditiveNoise, accountant: Accountant, point: Point, workload: Workload
) -> RequiredStd:
    size = workload.moved_by(type(unit))
    try:
        found = calibrate(
            (unit, workload.times),
            target=ApproxDP(*point),
            accountant=accountant,
            sensitivity=size,
        )
    except InvalidArgument:  # no factor meets the target
        return RequiredStd(None)
    entries = Number(Fraction(workload.dimension))
    deviation = unit.scaled(Number(found.factor)).deviation_among(entries)
    std = to_float(Fraction(number(deviation, {}, up=True)), up=True)

    def meets(size: str) -> bool:
        made = (type(unit)(rational(size)), workload.times)  # type: ignore[call-arg]
        cost = compose(made, accountant=accountant, sensitivity=workload.moved_by(type(unit)))
        return cost.epsilon(point[1]).upper <= point[0]

    if isinstance(unit, DiscreteGaussian):  # of which more may cost more
        while not (meets(repr(std)) and meets(figure(std, "up"))):
            std = float(figure(std * NEXT, "up"))
    return RequiredStd(std)
