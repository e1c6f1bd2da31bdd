"""The sentence to sign, and the phrases that the page shares with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dpframe.privacy import ApproxDP, Guarantee, RenyiDP
from dpframe.prover import Constraint, Obligation, Verdict
from dpframe.prover.at_numbers import is_size
from dpframe.prover.certify import stating
from dpframe.prover.problem import sampling
from dpframe.prover.text import overspent, ranged
from dpframe.symbols import Expression, Number, Symbol
from dpframe.wording import Formula, Subject, Text, accountant, joined, say, written

from .blocks import condition
from .cost import JointCost
from .figures import between, clipped, equals, exactly, formula
from .lines import lower_end

if TYPE_CHECKING:
    from dpframe.graph import Column, Rows, Setting

    from .descriptions.stated import ClaimedSensitivity
    from .report import Audit

FIRST = ("epsilon", "delta")  # how a person orders symbols


def sentence(audit: Audit) -> Text:
    """One sentence to sign: it certifies, it denies with numbers, or it says what is missing."""
    if audit.verdict is Verdict.PROVED:
        return _certifying(audit)
    if audit.broken is not None:
        said = joined("; ", (_denial(audit), *overspent(audit.report)))
        return say("{}: {}.", _unsatisfied(audit), said)
    if audit.verdict is Verdict.UNPROVED and audit.report.overspent:
        return _overspending(audit)
    return _withholding(audit)


def _unsatisfied(audit: Audit) -> Text:
    return say("{} does not satisfy {}", _subject(audit), goal(audit.claimed))


def _uncertified(audit: Audit) -> Text:
    return say("I cannot certify that {} satisfies {}", _subject(audit), goal(audit.claimed))


def _subject(audit: Audit) -> Subject:
    return Subject(audit.regression)


def _overspending(audit: Audit) -> Text:
    """Why shares that sum to too much prove nothing, and whether the total holds all the same."""
    shares = joined(" and ", overspent(audit.report))
    text = say("{} by its shares: {}", _uncertified(audit), shares)
    if not audit.report.aside:
        return say("{}; whether all releases together satisfy it is not known.", text)
    return say("{}; all releases together do satisfy it, {}.", text, holding(audit))


def holding(audit: Audit) -> Text:
    """`by accountant="gaussian", with a true epsilon = 0.839 at delta = 1e-6`."""
    by = say("by {}", audit.advice(accountant(audit.report.aside)))
    if audit.joint is None or audit.joint.epsilon is None:
        return by
    epsilon, delta = audit.target.amounts
    text = equals(audit.joint.epsilon, lower_end(epsilon))
    return say("{}, with a true $epsilon$ {} at $delta$ = {}", by, text, formula(delta))


def _certifying(audit: Audit) -> Text:
    region = audit.report.chosen.constraints if audit.report.chosen else ()
    ranges = free(audit)
    scope = say(", for all {}", ranges) if ranges else ""
    where = say(" where {}", conditions(region)) if region else ""
    return say(
        "I certify{}{}{} that {}, on every two tables that differ by {}, with {}, satisfies {}"
        " in all that it releases{}{}, {}under the assumptions listed below.",
        scope,
        where,
        "," * bool(scope or where),
        _subject(audit),
        audit.setting.unit,
        joined(" and ", _bounded(audit.setting)),
        goal(audit.claimed),
        _on_trust(audit),
        _on_samples(audit),
        "with the noise and " if audit.lines else "",
    )


def _on_samples(audit: Audit) -> Text:
    """`, where for grads each of 50 draws reads a fresh, secret Poisson sample at rate 1/100`."""
    releases = audit.report.problem.graph.releases
    drawn = [
        say("for {} {}", one.label, sampling(one.times, one.sampled))
        for one in releases[:8]
        if one.sampled is not None
    ]
    return say(", where {}", joined(" and ", drawn)) if drawn else say("")


def _bounded(setting: Setting) -> Iterator[Text]:
    """What is done to every row and label: `rows projected onto the ball of radius 1`."""
    yield say("rows {}", rows_text(setting.X))
    if setting.y is not None:
        yield say("labels {}", labels_text(setting.y))


def rows_text(rows: Rows) -> Text:
    """`projected onto the ball of radius 1`."""
    said: list[object] = []
    said += (
        [] if rows.columns is None else [f"coded from {len(rows.columns)} columns by a codebook"]
    )
    said += [] if rows.d is None else [say("of {} columns", rows.d)]
    said += [] if rows.box is None else [say("with entries clipped to {}", _ends(rows.box))]
    ball = "projected onto the ball of radius {}"
    said += [] if rows.norm is None else [say(ball, _of(rows.norm))]
    said += ["with an intercept"] if rows.intercept else []
    return joined(", ", said)


def labels_text(labels: Column) -> Text:
    """`y clipped to [-1, 1]`."""
    name = clipped(labels.name, 60)
    if labels.levels is not None:
        first, second = (clipped(str(level), 60) for level in labels.levels)
        return say("{} of the classes {} and {} as -1 and 1", name, first, second)
    if labels.bound is not None:
        return say("{} clipped to {}", name, _ends(labels.bound))
    ends = [exactly(end) for end in (labels.lower, labels.upper) if end is not None]
    within = Formula(f"[{', '.join(ends)}]")
    return say("{} clipped to {} and mapped onto $[-1, 1]$", name, within)


def _of(bound: Expression) -> Formula:
    return Formula(clipped(written(bound), 60))


def _ends(bound: Expression) -> Formula:
    return Formula(f"[-{_of(bound)}, {_of(bound)}]")


def _on_trust(audit: Audit) -> str:
    """The names of what the certificate takes on trust."""
    about = _listed(dict.fromkeys(node.label for node in stating(audit.report.problem.graph)))
    of = say("what is stated of {}", about) if about else ""
    by = say("what is stated by {}", _listed(audit.trusted)) if audit.trusted else ""
    said = joined(" and ", filter(None, (of, by)))
    return say(", if {} is true", said) if said else ""


def _listed(names: Iterable[str]) -> str:
    """`a, b and c`."""
    *others, last = [*names] or [""]
    return say("{} and {}", ", ".join(others), last) if others else last


def false_parts(audit: Audit, printed: Sequence[ClaimedSensitivity] = ()) -> Text:
    """How many claims about single releases, and sensitivities that a paper prints, are false."""
    claims = [line.verdict is Verdict.REFUTED for line in audit.lines if line.share is not None]
    counted = {
        "claims on single releases": claims,
        "printed sensitivities": [one.false for one in printed],
    }
    wrong = {name: of for name, of in counted.items() if any(of)}
    said = joined(
        " and ", (say("{} of {} {}", sum(of), len(of), name) for name, of in wrong.items())
    )
    if not said:
        return said
    verb = "is" if sum(map(sum, wrong.values())) == 1 else "are"
    held = audit.verdict is Verdict.PROVED
    return say("{} {} false{}.", said, verb, "; the total holds by another proof" * held)


def _denial(audit: Audit) -> Text:
    cost, target = audit.worst, audit.target
    start = say("for two tables that differ by {}, ", audit.setting.unit)
    if audit.witness:
        start = say("at {}, {}", _point(audit.witness), start)
    if cost is None:
        witness = None if audit.broken is None else audit.broken.witness
        return say("{}{}", start, "" if witness is None else witness.says)
    if cost.epsilon is None or cost.delta is None:
        return say("{}the cost of all that it releases is {}", start, own_cost(audit, cost))
    numbers = {name: Number(value) for name, value in audit.witness.items()}
    amounts = [amount.substitute(numbers) for amount in target.amounts]
    epsilon, delta = map(formula, amounts)
    low, small = map(lower_end, amounts)
    exact = "exact " * cost.sharp
    return say(
        "{}the {}$delta$ of all that it releases at $epsilon$ = {} is {} > {}, and "
        "its true $epsilon$ at $delta$ = {} is {} > {}",
        start,
        exact,
        epsilon,
        between(cost.delta, small),
        delta,
        delta,
        between(cost.epsilon, low),
        epsilon,
    )


def _point(values: Mapping[str, Fraction]) -> Text:
    return values_text({name: values[name] for name in sorted(values, key=in_order)})


def values_text(values: Mapping[str, Fraction]) -> Text:
    """`epsilon = 1, delta = 1e-6`."""
    numbers = (say("{} = {}", Formula(name), exactly(one)) for name, one in values.items())
    return joined(", ", numbers)


def _withholding(audit: Audit) -> Text:
    found = sorted(audit.report.open_obligations, key=_open_first)
    reason = _reason(found[0]) if found else "nothing proves it"
    more = len(found) - 1
    others = (
        say(" (and {} more open obligation{}, below)", more, "s" * (more > 1)) if more > 0 else ""
    )
    start = _unsatisfied if audit.verdict is Verdict.REFUTED else _uncertified
    return say("{}: {}{}.", start(audit), reason, others)


def plain_rule(obligation: Obligation) -> str:
    """`the divisor must be public, but max_abs of clip to [-10, 10] is computed from the data`; the
    rule as it stands where it is another.
    """
    edit = obligation.edit
    if edit is None or not edit.name or not isinstance(edit.value, Symbol):
        return obligation.rule
    return say(
        "the {} must be public, but {} is computed from the data",
        edit.name,
        Formula(edit.value.name.removeprefix("value of ")),
    )


def _reason(obligation: Obligation) -> str:
    said = plain_rule(obligation)
    return said if said != obligation.rule else say("{}: {}", obligation.node, said)


def _open_first(obligation: Obligation) -> tuple[bool, bool]:
    """Refuted ones first, of these what more than a domain refutes."""
    refuted = obligation.verdict is Verdict.REFUTED
    return not refuted, obligation.kind == "domain"


def goal(target: Guarantee) -> Text:
    """The target with its numbers as a person writes them."""
    if isinstance(target, ApproxDP):
        pair = Formula(f"({', '.join(map(formula, target.amounts))})")
        return say("{}-differential privacy", pair)
    return say("{}", target)


def free(audit: Audit) -> Text:
    """The symbols that the verdict ranges over, without the sizes of the data."""
    symbols = [s for s in audit.report.problem.symbols if s.origin is None and not is_size(s)]
    symbols.sort(key=lambda symbol: in_order(symbol.name))
    return joined(", ", map(ranged, symbols))


def in_order(name: str) -> tuple[int, str]:
    """By which a person orders symbols: epsilon, delta, then the others by name."""
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def conditions(constraints: Iterable[Constraint]) -> Text:
    """Where a verdict holds, in words."""
    return joined(" and ", [condition(one, formula) for one in constraints])


def own_cost(audit: Audit, cost: JointCost) -> Text:
    """The cost in the target's own currency, and the claim."""
    target = audit.target
    limit = lower_end(target.amounts[0])
    mu, rho = cost.mu, (cost.mu[0] ** 2 / 2, cost.mu[1] ** 2 / 2)
    claimed = say(" (claimed {})", formula(target.amounts[0]))
    if target.kind == "zcdp":
        return say("$rho$ {}{}", equals(rho, limit), claimed)
    if isinstance(target, RenyiDP):
        order = float(target.order)
        divergence = equals((order * rho[0], order * rho[1]), limit)
        return say("{} {}{}", Formula(target.currency[0]), divergence, claimed)
    gaussian = say(" (claimed {})", target) if target.kind == "gaussian" else ""
    return say("$mu$ {}{}", equals(mu), gaussian)
