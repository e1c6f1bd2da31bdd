"""Which classes belong to dpframe, decided by the code in dpframe's files and never by a name.
Proofs rest on the facts that a class states, and any code can claim a name.

A class belongs to dpframe if the module of its name holds this very object, and its functions, and
those of all its bases, are the code of that module's file in the directory of this package. A
module put into `sys.modules`, a changed `__module__`, a class put into one of dpframe's modules, or
a method put into one of dpframe's classes does not pass.

The boundary of trust is the interpreter: code that replaces functions or globals of dpframe's
modules, constants of its classes, its files or its memory is not detected.
"""

from __future__ import annotations

import abc
import dis
import enum
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from importlib.machinery import PathFinder
from itertools import repeat
from operator import call
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, MemberDescriptorType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from attr import _make as attr_make

PACKAGE, ROOT = __name__.partition(".")[0], Path(__file__).parents[1]
METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
OUTSIDE = frozenset((object, abc.ABC, enum.Enum))
OF_ENUMS = (  # from Python 3.12 on each enumeration wraps the last of them anew
    *(object.__new__, enum.Enum.__new__, vars(enum.Enum)["_generate_next_value_"]),
    enum.Enum._generate_next_value_,
)
OPTIMIZED = 1  # the flag that functions have, and the bodies of classes and modules lack
GENERATED = frozenset(  # what attrs writes, which stands in no file
    f"__{name}__"
    for name in (
        *("init", "repr", "eq", "ne", "lt", "le", "gt", "ge", "hash", "attrs_init"),
        *("setattr", "delattr", "getstate", "setstate", "getattr", "replace"),
    )
)
LEAVES = frozenset(
    (str, int, float, complex, bool, bytes, type(None), Fraction, Decimal, FunctionType)
)

HASH, SYMBOLS = "_attrs_cached_hash", "_symbols"
CACHES = {HASH, SYMBOLS}  # of hashes, and of the symbols of a formula
CONTAINERS = frozenset((tuple, list, set, frozenset))
MAPPINGS = frozenset((dict, MappingProxyType))
Reader = Callable[[Any], Sequence[object]]
WRITTEN: Mapping[int, Callable[[Any], object]] = {  # what cannot be changed, and fractions
    **{id(kind): kind for kind in (str, int, bool, bytes)},
    **{id(kind): repr for kind in (float, complex, Decimal, type(None))},
    id(Fraction): Fraction.as_integer_ratio,
}
BUILT_IN: Mapping[int, Reader | None] = {
    **{id(kind): None for kind in (FunctionType, *CONTAINERS, *MAPPINGS, *METACLASSES)},
    **{id(kind): kind for kind in (tuple, list)},
}
"""Of Python, by their places in memory: any other class may compare as it likes."""

_OURS: WeakSet[type] = WeakSet()
Snapshot = tuple[dict[str, object], tuple[tuple[FunctionType, CodeType], ...]]


def own(cls: type) -> bool:
    """Whether `cls` belongs to dpframe, at the first call or now."""
    if not _of_python(type(cls)):
        return False  # it might compare as it likes
    if cls not in _OURS and as_written(cls):
        _OURS.add(cls)
    return cls in _OURS


def as_written(cls: type) -> bool:
    """The same, computed anew: no method was replaced since."""
    if not _of_python(type(cls)):
        return False
    return all(base in OUTSIDE or _written_here(base) for base in cls.__mro__)


def _of_python(metaclass: type) -> bool:
    """Whether classes of this metaclass compare by identity."""
    return metaclass is type or metaclass is abc.ABCMeta or metaclass is enum.EnumMeta


def own_function(function: object) -> bool:
    """Whether a function comes from a file of this package, with the globals of its module."""
    return _stands(function, "")


def kind_of(cls: type) -> str:
    """The kind recorded in files; for a class from outside its qualified name, since only dpframe's
    classes have rules.
    """
    return cls.kind if own(cls) else f"{cls.__module__}:{cls.__qualname__}"  # type: ignore[attr-defined]


def strangers(
    values: Iterable[object], ours: Callable[[type], bool] = as_written
) -> tuple[type, ...]:
    """The classes, in order of occurrence, of all parts of these values that neither belong to
    dpframe (`ours`) nor are plain Python values. Their own parts are not examined. Caches of
    dpframe's values are emptied, so that they are computed anew.
    """
    known: dict[type, bool] = {}
    seen: dict[int, object] = {}  # held, so that no other object takes the place in memory
    waiting: list[Any] = list(values)[::-1]
    while waiting:
        value = waiting.pop()
        kind = _named(type(value))
        if kind in LEAVES or id(value) in seen:
            continue
        seen[id(value)] = value
        if kind in CONTAINERS:
            waiting.extend(value)
        elif kind in MAPPINGS:
            waiting.extend(value.values())
        elif kind in METACLASSES:
            known.setdefault(value, ours(value))
        else:
            if kind not in known:
                known[kind] = _plain(kind) or ours(kind)
            if known[kind]:
                waiting += _state(value, kind)
    return tuple(kind for kind in known if not known[kind])


def state(*values: object) -> tuple[object, ...]:
    """A flat list of all parts of these values, equal to an earlier one as long as no part was
    changed or replaced. Parts of values that are neither dpframe's nor plain are not examined.
    Caches of dpframe's values are emptied.
    """
    return _flat(values, own)[0]


def own_state(*values: object) -> tuple[object, ...] | None:
    """The same; None if any part neither belongs to dpframe, as its files are now, nor is a plain
    Python value.
    """
    found, whole, _ = _flat(values, as_written)
    return found if whole else None


def forget_hashes(*values: object) -> None:
    """Empty the caches of hashes and symbols in all parts of these values, so that no result that
    was cached for a part before it was changed is found again.
    """
    for one in _flat(values, own)[2]:
        if id(type(one)) in BUILT_IN or not own(type(one)):
            continue
        if hasattr(one, HASH):
            object.__setattr__(one, HASH, None)
        if hasattr(one, SYMBOLS):
            object.__delattr__(one, SYMBOLS)


def _flat(
    values: Iterable[object], ours: Callable[[type], bool]
) -> tuple[tuple[object, ...], bool, list[object]]:
    """A flat list of all parts of these values: for each its class, then its value or its number of
    parts, its other distinguishing state, and the parts; a repeated object is referred to by its
    index. Also whether all of them are `ours` or plain, and the objects that were examined. Parts
    of `ours` are examined.
    """
    found: list[object] = []
    seen: dict[int, int] = {}
    held: list[object] = []  # so that no other takes the place in memory
    opened: dict[int, Reader | None] = {**BUILT_IN}  # by the place of the class
    whole = True
    waiting: list[Any] = list(values)
    while waiting:
        value = waiting.pop()
        kind: type = type(value)
        written = WRITTEN.get(id(kind))
        if written is not None:
            found += kind, written(value)
            continue
        place = id(value)
        if place in seen:
            found.append(seen[place])
            continue
        seen[place] = len(held)
        held.append(value)
        if id(kind) not in opened:
            named = _named(kind)
            of_enum, plain = type(named) is enum.EnumMeta, _plain(named)
            known = not plain and ours(named)
            opened[id(kind)] = _reader(named) if known and not of_enum else None
            whole = whole and (plain or known)
        read = opened[id(kind)]
        if read is not None:
            parts = read(value)
            found += kind, len(parts)
        else:
            kind = _named(kind)
            itself, parts = _laid_open(value, kind)
            found += kind, len(parts), itself
            if kind in METACLASSES:
                whole = whole and ours(value)
            elif type(kind) is enum.EnumMeta:
                whole = whole and not _state(value, kind)  # it is a member
        waiting += parts
    return tuple(found), whole, held


def _named(kind: type) -> type:
    """A class; one that may redefine comparison is replaced by its identity."""
    return kind if _of_python(type(kind)) else Shadow


def _laid_open(value: Any, kind: type) -> tuple[object, Sequence[object]]:
    """The state that distinguishes a value from others of its kind, and its parts in order."""
    if kind is FunctionType:
        return (value, value.__code__), [value.__defaults__, value.__kwdefaults__]
    if kind in CONTAINERS:
        return None, sorted(value, key=repr)
    if kind in MAPPINGS:
        return None, [part for item in value.items() for part in item]
    if kind in METACLASSES:
        return value, []
    if _plain(kind):
        return (str(value.dtype), value.shape, value.tobytes()), []
    return Same(value), []


class Same:
    """Equality by identity, whatever the value itself defines."""

    def __init__(self, value: object) -> None:
        """Hold the value."""
        self.value = value

    def __eq__(self, other: object) -> bool:
        """Whether it is the same object."""
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        """By memory address."""
        return id(self.value)


def _plain(kind: type) -> bool:
    """Whether values of this class are public arrays or numbers of numpy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and kind in _of_numpy(numpy)


@functools.lru_cache(maxsize=1)
def _of_numpy(numpy: ModuleType) -> frozenset[type]:
    return frozenset((numpy.ndarray, *numpy.sctypeDict.values()))


def _state(value: Any, kind: type) -> Sequence[object]:
    """The attributes of a value of one of dpframe's classes; an attribute that shadows the class
    counts as a class from outside.
    """
    readers, fields, cached, members = _layout(kind)
    if members is not None:
        return [] if any(value is member for member in members) else [Shadow()]
    found: list[object] = []
    for read in readers:
        with suppress(AttributeError):  # of a cache that is empty
            found.append(read(value))
    held = getattr(value, "__dict__", None)
    if held:
        for name in cached.intersection(held):
            held.pop(name, None)  # another thread may have been faster
        others = (item for item in list(held.items()) if item[0] not in cached | CACHES)
        found += [part if name in fields else Shadow() for name, part in others]
    return found


class Shadow:
    """Stands for an instance attribute that hides one of the class."""


Shadow.__module__ = "attributes set on a value"  # nothing of dpframe's, whatever it hides


Readers = tuple[Callable[[Any], object], ...]
Layout = tuple[Readers, tuple[str, ...], set[str], tuple[object, ...] | None]


@functools.lru_cache(maxsize=4096)
def _layout(kind: type) -> Layout:
    """How the slots of a value are read; the names that its dictionary may have, and those that are
    caches; the members of an enumeration.
    """
    parts = [item for base in type.mro(kind) for item in vars(base).items()]
    fields = tuple(field.name for field in getattr(kind, "__attrs_attrs__", ()))
    cached = {name for name, part in parts if isinstance(part, functools.cached_property)}
    slots = (part for _, part in parts if isinstance(part, MemberDescriptorType))
    readers = tuple(slot.__get__ for slot in slots if slot.__name__ not in CACHES)
    members: Any = kind if isinstance(kind, enum.EnumMeta) else None
    return readers, fields, cached, members and tuple(members)


@functools.lru_cache(maxsize=4096)
def _reader(kind: type) -> Reader:
    """A faster `_state` for a class that is not an enumeration: for full slots, or a dictionary
    with exactly the fields.
    """
    (readers, fields, cached, _), slow = _layout(kind), functools.partial(_state, kind=kind)
    caches = cached | CACHES

    def of_slots(value: Any) -> Sequence[object]:
        try:
            return [*map(call, readers, repeat(value))]
        except AttributeError:  # of a cache that is empty
            return slow(value)

    def of_dictionary(value: Any) -> Sequence[object]:
        held = value.__dict__
        if len(held) > len(fields):
            for name in cached.intersection(held):
                held.pop(name, None)
        try:
            found = [held[name] for name in fields]
        except KeyError:
            return slow(value)
        return found if len(held.keys() - caches) == len(fields) else slow(value)

    if not kind.__dictoffset__:
        return of_slots
    return slow if readers else of_dictionary


_seen: WeakKeyDictionary[type, Snapshot] = WeakKeyDictionary()


def _written_here(cls: type) -> bool:
    """Whether this very class, as it is now, is the one that its module's file defines."""
    if not _of_python(type(cls)):
        return False
    held, snapshot = vars(cls), _seen.get(cls)
    if snapshot is not None and _unchanged(held, snapshot):
        return True
    functions = _functions(cls)
    if functions is None:
        return False
    _seen[cls] = dict(held), tuple((one, one.__code__) for one in functions)
    return True


def _unchanged(held: Mapping[str, object], snapshot: Snapshot) -> bool:
    before, codes = snapshot
    if len(held) != len(before):
        return False
    for name, part in held.items():
        if before.get(name, before) is not part:
            return False
    return all(function.__code__ is code for function, code in codes)


def _functions(cls: type) -> list[FunctionType] | None:
    """The functions in the body of a class of this package; None for any other class."""
    name, qualified = cls.__module__, cls.__qualname__
    if type(name) is not str or type(qualified) is not str or _held(name, qualified) is not cls:
        return None
    bodies = _bodies(name)
    if bodies is None:
        return None
    body, stored = bodies.get(qualified, (None, None))
    if body is None or stored is None or not body <= set(vars(cls)):
        return None
    found: list[FunctionType] = []
    for key, part in vars(cls).items():
        behind = _behind(part)
        if key in body and not behind:
            return None
        if key not in stored and _hides(cls, key, part):
            return None
        for function in behind:
            if function is None or not _stands(function, key):
                return None
            if key in body and function.__code__.co_qualname != f"{qualified}.{key}":
                return None
            found.append(function)
    return found


def _hides(cls: type, key: str, part: object) -> bool:
    """Whether an attribute was added later: one that no line of the class body stores and that is a
    function or hides a base attribute, except those that Python and attrs create.
    """
    if key in GENERATED or isinstance(part, MemberDescriptorType):
        return False
    hiding = not key.startswith("_") and any(key in vars(base) for base in cls.__mro__[1:])
    return hiding or bool(_behind(part))


def _held(name: str, qualified: str) -> object:
    """The object under a qualified name in the module of this name."""
    found: object = sys.modules.get(name)
    for part in qualified.split("."):
        found = vars(found).get(part) if type(found) in (ModuleType, *METACLASSES) else None
    return found


def _behind(part: object) -> tuple[Any, ...]:
    """The functions that an attribute of a class runs; None if it cannot be examined."""
    if any(part is one for one in OF_ENUMS):
        return ()
    match part:
        case FunctionType():
            return (part,)
        case property():
            return tuple(one for one in (part.fget, part.fset, part.fdel) if one is not None)
        case classmethod() | staticmethod():
            return _behind(part.__func__)
        case functools.cached_property():
            return _behind(part.func)
    return (None,) if callable(part) and not isinstance(part, type) else ()


def _stands(function: object, key: str) -> bool:
    """Whether a function comes from a file of this package, with the globals of its module; or is
    generated by attrs, which has no file.
    """
    if type(function) is not FunctionType:
        return False
    code, home = function.__code__, function.__globals__
    generated = code.co_filename.startswith("<attrs generated") or home is vars(attr_make)
    if key in GENERATED and generated:
        return True
    name = home.get("__name__")
    module = sys.modules.get(name) if type(name) is str else None
    codes = None if module is None or vars(module) is not home else _codes(module.__name__)
    return codes is not None and code in codes


@functools.lru_cache(maxsize=4096)
def _file(name: str) -> CodeType | None:
    """The code in the file of a module of this package; None if there is none."""
    package, _, rest = name.partition(".")
    if package != PACKAGE or not all(part.isidentifier() for part in rest.split(".")):
        return None
    folder = ROOT.joinpath(*name.split(".")[:-1])
    spec = PathFinder.find_spec(name, [str(folder)])
    loader: Any = None if spec is None else spec.loader
    code = loader.get_code(name) if hasattr(loader, "get_code") else None
    return code if isinstance(code, CodeType) else None


@functools.lru_cache(maxsize=4096)
def _codes(name: str) -> frozenset[CodeType] | None:
    """The code of every function in the file of a module."""
    whole = _file(name)
    return None if whole is None else frozenset(code for _, code in _parts(whole, ""))


Body = tuple[frozenset[str], frozenset[str]]


@functools.lru_cache(maxsize=4096)
def _bodies(name: str) -> dict[str, Body] | None:
    """For each class in the file of a module, the names of the functions in its body, and all names
    that the body stores.
    """
    whole = _file(name)
    if whole is None:
        return None
    parts = _parts(whole, "")
    return {where: _body(code) for where, code in parts if not code.co_flags & OPTIMIZED}


def _body(code: CodeType) -> Body:
    functions = (one.co_name for one in _constants(code) if one.co_name.isidentifier())
    steps = dis.get_instructions(code)
    stored = (step.argval for step in steps if step.opname == "STORE_NAME")
    return frozenset(functions), frozenset(stored)


def _parts(code: CodeType, where: str) -> Iterator[tuple[str, CodeType]]:
    """Every nested code object, by its qualified name."""
    inner = f"{where}.<locals>" if code.co_flags & OPTIMIZED else where
    for one in _constants(code):
        name = f"{inner}.{one.co_name}" if inner else one.co_name
        yield name, one
        yield from _parts(one, name)


def _constants(code: CodeType) -> Iterator[CodeType]:
    return (part for part in code.co_consts if isinstance(part, CodeType))
