"""Tables in the terminal, as JSON, CSV and HTML: the same facts, whole, and inert."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from core.errors import InputError, NotFound
from core.estimate import Estimate, undefined
from core.figures import (
    Box,
    BoxFigure,
    Figure,
    Gap,
    GapFigure,
    Interval,
    IntervalFigure,
    PlaneFigure,
    PlanePoint,
    RankFigure,
    RankLine,
    ShareFigure,
    ShareRow,
)
from core.subsets import Subset
from core.tables import Column, Table
from evals.verifiers.catalogue import verifier
from exports.cells import written
from exports.figures import svg
from exports.files import write_whole
from exports.html import page
from exports.plain import to_csv, to_json
from exports.provenance import analysis_version
from exports.report import collect, suite_report
from exports.terminal import render, render_figure
from exports.text_figures import text_lines
from suites.core100.suite import SUITE

HASH = "sha256:" + "0123456789abcdef" * 4
NASTY = "<script>alert('x')</script> & \"q\" $x^2$ [bold]b[/bold] {{ 7 * 7 }}"
TABLE = Table(
    "paired",
    f"Paired metrics {NASTY}",
    (
        Column("model", "Model"),
        Column("p", "p_A", "share"),
        Column("s", "a heading that is rather longer than the numbers below it", "signed"),
        Column("u", "UA", "share"),
        Column("n", "n", "count"),
        Column("hash", "Hash"),
    ),
    (
        {
            "model": NASTY,
            "p": Estimate(0.52381, 14, 0.30951, 0.73809, replicates=400, scheme="iid", seed=1),
            "s": Estimate(-0.14286, 14, -0.21429, 0.45238, p=0.25),
            "u": undefined("no scenario has a conforming sample in every condition", 3),
            "n": 1234567,
            "hash": HASH,
        },
        {"model": "模型 with a name that is long enough to wrap somewhere", "p": 0.25, "n": 3},
    ),
    (f"A note {NASTY}", "95 % percentile intervals, 10,000 replicates, seed 1."),
)
FIGURES: tuple[Figure, ...] = (
    IntervalFigure(
        "selectivity",
        NASTY,
        "selectivity $S$",
        (
            Interval("a $model$ <b>", Estimate(0.14, 14, -0.21, 0.45)),
            Interval("silent", undefined("no conforming sample")),
            Interval("one", Estimate(0.5, 1, why_no_interval="one scenario")),
        ),
        (-1.0, 1.0),
        Interval("raters", Estimate(0.93, 14, 0.87, 0.97)),
        notes=("a note",),
    ),
    PlaneFigure(
        "plane",
        "p_A against p_R",
        "p_R",
        "p_A",
        (
            PlanePoint("$5 model", Estimate(0.38, 14, 0.19, 0.60), Estimate(0.52, 14, 0.31, 0.74)),
            PlanePoint("silent", undefined("none"), undefined("none")),
        ),
    ),
    RankFigure(
        "ranks", "Ranks", ("before", "after"), (RankLine("a", (1, 2)), RankLine("b", (2, 1)))
    ),
    GapFigure(
        "gaps",
        NASTY,
        "share",
        "before",
        "after",
        (
            Gap("a $model$ <b>", Estimate(0.8, 9, 0.7, 0.9), Estimate(0.5, 9, 0.4, 0.6), "X -0.3"),
            Gap("silent", Estimate(0.8, 9, 0.7, 0.9), undefined("no reply")),
        ),
        (0.0, 1.0),
    ),
    BoxFigure(
        "boxes",
        "Errors",
        "words - target",
        (Box("a $form$ <b>", -4, -2, -1, 0, 2, 300), Box("level", 0, 0, 0, 0, 0, 3)),
    ),
    ShareFigure(
        "shares",
        "Directions",
        ("under", "exact", "over"),
        (ShareRow("a $form$ <b>", (0.2, 0.5, 0.3)), ShareRow("none", (0.0, 1.0, 0.0))),
    ),
)


def printed(table: Table, width: int) -> str:
    out = Console(width=width, file=StringIO(), highlight=False)
    out.print(render(table, width))
    text: str = out.file.getvalue()  # type: ignore[attr-defined]
    return text


@pytest.mark.parametrize("width", [40, 80, 160, 400])
def test_no_number_is_cut(width: int) -> None:
    """At any width every number of every cell is there in one piece, and no line is too wide."""
    shown = printed(TABLE, width)
    for row in TABLE.rows:
        for column in TABLE.columns:
            for word in written(row.get(column.key), column).split():
                if any(c.isdigit() for c in word) and len(word) < 30:
                    assert re.search(rf"(?<!\S){re.escape(word)}(?!\S)", shown), word
    assert all(len(line) <= width for line in shown.splitlines())


@pytest.mark.parametrize("width", [80, 160])
def test_a_hash_is_shown_whole_where_it_fits(width: int) -> None:
    """What people copy is not folded in the middle of a table that has room for it."""
    table = Table("w", "t", (Column("wave", "wave", "count"), Column("hash", "Hash")),
                  ({"wave": 1, "hash": HASH},))  # fmt: skip
    assert HASH in printed(table, width)


@pytest.mark.parametrize("width", [20, 40, 80, 160])
def test_texts_are_literal_in_the_terminal(width: int) -> None:
    """Markup is not interpreted, and an escape sequence does not reach the terminal."""
    evil = "a\x1b[31mred\x1b]0;title\x07 \u202e [bold]b[/bold] [/]"
    table = Table(
        "t", evil, (Column("k", "K"), Column("v", "V")), ({"k": evil, "v": evil},), (evil,)
    )
    shown = printed(table, width)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert "[bold]b[/bold]" in shown
    assert "␛[31mred" in shown


@pytest.mark.parametrize("width", [20, 40, 160])
def test_a_table_of_one_column_and_one_of_none(width: int) -> None:
    """Narrow and empty tables are drawn, not crashed on."""
    one = Table("t", "Title", (Column("k", "K"),), ({"k": "word " * 60},))
    assert printed(one, width).count("word") == 60
    empty = Table("t", "Title", (Column("k", "K"),), (), ("note",))
    assert printed(empty, width).split() == ["Title", "nothing", "to", "show", "yet", "note"]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.name)
@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_number_of_a_figure_is_cut(figure: Figure, width: int) -> None:
    """A figure in text keeps every number of its legend, and fits its terminal."""
    out = Console(width=width, file=StringIO(), highlight=False)
    out.print(render_figure(figure, width))
    shown: str = out.file.getvalue()  # type: ignore[attr-defined]
    assert all(len(line) <= width for line in shown.splitlines())
    for line in text_lines(figure, width):
        for word in line.split():
            if any(c.isdigit() for c in word):
                assert word in shown


def test_every_point_of_a_crowded_figure_is_in_its_legend() -> None:
    """More models than letters are still all named with their numbers."""
    points = tuple(
        PlanePoint(f"model {n}", Estimate(n / 99, 9, why_no_interval="x"), Estimate(0.5, 9))
        for n in range(80)
    )
    lines = text_lines(PlaneFigure("p", "t", "x", "y", points), 80)
    for n in range(80):
        assert any(f"model {n}: " in line for line in lines)


def test_json_carries_whole_estimates() -> None:
    """What JSON says reads back as the estimates that were put in, and an undefined one as null."""
    read = json.loads(to_json(TABLE))
    assert (read["name"], read["title"], read["notes"]) == ("paired", TABLE.title, [*TABLE.notes])
    for given, found in zip(TABLE.rows, read["rows"], strict=True):
        assert found.keys() == given.keys()
        for key, cell in given.items():
            value = Estimate(**found[key]) if isinstance(cell, Estimate) else found[key]
            assert value == cell
    assert read["rows"][0]["u"]["value"] is None


def test_csv_carries_every_part_of_an_estimate() -> None:
    """Value, ends, p, n and reason have columns of their own, unrounded; nothing is dropped."""
    one, two = csv.DictReader(StringIO(to_csv(TABLE)))
    assert float(one["p"]) == 0.52381
    assert (float(one["p_low"]), float(one["p_high"]), one["p_n"]) == (0.30951, 0.73809, "14")
    assert float(one["s_p"]) == 0.25
    assert (one["u"], one["u_n"]) == ("", "3")
    assert one["u_why_undefined"] == "no scenario has a conforming sample in every condition"
    assert (one["model"], one["n"], one["hash"]) == (NASTY, "1234567", HASH)
    assert (two["p"], two["p_low"], two["s"]) == ("0.25", "", "")


class Loads(HTMLParser):
    """Collects whatever a page would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "link", "iframe", "img", "image", "object", "embed", "base", "form"}:
            self.found.append(tag)
        for name, value in attrs:
            fetched = name in {"src", "href", "xlink:href", "srcset", "action", "data", "poster"}
            if (fetched and not str(value).startswith("#")) or name.startswith("on"):
                self.found.append(f"{tag} {name}={value}")
            if name == "id" and tag.startswith("h"):
                self.ids.append(str(value))


def html() -> str:
    return page("A <title>", NASTY, [TABLE], FIGURES, {f"run {NASTY}": HASH})


def test_a_page_loads_nothing() -> None:
    """The page fetches nothing and runs nothing: no script, link, image, import or address."""
    text = html()
    parser = Loads()
    parser.feed(text)
    assert parser.found == []
    assert re.findall(r"@import|url\((?!#)[^)]*\)", text) == []


def test_texts_on_a_page_are_escaped() -> None:
    """Titles, cells, notes, names and labels are data: no tag of theirs becomes one of the page."""
    text = html()
    assert "<script>" not in text
    assert "<b>" not in text
    assert "&lt;script&gt;" in text
    assert "{{ 7 * 7 }}" in text
    assert "49" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.S)


def test_a_page_says_what_the_terminal_says() -> None:
    """Every cell's words are on the page, the reasons for undefined values among them."""
    text = html()
    for row in TABLE.rows:
        for column in TABLE.columns:
            cell = row.get(column.key)
            if isinstance(cell, Estimate):
                for word in written(cell, column).split():
                    assert word in text
    assert "10,000 replicates, seed 1." in text
    assert HASH in text


def test_the_same_report_is_the_same_bytes() -> None:
    """Two pages of one report do not differ in a byte, nor do their figures."""
    assert html() == html()
    for figure in FIGURES:
        assert svg(figure) == svg(figure)


DRAW = """
import hashlib, sys
from core.estimate import Estimate
from core.figures import Interval, IntervalFigure
from exports.figures import svg
point = Interval("a $model$", Estimate(0.14, 14, -0.21, 0.45))
figure = IntervalFigure("n", "t", "axis", (point,), (-1.0, 1.0))
sys.stdout.write(hashlib.sha256(svg(figure).encode()).hexdigest())
"""


def test_a_figure_is_the_same_bytes_in_every_process() -> None:
    """Neither the hash seed nor the time of day gets into a figure."""
    drawn = {
        subprocess.run(
            [sys.executable, "-c", DRAW], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(drawn) == 1


def test_a_dollar_in_a_label_is_a_dollar() -> None:
    """Labels are text, not mathematics, and stay text in the drawing."""
    drawn = svg(FIGURES[0])
    assert "a $model$ &lt;b&gt;" in drawn
    assert "undefined: no conforming sample" in drawn
    assert "$5 model" in svg(FIGURES[1])


def test_ways_boxes_and_bars_say_their_numbers_as_text() -> None:
    """In a terminal the values stand in numbers, an undefined end as its reason."""
    ways = "\n".join(text_lines(FIGURES[3], 80))
    assert "0.800 [0.70, 0.90] → 0.500 [0.40, 0.60]  X -0.3" in ways
    assert "undefined: no reply" in ways
    assert "undefined: no reply" in svg(FIGURES[3])
    boxes = text_lines(FIGURES[4], 80)
    assert [boxes[0].count(mark) for mark in "├[●]┤"] == [1] * 5
    assert boxes[2].split() == ["-4", "2"]
    bars = text_lines(FIGURES[5], 80)
    assert bars[0].endswith("0.200  0.500  0.300")
    drawn = bars[0].split("  ")[1]
    assert [drawn.count(mark) / len(drawn) for mark in "<=>"] == pytest.approx(
        [0.2, 0.5, 0.3], abs=0.03
    )


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A new page replaces the old one in one step, and a failure leaves the old one."""
    target = tmp_path / "deep" / "report.html"
    write_whole(target, "old")
    write_whole(target, "né\n")
    assert target.read_bytes() == "né\n".encode()
    write_whole(target, "half a character: \ud800")
    assert target.read_bytes() == b"half a character: \\ud800"
    (tmp_path / "file").touch()
    for wrong in (tmp_path, tmp_path / "file" / "report.html"):
        with pytest.raises(InputError, match="cannot be written"):
            write_whole(wrong, "text")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep", "file"]


def test_the_version_of_the_analysis_is_over_its_sources() -> None:
    """The same sources have one version, in every process."""
    code = "from exports.provenance import analysis_version; print(analysis_version())"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert fresh.stdout.strip() == analysis_version()
    assert re.fullmatch("sha256:[0-9a-f]{64}", analysis_version())


def test_a_report_says_where_it_came_from(workshop: Any, study_path: Path) -> None:
    """Study, ledger head, waves, runs, code and resampling stand in the provenance."""
    study = workshop.open(study_path)
    data = collect(study, [verifier("forced-choice")], seed=3, replicates=400)
    lines = suite_report(study, SUITE, data).provenance
    assert lines["ledger head"] == study.ledger.head()
    assert lines["wave 1 (simulated)"] == study.waves.all()[0].hash
    assert lines["run 1 (scripted)"] == study.runs.run(1).digest
    assert lines["run 2 (a model)"] == "not closed"
    assert lines["analysis code"] == analysis_version()
    assert lines["resampling"] == "seed 3, 400 replicates"


def test_a_wave_that_is_not_there_is_not_reported_as_empty(workshop: Any, study_path: Path) -> None:
    """A wrong wave number is an error, never an empty table."""
    study = workshop.open(study_path)
    with pytest.raises(NotFound, match="there is no wave 9"):
        study.waves.selected(Subset((9,)))
    first = study.waves.selected(Subset((1,)))
    assert len(collect(study, [], seed=1, replicates=400, selection=first).items) == 19


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """What is no file of bytes (a device, a pipe) stays what it is, whoever may replace it."""
    target = tmp_path / "pipe"
    os.mkfifo(target)
    reader = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(target, "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)
    assert target.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_file_needs_a_name() -> None:
    """An empty path is the folder that one is in."""
    with pytest.raises(InputError, match="needs a name"):
        write_whole(Path(), "text")
