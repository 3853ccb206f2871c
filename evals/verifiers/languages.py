"""Which language a text is in, among a few that are declared: natural or programming.

The candidates are part of the question: over all languages of the world short texts are told apart
badly, over three well. What fits no candidate is ``undetermined``, never a fail.
Source: the instruction-induction conflict, appendix A (there langdetect and a keyword heuristic).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from core.errors import Unavailable
from core.verifiers import FAIL, PASS, UNDETERMINED, Reading

LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt", "ru")
PROGRAMMING = ("javascript", "python")
SURE = 0.9  # the probability among the candidates that a language needs
FEWEST_LETTERS = 12
_LATIN = tuple(language for language in LANGUAGES if language != "ru")

_FENCED = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
# Where a snippet parses in both languages, words that only one of them has decide.
_MARKS = {
    "python": re.compile(r"\b(?:def|elif|print|None|True|False|self|import)\b|:\s*$", re.MULTILINE),
    "javascript": re.compile(
        r"\b(?:const|let|var|function|console|null|undefined|new)\b|=>|;\s*$", re.MULTILINE
    ),
}


def natural_language(text: str, language: str, candidates: Sequence[str]) -> Reading:
    """Pass a text in the language, fail one in another candidate, else undetermined.

    The script decides first: mostly Cyrillic letters can only be Russian, mostly Latin ones
    anything else. Then py3langid over the candidates left, which must be sure.
    """
    letters = [char for char in text if char.isalpha()]
    if len(letters) < FEWEST_LETTERS:
        return Reading(UNDETERMINED, f"{len(letters)} letters are too few")
    [(script, count)] = Counter(map(_script, letters)).most_common(1)
    if count < SURE * len(letters):
        return Reading(UNDETERMINED, "letters of several scripts")
    found, evidence = _of_script(script, text, candidates)
    if found not in candidates:
        return Reading(UNDETERMINED, evidence)
    return Reading(PASS if found == language else FAIL, evidence)


def _of_script(script: str, text: str, candidates: Sequence[str]) -> tuple[str | None, str]:
    """Return the language of a text in one script, or none, and what that rests on."""
    if script == "CYRILLIC":
        return "ru", "ru"
    left = tuple(sorted(set(candidates) - {"ru"}))
    if script != "LATIN" or not left:
        return None, "the script of no candidate"
    # A text in a language outside the candidates must not be dealt to the nearest of them.
    nearest, sure = _identifier(_LATIN)(text)
    if nearest in left or sure < SURE:
        nearest, sure = _identifier(left)(text)
    return (nearest if sure >= SURE else None), f"{nearest}, {sure:.2f}"


def programming_language(text: str, language: str, candidates: Sequence[str]) -> Reading:
    """Pass a text whose code is in the language, fail one in another candidate.

    Code in fences is judged alone, if there is any. The language with the smallest share of bytes
    that do not parse wins; a tie goes to the words that only one language has. Undetermined where
    both tie, and where most of the text parses in none (prose).
    """
    code = "\n".join(_FENCED.findall(text)) or text
    if not code.strip():
        return Reading(UNDETERMINED, "no code")
    broken = {each: _unparsed(code, each) for each in candidates}
    least = min(broken.values())
    if least > 0.5:
        return Reading(UNDETERMINED, "parses in no candidate")
    tied = [each for each in candidates if broken[each] == least]
    marks = {each: len(_MARKS[each].findall(code)) for each in tied}
    best = [each for each in tied if marks[each] == max(marks.values())]
    if len(best) > 1:
        return Reading(UNDETERMINED, f"{' and '.join(best)} fit alike")
    return Reading(PASS if best[0] == language else FAIL, best[0])


def _script(char: str) -> str:
    return unicodedata.name(char, "").split(" ")[0]


def _missing(package: str) -> Unavailable:
    return Unavailable(
        f"telling languages apart needs {package}, which is not installed; "
        "install the extra wavelock[language]"
    )


@cache
def _identifier(languages: tuple[str, ...]) -> Callable[[str], tuple[str, float]]:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415  94 MB
    except ImportError:
        raise _missing("py3langid") from None
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(languages))

    def classify(text: str) -> tuple[str, float]:
        found, probability = identifier.classify(text)
        return str(found), float(probability)

    return classify


@cache
def _parser(language: str) -> Any:
    try:
        import tree_sitter  # noqa: PLC0415
        import tree_sitter_javascript  # noqa: PLC0415
        import tree_sitter_python  # noqa: PLC0415
    except ImportError:
        raise _missing("tree-sitter") from None
    grammars = {"python": tree_sitter_python, "javascript": tree_sitter_javascript}
    return tree_sitter.Parser(tree_sitter.Language(grammars[language].language()))


def _unparsed(code: str, language: str) -> float:
    """Return the share of bytes inside errors of the parse tree, from 0 to 1."""
    source = code.encode()
    tree = _parser(language).parse(source)
    broken, todo = 0, [tree.root_node]
    while todo:
        node = todo.pop()
        if node.type == "ERROR" or node.is_missing:
            broken += max(1, node.end_byte - node.start_byte)
        elif node.has_error:
            todo.extend(node.children)
    return broken / len(source)
