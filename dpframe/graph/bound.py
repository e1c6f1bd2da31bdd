"""Bounds derived from a release that hold with high probability on both neighbouring tables; delta
pays for their failure.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy.guarantees import in_range
from dpframe.sensitivity import L2
from dpframe.symbols import ONE, PUBLIC, ZERO, Expression, exact, log, sqrt, to_json

from .facts import gaussian, noise_of
from .known import Known
from .node import reads
from .release import Release
from .statistics import LambdaMin

ONE_NUMBER = "one number with Gaussian or Laplace noise"
WAY_OUT = "dp.release(dp.lambda_min(X.T @ X), dp.Gaussian.analytic, share) is one."


@attrs.frozen(eq=False)
class Bound(Known):
    """A released number, shifted by `stds` stds of its noise (scales, for Laplace noise) and by
    `margin`, so that except with probability `failure` it lies below (above, if `upper_side`) the
    statistic of both neighbouring tables and of every table between them. delta pays for `failure`.
    Proof page: proofs/events.
    """

    kind: ClassVar[str] = "bound"
    value: Release
    upper_side: bool
    stds: Expression = attrs.field(metadata=reads())
    margin: Expression = attrs.field(metadata=reads())
    failure: Expression = attrs.field(metadata=reads(may=PUBLIC))

    def __attrs_post_init__(self) -> None:
        """Refuse a release that is not one noisy number drawn once, or a range other than the
        statistic's.
        """
        if not good(self):
            raise InvalidArgument("release", ONE_NUMBER, self.value, WAY_OUT)

    @property
    def label(self) -> str:
        """`floor_bound = floor - stds - margin`, of the released floor; scales of Laplace noise."""
        sign, size = "+" if self.upper_side else "-", "stds" if self.normal else "scales"
        return f"{self.name} = {self.value.label} {sign} {size} {sign} margin"

    @property
    def normal(self) -> bool:
        """Whether its noise is Gaussian; if not, it is Laplace noise."""
        return gaussian(self.value.noise)

    def record(self) -> dict[str, object]:
        """Its name and formulas."""
        formulas = {name: to_json(formula) for name, formula in self.formulas.items()}
        return {"name": self.name, "upper": self.upper_side, **formulas}

    def learned(self, released: Any, number: Callable[[Expression], float]) -> Fraction:
        """The bound, rounded outwards; two steps of the grid cover the rounding of the release."""
        step = self.value.statistic.step
        unit = self.value.std if self.normal else self.value.mechanism.formula
        parts = [self.stds * unit, self.margin, *([2 * step] if step is not None else [])]
        moved = sum((Fraction(number(part)) for part in parts), Fraction(0))
        at = Fraction(float(released))
        return self.within(at + moved if self.upper_side else at - moved)


def lower_bound(
    release: Release, failure: object, *, name: str, stds: object = None, margin: object = None
) -> Expression:
    """A lower bound on the released statistic of both neighbouring tables that fails with
    probability at most `failure`, a part of delta.

    It is the released value minus `stds` stds of its noise (default: sqrt(2 log(1/(2 failure))), by
    the Gaussian tail; for Laplace noise `stds` counts scales, default log(1/(2 failure))) minus
    `margin` (default: the sensitivity). A bound on an eigenvalue of X'X is at least 0. Raises
    InvalidArgument.
    """
    return _bound(release, failure, name, stds, margin, upper=False)


def upper_bound(
    release: Release, failure: object, *, name: str, stds: object = None, margin: object = None
) -> Expression:
    """An upper bound on the released statistic of both neighbouring tables; see `lower_bound`.
    Raises InvalidArgument.
    """
    return _bound(release, failure, name, stds, margin, upper=True)


def good(bound: Bound) -> bool:
    """Whether the bound is derived from one noisy number drawn once, and has the range of its
    statistic.
    """
    if not one_number(bound.value):
        return False
    return (bound.lower, bound.upper) == (lowest(bound.value, upper=bound.upper_side), None)


def one_number(release: object) -> bool:
    """Whether a release is one number with Gaussian or Laplace noise, drawn once from the whole
    table.
    """
    if not isinstance(release, Release) or release.statistic.shape != ():
        return False
    once, noise = release.times == ONE and release.sampled is None, noise_of(release.noise)
    return once and noise is not None and noise.instead_of is None and noise.loss.tail


def lowest(release: Release, *, upper: bool) -> Fraction | None:
    """The least value of a bound: an eigenvalue of X'X is at least 0."""
    return Fraction(0) if type(release.statistic) is LambdaMin and not upper else None


def _bound(
    release: object, failure: object, name: str, stds: object, margin: object, *, upper: bool
) -> Expression:
    if not isinstance(release, Release) or not one_number(release):
        raise InvalidArgument("release", ONE_NUMBER, release, WAY_OUT)
    share, moved = exact(failure, "failure"), release.statistic.sensitivity(L2)
    own = ZERO if moved is None else moved.value
    bound = Bound(
        value=release,
        name=name,
        lower=lowest(release, upper=upper),
        upper=None,
        upper_side=upper,
        stds=_enough(release, share) if stds is None else exact(stds, "stds"),
        margin=own if margin is None else exact(margin, "margin"),
        failure=share,
    )
    return bound.symbol


def _enough(release: Release, failure: Expression) -> Expression:
    """The number of stds, or scales, that noise exceeds with at most this probability."""
    tail = log(1 / (2 * in_range("failure", failure, 1)))
    return sqrt(2 * tail) if gaussian(release.noise) else tail
