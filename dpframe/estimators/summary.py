"""Tables of coefficients in the style of statsmodels, computed from released values only; the
affine map from coefficients of scaled rows to coefficients in units of the codebook; and the
directions of the coefficients that noise hides, in names of the codebook.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Never

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.audits.figures import figure, hanging, paragraphs, table
from dpframe.errors import InvalidArgument, NotAvailable, missing
from dpframe.graph.maps.base import RowMap
from dpframe.graph.maps.bounds import Encoded, Intercept
from dpframe.inference.estimates import FLAG, Estimates, critical, finite
from dpframe.inference.result import OF_INFERENCE, ONLY_RELEASED, Units
from dpframe.inference.words import listed
from dpframe.notebooks import card, data_frame, pyplot, sentences
from dpframe.notebooks import table as grid
from dpframe.randomness.bits import SIMULATION

from .units import Coefficients, Numbers, is_whole

Array = NDArray[Any]

INTERCEPT = "intercept"
NEAR = 0.005  # p values with smaller differences print the same
SAME = 1e-9  # standard errors: coefficients with smaller differences are shown once
LOST, NOT_RELEASED = "lost in noise", "not released"
FAR = 0.1  # of a length of intervals in standard errors from the usual one; half of it without z
LENGTHS = "Intervals extend {} standard errors to either side, not {:.3g}."
REASONS = (
    "They are shorter where the standard error counts sampling by an upper bound, longer where "
    "they add a possible bias, from clipped labels or hidden directions, or the error of an "
    "estimated variance."
)
LEAST_SHARE = 0.01  # lower bounds below it are not shown
NO_INTERVAL = "no interval"
ONE_MORE = "1 more"
NO_INTERVALS = (
    "There are no intervals: the sampling distribution of these coefficients cannot be computed "
    "from the released values. dp.regressions.LogisticDescent.for_intervals() has intervals of "
    "log-odds, dp.JointSSP.for_intervals(), a linear probability model, of differences of "
    "probabilities."
)
OUTSIDE = "fitted is outside the {level:.3g}% interval of {names}"
PENALTY = (
    ": mostly because a penalty of the regression biases it. Report coef there; coef_ and predict "
    "use fitted."
)
CHANCE = ", as is that of some coefficients in a hundred: report both there."
STRONG = 0.4  # standard errors between coef and fitted, from which levels are strongly shrunk
TOWARDS = (
    "fitted of {} is shrunk by {:.0%} of a standard error or more, towards the average of all "
    "levels, not towards the baseline, and may have the wrong sign: report coef there."
)
MOST_ODDS = 100.0  # noise enlarges large odds ratios too much to print them as numbers
USUAL = 0.05  # fitted may well be outside a shorter interval by chance
LATEX = {sign: f"\\{sign}" for sign in "#$%&_{}"}
LATEX |= {"\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}"}
LATEX |= {"<": "$<$", ">": "$>$", "|": "$|$", "[": "{[}"}


def affine(linear: Callable[[Array], Coefficients], p: int) -> tuple[Array, Array]:
    """The matrix (m, p) and the constant (m,) of an affine map to coefficients and intercept."""
    maps = (linear(row) for row in (np.zeros(p), *np.eye(p)))
    origin, *moved = (np.append(one.coefficients, one.intercept) for one in maps)
    return np.stack([one - origin for one in moved], axis=1), origin


def in_units(linear: Callable[[Array], Coefficients], p: int) -> Units:
    """The matrix and constant of an affine map of p coefficients, from its values at zero and at
    unit vectors.
    """
    matrix, origin = affine(linear, p)
    names = (*linear(np.zeros(p)).names, INTERCEPT)
    if not np.any(matrix[-1]):  # a constant intercept, which was not fitted
        matrix, origin, names = matrix[:-1], origin[:-1], names[:-1]
    return Units(matrix, origin, names)


def constant_of(maps: tuple[RowMap, ...], p: int, number: Numbers) -> Array | None:
    """A vector (p,) with row @ vector = 1 for every mapped row: by an intercept that the last map
    appends, or by a codebook with an indicator for each level; else None.
    """
    last = maps[-1] if maps else None
    if isinstance(last, Intercept):
        return np.append(np.zeros(p - 1), 1 / number(last.value))
    terms = last.parts if isinstance(last, Encoded) else ()
    widths = [math.prod(part.width for part in term) for term in terms]
    whole = next(filter(is_whole, terms), None)
    own = [float(term is whole) for term in terms]
    return None if whole is None else np.repeat(own, widths)


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class Printed(ABC):
    """A table of coefficients below `header` (text by title) and above `notes`. It prints as text,
    and in a notebook as HTML.
    """

    header: dict[str, str]
    notes: tuple[str, ...]

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """One dictionary per coefficient; None stands for unknown values."""

    @abstractmethod
    def _table(self) -> list[list[str]]:
        """Titles, then one row per coefficient."""

    def to_dict(self) -> dict[str, Any]:
        """All printed values, as JSON values."""
        parts = {"header": dict(self.header), "coefficients": self.records()}
        return {**parts, "notes": list(self.notes)}

    def summary_frame(self) -> Any:
        """The records as a data frame. Raises MissingExtra without pandas."""
        frame = data_frame(self.records()).set_index("name")
        return frame.astype({name: float for name in frame.columns if name not in {"per", FLAG}})

    def __getattr__(self, name: str) -> Never:
        """Raises UnknownName, which says where the methods of data frames are."""
        frames = name.startswith("to_")
        instead = f"summary.summary_frame().{name}(...)" if frames else ""
        missing(self, name, instead, elsewhere=OF_INFERENCE, why=ONLY_RELEASED)

    def as_text(self) -> str:
        """The header, the table, the notes."""
        wide = max(len(title) for title in self.header) + 1
        lines = (f"  {title + ':':<{wide}} {text}" for title, text in self.header.items())
        head = [part for line in lines for part in hanging(line, wide + 3)]
        titles, *rows = self._table()
        lines = table(titles, rows, range(1, len(titles)))
        return "\n".join([*head, "", *lines, "", paragraphs(self.notes)])

    __str__ = __repr__ = as_text

    def as_html(self) -> str:
        """The same as two tables, and a paragraph per note."""
        titles, *rows = self._table()
        return card(
            "summary", grid(self.header.items(), texts=2), grid(rows, titles), sentences(self.notes)
        )

    _repr_html_ = as_html

    def as_latex(self) -> str:
        """The same as two `tabular` environments followed by the notes; needs no LaTeX package."""
        titles, *rows = (" & ".join(map(latex, cells)) + " \\\\" for cells in self._table())
        head = (f"{latex(a)} & {latex(b)} \\\\" for a, b in self.header.items())
        columns = "l" + "r" * (len(self._table()[0]) - 1)
        tables = (
            ("\\begin{tabular}{ll}", *head, "\\end{tabular}"),
            (f"\\begin{{tabular}}{{{columns}}}", "\\hline", titles, "\\hline"),
            (*rows, "\\hline", "\\end{tabular}"),
        )
        first, second, third = ("\n".join(lines) for lines in tables)
        return "\n\n".join([first, f"{second}\n{third}", *map(latex, self.notes)])


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class Summary(Printed):
    """A table of m coefficients: `estimates` with their inference; `fitted` (m,), used for
    predictions; intervals at level 1 - `alpha`, individual or `simultaneous`; `header`, text by
    title; `notes` on what intervals cover, assume and refuse; `ranges`, the length and text of each
    slope's declared range (empty without a codebook); `label`, the name of the response.
    """

    estimates: Estimates
    fitted: Array
    alpha: float
    simultaneous: str | None = None
    ranges: tuple[tuple[float, str], ...] = ()
    label: str = "label"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return self.estimates.names

    @property
    def intervals(self) -> Array:
        """Lower and upper ends, (m, 2); infinite for coefficients without an interval."""
        return self.estimates.conf_int(self.alpha, simultaneous=self.simultaneous)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per coefficient; None stands for unknown values. Without z where it does
        not determine the p value.
        """
        records = self.estimates.records(self.alpha, simultaneous=self.simultaneous)
        hidden = set() if self.tested_by_z else {"z"}
        return [
            {title: one for title, one in record.items() if title not in hidden}
            | {"fitted": finite(fitted)}
            for record, fitted in zip(records, self.fitted, strict=True)
        ]

    def summary_frame(self) -> Any:
        """The records as a data frame. A coefficient without an interval has coef nan, standard
        error inf and ends -inf and inf, as in `intervals`. Raises MissingExtra without pandas.
        """
        frame, (low, high) = super().summary_frame(), self.intervals.T
        return frame.assign(std_err=self.estimates.sd, lower=low, upper=high)

    def to_dict(self) -> dict[str, Any]:
        """All printed values, as JSON values."""
        return super().to_dict() | {"alpha": self.alpha, "simultaneous": self.simultaneous}

    def plot(self, ax: Any = None) -> Any:
        """Plot the intervals, one line each, the first on top, without the intercept. A coefficient
        without an interval says so.

        Under a codebook each interval is for the difference of predictions between the lowest and
        the highest declared value of a column, so that all have the label's unit; without one, for
        the coefficient itself. Draws into `ax`, or a new figure; returns the axes, so that
        `summary.plot().figure.savefig("summary.png")` writes a file. Raises InvalidArgument,
        MissingExtra without matplotlib.
        """
        if ax is not None and not hasattr(ax, "errorbar"):
            way_out = "summary.plot().figure.savefig('summary.png') writes a file."
            raise InvalidArgument("ax", "matplotlib axes to draw into, or None", ax, way_out)
        axes = pyplot().subplots(layout="constrained")[1] if ax is None else ax
        slopes = len(self.names) - (self.names[-1:] == (INTERCEPT,))
        ranges = self.ranges or ((1.0, ""),) * slopes
        texts = [text for _, text in ranges]
        names = [f"{name}\n{text}".strip() for name, text in zip(self.names, texts, strict=False)]
        places = range(0, -len(names), -1)
        effects = zip(places, ranges, self.estimates.effect, self.intervals, strict=False)
        axes.axvline(0, color="grey", linewidth=0.8)
        for place, (length, _), effect, ends in effects:
            if np.isfinite(ends[0]):
                at, beside = effect * length, np.abs(ends - effect)[:, None] * length
                axes.errorbar([at], [place], xerr=beside, fmt="o", color="C0", capsize=3)
            else:
                aside = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
                axes.annotate(NO_INTERVAL, (0, place), color="grey", **aside)
        axes.set_yticks(places, names)
        axes.set_ylim(0.5 - len(names), 0.5)
        axes.locator_params(axis="x", nbins=5)
        jointly = "" if self.simultaneous is None else ", all together"
        what = f"difference of {self.label} over the range" if self.ranges else "coefficient"
        axes.set_xlabel(f"{what}, {100 * (1 - self.alpha):g}% intervals{jointly}")
        simulated = self.header.get("randomness") == SIMULATION
        stated = [self.header.get("privacy", ""), *([SIMULATION] if simulated else [])]
        axes.set_title("\n".join(stated), fontsize="small")
        return axes

    @property
    def shrunken(self) -> bool:
        """Whether predictions use coefficients other than the centres of intervals."""
        estimates = self.estimates
        apart = np.abs(self.fitted - estimates.effect)
        return bool(np.any(apart > SAME * np.sqrt(estimates.spread.errors)))

    @property
    def on_lengths(self) -> Iterator[str]:
        """A note where intervals, one at a time, are far from the usual multiple of the standard
        errors.
        """
        if self.simultaneous is not None:
            return
        known = np.isfinite(self.estimates.sd) & (self.estimates.sd > 0)
        usual = critical(self.alpha, self.estimates.root, None)
        stds = (np.diff(self.intervals)[:, 0] / 2)[known] / self.estimates.sd[known]
        far = FAR if self.tested_by_z else FAR / 2
        if stds.size and not (1 - far) * usual <= stds.min() <= stds.max() <= (1 + far) * usual:
            ends = dict.fromkeys(f"{one:.2g}" for one in (stds.min(), stds.max()))
            yield LENGTHS.format(" to ".join(ends), usual)

    def outside(self, cause: str) -> Iterator[str]:
        """A note on the coefficients of which `fitted` is outside the interval, with the cause."""
        alpha = min(self.alpha, USUAL)
        low, high = self.estimates.conf_int(alpha, simultaneous=self.simultaneous).T
        rows = zip(self.names, self.estimates.effect, self.fitted, strict=True)
        beyond = (self.fitted < low) | (self.fitted > high)
        names = [
            f"{name} ({_apart(effect, fitted)})"
            for (name, effect, fitted), out in zip(rows, beyond, strict=True)
            if out
        ]
        if names:
            text = OUTSIDE.format(level=100 * (1 - alpha), names=listed(names))
            yield f"{text}{cause}"

    @property
    def shrunken_levels(self) -> Iterator[str]:
        """A note on the levels of which `fitted` is far from coef, in standard errors."""
        far = np.abs(self.fitted - self.estimates.effect) > STRONG * self.estimates.sd
        levels = [length == 1 and not text for length, text in self.ranges]
        rows = zip(self.names, far, levels, strict=False)
        if names := [name for name, shrunk, level in rows if shrunk and level]:
            yield TOWARDS.format(listed(names), STRONG)

    @property
    def tested_by_z(self) -> bool:
        """Whether z is coef / std err and gives the p values: not if noise may hide more, or if the
        noise on standard errors counts as well.
        """
        from scipy.special import ndtr

        estimates = self.estimates
        known = estimates.testable
        z, apart = (
            np.abs(estimates.statistic[known]),
            np.abs(estimates.effect - estimates.null)[known],
        )
        ratio = apart / estimates.sd[known]
        off = np.abs(2 * ndtr(-z) - estimates.pvalue[known])
        return bool(np.all(off < NEAR) and np.all(np.abs(z - ratio) < NEAR * (1 + ratio)))

    def _table(self) -> list[list[str]]:
        """Titles, then one row per coefficient."""
        return [[*self._titles()], *([*self._cells(record)] for record in self.records())]

    def _titles(self) -> Iterator[str]:
        yield from ("", "coef")
        if self.shrunken:
            yield "fitted"
        tail = self.alpha / 2
        ends = (f"[{tail:.4g}", f"{1 - tail:.4g}]")
        yield from ("std err", "privacy share", *["z"] * self.tested_by_z, "P>|z|", *ends)

    def _cells(self, record: dict[str, Any]) -> Iterator[str]:
        known = record["std_err"] is not None
        yield record["name"]
        yield figure(record["coef"]) if known else "-"
        if self.shrunken:
            fitted = figure(record["fitted"])
            yield fitted if known else f"({fitted})"
        yield figure(record["std_err"]) if known else "inf"
        yield share_text(record["privacy_share"], bound=record[FLAG])
        if self.tested_by_z:
            yield "-" if not known or record["p_value"] is None else f"{record['z']:z.2f}"
        yield "-" if record["p_value"] is None else f"{record['p_value']:.3f}"
        yield figure(record["lower"]) if known else "-inf"
        yield figure(record["upper"]) if known else "inf"


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class WithoutIntervals(Printed):
    """Abstract: coefficients (m,) by name, of which no intervals follow from what was released;
    `reason` says why.
    """

    names: tuple[str, ...]
    coefficients: Array
    reason: str = NO_INTERVALS

    @property
    def conf_int(self) -> Never:
        """Not available. Raises NotAvailable, which says why."""
        raise NotAvailable(self.reason)

    plot = conf_int


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class CoefficientSummary(WithoutIntervals):
    """The coefficients alone."""

    def records(self) -> list[dict[str, Any]]:
        """`name` and `coef`, for each coefficient."""
        pairs = zip(self.names, self.coefficients, strict=True)
        return [{"name": name, "coef": finite(value)} for name, value in pairs]

    def _table(self) -> list[list[str]]:
        pairs = zip(self.names, self.coefficients, strict=True)
        return [["", "coef"], *([name, figure(value)] for name, value in pairs)]


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class OddsSummary(WithoutIntervals):
    """Coefficients (m,) of log-odds, the std (m,) of the privacy noise in each (nan if
    unknown), exact or `predicted`, and the odds ratios exp(coef).

    The sampling distribution is not known, so there are no intervals. `ranges` has the length and
    text of each slope's declared range (empty without a codebook): an odds ratio is for an increase
    by the largest power of ten in that range, without a codebook by 1.
    """

    noise: Array
    predicted: bool = False
    ranges: tuple[tuple[float, str], ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """`name`, `coef`, `noise_std`, `odds_ratio`, its values `odds_lower` and `odds_upper` at
        coefficients two stds of the noise below and above, and its unit `per`.
        """
        ends = [self.coefficients + k * self.noise for k in (-2, 2)]
        odds = odds_records(self.names, self.ranges, self.coefficients, *ends)
        columns = zip(self.names, self.coefficients, self.noise, odds, strict=True)
        return [
            {"name": name, "coef": finite(value), "noise_std": finite(noise), **ratio}
            for name, value, noise, ratio in columns
        ]

    def _table(self) -> list[list[str]]:
        """Without columns that no coefficient needs: an unknown noise std and odds ratios, which
        are printed beside it only, or steps of 1 only.
        """
        records = self.records()
        noisy = bool(np.isfinite(self.noise).any())
        other_steps = stepped(one["per"] for one in records)
        noise_title = "predicted noise std" if self.predicted else "noise std"
        titles = ["", "coef", *[noise_title, "odds ratio"] * noisy, *["per"] * other_steps * noisy]
        rows = [titles]
        for one in records:
            noise = [figure(one["noise_std"]), odds_text(one)] if noisy else []
            per = [one["per"]] * other_steps * noisy
            rows.append([one["name"], figure(one["coef"]), *noise, *per])
        return rows


@attrs.frozen(eq=False, repr=False, str=False, kw_only=True)
class LogOddsSummary(Summary):
    """A table of log-odds with their inference, and of odds ratios with intervals: exp of the ends
    of those of coefficients. `ranges` as in `OddsSummary`.
    """

    def records(self) -> list[dict[str, Any]]:
        """As of `Summary`, and `odds_ratio`, `odds_lower`, `odds_upper` and their unit `per`."""
        known = np.isfinite(self.estimates.sd)
        effect = np.where(known, self.estimates.effect, np.nan)
        odds = odds_records(self.names, self.ranges, effect, *self.intervals.T)
        return [one | ratio for one, ratio in zip(super().records(), odds, strict=True)]

    def _titles(self) -> Iterator[str]:
        yield from super()._titles()
        yield "odds ratio"
        if self._stepped:
            yield "per"

    def _cells(self, record: dict[str, Any]) -> Iterator[str]:
        yield from super()._cells(record)
        yield "-" if record["std_err"] is None else odds_text(record)
        if self._stepped:
            yield record["per"]

    @property
    def _stepped(self) -> bool:
        """Whether some odds ratio is for another increase than 1."""
        return stepped(steps(self.names, self.ranges)[1])


def steps(names: tuple[str, ...], ranges: tuple[tuple[float, str], ...]) -> tuple[Array, list[str]]:
    """The increase of each column for its odds ratio, (m,), and in words."""
    slopes = [
        (step, f"{step:,.12g} more" if text else "")
        for length, text in ranges
        for step in [10.0 ** math.floor(math.log10(length))]
    ]
    others = ((1.0, "" if name == INTERCEPT else ONE_MORE) for name in names[len(slopes) :])
    every = [*slopes, *others]
    return np.array([step for step, _ in every]), [text for _, text in every]


def stepped(texts: Iterable[str]) -> bool:
    """Whether some step is another than 1."""
    return any(text not in {ONE_MORE, ""} for text in texts)


def odds_records(
    names: tuple[str, ...], ranges: tuple[tuple[float, str], ...], *log_odds: Array
) -> list[dict[str, Any]]:
    """`odds_ratio`, `odds_lower` and `odds_upper` of log-odds (m,) each, and their unit `per`."""
    lengths, texts = steps(names, ranges)
    with np.errstate(over="ignore"):
        columns = [np.exp(one * lengths) for one in log_odds]
    titles = ("odds_ratio", "odds_lower", "odds_upper")
    return [
        dict(zip(titles, map(finite, numbers), strict=True)) | {"per": text}
        for text, *numbers in zip(texts, *columns, strict=True)
    ]


def _apart(effect: float, fitted: float) -> str:
    """`27% smaller than coef`, or both numbers where their signs differ."""
    if fitted * effect <= 0:
        return f"{figure(fitted)} for {figure(effect)}"
    share = fitted / effect - 1
    return f"{abs(share):.0%} {'smaller' if share < 0 else 'larger'} than coef"


def latex(text: str) -> str:
    """Text escaped for LaTeX."""
    return "".join(LATEX.get(sign, sign) for sign in text)


def counted(value: float, std: float) -> str:
    """`20,053`, with the std of its noise if there is any; `not released` if that is infinite."""
    if not np.isfinite(std):
        return NOT_RELEASED
    return f"{value:,.0f}" if std == 0 else f"{value:,.0f} released, noise {figure(std)}"


def between(value: float, ends: Array, otherwise: str = LOST) -> str:
    """`0.709 [0.698, 0.721]`, or `lost in noise`."""
    low, high = map(float, ends)
    return f"{figure(value)} [{figure(low)}, {figure(high)}]" if np.isfinite(value) else otherwise


def odds_text(record: dict[str, Any]) -> str:
    """`1.4 (0.9 to 2.2)`, or `> 100`, with two stds of the noise to either side; `lost in noise`
    where these span more than a factor of MOST_ODDS squared.
    """
    keys = ("odds_ratio", "odds_lower", "odds_upper")
    ratio, low, high = (np.inf if record[key] is None else record[key] for key in keys)
    if not high <= MOST_ODDS**2 * low and not (low > MOST_ODDS or high < 1 / MOST_ODDS):
        return LOST
    ends = _capped(low), _capped(high)
    return _capped(ratio) if len({*ends}) == 1 else f"{_capped(ratio)} ({ends[0]} to {ends[1]})"


def _capped(odds: float) -> str:
    """`2.2`; `> 100` or `< 0.01` beyond MOST_ODDS."""
    if odds > MOST_ODDS:
        return f"> {MOST_ODDS:g}"
    return f"< {1 / MOST_ODDS:g}" if odds < 1 / MOST_ODDS else figure(odds, digits=2)


def share_text(share: float | None, *, bound: bool) -> str:
    """`31%`, `>= 31%`, or `-` where it is not known."""
    if share is None or (bound and share < LEAST_SHARE):
        return "-"
    return f">= {math.floor(100 * share)}%" if bound else f"{100 * share:.0f}%"


MOST_NAMED = 3  # directions that are named, and columns of one
LITTLE = 0.3  # of the largest weight: smaller ones are left out


def named(lost: Array, units: Units) -> tuple[str, ...]:
    """One text per direction, such as `children - 0.7 age`; `lost` (p, k) has orthonormal columns.
    Weights are those of scaled columns, relative to the largest. The first direction is the one
    nearest to a single column, the next the nearest among the remaining ones, and so on, MOST_NAMED
    of them.
    """
    texts = [combination(weights, units.names) for weights in _directions(lost, units, MOST_NAMED)]
    more = lost.shape[1] - MOST_NAMED
    return (*texts, *([f"{more} more"] if more > 0 else []))


def leading(lost: Array, units: Units) -> tuple[str, ...]:
    """The coefficient of the largest weight in each direction, without the intercept: columns to
    merge or to leave out.
    """
    found = (units.names[int(np.argmax(np.abs(one)))] for one in _directions(lost, units))
    return tuple(name for name in dict.fromkeys(found) if name != INTERCEPT)


def _directions(lost: Array, units: Units, most: int | None = None) -> Iterator[Array]:
    """The weights of all coefficients in each direction, (p,), at most `most` directions."""
    rows = units.matrix / np.linalg.norm(units.matrix, axis=1, keepdims=True)
    if units.names[-1] == INTERCEPT:
        rows[-1] = np.eye(rows.shape[1])[-1]
    left = lost
    for _ in range(lost.shape[1])[:most]:
        images = rows @ left
        nearest = int(np.argmax(np.linalg.norm(images, axis=1)))
        along = images[nearest] / np.linalg.norm(images[nearest])
        yield images @ along
        turned = np.linalg.svd(along[None, :])[2]
        left = left @ turned[1:].T


def combination(weights: Array, names: tuple[str, ...]) -> str:
    """Columns with their weights (p,), largest first: `children - 0.7 age`."""
    order = [int(j) for j in np.argsort(-np.abs(weights), kind="stable")[:MOST_NAMED]]
    shares = {j: float(weights[j] / weights[order[0]]) for j in order}
    terms = [
        f"{'-' if w < 0 else '+'} {abs(w):.1f} {names[j]}"
        for j, w in shares.items()
        if abs(w) >= LITTLE
    ]
    return " ".join([names[order[0]], *terms[1:]])
