"""The study file: the only place with SQL."""

import sys

# sqlite-utils loads pandas and numpy where they are installed, to guess columns for types that we
# never store. That is 0.2 s before every command and every screen, so they are hidden from it
# while it is first loaded.
_HIDDEN = [name for name in ("pandas", "numpy") if name not in sys.modules]
try:
    sys.modules.update(dict.fromkeys(_HIDDEN))  # type: ignore[arg-type]
    import sqlite_utils  # noqa: F401
finally:
    for _name in _HIDDEN:
        del sys.modules[_name]
