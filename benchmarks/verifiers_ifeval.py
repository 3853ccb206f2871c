"""Verifiers of words, keywords and JSON against IFEval's checkers in lm-evaluation-harness.

The peer runs in an environment of its own: name its Python in WAVELOCK_BENCH_LM_EVAL (lm_eval,
langdetect, immutabledict and nltk installed there). Without it, only growth is measured.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._timing import Pairs, seconds, written
from evals.selftest import Case, read_cases, run_case
from evals.verifiers.catalogue import verifier

PEER = "WAVELOCK_BENCH_LM_EVAL"
WORDS = (
    "river", "lantern", "stone", "water", "light", "paper", "garden", "winter", "table", "bread",
)  # fmt: skip

# The same three questions to both: at least so many words, a keyword, JSON.
OURS = (
    ("word-range", {"between": [40, 10_000]}),
    ("keyword-once", {"keyword": "lantern"}),
    ("strict-json", {"keys": ["name"]}),
)
THEIRS = (
    ("length_constraints:number_words", {"num_words": 40, "relation": "at least"}),
    ("keywords:frequency", {"keyword": "lantern", "frequency": 1, "relation": "at least"}),
    ("detectable_format:json_format", {}),
)


def texts(count: int) -> list[str]:
    """Draw replies of 20 to 120 words; every fifth is JSON."""
    draw = random.Random(1)
    drawn = [" ".join(draw.choices(WORDS, k=draw.randint(20, 120))) for _ in range(count)]
    return [json.dumps({"name": text}) if at % 5 == 0 else text for at, text in enumerate(drawn)]


def ours(given: list[str]) -> float:
    """Return the seconds that our verifiers take for every text."""
    asked = [(verifier(name), {"parameters": {name: values}}) for name, values in OURS]

    def work() -> None:
        for reader, document in asked:
            for text in given:
                reader.read(text, document)

    return seconds(work)


def doc(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return one of the harness's documents."""
    return {"key": 1, "instruction_id_list": [name], "prompt": "", "kwargs": [values]}


def theirs(python: str, given: list[str], cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the seconds and the verdicts of the peer."""
    asked = {"docs": [doc(*each) for each in THEIRS], "texts": given, "cases": cases}
    done = subprocess.run(
        [python, str(Path(__file__).with_name("_ifeval.py"))],
        input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def firm_cases() -> list[tuple[Case, bool, dict[str, Any]]]:
    """Return the shipped cases without ambiguity that the peer can be asked, with what is right.

    An exact count is asked as two bounds that both must hold.
    """
    found = []
    for case in read_cases(files("evals").joinpath("cases") / "verifiers.jsonl"):
        if case["ambiguous"] or not (asked := _asked(case)):
            continue
        names, values = zip(*asked, strict=True)
        document = {**doc("", {}), "instruction_id_list": names, "kwargs": values}
        right = case["expected"] if isinstance(case["expected"], bool) else True
        found.append((case, right, {"doc": document, "text": case["input"]["text"]}))
    return found


def _asked(case: Case) -> list[tuple[str, dict[str, Any]]]:
    if case["verifier"] == "word_count" and case["expected"]:
        name, least = "length_constraints:number_words", case["expected"]
        return [
            (name, {"num_words": least, "relation": "at least"}),
            (name, {"num_words": least + 1, "relation": "less than"}),
        ]
    if case["verifier"] == "keyword_exactly_once":
        name, word = "keywords:frequency", case["input"]["keyword"]
        return [
            (name, {"keyword": word, "frequency": 1, "relation": "at least"}),
            (name, {"keyword": word, "frequency": 2, "relation": "less than"}),
        ]
    if case["verifier"] == "strict_json":
        return [("detectable_format:json_format", {})]
    return []


def run(*, tiny: bool = False) -> list[tuple[str, float, str]]:
    """Return what was compared, the ratio and the goal."""
    sizes = [200, 2_000] if tiny else [10_000, 100_000]
    given = texts(sizes[-1])
    took = {size: median(ours(given[:size]) for _ in range(3)) for size in sizes}
    few, many = sizes
    figures = ", ".join(f"{size:,}: {written(t)}" for size, t in took.items())
    rows = [
        (
            f"growth of time: per text, {many:,} over {few:,} texts, three verifiers ({figures})",
            took[many] / took[few] / (many / few),
            "at most 2",
        )
    ]
    python = os.environ.get(PEER)
    if not python:
        print(f"the peer is left out: {PEER} names no Python", file=sys.stderr)
        return rows
    cases = firm_cases()
    answers = [
        theirs(python, given, [asked for _, _, asked in cases]) for _ in range(1 if tiny else 3)
    ]
    pairs = Pairs(tuple(ours(given) for _ in answers), tuple(a["seconds"] for a in answers))
    own = sum(run_case(case).passed for case, _, _ in cases)
    verdicts = zip(cases, answers[0]["verdicts"], strict=True)
    hits = sum(right is verdict for (_, right, _), verdict in verdicts)
    rows += [
        (
            f"{many:,} texts, three verifiers, against lm-eval's IFEval scoring ({pairs.figures})",
            pairs.ratio,
            "at least 10",
        ),
        (
            f"firm cases of words, keywords and JSON read right, of {len(cases)}: {own} against "
            f"{hits} by lm-eval's IFEval",
            own / hits,
            "none",
        ),
    ]
    return rows
