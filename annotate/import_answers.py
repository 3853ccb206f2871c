"""What a cell of a file from elsewhere means: an answer, a number, a time. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from math import isfinite

from annotate.import_map import Reads
from core.forms import Answer, Question
from core.items import LETTERS, Option
from core.rows import told

TRUTHS: dict[str, Answer] = {
    "true": True, "yes": True, "y": True, "1": True,
    "false": False, "no": False, "n": False, "0": False,
}  # fmt: skip


def read_answer(cell: str, question: Question, options: tuple[Option, ...], reads: Reads) -> Answer:
    """Return the answer that a cell stands for, as the form stores it.

    Raises
    ------
    ValueError
        With what was offered, when it stands for none or for several.
    """
    if question.kind == "text":
        return cell
    known = _readings(question, options, reads)
    word = _word(cell, question, reads)
    if word not in known:
        raise ValueError(f"{told(cell)} is no answer; {_offered(question, known)}")
    answers = known[word]
    if len(answers) > 1:
        raise ValueError(f"{told(cell)} stands for {len(answers)} answers of this item")
    return answers[0]


def _readings(
    question: Question, options: tuple[Option, ...], reads: Reads
) -> dict[str, list[Answer]]:
    """Return every word that can stand for an answer, with what it stands for."""
    if question.kind == "yes-no":
        return {word: [truth] for word, truth in TRUTHS.items()}
    found: dict[str, list[Answer]] = {}
    from_item = len(options) if question.item_options else 0
    for place, choice in enumerate(question.answers(tuple(o.label for o in options))):
        words = {str(choice.value)}
        if question.kind == "choice" and reads == "letter":
            words.add(LETTERS[place])
        elif question.kind == "choice" and reads == "label":
            words = {choice.label}
        elif place < from_item:
            words = {options[place].action}
        for word in words:
            found.setdefault(word, []).append(choice.value)
    return found


def _word(cell: str, question: Question, reads: Reads) -> str:
    if question.kind == "yes-no":
        return cell.lower()
    if question.kind == "likert":
        return _whole(cell)
    return cell.upper() if reads == "letter" and len(cell) == 1 else cell


def _whole(cell: str) -> str:
    """Return ``4`` for ``4.0``: a column with gaps often comes as decimals."""
    try:
        number = float(cell)
    except ValueError:
        return cell
    return str(int(number)) if isfinite(number) and number == int(number) else cell


def _offered(question: Question, known: dict[str, list[Answer]]) -> str:
    if question.kind == "likert":
        return f"the scale goes from 1 to {question.points}"
    return f"offered are {', '.join(known)}"


def read_number(cell: str, *, least: float) -> float:
    """Return a number that is not below the least.

    Raises
    ------
    ValueError
        When it is none.
    """
    try:
        number = float(cell)
    except ValueError:
        raise ValueError(f"{told(cell)} is no number") from None
    if not isfinite(number) or number < least:
        raise ValueError(f"{told(cell)} is not a number from {least:g} on")
    return number


def read_whole(cell: str, *, least: int) -> int:
    """Return a whole number that is not below the least; see :func:`read_number`."""
    number = read_number(cell, least=least)
    if number != int(number) or number > 2**53:
        raise ValueError(f"{told(cell)} is no whole number")
    return int(number)


def read_time(cell: str, zone: tzinfo | None) -> str:
    """Return a time as the study file keeps it: UTC, ISO-8601, milliseconds.

    A number is seconds since 1970.

    Raises
    ------
    ValueError
        When it is no time, or lacks the time zone that no map gives.
    """
    try:
        at = _moment(cell)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{told(cell)} is no time; write it like 2026-11-30T17:27:35Z") from None
    if at.tzinfo is None and zone is None:
        raise ValueError(f"{told(cell)} has no time zone; name one in the map, under [file] zone")
    try:
        utc = (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{told(cell)} is no time that can be kept") from None
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(cell: str) -> datetime:
    try:
        seconds = float(cell)
    except ValueError:
        return datetime.fromisoformat(cell)
    if seconds < 10**8:  # 20261130 is a date to fromisoformat, and no time here
        raise ValueError(cell)
    return datetime.fromtimestamp(seconds, UTC)
