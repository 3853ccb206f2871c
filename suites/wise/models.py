"""Which models a study asked: one model configuration over all its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.batches import by_batch
from core.runs import Run

# What runs of one configuration may differ in: what was asked, not who answered.
_ASKED = ("waves", "conditions", "samples", "import")


@dataclass(frozen=True, slots=True)
class Model:
    """One model configuration.

    Attributes
    ----------
    label
        What tables call it; the number of its first run stands behind a name that two share.
    provider
        Who serves it: what the configuration says, else the host of its endpoint, else its kind.
    """

    label: str
    provider: str
    runs: tuple[Run, ...]

    @property
    def api_id(self) -> str:
        """The model id exactly as called."""
        return str(self.runs[0].config.get("model") or self.runs[0].model)

    @property
    def seeded(self) -> bool:
        """Whether requests carried a seed: then one prompt has one reply, however often asked."""
        return isinstance(self.runs[0].config.get("seed"), int)

    @property
    def scripted(self) -> bool:
        """Whether it is our fake and no model."""
        return self.runs[0].kind == "scripted"

    @property
    def finished(self) -> bool:
        """Whether every prompt of every run has its answer."""
        return all(run.finished for run in self.runs)

    @property
    def imported(self) -> bool:
        """Whether its outputs came from a file."""
        return self.runs[0].imported

    @property
    def batched(self) -> bool:
        """Whether its answers came by batch."""
        return by_batch(self.runs[0])


def models(runs: Sequence[Run]) -> tuple[Model, ...]:
    """Return the models of some runs, oldest first; runs of one configuration taken together."""
    grouped: dict[str, list[Run]] = {}
    for run in runs:
        grouped.setdefault(_configuration(run), []).append(run)
    names = Counter(found[0].model for found in grouped.values())
    return tuple(
        Model(
            label=run.model if names[run.model] == 1 else f"{run.model} (run {run.id})",
            provider=_provider(run),
            runs=tuple(found),
        )
        for found in grouped.values()
        for run in found[:1]
    )


def _configuration(run: Run) -> str:
    same = {key: value for key, value in run.config.items() if key not in _ASKED}
    return repr((run.model, run.kind, sorted(same.items(), key=lambda entry: entry[0])))


def _provider(run: Run) -> str:
    host = urlsplit(str(run.config.get("endpoint") or "")).hostname
    return str(run.config.get("provider") or host or run.kind)
