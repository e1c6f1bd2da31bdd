"""The accuracy of a run at public sizes, before any budget is spent."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs

from dpframe.errors import InvalidArgument, PrivacyWarning, warn
from dpframe.graph import Joint, Release, Setting
from dpframe.graph.facts import answers
from dpframe.graph.maps.grid import RowsOnGrid
from dpframe.graph.procedure import LOGIT
from dpframe.graph.statistics import Argmin
from dpframe.numbers import whole
from dpframe.privacy import ApproxDP
from dpframe.symbols import Expression

from .foreseen import Foreseen, foreseen

if TYPE_CHECKING:
    from .certify import Certificate

ODDS = "log-odds of a typical row: noise std {:.2g}, beside what the penalty shrinks them"
FEW = 100  # records of a table whose size is private
FAR_BELOW = 0.1  # delta times n, above which delta is not far below 1/n
TYPICAL = 0.3  # the squared length of a row, over that of the longest


@attrs.frozen
class PreviewLine:
    """One release: its noise std, the root mean square of the 2-norm of its noise (Frobenius for a
    matrix), and its ratio to the largest possible signal (nan for coefficients); for log-odds
    `moved`, the std of the noise in those of a typical row.
    """

    name: str
    std: float
    noise: float
    relative: float
    moved: float | None = None

    def __str__(self) -> str:
        """A row of the table."""
        share = "-" if math.isnan(self.relative) else f"{self.relative:.2%}"
        return f"{self.name:<34}{self.std:>12.4g}{self.noise:>12.4g}{share:>11}"


@attrs.frozen
class Preview:
    """Expected noise at public n and d, and which of the `coefficients` will have `intervals` (None
    for a regression without). str() is a table. `grid` bounds the effect of rounding onto the grid
    on any statistic, relative to the largest possible signal; None if a release is computed in
    floating point.
    """

    n: int
    d: int
    lines: tuple[PreviewLine, ...]
    grid: float | None
    intervals: Foreseen | None = None
    coefficients: int = 0

    def __str__(self) -> str:
        """A table."""
        head = f"{'release':<34}{'noise std':>12}{'noise norm':>12}{'of signal':>11}"
        signal = "(signal: n rows that fill their bound, in one direction)"
        among = "" if self.d == self.coefficients else f" ({self.coefficients} coefficients)"
        title = f"expected noise at n = {self.n:,}, d = {self.d}{among} {signal}"
        odds = [ODDS.format(one.moved) for one in self.lines if one.moved is not None]
        said = [] if self.intervals is None else [f"intervals: {self.intervals}"]
        lines = [str(one) for one in self.lines]
        return "\n".join([title, head, *lines, *odds, *self._about_the_grid(), *said])

    def _about_the_grid(self) -> list[str]:
        if self.grid is None:
            return []
        moved = f"rounding onto the grid moves them by at most {self.grid:.2g} of the signal"
        return [f"sums are exact; {moved}"]


def preview(certificate: Certificate, *, n: int, d: int | None = None) -> Preview:
    """The noise of every release at public sizes n >= 0, d >= 1, the columns of the table; a
    codebook fixes d. Warns where delta is not far below 1/n. Raises InvalidArgument.
    """
    n, given = whole("n", n, 0), certificate.values.get("d")
    if d is not None and given not in (None, d):
        raise InvalidArgument("d", f"left out, or {given}, as the certificate was given", d)
    d = columns_of(certificate.setting, d if given is None else int(given))
    if certificate.report.problem.personal is not None:
        wanted = "one budget for all: noise depends on the budgets of all records"
        way_out = "dp.audits.budget_report(certificate, budgets) says what each record pays."
        raise InvalidArgument("certificate", wanted, str(certificate.target), way_out)
    if certificate.free:
        raise InvalidArgument(
            "certificate",
            f"given numbers for {', '.join(sorted(certificate.free))}",
            "none",
            "run = certificate.at(...)",
        )
    if n and (text := delta_warning(certificate, n)) is not None:
        warn(text, PrivacyWarning)
    sizes = {"n": n, "d": d}
    joint = Joint.of(
        [release.statistic for release in certificate.graph.releases], certificate.setting.relation
    )
    signals = joint.sizes if joint is not None else (None,) * len(certificate.graph.releases)
    pairs = zip(certificate.graph.releases, signals, strict=True)
    lines = tuple(_line(certificate, release, signal, n, sizes) for release, signal in pairs)
    width = round(certificate.number(certificate.setting.nodes()[0].columns, up=True, sizes=sizes))
    intervals = foreseen(certificate, n, sizes)
    return Preview(n, d, lines, _grid(certificate, sizes), intervals, width)


def columns_of(setting: Setting, d: object) -> int:
    """d >= 1, the number of columns of the table. A codebook has it: d is left out then, or is its
    number of columns, before or after coding. So is that of dp.Rows(d=...). Raises InvalidArgument.
    """
    schema, given = setting.X.columns, setting.X.d
    if given is not None:
        if d not in (None, given):
            raise InvalidArgument("d", f"left out, or the {given} of the setting", d)
        return given
    if schema is None and d is None:
        wanted = "given: the number of columns of the table, which no codebook says"
        raise InvalidArgument("d", wanted, None, "d=8, for instance.")
    if schema is None:
        return whole("d", d, 1)
    if d not in (None, len(schema), setting.X.width):
        wanted = f"left out, or the codebook's {len(schema)} columns"
        raise InvalidArgument("d", wanted, d, "The codebook has it.")
    return len(schema)


def _grid(certificate: Certificate, sizes: dict[str, int]) -> float | None:
    """(2 sqrt(d) + 1) 2^-bits: each row is off by sqrt(d) steps at most, an eigenvalue by one more.
    (docs/proofs/grid.md)
    """
    if not all(release.exact for release in certificate.graph.releases):
        return None
    rows = [node for node in certificate.graph.nodes if isinstance(node, RowsOnGrid)]
    grids = [node for node in rows if answers(node).rounds]
    widths = [certificate.number(grid.columns, up=True, sizes=sizes) for grid in grids]
    shares = [
        (2 * math.sqrt(width) + 1) / 2**grid.bits for grid, width in zip(grids, widths, strict=True)
    ]
    return max(shares, default=0.0)


def delta_warning(certificate: Certificate, n: float | None) -> str | None:
    """A warning if delta is not far below 1/n, or where n is None, not for any table of more than
    FEW records; else None.
    """
    if not isinstance(certificate.target, ApproxDP):
        return None
    delta = certificate.number(certificate.target.delta, up=True)
    if not delta * (FEW if n is None else n) >= FAR_BELOW:
        return None
    here = f"1/n for n above {FEW}" if n is None else f"1/n = {1 / n:.3g}"
    least = "0.01/n" if n is None else f"{0.01 / n:.1g}"
    return (
        f"delta = {delta:.3g} is not far below {here}: a mechanism that publishes one random row "
        f"in full satisfies such a delta. Choose delta below {least}."
    )


def _line(
    certificate: Certificate,
    release: Release,
    signal: Expression | None,
    n: int,
    sizes: dict[str, int],
) -> PreviewLine:
    std = certificate.number(release.std, up=True, sizes=sizes)
    noise = std * math.sqrt(certificate.number(release.squared_noise, up=True, sizes=sizes))
    most = math.nan if signal is None else n * certificate.number(signal, up=True, sizes=sizes)
    found = PreviewLine(release.label, std, noise, noise / most if most else math.inf)
    statistic = release.statistic
    if not isinstance(statistic, Argmin):
        return found
    bounds = statistic.bounds
    if statistic.objective.link != LOGIT or bounds is None:
        return attrs.evolve(found, relative=math.nan)
    row = math.sqrt(TYPICAL) * certificate.number(bounds.row * bounds.label, up=True, sizes=sizes)
    return attrs.evolve(found, relative=math.nan, moved=std * row)
