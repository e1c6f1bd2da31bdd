"""The trusted base is short."""

import ast
import inspect
from pathlib import Path

import dpframe as dp
from tests.support import checking as check

SOURCE = Path(dp.__file__).parent


def lines_of_code(place: str) -> int:
    """Lines of a folder that hold code: no blank lines, comments or docstrings."""
    found = 0
    for file in sorted((SOURCE / place).glob("*.py")):
        text = file.read_text()
        ignored: set[int] = set()
        for node in ast.walk(ast.parse(text)):
            documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            if documented and ast.get_docstring(node):
                ignored |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        lines = enumerate(text.splitlines(), 1)
        found += sum(1 for n, line in lines if n not in ignored and line.split("#")[0].strip())
    return found


def test_the_core_is_short_and_so_is_each_entry_of_a_table() -> None:
    """The trusted base in lines of code; at most 31 lines a kind, theorem or derivation."""
    assert sum(map(lines_of_code, ("exact", "theory", "kernel"))) <= 3_763
    makers = [kind.make for kind in check.KINDS.values()]
    for entry in (*makers, *check.THEOREMS.values(), *check.DERIVATIONS.values()):
        body = inspect.getsource(getattr(entry, "size", entry))
        assert len(body.splitlines()) <= 31, body
