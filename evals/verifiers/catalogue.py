"""Every verifier that items can ask for, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import NotFound
from core.verifiers import Verifier
from evals.verifiers import keywords, languages, lengths, readability, structures
from evals.verifiers.forced_choice import ForcedChoice
from evals.verifiers.parameters import (
    bounds,
    choice,
    count,
    keyword,
    literal,
    literals,
    setting,
    some_of,
)
from evals.verifiers.parameters import keywords as keyword_list
from evals.verifiers.text_verifier import TextVerifier

_NATURAL = (choice("language", languages.LANGUAGES), some_of("candidates", languages.LANGUAGES))
_CODE = (choice("language", languages.PROGRAMMING), some_of("candidates", languages.PROGRAMMING))
_FEWEST = setting("fewest_words", readability.FEWEST_WORDS, 1, 10_000)
_SPREAD = setting("full_spread", lengths.FULL_SPREAD, 1, 100)

_ALL: tuple[Verifier, ...] = (
    ForcedChoice(),
    TextVerifier("word-count", "1", lengths.word_count, (count("exactly"),)),
    TextVerifier("word-range", "1", lengths.word_range, (bounds("between"),)),
    TextVerifier("keyword-once", "1", keywords.keyword_once, (keyword("keyword"),)),
    TextVerifier("keywords-used", "1", keywords.keywords_used, (keyword_list("keywords"),)),
    TextVerifier("keywords-avoided", "1", keywords.keywords_avoided, (keyword_list("keywords"),)),
    TextVerifier("strict-json", "1", structures.strict_json, (literals("keys"),)),
    TextVerifier("graded-json", "1", structures.graded_json, (literals("keys"),)),
    TextVerifier("exact-output", "1", structures.exact_output, (literal("target"),)),
    TextVerifier("begins-with", "1", structures.begins_with, (literal("token"),)),
    TextVerifier("ends-with", "1", structures.ends_with, (literal("token"),)),
    TextVerifier("contains", "1", structures.contains, (literal("token"),)),
    TextVerifier("dash-list", "1", structures.dash_list),
    TextVerifier("paragraph-count", "1", lengths.paragraph_count, (bounds("between"),)),
    TextVerifier("paragraph-sentences", "1", lengths.paragraph_sentences, (bounds("between"),)),
    TextVerifier("sentence-maximum", "1", lengths.sentence_maximum, (count("at_most"),)),
    TextVerifier("sentence-variation", "1", lengths.sentence_variation, (_SPREAD,)),
    TextVerifier("flesch", "1", readability.flesch, (bounds("between"), _FEWEST)),
    TextVerifier("language", "1", languages.natural_language, _NATURAL),
    TextVerifier("code-language", "1", languages.programming_language, _CODE),
)


def names() -> tuple[str, ...]:
    """Return the names of all verifiers."""
    return tuple(sorted(entry.name for entry in _ALL))


def verifier(name: str) -> Verifier:
    """Return the verifier of a name.

    Raises
    ------
    NotFound
        When there is none; the message names those that there are.
    """
    for entry in _ALL:
        if entry.name == name:
            return entry
    raise NotFound(f"there is no verifier “{name}”; there is {', '.join(names())}")


def faults(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what keeps an item from being frozen with its verifiers; empty when nothing does.

    An unknown verifier is a fault like any other, so that all are named at once.
    """
    found: list[str] = []
    for name in document.get("verifiers", ()):
        try:
            found += verifier(name).faults(document)
        except NotFound as error:
            found.append(str(error))
    return tuple(found)
