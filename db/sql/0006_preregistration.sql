-- A study has one preregistration; what changes afterwards is an amendment, a whole new document.
CREATE TABLE preregistrations (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    document   TEXT NOT NULL CHECK (json_valid(document)),    -- canonical JSON of the whole plan
    hash       TEXT NOT NULL UNIQUE,
    known      TEXT NOT NULL CHECK (json_valid(known)),       -- what the study held just then
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE amendments (
    id           INTEGER PRIMARY KEY CHECK (id > 0),
    number       INTEGER NOT NULL UNIQUE CHECK (number >= 1),
    document     TEXT NOT NULL CHECK (json_valid(document)),
    hash         TEXT NOT NULL UNIQUE,
    changes      TEXT NOT NULL CHECK (json_valid(changes)),   -- field by field: before, after
    reason       TEXT NOT NULL CHECK (trim(reason) <> ''),
    seen_ratings INTEGER NOT NULL CHECK (seen_ratings IN (0, 1)),  -- as the researcher says
    seen_outputs INTEGER NOT NULL CHECK (seen_outputs IN (0, 1)),
    known        TEXT NOT NULL CHECK (json_valid(known)),
    created_at   TEXT NOT NULL
) STRICT;

-- What a round or a run was begun under: the hash of a plan, or NULL, which is exploratory.
CREATE TABLE round_standings (
    round           INTEGER PRIMARY KEY CHECK (round > 0) REFERENCES rounds (id),
    preregistration TEXT,
    created_at      TEXT NOT NULL
) STRICT;

CREATE TABLE run_standings (
    run             INTEGER PRIMARY KEY CHECK (run > 0) REFERENCES runs (id),
    preregistration TEXT,
    created_at      TEXT NOT NULL
) STRICT;

-- Whatever was begun before there were preregistrations is exploratory.
INSERT INTO round_standings SELECT id, NULL, opened_at FROM rounds WHERE opened_at IS NOT NULL;
INSERT INTO run_standings SELECT id, NULL, created_at FROM runs;

CREATE TRIGGER amendments_next BEFORE INSERT ON amendments
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM amendments)
  OR json_extract(NEW.document, '$.amends') IS NOT coalesce(
       (SELECT hash FROM amendments ORDER BY number DESC LIMIT 1),
       (SELECT hash FROM preregistrations))
BEGIN SELECT RAISE(ABORT, 'an amendment follows the plan that is in force'); END;

CREATE TRIGGER round_standings_before_opening BEFORE INSERT ON round_standings
WHEN NOT EXISTS (SELECT 1 FROM rounds WHERE id = NEW.round AND opened_at IS NULL)
  OR (NEW.preregistration IS NOT NULL
      AND NEW.preregistration NOT IN (SELECT hash FROM preregistrations UNION SELECT hash FROM amendments))
BEGIN SELECT RAISE(ABORT, 'a round stands on a plan before it opens'); END;

CREATE TRIGGER run_standings_before_asking BEFORE INSERT ON run_standings
WHEN EXISTS (SELECT 1 FROM generations WHERE run = NEW.run)
  OR (NEW.preregistration IS NOT NULL
      AND NEW.preregistration NOT IN (SELECT hash FROM preregistrations UNION SELECT hash FROM amendments))
BEGIN SELECT RAISE(ABORT, 'a run stands on a plan before it asks'); END;

CREATE TRIGGER rounds_standing BEFORE UPDATE ON rounds
WHEN OLD.opened_at IS NULL AND NEW.opened_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM round_standings WHERE round = OLD.id)
BEGIN SELECT RAISE(ABORT, 'a round says whether it is preregistered before it opens'); END;

CREATE TRIGGER generations_standing BEFORE INSERT ON generations
WHEN EXISTS (SELECT 1 FROM runs WHERE id = NEW.run)
  AND NOT EXISTS (SELECT 1 FROM run_standings WHERE run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'a run says whether it is preregistered before it asks'); END;
