-- What a packet of a grading round shows beside its items: the response at each place of its list,
-- and what it is held to, where the form shows that.

CREATE TABLE packet_responses (
    assignment INTEGER PRIMARY KEY REFERENCES assignments (id),
    text       TEXT NOT NULL,
    reference  TEXT NOT NULL,
    criterion  TEXT NOT NULL
) STRICT;

CREATE TRIGGER packet_responses_kept BEFORE DELETE ON packet_responses
BEGIN SELECT RAISE(ABORT, 'rows of packet_responses are never deleted'); END;

CREATE TRIGGER packet_responses_unchanged BEFORE UPDATE ON packet_responses
BEGIN SELECT RAISE(ABORT, 'rows of packet_responses are never changed'); END;

CREATE TRIGGER packet_responses_finished BEFORE INSERT ON packet_responses
WHEN EXISTS (SELECT 1 FROM packet)
BEGIN SELECT RAISE(ABORT, 'a packet that was handed out keeps its responses'); END;
