"""Minimisers of theta'A theta - 2 theta'b + lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1)."""

from __future__ import annotations

import attrs
import numpy as np

from .solve import Array, Fit

FLAT = 1e-10  # of the largest eigenvalue: smaller ones are treated as 0
ACCURATE = 1e-10  # the tolerance, relative to the terms of the gradient
ROUNDS, SWEEPS = 20, 50  # the most rounds, and sweeps of a round, of coordinate descent


@attrs.frozen(eq=False)
class Quadratic:
    """theta'A theta - 2 theta'b: A symmetric, shape (d, d), and b, shape (d,)."""

    A: Array
    b: Array


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def penalised(form: Quadratic, lam: float, alpha: float) -> Fit:
    """The minimiser, accurate to 1e-10 of the terms of the gradient; without a penalty on
    |theta|_1, that of minimum norm. Zeros, and not solved, if the objective has no minimiser: A +
    lam alpha I is indefinite, or the objective falls along a direction in its null space.
    """
    theta = _minimiser(form, lam * alpha, lam * (1 - alpha))
    solved = theta is not None and bool(np.isfinite(theta).all())
    coefficients = theta if theta is not None and solved else np.zeros(len(form.b))
    return Fit(coefficients, lam * alpha, lam * alpha == 0, solved)


def _minimiser(form: Quadratic, square: float, absolute: float) -> Array | None:
    if not (np.isfinite(form.A).all() and np.isfinite(form.b).all()):
        return None
    values, vectors = np.linalg.eigh(form.A)
    values = values + square
    largest = np.max(np.abs(values), initial=0.0)
    if np.min(values, initial=0.0) < -FLAT * largest:
        return None  # unbounded below
    steep = values > FLAT * largest
    along = vectors.T @ form.b
    if absolute == 0:
        rest = np.linalg.norm(along[~steep])
        if rest > FLAT * np.linalg.norm(along):
            return None
        shortest: Array = vectors[:, steep] @ (along[steep] / values[steep])
        return shortest
    return sparse(form, square, absolute)


def sparse(form: Quadratic, square: float, absolute: float) -> Array | None:
    """The minimiser with a penalty absolute |theta|_1; None if the tolerance is not attained.

    The dual problem is the shortest vector between parallel planes, solved exactly by non-negative
    least squares [LawsonH74, Chap. 23]; given the signs of the solution, the coefficients solve a
    linear system. Coordinate descent corrects rounding errors.
    """
    H = form.A + square * np.eye(len(form.b))
    if np.max(np.abs(form.b), initial=0.0) <= absolute / 2:
        return np.zeros(len(form.b))
    theta = _dual(H, form.b, absolute)
    for _ in range(ROUNDS):
        tried = [theta, _polished(H, form.b, absolute, theta)]
        theta = min(tried, key=lambda theta: kkt(H, form.b, absolute, theta))
        if kkt(H, form.b, absolute, theta) <= ACCURATE:
            return theta
        theta = _descended(H, form.b, absolute, theta)
    return None


def kkt(H: Array, b: Array, absolute: float, theta: Array) -> float:
    """The largest violation of the optimality (KKT) conditions at theta, relative to the terms of
    the gradient.
    """
    half, gradient = absolute / 2, b - H @ theta
    terms = np.abs(H) @ np.abs(theta) + np.abs(b) + half
    wrong = np.where(theta != 0, np.abs(gradient - half * np.sign(theta)), np.abs(gradient) - half)
    worst = float(np.max(wrong / terms, initial=0.0))
    return worst if np.isfinite(worst) else np.inf


def _dual(H: Array, b: Array, absolute: float) -> Array:
    """A solution from the dual: min |u|^2 with |b - C'u| <= absolute/2 has u = C theta, for C'C = H
    without its null space.
    """
    from scipy.optimize import nnls

    values, vectors = np.linalg.eigh(H)
    steep = values > FLAT * np.max(values)
    C = np.sqrt(values[steep])[:, None] * vectors[:, steep].T
    C, size = C / np.sqrt(np.max(values)), np.max(np.abs(b))
    half = absolute / (2 * size)
    planes = np.hstack([C, -C])
    least = np.concatenate([b / size - half, -b / size - half])
    try:
        dual, _ = nnls(np.vstack([planes, least]), np.append(np.zeros(len(C)), 1.0))
    except RuntimeError:  # too many iterations
        return np.zeros(len(b))
    slack = 1.0 - least @ dual
    theta = (dual[: len(b)] - dual[len(b) :]) / (slack if slack > 0 else 1.0)
    scaled: Array = theta * (size / np.max(values))
    return scaled


def _polished(H: Array, b: Array, absolute: float, theta: Array) -> Array:
    """The minimiser among vectors with the signs of theta; theta if the signs would change."""
    active = theta != 0
    signs = np.sign(theta[active])
    exact = np.zeros(len(b))
    exact[active] = np.linalg.lstsq(
        H[np.ix_(active, active)], b[active] - absolute / 2 * signs, rcond=None
    )[0]
    return exact if (np.sign(exact[active]) == signs).all() else theta


def _descended(H: Array, b: Array, absolute: float, theta: Array) -> Array:
    """Sweeps of exact coordinate descent from theta."""
    theta, own = theta.copy(), np.diag(H)
    for _ in range(SWEEPS):
        for j in np.flatnonzero(own > 0):
            pull = b[j] - H[j] @ theta + own[j] * theta[j]
            theta[j] = np.sign(pull) * max(abs(pull) - absolute / 2, 0.0) / own[j]
    return theta
