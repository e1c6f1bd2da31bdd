"""What the nodes of a certificate compute on a table, in numpy, by what each kind means.

Nothing here knows a sensitivity. Grids are left out (a row moves by less than 2^-bits of its norm),
and released vectors that rows are shifted, divided or multiplied by are drawn at random: a claim
holds for all of them.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import attrs
import numpy as np
from scipy.optimize import minimize

Json = Any
Array = np.ndarray
Node = Mapping[str, Json]
RELEASED = {"release", "post", "loop", "known", "bound", "posterior", "gaussian_mixing"}
RELEASED |= {"perturbed_minimum", "approximate_minimum", "tilted_minimum", "random_stopping"}
RELEASED |= {"deep_point", "tested_point"}
PUBLIC = {"budgets", "of_budgets", "weight", "thinning", "squared", "logistic", "huber", "iterate"}
ROOT = math.sqrt(2)
FAR = 1e6


class Unknown(Exception):
    """What this file has no meaning for."""


@attrs.frozen(eq=False)
class Rows:
    """Rows, and what they are divided by where they are scaled to 1: a bound on every entry, where
    the norm is bounded by nothing else, or else one on the norm.
    """

    x: Array
    norm: float = math.inf
    entry: float | None = None

    @property
    def side(self) -> float:
        """The one or the other."""
        return self.norm if self.entry is None else self.entry


@attrs.frozen(eq=False)
class Labels:
    """Labels, alike."""

    y: Array
    side: float = math.inf


@attrs.frozen(eq=False)
class Table:
    """Raw rows and labels; numbers for formulas; what was released, by the seed."""

    x: Array
    y: Array
    number: Callable[[Json], float]
    seed: int = 0

    def released(self, key: str, size: int) -> Array:
        """A vector of a released value: small, ordinary or large."""
        rng = np.random.default_rng(zlib.crc32(f"{key}, {size}, {self.seed}".encode()))
        return rng.normal(size=size) * rng.choice([0.0, 0.1, 1.0, 30.0])


KINDS: dict[str, Callable[..., Any]] = {}


def kind(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter what a kind computes: of the table, the node, and its inputs."""

    def enter(make: Callable[..., Any]) -> Callable[..., Any]:
        KINDS.update(dict.fromkeys(names, make))
        return make

    return enter


def computed(nodes: list[Node], table: Table) -> list[Any]:
    """The value of every node on a table; None of what is released or public. Raises Unknown."""
    values: list[Any] = []
    for node in nodes:
        name = node["kind"]
        if name in RELEASED | PUBLIC:
            values.append(None)
            continue
        if name not in KINDS:
            raise Unknown(name)
        values.append(KINDS[name](table, node, *[values[i] for i in node["inputs"]], nodes=nodes))
    return values


# --------------------------------------------------------------------------------------- rows
@kind("rows")
def _rows(table: Table, node: Node, **_: Any) -> Rows:
    return Rows(table.x)


@kind("grid")
def _grid(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    return Rows(rows.x, rows.norm)


@kind("weighted_grid", "sampled_rows", "box_grid")
def _same_rows(table: Table, node: Node, rows: Rows, *_: Any, **__: Any) -> Rows:
    return rows


@kind("grid_column", "weighted_grid_column", "sampled_column")
def _same_labels(table: Table, node: Node, labels: Labels, *_: Any, **__: Any) -> Labels:
    return labels


@kind("encode")
def _encode(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    parts = []
    for j, entry in enumerate(node["schema"]):
        raw = rows.x[:, min(j, rows.x.shape[1] - 1)]
        if len(entry) == 3 and not isinstance(entry[1], list):
            low, high = table.number(entry[1]), table.number(entry[2])
            parts.append(np.clip(2 * (raw - low) / (high - low) - 1, -1, 1)[:, None])
            continue
        count = len(entry[1])
        level = np.floor(np.abs(raw) * 10).astype(int) % count
        codes = np.eye(count) if len(entry) == 2 else corners(count)
        parts.append(codes[level])
    return Rows(np.hstack(parts), math.sqrt(len(parts)))


@cache
def corners(count: int) -> Array:
    """The corners of a simplex around 0, of norm 1."""
    away = np.eye(count) - 1 / count
    found = away @ np.linalg.svd(away)[2][: count - 1].T
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def lengths(x: Array) -> Array:
    """The norms of rows, as a column."""
    return np.linalg.norm(x, axis=1, keepdims=True)


def share(x: Array, most: float) -> Array:
    """Rows drawn into a ball."""
    norms = lengths(x)
    return x * np.minimum(1, most / np.where(norms == 0, 1, norms))


@kind("clip_norm")
def _clip_norm(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    norm = table.number(node["norm"])
    return Rows(share(rows.x, norm), norm)


@kind("box")
def _box(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    bound = table.number(node["bound"])
    norm = math.sqrt(rows.x.shape[1]) * bound
    alone = rows.norm >= norm
    return Rows(np.clip(rows.x, -bound, bound), min(norm, rows.norm), bound if alone else None)


@kind("capped")
def _capped(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    return Rows(np.minimum(rows.x, table.number(node["bound"])), rows.norm)


@kind("normalize")
def _normalize(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    norms = lengths(rows.x)
    first = np.eye(1, rows.x.shape[1])
    return Rows(np.where(norms == 0, first, rows.x / np.where(norms == 0, 1, norms)), 1.0)


@kind("intercept")
def _intercept(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    value = table.number(node["value"])
    entry = value if rows.entry == value else None
    more = np.full((len(rows.x), 1), value)
    return Rows(np.hstack([rows.x, more]), math.hypot(rows.norm, value), entry)


@kind("scale")
def _scale(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    by = table.number(node["by"])
    return Rows(rows.x / by, rows.norm / by, None if rows.entry is None else rows.entry / by)


@kind("scaled_columns")
def _scaled_columns(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    by, minus = ([table.number(v) for v in node[key]] for key in ("by", "minus"))
    if len(by) != rows.x.shape[1]:
        raise Unknown("as many columns")
    return Rows((rows.x - np.array(minus)) / np.array(by))


@kind("divided_columns")
def _divided_columns(table: Table, node: Node, rows: Rows, *_: Any, **__: Any) -> Rows:
    low, high = table.number(node["lower"]), table.number(node["upper"])
    sizes = np.clip(np.abs(table.released("sizes", rows.x.shape[1])), low, high)
    minus = table.released("centres", rows.x.shape[1]) if node["centred"] else 0.0
    return Rows((rows.x - minus) / sizes)


@kind("divided_records")
def _divided_records(table: Table, node: Node, rows: Rows, labels: Labels, **_: Any) -> Rows:
    norms = lengths(rows.x)
    both = np.hstack([rows.x, labels.y[:, None]])
    return Rows(np.where(norms == 0, 0 * both, both / np.where(norms == 0, 1, norms)))


@kind("record_rows")
def _record_rows(table: Table, node: Node, rows: Rows, **_: Any) -> Rows:
    return Rows(rows.x[:, :-1], 1.0)


@kind("record_labels")
def _record_labels(table: Table, node: Node, rows: Rows, **_: Any) -> Labels:
    return Labels(rows.x[:, -1])


@kind("shrunk_labels")
def _shrunk_labels(table: Table, node: Node, labels: Labels, rows: Rows, **_: Any) -> Labels:
    norms, most = lengths(rows.x)[:, 0], table.number(node["norm"])
    return Labels(labels.y * np.where(norms > most, most / np.where(norms > 0, norms, 1), 1.0))


@kind("residuals")
def _residuals(table: Table, node: Node, rows: Rows, labels: Labels, *_: Any, **__: Any) -> Rows:
    theta = table.released("theta", rows.x.shape[1])
    return Rows((labels.y - rows.x @ theta)[:, None])


@kind("residual_labels")
def _residual_labels(
    table: Table, node: Node, labels: Labels, rows: Rows, *_: Any, **__: Any
) -> Labels:
    return Labels(labels.y - rows.x @ table.released("theta", rows.x.shape[1]))


LOSSES = ("squared", "huber", "logistic")


def slopes(table: Table, loss: Node, margins: Array, y: Array) -> Array:
    """The derivative of a loss in the margin."""
    if loss["kind"] == "squared":
        return margins - y
    if loss["kind"] == "huber":
        knee = table.number(loss["knee"])
        return np.clip(margins - y, -knee, knee)
    return -y / (1 + np.exp(np.clip(y * margins, -700, 700)))


@kind("gradient")
def _gradient(
    table: Table, node: Node, rows: Rows, labels: Labels, *_: Any, nodes: list[Node]
) -> Rows:
    theta = table.released("theta", rows.x.shape[1])
    loss = nodes[node["inputs"][3]]
    return Rows(slopes(table, loss, rows.x @ theta, labels.y)[:, None] * rows.x)


@kind("gradient_at")
def _gradient_at(
    table: Table, node: Node, rows: Rows, labels: Labels, *_: Any, nodes: list[Node]
) -> Rows:
    others = [nodes[place] for place in node["inputs"][2:]]
    losses = [one for one in others if one["kind"] in LOSSES]
    at_zero = len(others) == len(losses)
    margins = rows.x @ table.released("theta", rows.x.shape[1]) * (not at_zero)
    loss = losses[0] if losses else {"kind": "squared"}
    if not node.get("curved"):
        return Rows(slopes(table, loss, margins, labels.y)[:, None] * rows.x)
    close = [slopes(table, loss, margins + step, labels.y) for step in (1e-5, -1e-5)]
    return Rows(np.sqrt(np.maximum((close[0] - close[1]) / 2e-5, 0))[:, None] * rows.x)


@kind("weighted_rows")
def _weighted_rows(table: Table, node: Node, rows: Rows, *_: Any, nodes: list[Node]) -> Rows:
    return Rows(rows.x * factor(table, nodes[node["inputs"][-1]]))


@kind("weighted_column")
def _weighted_column(
    table: Table, node: Node, labels: Labels, *_: Any, nodes: list[Node]
) -> Labels:
    return Labels(labels.y * factor(table, nodes[node["inputs"][-1]]))


@kind("record_weights")
def _record_weights(table: Table, node: Node, *_: Any, nodes: list[Node]) -> float:
    return factor(table, nodes[node["inputs"][-1]])


def factor(table: Table, weight: Node) -> float:
    """The weight of the record that changes; the others' is the same here."""
    return table.number(weight["factor"])


def cells(table: Table, partition: Json, rows: Rows) -> tuple[Array, int]:
    """The cell of each record, and how many there are."""
    if partition["assignment"] == "hashed":
        count = partition["cells"]
        salt = partition["salt"].encode()
        return np.array([zlib.crc32(row.tobytes() + salt) % count for row in rows.x], int), count
    cuts = [table.number(cut) for cut in partition["cuts"]]
    column = partition["column"] if isinstance(partition["column"], int) else 0
    own = rows.x[:, min(column, rows.x.shape[1] - 1)]
    return np.searchsorted(cuts, own, side="right"), len(cuts) + 1


@kind("cell_rows")
def _cell_rows(table: Table, node: Node, rows: Rows, *_: Any, **__: Any) -> Rows:
    inside = cells(table, node["partition"], Rows(table.x))[0] == node["cell"]
    return Rows(rows.x * inside[:, None], rows.norm, rows.entry)


@kind("cell_column")
def _cell_column(table: Table, node: Node, labels: Labels, *_: Any, **__: Any) -> Labels:
    inside = cells(table, node["partition"], Rows(table.x))[0] == node["cell"]
    return Labels(labels.y * inside, labels.side)


# ---------------------------------------------------------------------------------- statistics
@kind("cell_count")
def _cell_count(table: Table, node: Node, *_: Any, **__: Any) -> Array:
    return np.array(np.sum(cells(table, node["partition"], Rows(table.x))[0] == node["cell"]))


@kind("cell_sums")
def _cell_sums(table: Table, node: Node, own: Rows, labels: Labels, *_: Any, **__: Any) -> Array:
    place, count = cells(table, node["partition"], Rows(table.x))
    u = own.x / own.side
    y = labels.y / labels.side
    upper = np.triu_indices(u.shape[1])
    parts = np.zeros((count, len(upper[0]) + u.shape[1]))
    for j in set(place.tolist()):
        x, v = u[place == j], y[place == j]
        parts[j] = [*(x.T @ x)[upper], *(x.T @ v)]
    return np.ravel(parts)


@kind("block_estimates")
def _block_estimates(table: Table, node: Node, sums: Array, *, nodes: list[Node]) -> Array:
    own = nodes[node["inputs"][0]]
    count = (
        own["partition"]["cells"]
        if own["partition"]["assignment"] == "hashed"
        else len(own["partition"]["cuts"]) + 1
    )
    penalty, radius = table.number(node["penalty"]), table.number(node["radius"])
    parts = sums.reshape(count, -1)
    d = next(k for k in range(1, 60) if k * (k + 3) // 2 == parts.shape[1])
    i, j = np.triu_indices(d)
    grams = np.zeros((count, d, d))
    grams[:, i, j] = grams[:, j, i] = parts[:, :-d]
    thetas = np.linalg.pinv(grams + penalty * np.eye(d)) @ parts[:, -d:, None]
    # any point of the ball will do: far out, neighbours differ more
    return np.mean(share(FAR * thetas[:, :, 0], radius), axis=0)


@kind("column")
def _column(table: Table, node: Node, **_: Any) -> Labels:
    return Labels(table.y)


@kind("clip_column")
def _clip_column(table: Table, node: Node, labels: Labels, **_: Any) -> Labels:
    low, high = table.number(node["lower"]), table.number(node["upper"])
    return Labels(np.clip(labels.y, low, high), max(-low, high))


@kind("unit_interval")
def _unit_interval(table: Table, node: Node, labels: Labels, **_: Any) -> Labels:
    low, high = table.number(node["lower"]), table.number(node["upper"])
    return Labels(np.clip(2 * (labels.y - low) / (high - low) - 1, -1, 1), 1.0)


@kind("scaled_labels")
def _scaled_labels(table: Table, node: Node, labels: Labels, *_: Any, **__: Any) -> Labels:
    by = table.number(node["by"])
    return Labels((labels.y - table.number(node["minus"])) / by, labels.side / by)


@kind("gram")
def _gram(table: Table, node: Node, rows: Rows, **_: Any) -> Array:
    return rows.x.T @ rows.x


@kind("lambda_min")
def _lambda_min(table: Table, node: Node, gram: Array, **_: Any) -> Array:
    return np.array(np.linalg.eigvalsh(gram)[0])


@kind("moment")
def _moment(table: Table, node: Node, rows: Rows, labels: Labels, **_: Any) -> Array:
    return rows.x.T @ labels.y


@kind("squares")
def _squares(table: Table, node: Node, labels: Labels, **_: Any) -> Array:
    return np.array(labels.y @ labels.y)


@kind("count")
def _count(table: Table, node: Node, rows: Rows, **_: Any) -> Array:
    return np.array(float(len(rows.x)))


@kind("row_sum")
def _row_sum(table: Table, node: Node, rows: Rows, **_: Any) -> Array:
    return rows.x.sum(axis=0)


@kind("label_sum")
def _label_sum(table: Table, node: Node, labels: Labels, **_: Any) -> Array:
    return np.array(labels.y.sum())


@kind("trace")
def _trace(table: Table, node: Node, rows: Rows, **_: Any) -> Array:
    return np.array(np.sum(rows.x**2))


@kind("column_squares")
def _column_squares(table: Table, node: Node, rows: Rows, **_: Any) -> Array:
    return np.sum(rows.x**2, axis=0)


@kind("bin_counts")
def _bin_counts(table: Table, node: Node, data: Rows | Labels, *_: Any, **__: Any) -> Array:
    values = data.x if isinstance(data, Rows) else data.y[:, None]
    values = np.abs(values) if node["absolute"] else values
    cuts = [table.number(cut) for cut in node["cuts"]]
    found = np.zeros((values.shape[1], len(cuts) + 1))
    for j in range(values.shape[1]):
        np.add.at(found[j], np.searchsorted(cuts, values[:, j], side="right"), 1)
    return np.ravel(found)


@kind("norm_counts")
def _norm_counts(table: Table, node: Node, rows: Rows, **_: Any) -> Array:
    cuts = [table.number(cut) for cut in node["cuts"]]
    found = np.zeros(len(cuts) + 1)
    np.add.at(found, np.searchsorted(cuts, lengths(rows.x)[:, 0], side="left"), 1)
    return found[1:]


@kind("log_residual")
def _log_residual(
    table: Table, node: Node, gram: Array, moment: Array, *, nodes: list[Node]
) -> Array:
    bounds = sides(table, nodes, node["inputs"][1])
    theta = np.linalg.solve(gram + table.number(node["penalty"]) * np.eye(len(gram)), moment)
    return np.array(math.log(bounds[1] + bounds[0] * np.linalg.norm(theta)))


def sides(table: Table, nodes: list[Node], moment: int) -> tuple[float, float]:
    """The bounds of the rows and labels of X'y."""
    values = computed(nodes[: moment + 1], table)
    rows, labels = (values[i] for i in nodes[moment]["inputs"])
    return rows.norm, labels.side


@kind("linear")
def _linear(table: Table, node: Node, *parts: Array, **_: Any) -> Array:
    factors = [table.number(value) for value in node["coefficients"]]
    return sum(f * part for f, part in zip(factors, parts, strict=True))


def flat(value: Array) -> Array:
    """A symmetric matrix as a vector with the norm of Frobenius."""
    if value.ndim < 2:
        return np.ravel(value)
    i, j = np.triu_indices(len(value))
    return value[i, j] * np.where(i == j, 1, ROOT)


@kind("stack")
def _stack(table: Table, node: Node, *parts: Array, **_: Any) -> Array:
    return np.concatenate([flat(np.asarray(part)) for part in parts])


def unit(rows: Rows, labels: Labels) -> Array:
    """Rows and labels together, divided by their bounds."""
    return np.hstack([rows.x / rows.side, labels.y[:, None] / labels.side])


@kind("sufficient_statistics")
def _sufficient(table: Table, node: Node, rows: Rows, labels: Labels, **_: Any) -> Array:
    u = unit(rows, labels)
    found = (u.T @ u)[np.triu_indices(u.shape[1])]
    return found if node["constant"] else found[:-1]


@kind("monomials")
def _monomials(table: Table, node: Node, own: Array, *, nodes: list[Node]) -> Array:
    constant = nodes[node["inputs"][0]]["constant"]
    full = own if constant else np.append(own, 0.0)
    d = next(k for k in range(1, 60) if k * (k + 1) // 2 == len(full))
    i, j = np.triu_indices(d)
    scaled = full * np.where(i == j, 1, 2)
    return scaled if constant else scaled[:-1]


@kind("histogram")
def _histogram(table: Table, node: Node, rows: Rows, labels: Labels, **_: Any) -> Array:
    count = node["cells"]
    place = np.clip(np.floor((unit(rows, labels) + 1) / 2 * count), 0, count - 1).astype(int)
    found = np.zeros(min(count ** place.shape[1], 10**6))
    for row in place:
        found[int(sum(v * count**k for k, v in enumerate(row.tolist()))) % len(found)] += 1
    return found


@kind("argmin")
def _argmin(
    table: Table, node: Node, rows: Rows, labels: Labels, *_: Any, nodes: list[Node]
) -> Array:
    loss = nodes[node["inputs"][2]]
    weights = [i for i in node["inputs"] if nodes[i]["kind"] == "record_weights"]
    w = factor(table, nodes[nodes[weights[0]]["inputs"][-1]]) if weights else 1.0
    penalty, x, y = table.number(node["penalty"]), rows.x, labels.y
    radius = math.inf if node["radius"] is None else table.number(node["radius"])
    d = x.shape[1]
    if loss["kind"] == "squared":
        return ball_ridge(w * x.T @ x, w * x.T @ y, penalty, radius)
    bend = penalty + w * np.sum(x**2) * max(1.0, np.max(np.abs(y), initial=0) ** 2)
    scale = 1 / math.sqrt(bend)

    def gradient(v: Array) -> Array:
        theta = v * scale
        return scale * (w * x.T @ slopes(table, loss, x @ theta, y) + penalty * theta)

    def value(v: Array) -> float:
        theta = v * scale
        return float(w * np.sum(losses(table, loss, x @ theta, y)) + penalty / 2 * theta @ theta)

    found = minimize(value, np.zeros(d), jac=gradient, method="BFGS", options={"gtol": 1e-12})
    theta = found.x * scale
    if np.linalg.norm(theta) > radius:
        raise Unknown("a minimum at the border of the ball")
    return theta


def losses(table: Table, loss: Node, margins: Array, y: Array) -> Array:
    """The loss of each record."""
    if loss["kind"] == "logistic":
        return np.logaddexp(0, -y * margins)
    far, knee = np.abs(margins - y), table.number(loss["knee"])
    return np.where(far <= knee, far**2 / 2, knee * (far - knee / 2))


def ball_ridge(gram: Array, moment: Array, penalty: float, radius: float) -> Array:
    """The minimiser of theta'(gram + penalty)theta/2 - moment'theta over a ball."""
    d = len(gram)
    theta = np.linalg.solve(gram + penalty * np.eye(d), moment)
    low, high = 0.0, 1.0
    if np.linalg.norm(theta) <= radius:
        return theta

    def at(more: float) -> Array:
        return np.linalg.solve(gram + (penalty + more) * np.eye(d), moment)

    while np.linalg.norm(at(high)) > radius:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if np.linalg.norm(at(middle)) > radius else (low, middle)
    return at(high)
