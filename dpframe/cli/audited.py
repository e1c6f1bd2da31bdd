"""What is audited: a declaration, or a description in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

import dpframe as dp
from dpframe.audits import Audit, audit
from dpframe.audits.descriptions import Description, read_description
from dpframe.symbols import Number

from .declaration import regression_of
from .options import target_of

DESCRIBED = (".toml", ".yaml", ".yml")  # the latter are refused in words
ELSEWHERE = "The description states this: edit the file."


@attrs.frozen
class Audited:
    """An audit, and what a description says besides."""

    audit: Audit
    title: str = ""
    notes: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class AuditOptions:
    """The options of the command line that say what is claimed, and of what table."""

    epsilon: str | None
    delta: str | None
    each: bool
    groups: str | None
    setting: dp.Setting
    accountant: str | dp.Accountant
    trust: Sequence[type]
    given: Sequence[str]
    jointly: bool
    given_names: tuple[str, ...]
    """names of the options about the table and the declaration that were given"""

    @property
    def personal(self) -> bool:
        """Whether every record has a budget of its own."""
        return self.each or self.groups is not None

    @property
    def target(self) -> dp.Guarantee:
        """What is claimed. Raises InvalidArgument."""
        return target_of(self.epsilon, self.delta, each=self.each, groups=self.groups)


def is_description(name: str) -> bool:
    """Whether the name is that of a description's file."""
    return name.lower().endswith(DESCRIBED)


def audited(name: str, options: AuditOptions) -> Audited:
    """The audit of a named declaration, or of a description. Raises InvalidArgument."""
    if is_description(name):
        return _described(read_description(Path(name), trust=options.trust), options)
    regression = regression_of(name, options.given, jointly=options.jointly)
    found = audit(
        regression,
        target=options.target,
        setting=options.setting,
        accountant=options.accountant,
        trust=options.trust,
    )
    return Audited(found)


def _claimed(own: dp.Guarantee, options: AuditOptions) -> dp.Guarantee:
    """The description's own target, in which --epsilon and --delta replace one number each."""
    if options.personal:
        return options.target
    if options.epsilon is None and options.delta is None:
        return own
    kept: dict[str, str | None] = {"epsilon": options.epsilon, "delta": options.delta}
    currency = own.budget.currency
    if kept.keys() >= set(currency):
        stated = {"delta": "0", **dict(zip(currency, own.amounts, strict=True))}
        for name, amount in stated.items():
            if kept[name] is None and isinstance(amount, (str, Number)):
                kept[name] = str(amount)
    return target_of(kept["epsilon"], kept["delta"])


def _described(found: Description, options: AuditOptions) -> Audited:
    """The description's own claim, or another one of the same table by --epsilon and --delta."""
    if options.given_names:
        wanted, found = "left out with a description", dp.errors.Plain("both")
        raise dp.InvalidArgument(", ".join(options.given_names), wanted, found, ELSEWHERE)
    accountant = found.accountant if options.accountant == "auto" else options.accountant
    done = audit(
        found.regression,
        target=_claimed(found.target, options),
        setting=found.setting,
        accountant=accountant,
        trust=options.trust,
    )
    remarks = [f"{name}: {text}" for name, text in found.remarks.items() if text]
    claims = [f"sensitivity of {one}" for one in found.claimed_sensitivities]
    notes = [text for text in (found.citation, found.notes, *remarks, *claims) if text]
    return Audited(done, found.title, tuple(notes))
