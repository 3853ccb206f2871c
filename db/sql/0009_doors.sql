-- From where a code was typed, when a server stood between: a digest of the client's address under
-- a key that the server keeps beside the study, never in it. Without the key it says nothing.
CREATE TABLE code_attempt_origins (
    attempt INTEGER PRIMARY KEY CHECK (attempt > 0) REFERENCES code_attempts (id),
    origin  TEXT NOT NULL
) STRICT;

CREATE INDEX code_attempt_origins_origin ON code_attempt_origins (origin);

CREATE TRIGGER code_attempt_origins_at_once BEFORE INSERT ON code_attempt_origins
WHEN NEW.attempt IS NOT (SELECT max(id) FROM code_attempts)
BEGIN SELECT RAISE(ABORT, 'where a code was typed is noted with the attempt, not later'); END;
