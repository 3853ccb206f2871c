"""``wavelock round plan``, ``check``, ``simulate``: a round before anybody is paid."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from annotate.plan import PlanRequest
from cli.diagnostics import say
from cli.numbers import NumberRange
from cli.output import listing, show
from cli.planning import plan_round
from cli.progress import bar
from cli.subset import split
from core.errors import CheckFailed
from core.rules import QUESTIONS
from core.study import IDLE_LIMIT, Design, OnReplace, Role, Round, RoundKind
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import open_study
from suites.forms import load as load_form
from suites.registry import load
from suites.rules import load as load_rule

KINDS = ("practice", "rehearsal", "pilot", "main")
DESIGNS = ("latin-square", "crossed", "overlap")
COUNT = click.IntRange(min=1, max=100_000)
SEED = click.IntRange(min=0, max=2**63 - 1)


@click.command("plan")
@click.argument("name")
@click.option("--kind", type=click.Choice(KINDS), default="main", show_default=True)
@click.option("--design", type=click.Choice(DESIGNS), default="latin-square", show_default=True)
@click.option("--seats", type=COUNT, default=20, show_default=True, help="Seats for raters.")
@click.option("--ratings", type=COUNT, default=5, show_default=True, help="Ratings per item.")
@click.option(
    "--auditors",
    type=click.IntRange(min=0, max=100_000),
    default=2,
    show_default=True,
    help="Seats for auditors.",
)
@click.option("--conditions", help="Only these, comma-separated names or patterns ('wording/*').")
@click.option("--scenarios", help="Only these, in the same way.")
@click.option("--sample", type=COUNT, help="For overlap: how many items; all unless given.")
@click.option("--allow-unbalanced", is_flag=True, help="Accept fewer ratings than asked for.")
@click.option("--seed", type=SEED, default=1, show_default=True)
@click.option(
    "--on-replace",
    type=click.Choice(["keep", "void"]),
    default="keep",
    show_default=True,
    help="Whether the ratings of a person who is replaced stand.",
)
@click.option(
    "--abandoned-after",
    metavar="HOURS",
    type=COUNT,
    default=IDLE_LIMIT // 60,
    show_default=True,
    help="How long a seat may be idle.",
)
@click.option(
    "--texts",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Consent, instructions, training and so on, where they shall differ from what ships.",
)
@click.option(
    "--form", "rating_form", metavar="NAME|FILE", help="A form that ships, or a TOML file."
)
@click.option(
    "--rule",
    "rule_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="An inclusion rule as TOML; the suite's unless given.",
)
@listing
@click.pass_obj
def plan(
    path: Path,
    name: str,
    kind: RoundKind,
    design: Design,
    seats: int,
    ratings: int,
    auditors: int,
    conditions: str | None,
    scenarios: str | None,
    sample: int | None,
    seed: int,
    on_replace: OnReplace,
    abandoned_after: int,
    texts: Path | None,
    rating_form: str | None,
    rule_file: Path | None,
    form: str,
    *,
    allow_unbalanced: bool,
) -> None:
    """Plan round NAME over every open item, and print an access code per seat.

    Left out is what is frozen, given up, or decided and not rewritten since. The codes are shown
    once; the study keeps only their hashes.
    """
    from audit.revising import all_faults, open_scenarios

    request = PlanRequest(design, seats, ratings, seed, sample, allow_unbalanced)
    with open_study(path) as study:
        suite = load(study.info.suite)
        faults = len(all_faults(suite, open_scenarios(study)))
        planned, codes = plan_round(
            study,
            suite,
            name=name,
            kind=kind,
            request=request,
            auditors=auditors,
            form=load_form(rating_form) if rating_form else None,
            rule=load_rule(rule_file) if rule_file else None,
            on_replace=on_replace,
            idle_limit=abandoned_after * 60,
            texts=texts,
            conditions=split(conditions),
            scenarios=split(scenarios),
        )
    show([_codes_table(planned, codes)], form)
    if faults:
        breaches = counted(faults, "breach", "breaches")
        say(f"note: {breaches} of the construction rules; see wavelock items check")
    for note in _notes(planned, auditors):
        say(f"note: {note}")
    say(f"the codes are not stored; keep them. next: wavelock round check "
        f"{shlex.quote(planned.name)}")  # fmt: skip


def _codes_table(planned: Round, codes: dict[tuple[Role, int], str]) -> Table:
    columns = (
        Column("role", "Role"),
        Column("seat", "seat", "count"),
        Column("code", "Access code"),
    )
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"role": role, "seat": number, "code": code} for (role, number), code in codes.items()
    )
    title = f"Round {planned.name} ({planned.kind}, {planned.design}): give each person one code"
    return Table("codes", title, columns, rows)


def _notes(planned: Round, auditors: int) -> list[str]:
    rule = planned.rule
    if planned.kind == "practice":
        return []
    if planned.form.lacks(QUESTIONS):
        return [f"the form {planned.form.name} can be rated and analysed, but not decided on"]
    if (planned.ratings, auditors) != (rule.ratings, rule.auditors):
        return [
            f"the rule {rule.name} asks for {rule.ratings} ratings and {rule.auditors} "
            "auditors; this round can be rated, but not decided"
        ]
    return []


@click.command("check")
@click.argument("name")
@listing
@click.pass_obj
def check(path: Path, name: str, form: str) -> None:
    """Prove the plan of round NAME: exposures, ratings per item, balance, carry-over.

    Exit 1 when something that the design promises does not hold.
    """
    from annotate.grading_proof import prove_grading
    from annotate.proof import failed, proof_table, prove_round

    with open_study(path) as study:
        campaign = study.rounds.named(name)
        sample = study.gradings.of_round(campaign.id)
        if sample:
            claims = prove_grading(study, campaign, sample)
        else:
            claims = prove_round(study, campaign, load(study.info.suite).strata)
    show([proof_table(name, claims)], form)
    if missed := failed(claims):
        raise CheckFailed(f"the plan of round {name} does not hold: {missed[0].text}")
    say(f"the plan of round {name} holds; next: wavelock round open {shlex.quote(name)}")


@click.command("simulate")
@click.argument("name")
@click.option("--rounds", type=COUNT, default=100, show_default=True, help="How many are drawn.")
@click.option("--accuracy", type=NumberRange(0, 1), default=0.97, show_default=True)
@click.option("--contested", type=NumberRange(0, 1), default=0.15, show_default=True)
@click.option("--seed", type=SEED, default=1, show_default=True)
@listing
@click.pass_obj
def simulate(
    path: Path, name: str, rounds: int, accuracy: float, contested: float, seed: int, form: str
) -> None:
    """Draw round NAME many times with simulated raters: what would pass, how wide the intervals.

    Nothing is stored. `--accuracy` is the chance that a rater chooses the intended action,
    `--contested` the share of scenarios on which opinions differ.
    """
    from annotate.rater_quality import RaterQuality
    from annotate.sizing import sizing_table

    quality = RaterQuality(accuracy=accuracy, contested=contested)
    with open_study(path) as study, bar("drawn rounds") as progress:
        campaign = study.rounds.named(name)
        table = sizing_table(
            study, campaign, seed=seed, rounds=rounds, quality=quality, progress=progress
        )
    show([table], form)


@click.command("rehearse")
@click.argument("name")
@click.option("--seed", type=SEED, default=1, show_default=True)
@click.pass_obj
def rehearse(path: Path, name: str, seed: int) -> None:
    """Let simulated people do an open rehearsal round; they sit nowhere else.

    They rate and audit items, or grade responses in a grading round.
    """
    from annotate.simulate import simulate_ratings
    from audit.simulate import simulate_audits

    with open_study(path) as study:
        campaign = study.rounds.named(name)
        what = "grades" if campaign.grading else "ratings"
        with bar(f"simulated {what}") as progress:
            ratings = simulate_ratings(study, campaign, seed=seed, progress=progress)
        audits = simulate_audits(study, campaign, seed=seed)
    beside = "" if campaign.grading else f", {audits} simulated audits"
    say(f"round {name}: {ratings} simulated {what}{beside}")
