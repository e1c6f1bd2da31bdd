"""One release as it is described: text by key, each key where it makes sense."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from .keys import (
    CALIBRATIONS,
    JOINTLY,
    MECHANISMS,
    NORMS,
    RELEASE,
    SIZES,
    THEOREMS,
    Leaf,
    Part,
    keyed,
)
from .limits import MOST_IN_FORMULA, MOST_IN_NOTE, MOST_IN_TITLE

OTHER = "other"
STATED = ("sensitivity", "norm", "why")


@attrs.frozen
class Told:
    """One release as text, by key; empty where nothing is said."""

    name: str
    statistic: str
    mechanism: str = "gaussian"
    std: str = ""
    variance: str = ""
    scale: str = ""
    calibration: str = ""
    share: tuple[str, ...] = ()
    weight: str = ""
    times: str = ""
    sampled: str = ""
    step: str = ""
    sensitivity: str = ""
    norm: str = ""
    why: str = ""
    size: str = ""

    @property
    def trusted(self) -> bool:
        """Whether its sensitivity is stated, not derived."""
        return self.statistic == OTHER


TEXTS = {"name": MOST_IN_TITLE, "why": MOST_IN_NOTE}


def told(part: Part) -> Told:
    """The release of a part of a file. Raises InvalidArgument."""
    given = keyed(part, RELEASE)
    path = f"{part.path} ({given['name'].text(MOST_IN_TITLE)})"
    at = attrs.evolve(part, path=path)
    given = {name: attrs.evolve(one, path=f"{path}, {name}") for name, one in given.items()}
    kept = {field.name for field in attrs.fields(Told)}
    found = {
        name: one.text(TEXTS.get(name, MOST_IN_FORMULA), lines=name == "why")
        for name, one in given.items()
        if name in kept - {"share"}
    }
    share = _shares(given["share"]) if "share" in given else ()
    _check_noise(at, given, found)
    _check_stated(at, found)
    return Told(**found, share=share)


def _shares(part: Part) -> tuple[str, ...]:
    """The amounts, of a list or of one text with commas outside of brackets."""
    if not isinstance(part.tree, Leaf):
        return tuple(one.text(MOST_IN_FORMULA) for one in part.items(part.path, 2))
    amounts = arguments(part.text(MOST_IN_FORMULA))
    if not all(amounts) or len(amounts) > 2:
        part.refuse("one or two amounts, such as epsilon/3, delta/3")
    return tuple(amounts)


def arguments(text: str) -> list[str]:
    """The parts between commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _check_noise(part: Part, given: Mapping[str, Part], found: Mapping[str, str]) -> None:
    """The noise is sized once, in a way that its kind knows."""
    for key, words in (("mechanism", MECHANISMS), ("calibration", THEOREMS), ("norm", NORMS)):
        if key in found:
            given[key].word(words)
    kind = MECHANISMS[found["mechanism"]]
    sizes = [name for name in SIZES if name in found]
    if len(sizes) != 1:
        wanted = f"given noise once: by {' or '.join(_sizes(kind.noise))}"
        part.refuse(wanted, ", ".join(sizes) or "none", "Copy the formula of the paper.")
    if sizes[0] not in _sizes(kind.noise):
        wanted = f"sized by its {kind.noise}, as {found['mechanism']} noise is"
        part.refuse(wanted, sizes[0], "std = sqrt(variance); a scale is no std.")
    chosen = found.get("calibration")
    theorems = [*CALIBRATIONS.get(kind, ()), *([JOINTLY] if kind.kind == "gaussian" else [])]
    if chosen is not None and chosen not in theorems:
        wanted = (
            f"a theorem for {found['mechanism']} noise: {', '.join(theorems) or 'there is none'}"
        )
        way_out = "" if theorems else 'mechanism = "gaussian" costs the same, and has theorems.'
        given["calibration"].refuse(wanted, way_out=way_out)
    if chosen not in (None, JOINTLY) and "share" not in given:
        part.refuse("given a share, from which its theorem sizes the noise", "no share")
    if chosen == JOINTLY and "share" in given:
        given["share"].refuse("left out: releases that are calibrated jointly share everything")
    if "weight" in found and chosen != JOINTLY:
        given["weight"].refuse('left out without calibration = "jointly"')


def _sizes(noise: str) -> tuple[str, ...]:
    return ("std", "variance", "calibration") if noise == "std" else ("scale", "calibration")


def _check_stated(part: Part, found: Mapping[str, str]) -> None:
    """A statistic without a rule states its sensitivity and says why; no other one may."""
    if found["statistic"] == OTHER:
        missing = [name for name in STATED if name not in found]
        if missing:
            wanted = f"complete: {OTHER} needs {', '.join(STATED)}"
            part.refuse(wanted, f"no {', '.join(missing)}", "why cites a theorem or argues.")
    elif stray := [name for name in (*STATED, "size") if name in found]:
        wanted = f"free of {', '.join(stray)}: sensitivities are derived"
        way_out = 'Use claimed_sensitivity to compare; or statistic = "other".'
        part.refuse(wanted, found["statistic"], way_out)
