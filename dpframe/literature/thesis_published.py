"""The preprocessing of the fixed-noise thesis as printed: by means, deviations and maxima of the
data itself, before the first release. None is private.
"""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Post, Regression, RowsNode, post
from dpframe.graph.functions import aggregate
from dpframe.graph.maps.bounds import Capped
from dpframe.graph.maps.scaled import DividedRecords, RecordLabels, RecordRows
from dpframe.literature.adassp_published import AdaSSPThesis, over_largest, over_longest
from dpframe.privacy import Share
from dpframe.regressions.adassp import RHO
from dpframe.regressions.solve import Fit
from dpframe.regressions.standardised import in_own_units
from dpframe.symbols import Expression, constant


class ThesisStandardised(Regression):
    """adaSSP, fixed noise, on columns standardised by their raw means and standard deviations, rows
    over their norms, labels over the largest. Not private: one record moves all others.
    [Thesis, Sec. 3.3.1]
    """

    paper: ClassVar[str] = "Thesis"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP, raw standardisation, row norms"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The fit on rows that all rows have changed."""
        rows = standardised(X).normalized()
        inner = AdaSSPThesis(rho=self.rho)  # type: ignore[call-arg]
        return inner.declare(rows, over_largest(y), budget)


class ThesisRowNorm(Regression):
    """The same with labels over the norm of their rows too, and then over the largest of these.
    Not private. [Thesis, Sec. 3.3.1, Eq. 3.4]
    """

    paper: ClassVar[str] = "Thesis"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP, raw standardisation, row norms of labels too"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The fit on records over the norms of their rows."""
        records = DividedRecords(standardised(X), over_largest(y))
        inner = AdaSSPThesis(rho=self.rho)  # type: ignore[call-arg]
        return inner.declare(RecordRows(records), over_largest(RecordLabels(records)), budget)


class ThesisMaxNorm(Regression):
    """adaSSP, fixed noise, on columns standardised by their raw means and standard deviations, all
    rows over the largest norm, labels over the largest; coefficients put back by these raw numbers.
    Not private. [Thesis, Sec. 3.3.2 and 3.3.3]
    """

    paper: ClassVar[str] = "Thesis"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP, raw standardisation, maximum norm"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The fit, and its coefficients by raw scalers."""
        return over_largest_norm(X, y, budget, self.rho)


class ThesisClipped(Regression):
    """The same of entries of at most their raw mean and `width` raw standard deviations: clipped on
    the upper side only. Not private. [Thesis, Sec. 3.4, Eq. 3.8]
    """

    paper: ClassVar[str] = "Thesis"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP, raw clipping, maximum norm"
    rho: Expression = RHO
    width: Expression = constant("1.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Clipped, then as before."""
        bound = aggregate("mean", X) + self.width * aggregate("std", X).__expression__()
        return over_largest_norm(Capped(X, bound), y, budget, self.rho)


def standardised(X: RowsNode) -> RowsNode:
    """(x - mean)/std, by raw columns."""
    raw = {"by": aggregate("std", X), "minus": aggregate("mean", X)}
    return X.divided(**raw, lower=constant("1e-9"), upper=constant("1e9"))


def over_largest_norm(X: RowsNode, y: ColumnNode, budget: Share, rho: Expression) -> Post:
    """The fit on rows over their largest norm, in units of X and y by raw scalers."""
    rows = standardised(X)
    inner = AdaSSPThesis(rho=rho)  # type: ignore[call-arg]
    fit = inner.declare(over_longest(rows), over_largest(y), budget)
    raw = (aggregate("mean", X), aggregate("std", X))
    largest = (aggregate("max_norm", rows), aggregate("max_abs", y))
    return post(put_back, fit, *raw, *largest)


def put_back(fit: Fit, centre: Any, scale: Any, norm: float, label: float) -> Fit:
    """theta_j label/(norm scale_j), and the intercept last. [Thesis, Eq. 3.7]"""
    return in_own_units(fit, centre, norm * scale, 0.0, label, 1.0)
