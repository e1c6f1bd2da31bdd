"""Every table and figure, by name."""

from __future__ import annotations

from dpframe.errors import InvalidArgument

from . import acharya, dandekar, piazza, thesis, wang
from .declared import Item

ITEMS: dict[str, Item] = {
    one.name: one for module in (wang, acharya, piazza, thesis, dandekar) for one in module.ITEMS
}


def chosen(name: str) -> tuple[Item, ...]:
    """The item of a name; all items where it is "all" or begins their names, as "wang" does.
    Raises InvalidArgument.
    """
    if name in ITEMS:
        return (ITEMS[name],)
    found = tuple(one for key, one in ITEMS.items() if name == "all" or key.startswith(f"{name}-"))
    if not found:
        way_out = "`dpframe experiment list` names them."
        raise InvalidArgument("name", "an experiment, or the beginning of names", name, way_out)
    return found
