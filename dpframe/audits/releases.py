"""The part of an audit's page on single releases: their table, their noise, failing claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from dpframe.prover import Verdict
from dpframe.symbols import Expression, Number
from dpframe.wording import Formula, say

from .figures import TINY, against, clipped, figure, formula, hanging, listed, short, table
from .lines import ReleaseLine, lower_end, meanings
from .sentence import conditions

if TYPE_CHECKING:
    from .report import Audit

Key = TypeVar("Key")
ROOM = 16  # characters of a formula in a column
MOST = 12  # releases that fit on a screen
EQUAL = 1e-4  # relative: noise so close to the required noise is equal to it
RIGHT = {"sensitivity", "std", "scale", "noise", "exact delta", "exact eps", "mu"}


def releases(audit: Audit, width: int) -> Iterator[str]:
    """The table of releases, each alone; statistics below it where it is wider than the page."""
    if not audit.lines:
        yield from () if audit.report.problem.graph.charged else ("Nothing is released",)
        return
    exact, counts = _exact_columns(audit.lines), Counter(audit.lines)
    columns = ["release", "statistic", "sensitivity"]
    columns += [_noise_name(audit.lines)] if any(line.size for line in audit.lines) else []
    columns += ["share claimed"] if any(line.share for line in audit.lines) else []
    columns += [*exact, "claim"]
    yield "Releases, each alone"
    dropped = (), ("statistic",), ("statistic", "exact eps")
    tables = [_table(counts, [one for one in columns if one not in gone]) for gone in dropped]
    fits = [max(map(len, one)) <= width for one in tables]
    yield from next((one for one, fit in zip(tables, fits, strict=True) if fit), tables[-1])
    if len(counts) > MOST:
        claims = Counter(line.claim for line in list(counts)[MOST:] for _ in range(counts[line]))
        rest = ", ".join(f"{count} {claim}" for claim, count in claims.items())
        yield f"  ... and {claims.total()} more: {rest}"
    if not fits[0]:
        yield from hanging(f"  {_statistics(counts)}", width=width)
    if "exact delta" in exact:
        yield "  exact delta: at the claimed epsilon; exact eps: at the claimed delta"
    if any(_cell(line, column, 1).startswith("<=") for line in audit.lines for column in exact):
        yield "  <= an upper bound: no pair of tables is known to attain the sensitivity"
    sizes = ((line.sensitivity, line.name) for line in audit.lines)
    known = ((size, name) for size, name in sizes if size is not None)
    long = _grouped((formula(size), name) for size, name in known if _long(size))
    for size, some in long.items():
        yield from hanging(f"  sensitivity of {some}: {size}", width=width)


def procedures(audit: Audit) -> Iterator[str]:
    """Releases by theorems of their own, and bounds that may fail."""
    graph = audit.report.problem.graph
    if graph.procedures:
        yield "Released by theorems of their own"
    for one in graph.procedures:
        share = ", ".join(map(_amount, one.share.amounts))
        yield f"  {one.label}: {one.summary}, share ({share})"
    if graph.bounds:
        yield "Bounds that may fail, on both neighbours at once"
    for bound in graph.bounds:
        size = f"{clipped(formula(bound.stds), 40)} {'stds' if bound.normal else 'scales'}"
        yield f"  {bound.label}: {size} of its noise, failure {bound.failure}"


def _table(counts: Mapping[ReleaseLine, int], columns: list[str]) -> list[str]:
    shown = list(counts.items())[:MOST]
    rows = [[_cell(line, column, many) for column in columns] for line, many in shown]
    return table(columns, rows, [i for i, column in enumerate(columns) if column in RIGHT])


def _grouped(pairs: Iterable[tuple[Key, str]]) -> dict[Key, str]:
    """Keys with the names of the releases that share them."""
    names: dict[Key, list[str]] = {}
    for key, name in pairs:
        names.setdefault(key, []).append(name)
    return {key: listed(some) for key, some in names.items()}


def _statistics(lines: Iterable[ReleaseLine]) -> str:
    """`floor: lambda_min(X'X); gram, third: X'X`."""
    names = _grouped((clipped(line.statistic, 24), line.name) for line in lines)
    return "; ".join(f"{some}: {statistic}" for statistic, some in list(names.items())[:MOST])


def _noise_name(lines: Iterable[ReleaseLine]) -> str:
    names = {line.noise for line in lines}
    return names.pop() if len(names) == 1 else "noise"


def _exact_columns(lines: tuple[ReleaseLine, ...]) -> list[str]:
    if any(line.exact_delta is not None for line in lines):
        return ["exact delta", "exact eps"]
    columns = ["mu"] if any(line.mu is not None for line in lines) else []
    return columns + ["exact eps"] * any(line.exact_epsilon is not None for line in lines)


def _cell(line: ReleaseLine, column: str, many: int) -> str:
    match column:
        case "release":
            times = formula(line.times * many)
            return line.name if times == "1" else f"{line.name} (x{times})"
        case "statistic":
            return clipped(line.statistic, 24)
        case "sensitivity":
            if line.sensitivity is None:
                return "no bound"
            return "see below" if _long(line.sensitivity) else _amount(line.sensitivity)
        case "share claimed":
            amounts = ", ".join(map(_amount, line.share.amounts)) if line.share else ""
            return f"({amounts})" if amounts else "none"
        case "exact delta":
            return cost(line, line.exact_delta, "delta")
        case "exact eps":
            return cost(line, line.exact_epsilon, "epsilon")
        case "mu":
            return cost(line, line.mu, "")
    return line.claim if column == "claim" else figure(line.size)


def cost(line: ReleaseLine, value: float | None, name: str) -> Formula:
    """A cost, in enough digits to distinguish it from the claim."""
    if value is None:
        return Formula("-")
    if 0 < value < TINY:
        return Formula(f"< {figure(TINY)}")
    share = line.share
    beside = line.mu is None and share is not None and "delta" in share.currency
    if not line.attained or (share and beside and lower_end(share.delta) != 0):
        return Formula(f"<= {figure(value, 'up')}")
    claimed = lower_end(share.amount(name)) if share and name in share.currency else None
    return figure(value) if claimed is None else against(value, claimed)


def _amount(amount: Expression) -> str:
    """A number in a few digits, a formula as it is."""
    if isinstance(amount, Number):
        return short(amount.value)
    value = lower_end(amount)
    return clipped(formula(amount), ROOM) if value is None else figure(value)


def _long(sensitivity: Expression) -> bool:
    """Whether it is a formula that a column has no room for."""
    return lower_end(sensitivity) is None and len(formula(sensitivity)) > ROOM


UNSIZED = "none, as a theorem sizes noise to a positive sensitivity"


def _formula_of(line: ReleaseLine) -> str:
    return clipped(formula(line.written), 240) if line.sized else UNSIZED


def noise(audit: Audit) -> Iterator[str]:
    """The noise of every release as it is declared, equal formulas once."""
    names = _grouped(
        ((line.noise, _formula_of(line), line.rule), line.name) for line in audit.lines
    )
    width = max(map(len, names.values()), default=0)
    if names:
        yield "Noise"
    for (size, text, rule), some in list(names.items())[:MOST]:
        yield f"  {some:{width}}  " + (
            f"{size}: {text}" if text == UNSIZED else f"{size} = {text} ({rule})"
        )
    if len(names) > MOST:
        yield f"  ... and {len(names) - MOST} more formulas"
    letters = meanings(audit.lines, audit.report.problem.setting)
    if letters:
        yield f"  {'; '.join(f'{name}: {meaning}' for name, meaning in letters.items())}"


def claims(audit: Audit) -> Iterator[str]:
    """Why claims on single releases fail, and where they hold; equal reasons once."""
    names = _grouped((reason, line.name) for line in audit.lines for reason in _reasons(line))
    if names:
        yield "Claims on single releases"
        yield from (f"  {some}: {reason}" for reason, some in names.items())


def refuted(line: ReleaseLine) -> str:
    """Why the claim of this release fails, in its own numbers; "" where it does not."""
    if line.verdict is not Verdict.REFUTED:
        return ""
    if line.exact_delta is None or line.share is None:
        return line.witness
    exact = cost(line, line.exact_delta, "delta")
    return say("exact $delta$ {} > {}", exact, _amount(line.share.delta))


def _reasons(line: ReleaseLine) -> Iterator[str]:
    if line.verdict is Verdict.REFUTED:
        yield f"refuted: {refuted(line)}"
    if line.unbounded:
        yield line.unbounded
    elif line.open:
        yield f"neither proved nor refuted: {line.open}"
    yield from _spent(line)
    if line.where:
        yield f"proved where {conditions(line.where)}"
    if line.note:
        yield line.note
    if line.attained_by:
        yield f"its sensitivity is attained by {line.attained_by}"


def _spent(line: ReleaseLine) -> Iterator[str]:
    """By how much noise a share is over- or underspent."""
    factor = line.noise_factor
    if factor is not None and factor > 1 + EQUAL and line.verdict is Verdict.PROVED:
        much = f"{factor:.4g}" if line.attained else f"at least {figure(factor, 'down', 4)}"
        yield f"underspent: it has {much} times the noise that its share needs"
    if factor is not None and factor < 1 - EQUAL and line.verdict is Verdict.REFUTED:
        yield f"overspent: it has {factor:.4g} times the noise that its share needs"
