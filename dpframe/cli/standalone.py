"""The kernel as one file that runs without dpframe: `python kernel.pyz FILE`."""

from __future__ import annotations

import zipfile
from pathlib import Path

TRUSTED = ("exact", "theory", "kernel")
MAIN = "import sys\n\nfrom dpframe.kernel.__main__ import main\n\nsys.exit(main())\n"


def write_standalone(path: Path) -> None:
    """Write `exact`, `theory` and `kernel`, and nothing else, as a zip file that Python runs. The
    same bytes each time.
    """
    package = Path(__file__).parents[1]
    files = [file for place in TRUSTED for file in sorted((package / place).glob("*.py"))]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py"), MAIN)
        archive.writestr(zipfile.ZipInfo("dpframe/__init__.py"), "")
        for file in files:
            name = zipfile.ZipInfo(f"dpframe/{file.relative_to(package).as_posix()}")
            archive.writestr(name, file.read_text())
