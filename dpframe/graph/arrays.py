"""Array types for signatures; numpy is loaded at first use, not at import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dpframe.symbols import Expression

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = Any

    class Numpy:
        """Attributes of numpy, each looked up once."""

        def __getattr__(self, name: str) -> Any:
            attribute = getattr(import_module("numpy"), name)
            setattr(self, name, attribute)
            return attribute

    np = Numpy()

Numbers = Callable[[Expression], float]
"""The value of a public formula, rounded towards zero."""
Values = Mapping[Any, Array]
"""Arrays by the nodes whose values they are."""

__all__ = ["Array", "Numbers", "Values", "np"]
