"""What a search found against a published claim."""

from __future__ import annotations

import enum

import attrs


class Rigour(enum.Enum):
    """Why a bound is one."""

    PROVED = "proved by enclosures"
    CONFIDENT = "with confidence 1 - 1e-9"
    NUMERIC = "in doubles"


@attrs.frozen
class Refutation:
    """One claim, and the lower bound that was found on what it bounds.

    `quantity` (delta, epsilon, a probability) is claimed to be at most `claimed`; it is at least
    `found`, in the way that `rigour` says. The claim is refuted where `found` exceeds it. A control
    is the same search on the repaired algorithm.
    """

    what: str
    parameters: tuple[tuple[str, str], ...]
    quantity: str
    claimed: float
    found: float
    rigour: Rigour
    how: str
    seed: int | None = None
    control: bool = False

    @property
    def refuted(self) -> bool:
        """Whether the lower bound exceeds the claim."""
        return self.found > self.claimed
