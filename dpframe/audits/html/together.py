"""What everything costs together, under every accountant, and in a second opinion."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction

from dpframe.prover import Verdict

from ..figures import clipped, exactly
from ..findings import Findings, Opinion
from ..joint_cost import JointCost
from ..lines import lower_end
from .elements import DASH, Content, Element, element, given, plain_words, range_of, shown, words
from .interval_picture import Scale, interval_picture, scale_of
from .parts import Section, cell, heading, paragraph, table

NAME = 80
TIGHT = Fraction(1, 10**9)  # more than rounding adds to an exact calibration


def together(found: Findings, known: Collection[str]) -> Iterator[Section]:
    """The joint cost under every accountant, tightest first, and dp_accounting's number."""
    contents: list[Content] = []
    if found.opinions:  # else private data is published, and nothing bounds the whole
        contents += [*example(found), *_joint(found.audit.joint, known)]
        contents += [_accountants(found, known), *_scale_words(found)]
    if found.second is not None:
        contents += [element("h3", "A second opinion"), *_second(found.second, known)]
    if contents:
        yield Section("together", "What everything costs together", tuple(contents))


def _joint(cost: JointCost | None, known: Collection[str]) -> Iterator[Element]:
    if cost is None or cost.sampled:
        return
    size = range_of(cost.mu)
    equal = "= " if size[:1].isdigit() else ""
    said = (
        "The costliest pair of neighbours sees all releases together as one Gaussian release, of "
        f"sensitivity over standard deviation mu {equal}{size} ({cost.rule})."
    )
    yield paragraph(*words(said, known))


def _claimed(found: Findings) -> Fraction | None:
    """epsilon of the claim; that of the example where it is symbolic."""
    if "epsilon" not in found.audit.target.currency:
        return None
    value = lower_end(found.audit.target.amounts[0])
    return found.at.get("epsilon") if value is None else value


def _accountants(found: Findings, known: Collection[str]) -> Element:
    claimed = _claimed(found)
    scale = scale_of(found.opinions, None if claimed is None else float(claimed))
    rows = [
        [*_row(one, scale, known), cell(_against(one, claimed, found.audit.verdict))]
        for one in found.opinions
    ]
    caption = plain_words(
        f"Bounds on epsilon at delta = {given(found.opinions[0].delta)}, tightest first"
    )
    drawn = "powers of ten" if scale is not None and scale.logarithmic else "from 0"
    head = ["accountant", "at least", "at most", f"drawn, {drawn}", "against the claim"]
    return table("accountants", caption, head, rows, [1, 2])


def _row(one: Opinion, scale: Scale | None, known: Collection[str]) -> list[Element]:
    says = element("span", *words(f"{clipped(one.says, 300)} {one.source}", known), class_="under")
    name = heading(element("span", clipped(one.name, NAME), class_="name"), says)
    picture = cell(interval_picture(one, scale)) if scale else cell()
    return [
        name,
        cell(shown(one.lower, "down"), class_="number"),
        cell("no answer" if one.upper is None else shown(one.upper, "up"), class_="number"),
        picture,
    ]


def _against(one: Opinion, claimed: Fraction | None, verdict: Verdict) -> str:
    """What this answer says of the claim. Only where that is proved, a hair above it is inside."""
    if one.upper is None or not one.applies:
        return "does not apply"
    if claimed is None:
        return DASH
    if one.lower is not None and one.lower > claimed:
        return "above it: the claim is false"
    room = TIGHT if verdict is Verdict.PROVED else 0
    return "inside it" if one.upper <= claimed * (1 + room) else "does not prove it"


def _scale_words(found: Findings) -> Iterator[Element]:
    claimed = _claimed(found)
    line = (
        "" if claimed is None else f" The broken line is the claim, epsilon = {exactly(claimed)}."
    )
    yield paragraph(
        *words(
            "At least: some pair of neighbours costs so much. At most: so much is enough, whatever "
            f"the tables are. A dot is the upper bound.{line}"
        ),
        class_="note",
    )


def _second(one: Opinion, known: Collection[str]) -> Iterator[Element]:
    if one.upper is not None and one.applies:
        text = f"{one.name}: epsilon {shown(one.upper, digits=5)} at delta = {given(one.delta)}."
        yield paragraph(element("strong", *words(text)))
    else:
        yield paragraph(element("strong", *words(f"{one.name}: no answer.")))
    limits = f"{one.says[:1].upper()}{clipped(one.says, 600)[1:]} {one.source}".strip()
    yield paragraph(*words(limits, known), class_="note")


def example(found: Findings) -> Iterator[Element]:
    """At which numbers costs are stated, where the claim has letters."""
    if found.at:
        at = ", ".join(f"{name} = {exactly(value)}" for name, value in found.at.items())
        yield paragraph(*words(f"By way of example, at {at}; elsewhere it may differ."))
