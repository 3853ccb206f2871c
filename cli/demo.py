"""``wavelock demo``: a whole small study, end to end, on bundled items.

Every step is the one that a study of one's own takes. Run again, it goes on where it stopped.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotate.plan import PlanRequest
from cli.diagnostics import say
from cli.open_app import has_terminal, open_app
from cli.planning import plan_round
from cli.progress import bar
from core.errors import CheckFailed, NotAStudy
from core.study import Round
from db.connection import discard
from db.file import StudyFile, create_study, open_study
from exports.files import write_whole
from suites.base import Suite
from suites.registry import load

if TYPE_CHECKING:
    from evals.models import ModelSpec

SUITE = "core100"
TITLE = "Wavelock demo"
SALT = "wavelock-demo"  # fixed, so that the demo is the same everywhere
SEED = 7
SAMPLES = 3
REHEARSAL, PRACTICE = "rehearsal", "practice"
PLAN = "preregistration.toml"


@click.command("demo")
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), default=Path("demo"), show_default=True
)
@click.option("--no-tui", is_flag=True, help="Print the report and stop.")
@click.option(
    "--model", default="auto", show_default=True, help="auto, embedded, scripted or a URL."
)
@click.option("--fresh", is_flag=True, help="Start anew; the demo of before is removed.")
def command(folder: Path, model: str, *, no_tui: bool, fresh: bool) -> None:
    """Take a small study from drafted items to a table with intervals.

    The people are simulated and every title says so; the model is real where the machine can run
    it. Then the app opens, with a practice round for you.
    """
    from evals.models import parse_model

    path = folder / "study.db"
    if model != "auto":
        parse_model(model)  # a model that cannot be is refused before anything is made
    if fresh and path.exists():
        _open(path).close()  # refuses what is not the demo's
        discard(path)
    suite = load(SUITE)
    with _study(path, suite) as study:
        _check_items(study, suite)
        campaign = _planned(study, suite, REHEARSAL)
        _preregister(study, suite, campaign, model, folder / PLAN)
        _decide(study, _rated(study, campaign))
        _freeze(study, suite)
        _run_and_score(study, suite, model)
        _practice(study, suite)
        _report(study, folder)
    if not no_tui and has_terminal():
        open_app(path)


def _study(path: Path, suite: Suite) -> StudyFile:
    if path.exists():
        study = _open(path)
        say(f"[1/6] going on with {path}")
        return study
    say(f"[1/6] a new study, {path}: the starter pool of {suite.name}, drafted items")
    return create_study(path, title=TITLE, suite=suite.name, scenarios=suite.scenarios(), salt=SALT)


def _open(path: Path) -> StudyFile:
    study = open_study(path)
    if study.info.title != TITLE:
        study.close()
        raise NotAStudy(f"{path} is a study, but not the demo's; choose another --dir")
    return study


def _check_items(study: StudyFile, suite: Suite) -> None:
    scenarios = study.items.scenarios()
    if faults := suite.faults(scenarios):
        raise CheckFailed(f"{faults[0].scenario}: {faults[0].rule}: {faults[0].found}")
    say(f"      {len(scenarios)} scenarios x {len(suite.conditions)} conditions, 0 faults")


def _preregister(study: StudyFile, suite: Suite, campaign: Round, model: str, target: Path) -> None:
    """Freeze the plan of the demo, by the same file that a study of one's own would write."""
    from audit.registration import freeze
    from cli.demo_plan import plan
    from cli.prereg import document

    if study.registrations.current() is None:
        text = plan(study, suite, campaign, _spec(model, said=False), SAMPLES)
        write_whole(target, text)
        freeze(study, document(study, target))
    say(f"      preregistered: {target}")


def _rated(study: StudyFile, campaign: Round) -> Round:
    from annotate.simulate import simulate_ratings
    from audit.simulate import simulate_audits
    from audit.standing import open_round

    say("[2/6] a rehearsal round: 20 simulated raters under a Latin square, 2 simulated auditors")
    if campaign.state == "planned":
        campaign = open_round(study, campaign)
    if campaign.state == "open":
        with bar("      simulated ratings") as progress:
            simulate_ratings(study, campaign, seed=SEED, progress=progress)
        simulate_audits(study, campaign, seed=SEED)
        campaign = study.rounds.close(campaign.id)
    return campaign


def _planned(study: StudyFile, suite: Suite, name: str) -> Round:
    for campaign in study.rounds.all():
        if campaign.name == name:
            return campaign
    practice = name == PRACTICE
    planned, _ = plan_round(
        study,
        suite,
        name=name,
        kind="practice" if practice else "rehearsal",
        request=PlanRequest(seats=8 if practice else 20, ratings=2 if practice else 5, seed=SEED),
        auditors=2,
        include_frozen=practice,
    )
    return planned


def _decide(study: StudyFile, campaign: Round) -> None:
    from audit.inclusion import commit

    decisions = study.decisions.of_round(campaign.id) or commit(study, campaign)
    included = sum(decision.verdict == "include" for decision in decisions)
    say(f"[3/6] the inclusion rule, hashed before the round opened: {included} of "
        f"{len(decisions)} scenarios included")  # fmt: skip


def _freeze(study: StudyFile, suite: Suite) -> None:
    from audit.freezing import freeze
    from audit.revising import all_faults
    from evals.verifiers.catalogue import faults

    known = study.waves.all()
    wave = known[0] if known else freeze(study, suite, faults=faults, rules=all_faults)
    say(f"[4/6] wave {wave.number} frozen: {wave.hash}")


def _run_and_score(study: StudyFile, suite: Suite, model: str) -> None:
    from evals.runner import run
    from evals.scoring import score

    spec = _spec(model)
    say(f"[5/6] {spec.name or spec.base_url}: {SAMPLES} samples of every frozen prompt in "
        f"{' and '.join(suite.run_conditions)}")  # fmt: skip
    with bar(f"      {spec.name or spec.base_url}") as progress:
        summary = run(
            study,
            spec,
            conditions=suite.run_conditions,
            samples=SAMPLES,
            workers=1 if spec.kind == "embedded" else 4,
            progress=progress,
            exploratory=not _registered(study, spec.name),
        )
    if not summary.complete:
        raise CheckFailed(f"{summary.errors} requests failed; run the demo again to try them again")
    score(study)


def _spec(model: str, *, said: bool = True) -> ModelSpec:
    from evals.models import parse_model

    return parse_model(chosen_model(model, said=said), temperature=0.7)


def _registered(study: StudyFile, model: str) -> bool:
    """Return whether the demo's plan names this model; another --model later is exploratory."""
    current = study.registrations.current()
    return current is not None and any(m["name"] == model for m in current.document["models"])


def chosen_model(model: str, *, said: bool = True) -> str:
    """Return what ``auto`` stands for on this machine; a switch is said loudly, unless it was."""
    from evals.embedded import available

    if model != "auto":
        return model
    reason = available()
    if reason is None:
        return "embedded"
    if said:
        say(f"      THE EMBEDDED MODEL CANNOT RUN HERE: {reason}")
        say("      THE SCRIPTED FAKE ANSWERS INSTEAD; every title says so")
    return "scripted"


def _practice(study: StudyFile, suite: Suite) -> None:
    campaign = _planned(study, suite, PRACTICE)
    if campaign.state == "planned":
        study.rounds.open(campaign.id)


def _report(study: StudyFile, folder: Path) -> None:
    from cli.output import show
    from cli.report import write_page
    from cli.tables import full_report, in_short

    report = full_report(study)
    show(in_short(report.tables), "text", report.figures)
    write_page(study, report, folder / "report.html")
    say(f"[6/6] the same as one page: {folder / 'report.html'}; open the app any time with")
    say(f"      wavelock --study {folder / 'study.db'}")
