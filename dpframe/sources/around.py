"""A source that does something around the passes of another."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from .layout import Layout
from .parts import Part
from .source import Source


@attrs.define(eq=False, repr=False)
class Around(Source):
    """Abstract: another source, whose `total` a subclass defines anew."""

    inner: Source

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        return self.inner.layout

    @property
    def passes(self) -> float:  # type: ignore[override]
        return self.inner.passes

    @property
    def at_rest(self) -> bool:  # type: ignore[override]
        return self.inner.at_rest

    @property
    def rows(self) -> int | None:
        return self.inner.rows

    @property
    def identity(self) -> object:
        return self.inner.identity

    @property
    def assumptions(self) -> tuple[str, ...]:
        return self.inner.assumptions

    @property
    def refuses(self) -> bool:
        return self.inner.refuses

    def parts(self) -> Iterator[Part]:
        return self.inner.parts()
