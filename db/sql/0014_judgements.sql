CREATE TABLE rubrics (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    hash       TEXT NOT NULL UNIQUE,                          -- of the document
    name       TEXT NOT NULL,
    version    TEXT NOT NULL,
    document   TEXT NOT NULL CHECK (json_valid(document)),    -- whole, canonical
    created_at TEXT NOT NULL,
    UNIQUE (name, version)                                    -- another text is another version
) STRICT;

CREATE TABLE judges (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    rubric     INTEGER NOT NULL REFERENCES rubrics (id),
    model      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('embedded', 'chat', 'scripted', 'imported')),
    config     TEXT NOT NULL CHECK (json_valid(config)),
    hash       TEXT NOT NULL UNIQUE,                          -- of rubric, model, kind, configuration
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE judge_calls (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    judge      INTEGER NOT NULL REFERENCES judges (id),
    scope      TEXT NOT NULL CHECK (json_valid(scope)),       -- runs, conditions, samples
    machine    TEXT NOT NULL,                                 -- a digest of one start of a machine
    process    TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at   TEXT,
    ended      TEXT CHECK (ended IN ('finished', 'interrupted', 'failed', 'lost')),
    digest     TEXT                                           -- over its judgements, when it ended
) STRICT;

-- A reply of a judge. One without a verdict may be followed by another attempt; none is changed.
CREATE TABLE judgements (
    id            INTEGER PRIMARY KEY CHECK (id > 0),
    judge         INTEGER NOT NULL REFERENCES judges (id),
    generation    INTEGER NOT NULL REFERENCES generations (id),
    sample        INTEGER NOT NULL CHECK (sample >= 1),
    attempt       INTEGER NOT NULL CHECK (attempt >= 1),
    call          INTEGER NOT NULL REFERENCES judge_calls (id),
    prompt_hash   TEXT NOT NULL,                              -- of what the judge was sent
    state         TEXT NOT NULL CHECK (state IN ('ok', 'truncated', 'empty', 'refused', 'error')),
    visible_text  TEXT NOT NULL,                              -- what the judge said
    reasoning     TEXT NOT NULL,
    verdict       TEXT CHECK (length(verdict) > 0),           -- null: it cannot be read
    score         REAL,
    finish_reason TEXT NOT NULL,
    usage         TEXT NOT NULL CHECK (json_valid(usage)),
    answered_by   TEXT NOT NULL,
    error         TEXT NOT NULL,
    seconds       REAL NOT NULL,
    started_at    TEXT NOT NULL,
    ended_at      TEXT NOT NULL,
    attempts      INTEGER NOT NULL CHECK (attempts >= 1),     -- requests that it took
    tokens_in     INTEGER,                                    -- null: not stated
    tokens_out    INTEGER,
    body          INTEGER REFERENCES bodies (id),
    UNIQUE (judge, generation, sample, attempt)
) STRICT;

CREATE INDEX judgements_call ON judgements (call);

CREATE TRIGGER judge_calls_begin BEFORE INSERT ON judge_calls
WHEN NEW.ended_at IS NOT NULL OR NEW.ended IS NOT NULL OR NEW.digest IS NOT NULL
  OR EXISTS (SELECT 1 FROM judge_calls WHERE judge = NEW.judge AND ended_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a judge has one call at a time, and it begins open'); END;

CREATE TRIGGER judge_calls_end BEFORE UPDATE ON judge_calls
WHEN (OLD.id, OLD.judge, OLD.scope, OLD.machine, OLD.process, OLD.started_at)
     IS NOT (NEW.id, NEW.judge, NEW.scope, NEW.machine, NEW.process, NEW.started_at)
  OR OLD.ended_at IS NOT NULL
  OR NEW.ended_at IS NULL OR NEW.ended IS NULL OR NEW.digest IS NULL
BEGIN SELECT RAISE(ABORT, 'a call of a judge ends once, with its digest'); END;

CREATE TRIGGER judgements_next BEFORE INSERT ON judgements
WHEN NOT EXISTS (SELECT 1 FROM judge_calls WHERE id = NEW.call AND judge = NEW.judge
                 AND ended_at IS NULL)
  OR NEW.attempt <> 1 + (SELECT count(*) FROM judgements WHERE judge = NEW.judge
                         AND generation = NEW.generation AND sample = NEW.sample)
  OR EXISTS (SELECT 1 FROM judgements WHERE judge = NEW.judge AND generation = NEW.generation
             AND sample = NEW.sample AND verdict IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'a judgement needs an open call, and follows attempts without a verdict'); END;

CREATE TRIGGER judgements_of_an_answer BEFORE INSERT ON judgements
WHEN EXISTS (SELECT 1 FROM generations WHERE id = NEW.generation AND state = 'error')
BEGIN SELECT RAISE(ABORT, 'a failed request said nothing that could be judged'); END;
