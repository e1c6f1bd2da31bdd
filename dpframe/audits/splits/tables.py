"""Tables that are no secret: made from a seed, or published by somebody."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.graph import Setting
from dpframe.prover.algebra import number
from dpframe.symbols import Expression, Number

from .criterion import columns, condition, public_number, rows

Array = NDArray[Any]


class OpenTable(ABC):
    """Abstract: a table that is public."""

    fresh: bool = True
    """Whether each repeat has a table of its own."""

    @abstractmethod
    def table(self, setting: Setting, rng: np.random.Generator) -> tuple[Any, Any]:
        """X and y of one repeat."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """Whence it is, in words."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken on somebody's word: of a table of your own, that it is public."""
        return (f"the table on which the split was chosen is public: {self.sentence}",)


def _noise(value: Any) -> Fraction:
    return public_number("noise", value, zero=True)


@attrs.frozen(kw_only=True)
class SyntheticTable(OpenTable):
    """Rows and labels from a linear model, anew for each repeat.

    `n` >= 1 rows of `d` >= 1 columns: normal, with variances that fall geometrically by the factor
    `condition` >= 1, then each of length B (or, for dp.Rows(box=...), uniform in the box, scaled
    likewise). Coefficients are uniform on the sphere on which |x'theta| <= Y; labels have normal
    noise of std `noise` Y, `noise` >= 0. B and Y are the setting's bounds, which must be numbers.
    With condition = 1 and noise = 1/10 it is the synthetic data of [Piazza21, Sec. 5.2].
    """

    n: int = attrs.field(converter=rows)
    d: int = attrs.field(converter=columns)
    noise: Fraction = attrs.field(default=Fraction(1, 10), converter=_noise)
    condition: Fraction = attrs.field(default=Fraction(1), converter=condition)

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"synthetic tables of {self.n:,} rows and {self.d} columns, label noise "
            f"{float(self.noise):g} of the bound, condition {float(self.condition):g}"
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Nothing: it is made of public numbers. A subclass of your own says that it is public."""
        return () if type(self) is SyntheticTable else super().assumptions

    def table(self, setting: Setting, rng: np.random.Generator) -> tuple[Array, Array]:
        """X, shape (n, d), and y, shape (n,). Raises InvalidArgument."""
        length, bound = _lengths(setting, self.d)
        scales = float(self.condition) ** (-np.arange(self.d) / max(1, self.d - 1) / 2)
        X = _rows(setting, rng, self.n, scales)
        theta = rng.normal(size=self.d)
        theta *= bound / (length * np.linalg.norm(theta))
        return X, X @ theta + float(self.noise) * bound * rng.normal(size=self.n)


def _rows(setting: Setting, rng: np.random.Generator, n: int, scales: Array) -> Array:
    if setting.X.norm is None:
        side = _number("box", setting.X.box)
        return np.asarray(rng.uniform(-side, side, (n, len(scales))) * scales)
    X = rng.normal(size=(n, len(scales))) * scales
    return np.asarray(X * _number("norm", setting.X.norm) / np.linalg.norm(X, axis=1)[:, None])


def _lengths(setting: Setting, d: int) -> tuple[float, float]:
    """The longest row and the largest label. Raises InvalidArgument."""
    if setting.X.columns is not None or setting.y is None or setting.y.bound is None:
        wanted = "with dp.Rows(norm=...) or dp.Rows(box=...), and dp.Column(bound=...)"
        way_out = (
            "Where columns have a codebook, take a table: dp.audits.public(X, y, because=...)."
        )
        raise InvalidArgument("setting", wanted, "another one", way_out)
    bound = _number("bound", setting.y.bound)
    if setting.X.norm is None:
        return _number("box", setting.X.box) * np.sqrt(d), bound
    return _number("norm", setting.X.norm), bound


def _number(name: str, formula: Expression | None) -> float:
    if not isinstance(formula, Number):
        raise InvalidArgument(name, "a number, to make tables with", str(formula))
    return number(formula, {}, up=False)


def _reason(value: Any) -> str:
    if not (isinstance(value, str) and value.strip()):
        way_out = "Such as because='wine quality, UCI repository'."
        raise InvalidArgument("because", "a reason, in words", value, way_out)
    return value.strip()


@attrs.frozen
class PublicTable(OpenTable):
    """A table whose owner says, by dp.audits.public, that it is no secret."""

    X: Any = attrs.field(repr=False, eq=False)
    y: Any = attrs.field(repr=False, eq=False)
    because: str = attrs.field(converter=_reason)
    fresh: bool = attrs.field(default=False, init=False)

    def table(self, setting: Setting, rng: np.random.Generator) -> tuple[Any, Any]:
        """The table."""
        del setting, rng
        return self.X, self.y

    @property
    def sentence(self) -> str:
        """In words."""
        return f"a public table ({self.because})"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What its owner says."""
        return (f"the table on which the split was chosen is public: {self.because}",)


def public(X: Any, y: Any, *, because: str) -> PublicTable:
    """Say that a table is public, so that a split may be chosen by its errors.

    X, shape (n, d), and y, shape (n,), are as for dp.execute; `because` says who published it, and
    is printed with what is chosen. The choice tells of the table: never say it of rows that are to
    be protected, nor of a sample of them. Raises InvalidArgument.
    """
    return PublicTable(X, y, because)
