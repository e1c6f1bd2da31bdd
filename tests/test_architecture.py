"""The house: imports point down one list, `import dpframe` loads almost nothing, notebooks run.

To add a module, give it a place in ORDER; to let it import less than all that lies below, name
what it may import in ONLY; to keep it from most of what lies above, name its readers in READERS.
"""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import jupytext
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

import dpframe
from dpframe.cli.app import COMMANDS

PACKAGE = Path(dpframe.__file__).parent
NOTEBOOKS = [
    path
    for path in sorted((PACKAGE.parent / "notebooks").glob("*"))
    if path.suffix in {".md", ".ipynb"}
]

ORDER = (  # a place imports from earlier lines, never from its own line or a later one
    ("exact",),
    ("theory",),
    ("kernel",),
    ("errors",),
    ("lazily", "notebooks", "operators"),
    ("numbers",),
    ("documents",),
    ("identity",),
    ("numerics",),
    ("randomness", "pld"),
    ("symbols",),
    ("wording",),
    ("privacy",),
    ("sensitivity",),
    ("mechanisms",),
    ("accountants",),
    ("graph",),
    ("prover",),
    ("budgets",),
    ("sources",),
    ("execution",),
    ("inference",),
    ("regressions",),
    ("audits",),
    ("literature",),
    ("estimators",),
    ("experiments",),
    ("cli",),
    ("__main__",),
)
ONLY = {  # narrower than the order
    "theory": {"exact"},
    "kernel": {"exact", "theory"},
    "randomness": {"errors", "exact", "lazily", "numbers", "numerics"},
}
READERS = {  # who may import it, where not everything above may
    "kernel": {"prover", "cli"},
    "randomness": {
        "mechanisms",
        "execution",
        "audits",
        "literature",
        "estimators",
        "experiments",
        "cli",
    },
}
FACE = {"estimators", "experiments", "cli", "__main__"}  # these may `import dpframe`

TRUSTED, LIBRARIES = {"exact", "theory", "kernel"}, {"attrs", "mpmath"}
RANK = {place: rank for rank, line in enumerate(ORDER) for place in line}
HEAVY = {"numpy", "scipy", "sympy", "flint", "mpmath", "matplotlib", "sklearn", "pandas"}
HEAVY |= {"pyarrow", "polars", "duckdb"}


def may_import(place: str, imported: str) -> bool:
    """Whether `place` may import `imported`; "" stands for the public face."""
    if imported == "":
        return place in FACE
    below = RANK[imported] < RANK[place]
    asked = imported in ONLY.get(place, RANK) and place in READERS.get(imported, RANK)
    return imported == place or (below and asked)


def place_of(module: str) -> str:
    """dpframe.graph.nodes -> graph; dpframe itself -> "" (the public face)."""
    return [*module.split("."), ""][1]


def modules() -> list[tuple[str, Path]]:
    """Every module of the package but the public face, by its dotted name."""
    found = []
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append((name, path))
    return [(name, path) for name, path in found if name != "dpframe"]


def imports(source: str, name: str, *, is_package: bool) -> Iterator[str]:
    """Dotted names of all that a module imports, wherever in it: in functions and for types too."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                base = name.split(".")[: len(name.split(".")) - level + is_package] if level else []
                origin = ".".join(base + (module.split(".") if module else []))
                if origin == "dpframe":
                    for alias in aliases:
                        yield f"dpframe.{alias.name}" if is_place(alias.name) else "dpframe"
                else:
                    yield origin
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(target)), *_],
            ):
                yield f"dpframe{target}" if target.startswith(".") else target


def is_place(name: str) -> bool:
    """Whether dpframe.<name> is a module rather than a public name."""
    return name in RANK or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def complaints(source: str, name: str, *, is_package: bool = False) -> list[str]:
    """The imports of a module that the house forbids."""
    found = set(imports(source, name, is_package=is_package))
    inside = {target for target in found if target.split(".")[0] == "dpframe"}
    wrong = {target for target in inside if not may_import(place_of(name), place_of(target))}
    if place_of(name) in TRUSTED:
        wrong |= {
            target
            for target in found - inside
            if target.split(".")[0] not in sys.stdlib_module_names | LIBRARIES
        }
    return sorted(wrong)


def test_every_module_has_a_place() -> None:
    """A new top-level module is named in ORDER before it is merged."""
    assert {place_of(name) for name, _ in modules()} <= set(RANK)


def test_imports_point_down_the_list() -> None:
    """A module imports only what lies below it; the kernel stands on exact and theory alone."""
    found = {
        name: complaints(path.read_text(), name, is_package=path.stem == "__init__")
        for name, path in modules()
        if place_of(name) in RANK
    }
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("dpframe.errors", "from .graph import Release"),
        ("dpframe.errors", "def late():\n    from . import numerics"),
        ("dpframe.mechanisms.gaussian", "from ..graph import Release"),
        ("dpframe.mechanisms.gaussian", "from dpframe import accountants"),
        ("dpframe.mechanisms.gaussian", "import dpframe.accountants.basic as b"),
        ("dpframe.graph.nodes", "import dpframe as dp"),
        ("dpframe.graph.nodes", "from .. import certify"),
        ("dpframe.graph.nodes", "import_module('.prover', __package__)"),
        ("dpframe.accountants.basic", "from ..randomness import bits"),
        ("dpframe.randomness.bits", "from ..symbols import Expression"),
        ("dpframe.graph", "from .kernel import check"),
        ("dpframe.kernel.checker", "from dpframe.errors import DPFrameError"),
        ("dpframe.exact.ring", "import numpy as np"),
    ],
)
def test_a_forbidden_import_is_noticed(name: str, source: str) -> None:
    """The reader of imports sees every way of spelling one."""
    assert complaints(source, name)


@pytest.mark.parametrize(
    ("name", "source", "is_package"),
    [
        ("dpframe.mechanisms.gaussian", "from ..privacy import ApproxDP", False),
        ("dpframe.mechanisms", "from .gaussian import Gaussian", True),
        ("dpframe.mechanisms", "from ..errors import OutsideTheorem", True),
        ("dpframe.execution", "from .randomness import bits", False),
        ("dpframe.cli", "import dpframe as dp", False),
        ("dpframe.kernel.checker", "import json\nfrom mpmath import iv", False),
    ],
)
def test_a_permitted_import_passes(name: str, source: str, is_package: bool) -> None:
    """Downward, inside one place, and the public face for what stands outside the house."""
    assert not complaints(source, name, is_package=is_package)


def named(path: Path, name: str) -> Iterator[str]:
    """What a module imports, and the same with the names that it takes from there: these may be
    modules.
    """
    source, is_package = path.read_text(), path.stem == "__init__"
    yield from imports(source, name, is_package=is_package)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            alone = ast.unparse(ast.ImportFrom(node.module, [ast.alias("name")], node.level))
            for origin in imports(alone, name, is_package=is_package):
                yield from (f"{origin}.{alias.name}" for alias in node.names)


def test_every_module_is_used_by_another() -> None:
    """What only tests, benchmarks and pages use stands beside them and is not installed. Commands
    load by name.
    """
    found = [*modules(), ("dpframe", PACKAGE / "__init__.pyi")]
    used = {target for name, path in found for target in named(path, name)}
    doors = {name for name, path in found if path.stem in {"__init__", "__main__"}}
    used |= {f"dpframe.cli.{name}" for name in COMMANDS}
    assert {name for name, _ in found} - doors - used == set()


def test_the_guide_to_the_kernel_names_what_there_is() -> None:
    """Files of its tables exist, and define the functions that stand beside them."""
    page = (PACKAGE.parent / "docs" / "kernel.md").read_text()
    named = re.findall(r"^\| `([a-z_/]+\.py)`(?:, `(\w+)`)?", page, re.MULTILINE)
    assert len(named) > 20
    for file, function in named:
        assert f"def {function}" in (PACKAGE / file).read_text() or not function, (file, function)


def test_importing_dpframe_loads_nothing_heavy() -> None:
    """Libraries of numbers, algebra and pictures are loaded when first used."""
    program = "import sys, dpframe; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert HEAVY.isdisjoint(loaded), sorted(HEAVY & set(loaded))


CERTIFY = """
import sys
import dpframe as dp

target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
norms = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
dp.certify(dp.SSP(), target=target, setting=norms)
print(*(name for name in sys.modules if name.split(".")[0] == "dpframe"))
"""
MOST_MODULES, MOST_REGRESSIONS = 120, 3


def test_a_first_certificate_loads_what_it_needs() -> None:
    """Proving one declaration in symbols loads its own file of the regressions, no noise is drawn
    and no privacy loss is composed.
    """
    loaded = subprocess.run(
        [sys.executable, "-c", CERTIFY], capture_output=True, text=True, check=True
    ).stdout.split()
    places = [place_of(name) for name in loaded]
    assert len(loaded) <= MOST_MODULES
    assert places.count("regressions") <= MOST_REGRESSIONS
    assert not {"randomness", "inference", "execution"} & set(places)
    composed = ("dpframe.pld.losses.", "dpframe.pld.composition.")
    assert not [name for name in loaded if name.startswith(composed)]


STUBS = sorted(PACKAGE.rglob("__init__.pyi"))


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_every_exported_name_resolves(stub: Path) -> None:
    """Each name of a stub is held by its home, listed, and is not hidden by a module's name."""
    package = importlib.import_module(".".join(stub.parent.relative_to(PACKAGE.parent).parts))
    bound = set(vars(package))  # bound at once, after the modules of these names
    assert set(package.__all__) <= set(dir(package))
    for name in dir(package):
        is_space = name not in package.__all__
        assert isinstance(getattr(package, name), ModuleType) == is_space, name
        assert is_space or name in bound or not (stub.parent / f"{name}.py").exists(), name


def read(path: Path) -> NotebookNode:
    """A notebook from MyST markdown or from .ipynb; one without code was misread."""
    notebook = jupytext.read(path, fmt="md:myst" if path.suffix == ".md" else "ipynb")
    assert any(cell.cell_type == "code" for cell in notebook.cells)
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_uses_public_names_only(path: Path) -> None:
    """What a notebook needs is in `dpframe` or a namespace of it, or it is missing there."""
    source = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    targets = imports(source, "notebook", is_package=False)
    assert not [name for name in targets if name.startswith("dpframe.")]
    used = {
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in {"dp", "dpframe"}
    }
    assert used <= set(dir(dpframe))


@pytest.mark.some(1)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    """Every cell runs from top to bottom, in a folder with nothing else in it."""
    notebook = read(path)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=900, kernel_name="python3", resources=resources).execute()
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


ERRORS = {"InvalidArgument", "BadData", "BadCertificate", "BadLedger", "UnsafeFormula"}


def descriptions(source: str) -> Iterator[int]:
    """Lines of errors whose value is text that dpframe wrote, and not `Plain`: it would be quoted
    as the user's own text is.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Name(id=name) | ast.Attribute(attr=name), args=[_, _, value, *_]
            ):
                if name in ERRORS and isinstance(value, ast.Constant | ast.JoinedStr):
                    text = isinstance(value, ast.JoinedStr) or isinstance(value.value, str)
                    yield from [value.lineno] * (text and ast.unparse(value) != "'drop'")


def test_errors_quote_the_text_of_users_only():
    """A value that dpframe describes itself is `Plain`."""
    assert list(descriptions('raise InvalidArgument("x", "one", "none")')) == [1]
    quoted = {name: [*descriptions(path.read_text())] for name, path in modules()}
    assert not {name: lines for name, lines in quoted.items() if lines}
