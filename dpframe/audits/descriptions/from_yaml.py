"""Text in YAML as a tree of values that nobody has interpreted yet: read event by event, without
anchors, aliases, merged keys, tags or a constructor of any kind.

Scalars stay as they are written, so none of YAML's guesses happens: `no` is the text no, `1e-6` and
`1:30` are what they look like.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from dpframe.errors import InvalidArgument, MissingExtra

from .limits import MOST_NESTED, MOST_VALUES
from .part import Leaf, Tree, shown

EMPTY = {"", "~", "null", "Null", "NULL"}
ONCE = "Write the value out where it is used."


def yaml_tree(text: str, name: str) -> dict[str, Tree]:
    """The tree. Raises InvalidArgument for what is no plain YAML; MissingExtra without PyYAML."""
    try:
        import yaml
    except ImportError:
        raise MissingExtra("PyYAML", "yaml") from None
    try:
        return _Reader(yaml.parse(text, Loader=yaml.SafeLoader), name).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = name if mark is None else f"{name}, line {mark.line + 1}"
        said = str(getattr(error, "problem", None) or "a document that cannot be read")[:160]
        raise InvalidArgument(where, "valid YAML", said, "Indent by spaces.") from None


class _Reader:
    """The events of one document, taken one at a time; refuses at the first that is not plain."""

    def __init__(self, events: Iterator[Any], name: str) -> None:
        self.events, self.name = events, name
        self.depth = self.taken = 0

    def next(self) -> tuple[str, Any]:
        event = next(self.events)
        self.taken += 1
        if self.taken > MOST_VALUES:
            self.refuse(event, f"a file of at most {MOST_VALUES} keys and values", "more of them")
        if getattr(event, "anchor", None) is not None:
            self.refuse(event, "free of anchors and aliases", f"{event.anchor[:40]!r}", ONCE)
        if getattr(event, "tag", None) is not None or getattr(event, "tags", None):
            self.refuse(event, "free of tags", str(getattr(event, "tag", None))[:40], "")
        return type(event).__name__.removesuffix("Event"), event

    def refuse(self, event: Any, wanted: str, found: object, way_out: str = "") -> NoReturn:
        where = f"{self.name}, line {event.start_mark.line + 1}"
        raise InvalidArgument(where, wanted, found, way_out)

    def document(self) -> dict[str, Tree]:
        kind, event = self.next()  # the start of the stream
        kind, event = self.next()
        if kind == "StreamEnd":
            self.refuse(event, "a table of keys", "an empty file", "")
        kind, event = self.next()
        found = self.value(kind, event)
        if not isinstance(found, dict):
            self.refuse(event, "a table of keys", "a list or a single value", "title: ...")
        self.next()  # the end of the document
        kind, event = self.next()
        if kind != "StreamEnd":
            self.refuse(event, "one document", "several", "Put each into a file of its own.")
        return found

    def value(self, kind: str, event: Any) -> Tree:
        if kind == "Scalar":
            nothing = event.style is None and event.value in EMPTY
            return Leaf(event.value, "nothing" if nothing else "text", event.start_mark.line + 1)
        self.depth += 1
        if self.depth > MOST_NESTED:
            wanted = f"tables and lists nested at most {MOST_NESTED} deep"
            self.refuse(event, wanted, "deeper ones")
        found = self.sequence() if kind == "SequenceStart" else self.mapping()
        self.depth -= 1
        return found

    def sequence(self) -> list[Tree]:
        found: list[Tree] = []
        while True:
            kind, event = self.next()
            if kind == "SequenceEnd":
                return found
            found.append(self.value(kind, event))

    def mapping(self) -> dict[str, Tree]:
        found: dict[str, Tree] = {}
        while True:
            kind, event = self.next()
            if kind == "MappingEnd":
                return found
            if kind != "Scalar":
                self.refuse(event, "keys that are names", "a list or a table as a key")
            if event.value == "<<":
                self.refuse(event, "free of merged keys", "<<", ONCE)
            if event.value in found:
                self.refuse(event, "keys that occur once in their table", shown(event.value))
            found[event.value] = self.value(*self.next())
