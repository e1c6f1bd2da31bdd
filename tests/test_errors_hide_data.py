"""No error quotes data, wherever data was given by mistake: a law over all public callables."""

import inspect
import traceback
import types

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dpframe as dp
from dpframe.errors import DPFrameError, InvalidArgument, shown

SECRET = "73194628"  # digits that no message may show
NUMBER = float(SECRET) + 0.25
SPACES = [getattr(dp, name) for name in dir(dp) if name not in dp.__all__]
PUBLIC = {  # of the face and of its namespaces
    name: getattr(place, name) for place in (dp, *SPACES) for name in getattr(place, "__all__", ())
}
ERRORS = {name for name, one in PUBLIC.items() if isinstance(one, type)}
ERRORS = {name for name in ERRORS if issubclass(PUBLIC[name], BaseException)}
HEAVY = {"attack", "best_split", "mutants", "simulate"}  # what they accept they compute at length
FACTS = {"REGRESSIONS", "__version__", "Relation", "Verdict"}  # the last two are enumerations
INNER = {"refuse"}  # takes a sentence of dpframe's


class Telling:
    """An object of another library whose every text quotes its data."""

    def __repr__(self):
        """Its data."""
        return f"Telling({SECRET})"

    __str__ = __repr__

    def __format__(self, spec):
        """Its data."""
        return repr(self)

    def __float__(self):
        """An error of the library that quotes its data, with one behind it."""
        try:
            float(f"{SECRET} pounds")
        except ValueError as error:
            raise TypeError(f"no number: {SECRET}") from error

    __int__ = __index__ = __float__


def secrets():
    """Data in every shape that people have it in."""
    column = [NUMBER, 1.0, 2.0]
    return {
        "array": np.array(column),
        "matrix": np.array([column, column]),
        "array of objects": np.array([SECRET, None, {SECRET}], dtype=object),
        "array of texts": np.array([SECRET, "other"]),
        "number in an array": np.array(NUMBER),
        "negative": -np.array(column),
        "list": column,
        "list of negatives": [-NUMBER, -1.0],
        "list of texts": [SECRET, "other"],
        "tuple": tuple(column),
        "nested": [[NUMBER, (NUMBER,)], {"y": NUMBER}],
        "set": set(column),
        "dict": {SECRET: NUMBER},
        "dict of names": {"epsilon": column, "a": NUMBER},
        "series": pd.Series(column, name="y"),
        "frame": pd.DataFrame({"u": column, "v": column}),
        "index": pd.Index(column),
        "series of Polars": pl.Series("y", column),
        "frame of Polars": pl.DataFrame({"u": column}),
        "lazy frame": pl.LazyFrame({"u": column}),
        "table of Arrow": pa.table({"u": column}),
        "array of Arrow": pa.array(column),
        "bytes": SECRET.encode(),
        "long text": f"{SECRET}," * 40,
        "object": Telling(),
        "error": ValueError(SECRET, TypeError(SECRET)),
        "simple namespace": types.SimpleNamespace(y=NUMBER),
    }


class Sums(dp.Regression):
    """A noisy number of rows."""

    gamma: dp.Expression = dp.parameter("gamma", 0, 1)

    def declare(self, X, y, budget):
        """One release."""
        return dp.release(dp.count(X), dp.Gaussian.analytic, budget)


SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
TARGET = dp.ApproxDP(1, "1e-6")
RUN = dp.certify(Sums(), target=TARGET, setting=SETTING)
OPEN = dp.certify(dp.SSP(), target=dp.ApproxDP(dp.EPSILON, dp.DELTA), setting=SETTING)
NODES = SETTING.nodes()
USUAL = {  # what stands for the other arguments, by name
    "regression": Sums(),
    "declaration": Sums(),
    "target": TARGET,
    "setting": SETTING,
    "certificate": RUN,
    "run": RUN,
    "X": np.zeros((4, 2)),
    "y": np.zeros(4),
    "rows": NODES[0],
    "statistic": dp.count(NODES[0]),
    "mechanism": dp.Gaussian(std=5),
    "relation": dp.ADD_REMOVE,
    "delta": "1e-6",
    "name": "gamma",
    "n": 100,
    "d": 2,
    "function": len,
}


def objects():
    """Values with public methods, by what a reader would call them."""
    X, y = NODES
    return {
        "certificate": OPEN,
        "run": RUN,
        "rows": X,
        "labels": y,
        "filter": dp.Filter(TARGET),
        "odometer": dp.Odometer(dp.PureDP),
        "accounts": dp.RecordLedger(dp.PersonalizedDP(epsilon=[1.0, 2.0])),
        "estimator": dp.PrivateRegressor(dp.SSP(), setting=SETTING, epsilon=1, delta="1e-6"),
        "noise": dp.Gaussian(std=5),
        "guarantee": TARGET,
        "budget": TARGET.budget,
        "statistic": X.T @ X,
        "release": dp.release(X.T @ y, dp.Gaussian.analytic, TARGET.budget),
        "ledger": dp.Ledger("ledger"),
        "setting": SETTING,
        "composition": dp.compose(dp.PureDP(1)),
    }


def callables():
    """Every public function and class, and every public method of the objects."""
    for name, one in PUBLIC.items():
        if callable(one) and name not in ERRORS | FACTS:
            yield name, one
    for title, one in objects().items():
        for name in dir(type(one)):
            public = not name.startswith("_") and name not in INNER
            if public and callable(getattr(type(one), name)):
                yield f"{title}.{name}", getattr(one, name)


def parameters_of(function):
    """Its parameters, none where Python does not say."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one for one in found if one.kind is not one.VAR_KEYWORD]


def arguments(function, chosen, value):
    """What to call it with: the value for the chosen parameter, the usual for the others."""
    places, names = [], {}
    for one in parameters_of(function):
        if one.name != chosen.name and one.default is not one.empty:
            continue
        given = value if one.name == chosen.name else USUAL.get(one.name, 1)
        if one.kind is one.KEYWORD_ONLY:
            names[one.name] = given
        elif one.kind is one.VAR_POSITIONAL and one.name != chosen.name:
            continue
        else:
            places.append((one, given))
    positional = [given for one, given in places if one.kind is not one.POSITIONAL_OR_KEYWORD]
    names |= {one.name: given for one, given in places if one.kind is one.POSITIONAL_OR_KEYWORD}
    if any(one.kind is one.VAR_POSITIONAL for one, _ in places):
        return [given for _, given in places], {}
    return positional, names


def texts(error, seen=()):
    """Every text of an error, and of all that stands behind it."""
    if error is None or error in seen:
        return
    yield from (str(error), repr(error), *getattr(error, "__notes__", ()))
    yield from ("".join(traceback.format_exception_only(error)),)
    if isinstance(error, DPFrameError):
        yield repr(vars(error))
    for behind in (error.__cause__, error.__context__):
        yield from texts(behind, (*seen, error))


def leaks(function, chosen, value):
    """Whether an error quotes the secret."""
    given, named = arguments(function, chosen, value)
    try:
        function(*given, **named)
    except Exception as error:  # noqa: BLE001 - of any kind
        return any(SECRET in text for text in texts(error))
    return False


LIGHT = {name: one for name, one in callables() if name not in HEAVY and parameters_of(one)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(60))
def test_no_error_quotes_data(part, tmp_path, monkeypatch):
    """Of any shape, given for any parameter of any callable."""
    monkeypatch.chdir(tmp_path)
    assert [
        (called, chosen.name, name)
        for called, function in [*LIGHT.items()][part::60]
        for chosen in parameters_of(function)
        for name, value in secrets().items()
        if leaks(function, chosen, value)
    ] == []


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("name", ["missing", "ledger", "dataset", "records", "executor", "rng"])
@pytest.mark.parametrize("value", secrets().values(), ids=secrets())
def test_misplaced_data_is_refused_by_name(name, value):
    """By an error of ours, before anything is drawn."""
    wrong = {name: value}
    if name == "dataset":
        wrong["ledger"] = dp.Ledger("ledger")
    if name == "ledger":
        wrong["dataset"] = "survey"
    if name == "executor" and hasattr(value, "map"):
        pytest.skip("it has a method that is called map")
    with pytest.raises(InvalidArgument, match=name):
        dp.execute(RUN, np.zeros((4, 2)), np.zeros(4), **wrong)


def test_the_error_keeps_no_data():
    """Programs read operands: public ones as they are, of others what is shown."""
    kept = InvalidArgument("epsilon", "a number", 0.5).value
    held = InvalidArgument("epsilon", "a number", np.array([NUMBER])).value
    assert (kept, str(held)) == (0.5, "an ndarray of shape (1,)")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (0.5, "0.5"),
        (np.float64(2.5), "np.float64(2.5)"),
        ("ten", "'ten'"),
        (dp.ADD_REMOVE, "<Relation.ADD_REMOVE: 'add_remove'>"),
        (dp.Gaussian(std=5), "Gaussian(std=5)"),
        ("x" * 121, "a str of 121"),
        (10**5000, "an int"),
        ([1, 2], "a list of 2"),
        (np.zeros((3, 2)), "an ndarray of shape (3, 2)"),
        (pd.DataFrame({"u": [1]}), "a DataFrame of shape (1, 1)"),
        (Telling(), "a Telling"),
        (attrs.make_class("Holder", ["y"])([1]), "a Holder"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_public_scalars_are_shown_and_the_rest_by_type_and_shape(value, text):
    """Numbers, short texts, and what dpframe builds of them."""
    assert shown(value) == text
