"""docs/batches.md: its files are read as they stand, and it names every outcome and every fault."""

from __future__ import annotations

import re
from pathlib import Path

from core.batches import OUTCOMES
from core.runs import Prices
from evals.batches.catalogue import BATCHES
from evals.mock.batch_faults import KINDS, NUMBERS, BatchFaults
from evals.mock.faults import parse_faults
from evals.model_file import parse_models

PAGE = (Path(__file__).parents[2] / "docs" / "batches.md").read_text("utf-8")
MODELS, FAULTS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def test_the_models_file_of_the_page_is_one() -> None:
    """Batch prices and the size of a batch are read as the page says."""
    (model,) = parse_models(MODELS, "models.toml")
    assert model.batch_prices == Prices(0.625, 5.0)
    assert model.prices == Prices(1.25, 10.0)
    assert model.limits.batch_requests == 50


def test_the_faults_of_the_page_are_all_there_are() -> None:
    """The faults file of the page is one, and names every fault and every number."""
    found = parse_faults(FAULTS, "faults.toml").batch
    assert set(found.shares) == set(KINDS)
    assert all(re.search(rf"^{name} = ", FAULTS, re.MULTILINE) for name in NUMBERS)
    assert found.kept == BatchFaults().kept


def test_every_outcome_is_explained() -> None:
    """The page has a row for every outcome."""
    table = PAGE.split("| outcome |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == set(OUTCOMES)


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    """What one batch holds at most, provider by provider."""
    for name, batches in BATCHES.items():
        rows = [line for line in PAGE.splitlines() if f"`{name}`" in line and line[:2] == "| "]
        (row,) = (line for line in rows if "requests, " in line)
        limits = batches.limits
        assert f"{limits.requests:,} requests, {limits.bytes // 10**6} MB" in row
