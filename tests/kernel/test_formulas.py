"""Formulas in the kernel: signs that are shown hold, and huge formulas are refused."""

import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from tests.kernel.writing import (
    APPROX,
    LOG2,
    Graph,
    Json,
    add,
    certificate,
    classical,
    log,
    mul,
    power,
    symbol,
)
from tests.support import checking as check
from tests.support.operations import calls

DOMAINS = (
    symbol("0", "1"),
    symbol(),
    symbol("0", "1", "both"),
    symbol("1", closed="left", integer=True),
    symbol("-2", "3"),
    symbol("1/3", "5/2", "both"),
    symbol(None, "0"),
    symbol("0", closed="left"),
)


def any_formula(draw: random.Random, names: list[str], depth: int) -> Json:
    """A random formula, often undefined somewhere."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice([*names, *names, str(Fraction(draw.randint(-4, 6), draw.randint(1, 4)))])
    parts = [any_formula(draw, names, depth - 1) for _ in range(draw.randint(1, 3))]
    operation = draw.choice("+++***^^^") if draw.random() < 0.85 else ""
    if operation == "^":
        exponents = ["2", "-1", "1/2", "-1/2", "3", "1/3", "-2", "0", "3/2"]
        return ["^", parts[0], draw.choice(exponents)]
    return [operation, *parts] if operation else draw.choice([log(parts[0]), ["max", *parts]])


def value_of(formula: Json, point: dict[str, Fraction]) -> Any:
    """Its value by mpmath, straight from the JSON; ValueError where it is not defined."""
    if isinstance(formula, str):
        number = point.get(formula) or Fraction(0 if formula in point else formula)
        return mpmath.mpf(number.numerator) / number.denominator
    name, *parts = formula
    values = [value_of(part, point) for part in (parts[:1] if name == "^" else parts)]
    if name == "^":
        e = Fraction(parts[1])
        if (values[0] < 0 and e.denominator > 1) or (values[0] == 0 and e < 0):
            raise ValueError(formula)
        exact = int(e) if e.denominator == 1 else mpmath.mpf(e.numerator) / e.denominator
        return values[0] ** exact
    if name == "log" and values[0] <= 0:
        raise ValueError(formula)
    known = {"+": sum, "*": mpmath.fprod, "max": max, "log": lambda v: mpmath.log(v[0])}
    return known[name](values)


def points_in(draw: random.Random, spec: Json) -> Fraction:
    """A point of a domain, ends and large numbers included."""
    span = check.domain(spec, "")
    known = check.some(span)
    low = span.lower if span.lower is not None else Fraction(-100)
    high = span.upper if span.upper is not None else low + 10 ** draw.randint(0, 4)
    inside = low + (high - low) * Fraction(draw.randint(0, 997), 997)
    return draw.choice([*known, inside if inside in span else known[0]])


@pytest.mark.slow
def test_what_is_shown_of_random_formulas_is_true() -> None:
    """Accepted formulas are defined, equal their normal form, and have the sign that is shown."""
    draw, shown = random.Random(11), 0
    for _ in range(600):
        names = ["a", "b", "c"][: draw.randint(1, 3)]
        symbols = {name: draw.choice(DOMAINS) for name in names}
        checker = check.Checker()
        checker.declare(symbols)
        text = any_formula(draw, names, draw.randint(1, 4))
        try:
            formula = checker.ring.formula(text, "")
        except check.Refused:
            continue
        weak = checker.ring.prove(formula)
        strict = checker.ring.prove(formula, strict=True)
        shown += weak
        for _ in range(15):
            point = {name: points_in(draw, spec) for name, spec in symbols.items()}
            with mpmath.workdps(60):
                true = value_of(text, point)
                slack = mpmath.mpf(10) ** -40 * (1 + abs(true))
                assert not weak or true >= -slack, (text, symbols, point)
                assert not strict or true > 0 or abs(true) < slack, (text, symbols, point)
                box = {name: (value, value) for name, value in point.items()}
                for low, high in check.Enclosure(checker.ring, box, 160).ends(formula) or ():
                    assert low.numerator / mpmath.mpf(low.denominator) - slack <= true
                    assert high.numerator / mpmath.mpf(high.denominator) + slack >= true
    assert shown > 150


@pytest.mark.slow
def test_signs_of_polynomials_are_shown_up_to_their_minimum() -> None:
    """p - m is never shown positive for a value m of p, and mostly is just below the minimum."""
    draw, shown = random.Random(2), 0
    for _ in range(150):
        symbols = {name: draw.choice(DOMAINS) for name in "ab"}
        checker = check.Checker()
        checker.declare(symbols)
        terms = [
            mul(str(draw.randint(-5, 5)), *(power(name, str(draw.randint(0, 3))) for name in "ab"))
            for _ in range(4)
        ]
        p = checker.ring.formula(add(*terms), "")
        grid = [{n: points_in(draw, spec) for n, spec in symbols.items()} for _ in range(150)]
        least = min(check.exactly(checker.ring, p, point) for point in grid)
        assert not checker.ring.prove(p - least, strict=True)
        assert not checker.ring.prove(p - least - Fraction(1, 10**9))
        shown += checker.ring.prove(p - least + (1 + abs(least)) / 20)
    assert shown > 40


@pytest.mark.some(4)
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("below", [True, False])
def test_a_closed_end_is_looked_at_on_either_side(below: bool, closed: bool) -> None:
    """1 - x > 0 on (-inf, 1) and x + 1 > 0 on (-1, inf), not where the end belongs to them."""
    side = ("right" if below else "left") if closed else "neither"
    checker = check.Checker()
    ends = (None, "1") if below else ("-1", None)
    checker.declare({"x": symbol(*ends, side), "y": symbol("0", "1", "both")})
    x, y = (checker.ring.symbols[name] for name in "xy")
    f = 1 - x if below else x + 1
    for gap in (f, f * (y + 1), f * f + f * y):
        assert checker.ring.prove(gap, strict=True) is not closed
        assert checker.ring.prove(gap)


def test_signs_at_closed_and_open_ends() -> None:
    """x > 0 on (0, 1] and (0, inf), not on [0, 1); x - 1 >= 0 on whole numbers above 0."""
    checker = check.Checker()
    checker.declare(
        {
            "x": symbol("0", "1", "right"),
            "y": symbol("0", "1", "left"),
            "z": symbol(),
            "n": symbol("0", integer=True),
        }
    )
    ring = checker.ring
    x, y, z, n = (ring.symbols[name] for name in "xyzn")
    assert ring.prove(x, strict=True)
    assert ring.prove(y)
    assert not ring.prove(y, strict=True)
    assert ring.prove(1 - y, strict=True)
    assert not ring.prove(1 - x, strict=True)
    assert ring.prove(n - 1)
    assert not ring.prove(n - 1, strict=True)
    assert ring.prove(z**2 - z + 1, strict=True)
    assert not ring.prove(z**2 - z * 2 + Fraction(99, 100))
    assert ring.prove(x * y - x - y + 1)
    assert not ring.prove(x * y - x - y + 1, strict=True)


def many(releases: int) -> Json:
    """Distinct polynomial shares of ten symbols, each with its own theorem."""
    graph = Graph(columns="8")
    moment = graph.node("moment", graph.x, graph.y)
    for i in range(releases):
        less = mul(f"-{i + 1}/{releases + 1}", f"g{i % 10}", f"g{(3 * i + 1) % 10}")
        weight = mul(f"1/{releases}", add("1", less))
        e, d = mul(weight, "epsilon"), mul(weight, "delta")
        share = {"epsilon": e, "delta": d}
        graph.release(moment, classical(e, d, "1", "2"), share, "Gaussian.kamath_ullman")
    symbols = {**APPROX, **{f"g{i}": symbol("0", "1") for i in range(10)}}
    region = [["epsilon", mul("4", LOG2), False]]
    target = ["epsilon", "delta"]
    return certificate(graph, "approx", target, symbols, "basic", region=region)


def test_many_releases_are_accepted() -> None:
    """Every share has obligations of its own."""
    verdict = check.check(many(200))
    assert verdict.accepted, verdict.reason
    assert verdict.obligations > 2_000


def test_checking_costs_what_there_is_to_check() -> None:
    """Twice the releases are twice the work: no release is compared with every other."""
    once, twice = (calls(lambda n=n: check.check(many(n))) for n in (100, 200))
    assert twice < 2.3 * once


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(power(add("g", "h", "k", "l", "m", "n"), "48"), marks=pytest.mark.exhaustive),
        power(power("9" * 600, "64"), "64"),
        power("g", "65"),
        power("g", "1/65"),
        "9" * 701,
        add(*(f"1/{10**300 + k}" for k in range(3000))),
        ["min", *(add(a, mul(str(k), b)) for k in range(-3, 3) for a in "ghk" for b in "lmn")],
    ],
    ids=range(7),
)
@pytest.mark.slow
def test_huge_formulas_are_refused(size: Json) -> None:
    """Powers, numbers and sums that would take forever are refused instead."""
    symbols = {**APPROX, **{name: symbol("0", "1") for name in "ghklmn"}}
    graph = Graph()
    graph.release(graph.node("count", graph.x), size, {"epsilon": "epsilon", "delta": "delta"})
    assert not check.check(
        certificate(graph, "approx", ["epsilon", "delta"], symbols, "basic")
    ).accepted
