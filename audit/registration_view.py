"""A preregistration as a page: the plan, its amendments, and whether study and code conform."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from audit.standing import round_facts, rule_of_decisions
from core.forms import form_to_json
from core.hashing import PREFIX, digest_of
from core.registration import SETTINGS, Document, Registration, differences, flat
from core.rules import rule_to_json
from core.study import Round
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile

SAME, OTHER, OPEN = "yes", "NO", "–"
_NAME = re.compile(r"(families|models|judges|rounds)\..*\.name")  # stands in the field's own path
ORDER = (
    "title", "hypotheses", "analysis", "families", "runs", "models", "judges", "rounds",
    "rule", "forms", "code", "suite",
)  # fmt: skip


def page(study: StudyFile, code: str, *, whole: bool) -> tuple[Table, ...]:
    """Return the plan in force as tables: what it is, whether it is kept, what was amended.

    Parameters
    ----------
    code
        The digest of the analysis code as it is installed now.
    whole
        Digests in full, for programs; readers see their beginning among the fields.
    """
    versions = study.registrations.versions()
    if not versions:
        return (_nothing(),)
    fields = conformity(study, versions[-1].document, code, whole=whole)
    return (
        _heading(versions),
        *((fields,) if whole else _sections(fields)),
        *(_amendment(version, whole=whole) for version in versions[1:]),
    )


def _nothing() -> Table:
    columns = (Column("field", "Field"), Column("value", "Value"))
    empty = "start with: wavelock prereg template > FILE"
    return Table("preregistration", "Nothing is preregistered", columns, (), empty=empty)


def _heading(versions: tuple[Registration, ...]) -> Table:
    frozen, current = versions[0], versions[-1]
    rows: tuple[Mapping[str, Cell], ...] = (
        {"field": "frozen", "value": frozen.created_at},
        {"field": "the study held then", "value": str(frozen.known)},
        {"field": "amendments", "value": str(current.number)},
    )
    notes = [f"Hash: {current.hash}", *([f"Frozen: {frozen.hash}"] if current.number else [])]
    columns = (Column("field", "Field"), Column("value", "Value"))
    title = f"Preregistration: {current.document['title']}"
    amended = f" (amended {counted(current.number, 'time')})" if current.number else ""
    return Table("preregistration", f"{title}{amended}", columns, rows, tuple(notes))


def conformity(study: StudyFile, document: Document, code: str, *, whole: bool) -> Table:
    """Return every field of the plan: what is registered, what is so now, same or not.

    What is only stated, or not there yet, has nothing to be compared with.
    """
    registered = {
        field: value
        for field, value in flat(_with_digests(document)).items()
        if not _NAME.fullmatch(field)
    }
    present = dict(_present(study, document, code))
    rows = tuple(
        {
            "field": field,
            "registered": _written(json.loads(value), whole=whole),
            "present": _written(present[field], whole=whole) if field in present else OPEN,
            "same": _same(json.loads(value), present[field]) if field in present else OPEN,
        }
        for field, value in registered.items()
    )
    missed = [str(row["field"]) for row in rows if row["same"] == OTHER]
    told = f"NOT kept: {', '.join(missed)}" if missed else "kept"
    return Table(
        name="conformity",
        title=f"The plan is {told}",
        columns=(
            Column("field", "Field"),
            Column("registered", "registered"),
            Column("present", "now"),
            Column("same", "same"),
        ),
        rows=rows,
        notes=(f"{OPEN}: stated, and nothing in the study to compare it with, or not yet.",),
    )


def _sections(fields: Table) -> tuple[Table, ...]:
    """Return the fields in parts that fit a narrow terminal; what is the same is not said twice."""
    parts: dict[str, list[Mapping[str, Cell]]] = {}
    for row in fields.rows:
        part, _, name = str(row["field"]).rpartition(".")
        now = "the same" if row["same"] == SAME else row["present"]
        shown = {"field": name, "registered": row["registered"], "now": now}
        parts.setdefault(part, []).append(shown)
    columns = (Column("field", "Field"), Column("registered", "registered"), Column("now", "now"))
    tables = [
        Table(part, part.replace(".", " ") or "the plan", columns, tuple(rows))
        for part, rows in parts.items()
    ]
    tables[0] = replace(tables[0], title=fields.title)
    tables[-1] = replace(tables[-1], notes=fields.notes)
    return tuple(tables)


def _with_digests(document: Document) -> dict[str, Any]:
    """Return the fields to show; of each form its digest, which is what conformity asks for."""
    forms = {name: digest_of(form) for name, form in document["forms"].items()}
    return {name: document[name] for name in ORDER if name in document} | {"forms": forms}


def _present(study: StudyFile, document: Document, code: str) -> Iterator[tuple[str, Any]]:
    yield "suite", study.info.suite
    yield "code", code
    rounds = {campaign.name: campaign for campaign in study.rounds.all()}
    for entry in document["rounds"]:
        campaign = rounds.get(entry["name"])
        if campaign:
            yield from _of_round(study, campaign)
    yield from _of_runs(study, document)
    yield from _of_judges(study, document)


def _of_round(study: StudyFile, campaign: Round) -> Iterator[tuple[str, Any]]:
    for key, value in round_facts(study, campaign).items():
        yield f"rounds.{campaign.name}.{key}", value
    yield f"forms.{campaign.form.name}", digest_of(form_to_json(campaign.form))
    if campaign.grading:
        return
    for key, value in rule_to_json(rule_of_decisions(study, campaign)).items():
        yield f"rule.{key}", value


def _of_runs(study: StudyFile, document: Document) -> Iterator[tuple[str, Any]]:
    """Yield the settings of the runs that stand on the plan."""
    for run in study.runs.all():
        if study.registrations.of_run(run.id) is None:
            continue
        for key in SETTINGS:
            yield f"models.{run.model}.{key}", run.config.get(key)
        for key in document["runs"]:
            if key in run.config:
                yield f"runs.{key}", run.config[key]


def _of_judges(study: StudyFile, document: Document) -> Iterator[tuple[str, Any]]:
    """Yield, of each registered judge, what the one nearest to it was asked with."""
    for entry in document.get("judges", []):
        present = [
            {"rubric": judge.rubric.rpartition(" ")[0], "hash": judge.rubric_hash, **judge.config}
            for judge in study.judges.all()
            if (judge.model, judge.rubric_hash) == (entry["model"], entry["hash"])
        ]
        if present:
            nearest = min(present, key=lambda facts: len(differences(entry, _shared(facts))))
            for key, value in _shared(nearest).items():
                yield f"judges.{entry['name']}.{key}", value


def _shared(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: facts.get(key) for key in ("rubric", "hash", *SETTINGS)}


def _same(registered: Any, present: Any) -> str:
    if isinstance(registered, list) and isinstance(present, list):
        return SAME if sorted(map(str, registered)) == sorted(map(str, present)) else OTHER
    return SAME if registered == present else OTHER


def _written(value: Any, *, whole: bool) -> str:
    if isinstance(value, list):
        return ", ".join(_written(each, whole=whole) for each in value) or "none"
    if value is None:
        return "none"
    text = str(value)
    return f"{text[:19]}…" if text.startswith(PREFIX) and not whole else text


def _amendment(version: Registration, *, whole: bool) -> Table:
    said = (("ratings", version.seen_ratings), ("outputs", version.seen_outputs))
    seen = ", ".join(f"{what} {'seen' if yes else 'not seen'}" for what, yes in said)
    return Table(
        name=f"amendment-{version.number}",
        title=f"Amendment {version.number} of {version.created_at[:16]}Z: {version.reason}",
        columns=(
            Column("field", "Field"),
            Column("before", "before"),
            Column("after", "after"),
        ),
        rows=tuple(
            {
                "field": change.field,
                "before": _change(change.before, whole=whole),
                "after": _change(change.after, whole=whole),
            }
            for change in version.changes
        ),
        notes=(
            f"The study held {version.known}. The researcher says: {seen}.",
            *(f"Careful: {each}." for each in version.contradictions),
            f"Hash: {version.hash}",
        ),
    )


def _change(value: str, *, whole: bool) -> str:
    return _written(json.loads(value), whole=whole) if value else OPEN
