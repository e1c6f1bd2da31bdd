"""python -m demo: the whole story on one page, and a picture in out/."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import dpframe as dp

from . import story
from .picture import picture
from .survey import LeastSquares, noise_std, survey

PICTURE = Path("out/fair.png")


def main() -> int:
    """Tell the story; 0, or 1 where an optional library is absent."""
    start = time.perf_counter()
    try:
        tell(PICTURE)
    except dp.errors.MissingExtra as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print(f"\n  {PICTURE} shows the fit and its noise. {time.perf_counter() - start:.1f} s.")
    return 0


def tell(path: Path) -> None:
    """Every section, then the picture. Raises MissingExtra before anything is printed."""
    table = survey()
    page = story.Page.open()
    story.opening(page)
    story.declare(page)
    proof = story.prove(page)
    story.audit(page)
    story.noise(page)
    story.choose(page)
    story.look_ahead(page, proof)
    model = story.fit(page, table)
    story.receipt(page, model)
    repeats = story.spread(page, table)
    picture(path, model.coef_, noise_std(model), LeastSquares.of(table), repeats)


if __name__ == "__main__":
    sys.exit(main())
