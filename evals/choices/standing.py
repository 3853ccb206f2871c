"""How setups stand: what was to be scored, what has its scores, and which build gave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.choices import ChoiceScore, ChoiceSetup
from core.errors import NotFound, Refused
from core.hashing import PREFIX, digest_of
from core.study import UNVALIDATED, WaveItem
from core.tables import Cell, Column, Table
from db.file import StudyFile

OPEN = "open"
MOST_NAMED = 4
FOR_A_READER = 8  # letters of a digest that tell two builds apart by eye


@dataclass(frozen=True, slots=True)
class Standing:
    """One setup with every item that it was asked about, and how each stands.

    `scores` has no entry for an item that was not asked yet.
    """

    setup: ChoiceSetup
    items: tuple[WaveItem, ...]
    scores: Mapping[int, ChoiceScore]
    caveats: tuple[str, ...]

    def state(self, item: WaveItem) -> str:
        """``ok``, ``unscorable``, ``error`` or ``open``."""
        score = self.scores.get(item.id)
        return score.state if score else OPEN

    def titled(self, heading: str) -> str:
        """Return a heading with model, route, build, and what a reader must know."""
        by = f"{self.setup.model}, {self.setup.build['route']}, {build_words(self.setup)}"
        careful = f" ({'; '.join(self.caveats)})" if self.caveats else ""
        return f"{heading}, setup {self.setup.id}: {by}{careful}"


def standings(study: StudyFile, numbers: Sequence[int] = ()) -> tuple[Standing, ...]:
    """Return how some setups stand, or all.

    Raises
    ------
    NotFound
        When there is no such setup.
    """
    setups = [study.choices.setup(number) for number in dict.fromkeys(numbers)]
    return tuple(_standing(study, setup) for setup in setups or study.choices.all())


def require_one_build(found: Sequence[Standing]) -> None:
    """Refuse to set the numbers of two builds side by side.

    Raises
    ------
    NotFound
        When there is none at all.
    Refused
        When there are two, naming what they differ in.
    """
    if not found:
        raise NotFound("no choice probabilities yet; ask for some: wavelock choices ask")
    for one, other in pairwise(found):
        if differing := _differing(one.setup.build, other.setup.build):
            raise Refused(
                f"setups {one.setup.id} and {other.setup.id} are two builds (they differ in "
                f"{differing}), and log-probabilities of two builds are neither "
                f"compared nor pooled; show one at a time: wavelock choices show {one.setup.id}"
            )


def build_words(setup: ChoiceSetup) -> str:
    """Return a build in a few words, with the beginning of its digest."""
    build = setup.build
    named = [build.get("engine"), build.get("answered_by"), build.get("server_version")]
    short = digest_of(build).removeprefix(PREFIX)[:FOR_A_READER]
    return ", ".join([*(str(name) for name in named if name), f"build {short}"])


def status_table(found: Sequence[Standing]) -> Table:
    """Return one row per setup: what it asks for, and how far it is."""
    columns = (
        Column("setup", "setup", "count"),
        Column("model", "Model"),
        Column("route", "Route"),
        Column("build", "Build"),
        Column("anchor", "Anchor"),
        Column("answers", "Answers"),
        Column("variants", "Variants"),
        Column("items", "items", "count"),
        Column("scored", "scored", "count"),
        Column("unscorable", "cannot be", "count"),
        Column("failed", "failed", "count"),
        Column("open", "open", "count"),
    )
    notes = (
        "Cannot be: under this setup the item has no choice probability, and asking again is no "
        "use. Failed and open: the same command asks again.",
        "Numbers of two builds are neither compared nor pooled.",
    )
    title = "Choice probabilities"
    empty = "none yet; ask for some: wavelock choices ask"
    return Table("choices", title, columns, tuple(map(_row, found)), notes, empty)


def _row(standing: Standing) -> dict[str, Cell]:
    setup = standing.setup
    states = [standing.state(item) for item in standing.items]
    answers = setup.config["answers"]
    return {
        "setup": setup.id,
        "model": setup.model,
        "route": setup.build["route"],
        "build": build_words(setup),
        "anchor": repr(setup.config["anchor"]),
        "answers": answers
        if isinstance(answers, str)
        else ", ".join(f"{action}={word}" for action, word in answers.items()),
        "variants": ", ".join(setup.config["variants"]),
        "items": len(states),
        "scored": states.count("ok"),
        "unscorable": states.count("unscorable"),
        "failed": states.count("error"),
        "open": states.count(OPEN),
    }


def _standing(study: StudyFile, setup: ChoiceSetup) -> Standing:
    numbers = {wave.id: wave.number for wave in study.waves.all()}
    scopes = study.choices.scopes(setup.id)
    items = tuple(
        item
        for item in study.waves.standing()
        if any(scope.holds(item.condition, numbers[item.wave]) for scope in scopes)
    )
    scores = {score.wave_item: score for score in study.choices.last(setup.id)}
    return Standing(setup, items, scores, tuple(_caveats(study, setup, items)))


def _caveats(study: StudyFile, setup: ChoiceSetup, items: Sequence[WaveItem]) -> Iterator[str]:
    ids = {item.wave for item in items}
    waves = [wave for wave in study.waves.all() if wave.id in ids]
    rounds = {name for wave in waves for name in wave.header.get("rounds", {})}
    if any(wave.kind == "simulated" for wave in waves):
        yield "simulated ratings"
    if any(study.rounds.named(name).source == "imported" for name in rounds):
        yield "imported ratings"
    if any(wave.kind == "declared" for wave in waves):
        yield UNVALIDATED
    if setup.kind == "scripted":
        yield "a fake, no model"
    yield "exploratory"  # no preregistration can name choice probabilities yet


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> str:
    """Name what two builds differ in, the route first; empty when they are the same."""
    names = sorted({*one, *other}, key=lambda name: (name != "route", name))
    found = [name.replace("_", " ") for name in names if one.get(name) != other.get(name)]
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{', '.join(found[:MOST_NAMED])}{more}"
