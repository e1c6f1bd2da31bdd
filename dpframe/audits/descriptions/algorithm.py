"""An algorithm as text: its parameters, named formulas, releases and last step, as a value that is
written and read in one canonical form. The names that it gives are plain, and each of them new;
each key of a release stands where it makes sense.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import attrs

from dpframe.theory.mechanisms import NOISES

from .from_toml import checked, toml_tree
from .keys import (
    JOINTLY,
    KEPT,
    NORMS,
    OUTPUT,
    RELEASE,
    SIZES,
    Leaf,
    Part,
    keyed,
    shown,
)
from .limits import (
    MOST_FORMULAS,
    MOST_IN_FORMULA,
    MOST_IN_NOTE,
    MOST_IN_TITLE,
    MOST_PARAMETERS,
    MOST_RELEASES,
)
from .words import Words

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
    law: str = ""
    calibration: str = ""
    share: tuple[str, ...] = ()
    weight: str = ""
    times: str = ""
    sampled: str = ""
    step: str = ""
    known: str = ""
    fails: str = ""
    sensitivity: str = ""
    norm: str = ""
    why: str = ""
    given: str = ""
    size: str = ""

    @property
    def trusted(self) -> bool:
        """Whether its sensitivity is stated, not derived."""
        return self.statistic == OTHER


TEXTS = {"name": MOST_IN_TITLE, "why": MOST_IN_NOTE, "given": MOST_IN_NOTE}


def told(part: Part, words: Words) -> Told:
    """The release of a part of a file. Raises InvalidArgument."""
    given = keyed(part, RELEASE)
    path = f"{part.path} ({given['name'].text(MOST_IN_TITLE)})"
    at = attrs.evolve(part, path=path)
    given = {name: attrs.evolve(one, path=f"{path}, {name}") for name, one in given.items()}
    kept = {field.name for field in attrs.fields(Told)}
    found = {
        name: one.text(TEXTS.get(name, MOST_IN_FORMULA), lines=name in {"why", "given"})
        for name, one in given.items()
        if name in kept - {"share"}
    }
    share = _shares(given["share"]) if "share" in given else ()
    _check_noise(at, given, found, words)
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


def _check_noise(
    part: Part, given: Mapping[str, Part], found: Mapping[str, str], words: Words
) -> None:
    """The noise is sized once, in a way that its kind knows."""
    known = {"mechanism": words.mechanisms, "calibration": words.theorems, "norm": NORMS}
    for key, some in known.items():
        if key in found:
            given[key].word(some)
    kind = words.mechanisms[found["mechanism"]]
    sizes = [name for name in SIZES if name in found]
    if len(sizes) != 1:
        wanted = f"given noise once: by {' or '.join(_sizes(kind.noise))}"
        part.refuse(wanted, ", ".join(sizes) or "none", "Copy the formula of the paper.")
    if sizes[0] not in _sizes(kind.noise):
        wanted = f"sized by its {kind.noise}, as {found['mechanism']} noise is"
        part.refuse(wanted, sizes[0], "std = sqrt(variance); a scale is no std.")
    chosen = found.get("calibration")
    theorems = words.theorems_for(kind)
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
    if "known" in found and "fails" in found:
        part.refuse("read in one way: as a released number, or as its lower bound", "both")
    if "law" in found and (chosen is not None or kind.kind in NOISES):
        given["law"].refuse("left out: it is of noise of your own whose size is stated")
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
    elif stray := [name for name in (*STATED, "given", "size") if name in found]:
        wanted = f"free of {', '.join(stray)}: sensitivities are derived"
        way_out = 'Use claimed_sensitivity to compare; or statistic = "other".'
        part.refuse(wanted, found["statistic"], way_out)


NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]{0,39}\Z")
OWN = {
    "X": "the rows",
    "y": "the labels",
    "n": "the number of rows",
    "d": "the number of columns",
    "B": "the bound on the norm of a row",
    "Y": "the bound on a label",
    "box": "the bound on an entry",
    "epsilon": "of the claim",
    "delta": "of the claim",
    "rho": "of the claim",
    "mu": "of the claim",
    "order": "of the claim",
    "any": "every value",
    "other": "a statistic without a rule",
}
"""Names that every description shares."""


def fresh(part: Part, name: str, taken: Mapping[str, str], words: Words) -> None:
    """Refuse a name that is no plain one, or that means something else already. A release may be
    called like a function: no formula reads it. Raises InvalidArgument.
    """
    if not NAME.match(name):
        wanted = "named by a letter, then up to 39 letters, digits and underscores of plain ASCII"
        part.refuse(wanted, shown(name), "Such as gamma or T.")
    if name in OWN:
        way_out = f"Reserved are {', '.join(OWN)}."
        part.refuse(f"free of reserved names: {name} is {OWN[name]}", name, way_out)
    if name in words.functions and not part.path.startswith("release"):
        way_out = f"Reserved are {', '.join(OWN)}, and the functions {', '.join(words.functions)}."
        part.refuse(f"free of reserved names: {name} is a function", name, way_out)
    if name in taken:
        part.refuse(f"named once: {name} stands in {taken[name]} already", name)


@attrs.frozen
class Algorithm:
    """All that a graph is built of. `bounds` are those of rows and labels, with the relation, where
    a stated sensitivity holds for them only.
    """

    releases: tuple[Told, ...]
    title: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    let: tuple[tuple[str, str], ...] = ()
    reads: tuple[str, ...] = ()
    bounds: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, text: str, words: Words) -> Algorithm:
        """The algorithm of its canonical text. Raises InvalidArgument."""
        tree = toml_tree(checked(text, "declaration"), "declaration")
        parts = keyed(Part(tree, "declaration"), KEPT)
        bounds = parts.get("bounds")
        found = algorithm(parts, words)
        return found if bounds is None else attrs.evolve(found, bounds=_pairs(bounds, 10))

    def __str__(self) -> str:
        """The canonical text, in TOML."""
        return "\n".join(_lines(self)) + "\n"


def _lines(found: Algorithm) -> Iterator[str]:
    tables = {"bounds": found.bounds, "parameters": found.parameters, "let": found.let}
    if found.title:
        yield f"title = {_quoted(found.title)}"
    for table, pairs in tables.items():
        if pairs:
            yield f"[{table}]"
            yield from (f"{name} = {_quoted(text)}" for name, text in pairs)
    for one in found.releases:
        yield "[[release]]"
        for key, value in attrs.asdict(one).items():
            if value:
                yield f"{key} = {_quoted(value)}"
    if found.reads:
        yield f"[output]\nreads = {_quoted(found.reads)}"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def algorithm(parts: Mapping[str, Part], words: Words) -> Algorithm:
    """The algorithm of the parts of a file. Raises InvalidArgument."""
    parameters, let = parts.get("parameters"), parts.get("let")
    output = keyed(parts["output"], OUTPUT) if "output" in parts else {}
    found = Algorithm(
        title=parts["title"].text(MOST_IN_TITLE, numbers=False) if "title" in parts else "",
        parameters=() if parameters is None else _pairs(parameters, MOST_PARAMETERS),
        let=() if let is None else _pairs(let, MOST_FORMULAS),
        releases=tuple(
            told(one, words) for one in parts["release"].items("release", MOST_RELEASES)
        ),
        reads=tuple(
            one.text(MOST_IN_FORMULA)
            for one in (output["reads"].items("reads", MOST_RELEASES) if output else ())
        ),
    )
    _refuse_collisions(parts, found, words)
    if '"' in found.title:
        parts["title"].refuse("free of double quotes", way_out="They mark where it ends.")
    return found


def _pairs(part: Part, most: int) -> tuple[tuple[str, str], ...]:
    """Names with their texts, in order."""
    found = part.table()
    if len(found) > most:
        part.refuse(f"a table of at most {most} names", f"{len(found)} names")
    return tuple((name, part.inside(name).text(MOST_IN_FORMULA)) for name in found)


def _refuse_collisions(parts: Mapping[str, Part], found: Algorithm, words: Words) -> None:
    """Every name means one thing."""
    taken: dict[str, str] = {}
    named = [
        (parts[table], table, name)
        for table in ("parameters", "let")
        if table in parts
        for name in parts[table].table()
    ]
    entries = parts["release"].items("release", MOST_RELEASES)
    named += [
        (part, part.path, one.name) for part, one in zip(entries, found.releases, strict=True)
    ]
    for part, place, name in named:
        fresh(part, name, taken, words)
        taken[name] = place
