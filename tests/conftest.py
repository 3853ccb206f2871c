"""What tests share: small studies of our own making, and a home that is nobody's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from annotate.grading import plan_grading
from annotate.plan import PlanRequest, plan_items, rater_seats
from annotate.sampling import SampleRequest, draw
from annotate.sitting import RatingSitting
from annotate.wording import load as load_texts
from audit.freezing import freeze
from audit.inclusion import commit
from audit.pairs import auditor_seats
from audit.registration import amend, read, starting_draft
from audit.registration import freeze as register
from audit.sitting import AuditSitting
from core.batches import BATCH, THROUGH, Asked, Result, StrayLine
from core.evidence import Quizzed, Rating
from core.hashing import digest_bytes
from core.items import LETTERS, ItemText, Option, Scenario
from core.plans import RoundPlan
from core.registration_file import written
from core.rules import rule_to_json
from core.runs import Answered, GenerationKey, Reply
from core.study import Revision, Round, Seat
from db.attempts import ORIGIN
from db.file import StudyFile, create_study, open_study, with_shown_order
from db.packets import MERGED, TakenEvent, taken_digest
from evals.choices.docket import docket as choice_docket
from evals.choices.runner import ask_choices
from evals.choices.words import wanted
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.rubric import rubric_to_json
from evals.judges.runner import judge
from evals.models import parse_model
from evals.runner import run as run_model
from evals.scoring import score
from exports.provenance import analysis_version
from suites.core100.suite import SUITE
from suites.forms import load as load_form

# How long an example takes is no promise: these machines are shared.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")

CONDITIONS = ("Active", "Removed", "Explicit", "SalienceControl")
# What one simulated person may be told of an item before answering it.
Rater = Callable[[Revision, int], Mapping[str, Any]]


@pytest.fixture(autouse=True)
def isolated_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test reads or writes the home, the settings or the study of whoever runs it."""
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    others = ("XDG_", "WAVELOCK_", "COLUMNS", "LINES")
    for name in [name for name in os.environ if name.startswith(others)]:
        monkeypatch.delenv(name)


class Workshop:
    """Makes studies that are small, quick and wholly known."""

    conditions = CONDITIONS

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def scenarios(self, count: int) -> tuple[Scenario, ...]:
        """Draft S01, S02, ...: two options, heavy right everywhere but in Removed."""
        return tuple(_scenario(number) for number in range(1, count + 1))

    def create(self, path: Path, scenarios: int | Sequence[Scenario] = 4) -> StudyFile:
        drafted = self.scenarios(scenarios) if isinstance(scenarios, int) else scenarios
        study = create_study(path, title="t", suite="core100", scenarios=drafted, salt="salt")
        return self._stack.enter_context(study)

    def open(self, path: Path) -> StudyFile:
        return self._stack.enter_context(open_study(path))

    def plan(
        self,
        study: StudyFile,
        name: str = "main",
        *,
        kind: str = "main",
        ratings: int = 1,
        auditors: int = 1,
        scenarios: Sequence[str] = (),
        seed: int = 1,
        rule: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Round:
        """Plan a Latin square over the newest revisions; the rule asks for just these numbers."""
        shown = [r for r in study.items.latest() if not scenarios or r.scenario in scenarios]
        request = PlanRequest(seats=len(CONDITIONS) * ratings, ratings=ratings, seed=seed)
        raters = rater_seats(plan_items(shown, study.items.facts(), SUITE.strata), request)
        asked = {"ratings": ratings, "auditors": auditors, "agree_at_least": max(1, ratings - 1)}
        return study.rounds.plan(
            RoundPlan(
                name=name,
                kind=kind,  # type: ignore[arg-type]
                design="latin-square",
                ratings=ratings,
                seed=seed,
                form=SUITE.form,
                rule=replace(SUITE.rule, **{**asked, **(rule or {})}),
                pair=SUITE.pair,
                raters=raters,
                auditors=auditor_seats(shown, SUITE.pair, auditors=auditors, seed=seed),
                **more,
            )
        )

    def opened(self, study: StudyFile, name: str = "main", **plan: Any) -> Round:
        """Plan a round and open it; nothing is preregistered, so it is exploratory."""
        return study.rounds.open(self.plan(study, name, **plan).id)

    def document(
        self, study: StudyFile, rounds: Sequence[Round] = (), **changed: Any
    ) -> dict[str, Any]:
        """Return a plan for some planned rounds and the scripted fake, as a file would give it."""
        draft = starting_draft(study, SUITE, rounds)
        filled = {
            **draft,
            "hypotheses": ["S is above 0"],
            "runs": {**draft["runs"], "samples": 2, "dropping": "never"},
            "model": [{"name": "scripted", "kind": "scripted"}],
            "round": draft["round"] if rounds else [],
            **changed,
        }
        return read(
            study,
            SUITE,
            written(filled, {}),
            Path("plan.toml"),
            code=analysis_version(),
            rubric_of=lambda rubric: rubric_to_json(load_rubric(rubric)),
        )

    def rate(
        self, study: StudyFile, campaign: Round, rater: Rater | None = None, agree: bool = True
    ) -> Round:
        """Rate and audit everything as planned, and close the round."""
        kind: Any = "simulated" if campaign.kind == "rehearsal" else "human"
        for seat in study.rounds.seats(campaign.id, "rater"):
            sitting = RatingSitting.at_seat(study, seat, kind)
            while not sitting.finished:
                sitting.save((rater or gold)(sitting.revision(), seat.number), seconds=8.0)
                sitting.forward()
            sitting.leave()
        for seat in study.rounds.seats(campaign.id, "auditor"):
            audit = AuditSitting.at_seat(study, seat, kind)
            while not audit.finished:
                audit.save(only_intended=agree)
                audit.forward()
            audit.leave()
        return study.rounds.close(campaign.id)

    def decided(self, study: StudyFile, name: str = "main", **plan: Any) -> Round:
        """Walk a round from its plan to committed decisions; everybody gives the gold answer."""
        rater = plan.pop("rater", None)
        campaign = self.rate(study, self.opened(study, name, **plan), rater)
        commit(study, campaign)
        return campaign

    def run(
        self, study: StudyFile, model: str = "scripted", samples: int = 2, **changed: Any
    ) -> int:
        """Run the scripted fake on Active and Removed; return the number of the run."""
        spec = replace(parse_model("scripted"), name=model)
        return run_model(
            study, spec, conditions=("Active", "Removed"), samples=samples, **changed
        ).run

    def letter(self, revision: Revision, action: str) -> str:
        return LETTERS[[option.action for option in revision.options].index(action)]


def gold(revision: Revision, _seat: int) -> dict[str, Any]:
    """Answer as the drafters intend, quite sure."""
    letter = LETTERS[[option.action for option in revision.options].index(str(revision.gold))]
    return {"choice": letter, "confidence": 4, "naturalness": 4}


def _scenario(number: int) -> Scenario:
    name = f"S{number:02}"
    options = (Option("heavy", f"Drive {number}"), Option("heuristic", f"Walk {number}"))
    items = tuple(
        ItemText(
            condition,
            f"Task {number}, wording {place}. Drive or walk?",
            options,
            "heuristic" if condition == "Removed" else "heavy",
        )
        for place, condition in enumerate(CONDITIONS)
    )
    return Scenario(name, {"domain": "travel", "constraint": f"capacity {number}"}, items)


@pytest.fixture
def workshop() -> Iterator[Workshop]:
    with ExitStack() as stack:
        yield Workshop(stack)


@pytest.fixture(scope="session")
def whole_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with something in every table; never opened by a test, only copied.

    Rounds: `rehearsal` (decided; S06 failed), `tried` (practice, closed), `people` (main, open,
    S06: seat 1 has a person and a rating, seat 2 a person, the auditor an audit), `next`
    (planned). Wave 1 holds S01 to S05; S05/SalienceControl was withdrawn. S07 was imported and
    given up. Run 1 is closed and scored, run 2 open with an error row, run 3 dropped, run 4 went by
    batch. One judge and one setup of choice probabilities have asked. Afterwards `next` was
    preregistered, and the plan amended once. Grading round `grades` (practice) is planned over
    responses of run 1.
    """

    path = tmp_path_factory.mktemp("whole") / "study.db"
    with ExitStack() as stack:
        shop = Workshop(stack)
        study = shop.create(path, 6)
        shop.decided(study, "rehearsal", kind="rehearsal", rater=_not_s06)
        freeze(study, SUITE)
        shop.run(study)
        score(study, SUITE.verifiers)
        study.rounds.close(shop.opened(study, "tried", kind="practice").id)
        campaign = shop.opened(study, "people", scenarios=("S06",), texts=load_texts("main"))
        first, second = study.rounds.seats(campaign.id, "rater")[:2]
        with pytest.MonkeyPatch.context() as served:
            served.setenv(ORIGIN, "a digest of where somebody sits")
            study.people.seat_of(study.people.issue_code(first.id))
        sitting = RatingSitting.at_seat(study, first)
        given = Rating(sitting.assignment.id, gold(sitting.revision(), 1))
        _by_packet(study, first, given, study.ratings.save(given, sitting.person.id))
        said = (first.id, sitting.person.id)
        study.said.consent(*said, "the consent text")
        study.said.train(*said, Quizzed("own-judgement", "What I think myself", correct=True))
        study.said.check(*said, Quizzed("often", "Often", correct=True))
        study.said.report(sitting.assignment.id, sitting.person.id, "a word is missing")
        RatingSitting.at_seat(study, second)
        AuditSitting.at_seat(study, study.rounds.seats(campaign.id, "auditor")[0]).save(
            only_intended=True
        )
        shop.plan(study, "next", scenarios=("S06",))
        (given_up,) = shop.scenarios(7)[6:]
        study.drafts.take_in([with_shown_order(given_up, "salt")], "drafts.csv", "sha256:00")
        study.drafts.exclude("S07", "contestable", "people differ on what the rule is")
        run = study.runs.start("a model", "chat", {"endpoint": "http://127.0.0.1:9/v1"})
        item = study.waves.items()[0]
        key = GenerationKey(run.id, item.id, item.document["prompt_hash"], 1)
        study.sets.declare("primary", ["scripted"], "the only one that was run to its end")
        study.runs.store(key, Reply("error", error="no connection", request="{}", body=b"none"))
        dropped = study.runs.start("another model", "chat", {"endpoint": "http://127.0.0.1:9/v1"})
        study.run_drops.drop(dropped.id, "it could not be collected")
        study.waves.withdraw(1, "S05/SalienceControl", "the added clause gives the answer away")
        _batched(study)
        _judged(study)
        _chosen(study)
        _preregistered(shop, study)
        _sampled(study)
    return path


def _by_packet(study: StudyFile, seat: Seat, given: Rating, version: int) -> None:
    """Note a rating as one that came in by a packet."""
    campaign, items, seal = study.rounds.round(seat.round), [given.assignment], "a seal"
    study.packets.issue(campaign, seat, "AAAAA", sheet="a sheet", assignments=items, carried=[])
    taken = [TakenEvent(seal, given.assignment, version)]
    payload = {
        "round": campaign.name,
        "seat": seat.number,
        "packet": "AAAAA",
        "events": 1,
        "ratings": 1,
        "conflicts": [],
        "taken": taken_digest("AAAAA", taken),
    }
    entry = study.ledger.append(MERGED, payload).sequence
    study.packets.take(study.packets.named("AAAAA").id, entry, taken)


def _batched(study: StudyFile) -> None:
    """Submit two requests by batch: one came back, one did not, and a line is nobody's."""
    endpoint = "http://127.0.0.1:9/v1"
    run = study.runs.start("a batched model", "chat", {"endpoint": endpoint, THROUGH: BATCH})
    session = study.run_sessions.begin(run.id, 1)
    items = study.waves.items()[:2]
    keys = [GenerationKey(run.id, item.id, item.document["prompt_hash"], 1) for item in items]
    batch = study.batches.prepare(run.id, session, [Asked(key, "sha256:00") for key in keys])
    assert batch is not None
    study.batches.trying(batch.id)
    study.batches.submitted(batch.id, "batch_1")
    said = Answered(keys[0], Reply("ok", "Answer: A", request="{}", body=b"a line"), session)
    study.batches.collect(batch.id, [Result(0, "answered", digest_bytes(b"a line"), said)])
    study.batches.stray(batch.id, StrayLine("unknown", b"a line of nobody"))
    study.batches.end(batch.id, "collected")
    study.run_sessions.end(session, "finished")


def _judged(study: StudyFile) -> None:
    """Let a scripted judge judge the first run; its one call has ended."""
    judge(study, chosen_judge("scripted-judge", Path()), load_rubric("grade"), docket(study, [1]))


def _sampled(study: StudyFile) -> None:
    """Plan a grading round over the first run; nobody grades in it yet."""
    form = load_form("grading")
    request = SampleRequest((1,), size=6, levels=("verdict", "condition"))
    drawn = draw(study, request, form, SUITE.strata)
    plan_grading(study, request, drawn, form, name="grades", kind="practice")


def _chosen(study: StudyFile) -> None:
    """Let the scripted fake give choice probabilities of some frozen items; its call has ended."""
    asked = choice_docket(study, wanted("labels"), conditions=("Active", "Removed"))
    ask_choices(study, parse_model("scripted"), asked)


def _preregistered(shop: Workshop, study: StudyFile) -> None:
    """Register the round that is still to come, and change the plan once."""
    rounds = [study.rounds.named("next")]
    rule = rule_to_json(rounds[0].rule)
    register(study, shop.document(study, rounds, rule=rule, family=[]))
    changed = shop.document(study, rounds, rule=rule, family=[], hypotheses=["S is above 0.1"])
    amend(study, changed, reason="a bolder claim", seen_ratings=True, seen_outputs=False)


def _not_s06(revision: Revision, seat: int) -> dict[str, Any]:
    answers = gold(revision, seat)
    if revision.scenario == "S06":
        answers["choice"] = "B" if answers["choice"] == "A" else "A"
    return answers


@pytest.fixture
def study_path(whole_study: Path, tmp_path: Path) -> Path:
    """A copy of the whole study, to attack and to spoil."""
    return Path(shutil.copy(whole_study, tmp_path / "study.db"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that tests recorded: how many edits were found, how many kills stood."""
    recorded = [
        (name, value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
    ]
    tampered = [value for name, value in recorded if name == "tampered"]
    if tampered:
        found, made = (sum(column) for column in zip(*tampered, strict=True))
        terminalreporter.write_line(f"tampering: {found} of {made} edits found and named")
    for name, value in recorded:
        if name == "killed":
            terminalreporter.write_line(f"killed: {value}")
