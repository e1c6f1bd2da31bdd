"""One question that was put to the draws with what they answered, and an attack as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from .threshold_events import ProvedBounds

if TYPE_CHECKING:
    from .attack import Attack


@attrs.frozen(kw_only=True)
class Finding:
    """`quantity` is at least `found`, where at most `allowed` is claimed.

    `what` was drawn on `pair`, and attacked by `method`. `whole` says that the claim is that of the
    whole target; else it is that of a part. With `repeats`, so many runs make one draw.
    """

    what: str
    pair: str
    method: str
    quantity: str
    found: float
    allowed: float
    epsilon: float | None = None
    told: float | None = None
    mu: float | None = None
    repeats: int = 1
    whole: bool = True
    certain: bool = False
    floating: bool = False
    """Whether it is about the low bits of doubles, which no claim is about: it refutes none."""

    @property
    def flagged(self) -> bool:
        """Whether the claim is refuted."""
        return self.above and not self.floating

    @property
    def above(self) -> bool:
        """Whether more was found than is claimed."""
        wide = self.epsilon is not None and self.told is not None and self.epsilon > self.told
        return self.found > self.allowed or wide

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        fields = attrs.asdict(self)
        return {**{name: _finite(one) for name, one in fields.items()}, "flagged": self.flagged}


def of_bounds(
    bounds: ProvedBounds, what: str, pair: str, *, method: str, repeats: int = 1, whole: bool = True
) -> Finding:
    """The finding of an attack on draws."""
    runs = "" if repeats == 1 else f" of {repeats} runs together"
    return Finding(
        what=what,
        pair=pair,
        method=method,
        quantity=f"delta at epsilon {bounds.at:.4g}{runs}",
        found=bounds.delta,
        allowed=bounds.allowed,
        epsilon=bounds.epsilon,
        told=bounds.told,
        mu=bounds.mu,
        repeats=repeats,
        whole=whole,
    )


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and abs(value) == float("inf") else value


FLOATING = (
    "",
    "Floating point: the low bits of noise that is drawn in doubles tell more than its law does",
    "[Mironov12]. The law, which is what is proved, was attacked with scores in single precision.",
    "Release noise on a grid, or round what you release: an exact certificate does.",
)


def page(found: Attack) -> str:
    """The verdict, every question with its answer, and what it means."""
    verdict = "FLAGGED: the claim is refuted" if found.flagged else "not flagged"
    lines = [
        f"Attack on {found.target}: {verdict}",
        "",
        f"Claimed: {found.claim.text}{_told(found)}",
        f"Proved:  {_proved(found)}",
        f"Confidence {_confidence(found.confidence)} for all bounds together; {_draws(found)}.",
        "",
        "Tried:",
        *(line for one in found.findings for line in _finding(one)),
        *(f"  not tried: {one}" for one in found.passed_over),
        "",
        *_verdict(found),
        *(FLOATING if found.floating else ()),
    ]
    return "\n".join(lines)


def _told(found: Attack) -> str:
    if found.claimed == float("inf"):
        return ""
    at = "" if found.delta == 0 else f" at delta {float(found.delta):.3g}"
    return f" (epsilon {found.claimed:.4g}{at})"


def _proved(found: Attack) -> str:
    at = "" if found.delta == 0 else f" at delta {float(found.delta):.3g}"
    parts = [f"epsilon >= {found.epsilon:.4g}{at}"]
    if found.mu > 0:
        parts.append(f"mu >= {found.mu:.4g}")
    return ", ".join(parts) + " for one run of the whole"


def _confidence(value: float) -> str:
    return f"{value:g}" if 1 - value > 1e-5 else f"1 - {1 - value:.2g}"


def _draws(found: Attack) -> str:
    many = "one run" if found.draws == 1 else f"{found.draws} draws of each table"
    return f"{many}; noise: {found.source}"


def _finding(one: Finding) -> list[str]:
    mark = "FLOATING POINT" if one.floating else "REFUTED" if one.flagged else "held"
    certain = " (certain, no draws)" if one.certain else ""
    lines = [
        f"  {mark}: {one.what}{certain}",
        f"    {one.quantity} is at least {one.found:.4g}; {one.allowed:.4g} is claimed",
    ]
    above = one.epsilon is not None and one.told is not None and one.found <= one.allowed
    if one.above and above:
        lines.append(f"    epsilon is at least {one.epsilon:.4g}; {one.told:.4g} is claimed")
    return [*lines, f"    on {one.pair}", f"    by {one.method}"]


def _verdict(found: Attack) -> list[str]:
    if found.flagged:
        return [
            "What leaks is more than what is claimed. A right claim is flagged with probability at",
            f"most {1 - found.confidence:.2g}; where a finding is certain, never.",
        ]
    return [
        "Not flagged is no proof: another pair of tables, another event or more draws may show",
        "more. What is certified rests on its proof, never on this.",
    ]
