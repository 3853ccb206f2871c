-- One study is one file. Nothing here is ever overwritten: a new text is a new revision.

CREATE TABLE study (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    title      TEXT NOT NULL,
    suite      TEXT NOT NULL,
    salt       TEXT NOT NULL,               -- decides the option order; frozen with every item
    secret     TEXT NOT NULL,               -- completion codes are made with it; never shown
    created_at TEXT NOT NULL,
    version    TEXT NOT NULL                -- the Wavelock that made the file
) STRICT;

CREATE TABLE scenarios (
    id    TEXT PRIMARY KEY,
    facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT, WITHOUT ROWID;                    -- a hidden rowid would be a second way to REPLACE

CREATE TABLE items (
    id        INTEGER PRIMARY KEY CHECK (id > 0),
    scenario  TEXT NOT NULL REFERENCES scenarios (id),
    condition TEXT NOT NULL,
    UNIQUE (scenario, condition)
) STRICT;

CREATE TABLE revisions (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    item       INTEGER NOT NULL REFERENCES items (id),
    number     INTEGER NOT NULL CHECK (number >= 1),
    text       TEXT NOT NULL CHECK (length(text) > 0),
    options    TEXT NOT NULL CHECK (json_valid(options)),      -- in the shown order
    gold       TEXT,
    parameters TEXT NOT NULL CHECK (json_valid(parameters)),
    created_at TEXT NOT NULL,
    UNIQUE (item, number)
) STRICT;
