"""Linear functions of coefficients: estimates, standard errors, p values and intervals, one at a
time or all at once.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.notebooks import data_frame

from .arrays import Array
from .spread import Spread

TOGETHER = ("bonferroni", "max", "scheffe")
DRAWS, SEED = 50_000, 0
FLAG = "privacy_share_is_bound"
FEWEST = 50  # draws beyond a quantile; with fewer it is not estimated


@attrs.frozen(eq=False, repr=False, str=False)
class Estimates:
    """Linear functions of the coefficients, q of them: their `names`, estimates `effect` (q,) and
    the values `null` (q,) of the tested hypotheses.

    `spread` describes their variances. `hidden` (q,) bounds their bias, along directions that noise
    hides and by clips of labels; the bound was observed with noise of the stds `unsure` (q,), may
    be negative, and is infinite where nothing bounds the bias.
    `root` (q, k) has the covariance root @ root.T.
    """

    names: tuple[str, ...]
    effect: Array
    null: Array
    spread: Spread
    hidden: Array
    unsure: Array
    root: Array

    @property
    def sd(self) -> Array:
        """Standard errors (q,), of sampling and noise; infinite where nothing is known."""
        return np.asarray(np.where(np.isfinite(self.hidden), np.sqrt(self.spread.errors), np.inf))

    @property
    def bias(self) -> Array:
        """`hidden`, but at least 0, (q,)."""
        return np.maximum(self.hidden, 0.0)

    @property
    def shares(self) -> Array:
        """The part of each variance that the noise for privacy makes, (q,) in [0, 1]; a lower bound
        where `bounded`; not a number where nothing is known.
        """
        return np.asarray(np.where(np.isfinite(self.hidden), self.spread.shares[0], np.nan))

    @property
    def bounded(self) -> Array:
        """Where `shares` are lower bounds, since sampling enters as an upper bound, (q,)."""
        return np.asarray(np.isfinite(self.hidden) & self.spread.shares[1])

    @property
    def sizes(self) -> Array:
        """How far effects are from `null` at least, (q,), after what may be hidden is taken off; 0
        where nothing is known.
        """
        known = np.isfinite(self.hidden)
        least = np.abs(self.effect - self.null) - np.where(known, self.bias, np.inf)
        return np.asarray(np.maximum(least, 0.0))

    @property
    def statistic(self) -> Array:
        """Those sizes over standard errors, (q,), with the signs of effect - null; not a number
        where no test could reject.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            signed = np.nan_to_num(np.sign(self.effect - self.null) * self.sizes / self.sd, nan=0.0)
        return np.where(self.testable, signed, np.nan)

    @property
    def pvalue(self) -> Array:
        """Two-sided, of effect = null, each alone, (q,); nan where no test could reject."""
        values = self.spread.p_values(np.abs(self.effect - self.null), self.hidden, self.unsure)
        return np.where(self.testable, values, np.nan)

    def conf_int(self, alpha: float = 0.05, *, simultaneous: str | None = None) -> Array:
        """Lower and upper ends (q, 2) of intervals that miss with probability `alpha`: each, or
        with `simultaneous` any of them; infinite where nothing is known.

        "bonferroni" divides alpha by q. "max" takes the quantile of the largest of q correlated
        normal numbers, simulated with fixed draws, three standard errors above what they say, and
        never above Bonferroni's. "scheffe" holds for these and all other linear functions of the
        coefficients, also those that were chosen because of what was released. Raises
        InvalidArgument.
        """
        df = 1
        if simultaneous == "scheffe":
            from scipy.special import chdtri

            df = max(self.root.shape[1], 1)
            stds = float(np.sqrt(chdtri(df, checked(alpha))))
        else:
            stds = critical(alpha, self.root, simultaneous)
        if simultaneous in {"scheffe", "max"}:
            half = self.spread.half(stds, df, unsure=self.unsure) + self.bias
        else:
            half = self.spread.biased(stds, self.hidden, self.unsure)
        return np.stack([self.effect - half, self.effect + half], axis=1)

    @property
    def testable(self) -> Array:
        """Where an effect exceeds what noise and clips may hide, so that a test could reject, (q,);
        or nothing is hidden.
        """
        return np.asarray(np.isfinite(self.hidden) & ((self.sizes > 0) | (self.bias == 0)))

    def records(self, alpha: float = 0.05, *, simultaneous: str | None = None) -> list[Any]:
        """One dictionary an effect; None stands for numbers that are not known."""
        ends = self.conf_int(alpha, simultaneous=simultaneous)
        known = np.isfinite(self.sd)
        columns = {
            "coef": np.where(known, self.effect, np.nan),
            "std_err": self.sd,
            "privacy_share": self.shares,
            "z": self.statistic,
            "p_value": self.pvalue,
            "lower": ends[:, 0],
            "upper": ends[:, 1],
        }
        return [
            {"name": name, **{title: finite(part[at]) for title, part in columns.items()}}
            | {FLAG: bool(self.bounded[at])}
            for at, name in enumerate(self.names)
        ]

    def summary_frame(self, alpha: float = 0.05, *, simultaneous: str | None = None) -> Any:
        """Those as a data frame, one row an effect. Raises MissingExtra without pandas."""
        records = self.records(alpha, simultaneous=simultaneous)
        frame = data_frame(records).set_index("name")
        return frame.astype(dict.fromkeys(frame.columns.drop(FLAG), float))

    def as_text(self) -> str:
        """A table with intervals at 95%."""
        rows = [["", "coef", "std err", "P>|z|", "[0.025", "0.975]"]]
        for one in self.records():
            values = (one[title] for title in ("coef", "std_err", "p_value", "lower", "upper"))
            rows.append(
                [one["name"], *("-" if value is None else f"{value:.4g}" for value in values)]
            )
        first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
        return "\n".join(
            "  ".join([name.ljust(first), *map(str.rjust, cells, widths)]) for name, *cells in rows
        )

    __str__ = __repr__ = as_text


@attrs.frozen
class Wald:
    """A test that q linear functions of the coefficients have given values, all of them:
    `statistic`, chi-squared with `df` = q degrees of freedom if they do and all variances are
    known, and `pvalue`, which counts that the residual variance is observed with noise. Where some
    of the functions may be off by what noise or clips hide, the statistic is the least it may be;
    where that is 0 the p value is not a number, and neither is one where nothing is known.
    """

    statistic: float
    df: int
    pvalue: float


def checked(alpha: float) -> float:
    """A chance in (0, 1). Raises InvalidArgument."""
    if not 0 < alpha < 1:
        raise InvalidArgument("alpha", "above 0 and below 1", alpha, "0.05 is usual.")
    return alpha


def critical(alpha: float, root: Array, simultaneous: str | None) -> float:
    """How many stds intervals reach to either side. Raises InvalidArgument."""
    from scipy.special import ndtri

    if simultaneous not in {None, *TOGETHER}:
        wanted = f"None or {', '.join(map(repr, TOGETHER))}"
        raise InvalidArgument("simultaneous", wanted, simultaneous)
    each = checked(alpha) / (1 if simultaneous is None else max(len(root), 1))
    z = float(-ndtri(each / 2))
    return min(z, largest_of(root, alpha)) if simultaneous == "max" else z


def largest_of(root: Array, alpha: float) -> float:
    """The 1 - alpha quantile of max |z| for z normal with the correlations of root @ root.T, three
    standard errors of its simulation above what was drawn; infinite where alpha is too small for
    that.
    """
    lengths = np.linalg.norm(root, axis=1)
    turned = root[lengths > 0] / lengths[lengths > 0, None]
    beyond = int(DRAWS * alpha - 3 * np.sqrt(DRAWS * alpha))
    if beyond < FEWEST or not len(turned):
        return np.inf
    drawn = np.random.default_rng(SEED).standard_normal((DRAWS, root.shape[1]))
    most = np.zeros(DRAWS)
    for row in turned:
        np.maximum(most, np.abs(drawn @ row), out=most)
    return float(np.sort(most)[-beyond])


def finite(value: float) -> float | None:
    """The number, or None."""
    return float(value) if np.isfinite(value) else None
