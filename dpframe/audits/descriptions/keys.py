"""The schema of descriptions: every key and its meaning.

The values of a file are text with a place: no number, date or name is interpreted before its key
is known.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn

import attrs

from dpframe import accountants, mechanisms
from dpframe.errors import InvalidArgument, nearest, some
from dpframe.exact.ring import NAME
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import Calibration
from dpframe.privacy import Relation
from dpframe.sensitivity import L1, L2, RANGE
from dpframe.theory.mechanisms import NOISES

from . import limits

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that a reader cannot see, or that move the characters around them."""

PLAIN = {"text", "number"}
LISTED = "docs/describing.md"  # every key, name and function
OF_YOUR_OWN = (
    "A description imports nothing: write the kind of a class of your own, such as 'skewed', and "
    "name the class by trust=[...] in Python or by --trust module:Class."
)


@attrs.frozen
class Leaf:
    """One value as it is written, and its kind: text, a number, a truth value or a date."""

    text: str
    kind: str = "text"


Tree = Leaf | list["Tree"] | dict[str, "Tree"]


def unseen(text: str, *, lines: bool = False) -> str:
    """The name of the first invisible character; "" if there is none."""
    for character in () if text.isprintable() else text:
        if not (lines and character in "\n\t") and unicodedata.category(character) in UNSEEN:
            return unicodedata.name(character, f"U+{ord(character):04X}")
    return ""


def shown(key: str) -> str:
    """A key as messages name it: plain names as they are, others quoted and cut."""
    return key if NAME.match(key) else repr(key[:40])


@attrs.frozen
class FilePart:
    """A value of a file and its place, such as `adassp.toml: release 2 (gram), std`."""

    tree: Tree
    file: str
    path: str = ""

    @property
    def where(self) -> str:
        """The place, for messages."""
        return f"{self.file}: {self.path}" if self.path else self.file

    def refuse(self, requirement: str, value: object = ..., way_out: str = "") -> NoReturn:
        """Raise InvalidArgument for this place and, by default, its value."""
        given = self.summary if value is ... else value
        raise InvalidArgument(self.where, requirement, given, way_out)

    def word(self, words: Iterable[str]) -> str:
        """One of these words. Raises InvalidArgument, with the way out for a class from outside."""
        word = self.text(limits.IN_FORMULA)
        if word not in words:
            near = "" if ":" in word else nearest(word, words).lstrip()
            self.refuse(f"one of {some(words, word, LISTED)}", way_out=near or OF_YOUR_OWN)
        return word

    @property
    def summary(self) -> object:
        """The value, short enough to be printed."""
        if isinstance(self.tree, Leaf):
            return self.tree.text[:200]
        return f"{'a list' if isinstance(self.tree, list) else 'a table'} of {len(self.tree)}"

    def inside(self, key: str) -> FilePart:
        """The part of a table."""
        path = f"{self.path}, {shown(key)}" if self.path else shown(key)
        return attrs.evolve(self, tree=self.table()[key], path=path)

    def table(self) -> Mapping[str, Tree]:
        """The keys. Raises InvalidArgument for any other value."""
        if not isinstance(self.tree, dict):
            self.refuse("a table of keys")
        return self.tree

    def items(self, each: str, most: int) -> Iterator[FilePart]:
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
        text = leaf.text.replace("\r\n", "\n").strip() if lines else leaf.text.strip()
        if len(text) > most:
            self.refuse(f"at most {most} characters", f"{len(text)} characters")
        hidden = unseen(text, lines=lines)
        if hidden:
            self.refuse("free of characters that cannot be seen", hidden, "Type it anew.")
        if not text:
            self.refuse("not empty", "", "Leave the key out, or give it a value.")
        return text


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
    """One key: its name, its meaning, the `words` of which its value is one, if any, and how many
    characters it may have, in one line or in several `lines`.
    """

    name: str
    meaning: str
    words: tuple[str, ...] = ()
    example: str = ""
    required: bool = False
    most: int = limits.IN_FORMULA
    lines: bool = False


def field(meaning: str, **of: Any) -> Any:
    """A field of a table, "" where the file leaves its key out: the key stands beside it."""
    default = attrs.NOTHING if of.get("required") else ""
    return attrs.field(default=default, metadata={"meaning": meaning, **of})


def keys_of(table: type) -> tuple[Key, ...]:
    """The keys of a table, in the order of its fields."""
    return tuple(Key(one.name, **one.metadata) for one in attrs.fields(table))


def texts(given: Mapping[str, FilePart], keys: Iterable[Key]) -> dict[str, str]:
    """The texts of the parts of a table, by key. Raises InvalidArgument."""
    own = {key.name: key for key in keys if key.name in given}
    return {name: given[name].text(key.most, lines=key.lines) for name, key in own.items()}


required = partial(Key, required=True)
CLAIM = (
    Key("epsilon", 'The claimed epsilon: a number, or "any" for every value.', example="1"),
    Key("delta", 'The claimed delta: a number, or "any"; left out or 0 for pure privacy.'),
    Key("rho", "The claimed rho of zero-concentrated privacy, instead of epsilon."),
    Key("mu", "The claimed mu of Gaussian privacy, instead of epsilon."),
    Key("order", "Of a Renyi divergence, a number above 1: epsilon is its bound."),
)
ROWS = (
    Key("norm", 'A bound on the 2-norm of every row, B in formulas: a number or "any".'),
    Key("box", "A bound on every |entry|, box in formulas; B is then sqrt(d) box."),
    Key("columns", "The public number of columns, d in formulas; every d where left out."),
)
LABELS = (
    Key("bound", 'A bound on every |label|, Y in formulas: a number or "any".'),
    Key("lower", "With upper instead of bound: labels are mapped onto [-1, 1]."),
    Key("upper", "With lower."),
)
OUTPUT = (
    required("reads", "Inputs of the last step: names of releases. Statistics are refused."),
    Key("note", "The quantity that it computes."),
)


TOP = (
    required("title", "The name of the algorithm."),
    Key("paper", "The source: author, year, page, number of the algorithm."),
    Key("notes", "Remarks for readers."),
    required("relation", "The neighbouring relation.", words=RELATIONS),
    Key("rows_per_person", "The most rows of one person; 1 where left out."),
    Key("accountant", "The argument for the total; auto where left out.", words=ACCOUNTANTS),
    required("claim", "The guarantee claimed of all releases together."),
    required("rows", "The bounds on every row of X."),
    Key("labels", "The bounds on the labels y; left out where there are none."),
    Key("parameters", 'Public parameters: a number, or a range: gamma = "in (0, 1)".'),
    Key("let", "Named formulas, each over the names before it."),
    required("release", "Every noisy release, in order."),
    Key("output", "The last step, which reads releases only."),
)
CANONICAL = (
    Key("title", "The name of the algorithm."),
    Key("bounds", "Relation and bounds for which sensitivities are stated."),
    *(key for key in TOP if key.name in {"parameters", "let", "release", "output"}),
)
"""The keys of the canonical text, of which a graph is built."""


def keyed(part: FilePart, keys: Sequence[Key]) -> dict[str, FilePart]:
    """The parts of a table by key. Raises InvalidArgument for keys that are unknown or missing."""
    given, names = part.table(), [key.name for key in keys]
    for name in given:
        if name not in names:
            near = get_close_matches(name.lower()[:40], names, 1)
            way_out = (
                f"Did you mean {near[0]}?" if near else f"Known here: {some(names, name, LISTED)}."
            )
            part.refuse("made of known keys", shown(name), way_out)
    for key in keys:
        if key.required and key.name not in given:
            written = f"Such as {key.name} = '{key.example}'." if key.example else key.meaning
            part.refuse(f"complete: {key.name} is missing", "no " + key.name, written)
    return {name: part.inside(name) for name in given}
