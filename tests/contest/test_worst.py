"""The table of docs/flagship.md is what docs/contest-worlds.md says."""

from pathlib import Path

import pytest

from benchmarks.contest.worst import Loss, between, losses, main, table

DOCS = Path(__file__).parents[2] / "docs"
PAGE = """
## drawn, known bounds, epsilon 0.3, delta 1e-06

### Where JointSSP loses, drawn, known bounds, epsilon 0.3, delta 1e-06

| world | best rival | difference | error | over zero's error | better : worse | ratio | p |
|---|---:|---:|---:|---:|---:|---:|---:|
| rows short, 1/40, n=20000, d=10 | `A` | 0.06 | 0.001 | 82% | 0 : 5 | 6.62 | 0.031 |
| rows short, 1/40, n=2000, d=5 | `B` | 0.001 | 0.001 | 1.4% | 0 : 5 | 1.01 | 0.22 |
| labels constant, n=2000, d=3 | `A` | 1e-07 | 1e-08 | 0.003% | 0 : 5 | 300 | 0.1 |

### Mean squared errors, drawn, known bounds, epsilon 0.3, delta 1e-06

| world | n | d |
|---|---:|---:|
| rows short, 1/40, n=2000, d=5 | 2000 | 5 |

### Where JointSSP loses, drawn, known bounds, epsilon 5, delta 1e-06

| world | best rival | difference | error | over zero's error | better : worse | ratio | p |
|---|---:|---:|---:|---:|---:|---:|---:|
| columns all, n=200, d=1 | `B` | 0.02 | 0.01 | 27% | 1 : 4 | 1.39 | 0.78 |
| rows short, 1/40, n=2000, d=5 | `C` | 0.06 | 0.001 | 81% | 0 : 5 | 6.64 | 0.031 |
"""


def test_the_table_by_hand():
    """Two cells of short rows, the last the worst; constant labels lose nothing that is seen."""
    assert next(losses(PAGE)) == Loss("rows short, 1/40", "20,000, 10", "0.3", "`A`", 6.62, 82.0)
    assert len(list(losses(PAGE))) == 5
    assert table(PAGE).split("\n")[2:] == [
        "| rows short, 1/40 | 2 | 6.6 | `C` | 2,000, 5 | 5 |",
        "| columns all | 1 | 1.4 | `B` | 200, 1 | 5 |",
    ]


def test_the_page_of_the_flagship_has_the_table_of_the_contest():
    """Written by python -m benchmarks.contest.worst docs/contest-worlds.md docs/flagship.md."""
    page = (DOCS / "contest-worlds.md").read_text("utf-8")
    _, found, _ = between((DOCS / "flagship.md").read_text("utf-8"))
    assert found == table(page)
    assert found.count("\n") > 4


@pytest.mark.parametrize("old", ["", "| a |"])
def test_it_is_written_between_its_marks(tmp_path, old):
    """And nothing else."""
    (tmp_path / "page.md").write_text(PAGE, "utf-8")
    file = tmp_path / "into.md"
    file.write_text(f"one\n<!-- losses -->\n\n{old}\n\n<!-- end -->\ntwo\n", "utf-8")
    main(str(tmp_path / "page.md"), str(file))
    marked = f"one\n<!-- losses -->\n\n{table(PAGE)}\n\n<!-- end -->\ntwo\n"
    assert file.read_text("utf-8") == marked
