"""``wavelock people``: what a researcher can do for and about people, who are pseudonyms."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from core.errors import Refused
from db.file import open_study

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}


@pytest.fixture
def path(workshop: Any, tmp_path: Path) -> Path:
    """A study with an open round; the first seat has a code and two ratings."""
    found = tmp_path / "study.db"
    study = workshop.create(found, 5)
    workshop.opened(study)
    seat = study.seats.find(1, 1)
    study.people.issue_code(seat.id)
    sitting = RatingSitting.at_seat(study, seat)
    for _ in range(2):
        sitting.save(GOOD)
        sitting.forward()
    sitting.leave()
    study.close()
    return found


def people(wavelock: Any, path: Path, *more: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        wavelock("--study", path, "people", "list", "--json", *more).out
    )["rows"]
    return found


def test_people_are_listed_by_pseudonym(wavelock: Any, path: Path) -> None:
    """A person is a pseudonym with seats and counts."""
    (found,) = people(wavelock, path)
    assert re.fullmatch("P-[2-9A-Z]{5}", found.pop("person"))
    assert found == {
        "kind": "human", "state": "here", "seats": "main rater 1", "ratings": 2, "audits": 0,
    }  # fmt: skip


def test_a_lost_code_is_replaced_by_an_invitation(wavelock: Any, path: Path) -> None:
    """A second code opens the same seat for the same person, at the same place."""
    code = wavelock("--study", path, "people", "invite", "main", "1").out.strip()
    with open_study(path) as study:
        sitting = RatingSitting.enter(study, code)
        assert (sitting.done, sitting.total) == (2, 5)
    assert len(people(wavelock, path)) == 1


def test_a_revoked_code_opens_nothing(wavelock: Any, path: Path) -> None:
    """A code is revoked by its handle, or all codes of a seat at once; each is listed as such."""
    code = wavelock("--study", path, "people", "invite", "main", "1").out.strip()
    handle = code.partition("-")[0]
    assert wavelock("--study", path, "people", "revoke", handle.lower()).code == 0
    with open_study(path) as study, pytest.raises(Refused, match="not known"):
        RatingSitting.enter(study, code)
    rows = people(wavelock, path, "--codes")
    assert [bool(row["revoked"]) for row in rows] == [False, True]
    again = wavelock("--study", path, "people", "revoke", handle)
    assert (again.code, "revoked already" in again.err) == (2, True)
    seat = wavelock("--study", path, "people", "revoke", "--round", "main", "--seat", "1")
    assert "1 code of rater seat 1 of main revoked" in seat.err
    assert all(row["revoked"] for row in people(wavelock, path, "--codes"))


@pytest.mark.parametrize(
    "arguments", [[], ["ABCD", "--round", "main", "--seat", "1"], ["--round", "main"], ["ZZZZ"]]
)
def test_what_to_revoke_must_be_clear(wavelock: Any, path: Path, arguments: list[str]) -> None:
    """Nothing, two things at once, half a seat and an unknown handle are refused in one line."""
    done = wavelock("--study", path, "people", "revoke", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_a_person_withdraws_and_is_erased(wavelock: Any, path: Path) -> None:
    """Both are asked for twice, both say what they did, and the ledger verifies after each."""
    name = people(wavelock, path)[0]["person"]
    assert wavelock("--study", path, "people", "withdraw", name).code != 0
    assert people(wavelock, path)[0]["state"] == "here"
    done = wavelock("--study", path, "people", "withdraw", name, "--yes")
    assert f"{name} has withdrawn: 2 ratings and 0 audits no longer count" in done.err
    assert people(wavelock, path)[0]["ratings"] == 0
    assert wavelock("--study", path, "ledger", "verify").code == 0
    done = wavelock("--study", path, "people", "erase", name, "--yes")
    assert f"what {name} said is erased: 2 ratings" in done.err
    assert people(wavelock, path)[0]["state"] == "erased"
    assert wavelock("--study", path, "ledger", "verify").code == 0


@pytest.mark.parametrize("deed", ["withdraw", "erase"])
def test_who_is_not_sure_changes_nothing(
    wavelock: Any, path: Path, deed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked about a person who is not there; no, and no answer, leave all as it is."""
    done = wavelock("--study", path, "people", deed, "P-NOBODY")
    assert (done.code, done.out, "[y/N]" in done.err) == (2, "", False)
    before = people(wavelock, path)
    for answer, told in (("", "a script says --yes"), ("n\n", "wavelock: nothing was changed")):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        done = wavelock("--study", path, "people", deed, before[0]["person"])
        assert (done.code, done.out, told in done.err) == (2, "", True)
    assert people(wavelock, path) == before


def test_a_closed_round_invites_nobody(wavelock: Any, path: Path) -> None:
    """After the closing there is nothing to come for."""
    wavelock("--study", path, "round", "close", "main", "--incomplete")
    done = wavelock("--study", path, "people", "invite", "main", "1")
    assert (done.code, "nobody can be invited any more" in done.err) == (2, True)


def test_a_completion_code_is_looked_up(wavelock: Any, path: Path) -> None:
    """A code tells seat and pseudonym, and whether the work is finished; others are refused."""
    with open_study(path) as study:
        person = study.people.occupant(1)
        assert person
        code = study.completions.code(1, person.id)
    done = wavelock("--study", path, "people", "completion", code.lower())
    assert done.out == f"rater seat 1 of main, {person.pseudonym}: not finished\n"
    done = wavelock("--study", path, "people", "completion", "AAAAA-AAAAA")
    assert (done.code, done.out) == (2, "")


def test_texts_come_from_a_folder(wavelock: Any, path: Path, tmp_path: Path) -> None:
    """Files of one's own are stored with the round; a fault is one line with file and line."""
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "consent.md").write_text("# Mine\n", "utf-8")
    plan = ("--ratings", "1", "--seats", "4", "--texts", texts)
    assert wavelock("--study", path, "round", "plan", "r2", *plan).code == 0
    with open_study(path) as study:
        stored = study.rounds.texts(study.rounds.named("r2").id)
        assert stored["consent.md"] == "# Mine\n"
        assert "training.toml" in stored
    (texts / "breaks.toml").write_text("every = 5\n", "utf-8")
    done = wavelock("--study", path, "round", "plan", "r3", *plan)
    assert (done.code, done.out) == (2, "")
    assert "breaks.toml, line 1: text is missing" in done.err
