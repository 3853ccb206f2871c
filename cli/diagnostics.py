"""The only writer of errors: one line, and the exit code that belongs to it."""

from __future__ import annotations

from contextlib import suppress

import click

from core.errors import WavelockError
from ui.text import visible

LONGEST = 300  # characters of a word


def say(line: str) -> None:
    """Tell the person at the terminal something, beside the data on standard output.

    Names of files and rounds come from anywhere, so nothing in a line may act on the terminal.
    """
    with suppress(OSError):  # where nobody can be told, the exit code is still right
        click.echo(visible(line), err=True)


def report_and_exit_code(error: BaseException) -> int:
    """Say what went wrong in one line and return the exit code; our own defects are raised."""
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else 0
        case click.exceptions.Exit():
            return error.exit_code
        case KeyboardInterrupt() | click.exceptions.Abort():
            line, code = "interrupted; what was saved is kept, the same command continues", 130
        case click.exceptions.NoArgsIsHelpError():
            say(error.format_message())
            return 2
        case click.UsageError():
            hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
            line, code = f"{error.format_message()}{hint}", 2
        case click.ClickException():
            line, code = error.format_message(), 2
        case WavelockError():
            line, code = str(error), error.exit_code
        case UnicodeEncodeError():
            near = error.object[max(0, error.start - 20) : error.end + 20]
            line, code = f"“{near}” is no text: it holds part of a character; write it anew", 2
        case OSError():
            where = error.filename or "what was asked for could not be read or written"
            line, code = f"{where}: {error.strerror or error}", 2
        case _:
            line, code = _of_the_file(error), 2
    say(f"wavelock: {' '.join(map(_shortened, line.split()))}")
    return code


def _shortened(word: str) -> str:
    """Leave out the middle of a word that nobody would read to its end, as from a wrong file."""
    return word if len(word) <= LONGEST else f"{word[: LONGEST // 2]}…{word[-LONGEST // 2 :]}"


def _of_the_file(error: BaseException) -> str:
    # Loaded late: sqlite-utils is not needed to say that an option is unknown.
    from db.connection import DatabaseError

    if not isinstance(error, DatabaseError):
        raise error
    return f"the study file could not be used: {error}; nothing half-done was kept"
