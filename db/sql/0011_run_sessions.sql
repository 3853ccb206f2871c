CREATE TABLE run_sessions (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    run        INTEGER NOT NULL REFERENCES runs (id),
    machine    TEXT NOT NULL,                                 -- a digest of one start of a machine
    process    TEXT NOT NULL,
    workers    INTEGER NOT NULL CHECK (workers >= 1),
    price_in   REAL,                                          -- dollars per million tokens
    price_out  REAL,
    started_at TEXT NOT NULL,
    until      TEXT NOT NULL,                                 -- its leases hold so long without a sign
    ended_at   TEXT,
    ended      TEXT CHECK (ended IN ('finished', 'interrupted', 'failed', 'lost'))
) STRICT;

-- Who asks for a key just now. The row stays; another session takes it over when its own is over.
CREATE TABLE leases (
    id           INTEGER PRIMARY KEY CHECK (id > 0),
    run          INTEGER NOT NULL REFERENCES runs (id),
    wave_item    INTEGER NOT NULL REFERENCES wave_items (id),
    intervention TEXT NOT NULL,
    sample       INTEGER NOT NULL CHECK (sample >= 1),
    session      INTEGER NOT NULL REFERENCES run_sessions (id),
    UNIQUE (run, wave_item, intervention, sample)
) STRICT;

CREATE TABLE run_drops (
    id     INTEGER PRIMARY KEY CHECK (id > 0),
    run    INTEGER NOT NULL UNIQUE REFERENCES runs (id),
    reason TEXT NOT NULL CHECK (length(trim(reason)) > 0),
    rule   TEXT NOT NULL CHECK (json_valid(rule)),            -- what the run was started with, or {}
    at     TEXT NOT NULL
) STRICT;

ALTER TABLE generations ADD COLUMN session INTEGER REFERENCES run_sessions (id);
ALTER TABLE generations ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1 CHECK (attempts >= 1);
ALTER TABLE generations ADD COLUMN tokens_in INTEGER;         -- over all attempts; null: not stated
ALTER TABLE generations ADD COLUMN tokens_out INTEGER;

CREATE TRIGGER run_sessions_end BEFORE UPDATE ON run_sessions
WHEN (OLD.id, OLD.run, OLD.machine, OLD.process, OLD.workers, OLD.price_in, OLD.price_out,
      OLD.started_at)
     IS NOT (NEW.id, NEW.run, NEW.machine, NEW.process, NEW.workers, NEW.price_in, NEW.price_out,
             NEW.started_at)
  OR OLD.ended_at IS NOT NULL
  OR (NEW.ended_at IS NULL) IS NOT (NEW.ended IS NULL)
BEGIN SELECT RAISE(ABORT, 'a session of a run gives signs until it ends, once'); END;

CREATE TRIGGER leases_begin BEFORE INSERT ON leases
WHEN NOT EXISTS (SELECT 1 FROM run_sessions WHERE id = NEW.session AND run = NEW.run
                 AND ended_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a lease belongs to a session of its run that goes on'); END;

-- A sign that lies further ahead than any lease lasts was given under another clock: it counts not.
CREATE TRIGGER leases_hold BEFORE UPDATE ON leases
WHEN (OLD.id, OLD.run, OLD.wave_item, OLD.intervention, OLD.sample)
     IS NOT (NEW.id, NEW.run, NEW.wave_item, NEW.intervention, NEW.sample)
  OR NOT EXISTS (SELECT 1 FROM run_sessions WHERE id = NEW.session AND run = NEW.run
                 AND ended_at IS NULL)
  OR EXISTS (SELECT 1 FROM run_sessions WHERE id = OLD.session AND ended_at IS NULL
             AND until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
             AND until < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+600 seconds'))
BEGIN SELECT RAISE(ABORT, 'a lease is taken over when its session is over, not before'); END;

CREATE TRIGGER generations_session BEFORE INSERT ON generations
WHEN NEW.session IS NOT NULL
 AND NOT EXISTS (SELECT 1 FROM run_sessions WHERE id = NEW.session AND run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'a generation names a session of its own run'); END;

CREATE TRIGGER generations_session_kept BEFORE UPDATE ON generations
WHEN NEW.session IS NOT NULL
 AND NOT EXISTS (SELECT 1 FROM run_sessions WHERE id = NEW.session AND run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'a generation names a session of its own run'); END;

CREATE TRIGGER generations_dropped BEFORE INSERT ON generations
WHEN EXISTS (SELECT 1 FROM run_drops WHERE run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'the run was dropped; it takes no further generation'); END;

CREATE TRIGGER generations_dropped_kept BEFORE UPDATE ON generations
WHEN EXISTS (SELECT 1 FROM run_drops WHERE run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'the run was dropped; it takes no further generation'); END;
