"""Where rows come from: memory, files, streams, clusters, all read as the same blocks."""

from .csv import MultilineCSV
from .open import open_source
from .source import Source
from .table import Block

__all__ = ["MultilineCSV", "Block", "Source", "open_source"]
