"""Detect arrays and data frames that a post-processing function uses without taking them as
arguments, and list the numbers and texts that it uses so.

A function of released values that uses an array from its surroundings may release that array. The
names in its code are resolved without running anything: globals, attributes of modules, classes and
objects, closures, defaults and partial arguments, recursively through helper functions, but not
into installed libraries. Names that exist only at run time (`globals()`, files, names built from
text) are not detected.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import gc
import inspect
import io
import sys
import sysconfig
import threading
import types
import weakref
from collections import UserList, defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from fractions import Fraction
from numbers import Number
from pathlib import Path
from typing import Any

import attrs

from dpframe.identity import PACKAGE, ROOT

from .node import Node

DEEPEST, MOST = 12, 5000  # of helpers within helpers, and of all that is looked at
FEW = 100  # more numbers in a list are no constant but data
HOLDERS = frozenset(  # modules of Python whose objects hold what they are given
    ("builtins", "concurrent", "contextlib", "operator", "queue", "threading", "types", "unittest")
)
ARRAYS = (
    *("__array__", "__array_interface__", "__array_struct__", "__cuda_array_interface__"),
    *("__dlpack__", "__dataframe__", "__arrow_array__", "__arrow_c_array__"),
    *("__arrow_c_stream__", "__dask_graph__", "collect_schema"),
)
NOTHING = object()
KEEPS = frozenset(  # steps of code between a name and its attribute
    ("PUSH_NULL", "CACHE", "PRECALL", "COPY", "SWAP", "EXTENDED_ARG", "NOP", "RESUME")
)
PLAIN = (int, float, complex, str, bytes, Fraction)
CONTAINERS = (list, tuple, set, frozenset, deque)
METADATA = frozenset(  # of functions and classes, set by Python and by compilers
    f".__{name}__"
    for name in (
        *("module", "name", "qualname", "doc", "firstlineno"),
        *("vectorcalloffset", "weakrefoffset", "dictoffset", "basicsize", "itemsize", "flags"),
    )
)
Found = tuple[str, object]
Names = Mapping[str, object]


def ambient(function: types.FunctionType) -> Found | None:
    """The first array, data frame, long list of numbers or node that `function` uses without taking
    it as an argument, and the expression that refers to it; None if there is none.
    """
    walk = _Walk()
    for name, value in _cells(function).items():
        walk.visit(name, value, 0)
    walk.function("", function, 0)
    return walk.found


def constants(function: Any) -> tuple[tuple[str, str], ...]:
    """The numbers and texts that `function` uses without taking them as arguments, in order of
    their first use: each with the expression that refers to it, and its repr.
    """
    walk = _Walk()
    walk.function("", function, 0)
    return tuple(walk.constants.items())


def described(value: object) -> str:
    """The kind and size of a value, never its content."""
    if isinstance(value, Node):
        return value.label
    shape = getattr(value, "shape", None)
    size = f" of shape {shape}" if isinstance(shape, tuple) else ""
    if not size and isinstance(value, (*CONTAINERS, Mapping)):
        size = f" of {len(value)} entries"
    return f"a {type(value).__name__}{size}"


@attrs.define
class _Walk:
    """The values visited so far, the first one that is data, and the constants among them."""

    found: Found | None = None
    constants: dict[str, str] = attrs.field(factory=dict)
    seen: dict[int, object] = attrs.field(factory=dict)

    def visit(self, name: str, value: object, depth: int) -> None:
        """Visit a value that code refers to as `name`, and the values it holds."""
        if self.found is not None or value is NOTHING:
            return
        if _is_number(value):
            self.constants[name] = self.constants.get(name, "") + repr(_as_python(value))
            for label, part in () if id(value) in self.seen else _attributes(value):
                self.seen[id(value)] = value
                self.visit(f"{name}{label}", part, depth + 1)
            return
        if id(value) in self.seen or depth > DEEPEST or len(self.seen) > MOST:
            return
        self.seen[id(value)] = value
        if isinstance(value, Node) or _is_data(value):
            self.found = name, value
            return
        if _belongs_to_library(value):
            return
        if isinstance(value, types.FunctionType):
            if not _of_library(value.__code__.co_filename):
                self.function(name, value, depth)
            elif "__wrapped__" in vars(value):
                self.visit(name, vars(value)["__wrapped__"], depth + 1)
            return
        for label, part in _parts(value):
            if label in METADATA and isinstance(part, PLAIN):
                continue
            self.visit(f"{name}{label}", part, depth + 1)

    def function(self, name: str, function: types.FunctionType, depth: int) -> None:
        """Visit every name in the code of a function, and its defaults."""
        keywords = (function.__kwdefaults__ or {}).values()
        for default in (*(function.__defaults__ or ()), *keywords):
            self.visit(f"a default of {name or function.__qualname__}", default, depth + 1)
        inside = f" in {name}" if name else ""
        self.code(function.__code__, function.__globals__, _cells(function), inside, depth + 1)

    def code(
        self, code: types.CodeType, home: dict[str, Any], cells: Names, inside: str, depth: int
    ) -> None:
        """Visit every name in a code object, and the functions nested in it."""
        names = {**cells}
        for chain, value in _reached(code, home, names):
            if not (_is_number(value) and _of_others(chain, home)):
                self.visit(f"{chain}{inside}", value, depth)
        for part in code.co_consts:
            if isinstance(part, types.CodeType):
                self.code(part, home, names, inside, depth)


def _reached(
    code: types.CodeType, home: dict[str, Any], names: dict[str, object]
) -> Iterator[Found]:
    """Every chain of names that starts at a global, a closure or an import, with its value. `names`
    are cells and local names of known value; assignments in the code are added to it.
    """
    chain, value, module = "", NOTHING, NOTHING
    for what, name in _steps(code):
        if what in ("LOAD_ATTR", "LOAD_METHOD") and value is not NOTHING:
            part = _attribute(value, name)
            bound = hasattr(type(part), "__get__") and not isinstance(value, type)
            if (part is NOTHING or bound) and not isinstance(value, types.ModuleType):
                yield chain, value  # a method or a descriptor may read all of its object
            chain, value = f"{chain}.{name}", part
            continue
        if what == "IMPORT_FROM":
            chain, value = str(name), _attribute(module, name)
            continue
        if value is not NOTHING:
            yield chain, value
        if what.startswith("STORE_") and isinstance(name, str):
            names.setdefault(name, value)
            if what != "STORE_FAST" or value is not NOTHING:
                names[name] = value
        chain, value = str(name), NOTHING
        if what in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = home.get(name, vars(builtins).get(name, NOTHING))
        elif what.startswith(("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE")):
            value = names.get(name, NOTHING) if isinstance(name, str) else NOTHING
        elif what == "IMPORT_NAME":
            module = _module(name, home)
            value = sys.modules.get(str(name).partition(".")[0], NOTHING)


@functools.lru_cache(maxsize=4096)
def _steps(code: types.CodeType) -> tuple[tuple[str, Any], ...]:
    """The instructions of the code, each with its name or constant."""
    steps = dis.get_instructions(code)
    return tuple((step.opname, step.argval) for step in steps if step.opname not in KEEPS)


def _module(name: str, home: Mapping[str, Any]) -> object:
    """A loaded module, by its name or relative to a package."""
    package = str(home.get("__package__") or "")
    for candidate in (name, f"{package}.{name}" if package else name):
        if candidate in sys.modules:
            return sys.modules[candidate]
    return NOTHING


def _attribute(value: object, name: str) -> object:
    """An attribute as stored, without running a property."""
    if isinstance(value, types.ModuleType):
        return vars(value).get(name, sys.modules.get(f"{value.__name__}.{name}", NOTHING))
    if isinstance(value, enum.EnumMeta) and name in value.__members__:
        return value.__members__[name]
    try:
        stored = inspect.getattr_static(value, name, NOTHING)
    except (AttributeError, TypeError, ValueError):
        return NOTHING
    if isinstance(stored, types.MemberDescriptorType) and not isinstance(value, type):
        try:
            return stored.__get__(value)
        except AttributeError:
            return NOTHING
    return _bare(stored)


def _is_data(value: object) -> bool:
    """Whether a value is an array, a data frame or a long list of numbers."""
    kind = type(value)
    if isinstance(value, (type, types.ModuleType)):
        return False
    if isinstance(value, int):
        return value.bit_length() > 64 * FEW
    if isinstance(value, (memoryview, bytearray, bytes)) or kind.__module__ in {"array", "mmap"}:
        return len(value) > FEW  # type: ignore[arg-type]
    array = any(hasattr(kind, name) for name in ARRAYS)
    if isinstance(value, (*CONTAINERS, Mapping)) and not array:
        return _numbers(value) > FEW
    array = array or (hasattr(kind, "shape") and hasattr(kind, "dtype"))
    return array and getattr(value, "shape", None) != ()  # numbers of numpy have no extent


def _numbers(value: Any) -> int:
    """The number of numbers in a container, nested ones included; FEW + 1 stands for more."""
    count, waiting = 0, [(value, 0)]
    while waiting and count <= FEW:
        one, depth = waiting.pop()
        entries = list(one.values()) if isinstance(one, Mapping) else list(one)
        count += sum(isinstance(part, Number) or _is_scalar(part) for part in entries)
        if depth < DEEPEST:
            inner = [part for part in entries[: FEW + 1] if isinstance(part, (*CONTAINERS, dict))]
            waiting += [(part, depth + 1) for part in inner]
    return count


def _is_number(value: object) -> bool:
    plain = isinstance(value, PLAIN) and not (isinstance(value, (int, bytes)) and _is_data(value))
    return plain or _is_scalar(value)


def _is_scalar(value: object) -> bool:
    return hasattr(type(value), "dtype") and getattr(value, "shape", None) == ()


def _as_python(value: Any) -> object:
    """A scalar of numpy as a Python object."""
    return value.item() if _is_scalar(value) and hasattr(value, "item") else value


def _of_others(chain: str, home: Mapping[str, Any]) -> bool:
    """Whether a chain of names starts at a built-in name, or at a module of a library."""
    name = chain.partition(".")[0]
    root = home.get(name, sys.modules.get(name, NOTHING))
    if isinstance(root, types.ModuleType):
        return _is_library(root)
    return name not in home and hasattr(builtins, name)


def _parts(value: Any) -> Iterator[Found]:
    """The values that a value holds, each with the expression that refers to it."""
    match value:
        case str() | bytes() | int() | float() | complex() | None | types.ModuleType():
            return
        case Mapping():
            yield from (
                (f"[{key!r}]" if isinstance(key, str) else "[...]", part)
                for key, part in list(value.items())[:MOST]
            )
        case list() | tuple() | set() | frozenset() | deque():
            yield from (("[...]", part) for part in list(value)[:MOST])
        case functools.partial():
            yield ".func", value.func
            yield from ((".args", part) for part in value.args)
            yield from ((f".keywords[{key!r}]", part) for key, part in value.keywords.items())
        case types.MethodType() | types.BuiltinMethodType() | types.MethodWrapperType():
            yield from ((".__self__", value.__self__), ("", getattr(value, "__func__", NOTHING)))
        case type():
            if not _from_library(value):
                yield from ((f".{name}", _bare(part)) for name, part in vars(value).items())
                yield "", type(value)
        case _:
            yield from _held(value)
    if isinstance(value, (*CONTAINERS, Mapping)):
        yield from _attributes(value)
    yield from _of_python(value)


def _attributes(value: Any) -> Iterator[Found]:
    """What a value of a subclass of numbers, texts or containers was given."""
    held = {} if isinstance(value, enum.Enum) else getattr(value, "__dict__", None) or {}
    yield from ((f".{name}", part) for name, part in held.items())


def _of_python(value: Any) -> Iterator[Found]:
    """The values that an object of a class of Python's own holds out of sight."""
    match value:
        case defaultdict():
            yield ".default_factory", value.default_factory
        case UserList() | threading.local() | BaseException():
            yield from ((f".{name}", part) for name, part in vars(value).items())
            yield ".args", getattr(value, "args", None)
        case io.BytesIO() | io.StringIO():
            yield ".getvalue()", value.getvalue()
        case weakref.ref():
            yield "()", value()
        case ContextVar():
            with suppress(LookupError):
                yield ".get()", value.get()
        case Iterator():
            yield from (("", part) for part in gc.get_referents(value))


def _bare(part: object) -> object:
    """The plain function behind a method."""
    if isinstance(part, property):
        return NOTHING if part.fget is None else part.fget
    if isinstance(part, (classmethod, staticmethod)):
        return part.__func__
    return part.func if isinstance(part, functools.cached_property) else part


def _held(value: object) -> Iterator[Found]:
    """The attributes of an object, and its class; nothing that a library defines."""
    kind = type(value)
    wrapped = inspect.getattr_static(value, "__wrapped__", NOTHING)
    if wrapped is not NOTHING:
        yield ".__wrapped__", wrapped
    library = _from_library(kind)
    root = kind.__module__.partition(".")[0]
    if library and root in sys.stdlib_module_names:
        yield from (("", part) for part in gc.get_referents(value) if root in HOLDERS)
        return
    for name, part in (getattr(value, "__dict__", None) or {}).items():
        yield f".{name}", part
    for base in kind.__mro__:
        for name, slot in vars(base).items():
            if isinstance(slot, types.MemberDescriptorType) and name != "__dict__":
                yield f".{name}", _attribute(value, name)
    if not library:
        yield "", kind


def _belongs_to_library(value: object) -> bool:
    """Whether a library's module holds this very object, which no data were read to make. A
    container is not counted, since anything may be added to it.
    """
    if isinstance(value, (*CONTAINERS, Mapping)) or not _from_library(type(value)):
        return False
    if isinstance(value, types.ModuleType):  # its attributes may be computed, or deprecated
        return False
    for name in (type(value).__module__, getattr(value, "__module__", None)):
        home = sys.modules.get(str(name))
        if home is not None and any(part is value for part in vars(home).values()):
            return _is_library(home)
    return False


def _from_library(kind: type) -> bool:
    """Whether a class comes from an installed library, from Python, or from dpframe."""
    home = sys.modules.get(kind.__module__)
    return home is not None and _is_library(home)


def _is_library(module: types.ModuleType) -> bool:
    """Whether a module belongs to an installed library, to Python, or to dpframe. Of the modules
    without a file, which include those of notebooks, only Python's own do.
    """
    file = getattr(module, "__file__", None)
    name = module.__name__
    return name != "__main__" and (
        name.partition(".")[0] in sys.stdlib_module_names if file is None else _of_library(file)
    )


@functools.lru_cache(maxsize=4096)
def _of_library(file: str) -> bool:
    """Whether a file belongs to an installed library, to Python, or to dpframe."""
    if file.startswith(("<frozen", "<attrs", "<__array_function__")):
        return True
    path = Path(file)
    places = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    roots = [Path(root) for root in places if root is not None]
    return any(path.is_relative_to(root) for root in (*roots, ROOT / PACKAGE))


def _cells(function: types.FunctionType) -> Names:
    """The values of the closure, by name."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: _content(cell) for name, cell in cells}


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return NOTHING
