"""An algorithm as text: its parameters, named formulas, releases and last step, as a value that is
written and read in one canonical form. Its names are plain and unique.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import attrs

from dpframe.mechanisms import AdditiveNoise
from dpframe.theory.mechanisms import NOISES

from . import limits
from .from_toml import checked, toml_tree
from .functions import Vocabulary
from .keys import (
    CANONICAL,
    JOINTLY,
    LISTED,
    MECHANISMS,
    NORMS,
    OUTPUT,
    SIZES,
    THEOREMS,
    FilePart,
    Leaf,
    field,
    keyed,
    keys_of,
    shown,
    texts,
)

OTHER = "other"
STATED = ("sensitivity", "norm", "why")
REMARKS = ("claimed_sensitivity", "note")


@attrs.frozen
class ReleaseText:
    """One release as text, by key; empty for keys that are left out."""

    name: str = field(
        "The name of the release.", required=True, example="gram", most=limits.IN_TITLE
    )
    statistic: str = field(
        'The statistic of X and y, such as X\'X; or "other".', required=True, example="X'X"
    )
    mechanism: str = field(
        "The kind of noise, or of selection.", required=True, words=tuple(MECHANISMS)
    )
    std: str = field("The standard deviation of Gaussian noise; never its variance.")
    variance: str = field("The variance of Gaussian noise, where the paper states that.")
    scale: str = field("The scale b of Laplace noise (std sqrt(2) b) or of a selection.")
    law: str = field('Other parameters of noise of a class in trust: "left = 2, tail = 1/3".')
    calibration: str = field(
        "A theorem that sizes the noise, instead of a formula.", words=THEOREMS
    )
    share: tuple[str, ...] = field("The cost of this release by the paper: epsilon/3, delta/3.")
    weight: str = field("Of a release that is calibrated jointly: its part of the squared mu.")
    times: str = field("The number of independent draws: a whole number or parameter.")
    sampled: str = field("The rate of a fresh Poisson sample that each draw reads.")
    step: str = field("The step size of a gradient's rounds, where they are to be run.")
    known: str = field('Later formulas may read its value, clipped to this range: "in [-1, 1]".')
    fails: str = field("Later formulas may read a lower bound that fails with this part of delta.")
    claimed_sensitivity: str = field("The move by one row as the paper says; compared, never used.")
    sensitivity: str = field('Of "other": the largest move by one row, assumed as stated.')
    norm: str = field('Of "other": the norm of that sensitivity.', words=tuple(NORMS))
    why: str = field(
        'Of "other": the theorem or the argument. It is printed as an assumption.',
        most=limits.IN_NOTE,
        lines=True,
    )
    given: str = field(
        'Of "other": the condition under which its sensitivity holds, if any.',
        most=limits.IN_NOTE,
        lines=True,
    )
    size: str = field('Of "other": the number of its entries; 1 where left out.')
    note: str = field("A remark for readers.", most=limits.IN_NOTE, lines=True)

    @classmethod
    def of(cls, part: FilePart, vocabulary: Vocabulary) -> ReleaseText:
        """The release of a part of a file. Raises InvalidArgument."""
        name = keyed(part, RELEASE)["name"].text(limits.IN_TITLE)
        at = attrs.evolve(part, path=f"{part.path} ({name})")
        given = keyed(at, RELEASE)
        share = _shares(given["share"]) if "share" in given else ()
        values = texts(given, [key for key in RELEASE if key.name != "share"])
        _check_noise(at, given, values, vocabulary)
        _check_stated(at, values)
        return cls(**values, share=share)

    @property
    def trusted(self) -> bool:
        """Its sensitivity is stated, not derived."""
        return self.statistic == OTHER

    def place(self, key: str = "") -> str:
        """The place of a key, for messages."""
        return f"release {self.name}, {key}" if key else f"release {self.name}"


RELEASE = keys_of(ReleaseText)


def _shares(part: FilePart) -> tuple[str, ...]:
    """The amounts, of a list or of one text with commas outside of brackets."""
    if not isinstance(part.tree, Leaf):
        return tuple(one.text(limits.IN_FORMULA) for one in part.items(part.path, 2))
    amounts = arguments(part.text(limits.IN_FORMULA))
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
    part: FilePart, given: Mapping[str, FilePart], texts: Mapping[str, str], vocabulary: Vocabulary
) -> None:
    """The noise is sized once, in a way that its kind has; each key fits the others."""
    names = {"mechanism": vocabulary.mechanisms, "calibration": vocabulary.theorems, "norm": NORMS}
    for key in names.keys() & texts.keys():
        given[key].word(names[key])
    _check_size(part, texts, vocabulary.mechanisms[texts["mechanism"]])
    _check_theorem(part, given, texts, vocabulary)
    chosen = texts.get("calibration")
    if "known" in texts and "fails" in texts:
        part.refuse("read in one way: as a released number, or as its lower bound", "both")
    listed = vocabulary.mechanisms[texts["mechanism"]].kind in NOISES
    if "law" in texts and (chosen is not None or listed):
        given["law"].refuse("left out: it is of noise of your own whose size is stated")
    if "weight" in texts and chosen != JOINTLY:
        given["weight"].refuse('left out without calibration = "jointly"')


def _check_size(part: FilePart, texts: Mapping[str, str], kind: type[AdditiveNoise]) -> None:
    keys = ("std", "variance") if kind.noise == "std" else ("scale",)
    sizes = [name for name in SIZES if name in texts]
    if len(sizes) != 1:
        wanted = f"given noise once: by {' or '.join((*keys, 'calibration'))}"
        part.refuse(wanted, ", ".join(sizes) or "none", "Copy the formula of the paper.")
    if sizes[0] not in (*keys, "calibration"):
        wanted = f"sized by its {kind.noise}, as {texts['mechanism']} noise is"
        part.refuse(wanted, sizes[0], "std = sqrt(variance); a scale is no std.")


def _check_theorem(
    part: FilePart, given: Mapping[str, FilePart], texts: Mapping[str, str], vocabulary: Vocabulary
) -> None:
    mechanism, chosen = texts["mechanism"], texts.get("calibration")
    theorems = vocabulary.theorems_for(vocabulary.mechanisms[mechanism])
    if chosen is not None and chosen not in theorems:
        wanted = f"a theorem for {mechanism} noise: {', '.join(theorems) or 'there is none'}"
        way_out = "" if theorems else 'mechanism = "gaussian" costs the same, and has theorems.'
        given["calibration"].refuse(wanted, way_out=way_out)
    if chosen not in (None, JOINTLY) and "share" not in given:
        part.refuse("given a share, from which its theorem sizes the noise", "no share")
    if chosen == JOINTLY and "share" in given:
        given["share"].refuse("left out: releases that are calibrated jointly share everything")


def _check_stated(part: FilePart, texts: Mapping[str, str]) -> None:
    """A statistic without a rule states its sensitivity and why; no other one may."""
    if texts["statistic"] == OTHER:
        missing = [name for name in STATED if name not in texts]
        if missing:
            wanted = f"complete: {OTHER} needs {', '.join(STATED)}"
            part.refuse(wanted, f"no {', '.join(missing)}", "why cites a theorem or argues.")
    elif stray := [name for name in (*STATED, "given", "size") if name in texts]:
        wanted = f"free of {', '.join(stray)}: sensitivities are derived"
        way_out = 'Use claimed_sensitivity to compare; or statistic = "other".'
        part.refuse(wanted, texts["statistic"], way_out)


NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]{0,39}\Z")
SHARED_NAMES = {
    "X": "the rows",
    "y": "the labels",
    "n": "the number of rows",
    "d": "the number of columns",
    "B": "the bound on the norm of a row",
    "Y": "the bound on a label",
    "box": "the bound on an entry",
    **dict.fromkeys(("epsilon", "delta", "rho", "mu", "order"), "of the claim"),
    "any": "every value",
    "other": "a statistic without a rule",
}
"""Names of every description."""


def _check_name(
    part: FilePart, name: str, taken: Mapping[str, str], vocabulary: Vocabulary
) -> None:
    """A name is plain and unused. A release may have the name of a function: no formula reads it.
    Raises InvalidArgument.
    """
    if not NAME.match(name):
        wanted = "named by a letter, then up to 39 letters, digits and underscores of plain ASCII"
        part.refuse(wanted, shown(name), "Such as gamma or T.")
    if name in SHARED_NAMES:
        reserved = f"Reserved are {', '.join(SHARED_NAMES)}."
        way_out = "Write columns = 10 in [rows]." if name == "d" else reserved
        wanted = f"free of reserved names: {name} is {SHARED_NAMES[name]}"
        part.refuse(wanted, name, way_out)
    if name in vocabulary.functions and not part.path.startswith("release"):
        reserved = f"{', '.join(SHARED_NAMES)}, and the functions, listed in {LISTED}"
        wanted = f"free of reserved names: {name} is a function"
        part.refuse(wanted, name, f"Reserved are {reserved}.")
    if name in taken:
        part.refuse(f"named once: {name} stands in {taken[name]} already", name)


Pairs = tuple[tuple[str, str], ...]


@attrs.frozen
class Algorithm:
    """The text of which a graph is built. `bounds` are those of rows and labels, with the relation,
    where a stated sensitivity holds for them only.
    """

    releases: tuple[ReleaseText, ...]
    title: str = ""
    parameters: Pairs = ()
    let: Pairs = ()
    reads: tuple[str, ...] = ()
    bounds: Pairs = ()

    @classmethod
    def read(cls, text: str, vocabulary: Vocabulary) -> Algorithm:
        """The algorithm of its canonical text. Raises InvalidArgument."""
        tree = toml_tree(checked(text, "declaration"), "declaration")
        parts = keyed(FilePart(tree, "declaration"), CANONICAL)
        return attrs.evolve(cls.of(parts, vocabulary), bounds=_pairs(parts, "bounds", 10))

    @classmethod
    def of(cls, parts: Mapping[str, FilePart], vocabulary: Vocabulary) -> Algorithm:
        """The algorithm of the parts of a file. Raises InvalidArgument."""
        output = keyed(parts["output"], OUTPUT) if "output" in parts else {}
        title = parts["title"].text(limits.IN_TITLE, numbers=False) if "title" in parts else ""
        entries = list(parts["release"].items("release", limits.RELEASES))
        reads = output["reads"].items("reads", limits.RELEASES) if output else ()
        algorithm = cls(
            title=title,
            parameters=_pairs(parts, "parameters", limits.PARAMETERS),
            let=_pairs(parts, "let", limits.FORMULAS),
            releases=tuple(ReleaseText.of(one, vocabulary) for one in entries),
            reads=tuple(one.text(limits.IN_FORMULA) for one in reads),
        )
        names = [(parts["parameters"], name) for name, _ in algorithm.parameters]
        names += [(parts["let"], name) for name, _ in algorithm.let]
        names += zip(entries, (one.name for one in algorithm.releases), strict=True)
        taken: dict[str, str] = {}
        for part, name in names:
            _check_name(part, name, taken, vocabulary)
            taken[name] = part.path
        if '"' in title:
            parts["title"].refuse("free of double quotes", way_out="They mark where it ends.")
        return algorithm

    def __str__(self) -> str:
        """The canonical text, in TOML."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _assigned({"title": self.title}.items())
        for table in ("bounds", "parameters", "let"):
            pairs = getattr(self, table)
            yield from [f"[{table}]", *_assigned(pairs)] if pairs else ()
        for one in self.releases:
            texts_of = {key.name: getattr(one, key.name) for key in RELEASE}
            pairs = [pair for pair in texts_of.items() if pair[0] not in REMARKS]
            yield from ("[[release]]", *_assigned(pairs))
        if self.reads:
            yield from ("[output]", *_assigned({"reads": self.reads}.items()))


def _assigned(pairs: Iterable[tuple[str, object]]) -> Iterator[str]:
    for name, value in pairs:
        if value:
            yield f"{name} = {json.dumps(value, ensure_ascii=False)}"


def _pairs(parts: Mapping[str, FilePart], table: str, most: int) -> Pairs:
    """Names with their texts, in order."""
    if table not in parts:
        return ()
    part, names = parts[table], parts[table].table()
    if len(names) > most:
        part.refuse(f"a table of at most {most} names", f"{len(names)} names")
    return tuple((name, part.inside(name).text(limits.IN_FORMULA)) for name in names)
