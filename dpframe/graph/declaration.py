"""Regression: the base class of declarations. Fields are hyperparameters, `declare` returns the
graph's output.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, Symbol, exact

from .columns import Column
from .graph import Graph
from .rows import Rows
from .schema import Setting


def _exact_fields(cls: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    del cls
    return [
        _exact_field(field) if isinstance(field.default, Expression) else field for field in fields
    ]


def _exact_field(field: attrs.Attribute[Any]) -> attrs.Attribute[Any]:
    default = field.default

    def convert(value: object) -> Expression:
        formula = exact(value, field.name)
        if (
            isinstance(formula, Number)
            and isinstance(default, Symbol)
            and formula.value not in default.domain
        ):
            raise InvalidArgument(field.name, str(default.domain), str(formula), "")
        return formula

    return field.evolve(converter=convert)


class Regression(ABC):
    """Abstract: a private regression as a declaration. Subclassing makes a frozen attrs class;
    fields whose default is a formula are exact.

    The class docstring's first line says what it is and cites its paper; `paper`, `variant`
    ("printed", "coded", "recommended") and `title` list it, `use` says when to take it and when
    not. Of what others printed or coded, `claimed_for` is the neighbouring relation that they claim
    privacy for, or whose sensitivities their code takes ("" where they leave it open), and
    `understated` says what the declaration leaves out that costs more ("" where nothing does).
    `link` is what coefficients stand for, "identity" or "logit" as of a loss; "" leaves it to the
    losses of the graph, of which there are none where statistics of the squared loss are released.
    """

    paper: ClassVar[str] = ""
    variant: ClassVar[str] = "recommended"
    title: ClassVar[str] = ""
    use: ClassVar[str] = ""
    claimed_for: ClassVar[str] = ""
    understated: ClassVar[str] = ""
    link: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Freeze the subclass."""
        super().__init_subclass__(**kwargs)
        attrs.frozen(cls, slots=False, field_transformer=_exact_fields, repr=True)

    @abstractmethod
    def declare(self, X: Rows, y: Column, budget: Share) -> Any:
        """The output of the graph: dp.post(...), a release, or a tuple of them."""

    def graph(self, setting: Setting, budget: Share) -> Graph:
        """The graph of this declaration in a setting, for a budget. Raises InvalidArgument."""
        X, y = setting.nodes()
        output = self.declare(X, y, budget)  # type: ignore[arg-type]
        return Graph.of(output)
