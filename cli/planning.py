"""Putting a round's plan together from its parts: raters, auditors, form and rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from annotate.plan import PlanRequest, plan_items, rater_seats
from annotate.wording import load as load_texts
from audit.candidates import to_rate
from audit.pairs import auditor_seats
from audit.wording import NAME as AUDITING
from audit.wording import load as load_auditing
from core.forms import Form
from core.patterns import matching
from core.plans import RoundPlan
from core.rules import InclusionRule
from core.study import IDLE_LIMIT, OnReplace, Revision, Role, Round, RoundKind
from db.file import StudyFile
from suites.base import Suite
from suites.forms import require_fit
from suites.rules import require_fit as require_rule


def plan_round(
    study: StudyFile,
    suite: Suite,
    *,
    name: str,
    kind: RoundKind,
    request: PlanRequest,
    auditors: int,
    form: Form | None = None,
    rule: InclusionRule | None = None,
    include_frozen: bool = False,
    on_replace: OnReplace = "keep",
    idle_limit: int = IDLE_LIMIT,
    texts: Path | None = None,
    conditions: Sequence[str] | None = None,
    scenarios: Sequence[str] | None = None,
) -> tuple[Round, dict[tuple[Role, int], str]]:
    """Store a plan over every item that a round may rate, or over all for practice.

    `conditions` and `scenarios` narrow that down, by names or patterns. Form and rule are the
    suite's unless others are given, and the texts are those that ship unless a folder has others.

    Returns
    -------
    round, codes
        Codes by role and seat number. They are known here and now; the study keeps their hashes.
    """
    frozen = frozenset() if include_frozen else study.waves.frozen_items()
    open_ = to_rate(study, kind)
    shown = _named(study.items.latest(), conditions, scenarios)
    revisions = [item for item in shown if item.item not in frozen and item.scenario in open_]
    form = form or suite.form
    require_fit(form, revisions)
    if rule:
        require_rule(rule, suite.conditions, form)
    items = plan_items(revisions, study.items.facts(), suite.strata)
    plan = RoundPlan(
        name=name,
        kind=kind,
        design=request.design,
        ratings=request.ratings,
        seed=request.seed,
        form=form,
        rule=rule or suite.rule,
        pair=suite.pair,
        raters=rater_seats(items, request),
        auditors=auditor_seats(revisions, suite.pair, auditors=auditors, seed=request.seed),
        on_replace=on_replace,
        idle_limit=idle_limit,
        texts=_texts(kind, texts, auditors=auditors),
    )
    with study.transaction():
        planned = study.rounds.plan(plan)
        codes = {
            (seat.role, seat.number): study.people.issue_code(seat.id)
            for seat in study.rounds.seats(planned.id)
        }
    return planned, codes


def _texts(kind: RoundKind, folder: Path | None, *, auditors: int) -> dict[str, str]:
    """Return what is said to raters and, where there are any, to auditors."""
    texts = load_texts(kind, folder, others=(AUDITING,))
    return texts | load_auditing(kind, folder) if auditors else texts


def _named(
    revisions: Sequence[Revision],
    conditions: Sequence[str] | None,
    scenarios: Sequence[str] | None,
) -> list[Revision]:
    """Return the revisions of the named conditions and scenarios; all where none is named."""
    drafted = [revision.condition for revision in revisions]
    wanted = matching(drafted, conditions, "condition") if conditions else drafted
    drafted = [revision.scenario for revision in revisions]
    among = matching(drafted, scenarios, "scenario") if scenarios else drafted
    kept, held = frozenset(wanted), frozenset(among)
    return [r for r in revisions if r.condition in kept and r.scenario in held]
