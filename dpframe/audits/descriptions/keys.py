"""The schema of descriptions: every key, what it takes, and what it means. Files are read by it,
and the JSON Schema for editors is made of it.

The values of a file as text, each with the place where it stands: no number, date or name is
interpreted before the field that it fills is known.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

import attrs

from dpframe import accountants, mechanisms
from dpframe.errors import InvalidArgument, nearest
from dpframe.exact.ring import NAME
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import Calibration
from dpframe.privacy import Relation
from dpframe.sensitivity import L1, L2, RANGE
from dpframe.theory.mechanisms import NOISES

from .limits import MOST_IN_FORMULA, MOST_RELEASES

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that a reader cannot see, or that move what stands around them."""

PLAIN = {"text", "number"}
OF_YOUR_OWN = (
    "A description imports nothing: write the kind of a class of your own, such as 'skewed', and "
    "name the class by trust=[...] in Python or by --trust module:Class."
)


@attrs.frozen
class Leaf:
    """One value as it is written, and what it is: text, a number, a truth value or a date."""

    text: str
    kind: str = "text"


Tree = Leaf | list["Tree"] | dict[str, "Tree"]


def unseen(text: str, *, lines: bool = False) -> str:
    """The first character that no reader would see, by its name; "" where all can be seen."""
    for character in () if text.isprintable() else text:
        if not (lines and character in "\n\t") and unicodedata.category(character) in UNSEEN:
            return unicodedata.name(character, f"U+{ord(character):04X}")
    return ""


def shown(key: str) -> str:
    """A key as messages name it: plain names as they are, others quoted and cut."""
    return key if NAME.match(key) else repr(key[:40])


@attrs.frozen
class Part:
    """A value of a file and its place, such as `adassp.toml: release 2 (gram), std`."""

    tree: Tree
    file: str
    path: str = ""

    @property
    def where(self) -> str:
        """The place, for messages."""
        return f"{self.file}: {self.path}" if self.path else self.file

    def refuse(self, requirement: str, value: object = ..., way_out: str = "") -> NoReturn:
        """Raise InvalidArgument for this place; the value is what stands there if none is given."""
        raise InvalidArgument(
            self.where, requirement, self.seen if value is ... else value, way_out
        )

    def word(self, words: Iterable[str]) -> str:
        """One of these words. Raises InvalidArgument, with the way out for a class of one's own."""
        found = self.text(MOST_IN_FORMULA)
        if found not in words:
            near = "" if ":" in found else nearest(found, words).lstrip()
            near = near if "Did you mean" in near else OF_YOUR_OWN
            self.refuse(f"one of {', '.join(words)}", way_out=near)
        return found

    @property
    def seen(self) -> object:
        """What stands there, short enough to be printed."""
        if isinstance(self.tree, Leaf):
            return self.tree.text[:200]
        return f"{'a list' if isinstance(self.tree, list) else 'a table'} of {len(self.tree)}"

    def inside(self, key: str) -> Part:
        """The part of a table."""
        path = f"{self.path}, {shown(key)}" if self.path else shown(key)
        return attrs.evolve(self, tree=self.table()[key], path=path)

    def table(self) -> Mapping[str, Tree]:
        """The keys. Raises InvalidArgument for what is no table."""
        if not isinstance(self.tree, dict):
            self.refuse("a table of keys")
        return self.tree

    def items(self, each: str, most: int) -> Iterator[Part]:
        """The members of a list, numbered from 1. Raises InvalidArgument."""
        if not isinstance(self.tree, list) or not 0 < len(self.tree) <= most:
            self.refuse(f"a list of 1 to {most}")
        for index, tree in enumerate(self.tree):
            yield attrs.evolve(self, tree=tree, path=f"{each} {index + 1}")

    def text(self, most: int, *, lines: bool = False, numbers: bool = True) -> str:
        """The text. Raises InvalidArgument for other kinds, more characters, unseen ones."""
        leaf = self.tree
        if not isinstance(leaf, Leaf) or leaf.kind not in (PLAIN if numbers else {"text"}):
            self.refuse("text" if not numbers else "text or a number")
        found = leaf.text.replace("\r\n", "\n").strip() if lines else leaf.text.strip()
        if len(found) > most:
            self.refuse(f"at most {most} characters", f"{len(found)} characters")
        hidden = unseen(found, lines=lines)
        if hidden:
            self.refuse("free of characters that cannot be seen", hidden, "Type it anew.")
        if not found:
            self.refuse("not empty", "", "Leave the key out, or give it a value.")
        return found


Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
FORMULA: Schema = {"type": ["string", "number"]}
NUMBER: Schema = {"type": ["string", "number"]}
SHARE: Schema = {"anyOf": [FORMULA, {"type": "array", "items": FORMULA, "minItems": 1}]}
NAMED: Schema = {"type": "object", "additionalProperties": FORMULA}
NAMES: Schema = {"type": "array", "items": TEXT, "minItems": 1}


def theorems_of(noise: type[AdditiveNoise]) -> list[str]:
    """The names of its theorems of calibration."""
    return sorted(name for name, own in vars(noise).items() if isinstance(own, Calibration))


_NOISE: Mapping[str, type[AdditiveNoise]] = {
    one.kind: one
    for one in (getattr(mechanisms, name) for name in dir(mechanisms))
    if isinstance(one, type) and issubclass(one, AdditiveNoise) and "kind" in vars(one)
}
MECHANISMS: Mapping[str, type[AdditiveNoise]] = {
    name.replace("_", " "): _NOISE[name] for name in NOISES
}
JOINTLY = "jointly"
THEOREMS = (
    *dict.fromkeys(name for one in MECHANISMS.values() for name in theorems_of(one)),
    JOINTLY,
)
RELATIONS = tuple(one.option for one in Relation)
ACCOUNTANTS = ("auto", *(one.name for one in accountants.ACCOUNTANTS))
NORMS = {"L1": L1, "L2": L2, "range": RANGE, "each score": RANGE}
SIZES = ("std", "variance", "scale", "calibration")


@attrs.frozen
class Key:
    """One key: its name, what it takes, what it means, whether it must be there."""

    name: str
    takes: Schema
    meaning: str
    required: bool = False
    example: str = ""


def one_of(*words: str) -> Schema:
    """One of these words."""
    return {"enum": list(words)}


CLAIM = (
    Key("epsilon", NUMBER, 'The claimed epsilon: a number, or "any" for every value.', example="1"),
    Key("delta", NUMBER, 'The claimed delta: a number, or "any"; left out or 0 for pure privacy.'),
    Key("rho", NUMBER, "The claimed rho of zero-concentrated privacy, instead of epsilon."),
    Key("mu", NUMBER, "The claimed mu of Gaussian privacy, instead of epsilon."),
    Key("order", NUMBER, "Of a Renyi divergence, a number above 1: epsilon is its bound."),
)
ROWS = (
    Key("norm", NUMBER, 'A bound on the 2-norm of every row, B in formulas: a number or "any".'),
    Key("box", NUMBER, "A bound on every |entry|, box in formulas; B is then sqrt(d) box."),
)
LABELS = (
    Key("bound", NUMBER, 'A bound on every |label|, Y in formulas: a number or "any".'),
    Key("lower", NUMBER, "With upper instead of bound: labels are mapped onto [-1, 1]."),
    Key("upper", NUMBER, "With lower."),
)
RELEASE = (
    Key("name", TEXT, "What the release is called.", required=True, example="gram"),
    Key(
        "statistic",
        TEXT,
        'What is computed from X and y, such as X\'X; or "other".',
        required=True,
        example="X'X",
    ),
    Key(
        "mechanism",
        one_of(*MECHANISMS),
        "The kind of noise, or of selection.",
        required=True,
        example="gaussian",
    ),
    Key("std", FORMULA, "The standard deviation of Gaussian noise; never its variance."),
    Key("variance", FORMULA, "The variance of Gaussian noise, where the paper states that."),
    Key(
        "scale", FORMULA, "The scale b of Laplace noise, whose std is sqrt(2) b; or of a selection."
    ),
    Key(
        "law",
        TEXT,
        'Of noise of a class in trust: its other parameters, such as "left = 2, tail = 1/3".',
    ),
    Key("calibration", one_of(*THEOREMS), "A theorem that sizes the noise, instead of a formula."),
    Key("share", SHARE, "What the paper says this release costs: epsilon/3, delta/3."),
    Key("weight", FORMULA, "Of a release that is calibrated jointly: its part of the squared mu."),
    Key("times", FORMULA, "How often it is drawn anew: a whole number or parameter."),
    Key("sampled", NUMBER, "The rate of a fresh Poisson sample that each draw reads."),
    Key("step", FORMULA, "The step size of a gradient's rounds, where they are to be run."),
    Key("known", TEXT, 'Later formulas may name its value, clipped to this range: "in [-1, 1]".'),
    Key(
        "fails",
        FORMULA,
        "Later formulas may name a lower confidence bound on the statistic, which fails with at "
        "most this probability, a part of delta.",
    ),
    Key("claimed_sensitivity", FORMULA, "What the paper says one row moves; compared, never used."),
    Key("sensitivity", FORMULA, 'Of "other": what one row moves it by, taken on your word.'),
    Key("norm", one_of(*NORMS), 'Of "other": the norm of that sensitivity.'),
    Key("why", TEXT, 'Of "other": the theorem or the argument. It is printed as an assumption.'),
    Key("given", TEXT, 'Of "other": the condition under which its sensitivity holds, if any.'),
    Key("size", FORMULA, 'Of "other": how many numbers it has; 1 where left out.'),
    Key("note", TEXT, "A remark for readers."),
)
OUTPUT = (
    Key(
        "reads",
        NAMES,
        "What the last step reads: names of releases. Reading X, y or a statistic is refused.",
        required=True,
    ),
    Key("note", TEXT, "What it computes."),
)


def table(keys: Sequence[Key]) -> Schema:
    """The JSON Schema of a table."""
    found: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: {"description": key.meaning, **key.takes} for key in keys},
    }
    required = [key.name for key in keys if key.required]
    return {**found, "required": required} if required else found


RELEASES: Schema = {
    "type": "array",
    "items": table(RELEASE),
    "minItems": 1,
    "maxItems": MOST_RELEASES,
}
TOP = (
    Key("title", TEXT, "What the algorithm is called.", required=True),
    Key("paper", TEXT, "Where it stands: author, year, page, number of the algorithm."),
    Key("notes", TEXT, "Remarks for readers."),
    Key("relation", one_of(*RELATIONS), "Who is a neighbour.", required=True),
    Key("rows_per_person", NUMBER, "The most rows of one person; 1 where left out."),
    Key("accountant", one_of(*ACCOUNTANTS), "The argument for the total; auto where left out."),
    Key("claim", table(CLAIM), "What is claimed of all releases together.", required=True),
    Key("rows", table(ROWS), "What bounds the rows of X, for everybody.", required=True),
    Key("labels", table(LABELS), "What bounds the labels y; left out where there are none."),
    Key("parameters", NAMED, 'Public parameters: a number, or a range: gamma = "in (0, 1)".'),
    Key("let", NAMED, "Named formulas, each over the names before it."),
    Key("release", RELEASES, "Every noisy release, in order.", required=True),
    Key("output", table(OUTPUT), "The last step, which reads releases only."),
)
KEPT = (
    Key("title", TEXT, "What the algorithm is called."),
    Key("bounds", NAMED, "Relation and bounds for which sensitivities are stated."),
    *(key for key in TOP if key.name in {"parameters", "let", "release", "output"}),
)
"""The keys of which a graph is built, as a declaration keeps them."""


def keyed(part: Part, keys: Sequence[Key]) -> dict[str, Part]:
    """The parts of a table by key. Raises InvalidArgument for keys that are unknown or missing."""
    found, known = part.table(), [key.name for key in keys]
    for name in found:
        if name not in known:
            near = get_close_matches(name.lower()[:40], known, 1)
            did = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}."
            part.refuse("made of known keys", shown(name), did)
    for key in keys:
        if key.required and key.name not in found:
            written = f"Such as {key.name} = '{key.example}'." if key.example else key.meaning
            part.refuse(f"complete: {key.name} is missing", "no " + key.name, written)
    return {name: part.inside(name) for name in found}


def json_schema() -> Schema:
    """The JSON Schema of description files, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A description of a private algorithm, for dpframe audit",
        **table(TOP),
    }
