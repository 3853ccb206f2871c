-- Grading rounds: people grade responses of models. An assignment shows a frozen text, or, in a
-- grading round, a response to it. The table is made anew, because SQLite cannot take a key away from
-- one that is there: a grader may meet several responses to one text.

CREATE TABLE kept_assignments AS SELECT id, seat, position, revision FROM assignments;

DROP TABLE assignments;

CREATE TABLE assignments (
    id       INTEGER PRIMARY KEY CHECK (id > 0),
    seat     INTEGER NOT NULL REFERENCES seats (id),
    position INTEGER NOT NULL CHECK (position >= 1),
    revision INTEGER NOT NULL REFERENCES revisions (id),
    response INTEGER REFERENCES generations (id),             -- null: the text itself is rated
    UNIQUE (seat, position),
    UNIQUE (seat, response)
) STRICT;

CREATE UNIQUE INDEX assignments_item ON assignments (seat, revision) WHERE response IS NULL;

INSERT INTO assignments (id, seat, position, revision) SELECT * FROM kept_assignments;

DROP TABLE kept_assignments;

-- What makes a round a grading round: which responses were drawn, from which, and how.
CREATE TABLE gradings (
    round      INTEGER PRIMARY KEY REFERENCES rounds (id),
    document   TEXT NOT NULL CHECK (json_valid(document)),    -- whole, canonical
    hash       TEXT NOT NULL,                                 -- of the document
    entry      INTEGER NOT NULL UNIQUE REFERENCES ledger (sequence),
    created_at TEXT NOT NULL
) STRICT;

CREATE TRIGGER assignments_latin_square BEFORE INSERT ON assignments
WHEN EXISTS (
    SELECT 1
    FROM seats JOIN rounds ON rounds.id = seats.round
    JOIN assignments AS other ON other.seat = seats.id
    JOIN revisions AS shown ON shown.id = other.revision
    JOIN items AS shown_item ON shown_item.id = shown.item
    JOIN revisions AS wanted ON wanted.id = NEW.revision
    JOIN items AS wanted_item ON wanted_item.id = wanted.item
    WHERE seats.id = NEW.seat AND rounds.design = 'latin-square'
      AND shown_item.scenario = wanted_item.scenario)
BEGIN SELECT RAISE(ABORT, 'a latin-square seat may not hold two conditions of one scenario'); END;

CREATE TRIGGER assignments_before_opening BEFORE INSERT ON assignments
WHEN NOT EXISTS (SELECT 1 FROM seats JOIN rounds ON rounds.id = seats.round
                 WHERE seats.id = NEW.seat AND rounds.opened_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'an open round keeps its assignments'); END;

CREATE TRIGGER assignments_of_one_kind BEFORE INSERT ON assignments
WHEN (NEW.response IS NOT NULL) <> EXISTS (
    SELECT 1 FROM gradings JOIN seats ON seats.round = gradings.round WHERE seats.id = NEW.seat)
BEGIN SELECT RAISE(ABORT, 'a grading round shows responses, and no other round does'); END;

CREATE TRIGGER assignments_answer BEFORE INSERT ON assignments
WHEN NEW.response IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM generations JOIN wave_items ON wave_items.id = generations.wave_item
    WHERE generations.id = NEW.response AND wave_items.revision = NEW.revision
      AND generations.state IN ('ok', 'truncated'))
BEGIN SELECT RAISE(ABORT, 'a response is shown with the frozen text that it answers'); END;

CREATE TRIGGER gradings_before_seats BEFORE INSERT ON gradings
WHEN NOT EXISTS (SELECT 1 FROM rounds WHERE id = NEW.round AND opened_at IS NULL)
  OR EXISTS (SELECT 1 FROM seats WHERE round = NEW.round)
BEGIN SELECT RAISE(ABORT, 'a round is a grading round from the beginning'); END;

CREATE TRIGGER seats_of_graders BEFORE INSERT ON seats
WHEN NEW.role <> 'rater' AND EXISTS (SELECT 1 FROM gradings WHERE round = NEW.round)
BEGIN SELECT RAISE(ABORT, 'a grading round has no auditors'); END;

CREATE TRIGGER decisions_on_ratings BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM gradings WHERE round = NEW.round)
BEGIN SELECT RAISE(ABORT, 'grades of responses decide nothing about items'); END;
