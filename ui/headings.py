"""What stands in the first line, both where the code is asked for and where it leads."""

from __future__ import annotations

RATING = "Wavelock"
AUDIT = "Wavelock · pair audit"
