"""Colours: text stands 4.5 apart from what it stands on, lines 3, in light and in dark."""

import re
from pathlib import Path

import pytest

import dpframe.audits.html as package
from dpframe.audits.html.palette import DARK, LIGHT, STYLE

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
    rules = (Path(package.__file__).parent / "style.css").read_text()
    for value in re.findall(r"(?<![-\w])color:\s*([^;}]+)", rules):
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
