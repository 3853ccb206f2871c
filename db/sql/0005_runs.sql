CREATE TABLE runs (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    model      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('embedded', 'chat', 'scripted', 'imported')),
    config     TEXT NOT NULL CHECK (json_valid(config)),
    hash       TEXT NOT NULL UNIQUE,                          -- of model, kind and configuration
    created_at TEXT NOT NULL,
    closed_at  TEXT,
    digest     TEXT                                           -- over the generations, when closed
) STRICT;

CREATE TABLE bodies (
    id      INTEGER PRIMARY KEY CHECK (id > 0),
    request TEXT NOT NULL,                                    -- as sent, without keys
    reply   BLOB NOT NULL                                     -- raw, zlib
) STRICT;

CREATE TABLE generations (
    id            INTEGER PRIMARY KEY CHECK (id > 0),
    run           INTEGER NOT NULL REFERENCES runs (id),
    wave_item     INTEGER NOT NULL REFERENCES wave_items (id),
    prompt_hash   TEXT NOT NULL,
    intervention  TEXT NOT NULL,
    sample        INTEGER NOT NULL CHECK (sample >= 1),
    state         TEXT NOT NULL CHECK (state IN ('ok', 'truncated', 'empty', 'refused', 'error')),
    visible_text  TEXT NOT NULL,                              -- what a user would see, prefill included
    reasoning     TEXT NOT NULL,
    finish_reason TEXT NOT NULL,
    usage         TEXT NOT NULL CHECK (json_valid(usage)),
    answered_by   TEXT NOT NULL,                              -- the model id that the endpoint named
    error         TEXT NOT NULL,
    seconds       REAL NOT NULL,
    started_at    TEXT NOT NULL,
    ended_at      TEXT NOT NULL,
    body          INTEGER REFERENCES bodies (id),
    UNIQUE (run, wave_item, prompt_hash, intervention, sample)
) STRICT;

CREATE TABLE scores (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    generation INTEGER NOT NULL REFERENCES generations (id),
    verifier   TEXT NOT NULL,
    version    TEXT NOT NULL,
    verdict    TEXT NOT NULL,                                 -- what the verifier read
    evidence   TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (generation, verifier, version)
) STRICT;

CREATE TRIGGER runs_one_way BEFORE UPDATE ON runs
WHEN (OLD.id, OLD.model, OLD.kind, OLD.config, OLD.hash, OLD.created_at)
     IS NOT (NEW.id, NEW.model, NEW.kind, NEW.config, NEW.hash, NEW.created_at)
  OR OLD.closed_at IS NOT NULL
  OR (NEW.closed_at IS NULL) IS NOT (NEW.digest IS NULL)
BEGIN SELECT RAISE(ABORT, 'a run keeps its configuration and closes once, with its digest'); END;

CREATE TRIGGER generations_frozen BEFORE INSERT ON generations
WHEN NOT EXISTS (SELECT 1 FROM wave_items WHERE id = NEW.wave_item)
  OR NOT EXISTS (SELECT 1 FROM runs WHERE id = NEW.run AND closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a generation needs a frozen item and an open run'); END;

-- An error row is a place held for the next attempt; anything that a model said stays.
CREATE TRIGGER generations_retry BEFORE UPDATE ON generations
WHEN (OLD.id, OLD.run, OLD.wave_item, OLD.prompt_hash, OLD.intervention, OLD.sample)
     IS NOT (NEW.id, NEW.run, NEW.wave_item, NEW.prompt_hash, NEW.intervention, NEW.sample)
  OR OLD.state <> 'error'
  OR NOT EXISTS (SELECT 1 FROM runs WHERE id = OLD.run AND closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'only an error may be tried again'); END;
