"""Python's operators, numpy's functions and unknown names, on objects that stand for a value which
is not there yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import attrs

from dpframe.errors import UnknownName, nearest

PLAIN = (bool, int, float, complex, str, type(None))
LONG = 40  # characters of an operand that an error repeats
NUMBER = "turned into a number"

REFLECTED = {  # numpy's ufunc with an array or a numpy number on the left: our method
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "matmul": "__rmatmul__",
    "divide": "__rtruediv__",
    "power": "__rpow__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
}
EQUALITY = {"equal": False, "not_equal": True}  # arrays and such objects are never equal


@attrs.frozen
class Operation:
    """What was tried: what the object cannot be, and the operation as code of its operands."""

    done: str
    code: str
    operands: tuple[object, ...]

    def spelled(self, name: Callable[[object], str]) -> str:
        """The code; `name` of every operand that is no plain number or text in its place."""
        return self.code.format(*(_spelled(one, name) for one in self.operands))


def _spelled(operand: object, name: Callable[[object], str]) -> str:
    if type(operand) is tuple:
        return ", ".join(_spelled(one, name) for one in operand)
    if type(operand) is list:
        return f"[{', '.join(_spelled(one, name) for one in operand)}]"
    if isinstance(operand, slice):
        parts = (operand.start, operand.stop, operand.step)
        ends = ["" if end is None else _spelled(end, name) for end in parts]
        return ":".join(ends if ends[-1] else ends[:2])
    plain = type(operand) in PLAIN and len(repr(operand)) <= LONG
    return repr(operand) if plain else name(operand)


def by_operator(symbolic: object, ufunc: Any, method: str, operands: tuple[Any, ...]) -> Any:
    """What Python's operator gives where numpy's function stands for it, because an array or a
    number of numpy is on its left; NotImplemented elsewhere.
    """
    name = ufunc.__name__
    if method == "__call__" and name in EQUALITY:
        return EQUALITY[name]
    if method == "__call__" and name in REFLECTED and operands[-1] is symbolic:
        return getattr(symbolic, REFLECTED[name])(operands[0])
    return NotImplemented


def _one(done: str, code: str, *, reflected: bool = False) -> Any:
    """A method that refuses an operation."""

    def method(self: Symbolic, *others: object) -> NoReturn:
        operands = (*others, self) if reflected else (self, *others)
        self.refuse(Operation(done, code, operands))

    return method


def _both(done: str, operator: str) -> tuple[Any, Any]:
    """The methods of a binary operator, from the left and from the right."""
    code = operator if "{" in operator else f"{{}} {operator} {{}}"
    return _one(done, code), _one(done, code, reflected=True)


class Symbolic:
    """Abstract: stands for a value that is not there yet. Every operator and numpy function that a
    class does not define, and every name that it does not have, goes to its `refuse` or `unknown`,
    which say what to write instead.
    """

    __slots__ = ()

    def refuse(self, operation: Operation) -> NoReturn:
        """Say why not, and the way out."""
        raise NotImplementedError(operation.done)

    def unknown(self, name: str) -> str:
        """The text of the error about a name that it does not have."""
        return f"{type(self).__name__} has no {name!r}.{nearest(name, dir(self))}"

    # set in the body by name: a class with a method added later is not dpframe's own
    __add__, __radd__ = _both("added", "+")
    __sub__, __rsub__ = _both("subtracted", "-")
    __mul__, __rmul__ = _both("multiplied", "*")
    __matmul__, __rmatmul__ = _both("multiplied", "@")
    __truediv__, __rtruediv__ = _both("divided", "/")
    __floordiv__, __rfloordiv__ = _both("divided", "//")
    __mod__, __rmod__ = _both("divided", "%")
    __divmod__, __rdivmod__ = _both("divided", "divmod({}, {})")
    __pow__, __rpow__ = _both("raised to a power", "**")
    __lshift__, __rlshift__ = _both("shifted", "<<")
    __rshift__, __rrshift__ = _both("shifted", ">>")
    __and__, __rand__ = _both("combined", "&")
    __or__, __ror__ = _both("combined", "|")
    __xor__, __rxor__ = _both("combined", "^")
    __lt__, __gt__ = _one("compared", "{} < {}"), _one("compared", "{} > {}")
    __le__, __ge__ = _one("compared", "{} <= {}"), _one("compared", "{} >= {}")
    __neg__, __pos__ = _one("negated", "-{}"), _one("copied", "+{}")
    __abs__, __invert__ = _one("taken in absolute value", "abs({})"), _one("inverted", "~{}")
    __round__ = _one("rounded", "round({})")
    __bool__ = _one("tested for truth", "bool({})")
    __float__, __int__ = _one(NUMBER, "float({})"), _one(NUMBER, "int({})")
    __complex__ = _one(NUMBER, "complex({})")
    __len__ = _one("measured", "len({})")
    __iter__ = _one("iterated over", "list({})")
    __contains__ = _one("searched", "{1} in {0}")
    __getitem__ = _one("indexed", "{}[{}]")
    __setitem__, __delitem__ = _one("changed", "{}[{}] = {}"), _one("changed", "del {}[{}]")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self.refuse(Operation("turned into an array", "np.asarray({})", (self,)))

    def __array_function__(self, function: Any, _: Any, given: Any, options: Any) -> NoReturn:
        module = function.__module__.replace("numpy", "np")
        braces = ", ".join(["{}"] * len(given) + [f"{one}={{}}" for one in options])
        code = f"{module}.{function.__name__}({braces})"
        operands = (*given, *options.values())
        self.refuse(Operation("given to a numpy function", code, operands))

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **_: Any) -> Any:
        found = by_operator(self, ufunc, method, operands)
        if found is not NotImplemented:
            return found
        braces = ", ".join(["{}"] * len(operands))
        code = f"np.{ufunc.__name__}({braces})"
        return self.refuse(Operation("given to a numpy function", code, operands))

    if not TYPE_CHECKING:  # a type checker should go on to complain about unknown names

        def __getattr__(self, name: str) -> Any:
            """Only where a name is not found; a property that raised says why by itself."""
            if hasattr(type(self), name) or name.startswith("_"):
                return object.__getattribute__(self, name)
            raise UnknownName(lambda: self.unknown(name))
