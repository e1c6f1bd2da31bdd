"""dp.attack: what a mechanism, a certificate or any program leaks at least, by attacking it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import BlackBox, Mechanism
from dpframe.numbers import Exact
from dpframe.privacy import ADD_REMOVE, Relation
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness
from dpframe.sources.progress import Progress

from .attack_page import Finding
from .claims import Claim, claim_of
from .neighbours import Neighbours
from .of_certificates import certificate_findings, complete
from .of_mechanisms import mechanism_findings, program_findings
from .one_run import program_one_run
from .pairs import sensitivity_of
from .two_tables import DRAWS, Job, Told, draws_of_job, failing_of


@attrs.frozen(kw_only=True, repr=False, str=False, eq=False)
class Attack:
    """What was tried against a claim, and the lower bounds that it proved.

    All bounds hold together with the stated confidence. `flagged` refutes the claim; that it is not
    flagged proves nothing.
    """

    target: str
    claim: Claim
    findings: tuple[Finding, ...]
    confidence: float
    draws: int
    source: str
    pair: Neighbours | None = None
    passed_over: tuple[str, ...] = ()
    """What was not tried, and why."""

    @property
    def flagged(self) -> bool:
        """Whether some bound exceeds what is claimed."""
        return any(one.flagged for one in self.findings)

    @property
    def floating(self) -> bool:
        """Whether low bits of noise in doubles tell more than what is claimed of its law."""
        return any(one.floating and one.above for one in self.findings)

    @property
    def delta(self) -> Fraction:
        """The delta at which `epsilon` is told: 0 of a pure claim."""
        return Fraction(0) if self.claim.pure is not None else self.claim.at

    @property
    def claimed(self) -> float:
        """The claimed epsilon there."""
        return self.claim.told if self.claim.pure is None else self.claim.pure

    @property
    def epsilon(self) -> float:
        """A lower bound on epsilon at `delta`, of one run of the whole target."""
        return max((one.epsilon for one in self._whole() if one.epsilon is not None), default=0.0)

    @property
    def mu(self) -> float:
        """A lower bound on the mu of any Gaussian guarantee of one run of the whole target."""
        return max((one.mu for one in self._whole() if one.mu is not None), default=0.0)

    @property
    def method(self) -> str:
        """How the claim was attacked, in a few words."""
        return "; ".join(dict.fromkeys(one.method.partition(":")[0] for one in self.findings))

    def _whole(self) -> Iterator[Finding]:
        return (one for one in self.findings if one.whole and one.repeats == 1 and not one.floating)

    def __str__(self) -> str:
        """A page: the verdict, every question with its answer, and what it means."""
        from .attack_page import page

        return page(self)

    def __repr__(self) -> str:
        """One line."""
        verdict = "flagged" if self.flagged else "not flagged"
        return f"Attack({self.target}: {verdict}, epsilon >= {self.epsilon:.4g})"

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "target": self.target,
            "claim": self.claim.text,
            "flagged": self.flagged,
            "epsilon": self.epsilon,
            "delta": float(self.delta),
            "claimed_epsilon": self.claimed if self.claimed < float("inf") else None,
            "mu": self.mu,
            "confidence": self.confidence,
            "draws": self.draws,
            "randomness": self.source,
            "pair": None
            if self.pair is None
            else json.loads(json.dumps(self.pair.record(), default=str)),
            "passed_over": list(self.passed_over),
            "findings": [one.record() for one in self.findings],
        }


def attack(
    target: object,
    *,
    on: object = None,
    claim: object = None,
    sensitivity: Exact = 1,
    relation: Relation = ADD_REMOVE,
    draws: int = DRAWS,
    canaries: object = None,
    score: Callable[..., Any] | None = None,
    guesses: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    told: Told | None = None,
) -> Attack:
    """Attack `target` by drawing from it, and prove lower bounds on what it leaks.

    `target` is a mechanism, at `sensitivity` under `relation` (of a selection, the range of the
    move of its scores); a certificate (or what
    dp.audits.unproved returns) with a number for every parameter; or a program, `run(X, y, seed)`
    or `run(X, y)` or `run(X)`, that returns an array. It is run `draws` times on each of two
    neighbouring tables: those of `on`, ((X, y), (X2, y2)), or the worst that a search finds;
    programs need theirs, one row apart under `relation`, and get `seed` by name. What it is held to
    is `claim`: a guarantee, a mechanism, a loss, a certificate; by default what the target itself
    says.

    With `canaries`, a table (X, y), a program is run once: each canary is added to the table `on`
    by a fair coin, `score(output, X, y)` gives one number a canary, larger where it seems to have
    been added, and `guesses` of the coins are guessed, half by default.

    Bounds hold together with `confidence`. Draws come from the operating system, or from a
    simulation with this `seed`. `told` is called with what is being done; left out, a bar shows it
    after two seconds, on a terminal or in a notebook. Nothing is charged: attack with
    tables that are no secret. Raises InvalidArgument, NotExecutable.

    >>> import dpframe as dp
    >>> found = dp.attack(dp.Laplace(scale="0.5"), claim=dp.PureDP(1), draws=4000, seed=1)
    >>> found.flagged
    True
    """
    moved = sensitivity_of(sensitivity)
    _attackable(target, claim)
    if canaries is not None and isinstance(target, (Mechanism, AtNumbers)):
        way_out = "Draws of a mechanism or a certificate are fast, and prove more than one run."
        raise InvalidArgument("canaries", "left out but for a program", type(target), way_out)
    under = target.setting.relation if isinstance(target, AtNumbers) else relation
    held = claim_of(target if claim is None else claim, moved, under)
    randomness = Randomness.of(seed)
    pair: Neighbours | None = None
    passed: list[str] = []
    with Progress(None, "drawing") as bar:
        job = Job(held, draws_of_job(draws), failing_of(confidence), randomness, told or bar.say)
        if isinstance(target, Mechanism):
            found = mechanism_findings(target, moved, under, job, claim)
        elif isinstance(target, AtNumbers):
            pair, found, passed = certificate_findings(target, on, job)
        elif canaries is not None:
            options = {"score": score, "guesses": guesses}
            found = program_one_run(target, on, canaries, job, under, **options)  # type: ignore[arg-type]
        else:
            pair, found = program_findings(target, on, job, under)  # type: ignore[arg-type]
    return Attack(
        target=_name(target, moved),
        claim=held,
        findings=tuple(found),
        confidence=float(confidence),
        draws=job.draws if canaries is None else 1,
        source=randomness.kind,
        pair=pair,
        passed_over=tuple(passed),
    )


def _attackable(target: object, claim: object) -> None:
    """Refuse what cannot be drawn from, or was not claimed. Raises InvalidArgument."""
    if isinstance(target, BlackBox):
        way_out = "Attack what it stands for: dp.attack(run, on=(D, E), claim=mechanism)."
        raise InvalidArgument("target", "something that can be drawn from", target.kind, way_out)
    if isinstance(target, AtNumbers):
        complete(target)
    elif not isinstance(target, Mechanism):
        if not callable(target) or isinstance(target, type):
            wanted = "a mechanism, a certificate with numbers, or a function run(X, y, seed)"
            way_out = "Of a regression: dp.certify(regression, target=..., setting=...).at(...)."
            raise InvalidArgument("target", wanted, target, way_out)
        if claim is None:
            way_out = "Such as claim=dp.PureDP(1): what the program says of itself."
            raise InvalidArgument("claim", "given for a program", None, way_out)


def _name(target: object, sensitivity: Fraction) -> str:
    if isinstance(target, Mechanism):
        return f"{target.kind} at sensitivity {sensitivity}"
    if isinstance(target, AtNumbers):
        return str(target.regression)
    return str(getattr(target, "__qualname__", type(target).__name__))
