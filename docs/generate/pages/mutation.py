"""docs/mutation.md, from a run over everything, which this script writes anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from dpframe.literature.catalogue import example
from dpframe.literature.every import everything
from dpframe.symbols import Symbol
from tests.mutating import EXAMPLES, Judged, Mended, Mutants, Outcome, around, mended, together
from tests.mutating.certain import breaking, broken
from tests.mutating.table import BENIGN_ENDS, BREAKING_ENDS, markdown

Repairs = Sequence[tuple[Judged, Mended]]
Sure = Sequence[tuple[Judged, str]]
PAGE = Path(__file__).parents[2] / "mutation.md"
TEXT = """\
# Mutation tests of the verifier

Mutation tests check that the verifier rejects wrong declarations. Each test changes the
computation *graph* of a declaration (not its source text) and runs the verifier on the result:

```console
$ python -m tests.mutating AdaSSP
$ python -m tests.mutating mymodule:MyRegression --list --repairs
$ python -m tests.mutating --all
```

Run these commands in a checkout of the sources; the mutants are part of the tests and are not
installed. Mutants are generated from the graph: its releases, shares, bounds, post-processing and
procedures. A new declaration, including your own, therefore has mutants without further work. A
mutation operator is one line of a table in `tests/mutating/operators`. Exit status 1 means that a
mutant survived; survivors are printed by name.

## Outcomes

refused
: The verifier does not prove the mutant. The refusal names a node and a rule, with a counterexample
  or the missing facts, and a solution. A refused mutant need not violate its claim: shares
  may exceed the budget although the noise is sufficient. Mutants that certainly violate their claim
  are therefore counted separately, by test code that is independent of the verifier.

equivalent
: The verifier proves the mutant, and the [kernel](kernel.md) accepts its certificate independently.
  No edit is classified as harmless by hand. For example, rows that are clipped to norm 2 and then
  to norm 1 may omit the first clip, and a std of 5 squared adds noise. In the tests a third method
  confirms the result: brute force on pairs of neighbouring tables, which knows no sensitivity.

survivor
: The verifier accepts the mutant and the other methods do not: an error of dpframe. The following
  are errors too, regardless of confirmation: an accepted edit that reads data without noise, and an
  exception in the verifier or the checker.

cannot be spelled
: The graph cannot express the edit, and the error says so. Reuse of noise is an example:
  no field of a release names a draw, so two releases never share one. The closest
  edit, post-processing that adds the raw difference of two statistics to one release, is
  `raw argument`.

accepted, refused although harmless
: Outcomes of harmless edits. The second is a missing proof, not a leak; these are printed
  by name too.

Two mutants are distinct if the SHA-256 of graph, target and setting differ. Edits that cannot be
spelled are not mutants. Regressions of one family differ in post-processing only, so a second
number counts distinct releases: statistics, noise, shares, target, setting.

**Settings.** Each declaration is edited in the settings in which it is certified: under both
relations, for every epsilon, delta, $B$ and $Y$, and at epsilon = 1, delta = 1e-6, $B = 2$, $Y = 3$
(which reveals a forgotten bound), with two rows per person if the theorem allows. A declaration
that is certified nowhere is edited with all noise calibrated jointly. Every edit is tested in one
of these settings, in turn; `--every` tests it in each. No regression reads the cells of a public
partition, so two examples that do are included.

## Repairs

An open obligation has a solution in words and, if possible, as an `Edit`: calibrate
this release, multiply the shares by 10/11, read the release instead of the statistic, clip to the
setting's bound. `--repairs` applies these edits, one kind after the other, until the
graph is proved or no edit is left. It uses the obligations and the graph only, not the
mutation. An automatic repair need not be the best: a public number that must
replace a private one is taken from its range, whereas a person would consult the codebook.

## Not covered

- Control flow or column selection on raw data inside `declare`: the graph does not contain it,
  and a node has no truth value. The closest operators are `raw branch` and `raw selection`.
- Reuse of noise or of a seed: no field of a release names a draw.
- Errors in the sensitivity of a statistic, in a theorem or in a sampler: they are dpframe's
  code, not a declaration. Proof pages, independent oracles and [attacks](attacking.md) cover them.
- Wrong public facts, such as codebook bounds that the data violate, or more rows per person
  than declared: the graph does not contain them.
- Budgets of each record, cells with their own budgets, and internals of procedures except their
  parameters.

## Figures

This page is generated by `python -m docs.generate.pages.mutation`, and a test keeps it fresh.

"""


def figures(found: Mutants, repairs: Repairs, sure: Sure) -> str:
    """What the run says in sum; `sure` are the refused ones that break for certain, with why."""
    counts = found.counts
    refused = found.of(Outcome.REFUSED)
    accepted = sum(done.accepted for _, done in repairs)
    why = Counter(reason for _, reason in sure)
    known = {one.key for one, _ in sure}
    private = sum(broken(one) is False for one in refused if one.key not in known)
    declared = {str(one.mutant.of) for one in found}
    witnessed = sum(one.witnessed for one in refused)
    certainly = essences(one for one, _ in sure)
    return f"""\
- {len(found.spelled):,} distinct mutants of {len(declared)} declarations; **{len(found.survivors)}
  survivors**. {essences(found.spelled):,} of them have distinct releases, apart from names and
  post-processing. ({counts["cannot be spelled"]:,} more edits cannot be spelled.)
- **{len(sure):,} mutants that certainly violate their claim are refused**
  ({certainly:,} distinct releases). In {why["raw"]:,} data are published without noise, in
  {why["noise"]:,} noise, draws or bounds are read from the data, and in {why["cost"]:,} some pair
  of neighbouring tables costs more than the claim, by the brute force of `tests/oracle`, which
  shares no code with the verifier. ({kinds(one for one, _ in sure)}.)
- {len(refused) - len(sure):,} more are refused without a certain violation: shares are overspent
  although the noise may be sufficient, theorems are used outside their range, or brute force does
  not support the statistic. On every pair that was tried {private:,} of these cost no more than the
  claim: only the claim about shares is violated.
- All {len(refused):,} refusals ({essences(refused):,} distinct releases) name node, rule and
  facts; {witnessed:,} have a counterexample.
- {counts["equivalent"]:,} mutants satisfy their claim, as the kernel confirms.
- {counts["accepted"]:,} harmless edits are accepted; {len(found.overcautious):,} are refused.
- {len(repairs):,} refusals have an automatic repair; after it {accepted:,} of them are accepted
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
    tables = (
        markdown(found, BREAKING_ENDS, breaks=True),
        markdown(found, BENIGN_ENDS, breaks=False),
    )
    return TEXT + figures(found, repairs, sure) + "\n".join(tables)


if __name__ == "__main__":
    mutants = together([around(one) for one in (*map(example, everything()), *EXAMPLES)])
    taken = [(one, mended(one.report)) for one in mutants if one.offered]
    PAGE.write_text(page(mutants, taken, breaking(mutants)))
