"""Releases, functions of them, loops, released numbers and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpframe.exact.documents import keys, number
from dpframe.exact.formula import Formula
from dpframe.exact.interval import Interval, transcendental
from dpframe.exact.limits import Json, Refused
from dpframe.exact.ring import NAME
from dpframe.exact.text import text_of

from .at import At, Context
from .book import OF_BUDGETS, PLAIN, SPENT, THEOREMS, kind
from .boxes import on_boxes
from .calibrations import moved_by
from .facts import SEEN, Bound, Iterate, Known, Post, Release, StatisticFacts, public
from .guarantees import GUARANTEES
from .mechanisms import Noise, noise_of
from .personal import believed, named, settled


def exactly_drawn(c: At, statistic: StatisticFacts, noise: Noise) -> None:
    """Discrete noise is for whole numbers; what is on no grid is drawn in floating point."""
    whole = bool(statistic.steps) and all(step.constant == 1 for step in statistic.steps)
    c.require(whole or not noise.whole, "discrete noise is for whole numbers")
    if not (statistic.steps and noise.on_grid):
        c.idealized.append(c.where)


def of_samples(c: At, statistic: StatisticFacts, sampled: Json) -> bool:
    """Whether each draw reads a sample of its own, at a rate. Raises Refused."""
    rated = statistic in c.past.sums and 0 < number(sampled or "0", c.where) <= 1
    c.require(sampled is None or rated, "sampled: a rate in (0, 1], for a sum over records")
    return sampled is not None


@kind("release", StatisticFacts, answers=SPENT)
def _release(
    c: At,
    statistic: StatisticFacts,
    *,
    mechanism: Json,
    size: Json,
    rule: Json,
    share: Json,
    times: Json,
    name: Json,
    sampled: Json = None,
    states: Json = None,
) -> Release:
    """The statistic plus noise of its own, `times` times over; of samples it costs no more."""
    texts = all(type(text) is str for text in (mechanism, rule, name))
    c.require(texts and (name or "a").isidentifier(), "mechanism, rule and name must be names")
    foreign = ":" in mechanism
    if not foreign:
        c.require((mechanism, rule) in THEOREMS, f"mechanism and rule: one of {sorted(THEOREMS)}")
        c.require(states is None, "states: null, for a mechanism of the rule book")
    drawn = noise_of(mechanism)
    mechanism = drawn.instead_of or mechanism
    one = statistic.l1 if drawn.norm == "L1" else statistic.l2
    c.require(one is not None, "its statistic must have a derived sensitivity")
    amounts, noise, draws = amounts_of(c, share), c.positive(size, "size"), c.whole(times, "times")
    settled(c, draws)
    part = of_samples(c, statistic, sampled)
    exactly_drawn(c, statistic, drawn)
    stated = on_trust(c, statistic, mechanism, noise, states) if foreign else None
    return Release(c.where, statistic, mechanism, noise, rule, amounts, draws, part, stated)


def on_trust(
    c: At, statistic: StatisticFacts, mechanism: str, size: Formula, states: Json
) -> dict[str, Formula]:
    """What a mechanism from outside states of one draw: amounts of a guarantee, for any statistic
    that moves by at most `move` in `norm`. This one does, for all rows of one person.
    """
    believed(c, mechanism)
    c.require(not c.personal_budgets(), "budgets of each record are spent on noise of the book")
    keys(states, c.where, norm=str, move=object, amounts=dict)
    moves = {"L1": statistic.l1, "L2": statistic.l2}
    one, most = moves.get(states["norm"]), c.formula(states["move"])
    if one is None:
        raise Refused(f"{c.where}: norm: L1 or L2, in which its statistic has a bound")
    c.at_least(most, c.rows * one, "move must be what one person moves the statistic by, or more")
    known = [set(one.currency) for one in GUARANTEES.values()]
    c.require(set(states["amounts"]) in known, f"amounts of one of {[sorted(s) for s in known]}")
    amounts = {key: c.positive(value, key) for key, value in states["amounts"].items()}
    given = ", ".join(f"{key} = {text_of(value)}" for key, value in amounts.items())
    moved = f"of a statistic that moves by at most {text_of(most)} in {states['norm']}"
    drawn = f"{c.where.partition(' (')[0]}: one draw of size {text_of(size)}"
    c.believed[mechanism].append(f"{drawn}, {moved}: {given}")
    return amounts


def amounts_of(c: At, share: Json) -> dict[str, Formula] | None:
    """What a release claims of the budget, by currency; None where it claims nothing."""
    known = [set(one.currency) for one in GUARANTEES.values()]
    own = share is None or (type(share) is dict and set(share) in known)
    c.require(own, f"share: null, or amounts of one of {[sorted(s) for s in known]}")
    amounts = None if share is None else {key: c.formula(value) for key, value in share.items()}
    settled(c, *(amounts or {}).values())
    return amounts


@kind("post", *SEEN, many=True, answers=OF_BUDGETS)
def _post(c: At, *inputs: Any, function: Json, digest: Json, arguments: Json) -> Post:
    """A function of releases, of constant statistics and of public formulas."""
    called(c, inputs, (function, digest, arguments))
    return Post()


def called(c: At, inputs: Sequence[Any], call: tuple[Json, Json, Json]) -> None:
    """A named function, and its arguments: public nodes and formulas, constants. Raises Refused."""
    function, digest, arguments = call
    c.require(type(function) is str and type(digest) is str, "function and digest are text")
    c.require(all(public(fact) for fact in inputs), "its inputs must be released")
    c.require(type(arguments) is list, "arguments must be a list")
    nodes = 0
    for argument in arguments:
        (kind_of,) = argument if type(argument) is dict and len(argument) == 1 else ("",)
        c.require(kind_of in ("node", "formula", "constant"), "node, formula or constant")
        c.require(kind_of != "node" or argument["node"] is None, "node must be null")
        nodes += kind_of == "node"
        if kind_of == "formula":
            c.formula(argument["formula"])
    c.require(nodes == len(inputs), "one node argument for each input")


@kind("iterate", answers=PLAIN)
def _iterate(at: Context, *, name: Json, size: Json) -> Iterate:
    """The point of a loop: made of what the loop has released so far."""
    at.require(type(name) is str, "name must be text")
    return Iterate(at.whole(size, "size"))


@kind("loop", Iterate, *SEEN, many=True, answers=OF_BUDGETS)
def _loop(c: At, *inputs: Any, function: Json, digest: Json, arguments: Json) -> Post:
    """Every point: the next is made of the last one, the answer there, and what was released before
    the loop. One answer's guarantee holds at every point, so all compose.
    """
    fits = len(inputs) > 1 and type(inputs[0]) is Iterate and type(inputs[-1]) is Release
    c.require(fits, "a point, what was released before, and a release")
    point, *others, step = inputs
    called(c, others, (function, digest, arguments))
    points = c.past.points
    read = [*others, *(c.past.symbols[n] for n in c.past.reads & c.past.symbols.keys())]
    c.require(not any(point in points[one] for one in read), "arguments are known before the loop")
    once = point in points[step] and point not in c.past.loops
    c.require(once, "its release must read the point, which has one loop")
    c.past.loops[point] = step
    return Post()


@kind("known", *SEEN, many=True, answers=PLAIN)
def _known(c: At, *values: Any, name: Json) -> Known:
    """A released number for formulas to read: what they claim is shown for all of its range."""
    fits = len(values) == 1 and isinstance(values[0], (Release, Post, Known))
    c.require(fits, "a release, or a function of releases")
    return Known(own_name(c, name))


def own_name(c: At, name: Json) -> str:
    """The name of a released number, which nothing else has. Raises Refused."""
    c.require(type(name) is str and NAME.match(name), "name must be a name")
    c.require(name not in c.ring.symbols and not named(c, name), f"{name} must be its own name")
    return str(name)


@kind("bound", Release, answers=PLAIN)
def _bound(
    c: At,
    release: Release,
    *,
    name: Json,
    upper: Json,
    stds: Json,
    margin: Json,
    failure: Json,
) -> Bound:
    """f(D) + N moved by stds and margin >= sensitivity: on one side of f on both neighbours unless
    |N| > stds, and of f on every table between them.
    """
    once = release.times.constant == 1 and not release.sampled and not release.statistic.shape
    fits = once and release.noise.loss.gaussian and type(upper) is bool
    c.require(fits, "a bound is of one number that is drawn once, with Gaussian noise")
    paid, far = c.positive(failure, "failure"), c.formula(stds)
    settled(c, paid)
    c.at_least(c.formula(margin), moved_by(c, release), "the margin must cover the sensitivity")
    c.at_least(far, 0, "stds must not be negative")
    c.require(tail_paid(c, far, paid), "exp(-stds^2/2)/2 <= failure was not shown")
    return Bound(own_name(c, name), release.statistic, upper, paid)


def tail_paid(c: At, far: Formula, failure: Formula) -> bool:
    """Whether exp(-far^2/2)/2 <= failure, for far >= 0: exactly for far^2 = 2 k log(A), k whole,
    where it says 2 A^k failure >= 1; or else on boxes.
    """
    square, ring = far**2, c.ring
    for mono, twice in square.pairs if len(square.terms) == 1 else ():
        k = twice / 2
        logs = [ring.atoms[g] for g, e in mono if e == 1 and ring.atoms[g].kind == "log"]
        whole = len(logs) == len(mono) == 1 and k.denominator == 1 and abs(k) <= 64
        if whole and ring.prove(logs[0].args[1], strict=True):
            top, bottom = logs[0].args
            return ring.prove((top / bottom) ** k * failure * 2 - 1)

    def decide(ends: Sequence[Interval] | None) -> bool:
        if ends is None or ends[0][0] < 0:
            return False
        return transcendental("exp", -(ends[0][0] ** 2) / 2, 96)[1] / 2 <= ends[1][0]

    return on_boxes(c, "tail", [far, failure], decide)
