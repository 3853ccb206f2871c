"""Where auditors differ: every verdict on those pairs, with notes, for whoever mends the items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.evidence import GivenAudit
from core.study import Round
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile

COLUMNS = (
    Column("pair", "Pair"),
    Column("auditor", "Auditor"),
    Column("verdict", "only one fact changed"),
    Column("differences", "differences shown"),
    Column("left", "left"),
    Column("note", "Note"),
)


def disagreements_table(study: StudyFile, campaign: Round, *, everything: bool = False) -> Table:
    """Return one row per verdict on every pair on which auditors differ.

    Parameters
    ----------
    everything
        The pairs on which they agree as well.
    """
    pairs = _pairs(study.audits.of_round(campaign.id))
    listed = pairs if everything else [given for given in pairs if _disputed(given)]
    named = "; ".join(_caveats(study, campaign))
    title = f"{'Audits' if everything else 'Disagreements of auditors'} in round {campaign.name}"
    return Table(
        name="audits" if everything else "disagreements",
        title=f"{title} ({named})" if named else title,
        columns=COLUMNS,
        rows=tuple(_row(audit) for given in listed for audit in given),
        notes=(_counts(pairs),),
    )


def _caveats(study: StudyFile, campaign: Round) -> list[str]:
    people = {audit.person_kind for audit in study.audits.of_round(campaign.id)}
    made_up = campaign.kind == "rehearsal" or people - {"human"}
    found = ["simulated audits"] if made_up else []
    return found + (["imported audits"] if campaign.source == "imported" else [])


def _pairs(audits: Sequence[GivenAudit]) -> list[list[GivenAudit]]:
    """Return the verdicts pair by pair."""
    found = defaultdict(list)
    for audit in audits:
        found[audit.pair].append(audit)
    return list(found.values())


def _disputed(given: Sequence[GivenAudit]) -> bool:
    return len({audit.only_intended for audit in given}) > 1


def _row(audit: GivenAudit) -> dict[str, Cell]:
    return {
        "pair": audit.scenario,
        "auditor": audit.person,
        "verdict": "yes" if audit.only_intended else "no",
        "differences": "yes" if audit.differences else "no",
        "left": audit.left.condition,
        "note": audit.note or None,
    }


def _counts(pairs: Sequence[Sequence[GivenAudit]]) -> str:
    """Say how many pairs were agreed on, and how; a pair with one verdict is neither."""
    shared = [given for given in pairs if len(given) > 1]
    disputed = sum(map(_disputed, shared))
    yes = sum(all(audit.only_intended for audit in given) for given in shared)
    agreed = len(shared) - disputed
    single = len(pairs) - len(shared)
    more = f" {counted(single, 'pair')} with one verdict so far." if single else ""
    return (
        f"{counted(len(shared), 'pair')} with two verdicts or more: {disputed} disputed, "
        f"{agreed} agreed on ({yes} yes, {agreed - yes} no).{more}"
    )
