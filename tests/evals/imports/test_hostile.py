"""Files that are damaged, too large, or something else than they say: one line, nothing stored."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, WavelockError
from evals.imports import archive, files
from tests.evals.imports import theirs
from tests.evals.imports.theirs import json_lines


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name.replace("__", "/") + ".json", data)
    return out.getvalue()


LOG = theirs.eval_log([theirs.inspect_sample("x")])
BAD: dict[str, tuple[str, bytes, str]] = {
    "empty": ("x.csv", b"", "is empty"),
    "blank": ("x.jsonl", b"\xef\xbb\xbf \r\n\n" + b" " * 200_000, "is empty"),
    "a heading alone": ("x.csv", b"prompt,response\n", "holds no rows"),
    "an empty list": ("x.json", b"[]", "holds no rows"),
    "a log without samples": ("x.eval", theirs.eval_log([]), "holds no rows"),
    "UTF-16": ("x.csv", "prompt,response\n".encode("utf-16"), "not UTF-8 but UTF-16"),
    "gzip": ("x.jsonl", gzip.compress(b"{}"), "compressed with gzip"),
    "a study": ("x.csv", b"SQLite format 3\x00" + b"\x00" * 100, "is a SQLite file"),
    "prose": ("notes.txt", b"Nothing of the kind", "is in no format that is read"),
    "a zip of something": ("x.eval", zipped(a=b"{}"), "but no log of inspect"),
    "a cut zip": ("x.eval", LOG[: len(LOG) // 2], "damaged or cut off"),
    "a cut zip of Zstandard": (
        "x.eval", theirs.eval_log([theirs.inspect_sample("x")], method=93)[:-40], "damaged or cut",
    ),
    "a header that is no JSON": ("x.eval", zipped(header=b"{"), "header.json: not JSON"),
    "a header that is a list": ("x.eval", zipped(header=b"[]"), "header.json: not a JSON object"),
    "no Parquet": ("x.csv", b"PAR1 and more", "not Parquet"),
    "two columns of one name": ("x.csv", b"key,key\na,b\n", "two columns are called 'key'"),
    "a column without a name": ("x.csv", b"prompt,\na,b\n", "column 2 has no name"),
    "bytes that are no text": ("x.csv", b"key,response\na,\xff\n", "line 2: not UTF-8 at byte 2"),
    "a JSON object": ("x.json", b'[{"a": NaN}]', "NaN is no JSON number"),
    "names twice": ("x.json", b'[{"a": 1, "a": 2}]', "a name is given twice: a"),
    "nested without end": ("x.json", b"[" * 100_000, "nested too deep"),
    "samples that are no list": (
        "x.json", b'{"version": 2, "eval": {},\n "samples": {}}', "its samples are no list",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_read_is_one_line(importer: Any, kind: str) -> None:
    """It names the file, says what is wrong, and is bad input (exit 2)."""
    name, content, words = BAD[kind]
    path = importer.file(name, content)
    before = "\n".join(importer.study._db.conn.iterdump())
    with pytest.raises(InputError) as error:
        importer.take(path, model="m")
    assert name in str(error.value)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert "\n".join(importer.study._db.conn.iterdump()) == before


def test_what_is_no_file(importer: Any) -> None:
    """A directory, a pipe, nothing at all."""
    os.mkfifo(importer.folder / "pipe")
    for name, words in (("", "is a directory"), ("pipe", "no regular file"), ("no", "No such")):
        with pytest.raises(InputError, match=words):
            importer.look(importer.folder / name)
    with pytest.raises(InputError, match="is a SQLite file, such as a study"):
        importer.look(importer.study.path)


ROWS: dict[str, tuple[bytes, str]] = {
    "NaN": (b'{"prompt": "x", "usage": NaN}', "NaN is no JSON number"),
    "names twice": (b'{"prompt": "x", "prompt": "y"}', "a name is given twice: prompt"),
    "cut off": (b'{"prompt": "x"', "not JSON"),
    "a list": (b'["prompt"]', "not a JSON object"),
    "null": (b"null", "not a JSON object"),
    "nested nulls": (b'{"messages": [null], "response": null}', "a message has no role"),
    "no messages": (b'{"messages": [], "response": "a"}', "no list of turns"),
    "a picture": (
        b'{"messages": [{"role": "user", "content": [{"type": "image"}]}]}', "is no text",
    ),
    "a tool": (b'{"messages": [{"role": "tool", "content": "x"}]}', "a message is by 'tool'"),
    "not UTF-8": (b'{"prompt": "\xff"}', "not UTF-8 at byte 12"),
    "half a character": (b'{"prompt": "x", "response": "\\ud800"}', "half a character"),
    "nested without end": (b'{"a":' * 50_000, "nested too deep"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROWS)
def test_a_line_that_cannot_be_read_is_listed(importer: Any, kind: str) -> None:
    """The line is named with the reason; the lines around it are read all the same."""
    raw, words = ROWS[kind]
    good = json_lines([{"key": importer.key(0), "response": "a", "model": "m"}]).encode()
    path = importer.file("x.jsonl", good + raw + b"\r\n" + good)
    looked = importer.look(path)
    assert [problem[:2] for problem in looked.reasons] == [("unreadable", "line 2")]
    assert words in looked.reasons[0][2]
    assert looked.counts["new"] == 2


def test_a_line_without_end_is_not_held_in_memory(
    importer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is longer than a record may be is passed over; the next line is read."""
    monkeypatch.setattr(files, "LINE", 1_000)
    good = json_lines([{"key": importer.key(0), "response": "a", "model": "m"}])
    looked = importer.look(importer.file("x.jsonl", good + "x" * 5_000 + "\n" + good))
    assert looked.counts == {"new": 2, "unreadable": 1}
    assert looked.reasons[0][1:] == ("line 2", "longer than 0 MB")


def test_a_document_that_is_too_large_to_be_read_whole(
    importer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before it is read, and the way round is said."""
    monkeypatch.setattr(files, "WHOLE", 1_000)
    for name, text in (
        ("x.json", '[{"a": "' + "x" * 2_000 + '"}]'),
        ("log.json", '{"version": 2, "eval": {\n}, "x": "' + "x" * 2_000 + '"}'),
    ):
        with pytest.raises(InputError, match=r"write JSON lines, or a log of inspect as \.eval"):
            importer.look(importer.file(name, text))


def test_csv_of_another_shape(importer: Any) -> None:
    """Rows with other numbers of cells are listed; a quote that never closes is, too."""
    text = f"key,response,model\n{importer.key(0)},a,m\n{importer.key(0)},a\n"
    looked = importer.look(importer.file("x.csv", text + f'{importer.key(0)},"a,m\n'))
    assert [(place, why[:11]) for _, place, why in looked.reasons] == [
        ("line 3", "2 cells for"),
        ("line 4", "not CSV: un"),
    ]
    with pytest.raises(InputError, match=r"has no column out; it has key, model, response"):
        importer.look(importer.folder / "x.csv", columns={"response": "out"})


def test_long_cells_are_read_and_the_bound_of_others_is_kept(importer: Any) -> None:
    """A response may be longer than the usual cell; whoever reads CSV next is not affected."""
    usual, long = csv.field_size_limit(), "x" * 200_000
    text = f"key,response,model\n{importer.key(0)},{long},m\n"
    assert importer.look(importer.file("x.csv", text)).counts == {"new": 1}
    with pytest.raises(InputError):
        importer.look(importer.file("y.csv", text), columns={"response": "out"})
    assert csv.field_size_limit() == usual


def test_zstandard_is_asked_for_by_name(importer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it such a log is refused with both ways out; others are read as before."""
    monkeypatch.setattr(archive, "find_spec", lambda _: None)
    samples = [theirs.inspect_sample(importer.prompt(0))]
    with pytest.raises(InputError, match=r"wavelock\[inspect\], or convert it with: inspect log"):
        importer.look(importer.file("x.eval", theirs.eval_log(samples, method=93)))
    assert importer.look(importer.file("y.eval", theirs.eval_log(samples))).counts == {"new": 1}


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_a_zip_bomb_is_refused(importer: Any, monkeypatch: pytest.MonkeyPatch, method: int) -> None:
    """A member that unpacks to more than is read is named, and never unpacked further."""
    monkeypatch.setattr(archive, "MEMBER", 100_000)
    bomb = theirs.inspect_sample("x", filler="0" * 10_000_000)
    path = importer.file("x.eval", theirs.eval_log([bomb], method=method))
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match=r"samples/1_0_epoch_1.json: unpacks to more than 0 MB"):
        importer.look(path)


def outcome(importer: Any, path: Path) -> str:
    try:
        importer.look(path)
    except WavelockError as error:
        return "refused" if "\n" not in str(error) else str(error)
    return "read"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_a_zip_that_was_changed(importer: Any, method: int) -> None:
    """Whatever single byte of a log is another one, it is read as before or refused in a line."""
    log = bytearray(theirs.eval_log([theirs.inspect_sample(importer.prompt(0))], method=method))
    path = importer.file("x.eval", bytes(log))
    outcomes = set()
    for place in range(0, len(log), max(1, len(log) // 150)):
        changed = bytearray(log)
        changed[place] ^= 0x41
        path.write_bytes(bytes(changed))
        outcomes.add(outcome(importer, path))
    assert "refused" in outcomes
    assert not any("\n" in told for told in outcomes)


def test_another_format_than_it_is(importer: Any) -> None:
    """--format is obeyed where it can be; what it cannot be is said."""
    log = importer.file("x.eval", LOG)
    with pytest.raises(InputError, match="cannot be csv, whatever --format says; it is inspect"):
        importer.look(log, format="csv")
    rows = importer.file("x.jsonl", json_lines([{"key": importer.key(0), "response": "a"}]))
    with pytest.raises(InputError, match="cannot be parquet"):
        importer.look(rows, format="parquet")
    looked = importer.look(rows, format="lm-eval", model="m")
    assert looked.reasons == [("unreadable", "line 1", "the line has no resps")]
    looked = importer.look(rows, format="openai-batch", model="m")
    assert "not a line of a batch's output" in looked.reasons[0][2]
    with pytest.raises(InputError, match="no log of inspect: it has no eval"):
        importer.look(rows, format="inspect")


def test_a_name_that_says_something_else(importer: Any, tmp_path: Path) -> None:
    """What is in the file counts, not what it is called."""
    rows = json_lines([{"key": importer.key(0), "response": "a", "model": "m"}])
    assert importer.look(importer.file("x.csv", rows)).found.origin.format == "jsonl"
    assert importer.look(importer.file("x.json", rows)).found.origin.format == "jsonl"
    assert importer.look(importer.file("log.zip", LOG)).found.origin.format == "inspect"
    assert json.loads(rows.splitlines()[0])["response"] == "a"
