"""The construction rules of Core-100, as pure functions over drafted scenarios.

The pairs carry the claim of the benchmark: when Active and Removed differ in more than one small
fact, or the two added clauses in more than their content, a changed answer proves nothing. So
:func:`faults` names every breach that a program can see. Whether the edit reverses what people
prefer is for raters and auditors to say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import Indel

from core.items import Fault, ItemText, Scenario
from suites.pairs import distance

CONDITIONS = ("Active", "Removed", "Explicit", "SalienceControl")

# The minimal-pair criterion: paper section 5 and App. C (construction rule 2), arXiv 2603.29025.
WORDS_AT_MOST = 2
SIMILARITY_AT_LEAST = 0.80

# Ours. Rule 4 asks for clauses "matched in length" without a number, and none for near-duplicates.
CLAUSE_WORDS_APART = 1
NEAR_DUPLICATE_AT = 0.90

# A run of letters and digits (with inner hyphens and apostrophes), or one punctuation mark.
_TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORTEST_CONTENT_WORD = 4
_SHORTEST_STEM = 3
# Words of four letters and more that say nothing about an action.
_SAY_NOTHING = """
about been both does each either from have here into only other over some than that their them then
there these they this those till until upon what when where which will with would your
"""
_FUNCTION_WORDS = frozenset(_SAY_NOTHING.split())


@dataclass(frozen=True, slots=True)
class PairMeasures:
    """How far apart the texts of one scenario are.

    Attributes
    ----------
    length_difference
        Words of Removed and Active apart, without sign.
    similarity
        Character similarity of Active and Removed: 1 - indel distance / (len a + len b), where
        the indel distance counts inserted and deleted characters (rapidfuzz).
    token_edit_distance
        Levenshtein distance of Active and Removed over whitespace tokens.
    added_words_explicit, added_words_control
        Words of the clause that Explicit and SalienceControl add to Active; ``None`` when what
        they add is not one contiguous run.
    """

    length_difference: int
    similarity: float
    token_edit_distance: int
    added_words_explicit: int | None
    added_words_control: int | None


def measure(scenario: Scenario) -> PairMeasures:
    """Measure one scenario that has all four conditions; ``KeyError`` names a missing one."""
    active, removed, explicit, control = (scenario.item(name).text for name in CONDITIONS)
    found = distance(active, removed)
    return PairMeasures(
        length_difference=found.words,
        similarity=found.similarity,
        token_edit_distance=found.token_edits,
        added_words_explicit=_added_words(active, explicit),
        added_words_control=_added_words(active, control),
    )


def inserted(base: str, longer: str) -> str | None:
    """Return the one contiguous run of words that turns `base` into `longer`.

    Letter case and punctuation count and spacing does not, so nothing but the run may differ.
    ``None`` when the texts are equal, when they differ in more than one place, or when no word
    was added.

    Examples
    --------
    >>> inserted("It rains. Stay?", "It rains. The roof leaks. Stay?")
    'The roof leaks.'
    >>> inserted("The cat sleeps.", "The cat, which is old, sleeps.")
    'which is old'
    >>> inserted("It rains. Stay?", "It pours now. Stay here?") is None
    True
    """
    places = _places(base, longer)
    if not places:
        return None
    spans = [match.span() for match in _TOKEN.finditer(longer)]
    length = len(spans) - len(_tokens(base))
    start = _natural_start(places, _tokens(longer), length)
    run = longer[spans[start][0] : spans[start + length - 1][1]].strip(" ,;:–—")
    return run if re.search(r"\w", run) else None


def faults(scenarios: Sequence[Scenario]) -> tuple[Fault, ...]:
    """Name every breach of the construction rules, scenario by scenario, then across them."""
    within = [fault for scenario in scenarios for rule in _RULES for fault in rule(scenario)]
    return (*within, *_duplicate_ids(scenarios), *_near_duplicates(scenarios))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _places(base: str, longer: str) -> range:
    """Return every token position at which one insertion turns `base` into `longer`.

    There can be several: "a [b a] c" and "[a b] a c" are the same text.
    """
    short, long = _tokens(base), _tokens(longer)
    if len(long) <= len(short):
        return range(0)
    before = _shared(short, long)
    after = _shared(short[::-1], long[::-1])
    return range(len(short) - after, before + 1)


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many tokens the two begin with in common."""
    pairs = zip(left, right, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _natural_start(places: range, tokens: Sequence[str], length: int) -> int:
    """Return the place where the run is a whole sentence, if there is one, else the last place."""
    for start in places:
        whole = start == 0 or tokens[start - 1] in ".!?"
        if whole and tokens[start + length - 1] in ".!?":
            return start
    return places[-1]


def _added_words(base: str, longer: str) -> int | None:
    run = inserted(base, longer)
    return None if run is None else len(run.split())


def _item(scenario: Scenario, condition: str) -> ItemText | None:
    return next((item for item in scenario.items if item.condition == condition), None)


def _text(scenario: Scenario, condition: str) -> str:
    """Return the text in one condition, or nothing when it is not drafted."""
    item = _item(scenario, condition)
    return "" if item is None else item.text.strip()


def clauses(scenario: Scenario) -> dict[str, str]:
    """Return the clauses that could be read off, by condition: what is added to Active."""
    active = _text(scenario, "Active")
    found = {name: inserted(active, _text(scenario, name)) for name in CONDITIONS[2:] if active}
    return {name: run for name, run in found.items() if run is not None}


def _absent(scenario: Scenario) -> Iterator[Fault]:
    for name in CONDITIONS:
        if _item(scenario, name) is None:
            yield Fault(scenario.id, "missing condition", f"there is no {name}", name)
        elif not _text(scenario, name):
            yield Fault(scenario.id, "empty text", f"{name} has no text", name)


def _pair(scenario: Scenario) -> Iterator[Fault]:
    active, removed = _text(scenario, "Active"), _text(scenario, "Removed")
    if not active or not removed:
        return
    if active == removed:
        yield Fault(scenario.id, "identical pair", "Removed is Active, word for word", "Removed")
    found = distance(active, removed)
    if found.words > WORDS_AT_MOST:
        yield Fault(scenario.id, "length difference", f"{found.words} words", "Removed")
    if found.similarity < SIMILARITY_AT_LEAST:
        yield Fault(scenario.id, "similarity", f"{found.similarity:.4f}", "Removed")


def _insertions(scenario: Scenario) -> Iterator[Fault]:
    found = clauses(scenario)
    for name in CONDITIONS[2:]:
        text = _text(scenario, name)
        if _text(scenario, "Active") and text and name not in found:
            yield Fault(
                scenario.id, "not one insertion", f"{name} is not Active plus one run", name
            )


def _matched(scenario: Scenario) -> Iterator[Fault]:
    read = clauses(scenario)
    if len(read) < 2:
        return
    explicit, control = (read[name] for name in CONDITIONS[2:])
    if not same_place(scenario):
        found = f"“{explicit}” and “{control}” stand at different places"
        yield Fault(scenario.id, "place of clauses", found, "SalienceControl")
    lengths = len(explicit.split()), len(control.split())
    if abs(lengths[0] - lengths[1]) > CLAUSE_WORDS_APART:
        found = f"{lengths[0]} and {lengths[1]} words"
        yield Fault(scenario.id, "length of clauses", found, "SalienceControl")


def same_place(scenario: Scenario) -> bool:
    """Return whether both clauses can be read as standing at one place of Active."""
    active = _text(scenario, "Active")
    explicit, control = (_places(active, _text(scenario, name)) for name in CONDITIONS[2:])
    return bool(set(explicit) & set(control))


def action_words(scenario: Scenario) -> Iterator[tuple[str, str, str]]:
    """Yield every word of an option's label in an added clause: condition, clause and word."""
    items = scenario.items
    actions = {_stem(word) for item in items for o in item.options for word in _content(o.label)}
    for name, clause in clauses(scenario).items():
        for word in _content(clause):
            if _stem(word) in actions:
                yield name, clause, word


def _action_words(scenario: Scenario) -> Iterator[Fault]:
    for name, clause, word in action_words(scenario):
        yield Fault(scenario.id, "action word in clause", f"“{word}” in “{clause}”", name)


def _content(text: str) -> list[str]:
    words = _LETTERS.findall(text.lower())
    return [w for w in words if len(w) >= _SHORTEST_CONTENT_WORD and w not in _FUNCTION_WORDS]


def _stem(word: str) -> str:
    """Strip a simple inflection, so that drive, drives and driving meet (irregular forms do not).

    Both sides of every comparison pass through here: the stem need not be a word.
    """
    for ending in ("ing", "ers", "ed", "er", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word.removesuffix(ending)
            break
    word = word[:-1] + "i" if word.endswith("y") else word.removesuffix("e")
    return word[:-1] if len(word) > _SHORTEST_STEM and word[-1] == word[-2] else word


def _labels(scenario: Scenario) -> Iterator[Fault]:
    for item in scenario.items:
        labels = Counter(option.label.strip().casefold() for option in item.options)
        for label, times in labels.items():
            if times > 1:
                found = f"{times} options say “{label}”"
                yield Fault(scenario.id, "equal labels", found, item.condition)


def _labels_across(scenario: Scenario) -> Iterator[Fault]:
    shown = {item.condition: item.options for item in scenario.items}
    reference = shown.get("Active", ())
    for name, options in shown.items():
        if "Active" in shown and options != reference:
            found = " / ".join(option.label for option in options) or "no options"
            yield Fault(scenario.id, "labels differ", f"{name} offers {found}", name)


def _duplicate_ids(scenarios: Sequence[Scenario]) -> Iterator[Fault]:
    for name, times in Counter(scenario.id for scenario in scenarios).items():
        if times > 1:
            yield Fault(name, "duplicate id", f"{times} scenarios are called {name}")


def _near_duplicates(scenarios: Sequence[Scenario]) -> Iterator[Fault]:
    """Compare every text with every earlier one, in compiled code and only as far as it matters."""
    drafted = [(scenario.id, _text(scenario, "Active")) for scenario in scenarios]
    told = [(name, text) for name, text in drafted if text]
    texts = [text for _, text in told]
    for place, (name, text) in enumerate(told):
        alike = process.extract_iter(
            text,
            texts[:place],
            scorer=Indel.normalized_similarity,
            score_cutoff=NEAR_DUPLICATE_AT,
        )
        for _, similarity, at in alike:
            first = told[at][0]
            yield Fault(name, "near-duplicate", f"{similarity:.4f} like {first}", "Active")


_RULES: tuple[Callable[[Scenario], Iterator[Fault]], ...] = (
    _absent,
    _pair,
    _insertions,
    _matched,
    _action_words,
    _labels,
    _labels_across,
)
