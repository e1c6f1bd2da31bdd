"""Search for the steps of a proof: what the kernel replays. Nothing here is trusted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import Any

from dpframe.exact.documents import HALF, MAX_BOXES, ONE, ZERO, Json, Range, Refused, Unbounded
from dpframe.exact.formula import Formula, atom_text
from dpframe.exact.interval import Interval, floor_to, magnitude, middle
from dpframe.exact.profile import ContourLine, Draws
from dpframe.exact.ring import Ring
from dpframe.exact.signs import Patch, Sign, StepClaim, Steps, extrema, patch_of, place
from dpframe.kernel import Verdict, check
from dpframe.kernel.checker import Inside
from dpframe.theory.at import At, Box, Boxes, halved
from dpframe.theory.derivations import ContourClaim
from dpframe.theory.gaussian import Tail

MAX_PATCHES, MAX_SPLITS, MAX_EXTREMA, MAX_SQUARED, MAX_NESTED = 200, 100, 2, 4, 6


def proved(document: Mapping[str, Json]) -> dict[str, Json]:
    """A document with the proof that was found for it, complete where the kernel accepts it."""
    steps, _ = _replayed(_checked(document))
    return {**document, "proof": {"steps": json.loads(steps)}}


def replayed(document: Mapping[str, Json], *, total: bool = True) -> Verdict:
    """The kernel's verdict on a document with the proof that was found for it; without the `total`,
    on everything but the sum of the costs.
    """
    return _replayed(_checked(document), total=total)[1]


def _checked(document: Mapping[str, Json]) -> str:
    """What the kernel reads of a document: where a graph was declared is not part of it."""
    return json.dumps({**document, "declaration": {}})


@lru_cache(maxsize=64)
def _replayed(text: str, *, total: bool = True) -> tuple[str, Verdict]:
    """The steps that were found for a document, and what the kernel says of it with them."""
    document = json.loads(text)
    steps = _found(document, total=total)
    return json.dumps(steps), check({**document, "proof": {"steps": steps}}, total=total)


def _found(document: Mapping[str, Json], *, total: bool) -> dict[str, Json]:
    searched, bare = SearchedSteps(), {**document, "proof": {"steps": {}}}
    check(bare, steps=searched, total=total)
    steps = {key: step for key, step in searched.found.items() if key in searched.used}
    if searched.nested:  # some steps may be of what was tried in vain: a replay reads no others
        replayed = Steps(steps)
        check(bare, steps=replayed, total=total)
        steps = {key: step for key, step in steps.items() if key in replayed.used}
    return steps


class SearchedSteps(Steps):
    """Steps that are searched for when the kernel requires them; `nested` where a search required
    others.
    """

    def __init__(self) -> None:
        self.found: dict[str, Json] = {}
        self.failed: set[str] = set()
        self.searching, self.nested = 0, False
        super().__init__(self.found)

    def find(self, claim: StepClaim) -> Json | None:
        """The step for a claim, found once."""
        key = claim.key
        if key not in self.found and key not in self.failed and self.searching < MAX_NESTED:
            self.nested |= self.searching > 0
            self.searching += 1
            step = SEARCHES[type(claim)](claim)
            self.searching -= 1
            if step is None:
                self.failed.add(key)
            else:
                self.found[key] = step
        return self.found.get(key)


def _sign(claim: Sign) -> Json | None:
    patch = patch_of(claim.part)
    tree = None if patch is None else _tree(patch, strict=claim.strict)
    if tree is not None:
        return {"by": "bernstein", "tree": tree}
    return _squares(claim) or _cases(claim)


def _squares(claim: Sign) -> Json | None:
    """Both sides squared, where a root of a sum occurs that this turns into the sum."""
    f = claim.part
    if len(f.terms) > MAX_SQUARED or not f.ring.rooted(f):
        return None
    before = memory_of(f.ring)
    with suppress(Refused):
        if claim.squared():
            return {"by": "squares"}
    vars(f.ring).update(before)
    return None


def _cases(claim: Sign) -> Json | None:
    """One argument of a minimum or maximum and something beyond it, or each argument."""
    ring = claim.part.ring
    for g in extrema(claim.part)[:MAX_EXTREMA]:
        every: dict[str, Json] = {"by": "cases", "of": atom_text(ring.atoms[g])}
        for i in (*range(len(ring.atoms[g].args)), None):
            step, before = every if i is None else {**every, "beyond": i}, memory_of(ring)
            with suppress(Refused):
                if claim.shown(step):
                    return step
            vars(ring).update(before)  # a replay does not try in vain, and numbers atoms in turn
    return None


def memory_of(ring: Ring) -> dict[str, Any]:
    """All that a ring keeps in mind, as it is now."""
    return {name: copy(held) for name, held in vars(ring).items() if isinstance(held, (dict, list))}


def _tree(patch: Patch, *, strict: bool) -> str | None:
    """A subdivision whose leaves are good; None where a corner is negative, or it is large."""
    queue, marks = [patch], ""
    while queue:
        here = queue.pop()
        if here.good(strict=strict):
            marks += "."
            continue
        if len(marks) >= MAX_PATCHES or not _corners(here):
            return None
        marks += "+"
        queue += here.halved()
    return marks


def _corners(patch: Patch) -> bool:
    """Whether p >= 0 at every corner."""
    at = product(*((0, n - 1) for n in patch.shape))
    return all(patch.flat[place(corner, patch.shape)] >= 0 for corner in at)


def _boxes(claim: Boxes) -> Json | None:
    if claim.whole is None:
        return None
    if not claim.spans:
        bits = next((bits for bits in (96, 300) if claim.holds({}, bits)), None)
        return None if bits is None else {"by": "boxes", "tree": ".", "bits": bits}
    tried = islice(points(claim.spans, {}), 8)
    if not all(claim.holds({n: Interval(v, v) for n, v in at.items()}) for at in tried):
        return None  # where it fails at a point, boxes are of no use
    queue: list[Any] = [(claim.whole, 0)]
    marks: list[str] = []
    while queue and len(marks) < MAX_BOXES:
        box, depth = queue.pop()
        if claim.holds(box):
            marks.append(".")
            continue
        if depth > MAX_SPLITS:
            return None
        marks.append(_side(box, claim.holds))
        queue += [(half, depth + 1) for half in halved(box, marks[-1])]
    return None if queue else {"by": "boxes", "tree": " ".join(marks), "bits": 96}


def _tail(claim: Tail) -> Json | None:
    pairs: list[list[str]] = []
    for a, S in _tails(claim):
        pair = [str(a), str(S)]
        if pair not in pairs and len(pairs) < 8 and claim.serves(a, S):
            pairs.append(pair)
            if len(claim.c.region) <= 1:
                break
    return {"by": "E1", "pairs": pairs} if pairs else None


def _contour(claim: ContourClaim) -> Json | None:
    try:
        c, h, n = _line(claim.e, claim.d, claim.square, claim.parts)
    except (Unbounded, ArithmeticError, ValueError):  # numbers too far out for a line
        return None
    step = {"by": "contour", "c": str(c), "h": str(h), "n": n}
    return step if claim.shown(step) else None


def _inside(claim: Inside) -> Json | None:
    for at in points(claim.spans, claim.given):
        if claim.holds(at):
            return {"by": "point", "at": {name: str(value) for name, value in at.items()}}
    return None


def points(
    spans: Mapping[str, Range], fixed: Mapping[str, Fraction]
) -> Iterator[dict[str, Fraction]]:
    """Some points of a box, ordinary ones first; `fixed` coordinates are kept."""
    choices = {name: [fixed[name]] if name in fixed else some(span) for name, span in spans.items()}
    if all(choices.values()):
        for k in range(120 if choices else 1):
            yield {
                name: values[(k + (k // 10) * i * 3) % len(values)]
                for i, (name, values) in enumerate(choices.items())
            }


def some(span: Range) -> list[Fraction]:
    """Some numbers in a range."""
    low, high = span.lower, span.upper
    small = [Fraction(1, 10**k) for k in (3, 6, 12, 40)]
    if low is not None and high is not None:
        parts = [HALF, HALF / 2, 3 * HALF / 2, *small, 1 - small[0], 1 - small[1], ZERO, ONE]
        tries = [low + (high - low) * part for part in parts]
    else:
        steps = [ONE, Fraction(2), HALF, *small, Fraction(10), 1 / small[0], 1 / small[1], ZERO]
        tries = [high - step if high is not None else (low or ZERO) + step for step in steps]
    tries = [Fraction(round(t)) for t in tries] if span.integer else tries
    return list(dict.fromkeys(t for t in tries if t in span))


def _side(box: Box, settled: Callable[[Box], bool]) -> str:
    """A side whose width alone is too much, or else the relatively widest."""

    def width(name: str) -> float:
        low, high = box[name]
        if low <= 0:
            return 4 * float(high > low)
        return float(high / low - 1) if high < 4 * low else 3 + magnitude(high / low)

    names = sorted(box, key=width, reverse=True)
    middles = {name: middle(*box[name]) for name in names}
    alone = (n for n in names[:4] if settled({**box, n: Interval(middles[n], middles[n])}))
    return next(alone, names[0])


def _tails(claim: Tail) -> Iterator[tuple[Fraction, Fraction]]:
    """Pairs (a, S) worth trying in E1: read off the region, then suggested by corners."""
    c, e, d, insides, totals = claim
    ring = c.ring
    log = ring.log(1 / d)
    for h in c.region[:32]:
        if h.left.key == e.key and len(log.terms) == 1:
            ((mono, sign),) = log.pairs
            slope = dict(h.right.pairs).get(mono, ZERO) / sign
            rest = h.right - log * slope - ring.log(ring.lift(2)) * 2
            g = next((g for mono in rest.terms for g, _ in mono), None)
            if slope >= 0 and g is not None and ring.atoms[g].kind == "log":
                top, bottom = (side.constant for side in ring.atoms[g].args)
                if top and bottom and rest.terms.keys() == {((g, 1),)}:
                    yield top / bottom, 1 / (slope + 2)
    least = min((v for q in insides for v in _corner_values(c, q)), default=ONE)
    most = max((v for R in totals for v in _corner_values(c, R)), default=HALF)
    more = (most * Fraction(factor) for factor in ("1", "65/64", "9/8", "3/2"))
    sums = [S if S.denominator <= 1000 else Fraction(math.ceil(S * 64), 64) for S in (*more, HALF)]
    yield from product((least, ONE), sums)


def _corner_values(c: At, f: Formula) -> Iterator[Fraction]:
    """Values at some corners of the domain's closure, where they are rational."""
    names = sorted(c.ring.depends(f))[:6]
    ends = [[v for v in c.domains[name][:2] if v is not None] or [ONE] for name in names]
    for point in product(*ends):
        value = exactly(c.ring, f, dict(zip(names, point, strict=True)))
        if value is not None:
            yield value


def exactly(ring: Ring, f: Formula, point: Mapping[str, Fraction]) -> Fraction | None:
    """The value at a point, if it is defined there and seen to be rational."""
    total = ZERO
    for mono, c in f.pairs:
        value = c
        for g, e in mono:
            atom = ring.atoms[g]
            inner = point.get(atom.name) if atom.kind == "symbol" else None
            if atom.kind == "sum":
                inner = exactly(ring, atom.args[0], point)
            if inner is None or e.denominator != 1 or (inner == 0 and e < 0):
                return None
            value *= inner ** int(e)
        total += value
    return total


def _line(at: Fraction, d: Fraction, joint_square: Fraction, pure: Sequence[Draws]) -> ContourLine:
    """c near the saddle, a step h and a number of nodes: any are sound, these are sharp near d."""
    e, square = float(at), float(joint_square)
    digits = 45 - math.log(d.numerator) + math.log(d.denominator)

    def bound(b: float) -> float:
        logs = (
            n * (b * x + math.log((b + 1 + b * math.exp(-(2 * b + 1) * x)) / (2 * b + 1)))
            for _, x, n in ((m, float(x), n) for m, x, n in pure)
        )
        return b * (b + 1) * square / 2 + sum(logs) - b * e - math.log(b) - math.log1p(b)

    c = min((2 ** (k / 8) for k in range(-160, 240)), key=bound)
    bend = max(square, (bound(1.02 * c) - 2 * bound(c) + bound(0.98 * c)) / (0.02 * c) ** 2)
    h = min(0.5 / math.sqrt(bend), 2 * math.pi * c / digits)
    count = 3 + int(math.sqrt(2 * digits / square) / h)
    if count > MAX_BOXES:
        raise Unbounded
    return ContourLine(floor_to(Fraction(c), 30), floor_to(Fraction(h), 30), count)


SEARCHES: dict[type, Callable[[Any], Json | None]] = {
    Sign: _sign,
    Boxes: _boxes,
    Tail: _tail,
    ContourClaim: _contour,
    Inside: _inside,
}
