"""The kernel replays the proof of a certificate before anything is drawn."""

from __future__ import annotations

from dpframe.errors import NotExecutable
from dpframe.prover import Certificate
from dpframe.prover.derivations import DERIVATIONS as ACCOUNTANTS
from dpframe.prover.witnesses import replayed
from dpframe.theory import DERIVATIONS


def left_to_the_accountant(certificate: Certificate) -> tuple[str, ...]:
    """What the kernel does not replay, as an assumption: a total that it cannot add, in numbers.
    Raises NotExecutable where it refuses anything else.
    """
    verdict, name = certificate.verdict, certificate.derivation
    if verdict.accepted:
        return ()
    in_numbers = verdict.reason.startswith("total: ") and not ACCOUNTANTS[name].symbolic
    if name not in DERIVATIONS or in_numbers:
        verdict = replayed(certificate.claim, total=False)
    if verdict.accepted:
        return (f"the total of {name}: the kernel replays the proof but for the sum of the losses",)
    raise NotExecutable(
        f"the kernel does not replay this proof: {verdict.reason}. Two parts of dpframe disagree, "
        "which is a defect: report it, with the file that certificate.save writes."
    )
