"""What every page has: one verdict, headings in order, named pictures, colours that can be read."""

import math
import re
import subprocess
import sys
from itertools import pairwise

import pytest

import dpframe as dp
from dpframe.audits.findings import findings
from dpframe.audits.html import html
from dpframe.audits.html.document import STYLE
from dpframe.literature.catalogue import EXAMPLES, entry, example
from dpframe.prover import Verdict
from tests.support.html_pages import found_of, read

# ------------------------------------------------------------------------------ What every page has
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
WORDS = {"proved": "Proved", "refuted": "Refuted", "unproved": "Not proved"}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
PLACES = {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "width", "height", "points", "d"}


def test_the_verdict_comes_first_in_words(found, page):
    """Before anything else of the main part; and it is that of the audit."""
    main = read(page).one("main")
    first = main.all("h2")[0]
    in_part = " for a part of what is claimed" if found.audit.where else ""
    assert first.text == WORDS[str(found.audit.verdict)] + in_part
    assert first.attributes["id"] == "verdict"
    label = "The finding" if found.audit.verdict is Verdict.REFUTED else "The sentence to sign"
    assert label in main.all("section")[0].text


def test_headings_are_in_order(page):
    """One first heading, and none that skips a level."""
    body = read(page).one("body")
    levels = [int(one.name[1]) for one in body.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_landmarks_and_language(page):
    """A reader of the screen finds its way."""
    root = read(page)
    assert root.attributes["lang"] == "en"
    for name in ("header", "main", "nav", "footer"):
        root.one(name)
    skip = root.one("body").all("a")[0]
    assert root.by_id(skip.attributes["href"][1:]).name == "main"
    assert root.one("nav").attributes["aria-label"]
    sections = root.all("section")
    assert all(root.by_id(one.attributes["aria-labelledby"]).name == "h2" for one in sections)


def test_places_are_unique_and_links_stay_inside(page):
    """Every link, label and pattern leads to a place of the page."""
    root = read(page)
    places = [one.attributes["id"] for one in root.walk() if "id" in one.attributes]
    assert len(places) == len(set(places))
    for one in root.walk():
        if "href" in one.attributes:
            assert one.attributes["href"][0] == "#"
            assert one.attributes["href"][1:] in places
        for label in (one.attributes.get("aria-labelledby") or "").split():
            assert label in places
        for painted in re.findall(r"url\(#([^)]*)\)", one.attributes.get("fill") or ""):
            assert painted in places


def test_contents_name_every_section_in_order(page):
    """With the numbers that the sections have."""
    root = read(page)
    links = [(one.text, one.attributes["href"][1:]) for one in root.one("nav").all("a")]
    headings = [one for one in root.one("main").all("h2") if one.attributes["id"] != "verdict"]
    assert links == [(one.text, one.attributes["id"]) for one in headings]
    numbers = [int(text.split()[0]) for text, _ in links]
    assert numbers == list(range(1, len(links) + 1))


def test_tables_have_captions_and_headings(page):
    """Every column and every row is named, and rows are as long as the heading."""
    for table in read(page).all("table"):
        assert table.one("caption").text
        head = table.one("thead").all("th")
        assert all(one.attributes["scope"] == "col" for one in head)
        for row in table.one("tbody").all("tr"):
            (named,) = row.all("th")
            assert named.attributes["scope"] == "row"
            assert len(row.all("th", "td")) == len(head)


def test_pictures_are_named_or_hidden(page):
    """A picture has a title and a description, or stands beside words that say the same."""
    for picture in read(page).all("svg"):
        if picture.attributes.get("aria-hidden") == "true":
            continue
        assert picture.attributes["role"] == "img"
        titles = [one.name for one in picture.children if not isinstance(one, str)][:2]
        assert titles == ["title", "desc"]
        assert all(one.text for one in picture.children[:2])


def test_pictures_have_finite_places(page):
    """Numbers only, finite, and inside a page."""
    for picture in read(page).all("svg"):
        for one in picture.walk():
            for name in PLACES & set(one.attributes):
                values = [float(text) for text in NUMBER.findall(one.attributes[name])]
                assert values
                assert all(math.isfinite(value) and abs(value) < 1e4 for value in values)
            assert not {"nan", "inf"} & set(re.findall(r"[a-z]+", one.attributes.get("d") or ""))


def test_nothing_comes_from_elsewhere(page):
    """No script, no network, no address, no style beside the stylesheet; and the policy says so."""
    root = read(page)
    (policy,) = [one for one in root.all("meta") if "http-equiv" in one.attributes]
    assert policy.attributes == {"http-equiv": "Content-Security-Policy", "content": POLICY}
    names = {one.name for one in root.walk()}
    assert not names & {"script", "link", "iframe", "object", "embed", "img", "base", "form"}
    held = {name for one in root.walk() for name in one.attributes}
    assert not {name for name in held if name.startswith("on")} | (
        held & {"src", "style", "srcset"}
    )
    style = root.one("style").children[0]
    assert "http" not in style
    assert "@import" not in style
    assert not re.findall(r"url\((?!#)", style)
    assert not re.findall(r"https?:|//", "".join(_values(root)))


def _values(root):
    return [value or "" for one in root.walk() for value in one.attributes.values()]


def test_the_same_audit_gives_the_same_page(found, page):
    """To the character."""
    assert html(found, title="An audit", notes=["Made for a test."]) == page


@pytest.mark.slow
def test_another_process_gives_the_same_page():
    """Whatever the seed of its hashes."""
    code = (
        "import dpframe as dp, hashlib\n"
        "from dpframe.audits.html import html\n"
        "from dpframe.audits.findings import findings\n"
        "from dpframe.literature.catalogue import setting_of\n"
        "done = dp.audit(dp.literature.AdaSSPWang(), target=dp.ApproxDP(1, '1e-6'),"
        " setting=setting_of(dp.ADD_REMOVE, 1))\n"
        "print(hashlib.sha256(html(findings(done)).encode()).hexdigest())\n"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize(
    "cls", [*dp.literature.REGRESSIONS, *EXAMPLES], ids=lambda cls: cls.__name__
)
def test_every_regression_has_a_page(cls):
    """Whatever became of it, at numbers; its tags are closed in order, its verdict its own."""
    done = entry(example(cls), dp.ADD_REMOVE).here
    if done is None:
        pytest.skip("it cannot be declared")
    page = html(findings(done))
    root = read(page)
    verdict, _, reason = root.all("h2")[0].text.partition(": ")
    assert verdict == WORDS[str(done.verdict)]
    assert bool(reason) == bool(done.report.overspent and not done.report.proved)
    assert len(page.encode()) < 200_000


def test_without_templates_it_says_what_to_install(monkeypatch):
    """A sentence, and nothing is written."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(
        dp.errors.MissingExtra, match=r"needs Jinja2.*pip install 'dpframe\[pages\]'"
    ):
        html(found_of("refuted"))


# ------------------------------------------------------------------------------------------ Colours
WRITTEN = (  # text, on what it stands
    ("ink", "paper"),
    ("ink", "sheet"),
    ("quiet", "paper"),
    ("quiet", "sheet"),
    ("link", "paper"),
    ("link", "sheet"),
    *(
        (name, on)
        for name in ("proved", "refuted", "unproved")
        for on in ("paper", f"{name}-sheet")
    ),
    *(("ink", f"{name}-sheet") for name in ("proved", "refuted", "unproved")),
    *(("quiet", f"{name}-sheet") for name in ("proved", "refuted", "unproved")),
)
DRAWN = (("strong", "paper"), ("strong", "sheet"))  # lines of pictures, on what they stand
LIGHT, DARK = (  # the first two blocks of the stylesheet
    dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in STYLE.split("}", 2)[:2]
)
PALETTES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


def contrast(first: str, second: str) -> float:
    """The ratio of luminances, from 1 to 21, of two colours `#rrggbb`. (WCAG 2.2, 1.4.3)"""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance, 0 to 1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_is_that_of_the_guidelines():
    """Known ratios: black on white is 21, #767676 is the lightest grey that passes on white."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ff0000", "#ffffff") == pytest.approx(4.00, abs=0.005)


@PALETTES
@pytest.mark.parametrize("pair", WRITTEN, ids="-on-".join)
def test_text_is_readable(colours, pair):
    """WCAG 2.2, 1.4.3."""
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


@PALETTES
@pytest.mark.parametrize("pair", DRAWN, ids="-on-".join)
def test_lines_are_seen(colours, pair):
    """WCAG 2.2, 1.4.11."""
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 3


def test_text_has_no_other_colours():
    """Every colour of text in the stylesheet is one that is checked above."""
    checked = {name for pair in WRITTEN for name in pair}
    for value in re.findall(r"(?<![-\w])color:\s*([^;}]+)", STYLE):
        name = re.fullmatch(r"var\(--([\w-]+)\)", value.strip())
        print_ink = value.strip() == "#57534c"  # of the margins of paper
        assert (name and name[1] in checked) or value.strip() == "inherit" or print_ink


def test_every_variable_is_defined():
    """And both palettes define the same."""
    assert set(LIGHT) == set(DARK)
    local = {"footer", "serif", "sans", "mono"}
    assert set(re.findall(r"var\(--([\w-]+)\)", STYLE)) <= set(LIGHT) | local


def test_the_stylesheet_cannot_end_its_element():
    """It stands in the page as it is."""
    assert "<" not in STYLE
    assert STYLE.isascii()
    assert STYLE.count("{") == STYLE.count("}")
