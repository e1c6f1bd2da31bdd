"""The schema of descriptions: every key, what it takes, and what it means. Files are read by it,
and the JSON Schema for editors is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import attrs

from dpframe import accountants, mechanisms
from dpframe.mechanisms import AdditiveNoise
from dpframe.mechanisms.base import Calibration
from dpframe.privacy import Relation
from dpframe.theory.mechanisms import NOISES

from .limits import MOST_RELEASES
from .part import Part, shown

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
FORMULA: Schema = {"type": ["string", "number"]}
NUMBER: Schema = {"type": ["string", "number"]}
SHARE: Schema = {"anyOf": [FORMULA, {"type": "array", "items": FORMULA, "minItems": 1}]}
NAMED: Schema = {"type": "object", "additionalProperties": FORMULA}
NAMES: Schema = {"type": "array", "items": TEXT, "minItems": 1}


def _theorems(noise: type[AdditiveNoise]) -> list[str]:
    """The names of its theorems of calibration."""
    return sorted(name for name, own in vars(noise).items() if isinstance(own, Calibration))


_NOISE: Mapping[str, type[AdditiveNoise]] = {
    one.kind: one
    for one in (getattr(mechanisms, name) for name in dir(mechanisms))
    if isinstance(one, type) and issubclass(one, AdditiveNoise) and "kind" in vars(one)
}
MECHANISMS: Mapping[str, type[AdditiveNoise]] = {
    name.replace("_", " "): _NOISE[name] for name in NOISES
}
CALIBRATIONS: Mapping[type[AdditiveNoise], Mapping[str, Calibration]] = {
    noise: {name: getattr(noise, name) for name in _theorems(noise)}
    for noise in MECHANISMS.values()
    if _theorems(noise)
}
JOINTLY = "jointly"
THEOREMS = (*dict.fromkeys(name for some in CALIBRATIONS.values() for name in some), JOINTLY)
RELATIONS = tuple(one.option for one in Relation)
ACCOUNTANTS = ("auto", *(one.name for one in accountants.ACCOUNTANTS))
NORMS = ("L1", "L2")
SIZES = ("std", "variance", "scale", "calibration")


@attrs.frozen
class Key:
    """One key: its name, what it takes, what it means, whether it must be there."""

    name: str
    takes: Schema
    meaning: str
    required: bool = False
    example: str = ""


def one_of(*words: str) -> Schema:
    """One of these words."""
    return {"enum": list(words)}


CLAIM = (
    Key("epsilon", NUMBER, 'The claimed epsilon: a number, or "any" for every value.', example="1"),
    Key("delta", NUMBER, 'The claimed delta: a number, or "any"; left out or 0 for pure privacy.'),
    Key("rho", NUMBER, "The claimed rho of zero-concentrated privacy, instead of epsilon."),
    Key("mu", NUMBER, "The claimed mu of Gaussian privacy, instead of epsilon."),
)
ROWS = (
    Key("norm", NUMBER, 'A bound on the 2-norm of every row, B in formulas: a number or "any".'),
    Key("box", NUMBER, "A bound on every |entry|, box in formulas; B is then sqrt(d) box."),
)
LABELS = (
    Key("bound", NUMBER, 'A bound on every |label|, Y in formulas: a number or "any".'),
    Key("lower", NUMBER, "With upper instead of bound: labels are mapped onto [-1, 1]."),
    Key("upper", NUMBER, "With lower."),
)
RELEASE = (
    Key("name", TEXT, "What the release is called.", required=True, example="gram"),
    Key(
        "statistic",
        TEXT,
        'What is computed from X and y, such as X\'X; or "other".',
        required=True,
        example="X'X",
    ),
    Key("mechanism", one_of(*MECHANISMS), "The kind of noise.", required=True, example="gaussian"),
    Key("std", FORMULA, "The standard deviation of Gaussian noise; never its variance."),
    Key("variance", FORMULA, "The variance of Gaussian noise, where the paper states that."),
    Key("scale", FORMULA, "The scale b of Laplace noise; its standard deviation is sqrt(2) b."),
    Key("calibration", one_of(*THEOREMS), "A theorem that sizes the noise, instead of a formula."),
    Key("share", SHARE, "What the paper says this release costs: epsilon/3, delta/3."),
    Key("weight", FORMULA, "Of a release that is calibrated jointly: its part of the squared mu."),
    Key("times", FORMULA, "How often it is drawn anew: a whole number or parameter."),
    Key("sampled", NUMBER, "The rate of a fresh Poisson sample that each draw reads."),
    Key("step", FORMULA, "The step size of a gradient's rounds, where they are to be run."),
    Key("claimed_sensitivity", FORMULA, "What the paper says one row moves; compared, never used."),
    Key("sensitivity", FORMULA, 'Of "other": what one row moves it by, taken on your word.'),
    Key("norm", one_of(*NORMS), 'Of "other": the norm of that sensitivity.'),
    Key("why", TEXT, 'Of "other": the theorem or the argument. It is printed as an assumption.'),
    Key("size", FORMULA, 'Of "other": how many numbers it has; 1 where left out.'),
    Key("note", TEXT, "A remark for readers."),
)
OUTPUT = (
    Key(
        "reads",
        NAMES,
        "What the last step reads: names of releases. Reading X, y or a statistic is refused.",
        required=True,
    ),
    Key("note", TEXT, "What it computes."),
)


def table(keys: Sequence[Key]) -> Schema:
    """The JSON Schema of a table."""
    found: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: {"description": key.meaning, **key.takes} for key in keys},
    }
    required = [key.name for key in keys if key.required]
    return {**found, "required": required} if required else found


RELEASES: Schema = {
    "type": "array",
    "items": table(RELEASE),
    "minItems": 1,
    "maxItems": MOST_RELEASES,
}
TOP = (
    Key("title", TEXT, "What the algorithm is called.", required=True),
    Key("paper", TEXT, "Where it stands: author, year, page, number of the algorithm."),
    Key("notes", TEXT, "Remarks for readers."),
    Key("relation", one_of(*RELATIONS), "Who is a neighbour.", required=True),
    Key("rows_per_person", NUMBER, "The most rows of one person; 1 where left out."),
    Key("accountant", one_of(*ACCOUNTANTS), "The argument for the total; auto where left out."),
    Key("claim", table(CLAIM), "What is claimed of all releases together.", required=True),
    Key("rows", table(ROWS), "What bounds the rows of X, for everybody.", required=True),
    Key("labels", table(LABELS), "What bounds the labels y; left out where there are none."),
    Key("parameters", NAMED, 'Public parameters: a number, or a range: gamma = "in (0, 1)".'),
    Key("let", NAMED, "Named formulas, each over the names before it."),
    Key("release", RELEASES, "Every noisy release, in order.", required=True),
    Key("output", table(OUTPUT), "The last step, which reads releases only."),
)
KEPT = (
    Key("title", TEXT, "What the algorithm is called."),
    Key("bounds", NAMED, "Relation and bounds for which sensitivities are stated."),
    *(key for key in TOP if key.name in {"parameters", "let", "release", "output"}),
)
"""The keys of which a graph is built, as a declaration keeps them."""


def keyed(part: Part, keys: Sequence[Key]) -> dict[str, Part]:
    """The parts of a table by key. Raises InvalidArgument for keys that are unknown or missing."""
    found, known = part.table(), [key.name for key in keys]
    for name in found:
        if name not in known:
            near = get_close_matches(name.lower()[:40], known, 1)
            did = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}."
            part.refuse("made of known keys", shown(name), did)
    for key in keys:
        if key.required and key.name not in found:
            written = f"Such as {key.name} = '{key.example}'." if key.example else key.meaning
            part.refuse(f"complete: {key.name} is missing", "no " + key.name, written)
    return {name: part.inside(name) for name in found}


def json_schema() -> Schema:
    """The JSON Schema of description files, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A description of a private algorithm, for dpframe audit",
        **table(TOP),
    }
