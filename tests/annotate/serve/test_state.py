"""The server's own folder: made once, for one server, and for nobody else to read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from annotate.serve.ssh import host_key
from annotate.serve.state import State, Visitor
from core.errors import InputError, Refused


def test_secrets_are_made_once_and_kept_from_others(tmp_path: Path) -> None:
    """Folder 0700, files 0600, the same key after a restart."""
    state = State(tmp_path / "state")
    key = host_key(state)
    assert host_key(State(tmp_path / "state")).get_fingerprint() == key.get_fingerprint()
    assert state.address_key() == state.address_key()
    state.tell({}, ())
    assert stat.S_IMODE(state.folder.stat().st_mode) == 0o700
    for name in ("ssh_host_key", "address_key", "status.json"):
        assert stat.S_IMODE((state.folder / name).stat().st_mode) == 0o600


def test_what_others_can_read_is_refused(tmp_path: Path) -> None:
    """One line that says what to do, for a key and for the folder."""
    state = State(tmp_path / "state")
    state.address_key()
    (state.folder / "address_key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        state.address_key()
    state.folder.chmod(0o755)
    with pytest.raises(InputError, match="chmod 700"):
        State(tmp_path / "state")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "no" / "where", tmp_path / "file"):
        with pytest.raises(InputError, match=r"state|folder"):
            State(folder)


def test_one_server_at_a_time(tmp_path: Path) -> None:
    """The second is refused; afterwards the folder is free, and nothing claims to run."""
    state = State(tmp_path / "state")
    assert state.running() is None
    with state.alone():
        with pytest.raises(Refused, match=r"runs on .* already"), State(state.folder).alone():
            pass
        assert state.running() is None
        visitor = Visitor("12 34", "ssh", "2026-11-30T12:00:00.000Z")
        state.tell({"ssh": "127.0.0.1:22"}, (visitor,))
        running = State(state.folder).running()
        assert running is not None
        assert running.visitors == (visitor,)
    assert state.running() is None


def test_a_killed_server_is_not_running(tmp_path: Path) -> None:
    """Its file stays, but nobody holds the lock."""
    state = State(tmp_path / "state")
    state.tell({"ssh": "127.0.0.1:22"}, ())
    assert state.running() is None
