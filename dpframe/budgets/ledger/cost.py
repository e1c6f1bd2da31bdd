"""What a run costs: guarantees that all hold for it, for whom, and by which certificate."""

from __future__ import annotations

import re
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.privacy import Guarantee, Unit
from dpframe.prover import Certificate
from dpframe.symbols import Number

from ..filters.prices import KINDS, amounts_of, fixed
from ..filters.units import check_unit

HASH = re.compile(r"[0-9a-f]{64}")
LONGEST = 200  # characters of a description


def _guarantees(_: object, __: object, values: tuple[object, ...]) -> None:
    known = ", ".join(f"dp.{kind.__name__}" for kind in KINDS.values())
    if not values or any(type(value) not in KINDS.values() for value in values):
        raise InvalidArgument("guarantees", f"at least one of {known}", values)
    for value in values:
        kind = type(value)
        fixed("cost", kind.currency, amounts_of(value, kind))  # type: ignore[attr-defined, arg-type]


def _several(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _unit(_: object, __: object, unit: Unit) -> None:
    check_unit(unit)


def _certificate(_: object, __: object, value: Any) -> None:
    if not (isinstance(value, str) and HASH.fullmatch(value)):
        raise InvalidArgument("certificate", "a hash of 64 hexadecimal digits", value)


def _description(_: object, __: object, value: object) -> None:
    if not (isinstance(value, str) and len(value) <= LONGEST and (value + "x").isprintable()):
        requirement = f"one printable line of at most {LONGEST} characters"
        raise InvalidArgument("description", requirement, value)


@attrs.frozen
class Cost:
    """`guarantees` are alternatives: each one holds for the whole run, given all that was released
    before it; a ledger takes the one that leaves most.

    `unit` is whose privacy they protect; `certificate` is the hash of what was proved, 64
    hexadecimal digits; `description` is for people, and must hold no data. Raises InvalidArgument.
    """

    guarantees: tuple[Guarantee, ...] = attrs.field(converter=_several, validator=_guarantees)
    unit: Unit = attrs.field(validator=_unit)
    certificate: str = attrs.field(validator=_certificate)
    description: str = attrs.field(default="", validator=_description)

    @classmethod
    def of(cls, certificate: Certificate, *also: Guarantee, description: str | None = None) -> Cost:
        """What one execution of a certificate costs: its target at its numbers, and `also`, what
        was proved of it besides. Raises NotExecutable while a number is missing.
        """
        if not isinstance(certificate, Certificate):
            raise NotExecutable(f"a cost is of a certificate; got {type(certificate).__name__}.")
        if certificate.free:
            missing = ", ".join(f"{name}=..." for name in sorted(certificate.free))
            raise NotExecutable(f"the certificate lacks numbers. run = run.at({missing})")
        text = type(certificate.regression).__name__ if description is None else description
        return cls(
            (target_of(certificate), *also), certificate.setting.unit, certificate.hash, text
        )

    def __str__(self) -> str:
        """`(1, 1e-6)-differential privacy, also 1/5-Gaussian differential privacy`."""
        return ", also ".join(map(str, self.guarantees))


def target_of(certificate: Certificate) -> Guarantee:
    """The target with the certificate's numbers in place of its parameters."""
    values = {name: Number(value) for name, value in certificate.values.items()}
    target: Any = certificate.target
    parts = {part: getattr(target, part).substitute(values) for part in target.parameters}
    return attrs.evolve(target, **parts)  # type: ignore[no-any-return]
