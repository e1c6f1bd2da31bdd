"""The tables of the rule book: kinds of nodes, theorems of calibration, derivations; and the types
of keys of nodes: an entry declares them, and is given values that were read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from dpframe.exact.documents import Json, Refused, keys
from dpframe.exact.formula import Formula

from .at import At, Context
from .facts import Release

Reader = Callable[[Context, Json, str], Any]  # a value of the file and the name of its key


def between(least: int, most: int) -> Reader:
    """A whole number of the file in this range."""

    def read(at: Context, value: Json, name: str) -> Any:
        rule = f"{name}: a whole number from {least} to {most}"
        at.require(type(value) is int and least <= value <= most, rule)
        return value

    return read


def sizes(*positive: str, free: tuple[str, ...] = ()) -> Reader:
    """Formulas with exactly these keys: those that are positive, and those that may be any."""
    known = {name: name not in free for name in (*positive, *free)}

    def read(at: Context, value: Json, _: str) -> Any:
        keys(value, at.where, **dict.fromkeys(known, object))
        return {
            key: at.positive(value[key], key) if sign else at.formula(value[key])
            for key, sign in known.items()
        }

    return read


def increasing(at: Context, value: Json, name: str) -> list[Fraction]:
    """Cuts."""
    at.require(type(value) is list and 1 <= len(value) <= 10_000, f"{name}: a list of numbers")
    ends = [at.rational(one) for one in value]
    at.require(sorted(set(ends)) == ends, f"{name} must increase")
    return ends


Read: TypeAlias = Annotated[Formula, lambda at, value, _: at.formula(value)]
Positive: TypeAlias = Annotated[Formula, lambda at, value, name: at.positive(value, name)]
Whole: TypeAlias = Annotated[Formula, lambda at, value, name: at.whole(value, name)]
Number: TypeAlias = Annotated[Fraction, lambda at, value, _: at.rational(value)]
Bits: TypeAlias = Annotated[int, between(4, 24)]
Place: TypeAlias = Annotated[int, between(0, 10_000)]
Trusted: TypeAlias = Annotated[str, lambda at, value, _: at.trust(value)]
Cuts: TypeAlias = Annotated[list[Fraction], increasing]


def reader(kind_of: Any) -> Reader:
    """How values of a type are read: of one of the above, `| None`, list[...], plain JSON types.
    Anything else is given as the file has it.
    """
    own = get_args(kind_of)
    if type(None) in own:
        inner = reader(own[0])
        return lambda at, value, name: None if value is None else inner(at, value, name)
    if hasattr(kind_of, "__metadata__"):
        own_reader: Reader = kind_of.__metadata__[0]
        return own_reader
    if get_origin(kind_of) is list:
        inner = reader(own[0])
        return lambda at, many, name: [inner(at, one, name) for one in _typed(at, many, name, list)]
    kind_of = get_origin(kind_of) or kind_of
    plain = kind_of in (str, bool, int, list, dict)
    return lambda at, value, name: _typed(at, value, name, kind_of) if plain else value


def _typed(at: Context, value: Json, name: str, kind_of: type) -> Json:
    if type(value) is not kind_of:
        raise Refused(f"{at.where}: {name} has the wrong type: {value!r:.80}")
    return value


Test = Callable[[Mapping[str, Json]], bool]


class Answers(NamedTuple):
    """Properties of a kind of node that rules about other nodes read. No is the answer that is
    always safe: whatever an entry does not claim is refused.
    """

    # A record of zeros becomes zeros, or adds nothing: it stays in the cell of its inputs. A test
    # of the node's own keys where it depends on them.
    zero_neutral: bool | Test = False
    # It reads one cell of a public partition, named by its own keys.
    one_cell: bool = False
    # It is a sum over records, of any table: a release may take it over a sample of them.
    sum_over_records: bool = False
    # Its rule holds for each record by itself, also where records are weighted: its move for one
    # record follows from the bounds of that record alone.
    record_by_record: bool = False
    # Its formulas may read a record's own budget.
    reads_own_budget: bool = False
    # It keeps a secret sample of the records.
    samples: bool = False
    # It rounds onto a grid of its own.
    rounds: bool = False

    def keeps_zeros(self, node: Mapping[str, Json]) -> bool:
        """Whether a record of zeros becomes zeros, or adds nothing, at a node with these keys."""
        known = self.zero_neutral
        return known if isinstance(known, bool) else known(node)


class Kind(NamedTuple):
    """A row of the table of kinds: what its inputs are, its own keys and how each is read, those
    that may be left out, what it derives, and what it answers.
    """

    takes: tuple[Any, ...]  # of each input a class, several classes, or a test
    many: Any  # the same of any number of further inputs; None where there are none
    least: int  # inputs that may not be left out
    keys: dict[str, Reader]
    optional: frozenset[str]
    make: Callable[..., Any]
    answers: Answers

    def fits(self, inputs: Sequence[object]) -> bool:
        """Whether these facts may be its inputs."""
        first, more = inputs[: len(self.takes)], inputs[len(self.takes) :]
        known = all(_is(one, own, exact=True) for one, own in zip(first, self.takes, strict=False))
        rest = all(_is(one, self.many) for one in more) if self.many else not more
        return known and rest and len(inputs) >= self.least


def _is(fact: object, wanted: Any, *, exact: bool = False) -> bool:
    """Whether a fact is of a class, for `exact` of no other, or of several; or passes a test."""
    if hasattr(wanted, "__metadata__"):
        return bool(wanted.__metadata__[0](fact))
    return type(fact) is wanted if exact and type(wanted) is type else isinstance(fact, wanted)


KINDS: dict[str, Kind] = {}


def kind(name: str, *texts: str, **answers: Any) -> Callable[[Callable[..., Any]], Any]:
    """Enter a rule into the table: its positional parameters are facts about the node's inputs, of
    the annotated classes, its keyword parameters the node's own keys, read as annotated. The node
    has `texts` too, which the rule does not read. Its `answers` are those that are not no.
    """

    def enter(make: Callable[..., Any]) -> Callable[..., Any]:
        signature, hints = inspect.getfullargspec(make), get_type_hints(make, include_extras=True)
        own = {key: reader(hints[key]) for key in signature.kwonlyargs}
        own |= dict.fromkeys(texts, reader(str))
        takes = tuple(hints[name] for name in signature.args[1:])
        least = len(takes) - len(signature.defaults or ())

        @wraps(make)
        def made(at: Context, *inputs: Any, **values: Json) -> Any:
            given = {key: read(at, values.get(key), key) for key, read in own.items()}
            return make(at, *inputs, **{key: given[key] for key in signature.kwonlyargs})

        optional = frozenset(signature.kwonlydefaults or ())
        many = hints.get(signature.varargs or "")
        KINDS[name] = Kind(takes, many, least, own, optional, made, Answers(**answers))
        return make

    return enter


def answers_of(name: str) -> Answers:
    """What a kind answers; no to everything where the book has no entry for it."""
    return KINDS[name].answers if name in KINDS else Answers()


Theorem = Callable[[At, Release, Formula, Formula], None]
# By mechanism and rule: why noise of this size gives the release its share (epsilon, delta).
THEOREMS: dict[tuple[str, str], Theorem] = {}

Derivation = Callable[[At], None]
DERIVATIONS: dict[str, Derivation] = {}
