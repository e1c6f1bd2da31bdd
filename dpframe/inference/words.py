"""What an inference covers, assumes and refuses, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .moments import MOST_LOST
from .result import COVERED, Inference

ROBUST = "Residuals may have another variance in every row"
HELD = (
    "The other intervals hold if labels change by no more than their declared range while a "
    "column, or a sum of columns that noise hides, goes from end to end of its bounds."
)
LENGTH = "Intervals hold where all coefficients together have at most the length {:g}, as declared."
NO_NEW_LABELS = "New labels have no interval but the bound."
LESS_NOISE = "a tighter public bound of labels, more records or a larger epsilon"
RELEASE = {
    "y @ y": "y'y was not released (dp.release(y @ y, ...) and dp.JointSSP() release it)",
    "n": "n was not released (dp.JointSSP() releases it)",
}
SAMPLING = (
    "Sampling enters as an upper bound here: standard errors are cautious and the privacy share is "
    "a lower bound"
)
IMPROVE = "To improve them, {}."
ALL = 0.999  # of residuals inside their clip: more than this is not worth a sentence
WAY_OUT = (
    "Where one of these columns follows from others, leave it out: no budget tells them apart. "
    "Where not, more records or a larger budget show it, or largest=, a public bound on the length "
    "of all coefficients together, bounds it. A column is constant, and cannot be seen, where all "
    "its values are outside its bounds, or are levels other than declared that count as zeros."
)


def sentences(found: Inference, hidden: Sequence[str] = (), *, some: bool = True) -> Iterator[str]:
    """What intervals cover, then what they assume, then what is refused and why. `hidden` names the
    directions that are not identified; `some` says whether any coefficient has an interval.
    """
    half, centre = found.units.half * found.bound, found.units.centre
    ends = f"[{centre - half:.12g}, {centre + half:.12g}]"
    labels = f" of labels clipped to {ends}" if np.isfinite(half) else ""
    yield f"Intervals cover {COVERED[found.target].format(labels)}."
    yield from assumed(found)
    yield from refused(found)
    if found.unseen.lost.size:
        yield from unseen(found, hidden, some=some and not found.open_ended)
    yield from of_residuals(found)


def brief(found: Inference, *, some: bool = True, instead: str = "") -> Iterator[str]:
    """The same in few sentences: what intervals cover and assume, what is refused, and what helps;
    `instead` names a regression whose intervals are mostly shorter.
    """
    first, *_ = sentences(found, some=some)
    yield first
    yield from (one for one in assumed(found) if not one.startswith(ROBUST))
    yield from refused(found)
    better = "More records, a larger epsilon or fewer columns help"
    better += f"; so does {instead}, with worse predictions." if instead else "."
    lost, d = found.unseen, len(found.centre)
    hides = f"The noise hides {d - found.identified} of {d} directions"
    if not lost.lost.size:
        yield from [f"Noise for privacy is most of these intervals. {better}"] if instead else []
    elif lost.declared:
        yield LENGTH.format(lost.length)
    elif not some or found.open_ended:
        yield f"{hides}: no coefficient has an interval. {better}"
    else:
        yield f"{hides}: coefficients along them have no interval. {better}"
        yield HELD
    yield from of_residuals(found)


def unseen(found: Inference, hidden: Sequence[str], *, some: bool) -> Iterator[str]:
    """Which directions have no interval, what the others rest on, and what helps."""
    d, lost = len(found.centre), found.unseen
    which = f": {', '.join(hidden)} (in scaled columns)" if hidden else ""
    yield (
        f"{lost.lost.shape[1]} of {d} directions of the coefficients are not identified{which}. "
        "The noise on X'X may be all that is seen there."
    )
    if lost.declared:
        yield LENGTH.format(lost.length)
    elif not some:
        yield "No coefficient has an interval then."
    else:
        yield (
            "A coefficient that lies along them has no interval. The others' hold if labels change "
            "by no more than their declared range as one scaled column, or a sum of columns like "
            "those above, goes from end to end; what that leaves open is in the intervals."
        )
        if found.target == "sample":
            yield "Beside a hidden direction they count sampling too, and are longer than need be."
    yield WAY_OUT


def assumed(found: Inference) -> Iterator[str]:
    """Of residuals."""
    if found.target == "population" and found.equal_variance and found.residual is None:
        yield (
            "Labels may have another variance in every row where their mean is linear in the "
            "columns; elsewhere residuals are assumed to be homoscedastic."
        )
    elif found.target == "population" and found.equal_variance:
        yield (
            "Residuals are assumed to be homoscedastic, of one variance in every row, and "
            "independent."
        )
    if found.target == "population" and not found.equal_variance:
        how = "the norm of rows bounds its effect"
        if found.sandwich is not None:
            how = "standard errors are robust, by a released sum of squared residuals times xx'"
        yield f"{ROBUST}: {how}."
    if found.dependent > 1:
        k = f"{found.dependent:g}"
        yield (
            f"Rows of one person, up to {k}, may depend on each other in any way: the variance "
            f"that sampling makes counts {k} times. equal_variance=True takes them for independent."
        )
    if found.shrunk is not None:
        alike = ", if rows are like the public ones" if found.shrunk.public else ""
        yield (
            "Records with long rows weigh less in least squares, on average at least "
            f"{found.shrunk.weight:.2f}{alike}. Where labels are linear in the columns it has the "
            "same coefficients."
        )
    if found.normal_residuals:
        yield "Residuals are assumed to be normal; nothing that was released tests that."
    if found.lost_share and not found.normal_residuals:
        share = 100 * found.lost_share
        yield (
            f"Clips took up to about {share:.2g}% off the sizes of labels, by released counts; "
            "intervals allow for that, wherever it was, and for the noise on the counts."
        )
    if found.kept < ALL:
        clipped = 100 * (1 - found.kept)
        what = "labels or residuals" if found.normal_residuals else "labels"
        yield f"Up to {clipped:.2g}% of {what} were clipped; intervals allow for what that moves."


def refused(found: Inference) -> Iterator[str]:
    """Where nothing is claimed."""
    if found.lost_share > MOST_LOST:
        yield (
            f"Labels were clipped, by chance, so far that {100 * found.lost_share:.0f}% of their "
            "size may be lost: nothing is claimed. dp.JointSSP(levels=0, rounds=0) clips no labels."
        )
    elif not found.settled:
        yield "No fixed point was found, so nothing is claimed: noise is too large here."


def of_residuals(found: Inference) -> Iterator[str]:
    """What is not known of them."""
    if found.residual is None:
        why = " and ".join(RELEASE[name] for name in found.not_released) or "n is lost in noise"
        yield f"The residual variance is not known: {why}. {NO_NEW_LABELS}"
    elif not np.isfinite(found.residual.std):
        yield f"The residual variance is lost in noise. {NO_NEW_LABELS}"
    elif not found.residual.known:
        yield (
            "The residual variance is lost in noise, so the lengths of intervals vary with it: "
            "their level holds on average over repeated releases, but a single one may be too "
            f"short. {LESS_NOISE[0].upper()}{LESS_NOISE[1:]} help."
        )
    yield from of_sampling(found)


def of_sampling(found: Inference) -> Iterator[str]:
    """How sampling enters variances, where it is not known."""
    estimates = found.t_test()
    if not np.any(estimates.bounded):
        return
    ways = []
    if found.residual is None and found.sandwich is None:
        released = " and ".join(found.not_released) or "n with less noise"
        ways.append(f"release {released}, fit dp.JointSSP(), or declare a tighter bound of labels")
    elif np.any(estimates.spread.unclear) and (found.residual is None or found.residual.known):
        ways.append("declare a tighter bound of labels")
    if found.residual is not None and not found.equal_variance and found.residual.known:
        ways.append("use summary(equal_variance=True) if residuals have equal variance")
    yield f"{SAMPLING}. {IMPROVE.format(' or '.join(ways))}" if ways else f"{SAMPLING}."
