"""docs/papers/utility.md and its pictures: `python -m docs.generate.utility.page` makes them, in a
few minutes.
"""

from __future__ import annotations

from pathlib import Path

from docs.generate.utility.checked import Checked, table
from docs.generate.utility.drawing import plot
from docs.generate.utility.statements import STATEMENTS, check

DOCS = Path(__file__).parents[2]
PAGE, IMAGES = DOCS / "papers" / "utility.md", DOCS / "images" / "utility"
INTRODUCTION = """\
# Utility theorems

What the papers say about errors, as formulas, each evaluated beside what is measured on the worlds
of the papers: normal rows of 10 columns [Wang18, Fig. 3], rows on the unit sphere [Piazza21,
Sec. 5.2], budgets of three groups [Acharya24, Sec. 4]. Bounds on rows and labels are read from
these tables, so nothing here is private. Claims are at $\\delta = 10^{-6}$ but where a curve varies
it, quantiles are those that 10% of draws exceed (5% for Prop. 16), and seeds are fixed by the
statements' names. AdaOPS is `AdaOPSPrinted`, adaSSP is `AdaSSPWang`.

An $O(\\cdot)$ is read as one constant for all tables and parameters. *Measured over stated* is the
range of the constants that the worlds need: the largest ratio for upper bounds, the smallest for
lower bounds (Eqs. 4 to 6), 1 for equalities. A statement is *false* where a family of tables, drawn
beside, needs any constant, or where it is an equality or a claim of no bias that fails. Verdicts
are computed from the curves.

```console
python -m docs.generate.utility --quick
python -m docs.generate.utility thm3_ii
```

*This page and its pictures are made by `python -m docs.generate.utility.page`.*

"""


def page(found: list[Checked]) -> str:
    """The table, then each statement with its formula and picture."""
    parts = [INTRODUCTION, "\n".join(table(found)), "\n"]
    for one in found:
        low, high = one.constants
        parts += [
            f"\n## {one.cite}\n\n",
            f"*{one.says[0].upper()}{one.says[1:]}:*\n\n```text\n{one.formula}\n```\n\n",
            f"**{one.verdict[0].upper()}{one.verdict[1:]}.** Measured over stated: {low:.3g} to ",
            f"{high:.3g}. {one.finding[0].upper()}{one.finding[1:]}\n\n",
            f"![{one.cite[1:-1]}: measured and stated](../images/utility/{one.name}.svg)\n",
        ]
    return "".join(parts)


def main() -> None:
    """Write both."""
    found = [check(name) for name in STATEMENTS]
    IMAGES.mkdir(parents=True, exist_ok=True)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    for one in found:
        plot(one, IMAGES / f"{one.name}.svg")
    PAGE.write_text(page(found))


if __name__ == "__main__":
    main()
