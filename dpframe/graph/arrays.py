"""Arrays in signatures, and numpy, which is loaded when it is first used and not with a module."""

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
        """numpy by its names, each looked up once."""

        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module("numpy"), name)
            setattr(self, name, found)
            return found

    np = Numpy()

Numbers = Callable[[Expression], float]
"""The value of a public formula, rounded towards zero."""
Values = Mapping[Any, Array]
"""Arrays by the nodes whose values they are."""

__all__ = ["Array", "Numbers", "Values", "np"]
