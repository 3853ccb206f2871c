-- Where a text came from when it was not there from the beginning: the entry of its import or of its
-- rewrite. Both name what they brought by its digest, so that fact and entry can be held together.
CREATE TABLE origins (
    revision INTEGER PRIMARY KEY REFERENCES revisions (id),
    entry    INTEGER NOT NULL REFERENCES ledger (sequence)
) STRICT;

-- Scenarios that the researchers gave up, with the reason. What failed by the rule is a decision.
CREATE TABLE exclusions (
    id       INTEGER PRIMARY KEY CHECK (id > 0),
    scenario TEXT NOT NULL UNIQUE REFERENCES scenarios (id),
    kind     TEXT NOT NULL CHECK (length(kind) > 0),          -- a word to count by
    reason   TEXT NOT NULL CHECK (length(reason) > 0),
    entry    INTEGER NOT NULL UNIQUE REFERENCES ledger (sequence),
    at       TEXT NOT NULL
) STRICT;

CREATE TRIGGER origins_ledgered BEFORE INSERT ON origins
WHEN NOT EXISTS (SELECT 1 FROM ledger WHERE sequence = NEW.entry
                 AND event IN ('items imported', 'scenario revised'))
BEGIN SELECT RAISE(ABORT, 'a text comes in by an entry of the ledger'); END;

CREATE TRIGGER exclusions_ledgered BEFORE INSERT ON exclusions
WHEN NOT EXISTS (SELECT 1 FROM ledger WHERE sequence = NEW.entry AND event = 'scenario excluded'
                 AND json_extract(payload, '$.scenario') = NEW.scenario)
BEGIN SELECT RAISE(ABORT, 'an exclusion has its own entry in the ledger'); END;

CREATE TRIGGER exclusions_not_frozen BEFORE INSERT ON exclusions
WHEN EXISTS (SELECT 1 FROM wave_items WHERE scenario = NEW.scenario)
BEGIN SELECT RAISE(ABORT, 'a frozen scenario cannot be excluded'); END;

CREATE TRIGGER wave_items_not_excluded BEFORE INSERT ON wave_items
WHEN EXISTS (SELECT 1 FROM exclusions WHERE scenario = NEW.scenario)
BEGIN SELECT RAISE(ABORT, 'an excluded scenario is never frozen'); END;

CREATE TRIGGER revisions_not_excluded BEFORE INSERT ON revisions
WHEN EXISTS (SELECT 1 FROM exclusions JOIN items ON items.scenario = exclusions.scenario
             WHERE items.id = NEW.item)
BEGIN SELECT RAISE(ABORT, 'an excluded scenario is not rewritten'); END;
