"""What an execution hands back: the output, the released values, and a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from dpframe.guarantees import Guarantee, Unit

SIMULATED = "simulation, NOT private"


@attrs.frozen(kw_only=True, repr=False, str=False)
class Receipt:
    """What was spent, by which certificate, with noise from where. Holds nothing that depends on the rows.

    `rows` is the number of rows where that is public (replace-one), None elsewhere; `time` is UTC, ISO 8601.
    """

    guarantee: Guarantee
    unit: Unit
    certificate: str
    randomness: str
    private: bool
    columns: int
    rows: int | None
    time: str
    assumptions: tuple[str, ...]

    @property
    def cost(self) -> str:
        """`(1, 1/1000000)-differential privacy for one row added or removed`."""
        return f"{self.guarantee} for {self.unit}"

    def __str__(self) -> str:
        """Two lines: what was spent by which certificate when; where the noise came from and what is assumed."""
        spent = f"Spent {self.cost}" if self.private else f"{SIMULATED}: a private run would spend {self.cost}"
        assumed = "; ".join(self.assumptions) or "nothing"
        return f"{spent}, by certificate {self.certificate[:12]}, at {self.time}.\nNoise: {self.randomness}. Assumed: {assumed}."

    __repr__ = __str__


@attrs.frozen(kw_only=True, repr=False, str=False, eq=False)
class Result:
    """The output of a graph, every released value by name (arrays read-only), and the receipt."""

    output: Any
    released: Mapping[str, Any]
    receipt: Receipt

    def __str__(self) -> str:
        """The output and the receipt."""
        return f"{self.output}\n{self.receipt}"

    def __repr__(self) -> str:
        """One line."""
        mark = "" if self.receipt.private else f"{SIMULATED}; "
        return f"Result({mark}output={self.output!r}, released={list(self.released)}, cost={self.receipt.cost})"
