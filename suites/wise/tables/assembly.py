"""All tables of a WISE study, in the order in which they are read."""

from __future__ import annotations

from core.forms import Form
from core.tables import Table
from suites.base import SuiteData
from suites.wise.analysis import analysis
from suites.wise.panels import Definition
from suites.wise.tables.compliance import audit_table, model_tables, pooled_tables
from suites.wise.tables.description import forms_table, models_table, sets_table, states_table
from suites.wise.tables.examples import failures_table, paired_failures_table
from suites.wise.tables.failures import floor_table, surface_table
from suites.wise.tables.humans import human_tables
from suites.wise.tables.rankings import ranking_table, rerun_table
from suites.wise.tables.robustness import bootstrap_table, multiplicity_table


def tables(data: SuiteData, definition: Definition, form: Form) -> tuple[Table, ...]:
    """Return the tables of the paper in form, from a study's own data.

    Parameters
    ----------
    form
        What the survey's people were asked.
    """
    found = analysis(data, definition)
    return (
        audit_table(found),
        *pooled_tables(found),
        ranking_table(found),
        multiplicity_table(found),
        bootstrap_table(found),
        rerun_table(found),
        *model_tables(found),
        floor_table(found),
        surface_table(found),
        paired_failures_table(found),
        failures_table(found),
        *human_tables(found, form),
        models_table(found),
        sets_table(found),
        forms_table(found),
        states_table(found),
    )
