"""The rubrics that ship, and rubrics from a file of one's own."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from core.errors import InputError, NotFound
from evals.judges.rubric import Rubric, parse_rubric

SHIPPED = ("grade", "grade-neutral", "grade-metadata", "scale", "target-pattern")
SUFFIX = ".toml"


def load_rubric(text: str) -> Rubric:
    """Return the rubric of a name, or of a path: what ends with ``.toml`` or has a slash.

    Raises
    ------
    NotFound
        When there is no such rubric or file.
    InputError
        When the file is no rubric; naming file, line and every fault.
    """
    if text in SHIPPED:
        source = resources.files("evals.judges") / "rubrics" / f"{text}{SUFFIX}"
        return parse_rubric(source.read_text("utf-8"), f"{text}{SUFFIX}")
    if "/" not in text and not text.endswith(SUFFIX):
        raise NotFound(f"there is no rubric “{text}”; there is {', '.join(SHIPPED)}, or a file")
    try:
        content = Path(text).read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(f"there is no rubric file {text}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{text} cannot be read: {error}") from error
    return parse_rubric(content, text)
