"""Handing out packets: one blind file per seat, holding what the seat still has to do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from core.errors import InputError, Refused
from core.items import BlindItem
from core.packets import Sheet
from core.study import Assignment, Round, Seat
from db.file import StudyFile
from db.packet_file import PLACEHOLDER, PacketFile, create_packet

SUFFIX = ".packet"


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A packet that lies ready for the person of a seat."""

    name: str
    seat: int
    items: int
    file: Path
    in_use: bool  # somebody works at the seat just now


@dataclass(frozen=True, slots=True)
class _Made:
    """A packet that is written, and not yet known to the study."""

    seat: Seat
    name: str
    left: Sequence[Assignment]
    sheet: str
    carried: Sequence[str]
    draft: Path

    @property
    def file(self) -> Path:
        return self.draft.with_suffix(SUFFIX)


def unfinished(study: StudyFile, campaign: Round) -> tuple[Seat, ...]:
    """Return the raters' seats of a round that have something left to do."""
    return tuple(seat for seat in study.rounds.seats(campaign.id, "rater") if _left(study, seat))


def hand_out(
    study: StudyFile, campaign: Round, seats: Sequence[Seat], folder: Path
) -> tuple[HandedOut, ...]:
    """Write a packet for every seat, all of them or none.

    The study knows of a packet before its file has its name: a file that is there can be merged.

    Raises
    ------
    Refused
        When the round is not open, or a seat has nothing left to do, or no code that works.
    InputError
        When the folder cannot be written.
    """
    if campaign.state != "open":
        raise Refused(f"round {campaign.name} is {campaign.state}, not open")
    if not seats:
        raise Refused(f"no rater seat of {campaign.name} has anything left to do")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}") from error
    with ExitStack() as drafts:
        made = [_make(study, campaign, seat, folder, drafts) for seat in seats]
        with study.transaction():
            for one in made:
                study.packets.issue(
                    campaign,
                    one.seat,
                    one.name,
                    sheet=one.sheet,
                    assignments=[assignment.id for assignment in one.left],
                    carried=one.carried,
                )
        for one in made:
            one.draft.replace(one.file)
        _settle(folder)
    working = {s.seat.id for s in study.seats.status(campaign.id) if s.state == "active"}
    return tuple(
        HandedOut(one.name, one.seat.number, len(one.left), one.file, one.seat.id in working)
        for one in made
    )


def _left(study: StudyFile, seat: Seat) -> tuple[Assignment, ...]:
    given = study.ratings.of_seat(seat.id)
    return tuple(item for item in study.rounds.assignments(seat.id) if item.id not in given)


def _make(study: StudyFile, campaign: Round, seat: Seat, folder: Path, drafts: ExitStack) -> _Made:
    where = f"seat {seat.number} of {campaign.name}"
    left, name = _left(study, seat), study.packets.new_name()
    if not left:
        raise Refused(f"{where} has nothing left to do")
    sheet = Sheet(
        name=name,
        secret=study.packets.completion_secret(name),
        form=replace(campaign.form, name=PLACEHOLDER),  # a form is called after its suite
        texts=study.rounds.texts(campaign.id),
        items=tuple(_blind(study, place, item) for place, item in enumerate(left, start=1)),
        locks=study.packets.locks(seat.id, name),
    )
    if not sheet.locks:
        raise Refused(
            f"{where} has no code that works; first: "
            f"wavelock people invite {campaign.name} {seat.number}"
        )
    draft = folder / f"seat-{seat.number:02}-{name}.draft"
    drafts.callback(draft.unlink, missing_ok=True)
    with create_packet(draft, sheet) as packet:
        _carry(study, seat, packet, campaign)
        carried = [entry.seal for entry in packet.journal.entries()]
        header = packet.finish(study.packets.mark, study.packets.sign)
    return _Made(seat, name, left, header.sheet, carried, draft)


def _blind(study: StudyFile, place: int, item: Assignment) -> BlindItem:
    revision = study.items.revision(item.revision)
    return BlindItem(place, revision.text, revision.labels, study.gradings.shown(item.id))


def _carry(study: StudyFile, seat: Seat, packet: PacketFile, campaign: Round) -> None:
    """Let the person go on in the packet where they are: consent and training are not asked twice.

    None of it comes back as something new.
    """
    person = study.people.occupant(seat.id)
    if person is None:
        return
    said = (seat.id, person.id)
    code = next(c for c in study.packets.codes(seat.id, packet.name) if not c.revoked)
    packet.journal.unlock(code.handle, code.answers)
    own_seat, own_person = packet.seat_person()
    own = (own_seat.id, own_person.id)
    with packet.transaction():
        if study.said.consented(*said) is not None:
            # Whoever agreed, agreed to the text of this round, which cannot change.
            packet.said.consent(*own, study.rounds.texts(campaign.id).get("consent.md", ""))
        for answer in study.said.trained(*said):
            packet.said.train(*own, answer)
        for answer in study.said.checked(*said):
            packet.said.check(*own, answer)


def _settle(folder: Path) -> None:
    """Let the names of the files survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
