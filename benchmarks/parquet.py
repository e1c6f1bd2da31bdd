"""A private fit of a Parquet file larger than one wants in memory, beside fast plain readers.

    python benchmarks/parquet.py                 1e7 rows of 20 columns, 2 GB, made for the run
    python benchmarks/parquet.py --rows 1000000
    python benchmarks/parquet.py --folder DIR    where to make it (kept if it is there already)

Every contender runs in a process of its own, in turn, so that each meets the same load; what is
printed is the best wall time after imports and the largest resident memory of the process. Plain
readers clip rows and labels and compute X'X and X'y in doubles; dpframe clips, rounds onto the
grid, adds exact integers and draws noise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

COLUMNS, GROUP = 20, 200_000

START = """
import json, resource, sys, time
import numpy as np
path, folder = sys.argv[1:]
def gram(tables):
    g, m = np.zeros((20, 20)), np.zeros(20)
    for t in tables:
        for s in range(0, len(t), 4096):
            a = np.ascontiguousarray(t[s : s + 4096])
            x = a[:, :20]
            norms = np.sqrt(np.einsum("ij,ij->i", x, x))
            x = x * np.minimum(1, 1 / np.maximum(norms, 1e-300))[:, None]
            g += x.T @ x
            m += x.T @ np.clip(a[:, 20], -1, 1)
    return g, m
"""
END = """
taken = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
print(json.dumps([taken, peak]))
"""
CONTENDERS = {
    "Polars batches, numpy sums": """
import polars as pl
start = time.perf_counter()
gram(batch.to_numpy() for batch in pl.scan_parquet(path).collect_batches())
""",
    "Polars streaming, sums as expressions": """
import polars as pl
start = time.perf_counter()
names = [f"x{j}" for j in range(20)]
pairs = [(a, b) for i, a in enumerate(names) for b in [*names[i:], "y"]]
sums = [(pl.col(a) * pl.col(b)).sum().alias(f"{a} {b}") for a, b in pairs]
norm = pl.sum_horizontal(pl.col(a) ** 2 for a in names).sqrt()
clipped = {"norm": pl.max_horizontal(norm, 1.0), "y": pl.col("y").clip(-1, 1)}
rows = pl.scan_parquet(path).with_columns(**clipped)
rows = rows.with_columns(pl.col(a) / pl.col("norm") for a in names)
rows.select(sums).collect(engine="streaming")
""",
    "pyarrow batches, numpy sums": """
import pyarrow.parquet as pq
start = time.perf_counter()
file = pq.ParquetFile(path, pre_buffer=False)
gram(np.column_stack([c.to_numpy() for c in batch.columns]) for batch in file.iter_batches(65536))
""",
    "dpframe, exact private fit": """
import dpframe as dp
from dpframe.execution import execute
setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.ADD_REMOVE)
run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
start = time.perf_counter()
execute(run, path, rng=0)
""",
}
PLAIN = [name for name in CONTENDERS if not name.startswith("dpframe")]


def make(path: Path, rows: int) -> None:
    """Rows of norm about 1, a quarter of which need clipping."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [*(f"x{j}" for j in range(COLUMNS)), "y"]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, GROUP):
            n = min(GROUP, rows - start)
            X = rng.normal(size=(n, COLUMNS)) * 0.95 / np.sqrt(COLUMNS)
            y = np.clip(X[:, 0] + rng.normal(size=n) / 3, -1.2, 1.2)
            writer.write_table(pa.table([*X.T, y], schema=schema))


def measured(name: str, path: Path) -> tuple[float, float]:
    """Seconds and megabytes of one run."""
    program = START + CONTENDERS[name] + END
    done = subprocess.run(  # noqa: S603 - a program of this file
        [sys.executable, "-c", program, str(path), str(path.parent)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def main() -> None:
    """Print one line a contender."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = (chosen.folder or Path(temporary)) / f"rows{chosen.rows}.parquet"
        if not path.exists():
            make(path, chosen.rows)
        print(f"{chosen.rows:,} rows of {COLUMNS} columns, {path.stat().st_size / 1e6:,.0f} MB")
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
        for _ in range(chosen.repeats):
            for name in CONTENDERS:
                found[name].append(measured(name, path))
        fastest = min(min(found[name])[0] for name in PLAIN)
        print(f"{'':40}{'best s':>8}{'x fastest':>11}{'peak MB':>9}")
        for name, runs in found.items():
            best, peak = min(runs)[0], max(peak for _, peak in runs)
            print(f"{name:40}{best:>8.2f}{best / fastest:>11.2f}{peak:>9.0f}")


if __name__ == "__main__":
    main()
