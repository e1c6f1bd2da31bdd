"""Find regressions, accountants, classes and certificate files by the names that users give."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

import dpframe as dp
from dpframe.errors import Plain, nearest
from dpframe.symbols import Number, exact, rational

DESCRIBED = (".toml", ".yaml", ".yml")  # YAML is refused with a message
SAVED = "Check proof.json, saved by --certificate or model.certificate_.save."
OTHER_FILES = {"receipt": "a result without a proof", "columns": "a codebook"}
TRUSTED = "Such as plug:MyNoise, for the class MyNoise of plug.py in the current folder."


def is_description(name: str) -> bool:
    """Whether the name is that of a file with a description."""
    return name.lower().endswith(DESCRIBED)


def regression_of(name: str, given: Sequence[str]) -> dp.Regression:
    """The regression of that name, with its hyperparameters. Raises InvalidArgument."""
    if is_description(name):
        way_out = f"dpframe audit {name} judges a description."
        raise dp.InvalidArgument("NAME", "a regression, or module:Class", name, way_out)
    name = name.removesuffix("()")
    base, _, variant = (name, "", "") if ":" in name else name.partition(".")
    cls = _imported(name) if ":" in name else _known(base)
    make: Any = _variant(cls, variant) if variant else cls
    fields = attrs.fields_dict(cls)
    values: dict[str, object] = {}
    for text in given:
        key, equal, _ = text.partition("=")
        if not equal or key.strip() not in fields:
            known = ", ".join(fields) or "nothing"
            raise dp.InvalidArgument("--set", f"written name=number, for a name of {known}", text)
        values[key.strip()] = _value(fields[key.strip()].default, text)
    try:
        made: dp.Regression = attrs.evolve(make(), **values) if variant else make(**values)
    except TypeError as error:
        way_out = "Give its fields by --set name=value."
        raise dp.InvalidArgument(name, "complete", Plain(error), way_out) from None
    return made


def _variant(cls: type[dp.Regression], name: str) -> Any:
    """The constructor of that name, such as for_intervals. Raises InvalidArgument."""
    own = [key for key, value in vars(cls).items() if isinstance(value, classmethod)]
    public = [key for key in own if not key.startswith("_")]
    if name not in public:
        known = ", ".join(f"{cls.__name__}.{key}" for key in public) or "none of this regression"
        raise dp.InvalidArgument("NAME", f"an existing variant: {known}", name)
    return getattr(cls, name)


def _known(name: str) -> type[dp.Regression]:
    for place in (dp.regressions, dp.literature):
        cls = getattr(place, name) if name in dir(place) else None
        if isinstance(cls, type) and issubclass(cls, dp.Regression):
            return cls  # without loading the others
    from dpframe.literature.every import everything

    classes: dict[str, type[dp.Regression]] = {cls.__name__.lower(): cls for cls in everything()}
    if name.lower() in classes:
        return classes[name.lower()]
    close = difflib.get_close_matches(name.lower(), classes, n=3)
    hint = f"Perhaps {' or '.join(classes[key].__name__ for key in close)}?" if close else ""
    wanted = "a name that `dpframe list` prints, or module:Class"
    raise dp.InvalidArgument("NAME", wanted, name, hint)


def imported(name: str, option: str = "NAME") -> Any:
    """The object at module:Name, also of a module in the current folder, or at file.py:Name; the
    `option` names it. Raises InvalidArgument.
    """
    module, _, path = name.rpartition(":")
    file = Path(module) if module.endswith(".py") else None
    place = str(Path.cwd() if file is None else file.resolve().parent)
    sys.path.insert(0, place)
    target: Any = None
    try:
        target = importlib.import_module(module if file is None else file.stem)
        for part in path.split("."):
            target = getattr(target, part)
    except (ImportError, AttributeError, ValueError, TypeError, SyntaxError) as error:
        way_out = f"{str(error)[:1].upper()}{str(error)[1:]}.{_meant(error, target, module)}"
        raise dp.InvalidArgument(option, "an importable module:Class", name, way_out) from None
    except Exception as error:  # noqa: BLE001  the file is the user's; its text might quote data
        by = f"python {file}" if file else f'python -c "import {module}"'
        way_out = f"Importing it raised {type(error).__name__}; `{by}` shows where."
        raise dp.InvalidArgument(option, "an importable module:Class", name, way_out) from None
    finally:
        sys.path.remove(place)
    return target


def _meant(error: Exception, target: Any, module: str) -> str:
    """A suggestion: a similar name in `target`, or of a module in the current folder."""
    if isinstance(error, AttributeError):
        return nearest(error.name or "", dir(target))
    if isinstance(error, ModuleNotFoundError) and error.name == module:
        return nearest(module, [file.stem for file in Path.cwd().glob("*.py")])
    return ""


def trust_of(names: Sequence[str]) -> list[type]:
    """The classes of these names. Raises InvalidArgument."""
    classes = [imported(name, "--trust") if ":" in name else None for name in names]
    for name, one in zip(names, classes, strict=True):
        if not isinstance(one, type):
            raise dp.InvalidArgument("--trust", "the name of a class, module:Class", name, TRUSTED)
    return [one for one in classes if isinstance(one, type)]


def accountant_of(name: str) -> str | dp.Accountant:
    """The name of an accountant of dpframe, or an instance of the user's class at module:Class,
    constructed without arguments. Raises InvalidArgument.
    """
    name = name.strip()
    if ":" not in name:
        from dpframe.accountants.every import ACCOUNTANTS, AUTO, unknown_accountant

        if name not in {AUTO, *(one.name for one in ACCOUNTANTS)}:
            raise unknown_accountant(name)
        return name
    cls = imported(name, "--accountant")
    try:
        made = cls()
    except TypeError as error:
        raise dp.InvalidArgument(
            "--accountant", "constructed without arguments", Plain(error)
        ) from None
    if not isinstance(made, dp.Accountant):
        raise dp.InvalidArgument("--accountant", "the name of a dp.Accountant", name)
    return made


def _imported(name: str) -> type[dp.Regression]:
    cls = imported(name)
    if not (isinstance(cls, type) and issubclass(cls, dp.Regression)):
        raise dp.InvalidArgument("NAME", "the name of a dp.Regression", name)
    return cls


def _value(default: object, text: str) -> object:
    """The value in name=value by the kind of the field: an exact number, text, or true or false."""
    name, value = (part.strip() for part in text.split("=", 1))
    if isinstance(default, bool):
        if value.lower() not in ("true", "false"):
            raise dp.InvalidArgument(name, "true or false", value)
        return value.lower() == "true"
    if isinstance(default, str):
        return value
    number = exact(rational(value, name))
    if isinstance(default, int) and isinstance(number, Number):
        return int(number.value) if number.value.denominator == 1 else number.value
    return number


def document_of(path: Path) -> Any:
    """The JSON values of a certificate file, which the kernel judges. Raises BadCertificate for a
    result, a codebook, a binary file, or one that cannot be read.
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
        keys = document if isinstance(document, dict) else ()
        others = [text for key, text in OTHER_FILES.items() if key in keys]
        if not others:
            return document
        got = Plain(f"{path}, {others[0]}")
    raise dp.errors.BadCertificate("FILE", wanted, got, way_out)
