"""The differences of two certificates: claims, graphs, noise, assumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
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
    "relation": "relation",
    "rows_per_person": "rows per person",
    "derivation": "derivation",
    "values": "numbers given",
}
FIELDS = {"times": "draws", "arguments": "formulas", "digest": "code"}
BOUNDS = ("columns", "norm", "bound", "lower", "upper")
SILENT = {"id", "kind", "inputs", "name"}
NONE = "none"


@attrs.frozen
class FieldChange:
    """The words `before` and `after` at `place`, "" where there was or is nothing; `note` compares
    numbers, and a `detail` is left out of short texts.
    """

    place: str
    before: str
    after: str
    note: str = ""
    detail: bool = False

    def __str__(self) -> str:
        """`~ noise of gram: 11.85 -> 7.317   (0.618 times)`."""
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
        """Every change, or those that are no details, and how many details there are."""
        head = f"{self.first[:12]} -> {self.second[:12]}"
        if self.same:
            return f"{head}: the same certificate"
        shown = [one for one in self.changes if whole or not one.detail]
        left = len(self.changes) - len(shown)
        lines = [piece for one in shown for piece in hanging(f"  {one}")]
        more = [f"  and {left} detail{'s' * (left > 1)}: --all"] if left else []
        return "\n".join([head, *lines, *more])

    __repr__ = __str__


def difference(first: Certificate | Document, second: Certificate | Document) -> Difference:
    """The changes from one certificate to another, or between their files read as JSON.

    It compares the text of the files and proves nothing: `dpframe check` checks a file. Raises
    InvalidArgument for values that are no certificate.
    """
    documents = _document(first, "first"), _document(second, "second")
    try:
        before, after = (dict(_entries(one)) for one in documents)
        pairs = ((before.get(key), after.get(key)) for key in dict.fromkeys([*before, *after]))
        changes = tuple(_change(*pair) for pair in pairs if pair[0] != pair[1])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise _no_certificate("first, second", type(error).__name__) from None
    one, other = (str(document["hash"]) for document in documents)
    return Difference(one, other, changes)


def _document(given: Certificate | Document, name: str) -> Document:
    document = given.document if isinstance(given, Certificate) else given
    if not isinstance(document, Mapping) or not set(NEEDED) <= set(document):
        raise _no_certificate(name, type(given).__name__)
    return document


def _no_certificate(name: str, value: str) -> InvalidArgument:
    way_out = "dpframe certify --out and dpframe fit --certificate write one."
    return InvalidArgument(name, "a certificate or its document", value, way_out)


# ------------------------------------------------------------------------ A certificate as entries
def field(value: Any) -> str:
    """A formula, with its number; a list, a mapping, or a word."""
    if value in (None, "", [], {}):
        return NONE
    if isinstance(value, Mapping):
        named = (f"{name} {field(part)}" for name, part in value.items())
        return ", ".join(named) if len(value) > 1 else field(*value.values())
    if isinstance(value, list) and not isinstance(value[0], str):
        return "; ".join(field(part) for part in value if part != {"node": None}) or NONE
    number, exact = upper_bound(value), text(value)
    return f"{figure(number)} = {exact}" if number is not None and len(exact) > 12 else exact


@attrs.frozen
class Entry:
    """One value of a certificate, where it stands, and how it is written; `of_both`: it is a detail
    where only one of two certificates has it.
    """

    place: str
    value: Any
    says: Callable[[Any], str] = attrs.field(default=field, eq=False)
    detail: bool = False
    of_both: bool = False


def _change(old: Entry | None, new: Entry | None) -> FieldChange:
    entry: Any = old or new
    before, after = ("" if one is None else one.says(one.value) for one in (old, new))
    note = ""
    if old and new and entry.place.startswith("noise of "):
        was, becomes = upper_bound(old.value), upper_bound(new.value)
        note = f"{figure(becomes / was)} times" if was and becomes else ""
    detail = entry.detail or (entry.of_both and not (old and new))
    return FieldChange(entry.place, before, after, note, detail)


def _entries(document: Document) -> Iterator[tuple[Hashable, Entry]]:
    """The entries, by keys under which another certificate has the same ones."""
    declared, statement = document.get("declaration") or {}, document["statement"]
    name = str(declared.get("class", NONE)).rpartition(":")[2]
    yield "regression", Entry("regression", name)
    for key, value in (declared.get("fields") or {}).items():
        yield (name, key), Entry(f"field {key}", value, of_both=True)
    yield "claim", Entry("claim", statement["target"], _target)
    for key, claimed in CLAIMED.items():
        yield claimed, Entry(claimed, statement.get(key))
    yield "region", Entry("region", statement.get("region"), _region)
    for key, spec in sorted(statement["symbols"].items()):
        yield ("parameter", key), Entry(f"parameter {key}", spec, _range, detail=True)
    for assumption in document["assumptions"]:
        yield ("assumption", assumption), Entry("assumption", assumption, str)
    for place, node in _placed(document["graph"]["nodes"]):
        yield from _of_node(place, node)


def _of_node(place: tuple[str, int], node: Document) -> Iterator[tuple[Hashable, Entry]]:
    """A node, by the kinds that lead to it, and its fields; the noise of a release by its name."""
    path = place[0]
    yield place, Entry(path, node["kind"], detail=True)
    for key, value in node.items():
        if key == "schema":
            for name, *ends in value:
                yield (place, "bounds", name), Entry(f"bounds of {name}", ends)
        elif key == "size":
            yield (place, key), Entry(f"noise of {node.get('name') or path}", value)
        elif key not in SILENT:
            named = f"{FIELDS.get(key, key)} of {path}"
            deep = path.count("(") > 1
            yield (place, key), Entry(named, value, detail=key not in BOUNDS, of_both=deep)


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


def _target(target: Document) -> str:
    names = ", ".join(GUARANTEES[target["kind"]].currency)
    return f"({names}) = ({', '.join(map(text, target['amounts']))})"


def _region(constraints: Any) -> str:
    parts = (f"{text(a)} {'<' if strict else '<='} {text(b)}" for a, b, strict in constraints or ())
    return " and ".join(parts) or "all"


def _range(spec: Document) -> str:
    lower = "-inf" if spec["lower"] is None else spec["lower"]
    upper = "inf" if spec["upper"] is None else spec["upper"]
    left = "[" if spec["closed"] in ("left", "both") else "("
    right = "]" if spec["closed"] in ("right", "both") else ")"
    return f"{left}{lower}, {upper}{right}{', whole' * bool(spec['integer'])}"


def upper_bound(value: Any) -> Fraction | None:
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
