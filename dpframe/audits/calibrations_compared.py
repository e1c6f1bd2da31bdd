"""The std of noise by each calibration; and, where the same numbers are released several times, by
each accountant that can add the releases up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.accountants import Accountant, NumericAccountant, calibrate, compose
from dpframe.accountants.every import ACCOUNTANTS, accountant_of, unknown_accountant
from dpframe.errors import InvalidArgument, Plain
from dpframe.identity import strangers
from dpframe.mechanisms import AdditiveNoise, Calibration, DiscreteGaussian, Gaussian, Laplace
from dpframe.numerics import to_float
from dpframe.privacy import ApproxDP, Share, ZeroConcentratedDP
from dpframe.prover import Constraint
from dpframe.prover.algebra import ends_of, number
from dpframe.prover.problem import place as class_of
from dpframe.prover.report import satisfied
from dpframe.sensitivity import L1, L2
from dpframe.symbols import EPSILON, Expression, Number, parameter, power, rational
from dpframe.theory.guarantees import APPROX

from .comparison import Cell, Comparison, Method, Point, rated
from .figures import exactly, figure

FAMILY, BASIC = "Gaussian.", "basic"
COUNT = parameter("m", 1)
ONE = Number(Fraction(1))
NEXT = 1 + 1e-6  # what is rounded up to a few digits is then the next number of as many digits
ENOUGH = (
    "ratio: how many times the std that is enough, by the exact profile; in brackets where no "
    "theorem holds."
)
LEAST = "ratio: how many times the least std of the table."
NO_RATIO = (
    "-: no ratio. Ratios are to Gaussian.analytic and of Gaussian noise only: other noise has "
    "another guarantee, such as pure epsilon, or another norm."
)
UNLIKE = (
    "Stds of different noise compare for the same statistic only if it moves alike in their norms "
    "(L1 or L2) and, for noise of whole numbers, takes whole numbers."
)
ABOVE = "<=: this std is enough; less may be enough, as no move is known to cost as much."
BRACKETS = "In brackets: the theorem does not hold for that part of epsilon."


@attrs.frozen
class Workload:
    """`dimension` numbers, of this sensitivity in 2-norm, released `times` times."""

    sensitivity: Fraction
    dimension: int = 1
    times: int = 1

    @property
    def entries(self) -> Number:
        """The number of numbers."""
        return Number(Fraction(self.dimension))

    def moves(self, noise: type[AdditiveNoise]) -> bool:
        """False for whole numbers at a sensitivity below 1, or of one number at a fraction."""
        whole = self.dimension > 1 or self.sensitivity.denominator == 1
        return not noise.integer or (self.sensitivity >= 1 and whole)

    def moved(self, noise: type[AdditiveNoise]) -> Expression:
        """The sensitivity in the norm of the noise: sqrt(d) times that in 2-norm bounds it in L1,
        and `largest_sum` where the noise is for whole numbers. Raises InvalidArgument for noise of
        another norm, and for whole numbers that cannot move.
        """
        if not self.moves(noise):
            wanted = f"a whole number of 1 or more for {noise.__name__} noise of whole numbers"
            way_out = "They move by whole numbers: state the largest of these."
            raise InvalidArgument("sensitivity", wanted, Plain(self.sensitivity), way_out)
        if noise.norm is L1 and noise.integer:
            whole = largest_sum(self.dimension, math.floor(self.sensitivity**2))
            return Number(Fraction(whole))
        if noise.norm is L1:
            return power(self.entries, Fraction(1, 2)) * self.sensitivity
        if noise.norm is not L2 and self.dimension > 1:
            wanted = "noise for a sensitivity in L1 or L2, where dimension is above 1"
            raise InvalidArgument(
                "calibrations", wanted, Plain(f"{noise.__name__}, of {noise.norm}")
            )
        return Number(self.sensitivity)

    def notes(self, name: str, noise: type[AdditiveNoise]) -> Iterator[str]:
        """In which norm the sensitivity of the noise is; none in 2-norm, of real numbers."""
        if noise.integer:
            own = f", whose sensitivity in the L1 norm is at most {self.moved(noise)}"
            own = own if noise.norm is L1 else ""
            yield f"{name}: for whole numbers, a lattice of step 1{own}."
        elif noise.norm is not L2 and self.dimension == 1:
            norm = f"that in the {noise.norm} norm, for one number the same"
            yield f"{name}: the sensitivity is {norm}."
        elif noise.norm is not L2:
            most = f"at most {self.moved(noise) / Number(self.sensitivity)} times that in 2-norm"
            yield f"{name}: the sensitivity in the {noise.norm} norm is {most}."


def largest_sum(dimension: int, square: int) -> int:
    """The largest sum |v_1| + ... + |v_d| of d whole numbers whose squares sum to at most `square`.
    (docs/proofs/shifts.md)
    """
    level = math.isqrt(square // dimension)
    return dimension * level + (square - dimension * level**2) // (2 * level + 1)


def _alone(calibration: Calibration, points: Sequence[Point], workload: Workload) -> list[Cell]:
    """By the theorem, for an equal part of the budget."""
    moved, part = workload.moved(calibration.mechanism), Fraction(1, workload.times)
    cells = []
    for point in points:
        share = ApproxDP(*point).budget.split(part)[0]
        mechanism = calibration.calibrate_among(share, moved, workload.entries)
        limit = calibration.limit(share)
        valid = limit is None or satisfied(Constraint(*limit), {})
        std = number(mechanism.deviation_among(workload.entries), {}, up=True)
        cells.append(Cell(std, valid, valid or _suffices(mechanism, share, moved)))
    return cells


def _suffices(mechanism: object, share: Share, sensitivity: Expression) -> bool | None:
    """Whether the formula's number gives the share, by the exact profile."""
    if not isinstance(mechanism, Gaussian):
        return None
    from dpframe.prover.judge import ProfileClaim, holds, refute

    move = power(sensitivity / mechanism.std, 2)
    claim = ProfileClaim(share.epsilon, share.delta, move, move)
    if holds(claim, {}):
        return True
    return None if refute(claim) is None else False


def compare_calibrations(
    calibrations: Sequence[Calibration], points: Sequence[Point], workload: Workload
) -> Comparison:
    """Each calibration at each point; ratios are to Gaussian.analytic, the least Gaussian noise."""
    least = [cell.std for cell in _alone(Gaussian.analytic, points, workload)]
    unrated = [None] * len(least)
    methods = tuple(
        Method(
            one.name,
            rated(
                _alone(one, points, workload),
                least if issubclass(one.mechanism, Gaussian) else unrated,
            ),
            record=_trusted(one),
        )
        for one in calibrations
    )
    methods += tuple(_exactly(calibrations, points, workload))
    times = {cell.times.strip("()") for one in methods for cell in one.cells}
    notes = [ENOUGH] if times - {"-", "1.000"} else []
    notes += [NO_RATIO] if "-" in times else []
    notes += _unlike(one.mechanism for one in calibrations)
    for one in calibrations:
        notes += _notes(one, workload, points[0][1])
    gaussian = all(one.name.startswith(FAMILY) for one in calibrations)
    each = "" if workload.dimension == 1 else f" for each of {workload.dimension} numbers"
    of = f"Std of {'Gaussian noise' if gaussian else 'the noise'}{each}, sensitivity "
    return Comparison(
        f"{of}{exactly(workload.sensitivity)}{' in 2-norm' if each else ''}",
        ("calibration",),
        tuple(points),
        methods,
        (*notes, *_conversions(calibrations)),
        _common(workload, "dimension", "sensitivity"),
    )


def _exactly(
    calibrations: Sequence[Calibration], points: Sequence[Point], workload: Workload
) -> Iterator[Method]:
    """Noise of the table whose theorem converts from rho, by its exact law, where that is known."""
    for one in calibrations:
        by_rho = one.mechanism.gives is ZeroConcentratedDP and workload.times == 1
        cells = by_rho and _together(one.mechanism, NumericAccountant(), points, workload)
        if cells:
            name = f"{in_words(one.mechanism)}, exact law"
            yield Method(name, tuple(cells), record=_trusted(one))


def in_words(noise: type[AdditiveNoise]) -> str:
    """`discrete Gaussian`, `L2 Laplace`; the name of a class of the user's own."""
    if strangers((noise,)):
        return noise.__name__
    spaced = (f" {one}" if one.isupper() else one for one in noise.__name__)
    first, *others = "".join(spaced).split()
    return " ".join([first.lower() if others and first.isalpha() else first, *others])


def _unlike(kinds: Iterable[type[AdditiveNoise]]) -> list[str]:
    """A note if noise is for different norms, or for whole numbers and for others."""
    return [UNLIKE] if len({(one.norm, one.integer) for one in kinds}) > 1 else []


def _common(workload: Workload, *names: str) -> dict[str, Any]:
    found = {name: getattr(workload, name) for name in names}
    return {**found, "sensitivity": float(workload.sensitivity)}


def _trusted(calibration: Calibration) -> dict[str, str]:
    """The class that is trusted for a theorem, where it is none of dpframe's."""
    kinds = strangers((calibration, calibration.mechanism))
    return {"trusted": class_of(kinds[0])} if kinds else {}


def _trust(calibration: Calibration) -> Iterator[str]:
    yield from (
        f"{calibration.name}: on trust in {kind}." for kind in _trusted(calibration).values()
    )


def _notes(calibration: Calibration, workload: Workload, delta: Fraction) -> Iterator[str]:
    """The class that is trusted for a theorem, its norm, and where it holds."""
    name, budget = calibration.name, ApproxDP(EPSILON, delta).budget
    yield from _trust(calibration)
    yield from workload.notes(name, calibration.mechanism)
    mechanism = calibration.calibrate(budget, ONE)
    alone, among = mechanism.deviation, mechanism.deviation_among(COUNT)
    if workload.dimension == 1 and among != alone:
        yield (
            f"{name}: the std of one number released alone; each of m numbers released together "
            f"has {among / alone} times that."
        )
    limit = calibration.limit(budget)
    if limit is not None:
        yield f"{name}: a theorem where {Constraint(*limit)} ({calibration.citation})."


def _conversions(calibrations: Sequence[Calibration]) -> list[str]:
    """The conversions from rho to epsilon of calibrations by zCDP and of the accountant."""
    named = [one.name for one in calibrations if one.mechanism.gives is ZeroConcentratedDP]
    return [
        f"{name}: epsilon is rho + 2 sqrt(rho log(1/delta)) [BunS16, Prop 1.3]. The accountants "
        "zcdp, at the best Renyi order [CanonneKS20, Prop 12], and numeric, by the exact law where "
        "one number moves by 1, need less noise (accountant='numeric', --accountant numeric)."
        for name in named
    ]


# ---------------------------------------------------------------------- Several releases together
def compare_compositions(
    calibrations: Sequence[Calibration],
    points: Sequence[Point],
    workload: Workload,
    accountant: object,
) -> Comparison:
    """Each calibration on equal parts of the budget, and its noise by each accountant, or by those
    given; the least std at the first point first. Raises InvalidArgument where no accountant given
    can add the noise.
    """
    chosen = _accountants(accountant)
    kinds = list(dict.fromkeys(one.mechanism for one in calibrations))
    basic = any(one.name == BASIC for one in chosen)
    spending = [one for one in calibrations if basic and APPROX.currency in one.currencies]
    rows = {(one.name, BASIC): _alone(one, points, workload) for one in spending}
    words = {noise.__name__: in_words(noise) for noise in kinds}
    for noise in kinds:
        for one in chosen:
            needs = None if one.name == BASIC else _together(noise, one, points, workload)
            if needs is not None:
                rows[noise.__name__, one.name] = needs
    if not rows:
        added = ", ".join(words.values())
        names = ", ".join(one.name for one in chosen)
        way_out = "Leave accountant= out: every accountant that can is in the table."
        raise InvalidArgument("accountant", f"one that adds {added} noise", names, way_out)
    columns = zip(*rows.values(), strict=True)
    proved = ([cell.std for cell in column if cell.std and cell.valid] for column in columns)
    least = [min(stds, default=None) for stds in proved]
    methods = [
        Method(words.get(name, name), rated(cells, least), by, {"noise": name})
        for (name, by), cells in rows.items()
    ]
    methods.sort(key=lambda one: math.inf if one.cells[0].std is None else one.cells[0].std)
    citations = {one.name: one.citation for one in chosen}
    cited = dict.fromkeys(f"{one.by} {citations[one.by]}" for one in methods if one.by != BASIC)
    notes = [LEAST]
    if spending:
        part = f"/{workload.times}" * (workload.times > 1)
        has = f"(epsilon{part}, delta{part})"
        notes.append(f"{BASIC}: each release has {has}, calibrated by the theorem named.")
    notes += _unlike(kinds)
    notes += [BRACKETS] * any(not cell.valid for one in methods for cell in one.cells)
    notes += [ABOVE] * any(cell.above for one in methods for cell in one.cells)
    notes += [f"Accountants: {', '.join(cited)}."] if cited else []
    for noise in kinds:
        notes += workload.notes(words[noise.__name__], noise)
    notes += _conversions(calibrations)
    for rule in calibrations:
        notes += _trust(rule)
    numbers = "one number" if workload.dimension == 1 else f"each of {workload.dimension} numbers"
    often = "once" if workload.times == 1 else f"{workload.times:,} times"
    size = f"2-norm sensitivity {exactly(workload.sensitivity)} each time"
    return Comparison(
        f"Noise std of {numbers} released {often}, {size}",
        ("noise", "accountant"),
        tuple(points),
        tuple(methods),
        tuple(notes),
        _common(workload, "times", "dimension", "sensitivity"),
    )


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


def _together(
    kind: type[AdditiveNoise], accountant: Accountant, points: Sequence[Point], workload: Workload
) -> list[Cell] | None:
    """By the accountant; None where it cannot add such noise."""
    moved, times = workload.moved(kind), workload.times
    alike = kind is Laplace and accountant.name in {"rdp", "zcdp"}
    if alike:  # of all moves of one 2-norm, equal entries cost most (proofs/shifts, S4)
        moved, times = moved / workload.entries, times * workload.dimension
    ends = ends_of(moved)
    assert ends is not None  # noqa: S101 - it is a number or a square root
    size = ends[1]
    unit: AdditiveNoise = kind(1)  # type: ignore[call-arg]  # its one field
    added = partial(compose, accountant=accountant, sensitivity=size)
    try:
        spent = added((unit, times))
        spent.epsilon(points[0][1])
    except (InvalidArgument, TypeError):
        return None
    numeric = accountant.name == NumericAccountant.name
    bounded = numeric and any(part.above for part in spent.parts)
    above = bounded or (size != workload.sensitivity and not alike)

    def meets(std: str, point: Point) -> bool:
        made: Any = type(unit)(rational(std))  # type: ignore[call-arg]
        return added((made, times)).epsilon(point[1]).upper <= point[0]

    def need(point: Point) -> Cell:
        repeated, target = (unit, times), ApproxDP(*point)
        try:
            found = calibrate(repeated, target=target, accountant=accountant, sensitivity=size)
        except InvalidArgument:  # no factor meets the target
            return Cell(None)
        deviation = unit.scaled(Number(found.factor)).deviation_among(workload.entries)
        std = to_float(Fraction(number(deviation, {}, up=True)), up=True)
        if isinstance(unit, DiscreteGaussian):  # of which more may cost more
            while not (meets(repr(std), point) and meets(figure(std, "up"), point)):
                std = float(figure(std * NEXT, "up"))
        return Cell(std, above=above)

    return list(map(need, points))
