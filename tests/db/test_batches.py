"""Batches in the study file: written down first, one key in one open batch, ended once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks._asking import frozen
from core.batches import Asked, Result, StrayLine
from core.errors import NotFound, Refused
from core.hashing import digest_bytes
from core.runs import Answered, GenerationKey, Reply
from db.file import StudyFile

Keys = tuple[GenerationKey, ...]


@pytest.fixture
def study(tmp_path: Path) -> Iterator[StudyFile]:
    with frozen(tmp_path / "s.db", 5) as made:
        yield made


@pytest.fixture
def keys(study: StudyFile) -> Keys:
    run = study.runs.start("m", "chat", {})
    items = study.waves.items()
    return tuple(GenerationKey(run.id, i.id, i.document["prompt_hash"], 1) for i in items)


@pytest.fixture
def prepare(study: StudyFile) -> Callable[..., int | None]:
    def made(keys: Keys, session: int | None = None) -> int | None:
        at_work = session or study.run_sessions.begin(1, 1)
        batch = study.batches.prepare(1, at_work, [Asked(key, "sha256:00") for key in keys])
        return batch.id if batch else None

    return made


def test_a_key_is_in_one_open_batch(
    study: StudyFile, keys: Keys, prepare: Callable[..., int]
) -> None:
    """Of two that want the same keys the later one gets the others, or nothing."""
    assert prepare(keys[:3]) == 1
    assert study.batches.free(keys) == keys[3:]
    assert prepare(keys) == 2
    assert [request.key for request in study.batches.requests(2)] == list(keys[3:])
    assert prepare(keys) is None
    study.batches.end(1, "failed", "no")
    assert study.batches.free(keys) == keys[:3]


def test_a_key_with_an_answer_is_not_asked(
    study: StudyFile, keys: Keys, prepare: Callable[..., int]
) -> None:
    """An answer counts, an error does not."""
    study.runs.store(keys[0], Reply("ok", "A"))
    study.runs.store(keys[1], Reply("error", error="no"))
    assert prepare(keys) == 1
    assert [request.key for request in study.batches.requests(1)] == list(keys[1:])


def test_names_lead_back_to_places(
    study: StudyFile, keys: Keys, prepare: Callable[..., int]
) -> None:
    """Every name is within what providers allow, and nothing else is a name."""
    prepare(keys)
    batch = study.batches.batch(1)
    names = [batch.name(place) for place in range(5)]
    assert [batch.place(name) for name in names] == list(range(5))
    assert all(len(name) <= 64 and name.replace("-", "").isalnum() for name in names)
    ends = ("-5", "-01", "-", "", f"-{'9' * 5000}", "-²")
    strange = [*(batch.marker + end for end in ends), "", "-1", "other-0"]
    assert [batch.place(name) for name in strange] == [None] * len(strange)
    assert replace(batch, marker="other").place(names[0]) is None


def test_one_at_a_time_works_on_a_batch(
    study: StudyFile, keys: Keys, prepare: Callable[..., int]
) -> None:
    """It is taken over when the session before is over, not earlier."""
    first, second = study.run_sessions.begin(1, 1), study.run_sessions.begin(1, 1)
    prepare(keys, first)
    assert study.batches.hold(1, first)
    assert not study.batches.hold(1, second)
    study.run_sessions.end(first, "failed")
    assert study.batches.hold(1, second)
    study.batches.end(1, "unsent")
    assert not study.batches.hold(1, second)


def test_results_are_stored_once(study: StudyFile, keys: Keys, prepare: Callable[..., int]) -> None:
    """The same results again change nothing; an answer that came before stands."""
    prepare(keys)
    study.runs.store(keys[1], Reply("ok", "first"))
    results = [
        Result(
            place,
            "answered",
            digest_bytes(b"l"),
            Answered(keys[place], Reply("ok", "A", body=b"l")),
        )
        for place in (0, 1)
    ]
    assert study.batches.collect(1, results) == ("added", "dropped")
    assert study.batches.collect(1, results) == (None, None)
    assert study.batches.outcomes(1) == {"answered": 1, "held": 1}
    assert study.batches.strays(1) == {"held": 1}
    assert [g.visible_text for g in study.runs.generations(1)] == ["A", "first"]


def test_what_is_left_at_the_end(study: StudyFile, keys: Keys, prepare: Callable[..., int]) -> None:
    """What nothing is known of follows from how a batch ended; its end is said once."""
    prepare(keys)
    study.batches.stray(1, StrayLine("unknown", b"x"))
    study.batches.stray(1, StrayLine("unknown", b"x"))
    study.batches.collect(1, [Result(0, "errored", "sha256:0")])
    assert study.batches.end(1, "collected")
    assert not study.batches.end(1, "gone")
    assert study.batches.outcomes(1) == {"errored": 1, "missing": 4}
    (entry,) = study.ledger.intact("batch ended")
    assert entry.payload["outcomes"] == {"errored": 1, "missing": 4}
    assert entry.payload["strays"] == {"unknown": 1}


def test_what_is_refused(study: StudyFile, keys: Keys, prepare: Callable[..., int]) -> None:
    """A result of no request, a second acceptance, anything after the end."""
    prepare(keys)
    with pytest.raises(Refused, match="has no request 7"):
        study.batches.collect(1, [Result(7, "answered", "")])
    study.batches.submitted(1, "b-1")
    study.batches.submitted(1, "b-1")
    with pytest.raises(Refused, match="is accepted once"):
        study.batches.submitted(1, "b-2")
    study.batches.end(1, "collected")
    with pytest.raises(Refused, match="ends once"):
        study.batches.seen(1, "x", 0, 0, None)
    with pytest.raises(Refused, match="belongs to a batch that is open"):
        study.batches.stray(1, StrayLine("unknown", b"y"))
    with pytest.raises(NotFound, match="no batch 9"):
        study.batches.batch(9)
    assert len(tuple(study.ledger.intact("batch submitted"))) == 1


def test_a_run_that_takes_no_more(
    study: StudyFile, keys: Keys, prepare: Callable[..., int]
) -> None:
    """No batch is prepared for a dropped run."""
    study.run_drops.drop(1, "no use")
    with pytest.raises(Refused, match="a batch begins unsent"):
        prepare(keys)
