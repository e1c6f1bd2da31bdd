"""Where rows come from: memory, files, streams, clusters, all read as the same blocks."""

from .open import open_source
from .source import Source
from .table import Block

__all__ = ["Block", "Source", "open_source"]
