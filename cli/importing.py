"""Putting an imported round together from its two files, ratings and audits."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from annotate import importing as ratings
from annotate.import_map import ColumnMap
from annotate.import_rows import ImportedRating
from audit import importing as audits
from audit.import_map import AuditMap
from audit.import_rows import RatedBeside
from core.rows import RowFault
from db.file import StudyFile

Faults = list[tuple[Path, RowFault]]


@dataclass(frozen=True, slots=True)
class Checked:
    """What the files of a round hold, when nothing is wrong with them."""

    source: ratings.Source
    ratings: tuple[ImportedRating, ...]
    audits: audits.Audits | None = None

    def elsewhere(self, study: StudyFile) -> tuple[str, ...]:
        """Name the rounds that one of the files was imported into before."""
        names = ratings.rounds_with(study, self.source)
        if self.audits:
            names += audits.rounds_with(study, self.audits.source)
        return tuple(dict.fromkeys(names))


def checked(
    study: StudyFile,
    target: ratings.Target,
    rated: tuple[Path, ColumnMap],
    audited: tuple[Path, AuditMap] | None = None,
) -> tuple[Checked, Faults]:
    """Check a file of ratings, and the file of audits that belongs to the same round."""
    salt = secrets.token_hex(16)
    source = ratings.read_source(*rated)
    found, wrong = ratings.checked(study, source, target, salt)
    faults = [(rated[0], fault) for fault in wrong]
    if audited is None:
        return Checked(source, found), faults
    # While the ratings are in doubt, nothing can be said of who rated what.
    beside = RatedBeside(ratings.who_rated(found), {r.revision.id for r in found})
    into = audits.Target(target.name, target.kind, target.suite)
    given, wrong = audits.checked(
        study, read_audits(*audited), into, salt, None if faults else beside
    )
    faults += [(audited[0], fault) for fault in wrong]
    audits.require_new(study, given.source, target.name)
    return Checked(source, found, given), faults


def read_audits(path: Path, columns: AuditMap) -> audits.Source:
    """Read a file of audits."""
    content, digest = ratings.read_file(path, columns.delimiter)
    return audits.Source(content, digest, columns)
