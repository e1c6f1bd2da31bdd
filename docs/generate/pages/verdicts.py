"""docs/verdicts.md, from the table: `python -m docs.generate.pages.verdicts` writes it anew."""

from __future__ import annotations

from pathlib import Path

from dpframe.prover import Report, Verdict
from dpframe.prover.judge import PROFILE
from tests.mutants.algorithm_cases import ALGORITHMS
from tests.mutants.cases import ACCEPTED, CASES, REFUSED, UNSPELLABLE, Case
from tests.mutants.functional_cases import FUNCTIONAL
from tests.mutants.personalized_cases import PERSONALIZED
from tests.mutants.preprocessing_cases import ROWS

PAGE = Path(__file__).parents[2] / "verdicts.md"
EVERY = [*CASES, *ROWS, *FUNCTIONAL, *ALGORITHMS, *PERSONALIZED]
HEAD = """\
# Mutants and variants

Small declarations with typical mistakes of published algorithms (shares that exceed the budget, a
forgotten bound, a missing factor of $\\sqrt2$, a number read from the data) and correct variants
that look like mistakes. Tests compare each verdict with the expected one (of a mutant: refuted or
not proved); the page names a verdict that differs from the expected one.

The letter of a name is its group: M, S, T, C, P and V are published mistakes and correct variants,
I are required cases, E and F are further cases. A second letter marks forms of one mistake. The
column *by* is the kind of rule that decides:

| code | rule |
|---|---|
| ALG | sum of the shares |
| DOM | range of a parameter |
| COMP | composition |
| SENS | sensitivity |
| REL | neighbouring relation |
| PROFILE | exact Gaussian privacy profile |
| LAW | distribution of the noise |
| TAINT | dependence on private data |
| SPELLING | the declaration cannot be written in the language |

`python -m docs.generate.pages.verdicts` generates this page from the tables in `tests/mutants`.

| name | declaration | verdict | by | rule and witness |
|---|---|---|---|---|
"""


def spelled(case: Case) -> str:
    """The error of a declaration that cannot be spelled, its first sentence."""
    try:
        case.examine()
    except Exception as error:  # noqa: BLE001 - whatever it is, the page shows it
        return f"{type(error).__name__}: {str(error).partition('. ')[0]}"
    return "it can be spelled"


def short(text: str, most: int = 170) -> str:
    """At most so many characters, on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 3] + "..."


def decided(report: Report) -> str:
    """The derivation and its region; or the first refuted obligation and its witness."""
    if report.chosen is not None:
        region = "; ".join(str(constraint) for constraint in report.chosen.constraints)
        return f"{report.chosen.name}" + (f", where {region}" if region else "")
    opened = report.open_obligations
    first = next((o for o in opened if o.verdict is Verdict.REFUTED), opened[0])
    witness = f": {first.witness}" if first.witness is not None else ""
    return f"{short(first.node, 40)}: {short(brief(first.rule), 110)}{short(witness, 140)}"


def brief(rule: str) -> str:
    """Without the citation and what follows it; the usual rule by its name."""
    first = rule.partition(" [")[0].partition("; ")[0]
    return "exact profile" if first == f"the {PROFILE} must stay inside the claim" else first


def row(case: Case) -> str:
    """One row of the page."""
    if case.expected == UNSPELLABLE:
        verdict, how = UNSPELLABLE, short(spelled(case))
    else:
        report = case.examine()
        refuted = any(o.verdict is Verdict.REFUTED for o in report.open_obligations)
        verdict = ACCEPTED if report.proved else "refuted" if refuted else "not proved"
        how = short(decided(report), 300)
    expected = {case.expected} if case.expected != REFUSED else {"refuted", "not proved"}
    shown = verdict if verdict in expected else f"{verdict}, expected {case.expected}"
    cells = (case.name, case.says, shown, case.decides, f"`{how}`")
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(row(case) for case in EVERY) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
