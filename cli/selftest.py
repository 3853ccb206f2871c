"""``wavelock selftest``: reference cases through the shipped functions, on your own machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from cli.diagnostics import say
from core.errors import CheckFailed
from core.words import counted

WIDTH = 160  # characters of a value in the text form


@click.command("selftest")
@click.option(
    "--cases",
    type=click.Path(path_type=Path),
    help="A file of cases of your own, in the schema of the shipped ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(_study: Path, cases: Path | None, *, as_json: bool) -> None:
    """Run reference cases and print what was expected and what came out; exit 1 on a difference."""
    from evals.selftest import run_cases

    results = run_cases(cases)
    failed = [result for result in results if not result.passed]
    if as_json:
        click.echo(json.dumps([asdict(result) for result in results], indent=2))
    else:
        for result in results:
            verdict = "pass" if result.passed else "FAIL"
            click.echo(f"{verdict}  {result.id}  ({result.statistic})")
            click.echo(f"      expected {_short(result.expected)}")
            click.echo(f"      got      {_short(result.got)}")
            for why in result.why:
                click.echo(f"      {why}")
    if failed:
        raise CheckFailed(
            f"{len(failed)} of {counted(len(results), 'case')} failed: {failed[0].id} first"
        )
    say(f"ok: {counted(len(results), 'case')}, every value as expected")


def _short(value: object) -> str:
    """Return a value in one line; ``--json`` has it whole."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}…"
