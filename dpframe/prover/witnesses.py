"""Search for the steps of a proof: what the kernel replays. Nothing here is trusted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import Any

from dpframe.exact.contour import Draws, Line
from dpframe.exact.documents import Range
from dpframe.exact.enclosure import exactly
from dpframe.exact.formula import Formula, atom_text
from dpframe.exact.interval import Interval, exp, floor_to, log, magnitude, middle
from dpframe.exact.limits import HALF, MAX_BOXES, ONE, ZERO, Json, Unbounded
from dpframe.exact.ring import Ring
from dpframe.exact.signs import Claim, Patch, Sign, Steps, affine, enclosed, patch_of
from dpframe.kernel import Verdict, check
from dpframe.kernel.checker import Inside
from dpframe.theory.at import At
from dpframe.theory.boxes import Box, Boxes, halved
from dpframe.theory.derivations import Contour
from dpframe.theory.gaussian import Tail

MAX_PATCHES, MAX_SPLITS = 200, 100


def proved(document: Mapping[str, Json]) -> dict[str, Json]:
    """A document with the proof that was found for it, complete where the kernel accepts it."""
    steps, _ = _replayed(json.dumps(document))
    return {**document, "proof": {"steps": json.loads(steps)}}


def replayed(document: Mapping[str, Json]) -> Verdict:
    """The kernel's verdict on a document with the proof that was found for it."""
    return _replayed(json.dumps(document))[1]


@lru_cache(maxsize=64)
def _replayed(text: str) -> tuple[str, Verdict]:
    """The steps that were found for a document, and what the kernel says of it with them."""
    document = json.loads(text)
    steps = _found(document)
    return json.dumps(steps), check({**document, "proof": {"steps": steps}})


def _found(document: Mapping[str, Json]) -> dict[str, Json]:
    found, bare = Searched(), {**document, "proof": {"steps": {}}}
    check(bare, steps=found)
    steps = {key: step for key, step in found.found.items() if key in found.used}
    if found.nested:  # some steps may be those of what was tried in vain: a replay reads no others
        replayed = Steps(steps)
        check(bare, steps=replayed)
        steps = {key: step for key, step in steps.items() if key in replayed.used}
    return steps


class Searched(Steps):
    """Steps that are searched for when they are asked for; `nested` where a search asked for
    others.
    """

    def __init__(self) -> None:
        self.found: dict[str, Json] = {}
        self.failed: set[str] = set()
        self.searching, self.nested = 0, False
        super().__init__(self.found)

    def find(self, claim: Claim) -> Json | None:
        """The step for a claim, found once."""
        key = claim.key
        if key not in self.found and key not in self.failed:
            self.nested |= self.searching > 0
            self.searching += 1
            step = _search(claim)
            self.searching -= 1
            if step is None:
                self.failed.add(key)
            else:
                self.found[key] = step
        return self.found.get(key)


def _search(claim: Claim) -> Json | None:
    match claim:
        case Sign():
            return _sign(claim)
        case Boxes():
            return _boxes(claim)
        case Tail():
            return _tail(claim)
        case Contour():
            return _contour(claim)
        case Inside():
            return _inside(claim)
    return None


def _sign(claim: Sign) -> Json | None:
    if affine(claim.part, strict=claim.strict):
        return {"by": "affine"}
    patch = patch_of(claim.part)
    tree = None if patch is None else _tree(patch, strict=claim.strict)
    if tree is not None:
        return {"by": "bernstein", "tree": tree}
    if enclosed(claim.f, strict=claim.strict):
        return {"by": "enclosure"}
    return _above_logs(claim)


def _above_logs(claim: Sign) -> Json | None:
    """Bernstein coefficients over logarithms that are bounded below by their least values at
    corners.
    """
    ring, part = claim.part.ring, claim.part
    logs = sorted({g for mono in part.terms for g, _ in mono if ring.atoms[g].kind == "log"})
    floors = {}
    for g in logs:
        top, bottom = ring.atoms[g].args
        least = min(_corners(ring, top, bottom), default=ZERO)
        floor = floor_to(log(least, 64).lower, 40) if least > 0 else ZERO
        if floor > 0 and ring.prove(top - bottom * exp(floor, 64).upper):
            floors[g] = floor
    patch = patch_of(part, floors) if floors else None
    tree = None if patch is None else _tree(patch, strict=claim.strict)
    named = {atom_text(ring.atoms[g]): str(floor) for g, floor in floors.items()}
    return None if tree is None else {"by": "bernstein", "tree": tree, "logs": named}


def _corners(ring: Ring, top: Formula, bottom: Formula) -> Iterator[Fraction]:
    """Values of a quotient at corners of the domain's closure, where they are rational."""
    atoms = [a for a in ring.atoms if a.kind == "symbol" and a.name in ring.depends(top, bottom)]
    ends = [[end for end in atom.range[:2] if end is not None] for atom in atoms[:6]]
    for point in product(*ends):
        at = dict(zip((atom.name for atom in atoms), point, strict=False))
        above, below = exactly(ring, top, at), exactly(ring, bottom, at)
        if above is not None and below:
            yield above / below


def _tree(patch: Patch, *, strict: bool) -> str | None:
    """A subdivision whose leaves are good; None where a corner is negative, or it is large."""
    queue, marks = [patch], ""
    while queue:
        here = queue.pop()
        if here.good(strict=strict):
            marks += "."
            continue
        if len(marks) >= MAX_PATCHES or not here.corners():
            return None
        marks += "+"
        queue += here.halved()
    return marks


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


def _contour(claim: Contour) -> Json | None:
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
    a = min((v for q in insides for v in _corner_values(c, q)), default=ONE)
    most = max((v for R in totals for v in _corner_values(c, R)), default=HALF)
    for S in (most, most * Fraction(65, 64), most * Fraction(9, 8), most * Fraction(3, 2), HALF):
        yield a, S if S.denominator <= 1000 else Fraction(math.ceil(S * 64), 64)


def _corner_values(c: At, f: Formula) -> Iterator[Fraction]:
    """Values at some corners of the domain's closure, where they are rational."""
    names = sorted(c.ring.depends(f))[:6]
    ends = [[v for v in c.domains[name][:2] if v is not None] or [ONE] for name in names]
    for point in product(*ends):
        value = exactly(c.ring, f, dict(zip(names, point, strict=True)))
        if value is not None:
            yield value


def _line(at: Fraction, d: Fraction, joint_square: Fraction, pure: Sequence[Draws]) -> Line:
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
    return Line(floor_to(Fraction(c), 30), floor_to(Fraction(h), 30), count)
