"""``wavelock packet``: rating without the study, in one blind file per seat."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.numbers import Whole
from cli.output import listing, show
from core.errors import InputError, WavelockError
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile, open_study

OUT = (
    Column("seat", "seat", "count"),
    Column("packet", "Packet"),
    Column("items", "items", "count"),
    Column("file", "File"),
)
IN = (
    Column("file", "File"),
    Column("packet", "Packet"),
    Column("round", "Round"),
    Column("seat", "seat", "count"),
    Column("ratings", "ratings", "count"),
    Column("changes", "changes", "count"),
    Column("conflicts", "conflicts", "count"),
    Column("result", "Result"),
)
LIST = (
    Column("packet", "Packet"),
    Column("round", "Round"),
    Column("seat", "seat", "count"),
    Column("state", "State"),
    Column("taken", "in", "count"),
    Column("items", "of", "count"),
    Column("conflicts", "conflicts", "count"),
    Column("issued", "handed out (UTC)"),
    Column("merged", "last merged (UTC)"),
)


@click.group("packet")
def command() -> None:
    """Let people rate without the study: hand packets out, and merge what comes back."""


@command.command("out")
@click.argument("name", metavar="ROUND")
@click.option("--seat", "numbers", type=Whole(1), multiple=True, help="More than once for more seats.")  # noqa: E501  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Every rater seat that has something to do.")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder for the files.",
)
@listing
@click.pass_obj
def out(
    path: Path, name: str, numbers: tuple[int, ...], folder: Path, form: str, *, every: bool
) -> None:
    """Write a packet for seats of ROUND: what they still have to do, and nothing about it."""
    from annotate.packet_out import hand_out, unfinished

    if bool(numbers) == every:
        raise InputError("say which seats: --seat N, as often as needed, or --all")
    with open_study(path) as study:
        campaign = study.rounds.named(name)
        seats = unfinished(study, campaign) if every else tuple(
            study.seats.find(campaign.id, number) for number in dict.fromkeys(numbers)
        )  # fmt: skip
        made = hand_out(study, campaign, seats, folder)
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"seat": m.seat, "packet": m.name, "items": m.items, "file": str(m.file)} for m in made
    )
    show([Table("packets", f"{counted(len(rows), 'packet')} of round {name}", OUT, rows)], form)
    for one in made:
        if one.in_use:
            say(
                f"note: somebody is at work at seat {one.seat}; what reaches the study first stands"
            )
    say("give each file to the person of its seat; what comes back: wavelock packet in FILE")


@command.command("in")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))  # noqa: E501  # fmt: skip
@click.option("--round", "name", help="Take packets of this round alone.")
@listing
@click.pass_obj
def merge_files(path: Path, files: tuple[Path, ...], name: str | None, form: str) -> None:
    """Merge packets that came back: of each file all that is new, or nothing."""
    from annotate.packet_in import merge

    rows: list[dict[str, Cell]] = []
    refused: list[str] = []
    with open_study(path) as study:
        if name is not None:
            study.rounds.named(name)
        for file in files:
            try:
                done = merge(study, file, name)
            except WavelockError as error:
                refused.append(f"{file}: {error}")
                continue
            rows.append(
                {
                    "file": str(file),
                    "packet": done.packet,
                    "round": done.round,
                    "seat": done.seat,
                    "ratings": done.ratings,
                    "changes": done.changes,
                    "conflicts": len(done.conflicts),
                    "result": "merged" if done.events else "nothing new",
                }
            )
            if done.conflicts:
                places = ", ".join(map(str, done.conflicts))
                say(
                    f"{file}: had an answer already, which stands: {places} on the list of the seat"
                )
    if rows:
        show([Table("packets", counted(len(rows), "packet"), IN, tuple(rows))], form)
    if refused:
        for line in refused[:-1]:
            say(f"wavelock: {line}")
        raise InputError(refused[-1])


@command.command("list")
@click.argument("name", metavar="[ROUND]", required=False)
@listing
@click.pass_obj
def list_packets(path: Path, name: str | None, form: str) -> None:
    """List the packets: for which seat, what came back, and when."""
    with open_study(path) as study:
        rows = _rows(study, name)
    show([Table("packets", counted(len(rows), "packet"), LIST, rows)], form)


def _rows(study: StudyFile, name: str | None) -> tuple[dict[str, Cell], ...]:
    found = study.packets.all(None if name is None else study.rounds.named(name).id)
    return tuple(
        {
            "packet": packet.name,
            "round": packet.round,
            "seat": packet.seat,
            "state": packet.state,
            "taken": packet.taken,
            "items": packet.items,
            "conflicts": packet.conflicts,
            "issued": packet.issued_at[:16].replace("T", " "),
            "merged": (packet.merged_at or "")[:16].replace("T", " "),
        }
        for packet in found
    )
