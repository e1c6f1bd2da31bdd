"""Names of a package that load on first use, from one table: the stub beside its `__init__.py`.

A line `from .module import name as name` of `__init__.pyi` exports a name, and a line
`from . import module as module` a namespace. Type checkers read the same line, so that a name has
one place and its type is known [PEP 562, SPEC 1]. No name is that of a module of its package: once
imported, the module would hide it.
"""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from dpframe.errors import UnknownName, address, nearest

EXPORT = re.compile(
    r"^from (\.[\w.]+|dpframe\.[\w.]+) import (?:\(\s+)?(\w+) as \2,?$",
    re.MULTILINE,
)
SPACE = re.compile(r"^from \. import (\w+) as \1$", re.MULTILINE)


def attach(
    package: str, others: str = ""
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, by its stub. `others` is a module whose
    ELSEWHERE says what to write for names that people look for and that are not there.
    """
    stub = (pkgutil.get_data(package, "__init__.pyi") or b"").decode()
    exports, spaces = EXPORT.findall(stub), SPACE.findall(stub)
    homes = {name: home for home, name in exports}
    names = list(homes)

    def __getattr__(name: str) -> object:  # noqa: N807 - PEP 562
        """Import the home of a public name, or a namespace, when the name is first used."""
        if name in spaces:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise UnknownName(lambda: _unknown(package, name, [*names, *spaces], others, spaces))
        value = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807 - PEP 562
        """The public names and namespaces."""
        return [*names, *spaces]

    return __getattr__, __dir__, names


def _unknown(package: str, name: str, names: list[str], others: str, spaces: list[str]) -> str:
    within = {space: dir(import_module(f"{package}.{space}")) for space in spaces}
    moved = [space for space, inside in within.items() if name in inside]
    moved += [space for space in spaces if _is_package(f"{package}.{space}.{name}")]
    said = import_module(others, package).ELSEWHERE.get(name) if others else None
    if moved:
        return f"module {package!r} has no attribute {name!r}. It is {package}.{moved[0]}.{name}."
    if (place := address(name)) != name:
        return f"module {package!r} has no attribute {name!r}. It is {place}."
    places = {one: f"{space}.{one}" for space, inside in within.items() for one in inside}
    near = nearest(name, [*names, *places], places | {one: one for one in names})
    way_out = near if said is None else f" {said}"
    return f"module {package!r} has no attribute {name!r}.{way_out}"


def _is_package(name: str) -> bool:
    """Whether a folder of modules has this full name; the package above it is imported."""
    try:
        found = find_spec(name)
    except ModuleNotFoundError:  # what stands above is one module
        return False
    return found is not None and found.submodule_search_locations is not None
