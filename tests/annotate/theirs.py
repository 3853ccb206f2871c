"""A file from another tool, and the way in: what the tests of imports share."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from annotate.import_map import ColumnMap, parse_map
from annotate.importing import Target, checked, read_source, store
from core.forms import Form
from core.study import Round, RoundKind
from db.file import StudyFile
from suites.core100.suite import SUITE

MAP = """
[columns]
rater = "worker"
scenario = "task"
condition = "version"
comment = "remark"
time = "at"

[answers]
confidence = "sure"
naturalness = "nat"

[answers.choice]
column = "picked"
reads = "label"
values = { "idk" = "It depends" }

[file]
delimiter = ";"
zone = "+02:00"
"""
HEADER = "worker;task;version;picked;sure;nat;remark;at"


GOOD = "ann;S01;Active;Drive 1;5;4;;2026-01-02T03:04:05Z"


def target(name: str = "theirs", kind: RoundKind = "main", form: Form = SUITE.form) -> Target:
    return Target(name, kind, form, SUITE)


def take_in(
    study: StudyFile, path: Path, columns: ColumnMap, into: Target | None = None
) -> Round | list[str]:
    """Import a file; return the round, or what is wrong."""
    source = read_source(path, columns)
    ratings, faults = checked(study, source, into or target())
    return [str(f) for f in faults] if faults else store(study, source, into or target(), ratings)


def their_file(folder: Path, *lines: str, header: str = HEADER) -> Path:
    path = folder / "theirs.csv"
    path.write_text("\n".join([header, *lines]) + "\n", "utf-8")
    return path


def their_map() -> ColumnMap:
    return parse_map(MAP, "map.toml", SUITE.form)


def dump(study: StudyFile) -> str:
    with closing(sqlite3.connect(study.path)) as plain:
        return "\n".join(plain.iterdump())
