"""Certificates as files: writing them, and loading them by proving everything again."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.errors import BadCertificate
from dpframe.graph import Categorical, Column, Numeric, Regression, Rows, Setting
from dpframe.guarantees import (
    ApproxDP,
    Each,
    GaussianDP,
    Guarantee,
    PureDP,
    Relation,
    ZeroConcentratedDP,
)
from dpframe.symbols import Expression, Symbol, from_json, parameter, sqrt, to_json
from dpframe.symbols.domain import CLOSED, Domain

from .personal_document import each_of, personal_target

if TYPE_CHECKING:
    from .certificate import Certificate

SCHEMA = "dpframe-certificate/1"
KINDS: dict[str, type[Guarantee]] = {
    "pure": PureDP,
    "approx": ApproxDP,
    "zcdp": ZeroConcentratedDP,
    "gaussian": GaussianDP,
}
SIDES = {sides: name for name, sides in CLOSED.items()}


def document(certificate: Certificate) -> dict[str, object]:
    """The file of a certificate."""
    from .certificate import canonical_hash

    claimed = statement(certificate)
    graph = {"nodes": list(certificate.graph.records), "output": certificate.graph.output_ids}
    assumed = list(certificate.assumptions)
    return {
        "schema": SCHEMA,
        "statement": claimed,
        "graph": graph,
        "declaration": declaration(certificate),
        "assumptions": assumed,
        "hints": {},
        "hash": canonical_hash(claimed, graph, assumed),
    }


def statement(certificate: Certificate) -> dict[str, object]:
    """What is claimed."""
    problem = certificate.report.problem
    promised = problem.target if problem.personal is None else problem.personal.each
    return {
        **({} if problem.personal is None else {"each": each_of(problem.personal)}),
        "target": {
            "kind": promised.kind,
            "amounts": [to_json(amount) for amount in promised.amounts],
        },
        "relation": problem.setting.relation.value,
        "rows_per_person": to_json(problem.rows),
        "symbols": {symbol.name: _domain(symbol, certificate) for symbol in problem.symbols},
        "region": [[to_json(c.left), to_json(c.right), c.strict] for c in certificate.region],
        "derivation": certificate.derivation,
        "values": {name: str(value) for name, value in sorted(certificate.values.items())},
    }


def _domain(symbol: Symbol, certificate: Certificate | None) -> dict[str, object]:
    domain = symbol.domain
    nodes = () if certificate is None else certificate.graph.nodes
    origin = next((i for i, node in enumerate(nodes) if node == symbol.origin), None)
    return {
        "lower": None if domain.lower is None else str(domain.lower),
        "upper": None if domain.upper is None else str(domain.upper),
        "closed": SIDES[(domain.lower_closed, domain.upper_closed)],
        "integer": domain.integer,
        "origin": origin,
    }


def declaration(certificate: Certificate) -> dict[str, object]:
    """Where the graph came from, so that it can be built again."""
    regression, setting = certificate.regression, certificate.setting
    known = set(certificate.report.problem.symbols)
    extra = set().union(*(formula.symbols() for formula in _formulas(regression))) - known
    return {
        **_described(regression),
        "symbols": {
            symbol.name: _domain(symbol, None)
            for symbol in sorted(extra, key=lambda symbol: symbol.name)
        },
        "setting": _setting(setting),
        "accountant": certificate.report.accountant,
        "trust": [f"{k.__module__}:{k.__qualname__}" for k in certificate.report.problem.foreign],
    }


def _described(regression: Regression) -> dict[str, object]:
    """A declaration as its class and its fields."""
    return {
        "class": f"{type(regression).__module__}:{type(regression).__qualname__}",
        "fields": {name: _field(value) for name, value in _fields(regression).items()},
    }


def _fields(regression: Regression) -> dict[str, object]:
    kind: Any = type(regression)  # an attrs class, made so by Regression
    return {field.name: getattr(regression, field.name) for field in attrs.fields(kind)}


def _formulas(regression: Regression) -> list[Expression]:
    """Every formula among the fields, also those of a declaration inside."""
    values: list[Any] = list(_fields(regression).values())
    inner = [formula for v in values if isinstance(v, Regression) for formula in _formulas(v)]
    alone = [value for value in values if isinstance(value, Expression)]
    return alone + [part for value in values if formulas(value) for part in value] + inner


def formulas(value: Any) -> bool:
    """Whether a field holds several formulas."""
    return (
        isinstance(value, tuple)
        and bool(value)
        and all(isinstance(part, Expression) for part in value)
    )


def _field(value: Any) -> dict[str, object]:
    if formulas(value):
        return {"formulas": [to_json(part) for part in value]}
    if isinstance(value, Expression):
        return {"formula": to_json(value)}
    if isinstance(value, Regression):
        return {"declaration": _described(value)}
    return {"constant": list(value) if isinstance(value, tuple) else value}


def _setting(setting: Setting) -> dict[str, object]:
    rows, column = setting.X, setting.y
    return {
        "X": {
            "norm": None if rows.norm is None else to_json(rows.norm),
            **({} if rows.box is None else {"box": to_json(rows.box)}),
            "columns": None if rows.columns is None else [_column(part) for part in rows.columns],
            "intercept": rows.intercept,
        },
        "y": None
        if column is None
        else {
            "name": column.name,
            "bound": None if column.bound is None else to_json(column.bound),
            "lower": None if column.lower is None else str(column.lower),
            "upper": None if column.upper is None else str(column.upper),
        },
    }


def _column(part: Numeric | Categorical) -> dict[str, object]:
    if isinstance(part, Numeric):
        return {
            "name": part.name,
            "lower": str(part.lower),
            "upper": str(part.upper),
            "unit": part.unit,
        }
    own = {} if part.baseline is None else {"baseline": part.baseline}
    return {"name": part.name, "levels": list(part.levels), **own}


def load(source: str | Path | Mapping[str, Any]) -> Certificate:
    """The certificate of a file, proved anew: its declaration is imported, its graph built and
    verified again, and the hashes compared.

    Loading imports the module that the file names: load only files whose origin you trust to name a
    module; `dpframe check` imports nothing.
    Raises BadCertificate.
    """
    content = _read(source)
    try:
        certificate = _rebuild(content)
    except (KeyError, TypeError, ValueError, AttributeError, ImportError, RecursionError) as error:
        if isinstance(error, BadCertificate):
            raise
        raise BadCertificate(
            "certificate", "a file written by this version", type(error).__name__, f"{error}"
        ) from error
    if certificate.document["hash"] != content["hash"] or {**certificate.document, "hints": {}} != {
        **content,
        "hints": {},
    }:
        raise BadCertificate(
            "certificate",
            f"the one that its declaration gives, hash {certificate.hash[:12]}",
            content["hash"],
            "The file or the declaration changed: certify again.",
        )
    return certificate


def _read(source: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(source, Mapping):
        return dict(source)
    try:
        content = json.loads(Path(source).read_text())
    except (OSError, ValueError) as error:
        raise BadCertificate(
            "certificate", "a readable JSON file", str(source), str(error)
        ) from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise BadCertificate("certificate", f"of schema {SCHEMA}", str(source), "")
    return content


def _rebuild(content: Mapping[str, Any]) -> Certificate:
    from .certify import certify

    claimed, declared = content["statement"], content["declaration"]
    symbols = {
        name: _symbol(name, spec)
        for name, spec in {**declared["symbols"], **claimed["symbols"]}.items()
    }
    for name in claimed.get("each", {}).get("own", ()):
        symbols[name] = attrs.evolve(symbols[name], origin=Each())
    amounts = [from_json(amount, symbols) for amount in claimed["target"]["amounts"]]
    kind = KINDS[claimed["target"]["kind"]]
    target = kind(sqrt(amounts[0])) if kind is GaussianDP else kind(*amounts)
    if "each" in claimed:
        target = personal_target(target, claimed["each"], symbols)
    setting = _load_setting(declared["setting"], claimed, symbols)
    certificate = certify(
        _regression(declared, symbols),
        target=target,
        setting=setting,
        accountant=declared["accountant"],
        trust=[_found(name) for name in declared["trust"]],
    )
    return certificate.at(**claimed["values"]) if claimed["values"] else certificate


def _symbol(name: str, spec: Mapping[str, Any]) -> Symbol:
    if spec["origin"] is not None:  # a size, or a released number: no field of a declaration
        low = None if spec["lower"] is None else Fraction(spec["lower"])
        return Symbol(name, Domain(low, None, lower_closed=low is not None, integer=True))
    return parameter(
        name, spec["lower"], spec["upper"], closed=spec["closed"], integer=spec["integer"]
    )


def _found(place: str) -> Any:
    """What `module:name` names."""
    module, _, name = place.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _regression(declared: Mapping[str, Any], symbols: Mapping[str, Symbol]) -> Regression:
    found = _found(declared["class"])
    if not (isinstance(found, type) and issubclass(found, Regression)):
        raise BadCertificate("class", "a dpframe.Regression", declared["class"], "")
    return found(**{key: _value(spec, symbols) for key, spec in declared["fields"].items()})


def _value(spec: Mapping[str, Any], symbols: Mapping[str, Symbol]) -> object:
    if "declaration" in spec:
        return _regression(spec["declaration"], symbols)
    if "formulas" in spec:
        return tuple(from_json(part, symbols) for part in spec["formulas"])
    return from_json(spec["formula"], symbols) if "formula" in spec else spec["constant"]


def _load_setting(
    spec: Mapping[str, Any], claimed: Mapping[str, Any], symbols: Mapping[str, Symbol]
) -> Setting:
    rows, column = spec["X"], spec["y"]
    columns = (
        None
        if rows["columns"] is None
        else [
            Categorical(**{"baseline": None, **part}) if "levels" in part else Numeric(**part)
            for part in rows["columns"]
        ]
    )
    norm, box = (
        None if rows.get(key) is None else from_json(rows[key], symbols) for key in ("norm", "box")
    )
    labels = None
    if column is not None:
        labels = Column(
            **{
                **column,
                "bound": None if column["bound"] is None else from_json(column["bound"], symbols),
            }
        )
    return Setting(
        X=Rows(norm=norm, box=box, columns=columns, intercept=rows["intercept"]),
        y=labels,
        relation=Relation(claimed["relation"]),
        rows_per_person=from_json(claimed["rows_per_person"], symbols),
    )
