"""Keys, signatures and seals: each for one purpose, and a journal that cannot be rearranged."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.marks import packet_header
from core.packets import Entry, Header, derive, intact, seal

KEYS = {"AAAA": b"a" * 32, "BBBB": b"b" * 32}
EVENTS = st.lists(st.tuples(st.sampled_from(sorted(KEYS)), st.text()), min_size=1, max_size=6)


def journal(events: list[tuple[str, str]]) -> list[Entry]:
    found: list[Entry] = []
    previous = ""
    for place, (handle, event) in enumerate(events, start=1):
        previous = seal(KEYS[handle], previous, place, handle, event)
        found.append(Entry(place, handle, event, previous))
    return found


@given(EVENTS, st.data())
def test_a_journal_is_whole_or_faulty(events: list[tuple[str, str]], data: st.DataObject) -> None:
    """As it was written, and every beginning of it, it is intact; changed anywhere it is not."""
    entries = journal(events)
    assert all(intact(entries[:length], KEYS) for length in range(len(entries) + 1))
    place = data.draw(st.integers(0, len(entries) - 1))
    entry = entries[place]
    for changed in (
        replace(entry, event=entry.event + "x"),
        replace(entry, handle="AAAA" if entry.handle == "BBBB" else "BBBB"),
        replace(entry, sequence=entry.sequence + 1),
        replace(entry, seal="é"),
    ):
        assert not intact([*entries[:place], changed, *entries[place + 1 :]], KEYS)
    if place + 1 < len(entries):
        assert not intact([*entries[:place], *entries[place + 1 :]], KEYS)
        swapped = [*entries[:place], entries[place + 1], entry, *entries[place + 2 :]]
        assert not intact(swapped, KEYS)


def test_an_unknown_code_is_a_fault_to_the_study_alone() -> None:
    """A person has the key of their own code; the entries of another still stand in their order."""
    entries = journal([("AAAA", "1"), ("BBBB", "2"), ("AAAA", "3")])
    mine = {"AAAA": KEYS["AAAA"]}
    assert not intact(entries, mine)
    assert intact(entries, mine, all_known=False)
    assert not intact([entries[0], entries[2]], mine, all_known=False)


def test_no_key_tells_another() -> None:
    """Every purpose and every packet has keys of its own."""
    purposes = ("study", "signature", "completion", "lock", "answers")
    keys = {derive(b"k", purpose, name) for purpose in purposes for name in ("A", "B", "")}
    assert len(keys) == 15


def test_a_header_is_signed_as_a_whole() -> None:
    """Every field is part of what the signature is made over."""
    header = Header("A", "study", "sheet", "now")
    texts = {
        replace(header, **{name: "other"}).text()
        for name in ("name", "study", "sheet", "issued_at")
    }
    assert len(texts | {header.text()}) == 5


@given(st.binary(max_size=120))
def test_other_files_are_no_packets(data: bytes) -> None:
    """Only the three marks together make a packet."""
    assert not packet_header(data)
