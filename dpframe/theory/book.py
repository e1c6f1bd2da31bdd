"""The tables of the rule book: kinds of nodes, theorems of calibration, derivations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, get_type_hints

from dpframe.exact.documents import Json
from dpframe.exact.formula import Formula

from .at import At, Context
from .facts import Release
from .keys import Reader, reader

Test = Callable[[Mapping[str, Json]], bool]


class Answers(NamedTuple):
    """Properties of a kind of node that rules about other nodes read. None of them has
    a default: an entry that leaves a question open does not construct.
    """

    zero_neutral: bool | Test
    """A record of zeros becomes zeros, or adds nothing: it stays in the cell of its inputs. A test
    of the node's own keys where it depends on them."""
    one_cell: bool
    """It reads one cell of a public partition, named by its own keys."""
    sum_over_records: bool
    """It is a sum over records, of any table: a release may take it over a sample of them."""
    record_by_record: bool
    """Its rule holds for each record by itself, also where records are weighted: its move for one
    record follows from the bounds of that record alone."""
    reads_own_budget: bool
    """Its formulas may read a record's own budget."""
    samples: bool
    """It keeps a secret sample of the records."""
    rounds: bool
    """It rounds onto a grid of its own."""

    def keeps_zeros(self, node: Mapping[str, Json]) -> bool:
        """Whether a record of zeros becomes zeros, or adds nothing, at a node with these keys."""
        known = self.zero_neutral
        return known if isinstance(known, bool) else known(node)


NO: dict[str, Any] = dict.fromkeys(Answers._fields, False)
PLAIN = Answers(**NO)
"""No to every question: always safe. Also what is answered for a kind that is not in the book."""
ZERO_MAP = PLAIN._replace(zero_neutral=True)
"""A map of records, or of statistics, under which zeros stay zeros."""
ROUNDING = ZERO_MAP._replace(rounds=True)
CELL = PLAIN._replace(one_cell=True)
PLAIN_SUM = PLAIN._replace(sum_over_records=True)
"""A sum over records to which zeros may add something, such as a count."""
ZERO_SUM = PLAIN_SUM._replace(zero_neutral=True)
"""A sum over records to which zeros add nothing."""
RECORD_SUM = ZERO_SUM._replace(record_by_record=True)
"""The same, whose terms are bounded by their own record's bounds."""
BY_RECORD = PLAIN._replace(record_by_record=True)
COMBINED = PLAIN._replace(zero_neutral=True, record_by_record=True)
"""A combination of statistics: what holds for each of them holds for it."""
OF_BUDGETS = PLAIN._replace(reads_own_budget=True)
SPENT = OF_BUDGETS._replace(record_by_record=True)
"""A release: its noise and its share may read a record's own budget."""
SAMPLE = PLAIN._replace(samples=True)


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


def kind(name: str, *, answers: Answers) -> Callable[[Callable[..., Any]], Any]:
    """Enter a rule into the table: its positional parameters are facts about the node's inputs, of
    the annotated classes, its keyword parameters the node's own keys, read as annotated.
    """

    def enter(make: Callable[..., Any]) -> Callable[..., Any]:
        signature, hints = inspect.getfullargspec(make), get_type_hints(make, include_extras=True)
        own = {key: reader(hints[key]) for key in signature.kwonlyargs}
        takes = tuple(hints[name] for name in signature.args[1:])
        least = len(takes) - len(signature.defaults or ())

        @wraps(make)
        def made(at: Context, *inputs: Any, **values: Json) -> Any:
            given = {key: read(at, values.get(key), key) for key, read in own.items()}
            return make(at, *inputs, **given)

        optional = frozenset(signature.kwonlydefaults or ())
        many = hints.get(signature.varargs or "")
        KINDS[name] = Kind(takes, many, least, own, optional, made, answers)
        return make

    return enter


def answers_of(name: str) -> Answers:
    """What a kind answers; no to everything where the book has no entry for it."""
    return KINDS[name].answers if name in KINDS else PLAIN


Theorem = Callable[[At, Release, Formula, Formula], None]
THEOREMS: dict[tuple[str, str], Theorem] = {}
"""By mechanism and rule: why noise of this size gives the release its share (epsilon, delta)."""

Derivation = Callable[[At], None]
DERIVATIONS: dict[str, Derivation] = {}
