"""Which answer of a form a cell of a file from elsewhere stands for. Pure."""

from __future__ import annotations

from math import isfinite

from annotate.import_map import Reads
from core.columns import TRUTHS
from core.forms import Answer, Question
from core.items import LETTERS, Option
from core.rows import told


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
