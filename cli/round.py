"""``wavelock round``: plan, open, follow and close a round."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from cli.planning import plan_round
from cli.progress import bar
from cli.seats import replace, seats
from core.rules import QUESTIONS
from core.study import IDLE_LIMIT, Design, OnReplace, RoundKind
from core.tables import Cell, Column, Table
from db.file import open_study
from suites.forms import load as load_form
from suites.registry import load

KINDS = ("practice", "rehearsal", "pilot", "main")
COUNT = click.IntRange(min=1, max=100_000)
SEED = click.IntRange(min=0, max=2**63 - 1)


@click.group("round")
def command() -> None:
    """Plan, open, follow and close rounds of rating and auditing."""


command.add_command(seats)
command.add_command(replace)


@command.command("plan")
@click.argument("name")
@click.option("--kind", type=click.Choice(KINDS), default="main", show_default=True)
@click.option(
    "--design", type=click.Choice(["latin-square"]), default="latin-square", show_default=True
)
@click.option("--seats", type=COUNT, default=20, show_default=True, help="Seats for raters.")
@click.option("--ratings", type=COUNT, default=5, show_default=True, help="Ratings per item.")
@click.option("--auditors", type=COUNT, default=2, show_default=True, help="Seats for auditors.")
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
    seed: int,
    on_replace: OnReplace,
    abandoned_after: int,
    texts: Path | None,
    rating_form: str | None,
    form: str,
) -> None:
    """Plan round NAME over every item that is not frozen, and print an access code per seat.

    The codes are shown once; the study keeps only their hashes.
    """
    with open_study(path) as study:
        suite = load(study.info.suite)
        planned, codes = plan_round(
            study,
            suite,
            name=name,
            kind=kind,
            seats=seats,
            ratings=ratings,
            auditors=auditors,
            seed=seed,
            form=load_form(rating_form) if rating_form else None,
            on_replace=on_replace,
            idle_limit=abandoned_after * 60,
            texts=texts,
        )
    columns = (
        Column("role", "Role"),
        Column("seat", "seat", "count"),
        Column("code", "Access code"),
    )
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"role": role, "seat": n, "code": code} for (role, n), code in codes.items()
    )
    show(
        [
            Table(
                "codes",
                f"Round {name} ({kind}, {design}): give each person one code",
                columns,
                rows,
            )
        ],
        form,
    )
    rule = planned.rule
    if kind != "practice" and planned.form.lacks(QUESTIONS):
        say(f"note: the form {planned.form.name} can be rated and analysed, but not decided on")
    elif kind != "practice" and (ratings, auditors) != (rule.ratings, rule.auditors):
        say(
            f"note: the rule {rule.name} asks for {rule.ratings} ratings and {rule.auditors} "
            "auditors; this round can be rated, but not decided"
        )
    say(f"the codes are not stored; keep them. next: wavelock round open {planned.name}")


@command.command("open")
@click.argument("name")
@click.pass_obj
def open_round(path: Path, name: str) -> None:
    """Open a round: its rule and plan enter the ledger, hashed, before the first rating."""
    with open_study(path) as study:
        study.rounds.open(study.rounds.named(name).id)
    say(f"round {name} is open; people start with: wavelock rate, or wavelock audit")


@command.command("close")
@click.argument("name")
@click.pass_obj
def close_round(path: Path, name: str) -> None:
    """Close a round: ratings and audits can no longer change."""
    with open_study(path) as study:
        study.rounds.close(study.rounds.named(name).id)
    say(f"round {name} is closed; next: wavelock include {name}")


@command.command("list")
@listing
@click.pass_obj
def list_rounds(path: Path, form: str) -> None:
    """List the rounds."""
    with open_study(path) as study:
        rows: list[dict[str, Cell]] = []
        for campaign in study.rounds.all():
            progress = study.rounds.progress(campaign.id)
            rows.append(
                {
                    "round": campaign.name,
                    "kind": campaign.kind,
                    "design": campaign.design,
                    "state": campaign.state,
                    "done": f"{sum(p.done for p in progress)} of {sum(p.total for p in progress)}",
                }
            )
    columns = tuple(Column(k, k) for k in ("round", "kind", "design", "state", "done"))
    show([Table("rounds", f"{len(rows)} rounds", columns, tuple(rows))], form)


@command.command("status")
@click.argument("name")
@listing
@click.pass_obj
def status(path: Path, name: str, form: str) -> None:
    """Show every seat of a round: who sits there, by pseudonym, and how far they are."""
    with open_study(path) as study:
        campaign = study.rounds.named(name)
        rows = tuple(
            {
                "role": entry.seat.role,
                "seat": entry.seat.number,
                "person": entry.person or "nobody yet",
                "done": entry.done,
                "total": entry.total,
            }
            for entry in study.rounds.progress(campaign.id)
        )
    columns = (
        Column("role", "Role"),
        Column("seat", "seat", "count"),
        Column("person", "Person"),
        Column("done", "done", "count"),
        Column("total", "of", "count"),
    )
    show(
        [Table("seats", f"Round {name} ({campaign.kind}) is {campaign.state}", columns, rows)], form
    )


@command.command("simulate")
@click.argument("name")
@click.option("--seed", type=SEED, default=1, show_default=True)
@click.pass_obj
def simulate(path: Path, name: str, seed: int) -> None:
    """Let simulated people rate and audit an open rehearsal round; nothing else is simulated."""
    from annotate.simulate import simulate_ratings
    from audit.simulate import simulate_audits

    with open_study(path) as study:
        campaign = study.rounds.named(name)
        with bar("simulated ratings") as progress:
            ratings = simulate_ratings(study, campaign, seed=seed, progress=progress)
        audits = simulate_audits(study, campaign, seed=seed)
    say(f"round {name}: {ratings} simulated ratings, {audits} simulated audits")
