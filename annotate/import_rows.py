"""From rows to ratings: every row is held against the items and the form, every fault is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.import_answers import read_answer
from annotate.import_map import ITEM, ColumnMap
from core.columns import Row, read_number, read_time, read_whole
from core.forms import Answer, Form
from core.import_people import clashes, kind_column, kind_of, person_of
from core.rows import FileContent, RowFault, told
from core.study import PersonKind, Revision, RoundKind

KIND = kind_column("rater")


@dataclass(frozen=True, slots=True)
class ImportedRating:
    """One rating, checked; `person` is a salted hash that means nothing outside of this import."""

    line: int
    person: str
    kind: PersonKind
    revision: Revision
    answers: Mapping[str, Answer]
    comment: str
    seconds: float
    at: str | None
    position: int | None
    list: int | None


class RowChecker:
    """Checks the rows of one file.

    Parameters
    ----------
    columns, form, kind
        The map, the form of the round and the kind of the round.
    revisions
        Every revision of every item of the study.
    salt
        Kept nowhere, so that no hash leads back to a rater.
    """

    def __init__(
        self,
        columns: ColumnMap,
        form: Form,
        kind: RoundKind,
        revisions: Sequence[Revision],
        salt: str,
    ) -> None:
        self._map = columns
        self._form = form
        self._kind = kind
        self._revisions = revisions
        self._found: dict[tuple[str, ...], Revision | tuple[str, str]] = {}
        self._salt = salt

    def check(self, content: FileContent) -> tuple[tuple[ImportedRating, ...], list[RowFault]]:
        """Return the ratings of a file, or everything that is wrong with it, by line."""
        faults = [*content.faults]
        if absent := content.lacking(self._map.named()):
            return (), sorted([*faults, *absent], key=_line)
        columns = dict(self._map.columns)
        if KIND in content.columns:
            columns.setdefault(KIND, KIND)  # nobody simulated is taken for human by leaving it out
        ratings: list[ImportedRating] = []
        for record in content.records:
            row = Row(record, columns)
            rating = self._rating(row)
            faults += row.faults
            if rating:
                ratings.append(rating)
        faults += _repeated(ratings, columns)
        return () if faults else tuple(ratings), sorted(faults, key=_line)

    def _rating(self, row: Row) -> ImportedRating | None:
        """Return the rating of a row, noting what is wrong; ``None`` when it is of no item."""
        revision = self._revision(row)
        person, kind = person_of(row, "rater", self._salt), kind_of(row, "rater", self._kind)
        answers = self._answers(row, revision) if revision else {}
        seconds = row.read("seconds", lambda cell: read_number(cell, least=0))
        at = row.read("time", lambda cell: read_time(cell, self._map.zone))
        position = row.read("position", lambda cell: read_whole(cell, least=1))
        number = row.read("list", lambda cell: read_whole(cell, least=0))
        if revision is None:
            return None
        return ImportedRating(
            line=row.line,
            person=person,
            kind=kind,
            revision=revision,
            answers=answers,
            comment=row.text("comment"),
            seconds=seconds or 0.0,
            at=at,
            position=position,
            list=number,
        )

    def _revision(self, row: Row) -> Revision | None:
        """Return the revision that a row is of: the newest one that is not ruled out."""
        names = [name for name in ITEM if row.has(name)]
        key = tuple(row.text(name) if name == "text" else row.cell(name) for name in names)
        if key not in self._found:
            self._found[key] = self._search(names, key)
        found = self._found[key]
        if isinstance(found, Revision):
            return found
        row.wrong(*found)
        return None

    def _search(self, names: Sequence[str], key: tuple[str, ...]) -> Revision | tuple[str, str]:
        """Return a revision, or the column that rules out the last one, and why."""
        left = list(self._revisions)
        for name, value in zip(names, key, strict=True):
            if name == "revision" and not value:
                continue
            kept = [revision for revision in left if _named(revision)[name] == value]
            if not kept:
                return name, _why_none(name, value, left)
            left = kept
        items = list(dict.fromkeys(_name(revision) for revision in left))
        if len(items) > 1:
            return names[-1], f"{len(items)} items could be meant: {_some(items)}"
        newest = max(left, key=lambda revision: revision.number)
        if why := self._form.misfit(newest.labels):
            return names[0], f"the form {self._form.name} does not fit {items[0]}: {why}"
        return newest

    def _answers(self, row: Row, revision: Revision) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        for question in self._form.questions:
            place = self._map.answers.get(question.id)
            if place is None:
                continue
            cell = row.column(place.column)
            cell = cell if question.kind == "text" else cell.strip()
            cell = (place.values or {}).get(cell, cell)
            if not cell:
                if question.required:
                    row.wrong_in(place.column, f"{question.id} is not answered")
                continue
            try:
                answers[question.id] = read_answer(cell, question, revision.options, place.reads)
            except ValueError as error:
                row.wrong_in(place.column, str(error))
        return answers


def _line(fault: RowFault) -> int:
    return fault.line


def _name(revision: Revision) -> str:
    return f"{revision.scenario}/{revision.condition}"


def _named(revision: Revision) -> dict[str, str]:
    """Return what a row can name a revision by; the keys are those of the map."""
    return {
        "scenario": revision.scenario,
        "condition": revision.condition,
        "text": revision.text,
        "revision": str(revision.number),
    }


def _why_none(name: str, value: str, left: Sequence[Revision]) -> str:
    match name:
        case "scenario":
            return f"there is no scenario {told(value)}"
        case "condition":
            known = list(dict.fromkeys(revision.condition for revision in left))
            return f"there is no condition {told(value)}; there is {_some(known)}"
        case "text":
            items = list(dict.fromkeys(_name(revision) for revision in left))
            return f"not the text of {items[0] if len(items) == 1 else 'an item'} in this study"
        case _:
            return f"{_name(left[0])} has no revision {told(value)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more


def _repeated(ratings: Sequence[ImportedRating], columns: Mapping[str, str]) -> list[RowFault]:
    """Name what a single row cannot show: two ratings of one item, two things at one place."""
    faults = list(clashes(ratings, "rater", "an item", columns))
    items: dict[tuple[str, int], int] = {}
    for rating in ratings:
        item = (rating.person, rating.revision.item)
        if (first := items.setdefault(item, rating.line)) != rating.line:
            what = f"this rater rated {_name(rating.revision)} on line {first} already"
            faults.append(RowFault(rating.line, columns["rater"], what))
    return faults
