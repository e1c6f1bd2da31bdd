"""dpframe check: verify a certificate file independently of the prover."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

import dpframe as dp
from dpframe.kernel.checker import safe

from .declaration import document_of
from .options import Json, option
from .printing import page, print_json, say, written

INSIDE = ("exact", "theory", "kernel")
MAIN = "import sys\n\nfrom dpframe.kernel.__main__ import main\n\nsys.exit(main())\n"


def write_standalone(path: Path) -> None:
    """Write `exact`, `theory` and `kernel` only, as a zip file that Python runs. The bytes are the
    same on each machine. Raises InvalidArgument for an existing file that is no such program.
    """
    import zipfile

    if path.exists() and not _is_program(path):
        way_out = "It exists and is not a checker, so it is not overwritten. Name another file."
        raise dp.InvalidArgument("--standalone", "a new file", str(path), way_out)
    package = Path(__file__).parents[1]
    files = [file for place in INSIDE for file in sorted((package / place).glob("*.py"))]
    content = {"__main__.py": MAIN.encode(), "dpframe/__init__.py": b""}
    for file in files:
        content[f"dpframe/{file.relative_to(package).as_posix()}"] = file.read_bytes()
    with zipfile.ZipFile(path, "w") as archive:  # not compressed, so that no library decides bytes
        for name, code in content.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3  # the same on Windows
            archive.writestr(entry, code)


def _is_program(path: Path) -> bool:
    """Whether a file is an earlier checker: a zip file whose main program is MAIN."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read("__main__.py") == MAIN.encode()
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return False


app = typer.Typer(add_completion=False)

STANDALONE = (
    "Write the checker to this new file and print its SHA-256; `python kernel.pyz FILE` then "
    "checks a certificate without dpframe. Only an earlier checker is overwritten. Without FILE."
)
EXPECT = (
    "The hash that the certificate must have, from the receipt of a result; runs with the same "
    "declaration share it. Without it, any valid certificate is accepted, also one of another "
    "declaration or with fewer assumptions."
)
BOOK = "Compare the bounds and levels of this codebook with those of the certificate."
UNPINNED = (
    "Without --expect the list of assumptions is the sender's word, and may be shortened: compare "
    "the hash with that on the receipt, or certify the declaration again."
)
PUBLIC = (
    "No file shows that bounds, levels and sizes are public knowledge and not taken from the data: "
    "docs/assumptions has all that is assumed."
)
NOT_ADDED = (
    "The checker accepts everything but the total: it does not count what samples hide of Gaussian "
    "noise, nor Renyi orders. dp.load(FILE) in Python proves the total again."
)
TRUSTED = "The only classes, module:Class, that the proof may trust; or none. Repeatable."


@app.command(
    epilog="Examples: dpframe check proof.json --expect HASH; dpframe check --standalone kernel.pyz"
)
def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A certificate file, saved by --out, --certificate or certificate.save.",
            show_default=False,
        ),
    ] = None,
    *,
    expect: Annotated[str | None, option(EXPECT)] = None,
    trusted: Annotated[list[str], option(TRUSTED)] = [],  # noqa: B006 - typer's own
    book: Annotated[Path | None, option("--codebook", BOOK)] = None,
    as_json: Json = False,
    standalone: Annotated[Path | None, option(STANDALONE)] = None,
) -> None:
    """Verify a certificate file by the kernel, which replays each step of the proof. Exit status 1
    if the certificate is rejected, or if its bounds are not those of the codebook.
    """
    from dpframe.kernel import check as checked
    from dpframe.kernel.__main__ import main

    if (file is None) == (standalone is None):
        got = dp.errors.Plain("neither" if file is None else "both")
        way_out = "dpframe check FILE checks; dpframe check --standalone kernel.pyz writes."
        raise dp.InvalidArgument("FILE", "given, or --standalone kernel.pyz", got, way_out)
    if standalone is not None:
        written("--standalone", standalone, write_standalone)
        typer.echo(f"SHA-256 {hashlib.sha256(standalone.read_bytes()).hexdigest()}")
    elif file is not None:
        document, expect = document_of(file), expect and expect.strip().lower()
        verdict = checked(document, expect, trusted=trusted or None)
        differing = differences(document, book) if verdict.accepted and book is not None else []
        if differing:
            reason = f"the bounds are not those of {book}"
            verdict = dataclasses.replace(verdict, accepted=False, sentence="", reason=reason)
        if as_json:
            compared = {} if book is None else {"differences": differing}
            if verdict.accepted:
                compared["assumptions"] = document["assumptions"]
                compared["derivation"] = document["statement"]["derivation"]
                compared["sizes"] = sizes(document)
            print_json(dataclasses.asdict(verdict) | compared)
        elif differing:
            say("\n".join([f"rejected: {verdict.reason}", *differing]))
        else:
            allowed = [part for name in trusted for part in ("--trusted", name)]
            pinned = ["--expect", expect] if expect else []
            if status := main([*pinned, *allowed, "--", str(file)]):
                if _without_sum(document, verdict):
                    say(NOT_ADDED)
                raise typer.Exit(status)
            if known := sizes(document):
                named = "; ".join(f"{name} {size}" for name, size in known.items())
                page(f"sizes in decimals: {named}")
            say("\n".join([*unread(document), PUBLIC, *([] if expect else [UNPINNED])]))
            if book is not None:
                say(f"The bounds and levels are those of {book}.")
        unusable = verdict.reason.startswith("unusable")
        raise typer.Exit(0 if verdict.accepted else 2 if unusable else 1)


def _without_sum(document: Any, verdict: Any) -> bool:
    """Whether everything but the total of a proof that the kernel cannot add up is accepted."""
    from dpframe.kernel import check as checked
    from dpframe.theory import DERIVATIONS

    if verdict.reason.startswith("unusable"):
        return False
    graph, claimed = document["graph"], document["statement"]
    sampled = any(node.get("sampled") is not None for node in graph["nodes"])
    unknown = claimed["derivation"] not in DERIVATIONS
    return (sampled or unknown) and checked(document, total=False).accepted


def sizes(document: Any) -> dict[str, str]:
    """The sizes of noise that are numbers, as decimals, by the names of their releases."""
    from dpframe.audits.differences import upper_bound
    from dpframe.audits.figures import figure

    nodes = [node for node in document["graph"]["nodes"] if "size" in node]
    found = {node.get("name") or node["kind"]: upper_bound(node["size"]) for node in nodes}
    return {safe(name): str(figure(size)) for name, size in found.items() if size is not None}


def unread(document: Any) -> Iterator[str]:
    """A line for each parameter that no part of the graph or of the claim reads."""
    stated = document["statement"]
    claim = [stated[key] for key in ("target", "region", "rows_per_person")]
    text = json.dumps([document["graph"], claim, stated.get("each")])
    for name, symbol in stated["symbols"].items():
        if symbol["origin"] is None and json.dumps(name) not in text:
            yield safe(f"unread: nothing in the graph or the claim reads {name}, nor a value of it")


def differences(document: Any, book: Path) -> list[str]:
    """A line for each column whose bounds or levels in the graph of an accepted certificate are not
    those of the codebook, and for an intercept, a norm or terms that only one of them has. Raises
    InvalidArgument.
    """
    from dpframe.graph.codebook import codebook_in  # deferred: other checks need no graphs
    from dpframe.symbols import to_json

    rows, label = codebook_in(book, "--codebook")
    nodes = document["graph"]["nodes"]
    given = [node["id"] for node in nodes if node["kind"] == "column"]
    coded = {node["id"]: node for node in nodes if node["kind"] == "encode"}
    ends = (label.lower, label.upper) if label.bound is None else (-label.bound, label.bound)
    declared = [part.record() for part in rows.columns or ()]
    declared += [["the label", *map(str, ends)], ["intercept", *["1"] * rows.intercept]]
    declared.append(["norm", *([] if rows.norm is None else [to_json(rows.norm)])])
    declared.append(["terms", *map(":".join, rows.terms or ())])
    proved = [row for node in coded.values() for row in node["schema"]]
    proved += [
        ["the label", node["lower"], node["upper"]]
        for node in nodes
        if {"lower", "upper"} <= node.keys() and node["inputs"][0] in given
    ]
    constants = {node["value"] for node in nodes if node["kind"] == "intercept"}
    proved.append(["intercept", *sorted(constants)])
    clips = [one for one in nodes if one["kind"] == "clip_norm" and one["inputs"][0] in coded]
    proved.append(["norm", *(node["norm"] for node in clips)])
    for node in coded.values():
        names = [row[0] for row in node["schema"]]
        written = [":".join(names[i] for i in term) for term in node.get("terms") or ()]
        proved.append(["terms", *written])
    return [
        *(_difference(row, book, "the certificate") for row in declared if row not in proved),
        *(_difference(row, "the certificate", book) for row in proved if row not in declared),
    ]


def _difference(row: list[Any], place: object, other: object) -> str:
    """`salary: 0, 40000 in book.json, not in the certificate`."""
    name, *values = row
    cells = ", ".join(", ".join(one) if isinstance(one, list) else str(one) for one in values)
    return f"{name}: {cells or 'none'} in {place}, not in {other}"
