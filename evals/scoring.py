"""Applying verifiers to what models said.

A score rests on the complete visible text and on nothing else. State and verdict stay apart, so
that both denominators can be shown:

- of everything asked: count generations by state; those with state ``error`` have no score;
- of everything answered: leave out ``no-answer``, which is the verdict of a reply that shows
  nothing to read (``empty``, ``refused``, or cut off before anything was visible);
- of everything that conforms: leave out ``nonconforming`` as well.

A truncated text is read like any other; its state says that it was cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.runs import Generation, Score
from core.verifiers import Reading, Verifier, asked_for
from db.file import StudyFile
from evals.verifiers.catalogue import verifier

NO_ANSWER = "no-answer"
BATCH = 1000  # scores of one transaction

Progress = Callable[[int, int], None]


def score(
    study: StudyFile,
    verifier_names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> int:
    """Read every generation that the current version of a verifier has not read yet.

    Each reply is read by the verifiers that its frozen item asks for; `verifier_names` narrows
    that down.

    Returns
    -------
    int
        How many scores were added; 0 when all was read before.

    Raises
    ------
    NotFound
        For an unknown verifier, before anything is read.
    """
    documents = {item.id: item.document for item in study.waves.items()}
    wanted = asked_for(documents.values()) if verifier_names is None else verifier_names
    missing = [
        (reader, _unread(study, reader, documents))
        for reader in map(verifier, dict.fromkeys(wanted))
    ]
    total, done = sum(len(generations) for _, generations in missing), 0
    for reader, generations in missing:
        for start in range(0, len(generations), BATCH):
            batch = generations[start : start + BATCH]
            done += study.scores.add(
                [score_of(reader, each, documents[each.wave_item]) for each in batch]
            )
            if progress is not None:
                progress(done, total)
    return done


def _unread(
    study: StudyFile, reader: Verifier, documents: Mapping[int, Mapping[str, Any]]
) -> list[Generation]:
    return [
        generation
        for generation in study.scores.missing(reader.name, reader.version)
        if reader.name in documents[generation.wave_item]["verifiers"]
    ]


def score_of(reader: Verifier, generation: Generation, document: Mapping[str, Any]) -> Score:
    """Return what one verifier reads in one generation."""
    reading = (
        Reading(NO_ANSWER, generation.state)
        if nothing_to_read(generation)
        else reader.read(generation.visible_text, document)
    )
    return Score(
        generation.id,
        reader.name,
        reader.version,
        reading.verdict,
        reading.evidence,
        reading.score,
    )


def nothing_to_read(generation: Generation) -> bool:
    """Whether a reply shows nothing that could be an answer."""
    return generation.silent
