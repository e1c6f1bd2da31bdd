"""Sketches of X by Gaussian matrices, whose own randomness protects privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.privacy import Share
from dpframe.symbols import PUBLIC, ZERO, Expression, exact, power

from ..arrays import Array, np
from ..node import Node, reads
from ..procedure import Random, Rounded, Sampler, approximate, of_one_row
from ..statistics import Gram

ROOM = 1 + 2**-40  # for eigenvalues found in doubles, as long as the largest is below 1e6 floors;
# beyond, the draw is what the certificate calls it: idealized
MOST = 10**7  # rows of all sketches together


@attrs.frozen(eq=False)
class GaussianMixing(Sampler):
    """(S_t X + s Z_t)'(S_t X + s Z_t)/k for t = 1..T, shape (T, d, d), where S_t and Z_t have k
    rows of standard normal numbers; equivalently k rows of N(0, X'X + s^2 I) each. [Lev25]

    `rows` is k, rounded up; `sketches` is T. Adding a record turns k T draws of N(0, 1) into draws
    of N(0, 1 + m), where m = x'(X'X + s^2 I)^-1 x for the smaller table is at most B^2/(s^2 +
    floor). s^2 is the least value for which that is within the share, 0 if the floor suffices.
    Proof page: proofs/gaussian_mixing.
    """

    kind: ClassVar[str] = "gaussian_mixing"
    summary: ClassVar[str] = "Gaussian sketches"
    gram: Gram
    """X'X: a sketch's law depends on X through it alone."""
    rows: Expression = attrs.field(metadata=reads(may=PUBLIC))
    sketches: Expression = attrs.field(metadata=reads(may=PUBLIC))
    floor: Expression = attrs.field(metadata=reads())
    share: Share
    name: str

    @property
    def claim(self) -> tuple[Expression, Expression]:
        """The budget for one added or removed row."""
        return of_one_row(self.gram.unit.relation, self.share)

    def sizes(self, numbers: Rounded) -> tuple[int, int]:
        """(T, k) as whole numbers. Raises InvalidArgument beyond 10^7 rows in all."""
        wanted = numbers.up(self.rows), numbers.up(self.sketches)
        if not all(0 < one <= MOST for one in wanted):
            raise InvalidArgument("rows, sketches", f"above 0, at most {MOST}", wanted, "")
        k, T = map(math.ceil, wanted)
        if k * T > MOST:
            raise InvalidArgument("rows of all sketches", f"at most {MOST}", k * T, "Take fewer.")
        return T, k

    def added(self, numbers: Rounded) -> float:
        """s^2, rounded up: the difference between the floor and the least eigenvalue at which the
        pair is within the share; independent of the data.
        """
        T, k = self.sizes(numbers)
        epsilon, delta = (numbers.down(part) for part in self.claim)
        leverage = _largest_leverage(epsilon, delta, T * k)
        if not leverage > 0:
            raise NotExecutable(f"{self.label}: its share is too small for doubles; give it more.")
        least = Fraction(numbers.up(power(self.gram.rows.radius, 2))) / Fraction(leverage)
        lacking = least * Fraction(ROOM) - Fraction(numbers.down(self.floor))
        return math.nextafter(float(lacking), math.inf) if lacking > 0 else 0.0

    def sample(self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random) -> Array:
        """All sketches, from X'X: k draws of N(0, X'X + s^2 I) each."""
        T, k = self.sizes(numbers)
        lengths, axes = np.linalg.eigh(values[self.gram])
        least = np.finfo(float).tiny
        roots = np.sqrt(np.maximum(np.maximum(lengths, 0.0) + self.added(numbers), least))
        return self.mixed(axes * roots, randomness.generator.normal(size=(T, len(lengths), k)))

    @staticmethod
    def mixed(root: Array, noise: Array) -> Array:
        """R Z (R Z)'/k of each Z, shape (T, d, k)."""
        sketch = root @ noise
        return np.asarray(sketch @ sketch.swapaxes(1, 2) / noise.shape[2])


@lru_cache(maxsize=64)
def _largest_leverage(epsilon: float, delta: float, rows: int) -> float:
    """The largest admissible leverage; cached for all draws of a run."""
    from dpframe.numerics.pairs import mixing_pair_leverage

    return mixing_pair_leverage(epsilon, delta, rows)


def gaussian_mixing(
    gram: Gram,
    *,
    rows: object,
    share: Share,
    sketches: object = 1,
    floor: object = 0,
    name: str = "",
) -> GaussianMixing:
    """`sketches` second moments of `rows` random combinations of the rows of X each, released for
    their share. Each approximates X'X + s^2 I, with s^2 as the share requires. `floor` is
    dp.graph.lower_bound of a released dp.lambda_min of this X'X; without it s^2 is valid for every
    table. Raises InvalidArgument.
    """
    return GaussianMixing(
        gram=gram,
        rows=exact(rows, "rows"),
        sketches=exact(sketches, "sketches"),
        floor=ZERO if floor == 0 else exact(floor, "floor"),
        share=approximate(share, "A sketch"),
        name=name,
    )
