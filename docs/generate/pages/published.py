"""Published budget splits, each audited from its description in docs/published or docs/examples.

`python -m docs.generate.pages.published` prints the table that stands in docs/published.md, with
the seconds that each audit took; `--write` writes it there. Seconds are not compared.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path

import attrs

import dpframe as dp
from dpframe.audits.descriptions import Described
from dpframe.audits.descriptions.stated import StatedStatistic
from dpframe.audits.figures import exactly, figure
from dpframe.audits.findings.accountants import by_accountants
from dpframe.audits.findings.example import amounts_at, values_of
from dpframe.numerics import to_float
from dpframe.prover import Verdict
from dpframe.prover.problem import Problem
from dpframe.prover.report import verify

DOCS = Path(__file__).parents[2]
PAGE = DOCS / "published.md"
BEGIN, END = "<!-- begin table -->\n", "<!-- end -->"
FILES = sorted([*(DOCS / "published").glob("*.toml"), *(DOCS / "examples").glob("*.toml")])


@attrs.frozen
class Row:
    """One split: its verdict, and what it costs in the currency `unit` of its claim (at the claimed
    delta or order; where the claim is one for every epsilon, at epsilon = 1): at most `upper`, None
    where nothing bounds it. `open` says why less may be true; it is empty where a claim of a
    millionth less is refuted, or the bounds meet.
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
    open: str
    seconds: float

    @property
    def cost(self) -> str:
        """`epsilon = 0.5956481592`; or `<=`, with the reason."""
        if self.upper is None:
            return "not bounded"
        least = figure(self.upper, digits=10)
        return f"{self.unit} <= {least}: {self.open}" if self.open else f"{self.unit} = {least}"

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
        open=open_to(done, lower, upper),
        seconds=seconds,
    )


def numbers_of(target: dp.Guarantee) -> dp.Guarantee:
    """A claim for every epsilon at epsilon = 1, others as they are."""
    return dp.PureDP(1) if any(one.symbols() for one in target.amounts) else target


def refutations(graph: dp.Graph, target: dp.Guarantee, setting: dp.Setting) -> list[str]:
    """The counterexamples to a claim about all releases of a graph as they stand."""
    attempts = verify(Problem.of(graph, target, setting)).attempts
    totals = (one for attempt in attempts for one in attempt.obligations if one.kind == "total")
    return [one.witness.says for one in totals if one.verdict is Verdict.REFUTED and one.witness]


def halved(found: dp.audits.Description) -> dp.Graph:
    """The releases of a description with half of all noise that is stated."""
    sizes = {"std": "2", "scale": "2", "variance": "4"}
    releases = (
        attrs.evolve(
            one,
            **{key: f"({text})/{by}" for key, by in sizes.items() if (text := getattr(one, key))},
        )
        for one in found.algorithm.releases
    )
    text = str(attrs.evolve(found.algorithm, releases=tuple(releases)))
    return Described(text).graph(found.setting, numbers_of(found.target).budget)


def open_to(done: dp.audits.Audit, lower: float | None, upper: float | None) -> str:
    """Why the true cost may be less than `upper`; empty where it is not."""
    if upper is None or (lower is not None and upper - lower <= 1e-9 * upper):
        return ""
    target, problem = numbers_of(done.target), done.report.problem
    graph = done.regression.graph(problem.setting, target.budget)
    less = Fraction(upper) * (1 - Fraction(1, 10**6))
    if refutations(graph, type(target)(less, *target.amounts[1:]), problem.setting):
        return ""
    if any(one.sampled is not None for one in graph.releases):
        return "no pair known on samples"
    if graph.procedures or graph.bounds:
        return "a theorem bounds it" if graph.procedures else "the test may cost less"
    stated = [one.name for one in graph.releases if isinstance(one.statistic, StatedStatistic)]
    if stated:
        return f"stated sensitivity of {', '.join(stated)}"
    moves = {one.name: one.moved for one in graph.releases}
    unknown = [name for name, one in moves.items() if one is None or not one.attained]
    return f"no pair known for {', '.join(unknown)}" if unknown else "no one pair is known for all"


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
    first = next(iter(by_accountants(done, values)), None)
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


def table(rows: list[Row]) -> str:
    """The whole table; the seconds to one digit."""
    head = [*HEAD, "seconds"]
    lines = [head, ["---"] * len(head), *([*row.cells(), f"{row.seconds:.1g}"] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def untimed(text: str) -> list[str]:
    """The lines of a table without their last column, which differs by machine."""
    return [line.rstrip(" |").rpartition(" | ")[0] for line in text.splitlines()]


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
    sys.stdout.write(table(found))
