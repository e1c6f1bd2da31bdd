"""Where noise comes from. Drawn here and nowhere else, so that exact samplers can take its place."""

from .source import Randomness

__all__ = ["Randomness"]
