"""The base of filters, odometers and ledgers of records: one charging process, one file format.

A file is JSON: `ledger`, which holds public facts; `seal`, their SHA-256; `hmac`, where there is a
key; and arrays in base64, where there are any. Reading checks everything, and the text is
canonical: it must be, character for character, the text that would be written.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn, Self

from dpframe import documents
from dpframe.errors import BadLedger, DPFrameError, InvalidArgument, Plain, StaleLedger
from dpframe.privacy import Relation, Unit, number

from . import files

if TYPE_CHECKING:
    from .filters.prices import Kind


MAX_COUNT = 1 << 62
AMOUNT = re.compile(r"(0|[1-9][0-9]{0,4000})(/[1-9][0-9]{0,4000})?")
IDENTITY = re.compile(r"[0-9a-f]{32}")
LEAST_KEY = 16
WRONG = (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError)
IMPOSSIBLE = (DPFrameError, *WRONG)  # raised in reading a text that was never written
WAY_OUT = "Restore the newest copy that you trust; never begin anew on the same data."
ELSEWHERE = "Charge in the process that holds the ledger; or save it, and load it where it is used."
NEWEST = "Open the newest copy; where this one is certainly right, say so: expect=its seal."


class Document(NamedTuple):
    """The content of a file. `fixed` never changes in a ledger, `charges` counts its charges."""

    body: dict[str, Any]
    fixed: object
    charges: int
    arrays: Mapping[str, Any] | None = None

    @property
    def seal(self) -> str:
        """SHA-256 of the body, 64 hexadecimal digits. Anyone who can edit a file can compute it."""
        return hashlib.sha256(_canonical(self.body)).hexdigest()

    def text(self, key: bytes | None = None) -> str:
        """JSON with its seal; with a key also an HMAC-SHA256."""
        tag = None if key is None else _tag(self.body, key)
        whole: dict[str, Any] = {"ledger": self.body, "seal": self.seal, "hmac": tag}
        if self.arrays is not None:
            encoded = {name: base64.b64encode(one).decode() for name, one in self.arrays.items()}
            whole["arrays"] = encoded
        return json.dumps(whole, indent=1) + "\n"


class SavedLedger(ABC):
    """Abstract: a ledger that is charged in one process, saved and loaded.

    Its state is one immutable value, replaced under a lock: threads never lose a charge, and an
    error changes nothing. It cannot be copied or pickled, since a copy would spend again.
    """

    __slots__ = ("_lock", "_process", "_seals")
    count_name: ClassVar[str]
    """The name of its charges: `queries`."""
    most: ClassVar[int]
    """Characters of its text."""
    has_arrays: ClassVar[bool] = False

    def _start(self) -> None:
        self._lock, self._process = Lock(), os.getpid()
        self._seals: dict[str, str] = {}  # of each file, as this object saved or loaded it

    @abstractmethod
    def _document(self) -> Document:
        """Its content now."""

    @classmethod
    @abstractmethod
    def _read(cls, body: dict[str, Any], arrays: Mapping[str, str]) -> Self:
        """The ledger of such a document. Raises DPFrameError, or as wrong types and keys do."""

    def _check_process(self) -> None:
        """Refuse a fork. Raises InvalidArgument."""
        if os.getpid() != self._process:
            raise InvalidArgument(
                "ledger", "one of this process", Plain("a fork of one"), ELSEWHERE
            )

    @property
    def seal(self) -> str:
        """SHA-256 of all that is saved: equal seals are equal ledgers.

        Stored elsewhere, it shows at `load` whether a file is the newest one.
        """
        return self._document().seal

    def to_json(self, *, key: bytes | None = None) -> str:
        """The ledger as text: budgets, public names, exact totals, and no data.

        A ledger of records has the group and the total of each record, and says how many there are;
        nothing in it is computed from their values. With a `key` of at least 16 secret bytes it is
        sealed by HMAC-SHA256 as well.
        """
        document = self._document()
        text = document.text(key_of(key))
        note(document)
        return text

    @classmethod
    def from_json(
        cls, text: str, *, key: bytes | None = None, expect: str | None = None, at_least: int = 0
    ) -> Self:
        """The ledger that `to_json` wrote, and it spends as that would.

        `expect` is the seal that it must have, `at_least` the least number of charges: both from
        elsewhere than the text. Raises BadLedger for a text that was edited or cut short;
        StaleLedger for one older than expected, or than one that this process has saved or opened.
        """
        secret = key_of(key)
        try:
            whole = cls._parsed(text, secret)
            ledger = cls._read(whole["ledger"], whole.get("arrays", {}))
        except BadLedger:
            raise
        except IMPOSSIBLE as error:
            raise bad_ledger("a ledger within its own budgets", type(error).__name__) from None
        document = ledger._document()  # noqa: SLF001  # its own class
        if document.text(secret) != text:
            raise bad_ledger("written exactly as this version writes it", "another text")
        cls._check_expected(document, expect, at_least)
        note(document)
        return ledger

    @classmethod
    def _parsed(cls, text: object, key: bytes | None) -> dict[str, Any]:
        """A text whose seal is that of its body."""
        if not isinstance(text, str) or len(text) > cls.most:
            raise bad_ledger(f"text of at most {cls.most} characters", type(text).__name__)
        whole = documents.json_of(text, "the saved ledger", BadLedger)
        parts = ["ledger", "seal", "hmac", *(["arrays"] if cls.has_arrays else [])]
        if not isinstance(whole, dict) or whole.keys() != set(parts):
            raise bad_ledger(f"an object with {', '.join(parts)}", "something else")
        _check_seal(whole, key)
        return whole

    @classmethod
    def _check_expected(cls, document: Document, expect: object, at_least: object) -> None:
        """Refuse a ledger with another seal, fewer charges than the caller knows of, or older than
        one that this process has saved or opened.
        """
        if expect is not None and not isinstance(expect, str):
            raise InvalidArgument("expect", "a seal, as ledger.seal gives it", expect)
        if type(at_least) is not int or at_least < 0:
            raise InvalidArgument("at_least", "a whole number of at least 0", at_least)
        if document.charges < at_least:
            wanted = f"of at least {at_least} {cls.count_name}"
            raise StaleLedger("the saved ledger", wanted, document.charges, WAY_OUT)
        if expect is None:
            check_newest(document)
        elif not _equal(expect, document.seal):
            raise StaleLedger("the saved ledger", f"the one with seal {expect}", "another", WAY_OUT)

    def save(self, path: files.Where, *, key: bytes | None = None) -> None:
        """Replace the file, whole or not at all, unless another process has changed it.

        Spend, save, then release: a release that was saved first cannot be forgotten. Raises
        StaleLedger where the file is not the one that this ledger saved or was loaded from.
        """
        where, secret = files.place(path), key_of(key)
        with files.one_writer(where):
            document = self._document()
            self._compare(where, secret)
            files.replace(where, document.text(secret))
            self._seals[str(where)] = document.seal
        note(document)

    def _compare(self, where: Any, key: bytes | None) -> None:
        if not where.exists():
            return
        if self._parsed(files.read(where, self.most), key)["seal"] != self._seals.get(str(where)):
            expected = "the one that this ledger saved or was loaded from"
            way_out = "Release nothing; load the file, and spend again from there."
            raise StaleLedger("the file", expected, str(where), way_out)

    @classmethod
    def load(
        cls,
        path: files.Where,
        *,
        key: bytes | None = None,
        expect: str | None = None,
        at_least: int = 0,
    ) -> Self:
        """The ledger in a file that `save` wrote; arguments and errors as for `from_json`.

        Raises OSError where there is no such file.
        """
        where = files.place(path)
        text = files.read(where, cls.most)
        ledger = cls.from_json(text, key=key, expect=expect, at_least=at_least)
        ledger._seals[str(where)] = ledger.seal  # noqa: SLF001  # its own class
        return ledger

    def __reduce__(self) -> NoReturn:
        """Refuse copies and pickles: a copy would spend the same budget again."""
        way_out = "A copy would spend again: save it, and load it elsewhere."
        raise InvalidArgument("ledger", "one, never a copy", type(self).__name__, way_out)


# The states that this process has saved or opened, to notice an older copy; lost when it ends.
_NEWEST: dict[str, Document] = {}
_LOCK = Lock()


def note(document: Document) -> None:
    """Remember that this state was saved or opened."""
    state = document._replace(arrays=None)
    with _LOCK:
        newest = _NEWEST.get(document.body["identity"])
        if newest is None or document.charges >= newest.charges:
            _NEWEST[document.body["identity"]] = state


def check_newest(document: Document) -> None:
    """Refuse a state that is older than, or beside, one that this process has saved or opened."""
    newest = _NEWEST.get(document.body["identity"])
    if newest is None:
        return
    if document.fixed != newest.fixed:
        raise StaleLedger("the saved ledger", "with the ceiling it had", "another", NEWEST)
    if document.charges < newest.charges:
        known = f"at least the {newest.charges} charges that this process has recorded"
        raise StaleLedger("the saved ledger", known, document.charges, NEWEST)
    if document.charges == newest.charges and document.seal != newest.seal:
        raise StaleLedger("the saved ledger", "the one that was recorded", "another branch", NEWEST)


def header_of(schema: str, identity: str, kind: Kind, **more: object) -> dict[str, Any]:
    """How every body begins."""
    return {
        "schema": schema,
        **more,
        "identity": identity,
        "kind": kind.kind,
        "currency": list(kind.currency),
    }


def identity_and_count(body: Mapping[str, Any], count_name: str) -> tuple[str, int]:
    """The identity of a body, and the number of its charges. Raises BadLedger."""
    identity, count = body["identity"], body[count_name]
    if type(count) is not int or not 0 <= count <= MAX_COUNT:
        raise bad_ledger(f"of 0 to {MAX_COUNT} {count_name}", "another number")
    if not IDENTITY.fullmatch(identity):
        raise bad_ledger("with an identity of 32 hexadecimal digits", "another")
    return identity, count


def exact_amounts(values: Iterable[object]) -> tuple[Fraction, ...]:
    """Exact numbers of at least 0 from text. Raises InvalidArgument."""
    texts = list(values)
    for text in texts:
        if not (isinstance(text, str) and AMOUNT.fullmatch(text)):
            raise InvalidArgument("amount", "an exact number of at least 0, as text", text)
    return tuple(Fraction(str(text)) for text in texts)


def check_unit(unit: object) -> Unit:
    """`unit`, if it is a Unit whose rows_per_person is a number. Raises InvalidArgument."""
    if type(unit) is not Unit:
        raise InvalidArgument("unit", "a Unit, as certificate.setting.unit is", unit)
    number("rows_per_person", unit.rows_per_person)
    return unit


def check_same_unit(current: Unit | None, unit: Unit | None) -> None:
    """Refuse another unit of privacy than the ledger's: epsilon of a record that joins is not that
    of one that is replaced, nor that of a person with more rows. Raises InvalidArgument.
    """
    if unit is not None and current not in {None, check_unit(unit)}:
        way_out = "Keep another ledger for it, or certify for this unit."
        raise InvalidArgument("unit", f"{current}, as before", Plain(unit), way_out)


def of_unit(unit: Unit | None) -> dict[str, Any] | None:
    """`{"relation": "add_remove", "rows_per_person": 1}`."""
    if unit is None:
        return None
    rows = int(number("rows_per_person", unit.rows_per_person))
    return {"relation": unit.relation.value, "rows_per_person": rows}


def unit_of(value: Mapping[str, Any] | None) -> Unit | None:
    """The unit that `of_unit` wrote. Raises KeyError, ValueError or InvalidArgument."""
    return None if value is None else Unit(Relation(value["relation"]), value["rows_per_person"])


def key_of(key: object) -> bytes | None:
    """`key` as at least 16 secret bytes, or None. Raises InvalidArgument."""
    if key is None or (type(key) is bytes and len(key) >= LEAST_KEY):
        return key
    raise InvalidArgument(
        "key", f"at least {LEAST_KEY} bytes", type(key).__name__, "Take secrets.token_bytes(32)."
    )


def bad_ledger(requirement: str, value: object, way_out: str = WAY_OUT) -> BadLedger:
    """The error on a text that was not saved."""
    return BadLedger("the saved ledger", requirement, value, way_out)


def _canonical(body: object) -> bytes:
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")


def _tag(body: object, key: bytes) -> str:
    return hmac.new(key, _canonical(body), hashlib.sha256).hexdigest()


def _check_seal(whole: Mapping[str, Any], key: bytes | None) -> None:
    body, tag = whole["ledger"], whole["hmac"]
    if (key is None) != (tag is None):
        with_key, way_out = ("without", "Give no key.") if key else ("with", "Give key=.")
        raise bad_ledger(f"opened as it was saved, {with_key} a key", "the other", way_out)
    if key is not None and not _equal(tag, _tag(body, key)):
        raise bad_ledger("sealed with this key", "another HMAC")
    if not _equal(whole["seal"], hashlib.sha256(_canonical(body)).hexdigest()):
        raise bad_ledger("what its seal says", "another SHA-256")


def _equal(given: object, computed: str) -> bool:
    return isinstance(given, str) and given.isascii() and hmac.compare_digest(given, computed)
