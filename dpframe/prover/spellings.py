"""Parts of ways out that a declaration in Python and a description spell in their own ways."""

from __future__ import annotations

from dpframe.wording import Code, Spelled, Text, say


def calibration(python: str, name: str) -> Spelled:
    """`dp.Gaussian.analytic`, or the line of a description that names this calibration."""
    return Spelled(f"`{python}`", f'``calibration = "{name}"``')


ANALYTIC = calibration("dp.Gaussian.analytic", "analytic")
JOINTLY = calibration("dp.regressions.Jointly(of=...)", "jointly")
PART_JOINTLY = calibration("dp.jointly(part of the budget)", "jointly")
PUBLIC_NUMBER = Spelled(
    "`dp.parameter(name, lower, upper)` (in a description, [parameters])", "[parameters]"
)
RANGE = Spelled(
    "`dp.parameter(name, lower, upper)`", '[parameters], such as ``gamma = "in (0, 1)"``'
)
BY_HAND = Spelled(
    "state the noise by hand and give no share, as in `dp.release(X.T @ X, "
    "dp.Gaussian(std=...))`: all releases are then judged together",
    "write std in place of calibration and share: all releases are then judged together",
)


def accountant(name: str) -> Spelled:
    """The accountant, as it is named."""
    return Spelled(f'`accountant="{name}"`', f'``accountant = "{name}"``')


def shares_aside(name: str) -> Spelled:
    """How to name the accountant that leaves the shares aside."""
    return Spelled(
        f'`accountant="{name}"` leaves the shares aside. On the command line: '
        f"`--accountant {name}`.",
        f'``accountant = "{name}"`` in the file leaves the shares aside.',
    )


def release_of(code: str, noise: str, theorem: str) -> Spelled:
    """The release of a statistic, sized by a theorem for a share."""
    return Spelled(
        Text((Code(f"dp.release({code}, dp.{noise}.{theorem}, share)"),)),
        say("a [[release]] of it with {} and a share", calibration("", theorem).file),
    )
