"""What an execution hands back: the output, the released values, a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from dpframe.notebooks import card, folded, sentences, table
from dpframe.privacy import Guarantee, Unit
from dpframe.prover.text import TESTED


@attrs.frozen(kw_only=True, repr=False, str=False)
class Receipt:
    """What was spent, by which certificate, with noise from where. Nothing in it depends on rows.

    `rows` is the number of rows where that is public (replace-one) and None elsewhere; `time` is
    UTC in ISO 8601.
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
        """`(1, 1e-6)-differential privacy for one row added or removed`."""
        return f"{self.guarantee} for {self.unit}"

    def __str__(self) -> str:
        """What is proved, what is tested; what was spent, when; the noise and the assumptions."""
        spent = "Spent" if self.private else f"{self.randomness}: a private run would spend"
        others = [one for one in self.assumptions if not one.endswith(str(self.unit))]
        assumed = "; ".join(one.partition(": ")[0] for one in others) or "nothing"
        return (
            f"Proved: the cost of the graph, by certificate {self.certificate[:12]}. {TESTED}\n"
            f"{spent} {self.cost}, at {self.time}.\n"
            f"Noise: {self.randomness}. Assumed: {assumed}."
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        spent = self.cost if self.private else f"nothing private; a private run: {self.cost}"
        rows = [("spent", spent), ("by certificate", self.certificate[:12]), ("at", self.time)]
        rows += [("noise", self.randomness), ("assumed", "; ".join(self.assumptions) or "nothing")]
        title = "receipt" if self.private else f"receipt: {self.randomness}"
        return card(title, table(rows, texts=2), sentences([TESTED]))


@attrs.frozen(kw_only=True, repr=False, str=False, eq=False)
class Result:
    """The output of a graph, every released value by name (arrays read-only), and the receipt."""

    output: Any
    released: Mapping[str, Any]
    receipt: Receipt

    def __str__(self) -> str:
        """The output, then the receipt."""
        return f"{self.output}\n{self.receipt}"

    def __repr__(self) -> str:
        """One line."""
        mark = "" if self.receipt.private else f"{self.receipt.randomness}; "
        names = ", ".join(self.released)
        cost = self.receipt.cost
        return f"Result({mark}output={self.output!r}, released=[{names}], cost={cost})"

    def _repr_html_(self) -> str:
        rows = [
            (name, np.array2string(np.asarray(one), precision=4, threshold=20))
            for name, one in self.released.items()
        ]
        return card(
            "result",
            table([("output", self.output)], texts=2),
            folded("Everything that was released", "\n".join(f"{n}: {v}" for n, v in rows)),
            self.receipt._repr_html_(),
        )
