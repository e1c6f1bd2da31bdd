"""execute: checks, one pass over the table, releases, post-processing, receipt - in this order."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from dpframe.errors import BadData, InvalidArgument, NotExecutable
from dpframe.graph import Graph, Node
from dpframe.guarantees import REPLACE_ONE, Guarantee
from dpframe.randomness import Randomness
from dpframe.symbols import Expression, Number
from dpframe.verify import Certificate
from dpframe.verify.certificate import FAILURES
from dpframe.verify.structure import constant

from .drawing import Draw
from .numbers import PublicNumbers
from .progress import watched
from .reading import Plain
from .result import Receipt, Result
from .spending import note
from .table import Table
from .totals import totals

MISSING = ("refuse", "drop")


def execute(
    run: object, X: object, y: object = None, *, rng: object = None, missing: str = "refuse"
) -> Result:
    """Release what `run` certifies of a table, with noise, once; post-process what was released.

    `run` is a certificate with a number for every parameter. `X`, shape (n, d), and `y`, shape
    (n,), are arrays, lists or data frames of finite real numbers, of any n, 0 included; neither is
    copied as a whole. `missing="drop"` leaves out rows with missing or infinite numbers (under
    replace-one they count as rows of zeros). Noise comes from the operating system; `rng`, a seed
    or a numpy Generator, makes a simulation of it, which is not private.

    Raises NotExecutable, BadData or InvalidArgument before anything is drawn; warns PrivacyWarning
    where the table is spent again.
    """
    certificate = executable(run)
    if missing not in MISSING:
        raise InvalidArgument("missing", "'refuse' or 'drop'", missing)
    randomness = Randomness.of(rng)
    table = Table.of(certificate.setting, X, y, drop=missing == "drop")
    sizes = public_sizes(certificate, table)
    numbers = PublicNumbers.of(certificate, sizes)
    draws = [Draw.of(release, numbers.up) for release in certificate.graph.releases]
    blocks = watched(table.blocks(table.block_rows), 1 + len(table) // table.block_rows)
    values = totals(certificate.graph, blocks, numbers.towards_zero)
    receipt = _receipt(certificate, sizes, randomness, missing)
    if randomness.private:
        note(table.features.identity, receipt.guarantee, receipt.unit)
    released: dict[Node, Any] = {
        draw.release: draw.sample(values[draw.release.statistic], randomness.generator)
        for draw in draws
    }
    still = constants(certificate.graph, values)
    output = post_process(certificate.graph, {**still, **released}, numbers)
    return Result(output=output, released=by_name(released), receipt=receipt)


def executable(run: object) -> Certificate:
    """`run`, if it is a certificate with a number for every parameter. Raises NotExecutable."""
    if not isinstance(run, Certificate):
        raise NotExecutable(
            f"only a certificate is executed; got {type(run).__name__}. "
            "run = dp.certify(declaration, target=..., setting=...).at(...)"
        )
    if run.free:
        missing = ", ".join(f"{name}=..." for name in sorted(run.free))
        raise NotExecutable(f"the certificate still lacks numbers. run = run.at({missing})")
    return run


def public_sizes(certificate: Certificate, table: Table) -> dict[str, int]:
    """The sizes that may be used as numbers: d, and n under replace-one. Raises BadData."""
    sizes = {"d": table.columns}
    if certificate.setting.relation is REPLACE_ONE:
        sizes["n"] = len(table)
    for name, size in sizes.items():
        certified = certificate.values.get(name, size)
        if certified != size:
            wanted = f"a table with {name} = {certified}, as the certificate says"
            raise BadData("X", wanted, Plain(size), f"Certify again without {name}.")
    return sizes


def constants(graph: Graph, values: Mapping[Node, Any]) -> dict[Node, Any]:
    """Statistics that are constant over neighbours: exact functions of n, public as they are."""
    found = [node for node in graph.statistics if constant(node) and node in values]
    return {node: _plain(values[node]) for node in found}


def _plain(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else value


def post_process(graph: Graph, released: Mapping[Node, Any], numbers: PublicNumbers) -> Any:
    """The graph's output, from released values and public numbers alone."""
    values = dict(released)
    for post in graph.posts:
        arguments = [_argument(argument, values, numbers) for argument in post.arguments]
        values[post] = post.function(*arguments)
    outputs = tuple(values[node] for node in graph.outputs)
    return outputs if isinstance(graph.output, tuple) else outputs[0]


def by_name(released: Mapping[Node, Any]) -> dict[str, Any]:
    """Released values by name; the second of one name is called `name (2)`."""
    seen: Counter[str] = Counter()
    named = {}
    for release, value in released.items():
        seen[release.label] += 1
        count = seen[release.label]
        named[release.label if count == 1 else f"{release.label} ({count})"] = value
    return named


def at_numbers(target: Guarantee, values: Mapping[str, Expression]) -> Guarantee:
    """The guarantee with numbers in place of its parameters."""
    fields: Any = attrs.fields(type(target))  # type: ignore[arg-type]  # every guarantee is of attrs
    formulas = {field.name: getattr(target, field.name).substitute(values) for field in fields}
    return attrs.evolve(target, **formulas)  # type: ignore[misc]


def _argument(argument: Any, values: Mapping[Node, Any], numbers: PublicNumbers) -> Any:
    """What a function gets: arrays that are its own, formulas as numbers, constants as they are."""
    if isinstance(argument, Expression):
        return numbers.up(argument)
    value = values[argument] if isinstance(argument, Node) else argument
    return value.copy() if isinstance(value, np.ndarray) else value


def _receipt(
    certificate: Certificate, sizes: Mapping[str, int], randomness: Randomness, missing: str
) -> Receipt:
    values = {name: Number(value) for name, value in certificate.values.items()}
    removed = {FAILURES} if missing == "drop" else set()
    return Receipt(
        guarantee=at_numbers(certificate.target, values),
        unit=certificate.setting.unit,
        certificate=certificate.hash,
        randomness=randomness.kind,
        private=randomness.private,
        columns=sizes["d"],
        rows=sizes.get("n"),
        time=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        assumptions=tuple(one for one in certificate.assumptions if one not in removed),
    )
