CREATE TABLE choice_setups (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    model      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('embedded', 'chat', 'scripted')),
    build      TEXT NOT NULL CHECK (json_valid(build)),       -- route, program, weights, template
    config     TEXT NOT NULL CHECK (json_valid(config)),      -- anchor, answers, variants
    hash       TEXT NOT NULL UNIQUE,                          -- of model, kind, build, configuration
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE choice_calls (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    setup      INTEGER NOT NULL REFERENCES choice_setups (id),
    scope      TEXT NOT NULL CHECK (json_valid(scope)),       -- waves, conditions
    machine    TEXT NOT NULL,                                 -- a digest of one start of a machine
    process    TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at   TEXT,
    ended      TEXT CHECK (ended IN ('finished', 'interrupted', 'failed', 'lost')),
    digest     TEXT                                           -- over its scores, when it ended
) STRICT;

-- Log-probabilities of the answers to one frozen item. Only a failed attempt is followed by another.
CREATE TABLE choice_scores (
    id            INTEGER PRIMARY KEY CHECK (id > 0),
    setup         INTEGER NOT NULL REFERENCES choice_setups (id),
    wave_item     INTEGER NOT NULL REFERENCES wave_items (id),
    attempt       INTEGER NOT NULL CHECK (attempt >= 1),
    call          INTEGER NOT NULL REFERENCES choice_calls (id),
    prompt_hash   TEXT NOT NULL,                              -- of the frozen messages
    state         TEXT NOT NULL CHECK (state IN ('ok', 'unscorable', 'error')),
    answers       TEXT NOT NULL CHECK (json_valid(answers)),  -- with every variant and token
    error         TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL CHECK (prompt_tokens >= 0),
    forward_calls INTEGER NOT NULL CHECK (forward_calls >= 0),
    seconds       REAL NOT NULL,
    started_at    TEXT NOT NULL,
    ended_at      TEXT NOT NULL,
    body          INTEGER REFERENCES bodies (id),
    CHECK ((state = 'ok') = (error = '')),
    UNIQUE (setup, wave_item, attempt)
) STRICT;

CREATE INDEX choice_scores_call ON choice_scores (call);

CREATE TRIGGER choice_calls_begin BEFORE INSERT ON choice_calls
WHEN NEW.ended_at IS NOT NULL OR NEW.ended IS NOT NULL OR NEW.digest IS NOT NULL
  OR EXISTS (SELECT 1 FROM choice_calls WHERE setup = NEW.setup AND ended_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a setup has one call at a time, and it begins open'); END;

CREATE TRIGGER choice_calls_end BEFORE UPDATE ON choice_calls
WHEN (OLD.id, OLD.setup, OLD.scope, OLD.machine, OLD.process, OLD.started_at)
     IS NOT (NEW.id, NEW.setup, NEW.scope, NEW.machine, NEW.process, NEW.started_at)
  OR OLD.ended_at IS NOT NULL
  OR NEW.ended_at IS NULL OR NEW.ended IS NULL OR NEW.digest IS NULL
BEGIN SELECT RAISE(ABORT, 'a call of a setup ends once, with its digest'); END;

CREATE TRIGGER choice_scores_next BEFORE INSERT ON choice_scores
WHEN NOT EXISTS (SELECT 1 FROM choice_calls WHERE id = NEW.call AND setup = NEW.setup
                 AND ended_at IS NULL)
  OR NEW.attempt <> 1 + (SELECT count(*) FROM choice_scores WHERE setup = NEW.setup
                         AND wave_item = NEW.wave_item)
  OR EXISTS (SELECT 1 FROM choice_scores WHERE setup = NEW.setup
             AND wave_item = NEW.wave_item AND state <> 'error')
BEGIN SELECT RAISE(ABORT, 'a choice score needs an open call, and follows failed attempts only'); END;

CREATE TRIGGER choice_scores_not_withdrawn BEFORE INSERT ON choice_scores
WHEN EXISTS (SELECT 1 FROM wave_withdrawals WHERE wave_item = NEW.wave_item)
BEGIN SELECT RAISE(ABORT, 'a withdrawn item takes no further choice score'); END;
