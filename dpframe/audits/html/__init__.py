"""The audit as one self-contained HTML file."""

from .document import html

__all__ = ["html"]
