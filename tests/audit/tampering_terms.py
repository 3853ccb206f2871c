"""What the tamper matrix knows of tables: which row it attacks, what names it, what is excused."""

from __future__ import annotations

# Which row of each table is attacked: one that something rests on; the first where none is said.
REHEARSED = (
    "IN (SELECT id FROM seats WHERE round = (SELECT id FROM rounds WHERE name = 'rehearsal'))"
)
GIVEN = f"assignment IN (SELECT id FROM assignments WHERE seat {REHEARSED}) AND void IS NULL"
ROWS = {
    "rounds": "name = 'rehearsal'",
    "people": "withdrawn IS NULL AND id IN "
    f"(SELECT person FROM occupancies WHERE seat {REHEARSED})",
    "occupancies": f"seat {REHEARSED} AND until IS NULL",
    "ratings": GIVEN,
    "rating_history": f"rating IN (SELECT id FROM ratings WHERE {GIVEN})",
    "pair_audits": "void IS NULL",
    "decisions": "scenario = 'S01'",
    "wave_items": "scenario = 'S01' AND condition = 'Active'",
    "items": "scenario = 'S01' AND condition = 'Active'",
    "revisions": "item = (SELECT id FROM items WHERE scenario = 'S01' AND condition = 'Active')",
    "ledger": "event = 'decisions committed'",
    "seats": "round = (SELECT id FROM rounds WHERE name = 'rehearsal') AND number = 4",
    "bodies": "id IN (SELECT body FROM generations WHERE run = 1)",
}

# What the fault must name, as a pattern with the row's own values before the edit.
GIVEN_BY = "round rehearsal: (the (rating|audit) of .* by {0}|ratings or audits)"
AUTHOR = "SELECT pseudonym FROM people WHERE id = (SELECT person FROM {} WHERE id ="
PERSON = "SELECT pseudonym FROM people WHERE id = :person"
NAMED: dict[str, tuple[str, str]] = {
    "study": ("the study's ", ""),
    "preregistrations": (r"the preregistration |\(preregistration frozen\) has no", ""),
    "amendments": (r"amendment [0-9]+ |\(preregistration amended\)", ""),
    "round_standings": ("round {0}: ", "SELECT name FROM rounds WHERE id = :round"),
    "run_standings": ("run {run}: ", ""),
    "origins": ("the texts that entry {entry} brought|the drafted texts are not", ""),
    "exclusions": ("the exclusion of {scenario} ", ""),
    "packets": ("packet {name} ", ""),
    "packet_items": ("packet {0} ", "SELECT name FROM packets WHERE id = :packet"),
    "packet_events": ("by packet {0} ", "SELECT name FROM packets WHERE id = :packet"),
    "scenarios": ("{id}/", ""),
    "items": ("{scenario}/{condition}", ""),
    "revisions": ("S01/Active", ""),
    "rounds": ("round {name}: |round {name} is in the ledger, but", ""),
    "round_texts": ("round people: its plan", ""),
    "seats": ("round rehearsal: ", ""),
    "people": ("{pseudonym}", ""),
    "occupancies": ("{0}", PERSON),
    "assignments": ("round rehearsal: its plan", ""),
    "pair_assignments": ("round rehearsal: its plan", ""),
    "ratings": (f"{GIVEN_BY}|entry 1,", PERSON),
    "rating_history": ("{0}", f"{AUTHOR.format('ratings')} :rating)"),
    "pair_audits": (f"{GIVEN_BY}|entry 1,", PERSON),
    "pair_audit_history": ("{0}", f"{AUTHOR.format('pair_audits')} :audit)"),
    "consents": ("{0}", PERSON),
    "training_answers": ("{0}", PERSON),
    "check_answers": ("{0}", PERSON),
    "item_reports": ("{0}", PERSON),
    "decisions": ("round rehearsal: its decisions", ""),
    "ledger": (r"entry {sequence}\b", ""),
    "waves": ("wave {number}, the wave: ", ""),
    "wave_items": ("wave 1, {scenario}/{condition}: ", ""),
    "wave_withdrawals": ("S05/SalienceControl", ""),
    "runs": ("run {id}: |run {id} is in the ledger, but", ""),
    "generations": ("run {run}: ", ""),
    "scores": (r"scores \d+ to \d+: ", ""),
    "bodies": ("run 1: its raw bodies", ""),
    "run_drops": ("run [0-9]+ is (not )?dropped ", ""),
    "model_sets": ("set [a-z]+", ""),
    "rubrics": ("the rubric |judge [0-9]+: its rubric", ""),
    "judges": ("judge {id}( |:)", ""),
    "gradings": ("round grades: |the sample of round grades ", ""),
    "judge_calls": ("call [0-9]+ of (a )?judge", ""),
    "judgements": ("call [0-9]+ of judge|judgement [0-9]+ belongs", ""),
    "choice_setups": ("setup {id}( |:)", ""),
    "choice_calls": ("call [0-9]+ of (a )?setup", ""),
    "choice_scores": ("call [0-9]+ of setup|choice score [0-9]+ belongs", ""),
    "batches": ("batch [0-9]+( |:)", ""),
    "batch_requests": ("batch [0-9]+: (its requests|what became)", ""),
    "batch_strays": ("batch [0-9]+: (what became|a line that was kept)", ""),
}  # fmt: skip
# Where a row of the table is named by others that refer to it, or by the entry after it.
ALSO = {
    ("revisions", "created_at"): "the drafted texts are not",
    ("ledger", "hash"): r"entry \d+ does not follow",
    ("ledger", "sequence"): r"entry \d+ is missing",
}

LEAF = "the number of a row to which nothing refers, and which orders nothing"
DOOR = "opens a seat of an open round; it holds no evidence, and what is said behind it is covered"
SEEN = "how the batch stood when it was looked at last; what came of it is covered"
FOUND = "by what an unfinished batch is found and followed; what came of it is covered"
DRAFT = "without a text it decides nothing; every text that comes in is covered"
ALLOWED: dict[tuple[str, str], str] = {
    ("study", "id"): "the number of the one row of its table",
    ("preregistrations", "id"): "the number of the one row of its table",
    ("amendments", "id"): LEAF,
    ("packet_items", "id"): LEAF,
    ("packet_events", "id"): LEAF,
    ("scenarios", "row added"): DRAFT,
    ("items", "row added"): DRAFT,
    ("people", "row added"): "who sits nowhere has given nothing; who sits where is covered",
    ("rounds", "created_at"): "when a plan was drafted; what counts is when the round was opened",
    ("round_texts", "id"): LEAF,
    ("occupancies", "id"): LEAF,
    ("decisions", "id"): LEAF,
    ("wave_withdrawals", "id"): LEAF,
    ("access_codes", "*"): DOOR,
    ("code_attempts", "*"): "how often wrong codes were typed; a brake, no evidence",
    ("sittings", "*"): "which process works in a seat just now; a fence, no evidence",
    ("code_attempt_origins", "*"): "how often one address typed wrong codes; a brake, no evidence",
    ("run_sessions", "*"): "which process works on a run just now; a fence, no evidence",
    ("leases", "*"): "who asks for which answer just now; a fence, no evidence",
    ("run_drops", "id"): LEAF,
    ("model_sets", "id"): LEAF,
    (
        "rubrics",
        "created_at",
    ): "when it came in; the calls under it have the times of their entries",
    ("judges", "created_at"): "when it was first asked; its calls have the times of their entries",
    ("judge_calls", "machine"): "which process asked just then; a fence, no evidence",
    ("judge_calls", "process"): "which process asked just then; a fence, no evidence",
    ("judgements", "id"): LEAF,
    ("choice_setups", "created_at"): "when it came in; its calls have the times of their entries",
    ("choice_calls", "machine"): "which process asked just then; a fence, no evidence",
    ("choice_calls", "process"): "which process asked just then; a fence, no evidence",
    ("choice_scores", "id"): LEAF,
    ("bodies", "row added"): "nothing refers to it",
    **{("batches", name): SEEN for name in ("status", "done", "failed", "looked_at")},
    **{("batches", name): FOUND for name in ("session", "tried_at", "file", "expires_at")},
    ("batch_requests", "id"): LEAF,
    ("batch_strays", "id"): LEAF,
    ("generations", "session"): "which process asked; what it got is covered",
}

# A row that was added is named by itself, not by the row that it was copied from.
EVIDENCE = r"round \w+: ratings or audits were added"
ADDED = {
    "amendments": r"amendment \d+ ",
    "consents": "P-",
    "exclusions": r"S\d+ is excluded without",
    "decisions": "its decisions",
    "generations": "run 1: ",
    "occupancies": "P-",
    "origins": "the drafted texts are not",
    "packets": r"packet \w+ was handed out without",
    "pair_assignments": r"round \w+: its plan",
    "pair_audits": EVIDENCE,
    "ratings": EVIDENCE,
    "revisions": "the drafted texts are not",
    "round_standings": "round next: its plan is",
    "rounds": r"round .*: it was opened without",
    "run_standings": "of run_standings refers to a row of runs",
    "runs": r"run \d+: it was started",
    "scores": "scores stand without an entry",
    "wave_items": "another row",
    "wave_withdrawals": "S01/",
    "waves": r"wave \d+, the wave: ledger entry",
    "judges": r"judge \d+: its rubric",
    "gradings": r"round \w+: its sample",
    "choice_setups": r"setup \d+: its model",
}


def allowed(table: str, column: str) -> str | None:
    """Return why an edit need not be found."""
    return ALLOWED.get((table, column)) or ALLOWED.get((table, "*"))
