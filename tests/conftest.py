"""Which tests are quick, and the line that `make test` ends with."""

from collections import defaultdict

import pytest
from hypothesis import settings

from tests.support.cases import crossed, spread

FEW = 1  # cases of one test that are quick, unless its mark `some` says otherwise
SLOW = pytest.StashKey[int]()
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Of the cases of one test one is quick, or as many as it says, spread from first to last; the
    others are slow, or as many of them as it says and the rest exhaustive.
    """
    moving = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if moving:
        raise pytest.UsageError(f"ids of tests must be the same in every process: {moving[:3]}")
    families = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker("page")
        if item.get_closest_marker("exhaustive"):
            item.add_marker("slow")
        else:
            families[item.parent.nodeid, getattr(item, "originalname", item.name)].append(item)
    for family in families.values():
        mark = family[0].get_closest_marker("some")
        few, most = (mark.args[0], mark.kwargs.get("most")) if mark else (FEW, None)
        quick = spread([item for item in family if not item.get_closest_marker("slow")], few)
        kept = set(quick)
        if most is not None:
            kept |= {family[i] for i in crossed([of.callspec.params for of in family], most)}
        for item in set(family) - set(quick):
            item.add_marker("slow")
            if most is not None and item not in kept:
                item.add_marker("exhaustive")
    config.stash[SLOW] = sum(
        {mark.name for mark in item.iter_markers()} & {"slow", "exhaustive"} == {"slow"}
        for item in items
    )


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A worker of pytest-xdist tells how many slow tests there are."""
    node.config.stash[SLOW] = getattr(node, "workeroutput", {}).get("slow", 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    """After pytest's own last line, one for people, where all of the tests were asked for."""
    config, slow = session.config, session.config.stash.get(SLOW, 0)
    if hasattr(config, "workeroutput"):
        config.workeroutput["slow"] = slow
    yield
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    chosen = config.getoption("markexpr")
    everywhere = config.args_source is config.ArgsSource.TESTPATHS
    if reporter is None or not everywhere or config.getoption("collectonly"):
        return
    done, bad = (
        sum(len(reporter.stats.get(kind, ())) for kind in kinds)
        for kinds in (("passed",), ("failed", "error"))
    )
    said = f"{bad:,} tests failed, {done:,} passed" if bad else f"{done:,} tests passed"
    rest = f"; make test-all runs {slow:,} more cases" if chosen == "not slow" else ""
    reporter.write_line(f"{said}{rest}.")
