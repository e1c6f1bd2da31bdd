"""Importing the package is light, and its public names resolve."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dpframe.numerics


def test_import_loads_nothing_heavy() -> None:
    """`import dpframe.numerics` loads neither flint, mpmath, numpy, scipy nor sympy."""
    code = (
        "import sys, dpframe.numerics; "
        "print(*{'flint', 'mpmath', 'numpy', 'scipy', 'sympy'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


@pytest.mark.parametrize("name", dpframe.numerics.__all__)
def test_public_names_resolve(name: str) -> None:
    """Every public name has a home that holds it."""
    assert name in dir(dpframe.numerics)
    assert getattr(dpframe.numerics, name) is not None


def test_unknown_name() -> None:
    """An unknown name is an AttributeError, as in any module."""
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dpframe.numerics.nothing
