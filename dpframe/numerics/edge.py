"""The size of an eigenvalue of X'X that is identified despite the added noise."""

from __future__ import annotations

import math

CLEAR = 1.5  # least eigenvalue in edges of the noise
APART = 0.25  # largest part of an identified coefficient along hidden directions
USUAL = 1.25  # rotations by noise are below this multiple of their root mean square, mostly
STDS = 4.0  # least eigenvalue in stds of the diagonal, for few columns; by simulation


def noise_edge(std: float, d: float) -> float:
    """The edge of the semicircle of symmetric noise (d, d) with `std` on the diagonal and std/sqrt
    2 off it: std sqrt(2 d). [Wigner58]
    """
    return std * math.sqrt(2 * d)


def least_visible(std: float, d: float) -> float:
    """CLEAR edges of it and STDS stds: directions with smaller eigenvalues are not identified."""
    return max(CLEAR * noise_edge(std, d), STDS * std)


def least_apart(std: float, d: float, hidden: float) -> float:
    """The least eigenvalue of a direction that is identified beside `hidden` directions of half the
    least visible eigenvalue: noise rotates it towards each by std/sqrt 2 over the distance of
    eigenvalues, and seldom by more than USUAL times as much.
    """
    least = least_visible(std, d)
    turned = USUAL * std * math.sqrt(hidden / 2) / APART
    return max(least, least / 2 + turned) if hidden else least
