"""Audits from another tool, and a round with a history: what the tests of audits share."""

from __future__ import annotations

from pathlib import Path

from annotate.importing import read_file
from audit.import_map import AuditMap, own_map, parse_map
from audit.importing import Source, Target, checked, store
from audit.sitting import AuditSitting
from core.study import Round, RoundKind
from db.file import StudyFile
from suites.core100.suite import SUITE

MAP = """
[columns]
auditor = "who"
scenario = "task"
only_intended = "verdict"
left = "shown left"
right = "shown right"
note = "remark"
time = "at"

[verdicts]
"one fact" = true
"more" = false

[file]
delimiter = ";"
zone = "+02:00"
"""
HEADER = "who;task;verdict;shown left;shown right;remark;at"
GOOD = "ann;S01;one fact;Removed;Active;fine;2026-01-02 03:04:05"


def target(name: str = "theirs", kind: RoundKind = "main") -> Target:
    return Target(name, kind, SUITE)


def source(path: Path, columns: AuditMap) -> Source:
    content, digest = read_file(path, columns.delimiter)
    return Source(content, digest, columns)


def take_in(
    study: StudyFile, path: Path, columns: AuditMap | None = None, into: Target | None = None
) -> Round | list[str]:
    """Import a file; return the round, or what is wrong."""
    read = source(path, columns or own_map())
    found, faults = checked(study, read, into or target())
    return [str(f) for f in faults] if faults else store(study, found, into or target())


def their_file(folder: Path, *lines: str, header: str = HEADER) -> Path:
    path = folder / "audits.csv"
    path.write_text("\n".join([header, *lines]) + "\n", "utf-8")
    return path


def their_map(text: str = MAP) -> AuditMap:
    return parse_map(text, "map.toml")


def audit_all(study: StudyFile, campaign: Round) -> None:
    """Audit most of a round, with changes of mind, notes, looks, and a seat left half done."""
    for seat in study.rounds.seats(campaign.id, "auditor"):
        sitting = AuditSitting.at_seat(study, seat)
        for turn in range(sitting.total - (seat.number == 2)):
            sitting.save(only_intended=turn % 2 == 0, note='a "word",\r\nand 字\t' * (turn == 1))
            if turn == 2:
                sitting.save(only_intended=False, note="=A1", differences=True)
            if turn == 3:
                sitting.save(only_intended=True, differences=True)
                sitting.save(only_intended=False)
            sitting.forward()
        sitting.leave()
