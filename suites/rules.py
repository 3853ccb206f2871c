"""Inclusion rules from files: checked when they are loaded, and against the suite and form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import InputError, NotFound
from core.forms import Form
from core.rules import InclusionRule, parse_rule


def load(path: Path) -> InclusionRule:
    """Return the rule of a TOML file.

    Raises
    ------
    InputError
        When the file is no rule; it names file and line.
    """
    if not path.is_file():
        raise NotFound(f"there is no rule file {path}")
    try:
        return parse_rule(path.read_text("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error


def require_fit(rule: InclusionRule, conditions: Sequence[str], form: Form) -> None:
    """Refuse a rule that names a condition nobody has, or a floor that no answer can reach.

    Raises
    ------
    InputError
        Naming what does not fit.
    """
    for condition in (*rule.decisive, *rule.eligibility):
        if condition not in conditions:
            known = ", ".join(conditions)
            raise InputError(
                f"the rule {rule.name} names a condition {condition!r}; there are: {known}"
            )
    floors = {"confidence": rule.confidence_at_least, "naturalness": rule.naturalness_at_least}
    for question in form.questions:
        floor = floors.get(question.id)
        if question.kind == "likert" and floor is not None and floor > question.points:
            raise InputError(
                f"the rule {rule.name} wants a mean {question.id} of {floor}; the form "
                f"{form.name} goes to {question.points}"
            )
