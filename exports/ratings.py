"""Ratings for other programs: all annotators, by pseudonym, beside what they rated.

A question's column is called ``answer_`` and its id, so that no question can overwrite a field of
the item. Letters of an item's options stand as they were shown, and in ``meaning_`` as what they
mean.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from core.errors import InputError
from core.evidence import GivenRating
from core.forms import Question
from core.hashing import canonical
from core.study import Round, require_items
from db.file import StudyFile
from exports.data import Data, Kind, Value

ROUND: dict[str, Kind] = {"round": "text", "round_kind": "text", "source": "text"}
ITEM: dict[str, Kind] = {
    "scenario": "text", "condition": "text", "revision": "whole", "gold": "text", "text": "text",
}  # fmt: skip
RATER: dict[str, Kind] = {
    "rater": "text", "rater_kind": "text", "list": "whole", "position": "whole",
}  # fmt: skip
EVENT: dict[str, Kind] = {"event": "whole", "last": "truth"}
ANSWER, MEANING = "answer_", "meaning_"
KINDS: dict[str, Kind] = {"choice": "text", "yes-no": "truth", "likert": "whole", "text": "text"}

Row = dict[str, Value]


def ratings_data(study: StudyFile, rounds: Sequence[Round], *, events: bool = False) -> Data:
    """Return every rating of the rounds, or every event of every rating.

    Parameters
    ----------
    rounds
        In the order in which they stand; within one, ratings stand by item, and those of an item by
        time and content, never by who gave them.
    events
        One row per version of a rating, numbered from 1; the last one is the rating.

    Raises
    ------
    InputError
        When there is nothing to export, or responses were graded in a round.
    """
    drafted = {(r.scenario, r.condition): n for n, r in enumerate(study.items.all())}
    rows: list[Row] = []
    for campaign in rounds:
        require_items(campaign)
        found = _events(study, campaign) if events else _ratings(study, campaign)
        found.sort(key=lambda versions: _place(versions[-1], drafted))
        rows += [row for versions in found for row in versions]
    if not rows:
        names = ", ".join(campaign.name for campaign in rounds) or "any round that counts"
        raise InputError(f"nothing to export: there is no rating yet in {names}")
    return Data(_columns(rounds, events=events), tuple(rows))


def _columns(rounds: Sequence[Round], *, events: bool) -> dict[str, Kind]:
    """Return the columns of all forms; a question that two forms ask differently is a text."""
    answers: dict[str, Kind] = {}
    for question in (question for campaign in rounds for question in campaign.form.questions):
        for key in _keys(question):
            kind: Kind = "text" if key.startswith(MEANING) else KINDS[question.kind]
            answers[key] = kind if answers.get(key, kind) == kind else "text"
    tail: dict[str, Kind] = {"comment": "text"}
    tail |= {} if events else {"seconds": "number"}
    return {
        **ROUND, **ITEM, **RATER, **(EVENT if events else {}), **answers, **tail, "time": "text",
    }  # fmt: skip


def _keys(question: Question) -> tuple[str, ...]:
    answer = f"{ANSWER}{question.id}"
    return (answer, f"{MEANING}{question.id}") if question.item_options else (answer,)


def _ratings(study: StudyFile, campaign: Round) -> list[list[Row]]:
    found, brought = study.ratings.of_round(campaign.id), study.packets.brought(campaign.id)
    # 0 is a time that nobody measured, as in most imports.
    return [[{**_row(r, campaign, brought), "seconds": r.seconds or None}] for r in found]


def _events(study: StudyFile, campaign: Round) -> list[list[Row]]:
    found: list[list[Row]] = []
    brought = study.packets.brought(campaign.id)
    for event in study.ratings.events_of_round(campaign.id):
        row = _row(event.rating, campaign, brought) | {"event": event.number, "last": event.last}
        if event.number == 1:
            found.append([])
        found[-1].append(row)
    return found


def _row(rating: GivenRating, campaign: Round, brought: Collection[tuple[int, int]]) -> Row:
    by_packet = (rating.seat, rating.position) in brought
    return {
        "round": campaign.name,
        "round_kind": campaign.kind,
        "source": "packet" if by_packet else campaign.source,
        "scenario": rating.scenario,
        "condition": rating.condition,
        "revision": rating.revision,
        "gold": rating.gold,
        "text": rating.text,
        "rater": rating.person,
        "rater_kind": rating.person_kind,
        "list": rating.list,
        "position": rating.position,
        **_answers(rating, campaign),
        "comment": rating.comment,
        "time": rating.updated_at,
    }


def _answers(rating: GivenRating, campaign: Round) -> Row:
    row: Row = {}
    for question in campaign.form.questions:
        row[f"{ANSWER}{question.id}"] = rating.answers.get(question.id)
        if question.item_options:
            row[f"{MEANING}{question.id}"] = rating.meaning(question)
    return row


def _place(row: Row, drafted: Mapping[tuple[Any, Any], int]) -> tuple[Any, ...]:
    """Return what rows are ordered by: item, time and content; the pseudonym only breaks ties."""
    content = canonical({key: value for key, value in row.items() if key not in ("rater", *ROUND)})
    item = drafted[row["scenario"], row["condition"]]
    return item, row["revision"], row["time"], content, row["rater"]
