"""Pages and doctests, on other machines: `python -m tests.support.machines`, or `make test-pages`.

OpenBLAS takes the products of another processor where it is told to, and numpy leaves out the
vector instructions that it is told to leave out. Both move the last digits of sums.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np

VECTORS = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])

MACHINES = (  # kernels of OpenBLAS, threads, vector instructions that numpy leaves out
    ("Nehalem", 1, VECTORS),
    ("Sandybridge", 2, ()),
    ("Haswell", 1, ()),
)
CHOSEN = "page and not slow"  # the others are compared by make test-all, here
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", CHOSEN)


def main() -> None:
    """Run them on each machine; the exit status is 1 if a test failed on one."""
    bad = []
    for kernel, threads, without in MACHINES:
        print(f"pages and doctests with OpenBLAS for {kernel}, threads: {threads}", flush=True)  # noqa: T201
        told = {
            "OPENBLAS_CORETYPE": kernel,
            "OPENBLAS_NUM_THREADS": str(threads),
            "NPY_DISABLE_CPU_FEATURES": " ".join(without),
        }
        start = time.monotonic()
        done = subprocess.run(PYTEST, env={**os.environ, **told}, check=False)
        print(f"{kernel}: {time.monotonic() - start:.0f} s", flush=True)  # noqa: T201
        bad += [kernel] * (done.returncode != 0)
    names = ", ".join(kernel for kernel, _, _ in MACHINES)
    said = f"failed on {', '.join(bad)}" if bad else f"pages and doctests are the same on {names}"
    print(f"make test-pages: {said}.")  # noqa: T201
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
