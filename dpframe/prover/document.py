"""Certificates as files: writing them, and loading them by proving everything again."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from dpframe import documents
from dpframe.accountants import Accountant
from dpframe.errors import BadCertificate, InvalidArgument, Plain
from dpframe.exact.documents import CLOSED
from dpframe.graph import Categorical, Column, Numeric, Regression, Rows, Setting
from dpframe.graph.graph import NEWER
from dpframe.kernel.checker import SCHEMA, hash_of
from dpframe.privacy import Each, Guarantee, PersonalizedDP, Relation
from dpframe.privacy.guarantees import GUARANTEES
from dpframe.privacy.personal import Grouped, own_symbols_of
from dpframe.symbols import Expression, Symbol, from_json, parameter, to_json
from dpframe.symbols.expression import Domain

from .problem import place, trusted_classes

if TYPE_CHECKING:
    from .certify import Certificate

Symbols = Mapping[str, Symbol]
Made = TypeVar("Made", Regression, Accountant)
STATED = {"relation", "rows_per_person"}
LEFT_OUT = {"box", "d", "grid", "levels", "terms", "unknown"}  # of fields at their default
SIDES = {sides: name for name, sides in CLOSED.items()}


def document(certificate: Certificate) -> dict[str, object]:
    """The file of a certificate, without its proof: `steps` are empty."""
    claimed = statement(certificate)
    graph = {"nodes": list(certificate.graph.records), "output": certificate.graph.output_ids}
    assumed = list(map(str, certificate.assumptions))  # without their kinds
    return {
        "schema": SCHEMA,
        "statement": claimed,
        "graph": graph,
        "declaration": declaration(certificate),
        "assumptions": assumed,
        "proof": {"steps": {}},
        "hash": hash_of(claimed, graph, assumed),
    }


def statement(certificate: Certificate) -> dict[str, object]:
    """The claim of a certificate."""
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
    """The source of the graph, from which it can be rebuilt."""
    regression, setting = certificate.regression, certificate.setting
    known = set(certificate.report.problem.symbols)
    extra = set().union(*(formula.symbols() for formula in _formulas(regression))) - known
    return {
        **_described(regression),
        "symbols": {
            symbol.name: _domain(symbol, None)
            for symbol in sorted(extra, key=lambda symbol: symbol.name)
        },
        "setting": setting_record(setting),
        "accountant": _accountant(certificate),
        "trust": list(certificate.report.problem.trusted),
    }


def _accountant(certificate: Certificate) -> object:
    """The name of an accountant of dpframe; one of the user's own as its class and its fields."""
    own = certificate.report.problem.accountant
    return certificate.report.accountant if own is None else _described(own)


def _described(value: Regression | Accountant) -> dict[str, object]:
    """A declaration, or an accountant, as its class and its fields."""
    return {
        "class": place(type(value)),
        "fields": {name: _field(field) for name, field in _fields(value).items()},
    }


def _fields(value: Regression | Accountant) -> dict[str, object]:
    kind: Any = type(value)  # a declaration is a class of attrs, made so by Regression
    fields = attrs.fields(kind) if attrs.has(kind) else ()
    values = [(field, getattr(value, field.name)) for field in fields]
    return {
        field.name: one
        for field, one in values
        if not (field.metadata.get(NEWER) and one == field.default)
    }


def _formulas(regression: Regression) -> list[Expression]:
    """Every formula among the fields, also those of a declaration inside."""
    values: list[Any] = list(_fields(regression).values())
    inner = [formula for v in values if isinstance(v, Regression) for formula in _formulas(v)]
    alone = [value for value in values if isinstance(value, Expression)]
    return (
        alone + [part for value in values if _several(Expression, value) for part in value] + inner
    )


def _several(kind: type, value: Any) -> bool:
    """Whether a field holds a tuple of values of a kind."""
    return isinstance(value, tuple) and bool(value) and all(isinstance(one, kind) for one in value)


def _field(value: Any) -> dict[str, object]:
    if _several(Expression, value):
        return {"formulas": [to_json(part) for part in value]}
    if isinstance(value, Expression):
        return {"formula": to_json(value)}
    if isinstance(value, Regression):
        return {"declaration": _described(value)}
    if isinstance(value, (Fraction, Decimal)):
        return {"rational": str(Fraction(value))}
    if isinstance(value, str):
        return {"constant": str(value)}
    if _several(type, value):
        return {"classes": [place(one) for one in value]}
    return {"constant": list(value) if isinstance(value, tuple) else value}


def load(
    source: str | Path | Mapping[str, Any],
    *,
    modules: Collection[str] | None = None,
    trust: Collection[type] = (),
) -> Certificate:
    """Load a certificate from a file and prove it anew: its declaration is imported, its graph
    built and verified, and the hashes compared.

    The stored hash is compared with the content before anything is imported. Anyone who writes a
    file can write its hash, so loading may import any module that the file names, unless `modules`
    restricts them: `modules=("dpframe",)` admits dpframe's own declarations only. `dpframe check`
    imports nothing. Classes that the file takes on trust must be listed in `trust` by the caller.

    Raises BadCertificate; InvalidArgument for `modules` that are not names and `trust` with
    anything but classes.
    """
    if isinstance(modules, str) or not all(isinstance(one, str) for one in modules or ()):
        raise InvalidArgument("modules", 'names, such as ("dpframe",)', modules)
    believed = trusted_classes(trust)
    content = _read(source)
    try:
        _check_hash(content)
        _check_modules(content["declaration"], modules)
        _check_trust(content["declaration"]["trust"], believed)
        certificate = _rebuild(content, believed)
    except (KeyError, TypeError, ValueError, AttributeError, ImportError, RecursionError) as error:
        if isinstance(error, BadCertificate):
            raise
        raise BadCertificate(
            "certificate", "a file written by this version", type(error).__name__, f"{error}"
        ) from error
    if {**content, "proof": certificate.claim["proof"]} != certificate.claim:
        wanted = f"the one that its declaration gives, hash {certificate.hash[:12]}"
        way_out = "The file or the declaration changed: certify again."
        raise BadCertificate("certificate", wanted, content["hash"], way_out)
    return certificate


def _read(source: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(source, Mapping):
        return dict(source)
    text = documents.text_of(source, "certificate", error=BadCertificate)
    content = documents.json_of(text, "certificate", BadCertificate)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        book = isinstance(content, dict) and {"columns", "target"} <= content.keys()
        way_out = "This is a codebook: dp.Setting.load(path, relation=...) reads it." * book
        raise BadCertificate("certificate", f"of schema {SCHEMA}", str(source), way_out)
    return content


def _check_hash(content: Mapping[str, Any]) -> None:
    """The stored hash must be that of the statement, the graph and the assumptions beside it."""
    own = hash_of(content["statement"], content["graph"], content["assumptions"])
    if content["hash"] != own:
        wanted = "that of its statement, graph and assumptions"
        way_out = "The file was changed or damaged after it was written: certify again."
        raise BadCertificate("hash of the certificate", wanted, content["hash"], way_out)


def _check_modules(declared: Mapping[str, Any], modules: Collection[str] | None) -> None:
    """Nothing outside these modules may be named."""
    if modules is None:
        return
    for spelled in _places(declared):
        named = spelled.partition(":")[0]
        if not any(named == one or named.startswith(f"{one}.") for one in modules):
            way_out = "Import nothing by dpframe check; or add the module if you trust it."
            wanted = f"a file that names modules of {', '.join(modules)} only"
            raise BadCertificate("certificate", wanted, named, way_out)


def _check_trust(named: Collection[str], trust: Collection[type]) -> None:
    """Check that the caller trusts every class that a file takes on trust."""
    others = sorted(set(named) - {place(kind) for kind in trust})
    if others:
        short = ", ".join(one.rpartition(":")[2] for one in others)
        way_out = f"A file cannot trust for you: dp.load(..., trust=[{short}]), if you do."
        wanted = "one that takes nothing on the word of classes that trust=[...] leaves out"
        raise BadCertificate("certificate", wanted, ", ".join(others), way_out)


def _places(declared: Mapping[str, Any]) -> Iterator[str]:
    """Every `module:name` that loading would import."""
    yield str(declared["class"])
    yield from map(str, declared.get("trust", ()))
    if isinstance(declared.get("accountant"), Mapping):
        yield str(declared["accountant"]["class"])
    for field in declared["fields"].values():
        if "declaration" in field:
            yield from _places(field["declaration"])
        yield from map(str, field.get("classes", ()))


def _rebuild(content: Mapping[str, Any], trust: Collection[type]) -> Certificate:
    from .certify import certify

    claimed, declared = content["statement"], content["declaration"]
    symbols = {
        name: _symbol(name, spec)
        for name, spec in {**declared["symbols"], **claimed["symbols"]}.items()
    }
    for name in claimed.get("each", {}).get("own", ()):
        symbols[name] = attrs.evolve(symbols[name], origin=Each())
    amounts = [from_json(amount, symbols) for amount in claimed["target"]["amounts"]]
    target = GUARANTEES[claimed["target"]["kind"]].of(*amounts)
    if "each" in claimed:
        target = personal_target(target, claimed["each"], symbols)
    setting = setting_of(declared["setting"], claimed, symbols)
    certificate = certify(
        _made(Regression, declared, symbols),  # type: ignore[type-abstract]
        target=target,
        setting=setting,
        accountant=_passed(declared["accountant"], symbols),
        trust=tuple(trust),
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
    """What `module:name` names. Raises BadCertificate where it cannot be imported."""
    module, _, name = place.partition(":")
    try:
        value: Any = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except Exception as error:
        way_out = (
            "Load it where this import works: in the folder of the module, or with that folder on "
            "PYTHONPATH. `dpframe check FILE` checks the file without imports."
        )
        why = Plain(f"{type(error).__name__}: {error}")
        wanted = f"of declarations that can be imported, such as {place}"
        raise BadCertificate("certificate", wanted, why, way_out) from error
    return value


def _passed(declared: str | Mapping[str, Any], symbols: Symbols) -> str | Accountant:
    """The accountant that was passed: its name, or one of the user's own, made again."""
    if isinstance(declared, str):
        return declared
    return _made(Accountant, declared, symbols)  # type: ignore[type-abstract]


def _made(kind: type[Made], declared: Mapping[str, Any], symbols: Symbols) -> Made:
    """What a declaration, or an accountant, describes."""
    cls = _found(declared["class"])
    if not (isinstance(cls, type) and issubclass(cls, kind)):
        raise BadCertificate("class", f"a dpframe.{kind.__name__}", declared["class"], "")
    return cls(**{key: _value(spec, symbols) for key, spec in declared["fields"].items()})


def _value(spec: Mapping[str, Any], symbols: Symbols) -> object:
    if "declaration" in spec:
        return _made(Regression, spec["declaration"], symbols)  # type: ignore[type-abstract]
    if "rational" in spec:
        return Fraction(spec["rational"])
    if "formulas" in spec:
        return tuple(from_json(part, symbols) for part in spec["formulas"])
    if "classes" in spec:
        return tuple(map(_found, spec["classes"]))
    return from_json(spec["formula"], symbols) if "formula" in spec else spec["constant"]


# ------------------------------------------------------------------------ targets and settings
def each_of(target: PersonalizedDP) -> dict[str, object]:
    """The names of what each record has of its own; and the groups, where there are any. Budgets
    that were listed record by record are not in the file: the ranges of the symbols hold them.
    """
    own: dict[str, object] = {"own": [symbol.name for symbol in own_symbols_of(target.each)]}
    if not target.groups:
        return own
    grouped = [one for one in target.given.values() if isinstance(one, Grouped)]
    shares = target.shares
    return {
        **own,
        "groups": list(target.groups),
        "amounts": {one.name: [to_json(amount) for amount in one.amounts] for one in grouped},
        "shares": None if shares is None else [str(shares[name]) for name in target.groups],
    }


def personal_target(each: Guarantee, spec: Mapping[str, Any], symbols: Symbols) -> PersonalizedDP:
    """The target of a file. Raises InvalidArgument."""
    plain: dict[str, Any] = {name: getattr(each, name) for name in each.parameters}
    if "groups" not in spec:
        return PersonalizedDP(**plain)
    names = spec["groups"]
    for name, amounts in spec["amounts"].items():
        formulas: list[Expression] = [from_json(amount, symbols) for amount in amounts]
        plain[name] = dict(zip(names, formulas, strict=True))
    shares = None if spec["shares"] is None else dict(zip(names, spec["shares"], strict=True))
    return PersonalizedDP(**plain, shares=shares)


def setting_record(setting: Setting) -> dict[str, object]:
    """The JSON value of a setting, without what stands in the statement."""
    return {name: value for name, value in _record(setting).items() if name not in STATED}


def setting_of(spec: Mapping[str, Any], claimed: Mapping[str, Any], symbols: Symbols) -> Setting:
    """The setting of a file, whose statement is `claimed`. Raises what its classes raise."""
    labels = None if spec["y"] is None else _built(Column, spec["y"], symbols)
    parts = {
        "X": _built(Rows, spec["X"], symbols),
        "y": labels,
        "relation": Relation(claimed["relation"]),
        "rows_per_person": from_json(claimed["rows_per_person"], symbols),
    }
    return Setting(**{**spec, **parts})


def _record(value: Any) -> dict[str, object]:
    fields = ((field, getattr(value, field.name)) for field in attrs.fields(type(value)))
    return {
        field.name: _json(own)
        for field, own in fields
        if field.name not in LEFT_OUT or own != field.default
    }


def _json(value: Any) -> object:
    if isinstance(value, (Expression, Fraction)):
        return to_json(value) if isinstance(value, Expression) else str(value)
    if isinstance(value, tuple):
        return [_json(part) for part in value]
    return _record(value) if attrs.has(type(value)) else value


def _built(kind: type, spec: Mapping[str, Any], symbols: Symbols) -> Any:
    """An object of this class. What is annotated as a formula is read as one."""
    types = {field.name: str(field.type) for field in attrs.fields(kind)}
    return kind(**{name: _given(types.get(name, ""), own, symbols) for name, own in spec.items()})


def _given(annotation: str, value: Any, symbols: Symbols) -> Any:
    if value is not None and "Expression" in annotation:
        return from_json(value, symbols)
    if isinstance(value, list):
        return [_part(one, symbols) for one in value]
    return value


def _part(value: Any, symbols: Symbols) -> Any:
    """A column of a codebook, or a level of one."""
    if not isinstance(value, Mapping):
        return value
    return _built(Categorical if "levels" in value else Numeric, value, symbols)
