r"""Which words stand for the answers of an item, and in which ways each of them may be written.

A word is asked for as it would follow the anchor: with or without a leading space, by option on a
new line or in lower case. What is asked of one item is known before a model is opened, so whatever
is wrong with it is said then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import InputError
from core.items import LETTERS

Source = Literal["labels", "letters", "words"]
ANCHOR = "\nFinal:"  # Core-100, sec. 3
PLAIN, SPACE, NEWLINE, LOWER = "plain", "space", "newline", "lower"
VARIANTS = (PLAIN, SPACE)  # Core-100, App. A.1
LEADS = {PLAIN: "", SPACE: " ", NEWLINE: "\n"}
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What every item is asked for.

    Attributes
    ----------
    source
        ``labels``: each option's frozen label; ``letters``: the letter that it is shown under;
        ``words``: one word per action, the same for all items.
    words
        By action; empty unless `source` is ``words``.
    """

    source: Source
    words: tuple[tuple[str, str], ...] = ()
    anchor: str = ANCHOR
    variants: tuple[str, ...] = VARIANTS

    @property
    def document(self) -> dict[str, Any]:
        """What a setup records of it."""
        return {
            "anchor": self.anchor,
            "answers": dict(self.words) if self.source == "words" else self.source,
            "variants": list(self.variants),
        }


def wanted(answers: str, variants: str = "", anchor: str | None = None) -> Wanted:
    r"""Read what the command line gives.

    Parameters
    ----------
    answers
        ``labels``, ``letters``, or ``heavy=Drive,heuristic=Walk``.
    variants
        Comma-separated: ``plain``, ``space``, ``newline`` and ``lower``.
    anchor
        With ``\n``, ``\t`` and ``\\`` as two letters each, as a shell passes them on.

    Examples
    --------
    >>> wanted("heavy=Drive,heuristic=Walk", anchor=r"\nFinal:").words
    (('heavy', 'Drive'), ('heuristic', 'Walk'))
    """
    named = tuple(part.strip() for part in variants.split(",") if part.strip()) or VARIANTS
    for name in named:
        if name not in {*LEADS, LOWER}:
            raise InputError(f"there is no variant “{name}”; there is {', '.join((*LEADS, LOWER))}")
    if not set(named) & LEADS.keys():
        raise InputError(f"“{LOWER}” is a further case of the others; name plain or space as well")
    source, words = _answers(answers.strip())
    return Wanted(
        source,
        words,
        ANCHOR if anchor is None else _unescaped(anchor),
        tuple(name for name in (*LEADS, LOWER) if name in named),
    )


def words_of(document: Mapping[str, Any], asked: Wanted) -> tuple[tuple[str, str], ...]:
    """Return action and word of each answer of a frozen item, in the order of its options.

    Raises
    ------
    InputError
        When the item cannot be asked for them, naming the item and the word.
    """
    item = f"{document.get('scenario')}/{document.get('condition')}"
    options = document.get("options") or ()
    actions = [option["action"] for option in options]
    if asked.source == "words":
        if unknown := [action for action, _ in asked.words if options and action not in actions]:
            offered = ", ".join(actions)
            raise InputError(f"{item} has no option “{unknown[0]}”; it offers {offered}")
        words = asked.words
    elif len(options) < 2:
        raise InputError(f"{item} offers no two options; give the words: --answers action=word,...")
    elif asked.source == "labels":
        words = tuple((option["action"], option["label"]) for option in options)
    else:
        words = tuple(zip(actions, LETTERS, strict=False))
    _require_distinct(words, asked, item)
    return words


def spellings(word: str, variants: Sequence[str]) -> tuple[str, ...]:
    """Return every text that a word may be written as after the anchor, each once.

    Examples
    --------
    >>> spellings("Walk", ("plain", "space", "lower"))
    ('Walk', ' Walk', 'walk', ' walk')
    """
    cases = (word, word.lower()) if LOWER in variants else (word,)
    leads = [LEADS[name] for name in variants if name in LEADS]
    return tuple(dict.fromkeys(lead + case for case in cases for lead in leads))


def _answers(text: str) -> tuple[Source, tuple[tuple[str, str], ...]]:
    match text:
        case "labels" | "letters":
            return text, ()
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(mark and action.strip() for action, mark, _ in pairs):
        raise InputError(
            f"“{text}” names no answers; use labels, letters, or words such as "
            "heavy=Drive,heuristic=Walk"
        )
    words = tuple((action.strip(), word.strip()) for action, _, word in pairs)
    if len({action for action, _ in words}) < len(words):
        raise InputError(f"“{text}” names an action twice; an action has one word")
    if len(words) < 2:
        raise InputError("one answer is no choice; name two or more")
    _require_distinct(words, Wanted("words", words), "--answers")
    return "words", words


def _require_distinct(words: Sequence[tuple[str, str]], asked: Wanted, where: str) -> None:
    """Refuse a word that is empty, and two that may be written alike."""
    seen: dict[str, str] = {}
    for action, word in words:
        if not word.strip():
            raise InputError(
                f"{where}: the answer for {action} is empty, so nothing could be asked"
            )
        for text in spellings(word, asked.variants):
            if text in seen:
                raise InputError(
                    f"{where}: {seen[text]} and {action} may both be written “{text.strip()}”, so "
                    "they cannot be told apart"
                )
        seen.update(dict.fromkeys(spellings(word, asked.variants), action))


def _unescaped(text: str) -> str:
    found, at = "", 0
    while at < len(text):
        pair = text[at : at + 2]
        found += _ESCAPES.get(pair, text[at])
        at += 2 if pair in _ESCAPES else 1
    return found
