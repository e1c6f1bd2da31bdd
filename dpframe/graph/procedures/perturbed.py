"""Objective perturbation of ridge regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import AdditiveNoise, Gaussian, L2Laplace
from dpframe.privacy import ApproxDP, Guarantee, PureDP, Share
from dpframe.symbols import PUBLIC, RELEASED, Expression, exact
from dpframe.theory.procedures import tilt

from ..arrays import Array, np
from ..facts import by_the_book
from ..node import Node, Reading, reads
from ..procedure import Random, Rounded, Sampler
from ..statistics import Gram, Moment

NOISES: dict[str, type[AdditiveNoise]] = {"gaussian": Gaussian, "l2_laplace": L2Laplace}


@attrs.frozen(eq=False)
class PerturbedMinimum(Sampler):
    """argmin over |theta| <= radius of sum (x'theta - y)^2/2 + penalty/2 |theta|^2 + z'theta, shape
    (d,), where z is Gaussian or has density proportional to exp(-|z|_2/scale). [KiferST12, Thm 2;
    ChaudhuriMS11, Thm 9]

    `noise_share` of epsilon pays for z, the rest for the curvature B^2 of one record, for which the
    penalty must be large enough. The minimiser must be exact. Proof page:
    proofs/objective_perturbation.
    """

    kind: ClassVar[str] = "perturbed_minimum"
    summary: ClassVar[str] = "minimiser of a perturbed objective"
    gram: Gram
    moment: Moment
    penalty: Expression = attrs.field(metadata=reads())
    radius: Expression = attrs.field(metadata=reads())
    noise: str
    noise_share: Expression = attrs.field(metadata=reads(may=PUBLIC))
    stated: Expression | None
    share: Share
    name: str

    @property
    def gives(self) -> type[Guarantee]:  # type: ignore[override]  # by its noise
        """Pure for L2-Laplace noise."""
        return ApproxDP if self.noise == "gaussian" else PureDP

    @property
    def own_readings(self) -> dict[str, Reading]:
        """Penalty, radius, the noise's part of epsilon, the noise size."""
        return super().own_readings | {"size": Reading(self.size, RELEASED)}

    @property
    def parameters(self) -> dict[str, Any]:
        """As for other procedures; also the kind of noise, and its size if stated."""
        return {**super().parameters, "noise": self.noise, "stated": self.stated}

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
    gram: Gram,
    moment: Moment,
    *,
    penalty: object,
    radius: object,
    share: Share,
    noise: str = "gaussian",
    noise_share: object = "1/2",
    size: object = None,
    name: str = "",
) -> PerturbedMinimum:
    """Objective perturbation of a ridge regression on the ball |theta| <= radius, released for its
    share. `size` states the noise (a std, or a scale); the default is the least that the theorem
    requires. Raises InvalidArgument.
    """
    if not isinstance(noise, str) or noise not in NOISES:
        raise InvalidArgument("noise", "'gaussian' or 'l2_laplace'", noise, "")
    wanted = ("epsilon", "delta") if noise == "gaussian" else ("epsilon",)
    if not isinstance(share, Share) or share.currency[: len(wanted)] != wanted:
        way_out = "Gaussian noise needs a target with a delta."
        raise InvalidArgument("share", f"a share of ({', '.join(wanted)})", share, way_out)
    return PerturbedMinimum(
        gram=gram,
        moment=moment,
        penalty=exact(penalty, "penalty"),
        radius=exact(radius, "radius"),
        noise=noise,
        noise_share=exact(noise_share, "noise_share"),
        stated=None if size is None else exact(size, "size"),
        share=share,
        name=name,
    )
