"""The key of a frozen item: under it a prompt goes elsewhere, and its responses come back.

A key says nothing of scenario, condition or gold, so it may be shown to anybody. It is the
beginning of the hash of the frozen item, and so names one item in one text.
"""

from __future__ import annotations

import re

from core.hashing import PREFIX

MARK = "wl-"
LENGTH = 16  # hexadecimal digits; 64 bits tell any number of frozen items apart
_KEY = re.compile(rf"({MARK}[0-9a-f]{{{LENGTH}}})(?:-([1-9][0-9]{{0,8}}))?")


def prompt_key(item_hash: str) -> str:
    """Return the key of a frozen item, from its hash.

    Examples
    --------
    >>> prompt_key("sha256:0123456789abcdef0123")
    'wl-0123456789abcdef'
    """
    return MARK + item_hash.removeprefix(PREFIX)[:LENGTH]


def sample_key(key: str, sample: int) -> str:
    """Return the key of one sample of an item, such as a batch needs for each request."""
    return f"{key}-{sample}"


def read_key(text: str) -> tuple[str, int | None] | None:
    """Return the item's key and the sample that a text names; ``None`` when it is no key.

    Examples
    --------
    >>> read_key("wl-0123456789abcdef-3")
    ('wl-0123456789abcdef', 3)
    >>> read_key("request-3") is None
    True
    """
    found = _KEY.fullmatch(text)
    if found is None:
        return None
    return found[1], int(found[2]) if found[2] else None


def first_key(*values: object) -> str:
    """Return the first of some values that is a key of ours; empty where none is."""
    return next((each for each in values if isinstance(each, str) and read_key(each)), "")
