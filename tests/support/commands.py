"""The command line, called as a person calls it."""

from typer.testing import CliRunner

from dpframe.cli import app


def call(*arguments: object, status: int = 0) -> str:
    """What a command prints; of status 2 its complaint, unfolded. It must exit with `status`."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == status, done.output
    if status == 2:
        return " ".join(done.stderr.split())
    assert done.stderr == "" or done.stderr.endswith(" is written.\n")
    return done.stdout


def both_streams(*arguments: object, status: int = 0) -> str:
    """All that a command prints, on both streams. It must exit with `status`."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == status, done.output
    return done.output
