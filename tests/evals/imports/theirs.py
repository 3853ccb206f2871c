"""Files as other harnesses write them, field by field, with texts of our own."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import zstandard

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "ours",
        "model": "openai/m",
        "model_generate_config": {"temperature": 0.7},
        "packages": {"inspect_ai": "0.3.285"},
    },
    "plan": {"name": "plan", "steps": [], "config": {"temperature": 0.7, "max_tokens": 200}},
}


def inspect_sample(
    prompt: str | Sequence[Mapping[str, Any]],
    said: Any = "Answer: A",
    *,
    epoch: int = 1,
    stop: str = "stop",
    identity: str = "1",
    **more: Any,
) -> dict[str, Any]:
    """Return a sample as inspect_ai 0.3.285 writes it."""
    turns = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
    sent = [{"id": f"t{n}", "source": "input", **turn} for n, turn in enumerate(turns)]
    reply = {"id": "r", "content": said, "source": "generate", "role": "assistant", "model": "m"}
    return {
        "id": identity,
        "epoch": epoch,
        "input": turns,
        "target": "A",
        "messages": [*sent, reply],
        "output": {
            "model": "m",
            "choices": [{"message": reply, "stop_reason": stop}],
            "completion": said if isinstance(said, str) else "",
            "usage": {"input_tokens": 112, "output_tokens": 10, "total_tokens": 122},
            "time": 0.5,
        },
        "scores": {"includes": {"value": float("nan")}},
        "metadata": {},
        "events": [{"event": "model", "filler": "x" * 200}],
        "attachments": {},
        "started_at": "2026-12-01T00:32:01.109336+00:00",
        "completed_at": "2026-12-01T00:32:01.231656+00:00",
        **more,
    }


def eval_log(
    samples: Sequence[Mapping[str, Any]],
    header: Mapping[str, Any] = HEADER,
    *,
    method: int = zipfile.ZIP_DEFLATED,
    named: str = "header.json",
) -> bytes:
    """Return an ``.eval`` file; method 93 is Zstandard, as inspect_ai writes it today."""
    members = {named: json.dumps(header).encode()}
    for number, sample in enumerate(samples):
        name = f"samples/{sample['id']}_{number}_epoch_{sample['epoch']}.json"
        members[name] = json.dumps(sample).encode()
    if method == 93:
        return zstandard_zip(members)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return out.getvalue()


def zstandard_zip(members: Mapping[str, bytes]) -> bytes:
    """Return a zip whose members are Zstandard in two frames each, as large ones are written."""
    out, listed = io.BytesIO(), []
    for name, data in members.items():
        packer, half = zstandard.ZstdCompressor(), len(data) // 2
        packed = packer.compress(data[:half]) + packer.compress(data[half:])
        listed.append((name.encode(), zlib.crc32(data), len(packed), len(data), out.tell()))
        crc, size, whole = listed[-1][1:4]
        fields = (b"PK\x03\x04", 63, 0, 93, 0, 33, crc, size, whole, len(name), 0)
        out.write(struct.pack("<4s5H3L2H", *fields) + name.encode() + packed)
    start = out.tell()
    for name, crc, size, whole, at in listed:
        fields = (b"PK\x01\x02", 63, 63, 0, 93, 0, 33, crc, size, whole, len(name))
        out.write(struct.pack("<4s6H3LH", *fields) + struct.pack("<4H2L", 0, 0, 0, 0, 0, at) + name)
    end = out.tell() - start
    count = len(listed)
    out.write(struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, end, start, 0))
    return out.getvalue()


def lm_eval_line(
    prompt: str,
    responses: Sequence[str],
    *,
    doc: int = 0,
    chat: bool = True,
    kept: str = "strict",
    **more: Any,
) -> dict[str, Any]:
    """Return a line of ``samples_*.jsonl`` as lm_eval 0.4.13 writes it."""
    turns = json.dumps([{"role": "user", "content": prompt}])
    settings = {"until": [], "do_sample": True, "temperature": 0.7, "max_gen_toks": 200}
    return {
        "doc_id": doc,
        "doc": {"id": f"k{doc}", "prompt": prompt},
        "target": "A",
        "arguments": {"gen_args_0": {"arg_0": [turns] if chat else prompt, "arg_1": settings}},
        "resps": [list(responses)],
        "filtered_resps": [responses[0][-1]],
        "filter": kept,
        "metrics": ["exact_match"],
        "doc_hash": "0" * 64,
        "prompt_hash": "1" * 64,
        "target_hash": "2" * 64,
        "exact_match": float("nan"),
        **more,
    }


def completion(text: str | None = "Answer: A", **changed: Any) -> dict[str, Any]:
    """Return the body of a chat completion."""
    message = {"role": "assistant", "content": text, **changed.pop("message", {})}
    return {
        "object": "chat.completion",
        "created": 1_796_000_000,
        "model": "m-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": changed.pop("end", "stop")}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 3},
        **changed,
    }


def batch_line(name: str, body: Any, status: int = 200, error: Any = None) -> dict[str, Any]:
    """Return a line of a batch's output."""
    response = {"status_code": status, "request_id": "r", "body": body} if body else None
    return {"id": "batch_req_1", "custom_id": name, "response": response, "error": error}


def batch_request(name: str, messages: Any, **body: Any) -> dict[str, Any]:
    """Return a request of a batch."""
    sent = {"model": "m", "messages": messages, **body}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": sent}


def json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
