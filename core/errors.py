"""Every error that Wavelock raises on purpose, with the exit code that the command line gives it.

::

    WavelockError
    ├── InputError          2   what was asked for cannot be done as asked
    │   ├── NotAStudy           the file is not a study, or one from a newer Wavelock
    │   ├── NotFound            no such item, round, person, run, ...
    │   ├── Refused             the study's own rules forbid it
    │   │   ├── SeatInUse           somebody works there just now; it can be taken over
    │   │   ├── SeatLost            it was taken over, or ended, and saves nothing more
    │   │   ├── RunDropped          the run was given up, with a reason in the ledger
    │   │   └── TooManyCodes        wrong codes were typed too often; it says how long to wait
    │   ├── Unavailable         a model, a machine or an endpoint cannot do it
    │   └── Busy                another program is writing to the study file
    └── CheckFailed         1   a check ran and found something wrong

Each message is one sentence that says what is wrong, and what to do where that is not obvious.
"""

from __future__ import annotations


class WavelockError(Exception):
    """Base of all errors that are shown to a person as one line, without a traceback."""

    exit_code = 2


class InputError(WavelockError):
    """What was asked for cannot be done as asked."""


class NotAStudy(InputError):
    """The file is no study file of ours; it was left untouched."""


class NotFound(InputError):
    """Nothing in the study has that name."""


class Refused(InputError):
    """The study's own rules forbid it."""


class SeatInUse(Refused):
    """Somebody works at the seat just now; it can be taken over."""


class SeatLost(Refused):
    """The sitting was taken over or ended; what it saved is kept, and it saves nothing more."""


class RunDropped(Refused):
    """The run was given up; what it has is kept, and it takes no more answers."""


class TooManyCodes(Refused):
    """Wrong codes were typed too often."""


class Unavailable(InputError):
    """A model, an endpoint or this machine cannot do it."""


class Busy(InputError):
    """Another program is writing to the study file; the same again, later, may go through."""


class CheckFailed(WavelockError):
    """A check ran to its end and found something wrong."""

    exit_code = 1
