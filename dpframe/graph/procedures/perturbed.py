"""Objective perturbation of ridge regression, and for convex losses of bounded slope; and the
approximate minimiser of a perturbed objective, with noise that hides the approximation error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import attrs
from attrs.converters import optional

from dpframe.errors import InvalidArgument, NotExecutable, of_kind
from dpframe.mechanisms import AdditiveNoise, Gaussian, L2Laplace
from dpframe.privacy import ApproxDP, Guarantee, PureDP, Share
from dpframe.symbols import PUBLIC, RECORD, RELEASED, Expression, Scope, analytic_sigma, exact
from dpframe.theory.procedures import tilt

from ..facts import by_the_book
from ..maps.weighted import WeightedLosses
from ..node import Array, Node, Reading, amounts_of, np, reads, share_readings, titled
from ..procedure import (
    Bounds,
    Objective,
    Random,
    Rounded,
    Sampler,
    Searcher,
    penalty_of,
    radius_of,
    share_in,
)
from ..rows import ColumnNode, RowsNode
from ..statistics import Gram, Moment
from ..statistics.argmin import LossSum, minimised

HALF = exact("1/2")
NOISES: dict[str, type[AdditiveNoise]] = {"gaussian": Gaussian, "l2_laplace": L2Laplace}


def _noise(node: Any, _: Any, noise: object) -> None:
    """The share must be of what this noise spends."""
    if noise not in NOISES:
        raise InvalidArgument("noise", "'gaussian' or 'l2_laplace'", noise, "")
    currency = ("epsilon", "delta")[: 1 + (noise == "gaussian")]
    share_in(node.share, currency, "Gaussian noise needs a target with a delta.")


def _noise_share(value: object) -> Expression:
    return exact(value, "noise_share")


def _size(value: object) -> Expression:
    return exact(value, "size")


def _weight(value: object) -> Expression:
    return exact(value, "weight")


def _of_epsilon(share: object) -> Share:
    return share_in(share, ("epsilon",))


@attrs.frozen(eq=False)
class PerturbedMinimum(Sampler):
    """argmin over |theta| <= radius of sum (x'theta - y)^2/2 + penalty/2 |theta|^2 + z'theta, shape
    (d,), where z is Gaussian or has density proportional to exp(-|z|_2/scale). [KiferST12, Thm 2;
    ChaudhuriMS11, Thm 9]

    `noise_share` of epsilon pays for z, the rest for the curvature B^2 of one record, for which the
    penalty must be large enough. The minimiser must be exact. Raises InvalidArgument. Proof page:
    proofs/objective_perturbation.
    """

    kind: ClassVar[str] = "perturbed_minimum"
    summary: ClassVar[str] = "minimiser of a perturbed objective"
    gram: Gram
    moment: Moment
    penalty: Expression = attrs.field(converter=penalty_of, metadata=reads())
    radius: Expression = attrs.field(converter=radius_of, metadata=reads())
    share: Share
    noise: str = attrs.field(default="gaussian", validator=_noise)
    noise_share: Expression = attrs.field(
        default=HALF, converter=_noise_share, metadata=reads(may=PUBLIC)
    )
    stated: Expression | None = attrs.field(default=None, converter=optional(_size))
    name: str = ""

    @property
    def gives(self) -> type[Guarantee]:  # type: ignore[override]  # by its noise
        """Pure for L2-Laplace noise."""
        return ApproxDP if self.noise == "gaussian" else PureDP

    @property
    def own_readings(self) -> dict[str, Reading]:
        """Penalty, radius, the noise's part of epsilon, the noise size."""
        return super().own_readings | {"size": Reading(self.size, RELEASED)}

    @property
    def slope(self) -> Expression:
        """A = B (B R + Y), a bound on the gradient of one record in the ball."""
        B = self.gram.rows.radius
        return B * (B * self.radius + self.moment.column.radius)

    @property
    def least(self) -> Expression:
        """The least noise that the theorem requires: a std, or a scale."""
        relation, share = self.gram.unit.relation, (self.share.epsilon, self.share.delta)
        return by_the_book(tilt, relation, self.noise, self.slope, self.noise_share, share)

    @property
    def size(self) -> Expression:
        """The noise size: as stated, or the least."""
        return self.least if self.stated is None else self.stated

    def sample(self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random) -> Array:
        """One draw."""
        return self.found(values, numbers, randomness)[0]

    def found(
        self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random
    ) -> tuple[Array, float]:
        """One draw, and an estimate of its numerical distance from the minimiser."""
        gram, moment = values[self.gram], values[self.moment]
        draw, size = NOISES[self.noise].sample, numbers.up(self.size)
        tilted = moment - draw(size, moment.shape, randomness.generator, symmetric=False)
        penalty, radius = numbers.up(self.penalty), numbers.down(self.radius)
        theta = minimiser(gram, tilted, penalty, radius)
        return theta, distance(theta, gram, tilted, (penalty, radius))


def minimiser(gram: Array, moment: Array, penalty: float, radius: float) -> Array:
    """argmin over |theta| <= radius of theta'(gram + penalty I)theta/2 - moment'theta, finite for
    every positive semidefinite gram and penalty > 0. On the sphere, the multiplier is solved for.
    """
    from scipy.optimize import brentq

    lengths, axes = np.linalg.eigh(gram)
    system, along = np.maximum(lengths, 0.0) + penalty, axes.T @ moment

    def length(multiplier: float) -> float:
        return float(np.linalg.norm(along / (system + multiplier)))

    if length(0.0) <= radius:
        return np.asarray(axes @ (along / system))
    most = float(np.linalg.norm(along)) / radius
    while length(most) > radius:
        most *= 2
    multiplier = brentq(lambda one: length(one) - radius, 0.0, most, xtol=1e-14 * max(most, 1.0))
    return np.asarray(axes @ (along / (system + multiplier)))


def distance(theta: Array, gram: Array, moment: Array, at: tuple[float, float]) -> float:
    """A bound on the distance of theta from the minimiser, by strong convexity: a step of projected
    gradient descent of length 1/L moves it by s, so it is within 2 L s/penalty. Estimated in
    doubles.
    """
    penalty, radius = at
    most = float(np.linalg.norm(gram, 2)) + penalty
    stepped = theta - (gram @ theta + penalty * theta - moment) / most
    length = float(np.linalg.norm(stepped))
    inside = stepped * min(1.0, radius / length) if length > 0 else stepped
    return float(2 * most * np.linalg.norm(theta - inside) / penalty)


def perturbed_minimum(
    gram: Gram, moment: Moment, *, size: object = None, **given: Any
) -> PerturbedMinimum:
    """A PerturbedMinimum whose noise has this size (a std, or a scale); the default is the least
    that the theorem requires. Raises InvalidArgument.
    """
    return PerturbedMinimum(gram, moment, stated=size, **given)


@attrs.frozen(eq=False)
class ApproximateMinimum(Sampler):
    """A point within `tolerance` of the minimiser of a perturbed objective, plus Gaussian noise.

    The cost is that of the exact minimiser (`minimum`) and of the approximation error, a query in a
    ball of radius `tolerance` for every table (`noise_share`): together their sum. [IyengarNSTTW19,
    Alg. 1] Proof page: proofs/objective_perturbation.
    """

    kind: ClassVar[str] = "approximate_minimum"
    summary: ClassVar[str] = "approximate minimiser of a perturbed objective"
    minimum: PerturbedMinimum
    tolerance: Expression = attrs.field(metadata=reads())
    noise_share: Share
    share: Share
    name: str

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X'X and X'y."""
        return self.minimum.inputs

    @property
    def within(self) -> tuple[Node, ...]:
        """The exact minimum."""
        return (self.minimum,)

    @property
    def own_readings(self) -> dict[str, Reading]:
        """Those of the exact minimum, the tolerance and the std."""
        own = super().own_readings | {"std": Reading(self.std, RELEASED)}
        return self.minimum.own_readings | own

    @property
    def difference(self) -> Share:
        """The part of its share for the approximation error."""
        return self.noise_share

    @property
    def parts(self) -> dict[str, Share]:
        """The parts of its share."""
        return {"minimum": self.minimum.share, "difference": self.difference}

    @property
    def derived(self) -> dict[str, Reading]:
        """The formulas of the parts of its share."""
        return {
            f"{name} of the {part}": reading
            for part, share in self.parts.items()
            for name, reading in share_readings(share).items()
        }

    @property
    def noise(self) -> str:
        """The kind of noise."""
        return self.minimum.noise

    @property
    def std(self) -> Expression:
        """2 tolerance analytic_sigma(epsilon, delta), for its part of the share."""
        return 2 * self.tolerance * analytic_sigma(self.noise_share.epsilon, self.noise_share.delta)

    @property
    def parameters(self) -> dict[str, Any]:
        """As for other procedures; of the parts of its share the amounts."""
        amounts = {name: amounts_of(part) for name, part in self.parts.items()}
        return super().parameters | amounts

    def sample(self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random) -> Array:
        """One draw. Raises NotExecutable if the tolerance was not attained."""
        theta, gap = self.minimum.found(values, numbers, randomness)
        if not gap <= numbers.down(self.tolerance):
            raise NotExecutable(
                f"{self.label}: the minimiser was not found within {self.tolerance}; "
                "widen the tolerance, which costs little."
            )
        noise = randomness.generator.normal(size=theta.shape) * numbers.up(self.std)
        return np.asarray(theta + noise)


approximate_minimum = ApproximateMinimum

FINE = 2.0**-36  # of the noise's scale: how far the gradient may be from 0 at what is returned,
ROUNDING = 2.0**-44  # or of the sizes that it is a sum of, where doubles show no less


@attrs.frozen(eq=False)
class TiltedMinimum(WeightedLosses, Searcher):
    """argmin over all theta of sum w_i phi(x_i'theta, y_i) + penalty/2 |theta|^2 + z'theta, shape
    (d,), where z has density proportional to exp(-|z|_2/scale). [ChaudhuriMS11, Thm 9]

    `noise_share` of epsilon pays for z, the rest for the curvature w c B^2 of one record, for which
    the penalty must be large enough. The minimiser must be exact. The loss must have a bounded
    slope for all coefficients (dp.graph.Huber, dp.graph.Logistic). `weight`, a positive formula of
    each record's budget, multiplies its loss. Raises InvalidArgument. Proof page:
    proofs/objective_perturbation.
    """

    kind: ClassVar[str] = "tilted_minimum"
    gives: ClassVar[type[Guarantee]] = PureDP
    divided: ClassVar[Scope] = RECORD
    summary = titled("minimiser of a tilted {0.objective.label}")
    rows: RowsNode
    column: ColumnNode
    objective: Objective = attrs.field(
        validator=of_kind(Objective, "a convex loss, such as dp.graph.Huber(1)")
    )
    penalty: Expression = attrs.field(converter=penalty_of, metadata=reads())
    share: Share = attrs.field(converter=_of_epsilon)
    noise_share: Expression = attrs.field(
        default=HALF, converter=_noise_share, metadata=reads(may=PUBLIC)
    )
    weight: Expression | None = attrs.field(default=None, converter=optional(_weight))
    name: str = ""

    @property
    def own_readings(self) -> dict[str, Reading]:
        """Penalty, the noise's part of epsilon, the noise scale."""
        own = {} if self.size is None else {"size": Reading(self.size, RELEASED | RECORD)}
        return super().own_readings | own

    @property
    def bounds(self) -> Bounds | None:
        """Public bounds on every record; None if rows or labels are unbounded."""
        if self.rows.norm is None or self.column.bound is None:
            return None
        return Bounds(self.rows.norm, self.column.bound)

    @property
    def slope(self) -> Expression | None:
        """s B, a bound on the gradient of one record of weight 1 for all theta; None if the loss
        has none.
        """
        bounds = self.bounds
        if bounds is None or (slope := self.objective.slope(bounds)) is None:
            return None
        return slope * bounds.row

    @property
    def size(self) -> Expression | None:
        """The noise scale: the least that the theorem requires."""
        if self.slope is None:
            return None
        slope = self.slope if self.weight is None else self.weight * self.slope
        relation, share = self.rows.unit.relation, (self.share.epsilon, self.share.delta)
        return by_the_book(tilt, relation, "l2_laplace", slope, self.noise_share, share)

    def search(
        self, summed: Callable[[Callable[..., Array]], Array], numbers: Rounded, randomness: Random
    ) -> Array:
        """One draw, and Newton steps."""
        if self.slope is None or self.size is None:
            raise NotExecutable(f"{self.label} has no bounded slope")
        scale, penalty = numbers.up(self.size), math.nextafter(numbers.up(self.penalty), math.inf)
        formulas = {one: numbers.down(one) for one in self.objective.formulas.values()}
        shape = (round(numbers.up(self.rows.columns)),)
        tilt = L2Laplace.sample(scale, shape, randomness.generator, symmetric=False)
        work = LossSum(self.objective, formulas)
        sizes = float(summed(weights_of)) * numbers.up(self.slope) + float(np.linalg.norm(tilt))
        least = max(FINE * scale, ROUNDING * sizes)
        return np.asarray(minimised(work, summed, penalty, math.inf, least, tilt), dtype=float)


def weights_of(rows: Array, labels: Array, weights: Array | None = None) -> Array:
    """The sum of a block's weights."""
    del labels
    return np.asarray(float(len(rows)) if weights is None else weights.sum())


tilted_minimum = TiltedMinimum
"""As declarations call it."""
