"""The vocabulary of cleaned folders: the field's own terms, in names and in prose.

To clean a folder, add it to CLEAN and rewrite what the test prints. To ban a word, add it with its
replacement to NAMES (parts of identifiers, split at underscores and capitals) or to PROSE (words of
docstrings, comments and messages).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

import dpframe

ROOT = Path(dpframe.__file__).parents[1]
CLEAN = (
    "dpframe/audits/conformance",
    "dpframe/audits/descriptions",
    "dpframe/audits/differences.py",
    "dpframe/audits/lower_bounds",
    "dpframe/audits/sections",
    "dpframe/inference",
    "dpframe/randomness",
    "tests/conformance",
    "tests/descriptions",
    "tests/lower_bounds",
)
BOTH = {
    "anybody": "any user",
    "asked": "requested, required, evaluated, checked",
    "asking": "requesting",
    "asks": "requests, requires, queries",
    "coins": "random draws, inclusion indicators",
    "everybody": "every record, every user",
    "foretold": "predicted",
    "nobody": "no user, or the passive voice",
    "somebody": "a user",
    "told": "described, reported, documented; progress: on_progress",
    "untold": "not reported",
    "whoever": "any caller",
}
NAMES = BOTH | {
    "ask": "request, query, function",
    "aim": "target",
    "found": "the noun of what it is: match, result, bounds",
    "meant": "intended",
    "mended": "fixed",
    "opinion": "bound, claim",
    "said": "value, message",
    "seen": "observed, counts",
    "still": "constant, data-independent",
}
PROSE = BOTH | {"whatever": "any"}
PUBLIC = {  # words that stay, by file: texts of certificates and of published pages
    "dpframe/audits/findings/example.py": {"everybody", "nobody"},
    "dpframe/prover/certify.py": {"everybody"},
}
FREE = {"tests": {"found", "said"}}  # local names of tests that many folders share


def files() -> Iterator[tuple[str, str]]:
    """Names and sources of all files of clean folders."""
    for place in CLEAN:
        path = ROOT / place
        assert path.exists(), f"{place} of CLEAN is gone"
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield file.relative_to(ROOT).as_posix(), file.read_text("utf-8")


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines and identifiers that the source binds; not those that it imports."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.alias(asname=str(name)):
                yield node.lineno, name


def prose(source: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines and texts of docstrings, messages and comments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for i, line in enumerate(node.value.split("\n")):
                yield min(node.lineno + i, node.end_lineno or node.lineno), line
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def parts(name: str) -> list[str]:
    """`AskedOnce_more` as asked, once, more."""
    return re.findall(r"[a-z]+|[A-Z]+(?![a-z])", re.sub(r"([A-Z][a-z])", r"_\1", name).lower())


def complaints(source: str, allowed: set[str]) -> Iterator[str]:
    """Line, word and replacement of each banned word."""
    tree = ast.parse(source)
    texts: list[tuple[int, list[str], Mapping[str, str]]] = [
        *((line, parts(name), NAMES) for line, name in names(tree)),
        *((line, re.findall(r"[a-z]+", text.lower()), PROSE) for line, text in prose(source, tree)),
    ]
    for line, words, banned in sorted(texts, key=lambda one: one[0]):
        for word in words:
            if word in banned and word not in allowed:
                yield f"{line}: {word!r}: write {banned[word]}"


def test_clean_folders_use_the_terms_of_the_field():
    """Every banned word, with its file, line and replacement."""
    bad = []
    for name, source in files():
        allowed = PUBLIC.get(name, set()) | FREE.get(name.partition("/")[0], set())
        bad += [f"{name}:{one}" for one in complaints(source, allowed)]
    assert not bad, "\n".join(bad)


def test_the_package_is_free_of_the_words_that_no_field_uses():
    """Those of BOTH, in all of it."""
    others = (set(NAMES) | set(PROSE)) - set(BOTH)
    bad = []
    for file in sorted((ROOT / "dpframe").rglob("*.py")):
        name = file.relative_to(ROOT).as_posix()
        allowed = others | PUBLIC.get(name, set())
        bad += [f"{name}:{one}" for one in complaints(file.read_text("utf-8"), allowed)]
    assert not bad, "\n".join(bad)


def test_banned_words_are_noticed_wherever_they_stand():
    """In classes, functions, arguments, variables, aliases, docstrings, comments and messages."""
    source = '''
class AskedOnce:
    """The rows that somebody asks for.

    Nobody knows."""

def foretold(coins_left, *, _told=1):
    found_here = "whoever"  # whatever
    import numpy as seen
    knobs, asides, stillness = 1, 2, 3
'''
    lines = [int(one.partition(":")[0]) for one in complaints(source, set())]
    assert lines == [2, 3, 3, 5, 7, 7, 7, 8, 8, 8, 9]
    assert list(complaints("told = 1", {"told"})) == []
    assert "on_progress" in next(complaints("told = 1", set()))
