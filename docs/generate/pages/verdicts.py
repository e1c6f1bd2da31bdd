"""docs/verdicts.md, from the table: `python -m docs.generate.pages.verdicts` writes it anew."""

from __future__ import annotations

from pathlib import Path

from dpframe.prover import Report, Verdict
from tests.mutants.algorithm_cases import ALGORITHMS
from tests.mutants.cases import ACCEPTED, CASES, UNSPELLABLE, Case
from tests.mutants.functional_cases import FUNCTIONAL
from tests.mutants.personalized_cases import PERSONALIZED
from tests.mutants.preprocessing_cases import ROWS

PAGE = Path(__file__).parents[2] / "verdicts.md"
EVERY = [*CASES, *ROWS, *FUNCTIONAL, *ALGORITHMS, *PERSONALIZED]
HEAD = """\
# Mutants and variants

Published algorithms go wrong in few ways: a share too many, a forgotten bound, a constant without
its root of 2, a number read from the data. Each row below is a small declaration; the tests run it
and compare the verdict. Names M, S, T, C, P and V are those of a catalogue of published mistakes
and of changes that look like mistakes and are none; I are the ones this project promises; E and F
are more of the same kind. A letter after the number marks a form of the same mistake. The second
last column names what decides: budget algebra (ALG), the domain of a parameter (DOM), composition
(COMP), sensitivity (SENS), the relation (REL), the exact Gaussian profile (PROFILE), the law of the
noise (LAW), where a value comes from (TAINT), or that the graph has no words for it (SPELLING).

`python -m docs.generate.pages.verdicts` generates this page from the tables in `tests/mutants`.

| name | what it does | expected | verdict | decides | by which rule, with which witness |
|---|---|---|---|---|---|
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
    return f"{short(first.node, 40)}: {short(first.rule, 110)}{short(witness, 140)}"


def row(case: Case) -> str:
    """One row of the page."""
    if case.expected == UNSPELLABLE:
        verdict, how = UNSPELLABLE, short(spelled(case))
    else:
        report = case.examine()
        refuted = any(o.verdict is Verdict.REFUTED for o in report.open_obligations)
        verdict = ACCEPTED if report.proved else "refuted" if refuted else "not proved"
        how = short(decided(report), 300)
    cells = (case.name, case.says, case.expected, verdict, case.decides, f"`{how}`")
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(row(case) for case in EVERY) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
