"""The sentence to sign, and the phrases that the page shares with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from dpframe.privacy import ApproxDP, Guarantee, RenyiDP
from dpframe.prover import Constraint, Obligation, Verdict
from dpframe.prover.at_numbers import is_size
from dpframe.prover.certify import stating
from dpframe.prover.text import overspent, plain_rule
from dpframe.symbols import Number

from .figures import between, equals, exactly, figure, formula, tidy
from .joint_cost import JointCost
from .lines import lower_end

if TYPE_CHECKING:
    from .report import Audit

SHARP = 1e-9  # relative: so near to each other, two ends are one number
FIRST = ("epsilon", "delta")  # how a person orders symbols


def sentence(audit: Audit, place: str = "above") -> str:
    """One sentence to sign: it certifies, it denies with numbers, or it says what is missing.

    `place` says where the page has the assumptions and the obligations, seen from the sentence.
    """
    if audit.verdict is Verdict.PROVED:
        return _certifying(audit, place)
    if audit.broken is not None:
        shares = "".join(f"; {one}" for one in overspent(audit.report))
        said = f"{_denial(audit)}{tidy(shares)}"
        return f"{audit.regression} does not satisfy {goal(audit.claimed)}: {said}."
    if audit.verdict is Verdict.UNPROVED and audit.report.overspent:
        return _overspending(audit)
    return _withholding(audit, place)


def _overspending(audit: Audit) -> str:
    """Why shares that sum to too much prove nothing, and whether the total holds all the same."""
    text = (
        f"I cannot certify that {audit.regression} satisfies {goal(audit.claimed)} by its shares: "
        f"{tidy(' and '.join(overspent(audit.report)))}"
    )
    if not audit.report.aside:
        return f"{text}; whether all releases together satisfy it is not known."
    return audit.advice(f"{text}; all releases together do satisfy it, {holding(audit)}.")


def holding(audit: Audit) -> str:
    """`by accountant="gaussian", with a true epsilon = 0.839 at delta = 1e-6`."""
    by = f'by accountant="{audit.report.aside}"'
    if audit.joint is None or audit.joint.epsilon is None:
        return by
    epsilon, delta = audit.target.amounts
    text = equals(audit.joint.epsilon, lower_end(epsilon))
    return f"{by}, with a true epsilon {text} at delta = {formula(delta)}"


def _certifying(audit: Audit, place: str) -> str:
    region = audit.report.chosen.constraints if audit.report.chosen else ()
    ranges = free(audit)
    scope = f", for all {ranges}" if ranges else ""
    where = f" where {conditions(region)}" if region else ""
    return (
        f"I certify{scope}{where}{',' * bool(scope or where)} that {audit.regression}, on every "
        f"two tables that differ by {audit.setting.unit}, satisfies {goal(audit.claimed)} in all "
        f"that it releases{_on_trust(audit)}, under the assumptions listed {place}."
    )


def _on_trust(audit: Audit) -> str:
    """The names of what the certificate takes on trust."""
    about = _listed(dict.fromkeys(node.label for node in stating(audit.report.problem.graph)))
    of = f"what is stated of {about}" if about else ""
    by = f"what is stated by {_listed(audit.trusted)}" if audit.trusted else ""
    said = " and ".join(part for part in (of, by) if part)
    return f", if {said} is true" if said else ""


def _listed(names: Iterable[str]) -> str:
    """`a, b and c`."""
    *others, last = [*names] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _denial(audit: Audit) -> str:
    cost, target = audit.worst, audit.target
    start = f"for two tables that differ by {audit.setting.unit}, "
    if audit.witness:
        start = f"at {_point(audit.witness)}, {start}"
    if cost is None:
        witness = None if audit.broken is None else audit.broken.witness
        return f"{start}{'' if witness is None else tidy(witness.says)}"
    if cost.epsilon is None or cost.delta is None:
        said = " ".join(own_cost(audit, cost).split())
        return f"{start}the cost of all that it releases is {said}"
    numbers = {name: Number(value) for name, value in audit.witness.items()}
    amounts = [amount.substitute(numbers) for amount in target.amounts]
    epsilon, delta = map(formula, amounts)
    low, small = map(lower_end, amounts)
    exact = "exact " * (cost.mu[0] >= cost.mu[1] * (1 - SHARP) and not cost.sampled)
    return (
        f"{start}the {exact}delta of all that it releases at epsilon = {epsilon} is "
        f"{between(cost.delta, small)} > {delta}, and its true epsilon at delta = {delta} is "
        f"{between(cost.epsilon, low)} > {epsilon}"
    )


def _point(values: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {exactly(values[name])}" for name in sorted(values, key=in_order))


def _withholding(audit: Audit, place: str) -> str:
    found = sorted(audit.report.open_obligations, key=_open_first)
    reason = _reason(found[0]) if found else "nothing proves it"
    more = len(found) - 1
    others = f" (and {more} more open obligation{'s' * (more > 1)}, {place})" if more > 0 else ""
    refuted = audit.verdict is Verdict.REFUTED
    start = (
        f"{audit.regression} does not satisfy {goal(audit.claimed)}"
        if refuted
        else f"I cannot certify that {audit.regression} satisfies {goal(audit.claimed)}"
    )
    return tidy(f"{start}: {reason}{others}.")


def _reason(obligation: Obligation) -> str:
    said = plain_rule(obligation)
    return said if said != obligation.rule else f"{obligation.node}: {said}"


def _open_first(obligation: Obligation) -> tuple[bool, bool]:
    """Refuted ones first, of these what more than a domain refutes."""
    refuted = obligation.verdict is Verdict.REFUTED
    return not refuted, obligation.kind == "domain"


def goal(target: Guarantee) -> str:
    """The target with its numbers as a person writes them."""
    if isinstance(target, ApproxDP):
        return f"({', '.join(map(formula, target.amounts))})-differential privacy"
    return tidy(str(target))


def free(audit: Audit) -> str:
    """The symbols that the verdict ranges over, without the sizes of the data."""
    symbols = [s for s in audit.report.problem.symbols if s.origin is None and not is_size(s)]
    symbols.sort(key=lambda symbol: in_order(symbol.name))
    return ", ".join(f"{symbol.name} {symbol.domain}" for symbol in symbols).replace(
        ", whole", " whole"
    )


def in_order(name: str) -> tuple[int, str]:
    """By which a person orders symbols: epsilon, delta, then the others by name."""
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def conditions(constraints: Iterable[Constraint]) -> str:
    """Where a verdict holds, in words."""
    return " and ".join(map(_condition, constraints))


def _condition(constraint: Constraint) -> str:
    """`epsilon/3 <= 4*log(2) (2.772)`, the number rounded down."""
    sign = "<" if constraint.strict else "<="
    text = f"{formula(constraint.left)} {sign} {formula(constraint.right)}"
    value = None if isinstance(constraint.right, Number) else lower_end(constraint.right)
    return text if value is None else f"{text} ({figure(value, 'down')})"


def own_cost(audit: Audit, cost: JointCost) -> str:
    """The cost in the target's own currency."""
    target = audit.target
    limit = lower_end(target.amounts[0])
    mu, rho = cost.mu, (cost.mu[0] ** 2 / 2, cost.mu[1] ** 2 / 2)
    if target.kind == "zcdp":
        return f"rho {equals(rho, limit)}   (claimed {formula(target.amounts[0])})"
    if isinstance(target, RenyiDP):
        order = float(target.order)
        divergence = equals((order * rho[0], order * rho[1]), limit)
        return f"{target.currency[0]} {divergence}   (claimed {formula(target.amounts[0])})"
    claimed = f"   (claimed {tidy(str(target))})" if target.kind == "gaussian" else ""
    return f"mu {equals(mu)}{claimed}"
