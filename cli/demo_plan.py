"""The demo's preregistration: the template of any study, filled in."""

from __future__ import annotations

from core.study import Round
from db.file import StudyFile
from evals.models import ModelSpec
from suites.base import Suite

METRICS = ("paired.p_a", "paired.p_r", "paired.selectivity", "human.selectivity")
TESTS = ("paired.selectivity",)
HYPOTHESIS = (
    "The model's selectivity is above 0: it chooses otherwise where the constraint is gone."
)
DROPPING = "No model is left out: there is one."
NOTE = "The preregistration of the demo, made from: wavelock prereg template --round rehearsal"


def plan(study: StudyFile, suite: Suite, campaign: Round, spec: ModelSpec, samples: int) -> str:
    """Return the file that the demo freezes."""
    from audit.registration import starting_draft
    from core.registration_file import written

    draft = starting_draft(study, suite, [campaign])
    settings = {"kind": spec.kind, "temperature": spec.temperature, "prefill": spec.prefill}
    filled = {
        **draft,
        "hypotheses": [HYPOTHESIS],
        "analysis": {**draft["analysis"], "metrics": list(METRICS)},
        "family": [{**draft["family"][0], "tests": list(TESTS)}],
        "runs": {**draft["runs"], "samples": samples, "dropping": DROPPING},
        "model": [{"name": spec.name or spec.base_url, **settings}],
    }
    return written(filled, {"": NOTE})
