"""A panel's majority as a suite's score of record: a verdict on a reply, or why there is none."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.judging import PanelVerdicts
from core.panels import NO_MAJORITY, OPEN, UNREADABLE
from core.study import WaveItem
from db.file import StudyFile
from db.panels import Panel
from evals.judges.ballots import ballots, caveats
from evals.registered import judged_on

NONE = frozenset({OPEN, UNREADABLE, NO_MAJORITY})


def verdicts_of_record(
    study: StudyFile, rubrics: Collection[str], chosen: Sequence[Panel], among: Sequence[WaveItem]
) -> dict[str, PanelVerdicts]:
    """Return what panels say, by the name of their rubric; nothing where nobody was asked.

    Of several versions of a rubric the one that was first used last stands.

    Parameters
    ----------
    rubrics
        The names that the suite asks for.
    among
        The frozen items that count.
    """
    named = {panel.rubric.rpartition(" ")[0]: panel for panel in chosen}
    return {name: _of(study, named[name], among) for name in rubrics if name in named}


def _of(study: StudyFile, panel: Panel, among: Sequence[WaveItem]) -> PanelVerdicts:
    said = {ballot.generation: ballot.panel for ballot in ballots(study, panel, among).ballots}
    standing = judged_on(study, panel.judges)
    return PanelVerdicts(
        rubric=panel.rubric,
        judges=tuple(judge.id for judge in panel.judges),
        verdicts={reply: verdict for reply, verdict in said.items() if verdict not in NONE},
        without={reply: verdict for reply, verdict in said.items() if verdict in NONE},
        caveats=caveats(study, panel),
        exploratory="" if standing == "preregistered" else standing,
    )
