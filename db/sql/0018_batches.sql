-- A batch is written down before it goes out, so that one that the provider took is never lost.
CREATE TABLE batches (
    id           INTEGER PRIMARY KEY CHECK (id > 0),
    run          INTEGER NOT NULL REFERENCES runs (id),
    marker       TEXT NOT NULL UNIQUE,                        -- by which it is found at the provider
    requests     INTEGER NOT NULL CHECK (requests >= 1),
    sealed       TEXT NOT NULL,                               -- digest over its requests
    prepared_at  TEXT NOT NULL,
    session      INTEGER NOT NULL REFERENCES run_sessions (id),
    tried_at     TEXT,                                        -- the last call that could have made it
    file         TEXT NOT NULL,                               -- the provider's id of the upload
    remote       TEXT NOT NULL,                               -- the provider's id; empty: not known
    submitted_at TEXT,
    adopted      INTEGER NOT NULL CHECK (adopted IN (0, 1)),  -- found again by its marker
    expires_at   TEXT,                                        -- from here on what was seen last
    status       TEXT NOT NULL,
    done         INTEGER NOT NULL,
    failed       INTEGER NOT NULL,
    looked_at    TEXT,
    ended        TEXT CHECK (ended IN ('collected', 'failed', 'unsent', 'gone')),
    ended_at     TEXT,
    said         TEXT NOT NULL,
    digest       TEXT                                         -- over what became of its requests
) STRICT;

CREATE TABLE batch_requests (
    id           INTEGER PRIMARY KEY CHECK (id > 0),
    batch        INTEGER NOT NULL REFERENCES batches (id),
    place        INTEGER NOT NULL CHECK (place >= 0),
    run          INTEGER NOT NULL REFERENCES runs (id),
    wave_item    INTEGER NOT NULL REFERENCES wave_items (id),
    prompt_hash  TEXT NOT NULL,
    intervention TEXT NOT NULL,
    sample       INTEGER NOT NULL CHECK (sample >= 1),
    body         TEXT NOT NULL,                               -- digest of what is asked
    outcome      TEXT CHECK (outcome IN ('answered', 'errored', 'expired', 'cancelled', 'missing',
                                         'held', 'withdrawn', 'unasked', 'lost')),
    line         TEXT,                                        -- digest of the line that said so
    UNIQUE (batch, place)
) STRICT;

CREATE INDEX batch_requests_key ON batch_requests (run, wave_item, sample);

-- Lines of results that are nobody's answer.
CREATE TABLE batch_strays (
    id    INTEGER PRIMARY KEY CHECK (id > 0),
    batch INTEGER NOT NULL REFERENCES batches (id),
    kind  TEXT NOT NULL CHECK (kind IN ('unknown', 'twice', 'unreadable', 'held', 'withdrawn')),
    line  TEXT NOT NULL,                                      -- digest of the line as it came
    body  INTEGER NOT NULL REFERENCES bodies (id),
    UNIQUE (batch, kind, line)
) STRICT;

CREATE TRIGGER batches_begin BEFORE INSERT ON batches
WHEN NEW.remote <> '' OR NEW.submitted_at IS NOT NULL OR NEW.ended IS NOT NULL
  OR NEW.ended_at IS NOT NULL OR NEW.digest IS NOT NULL
  OR NOT EXISTS (SELECT 1 FROM run_sessions WHERE id = NEW.session AND run = NEW.run
                 AND ended_at IS NULL)
  OR NOT EXISTS (SELECT 1 FROM runs WHERE id = NEW.run AND closed_at IS NULL)
  OR EXISTS (SELECT 1 FROM run_drops WHERE run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'a batch begins unsent, in a session of an open run that goes on'); END;

CREATE TRIGGER batches_one_way BEFORE UPDATE ON batches
WHEN (OLD.id, OLD.run, OLD.marker, OLD.requests, OLD.sealed, OLD.prepared_at)
     IS NOT (NEW.id, NEW.run, NEW.marker, NEW.requests, NEW.sealed, NEW.prepared_at)
  OR OLD.ended IS NOT NULL
  OR (OLD.remote <> '' AND (OLD.remote, OLD.submitted_at, OLD.adopted)
                           IS NOT (NEW.remote, NEW.submitted_at, NEW.adopted))
  OR (NEW.remote = '') IS NOT (NEW.submitted_at IS NULL)
  OR (NEW.ended IS NULL) IS NOT (NEW.digest IS NULL)
  OR (NEW.ended IS NULL) IS NOT (NEW.ended_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a batch keeps its requests, is accepted once and ends once'); END;

-- As with leases: a sign that lies further ahead than any lasts was given under another clock.
CREATE TRIGGER batches_held BEFORE UPDATE ON batches
WHEN OLD.session <> NEW.session
 AND (NOT EXISTS (SELECT 1 FROM run_sessions WHERE id = NEW.session AND run = NEW.run
                  AND ended_at IS NULL)
   OR EXISTS (SELECT 1 FROM run_sessions WHERE id = OLD.session AND ended_at IS NULL
              AND until > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
              AND until < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+600 seconds')))
BEGIN SELECT RAISE(ABORT, 'a batch is taken over when the session that works on it is over'); END;

CREATE TRIGGER batch_requests_once BEFORE INSERT ON batch_requests
WHEN NEW.outcome IS NOT NULL OR NEW.line IS NOT NULL
  OR NOT EXISTS (SELECT 1 FROM batches WHERE id = NEW.batch AND run = NEW.run AND ended IS NULL
                 AND tried_at IS NULL AND NEW.place < requests)
  OR EXISTS (SELECT 1 FROM batch_requests AS other JOIN batches ON batches.id = other.batch
             WHERE other.run = NEW.run AND other.wave_item = NEW.wave_item
             AND other.sample = NEW.sample AND other.prompt_hash = NEW.prompt_hash
             AND other.intervention = NEW.intervention AND batches.ended IS NULL)
  OR EXISTS (SELECT 1 FROM generations WHERE run = NEW.run AND wave_item = NEW.wave_item
             AND prompt_hash = NEW.prompt_hash AND intervention = NEW.intervention
             AND sample = NEW.sample AND state <> 'error')
BEGIN SELECT RAISE(ABORT, 'a key without an answer is asked by one open batch'); END;

CREATE TRIGGER batch_requests_known BEFORE UPDATE ON batch_requests
WHEN (OLD.id, OLD.batch, OLD.place, OLD.run, OLD.wave_item, OLD.prompt_hash, OLD.intervention,
      OLD.sample, OLD.body)
     IS NOT (NEW.id, NEW.batch, NEW.place, NEW.run, NEW.wave_item, NEW.prompt_hash,
             NEW.intervention, NEW.sample, NEW.body)
  OR OLD.outcome IS NOT NULL OR NEW.outcome IS NULL
  OR NOT EXISTS (SELECT 1 FROM batches WHERE id = OLD.batch AND ended IS NULL)
BEGIN SELECT RAISE(ABORT, 'what became of a request is said once, while its batch is open'); END;

CREATE TRIGGER batch_strays_open BEFORE INSERT ON batch_strays
WHEN NOT EXISTS (SELECT 1 FROM batches WHERE id = NEW.batch AND ended IS NULL)
BEGIN SELECT RAISE(ABORT, 'a line belongs to a batch that is open'); END;
