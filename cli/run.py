"""``wavelock run``: ask models the frozen prompts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.diagnostics import say
from cli.models import models_file
from cli.numbers import Number, NumberRange, Whole
from cli.progress import bar, standing_bar
from cli.subset import split, wave_numbers
from core.errors import CheckFailed
from core.patterns import matching
from db.file import StudyFile, open_study
from suites.base import Suite
from suites.registry import load

if TYPE_CHECKING:
    from evals.budget import Estimate
    from evals.models import ModelSpec

NEXT = "next: wavelock score, then wavelock report"


@click.command("run")
@click.option("--model", "names", multiple=True, help="embedded, scripted, a URL, or of the file.")
@click.option("--all-models", "every", is_flag=True, help="All of the models file, in its order.")
@models_file
@click.option("--api-model", help="For a URL: the model id exactly as the endpoint knows it.")
@click.option("--key-env", help="For a URL: the environment variable with its key.")
@click.option(
    "--samples", "-k", type=Whole(0, 100_000), help="Samples per item; else the suite's number."
)
@click.option("--conditions", help="Comma-separated, as names or patterns such as 'exact/*'.")
@click.option("--waves", help="Comma-separated wave numbers; all unless given.")
@click.option("--temperature", type=Number(), help="That of the models file, or else the suite's.")
@click.option("--top-p", type=Number())
@click.option("--max-tokens", type=Whole(), help="Of one answer; of the file, or else the suite's.")
@click.option("--seed", type=int, help="Each sample gets its own seed from it.")
@click.option("--prefill", help="The beginning of the assistant's turn.")
@click.option("--system", help="A system prompt; none is sent unless given.")
@click.option("--reasoning-effort", help="Such as none, low, medium, high.")
@click.option("--workers", default=4, show_default=True, help="Requests at a time.")
@click.option("--exploratory", is_flag=True, help="Run without a plan; every table will say so.")
@click.option("--max-tokens-total", type=Whole(1), help="Tokens of a whole run.")
@click.option("--max-cost", type=NumberRange(min=0), help="Dollars of a whole run.")
@click.option("--drop-errors-above", type=Number(), help="Share of failures that may drop it.")
@click.option(
    "--drop-per-hour-below", type=NumberRange(min=0), help="Answers per hour that may drop it."
)
@click.option(
    "--drop-after",
    type=NumberRange(min=0),
    default=60.0,
    show_default=True,
    help="Minutes before that is asked.",
)
@click.option("--batch", is_flag=True, help="By the provider's batches: cheaper, within a day.")
@click.option("--wait", is_flag=True, help="With --batch: follow them until all have ended.")
@click.option("--dry-run", is_flag=True, help="Say what it would ask and cost; ask nothing.")
@click.pass_obj
def command(
    path: Path,
    /,
    names: tuple[str, ...],
    file: Path | None,
    samples: int | None,
    conditions: str | None,
    waves: str | None,
    workers: int,
    max_tokens_total: int | None,
    max_cost: float | None,
    drop_errors_above: float | None,
    drop_per_hour_below: float | None,
    drop_after: float,
    dry_run: bool,
    exploratory: bool,
    every: bool,
    batch: bool,
    wait: bool,
    **decoding: Any,
) -> None:
    """Ask a model every frozen prompt that has no answer yet. The same command continues.

    Ctrl-C finishes what is in flight; a second one stops at once. Several processes may share a
    run. Several models (--model again, or --all-models) are asked one after the other, each in a
    run of its own; one that fails does not end the others.

    With --batch the requests go out as batches, in a run of its own. The command returns when they
    are submitted; the same command later collects them, and submits again what failed.
    """
    from evals.batches.estimate import dry_batch
    from evals.budget import Caps
    from evals.choose import chosen_of
    from evals.dropping import KEY, rule_of
    from evals.model_file import model_path
    from evals.registered import require_plan
    from evals.runner import dry
    from evals.several import foretold, run_each

    _require_batch(wait, batch)
    foresee: Callable[..., Estimate] = dry_batch if batch else dry
    rule = rule_of(drop_errors_above, drop_per_hour_below, drop_after)
    with open_study(path) as study:
        suite = load(study.info.suite)
        usual = suite.run_defaults
        specs = chosen_of(names, model_path(file, os.environ), usual.decoding, every=every,
                          **decoding)  # fmt: skip
        asked: dict[str, Any] = {
            "conditions": conditions_to_ask(study, suite, split(conditions), wave_numbers(waves)),
            "samples": usual.samples if samples is None else samples,
            "waves": wave_numbers(waves),
            "recorded": {KEY: rule} if rule else {},
        }

        more = {**asked, "exploratory": exploratory, "caps": Caps(max_tokens_total, max_cost)}

        def one(spec: ModelSpec) -> None:
            if batch:
                _by_batch(study, spec, wait=wait, **more)
            else:
                _one_by_one(study, spec, workers=workers, **more)

        if len(specs) > 1:
            for line in foretold(study, specs, foresee, **asked):
                click.echo(line, err=not dry_run)
            if not (dry_run or exploratory):
                require_plan(study)
            if not dry_run:
                run_each(specs, one, say)
        elif dry_run:
            click.echo(foresee(study, specs[0], **asked).words)
        else:
            one(specs[0])
    if not (dry_run or batch):
        say(NEXT)


def _require_batch(wait: bool, batch: bool) -> None:
    if wait and not batch:
        raise click.UsageError("--wait goes with --batch; a run without it waits in any case")


def _one_by_one(study: StudyFile, spec: ModelSpec, **asked: Any) -> None:
    from evals.runner import run
    from evals.several import called

    with standing_bar(called(spec)) as tell:
        summary = run(study, spec, **asked, tell=tell, warn=say)
    say(summary.words)
    if not summary.complete:
        raise CheckFailed(summary.why_incomplete)


def _by_batch(study: StudyFile, spec: ModelSpec, **asked: Any) -> None:
    from evals.batches.runner import run_by_batch
    from evals.several import called

    with bar(called(spec)) as advance:
        summary = run_by_batch(study, spec, **asked, progress=advance, say=say)
    say(summary.words)
    if not summary.fine:
        raise CheckFailed(summary.why_incomplete)
    if summary.complete:
        say(NEXT)


def conditions_to_ask(
    study: StudyFile,
    suite: Suite,
    patterns: Sequence[str] | None,
    waves: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Return the frozen conditions that match, or the suite's own as far as they are frozen.

    What the suite would ask and no wave holds is said, never passed over in silence.
    """
    frozen = {item.condition for item in study.waves.standing(waves)}
    known = [name for name in suite.conditions if name in frozen]
    if not known:
        return suite.run_conditions  # the run itself says that nothing is frozen
    if patterns:
        return matching(known, patterns, "frozen condition")
    if lacking := [name for name in suite.run_conditions if name not in frozen]:
        say(f"note: not frozen, so not asked: {', '.join(lacking)}")
    return tuple(name for name in suite.run_conditions if name in frozen)
