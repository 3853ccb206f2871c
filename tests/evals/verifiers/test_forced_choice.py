from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError, NotFound
from evals.verifiers.catalogue import names, verifier

DOCUMENT = {
    "options": [{"action": "heavy", "label": "Drive"}, {"action": "light", "label": "Walk"}]
}
READER = verifier("forced-choice")

# The handed reference cases by their ids; the ambiguous ones as their recommended reading.
CASES = [
    ("fc-02", "Answer: B", "B"),
    ("fc-03", "Answer: B\r\nReason follows.", "B"),
    ("fc-06", "Answer: Both are fine", "nonconforming"),
    ("fc-08", "Answer: B/A", "nonconforming"),
    ("fc-09", "Let me compare.\nAnswer: A", "nonconforming"),
    ("fc-12", "Answer: B (not A)", "nonconforming"),
    ("fc-14", "Answer: b", "nonconforming"),
    ("fc-15", "**Answer: A**", "nonconforming"),
    ("fc-18", "Answer: B)", "nonconforming"),
    ("fc-19", "\nAnswer: A", "nonconforming"),
    ("fc-22", "Answer: Ｂ", "nonconforming"),
    ("fc-23", "Answer: А", "nonconforming"),
    ("fc-25", "Answer: A\nAnswer: B", "A"),
    ("fc-27", "Answer:", "nonconforming"),
    ("fc-29", "Answer: AB", "nonconforming"),
    ("fc-31", "Answer: not A", "nonconforming"),
    ("fc-33", "Answer: A  \nReason", "A"),
    ("ours-1", "Answer: A\rReason", "A"),
    ("ours-2", "Answer: A\u00a0\t\nReason", "A"),
    ("ours-3", "Answer: A\u2028Reason", "nonconforming"),
    ("ours-4", " Answer: A", "nonconforming"),
    ("ours-5", "Answer:  A", "nonconforming"),
    ("ours-6", "Answer: C", "nonconforming"),
    ("ours-7", "", "nonconforming"),
    ("ours-8", "\ufeffAnswer: A", "nonconforming"),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_cases(name: str, text: str, expected: str) -> None:
    """Every handed case is read as it is handed, each ambiguous one as recommended."""
    reading = READER.read(text, DOCUMENT)
    assert reading.verdict == expected
    assert reading.evidence == text.replace("\r", "\n").split("\n")[0].rstrip()


def test_the_letters_are_those_of_the_item() -> None:
    """A letter counts when the item has that many options."""
    document = {"options": [{"action": a, "label": a} for a in "wxyz"]}
    assert READER.read("Answer: D", document).verdict == "D"
    assert READER.read("Answer: E", document).verdict == "nonconforming"


@pytest.mark.parametrize("document", [{}, {"options": []}, {"options": None}])
def test_an_item_without_options_is_bad_input(document: dict[str, object]) -> None:
    """An item that offers nothing to choose is an error, not a nonconforming reply."""
    with pytest.raises(InputError, match="offers no options"):
        READER.read("Answer: A", document)


def test_evidence_is_bounded() -> None:
    """A reply that is one endless line does not become endless evidence."""
    assert len(READER.read("x" * 100_000, DOCUMENT).evidence) == 200


@given(st.text() | st.text(alphabet="Answer: AB\r\n*)").map(lambda tail: f"Answer: {tail}"))
def test_no_text_raises(text: str) -> None:
    """Any text has a verdict, and a letter is read only from a first line that says just that."""
    reading = READER.read(text, DOCUMENT)
    assert reading.verdict in {"A", "B", "nonconforming"}
    if reading.verdict != "nonconforming":
        assert reading.evidence == f"Answer: {reading.verdict}"
        assert text.startswith(reading.evidence)


def test_unknown_verifiers_are_refused() -> None:
    """An unknown verifier never passes: it is refused with the names that there are."""
    assert "forced-choice" in names()
    with pytest.raises(NotFound, match="forced-choice"):
        verifier("forced_choise")
