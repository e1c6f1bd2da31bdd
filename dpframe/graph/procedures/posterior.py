"""A sample from the posterior of a ridge regression; sketches of X by Gaussian matrices, whose own
randomness protects privacy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import attrs
from attrs.converters import optional

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.privacy import Share
from dpframe.symbols import ONE, PUBLIC, RELEASED, ZERO, Expression, exact, exp, power
from dpframe.theory.procedures import residual_of

from ..facts import by_the_book
from ..node import Array, Node, Reading, np, reads
from ..procedure import Random, Rounded, Sampler, approximate, floor_of, of_one_row, penalty_of
from ..statistics import Gram, Moment
from ..statistics.combined import ridge

ROOM = 1 + 2**-40  # for a penalty that is rounded down
MOST_LEVERAGE = 1.59  # up to which the largest leverage is the worst: proofs/posterior


def _temperature(value: object) -> Expression:
    return exact(value, "temperature")


@attrs.frozen(eq=False)
class Posterior(Sampler):
    """theta ~ N(H^-1 X'y, (gamma H)^-1), H = X'X + penalty I, shape (d,).

    Neighbours give the pair N(0, 1) and N(sqrt(gamma m) r/(1 + m), 1/(1 + m)), with m = x'H^-1 x
    and r = y - x'theta of the smaller table; the derived bounds `leverage` >= m and `residual` >=
    |r| determine its cost. gamma is `temperature` if stated; otherwise the largest admissible
    value; if there is none, 0 is released. `floor` is dp.graph.lower_bound of a released
    lambda_min(X'X), `log_residual` dp.graph.upper_bound of a released LogResidual of the same
    regression; without them, the bounds hold for every table (n must then be public). Raises
    InvalidArgument. Proof page: proofs/posterior.
    """

    kind: ClassVar[str] = "posterior"
    summary: ClassVar[str] = "posterior sample"
    gram: Gram
    moment: Moment
    penalty: Expression = attrs.field(converter=penalty_of, metadata=reads())
    share: Share
    floor: Expression = attrs.field(default=ZERO, converter=floor_of, metadata=reads())
    log_residual: Expression | None = None
    temperature: Expression | None = attrs.field(default=None, converter=optional(_temperature))
    name: str = ""

    @property
    def own_readings(self) -> dict[str, Reading]:
        """Penalty, floor, the stated temperature, and the bound on residuals if there is one."""
        own = {"residual": self.residual, "temperature": self.temperature}
        known = {name: Reading(one, RELEASED) for name, one in own.items() if one is not None}
        return super().own_readings | known

    @property
    def derived(self) -> dict[str, Reading]:
        """The logarithm of the bound, also if it bounds other residuals and is not used."""
        if self.log_residual is None:
            return {}
        return {"log_residual": Reading(self.log_residual, RELEASED)}

    @property
    def leverage(self) -> Expression:
        """B^2/h, h = penalty + floor: a bound on x'H^-1 x over the smaller table."""
        return power(self.gram.rows.radius, 2) / (self.penalty + self.floor)

    @property
    def residual(self) -> Expression | None:
        """A bound on |y - x'theta|, theta of the smaller table: from the released bound on its
        logarithm; else, if n is public, from all tables of n rows.
        """
        if self.log_residual is not None:
            return exp(self.log_residual)
        rows, column, relation = self.gram.rows, self.moment.column, self.gram.unit.relation
        if not relation.replaced or rows.norm is None or column.bound is None:
            return None
        bounds = (rows.norm, column.bound)
        return by_the_book(residual_of, relation, rows.rows, bounds, self.penalty)

    @property
    def claim(self) -> tuple[Expression, Expression]:
        """The budget for one added or removed row."""
        return of_one_row(self.gram.unit.relation, self.share)

    def gamma(self, numbers: Rounded) -> float:
        """The temperature, rounded down: as stated, else the largest admissible, 0 if none is."""
        if self.temperature is not None:
            return numbers.down(self.temperature)
        residual = self.residual
        leverage = numbers.up(self.leverage) * ROOM
        if residual is None or leverage > MOST_LEVERAGE:
            return 0.0
        epsilon, delta = (numbers.down(part) for part in self.claim)
        return _largest_gamma(epsilon, delta, leverage, numbers.up(residual))

    def sample(self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random) -> Array:
        """One draw; zeros if no temperature is admissible, which does not depend on the data."""
        gram, moment = values[self.gram], values[self.moment]
        gamma = self.gamma(numbers)
        if not 0 < gamma < math.inf:
            return np.zeros(len(moment))
        penalty = numbers.down(self.penalty)  # as LogResidual rounds it
        system = gram + penalty * np.eye(len(moment))
        noise = randomness.generator.normal(size=len(moment)) / math.sqrt(gamma)
        return self.centred(ridge(gram, moment, penalty), system, noise)

    @staticmethod
    def centred(theta: Array, system: Array, noise: Array) -> Array:
        """theta + H^(-1/2) noise."""
        lengths, axes = np.linalg.eigh(system)
        least = np.finfo(float).tiny
        return np.asarray(theta + axes @ (noise / np.sqrt(np.maximum(lengths, least))))


@lru_cache(maxsize=64)
def _largest_gamma(epsilon: float, delta: float, leverage: float, residual: float) -> float:
    """The largest admissible temperature, 0 if there is none; cached for all draws of a run."""
    from dpframe.numerics.pairs import posterior_pair_bound, posterior_pair_gamma

    if posterior_pair_bound(epsilon, 0.0, leverage, residual).upper > delta:
        return 0.0
    return posterior_pair_gamma(epsilon, delta, leverage, residual)


def posterior(gram: Gram, moment: Moment, *, share: Share, **given: Any) -> Posterior:
    """A Posterior for a share of epsilon and delta. Raises InvalidArgument."""
    return Posterior(gram, moment, share=approximate(share), **given)


SLACK = 1 + 2**-40  # for eigenvalues found in doubles, as long as the largest is below 1e6 floors;
# beyond, the draw is what the certificate calls it: idealized
MOST = 10**7  # rows of all sketches together


def _rows(value: object) -> Expression:
    return exact(value, "rows")


def _sketches(value: object) -> Expression:
    return exact(value, "sketches")


@attrs.frozen(eq=False)
class GaussianMixing(Sampler):
    """(S_t X + s Z_t)'(S_t X + s Z_t)/k for t = 1..T, shape (T, d, d), where S_t and Z_t have k
    rows of standard normal numbers; equivalently k rows of N(0, X'X + s^2 I) each. [Lev25]

    `rows` is k, rounded up; `sketches` is T. Adding a record turns k T draws of N(0, 1) into draws
    of N(0, 1 + m), where m = x'(X'X + s^2 I)^-1 x for the smaller table is at most B^2/(s^2 +
    floor). s^2 is the least value for which that is within the share, 0 if the floor suffices.
    `floor` is dp.graph.lower_bound of a released dp.lambda_min of this X'X; without it s^2 is valid
    for every table. Raises InvalidArgument. Proof page: proofs/gaussian_mixing.
    """

    kind: ClassVar[str] = "gaussian_mixing"
    summary: ClassVar[str] = "Gaussian sketches"
    gram: Gram
    """X'X: a sketch's law depends on X through it alone."""
    rows: Expression = attrs.field(converter=_rows, metadata=reads(may=PUBLIC))
    sketches: Expression = attrs.field(
        converter=_sketches, metadata=reads(may=PUBLIC), kw_only=True, default=ONE
    )
    floor: Expression = attrs.field(
        default=ZERO, converter=floor_of, metadata=reads(), kw_only=True
    )
    share: Share = attrs.field(converter=approximate)
    name: str = ""

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
        lacking = least * Fraction(SLACK) - Fraction(numbers.down(self.floor))
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


gaussian_mixing = GaussianMixing
"""As declarations call it."""
