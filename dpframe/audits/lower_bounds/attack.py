"""dp.attack: lower bounds on what a mechanism, a certificate or any program leaks, by attacking
it.
"""

from __future__ import annotations

import json
import math
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

from ..figures import chosen, exactly, figure
from .bounds import DRAWS, Finding, Job
from .certificates import certificate_findings, check_complete
from .claims import ClaimedProfile, claim_of
from .mechanism_draws import mechanism_findings, sensitivity_of
from .neighbours import Neighbours
from .programs import program_findings


@attrs.frozen(kw_only=True, repr=False, str=False, eq=False)
class Attack:
    """The lower bounds that an attack proved against a claim.

    All bounds hold together with the stated confidence. `flagged` refutes the claim; not flagged
    proves nothing. `passed_over` says what was not tried, and why.
    """

    target: str
    claim: ClaimedProfile
    findings: tuple[Finding, ...]
    confidence: float
    draws: int
    source: str
    pair: Neighbours | None = None
    passed_over: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        """Some bound exceeds the claim."""
        return any(one.flagged for one in self.findings)

    @property
    def floating(self) -> bool:
        """Low bits of noise in doubles reveal more than is claimed of its law."""
        return any(one.floating and one.above for one in self.findings)

    @property
    def delta(self) -> Fraction:
        """The delta of `epsilon` and `claimed`: 0 for a pure claim."""
        return self.claim.headline[0]

    @property
    def claimed(self) -> float:
        """The claimed epsilon at `delta`."""
        return self.claim.headline[1]

    @property
    def epsilon(self) -> float:
        """A lower bound on epsilon at `delta`, of one run of the whole target."""
        return max((one.epsilon for one in self._whole() if one.epsilon is not None), default=0.0)

    @property
    def mu(self) -> float:
        """A lower bound on the mu of any Gaussian guarantee of one run of the whole target."""
        return max((one.mu for one in self._whole() if one.mu is not None), default=0.0)

    def _whole(self) -> Iterator[Finding]:
        return (one for one in self.findings if one.whole and one.repeats == 1 and not one.floating)

    def __str__(self) -> str:
        """A page: the verdict, every finding, and what it means."""
        return "\n".join(_page(self))

    def __repr__(self) -> str:
        """One line."""
        verdict = "flagged" if self.flagged else "not flagged"
        return f"Attack({self.target}: {verdict}, epsilon >= {figure(self.epsilon, 'down')})"

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        pair = None if self.pair is None else json.dumps(self.pair.record(), default=str)
        return {
            "target": self.target,
            "claim": self.claim.text,
            "flagged": self.flagged,
            "epsilon": self.epsilon,
            "delta": float(self.delta),
            "claimed_epsilon": self.claimed if self.claimed < math.inf else None,
            "mu": self.mu,
            "confidence": self.confidence,
            "draws": self.draws,
            "randomness": self.source,
            "pair": None if pair is None else json.loads(pair),
            "passed_over": list(self.passed_over),
            "findings": [one.record() for one in self.findings],
        }


FLOATING = (
    "",
    "Floating point: the low bits of noise that is drawn in doubles reveal more than its law",
    "[Mironov12]. The law, which is what is proved, was attacked with scores in single precision.",
    "Release noise on a grid, or round what you release: an exact certificate does.",
)
NOT_FLAGGED = (
    "Not flagged is no proof: another pair of tables, another event or more draws may show",
    "more. A certificate rests on its proof, never on this.",
)


def _page(result: Attack) -> Iterator[str]:
    at = "" if result.delta == 0 else f" at delta {exactly(result.delta)}"
    claimed = "" if result.claimed == math.inf else f" (epsilon {figure(result.claimed, 'up')}{at})"
    mu = f", mu >= {figure(result.mu, 'down')}" if result.mu > 0 else ""
    failing = 1 - result.confidence
    often = figure(failing, "up", 2)
    confidence = chosen(result.confidence) if failing > 1e-5 else f"1 - {often}"
    verdict = "FLAGGED: the claim is refuted" if result.flagged else "not flagged"
    yield from (f"Attack on {result.target}: {verdict}", "")
    yield f"Claimed: {result.claim.text}{claimed}"
    yield f"Proved:  epsilon >= {figure(result.epsilon, 'down')}{at}{mu} for one run of the whole"
    draws = f"{result.draws} draws of each table; noise: {result.source}"
    yield f"Confidence {confidence} for all bounds together; {draws}."
    yield from ("", "Tried:")
    for one in result.findings:
        yield from _finding(one)
    yield from (f"  not tried: {one}" for one in result.passed_over)
    yield ""
    if result.flagged:
        yield "More leaks than is claimed. A right claim is flagged with probability at"
        yield f"most {often}."
    else:
        yield from NOT_FLAGGED
    yield from FLOATING if result.floating else ()


def _beside(bound: float, claimed: float) -> str:
    """`at least 0.632; 0.394 is claimed`: rounded down and up, to digits that keep their order."""
    for digits in (0, 4, 6, 8, 10, 12):
        least, most = figure(bound, "down", digits), figure(claimed, "up", digits)
        if (float(least) > float(most)) == (bound > claimed):
            break
    return f"at least {least}; {most} is claimed"


def _finding(one: Finding) -> Iterator[str]:
    mark = "FLOATING POINT" if one.floating else "REFUTED" if one.flagged else "held"
    yield f"  {mark}: {one.what}"
    yield f"    {one.quantity} is {_beside(one.bound, one.allowed)}"
    if one.epsilon_above and one.bound <= one.allowed:
        yield f"    epsilon is {_beside(one.epsilon, one.claimed_epsilon)}"  # type: ignore[arg-type]
    yield from (f"    on {one.pair}", f"    by {one.method}")


def attack(
    target: object,
    *,
    on: object = None,
    claim: object = None,
    sensitivity: Exact = 1,
    relation: Relation = ADD_REMOVE,
    draws: int = DRAWS,
    confidence: float = 0.95,
    seed: int | None = None,
    on_progress: Callable[[str], object] | None = None,
) -> Attack:
    """Attack `target` by drawing from it, and prove lower bounds on what it leaks.

    `target` is a mechanism, at `sensitivity` under `relation` (of a selection, the range of the
    move of its scores); a certificate, or the result of dp.audits.unproved, with a number for every
    parameter; or a program, `run(X, y, seed)`, `run(X, y)` or `run(X)`, that returns an array. It
    is run `draws` times on each of two neighbouring tables: those of `on`, ((X, y), (X2, y2)), or
    the worst that a search finds. Programs require `on`, one row apart under `relation`, and get
    `seed` by name. `claim` is the claim to refute: a guarantee, a mechanism, a loss, a certificate;
    by default that of the target itself.

    Bounds hold together with `confidence`. Draws come from the operating system, or from a
    simulation with this `seed`. `on_progress` is called with a description of each step; by default
    a bar shows it after two seconds, on a terminal or in a notebook. No budget is charged: attack
    with tables that are no secret. Raises InvalidArgument, NotExecutable.

    >>> import dpframe as dp
    >>> found = dp.attack(dp.Laplace(scale="0.5"), claim=dp.PureDP(1), draws=4000, seed=1)
    >>> found.flagged
    True
    """
    size = sensitivity_of(sensitivity)
    _check_target(target, claim)
    under = target.setting.relation if isinstance(target, AtNumbers) else relation
    profile = claim_of(target if claim is None else claim, size, under)
    randomness = Randomness.of(seed)
    pair: Neighbours | None = None
    passed_over: list[str] = []
    with Progress(None, "drawing") as bar:
        job = Job.of(profile, draws, confidence, randomness, on_progress or bar.say)
        if isinstance(target, Mechanism):
            findings = mechanism_findings(target, size, under, job, claim)
        elif isinstance(target, AtNumbers):
            pair, findings, passed_over = certificate_findings(target, on, job)
        else:
            pair, findings = program_findings(target, on, job, under)  # type: ignore[arg-type]
    return Attack(
        target=_name(target, size),
        claim=profile,
        findings=tuple(findings),
        confidence=float(confidence),
        draws=job.draws,
        source=randomness.kind,
        pair=pair,
        passed_over=tuple(passed_over),
    )


def _check_target(target: object, claim: object) -> None:
    """Refuse a target that cannot be drawn from, or without a claim. Raises InvalidArgument."""
    known = isinstance(target, (Mechanism, AtNumbers))
    if isinstance(target, BlackBox):
        way_out = "Attack the program itself: dp.attack(run, on=(D, E), claim=mechanism)."
        raise InvalidArgument("target", "something that can be drawn from", target.kind, way_out)
    if isinstance(target, AtNumbers):
        check_complete(target)
    if not known and (not callable(target) or isinstance(target, type)):
        wanted = "a mechanism, a certificate with numbers, or a function run(X, y, seed)"
        way_out = "Of a regression: dp.certify(regression, target=..., setting=...).at(...)."
        raise InvalidArgument("target", wanted, target, way_out)
    if not known and claim is None:
        way_out = "Such as claim=dp.PureDP(1): the guarantee that the program claims."
        raise InvalidArgument("claim", "given for a program", None, way_out)


def _name(target: object, sensitivity: Fraction) -> str:
    if isinstance(target, Mechanism):
        return f"{target.kind} at sensitivity {sensitivity}"
    if isinstance(target, AtNumbers):
        return str(target.regression)
    return str(getattr(target, "__qualname__", type(target).__name__))
