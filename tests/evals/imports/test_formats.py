"""Every format, as the program that it is of writes it: what becomes of each sample."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.verify import study_faults
from core.errors import CheckFailed, InputError
from evals.batches.lines import read_openai
from evals.imports.examining import require_whole
from evals.providers import completions
from tests.evals.imports import theirs
from tests.evals.imports.theirs import json_lines


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def test_json_lines_by_a_map_of_columns(importer: Any) -> None:
    """Any names will do; what the file states is kept, what it does not state is not made up."""
    rows = [
        {"in": importer.prompt(0), "out": "Answer: A", "llm": "m", "n": 1, "why": {"end": "stop"}},
        {"in": importer.prompt(0), "out": "Answer", "llm": "m", "n": 2, "why": {"end": "length"}},
        {"in": importer.prompt(1), "out": None, "llm": "m", "n": 1, "why": {"end": "length"}},
    ]
    columns = {
        "prompt": "in", "response": "out", "model": "llm", "sample": "n",
        "finish_reason": "why.end",
    }  # fmt: skip
    taken = importer.take(importer.file("x.jsonl", json_lines(rows)), columns=columns)
    assert taken.counts == {"new": 3}
    (run,) = importer.study.runs.all()
    assert (run.model, run.kind, run.closed_at) == ("m", "imported", None)
    assert importer.texts(run.id) == [
        ("S01/Active", 1, "ok", "Answer: A"),
        ("S01/Active", 2, "truncated", "Answer"),
        ("S01/Removed", 1, "empty", ""),
    ]
    about = run.config["import"]
    assert (about["provenance"], about["format"], about["file"]) == ("imported", "jsonl", "x.jsonl")
    assert about["columns"] == columns
    assert about["sha256"].startswith("sha256:")
    assert run.config["temperature"] == "not stated"
    request, body = importer.study.runs.body(1)
    assert json.loads(body) == rows[0]
    assert json.loads(request)["messages"] == user(importer.prompt(0))
    assert study_faults(importer.study) == ()


def test_times_that_are_not_stated_stay_empty(importer: Any) -> None:
    """Neither a moment nor a duration is invented; those that are stated are kept in UTC."""
    rows = [
        {"key": importer.key(0), "response": "a", "model": "m"},
        {"key": importer.key(1), "response": "b", "model": "m", "seconds": 1.5,
         "started": "2026-01-01T10:00:00+02:00", "ended": 1767254400},
    ]  # fmt: skip
    importer.take(importer.file("x.jsonl", json_lines(rows)))
    sql = "SELECT started_at, ended_at, seconds FROM generations ORDER BY id"
    assert importer.study._db.execute(sql).fetchall() == [
        ("", "", 0.0),
        ("2026-01-01T08:00:00.000Z", "2026-01-01T08:00:00.000Z", 1.5),
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_csv_keeps_every_character_of_a_cell(importer: Any, separator: str, start: str) -> None:
    """Line ends inside a cell, quotes, a mark at the beginning of the file, blanks at the ends."""
    said = ' "A",\r\nB;\tC\u2028\x85 \n'
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerows([["prompt", "response", "model"], [importer.prompt(0), said, "m"]])
    importer.take(importer.file("x.csv", start + out.getvalue()))
    assert importer.texts(1) == [("S01/Active", 1, "ok", said)]


def test_a_json_list_and_parquet(importer: Any) -> None:
    """Both come out as JSON lines do."""
    rows = [{"prompt_hash": importer.hash(n), "response": f"r{n}", "model": "m"} for n in (0, 1)]
    importer.take(importer.file("x.json", json.dumps(rows, indent=1)))
    pq.write_table(pa.Table.from_pylist(rows), importer.folder / "y.parquet")
    taken = importer.take(importer.folder / "y.parquet")
    assert (taken.counts, taken.added) == ({"stored": 2}, ())
    assert taken.found.unseen == 2


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_inspect_logs(importer: Any, method: int) -> None:
    """Stored, deflated or Zstandard: epochs are samples, states are what they are."""
    thinking = [
        {"type": "reasoning", "reasoning": "Hm."},
        {"type": "text", "text": "Answer: B"},
    ]
    samples = [
        theirs.inspect_sample(importer.prompt(0), "Answer: A"),
        theirs.inspect_sample(importer.prompt(0), thinking, epoch=2),
        theirs.inspect_sample(importer.prompt(1), "Answ", stop="max_tokens"),
        theirs.inspect_sample(importer.prompt(1), "", epoch=2, stop="content_filter"),
        theirs.inspect_sample(importer.prompt(2), error={"message": "boom\nat"}),
    ]
    path = importer.file("x.eval", theirs.eval_log(samples, method=method))
    taken = importer.take(path)
    assert taken.found.origin.version == "0.3.285"
    (run,) = importer.study.runs.all()
    stated = [run.config[name] for name in ("temperature", "max_tokens")]
    assert (run.model, stated) == ("openai/m", [0.7, 200])
    assert importer.texts(run.id) == [
        ("S01/Active", 1, "ok", "Answer: A"),
        ("S01/Active", 2, "ok", "Answer: B"),
        ("S01/Removed", 1, "truncated", "Answ"),
        ("S01/Removed", 2, "refused", ""),
        ("S02/Active", 1, "error", ""),
    ]
    sql = "SELECT reasoning, tokens_in, seconds, started_at, error FROM generations WHERE id > 1"
    rows = importer.study._db.execute(sql).fetchall()
    assert [rows[0], rows[-1]] == [
        ("Hm.", 112, 0.5, "2026-12-01T00:32:01.109Z", ""),
        ("", None, 0.5, "2026-12-01T00:32:01.109Z", "boom at"),
    ]
    assert b"filler" not in importer.study.runs.body(1)[1]


def test_an_inspect_log_as_json_is_the_same(importer: Any) -> None:
    """The same samples in the other form add nothing."""
    samples = [theirs.inspect_sample(importer.prompt(0), "Answer: A")]
    importer.take(importer.file("x.eval", theirs.eval_log(samples)))
    document = json.dumps({**theirs.HEADER, "samples": samples}, indent=2)
    assert importer.take(importer.file("x.json", document)).counts == {"stored": 1}


def test_an_interrupted_inspect_log(importer: Any) -> None:
    """Without its header the journal says what was asked."""
    samples = [theirs.inspect_sample(importer.prompt(0))]
    log = theirs.eval_log(samples, named="_journal/start.json")
    assert importer.take(importer.file("x.eval", log)).counts == {"new": 1}


def test_what_inspect_puts_before_a_prompt_is_seen(importer: Any) -> None:
    """A system message of a solver, of the configuration, or more turns of the model."""
    text = importer.prompt(0)
    solver = theirs.inspect_sample([{"role": "system", "content": "Be brief."}, *user(text)])
    several = theirs.inspect_sample(text)
    several["messages"] += [*user("Sure?"), several["messages"][-1]]
    log = importer.file("x.eval", theirs.eval_log([solver, several]))
    looked = importer.look(log)
    assert looked.reasons == [
        ("unmatched", "samples/1_0_epoch_1.json",
         "S01/Active with a system message before it: 'Be brief.' (--ignore-system)"),
        ("unreadable", "samples/1_1_epoch_1.json",
         "the model had several turns; a generation is one reply to one prompt"),
    ]  # fmt: skip
    header = json.loads(json.dumps(theirs.HEADER))
    header["plan"]["config"]["system_message"] = "Be brief."
    log = importer.file("y.eval", theirs.eval_log([theirs.inspect_sample(text)], header))
    assert "with a system message before it" in importer.look(log).reasons[0][2]
    taken = importer.take(log, ignore_system="Be brief.")
    assert taken.counts == {"new": 1}
    (run,) = importer.study.runs.all()
    assert run.config["system_prompt"] == "Be brief."
    assert run.config["matching"] == {"ignore_system": "Be brief."}


def test_texts_that_inspect_keeps_apart(importer: Any) -> None:
    """What is attached to a sample is looked up where it is kept."""
    sample = theirs.inspect_sample("attachment://1", attachments={"1": importer.prompt(0)})
    assert importer.take(importer.file("x.eval", theirs.eval_log([sample]))).counts == {"new": 1}


@pytest.mark.parametrize("chat", [True, False])
def test_lm_eval_samples(importer: Any, chat: bool) -> None:
    """The raw responses, once per document however many filters there are, never the filtered."""
    lines = [
        theirs.lm_eval_line(importer.prompt(n), [f"Answer: {x}" for x in "ABA"], doc=n, kept=kept,
                            chat=chat)
        for kept in ("strict", "all") for n in (0, 1)
    ]  # fmt: skip
    path = importer.file("samples_x.jsonl", json_lines(lines))
    with pytest.raises(InputError, match=r"does not name the model.*--model NAME"):
        importer.look(path)
    assert importer.take(path, model="m").counts == {"new": 6}
    assert importer.texts(1)[:3] == [
        ("S01/Active", number, "ok", f"Answer: {letter}")
        for number, letter in enumerate("ABA", start=1)
    ]
    (run,) = importer.study.runs.all()
    assert (run.config["temperature"], run.config["max_tokens"]) == (0.7, 200)
    assert run.config["extra"] == {"do_sample": True, "until": []}


def test_lm_eval_log_likelihoods_are_refused(importer: Any) -> None:
    """There is no text in them; the whole file is refused with the reason."""
    line = theirs.lm_eval_line(importer.prompt(0), ["x"])
    line["resps"] = [[["-0.26", "False"]], [["-0.81", "False"]]]
    path = importer.file("samples_x.jsonl", json_lines([line]))
    with pytest.raises(InputError, match="log-likelihoods of multiple choice"):
        importer.look(path, model="m")


def test_batches_with_their_requests(importer: Any) -> None:
    """Bodies go through the parsers of their endpoints; failures stay failures."""
    texts = [importer.prompt(n) for n in range(4)]
    requests = [
        theirs.batch_request(f"r{n}", user(texts[n % 4]), temperature=0.2, max_tokens=9)
        for n in range(6)
    ]
    response = {
        "object": "response", "status": "incomplete", "model": "m-2026",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Answer"}]},
        ],
        "usage": {"input_tokens": 7, "output_tokens": 2},
    }  # fmt: skip
    lines = [
        theirs.batch_line("r1", theirs.completion("<think>Hm.</think>Answer: B")),
        theirs.batch_line("r0", theirs.completion("", end="length")),
        theirs.batch_line("r2", theirs.completion(None, message={"refusal": "No."})),
        theirs.batch_line("r3", response),
        theirs.batch_line("r4", {"error": {"message": "too long"}}, 400),
        theirs.batch_line("r5", None, error={"code": "batch_expired", "message": "expired"}),
    ]
    output = importer.file("out.jsonl", json_lines(lines))
    asked = importer.file("in.jsonl", json_lines(requests))
    taken = importer.take(output, requests=asked)
    assert (taken.counts, taken.found.unnumbered) == ({"new": 6}, 6)
    assert importer.texts(1) == [
        ("S01/Active", 1, "empty", ""),
        ("S01/Active", 2, "error", ""),
        ("S01/Removed", 1, "ok", "Answer: B"),
        ("S01/Removed", 2, "error", ""),
        ("S02/Active", 1, "refused", "No."),
        ("S02/Removed", 1, "truncated", "Answer"),
    ]
    (run,) = importer.study.runs.all()
    assert (run.model, run.config["temperature"], run.config["max_tokens"]) == ("m", 0.2, 9)
    assert run.config["import"]["options"]["requests"].startswith("sha256:")
    errors = importer.study._db.execute("SELECT error FROM generations WHERE state = 'error'")
    assert errors.fetchall() == [("HTTP 400: too long",), ("expired",)]


def test_batches_by_ids_of_ours(importer: Any) -> None:
    """A key with its sample, a key, or a prompt hash; another id needs the requests."""
    names = [f"{importer.key(0)}-2", importer.key(1), importer.hash(2), importer.hash(3)[7:], "r1"]
    lines = [theirs.batch_line(name, theirs.completion()) for name in names]
    taken = importer.take(importer.file("out.jsonl", json_lines(lines)), partial=True)
    assert [entry[:2] for entry in importer.texts(1)] == [
        ("S01/Active", 2), ("S01/Removed", 1), ("S02/Active", 1), ("S02/Removed", 1),
    ]  # fmt: skip
    assert [(kind, why) for kind, _, why in taken.reasons] == [
        ("unreadable", "the id 'r1' is none of ours; give the file of requests with --requests")
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"error": "no \ud800"}, {"error": ["no"]}, {"error": {"code": "batch_cancelled"}},
        {"error": {}}, {"response": None}, {"response": {"body": theirs.completion()}},
        {"response": {"status_code": "200", "body": theirs.completion()}},
        {"response": {"status_code": 200, "body": None}},
        {"response": {"status_code": 200, "body": "text"}},
        {"response": {"status_code": 503, "body": "busy"}},
    ],
)  # fmt: skip
def test_a_batchs_line_says_here_what_it_says_to_a_run(importer: Any, changed: Any) -> None:
    """The state and the reason of a line do not depend on who reads it."""
    line = {**theirs.batch_line(f"{importer.key()}-1", theirs.completion()), **changed}
    importer.take(importer.file("out.jsonl", json.dumps(line) + "\n"), model="m")
    read = read_openai(json.dumps(line).encode())
    state, error = "error", read.error
    if read.says == "body":
        reply = completions.read(read.body)
        state, error = reply.state, reply.error
    stored = importer.study._db.execute("SELECT state, error FROM generations").fetchall()
    assert stored == [(state, error)]


def test_a_batchs_requests_are_not_its_output(importer: Any) -> None:
    """Given in place of the output they are named as what they are; each id once."""
    request = theirs.batch_request("r1", user("x"))
    asked = importer.file("in.jsonl", json_lines([request]))
    with pytest.raises(InputError, match=r"holds the requests of a batch.*--requests"):
        importer.look(asked)
    twice = importer.file("twice.jsonl", json_lines([request, request]))
    output = importer.file("out.jsonl", json_lines([theirs.batch_line("r1", theirs.completion())]))
    with pytest.raises(InputError, match=r"twice\.jsonl, line 2: 'r1' is the id of two requests"):
        importer.look(output, requests=twice)


def test_several_models_become_several_runs(importer: Any) -> None:
    """One per model and settings; --model cannot make one of them."""
    rows = [
        {"key": importer.key(0), "response": "x", "model": model, "temperature": temperature}
        for model, temperature in (("a", 0), ("b", 0), ("a", 1))
    ]
    path = importer.file("x.jsonl", json_lines(rows))
    with pytest.raises(InputError, match=r"several models \(a, b\)"):
        importer.look(path, model="c")
    importer.take(path)
    found = [(run.model, run.config["temperature"]) for run in importer.study.runs.all()]
    assert found == [("a", 0.0), ("b", 0.0), ("a", 1.0)]


def test_rows_that_contradict_themselves(importer: Any) -> None:
    """A state against its text, a key against its prompt, a hash against its prompt."""
    rows = [
        {"key": importer.key(0), "response": " ", "state": "ok", "model": "m"},
        {"key": importer.key(0), "response": "a", "state": "empty", "model": "m"},
        {"key": importer.key(0), "response": "a", "state": "fine", "model": "m"},
        {"key": importer.key(0), "state": "ok", "error": "boom", "model": "m"},
        {"key": importer.key(0), "prompt": importer.prompt(1), "response": "a", "model": "m"},
        {"prompt_hash": importer.hash(0), "prompt": importer.prompt(1), "response": "a",
         "model": "m"},
        {"messages": user("x"), "prompt": "y", "response": "a", "model": "m"},
        {"key": "k1", "response": "a", "model": "m"},
        {"key": importer.key(0), "response": 4, "model": "m"},
        {"key": importer.key(0), "model": "m"},
        {"response": "a", "model": "m"},
        {"key": importer.key(0), "response": "a", "model": "m", "ended": "yesterday"},
        {"key": importer.key(0), "response": "a", "model": "m", "sample": 1.5},
        {"key": importer.key(0), "response": "a", "model": "m", "sample": 0},
    ]  # fmt: skip
    looked = importer.look(importer.file("x.jsonl", json_lines(rows)))
    words = [
        "the state is ok, and the response shows nothing",
        "the state is empty, and the response shows something",
        "column state: 'fine' is no state",
        "the state is ok, and there is an error: boom",
        "its key is that of S01/Active, and its prompt is another",
        "its prompt is that of S01/Removed, and its prompt_hash is not",
        "the prompt and the messages are not the same",
        "column key: 'k1' is no key of ours",
        "column response: a text is needed",
        "the row has no column response",
        "the row does not say what was asked",
        "column ended: 'yesterday' is no time",
        "column sample: '1.5' is no whole number",
        "say --sample-offset 1",
    ]
    assert len(looked.reasons) == len(words)
    for (_, place, why), (number, word) in zip(looked.reasons, enumerate(words, 1), strict=True):
        assert (place, word in why) == (f"line {number}", True), why
    with pytest.raises(
        CheckFailed, match="11 unreadable, 3 unmatched; nothing was imported; --partial"
    ):
        require_whole(looked.found, partial=False)


def test_the_real_file_names_stay_out_of_the_study(importer: Any) -> None:
    """Of the path of a file only its name is kept."""
    folder = importer.folder / "secret place"
    folder.mkdir()
    rows = [{"key": importer.key(0), "response": "a", "model": "m"}]
    path = Path(folder / "x.jsonl")
    path.write_text(json_lines(rows))
    importer.take(path)
    assert "secret place" not in "\n".join(importer.study._db.conn.iterdump())
