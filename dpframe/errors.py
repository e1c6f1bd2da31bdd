"""Every deliberate error, as one tree.

    DPFrameError
    +-- InvalidArgument (ValueError)      an argument, what it must be, what it was, the way out
    |   +-- UnsafeFormula                 a formula in text that the safe parser does not accept
    |   +-- BadData                         data that cannot be used: shape, type, non-finite values
    |   +-- BadCertificate                  a certificate that is not what it says
    |   +-- BadLedger                       a saved ledger that is not what was saved
    |       +-- StaleLedger                 a saved ledger that is not the newest one
    +-- BudgetExceeded                    a query that a privacy filter cannot afford
    +-- LedgerUnavailable                 a ledger file that is locked, read-only, or on a full disk
    +-- OutsideTheorem (ValueError)       a named theorem used outside its hypotheses
    +-- TouchesData (TypeError)           declared data met numpy, Python control flow or a number
    +-- Uncertified                         a graph that was not proved; it carries every open
    obligation
    +-- SourceFailed                      a table, or a worker reading it, broke off
    +-- PostFailed                        a function of released values raised; what was released is
    kept
    +-- NotExecutable (TypeError)         something other than a complete certificate was to be run
    +-- MissingExtra (ImportError)        an optional library is absent

Warnings: PrivacyWarning (the same data would be spent again; delta is not far below 1/n).
"""

from __future__ import annotations

from collections.abc import Mapping


class DPFrameError(Exception):
    """Base of every deliberate error of dpframe. Survives pickling, as between processes."""

    def __reduce__(self) -> tuple[object, ...]:
        """The class, the text and the operands: `__init__` may want other arguments."""
        return _unpickled, (type(self), self.args, self.__dict__)


class InvalidArgument(DPFrameError, ValueError):
    """`name` must be `requirement`; got `value`. `way_out`."""

    def __init__(self, name: str, requirement: str, value: object, way_out: str = "") -> None:
        """Keep the operands, so that a program can read them too."""
        self.name, self.requirement, self.value, self.way_out = name, requirement, value, way_out
        super().__init__(f"{name} must be {requirement}; got {_short(value)}. {way_out}".rstrip())


class UnsafeFormula(InvalidArgument):
    """A formula given as text that is not arithmetic over the permitted names."""


class BadData(InvalidArgument):
    """Data that cannot be used; nothing has been released."""


class SourceFailed(DPFrameError):
    """Reading a table broke off, or a worker that read it; nothing has been released.

    `where` names the part, `cause` the kind of failure. What a library said about it is not
    repeated: it may quote data.
    """

    def __init__(self, where: str, cause: str, way_out: str = "") -> None:
        """Keep the operands, so that a program can read them too."""
        self.where, self.cause, self.way_out = where, cause, way_out
        text = f"reading {where} failed ({cause}); nothing has been released. {way_out}"
        super().__init__(text.rstrip())


class BadCertificate(InvalidArgument):
    """A certificate, or a file of one, that is not what it says."""


class BadLedger(InvalidArgument):
    """A saved ledger that was edited, cut short, or sealed with another key."""


class StaleLedger(BadLedger):
    """A saved ledger older than one that is known, or a file that another writer has moved on."""


class BudgetExceeded(DPFrameError):
    """The next query does not fit. Nothing was charged, and the filter can be used further.

    `cost` is what was asked, `remaining` the share that is left.
    """

    def __init__(self, cost: object, remaining: object, text: str) -> None:
        """Keep the operands, so that a program can read them too."""
        self.cost, self.remaining = cost, remaining
        super().__init__(text)


class LedgerUnavailable(DPFrameError):
    """A ledger file that cannot be read or written as things are; nothing was charged.

    `path` is the file, `cause` what stands in the way.
    """

    def __init__(self, path: object, cause: str, way_out: str) -> None:
        """Keep the operands, so that a program can read them too."""
        self.path, self.cause = path, cause
        super().__init__(f"the ledger {path} {cause}; nothing was charged. {way_out}")


class OutsideTheorem(DPFrameError, ValueError):
    """A theorem was named outside its hypotheses."""


class TouchesData(DPFrameError, TypeError):
    """A declaration tried to compute with data; only a certificate may, at execution."""


class Uncertified(DPFrameError):
    """The graph was not proved. `obligations` holds every open one; `report` the whole report."""

    def __init__(self, report: object, text: str) -> None:
        """`report` is a dpframe.verify.Report; `text` its open obligations for a person."""
        self.report = report
        super().__init__(text)

    @property
    def obligations(self) -> tuple[object, ...]:
        """Every obligation that is refuted or unproved."""
        return self.report.open_obligations  # type: ignore[attr-defined, no-any-return]


class NotExecutable(DPFrameError, TypeError):
    """Only a certificate with a number for every symbol can be executed."""


class PostFailed(DPFrameError):
    """A function of released values raised: `function` by name, the original error as `__cause__`.

    Nothing that was paid for is lost: `released` has every value drawn so far, by name, and
    `receipt` what was spent. Where the failure was found before anything was drawn or charged, as
    in a rehearsal, `released` is empty and `receipt` None.
    """

    def __init__(
        self,
        function: str,
        said: str,
        *,
        released: Mapping[str, object] | None = None,
        receipt: object = None,
    ) -> None:
        """`said` is the type and the text of the original error, which saw released values only."""
        self.function, self.said, self.receipt = function, said, receipt
        self.released = dict(released or {})
        kept = "nothing was charged"
        if receipt is not None:
            kept = "what was released is in .released, and what was spent in .receipt"
        super().__init__(f"post-processing failed: {function} raised {said}; {kept}.")


class MissingExtra(DPFrameError, ImportError):
    """An optional library is absent."""

    def __init__(self, library: str, extra: str) -> None:
        """Name the library and the extra that brings it."""
        super().__init__(
            f"this needs {library}, which is not installed: pip install 'dpframe[{extra}]'"
        )


class PrivacyWarning(UserWarning):
    """Something lawful that an officer would want to know before it happens."""


def _unpickled(
    kind: type[DPFrameError], arguments: tuple[object, ...], state: dict[str, object]
) -> DPFrameError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


def _short(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print whole numbers of more than 4300 digits
        return f"a huge {type(value).__name__}"
    return text if len(text) <= 120 else text[:117] + "..."
