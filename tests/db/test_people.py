"""People are pseudonyms, and access codes say nothing of them."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused
from db.file import StudyFile
from db.people import WRONG_CODE


@pytest.fixture
def study(workshop: Any, study_path: Path) -> StudyFile:
    found: StudyFile = workshop.open(study_path)
    return found


@pytest.fixture
def coded(study: StudyFile) -> tuple[int, str]:
    """A seat that nobody has, and its code."""
    campaign = study.rounds.named("people")
    seat = study.rounds.seats(campaign.id, "rater")[3].id
    return seat, study.people.issue_code(seat)


def wrong_codes(code: str) -> dict[str, str]:
    handle, _, secret = code.partition("-")
    last = "Z" if secret[-1] != "Z" else "Y"
    return {
        "unknown handle": f"ZZZZ-{secret}" if handle != "ZZZZ" else f"YYYY-{secret}",
        "wrong secret": f"{handle}-{secret[:-1]}{last}",
        "handle alone": handle,
        "secret cut short": code[:-1],
        "secret too long": f"{code}A",
        "empty": "",
        "only a dash": "-",
        "SQL": "' OR 1=1 --",
        "a lone surrogate": f"{handle}\ud800-{secret[:-1]}",
        "another script": "ЖЖЖЖ-ЖЖЖЖЖЖЖЖ",
    }


@pytest.mark.parametrize("kind", wrong_codes("AAAA-BBBBBBBB"))
def test_every_wrong_code_gets_the_same_sentence(
    study: StudyFile, coded: tuple[int, str], kind: str
) -> None:
    """Whether the handle or the secret is wrong cannot be told from the answer."""
    with pytest.raises(Refused) as caught:
        study.people.seat_of(wrong_codes(coded[1])[kind])
    assert str(caught.value) == WRONG_CODE


def test_a_wrong_handle_costs_what_a_wrong_secret_costs(
    study: StudyFile, coded: tuple[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow hash is computed whether or not the handle is known."""
    calls = []

    def counted(*given: Any, **named: Any) -> bytes:
        calls.append(named["n"])
        return b"no"

    monkeypatch.setattr(hashlib, "scrypt", counted)
    for kind in ("unknown handle", "wrong secret", "empty"):
        with pytest.raises(Refused):
            study.people.seat_of(wrong_codes(coded[1])[kind])
    assert len(calls) == 3
    assert set(calls) == {2**14}


@pytest.mark.parametrize(
    "typed",
    [
        str.lower,
        lambda code: f"  {code} ",
        lambda code: code.replace("-", " - "),
        lambda code: code.replace("-", ""),
        lambda code: code.replace("-", " "),
        lambda code: code.replace("-", "–"),
        " ".join,
        lambda code: f"{code}\n",
    ],
    ids=["lower", "blanks", "blanks inside", "no dash", "a blank", "long dash", "spaced", "line"],
)
def test_codes_are_read_as_people_type_them(
    study: StudyFile, coded: tuple[int, str], typed: Any
) -> None:
    """Case, spaces, and what a mail program made of the dash do not matter."""
    seat, code = coded
    assert study.people.seat_of(typed(code)).id == seat


def test_a_revoked_code_is_an_unknown_code(study: StudyFile, coded: tuple[int, str]) -> None:
    """A revoked code opens nothing, and does not say that it once did."""
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute("UPDATE access_codes SET revoked_at = 'now'")
        plain.commit()
    with pytest.raises(Refused, match=re.escape(WRONG_CODE)):
        study.people.seat_of(coded[1])


def test_codes_and_pseudonyms_say_nothing(study: StudyFile) -> None:
    """A code holds no name, round, role or number, and no letter that is taken for another."""
    campaign = study.rounds.named("people")
    seats = study.rounds.seats(campaign.id)
    codes = [study.people.issue_code(seat.id) for seat in seats]
    assert all(re.fullmatch("[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{8}", code) for code in codes)
    assert len(set(codes)) == len(codes)
    for entry in study.rounds.progress(campaign.id):
        assert entry.person is None or re.fullmatch("P-[2-9A-Z]{5}", entry.person)


def test_the_file_holds_no_code(study: StudyFile, coded: tuple[int, str]) -> None:
    """Who reads the study file learns no secret from it."""
    secret = coded[1].partition("-")[2].encode()
    for path in study.path.parent.iterdir():
        assert secret not in path.read_bytes()


def test_a_seat_keeps_its_person(study: StudyFile, coded: tuple[int, str]) -> None:
    """Who comes back with the same code is the same person."""
    seat, _ = coded
    assert study.people.take_seat(seat) == study.people.take_seat(seat)


def test_a_role_is_told_by_the_handle_alone(workshop: Any, study_path: Path) -> None:
    """Whatever follows the handle, and however it is typed; an unknown one has no role."""
    study = workshop.open(study_path)
    campaign = study.rounds.named("people")
    for role in ("rater", "auditor"):
        code = study.people.issue_code(study.rounds.seats(campaign.id, role)[0].id)
        handle = code.partition("-")[0]
        typed = (code, code.lower(), f" {handle} WRONGONE", handle)
        assert {study.people.role_of(each) for each in typed} == {role}
    assert {study.people.role_of(each) for each in ("", "-", "0000-00000000", "☃")} == {None}
