"""All moments as one linear model for the coefficients.

With theta the coefficients, moment + X'X at - X'X theta is noise: the moment's own, the noise of
X'X times at - theta, and X'e of the sample. The law of that stack is known at every theta.

Generalised least squares of all moments, less the bias that the noise of X'X makes.
"""

from __future__ import annotations

import attrs
import numpy as np

from .arrays import Array
from .clipping import MOST, added_share, kept_slope, skewed_share, skewed_shift
from .evidence import Evidence
from .spectrum import Directions

ALIKE = 0.9  # the correlation of what two clips of residuals add
DOUBT = 0.5  # of 1 - slope: the std of its error where residuals are not normal
MOST_LOST = 0.5  # of the sizes of labels to clips: where it may be more, nothing is claimed
LEAST = 0.05  # width over std of residuals; below it almost all of them are clipped


@attrs.frozen(eq=False)
class MomentSystem:
    """m moments in k identified directions, in which X'X is diagonal: eigenvalues `values` (k,),
    moments `observed` (m, k) taken at `at` (m, k), their noise `stds` and `widths` (m,), infinite
    where nothing was clipped, `hidden` (m, m), a bound on the products of distances along
    directions that are not identified, `total` (k,), the sum of all rows, zeros where it is not
    known, and how many directions are `lost`. The width of labels is infinite too where what clips
    took off them was counted. Up to `dependent` records may depend on each other.
    """

    values: Array
    observed: Array
    at: Array
    stds: Array
    widths: Array
    hidden: Array
    total: Array
    lost: int
    gram_std: float
    count: float
    dependent: float = 1.0


@attrs.frozen(eq=False)
class Model:
    """At some theta: distances `apart` (m, k) of theta from where moments were taken, `left` (m, k)
    of moments, the share of residuals that their clips `kept` and the variances of their `own`
    noise (m,), and the covariance of what is left from `privacy` and from the `sample`, (m k, m k)
    each.
    """

    apart: Array
    left: Array
    kept: Array
    own: Array
    privacy: Array
    sample: Array


def stacked(
    evidence: Evidence,
    axes: Directions,
    bound: float,
    largest: float,
    constant: Array,
    *,
    counted: bool = False,
    dependent: float = 1.0,
) -> MomentSystem:
    """`bound` is that of labels, `largest` that of the coefficients' length; every row @ `constant`
    (d,) is 1, or it is zeros. `counted` says that what clips took off labels was.
    """
    turn, moments = axes.vectors.T, evidence.moments
    widths = np.array([unclipped(one.at, one.width, bound) for one in moments])
    widths[0] = np.inf if counted else widths[0]
    off = np.array([axes.lost.T @ one.at for one in moments])
    return MomentSystem(
        axes.values,
        np.array([turn @ one.moment for one in moments]),
        np.array([turn @ one.at for one in moments]),
        np.array([one.std for one in moments]),
        widths,
        beyond(off, largest if axes.lost.size else 0.0),
        axes.values * (turn @ constant),
        axes.lost.shape[1],
        evidence.gram_std,
        max(evidence.count, 1.0),
        dependent,
    )


def beyond(off: Array, largest: float) -> Array:
    """A bound, as matrices (m, m) are ordered, on (p_i - x).(p_j - x) for the rows p_i of `off`
    (m, l) and every x of at most the length `largest`: no weights of moments cancel x.

    It is (1 + a) |x|^2 + (1 + 1/a) p_i.p_j for any a > 0; this a makes it (|x| + |p|)^2 for one.
    """
    most = float(np.max(np.linalg.norm(off, axis=1), initial=0.0))
    same = largest * (largest + most) * np.ones((len(off), len(off)))
    return np.asarray(same + (1 + largest / most) * off @ off.T if most else same)


def unclipped(at: Array, width: float, bound: float) -> float:
    """The width, or infinity for labels that are clipped to their bound only."""
    return np.inf if not np.any(at) and width >= bound * (1 - 1e-9) else float(width)


def modelled(stack: MomentSystem, theta: Array, variance: float, *, target: str) -> Model:
    """The model at theta, in identified directions, where residuals have `variance`."""
    apart = theta - stack.at
    spread = variance + apart**2 @ stack.values / stack.count
    ratio = np.clip(stack.widths / np.sqrt(spread), LEAST, MOST)
    slope, share = kept_slope(ratio), added_share(ratio)
    if target == "sample":  # least squares counts what clips lose
        share = np.maximum(share, np.isfinite(stack.widths) * skewed_share(ratio))
    added = np.sqrt(stack.dependent * share * spread)
    left = stack.observed / slope[:, None] - stack.values * apart
    of_sample = stack.dependent * variance if target == "population" else 0.0
    sampled = np.full(2 * added.shape, of_sample)
    sample = np.kron(together(added), np.diag(stack.values)) + doubted(stack, apart, slope)
    sample += np.kron(sampled, np.diag(stack.values))
    moved = np.isfinite(stack.widths) * skewed_shift(ratio) * np.sqrt(spread)
    sample += np.kron(together(moved), np.outer(stack.total, stack.total))
    own = (stack.stds / slope) ** 2
    return Model(apart, left, slope, own, private(stack, apart, own), sample)


def together(added: Array) -> Array:
    """The covariance (m, m) of what clips of one record's label and residuals add, of stds `added`
    (m,): residuals at nearby points have nearly the same, a label another.
    """
    alike = np.full((len(added), len(added)), ALIKE)
    alike[0, :] = alike[:, 0] = 0.0
    np.fill_diagonal(alike, 1.0)
    return np.asarray(alike * np.outer(added, added))


def doubted(stack: MomentSystem, apart: Array, slope: Array) -> Array:
    """The allowance for clips of residuals that are not normal, (m k, m k): their slopes are known
    up to a part DOUBT of the loss.
    """
    m, k = apart.shape
    off = (DOUBT * (1 - slope) / slope)[:, None] * stack.values * apart
    blocks = np.einsum("ij,ia,ib->iajb", np.eye(m), off, off)
    return np.asarray(blocks.reshape(m * k, m * k))


def private(stack: MomentSystem, apart: Array, own: Array) -> Array:
    """The covariance (m k, m k) of e_j - N d_j, for noise e_j of variances `own` (m,), distances
    d_j and the symmetric noise N: of N d_i and N d_j it is gram_std^2/2 (d_i.d_j I + d_j d_i').
    """
    m, k = apart.shape
    near = stack.gram_std**2 / 2
    alike = np.diag(own) + near * (apart @ apart.T + stack.hidden)
    crossed = near * np.einsum("ja,ib->iajb", apart, apart).reshape(m * k, m * k)
    return np.asarray(np.kron(alike, np.eye(k)) + crossed)


@attrs.frozen(eq=False)
class Step:
    """Where the iteration goes from theta, (k,), and the covariance (k, k) of what it finds, with
    its `private` part.
    """

    move: Array
    covariance: Array
    private: Array


def step(stack: MomentSystem, model: Model) -> Step:
    """To the mean of what the moments say, weighted by the inverse of their covariance here."""
    m, k = model.apart.shape
    inverse = np.linalg.inv(model.privacy + model.sample)
    rows = inverse.reshape(m, k, m * k).sum(axis=0)
    information = rows.reshape(k, m, k).sum(axis=1)
    weights = np.linalg.solve((information + information.T) / 2, rows)
    pull = weights / stack.values[:, None]
    covariance = pull @ (model.privacy + model.sample) @ pull.T
    move = pull @ model.left.ravel() - bias(stack, model, pull)
    return Step(move, covariance, pull @ model.privacy @ pull.T)


def bias(stack: MomentSystem, model: Model, pull: Array) -> Array:
    """How far the noise N of X'X moves the middle of an estimate, (k,), to second order: it is off
    by (X'X)^-1 N R_j N d_j, summed over j, where `pull` (k, m k) holds R_j.

    E N R N is gram_std^2/2 (tr R I + R'). The part of one direction alone is that of a ratio, whose
    mean moves and whose median does not: it comes off twice, in tr R I - R'. Each direction that
    is lost turns an identified one and lengthens its eigenvalue, which shrinks by -2 R_j d_j.
    """
    m, k = model.apart.shape
    parts = pull.reshape(k, m, k)
    traces = np.einsum("aja->j", parts)
    twice = traces @ model.apart - np.einsum("bja,jb->a", parts, model.apart)
    twice -= 2 * stack.lost * np.einsum("ajb,jb->a", parts, model.apart)
    return np.asarray(stack.gram_std**2 / 2 * twice / stack.values)
