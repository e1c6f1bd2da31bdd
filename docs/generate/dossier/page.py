"""docs/dossier.md, from the declarations: `python -m docs.generate.dossier.page` writes it anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import dpframe as dp
from docs.generate.dossier import DELTA, EPSILONS, Account, Case, Limit, case, dossier, limit
from docs.generate.dossier.case import with_value
from docs.generate.pages import regressions as pages
from dpframe.audits.figures import exactly, figure
from dpframe.literature.every import family

PAGE = Path(__file__).parents[2] / "dossier.md"
RELATIONS = (dp.ADD_REMOVE, dp.REPLACE_ONE)
GAMMAS = ("0.01", "0.05", "0.1", "1/3", "0.5", "0.9", "0.99")

SECTIONS = {  # headings and the families below them, in order; what is in none comes last
    "Sufficient statistics": ("SSP", "constSSPfull"),
    "adaSSP": ("adaSSP", "adaSSPbudget"),
    "Boosting and descent": ("boosted adaSSP", "noisy gradient descent"),
    "Posterior samples": ("OPS", "AdaOPS"),
    "Perturbed objectives": ("ObjPert",),
    "The functional mechanism": ("functional mechanism",),
    "Many models of few records": ("Sub-Agg", "Tukey depth"),
    "Budgets of one's own": ("personalised ridge", "uniform ridge", "sampled ridge"),
}
REST = "Others"

INTRODUCTION = """\
# The dossier: what published budget splits really cost

Every algorithm of the papers that dpframe works from, as it was printed and as it was coded, and
other people's public code, re-declared: what is proved of each claim, what is refuted and by which
numbers, what it really costs, and what to change. All of it follows from the declarations;
`dpframe audit NAME --epsilon 1 --delta 1e-6` prints the page of one of them.

A number in a table is the **true epsilon** of what claims the epsilon above it: of all releases
together, for the worst pair of neighbours, at $\\delta = 10^{-6}$ (0 where the claim is pure) and
bounds $B = Y = 1$; five digits, always rounded to the side of caution.

| cell | meaning |
|---|---|
| 0.5956 | exact, rounded up: some pair comes as near to it as one likes, none costs more |
| <= 0.75 | an upper bound, rounded up |
| >= 2.92 | a lower bound, rounded down, by [attack](refutations.md) or proof |
| > 3 | more than this: delta at it exceeds the claimed one |
| 1.16 to 1.58 | between these two, rounded outwards |
| none | data is read without noise, or nothing bounds a release: no epsilon is proved |
| none, >= 2.92 | the same, and what an attack shows all the same |
| open | no bound is known on either side |
| **bold** | the claim is refuted, under the relation that it is made for |

*Claimed for* is the neighbouring relation of the paper's definition of privacy or, where only code
is at hand, the one whose sensitivities the code takes. Under the other relation, and where it is
*open*, numbers are there to compare, and none is bold: nobody claims them.

| verdict | under the relation of the table, claimed for it or not |
|---|---|
| proved | for every epsilon, delta, bound and hyperparameter |
| proved\\* | in a region of them |
| proved+ | at some of these numbers, and nothing is refuted elsewhere |
| refuted | numbers or a table show that the claim, or a step that it rests on, fails |
| refuted+ | the same, though it is proved at some of these numbers |
| not proved | no rule here proves it and nothing refutes it |

*Private up to* is the largest epsilon up to which the claim is true at that delta, rounded down:
*every* for each; `>=` where it is not known to fail at once beyond; empty where no number decides.
Where all noise is Gaussian with stds proportional to $1/\\varepsilon$ one number does
([F1](proofs/profile.md)): the exact profile holds at it and fails beyond it, each by enclosure.

Words of the reasons. A *share* is the part of the budget that one release is given. *std* is the
standard deviation of the noise; *mu* is how many stds apart the *worst pair* of neighbours puts a
Gaussian release, or all of them together. Its *profile* is the least delta at each epsilon, by a
formula [BalleW18, Thm 8]. *By enclosures* is proved in ball arithmetic, whatever is rounded.
*Boxes cover gamma* says that a bound holds on each of so many intervals that together are the range
of gamma. *Argument 4 of f* is the fourth value that a function of the declaration reads, *n* the
number of records, which is private under add/remove.

Code is not run here: it is declared again, as a graph, from its public source, and each
declaration says what was left out. Floating point is not counted. Rows fill a ball of radius B,
but for the functional mechanism, whose papers bound every entry. Fixing a hyperparameter that is
free (the gamma of adaSSPbudget) can only lower a cost: the table has that of the worst. Two
baselines, of google-research and of HessianMix, take the bounds of rows and labels from the data,
and it is this alone that is refuted of them. Of boosted adaSSP's own code costs are lower bounds:
those of the smallest eigenvalue, of which it releases the smallest positive one; under add/remove
they are the exact costs for the smallest of all. Attacks on OPS look for epsilons in steps of
doubling: cells that agree across calibrations are where that search ends. Attacks on sampled ridge
try thresholds t of 1 and of 2 epsilon, and 20 and 80 records kept. OPS as printed is not here: the
paper names no parameters for a budget.

*This page is made by `python -m docs.generate.dossier.page`; a test tells when it is old.*
"""


def page(cases: Sequence[Case]) -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for heading, own in sections(cases):
        parts.append(f"## {heading}\n")
        for relation in RELATIONS:
            listed = [one for one in own if one.relation is relation]
            parts.append("\n".join(table(relation, listed)) + "\n")
        parts += gammas(own)
        parts += [f"{text}\n" for text in paragraphs(own)]
    return "\n".join(parts)


def sections(cases: Sequence[Case]) -> Iterator[tuple[str, list[Case]]]:
    """Headings with their cases."""
    named = {name for families in SECTIONS.values() for name in families}
    rest = dict.fromkeys(_family(one) for one in cases if _family(one) not in named)
    for heading, families in {**SECTIONS, REST: tuple(rest)}.items():
        own = [one for name in families for one in cases if _family(one) == name]
        if own:
            yield heading, own


def _family(one: Case) -> str:
    return family(type(one.regression))


def table(relation: dp.Relation, cases: Iterable[Case]) -> list[str]:
    """One line an algorithm."""
    claimed = [f"{exactly(one)}" for one in EPSILONS]
    head = [str(relation), "variant", "claimed for", "verdict", "private up to", *claimed]
    return pages.table(head, map(_row, cases))


def _row(one: Case) -> list[str]:
    marks = {
        "proved in a region": "proved\\*",
        "proved at numbers": "proved+",
        "refuted, true for some": "refuted+",
        "not proved, true for some": "not proved+",
    }
    verdict = marks.get(one.everywhere, one.everywhere)
    link = f"[{one.name}](regressions/{one.name}.md)"
    reach = one.reach if one.reach != "-" else ""
    who = one.claimed_for or "open"
    return [link, one.variant, who, verdict, reach, *(_cell(one, cost) for cost in one.accounts)]


def _cell(one: Case, account: Account) -> str:
    text = pages.escaped(str(account))
    return f"**{text}**" if one.breaks(account) else text


def paragraphs(cases: Sequence[Case]) -> Iterator[str]:
    """One an algorithm that is refused, or fails at a claimed epsilon, under some relation."""
    for name in dict.fromkeys(one.name for one in cases):
        own = [one for one in cases if one.name == name]
        if any(one.refused for one in own):
            yield _paragraph(own)


def _paragraph(own: Sequence[Case]) -> str:
    """What it is, what its declaration says besides, then a point a relation, or one for both
    where they say the same.
    """
    first, *rest = pages.paragraphs(type(own[0].regression).__doc__)
    reasons: dict[str, list[str]] = {}
    for one in own:
        reasons.setdefault(_reason(one), []).append(str(one.relation))
    points = [f"- *{' and '.join(who).capitalize()}*: {why}" for why, who in reasons.items()]
    said = "".join(f"{one}\n\n" for one in rest)
    return f"**{own[0].name}.** {first}\n\n{said}" + "\n".join(points)


def _reason(one: Case) -> str:
    """Why, what else is wrong, up to where it is true, how it is attacked, what to change."""
    told = [f"{one.reason}."] if one.refused else [f"{one.everywhere}, {one.reason}."]
    told += [f"Also {line}." for line in one.also if one.refused]
    told += [f"The claim is {one.told_limit}."] if one.told_limit else []
    told += [f"By attack: {how}." for how in _attacks(one)]
    text = pages.prose(" ".join(told))
    repair = one.repair if one.refused else ""
    return f"{text} *Repair:* {pages.prose(repair)}" if repair else text


def _attacks(one: Case) -> Iterator[str]:
    """How the bound at the claim of 1 was found, and where a search ended at another claim."""
    for account in one.accounts:
        if account.claimed == 1 and account.attack is not None:
            yield account.attack.how
        elif account.attack is not None and account.attack.ended:
            yield f"at a claim of {exactly(account.claimed)} {account.attack.ended}"


def gammas(own: Sequence[Case]) -> Iterator[str]:
    """adaSSPbudget at some values of its free parameter, in a table of its own."""
    for one in own:
        found = one.limit
        if found is None or not found.parameter or one.relation is not dp.ADD_REMOVE:
            continue
        head = [found.parameter, "private up to", *(exactly(epsilon) for epsilon in EPSILONS)]
        rows = (_fixed(one, found, value) for value in GAMMAS)
        intro = f"{one.name}, {one.relation}, at some values of {found.parameter}:\n"
        yield intro + "\n" + "\n".join(pages.table(head, rows)) + "\n"


def _fixed(one: Case, found: Limit, value: str) -> list[str]:
    regression = with_value(one.regression, found.parameter, value)
    own = case(regression, one.relation, EPSILONS, DELTA)
    reach = limit(regression, one.relation, DELTA)
    cells = (_cell(own, account) for account in own.accounts)
    return [value, figure(reach.epsilon, "down", 5), *cells]


def made() -> str:
    """The page of all subjects."""
    return page(list(dossier()))


if __name__ == "__main__":
    PAGE.write_text(made())
