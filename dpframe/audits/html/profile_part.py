"""The privacy profile: what it says of the claim, the picture, some points as numbers."""

from __future__ import annotations

from dpframe.prover import Verdict

from ..findings import Findings, Profile
from .elements import DASH, Element, element, given, shown, words
from .parts import Section, cell, framed, paragraph, table
from .profile_picture import profile_picture
from .together import example

ROWS = 7  # points that are given as numbers
SHARP = "The line is exact to more digits than are drawn."
BELOW = "The line is an upper bound; the truth lies on it or below."
BAND = (
    "The unbroken line is enough for every pair of tables, the broken line is reached by some "
    "pair; the truth lies between."
)


def profile(found: Findings, drawn: Profile) -> Section:
    """The privacy profile, drawn and as numbers."""
    figure = element(
        "figure",
        framed(profile_picture(drawn), "Privacy profile"),
        element("figcaption", *_caption(drawn)),
    )
    judged = paragraph(*words(_judged(drawn, found.audit.verdict)), class_="finding")
    contents = (*example(found), judged, figure, _points(drawn))
    return Section("profile", "The privacy profile", contents)


def _caption(found: Profile) -> list[Element]:
    known = any(found.lower)
    sharp = all(b - a <= 1e-6 * b for a, b in zip(found.lower, found.upper, strict=True))
    band = SHARP if sharp else BAND if known else BELOW
    text = f"delta of all releases over epsilon, delta in powers of ten ({found.rule}). {band}"
    point = " The cross in the ring is the claim." if found.claimed else ""
    return [paragraph(*words(text + point))]


def _judged(found: Profile, verdict: Verdict) -> str:
    """Where the curve passes the claim, in words."""
    if found.claimed is None:
        return "The claim is not one of epsilon and delta, so it is no point of this picture."
    epsilon, delta = found.claimed
    text = (
        f"The claim is epsilon = {given(epsilon)} with delta = {given(delta)}: it holds where the "
        "curve stays out of the hatched part."
    )
    rows = list(zip(found.epsilons, found.lower, found.upper, strict=True))
    before = [upper for e, _, upper in rows if e <= epsilon]
    if any(e >= epsilon and low > delta for e, low, _ in rows):
        return f"{text} It does not: the claim fails."
    if verdict is Verdict.PROVED or (before and before[-1] <= delta):
        return f"{text} It does."
    return f"{text} The bounds lie on both sides of the claim."


def _points(found: Profile) -> Element:
    step = max(1, (len(found.epsilons) - 1) // (ROWS - 1))
    places = range(0, len(found.epsilons), step)
    rows = [
        [
            element("th", shown(found.epsilons[i]), scope="row", class_="number"),
            cell(shown(found.lower[i], "down") if any(found.lower) else DASH, class_="number"),
            cell(shown(found.upper[i], "up"), class_="number"),
        ]
        for i in places
    ]
    return table(
        "profile",
        "Some points of the profile",
        ("ε", "δ at least", "δ at most"),
        rows,
        [0, 1, 2],
        narrow=True,
    )
