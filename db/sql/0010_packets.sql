-- Packets: what was handed out for work without the study, and what came back of it.

CREATE TABLE packets (
    id        INTEGER PRIMARY KEY CHECK (id > 0),
    name      TEXT NOT NULL UNIQUE,
    seat      INTEGER NOT NULL REFERENCES seats (id),
    sheet     TEXT NOT NULL,                                  -- digest of all that is shown in it
    entry     INTEGER NOT NULL REFERENCES ledger (sequence),  -- the entry that says so
    issued_at TEXT NOT NULL
) STRICT;

-- A packet numbers its items from 1; which they are is known here alone.
CREATE TABLE packet_items (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    packet     INTEGER NOT NULL REFERENCES packets (id),
    place      INTEGER NOT NULL CHECK (place >= 1),
    assignment INTEGER NOT NULL REFERENCES assignments (id),
    UNIQUE (packet, place),
    UNIQUE (packet, assignment)
) STRICT;

-- Every entry of a packet's journal that was read, once: by its seal it is known again. Where it
-- became a version of a rating, this is where that version came from.
CREATE TABLE packet_events (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    packet     INTEGER NOT NULL REFERENCES packets (id),
    seal       TEXT NOT NULL UNIQUE,
    assignment INTEGER REFERENCES assignments (id),           -- null where it was of no item
    history    INTEGER UNIQUE REFERENCES rating_history (id), -- null where it became no rating
    conflict   INTEGER NOT NULL CHECK (conflict IN (0, 1)),   -- an answer from elsewhere stood
    entry      INTEGER NOT NULL REFERENCES ledger (sequence)
) STRICT;

CREATE TRIGGER packets_open_round BEFORE INSERT ON packets
WHEN NOT EXISTS (
    SELECT 1 FROM seats JOIN rounds ON rounds.id = seats.round
    WHERE seats.id = NEW.seat AND seats.role = 'rater'
      AND rounds.opened_at IS NOT NULL AND rounds.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'packets are for raters, and only while the round is open'); END;

CREATE TRIGGER packet_items_own BEFORE INSERT ON packet_items
WHEN (SELECT seat FROM packets WHERE id = NEW.packet)
     IS NOT (SELECT seat FROM assignments WHERE id = NEW.assignment)
BEGIN SELECT RAISE(ABORT, 'a packet holds items of its own seat'); END;

CREATE TRIGGER packet_events_own BEFORE INSERT ON packet_events
WHEN (NEW.assignment IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM packet_items WHERE packet = NEW.packet AND assignment = NEW.assignment))
  OR (NEW.history IS NOT NULL AND NEW.assignment IS NOT (
        SELECT ratings.assignment FROM rating_history
        JOIN ratings ON ratings.id = rating_history.rating WHERE rating_history.id = NEW.history))
BEGIN SELECT RAISE(ABORT, 'a packet answers for items of its own'); END;
