"""Simulated auditors for rehearsals, on real seats."""

from __future__ import annotations

from random import Random

from audit.sitting import AuditSitting
from core.errors import Refused
from core.hashing import seed_from
from core.study import Round
from db.file import StudyFile


def simulate_audits(study: StudyFile, campaign: Round, *, seed: int, agree: float = 0.985) -> int:
    """Audit every open pair of a rehearsal round; return how many audits were given.

    Raises
    ------
    Refused
        When the round is not a rehearsal.
    """
    if campaign.kind != "rehearsal":
        raise Refused(f"{campaign.name} is a {campaign.kind} round; only rehearsals are simulated")
    given = 0
    for number, seat in enumerate(study.rounds.seats(campaign.id, "auditor")):
        sitting = AuditSitting.at_seat(study, seat, "simulated")
        while not sitting.finished:
            place = sitting.view().number
            draw = Random(seed_from(seed, "auditor", number, place))  # noqa: S311
            sitting.save(only_intended=draw.random() < agree)
            sitting.forward()
            given += 1
        sitting.leave()
    return given
