"""A function of released values that reaches an array without being given it is refused by name."""

# ruff: noqa: N811, PLC3002, PLW0108 - what people write

import functools
import io
import math
import operator
import sys
import types
import weakref
from collections import OrderedDict, UserList, defaultdict, deque, namedtuple
from concurrent.futures import Future
from contextvars import ContextVar
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from queue import Queue
from unittest.mock import Mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import optimize, sparse, special
from scipy.stats import norm

import dpframe as dp
from dpframe.graph.ambient import ambient, constants

DATA = np.ones((100, 3))
FRAME = pd.DataFrame(DATA)
TABLE = pa.table({"a": [1.0, 2.0]})
LAZY = pl.LazyFrame({"a": [1.0]})
LABELS = [float(i) for i in range(1000)]
NESTED = {"train": {"X": LABELS}}
SPARSE = sparse.csr_matrix(DATA)
ENTRIES = {i: i for i in range(1000)}
DEEP = OrderedDict(a=deque([DATA]))
SLOPE, NAMES, CUTS = 0.5, ("a", "b"), [0.1, 0.2, 0.3]
OPTIONS = {"penalty": 1.0, "names": NAMES, "exact": Fraction(1, 3)}
ONE, TINY = np.float64(2.0), np.array(3.0)
SUMMED = DATA.sum
ADDED = functools.partial(np.add, DATA)
SCALED = functools.partial(math.pow, 2)
NAMED = namedtuple("Named", "rows")(DATA)  # noqa: PYI024 - as it is written
Cases = Enum("Cases", {"ROWS": DATA})
ROWS, WEAK, USED = (row for row in DATA), weakref.ref(DATA), UserList(LABELS)
VARIED, MISSING = ContextVar("VARIED", default=DATA), defaultdict(lambda: DATA)
RAISED, PRICES = ValueError(DATA), [Decimal(i) for i in range(1000)]
WAITING, STREAM, PACKED = Queue(), io.BytesIO(DATA.tobytes()), DATA.tobytes()
COMPUTED, DIGITS = Future(), int.from_bytes(PACKED)
CALLED, CELL = operator.methodcaller("dot", DATA), types.CellType(DATA)
SPACE, FAKED = types.SimpleNamespace(rows=DATA), Mock(return_value=DATA)
WAITING.put(DATA)
COMPUTED.set_result(DATA)


class Holder:
    """Holds an array in its class and in its instances."""

    table = DATA
    name = "held"

    def __init__(self):
        self.rows = DATA

    def mean(self):
        """Mean."""
        return self.rows.mean()

    @property
    def largest(self):
        """Largest."""
        return DATA.max()


class Looked(type):
    """Has any attribute."""

    def __getattr__(cls, name):
        """Data."""
        return DATA


class Anything(metaclass=Looked):
    """Its class answers."""


class Longer(list):
    """May be given attributes."""


class Count(int):
    """Likewise."""


LISTED, COUNTED = Longer(), Count(3)
LISTED.rows = COUNTED.rows = DATA


class Slotted:
    __slots__ = ("rows",)

    def __init__(self):
        self.rows = FRAME


class Plain:
    """Holds no array."""

    scale = 2.0

    def scaled(self, value):
        """Scaled."""
        return self.scale * value


HOLDER, SLOTTED, PLAIN = Holder(), Slotted(), Plain()


def helper(value):
    """Helper."""
    return deeper(value)


def deeper(value):
    """Deeper."""
    return value + DATA.sum()


def innocent(value):
    """Innocent."""
    return value * SLOPE


def closing():
    """Closing."""
    rows = DATA

    def inside(value):
        return value + rows.sum()

    return inside


CLOSED = closing()


@functools.lru_cache
def cached(value):
    """Cached."""
    return value + LABELS[0]


@functools.singledispatch
def dispatched(value):
    """By the class of its argument."""
    return value + DATA.sum()


@functools.wraps(innocent)
def renamed(value):
    """Renamed."""
    return helper(value)


def recursive(value):
    """Recursive."""
    return value if value < 1 else recursive(value - 1)


module = types.ModuleType("a_module_of_mine")
module.DATA = DATA
module.SLOPE = 2.0
READ = "def read(value):\n    return value + DATA.sum()\n"
exec(READ + "def own(value):\n    return SLOPE\n", vars(module))
sys.modules["a_module_of_mine"] = module


def imports_it(value):
    """Imports it."""
    import a_module_of_mine as mine

    return value + mine.DATA.sum()


def imports_from_it(value):
    """Imports from it."""
    from a_module_of_mine import DATA as found

    return value + found.sum()


def aliases_it(value):
    """Aliases it."""
    other = HOLDER
    return value + other.rows.sum()


def comprehends(value):
    """Comprehends."""
    return [v + DATA[0, 0] for v in value]


def nested(value):
    """Nested."""

    def inner(one):
        return (lambda two: two + FRAME.iloc[0, 0])(one)

    return inner(value)


def defaults(value, *, rows=DATA):
    """Defaults."""
    return value + rows


READING = {
    "array": ("DATA", lambda v: v + DATA.sum()),
    "frame": ("FRAME", lambda v: v + FRAME.iloc[0, 0]),
    "arrow": ("TABLE", lambda v: (v, TABLE)),
    "lazy": ("LAZY", lambda v: (v, LAZY)),
    "sparse": ("SPARSE", lambda v: v + SPARSE.sum()),
    "list": ("LABELS", lambda v: v + sum(LABELS)),
    "nested": ("NESTED", lambda v: (v, NESTED["train"])),
    "mapping": ("ENTRIES", lambda v: (v, ENTRIES)),
    "inside containers": ("DEEP", lambda v: (v, DEEP)),
    "module attribute": ("module.DATA", lambda v: v + module.DATA.sum()),
    "class attribute": ("Holder.table", lambda v: v + Holder.table.sum()),
    "instance attribute": ("HOLDER.rows", lambda v: v + HOLDER.rows.sum()),
    "slot": ("SLOTTED.rows", lambda v: v + SLOTTED.rows.sum()),
    "method": ("HOLDER", lambda v: v + HOLDER.mean()),
    "property": ("HOLDER", lambda v: v + HOLDER.largest),
    "instance": ("HOLDER", lambda v: (v, HOLDER)),
    "class": ("Holder", lambda v: (v, Holder())),
    "helper": ("DATA in ", lambda v: helper(v)),
    "helper of a module": ("DATA in module.read", lambda v: module.read(v)),
    "decorated": ("DATA in ", lambda v: renamed(v)),
    "cached": ("LABELS in ", lambda v: cached(v)),
    "closure of a helper": ("rows in CLOSED", lambda v: CLOSED(v)),
    "bound method of an array": ("SUMMED", lambda v: v + SUMMED()),
    "partial": ("ADDED", lambda v: ADDED(v)),
    "import": ("mine.DATA", imports_it),
    "import from": ("DATA", imports_from_it),
    "alias": ("HOLDER", aliases_it),
    "comprehension": ("DATA", comprehends),
    "nested functions": ("FRAME", nested),
    "default": ("default", defaults),
    "field of a named tuple": ("NAMED", lambda v: v + NAMED.rows.sum()),
    "member of an enumeration": ("Cases.ROWS", lambda v: v + Cases.ROWS.value.sum()),
    "generator": ("ROWS", lambda v: (v, next(ROWS))),
    "weak reference": ("WEAK()", lambda v: v + WEAK().sum()),
    "list of a class": ("USED", lambda v: v + USED[0]),
    "context": ("VARIED", lambda v: v + VARIED.get().sum()),
    "default of a dictionary": ("DATA in MISSING", lambda v: (v, MISSING[0])),
    "exception": ("RAISED", lambda v: (v, RAISED.args)),
    "decimals": ("PRICES", lambda v: v + PRICES[0]),
    "queue": ("WAITING", lambda v: v + WAITING.get().sum()),
    "future": ("COMPUTED", lambda v: v + COMPUTED.result().sum()),
    "stream": ("STREAM", lambda v: v + np.frombuffer(STREAM.getvalue()).sum()),
    "bytes": ("PACKED", lambda v: v + np.frombuffer(PACKED).sum()),
    "digits": ("DIGITS", lambda v: v + DIGITS),
    "call of a method": ("CALLED", lambda v: v + CALLED(v)),
    "cell": ("CELL", lambda v: (v, CELL)),
    "namespace": ("SPACE", lambda v: (v, SPACE)),
    "mock": ("FAKED", lambda v: v + FAKED().sum()),
    "attribute of a list": ("LISTED.rows", lambda v: (v, LISTED)),
    "attribute of a number": ("COUNTED.rows", lambda v: (v, COUNTED)),
    "class of a class": ("DATA in Anything", lambda v: v + Anything.rows.sum()),
    "single dispatch": ("DATA in ", lambda v: dispatched(v)),
}
FREE = {
    "numbers": lambda v: v * SLOPE + CUTS[0] + ONE + TINY,
    "options": lambda v: (v, OPTIONS["penalty"], NAMES),
    "ufuncs": lambda v: np.exp(v) + np.linalg.norm(v) + special.expit(v) + np.pi,
    "library objects": lambda v: norm.ppf(v) + np.r_[v, 1].sum(),
    "helpers": lambda v: innocent(recursive(v)),
    "classes": lambda v: PLAIN.scaled(v) + Plain().scale,
    "one name of a module": lambda v: module.SLOPE * v + module.own(v),
    "one name of an object": lambda v: (v, HOLDER.name, Holder.name),
    "partial": lambda v: SCALED(v),
    "modules": lambda v: (v, module, np),
    "dpframe": lambda v: (v, dp.ApproxDP(1, "1e-6")),
    "arrays of its own": lambda v: np.array([1.0, 2.0, 3.0]) * v,
}


@pytest.mark.parametrize("case", READING)
def test_an_array_that_is_no_argument_is_refused_by_name(case):
    """An array that is no argument is refused by name."""
    name, function = READING[case]
    with pytest.raises(dp.errors.TouchesData) as refused:
        dp.post(function, 1.0)
    assert name in str(refused.value)
    assert "pass the release as an argument" in str(refused.value)


@pytest.mark.parametrize("case", FREE)
def test_constants_functions_classes_and_modules_are_no_data(case):
    """Constants functions classes and modules are no data."""
    assert dp.post(FREE[case], 1.0).label


def test_the_update_of_a_loop_reads_no_array_either():
    """The update of a loop reads no array either."""
    X, y = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
    point = dp.iterate(X.columns)
    noise = dp.Gaussian(std=10)
    step = dp.release(dp.graph.gradient(X, y, at=point, clip=1), noise, times=3)
    with pytest.raises(dp.errors.TouchesData, match="DATA"):
        dp.loop(point, step, lambda theta, answer, _: theta - answer + DATA.sum())


LATER = None


def reads_later(value):
    """Reads later."""
    return value if LATER is None else LATER


class Reading(dp.Regression):
    """Post-processing that reads a global."""

    def declare(self, X, y, budget):
        """One number."""
        return dp.post(reads_later, dp.release(dp.trace(X.T @ X), dp.Gaussian.analytic, budget))


def test_a_global_that_is_set_after_certification_is_seen_before_execution(monkeypatch):
    """A global that is set after certification is seen before execution."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    run = dp.certify(Reading(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    assert dp.execute(run, DATA, np.ones(100), rng=0).output is not None
    monkeypatch.setattr(sys.modules[__name__], "LATER", DATA)
    with pytest.raises(dp.errors.TouchesData, match="LATER"):
        dp.execute(run, DATA, np.ones(100), rng=0)


def test_an_error_shows_no_content():
    """An error shows no content."""
    with pytest.raises(dp.errors.TouchesData) as refused:
        dp.post(lambda v: v + sum(LABELS), 1.0)
    assert "a list of 1000 entries" in str(refused.value)
    assert "999" not in str(refused.value)


HALF = 0.5


def shrink(moment):
    """Reads a constant of its module, one of a dictionary, and one of a library."""
    return HALF * moment * OPTIONS["penalty"] * np.pi + len(moment)


class Shrunk(dp.Regression):
    """A moment times constants."""

    def declare(self, X, y, budget):
        return dp.post(shrink, dp.release(X.T @ y, dp.Gaussian.analytic, budget))


def test_constants_that_a_function_reads_are_assumed_public_and_hashed(monkeypatch):
    """By name, never by value; a run after a change is refused; constants of libraries are not
    listed.
    """
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)

    def certified():
        return dp.certify(Shrunk(), target=dp.ApproxDP(1, "1e-6"), setting=setting)

    before = certified()
    assert before.assumptions[-1] == "constants that shrink reads are public: HALF, OPTIONS"
    assert before.verdict.accepted
    assert certified().hash == before.hash
    dp.execute(before, DATA, DATA[:, 0], rng=0)
    monkeypatch.setattr(sys.modules[__name__], "HALF", 0.25)
    assert certified().hash != before.hash
    with pytest.raises(dp.NotExecutable, match="a constant that it reads"):
        dp.execute(before, DATA, DATA[:, 0], rng=0)


class Options:
    """Constants of the user, in a class with a docstring."""

    penalty = 0.5


SOLVES = np.linalg.solve
LIBRARY_USES = [
    lambda v: np.linalg.solve(np.eye(2), v),
    lambda v: np.linalg.lstsq(np.linalg.inv(np.eye(2)), v, rcond=None),
    lambda v: np.linalg.LinAlgError(v),
    lambda v: np.fft.fft(v) * np.ma.masked,
    lambda v: np.random.beta(v, np.random.default_rng()),  # noqa: NPY002
    lambda v: special.bdtr(v) if np.True_ else np.ma.minimum(v, optimize.anderson),
    lambda v: SOLVES(np.eye(2), norm.cdf(v)),
]


@pytest.mark.parametrize("case", range(len(LIBRARY_USES)))
def test_objects_of_libraries_and_metadata_of_functions_are_no_constants(case):
    """Of numpy's `solve` in `np.linalg`, the docstring was listed."""
    assert constants(LIBRARY_USES[case]) == ()


@pytest.mark.parametrize("module", ["numpy", "numpy.linalg", "numpy.fft", "numpy.random"])
def test_no_function_of_numpy_is_listed_as_constants(module):
    """Under either way to import it, with every supported version of numpy."""
    home = sys.modules[module]
    names = [name for name in dir(home) if callable(getattr(home, name)) and name != "test"]
    for name in names:
        for use in (f"{module}.{name}", name):
            scope = {"numpy": np, name: getattr(home, name)}
            exec(f"def use(x): return {use}(x)", scope)
            assert constants(scope["use"]) == (), use
    assert len(names) > 10


def test_constants_of_a_class_are_listed_without_its_docstring():
    """The name, module and docstring of a class are set by Python."""
    assert constants(lambda v: Options.penalty * v) == (("Options.penalty", "0.5"),)
    names = {name for name, _ in constants(lambda v: build(Options, v))}
    assert names == {"Options.penalty"}


def build(kind, value):
    """The penalty of a class, times a value."""
    return kind().penalty * value


@pytest.mark.parametrize("name", ["__main__", "a_notebook"])
def test_helpers_of_modules_without_a_file_are_searched(name, monkeypatch):
    """As in a notebook; also if a helper states a module of numpy as its own."""
    home = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, home)
    home.secret = DATA
    exec("def helper(v): return v + secret.sum()\ndef use(v): return helper(v)", vars(home))
    for module in (name, "numpy.linalg"):
        home.helper.__module__ = module
        assert ambient(home.use)[0] == "secret in helper"
    exec(
        "class Held:\n  kept = secret\nheld = Held()\ndef use(v): return held.kept + v", vars(home)
    )
    assert ambient(home.use) is not None
