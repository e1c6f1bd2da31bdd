"""Whether an accepted certificate is true, by brute force: what is spent on pairs of neighbours.

At points of the claim's ranges and region, ends included, the statistics are computed on pairs of
neighbouring tables (`tables`): those that proofs name as the worst, and random ones. What the
noise then costs is exact: a Gaussian of the joint mu at 50 digits, pure losses by their sum, both
together by a discretised sum of losses that is rounded down. A `usage` above 1 refutes: of the
whole claim (`claim`), or of one step of basic composition (`step`: a release's or procedure's
share, the sum of all shares). Output that is not released must not move.

What brute force cannot see: procedures cost at most their share if their theorem's hypotheses hold,
which are evaluated; a partition by a hash is one partition; grids are left out.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import attrs
import numpy as np
from scipy.special import log_ndtr

from tests.oracle.tables import LOSSES, RELEASED, Rows, Table, Unknown, computed, flat
from tests.support.oracles import delta_of

Json = Any
Array = np.ndarray
Env = Mapping[str, float]
SLACK = 1e-9
ROUNDING = 1e-14  # of sums in floating point, relative
FAR = 1e4  # raw records of this many times the largest bound are clipped to it
POINTS, PAIRS = 5, 40
UNDEFINED = (Unknown, ArithmeticError, ValueError, KeyError, np.linalg.LinAlgError)
L1 = ("laplace", "discrete_laplace")
PURE = (*L1, "l2_laplace")
OF_BUDGETS = {"largest": (1.0, 1.5), "total": (2.0, 7.0), "smallest": (1.0, 0.3)}


@attrs.frozen
class Judgement:
    """The largest usage of the claim and of its steps, where that was, on how many pairs."""

    claim: float = 0.0
    step: float = 0.0
    leak: str = ""
    where: str = ""
    pairs: int = 0
    unknown: str = ""

    @property
    def verdict(self) -> str:
        """true, false (the claim), step (only a step of its proof), or unknown."""
        if self.leak or self.claim > 1 + SLACK:
            return "false"
        if self.step > 1 + SLACK:
            return "step"
        return "true" if self.pairs else "unknown"

    @property
    def usage(self) -> float:
        """Of both."""
        return max(self.claim, self.step)


# ------------------------------------------------------------------------------------- numbers
def number(formula: Json, env: Env) -> float:
    """The value of a formula in floating point."""
    if isinstance(formula, str):
        return env[formula] if formula in env else float(Fraction(formula))
    name, *parts = formula
    if name == "^":
        return number(parts[0], env) ** float(Fraction(parts[1]))
    values = [number(part, env) for part in parts]
    if name == "analytic_sigma":
        return 1 / most_mu(values[0], values[1])
    operations = {"+": math.fsum, "*": math.prod, "min": min, "max": max}
    if name in operations:
        return operations[name](values)
    return {"log": math.log, "exp": math.exp}[name](values[0])


def log_delta(epsilon: float, mu: float) -> float:
    """log of the Gaussian profile. [BalleW18, Thm 8]"""
    if mu <= 0:
        return -math.inf
    near, far = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    gap = epsilon + log_ndtr(far) - log_ndtr(near)
    return float(log_ndtr(near) + math.log(-math.expm1(gap))) if gap < 0 else -math.inf


@lru_cache(maxsize=100_000)
def most_mu(epsilon: float, delta: float) -> float:
    """The largest mu that is (epsilon, delta)-DP, to 14 digits where floating point allows."""
    if delta >= 1:
        return math.inf
    if delta <= 0:
        return 0.0
    low, high, aim = 0.0, 1.0, math.log(delta)
    while log_delta(epsilon, high) < aim:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if log_delta(epsilon, middle) < aim else (low, middle)
    return low


def gaussian_usage(epsilon: float, delta: float, mu: float) -> float:
    """mu over the largest one allowed; above 1 only where 50 digits say so too."""
    if mu == 0:
        return 0.0
    allowed = most_mu(epsilon, delta)
    if allowed == 0:
        return math.inf
    found = mu / allowed
    if 1 + SLACK < found < 1.01 and delta_of(epsilon, mu * (1 - SLACK)) <= delta:
        return 1.0
    return found


# -------------------------------------------------------------------------------------- points
def ends(spec: Json) -> tuple[float, float]:
    """The ends of a range."""
    low = -math.inf if spec["lower"] is None else float(Fraction(spec["lower"]))
    return low, math.inf if spec["upper"] is None else float(Fraction(spec["upper"]))


def inside(spec: Json, value: float) -> bool:
    """Whether a range has a number."""
    low, high = ends(spec)
    left, right = spec["closed"] in ("both", "left"), spec["closed"] in ("both", "right")
    return (low < value or (left and low == value)) and (value < high or (right and value == high))


def some(spec: Json) -> list[float]:
    """Numbers in a range: ordinary ones, near its ends, and these."""
    low, high = ends(spec)
    if spec["integer"]:
        first = math.ceil(low) if low > -math.inf else 1
        tries = [float(first + k) for k in range(4)] + [high]
    elif math.isfinite(low) and math.isfinite(high):
        shares = (0.5, 1e-6, 0.1, 0.9, 1e-2, 0.999, 0.0, 1.0, 1e-9)
        tries = [low + (high - low) * s for s in shares]
    elif math.isfinite(low):
        tries = [low + step for step in (1, 0.3, 3, 0.01, 10, 0, 60)]
    elif math.isfinite(high):
        tries = [high - step for step in (1, 0.3, 3, 0.01, 10, 0, 60)]
    else:
        tries = [1.0, -1.0, 0.3, 7.0, 0.0]
    return [t for t in tries if math.isfinite(t) and inside(spec, t)]


def holds(line: Json, env: Env, symbols: Json) -> bool:
    """Whether a line of the region holds; of released numbers and of n it is taken to hold."""
    read = {part for part in json.dumps(line[:2]).split('"') if part in symbols}
    if not read <= env.keys():
        return True
    try:
        left, right = (number(side, env) for side in line[:2])
    except (ArithmeticError, ValueError):
        return False
    return left < right or (left == right and not line[2])


def points(document: Json) -> Iterator[dict[str, float]]:
    """Points of the claim, the same for the same ranges: first ordinary, then drawn."""
    claimed = document["statement"]
    free = {n: some(s) for n, s in claimed["symbols"].items() if s["origin"] is None}
    if not all(free.values()):
        return
    rng, found = random.Random(1), 0
    for attempt in range(400):
        env = {n: values[0] if attempt == 0 else rng.choice(values) for n, values in free.items()}
        if all(holds(line, env, claimed["symbols"]) for line in claimed["region"]):
            yield env
            found += 1
        if found == POINTS or not free:
            return


def with_origins(document: Json, env: dict[str, float], rng: random.Random) -> dict[str, float]:
    """The point with numbers of all budgets and released numbers; bounds and counts come later."""
    nodes = document["graph"]["nodes"]
    full = dict(env)
    symbols = document["statement"]["symbols"].items()
    learned = [(spec["origin"], name, spec) for name, spec in symbols if spec["origin"] is not None]
    for _, name, spec in sorted(learned, key=lambda one: one[:2]):
        node = nodes[spec["origin"]]
        if node["kind"] == "of_budgets":
            shares = OF_BUDGETS.get(node["what"], (1.0, 0.5, 3.0))
            full[name] = number(node["formula"], full) * rng.choice(shares)
        elif node["kind"] == "bound":
            full[name] = max(0.0, ends(spec)[0]) if ends(spec)[0] > -math.inf else 1.0
        else:
            full[name] = rng.choice(some(spec) or [1.0])
    return full


# --------------------------------------------------------------------------------------- pairs
Records = tuple[Array, Array]
Pair = tuple[Records, Records]


def pairs(replaced: bool, k: int, d: int, far: tuple[float, float]) -> Iterator[Pair]:
    """Neighbouring tables: those that proofs name as worst, then random ones."""
    rng = np.random.default_rng(d)
    one, many = worst(replaced, d), itertools.repeat(None)
    for change in itertools.islice(itertools.chain(one, many), PAIRS):
        base, gone, come = drawn(rng, replaced, d) if change is None else change
        tables = []
        for part in (gone, come):
            if part is None:
                x, y = base
            else:
                x = np.vstack([base[0], *[part[0][None, :]] * k])
                y = np.concatenate([base[1], *[[part[1]]] * k])
            tables.append((x * far[0], y * far[1]))
        yield tables[0], tables[1]


def beside(direction: Array) -> Records:
    """Many records orthogonal to a direction, so that its eigenvalue is the smallest."""
    vectors = np.linalg.svd(direction[None, :])[2][1:]
    rows = np.repeat(vectors, 40, axis=0)
    return rows, np.zeros(len(rows))


def worst(replaced: bool, d: int) -> Iterator[Any]:
    """Changes in units of the bounds; records are far outside them but for zeros."""
    e1, flat_ = np.eye(d)[0], np.ones(d) / math.sqrt(d)
    none = np.zeros((0, d)), np.zeros(0)
    if not replaced:
        for x, y in itertools.product((e1, flat_), (1.0, -1.0, 0.0)):
            yield none, None, (x, y)
            if d > 1:
                yield beside(x), None, (x, y)
        yield none, None, (0 * e1, 1.0)
        return
    for x in (flat_, e1):
        for z, w in itertools.product((-x, x, 0 * x), (-1.0, 1.0, 0.0)):
            yield none, (z, w), (x, 1.0)
    if d > 1:
        e2 = np.eye(d)[1]
        for angle, w in itertools.product((90, 60, 30, 120, 150), (-1.0, 0.0)):
            z = math.cos(math.radians(angle)) * e1 + math.sin(math.radians(angle)) * e2
            lowest = np.linalg.eigh(np.outer(e1, e1) - np.outer(z, z))[1][:, -1]
            yield none, (z, w), (e1, 1.0)
            yield beside(lowest), (z, w), (e1, 1.0)


def drawn(rng: np.random.Generator, replaced: bool, d: int) -> Any:
    """A random change, some of it inside the bounds: these are 1/FAR here."""

    def row() -> tuple[Array, float]:
        x = rng.normal(size=d)
        x *= rng.choice([0, 0.3, 1, 1, FAR, FAR]) / np.linalg.norm(x) / FAR
        return x, float(rng.choice([-FAR, -1, -0.3, 0, 1, FAR]) / FAR)

    some_rows = [row() for _ in range(int(rng.integers(0, 5)))]
    x = np.array([r for r, _ in some_rows]).reshape(len(some_rows), d)
    base = x, np.array([v for _, v in some_rows])
    return base, row() if replaced else None, row()


# ---------------------------------------------------------------------------------- one release
@attrs.frozen(eq=False)
class Spent:
    """What a release costs on a pair: its mechanism, loss (mu of a Gaussian), draws, share; losses
    of its coordinates.
    """

    mechanism: str
    loss: float
    draws: float
    share: tuple[float, float] | None
    parts: Array

    @property
    def usage(self) -> float:
        """Of its share."""
        if self.share is None:
            return 0.0
        epsilon, delta = self.share
        if self.mechanism in PURE:
            return self.loss / epsilon if epsilon > 0 else math.inf * (self.loss > 0)
        return gaussian_usage(epsilon, delta, self.loss)


def spent(node: Json, first: Array, second: Array, env: Env) -> Spent:
    """The cost of a release whose statistic has these values."""
    if node["mechanism"].endswith("selection"):  # tests/prover/test_selections has their laws
        raise Unknown("a selection")
    size, largest = number(node["size"], env), np.maximum(np.abs(first), np.abs(second))
    difference = np.abs(np.asarray(second) - np.asarray(first))
    difference = np.maximum(0, difference - ROUNDING * largest)
    l2 = flat(difference)
    l1 = difference[np.triu_indices(len(difference))] if difference.ndim == 2 else l2
    parts = (l1 if node["mechanism"] in L1 else l2) / size
    loss = float(np.sum(parts)) if node["mechanism"] in L1 else float(np.linalg.norm(parts))
    share = node["share"]
    if share is not None and "epsilon" in share:
        share = number(share["epsilon"], env), number(share.get("delta", "0"), env)
    else:
        share = None
    return Spent(node["mechanism"], loss, number(node["times"], env), share, parts)


# ---------------------------------------------------------------------------------- whole claim
def claim_usage(kind: str, amounts: Sequence[float], all_of: Sequence[Spent]) -> float:
    """How much of a target is spent by releases on one pair."""
    mu = math.sqrt(sum(s.draws * s.loss**2 for s in all_of if s.mechanism not in PURE))
    pure = [s for s in all_of if s.mechanism in PURE and s.loss > 0]
    total = sum(s.draws * s.loss for s in pure)
    if kind == "gaussian":
        return math.inf if pure else mu**2 / amounts[0]
    if kind == "zcdp":
        return max(renyi(mu, pure, a) / a for a in (1.01, 1.5, 2, 4, 16, 200, 1e4)) / amounts[0]
    if kind == "pure":
        return math.inf if mu > 0 else total / amounts[0]
    if not pure:
        return gaussian_usage(amounts[0], amounts[1], mu)
    if mu == 0 and total <= amounts[0]:
        return total / amounts[0]
    return together(amounts[0], mu, pure) / amounts[1]


def renyi(mu: float, pure: Sequence[Spent], alpha: float) -> float:
    """The divergence of order alpha; of Laplace noise in one dimension. [Mironov17, Prop 6]"""
    found = alpha * mu**2 / 2
    for s in pure:
        for e in s.parts[s.parts > 0] if s.mechanism in L1 or len(s.parts) == 1 else ():
            up = math.log(alpha / (2 * alpha - 1)) + (alpha - 1) * e
            down = math.log((alpha - 1) / (2 * alpha - 1)) - alpha * e
            found += s.draws * float(np.logaddexp(up, down)) / (alpha - 1)
    return found


def together(epsilon: float, mu: float, pure: Sequence[Spent]) -> float:
    """A lower bound on delta of a Gaussian and Laplace losses; vectors of L2-Laplace noise are left
    out, and so are draws after the fourth of one release.
    """
    losses = [
        e
        for s in pure
        if s.mechanism in L1 or s.parts.size == 1
        for e in np.ravel(s.parts[s.parts > 0]).tolist()
        for _ in range(min(4, int(s.draws)))
    ][:16]
    top = sum(losses) + mu**2 / 2 + 12 * mu
    if not losses or top <= epsilon:
        return 0.0 if losses else math.exp(log_delta(epsilon, mu))
    step = 2 * top / 2**14
    total = np.ones(1)
    start = 0
    for e in losses:  # loss in [-e, e]: an atom at each end, density exp((l - e)/2)/4 between
        low, high = math.floor(-e / step), math.floor(e / step)
        grid = np.arange(low, high + 2) * step
        below = np.where(grid >= e, 1.0, np.where(grid < -e, 0.0, np.exp((grid - e) / 2) / 2))
        total = np.convolve(total, np.diff(below, prepend=0.0)[1:])
        start += low
        total[0] += max(0.0, 1 - float(total.sum()))  # the atom at -e, rounded down
    at = (start + np.arange(len(total))) * step
    if mu == 0:
        return float(np.sum(total * np.maximum(0, -np.expm1(epsilon - at))))
    values = [p * conditional(epsilon - x, mu) for p, x in zip(total, at, strict=True) if p > 1e-30]
    return float(sum(values))


def conditional(gap: float, mu: float) -> float:
    """E(1 - exp(gap - L))+ of a Gaussian loss L."""
    near, far = mu / 2 - gap / mu, -mu / 2 - gap / mu
    return max(0.0, math.exp(log_ndtr(near)) - math.exp(min(700, gap + log_ndtr(far))))


# ----------------------------------------------------------------------------------- procedures
def share_of(share: Json, env: Env) -> tuple[float, float]:
    """epsilon and delta of a share."""
    return number(share["epsilon"], env), number(share.get("delta", "0"), env)


@attrs.frozen(eq=False)
class Seen:
    """A pair, all values on both tables, and the numbers there."""

    nodes: list[Json]
    tables: tuple[Table, Table]
    values: tuple[list[Any], list[Any]]
    env: Env
    replaced: bool
    rows: float

    def norms(self, node: int) -> float:
        """The largest norm of rows, or size of labels, on both tables."""
        found = 0.0
        for values in self.values:
            own = values[node]
            sizes = np.linalg.norm(own.x, axis=1) if isinstance(own, Rows) else np.abs(own.y)
            found = max(found, float(np.max(sizes, initial=0)))
        return found

    def get(self, formula: Json) -> float:
        """A number."""
        return number(formula, self.env)


def procedure_usage(seen: Seen, node: Json) -> float:
    """How much of what its theorem allows a procedure uses."""
    kind, whole = node["kind"], share_of(node["share"], seen.env)
    if kind in ("deep_point", "tested_point"):
        f = node["formulas"]
        left = whole[0] - (seen.get(f["test"]) if kind == "tested_point" else 0)
        changed = len(node["inputs"]) * (4 if seen.replaced else 2)
        return ratio(seen.get(f["rate"]) * seen.rows * changed, left)
    if kind == "perturbed_minimum":
        return tilt_usage(seen, node, node["formulas"], whole)
    if kind == "approximate_minimum":
        exact, apart = (share_of(node[key], seen.env) for key in ("minimum", "difference"))
        f = node["formulas"]
        least = 2 * seen.get(f["tolerance"]) / most_mu(*apart)
        sums = max(
            ratio(exact[0] + apart[0], whole[0]),
            ratio(exact[1] + apart[1], whole[1]) if whole[1] else 0,
        )
        return max(tilt_usage(seen, node, f, exact), least / seen.get(f["std"]), sums)
    if kind == "tilted_minimum":
        return own_tilt_usage(seen, node, whole[0])
    if kind == "posterior":
        return residual_usage(seen, node)
    if kind == "random_stopping":
        return max((nested_usage(seen, graph, whole[0] / 3) for graph in node["graphs"]), default=0)
    return floor_usage(seen, node)


def ratio(most: float, allowed: float) -> float:
    """most/allowed, infinite where nothing is allowed."""
    return most / allowed if allowed > 0 else math.inf


def data_of(seen: Seen, node: Json) -> tuple[float, float]:
    """The largest |x| and |y| of X'X and X'y."""
    moment = seen.nodes[node["inputs"][1]]["inputs"]
    return seen.norms(moment[0]), seen.norms(moment[1])


def tilt_usage(seen: Seen, node: Json, f: Json, share: tuple[float, float]) -> float:
    """[KiferST12, Thm 2] [ChaudhuriMS11, Thm 9], with the moves of this pair."""
    b, y = data_of(seen, node)
    penalty, radius, part, size = (
        seen.get(f[key]) for key in ("penalty", "radius", "noise_share", "size")
    )
    own, moved = part * share[0], b * (b * radius + y) * (2 if seen.replaced else 1)
    jacobian = ratio(b**2 / penalty, share[0] - own)
    if node["noise"] == "l2_laplace":
        return max(jacobian, ratio(moved, size * own))
    delta = share[1]
    leasts = [moved / most_mu(own, delta / 4)]
    if not seen.replaced:
        leasts = [moved * max(1 / most_mu(own, delta), 1 / most_mu(share[0], delta / 2))]
        if part >= 0.5:
            leasts.append(moved * math.sqrt(8 * math.log(2 / delta) + 4 * share[0]) / share[0])
    return max(jacobian, min(leasts) / size)


def own_tilt_usage(seen: Seen, node: Json, epsilon: float) -> float:
    """The same for any convex loss, a record's weight, and all theta."""
    b, y = seen.norms(node["inputs"][0]), seen.norms(node["inputs"][1])
    loss = seen.nodes[node["inputs"][2]]
    weights = [seen.values[0][i] for i in node["inputs"] if isinstance(seen.values[0][i], float)]
    w = weights[0] if weights else 1.0
    f = node["formulas"]
    penalty, part, size = (seen.get(f[key]) for key in ("penalty", "noise_share", "size"))
    slope = y if loss["kind"] == "logistic" else seen.get(loss["knee"])
    bend = y**2 / 4 if loss["kind"] == "logistic" else 1.0
    own = part * epsilon
    jacobian = ratio(w * bend * b**2 / penalty, epsilon - own)
    moved = slope * w * b * (2 if seen.replaced else 1)
    return max(jacobian, ratio(moved, size * own))


def residual_usage(seen: Seen, node: Json) -> float:
    """|y - x'theta| of all records over the bound on it."""
    most = seen.get(node["formulas"]["residual"])
    penalty, found = seen.get(node["formulas"]["penalty"]), 0.0
    rows, labels = seen.nodes[node["inputs"][1]]["inputs"]
    for values in seen.values:
        gram, moment = values[node["inputs"][0]], values[node["inputs"][1]]
        theta = np.linalg.solve(gram + penalty * np.eye(len(gram)), moment)
        x, y = values[rows].x, values[labels].y
        found = max(found, float(np.max(np.abs(y - x @ theta), initial=0)))
    return max(ratio(found, most), floor_usage(seen, node))


def floor_usage(seen: Seen, node: Json) -> float:
    """Whether a floor is below the smallest eigenvalue."""
    least = seen.get(node["formulas"].get("floor", "0"))
    if least <= 0:
        return 0.0
    grams = [values[node["inputs"][0]] for values in seen.values]
    true = min(float(np.linalg.eigvalsh(gram)[0]) for gram in grams)
    return 1.0 if least <= true * (1 + 1e-6) + 1e-9 else math.inf


def nested_usage(seen: Seen, graph: Json, epsilon: float) -> float:
    """A graph within, pure and of the same tables."""
    nodes = graph[0]
    values = tuple(computed(nodes, table) for table in seen.tables)
    all_of = releases(nodes, values, seen.env)
    if leaked(nodes, graph[1], values):
        return math.inf
    inner = attrs.evolve(seen, nodes=nodes, values=values)
    used = claim_usage("pure", [epsilon], all_of) if all_of else 0.0
    others = [node for node in nodes if node["kind"] in RELEASED and "formulas" in node]
    total = sum(share_of(node["share"], seen.env)[0] for node in others)
    return max(used, total / epsilon, *[procedure_usage(inner, node) for node in others], 0.0)


def releases(nodes: list[Json], values: Sequence[list[Any]], env: Env) -> list[Spent]:
    """What each release costs on a pair."""
    return [
        spent(node, values[0][node["inputs"][0]], values[1][node["inputs"][0]], env)
        for node in nodes
        if node["kind"] == "release"
    ]


def leaked(nodes: list[Json], output: list[int], values: Sequence[list[Any]]) -> str:
    """What moves and is read as if it were released: output, and what functions read."""
    read = dict.fromkeys(output, "output")
    for node in nodes:
        skipped = {"release": 1, "loop": 0, "divided_columns": 1, "residuals": 2}
        if node["kind"] in ("post", "known", "loop"):
            read |= dict.fromkeys(node["inputs"], f"node {node['id']}")
        elif node["kind"] in ("divided_columns", "residuals", "residual_labels", "gradient_at"):
            start = skipped.get(node["kind"], 2)
            read |= dict.fromkeys(node["inputs"][start:], f"node {node['id']}")
    for i, reader in read.items():
        if nodes[i]["kind"] in {*RELEASED, *LOSSES, "iterate"}:
            continue
        a, b = values[0][i], values[1][i]
        if not isinstance(a, np.ndarray) or not np.allclose(a, b, rtol=1e-9, atol=0):
            return f"{reader} reads node {i} ({nodes[i]['kind']}), which is not released"
    return ""


# ---------------------------------------------------------------------------------------- judge
def core(document: Json) -> str:
    """What the claim and its truth depend on, as text."""
    claimed = {k: v for k, v in document["statement"].items() if k != "values"}
    skip = ("arguments", "digest", "function", "name")
    nodes = [
        {k: v for k, v in node.items() if k not in skip or node["kind"] in ("known", "bound")}
        for node in document["graph"]["nodes"]
    ]
    return json.dumps([claimed, nodes, document["graph"]["output"]], sort_keys=True)


def judge(document: Json) -> Judgement:
    """The largest usage that was found."""
    return _judged(core(document))


@cache
def _judged(text: str) -> Judgement:
    claimed, nodes, output = json.loads(text)
    document = {"statement": claimed, "graph": {"nodes": nodes, "output": output}}
    found, unknown = Judgement(), ""
    with np.errstate(all="ignore"):
        for env in points(document):
            try:
                found = at_point(document, env, found)
            except UNDEFINED as error:
                unknown = f"{type(error).__name__}: {error}"
    return attrs.evolve(found, unknown="" if found.pairs else unknown or "no point")


def at_point(document: Json, env: dict[str, float], found: Judgement) -> Judgement:
    """What was found before, and here."""
    nodes, output = document["graph"]["nodes"], document["graph"]["output"]
    for seed, seen in enumerate(seen_at(document, env)):
        where = f"{dict(seen.env)}, pair {seed}"
        leak = leaked(nodes, output, seen.values)
        whole, step = usages(document, seen)
        found = attrs.evolve(
            found,
            where=where if max(whole, step) > found.usage or leak else found.where,
            claim=max(found.claim, whole),
            step=max(found.step, step),
            leak=found.leak or leak,
            pairs=found.pairs + 1,
        )
    return found


def seen_at(document: Json, env: dict[str, float]) -> Iterator[Seen]:
    """Every pair of tables at a point."""
    claimed, nodes = document["statement"], document["graph"]["nodes"]
    full = with_origins(document, env, random.Random(2))
    d = columns_of(nodes, full)
    replaced, k = claimed["relation"] == "replace_one", number(claimed["rows_per_person"], full)
    for seed, pair in enumerate(pairs(replaced, int(k), d, scales(nodes, full))):
        yield looked(document, full, pair, seed)


def broken(document: Json, places: int, tables: int) -> bool | None:
    """Whether the claim is false, by the first pair that says so, of so many points and pairs at
    each; None where nothing is known.
    """
    known, graph = None, document["graph"]
    with np.errstate(all="ignore"):
        for env in itertools.islice(points(document), places):
            try:
                for seen in itertools.islice(seen_at(document, env), tables):
                    leak = leaked(graph["nodes"], graph["output"], seen.values)
                    if leak or usages(document, seen)[0] > 1 + SLACK:
                        return True
                    known = False
            except UNDEFINED:
                continue
    return known


def columns_of(nodes: list[Json], env: Env) -> int:
    """The number of columns of the table; labels alone have one beside them."""
    found = [number(node["columns"], env) for node in nodes if node["kind"] == "rows"]
    d = int(found[0]) if found else 1
    if not 1 <= d <= 20:
        raise Unknown(f"{d} columns")
    return d


def scales(nodes: list[Json], env: Env) -> tuple[float, float]:
    """How far raw rows and labels reach: beyond every bound."""
    known = {"clip_norm": ("norm",), "box": ("bound",), "clip_column": ("lower", "upper")}
    sizes = {"x": [1.0], "y": [1.0]}
    for node in nodes:
        for key in known.get(node["kind"], ()):
            sizes["y" if node["kind"] == "clip_column" else "x"].append(abs(number(node[key], env)))
        if node["kind"] in ("scale", "scaled_labels"):
            sizes["x" if node["kind"] == "scale" else "y"].append(abs(number(node["by"], env)))
    return FAR * max(sizes["x"]), FAR * max(sizes["y"])


def looked(document: Json, env: dict[str, float], pair: Pair, seed: int) -> Seen:
    """All values on both tables; n and bounds that may not fail are those of the tables."""
    claimed, nodes = document["statement"], document["graph"]["nodes"]
    own = dict(env)
    learned = ((n, s["origin"]) for n, s in claimed["symbols"].items())
    origins = {name: nodes[origin] for name, origin in learned if origin is not None}
    for name, node in origins.items():
        if node["kind"] == "count":
            own[name] = float(len(pair[0][0]))
    bounds = {n: node for n, node in origins.items() if node["kind"] == "bound"}
    for _ in range(1 + bool(bounds)):
        fixed = dict(own)
        tables = tuple(Table(x, y, lambda f, e=fixed: number(f, e), seed) for x, y in pair)
        values = tuple(computed(nodes, table) for table in tables)
        for name, node in bounds.items():
            statistic = nodes[node["inputs"][0]]["inputs"][0]
            pick = max if node["upper"] else min
            own[name] = float(pick(float(v[statistic]) for v in values))
    k = number(claimed["rows_per_person"], own)
    return Seen(nodes, tables, values, own, claimed["relation"] == "replace_one", k)


def usages(document: Json, seen: Seen) -> tuple[float, float]:
    """Of the claim and, by basic composition, of its steps, on one pair."""
    claimed, nodes = document["statement"], seen.nodes
    target = claimed["target"]
    amounts = [seen.get(amount) for amount in target["amounts"]]
    coins = [node for node in nodes if node["kind"] == "thinning"]
    for coin in coins:  # on the sample; what is not of the sample costs at most epsilon
        amounts[0] = seen.get(coin["threshold"])
    all_of = releases(nodes, seen.values, seen.env)
    whole = claim_usage(target["kind"], amounts, all_of) if all_of else 0.0
    if claimed["derivation"] != "basic":
        return whole, 0.0
    others = [n for n in nodes if n["kind"] in RELEASED and "share" in n and n["kind"] != "release"]
    steps = [s.usage for s in all_of if s.draws > 0] + [procedure_usage(seen, n) for n in others]
    shares = [share_of(node["share"], seen.env) for node in others]
    shares += [
        (s.share[0] * s.draws, s.share[1] * s.draws) for s in all_of if s.share and s.loss > 0
    ]
    shares += [(0.0, seen.get(n["failure"])) for n in nodes if n["kind"] == "bound"]
    sums = [math.fsum(s[i] for s in shares) for i in range(2)]
    steps.append(sums[0] / amounts[0])
    if len(amounts) > 1:
        steps.append(sums[1] / amounts[1])
    elif sums[1] > 0:
        steps.append(math.inf)
    return whole, max(steps)
