"""The environments that pyproject.toml promises, each made beside .venv, with the tests in it.

    python tests/support/environments.py lowest     make test-lowest: every lower bound at once
    python tests/support/environments.py pythons    make test-pythons: README.md under each Python

Needs the standard library only: it runs before anything is installed.
"""

import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "pyproject.toml"
PROJECT = tomllib.loads(FILE.read_text(encoding="utf-8"))["project"]
BOUND = re.compile(r"([\w-]+)(?:\[[\w,]+\])?>=([\w.]+)\Z")
PYTHON = re.compile(r"Programming Language :: Python :: (3\.\d+)\Z")

README = ("README.md",)
TESTS = (  # what calls the libraries whose bounds are tested, in a few minutes
    *README,
    "tests/accounting/test_from_events.py",
    "tests/cli",
    "tests/estimators/test_habits.py",
    "tests/estimators/test_summary.py",
    "tests/graph/test_formulas.py",
    "tests/numerics/test_elementwise.py",
    "tests/sources/test_bad_sources.py",
    "tests/sources/test_plain_files.py",
    "tests/sources/test_estimator.py",
    "tests/test_notebooks.py",
)


def lowest() -> Iterator[tuple[str, str]]:
    """Each library with a lower bound, and the bound; `docs` pins its own."""
    for extra, asked in {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items():
        if extra != "docs":
            yield from (found.groups() for one in asked if (found := BOUND.match(one)))


def pythons() -> list[str]:
    """The versions of Python that the classifiers name."""
    return [found[1] for one in PROJECT["classifiers"] if (found := PYTHON.match(one))]


def interpreter(version: str) -> str | None:
    """One of this version that starts: from the path, from pyenv, from uv; None where none does."""
    found = [shutil.which(f"python{version}")]
    for folder in (".pyenv/versions", ".local/share/uv/python"):
        found += sorted(map(str, (Path.home() / folder).glob(f"*{version}.*/bin/python3")))
    return next((one for one in found if one and _starts(one, version)), None)


def _starts(path: str, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def environment(python: str, name: str, extras: str, constraints: str = "") -> Path:
    """The interpreter of `.venv-NAME`, made anew where pyproject.toml or the bounds changed."""
    folder = ROOT / f".venv-{name}"
    made, wanted = folder / ".made", f"{FILE.read_text(encoding='utf-8')}\n{python}\n{constraints}"
    inside = folder / "bin" / "python"
    if not (made.exists() and made.read_text(encoding="utf-8") == wanted):
        print(f"Installing dpframe[{extras}] into {folder.name} ...", flush=True)  # noqa: T201
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        (folder / "constraints.txt").write_text(constraints, encoding="utf-8")
        pip = [inside, "-m", "pip", "install", "--quiet", "--progress-bar", "off"]
        bounds = ["--constraint", folder / "constraints.txt"]
        wanted_here = ["--editable", f".[{extras}]", "pytest"]
        subprocess.run([*pip, *bounds, *wanted_here], check=True, cwd=ROOT)
        made.write_text(wanted, encoding="utf-8")
    return inside


def passes(python: Path, tests: tuple[str, ...]) -> bool:
    """Whether these tests, but for the slow ones, pass there. Old libraries may warn of newer ones:
    warnings that would be errors elsewhere are none here.
    """
    quick = ["-m", "not slow", "-W", "default::DeprecationWarning", "-W", "default::FutureWarning"]
    command = [python, "-m", "pytest", "-q", "--disable-warnings", "-p", "no:cacheprovider", *quick]
    return subprocess.run([*command, *tests], cwd=ROOT, check=False).returncode == 0


def main() -> None:
    """Run what the command line names; the exit status is 1 where a test failed."""
    start, bad = time.monotonic(), []
    if sys.argv[1:] == ["lowest"]:
        bounds = "".join(f"{name}=={bound}\n" for name, bound in lowest())
        python = environment(sys.executable, "lowest", "dev", bounds)
        bad = [] if passes(python, TESTS) else ["lowest"]
    else:
        for version in pythons():
            found = interpreter(version)
            if found is None:
                print(f"skipped: python{version} is not on this machine")  # noqa: T201
            elif not passes(environment(found, version, "sklearn,plots,pages"), README):
                bad.append(version)
    said = f"failed: {', '.join(bad)}" if bad else "passed"
    print(f"{' '.join(sys.argv[1:])}: {said}, {time.monotonic() - start:.0f} s")  # noqa: T201
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
