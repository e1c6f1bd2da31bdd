"""Released values about a linear regression and the noise on them: the only input of estimates and
intervals.
"""

from __future__ import annotations

import math

import attrs

from .arrays import Array

CLEAR = 2.0  # stds of noise


@attrs.frozen(eq=False)
class NoisySum:
    """X'(y - X at), shape (d,), plus Gaussian noise of `std`; `at` (d,) was released before. Of
    another loss minus its gradient at `at`.

    Residuals were clipped to [-width, width], labels to the same where `at` is 0. `kept` in
    (0, 1] is the assumed slope of the clip: how much of a small change of theta passes it.
    """

    moment: Array
    std: float
    at: Array
    width: float
    kept: float = 1.0


@attrs.frozen(eq=False)
class Counts:
    """How many labels have sizes at most bound/2^k, ..., between bound/2 and bound: `observed`
    (k + 1,), with noise of `std` on each.
    """

    observed: Array
    std: float
    bound: float


@attrs.frozen(eq=False)
class Shrunk:
    """Sums were taken of x U for every row x, where `units` U (d, d) takes coefficients of these to
    those of x; and rows that were longer than `norm` then were shrunk to it, their labels too, by
    factors whose mean square is at least `weight`: by released counts, or, where they are `public`,
    if rows are like public ones.
    """

    units: Array
    norm: float
    weight: float
    public: bool = False


@attrs.frozen(eq=False)
class Meat:
    """X' diag(r^2) X, `observed` (d, d), r the residuals of labels, clipped like those of X'y, at
    coefficients that were released before; with symmetric Gaussian noise, `std` on the diagonal and
    std/sqrt 2 off it. No r x is longer than `largest`.
    """

    observed: Array
    std: float
    largest: float

    def times(self, factor: float) -> Meat:
        """A bound on the covariance of sums over groups of so many records that may depend on each
        other in any way: the square of a group's sum is at most that times its sum of squares.
        """
        return Meat(factor * self.observed, factor * self.std, factor * self.largest)


@attrs.frozen(eq=False)
class Evidence:
    """Released sums over n records: X'X (d, d) with symmetric Gaussian noise, `gram_std` on the
    diagonal and gram_std/sqrt 2 off it; moments, of which the first is X'y; y'y of labels clipped
    like that one's; and n, each with the std of its noise, 0 where it is public. Counts of label
    sizes say coarsely: `counted`, y'y, whose std is infinite where there are none; and `lost`, an
    upper bound, but for noise of `lost_std`, on how much clips took off all labels, sum |y| -
    width; with one std more it is a share `lost_share` of sum |y|. They stand in `counts`. `meat`
    says how residuals vary with rows, None where that was not released. Records were `shrunk`, or
    None.

    With `bend` > 0 they are of one Newton step for another loss phi of x'theta: X'X is its Hessian
    at `at` of the only moment, residuals are -phi', and |phi'''| <= bend phi''.
    """

    gram: Array
    gram_std: float
    moments: tuple[NoisySum, ...]
    squares: float
    squares_std: float
    count: float
    count_std: float
    counted: float = 0.0
    counted_std: float = math.inf
    lost: float = 0.0
    lost_std: float = 0.0
    lost_share: float = 0.0
    counts: Counts | None = None
    meat: Meat | None = None
    shrunk: Shrunk | None = None
    bend: float = 0.0

    @property
    def columns(self) -> int:
        """d."""
        return len(self.gram)

    @property
    def not_released(self) -> tuple[str, ...]:
        """Which of y'y and n were not released, as a declaration writes them."""
        stds = {"y @ y": self.squares_std, "n": self.count_std}
        return tuple(name for name, std in stds.items() if not math.isfinite(std))

    @property
    def most_lost(self) -> float:
        """The largest loss of all labels to clips, plus one std of its noise."""
        return max(self.lost, 0.0) + self.lost_std

    def filled(self, norm: float) -> float:
        """The root mean square length of rows over `norm`, from above by CLEAR stds of the noise on
        the trace of X'X and on n; infinite where n is not clear of its noise.
        """
        records = self.count - CLEAR * self.count_std
        square = float(self.gram.trace()) + CLEAR * self.gram_std * math.sqrt(self.columns)
        return math.sqrt(max(square, 0.0) / records) / norm if records > 0 else math.inf

    @property
    def of_labels(self) -> Evidence:
        """The same without sums of clipped residuals, whose law is not known."""
        return attrs.evolve(self, moments=self.moments[:1])

    def with_labels_again(self, moment: Array, std: float) -> Evidence:
        """The same where labels, clipped as in the first moment, were summed once more: both sums
        as one, by precision.
        """
        first = self.moments[0]
        weight = 1 / (1 + (std / first.std) ** 2)
        both = attrs.evolve(
            first,
            moment=first.moment + weight * (moment - first.moment),
            std=std * math.sqrt(weight),
        )
        return attrs.evolve(self, moments=(both, *self.moments[1:]))

    def with_moment(self, observed: NoisySum) -> Evidence:
        """The same and one moment more."""
        return attrs.evolve(self, moments=(*self.moments, observed))
