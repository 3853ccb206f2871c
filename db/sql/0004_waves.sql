CREATE TABLE ledger (
    sequence INTEGER PRIMARY KEY,
    event    TEXT NOT NULL,
    payload  TEXT NOT NULL CHECK (json_valid(payload)),
    at       TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash     TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE waves (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    number     INTEGER NOT NULL UNIQUE CHECK (number >= 1),
    kind       TEXT NOT NULL CHECK (kind IN ('rated', 'simulated', 'declared')),
    header     TEXT NOT NULL CHECK (json_valid(header)),      -- canonical JSON: rule, round, salt
    hash       TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE wave_items (
    id        INTEGER PRIMARY KEY CHECK (id > 0),
    wave      INTEGER NOT NULL REFERENCES waves (id),
    item      INTEGER NOT NULL UNIQUE REFERENCES items (id),
    revision  INTEGER NOT NULL UNIQUE REFERENCES revisions (id),
    scenario  TEXT NOT NULL,
    condition TEXT NOT NULL,
    document  TEXT NOT NULL CHECK (json_valid(document)),     -- canonical JSON of all that is frozen
    hash      TEXT NOT NULL
) STRICT;

CREATE TRIGGER ledger_next BEFORE INSERT ON ledger
WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM ledger)
  OR NEW.previous IS NOT (SELECT coalesce((SELECT hash FROM ledger ORDER BY sequence DESC LIMIT 1), ''))
BEGIN SELECT RAISE(ABORT, 'the ledger takes only its next entry'); END;

-- A wave is written in one transaction that ends with its ledger entry; after that it is complete.
CREATE TRIGGER wave_items_complete BEFORE INSERT ON wave_items
WHEN NOT EXISTS (SELECT 1 FROM waves WHERE id = NEW.wave)
  OR EXISTS (SELECT 1 FROM ledger JOIN waves ON waves.hash = json_extract(ledger.payload, '$.wave')
             WHERE waves.id = NEW.wave AND ledger.event = 'wave frozen')
BEGIN SELECT RAISE(ABORT, 'a frozen wave takes no further item'); END;
