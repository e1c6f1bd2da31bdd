"""Sentences on the coverage, the assumptions and the refusals of an inference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from .moments import MOST_LOST
from .result import COVERED, NO_NEW_LABELS, Inference
from .spectrum import Unidentified

ROBUST = "Residuals may have another variance in every row"
HELD = (
    "The others are longer and assume that each changes the label by at most {} "
    "(summary(largest=...) replaces this)."
)
REFUTED = (
    "The released X'y is larger along hidden directions than coefficients of the {} allow: nothing "
    "is claimed. Bounds of hidden columns that are narrower, and public, show them."
)
BELIEVED = "assumed length, by which each changes the label over its declared range,"
LENGTH = "Intervals hold where all coefficients together have at most the length {:g}, as declared."
NEVER_EQUAL = (
    "Residuals of labels 0 and 1 do not have equal variance, since the variance depends on the "
    "mean: leave equal_variance=True out for such labels."
)
TIGHTER = "a tighter public bound of labels"
RELEASE = {
    "y @ y": "y'y was not released (dp.release(y @ y, ...) and dp.JointSSP() release it)",
    "n": "n was not released (dp.JointSSP() releases it)",
}
SAMPLING = (
    "Sampling enters as an upper bound here: standard errors are cautious, shares lower bounds"
)
IMPROVE = "To improve them, {}."
BETTER = "More records, a larger epsilon, fewer columns or merged levels help"
TOGETHER = (
    "Rows of one person, up to {0}, may depend on each other in any way: the variance that "
    "sampling makes counts {0} times."
)
OF_ODDS = (
    "Intervals are for the population's coefficients: the log-odds of largest expected likelihood, "
    "also where log-odds are not linear in the columns. They include sampling error, by robust "
    "standard errors, privacy noise, and what one Newton step may leave."
)
UNSETTLED = "With this noise a class may be absent from a group, so that log-odds are infinite"
LINEAR = (
    f"{BETTER}, least where effects are strong. dp.JointSSP.for_intervals() in "
    "dp.PrivateRegressor, a linear probability model, often has intervals where log-odds have "
    "none. (fitted) in parentheses says nothing of sign or size."
)
MOST_NAMES = 3  # in a note
ALL = 0.999  # of residuals inside their clip: more than this is not worth a sentence
WAY_OUT = (
    "Where one of these columns follows from others, leave it out: no budget tells them apart. "
    "Where not, more records or a larger budget show it, or largest=, a public bound on the length "
    "of all coefficients together, bounds it. A column is constant, and cannot be seen, where all "
    "its values are outside its bounds, or are levels other than declared that count as zeros."
)


def sentences(
    inference: Inference, hidden: Sequence[str] = (), *, some: bool = True, tighter: bool = True
) -> Iterator[str]:
    """The coverage of intervals, their assumptions, refusals and reasons. `hidden` names the
    directions that are not identified; `some` says whether any coefficient has an interval,
    `tighter` whether a tighter bound of labels may be recommended.
    """
    half, centre = inference.units.half * inference.bound, inference.units.centre
    ends = f"[{centre - half:.12g}, {centre + half:.12g}]"
    labels = f", with labels clipped to {ends}" if np.isfinite(half) else ""
    yield f"Intervals are for {COVERED[inference.target].format(labels)}."
    yield from assumed(inference)
    yield from refused(inference)
    if inference.unseen.lost.size:
        yield from unseen(inference, hidden, some=some and not inference.open_ended)
    yield from of_residuals(inference, tighter=tighter)


def brief(
    inference: Inference,
    *,
    some: bool = True,
    instead: str = "",
    tighter: bool = True,
    columns: Sequence[str] = (),
) -> Iterator[str]:
    """The same in few sentences: what intervals cover and assume, what is refused, and what helps;
    `instead` names a regression whose intervals are mostly shorter, `columns` are those along which
    hidden directions lie.
    """
    first, *_ = sentences(inference, some=some)
    yield first
    yield from (one for one in assumed(inference) if not one.startswith(ROBUST))
    yield from refused(inference)
    better = f"{BETTER}; so does {instead}, with worse predictions." if instead else f"{BETTER}."
    lost, d = inference.unseen, len(inference.centre)
    hides = f"The noise hides {d - inference.identified} of {d} directions"
    if not lost.lost.size:
        yield from [f"Noise for privacy is most of these intervals. {better}"] if instead else []
    elif lost.declared and not lost.refuted:
        yield LENGTH.format(lost.length)
    elif not some or inference.open_ended:
        yield f"{hides}: no coefficient has an interval. {better}"
    else:
        held = HELD.format(assumed_change(lost))
        along = f", mostly along {listed(list(columns))}" if columns else ""
        yield f"{hides}{along}: coefficients along them have no interval. {held} {better}"
    yield from of_residuals(inference, tighter=tighter)


def of_odds(inference: Inference, columns: Sequence[str] = ()) -> Iterator[str]:
    """The same of log-odds; hidden directions lie along `columns`."""
    yield OF_ODDS
    if inference.dependent > 1:
        yield TOGETHER.format(f"{inference.dependent:g}")
    if inference.unseen.lost.size:
        d = len(inference.centre)
        along = f", mostly along {listed(list(columns))}" if columns else ""
        hides = f"The noise hides {d - inference.identified} of {d} directions{along}"
        yield f"{hides}: no coefficient has an interval. {LINEAR}"
    elif not inference.settled:
        yield f"{UNSETTLED}: no coefficient has an interval. {LINEAR}"


def listed(names: list[str]) -> str:
    """`a, b, c, 2 more`."""
    more = len(names) - MOST_NAMES
    return ", ".join([*names[:MOST_NAMES], *([f"{more} more"] if more > 0 else [])])


def unseen(inference: Inference, hidden: Sequence[str], *, some: bool) -> Iterator[str]:
    """The directions without an interval, the assumption of the others, and remedies."""
    d, lost = len(inference.centre), inference.unseen
    which = f": {', '.join(hidden)} (in scaled columns)" if hidden else ""
    yield (
        f"{lost.lost.shape[1]} of {d} directions of the coefficients are not identified{which}. "
        "The noise on X'X may be all that is seen there."
    )
    if lost.declared and not lost.refuted:
        yield LENGTH.format(lost.length)
    elif not some:
        yield "No coefficient has an interval then."
    else:
        yield (
            "A coefficient that lies along them has no interval. The finite intervals assume that "
            f"each of these directions changes the label by at most {assumed_change(lost)}, and "
            "allow for such a change: the declared range, or what the released sums support, if "
            "that is more. Where a column fills a small part of its declared range the change over "
            "this range may be larger; summary(largest=...) replaces the assumption."
        )
        if inference.target == "sample":
            yield "Beside a hidden direction they count sampling too, and are longer than need be."
    yield WAY_OUT


def assumed_change(lost: Unidentified) -> str:
    """`2.5 times the declared range of the label`, rounded down, so that no more is assumed."""
    times = math.floor(10 * lost.times) / 10
    return f"{f'{times:g} times ' if times > 1 else ''}the declared range of the label"


def binary(inference: Inference) -> bool:
    """Whether labels have the bounds [0, 1], as labels of 0 and 1 have."""
    return inference.units.half * inference.bound == inference.units.centre == 0.5


def assumed(inference: Inference) -> Iterator[str]:
    """Assumptions on residuals and labels."""
    if inference.target == "population" and inference.equal_variance and inference.residual is None:
        yield (
            "Labels may have another variance in every row where their mean is linear in the "
            "columns; elsewhere residuals are assumed to be homoscedastic."
        )
    elif inference.target == "population" and inference.equal_variance:
        yield (
            "Residuals are assumed to be homoscedastic, of one variance in every row, and "
            "independent."
        )
        if binary(inference):
            yield NEVER_EQUAL
    if inference.target == "population" and not inference.equal_variance:
        how = "the norm of rows bounds its effect"
        if inference.sandwich is not None:
            how = "standard errors are robust, by a released sum of squared residuals times xx'"
        yield f"{ROBUST}: {how}."
    if inference.dependent > 1:
        yield (
            f"{TOGETHER.format(f'{inference.dependent:g}')} equal_variance=True takes them for "
            "independent."
        )
    if inference.shrunk is not None:
        alike = ", if rows are like the public ones" if inference.shrunk.public else ""
        yield (
            "Records with long rows weigh less in least squares, on average at least "
            f"{inference.shrunk.weight:.2f}{alike}. The coefficients are those of the population "
            "where the mean of labels is linear in the columns, and elsewhere may differ."
        )
    if inference.normal_residuals:
        yield "Residuals are assumed to be normal; nothing that was released tests that."
    if inference.lost_share and not inference.normal_residuals:
        share = 100 * inference.lost_share
        yield (
            f"Clips took up to about {share:.2g}% off the sizes of labels, by released counts; "
            "intervals allow for that, wherever it was, and for the noise on the counts."
        )
    if inference.kept < ALL:
        clipped = 100 * (1 - inference.kept)
        what = "labels or residuals" if inference.normal_residuals else "labels"
        yield f"Up to {clipped:.2g}% of {what} were clipped; intervals allow for what that moves."


def refused(inference: Inference) -> Iterator[str]:
    """Reasons for which no coefficient has an interval."""
    if inference.lost_share > MOST_LOST:
        yield (
            f"Labels were clipped, by chance, so far that {100 * inference.lost_share:.0f}% of "
            "their size may be lost: nothing is claimed. dp.JointSSP(levels=0, rounds=0) clips no "
            "labels."
        )
    elif inference.unseen.refuted:
        yield REFUTED.format("declared length" if inference.unseen.declared else BELIEVED)
    elif not inference.settled:
        yield "No fixed point was found, so nothing is claimed: noise is too large here."


def of_residuals(inference: Inference, *, tighter: bool = True) -> Iterator[str]:
    """The residual variance, where it is not known."""
    if inference.residual is None:
        why = " and ".join(RELEASE[name] for name in inference.not_released) or "n is lost in noise"
        yield f"The residual variance is not known: {why}. {NO_NEW_LABELS}"
    elif not np.isfinite(inference.residual.std):
        yield f"The residual variance is lost in noise. {NO_NEW_LABELS}"
    elif not inference.residual.known:
        narrow = tighter and not binary(inference)
        helps = f"{TIGHTER[0].upper()}{TIGHTER[1:]} helps." if narrow else ""
        yield (
            "The residual variance is lost in noise: the level of intervals holds on average over "
            f"repeated releases, but a single one may be too short. {helps}"
        ).rstrip()
    yield from of_sampling(inference, tighter=tighter)


def of_sampling(inference: Inference, *, tighter: bool = True) -> Iterator[str]:
    """Sampling, where it enters variances as an upper bound."""
    estimates, tighter = inference.t_test(), tighter and not binary(inference)
    if not np.any(estimates.bounded):
        return
    ways, bound = [], [f"declare {TIGHTER}"] if tighter else []
    if inference.residual is None and inference.sandwich is None:
        released = " and ".join(inference.not_released) or "n with less noise"
        ways += [f"release {released}", "fit dp.JointSSP()", *bound]
    elif np.any(estimates.spread.unclear) and (
        inference.residual is None or inference.residual.known
    ):
        ways += bound
    known = inference.residual is not None and inference.residual.known
    alone = known and inference.dependent == 1
    if alone and not inference.equal_variance and not binary(inference):
        ways.append("use summary(equal_variance=True) if residuals have equal variance")
    *others, last = ways or [""]
    listed = f"{', '.join(others)} or {last}" if others else last
    yield f"{SAMPLING}. {IMPROVE.format(listed)}" if ways else f"{SAMPLING}."
