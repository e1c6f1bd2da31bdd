"""Where noise is drawn, and nowhere else: exact samplers will take its place."""

from .source import Randomness

__all__ = ["Randomness"]
