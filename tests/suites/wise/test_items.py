"""From tasks to prompts: how many there are, what they say, and that their bytes do not move."""

from __future__ import annotations

import json
from pathlib import Path

from core.hashing import digest_all, digest_of
from core.study import WaveItem
from evals.verifiers.catalogue import faults
from evals.verifiers.lengths import word_count
from suites.wise.suite import SUITE
from tests.papers.table import read
from tests.suites.wise.making import frozen

GOLDEN = Path(__file__).parent / "golden" / "prompts.json"
WHOLE = ("W001", "W012", "W100")  # tasks whose prompts stand in the golden file in full


def everything() -> tuple[WaveItem, ...]:
    return frozen(SUITE)


def manifest(items: tuple[WaveItem, ...]) -> dict[str, object]:
    """Return what the golden file holds: a digest per condition, and some prompts in full."""
    by_condition: dict[str, list[str]] = {}
    for item in items:
        line = digest_of([item.scenario, item.document["prompt_hash"]])
        by_condition.setdefault(item.condition, []).append(line)
    whole = {
        f"{item.scenario} {item.condition}": item.document["messages"]
        for item in items
        if item.scenario in WHOLE
    }
    return {
        "digests": {name: digest_all(lines) for name, lines in by_condition.items()},
        "prompts": whole,
    }


def test_prompts_are_the_same_bytes_as_ever() -> None:
    """A changed task, template or rendering changes what was measured: it must be meant."""
    assert manifest(everything()) == json.loads(GOLDEN.read_text("utf-8"))


def test_2500_prompts_of_which_2100_differ() -> None:
    """A panel runs its own copy of each of its forms; POS and AVOID1 are in three."""
    items = everything()
    assert len(items) == 2_500
    assert len({item.document["prompt_hash"] for item in items}) == 2_100


def test_a_prompt_is_one_user_message_without_system_prompt() -> None:
    """The task, then the instruction; N in digits."""
    for item in everything():
        (message,) = item.document["messages"]
        assert message["role"] == "user"
        task = item.document["facts"]["task"]
        assert message["content"].startswith(f"{task} ")
        if "word-count" in item.document["parameters"]:
            assert f" {item.document['facts']['target']}" in message["content"]


def test_every_verifier_finds_its_parameters_said_in_the_prompt() -> None:
    """Nothing would keep these items from being frozen, and each asks for one verifier."""
    for item in everything():
        assert faults(item.document) == ()
        assert item.document["verifiers"] == list(item.document["parameters"])
        assert len(item.document["verifiers"]) == 1


def test_the_survey_shows_target_and_instruction_and_no_name_of_a_form() -> None:
    """Twenty-four items; a rater sees neither task, form, panel nor scenario id."""
    surveyed = frozen(SUITE, SUITE.surveyed)
    assert len(surveyed) == 24
    names = {name.split("/")[1] for name in SUITE.surveyed}
    for item in surveyed:
        target = item.document["facts"]["target"]
        text = item.document["text"]
        assert text.startswith(f"Target: {target} words.\n\nInstruction: ")
        assert not any(name in text for name in (*names, "wording", item.scenario))
        assert item.document["parameters"] == {}


def test_the_survey_asks_about_the_wordings_that_models_were_asked() -> None:
    """The instruction of the survey is the one at the end of the prompt, letter by letter."""
    prompts = {
        (item.condition.split("/")[1], item.document["facts"]["target"]): item.document["text"]
        for item in everything()
        if item.condition.startswith("avoidance/")
    }
    for item in frozen(SUITE, SUITE.surveyed):
        form, target = item.condition.split("/")[1], item.document["facts"]["target"]
        instruction = item.document["text"].split("Instruction: ")[1]
        assert prompts[form, target].endswith(f" {instruction}")


def test_printed_outputs_count_as_printed() -> None:
    """The paper's own examples through the verifier that reads ours (Tables 8 and 9)."""
    for table, text, count in (
        ("t08_paired_failures", "pos_output", "pos_count"),
        ("t08_paired_failures", "contrast_output", "contrast_count"),
        ("t09_family_failures", "output", "count"),
    ):
        for row in read("wise", table).to_dict("records"):
            assert word_count(str(row[text]), int(row[count])).verdict == "pass"
