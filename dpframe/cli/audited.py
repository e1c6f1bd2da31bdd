"""The subject of an audit: a regression, or the description of one in a file."""

from __future__ import annotations

from pathlib import Path

import attrs

import dpframe as dp
from dpframe.audits import Audit, audit
from dpframe.audits.descriptions import Description, read_description
from dpframe.audits.descriptions.stated import ClaimedSensitivity
from dpframe.symbols import Number

from .options import (
    ClaimOptions,
    CodebookOptions,
    JointProofOptions,
    PersonalClaimOptions,
    names_given,
)

DESCRIBED = (".toml", ".yaml", ".yml")  # YAML is refused with a message
ELSEWHERE = "The description states this: edit the file."


@attrs.frozen
class Audited:
    """An audit; the title, the notes and the printed sensitivities of a description."""

    audit: Audit
    title: str = ""
    notes: tuple[str, ...] = ()
    printed: tuple[ClaimedSensitivity, ...] = ()


@attrs.frozen
class AuditOptions:
    """The options of an audit."""

    claim: PersonalClaimOptions
    table: CodebookOptions
    proof: JointProofOptions


def is_description(name: str) -> bool:
    """Whether the name is that of a file with a description."""
    return name.lower().endswith(DESCRIBED)


def audited(name: str, options: AuditOptions) -> Audited:
    """The audit of a regression by its name, or of a description. Raises InvalidArgument."""
    proof = options.proof
    if is_description(name):
        return _described(read_description(Path(name), trust=proof.trusted), options)
    return Audited(
        audit(
            proof.regression(name),
            target=options.claim.target,
            setting=options.table.setting,
            accountant=proof.accounting,
            trust=proof.trusted,
        )
    )


def _target(stated: dp.Guarantee, claim: PersonalClaimOptions) -> dp.Guarantee:
    """The target of the description, with the numbers that --epsilon and --delta replace."""
    if claim.personal:
        return claim.target
    if claim.epsilon is None and claim.delta is None:
        return stated
    numbers: dict[str, str | None] = {"epsilon": claim.epsilon, "delta": claim.delta}
    currency = stated.budget.currency
    if numbers.keys() >= set(currency):
        amounts = {"delta": "0", **dict(zip(currency, stated.amounts, strict=True))}
        for name, amount in amounts.items():
            if numbers[name] is None and isinstance(amount, (str, Number)):
                numbers[name] = str(amount)
    return ClaimOptions(**numbers).target


def _described(described: Description, options: AuditOptions) -> Audited:
    """The audit of the stated claim, or of that by --epsilon and --delta for the same table."""
    proof = options.proof
    free = attrs.evolve(proof, accountant="auto", trust=[])
    if given := names_given(options.table, free):
        wanted, got = "left out with a description", dp.errors.Plain("both")
        raise dp.InvalidArgument(", ".join(given), wanted, got, ELSEWHERE)
    done = audit(
        described.regression,
        target=_target(described.target, options.claim),
        setting=described.setting,
        accountant=described.accountant if proof.accountant == "auto" else proof.accounting,
        trust=proof.trusted,
    )
    remarks = [f"{name}: {text}" for name, text in described.remarks.items() if text]
    notes = [text for text in (described.citation, described.notes, *remarks) if text]
    return Audited(done, described.title, tuple(notes), described.claimed_sensitivities)
