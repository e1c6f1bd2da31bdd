"""The preprocessing of the fixed-noise thesis as printed: by means, deviations and maxima of the
data itself, before the first release. None is private.
"""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Post, RowsNode, post
from dpframe.graph.functions import aggregate
from dpframe.graph.maps.bounds import Capped
from dpframe.graph.maps.scaled import DividedRecords, RecordLabels, RecordRows
from dpframe.privacy import Share
from dpframe.regressions.solve import RHO, Fit
from dpframe.regressions.standardised import in_own_units
from dpframe.symbols import Expression, constant

from .adassp_published import AdaSSPThesis, over_largest, over_longest
from .published import Printed


class ThesisRegression(Printed):
    """Abstract: adaSSP with fixed noise on records that were prepared by numbers of the data."""

    paper: ClassVar[str] = "Thesis"
    rho: Expression = RHO

    def fitted(self, X: RowsNode, y: ColumnNode, budget: Share) -> Post:
        """The fit on these rows, and on labels over the largest."""
        inner = AdaSSPThesis(rho=self.rho)  # type: ignore[call-arg]
        return inner.declare(X, over_largest(y), budget)  # type: ignore[no-any-return]

    def over_largest_norm(self, X: RowsNode, y: ColumnNode, budget: Share) -> Post:
        """The fit on rows over their largest norm, in units of X and y by raw scalers."""
        rows = standardised(X)
        fit = self.fitted(over_longest(rows), y, budget)
        raw = (aggregate("mean", X), aggregate("std", X))
        largest = (aggregate("max_norm", rows), aggregate("max_abs", y))
        return post(put_back, fit, *raw, *largest)


class ThesisStandardised(ThesisRegression):
    """adaSSP, fixed noise, on columns standardised by their raw means and standard deviations, rows
    over their norms, labels over the largest. Not private: one record moves all others.
    [Thesis, Sec. 3.3.1]
    """

    title: ClassVar[str] = "adaSSP, raw standardisation, row norms"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The fit on rows that all rows have changed."""
        return self.fitted(standardised(X).normalized(), y, budget)


class ThesisRowNorm(ThesisRegression):
    """The same with labels over the norm of their rows too, and then over the largest of these.
    Not private. [Thesis, Sec. 3.3.1, Eq. 3.4]
    """

    title: ClassVar[str] = "adaSSP, raw standardisation, row norms of labels too"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The fit on records over the norms of their rows."""
        records = DividedRecords(standardised(X), over_largest(y))
        return self.fitted(RecordRows(records), RecordLabels(records), budget)


class ThesisMaxNorm(ThesisRegression):
    """adaSSP, fixed noise, on columns standardised by their raw means and standard deviations, all
    rows over the largest norm, labels over the largest; coefficients put back by these raw numbers.
    Not private. [Thesis, Sec. 3.3.2 and 3.3.3]
    """

    title: ClassVar[str] = "adaSSP, raw standardisation, maximum norm"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The fit, and its coefficients by raw scalers."""
        return self.over_largest_norm(X, y, budget)


class ThesisClipped(ThesisRegression):
    """The same of entries of at most their raw mean and `width` raw standard deviations: clipped on
    the upper side only. Not private. [Thesis, Sec. 3.4, Eq. 3.8]
    """

    title: ClassVar[str] = "adaSSP, raw clipping, maximum norm"
    width: Expression = constant("1.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Clipped, then as before."""
        bound = aggregate("mean", X) + self.width * aggregate("std", X).__expression__()
        return self.over_largest_norm(Capped(X, bound), y, budget)


def standardised(X: RowsNode) -> RowsNode:
    """(x - mean)/std, by raw columns."""
    raw = {"by": aggregate("std", X), "minus": aggregate("mean", X)}
    return X.divided(**raw, lower=constant("1e-9"), upper=constant("1e9"))


def put_back(fit: Fit, centre: Any, scale: Any, norm: float, label: float) -> Fit:
    """theta_j label/(norm scale_j), and the intercept last. [Thesis, Eq. 3.7]"""
    return in_own_units(fit, centre, norm * scale, 0.0, label, 1.0)
