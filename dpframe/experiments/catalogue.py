"""Every table and figure, by name, as the files of papers/ describe them.

A file has tables of methods, metrics, experiments and items by name. An entry with `like` begins as
those tables of `like` do, one after the other; "$name" stands for the value of that name.
"""

from __future__ import annotations

import enum
import functools
import math
import tomllib
from collections.abc import Callable, Hashable, Iterator, Mapping
from importlib import resources
from typing import Any

import attrs
import numpy as np
from numpy.random import Generator

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.prover.certify import NOT_PRIVATE, Unproved
from dpframe.regressions.solve import Fit

from . import declared, worlds
from .declared import Experiment, Figure, Item, Metric, Point, TrainTestSplit
from .worlds import LEVELS, rounded_down


class Promise(enum.Enum):
    """The claim of a declaration; its numbers are those of the point or of the split."""

    NOTHING = "nothing"
    APPROXIMATE = "(epsilon, delta)"
    PURE = "epsilon"
    LEAST = "the least of all budgets"
    OWN = "each budget"
    OWN_APPROXIMATE = "each budget, and delta"
    LEVELS = "each budget rounded down, of records that join"


EACH = dp.each("epsilon")
TARGETS: dict[Promise, dp.Guarantee] = {
    Promise.NOTHING: dp.PureDP(1),
    Promise.APPROXIMATE: dp.ApproxDP(dp.EPSILON, dp.DELTA),
    Promise.PURE: dp.PureDP(dp.EPSILON),
    Promise.LEAST: dp.PureDP(dp.EPSILON),
    Promise.OWN: dp.PersonalizedDP(EACH),
    Promise.OWN_APPROXIMATE: dp.PersonalizedDP(EACH, "1e-6"),
    Promise.LEVELS: dp.PersonalizedDP(LEVELS),
}
NUMBERS = {  # free symbols of targets
    Promise.APPROXIMATE: ("epsilon", "delta"),
    Promise.PURE: ("epsilon",),
    Promise.LEAST: ("epsilon",),
}
PERSONAL = {Promise.OWN, Promise.OWN_APPROXIMATE, Promise.LEVELS}


@attrs.frozen(eq=False)
class Method:
    """A declaration with its name in the paper.

    `fields` maps fields of the declaration to parameters of the point or of the split; `relation`
    replaces that of the split's setting. `color`, `line` and `marker` are matplotlib's. A `formula`
    of the point replaces a declaration.
    """

    name: str
    declaration: Callable[..., dp.Regression] | None
    promise: Promise = Promise.APPROXIMATE
    fields: Mapping[str, str] = attrs.Factory(dict)
    relation: dp.Relation | None = None
    formula: Callable[[Point], float] | None = None
    color: str = ""
    line: str = "-"
    marker: str = ""

    @property
    def baseline(self) -> bool:
        """Whether it makes no claim."""
        return self.promise is Promise.NOTHING

    @property
    def reads(self) -> tuple[str, ...]:
        """Parameters that a fit depends on, besides those of its split."""
        own = () if self.promise is Promise.LEAST else NUMBERS.get(self.promise, ())
        return (*own, *self.fields.values())

    def fit(self, split: TrainTestSplit, point: Point, rng: Generator) -> Fit:
        """Coefficients (d,), with whether an adaptive ridge was 0."""
        if self.formula is not None:
            return Fit(np.array([self.formula(point)]))
        values = {**point, **split.own}
        fields = tuple((field, values[name]) for field, name in self.fields.items())
        setting = split.setting
        if self.relation is not None:
            setting = attrs.evolve(setting, relation=self.relation)
        run = draft(self.declaration, fields, self.promise, setting)
        budgets = split.budgets if self.promise in PERSONAL else None
        if self.promise is Promise.LEVELS:
            budgets = rounded_down(split.budgets)
        numbers = {
            name: self.number(name, split, point)
            for name in NUMBERS.get(self.promise, ())
            if name in run.symbols
        }
        fit = dp.experiments.simulate(
            run.at(**numbers), split.X, split.y, budgets=budgets, rng=rng
        ).output
        return Fit(fit.coefficients, ridge_was_zero=getattr(fit, "ridge_was_zero", False))

    def number(self, name: str, split: TrainTestSplit, point: Point) -> float:
        """Epsilon or delta."""
        if name == "delta":
            return split.delta(point)
        if self.promise is Promise.LEAST:
            return float(np.min(split.budgets))
        return float(point["epsilon"])


@functools.lru_cache(maxsize=4096)
def draft(
    declaration: Callable[..., dp.Regression],
    fields: tuple[tuple[str, Hashable], ...],
    promise: Promise,
    setting: dp.Setting,
) -> Unproved:
    """A declaration with its fields, ready to be simulated."""
    return dp.audits.unproved(
        declaration(**dict(fields)), target=TARGETS[promise], setting=setting, label=NOT_PRIVATE
    )


def least_epsilon(point: Point, *, alpha: float, power: float) -> float:
    """The least epsilon at which the private lower bound, the smaller of Eq 5 and Eq 6, is at most
    that without privacy, Eq 4, with |X| = |Theta| = 1 and |Y| = 1/d^power. [Wang18, Sec 3.1]
    """
    n, d = float(point["n"]), float(point["d"])
    label: float = 1 / d**power
    plain = min(n * label**2, 1 + d * label**2, math.sqrt(n) * label)
    worst = math.sqrt(d) * (1 + label) / plain
    conditioned = d * (1 + label) / math.sqrt(n * alpha * plain) if alpha else math.inf
    return min(worst, conditioned)


PAPERS = ("wang", "acharya", "piazza", "thesis", "dandekar")
Entry = dict[str, Any]


def _items(paper: str) -> Iterator[Item]:
    text = (resources.files(__package__) / "papers" / f"{paper}.toml").read_text("utf-8")
    content = tomllib.loads(text)
    content = _filled(content, content.get("values", {}))

    def entries(kind: str) -> dict[str, Entry]:
        return {
            name: _complete(one, content.get("like", {})) for name, one in content[kind].items()
        }

    methods = {name: _method(name, one) for name, one in entries("methods").items()}
    metrics = {
        name: Metric(name, **{**one, "of": getattr(declared, one["of"])})
        for name, one in entries("metrics").items()
    }
    runs = {
        name: _experiment(name, one, methods, metrics)
        for name, one in entries("experiments").items()
    }
    for name, one in entries("items").items():
        run = runs[one.pop("run")]
        yield _item(
            {"name": name, "paper": content["paper"], **one}, run, content.get("labels", {})
        )


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    """With the values of names, and tuples for arrays."""
    if isinstance(value, dict):
        return {name: _filled(one, values) for name, one in value.items()}
    if isinstance(value, list):
        return tuple(_filled(one, values) for one in value)
    if isinstance(value, str) and value.startswith("$"):
        return _filled(values[value[1:]], {})
    return value


def _complete(entry: Entry, templates: Mapping[str, Entry]) -> Entry:
    """The entry over those that it is like; tables are merged."""
    whole: Entry = {}
    for part in (*(templates[name] for name in entry.pop("like", ())), entry):
        for key, value in part.items():
            merges = isinstance(value, dict) and key in whole
            whole[key] = whole[key] | value if merges else value
    return whole


def _method(name: str, entry: Entry) -> Method:
    """A method, of the class or function of its `regression` with the fields of `with`."""
    declaration: Any = entry.pop("regression", None)
    if declaration is not None:
        places = (dp.regressions, dp.literature, worlds)
        declaration = next(getattr(one, declaration) for one in places if declaration in dir(one))
    if "with" in entry:
        declaration = functools.partial(declaration, **entry.pop("with"))
    if "promise" in entry:
        entry["promise"] = Promise[entry["promise"].upper()]
    if "relation" in entry:
        entry["relation"] = dp.Relation(entry["relation"])
    if "formula" in entry:
        entry["formula"] = functools.partial(least_epsilon, **entry["formula"])
    return Method(**{"name": name, "declaration": declaration, **entry})


def _experiment(
    name: str, entry: Entry, methods: Mapping[str, Method], metrics: Mapping[str, Metric]
) -> Experiment:
    named = {
        "world": getattr(worlds, entry["world"]),
        "methods": tuple(methods[one] for one in entry["methods"]),
        "metrics": tuple(metrics[one] for one in entry["metrics"]),
        "published": name if entry.get("published") else None,
    }
    return Experiment(name, **{**entry, **named})


def _item(entry: Entry, run: Experiment, labels: Mapping[str, str]) -> Item:
    """An item; the x axis of its figure is by default the first axis, with its label."""
    if "figure" in entry:
        x = entry["figure"].get("x", next(iter(run.axes)))
        entry["figure"] = Figure(**{"x": x, "label": labels.get(x, x), **entry["figure"]})
    if isinstance(entry.get("note"), tuple):
        entry["note"] = " ".join(entry["note"])
    return Item(run=run, **entry)


ITEMS: dict[str, Item] = {one.name: one for paper in PAPERS for one in _items(paper)}


def chosen(name: str) -> tuple[Item, ...]:
    """The item of a name; all items where it is "all" or begins their names, as "wang" does.
    Raises InvalidArgument.
    """
    if name in ITEMS:
        return (ITEMS[name],)
    found = tuple(one for key, one in ITEMS.items() if name == "all" or key.startswith(f"{name}-"))
    if not found:
        way_out = "`dpframe experiment list` names them."
        raise InvalidArgument("name", "an experiment, or the beginning of names", name, way_out)
    return found
