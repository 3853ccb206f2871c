"""Whatever stands anywhere in a record of any format: it is a sample, or it is said why not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.hashing import canonical
from evals.imports.files import opened
from evals.imports.formats import samples_of
from evals.imports.matching import Unmatched
from evals.imports.samples import Format, How, Sample
from tests.evals.imports import theirs
from tests.evals.imports.test_matching import TEXT, item, prompts_of, user

PROMPTS = prompts_of([item(1, user(TEXT))])
TURNS = [{"role": "user", "content": TEXT}]
RECORDS: dict[Format, Any] = {
    "jsonl": {
        "key": "wl-0123456789abcdef-1", "prompt_hash": "sha256:0", "messages": TURNS,
        "response": "a", "reasoning": "b", "finish_reason": "stop", "state": "ok", "error": None,
        "usage": {"prompt_tokens": 1}, "tokens_in": 1, "started": "2026-01-01T00:00:00Z",
        "seconds": 1.5, "model": "m", "sample": 1, "intervention": "", "temperature": 0.5,
        "seed": 1, "reasoning_effort": "low",
    },
    "inspect": {**theirs.HEADER, "samples": [
        theirs.inspect_sample(TEXT, [{"type": "text", "text": "a"}], metadata={"key": "x"},
                              scores={}),
    ]},
    "lm-eval": theirs.lm_eval_line(TEXT, ["a", "b"], exact_match=1.0),
    "openai-batch": theirs.batch_line("wl-0123456789abcdef-1", theirs.completion()),
}  # fmt: skip
NAMES = st.text(max_size=6)
NUMBERS = st.integers() | st.sampled_from([10**30, -(10**400), 1e308, 0.5])
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | NAMES | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def paths(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in a document."""
    if before:
        yield before
    listed = enumerate(value) if isinstance(value, list) else ()
    for name, entry in value.items() if isinstance(value, dict) else listed:
        yield from paths(entry, (*before, name))


@pytest.mark.parametrize("form", RECORDS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_record_breaks_a_reader(form: Format, tmp_path: Path, data: Any) -> None:
    """One value anywhere is another one; what is taken of it can be stored."""
    record = json.loads(json.dumps(RECORDS[form]))
    *into, last = data.draw(st.sampled_from(list(paths(record))))
    place = record
    for name in into:
        place = place[name]
    place[last] = data.draw(JSON)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(record))
    try:
        entries = list(samples_of(opened(path), form, How(model="m")))
    except InputError:
        return
    for entry in entries:
        if isinstance(entry, Sample):
            reply = entry.reply
            kept = [reply.visible_text, reply.reasoning, reply.error, reply.finish_reason]
            kept += [reply.answered_by, entry.model, entry.intervention, entry.asked.key]
            kept += [canonical(reply.usage), canonical(entry.decoding), reply.started_at]
            "".join(kept).encode()
            with suppress(Unmatched):
                PROMPTS.match(entry.asked)
                reply.request.encode()
