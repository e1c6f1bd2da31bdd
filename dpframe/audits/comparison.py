"""Calibrations side by side: the std of each where its theorem holds, and where it does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.identity import strangers
from dpframe.mechanisms import Calibration, Gaussian
from dpframe.numerics import epsilon_limit
from dpframe.numerics.fast import classical_constants
from dpframe.privacy import ApproxDP, Share
from dpframe.prover import Constraint
from dpframe.prover.algebra import enclose, number
from dpframe.prover.problem import place, trusted_classes
from dpframe.prover.report import satisfied
from dpframe.symbols import EPSILON, Expression, Number, power, rational

from .figures import WIDTH, exactly, figure, hanging, table

ALL = (Gaussian.classical, Gaussian.kamath_ullman, Gaussian.analytic)
CURRENCY = ("epsilon", "delta")
FAMILY = "Gaussian."


@attrs.frozen
class Cell:
    """What one calibration gives at one epsilon.

    `std` is the number of its formula, rounded up. `valid` says whether its theorem holds there;
    `suffices` whether that number gives (epsilon, delta), by the exact profile (None: not Gaussian,
    or not decided).
    """

    std: float
    valid: bool
    suffices: bool | None

    def __str__(self) -> str:
        """`5.89`, `not valid (1.77)`, `not valid (0.530, too small)`, to the nearest digit."""
        text = f"{self.std:.2f}" if self.std >= 1 else figure(self.std)
        if self.valid:
            return text
        return f"not valid ({text}{', too small' if self.suffices is False else ''})"


@attrs.frozen
class Theorem:
    """A calibration: its name, citation and hypothesis, and how far its formula happens to reach.

    `reach` is the largest epsilon up to which the number of the formula suffices, rounded down;
    None where the theorem always holds or the question does not arise. `trusted` names the class
    whose word it is, where that is none of dpframe's.
    """

    name: str
    citation: str
    hypothesis: str
    reach: float | None
    trusted: str = ""


@attrs.frozen(eq=False, repr=False, str=False)
class Comparison:
    """Stds of `theorems` (columns) at `epsilons` (rows), for one delta and sensitivity."""

    epsilons: tuple[Fraction, ...]
    delta: Fraction
    sensitivity: Fraction
    theorems: tuple[Theorem, ...]
    cells: tuple[tuple[Cell, ...], ...]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a row and theorem: epsilon, delta, calibration, std, valid, suffices."""
        return [
            {
                "epsilon": float(epsilon),
                "delta": float(self.delta),
                "sensitivity": float(self.sensitivity),
                "calibration": theorem.name,
                "std": cell.std,
                "valid": cell.valid,
                "suffices": cell.suffices,
                "reach": theorem.reach,
                **({"trusted": theorem.trusted} if theorem.trusted else {}),
            }
            for epsilon, row in zip(self.epsilons, self.cells, strict=True)
            for theorem, cell in zip(self.theorems, row, strict=True)
        ]

    def __str__(self) -> str:
        """A table, and what "not valid" means below it."""
        return comparison_text(self)

    __repr__ = __str__

    def plot(self, ax: Any = None) -> Any:
        """Std against epsilon, both logarithmic; dashed where the theorem does not hold.

        Draws into `ax`, or a new figure; returns the axes. Raises MissingExtra without matplotlib.
        """
        from .plot import draw

        return draw(self, ax)


def comparison_text(comparison: Comparison, width: int = WIDTH) -> str:
    """A table, and below it, in at most `width` columns, how far each theorem reaches."""
    delta, size = exactly(comparison.delta), exactly(comparison.sensitivity)
    names = [theorem.name for theorem in comparison.theorems]
    gaussian = all(name.startswith(FAMILY) for name in names)
    head = ["epsilon", *(name.removeprefix(FAMILY) if gaussian else name for name in names)]
    rows = [
        [exactly(epsilon), *map(str, row)]
        for epsilon, row in zip(comparison.epsilons, comparison.cells, strict=True)
    ]
    noise = "Gaussian noise" if gaussian else "the noise"
    title = f"Std of {noise} at delta = {delta}, sensitivity {size}"
    notes = [note for theorem in comparison.theorems for note in _notes(theorem, delta)]
    if any(theorem.reach is not None for theorem in comparison.theorems):
        notes.append(_unproved(comparison.delta))
    below = [piece for note in notes for piece in hanging(note, width=width)]
    return "\n".join([title, "", *table(head, rows, range(len(head))), "", *below]).rstrip()


def _notes(theorem: Theorem, delta: str) -> list[str]:
    if theorem.trusted:
        return [f"{theorem.name}: on trust in {theorem.trusted}.", *_reaching(theorem, delta)]
    return _reaching(theorem, delta)


def _reaching(theorem: Theorem, delta: str) -> list[str]:
    if not theorem.hypothesis:
        return []
    text = f"{theorem.name}: a theorem where {theorem.hypothesis} ({theorem.citation})."
    if theorem.reach is None:
        return [text]
    reach = figure(theorem.reach, "down")
    text += f" At delta = {delta} its number happens to suffice up to epsilon = {reach}, by the"
    return [f"{text} exact profile (rule F1), and not beyond."]


def _unproved(delta: Fraction) -> str:
    """The third constant of the literature, which is that of no theorem."""
    reach = figure(classical_constants(delta)["Wang"].epsilon_limit, "down")
    return (
        "sqrt(log(2/delta)), which adaSSP prints for one share ([Wang18, Alg. 2]), is the constant "
        f"of no theorem. At delta = {exactly(delta)} it happens to suffice up to epsilon = {reach},"
        " by the exact profile (rule F1), and not beyond."
    )


def compare(
    *calibrations: Calibration,
    epsilon: object,
    delta: object,
    sensitivity: object = 1,
    trust: Sequence[type] = (),
) -> Comparison:
    """The std that each calibration prescribes at each epsilon, for one delta and sensitivity.

    `epsilon` is a number, or a list or array of numbers. Without calibrations: classical,
    kamath_ullman and analytic. Numbers are rounded up, rigorously. A calibration outside its
    theorem is marked as not valid, with the number that its formula would give. That the theorem of
    a class of your own holds is its word: `trust` names it, and the table says so.
    Raises InvalidArgument.
    """
    chosen, believed = calibrations or ALL, trusted_classes(trust)
    for calibration in chosen:
        if not isinstance(calibration, Calibration) or CURRENCY not in calibration.currencies:
            wanted = "calibrations that spend (epsilon, delta), such as dp.Gaussian.analytic"
            raise InvalidArgument("calibrations", wanted, calibration)
        _believed(calibration, believed)
    epsilons, size = _epsilons(epsilon), rational(sensitivity, "sensitivity")
    if size <= 0:
        raise InvalidArgument("sensitivity", "above 0", sensitivity)
    target = ApproxDP(EPSILON, rational(delta, "delta"))
    rows = [
        tuple(
            _cell(calibration, ApproxDP(one, target.delta).budget, size) for calibration in chosen
        )
        for one in epsilons
    ]
    theorems = tuple(_theorem(calibration, target.budget) for calibration in chosen)
    return Comparison(epsilons, rational(delta, "delta"), size, theorems, tuple(rows))


def _believed(calibration: Calibration, trust: Sequence[type]) -> None:
    """Refuse what is nobody's theorem but its own, unless it is trusted. Raises InvalidArgument."""
    for kind in strangers((calibration, calibration.mechanism)):
        if kind not in trust:
            way_out = f"Pass trust=[{kind.__name__}]; the table then says that it is trusted."
            raise InvalidArgument("calibrations", "theorems of dpframe", place(kind), way_out)


def _epsilons(value: object) -> tuple[Fraction, ...]:
    many = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(many, (str, Expression)) or not isinstance(many, Iterable):
        many = (many,)
    found = tuple(rational(one, "epsilon") for one in many)
    if not found:
        raise InvalidArgument("epsilon", "one number or several", value)
    return found


def _cell(calibration: Calibration, share: Share, sensitivity: Fraction) -> Cell:
    mechanism = calibration.calibrate(share, Number(sensitivity))
    limit = calibration.limit(share)
    valid = limit is None or satisfied(Constraint(*limit), {})
    return Cell(
        number(mechanism.deviation, {}, up=True),
        valid,
        valid or _suffices(mechanism, share, sensitivity),
    )


def _suffices(mechanism: object, share: Share, sensitivity: Fraction) -> bool | None:
    """Whether the formula's number gives the share, by the exact profile."""
    if not isinstance(mechanism, Gaussian):
        return None
    from dpframe.prover.profile_rule import Claim, holds, refute

    move = power(Number(sensitivity) / mechanism.std, 2)
    claim = Claim(share.epsilon, share.delta, move, move)
    if holds(claim, {}):
        return True
    return None if refute(claim) is None else False


def _theorem(calibration: Calibration, budget: Share) -> Theorem:
    limit = calibration.limit(budget)
    hypothesis = "" if limit is None else str(Constraint(*limit))
    reach = _reach(calibration, budget)
    trusted = "".join(map(place, strangers((calibration,))[:1]))
    return Theorem(calibration.name, calibration.citation, hypothesis, reach, trusted)


def _reach(calibration: Calibration, budget: Share) -> float | None:
    """Rule F1: where std = C Delta/epsilon with C free of epsilon, one number decides."""
    mechanism = calibration.calibrate(budget, Number(Fraction(1)))
    if calibration.limit(budget) is None or not isinstance(mechanism, Gaussian):
        return None
    constant = mechanism.std * EPSILON
    if constant.symbols() or not isinstance(budget.delta, Number):
        return None
    return epsilon_limit(enclose(power(constant, 2), {}), budget.delta.value)
