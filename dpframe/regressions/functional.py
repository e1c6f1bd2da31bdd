"""The functional mechanism: Laplace noise on the coefficients of the squared loss, then a penalised
minimum.
"""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Regression, Release, RowsNode, post, release
from dpframe.graph.functions import sufficient_statistics
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.mechanisms import Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, constant

from .quadratic import plain_fit, projected_fit, trimmed_fit

NOTHING, ONE, HALF = constant(0), constant(1), constant("1/2")


class Functional(Regression):
    """Abstract: sufficient statistics, each once, with Laplace noise of their exact L1 sensitivity;
    the noisy form is projected onto those with a minimum, and the penalty lam (alpha |theta|_2^2 +
    (1 - alpha) |theta|_1) added.
    """

    paper: ClassVar[str] = "Dandekar18"

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha: none."""
        return NOTHING, ONE

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget. Raises InvalidArgument for a penalty that is none."""
        check_penalty(*self.penalty)
        noisy = coefficients(X, y, budget)
        return post(projected_fit, noisy, unit_of_entries(X), y.radius, *self.penalty)


class FunctionalLinear(Functional):
    """Linear regression from the sufficient statistics, each once, with Laplace noise of their
    exact L1 sensitivity, d (d + 3)/2; the noisy form is projected onto those with a minimum.
    [Dandekar18, Alg. 1]
    """

    title: ClassVar[str] = "functional mechanism, linear"
    use: ClassVar[str] = (
        "Where delta must be 0 and columns are few: the noise of each number grows as d^2. Where "
        "a delta is allowed take AdaSSP."
    )


class FunctionalLinearTrimmed(Regression):
    """The same noise; 4 stds of it are added to the diagonal, then eigenvalues that are not
    positive are left out. [Zhang12, Sec. 6]
    """

    paper: ClassVar[str] = "Zhang12"
    title: ClassVar[str] = "functional mechanism, linear, trimmed"
    use: ClassVar[str] = (
        "To compare ways of repair at the same noise. For use take FunctionalLinear, which "
        "changes the noisy form least."
    )

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        noisy = coefficients(X, y, budget)
        return post(trimmed_fit, noisy, unit_of_entries(X), y.radius, noisy.std)


class FunctionalLinearUnrepaired(Functional):
    """The same noise, and no repair: zeros where the noisy objective has no minimum.
    [Dandekar18, Alg. 1]
    """

    title: ClassVar[str] = "functional mechanism, linear, unrepaired"
    use: ClassVar[str] = (
        "To compare only: it returns zeros wherever the noise leaves no minimum. For use take "
        "FunctionalLinear."
    )

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        return post(plain_fit, coefficients(X, y, budget), unit_of_entries(X), y.radius)


class FunctionalRidge(Functional):
    """Ridge regression, penalty lam |theta|_2^2, from the noisy statistics of FunctionalLinear.
    [Dandekar18, Sec. 4.3]
    """

    title: ClassVar[str] = "functional mechanism, ridge"
    use: ClassVar[str] = (
        "Where delta must be 0, columns are few and a public penalty is at hand, which steadies "
        "the solution against the noise too."
    )
    lam: Expression = ONE

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, ONE


class FunctionalLasso(Functional):
    """LASSO, penalty lam |theta|_1, from the noisy statistics of FunctionalLinear.
    [Dandekar18, Sec. 4.3]
    """

    title: ClassVar[str] = "functional mechanism, LASSO"
    use: ClassVar[str] = (
        "Where delta must be 0, columns are few and zeros are wanted among the coefficients. "
        "Which are zero depends on the noise too: it is no test of a column."
    )
    lam: Expression = ONE

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, NOTHING


class FunctionalElasticNet(Functional):
    """Elastic net, penalty lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1), from the noisy
    statistics of FunctionalLinear. [Dandekar18, Eq. 9]
    """

    title: ClassVar[str] = "functional mechanism, elastic net"
    use: ClassVar[str] = (
        "Where delta must be 0, columns are few and correlated, and zeros are wanted among the "
        "coefficients."
    )
    lam: Expression = ONE
    alpha: Expression = HALF

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, self.alpha


def coefficients(X: RowsNode, y: ColumnNode, budget: Share) -> Release:
    """The noisy statistics, one Laplace draw each."""
    return release(sufficient_statistics(X, y), Laplace.pure, budget, name="coefficients")


def check_penalty(lam: Expression, alpha: Expression) -> None:
    """Numbers only: symbols have ranges. Raises InvalidArgument."""
    way_out = "The penalty is lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1)."
    if isinstance(lam, Number) and lam.value < 0:
        raise InvalidArgument("lam", "0 or more", str(lam), way_out)
    if isinstance(alpha, Number) and not 0 <= alpha.value <= 1:
        raise InvalidArgument("alpha", "from 0 to 1", str(alpha), way_out)
