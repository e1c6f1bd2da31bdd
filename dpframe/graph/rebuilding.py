"""Values built again with other parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """An attrs value with `change` of every field; the very value where none is another."""
    own = [field for field in attrs.fields(type(value)) if field.init]
    found = {field.alias: getattr(value, field.name) for field in own}
    changed = {name: change(part) for name, part in found.items()}
    changed = {name: part for name, part in changed.items() if part is not found[name]}
    return attrs.evolve(value, **changed) if changed else value
