"""dpframe check: verify a certificate file independently of the prover."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

import dpframe as dp

from .options import Json, option
from .printing import print_json

INSIDE = ("exact", "theory", "kernel")
MAIN = "import sys\n\nfrom dpframe.kernel.__main__ import main\n\nsys.exit(main())\n"


def write_standalone(path: Path) -> None:
    """Write `exact`, `theory` and `kernel` only, as a zip file that Python runs. The bytes are
    reproducible.
    """
    import zipfile

    package = Path(__file__).parents[1]
    files = [file for place in INSIDE for file in sorted((package / place).glob("*.py"))]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py"), MAIN)
        archive.writestr(zipfile.ZipInfo("dpframe/__init__.py"), "")
        for file in files:
            name = zipfile.ZipInfo(f"dpframe/{file.relative_to(package).as_posix()}")
            archive.writestr(name, file.read_text())


app = typer.Typer(add_completion=False)

TRUSTED = "The only classes, module:Class, that the proof may trust; or none. Repeatable."


@app.command(epilog="Example: dpframe check proof.json --expect HASH")
def check(
    file: Annotated[
        Path, typer.Argument(help="A certificate file, saved by --out or certificate.save.")
    ],
    expect: Annotated[
        str | None, option("--expect", "The hash that the certificate must have.")
    ] = None,
    trusted: Annotated[list[str], option("--trusted", TRUSTED)] = [],  # noqa: B006 - typer's own
    as_json: Json = False,
    standalone: Annotated[
        bool,
        option("--standalone", "Write the checker to FILE, a program that runs without dpframe."),
    ] = False,
) -> None:
    """Verify a certificate file by the kernel, which replays each step of the proof. Exit status 1
    if the certificate is rejected.
    """
    from dpframe.exact.documents import Unusable, content_of, read
    from dpframe.kernel import check as checked
    from dpframe.kernel.__main__ import main

    if standalone:
        write_standalone(file)
        raise typer.Exit
    if not as_json:
        allowed = [part for name in trusted for part in ("--trusted", name)]
        pinned = ["--expect", expect] if expect else []
        raise typer.Exit(main([*pinned, *allowed, "--", str(file)]))
    try:
        verdict = checked(read(content_of(file)), expect, trusted=trusted or None)
    except (OSError, ValueError, Unusable) as error:
        raise dp.errors.BadCertificate(
            "FILE", "a readable certificate", str(file), str(error)
        ) from None
    print_json(dataclasses.asdict(verdict))
    unusable = verdict.reason.startswith("unusable")
    raise typer.Exit(0 if verdict.accepted else 2 if unusable else 1)
