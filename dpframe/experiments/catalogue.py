"""Every table and figure, by name, as the files of papers/ describe them.

A file has tables of methods, metrics, experiments and items by name. An entry with `like` begins as
those tables of `like` do, one after the other; "$name" stands for the value of that name.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

import dpframe as dp
from dpframe.errors import InvalidArgument

from . import declared, worlds
from .declared import Experiment, Figure, Item, Metric
from .methods import Method, Promise, least_epsilon

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
