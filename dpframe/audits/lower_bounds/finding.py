"""One question that was put to the draws, and what they answered."""

from __future__ import annotations

from typing import Any

import attrs

from .events import Bounds


@attrs.frozen(kw_only=True)
class Finding:
    """`quantity` is at least `found`, where at most `allowed` is claimed.

    `what` was drawn on `pair`, and attacked by `method`. `whole` says that the claim is that of the
    whole target; else it is that of a part. With `repeats`, so many runs make one draw.
    """

    what: str
    pair: str
    method: str
    quantity: str
    found: float
    allowed: float
    epsilon: float | None = None
    told: float | None = None
    mu: float | None = None
    repeats: int = 1
    whole: bool = True
    certain: bool = False
    floating: bool = False
    """Whether it is about the low bits of doubles, which no claim is about: it refutes none."""

    @property
    def flagged(self) -> bool:
        """Whether the claim is refuted."""
        return self.above and not self.floating

    @property
    def above(self) -> bool:
        """Whether more was found than is claimed."""
        wide = self.epsilon is not None and self.told is not None and self.epsilon > self.told
        return self.found > self.allowed or wide

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        fields = attrs.asdict(self)
        return {**{name: _finite(one) for name, one in fields.items()}, "flagged": self.flagged}


def of_bounds(
    bounds: Bounds, what: str, pair: str, *, method: str, repeats: int = 1, whole: bool = True
) -> Finding:
    """The finding of an attack on draws."""
    runs = "" if repeats == 1 else f" of {repeats} runs together"
    return Finding(
        what=what,
        pair=pair,
        method=method,
        quantity=f"delta at epsilon {bounds.at:.4g}{runs}",
        found=bounds.delta,
        allowed=bounds.allowed,
        epsilon=bounds.epsilon,
        told=bounds.told,
        mu=bounds.mu,
        repeats=repeats,
        whole=whole,
    )


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and abs(value) == float("inf") else value
