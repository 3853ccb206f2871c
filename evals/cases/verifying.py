"""Which shipped function answers each kind of verifier case.

Where the handed cases leave a reading open, ours is the one that they name first; the modules of
the verifiers say so in words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.verifiers import PASS, Reading
from evals.cases.fields import CannotRun, Fields
from evals.verifiers import keywords, lengths, readability, structures
from evals.verifiers.forced_choice import ForcedChoice
from evals.verifiers.units import words

_TWO_OPTIONS = {"options": [{"action": "heavy", "label": "a"}, {"action": "light", "label": "b"}]}


def run(verifier: str, given: Fields) -> Any:
    """Return what the shipped function reads: a verdict, a count, a share, or named values."""
    if verifier not in _READERS:
        raise CannotRun(f"there are no cases of “{verifier}”; there are {', '.join(_READERS)}")
    return _READERS[verifier](given)


def _passes(reading: Reading) -> bool:
    return reading.verdict == PASS


def _wrapped(given: Fields) -> bool:
    text = given["text"]
    begun, ended = structures.begins_with(text, "<BOC>"), structures.ends_with(text, "<EOC>")
    return _passes(begun) and _passes(ended)


def _flesch(given: Fields) -> dict[str, Any] | None:
    if "text" in given:
        count = dict(
            zip(("words", "sentences", "syllables"), readability.counts(given["text"]), strict=True)
        )
    else:
        count = {name: int(given[name]) for name in ("words", "sentences", "syllables")}
    if not count["words"]:
        return None
    ease = readability.reading_ease(**count)
    return {**count, "fre": ease, "in_70_80": 70 <= ease <= 80}


_READERS: dict[str, Callable[[Fields], Any]] = {
    "word_count": lambda given: len(words(given["text"])),
    "range_8_12": lambda given: _passes(lengths.word_range(given["text"], (8, 12))),
    "keyword_exactly_once": lambda given: _passes(
        keywords.keyword_once(given["text"], given["keyword"])
    ),
    "keywords_include": lambda given: (
        keywords.keywords_used(given["text"], tuple(given["keywords"])).score
    ),
    "keywords_avoid": lambda given: (
        keywords.keywords_avoided(given["text"], tuple(given["keywords"])).score
    ),
    "strict_json": lambda given: _passes(
        structures.strict_json(given["text"], given["required_keys"])
    ),
    "forced_choice": lambda given: ForcedChoice().read(given["text"], _TWO_OPTIONS).verdict,
    "fixed_output_exact": lambda given: _passes(
        structures.exact_output(given["text"], given["target"])
    ),
    "bullet_proportion": lambda given: structures.dash_list(given["text"]).score,
    "boc_eoc": _wrapped,
    "variable_present": lambda given: _passes(structures.contains(given["text"], "{{FirstName}}")),
    "paragraph_count_2_3": lambda given: _passes(lengths.paragraph_count(given["text"], (2, 3))),
    "sentences_per_paragraph_2_4": lambda given: _passes(
        lengths.paragraph_sentences(given["text"], (2, 4))
    ),
    "sentence_max_25_words": lambda given: _passes(lengths.sentence_maximum(given["text"], 25)),
    "flesch_soft": _flesch,
}
