"""Texts that a study shows, in Markdown: headings, paragraphs, lists and bold words are drawn.

Everything else stays as it was written. A link is no link, nothing is fetched, and no character
does anything but stand there: the text is data.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from ui.text import visible

HEADING = re.compile(r"#{1,6} +(?P<text>.*?)(?: +#+)?")
ITEM = re.compile(r"(?P<indent> *)(?P<mark>[-*+]|\d{1,3}[.)]) +(?P<text>.*)")
BOLD = re.compile(r"\*\*(\S(?:.*?\S)?)\*\*")
WIDE = ("W", "F")  # characters of scripts that put no space between words


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, or one point of a list with its mark."""

    text: str
    heading: bool = False
    mark: str = ""

    @property
    def plain(self) -> str:
        """The block without the signs that make words bold."""
        return self.mark + BOLD.sub(r"\1", self.text)


def blocks(text: str) -> tuple[Block, ...]:
    r"""Return a text as blocks of one line each, with whatever would act made visible.

    Examples
    --------
    >>> [block.plain for block in blocks("# Hello\nyou\n\n- one\n  **point**")]
    ['Hello', 'you', '• one point']
    """
    found: list[Block] = []
    goes_on = False  # whether the next line belongs to the last block
    for line in visible(text).expandtabs(4).split("\n"):
        if heading := HEADING.fullmatch(line.rstrip()):
            found.append(Block(heading["text"], heading=True))
        elif item := ITEM.fullmatch(line):
            mark = "•" if item["mark"] in "-*+" else item["mark"]
            found.append(Block(item["text"].strip(), mark=f"{item['indent']}{mark} "))
        elif goes_on:
            found[-1] = replace(found[-1], text=_joined(found[-1].text, line.strip()))
        elif line.strip():
            found.append(Block(line.strip()))
        goes_on = bool(line.strip()) and not heading
    return tuple(found)


def _joined(text: str, line: str) -> str:
    ends = text[-1:] + line[:1]
    between = "" if all(unicodedata.east_asian_width(end) in WIDE for end in ends) else " "
    return f"{text}{between}{line}".strip()
