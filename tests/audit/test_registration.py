"""Preregistering a study: what may begin, what is refused and why, what an amendment does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze as freeze_wave
from audit.inclusion import commit, decide_round
from audit.inclusion_view import decision_tables, round_rule_table, what_if
from audit.registration import (
    amend,
    freeze,
    metrics_of,
    read,
    template,
)
from audit.registration_view import page
from audit.standing import open_round, rule_in_force
from audit.verify import study_faults
from core.errors import InputError, NotFound, Refused
from core.hashing import digest_of
from core.rules import rule_to_json
from core.study import Revision, Round
from db.file import StudyFile
from suites.core100.suite import SUITE
from suites.forms import load as load_form

NO_RUBRICS: dict[str, Any] = {}
HOW: dict[str, Any] = {"code": "c", "rubric_of": NO_RUBRICS.__getitem__}
NOT_SEEN = {"seen_ratings": False, "seen_outputs": False}


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    found: StudyFile = workshop.create(tmp_path / "study.db", 3)
    return found


def registered(study: StudyFile, workshop: Any, campaign: Round, **changed: Any) -> dict[str, Any]:
    """Preregister a planned round with its own rule; return the document."""
    rule = {"rule": rule_to_json(campaign.rule)}
    document: dict[str, Any] = workshop.document(study, [campaign], **{**rule, **changed})
    freeze(study, document)
    return document


def careful(revision: Revision, _seat: int) -> dict[str, Any]:
    """Answer as intended, not very sure."""
    actions = [option.action for option in revision.options]
    letter = "AB"[actions.index(str(revision.gold))]
    return {"choice": letter, "confidence": 3, "naturalness": 4}


def test_a_main_round_needs_a_plan(study: StudyFile, workshop: Any) -> None:
    """Without one it is refused with both ways out; with --exploratory it opens, and is marked."""
    campaign = workshop.plan(study)
    with pytest.raises(Refused, match=r"not preregistered; .*prereg template.*--exploratory"):
        open_round(study, campaign)
    assert study.rounds.named("main").state == "planned"
    open_round(study, campaign, exploratory=True)
    assert study.registrations.of_round(campaign.id) is None
    assert study.ledger.entries()[-2].payload["exploratory"] is True


@pytest.mark.parametrize("kind", ["practice", "rehearsal", "pilot"])
def test_other_rounds_are_free(study: StudyFile, workshop: Any, kind: str) -> None:
    """Practice, rehearsals and pilots open without a plan, and beside one that has them not."""
    open_round(study, workshop.plan(study, "before", kind=kind))
    registered(study, workshop, workshop.plan(study, "main"))
    opened = open_round(study, workshop.plan(study, "after", kind=kind))
    assert opened.state == "open"
    assert study.registrations.of_round(opened.id) is None


def test_a_registered_round_opens_on_the_plan(study: StudyFile, workshop: Any) -> None:
    """It stands on the hash of the plan, unless it is called exploratory all the same."""
    one, other = (workshop.plan(study, name) for name in ("one", "other"))
    document = workshop.document(study, [one, other], rule=rule_to_json(one.rule))
    plan = freeze(study, document)
    open_round(study, one)
    open_round(study, other, exploratory=True)
    assert study.registrations.of_round(one.id) == plan.hash == digest_of(document)
    assert study.registrations.of_round(other.id) is None
    assert study_faults(study) == ()


DIFFERENT: dict[str, tuple[dict[str, Any], str]] = {
    "name": ({"name": "another"}, "round is another, registered main"),
    "seed": ({"seed": 2}, "seed is 2, registered 1"),
    "ratings": ({"ratings": 2}, "seats is 8, registered 4; ratings is 2, registered 1"),
    "auditors": ({"auditors": 2}, "auditors is 2, registered 1"),
    "kind of replacing": ({"on_replace": "void"}, "on_replace is void, registered keep"),
    "patience": ({"idle_limit": 60}, "idle_limit is 60, registered 4320"),
    "rule": ({"rule": {"confidence_at_least": 3.0}}, "rule.confidence_at_least is 3.0, registered"),
    "texts": ({"texts": {"end.md": "Thank you."}}, "plan is sha256:"),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_a_round_that_differs_is_refused_with_what_differs(
    workshop: Any, tmp_path: Path, what: str
) -> None:
    """The plan names the round before it is planned here; what was planned is another."""
    other = workshop.create(tmp_path / "other.db", 3)
    document = workshop.document(other, [workshop.plan(other)])
    document["rule"] = rule_to_json(other.rounds.named("main").rule)
    study = workshop.create(tmp_path / "study.db", 3)
    freeze(study, document)
    change, sentence = DIFFERENT[what]
    campaign = workshop.plan(study, **change)
    with pytest.raises(Refused, match="is not the one that was preregistered") as told:
        open_round(study, campaign)
    assert sentence in str(told.value)
    assert "wavelock prereg amend" in str(told.value)
    assert study.rounds.named(campaign.name).state == "planned"
    assert study.registrations.of_round(open_round(study, campaign, exploratory=True).id) is None


def test_another_form_is_another_round(workshop: Any, tmp_path: Path) -> None:
    """A form of the same name with another question is not the registered one."""
    other = workshop.create(tmp_path / "other.db", 3)
    campaign = workshop.plan(other)
    document = workshop.document(other, [campaign], rule=rule_to_json(campaign.rule))
    form = document["forms"]["core100"]
    form["questions"][0]["text"] = "Another question?"
    study = workshop.create(tmp_path / "study.db", 3)
    freeze(study, document)
    with pytest.raises(Refused, match=r"form\.questions\.choice\.text is .*registered Another"):
        open_round(study, workshop.plan(study))


def test_a_plan_that_the_study_gainsays_is_not_frozen(study: StudyFile, workshop: Any) -> None:
    """A round that is planned already must be the one that the document describes."""
    campaign = workshop.plan(study)
    document = workshop.document(study, [campaign], rule=rule_to_json(campaign.rule))
    document["rounds"][0]["seats"] = 20
    with pytest.raises(Refused, match="main is planned otherwise: seats is 4, registered 20"):
        freeze(study, document)
    with pytest.raises(Refused, match=r"planned otherwise: rule\.ratings is 1, registered 5"):
        freeze(study, workshop.document(study, [campaign], rule=rule_to_json(SUITE.rule)))
    assert study.registrations.current() is None


def test_an_amendment_logs_what_changed_and_what_was_known(study: StudyFile, workshop: Any) -> None:
    """Field by field, with the reason, the counts, and a saying that the counts gainsay."""
    campaign = workshop.plan(study)
    document = registered(study, workshop, campaign)
    open_round(study, campaign)
    workshop.rate(study, campaign)
    again = {**document, "hypotheses": ["S is above 0.5"]}
    version = amend(study, again, reason="bolder", **NOT_SEEN)
    assert [(c.field, c.after) for c in version.changes] == [("hypotheses", '["S is above 0.5"]')]
    assert (version.known.ratings, version.known.audits) == (12, 3)
    assert version.contradictions == ("ratings are said to be unseen; the study held 12",)
    entry = study.ledger.entries()[-1]
    assert entry.payload["reason"] == "bolder"
    assert entry.payload["contradictions"] == list(version.contradictions)
    assert study_faults(study) == ()


def test_an_amendment_that_adds_a_round_is_no_tampering(study: StudyFile, workshop: Any) -> None:
    """What is added whole, field by field, is found again as it was logged."""
    document = registered(study, workshop, workshop.plan(study))
    more = {"seed": 2, **document["rounds"][0], "name": "later", "plan": None}
    version = amend(study, {**document, "rounds": [*document["rounds"], more]}, reason="r",
                    **NOT_SEEN)  # fmt: skip
    assert {c.field for c in version.changes} >= {"rounds.later.seats", "rounds.later.kind"}
    assert study_faults(study) == ()


def test_an_amendment_must_be_one(study: StudyFile, workshop: Any) -> None:
    """Before a plan, without a change, without a reason, or against the study: refused."""
    campaign = workshop.plan(study)
    document = workshop.document(study, [campaign], rule=rule_to_json(campaign.rule))
    with pytest.raises(Refused, match="nothing is preregistered yet"):
        amend(study, document, reason="x", **NOT_SEEN)
    freeze(study, document)
    with pytest.raises(Refused, match="says what is registered already"):
        amend(study, document, reason="x", **NOT_SEEN)
    with pytest.raises(InputError, match="needs a reason"):
        amend(study, {**document, "title": "B"}, reason=" ", **NOT_SEEN)
    rounds = [{**document["rounds"][0], "seed": 7}]
    with pytest.raises(Refused, match="planned otherwise: seed is 1, registered 7"):
        amend(study, {**document, "rounds": rounds}, reason="x", **NOT_SEEN)
    assert len(study.registrations.versions()) == 1


def test_a_round_is_decided_by_the_rule_as_amended(study: StudyFile, workshop: Any) -> None:
    """A floor that an amendment lowers after the ratings decides; the entry has its hash."""
    campaign = workshop.plan(study)
    document = registered(study, workshop, campaign)
    open_round(study, campaign)
    campaign = workshop.rate(study, campaign, careful)
    assert {d.verdict for d in decide_round(study, campaign)} == {"revise"}
    lower = {**document["rule"], "confidence_at_least": 3.0}
    amend(study, {**document, "rule": lower}, reason="uncalibrated", seen_ratings=True,
          seen_outputs=False)  # fmt: skip
    assert rule_in_force(study, campaign).confidence_at_least == 3.0
    assert {d.verdict for d in commit(study, campaign)} == {"include"}
    committed = study.ledger.entries()[-1].payload
    assert committed["rule_hash"] == digest_of(lower)
    wave = freeze_wave(study, SUITE)
    assert wave.header["rounds"]["main"]["rule_hash"] == digest_of(lower)
    assert "(as amended)" in round_rule_table(study, campaign).title
    later = {**document["rule"], "confidence_at_least": 2.0}
    amend(study, {**document, "rule": later}, reason="again", **NOT_SEEN)
    assert digest_of(lower) in round_rule_table(study, campaign).notes[0]
    assert study_faults(study) == ()


def test_an_exploratory_round_keeps_its_own_rule(study: StudyFile, workshop: Any) -> None:
    """What the plan says does not bind a round that was opened without it."""
    campaign = workshop.plan(study)
    other = workshop.plan(study, "other", rule={"confidence_at_least": 1.0})
    registered(study, workshop, campaign)
    opened = open_round(study, other, exploratory=True)
    assert rule_in_force(study, opened) == other.rule
    campaign = workshop.rate(study, opened, careful)
    assert {d.verdict for d in commit(study, campaign)} == {"include"}
    assert study_faults(study) == ()
    assert "exploratory round" in decision_tables(study, campaign)[0].title


def test_other_thresholds_are_tried_and_nothing_is_kept(study: StudyFile, workshop: Any) -> None:
    """What would change is listed, called exploratory in title and rows, and not recorded."""
    campaign = workshop.rate(study, workshop.opened(study), careful)
    before = study.ledger.entries()
    table = what_if(study, campaign, {"confidence_at_least": 3.0})
    assert "EXPLORATORY" in table.title
    assert "confidence_at_least 3.0 instead of 3.5" in table.title
    assert {(r["verdict"], r["instead"], r["status"]) for r in table.rows} == {
        ("revise", "include", "exploratory")
    }
    assert table.notes[0].startswith("3 of 3 scenarios would be decided otherwise; 0 included, 3")
    assert what_if(study, campaign, {}).rows == ()
    assert len(what_if(study, campaign, {"rewrites": 0}, "S02").rows) == 1
    with pytest.raises(InputError, match="a rule has no 'colour'"):
        what_if(study, campaign, {"colour": 1})
    with pytest.raises(InputError, match="--what-if: agree_at_least is 7; it must be 1 to 1"):
        what_if(study, campaign, {"agree_at_least": 7})
    with pytest.raises(NotFound, match="no scenario 'S9' is in the round; there are: S01"):
        what_if(study, campaign, {}, "S9")
    assert (study.ledger.entries(), study.decisions.of_round(campaign.id)) == (before, ())


def test_every_threshold_has_its_row(study: StudyFile, workshop: Any) -> None:
    """Programs get value, limit and n of each; readers an overview with what is missed marked."""
    campaign = workshop.rate(study, workshop.opened(study), careful)
    (whole,) = decision_tables(study, campaign, whole=True)
    assert len(whole.rows) == 3 * (4 * 5 + 2)
    row = next(r for r in whole.rows if r["threshold"] == "mean confidence")
    assert (row["value"], row["limit"], row["n"], row["met"]) == (3.0, 3.5, 1, "no")
    decided, overview = decision_tables(study, campaign)
    assert len(decided.rows) == 3
    assert len(overview.rows) == 3 * 5
    assert overview.rows[0]["confidence"] == "✗ 3.00 (>= 3.5)"
    assert overview.rows[4]["condition"] == "pair"
    (one,) = decision_tables(study, campaign, "S02")
    assert {r["scenario"] for r in one.rows} == {"S02"}
    assert one.title.endswith("threshold by threshold. S02: revise, cue contrasts: no")


def test_the_page_says_what_is_kept(study: StudyFile, workshop: Any) -> None:
    """Each field has its registered and its present value; what differs is named in the title."""
    (nothing,) = page(study, "sha256:now", whole=True)
    assert nothing.title == "Nothing is preregistered"
    campaign = workshop.plan(study)
    document = registered(study, workshop, campaign)
    code = document["code"]
    _, fields = page(study, code, whole=True)
    found = {row["field"]: row for row in fields.rows}
    assert fields.title == "The plan is kept"
    assert (found["rounds.main.seats"]["present"], found["rounds.main.seats"]["same"]) == (
        "4",
        "yes",
    )
    assert found["hypotheses"]["same"] == found["models.scripted.kind"]["same"] == "–"
    assert not [field for field in found if str(field).endswith("main.name")]
    _, other = page(study, "sha256:other", whole=True)
    assert other.title == "The plan is NOT kept: code"
    amend(study, {**document, "title": "B"}, reason="a better title", **NOT_SEEN)
    first, *_, last = page(study, code, whole=False)
    assert "(amended 1 time)" in first.title
    assert "a better title" in last.title
    assert last.rows == ({"field": "title", "before": "t", "after": "B"},)


def test_a_template_is_nearly_a_plan(study: StudyFile, workshop: Any) -> None:
    """It holds the planned rounds as they are, and is refused until it is filled in."""
    campaign = workshop.plan(study, rule={"ratings": 5, "agree_at_least": 4, "auditors": 2})
    text = template(study, SUITE)
    with pytest.raises(InputError, match=r"plan.toml, line \d+: hypotheses still says FILL IN"):
        read(study, SUITE, text, Path("plan.toml"), **HOW)
    filled = text.replace("FILL IN", "filled")
    document = read(study, SUITE, filled, Path("plan.toml"), **HOW)
    assert document["rounds"][0]["plan"] == study.rounds.plan_hash(campaign.id)
    assert document["rule"] == rule_to_json(campaign.rule)
    freeze(study, document)
    assert "FILL IN" in template(study, SUITE, ["main"])
    with pytest.raises(NotFound, match="there is no round 'nosuch'"):
        template(study, SUITE, ["nosuch"])


def test_a_form_of_ones_own_is_registered_whole(
    study: StudyFile, workshop: Any, tmp_path: Path
) -> None:
    """A form that no round has yet comes from what ships, or from a file beside the plan."""
    form = tmp_path / "mine.toml"
    form.write_text('name = "mine"\n[[question]]\nid = "q"\nkind = "yes-no"\ntext = "Is it?"\n')
    entry = {
        "name": "r", "design": "crossed", "seats": 2, "ratings": 2, "auditors": 1, "seed": 1,
    }  # fmt: skip
    text = template(study, SUITE).replace("FILL IN", "x")
    before, _, after = text.partition("[[round]]")
    rule = after[after.index("[rule]") :]
    for name, source in (("mine.toml", tmp_path / "p.toml"), ("grading", Path("p.toml"))):
        fields = "\n".join(f"{k} = {v!r}" for k, v in {**entry, "form": name}.items())
        document = read(study, SUITE, f"{before}[[round]]\n{fields}\n\n{rule}", source, **HOW)
        expected = "mine" if name == "mine.toml" else load_form("grading").name
        assert document["forms"][name]["name"] == expected
        assert document["rounds"][0]["plan"] is None


def test_every_number_of_the_report_can_be_named() -> None:
    """Metrics are the columns of the suite's tables that hold numbers, and agreement."""
    found = metrics_of(SUITE)
    assert {"paired.selectivity", "paired.gap", "human.p_a", "agreement.value"} <= set(found)
    assert "paired.n" not in found


def test_a_rule_that_was_changed_decides_nothing(study: StudyFile, workshop: Any) -> None:
    """Decisions under another rule than the one in the ledger are found out."""
    campaign = workshop.rate(study, workshop.opened(study))
    looser = replace(campaign, rule=replace(campaign.rule, confidence_at_least=1.0))
    study.decisions.commit(looser, decide_round(study, campaign, looser.rule))
    assert study_faults(study) == ("round main: its decisions were taken by another rule",)
