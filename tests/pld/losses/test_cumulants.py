"""Every loss: its cumulant, its error bound and its envelope, against ball arithmetic."""

import flint
import numpy as np
import pytest

import dpframe as dp
from dpframe.numerics import working
from tests.support import samples

BITS = 640
NODES = 300
every = pytest.mark.parametrize(
    "loss", [loss for losses in samples.LOSSES.values() for loss in losses], ids=str
)


def nodes(seed, count=NODES):
    """c + it with c from 1e-6 to 1e6 and t up to 1e4, some of them real or imaginary."""
    rng = np.random.default_rng(seed)
    z = 10 ** rng.uniform(-6, 6, count) + 1j * 10 ** rng.uniform(-6, 4, count)
    z[::7] = z[::7].real
    z[1::7] = 1j * z[1::7].imag
    z[2::7] = rng.uniform(0, 3, len(z[2::7])) + 1j * rng.uniform(-20, 20, len(z[2::7]))
    return z


def off(value, truth):
    """An upper bound on |value - log truth| modulo 2 pi i, as a double; infinite for log 0."""
    if truth.contains(0):
        return np.inf
    gap = flint.acb(float(value.real), float(value.imag)) - truth.log()
    turn = 2 * flint.arb.pi()
    gap -= flint.acb(0, 1) * turn * (gap.imag / turn).mid().floor()
    return float(min(abs(gap).upper(), abs(gap - flint.acb(0, 1) * turn).upper()))


def at(loss, z):
    """E e^(zL) in ball arithmetic."""
    return loss.enclosure(flint.acb(float(z.real), float(z.imag)))


@every
def test_the_cumulant_is_within_its_error(loss):
    """|cumulant - log enclosure| <= error at 300 random points, and most errors are small."""
    z = nodes(1)
    value, error = loss.cumulants(loss.stack([loss]), z)
    assert value.shape == error.shape == (1, len(z))
    with working(BITS):
        gaps = [off(v, at(loss, point)) for v, point in zip(value[0], z, strict=True)]
    wrong = [(p, v, g, e) for p, v, g, e in zip(z, value[0], gaps, error[0], strict=True) if g > e]
    assert wrong == []
    ordinary = (np.abs(z) < 30) & (np.abs(value[0]) < 100)
    assert np.median(error[0][ordinary]) < 1e-12


@every
def test_the_error_is_no_more_than_it_must_be(loss):
    """At real points the error is some units of the cumulant and of the argument."""
    z = np.array([1e-9, 1e-3, 0.5, 1.0, 7.0, 100.0]) + 0j
    value, error = loss.cumulants(loss.stack([loss]), z)
    assert (error < 2e-13 * (1 + np.abs(value))).all()


@pytest.mark.parametrize("cls", samples.LOSSES, ids=lambda cls: cls.__name__)
def test_many_losses_at_once_are_each_alone(cls):
    """A table of losses gives the rows of its losses, within the errors."""
    losses, z = samples.LOSSES[cls], nodes(2, 40)
    value, error = cls.cumulants(cls.stack(losses), z)
    for loss, row, bound in zip(losses, value, error, strict=True):
        alone, other = cls.cumulants(cls.stack([loss]), z)
        known = np.isfinite(bound + other[0])
        turns = (row - alone[0])[known] / (2j * np.pi)
        gap = 2 * np.pi * np.abs(turns - np.round(turns.real))
        assert (gap <= (bound + other[0])[known] + 1e-12).all()


@every
def test_nothing_is_lost_at_the_origin(loss):
    """E[1] = 1 - P[L = infinity] by enclosure, and log of it by the cumulant."""
    value, error = loss.cumulants(loss.stack([loss]), np.zeros(1, complex))
    with working(BITS):
        mass = at(loss, np.complex128(0))
        kept = dp.numerics.ball(1 - loss.infinite)
        assert abs(mass - kept) < 1e-100
        assert off(value[0, 0], flint.acb(kept)) <= error[0, 0] < 1e-13


@every
def test_the_reverse_is_the_other_direction(loss):
    """E_P[e^((-1 - z)L)] = E_Q'[e^(zL')] for the loss L' of (Q, P), as dP/dQ = e^L."""
    rng = np.random.default_rng(3)
    with working(BITS):
        for point in rng.uniform(-2, 2, 12) + 1j * rng.uniform(-9, 9, 12):
            z = flint.acb(float(point.real), float(point.imag))
            gap = abs(loss.enclosure(-1 - z) - loss.reverse().enclosure(z))
            assert gap.upper() <= 1e-80 * (1 + abs(loss.enclosure(z)).upper())


@pytest.mark.some(1, most=35)
@every
@pytest.mark.parametrize("c", [1e-6, 0.3, 1.0, 40.0])
def test_the_envelope_bounds_the_rest_of_the_line(loss, c):
    """|E e^((c + is)L)| <= exp(envelope(c, t)) E e^(cL) for s >= t; it never increases in t."""
    rng = np.random.default_rng(4)
    table = loss.stack([loss])
    times = np.sort(np.concatenate([[0.0], 10 ** rng.uniform(-4, 4, 25)]))
    bounds = [float(loss.envelope(table, c, t)[0]) for t in times]
    assert all(b <= 0 for b in bounds)
    assert sorted(bounds, reverse=True) == bounds
    with working(BITS):
        whole = at(loss, np.complex128(c))
        for t, bound in zip(times, bounds, strict=True):
            for factor in (1.0, *10 ** rng.uniform(0, 2, 2)):
                ratio = abs(at(loss, np.complex128(complex(c, t * factor))) / whole)
                assert not ratio > flint.arb(bound).exp()
