"""An audit as a page: releases, shares, joint cost, total, open obligations, assumptions, sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.guarantees import ApproxDP, Guarantee
from dpframe.symbols import Expression, Number
from dpframe.verify import Obligation, Verdict
from dpframe.verify.certificate import is_size
from dpframe.verify.text import NAMES, region_text

from .figures import clipped, exactly, figure, formula, paragraphs, short, table, tidy
from .lines import Line, lower_end

if TYPE_CHECKING:
    from .auditing import Audit

MOST = 12  # releases that fit on a screen
ROOM = 78  # columns for one formula


def page(audit: Audit) -> str:
    """The whole page."""
    parts = (head, releases, noise, claims, plan, joint, total, open_obligations, assumptions)
    blocks = [block for block in (list(part(audit)) for part in parts) if block]
    return "\n\n".join([*map(paragraphs, blocks), paragraphs([sentence(audit)])])


def head(audit: Audit) -> Iterator[str]:
    """What is audited against what."""
    yield f"Audit of {audit.regression}"
    yield f"  claim   {goal(audit.target)}"
    yield f"  unit    {audit.setting.unit} ({audit.setting.relation})"
    ranges = free(audit)
    if ranges:
        yield f"  for all {ranges}"


def goal(target: Guarantee, values: Mapping[str, Fraction] | None = None) -> str:
    """The target with its numbers as a person writes them."""
    numbers = {name: Number(value) for name, value in (values or {}).items()}
    if isinstance(target, ApproxDP):
        amounts = [formula(amount.substitute(numbers)) for amount in target.amounts]
        return f"({', '.join(amounts)})-differential privacy"
    return tidy(str(target))


def free(audit: Audit) -> str:
    """The symbols that the verdict ranges over, but not sizes of the data."""
    symbols = [symbol for symbol in audit.report.problem.symbols if not is_size(symbol)]
    return ", ".join(f"{symbol.name} {symbol.domain}" for symbol in symbols)


def releases(audit: Audit) -> Iterator[str]:
    """The table of releases."""
    claiming = any(line.share for line in audit.lines)
    priced = any(line.mu is not None or line.exact_epsilon is not None for line in audit.lines)
    columns = ["release", "statistic", "sensitivity"]
    columns += [_noise_name(audit)] if priced else []
    columns += ["share claimed"] if claiming else []
    columns += _exact_columns(audit) if priced else []
    columns += ["claim"]
    yield "Releases, each alone"
    rows = [[_cell(line, column) for column in columns] for line in audit.lines[:MOST]]
    numeric = {"sensitivity", "std", "scale", "noise", "exact delta", "exact epsilon", "mu"}
    right = [index for index, column in enumerate(columns) if column in numeric]
    yield from table(columns, rows, right)
    if len(audit.lines) > MOST:
        counted = Counter(line.claim for line in audit.lines[MOST:])
        rest = ", ".join(f"{count} {claim}" for claim, count in counted.items())
        yield f"  ... and {len(audit.lines) - MOST} more: {rest}"
    if priced and any(line.share for line in audit.lines) and audit.target.kind == "approx":
        yield "  exact delta: at the epsilon that is claimed; exact epsilon: at the delta that is claimed"
    if priced and not all(line.attained for line in audit.lines):
        yield "  <= marks an upper bound: no pair of tables is known to attain the sensitivity"


def _noise_name(audit: Audit) -> str:
    names = {line.noise for line in audit.lines}
    return names.pop() if len(names) == 1 else "noise"


def _exact_columns(audit: Audit) -> list[str]:
    if any(line.exact_delta is not None for line in audit.lines):
        return ["exact delta", "exact epsilon"]
    if any(line.mu is not None for line in audit.lines):
        return ["mu"]
    return ["exact epsilon"]


def _cell(line: Line, column: str) -> str:
    bound = "" if line.attained else "<= "
    match column:
        case "release":
            return line.name if line.times == Number(Fraction(1)) else f"{line.name} ({line.times} times)"
        case "statistic":
            return clipped(line.statistic, 24)
        case "sensitivity":
            return _sensitivity(line)
        case "std" | "scale" | "noise":
            return figure(line.size, "up")
        case "share claimed":
            return "none" if line.share is None else f"({', '.join(map(_amount, line.share.amounts))})"
        case "exact delta":
            return figure(line.exact_delta, "up") if line.exact_delta is None else bound + figure(line.exact_delta, "up")
        case "exact epsilon":
            return figure(line.exact_epsilon, "up") if line.exact_epsilon is None else bound + figure(line.exact_epsilon, "up")
        case "mu":
            return figure(line.mu) if line.mu is None else bound + figure(line.mu, "up")
    return line.claim


def _sensitivity(line: Line) -> str:
    if line.sensitivity is None:
        return "unbounded"
    return _amount(line.sensitivity)


def _amount(amount: Expression) -> str:
    """A number in a few digits, a formula as it is."""
    if isinstance(amount, Number):
        return short(amount.value)
    value = lower_end(amount)
    return clipped(formula(amount), 24) if value is None else figure(value)


def noise(audit: Audit) -> Iterator[str]:
    """The noise of every release as it is declared, equal formulas once."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for line in audit.lines:
        key = (line.noise, formula(line.written), line.rule)
        found.setdefault(key, []).append(line.name)
    yield "Noise"
    rows = [
        [_names(names), f"{noise} = {clipped(text, ROOM - len(rule))}", f"({rule})"]
        for (noise, text, rule), names in list(found.items())[:MOST]
    ]
    yield from ("  " + "  ".join(row) for row in rows)
    if len(found) > MOST:
        yield f"  ... and {len(found) - MOST} more formulas"
    symbols = {symbol.name for line in audit.lines for symbol in line.written.symbols()}
    letters = {"B": "norm of a row", "Y": "bound of a label"}
    known = [f"{name}: {meaning}" for name, meaning in letters.items() if name in symbols]
    if known:
        yield f"  {'; '.join(known)}"


def _names(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, ... {names[-1]} ({len(names)})"


def claims(audit: Audit) -> Iterator[str]:
    """Why a claim on one release fails, and where one holds; equal reasons once."""
    found: dict[str, list[str]] = {}
    for line in audit.lines:
        for reason in _reasons(line, numeric=line.exact_delta is not None):
            found.setdefault(reason, []).append(line.name)
    if found:
        yield "Claims on single releases"
        yield from (f"  {_names(names)}: {reason}" for reason, names in found.items())


def _reasons(line: Line, *, numeric: bool) -> Iterator[str]:
    if line.verdict is Verdict.REFUTED and numeric:
        claimed = _amount(line.share.delta) if line.share else "-"
        yield f"refuted: exact delta {figure(line.exact_delta, 'up')} > {claimed}"
    elif line.verdict is Verdict.REFUTED:
        yield tidy(f"refuted: {line.witness}")
    elif line.verdict is Verdict.UNPROVED:
        yield "unproved"
    if line.where:
        yield f"proved where {'; '.join(region_text(one) for one in line.where)}"
    if line.note:
        yield tidy(line.note)


def plan(audit: Audit) -> Iterator[str]:
    """The verdict on the plan of shares."""
    sums = audit.shares_sum
    if sums is None or audit.plan_verdict is None:
        return
    yield f"Plan of shares: {audit.plan_verdict}"
    for name, total, whole in zip(sums.currency, sums.amounts, audit.target.amounts, strict=True):
        yield f"  the shares of {name} sum to {_sum(audit, name, total)}, of {formula(whole)}"
    for obligation in audit.report.plan:
        if obligation.verdict is not Verdict.PROVED:
            yield tidy(f"  {obligation.node}: {obligation.rule}; {obligation.witness or ''}").rstrip("; ")


def _sum(audit: Audit, name: str, total: Expression) -> str:
    ratio = audit.report.problem.field.ratio(total)
    whole = audit.report.problem.target.budget.amount(name)
    same = audit.report.problem.field.ratio(total - whole)
    if same is not None and same.is_zero:
        return formula(whole)
    if ratio is not None and isinstance(total, Number):
        return short(total.value)
    return clipped(formula(total), ROOM)


def joint(audit: Audit) -> Iterator[str]:
    """The exact cost of everything together."""
    cost = audit.joint
    if cost is None:
        return
    yield f"All releases together, exactly ({cost.rule})"
    yield f"  mu = {between(cost.mu)}"
    if cost.epsilon and cost.delta and isinstance(audit.target, ApproxDP):
        epsilon, delta = audit.target.amounts
        yield f"  epsilon = {between(cost.epsilon)} at delta = {formula(delta)}   (claimed {formula(epsilon)})"
        yield f"  delta = {between(cost.delta)} at epsilon = {formula(epsilon)}   (claimed {formula(delta)})"


def between(bounds: tuple[float, float]) -> str:
    """One number rounded up where both bounds round to it, else the range.

    >>> between((0.59559, 0.5956)), between((0.5, 0.6))
    ('0.596', 'between 0.500 and 0.600')
    """
    low, high = bounds
    if high - low <= 1e-9 * max(abs(high), abs(low)):
        return figure(high, "up")
    return f"between {figure(low, 'down')} and {figure(high, 'up')}"


def total(audit: Audit) -> Iterator[str]:
    """The verdict on the total, and what it rests on."""
    yield f"Total: {audit.verdict}"
    chosen = audit.report.chosen
    if chosen is None:
        return
    yield f"  by {NAMES[chosen.name]}"
    for obligation in chosen.obligations:
        many = f" (x{obligation.count})" if obligation.count > 1 else ""
        yield tidy(f"  {obligation.node}{many}: {obligation.rule}")
        yield from (tidy(f"    {clipped(fact, 200)}") for fact in obligation.facts)
    if chosen.constraints:
        yield f"  It holds where {'; '.join(map(region_text, chosen.constraints))}."


def open_obligations(audit: Audit) -> Iterator[str]:
    """Every open obligation, equal ones of several releases once."""
    found: dict[Obligation, list[str]] = {}
    for obligation in audit.report.open_obligations:
        found.setdefault(attrs.evolve(obligation, node=""), []).append(obligation.node)
    if found:
        yield f"Open obligations: {sum(map(len, found.values()))}"
    for obligation, nodes in found.items():
        lines = str(attrs.evolve(obligation, node=_names(nodes))).split("\n")
        yield from (tidy(f"  {line}") for line in lines)


def assumptions(audit: Audit) -> Iterator[str]:
    """What is assumed."""
    yield "Assumed, not proved"
    yield from (f"  {assumption}" for assumption in audit.assumptions)


def sentence(audit: Audit) -> str:
    """One sentence to sign: it certifies, it denies with numbers, or it says what is missing."""
    if audit.verdict is Verdict.PROVED:
        return _certifying(audit)
    broken = audit.broken
    if broken is None:
        return _withholding(audit)
    return f"{audit.regression} does not satisfy {goal(audit.target)}: {_denial(audit, broken)}."


def _certifying(audit: Audit) -> str:
    ranges, region = free(audit), audit.report.chosen.constraints if audit.report.chosen else ()
    scope = f", for all {ranges}" if ranges else ""
    where = f" where {' and '.join(map(region_text, region))}" if region else ""
    return (
        f"I certify{scope}{where}{',' if scope or where else ''} that {audit.regression}, on every two "
        f"tables that differ by {audit.setting.unit}, satisfies {goal(audit.target)} in all that it "
        f"releases, under the assumptions listed above."
    )


def _denial(audit: Audit, broken: Obligation) -> str:
    cost, unit = audit.worst, audit.setting.unit
    where = ", ".join(f"{name} = {exactly(value)}" for name, value in audit.witness.items())
    start = f"at {where}, " if where else ""
    if cost is None or cost.epsilon is None or cost.delta is None:
        return f"{start}for two tables that differ by {unit}, {broken.witness or broken.rule}"
    numbers = {name: Number(value) for name, value in audit.witness.items()}
    epsilon, delta = (formula(amount.substitute(numbers)) for amount in audit.target.amounts)
    return (
        f"{start}for two tables that differ by {unit}, the exact delta of all that it releases at "
        f"epsilon = {epsilon} is {between(cost.delta)} > {delta}, and its true epsilon at "
        f"delta = {delta} is {between(cost.epsilon)} > {epsilon}"
    )


def _withholding(audit: Audit) -> str:
    first = next(iter(audit.report.open_obligations), None)
    reason = "nothing proves it" if first is None else f"{first.node}: {first.rule}"
    count = len(audit.report.open_obligations)
    others = f" (and {count - 1} more open obligations above)" if count > 1 else ""
    return tidy(f"I cannot certify that {audit.regression} satisfies {goal(audit.target)}: {reason}{others}.")
