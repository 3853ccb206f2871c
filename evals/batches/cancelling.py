"""Ending a batch before its time: at the provider, or in the study alone when it is lost there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.batches import Batch
from core.errors import InputError, NotFound, Refused, Unavailable
from core.runs import Run
from db.file import StudyFile
from evals.batches.catalogue import batches_of
from evals.batches.following import look
from evals.batches.rhythm import Rhythm
from evals.batches.submitting import adopt, find
from evals.batches.wire import Refusal, Unsure, Wire
from evals.batches.work import Work
from evals.keys import key_of
from evals.model_file import load_models, named
from evals.models import KEY_ENV, ModelSpec


def lose(study: StudyFile, number: int, reason: str) -> Batch:
    """End a batch in the study alone; its requests are lost, and asked again by the next call.

    Raises
    ------
    Refused
        When it has ended already.
    InputError
        When no reason is given.
    """
    if not reason.strip():
        raise InputError("a batch is given up for a reason; give one in words")
    batch = _open(study, number)
    session = study.run_sessions.begin(batch.run, 1)
    try:
        _hold(study, batch, session)
        study.batches.end(batch.id, "gone", " ".join(reason.split()))
    finally:
        study.run_sessions.end(session, "finished")
    return study.batches.batch(number)


def cancel(study: StudyFile, number: int, spec: ModelSpec, rhythm: Rhythm | None = None) -> Batch:
    """Ask the provider for an end of a batch; the next call of its run collects what was done.

    One that the provider never got ends here.

    Raises
    ------
    Refused
        When it has ended already, another process is at work on it, or it cannot be known yet
        whether the provider has it.
    Unavailable
        When the provider says no.
    """
    batch, provider = _open(study, number), batches_of(spec)
    session = study.run_sessions.begin(batch.run, 1, spec.batch_prices)
    patience = rhythm or Rhythm()
    wire = Wire(spec, key_of(spec), patience, lambda: None)
    work = Work(
        study=study,
        spec=spec,
        run=study.runs.run(batch.run),
        session=session,
        provider=provider,
        wire=wire,
        rhythm=patience,
        questions={},
        expected=0,
        say=lambda _: None,
    )
    try:
        _hold(study, batch, session)
        batch = _found(work, batch)
        if batch.ended is None:
            remote = look(work, batch)
            if not remote.over:
                remote = provider.cancel(wire, batch.remote)
            study.batches.seen(
                batch.id, remote.status, remote.done, remote.failed, remote.expires_at
            )
    except Refusal as error:
        raise Unavailable(f"batch {number} cannot be cancelled: {error}") from None
    finally:
        wire.close()
        study.run_sessions.end(session, "finished")
    return study.batches.batch(number)


def spec_of(run: Run, file: Path, key_env: str | None) -> ModelSpec:
    """Return the model of a run, as far as its batches need it: where it is, and its key.

    The address is that of the run, whatever the models file says now; the name of the key's
    variable is given, or stands in the models file.
    """
    config: Mapping[str, object] = run.config
    spec = ModelSpec(run.model, "chat", key_env=key_env or KEY_ENV)
    if key_env is None and file.exists():
        with suppress(NotFound):  # a model by its URL stands in no file
            spec = replace(spec, key_env=named(load_models(file), run.model, file).key_env)
    provider = config.get("provider")
    if provider not in {"openai", "compatible", "anthropic"}:
        raise Refused(f"run {run.id} is of no provider with batches")
    return replace(
        spec,
        provider=provider,
        base_url=str(config.get("endpoint")),
        api_model=str(config.get("model")),
    )


def _found(work: Work, batch: Batch) -> Batch:
    """Return a batch that the provider has; one that it never got has ended now."""
    if batch.remote:
        return batch
    try:
        remote = find(work, batch) if batch.tried_at else None
    except Unsure as error:
        raise Refused(
            f"nobody can say yet whether batch {batch.id} was accepted: {error}"
        ) from None
    if remote is None:
        work.study.batches.end(batch.id, "unsent", "cancelled before it was sent")
    else:
        adopt(work, batch, remote)
    return work.study.batches.batch(batch.id)


def _open(study: StudyFile, number: int) -> Batch:
    batch = study.batches.batch(number)
    if batch.ended is not None:
        raise Refused(f"batch {number} has ended already ({batch.ended})")
    return batch


def _hold(study: StudyFile, batch: Batch, session: int) -> None:
    if not study.batches.hold(batch.id, session):
        raise Refused(f"another process is at work on batch {batch.id}; end that one first")
