"""The rating forms: those of the papers ship as TOML files in ``suites/forms/``."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from core.errors import InputError, NotFound
from core.forms import Form, parse_form
from core.study import Revision

# A folder without an __init__, so that no registry takes it for a suite.
_SHIPPED = resources.files("suites") / "forms"


def names() -> tuple[str, ...]:
    """Return the names of the forms that ship."""
    files = (entry.name for entry in _SHIPPED.iterdir())
    return tuple(sorted(name[: -len(".toml")] for name in files if name.endswith(".toml")))


def load(name_or_path: str) -> Form:
    """Return a form that ships, or that of a TOML file.

    Raises
    ------
    NotFound
        When it is neither.
    InputError
        When the file is no form; it names file and line.
    """
    if name_or_path in names():
        text = (_SHIPPED / f"{name_or_path}.toml").read_text("utf-8")
        return parse_form(text, f"suites/forms/{name_or_path}.toml")
    path = Path(name_or_path)
    if not path.is_file():
        known = ", ".join(names())
        raise NotFound(f"there is no form {name_or_path!r}; give a TOML file, or one of: {known}")
    try:
        return parse_form(path.read_text("utf-8-sig"), name_or_path)
    except UnicodeDecodeError as error:
        raise InputError(f"{name_or_path}: not UTF-8 at byte {error.start}") from error


def require_fit(form: Form, revisions: Iterable[Revision]) -> None:
    """Refuse a form that an item cannot be rated with, before a rater finds out.

    Raises
    ------
    InputError
        Naming the first such item.
    """
    for revision in revisions:
        if why := form.misfit(revision.labels):
            item = f"{revision.scenario}/{revision.condition}"
            raise InputError(f"the form {form.name} does not fit {item}: {why}")
