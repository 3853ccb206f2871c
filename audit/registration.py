"""Preregistering a study: from a file to a frozen plan, and to its amendments.

The plan holds rule, forms, rounds, metrics, families of tests, models, judges, seeds and the digest
of the analysis code. Whether what is done conforms to it is for ``audit.standing`` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from audit.standing import round_differences, round_facts
from core.errors import InputError, NotFound, Refused
from core.forms import Form, form_to_json
from core.hashing import digest_of
from core.registration import (
    FORMAT,
    Document,
    Registration,
    changes,
    told,
)
from core.registration_file import FILL_IN, parse_draft, written
from core.rules import rule_from_json, rule_to_json
from core.study import Round
from db.file import StudyFile
from suites.base import Suite, SuiteData
from suites.forms import load as load_form
from suites.rules import require_fit

RubricOf = Callable[[str], Mapping[str, Any]]
NUMBERS = ("share", "signed", "score")
AGREEMENT = "agreement.value"  # the coefficients of ``audit.agreement``
NOTES = {
    "": "A preregistration. Replace what says FILL IN, then: wavelock prereg freeze FILE",
    "analysis": "The numbers that answer your questions, as TABLE.COLUMN of wavelock report.",
    "family": "Tests that are corrected together: each over every registered model.",
    "runs": "What every model is asked, and when one may be left out.",
    "model": "A table per model. What is left out (top_p, seed, prefill, ...) is not registered.",
    "judge": (
        "A table per judge, where language models are to judge replies; those under one rubric\n"
        "are a panel. The settings of [[model]] bind here as well:\n"
        '[[judge]]\nname = "J1"\nmodel = "as wavelock judge status calls it"\n'
        'rubric = "grade"\nversion = "1"\ntemperature = 0.0'
    ),
    "round": "A table per round with people. Where a plan stands, exactly that plan is meant.",
    "rule": "Who is included; see docs/preregistration.md for every field.",
}


def metrics_of(suite: Suite) -> tuple[str, ...]:
    """Return the name of every number that a report of the suite can hold: TABLE.COLUMN."""
    tables = suite.tables(_nothing())
    found = [f"{t.name}.{c.key}" for t in tables for c in t.columns if c.unit in NUMBERS]
    return (*found, AGREEMENT)


def starting_draft(study: StudyFile, suite: Suite, rounds: Sequence[Round]) -> dict[str, Any]:
    """Return a draft from the study as it is: its rounds, its rule, one number of the suite."""
    metric = _first_test(suite)
    planned = [{"name": campaign.name, **round_facts(study, campaign)} for campaign in rounds]
    return {
        "title": study.info.title,
        "hypotheses": [FILL_IN],
        "analysis": {"seed": 1, "replicates": 10_000, "metrics": [metric]},
        "family": [{"name": "F1", "correction": "holm", "alpha": 0.05, "tests": [metric]}],
        "runs": {
            "conditions": list(suite.run_conditions),
            "samples": 3,
            "dropping": f"{FILL_IN}: when a model may be left out",
        },
        "model": [{"name": f"{FILL_IN}: as wavelock runs list calls it", "temperature": 0.7}],
        "round": planned or [_planned_round(suite)],
        "rule": rule_to_json(next((r.rule for r in rounds if not r.grading), suite.rule)),
    }


def _first_test(suite: Suite) -> str:
    """Return the first number that may be positive or negative: one to be tested against 0."""
    nothing = suite.tables(_nothing())
    return next(f"{t.name}.{c.key}" for t in nothing for c in t.columns if c.unit == "signed")


def _nothing() -> SuiteData:
    return SuiteData(
        items=(),
        runs=(),
        generations={},
        verdicts={},
        scores={},
        ratings=(),
        caveats=(),
        seed=1,
        replicates=2,
    )


def _planned_round(suite: Suite) -> dict[str, Any]:
    rule = suite.rule
    return {
        "name": FILL_IN,
        "kind": "main",
        "design": "latin-square",
        "seats": rule.ratings * len(suite.conditions),
        "ratings": rule.ratings,
        "auditors": rule.auditors,
        "seed": 1,
        "form": suite.form.name,
    }


def template(study: StudyFile, suite: Suite, names: Sequence[str] = ()) -> str:
    """Return a file to start from: the rounds that are named, or every main round."""
    named = [study.rounds.named(name) for name in names]
    rounds = named or [r for r in study.rounds.all() if r.kind == "main" and r.state == "planned"]
    known = fill(f"There are: {', '.join(metrics_of(suite))}", 90)
    notes = {**NOTES, "analysis": f"{NOTES['analysis']}\n{known}"}
    return written(starting_draft(study, suite, rounds), notes)


def read(
    study: StudyFile, suite: Suite, text: str, source: Path, *, code: str, rubric_of: RubricOf
) -> dict[str, Any]:
    """Return the whole document of a file: forms in full, plans and rubrics by hash, the code.

    Parameters
    ----------
    rubric_of
        Gives the document of a rubric by its name or path.

    Raises
    ------
    InputError
        Naming file and line, or what does not fit the study.
    """
    draft = parse_draft(text, str(source), metrics=metrics_of(suite), conditions=suite.conditions)
    rule = rule_from_json(draft["rule"], str(source))
    forms = {entry["form"]: _form(study, entry["form"], source) for entry in draft["round"]}
    graded = {campaign.name for campaign in study.rounds.all() if campaign.grading}
    for entry in draft["round"]:
        if entry["name"] not in graded:
            require_fit(rule, suite.conditions, forms[entry["form"]])
    judges = [_with_rubric(entry, source, rubric_of) for entry in draft["judge"]]
    return {
        "format": FORMAT,
        "amends": None,
        "title": draft["title"],
        "hypotheses": draft.get("hypotheses", []),
        "suite": suite.name,
        "analysis": draft["analysis"],
        "families": draft["family"],
        "runs": draft["runs"],
        "models": [_given(entry) for entry in draft["model"]],
        # A plan without judges says nothing of them, as plans did before there were any.
        **({"judges": judges} if judges else {}),
        "rounds": [_with_plan(study, entry) for entry in draft["round"]],
        "rule": rule_to_json(rule),
        "forms": {name: form_to_json(form) for name, form in forms.items()},
        "code": code,
    }


def _given(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not None}


def _with_rubric(entry: Mapping[str, Any], source: Path, rubric_of: RubricOf) -> dict[str, Any]:
    """Return a judge's entry with what its rubric is called, and the digest of its document.

    Raises
    ------
    InputError
        When there is no such rubric, or it is not the one that the entry says.
    """
    where, beside = f"{source}, judge {entry['name']}", source.parent / entry["rubric"]
    try:
        found = rubric_of(str(beside) if beside.is_file() else entry["rubric"])
    except (InputError, NotFound) as error:
        raise InputError(f"{where}: {error}") from error
    facts = {"version": found["version"], "hash": digest_of(found)}
    for field, value in facts.items():
        if entry[field] not in (None, value):
            raise InputError(
                f"{where}: the {field} of rubric {found['name']} is {value}, not {entry[field]}"
            )
    return _given({**entry, "rubric": found["name"], **facts})


def _form(study: StudyFile, name: str, source: Path) -> Form:
    """Return a form by its name: of a round of the study, one that ships, or a file beside."""
    for campaign in study.rounds.all():
        if campaign.form.name == name:
            return campaign.form
    beside = source.parent / name
    return load_form(str(beside) if beside.is_file() else name)


def _with_plan(study: StudyFile, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a round's entry with the hash of its plan, where it is planned already."""
    planned = _round(study, entry["name"])
    plan = entry["plan"] or (study.rounds.plan_hash(planned.id) if planned else None)
    return {**entry, "plan": plan}


def freeze(study: StudyFile, document: Document) -> Registration:
    """Preregister the study.

    Raises
    ------
    Refused
        When a round that is planned differs from the document, or there is a plan already.
    """
    with study.transaction():
        _require_rounds(study, document, with_rule=True)
        return study.registrations.freeze(document)


def amend(
    study: StudyFile, document: Document, *, reason: str, seen_ratings: bool, seen_outputs: bool
) -> Registration:
    """Log a change of the plan, with what was known when it was made.

    Raises
    ------
    Refused
        When there is no plan, nothing changed, or a round that is planned differs.
    """
    if not reason.strip():
        raise InputError("an amendment needs a reason; say in a sentence why the plan changes")
    with study.transaction():
        before = study.registrations.current()
        if before is None:
            raise Refused("nothing is preregistered yet; start with wavelock prereg freeze FILE")
        after = {**document, "amends": before.hash}
        found = changes(before.document, after)
        if not found:
            raise Refused("the file says what is registered already; nothing was amended")
        _require_rounds(study, document, with_rule=False)
        return study.registrations.amend(
            after, found, reason=reason, seen_ratings=seen_ratings, seen_outputs=seen_outputs
        )


def _require_rounds(study: StudyFile, document: Document, *, with_rule: bool) -> None:
    """Refuse a document that says otherwise of a round than the study's own plan.

    An amendment may change the rule of a round that is at work; its decisions follow it.
    """
    for entry in document["rounds"]:
        planned = _round(study, entry["name"])
        if planned is None:
            continue
        found = round_differences(study, planned, document)
        if found := tuple(c for c in found if with_rule or not c.field.startswith("rule")):
            raise Refused(f"round {planned.name} is planned otherwise: {told(found)}")


def _round(study: StudyFile, name: str) -> Round | None:
    return next((campaign for campaign in study.rounds.all() if campaign.name == name), None)
