"""docs/mutation.md, from a run over everything, which this script writes anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from dpframe.literature.catalogue import example
from dpframe.literature.every import everything
from dpframe.symbols import Symbol
from tests.mutating import EXAMPLES, Judged, Mended, Mutants, Outcome, around, mended, together
from tests.mutating.certain import SLACK, certain, costs
from tests.mutating.table import BENIGN_ENDS, BREAKING_ENDS, rows

Repairs = Sequence[tuple[Judged, Mended]]
Sure = Sequence[tuple[Judged, str]]
PAGE = Path(__file__).parents[2] / "mutation.md"
TEXT = """\
# Mutation: does the verifier see every known mistake?

A verifier that accepts everything passes every test of what it should accept. So dpframe makes
mistakes on purpose, in the *graph* of a declaration (its text is never read), and asks the verifier
about each:

```console
$ python -m tests.mutating AdaSSP
$ python -m tests.mutating mymodule:MyRegression --list --repairs
$ python -m tests.mutating --all
```

from a checkout of the sources: the mutants are a test of dpframe and no part of what is installed.
The list is made of the graph: of its releases, shares, bounds, post-processing and procedures. A
declaration that is added, also one of your own, has its mutants at once, and an operator is one
line of a table in `tests/mutating/operators`. Exit status 1 says that a mutant survived; survivors
are printed by name.

## How a mutant ends

refused
: The verifier does not prove it. The refusal names a node and a rule, and carries a counterexample
  or the facts that it would need, and a way out. A refused mutant need not break privacy: shares
  may sum to more than the budget while the noise is still enough. So those that break it for
  certain are counted apart, by code of the tests that knows nothing of the verifier.

equivalent
: The verifier proves it, and the [kernel](kernel.md) accepts the certificate of the mutant, which
  it reads alone. Nobody decides by hand that
  an edit is harmless here: rows that are clipped to norm 2 and then to norm 1 may lose the first
  clip, and a std of 5 squared is more noise, not less. In the tests a third way decides too: where
  all noise is Gaussian and neighbours are added or removed, the exact cost of every mutant is
  computed with 50 digits by code of its own.

survivor
: Accepted by the verifier and by nobody else: an error of dpframe. So is, whoever confirms it, the
  acceptance of an edit that reads data without noise, and an error that the verifier or the checker
  raises where it should judge.

cannot be spelled
: The graph has no words for it, and the error says so. Reusing noise is of this kind from the
  start: no field of a release names a draw, so that two releases never share one. What comes
  nearest, post-processing that adds the raw difference of two statistics to one release, is
  `raw argument`.

accepted, refused although harmless
: How harmless edits end. The second is no leak, but a proof that was not found; those are printed
  by name too.

Two mutants are distinct if the SHA-256 of graph, target and setting differ. Edits that cannot be
spelled are no mutants. Regressions of one family differ in post-processing alone, so a second
number counts what differs in what is released: statistics, noise, shares, target, setting.

Each declaration is edited where it is certified: under both relations, for every epsilon, delta,
$B$ and $Y$, and at epsilon = 1, delta = 1e-6, $B = 2$, $Y = 3$ (where a forgotten bound shows) with
two rows a person where the theorem allows; as declared or, where that is certified nowhere, with
all noise calibrated jointly. Every edit is judged in one of these settings, in turn; `--every`
judges it in each. No regression reads the cells of a public partition, so two examples that do are
edited too.

## Ways out

An open obligation says what to do, in words and, where a program can do it, as an `Edit`: calibrate
this release, multiply the shares by 10/11, read the release instead of the statistic, clip to the
setting's bound. `--repairs` carries these out, one kind after the other, until the
graph is proved or nothing more is asked for. It sees obligations and graph alone, never the edit
that went before. A way out that a program takes need not be the best: a public number that must
replace a private one is taken from its range, where a person would look into the codebook.

## What no operator does

- Control flow or column selection on raw data inside of `declare`: no field of a graph holds it,
  and a node has no truth value. What comes nearest are `raw branch` and `raw selection`.
- Reusing noise, or a seed: no field of a release names a draw.
- Wrong numbers in the sensitivity of a statistic, in a theorem or in a sampler: they are dpframe's
  code, not a declaration. Proof pages, independent oracles and [attacks](attacking.md) look
  there.
- Wrong public facts, such as a bound of a codebook that the data do not keep, or rows of a person
  beyond those declared: nothing in a graph can tell.
- Budgets of each record, cells with budgets of their own, and procedures' internals beyond their
  parameters.

## Figures

This page is generated by `python -m docs.generate.pages.mutation`, and a test keeps it fresh.

"""
BREAKING_HEAD = """\
| edit that is meant to break | what is done | refused | equivalent | survivor | cannot be spelled |
|---|---|---:|---:|---:|---:|
"""
BENIGN_HEAD = """\
| harmless | what is done | accepted | refused although harmless | survivor | cannot be spelled |
|---|---|---:|---:|---:|---:|
"""


def table(found: Mutants, ends: Sequence[Outcome], *, breaks: bool) -> str:
    """Rows of a table, and their sum."""
    listed = rows(found, ends, breaks=breaks)
    total = [sum(counts[i] for _, _, counts in listed) for i in range(len(ends))]
    lines = [*listed, ("**together**", "", total)]
    return "\n".join(
        f"| {name} | {says.replace('|', chr(92) + '|')} | {' | '.join(map(str, counts))} |"
        for name, says, counts in lines
    )


def figures(found: Mutants, repairs: Repairs, sure: Sure) -> str:
    """What the run says in sum; `sure` are the refused ones that break for certain, with why."""
    counts = found.counts
    refused = found.of(Outcome.REFUSED)
    accepted = sum(done.accepted for _, done in repairs)
    why = Counter(reason for _, reason in sure)
    known = {one.key for one, _ in sure}
    private = sum(excess <= SLACK for one, excess in costs(refused) if one.key not in known)
    declared = {str(one.mutant.of) for one in found}
    witnessed = sum(one.witnessed for one in refused)
    certainly = essences(one for one, _ in sure)
    return f"""\
- {len(found.spelled):,} distinct mutants of {len(declared)} declarations; **{len(found.survivors)}
  survivors**. {essences(found.spelled):,} of them differ in what they release, beyond names and
  post-processing. ({counts["cannot be spelled"]:,} more edits have no words in a graph.)
- **{len(sure):,} mutants that break their claim for certain are refused**
  ({certainly:,} different releases). In {why["raw"]:,} data leave without noise, in
  {why["noise"]:,} noise, draws or bounds are read from the data, in {why["cost"]:,} two
  neighbouring tables, written down, cost more than is claimed, with 50 digits. Code of the tests
  decides that, which shares none with the verifier. ({kinds(one for one, _ in sure)}.)
- {len(refused) - len(sure):,} more are refused that are not known to break it: shares are overspent
  though the noise may be enough, theorems are used outside their range, or that code has no words
  for their statistic. {private:,} of these cost no more than is claimed, exactly: a promise about
  shares is broken there, not privacy.
- All {len(refused):,} refusals ({essences(refused):,} different releases) name node, rule and
  facts; {witnessed:,} show a counterexample.
- {counts["equivalent"]:,} mutants are private still, as the kernel confirms.
- {counts["accepted"]:,} harmless edits are accepted; {len(found.overcautious):,} are refused.
- {len(repairs):,} refusals offer a way out; taking it makes {accepted:,} of them acceptable
  ({accepted / len(repairs):.0%}).

"""


def essences(judged: Iterable[Judged]) -> int:
    """How many differ in what they release."""
    return len({one.essence for one in judged})


def kinds(judged: Iterable[Judged]) -> str:
    """How many for which relation, at numbers or not."""
    found = Counter(
        f"{one.setting.relation}, {'for every parameter' if symbols(one) else 'at numbers'}"
        for one in judged
    )
    return "; ".join(f"{count:,} {kind}" for kind, count in sorted(found.items()))


def symbols(one: Judged) -> set[Symbol]:
    """The symbols of a target."""
    return set().union(*(amount.symbols() for amount in one.target.amounts))


def page(found: Mutants, repairs: Repairs, sure: Sure) -> str:
    """The whole page."""
    return (
        TEXT
        + figures(found, repairs, sure)
        + BREAKING_HEAD
        + table(found, BREAKING_ENDS, breaks=True)
        + "\n\n"
        + BENIGN_HEAD
        + table(found, BENIGN_ENDS, breaks=False)
        + "\n"
    )


def breaking(found: Mutants) -> Sure:
    """The refused mutants that break for certain, with why."""
    pairs = [(one, certain(one)) for one in found.of(Outcome.REFUSED)]
    return [(one, why) for one, why in pairs if why]


if __name__ == "__main__":
    mutants = together([around(one) for one in (*map(example, everything()), *EXAMPLES)])
    taken = [(one, mended(one.report)) for one in mutants if one.offered]
    PAGE.write_text(page(mutants, taken, breaking(mutants)))
