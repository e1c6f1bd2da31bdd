"""The approximate minimiser of a perturbed objective, with noise that hides the approximation
error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from dpframe.errors import NotExecutable
from dpframe.privacy import Share
from dpframe.symbols import RELEASED, Expression, analytic_sigma

from ..arrays import Array, np
from ..node import Node, Reading, amounts_of, reads, share_readings
from ..procedure import Random, Rounded, Sampler
from .perturbed import PerturbedMinimum


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
    def derived(self) -> dict[str, Reading]:
        """The parts of its share."""
        parts = {"minimum": self.minimum.share, "difference": self.noise_share}
        return {
            f"{name} of the {part}": reading
            for part, share in parts.items()
            for name, reading in share_readings(share).items()
        }

    @property
    def std(self) -> Expression:
        """2 tolerance analytic_sigma(epsilon, delta), for its part of the share."""
        return 2 * self.tolerance * analytic_sigma(self.noise_share.epsilon, self.noise_share.delta)

    @property
    def parameters(self) -> dict[str, Any]:
        """As for other procedures; also the kind of noise, and how the share is divided."""
        parts = {"minimum": self.minimum.share, "difference": self.noise_share}
        amounts = {name: amounts_of(part) for name, part in parts.items()}
        return {**super().parameters, "noise": self.minimum.noise, **amounts}

    def sample(self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random) -> Array:
        """One draw. Raises NotExecutable if the tolerance was not attained."""
        found, gap = self.minimum.found(values, numbers, randomness)
        if not gap <= numbers.down(self.tolerance):
            raise NotExecutable(
                f"{self.label}: the minimiser was not found within {self.tolerance}; "
                "widen the tolerance, which costs little."
            )
        noise = randomness.generator.normal(size=found.shape) * numbers.up(self.std)
        return np.asarray(found + noise)


def approximate_minimum(
    minimum: PerturbedMinimum, *, tolerance: Expression, noise_share: Share, share: Share, name: str
) -> ApproximateMinimum:
    """`minimum` within `tolerance`, with noise for the approximation error; `share` covers both."""
    return ApproximateMinimum(
        minimum=minimum, tolerance=tolerance, noise_share=noise_share, share=share, name=name
    )
