-- What a packet has beside the tables of a study. It holds one seat and takes that seat's answers,
-- in its tables and in its journal; everything else it refuses.

CREATE TABLE packet (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    header    TEXT NOT NULL CHECK (json_valid(header)),
    signature TEXT NOT NULL
) STRICT;

CREATE TABLE packet_journal (
    sequence INTEGER PRIMARY KEY,
    handle   TEXT NOT NULL,                                   -- of the code it was made with
    event    TEXT NOT NULL CHECK (json_valid(event)),         -- canonical JSON
    seal     TEXT NOT NULL UNIQUE                             -- over this and the seal before
) STRICT;

CREATE TRIGGER packet_kept BEFORE DELETE ON packet
BEGIN SELECT RAISE(ABORT, 'rows of packet are never deleted'); END;

CREATE TRIGGER packet_no_replace BEFORE INSERT ON packet
WHEN EXISTS (SELECT 1 FROM packet)
BEGIN SELECT RAISE(ABORT, 'that row of packet exists already'); END;

CREATE TRIGGER packet_unchanged BEFORE UPDATE ON packet
BEGIN SELECT RAISE(ABORT, 'rows of packet are never changed'); END;

CREATE TRIGGER packet_journal_kept BEFORE DELETE ON packet_journal
BEGIN SELECT RAISE(ABORT, 'rows of packet_journal are never deleted'); END;

CREATE TRIGGER packet_journal_unchanged BEFORE UPDATE ON packet_journal
BEGIN SELECT RAISE(ABORT, 'rows of packet_journal are never changed'); END;

CREATE TRIGGER packet_journal_next BEFORE INSERT ON packet_journal
WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM packet_journal)
  OR EXISTS (SELECT 1 FROM packet_journal WHERE seal = NEW.seal)
BEGIN SELECT RAISE(ABORT, 'the journal takes only its next entry'); END;

-- Without these nothing can be drafted, planned, opened, closed, decided, frozen, run or withdrawn.
CREATE TRIGGER packet_drafts_nothing BEFORE INSERT ON revisions
BEGIN SELECT RAISE(ABORT, 'this is a packet, not a study'); END;

CREATE TRIGGER packet_plans_nothing BEFORE INSERT ON rounds
BEGIN SELECT RAISE(ABORT, 'this is a packet, not a study'); END;

CREATE TRIGGER packet_admits_nobody BEFORE INSERT ON access_codes
BEGIN SELECT RAISE(ABORT, 'this is a packet, not a study'); END;

CREATE TRIGGER packet_decides_nothing BEFORE INSERT ON ledger
BEGIN SELECT RAISE(ABORT, 'this is a packet, not a study'); END;
