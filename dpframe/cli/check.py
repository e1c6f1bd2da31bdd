"""dpframe check: verify a certificate file independently of the prover."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Annotated, Any

import typer

import dpframe as dp

from .options import Json, option
from .printing import print_json, written

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
SAVED = "Check proof.json, saved by --certificate or model.certificate_.save."
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
    as_json: Json = False,
    standalone: Annotated[Path | None, option(STANDALONE)] = None,
) -> None:
    """Verify a certificate file by the kernel, which replays each step of the proof. Exit status 1
    if the certificate is rejected.
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
        document = document_of(file)
        if not as_json:
            allowed = [part for name in trusted for part in ("--trusted", name)]
            pinned = ["--expect", expect] if expect else []
            raise typer.Exit(main([*pinned, *allowed, "--", str(file)]))
        verdict = checked(document, expect, trusted=trusted or None)
        print_json(dataclasses.asdict(verdict))
        unusable = verdict.reason.startswith("unusable")
        raise typer.Exit(0 if verdict.accepted else 2 if unusable else 1)


def document_of(path: Path) -> Any:
    """The JSON values of a certificate file, which the kernel judges. Raises BadCertificate for a
    result, a binary file, or one that cannot be read.
    """
    from dpframe.exact.documents import Unusable, content_of, read

    wanted, got, way_out = "a certificate file", str(path), SAVED
    try:
        document = read(content_of(path))
    except UnicodeDecodeError:
        wanted = "a certificate file, which is text"
    except (OSError, ValueError, Unusable) as error:
        wanted, way_out = "a readable certificate", str(error)
    else:
        if not (isinstance(document, dict) and "receipt" in document):
            return document
        got = f"{path}, a result without a proof"
    raise dp.errors.BadCertificate("FILE", wanted, got, way_out)
