"""The marks by which a file is known as ours, in the 100 bytes that SQLite keeps at its beginning.

They stand apart from what studies and packets are, because a file is looked at before anything that
reads it is loaded.
"""

from __future__ import annotations

HEADER = 100  # bytes
APPLICATION_ID = 0x57_56_4C_4B  # "WVLK"
PACKET = 1  # the user version of a packet; a study has 0


def own_header(header: bytes) -> bool:
    """Return whether a file that begins with these bytes is a study or a packet."""
    sqlite = header.startswith(b"SQLite format 3\0")
    return sqlite and int.from_bytes(header[68:72], "big") == APPLICATION_ID


def packet_header(header: bytes) -> bool:
    """Return whether a file that begins with these bytes is a packet."""
    return own_header(header) and int.from_bytes(header[60:64], "big") == PACKET
