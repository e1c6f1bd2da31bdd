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
from dpframe.prover.judge import PROFILE, SOURCE

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
USUAL_RULE = f"the {PROFILE} must stay inside the claim {SOURCE}: "  # the legend states it

INTRODUCTION = """\
# The dossier: true privacy costs of published algorithms

The dossier audits the algorithms of the papers that dpframe is based on, as printed and as coded,
and implementations in public libraries. For each it has the verdict on the privacy claim, the true
cost, the reason and a repair. The results follow from declarations in dpframe;
`dpframe audit NAME --epsilon 1 --delta 1e-6` prints the audit of one of them.

## How to read the tables

A number is the **true epsilon** of the algorithm that claims the epsilon in the column head. It is
for all releases together and the worst pair of neighbours, at $\\delta = 10^{-6}$ (0 for pure
claims) and bounds $B = Y = 1$. It has five digits and is rounded conservatively.

| cell | meaning |
|---|---|
| 0.5956 | exact, rounded up: the supremum over pairs of neighbours |
| <= 0.75 | an upper bound, rounded up |
| >= 2.92 | a lower bound, rounded down, by [attack](refutations.md) or proof |
| > 3 | more than this: delta at this epsilon exceeds the claimed one |
| 1.16 to 1.58 | between these two, rounded outwards |
| none | no finite epsilon: data is read without noise, or a release is unbounded |
| none, >= 2.92 | the same, with the lower bound of an attack |
| open | no bound is known |
| **bold** | the claim is refuted, under the relation for which it is made |

*Claimed for* is the neighbouring relation of the paper's definition of privacy or, for code, the
relation whose sensitivities the code uses. Under the other relation, and if it is *open*, numbers
are for comparison and never bold.

| verdict | meaning, under the relation of the table |
|---|---|
| proved | for every epsilon, delta, bound and hyperparameter |
| proved\\* | in a region of them |
| proved+ | at some of these numbers, and not refuted elsewhere |
| refuted | parameter values or a table show that the claim, or a step of its proof, fails |
| refuted+ | the same, although the claim is proved at some of these numbers |
| not proved | neither proved nor refuted |

*Private up to* is the largest epsilon for which the claim is true at that delta, rounded down.
*every* means every epsilon, `>=` a lower bound, and an empty cell that no single number decides.
If all noise is Gaussian with stds proportional to $1/\\varepsilon$, a single number decides
([F1](proofs/profile.md)): the exact profile holds at it and fails beyond it, each by enclosure.

If all noise is Gaussian, a claim is refuted by the exact Gaussian privacy profile, which must
stay inside the claim [BalleW18, Thm 8]. The reasons below do not repeat this rule.

**Terms.** A *share* is the part of the budget for one release. *std* is the standard deviation of
the noise. *mu* is the distance, in stds of
the noise, between the *worst pair* of neighbours in a Gaussian release, or in all of them together.
The *profile* is the smallest delta at each epsilon [BalleW18, Thm 8]. *By enclosures* means proved
in ball arithmetic, including rounding. *Boxes cover gamma* means that a bound holds on each
of several intervals that together cover the range of gamma. *Argument 4 of f* is the fourth
argument of a function of the declaration. *n* is the number of records, which is private under
add/remove.

## Scope

- Code is not run. It is declared as a graph, from its public source; each declaration lists what
  was left out. Floating point is not considered.
- Rows are in a ball of radius B, except for the functional mechanism, whose papers bound every
  entry.
- A free hyperparameter (the gamma of adaSSPbudget) has its worst value. A fixed value can only have
  a smaller cost.
- Two baselines, of google-research and of HessianMix, compute bounds of rows and labels from the
  data. Only this is refuted.
- For the code of boosted adaSSP costs are lower bounds. They are those of the smallest eigenvalue,
  whereas the code releases the smallest positive one. Under add/remove they are exact for the
  smallest of all.
- Attacks on OPS search epsilon in steps of doubling. Cells that agree across calibrations are the
  end of that search.
- Attacks on sampled ridge use thresholds t of 1 and of 2 epsilon, and samples of 20 and 80 records.
- OPS as printed is omitted, since the paper names no parameters for a budget.

*This page is made by `python -m docs.generate.dossier.page`; a test compares it.*
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
    """One an algorithm that is refused, or fails at a claimed epsilon, under some relation. A
    repair is printed once; later algorithms name the first.
    """
    repaired: dict[str, str] = {}
    for name in dict.fromkeys(one.name for one in cases):
        own = [one for one in cases if one.name == name]
        if any(one.refused for one in own):
            yield _paragraph(own, repaired)


def _paragraph(own: Sequence[Case], repaired: dict[str, str]) -> str:
    """The description and remarks of the declaration, then a point for each relation, or one for
    both where they say the same. `repaired` has the first algorithm of each repair.
    """
    first, *rest = pages.paragraphs(type(own[0].regression).__doc__)
    reasons: dict[str, list[str]] = {}
    for one in own:
        reasons.setdefault(_reason(one), []).append(str(one.relation))
    changes: dict[str, list[str]] = {}
    for one in own:
        if one.refused:
            changes.setdefault(_repair(one, repaired), []).append(str(one.relation))
    points = [f"- *{' and '.join(who).capitalize()}*: {why}" for why, who in reasons.items()]
    several = len(changes) > 1
    points += [
        f"- *Repair{' under ' + ' and '.join(who) if several else ''}*: {how}"
        for how, who in changes.items()
        if how
    ]
    said = "".join(f"{one}\n\n" for one in rest)
    return f"**{own[0].name}.** {first}\n\n{said}" + "\n".join(points)


def _reason(one: Case) -> str:
    """The reason, another one, how it is attacked; and the limit where the table has less."""
    lines = [f"{one.reason}."] if one.refused else [f"{one.everywhere}, {one.reason}."]
    lines += [f"Also {line}." for line in one.also[:1] if one.refused]
    if one.limit is not None and (one.limit.parameter or not one.limit.exact):
        lines.append(f"The claim is {one.limit_text}.")
    lines += [f"By attack: {how}." for how in _attacks(one)]
    return pages.prose(" ".join(lines).replace(USUAL_RULE, ""))


def _repair(one: Case, repaired: dict[str, str]) -> str:
    """The verifier's repair, in full or by the algorithm that has it first, and what to use."""
    way_out = pages.prose(one.repair)
    first = repaired.setdefault(way_out, one.name)
    if way_out and first != one.name:
        way_out = f"as for {first}."
    use = f"{'Or use' if way_out else 'Use'} {' or '.join(one.instead)}." if one.instead else ""
    return " ".join(filter(None, (way_out, use)))


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
