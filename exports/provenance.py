"""The version of the analysis: a digest over the sources that a number was computed with."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("stats", "suites", "evals.verifiers")


@cache
def analysis_version() -> str:
    """Return a SHA-256 over the installed sources and data of statistics, suites and verifiers."""
    seen = hashlib.sha256()
    for package in PACKAGES:
        for folder, path in sorted(_files(package)):
            seen.update(f"{package}/{path.relative_to(folder).as_posix()}\0".encode())
            seen.update(hashlib.sha256(path.read_bytes()).digest())
    return f"sha256:{seen.hexdigest()}"


def _files(package: str) -> list[tuple[Path, Path]]:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return [
        (Path(folder), path)
        for folder in folders or ()
        for path in Path(folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
