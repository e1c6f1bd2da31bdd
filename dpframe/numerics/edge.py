"""How large an eigenvalue of X'X must be to be seen through the noise that was added."""

from __future__ import annotations

import math

CLEAR = 1.5  # edges of the noise that an eigenvalue must reach, and at least
APART = 0.25  # of its length that a coefficient may have along hidden directions and be claimed
USUAL = 1.25  # what noise turns is below this multiple of its root mean square, mostly
STDS = 4.0  # stds of its diagonal, for few columns; chosen by simulation


def noise_edge(std: float, d: float) -> float:
    """The edge of the semicircle of symmetric noise (d, d) with `std` on the diagonal and std/sqrt
    2 off it: std sqrt(2 d). [Wigner58]
    """
    return std * math.sqrt(2 * d)


def least_visible(std: float, d: float) -> float:
    """CLEAR edges of it and STDS stds: directions with smaller eigenvalues are not identified."""
    return max(CLEAR * noise_edge(std, d), STDS * std)


def least_apart(std: float, d: float, hidden: float) -> float:
    """The eigenvalue at which a direction is claimed beside `hidden` ones of half the least that is
    visible: noise turns it towards each by std/sqrt 2 over the distance of eigenvalues, and
    seldom by more than USUAL times as much.
    """
    least = least_visible(std, d)
    turned = USUAL * std * math.sqrt(hidden / 2) / APART
    return max(least, least / 2 + turned) if hidden else least
