"""Published budget splits, each audited from its description in docs/published or docs/examples.

`python -m docs.generate.pages.published` prints the table that stands in docs/published.md, with
the seconds that each audit took; `--write` writes it there, without them.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path

import attrs

import dpframe as dp
from dpframe.audits.descriptions.stated import StatedStatistic
from dpframe.audits.figures import exactly, figure
from dpframe.audits.findings.example import amounts_at, values_of
from dpframe.audits.findings.opinions import opinions
from dpframe.numerics import to_float

DOCS = Path(__file__).parents[2]
PAGE = DOCS / "published.md"
BEGIN, END = "<!-- begin table -->\n", "<!-- end -->"
FILES = sorted([*(DOCS / "published").glob("*.toml"), *(DOCS / "examples").glob("*.toml")])


@attrs.frozen
class Row:
    """One split: its verdict, and bounds on what it costs in the currency `unit` of its claim (at
    the claimed delta or order; where the claim is one for every epsilon, at epsilon = 1). `lower`
    is None where nothing is known from below; both are where nothing bounds the cost.
    """

    path: Path
    title: str
    paper: str
    claim: str
    verdict: str
    shares: str
    sensitivities: str
    unit: str
    lower: float | None
    upper: float | None
    seconds: float

    @property
    def cost(self) -> str:
        """`epsilon = 0.5956481592`, `at most`, or a dash."""
        if self.upper is None:
            return "not bounded"
        sharp = self.lower is not None and self.upper - self.lower <= 1e-9 * self.upper
        return f"{self.unit} {'=' if sharp else '<='} {figure(self.upper, digits=10)}"

    def cells(self) -> list[str]:
        """The row of the table."""
        title = self.title.replace("|", "\\|")
        link = f"[{title}]({self.path.relative_to(DOCS)})"
        return [
            link,
            self.paper,
            self.claim,
            self.shares,
            self.sensitivities,
            self.verdict,
            self.cost,
        ]


def audited(path: Path) -> tuple[dp.audits.Description, dp.audits.Audit]:
    """The description in a file, and its audit."""
    found = dp.audits.read_description(path)
    done = dp.audit(
        found.regression, target=found.target, setting=found.setting, accountant=found.accountant
    )
    return found, done


def row_of(path: Path) -> Row:
    """The row of one description."""
    begin = time.perf_counter()
    found, done = audited(path)
    seconds = time.perf_counter() - begin
    claims = dict.fromkeys(line.claim for line in done.lines)
    stated = {
        isinstance(one.statistic, StatedStatistic) for one in done.report.problem.graph.releases
    }
    unit, lower, upper = cost(done)
    return Row(
        path=path,
        title=found.title,
        paper=found.citation,
        claim=claim(done),
        verdict=str(done.verdict),
        shares=", ".join(claims),
        sensitivities={(True,): "stated", (False,): "derived"}.get(tuple(stated), "both"),
        unit=unit,
        lower=lower,
        upper=upper,
        seconds=seconds,
    )


def claim(done: dp.audits.Audit) -> str:
    """`(1, 1e-6)`, `rho = 0.1`, `every epsilon`."""
    target = done.target
    amounts = amounts_at(done.report.problem, {})
    if amounts is None:
        return "every epsilon"
    told = ", ".join(exactly(amount) for amount in amounts)
    return f"({told})" if len(amounts) > 1 else f"{target.currency[0]} = {told}"


def cost(done: dp.audits.Audit) -> tuple[str, float | None, float | None]:
    """The name of the currency, and bounds on the cost of the whole in it."""
    target = done.target
    if isinstance(target, dp.ZeroConcentratedDP):
        return "rho", *_rho(done)
    chosen = done.report.chosen
    values = values_of(done.report.problem, () if chosen is None else chosen.constraints)
    first = next(iter(opinions(done, values)), None)
    return "epsilon", first and first.lower, first and first.upper


def _rho(done: dp.audits.Audit) -> tuple[float | None, float | None]:
    """Half of the joint squared mu; of other noise, the proved shares: they bound it from above."""
    if done.joint is not None:
        low, high = (Fraction(end) ** 2 / 2 for end in done.joint.mu)
        return to_float(low, up=False) or None, to_float(high, up=True)
    proved = all(line.claim == "proved" for line in done.lines)
    shares = done.shares_sum
    if not proved or shares is None:
        return None, None
    return None, to_float(shares.rho.value, up=True)


HEAD = ["split", "source", "claim", "its shares", "sensitivities", "the claim is", "it costs"]


def table(rows: list[Row], *, timed: bool = False) -> str:
    """The whole table."""
    head = [*HEAD, *(["seconds"] if timed else [])]
    lines = [head, ["---"] * len(head)]
    lines += [[*row.cells(), *([f"{row.seconds:.2f}"] if timed else [])] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def current(text: str) -> str:
    """The table that stands in a page."""
    start = text.index(BEGIN) + len(BEGIN)
    return text[start : text.index(END, start)]


if __name__ == "__main__":
    found = [row_of(path) for path in FILES]
    if "--write" in sys.argv:
        page = PAGE.read_text("utf-8")
        start = page.index(BEGIN) + len(BEGIN)
        PAGE.write_text(page[:start] + table(found) + page[page.index(END, start) :], "utf-8")
    sys.stdout.write(table(found, timed=True))
