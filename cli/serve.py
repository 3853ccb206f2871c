"""``wavelock serve``: raters and auditors from elsewhere, who never hold the study file."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from cli.diagnostics import say
from cli.numbers import NumberRange
from cli.output import listing, show
from core.errors import InputError, Unavailable
from db.file import open_study

NEEDED = ("asyncssh", "aiohttp", "textual_serve")
ENTER = "from cli.main import main; main()"
COUNT = click.IntRange(min=1)
STATE = click.option(
    "--state",
    type=click.Path(path_type=Path),
    show_default="STUDY-serve",
    help="The server's own folder: host key, settings for raters.",
)


@click.group("serve", invoke_without_command=True)
@click.option("--ssh", metavar="[ADDRESS:]PORT", help="Open the SSH door.")
@click.option("--web", metavar="[ADDRESS:]PORT", help="Open the browser door.")
@click.option("--host", default="127.0.0.1", show_default=True, help="ADDRESS where none is given.")
@click.option("--prefix", default="", help="Path below which a proxy passes requests on.")
@click.option("--public-url", default="", help="What people open in their browsers.")
@click.option("--trust-header", default="", help="Header in which the proxy names the client.")
@click.option(
    "--proxy", multiple=True, show_default="this machine", help="Address of the proxy; repeatable."
)
@click.option("--title", default="Wavelock", show_default=True, help="Heading of the first page.")
@click.option(
    "--welcome",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Text of the first page, in plain paragraphs.",
)
@click.option("--sittings", type=COUNT, default=60, show_default=True, help="People at once.")
@click.option(
    "--per-address", type=COUNT, default=30, show_default=True, help="The same from one address."
)
@click.option(
    "--idle",
    type=NumberRange(min=0, min_open=True),
    default=30,
    show_default=True,
    help="Minutes without a key after which a sitting is ended.",
)
@click.option("--log-addresses", is_flag=True, help="Write clients' addresses into the log.")
@STATE
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Open the screens over SSH, in browsers, or both, until Ctrl-C.

    Everybody types an access code first. No shell, no file and no path is within reach. Without
    --host only this machine is served.
    """
    if ctx.invoked_subcommand is None:
        path: Path = ctx.obj
        open_study(path).close()  # says what is wrong with the file before anybody comes
        if missing := [name for name in NEEDED if find_spec(name) is None]:
            raise Unavailable(f"serving needs {', '.join(missing)}: pip install 'wavelock[serve]'")
        _serve(path.resolve(), **given)


@command.command("status")
@STATE
@listing
@click.pass_obj
def status(path: Path, state: Path | None, form: str) -> None:
    """Say who is at work, by pseudonym, since when and through which door."""
    from annotate.serve.state import State
    from annotate.serve.status import status_table

    folder = state or State.beside(path)
    running = State(folder).running() if folder.exists() else None
    with open_study(path) as study:
        show([status_table(study.sittings.at_work(), running)], form)


def _serve(path: Path, **given: Any) -> None:
    from annotate.serve.limits import Limits
    from annotate.serve.listen import parse
    from annotate.serve.origins import LOOPBACK, Trust
    from annotate.serve.pages import Site, paragraphs
    from annotate.serve.server import Service, run
    from annotate.serve.state import State
    from annotate.serve.web import Place

    doors = {name: given[name] and parse(given[name], given["host"]) for name in ("ssh", "web")}
    if not any(doors.values()):
        raise InputError("name at least one door: --ssh PORT, --web PORT")
    prefix = given["prefix"].strip("/")
    welcome = given["welcome"].read_text("utf-8") if given["welcome"] else ""
    run(
        Service(
            command=(sys.executable, "-P", "-c", ENTER, "--study", str(path), "enter"),
            folder=given["state"] or State.beside(path),
            ssh=doors["ssh"] or None,
            web=doors["web"] or None,
            place=Place(
                prefix=f"/{prefix}" if prefix else "",
                public=given["public_url"],
                trust=Trust(given["trust_header"], given["proxy"] or LOOPBACK),
            ),
            site=Site(given["title"], paragraphs(welcome)),
            limits=Limits(
                sittings=given["sittings"],
                per_address=given["per_address"],
                idle=60 * given["idle"],
            ),
            addresses=given["log_addresses"],
        ),
        say,
    )
