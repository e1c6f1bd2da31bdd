"""What noise makes of coefficients that it hides cannot be weighted away."""

import numpy as np
import pytest

from dpframe.inference.moments import beyond


@pytest.mark.parametrize("largest", [0.0, 0.3, 1.0, 20.0])
@pytest.mark.parametrize("lost", [1, 3])
def test_the_bound_holds_for_every_hidden_coefficient(lost, largest):
    """As matrices are ordered, wherever moments were taken."""
    rng = np.random.default_rng(4)
    for size in (0.0, 0.1, 2.0):
        off = size * rng.normal(size=(5, lost))
        bound = beyond(off, largest)
        for _ in range(50):
            x = rng.normal(size=lost)
            apart = off - largest * x / np.linalg.norm(x)
            least = np.linalg.eigvalsh(bound - apart @ apart.T)[0]
            assert least >= -1e-9 * (1 + np.trace(bound))


def test_one_moment_counts_its_distance_at_worst():
    """One moment counts its distance at worst."""
    assert beyond(np.array([[3.0, 4.0]]), 2.0) == pytest.approx(49.0)
