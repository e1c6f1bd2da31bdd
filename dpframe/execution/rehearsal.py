"""A rehearsal of post-processing: a certificate is run on synthetic tables, inside the public
bounds of a setting and of public sizes, before anything real is charged or drawn.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, NotExecutable, PostFailed
from dpframe.execution.preview import columns_of
from dpframe.graph import Categorical, Numeric
from dpframe.graph.procedures.random_stopping import RandomStopping
from dpframe.privacy import PersonalizedDP
from dpframe.prover import Certificate
from dpframe.prover.at_numbers import AtNumbers
from dpframe.randomness import Randomness
from dpframe.sources import Source, open_source
from dpframe.sources.table import Block, TablePart

from .execution import first_pass, post_process, release_in_stages
from .receipts import said
from .totals import WORD, WORDS, PassSums, in_integers, largest

Array = NDArray[Any]


def synthetic(run: AtNumbers, n: int, d: int, seed: int, *, blank: bool = False) -> Source:
    """n rows of d columns that fill their bounds, and labels that follow from them in part; rows
    and labels in the middle of their bounds, where `blank`.
    """
    rng = np.random.default_rng(seed)
    scores = np.zeros((n, d)) if blank else rng.uniform(-1, 1, (n, d))
    signal = np.tanh(scores.sum(axis=1) + 0.0 if blank else scores.sum(axis=1) + rng.normal(size=n))
    setting = run.setting
    X = _rows(run, scores) if setting.X.columns is None else _coded(setting.X.columns, scores)
    y = None if setting.y is None else _labels(run, signal)
    return open_source(setting, X, y, drop=False)


def _rows(run: AtNumbers, scores: Array) -> Array:
    """Of a ball or a box."""
    ball, box = run.setting.X.norm, run.setting.X.box
    if box is not None:
        return np.asarray(scores * run.number(box, up=False))
    lengths = np.sqrt(np.maximum(np.sum(scores * scores, axis=1, keepdims=True), 1e-300))
    return np.asarray(scores / lengths * (1.0 if ball is None else run.number(ball, up=False)))


def _coded(parts: tuple[Numeric | Categorical, ...], scores: Array) -> Array:
    """Of a codebook: numbers between their ends, and levels."""
    columns: list[Any] = []
    for part, score in zip(parts, scores.T, strict=True):
        if isinstance(part, Numeric):
            low, high = float(part.lower), float(part.upper)
            columns.append(low + (high - low) * (score + 1) / 2)
        else:
            places = np.minimum((score + 1) / 2 * len(part.levels), len(part.levels) - 1)
            columns.append([part.levels[int(place)] for place in places])
    mixed = any(isinstance(part, Categorical) for part in parts)
    found = np.empty(scores.shape, dtype=object if mixed else float)
    for j, column in enumerate(columns):
        found[:, j] = column
    return found


def _labels(run: AtNumbers, signal: Array) -> Array:
    column = run.setting.y
    if column is None:
        return signal
    if column.bound is not None:
        return signal * run.number(column.bound, up=False)
    if column.levels is not None:
        found = np.empty(len(signal), dtype=object)
        found[:] = [column.levels[int(one > 0)] for one in signal]
        return found
    low, high = float(column.lower or 0), float(column.upper or 0)
    return low + (high - low) * (signal + 1) / 2


S = TypeVar("S")
TURNS = 2  # of a loop: later answers change its point like the second
LIKELY, HUGE, FEW = 10**6, 10**12, 10**3  # nominal numbers of records, where n is private


@attrs.frozen(eq=False, repr=False)
class RepeatedSource(Source):
    """A table of n rows: those of `base` so many `times`, and the first few once more."""

    base: Source
    times: int
    rest: Source | None

    @classmethod
    def of(
        cls, certificate: Certificate, n: int, d: int, seed: int, *, blank: bool
    ) -> RepeatedSource:
        """n rows that fill their bounds; rows of zeros, where `blank`."""
        rows = min(n, d + 8)
        times, left = divmod(n, rows) if rows else (1, 0)
        base = synthetic(certificate, rows, d, seed, blank=blank)
        rest = synthetic(certificate, left, d, seed, blank=blank) if left else None
        return cls(base, times, rest)

    @property
    def layout(self) -> Any:  # type: ignore[override]
        """The base's."""
        return self.base.layout

    @property
    def rows(self) -> int:
        """n."""
        rest = 0 if self.rest is None else self.rest.rows or 0
        return self.times * (self.base.rows or 0) + rest

    @property
    def identity(self) -> object:
        """The base."""
        return self.base

    def parts(self) -> Iterator[TablePart]:
        """The base's; its sums are multiplied."""
        return self.base.parts()

    def total(self, work: Callable[[Iterable[Block]], S], *, executor: Any = None) -> S:
        """As of a table whose parts are alike."""
        del executor
        found = multiple(self.base.total(work), self.times)
        return found if self.rest is None else found + self.rest.total(work)  # type: ignore[no-any-return]


def multiple(value: Any, times: int) -> Any:
    """value + value + ..., so many of them; whole numbers exactly."""
    if times == 1:
        return value
    if isinstance(value, PassSums):
        parts = tuple(multiple(part, times) for part in value.parts)
        return PassSums(parts, value.rows * times)
    if not (isinstance(value, np.ndarray) and value.dtype == WORDS):
        return value * times
    if largest(value) * times < WORD:
        return np.asarray(value * times)
    return np.asarray(in_integers(value) * times, dtype=object)


@attrs.frozen(eq=False, kw_only=True)
class Trial:
    """Post-processing on one set of synthetic releases: of `n` records, all zero where `blank`;
    its `output`, or how it `failed`, or why it could not be tried.
    """

    n: int
    seed: int
    blank: bool
    output: Any = None
    failed: PostFailed | None = None
    untried: str = ""

    def __str__(self) -> str:
        """`n = 1,000, seed 0: ...`."""
        found = f"not tried: {self.untried}" if self.untried else "passes"
        if self.failed is not None:
            found = f"{self.failed.function} raises {self.failed.said}"
        kind = ", noise alone" if self.blank or not self.n else ""
        return f"n = {self.n:,}, seed {self.seed}{kind}: {found}"


@attrs.frozen(eq=False, repr=False)
class Rehearsal:
    """Trials of post-processing on synthetic releases; str() has a line a trial."""

    trials: tuple[Trial, ...]

    @property
    def passed(self) -> bool:
        """Whether it was tried, and nothing failed."""
        return any(not one.untried for one in self.trials) and not self.failures

    @property
    def failures(self) -> tuple[Trial, ...]:
        """The trials in which it raised."""
        return tuple(one for one in self.trials if one.failed is not None)

    @property
    def hopeless(self) -> PostFailed | None:
        """The first failure, where every trial failed."""
        failed = [one.failed for one in self.trials]
        return failed[0] if failed and all(one is not None for one in failed) else None

    def __str__(self) -> str:
        """A line a trial."""
        return "\n".join(map(str, self.trials))

    __repr__ = __str__


def rehearse(certificate: Certificate, *, n: int | None = None, d: int | None = None) -> Rehearsal:
    """Run post-processing on synthetic releases of about `n` records of `d` columns, public
    guesses, with noise as certified: three tables that fill their bounds, and two of noise alone.
    Nothing is charged, and no data is read. `d` is left out where a codebook fixes it. Raises
    InvalidArgument or NotExecutable.
    """
    certificate = rehearsable(certificate)
    columns = columns_of(certificate.setting, d)
    count = certificate.values.get("n", LIKELY if n is None else n)
    if isinstance(count, bool) or count != int(count) or count < 0:
        raise InvalidArgument("n", "a whole number, 0 or more", n, "A guess is enough.")
    fixed = certificate.setting.relation.replaced
    plans = [*((int(count), seed, False) for seed in range(3))]
    plans += [(int(count) if fixed else 0, seed, True) for seed in (3, 4)]
    found = [trial(certificate, columns, m, seed, blank=blank) for m, seed, blank in plans]
    return Rehearsal(tuple(found))


def rehearsable(certificate: Certificate) -> Certificate:
    """The certificate, if it can be rehearsed. Raises NotExecutable."""
    if certificate.free:
        missing = ", ".join(f"{name}=..." for name in sorted(certificate.free))
        raise NotExecutable(f"the certificate still lacks numbers. run = run.at({missing})")
    if isinstance(certificate.target, PersonalizedDP):
        raise NotExecutable("budgets of the records' own are not rehearsed: noise follows from all")
    return certificate


def check_processing(certificate: Certificate, sizes: Mapping[str, int]) -> None:
    """Refuse post-processing that fails on every synthetic release. Raises PostFailed."""
    found = rehearsed(certificate, sizes) if due(certificate) else None
    failed = None if found is None else found.hopeless
    if failed is not None:
        way_out = "certificate.rehearse(n=..., d=...) shows each; rehearse=False runs it anyway"
        text = f"{failed.said}, on every synthetic release ({way_out})"
        raise PostFailed(failed.function, text) from failed.__cause__


def due(certificate: Certificate) -> bool:
    """Whether a run is rehearsed before its charge: it has functions of released values that are
    not dpframe's own, which its tests run; and neither budgets of the records' own nor runs within.
    """
    procedures = certificate.graph.procedures
    if isinstance(certificate.target, PersonalizedDP):
        return False
    if any(isinstance(one, RandomStopping) for one in procedures):
        return False
    used: list[Any] = [*functions(certificate)]
    return bool(used) and not all(map(_shipped, [*used, type(certificate.regression)]))


def _shipped(one: Any) -> bool:
    name = one.__module__ or ""  # none of functions that exec made
    module, all_own = sys.modules.get(name), name.startswith("dpframe.")
    return all_own and getattr(module, one.__qualname__, None) is one


def rehearsed(certificate: Certificate, sizes: Mapping[str, int]) -> Rehearsal:
    """Trials until one passes, of public sizes alone: n where it is public. Cached by certificate
    and sizes, except where all failed, since the code that a function calls may be mended.
    """
    used = functions(certificate)
    found = _rehearsed(
        RehearsalKey(certificate.hash, used, sizes["d"], sizes.get("n"), certificate)
    )
    if found.hopeless is not None:
        _rehearsed.cache_clear()
    return found


def functions(certificate: Certificate) -> tuple[Callable[..., Any], ...]:
    """Every function of released values in a certificate."""
    return tuple(one.function for one in certificate.graph.calls)


@attrs.frozen
class RehearsalKey:
    """The inputs of a rehearsal, by which it is cached; all public."""

    hash: str
    functions: tuple[Callable[..., Any], ...]
    d: int
    n: int | None
    certificate: Certificate = attrs.field(eq=False)


@lru_cache(maxsize=64)
def _rehearsed(public: RehearsalKey) -> Rehearsal:
    n = public.n
    plans = [(one, False) for one in ((LIKELY, HUGE, FEW) if n is None else (n, HUGE))]
    plans.append((0, True) if n is None else (n, True))
    found: list[Trial] = []
    for seed, (count, blank) in enumerate(plans):
        found.append(trial(public.certificate, public.d, count, seed, blank=blank))
        if found[-1].failed is None and not found[-1].untried:
            break
    return Rehearsal(tuple(found))


def trial(certificate: Certificate, d: int, n: int, seed: int, *, blank: bool) -> Trial:
    """Post-processing on the releases of one synthetic table."""
    tried = Trial(n=n, seed=seed, blank=blank)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            output = _output(
                certificate, RepeatedSource.of(certificate, n, d, seed, blank=blank), seed
            )
    except PostFailed as failed:
        return attrs.evolve(tried, failed=failed.with_traceback(None))
    except Exception as error:  # noqa: BLE001 - made up tables decide nothing but this
        return attrs.evolve(tried, untried=said(error))
    return attrs.evolve(tried, output=output)


def _output(certificate: Certificate, source: Source, seed: int) -> Any:
    randomness = Randomness.of(seed)
    running, _ = first_pass(certificate, source, None, randomness)
    running = attrs.evolve(running, max_turns=TURNS)
    release_in_stages(running, running.draws(0), randomness)
    return post_process(running)
