"""Every deliberate error, as one tree.

    DPFrameError
    +-- InvalidArgument (ValueError)      an argument, what it must be, what it was, the way out
    |   +-- UnsafeFormula                 a formula in text that the safe parser does not accept
    |   +-- UnusedRelease                   a release that the output of a declaration does not read
    |   +-- BadData                         data that cannot be used: shape, type, non-finite values
    |   +-- BadCertificate                  a certificate that is not what it says
    |   +-- BadLedger                       a saved ledger that is not what was saved
    |       +-- StaleLedger                 a saved ledger that is not the newest one
    +-- BudgetExceeded                    a query that a privacy filter cannot afford
    +-- LedgerUnavailable                 a ledger file that is locked, read-only, or on a full disk
    +-- OutsideTheorem (ValueError)       a named theorem used outside its hypotheses
    +-- TouchesData (TypeError)           what has no value yet met numpy, Python control flow, ...
    +-- UnknownName (AttributeError)      a name that is not there, and what was meant
    |   +-- NotAvailable                    a result that this object cannot have, and why
    +-- Uncertified                         a graph that was not proved; it carries every open
    obligation
    +-- SourceFailed                      a table, or a worker reading it, broke off
    +-- PostFailed                        a function of released values raised; what was released is
    kept
    +-- NotExecutable (TypeError)         something other than a complete certificate was to be run
    +-- NonConforming (AssertionError)    a plug-in that is not what it says
    +-- MissingExtra (ImportError)        an optional library is absent

Warnings: PrivacyWarning (the same data would be spent again; delta is not far below 1/n);
DataWarning (a column of another kind than is declared).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Container, Iterable, Mapping
from enum import Enum
from functools import wraps
from numbers import Number
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Never, ParamSpec, Self, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
LIBRARIES = {"builtins", "fractions", "decimal", "pathlib", "numpy"}  # whose scalars are shown
KEPT = "what was released is in .released, and what was spent in .receipt"
SHORT = 120  # characters of a text that an error repeats


class DPFrameError(Exception):
    """Base of every deliberate error of dpframe. Survives pickling, as between processes."""

    def __reduce__(self) -> tuple[object, ...]:
        """The class, the text and the operands: `__init__` may want other arguments."""
        return _unpickled, (type(self), self.args, self.__dict__)


class WayOut(str):
    """A way out for users of Python; `command` is the one for users of the command line."""

    __slots__ = ("command",)
    command: str

    def __new__(cls, python: str, command: str = "") -> Self:
        """Both."""
        text = super().__new__(cls, python)
        text.command = command
        return text


class InvalidArgument(DPFrameError, ValueError):
    """`name` must be `requirement`; got `value`. `way_out`."""

    def __init__(self, name: str, requirement: str, value: object, way_out: str = "") -> None:
        """Keep the operands, so that a program can read them too; of what may be data, what is
        shown of it.
        """
        text = shown(value)
        self.name, self.requirement, self.way_out = name, requirement, way_out
        self.value = value if _is_public(value) else Plain(text)
        super().__init__(f"{name} must be {requirement}; got {text}. {way_out.lstrip()}".rstrip())

    @property
    def for_command(self) -> str:
        """The text with the way out of the command line."""
        if not isinstance(self.way_out, WayOut):
            return str(self)
        return f"{str(self).removesuffix(self.way_out)}{self.way_out.command}".rstrip()


class AttrsClass:
    """A base of classes whose arguments are their fields. The `__init__` of attrs replaces this
    one, which is that of a class without its decorator.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers know that it takes no arguments

        def __init__(self, *given: object, **named: object) -> None:
            """Raises InvalidArgument where there are arguments."""
            if given or named:
                name = type(self).__name__
                wanted = "decorated by @attrs.frozen(cache_hash=True), which makes fields arguments"
                way_out = f"Write it above `class {name}`."
                raise InvalidArgument(name, wanted, Plain("a class without it"), way_out)


class UnusedRelease(InvalidArgument):
    """The output of a declaration does not depend on all of its releases; `graph`, of `regression`,
    is the graph with all of them.
    """

    regression: object = None
    graph: Any = None


class UnsafeFormula(InvalidArgument):
    """A formula given as text that is not arithmetic over the permitted names."""


class BadData(InvalidArgument):
    """Data that cannot be used. Nothing has been released, unless a note says so."""


class SourceFailed(DPFrameError):
    """Reading a table failed, or a worker that reads it.

    `where` names the part, `cause` the kind of failure. The text of the library's error is not
    repeated, since it may quote data. If `receipt` is None, nothing has been released; if a later
    pass failed, `released` and `receipt` are as in PostFailed.
    """

    def __init__(
        self,
        where: str,
        cause: str,
        way_out: str = "",
        *,
        released: Mapping[str, object] | None = None,
        receipt: object = None,
    ) -> None:
        """Keep the operands, so that a program can read them."""
        self.where, self.cause, self.way_out = where, cause, way_out
        self.released, self.receipt = dict(released or {}), receipt
        kept = "nothing has been released" if receipt is None else KEPT
        super().__init__(f"reading {where} failed ({cause}); {kept}. {way_out}".rstrip())


class BadCertificate(InvalidArgument):
    """A certificate, or a file with one, whose content is not consistent with its claim."""


class BadLedger(InvalidArgument):
    """A saved ledger that was edited, cut short, or sealed with another key."""


class StaleLedger(BadLedger):
    """A saved ledger older than a known state, or a file that another writer has changed."""


class BudgetExceeded(DPFrameError):
    """The next query does not fit the budget. Nothing was charged, and the filter remains usable.

    `cost` is the amount requested, `remaining` the amount left.
    """

    def __init__(self, cost: object, remaining: object, text: str) -> None:
        """Keep the operands, so that a program can read them."""
        self.cost, self.remaining = cost, remaining
        super().__init__(text)


class LedgerUnavailable(DPFrameError):
    """A ledger file that cannot be read or written at the moment; nothing was charged. `path` is
    the file, `cause` the obstacle.
    """

    def __init__(self, path: object, cause: str, way_out: str) -> None:
        """Keep the operands, so that a program can read them."""
        self.path, self.cause = path, cause
        super().__init__(f"the ledger {path} {cause}; nothing was charged. {way_out}")


class OutsideTheorem(DPFrameError, ValueError):
    """A theorem was applied outside its hypotheses."""


class TouchesData(DPFrameError, TypeError):
    """A declaration tried to compute with data, or with values that are not released yet, which
    only execution may. The text says what to write instead.
    """


class UnknownName(DPFrameError, AttributeError):
    """An unknown name. Its text, with the nearest known name or what to write instead, is computed
    when it is read: most lookups are by `hasattr`.
    """

    def __init__(self, said: str | Callable[[], str]) -> None:
        """Keep what computes the text."""
        super().__init__()
        self.said = said

    def __str__(self) -> str:
        """The text."""
        return self.said if isinstance(self.said, str) else self.said()

    def __reduce__(self) -> tuple[object, ...]:
        """The text alone."""
        return type(self), (str(self),)


class NotAvailable(UnknownName):
    """A result that this object cannot have. Its text says why, and what has it."""


def missing(
    owner: object,
    name: str,
    instead: str = "",
    *,
    elsewhere: Mapping[str, str] | None = None,
    why: str = "",
) -> Never:
    """For `__getattr__`: raise what a property of that name raised, or UnknownName with what to
    write `instead`. Else name the nearest public name, of `owner` or `elsewhere` (names, and how
    they are written), and say `why` there is no more.
    """
    kind = type(owner).__name__
    if hasattr(type(owner), name):
        object.__getattribute__(owner, name)
    if instead:
        raise UnknownName(f"{kind} has no {name}: {instead}")
    text = f"{kind!r} object has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(text)

    def said() -> str:
        places = {**(elsewhere or {}), **{one: one for one in dir(owner)}}
        return f"{text}.{nearest(name, places, places)}{f' {why}' if why else ''}"

    raise UnknownName(said)


class Uncertified(DPFrameError):
    """The graph was not proved. `obligations` holds every open obligation, `report` the whole
    report.
    """

    def __init__(self, report: object, text: str) -> None:
        """`report` is a dpframe.prover.Report; `text` describes its open obligations."""
        self.report = report
        super().__init__(text)

    @property
    def obligations(self) -> tuple[object, ...]:
        """Every obligation that is refuted or unproved."""
        return self.report.open_obligations  # type: ignore[attr-defined, no-any-return]


class NotExecutable(DPFrameError, TypeError):
    """Only a certificate with numbers for all symbols can be executed."""


class PostFailed(DPFrameError):
    """A post-processing function raised.

    `function` is its name, and the original error is the `__cause__`. Nothing that was paid for is
    lost: `released` has every value drawn so far, by name, and `receipt` the cost. If the failure
    was detected before anything was drawn or charged, as in a rehearsal, `released` is empty and
    `receipt` is None.
    """

    def __init__(
        self,
        function: str,
        said: str,
        *,
        released: Mapping[str, object] | None = None,
        receipt: object = None,
    ) -> None:
        """`said` is the type and text of the original error; it depends on released values only."""
        self.function, self.said, self.receipt = function, said, receipt
        self.released = dict(released or {})
        kept = "nothing was charged"
        if receipt is not None:
            kept = KEPT
        super().__init__(f"post-processing failed: {function} raised {said}; {kept}.")


class NonConforming(DPFrameError, AssertionError):
    """A plug-in violates its interface: `property` of `plugin` does not hold, as `found` shows."""

    def __init__(self, plugin: str, property: str, found: str, way_out: str) -> None:  # noqa: A002
        """Keep the operands, so that a program can read them."""
        self.plugin, self.property, self.found, self.way_out = plugin, property, found, way_out
        super().__init__(f"{plugin}: {property}; got {found}. {way_out}".rstrip())


class MissingExtra(DPFrameError, ImportError):
    """An optional library is absent."""

    def __init__(self, library: str, extra: str) -> None:
        """Name the library, and the extra that installs it."""
        super().__init__(
            f"this needs {library}, which is not installed: pip install 'dpframe[{extra}]'"
        )


class DataWarning(UserWarning):
    """A property of the data that its holder should know. Not to be published, like refusals."""


class PrivacyWarning(UserWarning):
    """A legitimate step that a privacy officer should know about before it happens."""


def warn(text: str, kind: type[Warning]) -> None:
    """Warn at the nearest line that is not dpframe's own."""
    own, frame, level = str(PurePath(__file__).parent), sys._getframe(1), 2  # noqa: SLF001
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def _unpickled(
    kind: type[DPFrameError], arguments: tuple[object, ...], state: dict[str, object]
) -> DPFrameError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class Plain(str):
    """Text that an error shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The text."""
        return str(self)


def listed_words(words: Iterable[object]) -> Plain:
    """Public words as a list in an error: `epsilon, delta`."""
    return Plain(", ".join(map(str, words)) or "none")


def of_target(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse epsilon and delta as arguments of a function that takes a target."""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in ("epsilon", "delta"):
            if name in kwargs:
                way_out = "target=dp.ApproxDP(epsilon, delta), or dp.PureDP(epsilon)."
                raise InvalidArgument(name, "a part of target", kwargs[name], way_out)
        return function(*args, **kwargs)

    return checked


def nearest(name: str, words: Iterable[str], written: Mapping[str, str] | None = None) -> str:
    """` Did you mean 'clip'?`, of the public words the one most like `name`, as it is `written`; ""
    where none is.

    >>> nearest("clipnorm", ["columns", "clip", "_clips"]), nearest("foo", ["clip"])
    (" Did you mean 'clip'?", '')
    """
    from difflib import SequenceMatcher, get_close_matches

    plain = {word.lower(): word for word in sorted(words) if not word.startswith("_")}
    low = name.lower()

    def likeness(word: str) -> tuple[float, bool]:
        return round(SequenceMatcher(None, low, word).ratio(), 1), low[:3] == word[:3]

    within = [one for one in plain if len(one) > 3 and (low.startswith(one) or one.startswith(low))]
    found = max([*get_close_matches(low, plain), *within], key=likeness, default="")
    return f" Did you mean {(written or {}).get(plain[found], plain[found])!r}?" if found else ""


def some(words: Iterable[str], name: str, where: str, most: int = 8) -> str:
    """The words; of more than `most` those most like `name`, and `where` all of them stand.

    >>> some(["clip", "box"], "clp", "help(dp.graph)"), some("abcdefghij", "b", "docs/x.md", 3)
    ('clip, box', 'b, a, c and 7 more, listed in docs/x.md')
    """
    from difflib import SequenceMatcher

    listed = [*words]
    if len(listed) <= most:
        return ", ".join(listed)
    known = sorted(
        listed, key=lambda one: -SequenceMatcher(None, name.lower(), one.lower()).ratio()
    )
    return f"{', '.join(known[:most])} and {len(listed) - most} more, listed in {where}"


def check_word(name: str, value: object, words: Container[str], requirement: str = "") -> None:
    """Check that `value` is one of these words. Raises InvalidArgument, also if its truth value is
    undefined.
    """
    if not isinstance(value, str) or value not in words:
        listed = ", ".join(map(repr, words)) if isinstance(words, Iterable) else ""
        raise InvalidArgument(name, requirement or f"one of {listed}", value)


def check_kind(
    name: str, value: object, kind: type, requirement: str = "", way_out: str = ""
) -> None:
    """Check that `value` is an instance of `kind`. Raises InvalidArgument."""
    if not isinstance(value, kind):
        raise InvalidArgument(name, requirement or by_name(kind), value, way_out)


def of_kind(
    kind: type, requirement: str = "", way_out: str = ""
) -> Callable[[Any, Any, Any], None]:
    """A validator of an attrs field: an instance of `kind`. Raises InvalidArgument."""

    def check(_: object, attribute: Any, value: object) -> None:
        check_kind(attribute.name, value, kind, requirement, way_out)

    return check


def by_name(kind: type) -> str:
    """The name of a kind of object in errors: `a dp.Rows`, `True or False`, `text`."""
    plain = {bool: "True or False", str: "text", int: "a whole number"}
    return plain.get(kind) or f"a {address(kind.__name__)}"


def address(name: str) -> str:
    """How users write a public name; another name as it is.

    >>> address("Rows"), address("Release"), address("Problem")
    ('dp.Rows', 'dp.graph.Release', 'Problem')
    """
    face: Any = sys.modules["dpframe"]
    if name in face.__all__:
        return f"dp.{name}"
    spaces = (space for space in dir(face) if space not in face.__all__)
    within = (space for space in spaces if name in dir(getattr(face, space)))
    return next((f"dp.{space}.{name}" for space in within), name)


def __dir__() -> list[str]:
    """The errors and warnings."""
    return [
        name
        for name, one in globals().items()
        if isinstance(one, type) and issubclass(one, Exception)
    ]


def shown(value: object) -> str:
    """`value` as errors show it: short public scalars and short texts as they are, and what dpframe
    built of such; anything else, which may be data, by its type and shape alone.

    >>> shown(0.5), shown("ten"), shown([0.5, 0.7]), shown(Plain("another one"))
    ('0.5', "'ten'", 'a list of 2', 'another one')
    """
    return repr(value) if _is_public(value) else by_type(value)


def by_type(value: object) -> str:
    """What kind of object it is, and of what shape or length; never what it holds.

    >>> by_type({"a": 1}), by_type("ten"), by_type(object())
    ('a dict of 1', 'a str of 3', 'an object')
    """
    kind = type(value).__name__
    article = "an" if kind[:1].lower() in set("aeio") or kind == "ndarray" else "a"
    return f"{article} {kind}{_size(value)}"


def _size(value: object) -> str:
    if isinstance(value, (str, bytes, list, tuple, set, frozenset, dict)):
        return f" of {len(value)}"
    try:
        shape = getattr(value, "shape", None)
    except Exception:  # noqa: BLE001 - of any library
        return ""
    known = type(shape) is tuple and all(type(part) is int for part in shape)
    return f" of shape {shape}" if known else ""


def _is_public(value: object, depth: int = 8) -> bool:
    """Whether a value is certainly not data: one number, a short text, or built from such."""
    kind = type(value)
    if value is None or kind in {bool, float, complex, Plain, type(NotImplemented)}:
        return True
    place = kind.__module__
    if isinstance(value, (type, Enum)):
        return True
    scalar = isinstance(value, (str, Number, PurePath)) and place.partition(".")[0] in LIBRARIES
    if scalar or kind.__name__ == "function":
        return _is_short(value)
    return depth > 0 and place.partition(".")[0] == "dpframe" and _is_own(value, depth)


def _is_short(value: object) -> bool:
    try:
        return len(repr(value)) <= SHORT
    except ValueError:  # Python refuses to print whole numbers of more than 4300 digits
        return False


def _is_own(value: object, depth: int) -> bool:
    """Whether it is a value of dpframe that holds nothing else."""
    fields = getattr(type(value), "__attrs_attrs__", None)
    if fields is None:
        return False
    parts = [getattr(value, field.name, None) for field in fields]
    parts = [inner for part in parts for inner in (part if type(part) is tuple else (part,))]
    return all(_is_public(part, depth - 1) for part in parts) and _is_short(value)
