from __future__ import annotations

from collections import Counter
from typing import Any

from core.hashing import digest
from core.runs import GenerationKey, Message
from evals.models import Prompt, parse_model
from evals.runner import run
from evals.scripted import reply
from evals.verifiers.forced_choice import ForcedChoice

DOCUMENT = {"options": [{"action": "a", "label": "A"}, {"action": "b", "label": "B"}]}


def prompt(number: int, sample: int = 1, run: int = 1, content: str = "?") -> Prompt:
    key = GenerationKey(run, number, digest(str(number)), sample)
    return Prompt(key, (Message("user", content),))


def verdict(of: Prompt) -> str:
    return ForcedChoice().read(reply(of).visible_text, DOCUMENT).verdict


def test_the_same_prompt_and_sample_give_the_same_reply() -> None:
    """The scripted model depends on prompt and sample alone, not on run or study."""
    texts = [reply(prompt(7, 3, run=number)).visible_text for number in (1, 2)]
    assert texts[0] == texts[1]


def test_its_replies_vary_like_a_models() -> None:
    """It leans: prompts differ in their odds, samples within a prompt, and few break the form."""
    drawn = [[verdict(prompt(n, s)) for s in range(1, 21)] for n in range(100)]
    counted = Counter(v for verdicts in drawn for v in verdicts)
    assert 0.02 < counted["nonconforming"] / 2000 < 0.07
    assert 0.35 < counted["A"] / 2000 < 0.65
    shares = [verdicts.count("A") / 20 for verdicts in drawn]
    assert min(shares) < 0.2
    assert max(shares) > 0.8
    assert sum(0.2 < share < 0.8 for share in shares) > 20


def test_it_answers_with_the_letters_on_offer() -> None:
    """It picks among the letters that the prompt offers, and A or B when it offers none."""
    offer = "'Answer: A', 'Answer: B' or 'Answer: C'"
    texts = [reply(prompt(n, content=offer)).visible_text for n in range(60)]
    assert {text[8] for text in texts if text.startswith("Answer: ")} == {"A", "B", "C"}


def test_its_runs_are_named_scripted_and_repeat(make_study: Any) -> None:
    """Two studies get the same replies under one digest, and the run is called scripted."""
    digests = []
    for _ in range(2):
        study = make_study(6)
        summary = run(study, parse_model("scripted"), conditions=("Active",), samples=5)
        entry = study.runs.run(summary.run)
        assert (entry.model, entry.kind) == ("scripted", "scripted")
        assert "fake" in entry.config["build"]["note"]
        digests.append(entry.digest)
    assert digests[0] == digests[1]
