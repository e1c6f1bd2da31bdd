"""Time of `import dpframe` beside other imports: medians of interleaved fresh interpreters.

    python benchmarks/imports.py
    python benchmarks/imports.py --rounds 51

Times are those of the import statement itself, without the start of the interpreter; modules are
those that it adds to sys.modules. A first round, left out, compiles every module into a temporary
folder, so that all find bytecode as they do after an installation.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile

STATEMENTS = (
    "import dpframe",
    "from dpframe import AdaSSP, certify",
    "import dpframe.cli",
    "import numpy",
    "import scipy.optimize",
    "import sympy",
    "import sklearn.linear_model",
)
PROGRAM = """
import sys, time
before = len(sys.modules)
start = time.perf_counter()
{statement}
print(1e3 * (time.perf_counter() - start), len(sys.modules) - before)
"""


def present(statement: str) -> bool:
    """Whether the library of an import statement is installed."""
    library = statement.split()[1].partition(".")[0]
    return importlib.util.find_spec(library) is not None


def once(statement: str, cache: str) -> tuple[float, int]:
    """Milliseconds and modules of an import in a fresh interpreter with bytecode in `cache`."""
    program = PROGRAM.format(statement=statement)
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(  # noqa: S603 - this interpreter, the programs above
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    took, modules = done.stdout.split()
    return float(took), int(modules)


def measured(statements: list[str], rounds: int) -> dict[str, tuple[float, int]]:
    """Median milliseconds and modules of each statement, its runs interleaved with the others'."""
    times: dict[str, list[float]] = {statement: [] for statement in statements}
    modules: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as cache:
        for round_ in range(rounds + 1):
            for statement in statements:
                took, modules[statement] = once(statement, cache)
                if round_:
                    times[statement].append(took)
    return {one: (statistics.median(times[one]), modules[one]) for one in statements}


def main() -> None:
    """One row of a table a statement."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    statements = [statement for statement in STATEMENTS if present(statement)]
    print(f"| medians of {rounds} rounds | ms | modules |\n|---|---|---|")
    for statement, (took, modules) in measured(statements, rounds).items():
        print(f"| {statement} | {took:.1f} | {modules} |")
    for statement in STATEMENTS:
        if statement not in statements:
            print(f"{statement}: not installed")


if __name__ == "__main__":
    main()
