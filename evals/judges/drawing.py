"""A stratified draw of replies: so many per model and condition, and what the parser cannot read.

Source: the second-judge experiment of Core-100 (App. E): 12 conforming replies per model and
condition, and all nonconforming ones, the same for both rubrics. Which replies are drawn follows
from the seed and from what a reply is (model, scenario, condition, sample), never from the order of
rows, and is the same whatever else stands in the file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.errors import InputError, Refused
from core.hashing import digest_of
from core.judging import Draw, Scope
from core.runs import Run
from core.words import counted
from db.file import StudyFile
from evals.judges.reply import Reply
from evals.verifiers.forced_choice import NONCONFORMING, ForcedChoice


def draw_of(per_cell: int | None, *, nonconforming: bool, seed: int | None) -> Draw | None:
    """Return the draw that is asked for; ``None`` when all replies are.

    Raises
    ------
    InputError
        When something is said about a draw that nobody asked for.
    """
    if per_cell is not None:
        return Draw(per_cell, nonconforming=nonconforming, seed=1 if seed is None else seed)
    if nonconforming or seed is not None:
        raise InputError("--nonconforming and --seed are about a draw; say --per-cell as well")
    return None


def drawn(study: StudyFile, scope: Scope, replies: Sequence[Reply]) -> Draw:
    """Return the draw of a scope with its generations; one that a call has made alike stands.

    Raises
    ------
    Refused
        When a run is not closed, or the parser has not read a reply: the draw would change.
    """
    if scope.draw is None:
        raise ValueError("there is nothing to draw")
    if made := _made(study, scope):
        return made
    for number in scope.runs:
        if study.runs.run(number).closed_at is None:
            raise Refused(f"run {number} is not closed; a draw is made when all its replies are in")
    parser = ForcedChoice()
    parsed = study.scores.verdicts(parser.name, parser.version)
    readable = [reply for reply in replies if reply.readable]
    unread = sum(reply.generation.id not in parsed for reply in readable)
    if unread:
        raise Refused(
            f"the parser {parser.name} has not read {unread} of {len(readable)} replies; "
            "a draw by what conforms needs that: wavelock score"
        )
    runs = {number: study.runs.run(number) for number in scope.runs}
    return replace(scope.draw, drawn=tuple(sorted(_chosen(scope.draw, readable, parsed, runs))))


def drawn_in_words(study: StudyFile, scope: Scope, replies: Sequence[Reply]) -> Iterator[str]:
    """Say what was drawn, and in which cells there is less than was asked for."""
    draw = scope.draw
    if draw is None:
        return
    parsed = study.scores.verdicts(ForcedChoice().name, ForcedChoice().version)
    runs = {number: study.runs.run(number) for number in scope.runs}
    cells, other = Counter(_cells(scope, runs)), 0
    for reply in replies:
        conforms = parsed.get(reply.generation.id, NONCONFORMING) != NONCONFORMING
        cells[runs[reply.generation.run].model, reply.condition] += conforms
        other += not conforms
    yield (
        f"drawn with seed {draw.seed}: {cells.total():,} conforming replies in "
        f"{counted(len(cells), 'cell')} of model and condition, {other:,} nonconforming"
    )
    for (model, condition), count in sorted(cells.items()):
        if count < draw.per_cell:
            yield f"{model}, {condition}: only {count} of {draw.per_cell}"


def _cells(scope: Scope, runs: Mapping[int, Run]) -> dict[tuple[str, str], int]:
    """Return every cell that was to be drawn from, with nothing in it yet."""
    return {
        (run.model, condition): 0
        for run in runs.values()
        for condition in run.config.get("conditions", ())
        if scope.conditions is None or condition in scope.conditions
    }


def _made(study: StudyFile, scope: Scope) -> Draw | None:
    """Return the draw that an earlier call of any judge has made in the same way."""
    for judge in study.judges.all():
        for earlier in study.judges.scopes(judge.id):
            alike = replace(earlier, draw=scope.draw, times=scope.times) == scope
            if alike and scope.draw and scope.draw.same(earlier.draw):
                return earlier.draw
    return None


def _chosen(
    draw: Draw, replies: Sequence[Reply], parsed: Mapping[int, str], runs: Mapping[int, Run]
) -> Iterator[int]:
    cells: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for reply in replies:
        generation, run = reply.generation, runs[reply.generation.run]
        if parsed[generation.id] == NONCONFORMING:
            if draw.nonconforming:
                yield generation.id
            continue
        place = digest_of(
            [draw.seed, run.model, reply.scenario, reply.condition, generation.sample,
             generation.intervention]
        )  # fmt: skip
        cells[_configuration(run), reply.condition].append((place, generation.id))
    for cell in cells.values():
        yield from (number for _, number in sorted(cell)[: draw.per_cell])


def _configuration(run: Run) -> str:
    """Return what makes runs those of one model: everything but their waves."""
    same = {key: value for key, value in run.config.items() if key != "waves"}
    return digest_of([run.model, run.kind, same])
