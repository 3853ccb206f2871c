"""The pair audit of drafted texts (arXiv 2603.29025, Table 11): before anybody rates anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.items import Scenario
from core.tables import Cell, Column, Table
from core.words import counted
from stats.summary import summarize
from suites.core100.construction import (
    CONDITIONS,
    NEAR_DUPLICATE_AT,
    SIMILARITY_AT_LEAST,
    WORDS_AT_MOST,
    action_words,
    clauses,
    same_place,
)
from suites.pairs import Distance, distance

# The minimal pair first; the others show what the added clauses do, and that they match.
CONTRASTS = (
    ("Active", "Removed"),
    ("Active", "Explicit"),
    ("Active", "SalienceControl"),
    ("Explicit", "SalienceControl"),
)
_DEFINITIONS = (
    "Words apart: the difference in words. Similarity: 1 - indel distance / (length + length), "
    "over characters (rapidfuzz). Token edits: Levenshtein distance over words.",
    f"Minimal pair: at most {WORDS_AT_MOST} words apart and similarity at least "
    f"{SIMILARITY_AT_LEAST:.2f} (arXiv 2603.29025, section 5). It is asked of Active and Removed; "
    "the other contrasts add a clause. Worst: of the pair "
    "that is least alike. Met: the share of pairs within a limit, or within both.",
    "Every drafted pair is measured and none is sampled, so no number has an interval.",
)
Measured = tuple[str, str, Distance]  # scenario, contrast, distance


def measures(scenarios: Sequence[Scenario]) -> tuple[Table, ...]:
    """Return the pair audit, its pairs one by one, and the added clauses."""
    found = tuple(_measured(scenarios))
    return (_audit(found), _pairs(found), _clauses(scenarios))


def meets(found: Distance) -> bool:
    """Return whether two texts are a minimal pair."""
    return found.words <= WORDS_AT_MOST and found.similarity >= SIMILARITY_AT_LEAST


def _measured(scenarios: Sequence[Scenario]) -> Iterator[Measured]:
    for scenario in sorted(scenarios, key=lambda entry: entry.id):
        texts = {item.condition: item.text.strip() for item in scenario.items}
        for one, other in CONTRASTS:
            if texts.get(one) and texts.get(other):
                yield scenario.id, _name(one, other), distance(texts[one], texts[other])


def _name(one: str, other: str) -> str:
    return f"{one} - {other}"


def _audit(measured: Sequence[Measured]) -> Table:
    rows: list[Mapping[str, Cell]] = []
    for one, other in CONTRASTS:
        name = _name(one, other)
        mine = [found for _, contrast, found in measured if contrast == name]
        rows += [{"contrast": name, **row, "pairs": len(mine)} for row in _summary(mine)]
    return Table(
        name="pair-audit",
        title="Pair audit of the drafted texts",
        columns=(
            Column("contrast", "Contrast"),
            Column("measure", "Measure"),
            Column("mean", "mean", "score"),
            Column("median", "median", "score"),
            Column("worst", "worst", "score"),
            Column("met", "met", "share"),
            Column("pairs", "pairs", "count"),
        ),
        rows=tuple(rows),
        notes=_DEFINITIONS,
        empty="no scenario has two conditions to compare",
    )


def _summary(found: Sequence[Distance]) -> Iterator[Mapping[str, Cell]]:
    if not found:
        return
    measured: tuple[tuple[str, list[float], list[bool]], ...] = (
        ("words apart", [p.words for p in found], [p.words <= WORDS_AT_MOST for p in found]),
        (
            "similarity",
            [p.similarity for p in found],
            [p.similarity >= SIMILARITY_AT_LEAST for p in found],
        ),
        ("token edits", [p.token_edits for p in found], []),
    )
    for measure, values, met in measured:
        told = summarize(values)
        yield {
            "measure": measure,
            "mean": told.mean,
            "median": told.median,
            "worst": told.low if measure == "similarity" else told.high,
            "met": summarize(met).mean,
        }
    yield {"measure": "minimal pair", "met": summarize([meets(pair) for pair in found]).mean}


def _pairs(measured: Sequence[Measured]) -> Table:
    return Table(
        name="pairs",
        title=f"{counted(len(measured), 'pair')}, one by one",
        columns=(
            Column("scenario", "Scenario"),
            Column("contrast", "Contrast"),
            Column("words", "words apart", "count"),
            Column("similarity", "similarity", "share"),
            Column("token_edits", "token edits", "count"),
            Column("met", "minimal pair"),
        ),
        rows=tuple(
            {
                "scenario": scenario,
                "contrast": contrast,
                "words": found.words,
                "similarity": found.similarity,
                "token_edits": found.token_edits,
                "met": "yes" if meets(found) else "no",
            }
            for scenario, contrast, found in measured
        ),
        notes=_DEFINITIONS,
    )


def _clauses(scenarios: Sequence[Scenario]) -> Table:
    rows: list[Mapping[str, Cell]] = []
    for scenario in sorted(scenarios, key=lambda entry: entry.id):
        found = clauses(scenario)
        explicit, control = (found.get(name) for name in CONDITIONS[2:])
        rows.append(
            {
                "scenario": scenario.id,
                "explicit": explicit,
                "control": control,
                "explicit_words": len(explicit.split()) if explicit else None,
                "control_words": len(control.split()) if control else None,
                "place": None if len(found) < 2 else "same" if same_place(scenario) else "differs",
                "action_words": ", ".join(word for _, _, word in action_words(scenario)) or "none",
            }
        )
    return Table(
        name="clauses",
        title="Clauses that Explicit and SalienceControl add to Active",
        columns=(
            Column("scenario", "Scenario"),
            Column("explicit_words", "words", "count"),
            Column("control_words", "words of control", "count"),
            Column("place", "Place"),
            Column("action_words", "Words of an action"),
            Column("explicit", "Explicit"),
            Column("control", "SalienceControl"),
        ),
        rows=tuple(rows),
        notes=(
            "A clause is the one run of words that turns Active into the text; nothing is shown "
            "where the texts differ in more than that.",
            f"Scenarios whose Active texts are at least {NEAR_DUPLICATE_AT:.2f} similar are named "
            "as near-duplicates among the faults.",
        ),
    )
