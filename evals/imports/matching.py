"""Which frozen prompt a record is about: exactly that one, or none, with what differs.

Nothing is normalised in silence. Two named differences may be allowed, and are recorded: a given
system message before the prompt, and line ends behind it.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from core.hashing import digest_of
from core.prompt_keys import prompt_key, read_key
from core.rows import listed, told
from core.runs import Message
from core.study import WaveItem
from evals.imports.messages import as_document
from evals.imports.samples import Asked

TAIL = 48  # characters by which a longer text is looked up
LOOKED_AT = 2_000  # records for which it is asked what a frozen prompt would have been
Turns = Sequence[Message]


@dataclass(frozen=True, slots=True)
class Frozen:
    """A frozen prompt."""

    item: int
    wave: int
    name: str
    prompt_hash: str
    messages: tuple[Message, ...]
    withdrawn: bool


class Unmatched(Exception):
    """A record is about no frozen prompt; the text says why."""


@dataclass(slots=True)
class Prompts:
    """The frozen prompts of a study, by everything that can name one.

    Attributes
    ----------
    system, strip
        The differences that are allowed: the text of a system message, and line ends at the end.
    """

    system: str = ""
    strip: bool = False
    _hashes: dict[str, list[Frozen]] = field(default_factory=lambda: defaultdict(list))
    _keys: dict[str, Frozen] = field(default_factory=dict)
    _stripped: dict[str, list[Frozen]] = field(default_factory=lambda: defaultdict(list))
    _tails: dict[str, list[Frozen]] = field(default_factory=lambda: defaultdict(list))
    _folded: dict[str, list[Frozen]] = field(default_factory=lambda: defaultdict(list))
    _looked: int = 0

    def add(self, item: WaveItem) -> None:
        """Take up a frozen item; one that has no prompt cannot be asked, and is left out."""
        turns = item.document.get("messages")
        if not turns:
            return
        messages = tuple(Message(turn["role"], turn["content"]) for turn in turns)
        sealed = str(item.document["prompt_hash"])
        found = Frozen(item.id, item.wave, item.name, sealed, messages, item.withdrawn)
        self._hashes[sealed].append(found)
        self._keys[prompt_key(item.hash)] = found
        self._stripped[_hash(_without_end(messages))].append(found)
        self._tails[messages[-1].content[-TAIL:]].append(found)
        self._folded[_folded(messages)].append(found)

    def match(self, asked: Asked) -> Frozen:
        """Return the frozen prompt that a record is about.

        Raises
        ------
        Unmatched
            When there is none, there are several, or it was withdrawn.
        """
        found = self._by_content(asked)
        if asked.key:
            found = self._by_key(asked, found)
        found = [each for each in found if not each.withdrawn] or found
        if len(found) > 1:
            names = listed([each.name for each in found], 3)
            raise Unmatched(
                f"{len(found)} frozen items have this prompt ({names}); say by its key which is "
                "meant (wavelock export prompts)"
            )
        if found[0].withdrawn:
            raise Unmatched(f"{found[0].name} was withdrawn; no generation is taken for it")
        return found[0]

    def _by_content(self, asked: Asked) -> list[Frozen]:
        if asked.messages is None:
            return self._by_hash(asked.prompt_hash) if asked.prompt_hash else []
        taken = asked.messages
        found = self._hashes.get(_hash(taken), [])
        if not found:
            taken = self._allowed(asked.messages)
            found = self._hashes.get(_hash(taken), [])
        if not found and self.strip:
            found = self._stripped.get(_hash(_without_end(taken)), [])
        if not found:
            raise Unmatched(self._why(taken))
        if asked.prompt_hash and asked.prompt_hash not in {each.prompt_hash for each in found}:
            raise Unmatched(f"its prompt is that of {found[0].name}, and its prompt_hash is not")
        return found

    def _by_hash(self, sealed: str) -> list[Frozen]:
        if sealed not in self._hashes:
            raise Unmatched(f"no frozen prompt has the hash {told(sealed)}")
        return self._hashes[sealed]

    def _by_key(self, asked: Asked, found: list[Frozen]) -> list[Frozen]:
        key = read_key(asked.key)
        named = self._keys.get(key[0]) if key else None
        if named is None:
            raise Unmatched(f"no frozen item has the key {told(asked.key)}")
        if found and named not in found:
            raise Unmatched(f"its key is that of {named.name}, and its prompt is another")
        return [named]

    def _allowed(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return a prompt without the system message that is allowed before it."""
        if self.system and messages[0] == Message("system", self.system):
            return messages[1:] or messages
        return messages

    def _why(self, messages: Turns) -> str:
        """Say what differs from the frozen prompt that is nearest, for as long as that helps."""
        self._looked += 1
        if self._looked > LOOKED_AT:
            return "no frozen prompt is the same"
        for difference in _DIFFERENCES:
            if why := difference(self, messages):
                return why
        return "no frozen prompt is like it"

    # Each of these looks for one difference, and nothing else; the first that is found is told.

    def _more_system(self, messages: Turns) -> str:
        if messages[0].role != "system":
            return ""
        near = self._hashes.get(_hash(messages[1:]), [])
        if near:
            said = told(messages[0].content)
            return f"{near[0].name} with a system message before it: {said} (--ignore-system)"
        return ""

    def _other_end(self, messages: Turns) -> str:
        near = self._stripped.get(_hash(_without_end(messages)), [])
        return (
            f"{near[0].name} with other line ends behind it (--strip-trailing-newline)"
            if near
            else ""
        )

    def _more_turns(self, messages: Turns) -> str:
        for start in range(1, len(messages)):
            if near := self._hashes.get(_hash(messages[start:]), []):
                return f"{near[0].name} with {start} turns before it, such as examples (few-shot)"
        return ""

    def _other_space(self, messages: Turns) -> str:
        near = self._folded.get(_folded(messages), [])
        if not near:
            return ""
        ours, theirs = _joined(near[0].messages), _joined(messages)
        if unicodedata.normalize("NFC", ours) == unicodedata.normalize("NFC", theirs):
            return f"{near[0].name} in another Unicode form{_where(ours, theirs)}"
        return f"{near[0].name} with other white space or Unicode form{_where(ours, theirs)}"

    def _within(self, messages: Turns) -> str:
        text = messages[-1].content
        for near in self._keys.values():
            ours = near.messages[-1].content
            if text == ours:
                return f"{near.name} with other turns around it"
            if ours in text:
                return f"{near.name} with text around it, such as examples or a chat template"
        return ""

    def _similar(self, messages: Turns) -> str:
        text = _joined(messages)
        for near in self._tails.get(messages[-1].content[-TAIL:], [])[:50]:
            ours = _joined(near.messages)
            if SequenceMatcher(None, ours, text, autojunk=False).quick_ratio() > 0.9:
                return f"like {near.name}, but not it{_where(ours, text)}"
        return ""


_DIFFERENCES: tuple[Callable[[Prompts, Turns], str], ...] = (
    Prompts._more_system,
    Prompts._other_end,
    Prompts._more_turns,
    Prompts._other_space,
    Prompts._within,
    Prompts._similar,
)


def prompts_of(items: Sequence[WaveItem], *, system: str = "", strip: bool = False) -> Prompts:
    """Return the frozen prompts of a study, with the differences that are allowed."""
    found = Prompts(system, strip)
    for item in items:
        found.add(item)
    return found


def options_of(prompts: Prompts) -> Mapping[str, str | bool]:
    """Return the differences that are allowed, as a run records them."""
    allowed: dict[str, str | bool] = {}
    if prompts.system:
        allowed["ignore_system"] = prompts.system
    if prompts.strip:
        allowed["strip_trailing_newline"] = True
    return allowed


def _hash(messages: Turns) -> str:
    return digest_of(as_document(messages))


def _without_end(messages: Turns) -> tuple[Message, ...]:
    last = messages[-1]
    return (*messages[:-1], Message(last.role, last.content.rstrip("\r\n")))


def _joined(messages: Turns) -> str:
    return "\n".join(turn.content for turn in messages)


def _folded(messages: Turns) -> str:
    """Return a prompt without its white space, in one Unicode form: what looks the same."""
    folded = unicodedata.normalize("NFKC", _joined(messages))
    return digest_of("".join(folded.split()))


def _where(ours: str, theirs: str) -> str:
    """Say where two texts begin to differ."""
    pairs = zip(ours, theirs, strict=False)
    at = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
    here, there = told(ours[at : at + 12]), told(theirs[at : at + 12])
    return f", from character {at + 1} on: {there} for {here}"
