"""Packets: one seat's work in a file of its own, and how it is signed, locked and sealed.

Three questions, each answered by HMAC-SHA256 under a key of its own:

*Is it what was handed out?* The header names the packet and the digest of its sheet, which is all
that is shown. It is signed with the study's secret, which never leaves the study.

*Who may answer?* Whoever has an access code of the seat. Of a code the study keeps the scrypt hash
H, and the packet not even that: it holds a lock made from H. The right code gives H again; without
it H cannot be had but by guessing codes, each of which costs one scrypt.

*Are the answers whole?* Every answer is an entry of a journal. Its seal is made over the entry and
the seal before it, with a key made from H. The study has H and checks every seal, so that nobody
without a code can add, change, reorder or take out an entry. Cutting off the end is the exception:
an older copy of a packet is a true packet.

What no seal can prove: whoever has the code has the key, so the person of the seat can make a
journal that says what they like, times included. It proves that it was made with the code.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.forms import Form
from core.hashing import canonical
from core.items import BlindItem

FORMAT = 1
Purpose = Literal["study", "signature", "completion", "lock", "answers"]
PacketState = Literal["out", "partly in", "in", "revoked", "late"]


@dataclass(frozen=True, slots=True)
class Lock:
    """An access code as a packet knows it: enough to try a code, not enough to make a seal."""

    handle: str
    salt: bytes = field(repr=False)
    proof: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that a packet is made from. There is no field for anything that could bias."""

    name: str
    secret: str = field(repr=False)  # of its completion code
    form: Form
    texts: Mapping[str, str]
    items: tuple[BlindItem, ...]
    locks: tuple[Lock, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """What a packet says it is; signed."""

    name: str
    study: str
    sheet: str
    issued_at: str

    def text(self) -> str:
        """Return what the signature is made over."""
        values = {"packet": self.name, "study": self.study, "sheet": self.sheet}
        return canonical({**values, "issued_at": self.issued_at, "format": FORMAT})


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a packet's journal: canonical JSON of what was said, under a seal."""

    sequence: int
    handle: str  # of the code it was made with
    event: str
    seal: str


@dataclass(frozen=True, slots=True)
class IssuedPacket:
    """A packet as the study knows it: whose it is, and the assignment at each place of its list."""

    id: int
    name: str
    seat: int
    sheet: str
    issued_at: str
    places: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class PacketStatus:
    """A packet in the list of packets.

    Attributes
    ----------
    state
        ``out``, ``partly in``, ``in`` (every item), ``revoked`` (no code that opens it works any
        more) or ``late`` (its round is closed); of the last two nothing more is taken.
    taken, conflicts
        Items whose answers came in by this packet; items that had an answer from elsewhere.
    """

    name: str
    round: str
    seat: int
    items: int
    state: PacketState
    taken: int
    conflicts: int
    issued_at: str
    merged_at: str | None


def derive(key: bytes, purpose: Purpose, text: str = "") -> bytes:
    """Return a key, or a proof, for one purpose; none of them tells anything of another."""
    message = canonical(["wavelock packet", purpose, text])
    return hmac.digest(key, message.encode(), hashlib.sha256)


def seal(key: bytes, previous: str, sequence: int, handle: str, event: str) -> str:
    """Return the seal of an entry, over the seal before it."""
    message = canonical([previous, sequence, handle, event])
    return hmac.digest(key, message.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()


def intact(entries: Iterable[Entry], keys: Mapping[str, bytes], *, all_known: bool = True) -> bool:
    """Return whether every entry follows the one before it and carries its seal.

    Parameters
    ----------
    keys
        By handle. Entries of other codes are faults, unless `all_known` is false: whoever opens a
        packet has only the key of the code that they typed.
    """
    previous = ""
    for place, entry in enumerate(entries, start=1):
        key = keys.get(entry.handle)
        if entry.sequence != place or (key is None and all_known):
            return False
        if key is not None:
            right = seal(key, previous, place, entry.handle, entry.event)
            if not hmac.compare_digest(right.encode(), entry.seal.encode("utf-8", "replace")):
                return False
        previous = entry.seal
    return True
