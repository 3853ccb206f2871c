"""Frozen prompts of our own, and an import of a file in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.prompt_keys import prompt_key
from core.study import WaveItem
from db.file import StudyFile
from evals.imports.examining import Examined, examine, require_whole
from evals.imports.files import opened
from evals.imports.samples import How
from evals.imports.storing import Added, store


@dataclass
class Taken:
    """What an import found and added."""

    found: Examined
    added: tuple[Added, ...]

    @property
    def counts(self) -> dict[str, int]:
        return {name: count for name, count in self.found.counts.items() if count}

    @property
    def reasons(self) -> list[tuple[str, str, str]]:
        return [(problem.kind, problem.place, problem.why) for problem in self.found.problems]


class Importer:
    """A study with two frozen scenarios, and files that come into it."""

    def __init__(self, study: StudyFile, folder: Path) -> None:
        self.study, self.folder = study, folder
        self.items = study.waves.items()

    def key(self, item: int = 0) -> str:
        return prompt_key(self.items[item].hash)

    def prompt(self, item: int = 0) -> str:
        return str(self.items[item].document["messages"][0]["content"])

    def hash(self, item: int = 0) -> str:
        return str(self.items[item].document["prompt_hash"])

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def look(self, path: Path, **how: Any) -> Taken:
        return Taken(examine(self.study, opened(path), How(**how)), ())

    def take(self, path: Path, *, partial: bool = False, **how: Any) -> Taken:
        found = examine(self.study, opened(path), How(**how))
        require_whole(found, partial=partial)
        return Taken(found, store(self.study, found, partial=partial))

    def texts(self, run: int) -> list[tuple[str, int, str, str]]:
        """Return what a run has: item, sample, state and visible text."""
        names: dict[int, WaveItem] = {item.id: item for item in self.items}
        return [
            (names[each.wave_item].name, each.sample, each.state, each.visible_text)
            for each in self.study.runs.generations(run)
        ]


@pytest.fixture
def importer(make_study: Callable[..., StudyFile], tmp_path: Path) -> Importer:
    return Importer(make_study(), tmp_path)
