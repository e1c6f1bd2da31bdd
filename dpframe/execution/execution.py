"""execute: checks, one pass over the table, releases, post-processing, receipt - in this order."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.graph import Graph, Node
from dpframe.guarantees import Guarantee
from dpframe.randomness import Randomness
from dpframe.sources import open_source
from dpframe.sources.reading import Plain
from dpframe.symbols import Expression, Number
from dpframe.verify import Certificate
from dpframe.verify.certificate import FAILURES
from dpframe.verify.composed import joint_gaussian
from dpframe.verify.structure import constant

from .drawing import Draw
from .numbers import PublicNumbers
from .one_pass import read, sizes_read
from .result import Receipt, Result
from .spending import note
from .totals import derived, real

if TYPE_CHECKING:
    from dpframe.ledger import Ledger

MISSING = ("refuse", "drop")


def execute(
    run: object,
    X: object,
    y: object = None,
    *,
    rng: object = None,
    missing: str = "refuse",
    ledger: Ledger | None = None,
    dataset: str | None = None,
    executor: Any = None,
) -> Result:
    """Release what `run` certifies of a table, with noise, once; post-process what was released.

    `run` is a certificate with a number for every parameter. `X`, shape (n, d), and `y`, shape
    (n,), are arrays, lists, data frames, files, streams or iterators of blocks (docs/sources.md),
    of finite real numbers, of any n, 0 included; none is copied as a whole. `missing="drop"` leaves
    out rows with missing or infinite numbers (under replace-one they count as rows of zeros). Noise
    comes from the operating system; `rng`, a seed or a numpy Generator, makes a simulation of it,
    which is not private. `ledger` is charged, for `dataset`, before anything is drawn
    (docs/ledger.md). `executor` reads parts of the table in parallel: anything with `submit`.

    Raises NotExecutable, BadData, InvalidArgument or BudgetExceeded before anything is drawn; warns
    PrivacyWarning where the table is spent again, unless a ledger keeps count.
    """
    certificate = executable(run)
    if missing not in MISSING:
        raise InvalidArgument("missing", "'refuse' or 'drop'", missing)
    randomness = Randomness.of(rng)
    charging = _charge(certificate, ledger, dataset, randomness)
    source = open_source(certificate.setting, X, y, drop=missing == "drop")
    reading, sums = read(certificate, source, executor)
    sizes = sizes_read(certificate, source, sums)
    numbers = PublicNumbers.of(certificate, sizes)
    draws = [Draw.of(release, numbers) for release in certificate.graph.releases]
    values = derived(certificate.graph, reading.sums, sums, numbers.towards_zero)
    receipt = _receipt(certificate, sizes, randomness, missing)
    if randomness.private and ledger is None:
        note(source.identity, receipt.guarantee, receipt.unit)
    with charging:
        fresh = randomness.fresh()
        released: dict[Node, Any] = {draw.release: draw.released(values, fresh) for draw in draws}
    still = constants(certificate.graph, values, numbers)
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


def _charge(
    certificate: Certificate, ledger: Ledger | None, dataset: str | None, randomness: Randomness
) -> AbstractContextManager[object]:
    """The charge that the releases stand in. Raises InvalidArgument."""
    if (ledger is None) != (dataset is None):
        wanted = "given together: a dp.Ledger and the name of its data set"
        raise InvalidArgument("ledger and dataset", wanted, dataset, "")
    if ledger is None or dataset is None:
        return nullcontext()
    if not randomness.private:
        way_out = "Leave rng out, or simulate on data that is no secret without a ledger."
        raise InvalidArgument("rng", "left out where a ledger is charged", Plain("given"), way_out)
    from dpframe.ledger import Cost

    also = joint_gaussian(certificate)
    cost = Cost.of(certificate, *([also] if also else []))
    ledger.admits(dataset, cost)
    return ledger.charging(dataset, cost)


def constants(graph: Graph, values: Mapping[Node, Any], numbers: PublicNumbers) -> dict[Node, Any]:
    """Statistics that are constant over neighbours: exact functions of n, public as they are."""
    found = [node for node in graph.statistics if constant(node) and node in values]
    return {node: _plain(real(node, values, numbers.towards_zero)) for node in found}


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
