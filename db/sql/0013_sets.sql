-- Which models an analysis is over, and why: declared, never edited. A later declaration of the same
-- name takes the place of the one before, which stays.
CREATE TABLE model_sets (
    id         INTEGER PRIMARY KEY CHECK (id > 0),
    name       TEXT NOT NULL CHECK (trim(name) <> ''),
    version    INTEGER NOT NULL CHECK (version >= 1),
    models     TEXT NOT NULL CHECK (json_valid(models) AND json_array_length(models) > 0),
    reason     TEXT NOT NULL CHECK (trim(reason) <> ''),
    created_at TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;

CREATE TRIGGER model_sets_next BEFORE INSERT ON model_sets
WHEN NEW.version IS NOT (SELECT coalesce(max(version), 0) + 1 FROM model_sets WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'a set takes only its next version'); END;
