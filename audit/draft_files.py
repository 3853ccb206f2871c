"""Opening a file of drafts: CSV, JSON lines, JSON, YAML or Parquet, all to the same rows."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from core.errors import InputError, Unavailable
from core.hashing import PREFIX
from core.rows import Bare, FileContent, Found, Record, RowFault, decoded, flattened, gathered, read

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".yaml", ".yml", ".parquet")
NOTHING = "the file holds no items"


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A file that was read: its name without folders, the SHA-256 of its bytes, and its rows."""

    name: str
    digest: str
    content: FileContent
    typed: bool


def open_drafts(path: Path, delimiter: str = ",") -> DraftFile:
    """Read a file of drafts as what its ending says it is.

    Raises
    ------
    InputError
        When it cannot be read, or its ending says nothing.
    Unavailable
        When it is Parquet, and pyarrow is not installed.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path} must end in {', '.join(ENDINGS)}, so that it is read as it is")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    match ending:
        case ".csv":
            content = read(data, "csv", delimiter, NOTHING)
        case ".tsv":
            content = read(data, "csv", "\t", NOTHING)
        case ".jsonl" | ".ndjson":
            content = read(data, "jsonl", nothing=NOTHING)
        case ".json":
            content = read(data, "json", nothing=NOTHING)
        case ".parquet":
            content = gathered(_parquet(path, data), NOTHING)
        case _:
            content = gathered(_yaml(data), NOTHING)
    digest = PREFIX + hashlib.sha256(data).hexdigest()
    return DraftFile(path.name, digest, content, typed=ending not in (".csv", ".tsv"))


def _yaml(data: bytes) -> Found:
    """Read a list of mappings by its nodes, which know their lines and what was really written."""
    import yaml  # noqa: PLC0415  (takes a while to load, for this format alone)

    text = decoded(data)
    if isinstance(text, RowFault):
        yield text
        return
    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        yield RowFault(mark.line + 1 if mark else 1, None, f"not YAML: {error.problem}")
        return
    except (yaml.YAMLError, RecursionError) as error:
        at = getattr(error, "position", 0)  # of a character that YAML does not take
        what = getattr(error, "reason", "nested too deeply")
        yield RowFault(text.count("\n", 0, at) + 1, None, f"not YAML: {what}")
        return
    if root is None:
        return
    if not isinstance(root, yaml.SequenceNode):
        yield RowFault(root.start_mark.line + 1, None, "a YAML file must hold a list: - scenario:")
        return
    seen: set[int] = set()
    for entry in root.value:
        line = entry.start_mark.line + 1
        try:
            yield Record(line, flattened(_plain(entry, seen)))
        except _YamlFault as fault:
            yield RowFault(fault.line, None, f"not a row: {fault}")
        except ValueError as error:
            yield RowFault(line, None, f"not a row: {error}")


class _YamlFault(ValueError):
    def __init__(self, node: Any, what: str) -> None:
        super().__init__(what)
        self.line = node.start_mark.line + 1


def _plain(node: Any, seen: set[int]) -> Any:
    """Return a node as values; a plain ``no`` stays the text that was written.

    An alias is refused: what is written in one place stands in one place, and nothing grows.
    """
    kind = node.tag.rpartition(":")[2]
    if id(node) in seen:
        raise _YamlFault(node, "an alias (*) is not read; write out what it stands for")
    seen.add(id(node))
    match node.id:
        case "mapping":
            found: dict[str, Any] = {}
            for key, value in node.value:
                if key.id != "scalar":
                    raise _YamlFault(key, "a name must be a text")
                if key.value in found:
                    raise _YamlFault(key, f"a name is given twice: {key.value}")
                found[key.value] = _plain(value, seen)
            return found
        case "sequence":
            return [_plain(entry, seen) for entry in node.value]
    if kind == "float" and node.value.lower().lstrip("+-") in (".nan", ".inf"):
        raise _YamlFault(node, f"{node.value} is no number")
    if kind == "null":
        return None
    if kind == "bool" and node.value in ("true", "false"):
        return bool(node.value == "true")
    return Bare(node.value) if kind in ("int", "float") else node.value


def _parquet(path: Path, data: bytes) -> Found:
    if find_spec("pyarrow") is None:
        raise Unavailable(
            f"{path} needs pyarrow, which is not installed; install the extra wavelock[parquet], "
            "or save it as CSV or JSON lines"
        )
    import pyarrow  # noqa: PLC0415  (an extra)
    import pyarrow.parquet  # noqa: PLC0415

    try:
        rows = pyarrow.parquet.read_table(BytesIO(data)).to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        yield RowFault(1, None, f"not Parquet: {str(error).splitlines()[0]}", "row")
        return
    yield from _rows(rows)


def _rows(rows: list[dict[str, Any]]) -> Iterator[Record | RowFault]:
    for number, row in enumerate(rows, start=1):
        try:
            cells = {name: _marked(value) for name, value in row.items()}
            yield Record(number, flattened(cells), "row")
        except ValueError as error:
            yield RowFault(number, None, str(error), "row")


def _marked(value: Any) -> Any:
    match value:
        case bool() | str() | None:
            return value
        case float() if not math.isfinite(value):
            raise ValueError(f"{value} is no number")
        case int() | float():
            return Bare(repr(value))
        case list():
            return [_marked(entry) for entry in value]
        case dict():
            return {name: _marked(entry) for name, entry in value.items()}
    raise ValueError(f"a value of the kind {type(value).__name__} is not read")
