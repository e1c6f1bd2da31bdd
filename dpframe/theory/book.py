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
from .guarantees import Guarantee
from .keys import Reader, reader

Test = Callable[[Mapping[str, Json]], bool]


class Answers(NamedTuple):
    """What every kind of node says of itself, because rules about other nodes ask. None of them has
    a default: an entry that leaves a question open does not construct.
    """

    zero_neutral: bool | Test
    """A record of zeros becomes zeros, or adds nothing: it stays in the cell of its inputs. A test
    of the node's own keys where it depends on them."""
    one_cell: bool
    """It reads one cell of a public partition, named by its own keys."""
    sum_over_records: bool
    """It is a sum over records, of any table: it may be asked of a sample of them."""
    record_by_record: bool
    """Its rule holds for each record by itself, also where records are weighted: its move for one
    record follows from the bounds of that record, whatever those of the others."""
    reads_own_budget: bool
    """Its formulas may read a record's own budget."""
    samples: bool
    """It keeps a secret sample of the records."""
    rounds: bool
    """It rounds onto a grid of its own."""
    role: str
    """Its part in the joint move of Gaussian releases: "rest" where it moves by itself."""

    def but(self, **changes: Any) -> Answers:
        """The same answers but for some."""
        return self._replace(**changes)

    def keeps_zeros(self, node: Mapping[str, Json]) -> bool:
        """Whether a record of zeros becomes zeros, or adds nothing, at a node with these keys."""
        known = self.zero_neutral
        return known if isinstance(known, bool) else known(node)


NO: dict[str, Any] = dict.fromkeys(Answers._fields, False)
PLAIN = Answers(**{**NO, "role": "rest"})
"""No to every question: always safe. Also what is answered for a kind that is not in the book."""
ZERO_MAP = PLAIN.but(zero_neutral=True)
"""A map of records, or of statistics, under which zeros stay zeros."""
ROUNDING = ZERO_MAP.but(rounds=True)
CELL = PLAIN.but(one_cell=True)
PLAIN_SUM = PLAIN.but(sum_over_records=True)
"""A sum over records to which zeros may add something, such as a count."""
ZERO_SUM = PLAIN_SUM.but(zero_neutral=True)
"""A sum over records to which zeros add nothing."""
RECORD_SUM = ZERO_SUM.but(record_by_record=True)
"""The same, whose terms are bounded by their own record's bounds."""
BY_RECORD = PLAIN.but(record_by_record=True)
COMBINED = PLAIN.but(zero_neutral=True, record_by_record=True)
"""A combination of statistics: what holds for each of them holds for it."""
OF_BUDGETS = PLAIN.but(reads_own_budget=True)
SPENT = OF_BUDGETS.but(record_by_record=True)
"""A release: its noise and its share may read a record's own budget."""
SAMPLE = PLAIN.but(samples=True)


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


def theorem(mechanism: str, rule: str) -> Callable[[Theorem], Theorem]:
    """Enter a theorem: why noise of this size gives the release its share (epsilon, delta)."""

    def enter(judge: Theorem) -> Theorem:
        THEOREMS[mechanism, rule] = judge
        return judge

    return enter


Derivation = Callable[[At], None]
DERIVATIONS: dict[str, Derivation] = {}


def derivation(name: str, *proves: Guarantee) -> Callable[[Derivation], Derivation]:
    """Enter a derivation of the target from the releases; `proves` are its kinds of targets."""

    def enter(derive: Derivation) -> Derivation:
        @wraps(derive)
        def derived(c: At) -> None:
            kinds = " or ".join(one.name for one in proves)
            c.require(c.guarantee in proves, f"derivation {name} proves targets of kind {kinds}")
            derive(c)

        DERIVATIONS[name] = derived
        return derived

    return enter
