"""Steps of a proof: a claim is closed by the step that the proof has for it, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .limits import Json, Refused


class Claim(Protocol):
    """What one step shows."""

    @property
    def key(self) -> str:
        """The claim in words, by which its step is found: what a step shows never depends on it."""

    def shown(self, step: Mapping[str, Json]) -> Any:
        """What the step shows; something false where it does not hold. Raises Refused."""


class Steps:
    """Steps by the claims that they close; `used` are the claims that were looked up and found."""

    def __init__(self, given: Mapping[str, Json]) -> None:
        self.given, self.used = given, set[str]()

    def find(self, claim: Claim) -> Json | None:
        """The step for a claim."""
        return self.given.get(claim.key)

    def closes(self, claim: Claim) -> Any:
        """What the step for a claim shows; False where there is none. Raises Refused."""
        step = self.find(claim)
        if step is None:
            return False
        self.used.add(claim.key)
        shown = claim.shown(step) if type(step) is dict else None
        if not shown:
            raise Refused(f"the step for {claim.key} does not show it")
        return shown
