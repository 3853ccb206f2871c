"""What every reader of a file from elsewhere gives: samples, or why a record is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from core.runs import Message, Reply

Format = Literal["csv", "jsonl", "json", "parquet", "inspect", "lm-eval", "openai-batch"]
FORMATS: tuple[Format, ...] = (
    "csv", "jsonl", "json", "parquet", "inspect", "lm-eval", "openai-batch",
)  # fmt: skip
# What decides how a reply is drawn; a file states some of it. The names are those of a run.
DECODING = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort")


@dataclass(frozen=True, slots=True)
class How:
    """How a file is to be read and matched; all of it is recorded.

    Attributes
    ----------
    columns
        For tables: what is meant -> the column of the file.
    model
        What the run is called: where the file names no model, or instead of its one.
    requests
        For a batch: the file of its requests.
    sample_offset
        Added to every number of a sample.
    ignore_system
        The text of a system message that may stand before a frozen prompt.
    strip_trailing_newline
        Whether line ends after the last message are left out of account.
    """

    format: Format | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    requests: Path | None = None
    sample_offset: int = 0
    ignore_system: str = ""
    strip_trailing_newline: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a record says was asked: the messages, or the hash or the key of a frozen prompt."""

    messages: tuple[Message, ...] | None = None
    prompt_hash: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One response of a file.

    Attributes
    ----------
    place
        Where it stands, for people: ``line 3``.
    number
        Which sample of its prompt it is; ``None`` where the file does not say.
    decoding
        The settings that the file states.
    """

    place: str
    asked: Asked
    reply: Reply
    model: str = ""
    number: int | None = None
    intervention: str = ""
    decoding: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that is no sample, and why."""

    place: str
    why: str


Entry = Sample | Unreadable


@dataclass(frozen=True, slots=True)
class Origin:
    """What a file is, and what it says of the program that wrote it."""

    format: Format
    harness: str = ""
    version: str = ""


class NoSample(ValueError):
    """A record is no sample; the text says why."""
