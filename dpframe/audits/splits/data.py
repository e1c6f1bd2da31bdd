"""The error on public or synthetic data: simulations that differ in the split alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.execution.execution import post_process
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.research import looked_at
from dpframe.execution.running import Running
from dpframe.execution.totals import real
from dpframe.graph import Graph, Release, Setting
from dpframe.privacy import ApproxDP
from dpframe.prover.unproved import NOT_PRIVATE, Unproved, unproved
from dpframe.regressions import SSP

from .criterion import SampledCriterion, whole
from .tables import OpenTable

Array = NDArray[Any]
# of SSP, whose X'X and X'y errors are measured by: its noise is never drawn
ANY = ApproxDP(Fraction(1), Fraction(1, 10**6))


def _table(value: Any) -> OpenTable:
    if isinstance(value, OpenTable):
        return value
    way_out = (
        "A split chosen on private data is not covered by the proof. Take "
        "dp.audits.SyntheticTable(n=..., d=...); or, if nobody's privacy is in it, "
        "dp.audits.public(X, y, because='...')."
    )
    raise InvalidArgument("table", "a table that is declared public", type(value), way_out)


def _repeats(value: Any) -> int:
    return whole("repeats", value, 2)


def _seed(value: Any) -> int:
    return whole("seed", value, 0)


@attrs.frozen(kw_only=True)
class DataCriterion(SampledCriterion):
    """The mean excess squared error on a public or a synthetic table, (theta - ols)'X'X(theta -
    ols)/n with ols the least squares solution: what the mean squared error on the table is larger
    than it could be. Rows and labels as the declaration reads them, clipped onto their bounds.

    `table` is dp.audits.SyntheticTable(...) or dp.audits.public(...); `repeats` >= 2 simulations
    from `seed` >= 0, with the same tables and the same noise, but for its size, for every split:
    differences of splits are less noisy than their errors. An estimate: no bound. Raises
    InvalidArgument for a table that is merely passed in.
    """

    table: OpenTable = attrs.field(converter=_table)
    repeats: int = attrs.field(default=200, converter=_repeats)
    seed: int = attrs.field(default=0, converter=_seed)

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"mean excess squared error on {self.table.sentence}; {self.repeats} simulations, "
            f"seed {self.seed}"
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Those of the table."""
        return self.table.assumptions

    def errors(self, draft: Unproved, points: Sequence[Mapping[str, Fraction]]) -> Array:
        """Shape (points, repeats), each at least 0."""
        _simple(draft.graph)
        check_setting(draft.setting)
        runs = [draft.at(**point) for point in points]
        moments = unproved(SSP(), target=ANY, setting=draft.setting, label=NOT_PRIVATE)
        numbers: list[PublicNumbers] = []
        found = np.empty((len(points), self.repeats))
        seen: _Seen | None = None
        for repeat in range(self.repeats):
            if seen is None or self.table.fresh:
                X, y = self.table.table(draft.setting, self._rng(repeat, 0))
                seen = _Seen.of(moments, runs[0], X, y)
            numbers = numbers or [PublicNumbers.of(run, seen.sizes) for run in runs]
            for place, known in enumerate(numbers):
                found[place, repeat] = seen.error(known, self._rng(repeat, 1))
        return found

    def _rng(self, repeat: int, what: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, repeat, what])


@attrs.frozen(eq=False)
class _Seen:
    """A table as the declaration sees it: what it releases, X'X, least squares and n."""

    running: Running
    sizes: Mapping[str, int]
    values: Mapping[Release, Array]
    gram: Array
    best: Array
    rows: int

    @classmethod
    def of(cls, moments: Unproved, run: Unproved, X: Any, y: Any) -> _Seen:
        known = {name: value for name, value in run.values.items() if name in moments.symbols}
        measured, _, rows = looked_at(moments.at(**known), X, y)
        if rows is None or rows < 1:
            raise InvalidArgument("table", "of a known number of rows, at least 1", rows)
        seen, sizes, _ = looked_at(run, X, y)
        gram, moment = _values(measured).values()
        best = np.linalg.lstsq(gram, moment, rcond=None)[0]
        return cls(seen, sizes, _values(seen), gram, best, rows)

    def error(self, numbers: PublicNumbers, rng: np.random.Generator) -> float:
        """The excess squared error of one simulation."""
        before = self.running
        running = Running(
            before.certificate, before.source, None, numbers, before.stages, before.values
        )
        for one, value in self.values.items():
            running.released[one] = _plain(value + _noise(one, numbers, value.shape, rng))
        away = coefficients(post_process(running), len(self.best)) - self.best
        return float(away @ self.gram @ away) / self.rows


def _values(running: Running) -> dict[Release, Array]:
    """The statistics of all releases, in doubles."""
    number = running.numbers.towards_zero
    releases = running.graph.releases
    return {one: real(one.statistic, running.values, number) for one in releases}


def _noise(
    one: Release, numbers: PublicNumbers, shape: tuple[int, ...], rng: np.random.Generator
) -> Array:
    """One draw. Its size multiplies: the same generator gives the same noise of another size."""
    size = numbers.up(one.mechanism.formula)
    return np.asarray(one.mechanism.sample(size, shape, rng, symmetric=one.symmetric))


def _plain(value: Array) -> Any:
    return float(value) if not np.shape(value) else value


def coefficients(output: Any, d: int) -> Array:
    """The coefficients of an output, shape (d,). Raises InvalidArgument."""
    found = np.asarray(getattr(output, "coefficients", output), dtype=float)
    if found.shape != (d,):
        wanted = f"{d} coefficients, to be compared with least squares"
        raise InvalidArgument("output of the declaration", wanted, f"shape {found.shape}")
    return np.asarray(np.nan_to_num(found))


def _simple(graph: Graph) -> None:
    """Raises InvalidArgument where one pass and one draw for each release are not all."""
    repeated = [one.label for one in graph.releases if str(one.times) != "1"]
    odd = [*graph.procedures, *graph.bounds, *graph.loops]
    named = [*(one.label for one in odd), *repeated]
    reading = [one.label for one in graph.nodes if type(one).__name__ == "Known"]
    if named or reading:
        way_out = "Simulate it at a few splits by dp.execute(..., rng=seed)."
        wanted = "a declaration that draws once for each release, from one look at the table"
        raise InvalidArgument("regression", wanted, ", ".join([*named, *reading]), way_out)


def check_setting(setting: Setting) -> None:
    """Labels there must be. Raises InvalidArgument."""
    if setting.y is None:
        raise InvalidArgument("setting", "one with labels, to measure errors by", "y=None")
