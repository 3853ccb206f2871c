"""The command line: one module per noun, loaded only when it is asked for.

Standard output carries data, standard error carries words. Every error is one line; exit codes are
2 for bad input, 1 for a failed check, 130 when interrupted.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import click

from cli.diagnostics import report_and_exit_code
from cli.streams import fit_streams, let_go
from core.errors import InputError

# name -> (module, one line for the help, so that the help itself loads nothing)
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("cli.demo", "A whole small study, end to end, on bundled items."),
    "init": ("cli.init", "New study from a suite."),
    "items": ("cli.items", "The drafted items: list, show, check."),
    "prereg": ("cli.prereg", "The analysis plan: template, freeze, amend, show."),
    "round": ("cli.round", "Rounds: plan, open, status, seats, simulate, close."),
    "rate": ("cli.rate", "The rating screens; asks for the access code."),
    "audit": ("cli.audit", "The audit screens; asks for the access code. Also: disagreements."),
    "enter": ("cli.enter", "Rate or audit, whichever your access code is for."),
    "serve": ("cli.serve", "Raters from elsewhere, over SSH or in a browser; status."),
    "packet": ("cli.packet", "Rating without the study: one blind file per seat, out and in."),
    "people": ("cli.people", "Raters and auditors, by pseudonym: invite, revoke, withdraw."),
    "agreement": ("cli.agreement", "How far the raters and auditors of a round agree."),
    "include": ("cli.include", "Hold a round against its inclusion rule."),
    "wave": ("cli.wave", "Freeze included items; list, show, verify and withdraw."),
    "models": ("cli.models", "The models file: list, check; a local server to try it on."),
    "run": ("cli.run", "Run a model on frozen items."),
    "runs": ("cli.runs", "What was run, how far, what is missing: list, status, check, drop."),
    "sets": ("cli.sets", "Sets of models that analyses are over, declared with reasons."),
    "judge": ("cli.judge", "Ask language models about replies; status, agreement."),
    "grading": ("cli.grading", "People grade responses: sample, status, agreement with judges."),
    "choices": (
        "cli.choices",
        "How probable a model finds each answer: ask, status, show, curves.",
    ),
    "score": ("cli.score", "Read every generation with the suite's verifiers."),
    "import": ("cli.import_", "Ratings, audits and model outputs that were collected elsewhere."),
    "export": ("cli.export", "Ratings, audits, items and frozen prompts for other programs."),
    "report": ("cli.report", "The suite's tables, in the terminal or as one page."),
    "ledger": ("cli.ledger", "Everything that decided: show, head, verify."),
    "selftest": ("cli.selftest", "Reference cases through the shipped statistics."),
}

OPEN_PACKETS = ("rate",)


class ReaderLeft(Exception):
    """The reader of the output has left (a pager, head), which is no failure."""


class Nouns(click.Group):
    """A group that imports a command when it is called, not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of a study."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Click would take a reader that has left for a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderLeft from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Nouns, invoke_without_command=True, context_settings={"max_content_width": 100})
@click.option(
    "--study",
    type=click.Path(path_type=Path),
    envvar="WAVELOCK_STUDY",
    default=Path("study.db"),
    show_default="WAVELOCK_STUDY, else ./study.db",
    help="The study file.",
)
@click.version_option(package_name="wavelock", message="wavelock %(version)s")
@click.pass_context
def cli(ctx: click.Context, study: Path) -> None:
    """Turn drafted benchmark items into evidence.

    Without a command, the app opens on the study.
    """
    ctx.obj = study
    if ctx.invoked_subcommand not in OPEN_PACKETS:
        _refuse_packet(study)
    if ctx.invoked_subcommand is None:
        from cli.open_app import open_app

        open_app(study)


def _refuse_packet(path: Path) -> None:
    """Refuse to take a packet for a study, whatever is asked of it."""
    from cli.open_app import is_packet_file

    try:
        found = is_packet_file(path)
    except OSError:
        return  # whoever needs the study says what is wrong with it
    if found:
        raise InputError(f"{path} is a packet, not a study; it is for: wavelock rate {path}")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    fit_streams()
    try:
        result: Any = cli.main(arguments, prog_name="wavelock", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        sys.stdout.flush()
    except (BrokenPipeError, ReaderLeft):
        code = 0
    except BaseException as error:  # noqa: BLE001  (the one place where all errors end)
        code = report_and_exit_code(error)
    let_go()
    sys.exit(code)
