"""Core-100: does a decision follow a hidden constraint? Source: arXiv 2603.29025, sections 2, 5.

The sixteen scenarios that ship are our own drafts, until people have rated them.
"""

from __future__ import annotations

import tomllib
from importlib import resources

from core.rules import rule_from_json
from suites.base import DraftForm, Suite
from suites.core100.choices import VERIFIER
from suites.core100.construction import CONDITIONS, faults
from suites.core100.pair_audit import measures
from suites.core100.pool import ACTIONS, CONSTRAINTS, DOMAINS, HEURISTICS, gold_of, scenarios
from suites.core100.prompts import render
from suites.core100.tables import figures, tables
from suites.forms import load

_DATA = resources.files("suites.core100")

SUITE = Suite(
    name="core100",
    title="Core-100 starter pool (drafts)",
    conditions=CONDITIONS,
    pair=("Active", "Removed"),
    run_conditions=("Active", "Removed"),
    strata=("heuristic", "constraint", "domain"),
    form=load("core100"),
    rule=rule_from_json(
        tomllib.loads((_DATA / "rule.toml").read_text("utf-8")), "suites/core100/rule.toml"
    ),
    verifiers=(VERIFIER,),
    scenarios=scenarios,
    faults=faults,
    render=render,
    tables=tables,
    figures=figures,
    draft=DraftForm(
        actions=ACTIONS,
        golds={condition: gold_of(condition) for condition in CONDITIONS},
        facts={
            "heuristic": HEURISTICS,
            "constraint": CONSTRAINTS,
            "domain": DOMAINS,
            "prerequisite": (),
        },
    ),
    measures=measures,
)
