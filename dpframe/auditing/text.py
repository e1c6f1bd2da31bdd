"""An audit as a page: releases, shares, joint cost, total, open obligations, sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.guarantees import ApproxDP, Guarantee
from dpframe.symbols import Expression, Number
from dpframe.verify import Constraint, Obligation, Verdict
from dpframe.verify.certificate import is_size
from dpframe.verify.text import NAMES

from .figures import against, clipped, exactly, figure, formula, hanging, short, table, tidy
from .joint_cost import JointCost
from .lines import Line, lower_end

if TYPE_CHECKING:
    from .report import Audit

TINY = 1e-300  # below, doubles lose digits
MOST = 12  # releases that fit on a screen
FIRST = ("epsilon", "delta")  # how a person orders symbols
LETTERS = {"B": "norm of a row", "Y": "bound of a label"}
RIGHT = {"sensitivity", "std", "scale", "noise", "exact delta", "exact eps", "mu"}


def page(audit: Audit) -> str:
    """The whole page."""
    parts = (head, noise, claims, plan, joint, total, open_obligations, assumptions)
    blocks = [[piece for line in part(audit) for piece in hanging(line)] for part in parts]
    blocks.insert(1, list(releases(audit)))
    blocks.append(hanging(sentence(audit), 0))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def head(audit: Audit) -> Iterator[str]:
    """What is audited against what."""
    yield f"Audit of {audit.regression}"
    yield f"  claim    {goal(audit.target)}"
    yield f"  unit     {audit.setting.unit} ({audit.setting.relation})"
    if ranges := free(audit):
        yield f"  for all  {ranges}"


def goal(target: Guarantee) -> str:
    """The target with its numbers as a person writes them."""
    if isinstance(target, ApproxDP):
        return f"({', '.join(map(formula, target.amounts))})-differential privacy"
    return tidy(str(target))


def free(audit: Audit) -> str:
    """The symbols that the verdict ranges over, without the sizes of the data."""
    symbols = [s for s in audit.report.problem.symbols if s.origin is None and not is_size(s)]
    symbols.sort(key=lambda symbol: _place(symbol.name))
    return ", ".join(f"{symbol.name} {symbol.domain}" for symbol in symbols).replace(
        ", whole", " whole"
    )


def _place(name: str) -> tuple[int, str]:
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def releases(audit: Audit) -> Iterator[str]:
    """The table of releases, each alone."""
    if not audit.lines:
        yield "Nothing is released"
        return
    exact = _exact_columns(audit.lines)
    columns = ["release", "statistic", "sensitivity"]
    columns += [_noise_name(audit.lines)] if any(line.size for line in audit.lines) else []
    columns += ["share claimed"] if any(line.share for line in audit.lines) else []
    columns += [*exact, "claim"]
    found = Counter(audit.lines)
    rows = [[_cell(line, column, many) for column in columns] for line, many in found.items()]
    yield "Releases, each alone"
    right = [i for i, column in enumerate(columns) if column in RIGHT]
    yield from table(columns, rows[:MOST], right)
    if len(rows) > MOST:
        claims = Counter(line.claim for line in list(found)[MOST:] for _ in range(found[line]))
        rest = ", ".join(f"{count} {claim}" for claim, count in claims.items())
        yield f"  ... and {claims.total()} more: {rest}"
    if "exact delta" in exact:
        yield "  exact delta: at the claimed epsilon; exact eps: at the claimed delta"
    if exact and not all(line.attained for line in audit.lines):
        yield "  <= an upper bound: no pair of tables is known to attain the sensitivity"


def _noise_name(lines: Iterable[Line]) -> str:
    names = {line.noise for line in lines}
    return names.pop() if len(names) == 1 else "noise"


def _exact_columns(lines: tuple[Line, ...]) -> list[str]:
    if any(line.exact_delta is not None for line in lines):
        return ["exact delta", "exact eps"]
    found = ["mu"] if any(line.mu is not None for line in lines) else []
    return found + (["exact eps"] if any(line.exact_epsilon is not None for line in lines) else [])


def _cell(line: Line, column: str, many: int) -> str:
    match column:
        case "release":
            times = formula(line.times * many)
            return line.name if times == "1" else f"{line.name} (x{times})"
        case "statistic":
            return clipped(line.statistic, 24)
        case "sensitivity":
            return "unbounded" if line.sensitivity is None else _amount(line.sensitivity)
        case "share claimed" if line.share is not None:
            return f"({', '.join(map(_amount, line.share.amounts))})"
        case "share claimed":
            return "none"
        case "exact delta":
            return _exact(line, line.exact_delta, "delta")
        case "exact eps":
            return _exact(line, line.exact_epsilon, "epsilon")
        case "mu":
            return _exact(line, line.mu, "")
        case "claim":
            return line.claim
    return figure(line.size)


def _exact(line: Line, value: float | None, name: str) -> str:
    """A cost, in enough digits to tell it from what is claimed."""
    if value is None:
        return "-"
    if 0 < value < TINY:
        return f"< {figure(TINY)}"
    if not line.attained:
        return f"<= {figure(value, 'up')}"
    share = line.share
    claimed = lower_end(share.amount(name)) if share and name in share.currency else None
    return figure(value) if claimed is None else against(value, claimed)


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
        key = (line.noise, clipped(formula(line.written), 240), line.rule)
        found.setdefault(key, []).append(line.name)
    width = max((len(_names(names)) for names in found.values()), default=0)
    if found:
        yield "Noise"
    for (size, text, rule), names in list(found.items())[:MOST]:
        yield f"  {_names(names):{width}}  {size} = {text} ({rule})"
    if len(found) > MOST:
        yield f"  ... and {len(found) - MOST} more formulas"
    used = {symbol.name for line in audit.lines for symbol in line.written.symbols()}
    if known := [f"{name}: {meaning}" for name, meaning in LETTERS.items() if name in used]:
        yield f"  {'; '.join(known)}"


def _names(names: list[str]) -> str:
    """`floor, gram`, `gram (x3)`, or the first and the last of more than three."""
    one = [name if many == 1 else f"{name} (x{many})" for name, many in Counter(names).items()]
    return ", ".join(one) if len(one) < 4 else f"{one[0]}, ..., {one[-1]} ({len(one)} names)"


def claims(audit: Audit) -> Iterator[str]:
    """Why claims on single releases fail, and where they hold; equal reasons once."""
    found: dict[str, list[str]] = {}
    for line in audit.lines:
        for reason in _reasons(line):
            found.setdefault(reason, []).append(line.name)
    if found:
        yield "Claims on single releases"
        yield from (f"  {_names(names)}: {reason}" for reason, names in found.items())


def _reasons(line: Line) -> Iterator[str]:
    if line.verdict is Verdict.REFUTED and line.exact_delta is not None and line.share is not None:
        claimed = _amount(line.share.delta)
        yield f"refuted: exact delta {_exact(line, line.exact_delta, 'delta')} > {claimed}"
    elif line.verdict is Verdict.REFUTED:
        yield tidy(f"refuted: {line.witness}")
    if line.where:
        yield f"proved where {_where(line.where)}"
    if line.note:
        yield tidy(line.note)


def _where(constraints: Iterable[Constraint]) -> str:
    return " and ".join(map(_condition, constraints))


def _condition(constraint: Constraint) -> str:
    """`epsilon/3 <= 4*log(2) (2.772)`, the number rounded down."""
    sign = "<" if constraint.strict else "<="
    text = f"{formula(constraint.left)} {sign} {formula(constraint.right)}"
    value = None if isinstance(constraint.right, Number) else lower_end(constraint.right)
    return text if value is None else f"{text} ({figure(value, 'down')})"


def plan(audit: Audit) -> Iterator[str]:
    """The verdict on the plan of shares."""
    sums = audit.shares_sum
    if audit.plan_verdict is None:
        return
    yield f"Plan of shares: {audit.plan_verdict}"
    if sums is not None:
        for name, total, whole in zip(
            sums.currency, sums.amounts, audit.target.amounts, strict=True
        ):
            yield f"  shares of {name} sum to {_sum(audit, total, whole)}, of {formula(whole)}"
    for obligation in audit.report.plan:
        if obligation.verdict is not Verdict.PROVED:
            witness = f": {obligation.witness}" if obligation.witness else ""
            yield tidy(f"  {obligation.node}: {obligation.rule}{witness}")


def _sum(audit: Audit, total: Expression, whole: Expression) -> str:
    gap = audit.report.problem.field.ratio(total - whole)
    if gap is not None and gap.is_zero:
        return formula(whole)
    return clipped(formula(total), 60)


def joint(audit: Audit) -> Iterator[str]:
    """The exact cost of everything together."""
    cost = audit.joint
    if cost is None:
        return
    sharp = cost.mu[0] > 0 or cost.mu[1] == 0
    yield f"All releases together, {'exactly' if sharp else 'an upper bound'} ({cost.rule})"
    if cost.epsilon is None or cost.delta is None:
        yield f"  {_other(audit, cost)}"
        return
    epsilon, delta = (formula(amount) for amount in audit.target.amounts)
    low, small = (lower_end(amount) for amount in audit.target.amounts)
    yield f"  mu {equals(cost.mu)}"
    yield f"  epsilon {equals(cost.epsilon, low)} at delta = {delta}   (claimed {epsilon})"
    yield f"  delta {equals(cost.delta, small)} at epsilon = {epsilon}   (claimed {delta})"


def _other(audit: Audit, cost: JointCost) -> str:
    """The cost in the target's own currency."""
    target = audit.target
    limit = lower_end(target.amounts[0])
    mu, rho = cost.mu, (cost.mu[0] ** 2 / 2, cost.mu[1] ** 2 / 2)
    if target.kind == "zcdp":
        return f"rho {equals(rho, limit)}   (claimed {formula(target.amounts[0])})"
    claimed = f"   (claimed {tidy(str(target))})" if target.kind == "gaussian" else ""
    return f"mu {equals(mu)}{claimed}"


def equals(bounds: tuple[float, float], limit: Fraction | None = None) -> str:
    """`= 0.596`, `at most 0.600`."""
    text = between(bounds, limit)
    return f"= {text}" if text[0].isdigit() else text


def between(bounds: tuple[float, float], limit: Fraction | None = None) -> str:
    """One number where both bounds agree, in enough digits to tell it from `limit`; else the range.

    >>> between((0.59559, 0.59559)), between((0.5, 0.6)), between((0.0, 0.6))
    ('0.596', 'between 0.500 and 0.600', 'at most 0.600')
    """
    low, high = bounds
    if math.isinf(high):
        return f"above {figure(low, 'down')}"
    if 0 < high < TINY:
        return f"below {figure(TINY)}"
    if high - low <= 1e-9 * high:
        return figure(high) if limit is None else against(high, limit)
    return (
        f"between {figure(low, 'down')} and {figure(high, 'up')}"
        if low > 0
        else f"at most {figure(high, 'up')}"
    )


def total(audit: Audit) -> Iterator[str]:
    """The verdict on the total, and what it rests on."""
    yield f"Total: {audit.verdict}"
    chosen = audit.report.chosen
    if chosen is None:
        yield from _aside(audit)
        return
    yield f"  by {NAMES[chosen.name]}"
    for obligation in chosen.obligations:
        many = f" (x{obligation.count})" if obligation.count > 1 else ""
        yield tidy(f"  {obligation.node}{many}: {obligation.rule}")
        yield from (tidy(f"    {clipped(fact, 200)}") for fact in obligation.facts)
    if audit.certificate is not None:
        yield f"  certificate {audit.certificate.hash[:12]}"
    if chosen.constraints:
        yield f"  It holds where {_where(chosen.constraints)}."
    failing = {line.verdict for line in audit.lines} & {Verdict.REFUTED, Verdict.UNPROVED}
    if chosen.name != "basic" and failing:
        yield "  The claims on single releases that fail are not used by this proof."


def _aside(audit: Audit) -> Iterator[str]:
    """What the noise alone would prove, where something else stands in the way."""
    draws = any(o.kind == "draws" for o in audit.report.open_obligations)
    for attempt in () if draws else audit.report.attempts:
        totals = [o.verdict for o in attempt.obligations if o.kind == "total"]
        if attempt.proved and attempt.name != "basic":
            yield "  Only the plan of shares stands in the way. The noise alone proves the total:"
            yield f'  accountant="{attempt.name}" leaves the shares aside.'
            return
        if totals and set(totals) == {Verdict.PROVED}:
            yield "  The noise alone would prove the total; the open obligations stand in the way."
            return


def open_obligations(audit: Audit) -> Iterator[str]:
    """Every open obligation, equal ones of several releases once."""
    found: dict[Obligation, list[str]] = {}
    for obligation in audit.report.open_obligations:
        found.setdefault(attrs.evolve(obligation, node=""), []).append(obligation.node)
    if found:
        yield f"Open obligations: {sum(map(len, found.values()))}"
    for obligation, nodes in found.items():
        lines = str(attrs.evolve(obligation, node=_names(nodes))).split("\n")
        yield from (tidy(f"  {clipped(line, 400)}") for line in lines)


def assumptions(audit: Audit) -> Iterator[str]:
    """What is assumed."""
    yield "Assumed, not proved"
    yield from (f"  {assumption}" for assumption in audit.assumptions)


def sentence(audit: Audit) -> str:
    """One sentence to sign: it certifies, it denies with numbers, or it says what is missing."""
    if audit.verdict is Verdict.PROVED:
        return _certifying(audit)
    if audit.broken is not None:
        return f"{audit.regression} does not satisfy {goal(audit.target)}: {_denial(audit)}."
    return _withholding(audit)


def _certifying(audit: Audit) -> str:
    region = audit.report.chosen.constraints if audit.report.chosen else ()
    ranges = free(audit)
    scope = f", for all {ranges}" if ranges else ""
    where = f" where {_where(region)}" if region else ""
    return (
        f"I certify{scope}{where}{',' * bool(scope or where)} that {audit.regression}, on every "
        f"two tables that differ by {audit.setting.unit}, satisfies {goal(audit.target)} in all "
        "that it releases, under the assumptions listed above."
    )


def _denial(audit: Audit) -> str:
    cost, target = audit.worst, audit.target
    start = f"for two tables that differ by {audit.setting.unit}, "
    if audit.witness:
        start = f"at {_point(audit.witness)}, {start}"
    if cost is None:
        return f"{start}{tidy(str(audit.broken and audit.broken.witness))}"
    if cost.epsilon is None or cost.delta is None:
        return f"{start}the cost of all that it releases is {_other(audit, cost)}"
    numbers = {name: Number(value) for name, value in audit.witness.items()}
    amounts = [amount.substitute(numbers) for amount in target.amounts]
    epsilon, delta = map(formula, amounts)
    low, small = map(lower_end, amounts)
    return (
        f"{start}the exact delta of all that it releases at epsilon = {epsilon} is "
        f"{between(cost.delta, small)} > {delta}, and its true epsilon at delta = {delta} is "
        f"{between(cost.epsilon, low)} > {epsilon}"
    )


def _point(values: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {exactly(values[name])}" for name in sorted(values, key=_place))


def _withholding(audit: Audit) -> str:
    found = audit.report.open_obligations
    reason = f"{found[0].node}: {found[0].rule}" if found else "nothing proves it"
    more = len(found) - 1
    others = f" (and {more} more open obligation{'s' * (more > 1)}, above)" if more > 0 else ""
    return tidy(
        f"I cannot certify that {audit.regression} satisfies {goal(audit.target)}: "
        f"{reason}{others}."
    )
