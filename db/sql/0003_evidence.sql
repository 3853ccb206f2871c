-- Ratings and audits can be changed by their author while the round is open; every version is kept.
-- What a replaced or withdrawn person gave is void: it stays, counts nowhere, and can be erased after
-- a withdrawal. Then nothing is left but the hash, whose salt is gone, so that it cannot be guessed.

CREATE TABLE ratings (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    assignment INTEGER NOT NULL REFERENCES assignments (id),
    person     INTEGER NOT NULL REFERENCES people (id),
    answers    TEXT NOT NULL CHECK (json_valid(answers)),
    comment    TEXT NOT NULL,
    seconds    REAL NOT NULL CHECK (seconds >= 0),            -- active time on the item
    salt       TEXT NOT NULL,
    hash       TEXT NOT NULL,                                 -- salted, so that a digest survives erasure
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    void       INTEGER REFERENCES ledger (sequence),          -- the entry that made it so
    UNIQUE (assignment, person)
) STRICT;

CREATE UNIQUE INDEX ratings_standing ON ratings (assignment) WHERE void IS NULL;

CREATE TABLE rating_history (
    id      INTEGER PRIMARY KEY CHECK (id > 0),
    rating  INTEGER NOT NULL REFERENCES ratings (id),
    answers TEXT NOT NULL CHECK (json_valid(answers)),
    comment TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT;

CREATE TABLE pair_audits (
    id          INTEGER PRIMARY KEY CHECK (id > 0),
    pair        INTEGER NOT NULL REFERENCES pair_assignments (id),
    person      INTEGER NOT NULL REFERENCES people (id),
    only_intended INTEGER CHECK (only_intended IN (0, 1)),        -- null once erased
    note        TEXT NOT NULL,
    differences INTEGER NOT NULL CHECK (differences IN (0, 1)),   -- whether they were highlighted
    salt        TEXT NOT NULL,
    hash        TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    void        INTEGER REFERENCES ledger (sequence),
    UNIQUE (pair, person)
) STRICT;

CREATE UNIQUE INDEX pair_audits_standing ON pair_audits (pair) WHERE void IS NULL;

CREATE TABLE pair_audit_history (
    id            INTEGER PRIMARY KEY CHECK (id > 0),
    audit         INTEGER NOT NULL REFERENCES pair_audits (id),
    only_intended INTEGER CHECK (only_intended IN (0, 1)),
    note          TEXT NOT NULL,
    differences   INTEGER NOT NULL CHECK (differences IN (0, 1)),
    at            TEXT NOT NULL
) STRICT;

-- What people said beside their ratings. None of it is a rating, and no table of results reads it.

CREATE TABLE consents (
    id     INTEGER PRIMARY KEY CHECK (id > 0),
    seat   INTEGER NOT NULL REFERENCES seats (id),
    person INTEGER NOT NULL REFERENCES people (id),
    text   TEXT NOT NULL,                                     -- digest of what was accepted
    at     TEXT NOT NULL,
    UNIQUE (seat, person)
) STRICT;

CREATE TABLE training_answers (
    id      INTEGER PRIMARY KEY CHECK (id > 0),
    seat    INTEGER NOT NULL REFERENCES seats (id),
    person  INTEGER NOT NULL REFERENCES people (id),
    turn    INTEGER NOT NULL CHECK (turn >= 1),               -- the first, second, ... time through
    name    TEXT NOT NULL,                                    -- of the training item
    answer  TEXT NOT NULL,
    correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
    at      TEXT NOT NULL,
    UNIQUE (seat, person, turn, name)
) STRICT;

CREATE TABLE check_answers (
    id      INTEGER PRIMARY KEY CHECK (id > 0),
    seat    INTEGER NOT NULL REFERENCES seats (id),
    person  INTEGER NOT NULL REFERENCES people (id),
    name    TEXT NOT NULL,
    answer  TEXT NOT NULL,
    correct INTEGER NOT NULL CHECK (correct IN (0, 1)),
    at      TEXT NOT NULL,
    UNIQUE (seat, person, name)
) STRICT;

CREATE TABLE item_reports (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    assignment INTEGER NOT NULL REFERENCES assignments (id),
    person     INTEGER NOT NULL REFERENCES people (id),
    text       TEXT NOT NULL,
    at         TEXT NOT NULL
) STRICT;

CREATE TABLE decisions (
    id           INTEGER PRIMARY KEY CHECK (id > 0),
    round        INTEGER NOT NULL REFERENCES rounds (id),
    scenario     TEXT NOT NULL REFERENCES scenarios (id),
    verdict      TEXT NOT NULL CHECK (verdict IN ('include', 'revise', 'exclude')),
    cue_eligible INTEGER NOT NULL CHECK (cue_eligible IN (0, 1)),
    findings     TEXT NOT NULL CHECK (json_valid(findings)),
    evidence     TEXT NOT NULL,                               -- digest of the ratings and audits
    created_at   TEXT NOT NULL,
    UNIQUE (round, scenario)
) STRICT;

CREATE TRIGGER ratings_open_round BEFORE INSERT ON ratings
WHEN NOT EXISTS (
    SELECT 1 FROM assignments
    JOIN seats ON seats.id = assignments.seat JOIN rounds ON rounds.id = seats.round
    JOIN occupancies ON occupancies.seat = seats.id
    WHERE assignments.id = NEW.assignment AND NEW.void IS NULL
      AND occupancies.person = NEW.person AND occupancies.until IS NULL
      AND rounds.opened_at IS NOT NULL AND rounds.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'only the person in the seat rates, and only while the round is open'); END;

CREATE TRIGGER ratings_latin_square BEFORE INSERT ON ratings
WHEN EXISTS (
    SELECT 1
    FROM assignments AS wanted JOIN seats ON seats.id = wanted.seat
    JOIN rounds ON rounds.id = seats.round
    JOIN revisions ON revisions.id = wanted.revision JOIN items ON items.id = revisions.item
    JOIN ratings AS given ON given.person = NEW.person
    JOIN assignments AS other ON other.id = given.assignment
    JOIN seats AS other_seat ON other_seat.id = other.seat
    JOIN revisions AS other_revision ON other_revision.id = other.revision
    JOIN items AS other_item ON other_item.id = other_revision.item
    WHERE wanted.id = NEW.assignment AND rounds.design = 'latin-square'
      AND other_seat.round = rounds.id AND other_item.scenario = items.scenario)
BEGIN SELECT RAISE(ABORT, 'a person may not rate two conditions of one scenario in a latin-square round'); END;

CREATE TRIGGER ratings_changes BEFORE UPDATE ON ratings
WHEN (OLD.id, OLD.assignment, OLD.person, OLD.created_at)
     IS NOT (NEW.id, NEW.assignment, NEW.person, NEW.created_at)
  OR NOT (
    -- another answer
    ((OLD.salt, OLD.void) IS (NEW.salt, NEW.void) AND OLD.void IS NULL AND EXISTS (
       SELECT 1 FROM assignments JOIN seats ON seats.id = assignments.seat
       JOIN rounds ON rounds.id = seats.round JOIN occupancies ON occupancies.seat = seats.id
       WHERE assignments.id = OLD.assignment AND rounds.closed_at IS NULL
         AND occupancies.person = OLD.person AND occupancies.until IS NULL))
    -- made void
    OR ((OLD.answers, OLD.comment, OLD.seconds, OLD.salt, OLD.hash, OLD.updated_at)
        IS (NEW.answers, NEW.comment, NEW.seconds, NEW.salt, NEW.hash, NEW.updated_at)
      AND OLD.void IS NULL AND EXISTS (
        SELECT 1 FROM ledger JOIN people ON people.id = OLD.person
        WHERE ledger.sequence = NEW.void AND json_extract(payload, '$.person') = people.pseudonym
          AND (event = 'person withdrawn'
               OR (event = 'seat replaced' AND json_extract(payload, '$.on_replace') = 'void'))))
    -- erased
    OR ((NEW.answers, NEW.comment, NEW.seconds, NEW.salt) IS ('{}', '', 0.0, '')
      AND (OLD.hash, OLD.updated_at, OLD.void) IS (NEW.hash, NEW.updated_at, NEW.void)
      AND OLD.void IS NOT NULL
      AND EXISTS (SELECT 1 FROM people WHERE id = OLD.person AND erased IS NOT NULL)))
BEGIN SELECT RAISE(ABORT, 'a rating changes only by its author and while the round is open'); END;

CREATE TRIGGER rating_history_erased BEFORE UPDATE ON rating_history
WHEN (OLD.id, OLD.rating, OLD.at) IS NOT (NEW.id, NEW.rating, NEW.at)
  OR (NEW.answers, NEW.comment) IS NOT ('{}', '')
  OR NOT EXISTS (SELECT 1 FROM ratings JOIN people ON people.id = ratings.person
                 WHERE ratings.id = OLD.rating AND people.erased IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'history can only be erased, after a withdrawal'); END;

CREATE TRIGGER pair_audits_open_round BEFORE INSERT ON pair_audits
WHEN NOT EXISTS (
    SELECT 1 FROM pair_assignments
    JOIN seats ON seats.id = pair_assignments.seat JOIN rounds ON rounds.id = seats.round
    JOIN occupancies ON occupancies.seat = seats.id
    WHERE pair_assignments.id = NEW.pair AND NEW.void IS NULL AND NEW.only_intended IS NOT NULL
      AND occupancies.person = NEW.person AND occupancies.until IS NULL
      AND rounds.opened_at IS NOT NULL AND rounds.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'only the person in the seat audits, and only while the round is open'); END;

CREATE TRIGGER pair_audits_changes BEFORE UPDATE ON pair_audits
WHEN (OLD.id, OLD.pair, OLD.person, OLD.created_at)
     IS NOT (NEW.id, NEW.pair, NEW.person, NEW.created_at)
  OR NOT (
    -- another verdict
    ((OLD.salt, OLD.void) IS (NEW.salt, NEW.void) AND OLD.void IS NULL
      AND NEW.only_intended IS NOT NULL AND EXISTS (
        SELECT 1 FROM pair_assignments JOIN seats ON seats.id = pair_assignments.seat
        JOIN rounds ON rounds.id = seats.round JOIN occupancies ON occupancies.seat = seats.id
        WHERE pair_assignments.id = OLD.pair AND rounds.closed_at IS NULL
          AND occupancies.person = OLD.person AND occupancies.until IS NULL))
    -- made void
    OR ((OLD.only_intended, OLD.note, OLD.differences, OLD.salt, OLD.hash, OLD.updated_at)
        IS (NEW.only_intended, NEW.note, NEW.differences, NEW.salt, NEW.hash, NEW.updated_at)
      AND OLD.void IS NULL AND EXISTS (
        SELECT 1 FROM ledger JOIN people ON people.id = OLD.person
        WHERE ledger.sequence = NEW.void AND json_extract(payload, '$.person') = people.pseudonym
          AND (event = 'person withdrawn'
               OR (event = 'seat replaced' AND json_extract(payload, '$.on_replace') = 'void'))))
    -- erased
    OR ((NEW.only_intended, NEW.note, NEW.differences, NEW.salt) IS (NULL, '', 0, '')
      AND (OLD.hash, OLD.updated_at, OLD.void) IS (NEW.hash, NEW.updated_at, NEW.void)
      AND OLD.void IS NOT NULL
      AND EXISTS (SELECT 1 FROM people WHERE id = OLD.person AND erased IS NOT NULL)))
BEGIN SELECT RAISE(ABORT, 'an audit changes only by its author and while the round is open'); END;

CREATE TRIGGER pair_audit_history_erased BEFORE UPDATE ON pair_audit_history
WHEN (OLD.id, OLD.audit, OLD.at) IS NOT (NEW.id, NEW.audit, NEW.at)
  OR (NEW.only_intended, NEW.note, NEW.differences) IS NOT (NULL, '', 0)
  OR NOT EXISTS (SELECT 1 FROM pair_audits JOIN people ON people.id = pair_audits.person
                 WHERE pair_audits.id = OLD.audit AND people.erased IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'history can only be erased, after a withdrawal'); END;

CREATE TRIGGER decisions_closed_round BEFORE INSERT ON decisions
WHEN NOT EXISTS (SELECT 1 FROM rounds WHERE id = NEW.round AND kind <> 'practice' AND closed_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'decisions rest on a closed round that is not practice'); END;

CREATE TRIGGER consents_open_round BEFORE INSERT ON consents
WHEN NOT EXISTS (
    SELECT 1 FROM seats JOIN rounds ON rounds.id = seats.round
    JOIN occupancies ON occupancies.seat = seats.id
    WHERE seats.id = NEW.seat AND occupancies.person = NEW.person AND occupancies.until IS NULL
      AND rounds.opened_at IS NOT NULL AND rounds.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'only the person in the seat answers, and only while the round is open'); END;

CREATE TRIGGER training_answers_open_round BEFORE INSERT ON training_answers
WHEN NOT EXISTS (
    SELECT 1 FROM seats JOIN rounds ON rounds.id = seats.round
    JOIN occupancies ON occupancies.seat = seats.id
    WHERE seats.id = NEW.seat AND occupancies.person = NEW.person AND occupancies.until IS NULL
      AND rounds.opened_at IS NOT NULL AND rounds.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'only the person in the seat answers, and only while the round is open'); END;

CREATE TRIGGER check_answers_open_round BEFORE INSERT ON check_answers
WHEN NOT EXISTS (
    SELECT 1 FROM seats JOIN rounds ON rounds.id = seats.round
    JOIN occupancies ON occupancies.seat = seats.id
    WHERE seats.id = NEW.seat AND occupancies.person = NEW.person AND occupancies.until IS NULL
      AND rounds.opened_at IS NOT NULL AND rounds.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'only the person in the seat answers, and only while the round is open'); END;

CREATE TRIGGER item_reports_open_round BEFORE INSERT ON item_reports
WHEN NOT EXISTS (
    SELECT 1 FROM seats JOIN rounds ON rounds.id = seats.round
    JOIN occupancies ON occupancies.seat = seats.id
    WHERE seats.id = (SELECT seat FROM assignments WHERE id = NEW.assignment) AND occupancies.person = NEW.person AND occupancies.until IS NULL
      AND rounds.opened_at IS NOT NULL AND rounds.closed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'only the person in the seat answers, and only while the round is open'); END;

CREATE TRIGGER training_answers_erased BEFORE UPDATE ON training_answers
WHEN (OLD.id, OLD.seat, OLD.person, OLD.turn, OLD.name, OLD.at)
     IS NOT (NEW.id, NEW.seat, NEW.person, NEW.turn, NEW.name, NEW.at)
  OR NEW.answer <> '' OR NEW.correct <> 0
  OR NOT EXISTS (SELECT 1 FROM people WHERE id = OLD.person AND erased IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'what was said can only be erased, after a withdrawal'); END;

CREATE TRIGGER check_answers_erased BEFORE UPDATE ON check_answers
WHEN (OLD.id, OLD.seat, OLD.person, OLD.name, OLD.at)
     IS NOT (NEW.id, NEW.seat, NEW.person, NEW.name, NEW.at)
  OR NEW.answer <> '' OR NEW.correct <> 0
  OR NOT EXISTS (SELECT 1 FROM people WHERE id = OLD.person AND erased IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'what was said can only be erased, after a withdrawal'); END;

CREATE TRIGGER item_reports_erased BEFORE UPDATE ON item_reports
WHEN (OLD.id, OLD.assignment, OLD.person, OLD.at)
     IS NOT (NEW.id, NEW.assignment, NEW.person, NEW.at)
  OR NEW.text <> ''
  OR NOT EXISTS (SELECT 1 FROM people WHERE id = OLD.person AND erased IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'what was said can only be erased, after a withdrawal'); END;
