"""Releases, functions of them, loops, released numbers and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from dpframe.exact.documents import HALF, Json, Refused, keys
from dpframe.exact.formula import Formula, text_of
from dpframe.exact.interval import Interval, exp
from dpframe.exact.ring import NAME

from .at import At, Context
from .book import THEOREMS, Number, Positive, Read, Whole, kind
from .calibrations import moved_by
from .facts import Bound, Iterate, Known, Post, Public, Release, StatisticFacts
from .guarantees import GUARANTEES
from .mechanisms import Noise, noise_of
from .personal import named


def exactly_drawn(c: At, statistic: StatisticFacts, noise: Noise) -> None:
    """Discrete noise is for whole numbers, a selection for a vector; what is on no grid is drawn in
    floating point.
    """
    vector = len(statistic.shape) == 1 and not statistic.stacked
    c.require(vector or not noise.selects, "one entry is chosen of a vector, of no stack")
    whole = bool(statistic.steps) and all(step.constant == 1 for step in statistic.steps)
    c.require(whole or not noise.whole, "discrete noise is for whole numbers")
    if not (statistic.steps and noise.on_grid):
        c.idealized.append(c.where)


def amounts_of(c: At, value: Json, _: str = "", *, positive: bool = False) -> dict[str, Formula]:
    """Amounts of a guarantee, by currency. Raises Refused."""
    known = [set(one.currency) for one in GUARANTEES.values()]
    c.require(type(value) is dict and set(value) in known, f"amounts of one of {[*GUARANTEES]}")
    return {key: c.positive(one, key) if positive else c.formula(one) for key, one in value.items()}


Amounts: TypeAlias = Annotated[dict[str, Formula], amounts_of]


@kind("release", reads_own_budget=True, record_by_record=True)
def _release(
    c: At,
    statistic: StatisticFacts,
    *,
    mechanism: str,
    size: Positive,
    rule: str,
    share: Amounts | None,
    times: Whole,
    name: str,
    sampled: Number | None = None,
    states: Json = None,
) -> Release:
    """The statistic plus noise of its own, `times` times over; each draw on a sample, if any."""
    c.require((name or "a").isidentifier(), "name must be a name")
    foreign, by = ":" in mechanism, "stated" if ":" in rule else rule
    known = foreign or ((mechanism, by) in THEOREMS and states is None)
    c.require(known, "mechanism and rule: of the rule book, and states: null")
    drawn = noise_of(mechanism)
    mechanism = drawn.instead_of or mechanism
    one = statistic.move(drawn.norm)
    c.require(one is not None, "its statistic must have a derived sensitivity")
    c.settled(times, *(share or {}).values())
    rated = sampled is None or (statistic in c.past.sums and 0 < sampled <= 1)
    c.require(rated, "sampled: a rate in (0, 1], for a sum over records")
    exactly_drawn(c, statistic, drawn)
    stated = on_trust(c, statistic, mechanism, size, states) if foreign else None
    made = Release(c.where, statistic, mechanism, size, rule, share, times, sampled, stated)
    return by_theorem(c, made) if ":" in rule else made


def by_theorem(c: At, r: Release) -> Release:
    """A release by a theorem from outside, which is believed of noise of this size for a statistic
    that moves by no more. Raises Refused.
    """
    c.trust(r.rule)
    c.require(not c.personal_budgets(), "budgets of each record are spent by theorems of the book")
    noise = f"{r.mechanism} noise of size {text_of(r.size)}"
    c.state(r.rule, f"{noise}, {moves(moved_by(c, r), r.noise.norm, r.share)}")
    return r


def moves(most: Formula, norm: str, amounts: dict[str, Formula] | None) -> str:
    """`of a statistic that moves by at most 2 in L1: epsilon = 1`."""
    given = ", ".join(f"{key} = {text_of(value)}" for key, value in (amounts or {}).items())
    return f"of a statistic that moves by at most {text_of(most)} in {norm}: {given or 'no share'}"


def on_trust(
    c: At, statistic: StatisticFacts, mechanism: str, size: Formula, states: Json
) -> dict[str, Formula]:
    """What a mechanism from outside states of one draw: amounts of a guarantee, for any statistic
    that moves by at most `move` in `norm`. This one does, for all rows of one person. Parameters of
    the law are public formulas, too.
    """
    c.trust(mechanism)
    c.require(not c.personal_budgets(), "budgets of each record are spent on noise of the book")
    more = {"parameters": dict} if type(states) is dict and "parameters" in states else {}
    keys(states, c.where, norm=str, move=object, amounts=dict, **more)
    norm, most = states["norm"], c.formula(states["move"])
    one = statistic.move(norm) if norm in ("L1", "L2") else None
    if one is None:
        raise Refused(f"{c.where}: norm: L1 or L2, in which its statistic has a bound")
    c.at_least(most, c.rows * one, "move must be what one person moves the statistic by, or more")
    amounts = amounts_of(c, states["amounts"], positive=True)
    parameters = {name: c.formula(one) for name, one in states.get("parameters", {}).items()}
    c.settled(*parameters.values())
    law = "".join(f", {name} = {text_of(one)}" for name, one in parameters.items())
    c.state(mechanism, f"one draw of size {text_of(size)}{law}, {moves(most, norm, amounts)}")
    return amounts


@kind("post", reads_own_budget=True)
def _post(c: At, *inputs: Public, function: str, digest: str, arguments: list[Json]) -> Post:
    """A function of releases, of constant statistics and of public formulas."""
    called(c, inputs, arguments)
    return Post()


def called(c: At, inputs: Sequence[Any], arguments: Sequence[Json]) -> None:
    """Arguments of a function: public nodes and formulas, constants. Raises Refused."""
    nodes = 0
    for argument in arguments:
        match argument:
            case {"node": None, **more} if not more:
                nodes += 1
            case {"formula": value, **more} if not more:
                c.formula(value)
            case {"constant": _, **more} if not more:
                pass
            case _:
                raise Refused(f"{c.where}: an argument is a node (null), formula or constant")
    c.require(nodes == len(inputs), "one node argument for each input")


@kind("iterate")
def _iterate(at: Context, *, name: str, size: Whole) -> Iterate:
    """The point of a loop: made of what the loop has released so far."""
    return Iterate(size)


@kind("loop", reads_own_budget=True)
def _loop(
    c: At, point: Iterate, *inputs: Public, function: str, digest: str, arguments: list[Json]
) -> Post:
    """Every point: the next is made of the last one, the answer there, and what was released before
    the loop. One answer's guarantee holds at every point, so all compose.
    """
    step: Any = inputs[-1] if inputs else None
    c.require(type(step) is Release, "a point, what was released before, and a release")
    called(c, inputs[:-1], arguments)
    points = c.past.points
    read = [*inputs[:-1], *(c.past.symbols[n] for n in c.past.reads & c.past.symbols.keys())]
    c.require(not any(point in points[one] for one in read), "arguments are known before the loop")
    once = point in points[step] and point not in c.past.loops
    c.require(once, "its release must read the point, which has one loop")
    c.past.loops[point] = step
    return Post()


@kind("known")
def _known(c: At, _: Release | Post | Known, *, name: str) -> Known:
    """A released number for formulas to read: what they claim is shown for all of its range."""
    return Known(own_name(c, name))


def own_name(c: At, name: str) -> str:
    """The name of a released number, which nothing else has. Raises Refused."""
    c.require(NAME.match(name), "name must be a name")
    c.require(name not in c.ring.symbols and not named(c, name), f"{name} must be its own name")
    return name


@kind("bound")
def _bound(
    c: At, release: Release, *, name: str, upper: bool, stds: Read, margin: Read, failure: Positive
) -> Bound:
    """f(D) + N moved by stds (of Laplace noise: scales) and margin >= sensitivity: on one side of f
    on both neighbours unless |N| > stds, and of f on every table between them.
    """
    once = release.times.constant == 1 and not release.sampled and not release.statistic.shape
    loss = release.noise.loss
    rule = "a bound is of one number that is drawn once, with Gaussian or Laplace noise"
    c.require(once and loss.tail, rule)
    c.settled(failure)
    c.at_least(margin, moved_by(c, release), "the margin must cover the sensitivity")
    c.at_least(stds, 0, "stds must not be negative")
    tail = "exp(-stds^2/2)/2" if loss.gaussian else "exp(-stds)/2"
    c.require(tail_paid(c, stds, failure, loss.gaussian), f"{tail} <= failure was not shown")
    return Bound(own_name(c, name), release.statistic, upper, failure)


def tail_paid(c: At, far: Formula, failure: Formula, normal: bool) -> bool:  # noqa: FBT001
    """Whether exp(-far^2/2)/2 <= failure, of Laplace noise exp(-far)/2, for far >= 0: exactly for
    far^2/2 = k log(A), or far, k whole, where it says 2 A^k failure >= 1; or else on boxes.
    """
    power, ring = far**2 * HALF if normal else far, c.ring
    for mono, k in power.pairs if len(power.terms) == 1 else ():
        logs = [ring.atoms[g] for g, e in mono if e == 1 and ring.atoms[g].kind == "log"]
        whole = len(logs) == len(mono) == 1 and k.denominator == 1 and abs(k) <= 64
        if whole and ring.prove(logs[0].args[1], strict=True):
            top, bottom = logs[0].args
            return ring.prove((top / bottom) ** k * failure * 2 - 1)

    def decide(ends: Sequence[Interval]) -> bool:
        least = ends[0][0] ** 2 / 2 if normal else ends[0][0]
        return ends[0][0] >= 0 and exp(-least, 96)[1] / 2 <= ends[1][0]

    return c.on_boxes("tail" if normal else "laplace tail", [far, failure], decide)
