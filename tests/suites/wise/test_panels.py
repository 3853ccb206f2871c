"""Panels and forms are data: as the paper prints them, and extended by editing a file."""

from __future__ import annotations

from importlib import resources

import pytest

from core.errors import InputError
from suites.wise.panels import parse, shipped
from tests.papers.table import read
from tests.suites.wise.making import data, frozen, suite

TEXT = (resources.files("suites.wise") / "panels.toml").read_text("utf-8")
FORMS = {
    "exact": ("POS", "NEG", "NEVER", "AVOID1", "AVOID2", "CNEG"),
    "avoidance": ("POS", "AVOID1", "AVOID3", "AVOID4", "EXCLUDE1", "EXCLUDE2"),
    "controls": ("POS", "POS_LONG", "POS_END", "AVOID1"),
    "keyword": ("POS", "NEG", "AVOID"),
    "range": ("POS", "NEG", "AVOID"),
    "json": ("POS", "NEG", "AVOID"),
}
MORE = '  { name = "CNEG", template'
NEW_FORM = '  { name = "ONLY", template = "Use only {N} words.", source = "ours" },\n'
NEW_PANEL = """
[[panel]]
name = "short"
title = "Short range"
verifier = "word-range"
between = [1, 5]
scheme = "model>item"
source = "ours"
form = [
  { name = "POS", template = "Answer using {LOW} to {HIGH} words.", source = "ours" },
  { name = "NEG", template = "Use {LOW} words at least, {HIGH} at most.", source = "ours" },
]

[survey]"""


def test_the_panels_have_the_forms_of_the_paper() -> None:
    """Twenty-five forms in six panels, in the order of the paper's tables."""
    assert {panel.name: panel.form_names for panel in shipped().panels} == FORMS


def test_templates_stand_as_printed() -> None:
    """All twelve exact-count templates, their full stops and their places (Table 1, 4, 5.3)."""
    printed = read("wise", "t01_wording_forms").set_index("form")
    for panel in shipped().panels:
        for form in panel.forms:
            if panel.verifier != "word-count":
                assert form.ours
                continue
            row = printed.loc[form.name]
            assert form.template.replace("{N}", "N") == row.template
            assert form.period_printed == bool(row.final_period_printed)
            assert not form.ours


def test_every_instruction_ends_with_one_full_stop() -> None:
    """Forms must not differ in a mark that the paper left out when quoting."""
    for item in frozen(suite()):
        assert item.document["text"].endswith(".")
        assert not item.document["text"].endswith("..")


def test_a_form_added_in_the_file_gets_its_rows_and_its_place_in_the_family() -> None:
    """No code knows the forms: prompts, every table of the panel and Holm follow the file."""
    before, after = suite(), suite(parse(TEXT.replace(MORE, NEW_FORM + MORE), "t"))
    assert set(after.conditions) - set(before.conditions) == {"exact/ONLY"}
    models = ("a", "b")
    tables = {t.name: t for t in after.tables(data(after, models=models))}
    old = {t.name: t for t in before.tables(data(before, models=models))}
    assert "ONLY" in [row["form"] for row in tables["exact"].rows]
    assert "ONLY" in [column.key for column in tables["exact-models"].columns]
    family = [r for r in tables["multiplicity"].rows if r["family"] == "Original exact count"]
    fewer = [r for r in old["multiplicity"].rows if r["family"] == "Original exact count"]
    assert (len(fewer), len(family)) == (5, 6)
    assert {row["tests"] for row in family} == {6}


def test_a_panel_added_in_the_file_gets_its_tables() -> None:
    """A panel brings items, tables, a figure and a Holm family of its own."""
    of = suite(parse(TEXT.replace("\n[survey]", NEW_PANEL), "t"))
    found = data(of, models=("a", "b"))
    names = [table.name for table in of.tables(found)]
    assert {"short", "short-models"} <= set(names)
    assert "contrasts-short" in [figure.name for figure in of.figures(found)]
    multiplicity = next(t for t in of.tables(found) if t.name == "multiplicity")
    assert [r["contrast"] for r in multiplicity.rows if r["family"] == "Short range"] == [
        "NEG - POS"
    ]


FAULTS = {
    "no such verifier": ('"word-count"', '"word-counts"', "verifier must be one of"),
    "no such scheme": ('"model>item"', '"models"', "scheme must be one of"),
    "no placeholder": ("exactly {N} words.", "exactly some words.", "does not say {N}"),
    "no reference": ('reference = "POS"', 'reference = "NONE"', "has no form NONE"),
    "two of a name": ('name = "avoidance"', 'name = "exact"', "two panels are called 'exact'"),
    "two forms of a name": ('name = "NEVER"', 'name = "NEG"', "has two forms 'NEG'"),
    "range without ends": ("between = [8, 12]", "", "between = [LOW, HIGH] belongs"),
    "unknown field": ('title = "Original', 'heading = "x"\ntitle = "Original', "unknown field"),
    "no title": ('title = "JSON structure"', "", "title is missing"),
    "survey of nothing": ('panel = "avoidance"', 'panel = "none"', "there is no panel 'none'"),
    "survey named as a panel": ('name = "wording"', 'name = "json"', "the name of a panel"),
    "not TOML": ("[survey]", "[survey", "not TOML"),
}


@pytest.mark.parametrize(("old", "new", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named_with_its_line(old: str, new: str, said: str) -> None:
    """What is wrong with a file is one sentence with source and line."""
    assert old in TEXT
    with pytest.raises(InputError, match=r"my\.toml, line \d+: ") as fault:
        parse(TEXT.replace(old, new, 1), "my.toml")
    assert said in str(fault.value)
