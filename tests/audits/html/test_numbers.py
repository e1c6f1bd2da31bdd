"""Numbers of the page are those of the findings, rounded to the side that their column says."""

import math
import re

import pytest

from dpframe.audits.pictures import ROW, Axes, AxisScale
from tests.support.html_pages import CASES, found_of, page_of, read

LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
POWER = re.compile(r"(?:([\d.]+)\s*×\s*)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")


def value(text):
    """`8.85 × 10⁻⁷`, `0.596`, `33.3 %`, as a number; None for a dash."""
    text = text.strip()
    if text in {"–", "no answer", ""}:
        return None
    found = POWER.fullmatch(text)
    if found:
        return float(f"{found[1] or 1}e{found[2].translate(LOWERED)}")
    part = text.removesuffix("%").strip()
    return float(part) / (100 if part != text else 1)


def table_of(name, place, *, head=False):
    """The rows of a table of the page of a case, without the heading; None where there is none."""
    found = [
        one for one in read(page_of(name)).walk() if one.attributes.get("id") == f"table-{place}"
    ]
    if not found:
        return None
    tables = read(page_of(name)).all("table")
    (table,) = [one for one in tables if one.one("caption").attributes["id"] == f"table-{place}"]
    return table.rows()[0 if head else 1 :]


def records_of(name, place):
    """The rows as dictionaries by the titles of the columns; a column without numbers is none."""
    head, *rows = table_of(name, place, head=True) or [()]
    return [dict(zip(head, row, strict=True)) for row in rows]


def up(shown, exact):
    """Whether a number is shown, rounded up to at least three digits."""
    if exact is None or not math.isfinite(exact):
        return shown is None or shown == exact
    return exact * (1 - 1e-12) <= shown <= exact * 1.011


def down(shown, exact):
    """Whether it is shown, rounded down."""
    return shown is None if exact is None else exact * 0.989 <= shown <= exact * (1 + 1e-12)


def near(shown, exact):
    """Whether it is shown, rounded to the nearest."""
    return shown is None if exact is None else shown == pytest.approx(exact, rel=6e-3)


def test_accountants(case):
    """At least and at most, tightest first, each with its name."""
    found = found_of(case)
    rows = records_of(case, "accountants")
    assert len(rows) == len(found.accountants)
    for row, one in zip(rows, found.accountants, strict=True):
        assert row["accountant"].startswith(one.name)
        assert down(value(row.get("at least", "–")), one.lower)
        assert up(value(row["at most"]), one.upper)
        judged = row.get("against the claim")
        assert (judged == "does not apply") == (one.upper is None)
    known = [one.upper for one in found.accountants if one.upper is not None]
    assert known == sorted(known, key=lambda one: float(f"{one:.9g}"))


def test_verdicts_of_accountants():
    """What is above is above, what is inside is inside."""
    judged = {
        row[0].split("composition")[0]: row[1] for row in table_of("proved jointly", "accountants")
    }
    assert judged["basic "] == "does not apply"  # the shares, the last row of that name
    assert table_of("refuted", "accountants")[0][1] == "above it: the claim is false"
    assert {row[1] for row in table_of("refuted", "accountants")[1:]} == {"does not prove it"}
    assert table_of("loop", "accountants")[0][1] == "inside it"


def test_profile(case):
    """Every sixth point."""
    found = found_of(case).profile
    rows = records_of(case, "profile")
    if found is None:
        assert rows == []
        return
    points = dict(zip(found.epsilons, zip(found.lower, found.upper, strict=True), strict=True))
    assert len(rows) >= 5
    for row in rows:
        epsilon, least, most = row["ε"], row.get("δ at least", "–"), row["δ at most"]
        at = min(points, key=lambda one: abs(one - value(epsilon)))
        assert near(value(epsilon), at)
        assert up(value(most), points[at][1])
        assert value(least) is None or down(value(least), points[at][0])


def test_split(case):
    """Shares in per cent, and the epsilon of the others, rounded up."""
    found = found_of(case).portions
    rows = table_of(case, "split")
    if len(found) < 2:
        assert rows is None
        return
    for row, one in zip(rows, found, strict=True):
        shares = [s for s in (one.claimed, one.true) if s is not None]
        numbers = [number for cell in row[2:] if (number := value(cell)) is not None]
        assert numbers[: len(shares)] == pytest.approx(shares, abs=6e-4)
        assert len(numbers) == len(shares) + (one.without is not None)
        assert one.without is None or up(numbers[-1], one.without)


def test_noise(case):
    """As declared, and as it is enough unless that is as much, or at the best split, which are
    rounded up.
    """
    found = found_of(case)
    rows = {row[0]: [value(cell) for cell in row[1:]] for row in table_of(case, "noise") or []}
    waste = None if found.waste is None or found.waste.tight else found.waste
    releases = [one for known in (waste, found.saving) if known for one in known.releases]
    sized = [one for one in releases if one[1]]
    assert rows.keys() == {name for name, *_ in sized}
    for name, declared, then in sized:
        assert near(rows[name][0], declared)
        assert any(up(shown, then) for shown in rows[name][1:])


def test_releases(case):
    """Of each release its noise, its mu, and what it costs at what it claims."""
    done = found_of(case).audit
    rows = table_of(case, "releases")
    lines = list(dict.fromkeys(done.lines))
    assert len(rows or []) == len(lines)
    for row, line in zip(rows or [], lines, strict=True):
        assert row[0].startswith(line.name)
        assert row[-1].strip("✓✗? ") == {"unproved": "not proved"}.get(line.claim, line.claim)
        text = " ".join(row)
        for exact in (line.size, line.mu, line.exact_delta, line.exact_epsilon):
            numbers = [value(one) for one in NUMBERS.findall(text)]
            assert exact is None or any(near(number, exact) for number in numbers)


NUMBERS = re.compile(r"(?:[\d.]+\s*×\s*)?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d+(?:\.\d+)?")


def test_known_numbers():
    """Wang's printed adaSSP costs 0.596, his coded SSP 1.587, boosted adaSSP up to 1113."""
    tops = {name: read(page_of(name)).all("section")[0].text for name in CASES}
    assert "ε = 0.596" in tops["proved jointly"]
    assert "ε = 1.587" in tops["refuted"]
    assert "between 45.51 and 1113" in tops["refuted between"]
    assert "0.596" not in tops["refuted"]


def test_a_leak_has_no_cost():
    """Nothing bounds it, so no joint number is printed, and single ones are called in question."""
    root = read(page_of("leak"))
    assert "no bound" in root.all("section")[0].text
    assert not [one for one in root.walk() if one.attributes.get("id") == "together"]
    releases = next(s for s in root.all("section") if s.attributes["aria-labelledby"] == "releases")
    assert "bound nothing" in releases.text


def test_the_sentence_is_that_of_the_audit(case):
    """Word for word, but for signs, and for where the page has what it speaks of."""
    done = found_of(case).audit
    statement = next(
        one for one in read(page_of(case)).walk() if one.attributes.get("class") == "statement"
    )
    assert plain(statement.text) == plain(done.sentence.replace("above", "below"))


SIGNS = {"ε": "epsilon", "δ": "delta", "γ": "gamma", "ρ": "rho", "μ": "mu", "θ": "theta"}
SIGNS |= {
    "≤": "<=",
    "→": "->",
    "∞": "inf",
    "·": "*",
    "ᵀ": "'",
    "\xa0": " ",
    "−": "-",
    "λ": "lambda_",
}


def plain(text):
    """As it is typed, without the signs that only look different."""

    def typed(found):
        return f"{found[1] or '1'}e{found[2].translate(LOWERED)}"

    text = POWER.sub(typed, text)
    for sign, written in SIGNS.items():
        text = text.replace(sign, written)
    return text.replace("`", "")


def test_the_curve_keeps_out_exactly_where_the_claim_holds():
    """Drawn below the claimed point where proved, above where refuted."""
    for name, holds in (("proved jointly", True), ("refuted", False), ("loop", True)):
        found = found_of(name).profile
        axes = Axes.of(found)
        epsilon, delta = found.claimed
        at = found.epsilons.index(epsilon) if epsilon in found.epsilons else None
        if at is not None:
            assert (axes.y(found.upper[at]) >= axes.y(delta) - 1e-6) == holds
        assert Axes.TOP <= axes.y(delta) <= Axes.BOTTOM
    root = read(page_of("refuted"))
    assert "the claim fails" in root.text
    assert "It does." in read(page_of("loop")).text


def test_axes_show_the_claim(case):
    """The claimed point is inside the frame, and ticks are round and inside."""
    found = found_of(case).profile
    if found is None:
        return
    axes = Axes.of(found)
    assert axes.low < 0
    marks = axes.ticks
    assert 3 <= len(marks) <= 7
    assert marks[0] == 0
    assert marks[-1] <= axes.most * (1 + 1e-9)
    if found.claimed and found.claimed[1]:
        assert axes.low < math.log10(found.claimed[1])


def test_intervals_are_in_order():
    """A larger epsilon stands further right, linear or in powers of ten."""
    for name in ("proved jointly", "refuted between"):
        bounds = [one for one in found_of(name).accountants if one.upper]
        scale = AxisScale.of(bounds, 1.0)
        places = [scale.x(one.upper) for one in sorted(bounds, key=lambda one: one.upper)]
        assert places == sorted(places)
        assert all(0 <= place <= ROW for place in places)
    assert scale.logarithmic
