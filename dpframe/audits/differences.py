"""What tells two certificates apart: their claims, their graphs, their noise, their assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.numerics import arb_upper
from dpframe.privacy.guarantees import GUARANTEES
from dpframe.prover import Certificate
from dpframe.prover.algebra import enclose
from dpframe.symbols import Symbol, parameter
from dpframe.symbols.text import from_json
from dpframe.theory.book import answers_of

from .figures import figure, hanging, tidy

Document = Mapping[str, Any]
NEEDED = ("statement", "graph", "assumptions", "hash")
CLAIMED = {
    "target": "claim",
    "relation": "relation",
    "rows_per_person": "rows per person",
    "derivation": "derivation",
    "values": "numbers given",
    "region": "region",
}
FIELDS = {"size": "noise", "times": "draws", "arguments": "formulas", "digest": "code"}
SILENT = {"id", "kind", "inputs", "name"}
NONE = "none"


@attrs.frozen
class Change:
    """At `place` it said `before` and says `after`, "" where there was or is nothing; `note`
    compares numbers.
    """

    place: str
    before: str
    after: str
    note: str = ""

    def __str__(self) -> str:
        """`~ noise of gram(gram(X)): 11.85 -> 7.317   (0.618 times)`."""
        if not self.before:
            return f"+ {self.place}: {self.after}"
        if not self.after:
            return f"- {self.place}: {self.before}"
        note = f"   ({self.note})" if self.note else ""
        return f"~ {self.place}: {self.before} -> {self.after}{note}"


@attrs.frozen(repr=False, str=False)
class Difference:
    """`changes` from the first certificate to the second; none where their hashes agree."""

    first: str
    second: str
    changes: tuple[Change, ...]

    @property
    def same(self) -> bool:
        """Whether both prove the same claim of the same graph under the same assumptions."""
        return self.first == self.second

    def records(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "same": self.same,
            "first": self.first,
            "second": self.second,
            "changes": [attrs.asdict(change) for change in self.changes],
        }

    def __str__(self) -> str:
        """A line a change, in at most 100 columns."""
        head = f"{self.first[:12]} -> {self.second[:12]}"
        if self.same:
            return f"{head}: the same certificate"
        lines = [piece for change in self.changes for piece in hanging(tidy(f"  {change}"))]
        return "\n".join([head, *lines])

    __repr__ = __str__


def difference(first: Certificate | Document, second: Certificate | Document) -> Difference:
    """What changed from one certificate to another, or between their files read as JSON.

    It compares what the files say and proves nothing: `dpframe check` tells whether a file is true.
    Raises InvalidArgument for what is no certificate.
    """
    one, other = _document(first, "first"), _document(second, "second")
    try:
        found = tuple(_changes(one, other))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise _not_one("first, second", type(error).__name__) from None
    return Difference(str(one["hash"]), str(other["hash"]), found)


def _document(given: Certificate | Document, name: str) -> Document:
    found = given.document if isinstance(given, Certificate) else given
    if not isinstance(found, Mapping) or not set(NEEDED) <= set(found):
        raise _not_one(name, type(given).__name__)
    return found


def _not_one(name: str, value: str) -> InvalidArgument:
    return InvalidArgument(name, "a certificate or its document", value, "dpframe certify --out.")


def _changes(one: Document, other: Document) -> Iterator[Change]:
    yield from _claims(one["statement"], other["statement"])
    yield from _nodes(one["graph"], other["graph"])
    yield from _only("assumption", one["assumptions"], other["assumptions"])


def _claims(one: Document, other: Document) -> Iterator[Change]:
    for key, name in CLAIMED.items():
        if one.get(key) != other.get(key):
            yield Change(name, _claim(key, one.get(key)), _claim(key, other.get(key)))
    symbols = {**one["symbols"], **other["symbols"]}
    for name in sorted(symbols):
        before, after = (_range(which["symbols"].get(name)) for which in (one, other))
        if before != after:
            yield Change(f"parameter {name}", before, after)


def _claim(key: str, value: Any) -> str:
    if key == "target":
        names = ", ".join(GUARANTEES[value["kind"]].currency)
        return f"({names}) = ({', '.join(map(text, value['amounts']))})"
    if key == "region":
        signs = {True: "<", False: "<="}
        return " and ".join(f"{text(a)} {signs[bool(s)]} {text(b)}" for a, b, s in value) or "all"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {text(part)}" for name, part in value.items()) or "none"
    return text(value)


def _range(spec: Any) -> str:
    if spec is None:
        return ""
    lower = "-inf" if spec["lower"] is None else spec["lower"]
    upper = "inf" if spec["upper"] is None else spec["upper"]
    left = "[" if spec["closed"] in ("left", "both") else "("
    right = "]" if spec["closed"] in ("right", "both") else ")"
    return f"{left}{lower}, {upper}{right}{', whole' * bool(spec['integer'])}"


Place = tuple[str, int]


def _nodes(one: Document, other: Document) -> Iterator[Change]:
    """Nodes by the kinds that lead to them, whatever their numbers are; then what they say."""
    before, after = (dict(_placed(graph["nodes"])) for graph in (one, other))
    for place in dict.fromkeys([*before, *after]):
        old, new = before.get(place), after.get(place)
        if old is None or new is None:
            words = ("" if node is None else _own(node) for node in (old, new))
            yield Change(place[0], *words)
        else:
            yield from _said(place[0], old, new)


def _said(place: str, old: Document, new: Document) -> Iterator[Change]:
    for key in dict.fromkeys([*old, *new]):
        if key not in SILENT and old.get(key) != new.get(key):
            note = _ratio(old.get(key), new.get(key)) if key == "size" else ""
            name = FIELDS.get(key, key)
            before, after = (_field(node.get(key)) for node in (old, new))
            yield Change(f"{name} of {place}", before, after, note)


def _placed(nodes: Iterable[Document]) -> Iterator[tuple[Place, Document]]:
    paths: list[str] = []
    seen: dict[str, int] = {}
    for node in nodes:
        path = _path(node, [paths[k] for k in node["inputs"]])
        paths.append(path)
        seen[path] = seen.get(path, 0) + 1
        yield (path, seen[path]), node


def _path(node: Document, reads: list[str]) -> str:
    """`X, clipped -> gram`: a node by its kind and what it reads; grids, which nobody wrote, are
    what they stand on.
    """
    kind = str(node["kind"])
    if answers_of(kind).rounds and len(reads) == 1:
        return reads[0]
    if kind == "post":
        return str(node["function"]).partition(":")[2]
    own = str(node.get("name") or kind)
    return f"{own}({', '.join(reads)})" if reads else own


def _own(node: Document) -> str:
    """Everything that a node says."""
    words = ((key, _field(value)) for key, value in node.items() if key not in SILENT)
    said = ", ".join(f"{FIELDS.get(key, key)} {word}" for key, word in words if word != NONE)
    return f"{node['kind']}{', ' * bool(said)}{said}"


def _field(value: Any) -> str:
    """A formula, with its number; a list, a mapping, or a word."""
    if value in (None, "", []):
        return NONE
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_field(part)}" for name, part in value.items())
    if isinstance(value, list) and not isinstance(value[0], str):
        return "; ".join(_field(part) for part in value if part != {"node": None}) or NONE
    number, exact = _number(value), text(value)
    return f"{figure(number)} = {exact}" if number is not None and len(exact) > 12 else exact


def _ratio(old: Any, new: Any) -> str:
    numbers = _number(old), _number(new)
    if None in numbers or not numbers[0] or not numbers[1]:
        return ""
    return f"{figure(numbers[1] / numbers[0])} times"


def _number(value: Any) -> Fraction | None:
    """An upper bound on a formula without symbols."""
    try:
        ball = enclose(from_json(value, {}), {})
    except DPFrameError:
        return None
    return arb_upper(ball) if ball.is_finite() else None


def _only(place: str, before: Iterable[str], after: Iterable[str]) -> Iterator[Change]:
    old, new = list(before), list(after)
    yield from (Change(place, one, "") for one in old if one not in new)
    yield from (Change(place, "", one) for one in new if one not in old)


class _Named(dict[str, Symbol]):
    """A symbol for each name: what is compared is text, whatever its range."""

    def __missing__(self, name: str) -> Symbol:
        return parameter(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.isidentifier()


def text(value: Any) -> str:
    """A formula of a file as a person writes it; a list of words with commas.

    >>> text(["*", "2", ["^", "gamma", "1/2"], ["+", "1", "epsilon"]])
    '2*sqrt(gamma)*(1 + epsilon)'
    """
    if not isinstance(value, list):
        return tidy(str(value))
    with suppress(DPFrameError):
        return tidy(str(from_json(value, _Named())))
    return ", ".join(map(text, value))
