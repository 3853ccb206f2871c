"""Which run the samples of a file belong to: one per model and stated settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import InputError
from core.hashing import canonical
from core.runs import Run, State
from db.file import StudyFile
from db.imports import Held
from db.waves import FROZEN
from evals.imports.samples import DECODING, How, Origin, Sample

NOT_STATED = "not stated"  # what a run records of a setting that its file does not name
IMPORT = "import"  # what its configuration says of the file; everything else makes it the same run
Place = tuple[int, str, int]  # item, intervention, sample


@dataclass(slots=True)
class Group:
    """The samples of one model under one set of settings.

    Attributes
    ----------
    name
        What the run is called.
    config
        What makes it the same run, whichever file it comes from.
    runs
        The runs that it may be added to, each with the entry of the ledger at which it began.
    held
        What those have, with the run that has it.
    """

    number: int
    name: str
    config: Mapping[str, Any]
    runs: Mapping[int, int] = field(default_factory=dict)
    held: dict[Place, tuple[int, Held]] = field(default_factory=dict)
    items: set[int] = field(default_factory=set)
    states: Counter[State] = field(default_factory=Counter)
    stored: int = 0

    @property
    def new(self) -> int:
        """How many samples are added."""
        return self.states.total()

    def run_for(self, frozen_at: int) -> int | None:
        """Return the run that takes a sample of a wave; ``None`` for a new one.

        A run must have begun after the wave was frozen; `frozen_at` is the entry that says so.
        """
        return max((run for run, began in self.runs.items() if began > frozen_at), default=None)


class Groups:
    """The groups of a file, in the order in which they first occur."""

    def __init__(
        self, study: StudyFile, origin: Origin, how: How, allowed: Mapping[str, str | bool]
    ) -> None:
        self._study, self._origin, self._how, self._allowed = study, origin, how, allowed
        self._found: dict[str, Group] = {}
        self._stated: set[str] = set()
        self._began = {
            entry.payload["run"]: entry.sequence for entry in study.ledger.intact("run started")
        }
        numbers = {wave.number: wave.id for wave in study.waves.all()}
        self.frozen_at = {
            numbers[entry.payload["number"]]: entry.sequence
            for entry in study.ledger.intact(FROZEN)
            if entry.payload["number"] in numbers
        }

    def __iter__(self) -> Iterator[Group]:
        return iter(self._found.values())

    @property
    def moved(self) -> bool:
        """Whether a run of a group came, or was dropped, since the group was begun."""
        return any(
            {run.id for run in self._same(group.name, group.config)} != set(group.runs)
            for group in self
        )

    def of(self, sample: Sample) -> Group:
        """Return the group of a sample.

        Raises
        ------
        InputError
            When no model is named, or several are to become one.
        """
        known = f"{sample.model}\n{canonical(sample.decoding)}"
        if known not in self._found:
            self._found[known] = self._begun(sample)
        return self._found[known]

    def _begun(self, sample: Sample) -> Group:
        self._stated.add(sample.model)
        if self._how.model and len(self._stated) > 1:
            names = ", ".join(sorted(self._stated)[:4])
            raise InputError(
                f"the file holds several models ({names}), which --model would make one; leave it"
            )
        name = self._how.model or sample.model
        if not name:
            raise InputError("the file does not name the model that answered; say --model NAME")
        config = self._config(sample, name)
        runs = {run.id: self._began.get(run.id, 0) for run in self._same(name, config)}
        held = {
            (each.wave_item, each.intervention, each.sample): (run, each)
            for run in runs
            for each in self._study.imports.held(run)
        }
        return Group(len(self._found), name, config, runs, held)

    def _same(self, name: str, config: Mapping[str, Any]) -> Iterator[Run]:
        """Yield the runs of the same model and settings that can still be added to."""
        dropped = self._study.run_drops.all()
        for run in self._study.runs.all():
            if run.kind == "imported" and run.model == name and run.id not in dropped:
                there = {key: value for key, value in run.config.items() if key != IMPORT}
                if there == config:
                    yield run

    def _config(self, sample: Sample, name: str) -> dict[str, Any]:
        """Return what a run of these samples records, but for the file that they came from.

        The fields are those of a run that was made here, so that both are read alike.
        """
        stated = sample.decoding
        return {
            "model": sample.model or name,
            "kind": "imported",
            "provider": "imported",
            "endpoint": "",
            "system_prompt": str(self._allowed.get("ignore_system", "")),
            "prefill": "",
            "extra": stated.get("extra", {}),
            **{key: stated.get(key, NOT_STATED) for key in DECODING},
            "build": {},
            "harness": self._origin.harness,
            "matching": dict(self._allowed),
            "suite": self._study.info.suite,
        }
