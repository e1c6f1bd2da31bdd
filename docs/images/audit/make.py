"""The pictures of docs/audit-page.md: pages of audits, as a browser shows and prints them.

    python docs/images/audit/make.py [chromium] [pdftoppm]

Needs a Chromium and Pillow (which matplotlib brings); without pdftoppm the sheet of paper is left
as it is. Pages are made and drawn without a network.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

import dpframe as dp
from dpframe.audits.findings import findings
from dpframe.audits.html import html

HERE = Path(__file__).parent
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
COLOURS, MARGIN = 112, 24
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
SHOTS = {  # name: declaration, section (None: the top of the page), width, height
    "proved": (dp.literature.AdaSSPWang, None, 1280, 900),
    "refuted": (dp.literature.SSPWangCoded, None, 1280, 900),
    "narrow": (dp.literature.AdaSSPWang, None, 360, 900),
    "releases": (dp.literature.AdaSSPWang, "releases", 900, 1400),
    "together": (dp.literature.AdaSSPWang, "together", 900, 1200),
    "profile": (dp.regressions.NoisyGradientDescent, "profile", 900, 1000),
    "split": (dp.literature.AdaSSPWang, "split", 900, 800),
    "leak": (dp.literature.ThesisMaxNorm, "graph", 900, 1400),
    "obligation": (dp.literature.SSPWangCoded, "obligations", 900, 700),
}


def page_of(cls: type[dp.Regression]) -> str:
    """The page on a declaration at epsilon = 1, delta = 1e-6, B = Y = 1."""
    return html(findings(dp.audit(cls(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)))


def only(page: str, place: str | None) -> str:
    """The page with one of its sections."""
    if place is None:
        return page
    before, *parts = re.split(r"(?=<section )|(?=</main>)", page)
    (wanted,) = [part for part in parts if part.startswith("<section ") and f'"{place}">' in part]
    start = re.sub(r"<header>.*</header>", "", before, flags=re.DOTALL)
    return f"{start}{wanted}</main></body></html>"


def shoot(browser: str, page: str, to: Path, *more: str) -> None:
    """A picture of the window."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(page, encoding="utf-8")
        own = f"--user-data-dir={folder}/own"
        run(browser, *QUIET, *more, own, f"--screenshot={to}", file)


def run(*words: object) -> None:
    """A program that must end well."""
    subprocess.run([*map(str, words)], check=True, capture_output=True)  # noqa: S603


def small(path: Path, *, trim: bool) -> None:
    """Few colours, and no empty rows above and below."""
    with Image.open(path) as shot:
        picture = shot.convert("RGB")
    if trim:
        ground = Image.new("RGB", picture.size, picture.getpixel((0, picture.height - 1)))
        _, top, _, low = ImageChops.difference(picture, ground).getbbox()
        rows = max(0, top - MARGIN), min(picture.height, low + MARGIN)
        picture = picture.crop((0, rows[0], picture.width, rows[1]))
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def paper(browser: str, printer: str, to: Path) -> None:
    """The first sheets of paper, side by side."""
    with tempfile.TemporaryDirectory() as folder:
        file, printed = Path(folder, "page.html"), Path(folder, "page.pdf")
        file.write_text(page_of(dp.literature.AdaSSPWang), encoding="utf-8")
        own = f"--user-data-dir={folder}/own"
        run(browser, *QUIET, own, "--no-pdf-header-footer", f"--print-to-pdf={printed}", file)
        run(printer, "-r", "64", "-png", "-l", "3", printed, Path(folder, "sheet"))
        sheets = [Image.open(one).convert("RGB") for one in sorted(Path(folder).glob("sheet*.png"))]
    width = sum(one.width for one in sheets) + 12 * (len(sheets) + 1)
    table = Image.new("RGB", (width, sheets[0].height + 24), "#8a8880")
    for place, one in enumerate(sheets):
        table.paste(one, (12 + place * (one.width + 12), 12))
    table.save(to)
    small(to, trim=False)


def main() -> None:
    """Make every picture again."""
    browser, printer = (*sys.argv[1:], None, None)[:2]
    browser = browser or shutil.which("chromium") or "chromium"
    printer = printer or shutil.which("pdftoppm")
    for name, (cls, place, width, height) in SHOTS.items():
        to = HERE / f"{name}.png"
        shoot(browser, only(page_of(cls), place), to, f"--window-size={width},{height}")
        small(to, trim=place is not None)
    if printer is not None:
        paper(browser, printer, HERE / "paper.png")


if __name__ == "__main__":
    main()
