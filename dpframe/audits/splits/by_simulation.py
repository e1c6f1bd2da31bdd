"""The best split of those that were simulated: a grid, then a finer one around its best."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.exact.interval import Interval
from dpframe.graph import Regression, Setting
from dpframe.privacy import Guarantee
from dpframe.prover.unproved import NOT_PRIVATE, Unproved, unproved
from dpframe.symbols import Number

from . import scan
from .by_formula import at, limits_of
from .criterion import SampledCriterion
from .family import Family, symbols_of
from .split import Outcome, Point, as_point, equal_parts, spread

Array = NDArray[np.float64]
MOST = 4  # releases whose shares are all free
STEPS, FINER = {2: 24, 3: 12, 4: 8}, 3
TURNS = 2  # finer grids
BETWEEN = 5  # points between neighbours of the best
ALIKE = 2.0  # standard errors


@attrs.frozen(eq=False)
class Tried:
    """Splits and their errors, shape (splits, repeats), in order of the splits."""

    splits: tuple[Mapping[str, Fraction], ...]
    errors: Array

    @property
    def means(self) -> Array:
        """The criterion at each."""
        return np.asarray(self.errors.mean(1))

    @property
    def best(self) -> int:
        """The place of the best."""
        return int(np.argmin(self.means))

    def deviation(self, place: int) -> float:
        """The standard error of a mean."""
        return _deviation(self.errors[place])

    def alike(self) -> list[Mapping[str, Fraction]]:
        """The splits that are no more than 2 standard errors of the difference worse."""
        best = self.errors[self.best]
        return [
            split
            for split, own in zip(self.splits, self.errors, strict=True)
            if np.mean(own - best) <= ALIKE * _deviation(own - best)
        ]


def _deviation(values: Array) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def by_simulation(
    family: Family,
    regression: Regression,
    criterion: SampledCriterion,
    ends: Sequence[Interval],
    *,
    target: Guarantee,
    setting: Setting,
) -> Outcome:
    """The split with the least mean error. Raises InvalidArgument."""
    draft = unproved(family.regression, target=target, setting=setting, label=NOT_PRIVATE)
    _complete(draft, family)
    first = _known(family, draft, _first(family, ends))
    if not first:
        wanted = "tried somewhere in the range where the theorems of its noise hold"
        raise InvalidArgument("criterion", wanted, "nowhere", "Give smaller budgets.")
    equal = equal_parts(family, len(draft.graph.releases), ends)
    equal = equal if equal is not None and _known(family, draft, [equal[1]]) else None
    splits = [*first, *([] if equal is None else [equal[1]])]
    seen = _tried(family, draft, criterion, splits)
    tried = Tried(seen.splits[: len(first)], seen.errors[: len(first)])
    for turn in range(TURNS):
        finer = _known(family, draft, _finer(family, tried, ends, turn))
        tried = _joined(tried, _tried(family, draft, criterion, finer)) if finer else tried
    chosen, alike = tried.splits[tried.best], tried.alike()
    return Outcome(
        regression=at(family, chosen),
        chosen={name: Number(one) for name, one in chosen.items()},
        value=float(tried.means[tried.best]),
        error=tried.deviation(tried.best),
        optimal={
            name: (float(min(s[name] for s in alike)), float(max(s[name] for s in alike)))
            for name in chosen
        },
        curve=_curves(family, tried),
        against=(
            *_declared(family, regression, criterion, target, setting),
            *([] if equal is None else [_point(seen, len(first), equal[0])]),
        ),
    )


def _known(
    family: Family, draft: Unproved, splits: Sequence[dict[str, Fraction]]
) -> list[dict[str, Fraction]]:
    """The splits inside of the theorems that calibrate noise."""
    limits = limits_of(draft.graph)
    return [split for split in splits if scan.inside(limits, as_point(family, split))]


def _complete(draft: Unproved, family: Family) -> None:
    lacking = sorted(draft.free - {symbol.name for symbol in family.symbols})
    if lacking:
        way_out = "Give the target, the setting and other fields numbers."
        raise InvalidArgument("numbers", "given for all that is simulated", lacking, way_out)


def _tried(
    family: Family,
    draft: Unproved,
    criterion: SampledCriterion,
    splits: Sequence[Mapping[str, Fraction]],
) -> Tried:
    points = [as_point(family, split) for split in splits]
    return Tried(tuple(splits), criterion.errors(draft, points))


def _first(family: Family, ends: Sequence[Interval]) -> list[dict[str, Fraction]]:
    if not family.labels:
        name = family.symbols[0].name
        return [{name: point} for point in spread(*ends[0])]
    if len(family.labels) > MOST:
        way_out = "dp.audits.NoiseCriterion has a rule in closed form for any number."
        raise InvalidArgument("releases", f"at most {MOST}, to try", len(family.labels), way_out)
    return _lattice(family.labels, STEPS[len(family.labels)])


def _lattice(
    labels: Sequence[str],
    steps: int,
    around: Mapping[str, Fraction] | None = None,
    near: Fraction = Fraction(1),
) -> list[dict[str, Fraction]]:
    """All positive shares in multiples of 1/steps, less than `near` from those `around`."""
    middle = around or dict.fromkeys(labels, Fraction(1, 2))
    ranges = [
        [part for part in range(1, steps) if abs(Fraction(part, steps) - middle[label]) < near]
        for label in labels[:-1]
    ]
    found = [(*one, steps - sum(one)) for one in itertools.product(*ranges) if sum(one) < steps]
    return [
        {label: Fraction(part, steps) for label, part in zip(labels, one, strict=True)}
        for one in found
        if abs(Fraction(one[-1], steps) - middle[labels[-1]]) < near
    ]


def _finer(
    family: Family, tried: Tried, ends: Sequence[Interval], turn: int
) -> list[dict[str, Fraction]]:
    """Splits around the best so far."""
    best = tried.splits[tried.best]
    if not family.labels:
        (name,) = best
        around = [ends[0][0], *(split[name] for split in tried.splits), ends[0][1]]
        low, high = around[tried.best], around[tried.best + 2]
        return [{name: point} for point in _between(low, high) if point in family.symbols[0].domain]
    steps = STEPS[len(family.labels)] * FINER**turn
    return _lattice(family.labels, FINER * steps, best, Fraction(1, steps))


def _between(low: Fraction, high: Fraction) -> list[Fraction]:
    """Numbers between two, in two digits of their distance."""
    unit = Fraction(10) ** (math.floor(math.log10(high - low)) - 1)
    inner = [low + (high - low) * Fraction(i, BETWEEN + 1) for i in range(1, BETWEEN + 1)]
    return [round(one / unit) * unit for one in inner]


def _joined(one: Tried, other: Tried) -> Tried:
    """Both, without repetition, in order."""
    splits = [*one.splits, *other.splits]
    errors = np.concatenate([one.errors, other.errors])
    keys = {tuple(split.values()): place for place, split in enumerate(splits)}
    order = [keys[key] for key in sorted(keys)]
    return Tried(tuple(splits[place] for place in order), errors[order])


def _point(tried: Tried, place: int, label: str = "") -> Point:
    mean, error = float(tried.means[place]), tried.deviation(place)
    return Point(tried.splits[place], mean, error, label)


def _curves(family: Family, tried: Tried) -> dict[str, tuple[Point, ...]]:
    """By the parameter all that was tried; by the share of a release the best for each."""
    if not family.labels:
        name = family.symbols[0].name
        return {name: tuple(_point(tried, place) for place in range(len(tried.splits)))}
    found = {}
    for label in family.labels:
        best: dict[Fraction, int] = {}
        for place, split in enumerate(tried.splits):
            share = split[label]
            if share not in best or tried.means[place] < tried.means[best[share]]:
                best[share] = place
        found[label] = tuple(_point(tried, best[share]) for share in sorted(best))
    return found


def _declared(
    family: Family,
    regression: Regression,
    criterion: SampledCriterion,
    target: Guarantee,
    setting: Setting,
) -> list[Point]:
    """The declaration as it stands, where its shares are given."""
    if not family.labels or symbols_of(regression):
        return []
    draft = unproved(regression, target=target, setting=setting, label=NOT_PRIVATE)
    errors = criterion.errors(draft, [{}])
    mean = float(errors.mean())
    return [Point({}, mean, _deviation(errors[0]), f"{regression} as declared")]
