"""One pass over a table, or over a secret sample of it, and the public sizes that bounds and noise
may read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData, InvalidArgument, NotExecutable, SourceFailed
from dpframe.graph import Graph, Node, Setting
from dpframe.graph.maps.weighted import Thinning
from dpframe.graph.statistics import Statistic
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Bits
from dpframe.randomness.laws import bernoulli
from dpframe.sources import Source
from dpframe.sources.reading import Plain
from dpframe.sources.table import Block
from dpframe.symbols import PUBLIC, Expression

from .numbers import PublicNumbers
from .public_budgets import RecordBudgets, given_by, places
from .receipts import applied
from .stages import NO_GUESS, Guess
from .totals import Pass, PassSums

AT_REST = "Give a table that is at rest: an array, a data frame in memory, or a file."


def digest(block: Block) -> bytes:
    """128 bits of the records of a block, in their order."""
    state = hashlib.blake2b(digest_size=16)
    for column in (block.rows, block.labels, block.budgets):
        if column is None:
            continue
        state.update(str(column.shape).encode())
        if column.dtype == object:
            state.update(repr(column.tolist()).encode("utf-8", "surrogatepass"))
        else:
            state.update(np.ascontiguousarray(column).data)
    return state.digest()


def records_changed() -> SourceFailed:
    """The error on a table that differs between passes."""
    return SourceFailed("X again", "other records, or the same in another order", AT_REST)


@attrs.frozen(eq=False)
class Sample:
    """Includes each row independently with probability `rate`, exactly. The inclusions are secret
    and forgotten with the block.
    """

    rate: Fraction
    bits: Bits

    def __call__(self, block: Block) -> Block:
        """The rows of the sample, in their order, with their labels."""
        return block.only(bernoulli(self.bits, self.rate, len(block.rows)))


@attrs.frozen
class InOrder:
    """An executor that does submitted work at once, here: samples are drawn in one order, in this
    process.
    """

    _max_workers = 1  # as in executors of the standard library

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """A future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # noqa: BLE001 - the future raises it
            future.set_exception(error)
        return future


def check_sampling(graph: Graph, executor: Any) -> None:
    """Refuse an executor, which would draw samples elsewhere. Raises NotExecutable."""
    sampled = any(one.sampled is not None for one in graph.releases)
    if executor is not None and (sampled or any(isinstance(one, Thinning) for one in graph.nodes)):
        raise NotExecutable(
            "a secret sample of the rows is read, which is drawn where the noise is: leave "
            "executor out"
        )


Array = NDArray[Any]
WORD = 2.0**64


@attrs.define(eq=False)
class FixedSample:
    """Inclusion indicators, one a record: true with at most the probability of the record's budget.
    They stay secret, in memory, until the execution ends. Beside the indicators of a block stands
    its digest, so that no record ever gets those of another.
    """

    keys: Array
    chances: Array
    bits: Bits
    _drawn: list[tuple[bytes, Array]] = attrs.field(factory=list, init=False)
    _next: int = attrs.field(default=0, init=False)
    _whole: bool = attrs.field(default=False, init=False)

    def again(self) -> FixedSample:
        """The same sample for another pass, from its first block."""
        self._next, self._whole = 0, True
        return self

    def __call__(self, block: Block) -> Block:
        """The records of the sample, in their order."""
        result = digest(block)
        if self._next == len(self._drawn):
            if self._whole:
                raise records_changed()
            self._drawn.append((result, self._inclusions(block)))
        expected, included = self._drawn[self._next]
        self._next += 1
        if result != expected:
            raise records_changed()
        return block.only(included)

    def _inclusions(self, block: Block) -> Array:
        """A uniform word below 2^64 p is drawn with probability floor(2^64 p)/2^64."""
        chances = self.chances[places(self.keys, block.budgets)]
        words = self.bits.words(len(block.rows))
        certain: Array = chances >= 1
        least = np.where(certain, 0.0, np.floor(chances * WORD)).astype(np.uint64)
        return certain | (words < least)


def fixed_sample_of(
    graph: Graph, budgets: RecordBudgets | None, numbers: PublicNumbers, bits: Bits
) -> FixedSample | None:
    """The sample that a graph reads; None where it reads the whole table."""
    result = [node for node in graph.nodes if isinstance(node, Thinning)]
    if not result or budgets is None:
        return None
    return FixedSample(budgets.keys, np.minimum(numbers.each(result[0].keep), 1.0), bits)


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
    wanted = "of a known number of rows, since bounds or noise of the certificate read n"
    source.check_passes(wanted, f"{source.again} Or certify at n = ... .")
    return source.total(count, executor=executor)


def count(blocks: Iterable[Block]) -> int:
    """The number of rows, as work for a source."""
    return sum(len(block.rows) for block in blocks)


def empty_block(setting: Setting, columns: int) -> Block:
    """A block of the table without rows."""
    labels = None if setting.y is None else np.empty(0)
    return Block(np.empty((0, columns)), labels, np.empty(0))
