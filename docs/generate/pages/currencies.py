"""Half, exact and double noise against a share of every currency.

`python -m docs.generate.pages.currencies` prints the table that stands in
docs/proofs/currencies.md; `--write` writes it there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import attrs

import dpframe as dp
from dpframe.graph import ColumnNode, RowsNode
from dpframe.mechanisms import DiscreteGaussian, DiscreteLaplace
from dpframe.privacy import Share

PAGE = Path(__file__).parents[2] / "proofs" / "currencies.md"
BEGIN, END = "<!-- begin table -->\n", "<!-- end -->"
MECHANISMS = {
    "gaussian": dp.Gaussian,
    "laplace": dp.Laplace,
    "discrete gaussian": DiscreteGaussian,
    "discrete laplace": DiscreteLaplace,
}
CURRENCIES: dict[str, tuple[dp.Guarantee, str, str, str]] = {
    "epsilon": (dp.PureDP(2), "epsilon", "1", "0"),
    "epsilon, delta": (dp.ApproxDP(2, "2e-6"), "delta", "1e-6", "1"),
    "rho": (dp.ZeroConcentratedDP("0.2"), "rho", "0.1", "0"),
    "mu^2": (dp.GaussianDP("0.7"), "mu^2", "0.245", "0"),
    "order 8": (dp.RenyiDP(8, 2), "divergence", "1", "8"),
}
"""Targets; and of half of each the currency, the amount, the epsilon of a delta or the order."""
SIZES = {
    ("gaussian", "epsilon, delta"): "4.22467888932688",
    ("laplace", "epsilon, delta"): "0.9999980000030065",
    ("discrete gaussian", "epsilon, delta"): "4.23077886119304",
    ("discrete laplace", "epsilon, delta"): "0.999998632122004",
    ("gaussian", "rho"): "2.23606797749981",
    ("laplace", "rho"): "2.06960851659658",
    ("discrete gaussian", "rho"): "2.23606797749981",
    ("discrete laplace", "rho"): "2.217419170003155",
    ("gaussian", "mu^2"): "2.020305089104435",
    ("laplace", "mu^2"): "2.298895995079194",
    ("discrete gaussian", "mu^2"): "2.040949753229758",
    ("discrete laplace", "mu^2"): "2.52503427721863",
    ("gaussian", "order 8"): "2",
    ("laplace", "order 8"): "0.917598526333607",
    ("discrete gaussian", "order 8"): "2",
    ("discrete laplace", "order 8"): "0.958661671874241",
    ("laplace", "epsilon"): "1",
    ("discrete laplace", "epsilon"): "1",
}
"""The size of noise that half of a target needs, rounded up: a part in 1e9 less costs more, as the
tests show by the oracle; none where no size is enough.
"""
FACTORS = {"half": Fraction(1, 2), "exact": Fraction(1), "double": Fraction(2)}


class Half(dp.Regression):
    """n with stated noise, for half of the budget."""

    noise: object = attrs.field(default=None)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> dp.graph.Node:
        """One release."""
        mine, _ = budget.split_evenly(2)
        return dp.release(dp.count(X), self.noise, mine, name="n")


def exact_size(kind: str, name: str) -> Fraction | None:
    """The size of noise that half of a target needs; None where no size is enough."""
    size = SIZES.get((kind, name))
    return None if size is None else Fraction(size)


def judged(kind: str, name: str, factor: Fraction) -> dp.audits.Line:
    """What becomes of a share of half of a target."""
    size = exact_size(kind, name) or Fraction(1)
    regression = Half(noise=MECHANISMS[kind](factor * size))
    setting = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    return dp.audit(regression, target=CURRENCIES[name][0], setting=setting).lines[0]


def rows() -> Iterator[list[str]]:
    """One row a currency and mechanism."""
    for name in CURRENCIES:
        for kind in MECHANISMS:
            size = exact_size(kind, name)
            shown = "no size is enough" if size is None else f"{float(size):.10g}"
            cells = [judged(kind, name, factor).claim for factor in FACTORS.values()]
            yield [
                name,
                kind.replace("gaussian", "Gaussian").replace("laplace", "Laplace"),
                shown,
                *cells,
            ]


def table() -> str:
    """The whole table."""
    head = ["share of", "noise", "the share needs", "half of it", "exactly it", "twice it"]
    lines = [head, ["---"] * len(head), *rows()]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    text = table()
    if "--write" in sys.argv:
        page = PAGE.read_text()
        start = page.index(BEGIN) + len(BEGIN)
        PAGE.write_text(page[:start] + text + page[page.index(END, start) :])
    sys.stdout.write(text)
