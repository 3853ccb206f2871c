"""The batches of the local server in the words of OpenAI and of Anthropic."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from evals.mock.batches import BatchDesk, Entry, Held, content_of

_PATHS = re.compile(
    r"(?:/v\d\w*)?/(?P<what>files|batches|messages/batches)"
    r"(?:/(?P<id>[\w-]+))?(?:/(?P<act>content|cancel|results))?"
)
_MOST = {"completions": 50_000, "anthropic": 100_000}
_ERRORS = {
    "rate_limited": (429, "rate_limit_error", "slow down"),
    "server_error": (500, "api_error", "something broke"),
    "invalid": (400, "invalid_request_error", "this request is not as it must be"),
}
LINES = "application/x-jsonl"


@dataclass(frozen=True, slots=True)
class Out:
    """An answer; ``None`` as its body: the connection ends without one."""

    status: int
    body: bytes | None
    headers: Mapping[str, str] | None = None
    cut: bool = False


def is_batch(path: str) -> bool:
    """Whether a path is one of files or batches."""
    return _PATHS.fullmatch(urlsplit(path).path) is not None


def respond(
    desk: BatchDesk, method: str, path: str, headers: Mapping[str, str], body: bytes
) -> Out:
    """Return the answer to one request about files or batches."""
    found = _PATHS.fullmatch(urlsplit(path).path)
    what, name, act = found.group("what", "id", "act") if found else ("", None, None)
    protocol = "anthropic" if what == "messages/batches" else "completions"
    if what == "files":
        return _upload(desk, headers, body) if method == "POST" else _content(desk, name or "")
    if not name:
        return _create(desk, protocol, body) if method == "POST" else _list(desk, protocol, path)
    held = desk.batches.get(name)
    if held is None or held.protocol != protocol:
        return _error(404, f"there is no batch {name}")
    return _results(desk, held, f"{name}-output") if act == "results" else _look(desk, held, act)


def _look(desk: BatchDesk, held: Held, act: str | None) -> Out:
    if act == "cancel":
        held.cancelled_at = held.cancelled_at or desk.now
    elif desk.spend(held, "poll_500"):
        return _error(500, "something broke")
    return _json(_shown(desk, held))


def _upload(desk: BatchDesk, headers: Mapping[str, str], body: bytes) -> Out:
    boundary = headers.get("content-type", "").partition("boundary=")[2].encode()
    parts = body.split(b"--" + boundary) if boundary else []
    file = next((part for part in parts if b'name="file"' in part[:400]), b"")
    if not file or not any(b'name="purpose"' in p and b"batch" in p for p in parts):
        return _error(400, "a form with purpose and file is needed")
    name = f"file_{len(desk.files) + 1:06}"
    desk.files[name] = file.partition(b"\r\n\r\n")[2]
    return _json({"id": name, "object": "file", "purpose": "batch"})


def _create(desk: BatchDesk, protocol: str, body: bytes) -> Out:
    try:
        given, more = _given(desk, protocol, json.loads(body))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return _error(400, f"this is no batch: {error}")
    if not 0 < len(given) <= _MOST[protocol]:
        return _error(400, f"a batch has from 1 to {_MOST[protocol]} requests")
    fault = desk.fault_of(content_of(given))
    if fault == "validation_failed" and protocol == "anthropic":
        desk.done[fault] += 1
        return _error(400, "a request is not as it must be")
    if fault in {"submit_429", "submit_500"}:
        desk.done[fault] += 1
        if fault == "submit_429":
            return Out(429, b'{"error": {"message": "slow down"}}', {"Retry-After": "0"})
        return _error(500, "something broke")
    held = desk.take(protocol, given, fault, **more)
    return Out(200, None) if desk.spend(held, "lost_reply") else _json(_shown(desk, held))


def _given(
    desk: BatchDesk, protocol: str, asked: Mapping[str, Any]
) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
    """Return the requests of a batch by their names, and what else is known of it."""
    if protocol == "anthropic":
        found = [(entry["custom_id"], entry["params"]) for entry in asked["requests"]]
        for name, _ in found:
            if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name):
                raise ValueError(f"custom_id {name}")
        return found, {}
    if (asked["completion_window"], asked["endpoint"]) != ("24h", "/v1/chat/completions"):
        raise ValueError("window or endpoint")
    lines = [json.loads(line) for line in desk.files[asked["input_file_id"]].splitlines() if line]
    for line in lines:
        if (line["method"], line["url"]) != ("POST", asked["endpoint"]):
            raise ValueError("method or url of a line")
    found = [(line["custom_id"], line["body"]) for line in lines]
    return found, {"file": asked["input_file_id"], "metadata": asked.get("metadata") or {}}


def _list(desk: BatchDesk, protocol: str, path: str) -> Out:
    query = parse_qs(urlsplit(path).query)
    mine = [held for held in reversed(desk.batches.values()) if held.protocol == protocol]
    after = next((query[name][0] for name in ("after", "after_id") if name in query), None)
    names = [held.id for held in mine]
    begin = names.index(after) + 1 if after in names else 0
    page = mine[begin : begin + int(query.get("limit", ["20"])[0])]
    data = [_shown(desk, held) for held in page]
    return _json({"data": data, "has_more": begin + len(page) < len(mine)})


def _content(desk: BatchDesk, file: str) -> Out:
    held = desk.batches.get(file.rpartition("-")[0])
    return _results(desk, held, file) if held else _error(404, f"there is no file {file}")


def _results(desk: BatchDesk, held: Held, file: str) -> Out:
    """Return the results of a batch; OpenAI has those that failed in a file of their own."""
    if desk.stands(held) != "over":
        return _error(400, "the results are not there yet")
    if not desk.kept(held) or held.fault == "gone":
        desk.done["gone"] += 1
        return _error(404, "the results are not kept any more")
    if desk.spend(held, "html"):
        return Out(200, b"<html>one moment</html>", {"Content-Type": "text/html"})
    if held.protocol == "anthropic":
        lines = desk.lines(held, lambda entry, became: _anthropic(desk, held, entry, became))
    else:
        every = desk.lines(held, lambda entry, became: _openai(desk, held, entry, became))
        good = file.endswith("-output")
        lines = [line for line in every if _is_good(line) is good]
    if desk.spend(held, "short"):
        lines = lines[: len(lines) * 2 // 3]
    written = [json.dumps(line).encode() + b"\n" for line in lines]
    raw = b"".join(written)
    if desk.spend(held, "truncated"):
        raw = b"".join(written[: len(written) * 2 // 3 + 1])[:-9]  # in the midst of a line
    return Out(200, raw, {"Content-Type": LINES}, cut=desk.spend(held, "cut"))


def _is_good(line: Mapping[str, Any]) -> bool:
    response = line.get("response")
    return isinstance(response, dict) and response["status_code"] == 200


def _openai(desk: BatchDesk, held: Held, entry: Entry, became: str) -> dict[str, Any]:
    line: dict[str, Any] = {"id": "batch_req", "custom_id": entry.name}
    if became in {"expired", "cancelled"}:
        error = {"code": f"batch_{became}", "message": "this request was not executed"}
        return {**line, "response": None, "error": error}
    if became in _ERRORS:
        status, kind, message = _ERRORS[became]
        body: Any = {"error": {"type": kind, "message": message}}
    else:
        status, body = 200, desk.answer(held, entry)
    response = {"status_code": status, "request_id": "req", "body": body}
    return {**line, "response": response, "error": None}


def _anthropic(desk: BatchDesk, held: Held, entry: Entry, became: str) -> dict[str, Any]:
    if became in {"expired", "cancelled"}:
        result: dict[str, Any] = {"type": became.replace("cancelled", "canceled")}
    elif became in _ERRORS:
        _, kind, message = _ERRORS[became]
        error = {"type": "error", "error": {"type": kind, "message": message}}
        result = {"type": "errored", "error": error}
    else:
        result = {"type": "succeeded", "message": desk.answer(held, entry)}
    return {"custom_id": entry.name, "result": result}


def _shown(desk: BatchDesk, held: Held) -> dict[str, Any]:
    stands = desk.stands(held)
    total = len(held.entries)
    became = [desk.became(held, place) for place in range(total)] if stands == "over" else []
    good = sum(1 for fault in became if fault in {"", "duplicate_line", "missing_line"})
    if held.protocol == "anthropic":
        status = (
            "ended" if stands == "over" else "canceling" if held.cancelled_at else "in_progress"
        )
        counts = {
            "processing": 0 if stands == "over" else total,
            "succeeded": good,
            "errored": sum(fault in _ERRORS for fault in became),
            "canceled": became.count("cancelled"),
            "expired": became.count("expired"),
        }
        return {
            "id": held.id,
            "type": "message_batch",
            "processing_status": status,
            "request_counts": counts,
            "created_at": _moment(held.made_at),
            "expires_at": _moment(held.made_at + 24 * 3600),
            "results_url": "https://elsewhere.invalid/results" if stands == "over" else None,
        }
    names = {"failed": "failed", "going": "in_progress", "finalising": "finalizing"}
    status = names.get(stands) or desk.ended(held)
    if stands == "going" and held.cancelled_at:
        status = "cancelling"
    files = {}
    if stands == "over":
        files["output_file_id"] = f"{held.id}-output"
        if good < total:
            files["error_file_id"] = f"{held.id}-error"
    refused = [{"code": "refused", "message": held.refused, "line": None}] if held.refused else []
    return {
        "id": held.id,
        "object": "batch",
        "status": status,
        "input_file_id": held.file,
        "metadata": held.metadata,
        "created_at": int(held.made_at),
        "expires_at": int(held.made_at + 24 * 3600),
        "errors": {"object": "list", "data": refused} if refused else None,
        "request_counts": {"total": total, "completed": good, "failed": len(became) - good},
        **files,
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _json(value: Any) -> Out:
    return Out(200, json.dumps(value).encode())


def _error(status: int, message: str) -> Out:
    return Out(status, json.dumps({"error": {"message": message}}).encode())
