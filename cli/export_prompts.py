"""``wavelock export prompts``: what models are asked, for those who collect elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.diagnostics import say
from cli.numbers import Number
from cli.subset import split, wave_numbers
from core.words import counted
from db.file import open_study
from exports.data import Format, format_of
from exports.files import write_whole
from suites.registry import load

if TYPE_CHECKING:
    from exports.prompts import Form

FORMATS = ("csv", "jsonl", "parquet")
STDOUT = Path("-")


@click.command("prompts")
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--form",
    "form",
    type=click.Choice(["rows", "openai-batch", "harness"]),
    default="rows",
    show_default=True,
    help="A row per prompt; requests of a batch; or a data set for inspect and lm-eval.",
)
@click.option("--samples", "-k", type=click.IntRange(1, 10_000), help="Else the suite's number.")
@click.option("--conditions", help="Comma-separated, as names or patterns such as 'exact/*'.")
@click.option("--waves", help="Comma-separated wave numbers; all unless given.")
@click.option("--api-model", default="", help="Of a batch: the model as the endpoint knows it.")
@click.option("--temperature", type=Number(), help="Of a batch; not sent unless given.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Of a batch, as max_tokens.")
@click.option("--with-gold", is_flag=True, help="Add the right answers; not for who collects.")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="Unless FILE's ending says it.")
@click.pass_obj
def command(
    path: Path,
    /,
    target: Path,
    form: Form,
    samples: int | None,
    conditions: str | None,
    waves: str | None,
    api_model: str,
    temperature: float | None,
    max_tokens: int | None,
    with_gold: bool,
    kind: Format | None,
) -> None:
    """Write the frozen prompts to FILE, each under its key, without gold, scenario or condition.

    What is collected comes back with wavelock import generations.
    """
    from exports.prompts import prompt_rows, prompts_of, written

    usual: Format = "csv" if form == "rows" else "jsonl"
    ending = (kind or usual) if target == STDOUT else format_of(target, kind)
    given = {"temperature": temperature, "max_tokens": max_tokens}
    with open_study(path) as study:
        items = prompts_of(study, waves=wave_numbers(waves), conditions=split(conditions))
        number = samples or load(study.info.suite).run_defaults.samples
        rows = prompt_rows(items, number, gold=with_gold)
    data = written(
        rows,
        form,
        ending,
        api_model=api_model,
        settings={name: value for name, value in given.items() if value is not None},
    )
    if target == STDOUT:
        click.echo(data, nl=False)
    else:
        write_whole(target, data)
    name = "standard output" if target == STDOUT else target
    often = "" if form == "harness" else f", {counted(number, 'sample')} each"
    gold = ", with gold" if with_gold else ""
    say(f"{name}: {counted(len(rows), 'frozen prompt')}{often}{gold}")
    say("next, when they were asked: wavelock import generations FILE")
