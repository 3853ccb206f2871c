"""Which format a file is in: by what stands in it, not by what it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from core.errors import InputError
from evals.imports import inspect_log, lm_eval, openai_batch, tables
from evals.imports.documents import load_object
from evals.imports.files import Foreign, encoding_fault
from evals.imports.samples import FORMATS, Entry, Format, How, Origin

KNOWN = "known are CSV, JSON lines, a JSON list, Parquet, logs of inspect, samples of lm-eval and "
KNOWN += "output of OpenAI batches"
# What a file begins with that is surely none of these, and what to do.
_OTHERS = (
    (b"SQLite format 3\x00", "a SQLite file, such as a study, and holds no outputs from elsewhere"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard; unpack it first"),
    (b"%PDF", "a PDF"),
)
_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"


def format_of(file: Foreign, asked: Format | None = None) -> Format:
    """Return the format of a file: the one that is asked for, or the one that it is in.

    Raises
    ------
    InputError
        When it is in none, or surely not in the one that is asked for.
    """
    for mark, what in _OTHERS:
        if file.head.startswith(mark):
            raise InputError(f"{file.path} is {what}")
    if coding := encoding_fault(file.head):
        raise InputError(f"{file.path} is not UTF-8 but {coding}; save it as UTF-8")
    found = _found(file)
    if asked is None and found is None:
        raise InputError(f"{file.path} is in no format that is read; {KNOWN}; see --format")
    if asked and _binary(asked, file) is not _binary(found, file):
        is_in = f"; it is {found}" if found else ""
        raise InputError(f"{file.path} cannot be {asked}, whatever --format says{is_in}")
    return asked or found or FORMATS[0]


def origin_of(file: Foreign, form: Format) -> Origin:
    """Return what a file says of the program that wrote it."""
    readers: dict[Format, Callable[[Foreign], Origin]] = {
        "inspect": inspect_log.origin,
        "lm-eval": lm_eval.origin,
        "openai-batch": openai_batch.origin,
    }
    return readers[form](file) if form in readers else tables.origin(form)


def samples_of(file: Foreign, form: Format, how: How) -> Iterator[Entry]:
    """Yield what a file holds, record by record."""
    match form:
        case "inspect":
            return inspect_log.samples(file)
        case "lm-eval":
            return lm_eval.samples(file)
        case "openai-batch":
            return openai_batch.samples(file, how.requests)
        case _:
            return tables.samples(file, form, how.columns)


def _binary(form: Format | None, file: Foreign) -> str:
    """Return which of the formats that are no text a format is, for this file."""
    if form == "parquet":
        return "parquet"
    return "zip" if form == "inspect" and file.head.startswith(_ZIP) else "text"


def _found(file: Foreign) -> Format | None:
    if file.head.startswith(_PARQUET):
        return "parquet"
    if file.head.startswith(b"PK"):
        if not inspect_log.is_log(file):
            raise InputError(f"{file.path} is a zip archive, but no log of inspect; unpack it")
        return "inspect"
    text = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return "json"
    if text.startswith(b"{"):
        return _of_object(file, text)
    first = text.split(b"\n", 1)[0]
    separated = any(mark.encode() in first for mark in tables.SEPARATORS)
    named = file.path.suffix.lower() in (".csv", ".tsv")
    return "csv" if (separated or named) and b"\x00" not in first else None


def _of_object(file: Foreign, text: bytes) -> Format | None:
    first = _first(text)
    if first is None:
        # A document over several lines, or a line longer than what was looked at.
        if b'"eval"' in text and (b'"samples"' in text or b'"version"' in text):
            return "inspect"
        if b'"custom_id"' in text:
            return "openai-batch"
        return "lm-eval" if b'"doc_id"' in text and b'"arguments"' in text else "jsonl"
    if openai_batch.is_input(first):
        raise InputError(
            f"{file.path} holds the requests of a batch, not its output; give it with --requests"
        )
    if openai_batch.is_output(first) and not ({"prompt", "messages"} & first.keys()):
        return "openai-batch"
    if lm_eval.is_samples(first):
        return "lm-eval"
    return "inspect" if isinstance(first.get("eval"), dict) and "version" in first else "jsonl"


def _first(text: bytes) -> dict[str, Any] | None:
    """Return the object on the first line, where it is one."""
    try:
        return load_object(text.split(b"\n", 1)[0], lax=True)
    except ValueError:
        return None
