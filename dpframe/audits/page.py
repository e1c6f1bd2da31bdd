"""An audit as a page: releases, shares, joint cost, total, open obligations, sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from dpframe.errors import DPFrameError
from dpframe.privacy import ADD_REMOVE, PureDP
from dpframe.privacy.guarantees import order_of
from dpframe.prover import Obligation, Verdict
from dpframe.prover.mixture import ADDED, amplified
from dpframe.prover.text import argument, overspent, proved_aside, unreplayed
from dpframe.symbols import ONE, Expression
from dpframe.wording import Formula, say

from .figures import WIDTH, clipped, equals, formula, hanging, listed
from .lines import lower_end
from .releases import claims, noise, procedures, releases
from .sentence import free, goal, holding, own_cost, sentence

if TYPE_CHECKING:
    from .budget_reports import BudgetReport
    from .report import Audit

EXCEEDING = "the declared shares exceed the budget"


def payments(audit: Audit) -> tuple[BudgetReport | None, str]:
    """What each record pays by the budgets of the target; or None, and which number is missing."""
    from .record_costs import budget_report

    try:
        return budget_report(audit.certificate), ""  # type: ignore[arg-type]
    except DPFrameError as refusal:
        return None, " ".join(str(refusal).split())


def paid(audit: Audit) -> Iterator[str]:
    """What each record pays, where each has a budget of its own."""
    if audit.report.problem.personal is None or audit.certificate is None:
        return
    report, missing = payments(audit)
    yield f"What each record pays{', at noise as it is executed' * (report is not None)}"
    yield from (f"  {line}".rstrip() for line in (str(report).split("\n") if report else [missing]))


def page(audit: Audit, width: int = WIDTH) -> str:
    """The whole page, in at most `width` columns."""
    parts = (head, procedures, noise, claims, plan, joint, total, open_obligations, assumptions)
    blocks = [
        [piece for line in part(audit) for piece in hanging(line, width=width)] for part in parts
    ]
    blocks.insert(1, list(releases(audit, width)))
    blocks.insert(-2, list(paid(audit)))
    blocks.append(hanging(sentence(audit), 0, width))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def head(audit: Audit) -> Iterator[str]:
    """What is audited against what."""
    yield f"Audit of {audit.regression}"
    yield f"  claim    {goal(audit.claimed)}"
    yield f"  unit     {audit.setting.unit} ({audit.setting.relation})"
    if ranges := free(audit):
        yield f"  for all  {ranges}"


def plan(audit: Audit) -> Iterator[str]:
    """The verdict on the plan of shares."""
    sums = audit.shares_sum
    if audit.plan_verdict is None:
        return
    added = "the shares add up" if audit.plan_verdict is Verdict.PROVED else audit.plan_verdict
    verdict = EXCEEDING if audit.report.overspent else added
    yield f"Plan of shares: {verdict}"
    if sums is not None:
        for name, total, whole in zip(
            sums.currency, sums.amounts, audit.target.amounts, strict=True
        ):
            found = _sum(audit, total, whole)
            yield f"  shares of {name} sum to {found}   (claimed {formula(whole)})"
    if without := [one.label for one in audit.report.problem.graph.charged if one.share is None]:
        yield f"  without a share, so judged with all releases together: {listed(without)}"
    for obligation in audit.report.plan:
        if obligation.verdict is not Verdict.PROVED:
            witness = f": {obligation.witness}" if obligation.witness else ""
            yield f"  {obligation.node}: {obligation.rule}{witness}"


def _sum(audit: Audit, total: Expression, whole: Expression) -> str:
    if audit.report.problem.field.constant(total - whole) == 0:
        return formula(whole)
    return clipped(formula(total), 60)


def joint(audit: Audit) -> Iterator[str]:
    """The exact cost of everything together."""
    cost = audit.joint
    bare = cost is not None and cost.sampled and cost.epsilon is None
    if cost is None or (bare and _counting(audit)):
        return
    known = "within bounds" if cost.mu[0] > 0 else "an upper bound"
    yield f"All releases together, {'exactly' if cost.sharp else known} ({cost.rule})"
    if cost.epsilon is None or cost.delta is None:
        yield f"  {own_cost(audit, cost)}"
        return
    epsilon, delta = (formula(amount) for amount in audit.target.amounts)
    low, small = (lower_end(amount) for amount in audit.target.amounts)
    yield f"  epsilon {equals(cost.epsilon, low)} at delta = {delta}   (claimed {epsilon})"
    yield f"  delta {equals(cost.delta, small)} at epsilon = {epsilon}   (claimed {delta})"
    if not cost.sampled:
        yield f"  mu {equals(cost.mu)}"


def total(audit: Audit) -> Iterator[str]:
    """The verdict on the total, and what it rests on."""
    if audit.holds_by:
        yield f"Total: it holds {holding(audit)}; unproved by its shares"
    else:
        yield f"Total: {audit.verdict}{', where ' * bool(audit.where)}{audit.where}"
    if not audit.report.proved:
        yield from (f"  {one}" for one in overspent(audit.report))
    yield from uncounted(audit)
    chosen = audit.report.chosen
    if chosen is None:
        yield from _aside(audit)
        return
    yield f"  by {argument(chosen.name)}"
    yield from unreplayed(chosen.name, audit.report.problem.graph)
    if audit.trusted:
        yield f"  on trust in {', '.join(audit.trusted)}"
    for obligation in chosen.obligations:
        many = f" (x{obligation.count})" if obligation.count > 1 else ""
        yield f"  {obligation.node}{many}: {obligation.rule}"
        yield from (f"    {clipped(fact, 200)}" for fact in obligation.facts)
    if audit.certificate is not None:
        yield f"  certificate {audit.certificate.hash[:12]}"
    if audit.where:
        yield "  The claim is made for more: beyond, it is not proved and may be false."
    failing = {line.verdict for line in audit.lines} & {Verdict.REFUTED, Verdict.UNPROVED}
    if chosen.name != "basic" and failing:
        yield "  The claims on single releases that fail are not used by this proof."


def _counting(audit: Audit) -> bool:
    """Whether samples of Gaussian noise are counted for a target of this currency, at numbers."""
    currency = audit.target.currency
    return "epsilon" in currency or order_of(currency) is not None


def uncounted(audit: Audit) -> Iterator[str]:
    """Whose samples are charged as if every draw read all rows, and what would count them."""
    unit, problem = audit.setting.unit, audit.report.problem
    sampled = [one for one in problem.graph.releases if one.sampled is not None]
    left = [one for one in sampled if one.hides is None or one.gives is not PureDP]
    left = [one for one in left if not (_counting(audit) and amplified(one))]
    if left:
        why: str = say(
            ": the claim is one of {}; claim $epsilon$ and $delta$",
            Formula(audit.target.currency[0]),
        )
        if unit.rows_per_person != ONE:
            why = ": a person has several rows, each with a coin of its own"
        elif audit.setting.relation is not ADD_REMOVE and left[0].gives is PureDP:
            why = " under replace-one; take add/remove"
        elif left[0].gives not in ADDED:
            why = f": no theorem amplifies {left[0].noise.kind.replace('_', ' ')} noise here"
        names = listed([one.label for one in left])
        yield say("  Samples of {} are not counted{}.", names, why)


def _aside(audit: Audit) -> Iterator[str]:
    """What the noise alone would prove, where something else stands in the way."""
    draws = any(o.kind == "draws" for o in audit.report.open_obligations)
    silent = draws or audit.verdict is Verdict.REFUTED
    if audit.report.aside and not silent:
        yield f"  Only the shares stand in the way. {audit.advice(proved_aside(audit.report))}"
        return
    for attempt in () if silent else audit.report.attempts:
        totals = [o.verdict for o in attempt.obligations if o.kind == "total"]
        if totals and set(totals) == {Verdict.PROVED}:
            part = " for a part of the parameter values" * bool(attempt.constraints)
            yield f"  The noise alone would prove the total{part}."
            return


def opened(audit: Audit) -> dict[Obligation, list[str]]:
    """Every open obligation and the nodes that have it, equal ones of several releases once."""
    found: dict[Obligation, list[str]] = {}
    for obligation in audit.report.open_obligations:
        found.setdefault(attrs.evolve(obligation, node=""), []).append(obligation.node)
    return found


def open_obligations(audit: Audit) -> Iterator[str]:
    """Every open obligation."""
    found = opened(audit)
    if found:
        yield f"Open obligations: {sum(map(len, found.values()))}"
    for obligation, nodes in found.items():
        repair = audit.advice(obligation.repair)
        lines = str(attrs.evolve(obligation, node=listed(nodes), repair=repair)).split("\n")
        yield from (f"  {clipped(line, 400)}" for line in lines)


def assumptions(audit: Audit) -> Iterator[str]:
    """What is assumed."""
    yield "Assumed, not proved"
    yield from (f"  {assumption.line}" for assumption in audit.assumptions)
