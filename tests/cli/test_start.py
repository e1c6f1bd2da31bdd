"""What each command loads before it does its work: counted in modules, never in seconds."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

import dpframe as dp
from dpframe.cli import app as application
from dpframe.cli.app import COMMANDS, LINE
from tests.test_architecture import HEAVY, place_of

FOLDER = Path(dp.__file__).parent / "cli"
RUN = """
import atexit, sys
atexit.register(lambda: print("LOADED", *sys.modules, file=sys.stderr))
from dpframe.cli import main
sys.argv[0] = "dpframe"
main()
"""


def loaded(*arguments):
    """The modules that a command line has loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, check=False
    )
    return set(done.stderr.rpartition("LOADED")[2].split())


def libraries(names):
    """The libraries of modules."""
    return {name.partition(".")[0] for name in names}


def own(names):
    """The modules of dpframe among them."""
    return {name for name in names if name.partition(".")[0] == "dpframe"}


def test_every_command_is_in_the_table():
    """A module whose docstring begins with `dpframe NAME:` is a command, and none else is."""
    modules = {path.stem for path in FOLDER.glob("*.py") if LINE.match(path.read_text())}
    assert modules == set(COMMANDS)
    assert list(get_command(application).commands) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_page_says_what_the_docstring_says(name):
    """As a sentence of its own, though the module is not imported for it."""
    told = (import_module(f"dpframe.cli.{name}").__doc__ or "").removeprefix(f"dpframe {name}: ")
    assert get_command(application).commands[name].help == told[0].upper() + told[1:]


def test_the_version_is_told_before_anything_is_loaded():
    """typer with what it loads itself, and a handful of modules of dpframe."""
    found = loaded("--version")
    command = [sys.executable, "-c", "import sys, typer; print(*sys.modules)"]
    typer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert (HEAVY | {"attr", "rich"}).isdisjoint(libraries(found - {*typer}))
    names = ("", ".cli", ".cli.app", ".errors", ".lazily")
    assert own(found) <= {f"dpframe{name}" for name in names}


@pytest.mark.parametrize("arguments", [["--help"], ["lisst"], []], ids=["help", "misspelt", "none"])
def test_no_command_is_loaded_to_list_commands(arguments):
    """Nor to say that there is none of that name."""
    found = loaded(*arguments)
    assert HEAVY.isdisjoint(libraries(found))
    assert {f"dpframe.cli.{name}" for name in COMMANDS}.isdisjoint(found)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_loads_no_other_and_nothing_heavy(name):
    """Its options, and what spells them."""
    found = loaded(name, "--help")
    assert HEAVY.isdisjoint(libraries(found))
    others = {f"dpframe.cli.{other}" for other in COMMANDS} & found
    assert others <= {f"dpframe.cli.{name}", *(["dpframe.cli.ledger"] if name == "fit" else [])}
    assert len(own(found)) <= 60


def test_list_proves_nothing():
    """It loads every declaration, and neither what executes nor what fits."""
    found = loaded("list")
    assert {"scipy", "sklearn", "pandas"}.isdisjoint(libraries(found))
    unused = {"execution", "estimators", "sources", "prover"}
    assert unused.isdisjoint(map(place_of, own(found)))


def test_certify_loads_the_declaration_that_is_named():
    """By its exact name; and by no other's module."""
    places = [place_of(name) for name in own(loaded("certify", "SSP"))]
    assert places.count("regressions") <= 4
    assert not {"execution", "estimators", "sources"} & set(places)
