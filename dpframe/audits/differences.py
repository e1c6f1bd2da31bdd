"""The differences of two certificates: claims, graphs, noise, assumptions."""

from __future__ import annotations

from collections import Counter
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
from dpframe.wording import written

from .figures import figure, hanging

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
BOUNDS = ("columns", "norm", "bound", "lower", "upper")
SILENT = {"id", "kind", "inputs", "name"}
NONE = "none"


@attrs.frozen
class FieldChange:
    """The words `before` and `after` at `place`, "" where there was or is nothing; `note` compares
    numbers.
    """

    place: str
    before: str
    after: str
    note: str = ""
    brief: str = attrs.field(default="", eq=False)
    """The change in short, where it is no detail of a step."""

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
    changes: tuple[FieldChange, ...]

    @property
    def same(self) -> bool:
        """Both prove the same claim of the same graph under the same assumptions."""
        return self.first == self.second

    def records(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {"same": self.same, **attrs.asdict(self)}

    def __str__(self) -> str:
        """A line a change, in at most 100 columns."""
        return self.text(whole=True)

    def text(self, *, whole: bool) -> str:
        """Every change, or those that are no details of a step, and how many details there are."""
        head = f"{self.first[:12]} -> {self.second[:12]}"
        if self.same:
            return f"{head}: the same certificate"
        shown = [str(change) if whole else change.brief for change in self.changes]
        left = shown.count("")
        lines = [piece for one in shown if one for piece in hanging(f"  {one}")]
        more = [f"  and {left} detail{'s' * (left > 1)}: --all"] if left else []
        return "\n".join([head, *lines, *more])

    __repr__ = __str__


def difference(first: Certificate | Document, second: Certificate | Document) -> Difference:
    """The changes from one certificate to another, or between their files read as JSON.

    It compares the text of the files and proves nothing: `dpframe check` checks a file. Raises
    InvalidArgument for values that are no certificate.
    """
    one, other = _document(first, "first"), _document(second, "second")
    try:
        changes = tuple(_changes(one, other))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise _no_certificate("first, second", type(error).__name__) from None
    return Difference(str(one["hash"]), str(other["hash"]), changes)


def _document(given: Certificate | Document, name: str) -> Document:
    document = given.document if isinstance(given, Certificate) else given
    if not isinstance(document, Mapping) or not set(NEEDED) <= set(document):
        raise _no_certificate(name, type(given).__name__)
    return document


def _no_certificate(name: str, value: str) -> InvalidArgument:
    way_out = "dpframe certify --out and dpframe fit --certificate write one."
    return InvalidArgument(name, "a certificate or its document", value, way_out)


def _changes(one: Document, other: Document) -> Iterator[FieldChange]:
    changes = [*_declared(one, other), *_claims(one["statement"], other["statement"])]
    old, new = one["assumptions"], other["assumptions"]
    changes += [FieldChange("assumption", text, "") for text in old if text not in new]
    changes += [FieldChange("assumption", "", text) for text in new if text not in old]
    for change in changes:
        detail = change.place.startswith("parameter ")
        yield change if detail else attrs.evolve(change, brief=str(change))
    yield from _nodes(one["graph"], other["graph"])


def _declared(one: Document, other: Document) -> Iterator[FieldChange]:
    """The regression and its fields, which no hash covers."""
    old, new = (document.get("declaration") or {} for document in (one, other))
    names = [str(part.get("class", NONE)).rpartition(":")[2] for part in (old, new)]
    if old.get("class") != new.get("class"):
        yield FieldChange("regression", *names)
    else:
        yield from _parts("field", old.get("fields"), new.get("fields"))


def _parts(place: str, old: Any, new: Any) -> Iterator[FieldChange]:
    """The changed entries of two mappings."""
    before, after = (part if isinstance(part, Mapping) else {} for part in (old, new))
    for key in dict.fromkeys([*before, *after]):
        if before.get(key) != after.get(key):
            words = (_entry(part.get(key)) for part in (before, after))
            yield FieldChange(f"{place} {key}", *words)


def _entry(value: Any) -> str:
    """A field of a declaration: a formula, a constant, or a list."""
    if isinstance(value, Mapping) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "; ".join(_field(part) for part in value)
    return NONE if value is None else text(value)


def _claims(one: Document, other: Document) -> Iterator[FieldChange]:
    for key, name in CLAIMED.items():
        if one.get(key) != other.get(key):
            yield FieldChange(name, _claim(key, one.get(key)), _claim(key, other.get(key)))
    for name in sorted({**one["symbols"], **other["symbols"]}):
        before, after = (_range(statement["symbols"].get(name)) for statement in (one, other))
        if before != after:
            yield FieldChange(f"parameter {name}", before, after)


def _claim(key: str, value: Any) -> str:
    if key == "target":
        names = ", ".join(GUARANTEES[value["kind"]].currency)
        return f"({names}) = ({', '.join(map(text, value['amounts']))})"
    if key == "region":
        parts = (f"{text(a)} {'<' if strict else '<='} {text(b)}" for a, b, strict in value)
        return " and ".join(parts) or "all"
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


def _nodes(one: Document, other: Document) -> Iterator[FieldChange]:
    """Nodes by the kinds that lead to them, for any numbers; then their fields."""
    before, after = (dict(_placed(graph["nodes"])) for graph in (one, other))
    for place in dict.fromkeys([*before, *after]):
        old, new = before.get(place), after.get(place)
        if old is None or new is None:
            change = FieldChange(
                place[0], *("" if node is None else _summary(node) for node in (old, new))
            )
            one_of: Any = new if old is None else old
            named = f"{'+' if old is None else '-'} release {one_of.get('name')}, noise"
            brief = f"{named} {_size(one_of['size'])}" if "size" in one_of else ""
            of_table = place[0].count("(") <= 1
            bounds = of_table and any(key in one_of for key in ("schema", *BOUNDS))
            yield attrs.evolve(change, brief=str(change) if bounds else brief)
        else:
            yield from _fields(place[0], old, new)


def _fields(place: str, old: Document, new: Document) -> Iterator[FieldChange]:
    for key in dict.fromkeys([*old, *new]):
        if key == "schema":
            yield from _columns(old.get(key), new.get(key))
        elif key not in SILENT and old.get(key) != new.get(key):
            note = _ratio(old.get(key), new.get(key)) if key == "size" else ""
            before, after = (_field(node.get(key)) for node in (old, new))
            change = FieldChange(f"{FIELDS.get(key, key)} of {place}", before, after, note)
            if key == "size":
                first, second = (_size(node.get(key)) for node in (old, new))
                brief = FieldChange(f"noise of {new.get('name')}", first, second, note)
                change = attrs.evolve(change, brief=str(brief))
            elif key in BOUNDS:
                change = attrs.evolve(change, brief=str(change))
            yield change


def _columns(old: Any, new: Any) -> Iterator[FieldChange]:
    """The changed bounds and levels of the columns of a codebook."""
    before, after = ({name: _field(ends) for name, *ends in part or []} for part in (old, new))
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            change = FieldChange(f"bounds of {name}", before.get(name, ""), after.get(name, ""))
            yield attrs.evolve(change, brief=str(change))


def _size(value: Any) -> str:
    """The number of a formula, or the formula."""
    number = _number(value)
    return text(value) if number is None else figure(number)


def _placed(nodes: Iterable[Document]) -> Iterator[tuple[tuple[str, int], Document]]:
    """Each node by its path, and how often the path occurred."""
    paths: list[str] = []
    counts: Counter[str] = Counter()
    for node in nodes:
        paths.append(_path(node, [paths[k] for k in node["inputs"]]))
        counts[paths[-1]] += 1
        yield (paths[-1], counts[paths[-1]]), node


def _path(node: Document, reads: list[str]) -> str:
    """`gram(clip(X))`: a node by its kind and its inputs; the grids that dpframe inserts are
    replaced by their input.
    """
    kind = str(node["kind"])
    if answers_of(kind).rounds and len(reads) == 1:
        return reads[0]
    if kind == "post":
        return str(node["function"]).partition(":")[2]
    own = str(node.get("name") or kind)
    return f"{own}({', '.join(reads)})" if reads else own


def _summary(node: Document) -> str:
    """All fields of a node."""
    words = ((key, _field(value)) for key, value in node.items() if key not in SILENT)
    fields = [f"{FIELDS.get(key, key)} {word}" for key, word in words if word != NONE]
    return ", ".join([str(node["kind"]), *fields])


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
    before, after = _number(old), _number(new)
    return f"{figure(after / before)} times" if before and after else ""


def _number(value: Any) -> Fraction | None:
    """An upper bound on a formula without symbols."""
    try:
        ball = enclose(from_json(value, {}), {})
    except DPFrameError:
        return None
    return arb_upper(ball) if ball.is_finite() else None


class _AnySymbol(dict[str, Symbol]):
    """A symbol for each name, of any range: only its text is compared."""

    def __missing__(self, name: str) -> Symbol:
        return parameter(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.isidentifier()


def text(value: Any) -> str:
    """A formula of a file as a person writes it; a list of words with commas.

    >>> text(["*", "2", ["^", "gamma", "1/2"], ["+", "1", "epsilon"]])
    '2*sqrt(gamma)*(1 + epsilon)'
    """
    if isinstance(value, list) or (isinstance(value, str) and "/" in value):
        with suppress(DPFrameError):
            return written(from_json(value, _AnySymbol()))
    return ", ".join(map(text, value)) if isinstance(value, list) else str(value)
