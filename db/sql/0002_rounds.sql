CREATE TABLE rounds (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    name       TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('practice', 'rehearsal', 'pilot', 'main')),
    source     TEXT NOT NULL CHECK (source IN ('collected', 'imported')),  -- here, or elsewhere
    design     TEXT NOT NULL CHECK (design IN ('latin-square', 'crossed', 'overlap')),
    ratings    INTEGER NOT NULL CHECK (ratings >= 1),         -- per item
    seed       INTEGER NOT NULL,
    form       TEXT NOT NULL CHECK (json_valid(form)),
    rule       TEXT NOT NULL CHECK (json_valid(rule)),
    pair       TEXT NOT NULL CHECK (json_valid(pair)),        -- the two conditions auditors compare
    on_replace TEXT NOT NULL CHECK (on_replace IN ('keep', 'void')),  -- what a replaced person gave
    idle_limit INTEGER NOT NULL CHECK (idle_limit >= 1),      -- minutes until a seat is abandoned
    created_at TEXT NOT NULL,
    opened_at  TEXT,
    closed_at  TEXT
) STRICT;

-- What is said to people beside the items: files of the round, part of its plan.
CREATE TABLE round_texts (
    id      INTEGER PRIMARY KEY CHECK (id > 0),
    round   INTEGER NOT NULL REFERENCES rounds (id),
    name    TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (round, name)
) STRICT;

CREATE TABLE seats (
    id     INTEGER PRIMARY KEY CHECK (id > 0),
    round  INTEGER NOT NULL REFERENCES rounds (id),
    role   TEXT NOT NULL CHECK (role IN ('rater', 'auditor')),
    number INTEGER NOT NULL,
    list   INTEGER NOT NULL,                                  -- the Latin-square list, from 0
    UNIQUE (round, role, number)
) STRICT;

CREATE TABLE people (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    pseudonym  TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('human', 'simulated', 'model')),
    created_at TEXT NOT NULL,
    withdrawn  INTEGER REFERENCES ledger (sequence),          -- the entries that say so
    erased     INTEGER REFERENCES ledger (sequence)
) STRICT;

CREATE TABLE occupancies (
    id     INTEGER PRIMARY KEY CHECK (id > 0),
    seat   INTEGER NOT NULL REFERENCES seats (id),
    person INTEGER NOT NULL REFERENCES people (id),
    since  TEXT NOT NULL,
    until  TEXT,
    reason TEXT CHECK (reason IN ('replaced', 'withdrawn')),
    UNIQUE (seat, person),
    CHECK ((until IS NULL) = (reason IS NULL))
) STRICT;

CREATE UNIQUE INDEX occupancies_now ON occupancies (seat) WHERE until IS NULL;

CREATE TABLE access_codes (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    handle     TEXT NOT NULL UNIQUE,
    salt       BLOB NOT NULL,
    secret     BLOB NOT NULL,                                 -- scrypt of the secret half
    seat       INTEGER NOT NULL REFERENCES seats (id),
    created_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT;

-- Who typed a code: a salted digest of the handle, and whether it was right in the end.
CREATE TABLE code_attempts (
    id       INTEGER PRIMARY KEY CHECK (id > 0),
    handle   TEXT NOT NULL,
    at       TEXT NOT NULL,
    right_at TEXT
) STRICT;

CREATE INDEX code_attempts_handle ON code_attempts (handle);

-- Who is at work in a seat. The token is in the memory of one process and nowhere else.
CREATE TABLE sittings (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    seat       INTEGER NOT NULL REFERENCES seats (id),
    person     INTEGER NOT NULL REFERENCES people (id),
    token      TEXT NOT NULL UNIQUE,                          -- its digest
    machine    TEXT NOT NULL,                                 -- a digest of this start of a machine
    process    TEXT NOT NULL,
    started_at TEXT NOT NULL,
    seen_at    TEXT NOT NULL,
    ended_at   TEXT,
    ended      TEXT CHECK (ended IN ('left', 'taken over', 'lost', 'closed')),
    CHECK ((ended_at IS NULL) = (ended IS NULL))
) STRICT;

CREATE UNIQUE INDEX sittings_now ON sittings (seat) WHERE ended_at IS NULL;

CREATE TABLE assignments (
    id       INTEGER PRIMARY KEY CHECK (id > 0),
    seat     INTEGER NOT NULL REFERENCES seats (id),
    position INTEGER NOT NULL CHECK (position >= 1),
    revision INTEGER NOT NULL REFERENCES revisions (id),
    UNIQUE (seat, position),
    UNIQUE (seat, revision)
) STRICT;

CREATE TABLE pair_assignments (
    id       INTEGER PRIMARY KEY CHECK (id > 0),
    seat     INTEGER NOT NULL REFERENCES seats (id),
    position INTEGER NOT NULL CHECK (position >= 1),
    scenario TEXT NOT NULL REFERENCES scenarios (id),
    left_revision  INTEGER NOT NULL REFERENCES revisions (id),
    right_revision INTEGER NOT NULL REFERENCES revisions (id),
    UNIQUE (seat, position),
    UNIQUE (seat, scenario)
) STRICT;

CREATE TRIGGER rounds_one_way BEFORE UPDATE ON rounds
WHEN (OLD.id, OLD.name, OLD.kind, OLD.source, OLD.design, OLD.ratings, OLD.seed, OLD.form, OLD.rule, OLD.pair, OLD.on_replace, OLD.idle_limit, OLD.created_at)
     IS NOT (NEW.id, NEW.name, NEW.kind, NEW.source, NEW.design, NEW.ratings, NEW.seed, NEW.form, NEW.rule, NEW.pair, NEW.on_replace, NEW.idle_limit, NEW.created_at)
  OR (OLD.opened_at IS NOT NULL AND OLD.opened_at IS NOT NEW.opened_at)
  OR (OLD.closed_at IS NOT NULL AND OLD.closed_at IS NOT NEW.closed_at)
  OR (NEW.closed_at IS NOT NULL AND NEW.opened_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'a round keeps its plan, opens once and closes once'); END;

CREATE TRIGGER access_codes_one_way BEFORE UPDATE ON access_codes
WHEN (OLD.id, OLD.handle, OLD.salt, OLD.secret, OLD.seat, OLD.created_at)
     IS NOT (NEW.id, NEW.handle, NEW.salt, NEW.secret, NEW.seat, NEW.created_at)
  OR (OLD.revoked_at IS NOT NULL AND OLD.revoked_at IS NOT NEW.revoked_at)
BEGIN SELECT RAISE(ABORT, 'an access code can only be revoked'); END;

CREATE TRIGGER round_texts_before_opening BEFORE INSERT ON round_texts
WHEN EXISTS (SELECT 1 FROM rounds WHERE id = NEW.round AND opened_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'an open round keeps its texts'); END;

CREATE TRIGGER seats_before_opening BEFORE INSERT ON seats
WHEN EXISTS (SELECT 1 FROM rounds WHERE id = NEW.round AND opened_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'an open round keeps its seats'); END;

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

CREATE TRIGGER pair_assignments_before_opening BEFORE INSERT ON pair_assignments
WHEN NOT EXISTS (SELECT 1 FROM seats JOIN rounds ON rounds.id = seats.round
                 WHERE seats.id = NEW.seat AND rounds.opened_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'an open round keeps its assignments'); END;

-- One person, one seat per round: nobody meets two lists, nobody audits what they rated.
-- Practice feeds nothing, so there one person may try both roles.
CREATE TRIGGER occupancies_one_seat BEFORE INSERT ON occupancies
WHEN EXISTS (
    SELECT 1
    FROM seats AS wanted JOIN rounds ON rounds.id = wanted.round
    JOIN seats AS other ON other.round = wanted.round
    JOIN occupancies ON occupancies.seat = other.id
    WHERE wanted.id = NEW.seat AND occupancies.person = NEW.person
      AND (rounds.kind <> 'practice' OR other.role = wanted.role))
BEGIN SELECT RAISE(ABORT, 'a person holds one seat in a round'); END;

CREATE TRIGGER occupancies_simulated BEFORE INSERT ON occupancies
WHEN (SELECT kind FROM people WHERE id = NEW.person) IS NOT 'human'
 AND (SELECT rounds.kind FROM seats JOIN rounds ON rounds.id = seats.round WHERE seats.id = NEW.seat) IS NOT 'rehearsal'
BEGIN SELECT RAISE(ABORT, 'simulated people sit in rehearsal rounds only'); END;

CREATE TRIGGER occupancies_begin BEFORE INSERT ON occupancies
WHEN NEW.until IS NOT NULL OR (SELECT withdrawn FROM people WHERE id = NEW.person) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an occupancy begins now, and not for a person who has withdrawn'); END;

CREATE TRIGGER occupancies_end BEFORE UPDATE ON occupancies
WHEN (OLD.id, OLD.seat, OLD.person, OLD.since) IS NOT (NEW.id, NEW.seat, NEW.person, NEW.since)
  OR OLD.until IS NOT NULL OR NEW.until IS NULL OR NEW.reason IS NULL
BEGIN SELECT RAISE(ABORT, 'an occupancy can only end, once'); END;

CREATE TRIGGER people_begin BEFORE INSERT ON people
WHEN NEW.withdrawn IS NOT NULL OR NEW.erased IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a person is new before anything else'); END;

-- Each step needs its own entry in the ledger, which names the person.
CREATE TRIGGER people_one_way BEFORE UPDATE ON people
WHEN (OLD.id, OLD.pseudonym, OLD.kind, OLD.created_at)
     IS NOT (NEW.id, NEW.pseudonym, NEW.kind, NEW.created_at)
  OR (OLD.withdrawn IS NOT NULL AND OLD.withdrawn IS NOT NEW.withdrawn)
  OR (OLD.erased IS NOT NULL AND OLD.erased IS NOT NEW.erased)
  OR (NEW.erased IS NOT NULL AND OLD.withdrawn IS NULL)
  OR (NEW.withdrawn IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM ledger WHERE sequence = NEW.withdrawn AND event = 'person withdrawn'
          AND json_extract(payload, '$.person') = NEW.pseudonym))
  OR (NEW.erased IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM ledger WHERE sequence = NEW.erased AND event = 'person erased'
          AND json_extract(payload, '$.person') = NEW.pseudonym))
BEGIN SELECT RAISE(ABORT, 'a person withdraws once, is erased after that, and stays what they are'); END;

CREATE TRIGGER code_attempts_one_way BEFORE UPDATE ON code_attempts
WHEN (OLD.id, OLD.handle, OLD.at) IS NOT (NEW.id, NEW.handle, NEW.at)
  OR OLD.right_at IS NOT NULL OR NEW.right_at IS NULL
BEGIN SELECT RAISE(ABORT, 'an attempt can only turn out right'); END;

CREATE TRIGGER sittings_begin BEFORE INSERT ON sittings
WHEN NEW.ended_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM occupancies WHERE seat = NEW.seat AND person = NEW.person AND until IS NULL)
BEGIN SELECT RAISE(ABORT, 'only the person in the seat sits down there'); END;

CREATE TRIGGER sittings_one_way BEFORE UPDATE ON sittings
WHEN (OLD.id, OLD.seat, OLD.person, OLD.token, OLD.machine, OLD.process, OLD.started_at)
     IS NOT (NEW.id, NEW.seat, NEW.person, NEW.token, NEW.machine, NEW.process, NEW.started_at)
  OR OLD.ended_at IS NOT NULL OR (NEW.ended_at IS NULL) IS NOT (NEW.ended IS NULL)
BEGIN SELECT RAISE(ABORT, 'a sitting goes on or ends, once'); END;
