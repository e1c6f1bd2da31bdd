"""One pass over a table, and the public sizes that bounds and noise may read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dpframe.errors import BadData, InvalidArgument, NotExecutable
from dpframe.graph import Graph, Node, Setting
from dpframe.graph.statistics import Statistic
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Bits
from dpframe.sources import Source
from dpframe.sources.reading import Plain
from dpframe.sources.table import Block
from dpframe.symbols import PUBLIC, Expression

from .numbers import PublicNumbers
from .processing import applied
from .public_budgets import RecordBudgets, given_by
from .samples import FixedSample, InOrder, fixed_sample_of
from .stages import NO_GUESS, Guess
from .totals import Pass, PassSums


def read(  # noqa: PLR0917 - a reading, in the order in which it is put together
    certificate: AtNumbers,
    source: Source,
    executor: Any,
    statistics: Sequence[Statistic],
    budgets: RecordBudgets | None = None,
    bits: Bits | None = None,
    guess: Guess = NO_GUESS,
) -> tuple[Pass, PassSums, FixedSample | None]:
    """One pass over the source, and its sample; before that, a pass that counts where bounds read
    n. Predicted sums are read with the rest, where nothing refuses them.
    """
    sizes = public_sizes(certificate, source)
    if _needs_count(certificate, sizes):
        sizes = {**sizes, "n": _counted(source, executor)}
    numbers = PublicNumbers.of(certificate, sizes, None if budgets is None else budgets.roster)
    empty = empty_block(certificate.setting, source.columns)
    given = given_of(budgets, certificate.graph, numbers)
    fixed_sample = (
        None if bits is None else fixed_sample_of(certificate.graph, budgets, numbers, bits)
    )

    def reading_of(requested: Sequence[Statistic], numbers: PublicNumbers) -> Pass:
        number, graph = numbers.towards_zero, certificate.graph
        return Pass.of(graph, number, empty, requested, given=given, sample=fixed_sample)

    reading = None
    if guess.sums:
        with suppress(NotExecutable, InvalidArgument):  # the number that is learned may be another
            supposed = numbers.supposing(guess.supposed)
            reading = reading_of([*statistics, *guess.sums], supposed)
    reading = reading or reading_of(statistics, numbers)
    sums = source.total(reading, executor=executor if fixed_sample is None else InOrder())
    if sums.rows != sizes.get("n", sums.rows):
        wanted = f"of the {sizes['n']} rows that it announced; bounds may read n"
        raise BadData("X", wanted, Plain(str(sums.rows)), "Read it again when it is at rest.")
    return reading, sums, fixed_sample


def given_of(
    budgets: RecordBudgets | None, graph: Graph, numbers: PublicNumbers
) -> dict[Node, Any]:
    """The inputs of maps before anything is released: budgets of records, and functions of public
    values, in order. Raises PostFailed.
    """
    values: dict[Any, Any] = {**given_by(budgets, graph, numbers)}
    for one in graph.posts:
        formulas = [part for part in one.arguments if isinstance(part, Expression)]
        waits = any(part not in values for part in one.inputs)
        if waits or any(part.scope is not PUBLIC for part in formulas):
            continue
        inputs = values | {part: numbers.up(part) for part in formulas}
        arguments = [inputs.get(part, part) for part in one.arguments]
        values[one] = applied(one.function, one.label, arguments)
    return values


def sizes_read(certificate: AtNumbers, source: Source, sums: PassSums) -> dict[str, int]:
    """d, and n as it was read where it is public. Raises BadData."""
    public = certificate.setting.relation.replaced
    return _certified(certificate, {"d": source.columns, **({"n": sums.rows} if public else {})})


def public_sizes(certificate: AtNumbers, source: Source) -> dict[str, int]:
    """The sizes that may be used as numbers: d, and n under replace-one where it is known before
    the table is read. Raises BadData.
    """
    sizes = {"d": source.columns}
    if certificate.setting.relation.replaced and source.rows is not None:
        sizes["n"] = source.rows
    return _certified(certificate, sizes)


def _certified(certificate: AtNumbers, sizes: dict[str, int]) -> dict[str, int]:
    """`sizes`, if the certificate has no other ones. Raises BadData."""
    for name, size in sizes.items():
        certified = certificate.values.get(name, size)
        if certified != size:
            wanted = f"a table with {name} = {certified}, as the certificate says"
            raise BadData("X", wanted, Plain(size), f"Certify again without {name}.")
    return sizes


def _needs_count(certificate: AtNumbers, sizes: Mapping[str, int]) -> bool:
    """Whether bounds or noise read n, which is public and not yet known."""
    given = "n" in sizes or "n" in certificate.values
    public = certificate.setting.relation.replaced and "n" in certificate.symbols
    return public and not given


def _counted(source: Source, executor: Any) -> int:
    """n, by a pass of its own. Raises BadData where that would be the only pass."""
    if source.passes < 2:
        wanted = "of a known number of rows, since bounds or noise of the certificate read n"
        way_out = f"{source.again} Or certify at n = ... ."
        raise BadData("X", wanted, Plain("blocks that can be read once"), way_out)
    return source.total(count, executor=executor)


def count(blocks: Iterable[Block]) -> int:
    """The number of rows, as work for a source."""
    return sum(len(block.rows) for block in blocks)


def empty_block(setting: Setting, columns: int) -> Block:
    """A block of the table without rows."""
    labels = None if setting.y is None else np.empty(0)
    return Block(np.empty((0, columns)), labels, np.empty(0))
