"""Merging packets: what was said without the study enters it, once, all of a file or nothing.

Where an item has an answer in the study that did not come through this packet, that answer stands:
of two answers to a blind item the one that was acknowledged first in the study is the rating, and
the other is named as a conflict. Times are no judge of that, because every machine has its own.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.packet_events import Check, Consent, Event, Rated, Report, Trained, read_event
from annotate.wording import Quiz, Wording, parse
from core.errors import Refused
from core.evidence import Quizzed, Rating
from core.hashing import digest
from core.packets import Entry, IssuedPacket, intact
from core.study import Person, Round, Seat
from db.file import StudyFile
from db.packet_reading import CHANGED, ReturnedPacket, read_packet
from db.packets import MERGED, TakenEvent, taken_digest


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of a packet; nothing new when `events` is 0.

    `ratings` counts items, `changes` the later versions of their answers, `conflicts` are places
    on the list of the seat.
    """

    packet: str
    round: str
    seat: int
    events: int = 0
    ratings: int = 0
    changes: int = 0
    conflicts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _New:
    """An entry of a journal that the study has not read, and what it says."""

    seal: str
    event: Event


def merge(study: StudyFile, path: Path, round_name: str | None = None) -> Merged:
    """Take what is new in a packet.

    Parameters
    ----------
    round_name
        Take packets of this round alone.

    Raises
    ------
    InputError
        When the file is no packet, was damaged, or belongs to another study or round.
    Refused
        When the round is closed, the seat was given away, its person has withdrawn, or the code
        was revoked. Nothing is stored then.
    """
    returned = read_packet(path)
    with study.transaction():
        issued = _recognised(study, returned)
        seat = study.rounds.seat(issued.seat)
        campaign = study.rounds.round(seat.round)
        if round_name is not None and campaign.name != round_name:
            raise Refused(f"it belongs to round {campaign.name}, not {round_name}")
        known = study.packets.known(issued.id)
        entries = [entry for entry in returned.entries if entry.seal not in known]
        done = Merged(issued.name, campaign.name, seat.number)
        if not entries:
            return done
        _require_welcome(study, issued, campaign, seat, entries)
        new = [_New(entry.seal, read_event(entry.event)) for entry in entries]
        return _Merge(study, issued, campaign, seat, returned).take(new)


def _recognised(study: StudyFile, returned: ReturnedPacket) -> IssuedPacket:
    """Return the packet as the study knows it, when every byte that counts is as it should be."""
    if returned.study != study.packets.mark:
        raise Refused("it belongs to another study")
    right = study.packets.sign(returned.header)
    if not hmac.compare_digest(right.encode(), returned.signature.encode("utf-8", "replace")):
        raise Refused(CHANGED)
    issued = study.packets.named(returned.name)
    keys = {code.handle: code.answers for code in study.packets.codes(issued.seat, issued.name)}
    if returned.sheet != issued.sheet or not intact(returned.entries, keys):
        raise Refused(CHANGED)
    return issued


def _require_welcome(
    study: StudyFile, issued: IssuedPacket, campaign: Round, seat: Seat, entries: Sequence[Entry]
) -> None:
    where = f"seat {seat.number} of {campaign.name}"
    if campaign.state != "open":
        raise Refused(f"round {campaign.name} is closed; nothing more is taken into it")
    revoked = {c.handle for c in study.packets.codes(seat.id, issued.name) if c.revoked}
    used = sorted(revoked & {entry.handle for entry in entries})
    if not used:
        return
    match study.packets.ended(issued):
        case "replaced":
            raise Refused(f"{where} was given to somebody else before this packet came back")
        case "withdrawn":
            raise Refused(f"the person of {where} has withdrawn")
        case _:
            raise Refused(f"the code {used[0]}, with which it was opened, was revoked")


class _Merge:
    """One packet entering the study, inside the transaction of :func:`merge`."""

    def __init__(
        self,
        study: StudyFile,
        issued: IssuedPacket,
        campaign: Round,
        seat: Seat,
        returned: ReturnedPacket,
    ) -> None:
        self._study, self._issued, self._seat = study, issued, seat
        self._campaign, self._returned = campaign, returned
        self._person: Person = study.people.take_seat(seat.id)
        self._words: Wording = parse(study.rounds.texts(campaign.id))
        self._standing = study.packets.versions(seat.id)

    def take(self, new: Sequence[_New]) -> Merged:
        """Store what is new, with an entry of the ledger over it."""
        study, rated = self._study, [n.event for n in new if isinstance(n.event, Rated)]
        items = {self._assignment(event.item) for event in rated}
        conflicts = {item for item in items if not self._continues(item)}
        places = {a.id: a.position for a in study.rounds.assignments(self._seat.id)}
        added = items - conflicts - set(self._standing)
        done = Merged(
            packet=self._issued.name,
            round=self._campaign.name,
            seat=self._seat.number,
            events=len(new),
            ratings=len(added),
            changes=sum(self._assignment(e.item) not in conflicts for e in rated) - len(added),
            conflicts=tuple(sorted(places[item] for item in conflicts)),
        )
        taken = [self._store(n.seal, n.event, conflicts) for n in new]
        entry = study.ledger.append(
            MERGED,
            {
                "round": done.round,
                "seat": done.seat,
                "packet": done.packet,
                "person": self._person.pseudonym,
                "events": done.events,
                "ratings": done.ratings,
                "conflicts": list(done.conflicts),
                "taken": taken_digest(done.packet, taken),
                "file": self._returned.file,
            },
        )
        study.packets.take(self._issued.id, entry.sequence, taken)
        # Whoever works there just now has not seen this; they come in again.
        study.sittings.end_seat(self._seat.id, "taken over")
        return done

    def _assignment(self, item: int) -> int:
        found = self._issued.places.get(item)
        if found is None:
            raise Refused(CHANGED)
        return found

    def _continues(self, assignment: int) -> bool:
        """Return whether all that stands of an item came through this very journal."""
        seals = {entry.seal for entry in self._returned.entries}
        return all(version.seal in seals for version in self._standing.get(assignment, ()))

    def _store(self, seal: str, event: Event, conflicts: set[int]) -> TakenEvent:
        said, person = self._study.said, self._person.id
        match event:
            case Rated():
                item = self._assignment(event.item)
                if item in conflicts:
                    return TakenEvent(seal, item, conflict=True)
                rating = Rating(item, event.answers, event.comment, event.seconds)
                return TakenEvent(seal, item, self._study.ratings.save(rating, person, event.at))
            case Report():
                item = self._assignment(event.item)
                said.report(item, person, event.text, event.at)
                return TakenEvent(seal, item)
            case Consent():
                if event.text != digest(self._words.consent):
                    raise Refused(CHANGED)
                said.consent(self._seat.id, person, self._words.consent, event.at)
            case Trained():
                items = self._words.training.items if self._words.training else ()
                answer = _judged(items, event.name, event.answer, event.turn)
                known = {(q.turn, q.name) for q in said.trained(self._seat.id, person)}
                if (event.turn, event.name) not in known:
                    said.train(self._seat.id, person, answer, event.at)
            case Check():
                answer = _judged(self._words.checks, event.name, event.answer)
                said.check(self._seat.id, person, answer, event.at)
        return TakenEvent(seal)


def _judged(items: Sequence[Quiz], name: str, answer: str, turn: int = 1) -> Quizzed:
    """Return an answer with whether it is right: that is said here, not in the packet."""
    for quiz in items:
        if quiz.id == name and answer in quiz.choices:
            return Quizzed(name, answer, answer == quiz.right, turn)
    raise Refused(CHANGED)
