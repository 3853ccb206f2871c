-- A frozen item in which an error was found later. It stays in its wave, is asked of no model any
-- more, and is left out of what is computed; what was run before is kept.
CREATE TABLE wave_withdrawals (
    id        INTEGER PRIMARY KEY CHECK (id > 0),
    wave_item INTEGER NOT NULL UNIQUE REFERENCES wave_items (id),
    reason    TEXT NOT NULL CHECK (trim(reason) <> ''),
    entry     INTEGER NOT NULL REFERENCES ledger (sequence)   -- the entry that says so
) STRICT;

-- Verification asks of every entry what it made void.
CREATE INDEX ratings_void ON ratings (void);
CREATE INDEX pair_audits_void ON pair_audits (void);

CREATE TRIGGER wave_withdrawals_ledgered BEFORE INSERT ON wave_withdrawals
WHEN NOT EXISTS (
    SELECT 1 FROM ledger, json_each(ledger.payload, '$.items') AS named
    JOIN wave_items ON wave_items.id = NEW.wave_item
    JOIN waves ON waves.id = wave_items.wave
    WHERE ledger.sequence = NEW.entry AND ledger.event = 'items withdrawn'
      AND json_extract(ledger.payload, '$.wave') = waves.number
      AND json_extract(ledger.payload, '$.reason') = NEW.reason
      AND named.value = wave_items.scenario || '/' || wave_items.condition)
BEGIN SELECT RAISE(ABORT, 'a withdrawal needs its entry in the ledger'); END;

CREATE TRIGGER generations_not_withdrawn BEFORE INSERT ON generations
WHEN EXISTS (SELECT 1 FROM wave_withdrawals WHERE wave_item = NEW.wave_item)
BEGIN SELECT RAISE(ABORT, 'a withdrawn item takes no further generation'); END;

CREATE TRIGGER generations_no_retry BEFORE UPDATE ON generations
WHEN EXISTS (SELECT 1 FROM wave_withdrawals WHERE wave_item = OLD.wave_item)
BEGIN SELECT RAISE(ABORT, 'a withdrawn item takes no further generation'); END;
