"""Conjunct deletion: each obligation of the rule book and the kernel is left out in turn.

    python -m tests.oracle.deletion [--documents FILE] [--count 4000] [--seed 1]

`theory/` and `kernel/` are imported with every obligation rewritten, in memory, so that any one of
them can be excused: what `require` is asked, part by part where it is a conjunction; a call such as
`at_least`; the condition of a `raise`; `positive` and `whole`, of which the formula is left. Then,
of every document that is refused, the obligations that fail on it are excused one by one. One that
is accepted then shows that this obligation is needed. What is left at the end is implied by others,
or has no document that needs it.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

Json = Any
ROOT = Path(__file__).parents[2]
PACKAGES = ("dpframe.theory.", "dpframe.kernel.checker")
CALLS = {"require", "at_least", "equal", "sole", "shared", "settled", "one_for_all", "believed"}
CALLS |= {"keys", "committed", "promised", "on_sample", "of_records", "within_range", "at_most"}
CALLS |= {"exactly_drawn", "called", "share_of", "floor_of", "floor_under", "nested", "deep"}
CALLS |= {"each_record", "grouped_records", "close", "aim", "parted", "approximately", "by_record"}
TRIES = 40  # documents on which an obligation is excused, before it is given up


class Excused:
    """Every obligation by its number; which of them fail on a document; the one left out."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.failed: dict[int, None] = {}
        self.out: int | None = None

    def named(self, name: str) -> int:
        """The number of a new obligation."""
        self.names.append(name if name not in self.names else f"{name} ({len(self.names)})")
        return len(self.names) - 1

    def check(self, which: int, value: Any) -> Any:
        """A condition, or that it holds."""
        if not value:
            self.failed[which] = None
            return True if which == self.out else value
        return value

    def call(self, which: int, stated: Callable[[], Any], instead: Callable[[], Any]) -> Any:
        """What a call gives that may refuse, or what stands in its place."""
        from dpframe.exact.documents import Refused

        try:
            return stated()
        except Refused:
            self.failed[which] = None
            if which != self.out:
                raise
            return instead()


EXCUSED = Excused()


class Rewrite(ast.NodeTransformer):
    """Obligations of one module, each asked through `EXCUSED`."""

    def __init__(self, module: str) -> None:
        self.where = [module]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.where.append(node.name)
        self.generic_visit(node)
        self.where.pop()
        return node

    visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]  # noqa: N815

    def name(self, node: ast.AST) -> ast.Constant:
        """The number of an obligation, by where it stands and how it reads."""
        text = " ".join(ast.unparse(node).split())
        place = ".".join(self.where).removeprefix("dpframe.")
        return ast.Constant(EXCUSED.named(f"{place}: {text:.160}"))

    def asked(self, node: ast.expr) -> ast.expr:
        """A condition, part by part where it is a conjunction."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            node.values = [self.asked(part) for part in node.values]
            return node
        return of("check", self.name(node), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return self.asked(node) if isinstance(node.op, ast.And) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = called(node)
        if name == "require" and not is_asked(node.args[0]):
            node.args[0] = self.asked(node.args[0])
        if name in ("positive", "whole") and isinstance(node.func, ast.Attribute):
            formula = ast.Call(
                ast.Attribute(node.func.value, "formula", ast.Load()), node.args[:1], []
            )
            return of("call", self.name(node), lazy(node), lazy(formula))
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        name = called(node.value)
        if name in CALLS - {"require"}:
            node.value = of(
                "call", self.name(node.value), lazy(node.value), lazy(ast.Constant(None))
            )
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if (len(node.body) == 1 and isinstance(node.body[0], ast.Raise)) or refuses(node):
            parts = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
            asked = [negated(of("check", self.name(part), negated(part))) for part in parts]
            if not isinstance(node.test, ast.BoolOp):
                node.test = asked[0]
            elif isinstance(node.test.op, ast.Or):
                node.test.values = asked
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        plain = isinstance(node.value, ast.Compare) or called(node.value) in ("all", "any", "bool")
        if plain and node.value is not None:
            node.value = self.asked(node.value)
        return node


def refuses(node: ast.If) -> bool:
    """Whether it only says no."""
    return ast.unparse(node.body[0]) in ("return False", "return None") and len(node.body) == 1


def called(node: ast.AST | None) -> str:
    """The last name of what is called."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def is_asked(node: ast.AST) -> bool:
    """Whether it is already."""
    return "__excused__" in ast.unparse(node)


def of(name: str, *parts: ast.expr) -> ast.Call:
    """A question to `EXCUSED`."""
    return ast.Call(
        ast.Attribute(ast.Name("__excused__", ast.Load()), name, ast.Load()), [*parts], []
    )


def lazy(node: ast.expr) -> ast.Lambda:
    """The same, not yet evaluated."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, node)


def negated(node: ast.expr) -> ast.UnaryOp:
    """Its opposite."""
    return ast.UnaryOp(ast.Not(), node)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Imports the modules that are rewritten."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        del path, target
        file = ROOT / f"{name.replace('.', '/')}.py"
        if not name.startswith(PACKAGES) or not file.exists():
            return None
        return importlib.util.spec_from_file_location(name, file, loader=self)

    def get_filename(self, name: str) -> str:
        return str(ROOT / f"{name.replace('.', '/')}.py")

    def get_data(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def exec_module(self, module: Any) -> None:
        name = module.__name__
        tree = Rewrite(name).visit(ast.parse(self.get_data(self.get_filename(name))))
        module.__dict__["__excused__"] = EXCUSED
        exec(
            compile(ast.fix_missing_locations(tree), self.get_filename(name), "exec"),
            module.__dict__,
        )


# ------------------------------------------------------------------------------------- documents
def tampered(count: int, seed: int, corpus_at: Path | None) -> Iterator[Json]:
    """Documents that were tampered with."""
    from tests.oracle import corpus
    from tests.oracle.answers import asked

    shipped = corpus.built() if corpus_at is None else corpus.read(corpus_at)
    for one in asked(shipped, range(count), seed):
        yield one.document


JUNK: tuple[Json, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2.5,
    "0",
    "1",
    "-1",
    "1/2",
    "2",
    "1000",
    "x",
    "",
    [],
    {},
    ["1"],
    [[]],
)


def bases(corpus_at: Path | None) -> list[Json]:
    """The smallest shipped document of each kind, theorem and derivation, under each relation."""
    from tests.oracle import corpus

    shipped = corpus.built() if corpus_at is None else corpus.read(corpus_at)
    least: dict[Json, tuple[int, Json]] = {}
    for _, _, document in shipped:
        claimed, size = document["statement"], len(json.dumps(document["graph"]))
        says = [
            (node["kind"], node.get("mechanism"), node.get("rule"))
            for node in document["graph"]["nodes"]
        ]
        says += [
            (claimed["derivation"], claimed["target"]["kind"]),
            ("each" in claimed, bool(claimed["region"])),
        ]
        for key in says:
            own = (key, claimed["relation"])
            if own not in least or size < least[own][0]:
                least[own] = (size, document)
    once = {document["hash"]: document for _, document in least.values()}
    return list(once.values())


def systematic(document: Json) -> Iterator[Json]:
    """Every value of a document in turn, a key, an input in the place of another, and junk."""
    from tests.oracle.tamper import leaves, sealed

    nodes = document["graph"]["nodes"]
    whole = {"statement": document["statement"], "graph": document["graph"]}
    paths = [path for path, _ in leaves(whole)]
    paths += sorted({path[:k] for path in paths for k in range(1, len(path))} - set(paths), key=str)
    for path in paths:
        values = list(JUNK)
        if "inputs" in path or "output" in path:
            values = [*range(len(nodes)), True, -1, "0"]
        for value in values:
            yield sealed(replaced(document, path, value))
    for i, node in enumerate(nodes):
        own = node["inputs"]
        for inputs in ([], own[:-1], own[1:], own * 2, own[::-1], [*own, max(0, i - 1)], [*own, 0]):
            yield sealed(replaced(document, ("graph", "nodes", i, "inputs"), inputs))
    for path in paths:
        if isinstance(path[-1], str):
            yield sealed(replaced(document, path, Ellipsis))
            yield sealed(replaced(document, (*path[:-1], "extra"), "1"))
    for symbol in document["statement"]["symbols"]:
        for key in range(len(nodes)):
            yield sealed(replaced(document, ("statement", "symbols", symbol, "origin"), key))


def replaced(document: Json, path: tuple[Any, ...], value: Json) -> Json:
    """A copy in which one place has another value; Ellipsis: it is gone."""
    made = json.loads(json.dumps(document))
    holder = made
    for step in path[:-1]:
        holder = holder[step]
    if value is Ellipsis:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return made


def given(path: Path) -> Iterator[Json]:
    """Documents of a file, one a line."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


# ------------------------------------------------------------------------------------ the engine
def accepted(document: Json, out: int | None = None) -> tuple[bool, str]:
    """Whether the kernel accepts it, an obligation left out, with steps that are searched for."""
    from dpframe.kernel import check
    from dpframe.prover.witnesses import Searched

    EXCUSED.failed, EXCUSED.out = {}, out
    try:
        verdict = check(document, steps=Searched())
    finally:
        EXCUSED.out = None
    return verdict.accepted, verdict.reason


def needed(
    documents: Iterable[Json], seconds: float
) -> tuple[dict[int, Json], Counter[int], dict[int, set[str]]]:
    """A document for each obligation that one needs; how often others failed in vain, and why."""
    import time

    found: dict[int, Json] = {}
    vain: Counter[int] = Counter()
    why: dict[int, set[str]] = {}
    start = time.perf_counter()
    for document in documents:
        if time.perf_counter() - start > seconds:
            break
        fine, first = accepted(document)
        failed = [which for which in EXCUSED.failed if which not in found and vain[which] < TRIES]
        for which in () if fine else failed:
            now, reason = accepted(document, which)
            if now:
                found[which] = document
            else:
                vain[which] += 1
                if reason != first:
                    why.setdefault(which, set()).add(reason[:200])
    return found, vain, why


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    sys.meta_path.insert(0, Finder())
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=Path, nargs="*", default=[])
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument("--share", type=float, default=0.1, help="of the systematic ones")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args(arguments)

    def documents() -> Iterator[Json]:
        for path in asked.documents:
            yield from given(path)
        draw = random.Random(asked.seed)
        for document in bases(asked.corpus) if asked.share else ():
            yield from (one for one in systematic(document) if draw.random() < asked.share)
        if asked.count:
            yield from tampered(asked.count, asked.seed, asked.corpus)

    import dpframe.kernel  # noqa: F401 - rewritten

    found, vain, why = needed(documents(), asked.seconds)
    print(f"{len(EXCUSED.names)} obligations, {len(found)} needed")  # noqa: T201
    for which, name in enumerate(EXCUSED.names):
        if which not in found:
            reasons = "; ".join(sorted(why.get(which, ()))[:3])
            print(f"{vain[which]:>3} in vain: {name}\n        {reasons[:400]}")  # noqa: T201
    if asked.out:
        rows = {EXCUSED.names[which]: document for which, document in found.items()}
        asked.out.write_text(json.dumps(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
