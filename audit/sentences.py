"""What an entry of the ledger says, as one sentence with its numbers and short hashes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.study import UNVALIDATED, LedgerEntry
from core.words import counted

Payload = Mapping[str, Any]
SHORT = len("sha256:") + 12  # characters of a hash that a reader can compare by eye


def short(digest: object) -> str:
    """Return the beginning of a hash, as long as a reader compares."""
    text = str(digest)
    return f"{text[:SHORT]}…" if len(text) > SHORT else text


def told(entry: LedgerEntry) -> str:
    """Return one sentence on what happened; of an event without one, its fields."""
    tell = SENTENCES.get(entry.event)
    try:
        return tell(entry.payload) if tell else _fields(entry)
    except (AttributeError, KeyError, TypeError, ValueError):
        return _fields(entry)  # an entry of another version, or one that was tampered with


def _fields(entry: LedgerEntry) -> str:
    shown = "; ".join(f"{key} {_value(value)}" for key, value in entry.payload.items())
    return f"{entry.event}: {shown}" if shown else entry.event


def _value(value: object) -> str:
    match value:
        case Mapping():
            return counted(len(value), "field") if len(value) > 4 else _pairs(value)
        case list():
            return ", ".join(map(str, value[:4])) + (" …" if len(value) > 4 else "")
        case _:
            return short(value) if str(value).startswith("sha256:") else str(value)


def _pairs(value: Mapping[Any, Any]) -> str:
    return ", ".join(f"{key} {_value(each)}" for key, each in value.items())


def _created(p: Payload) -> str:
    return f"study created from suite {p['suite']}, with {counted(p['items'], 'drafted item')}"


def _registered(p: Payload) -> str:
    known = p["known"]
    return f"study preregistered, {short(p['preregistration'])}: {_seen(known)} were in the file"


def _amended(p: Payload) -> str:
    return (
        f"preregistration amended, version {p['amendment']}, {short(p['preregistration'])}: "
        f"{counted(len(p['changes']), 'change')} ({p['reason']}); {_seen(p['known'])} were in "
        "the file"
    )


def _seen(known: Payload) -> str:
    return f"{counted(known['ratings'], 'rating')} and {counted(known['generations'], 'output')}"


def _stands(p: Payload) -> str:
    plan = p.get("preregistration")
    return f", on preregistration {short(plan)}" if plan else ", exploratory"


def _planned(p: Payload) -> str:
    rule = p["rule"]
    return (
        f"round {p['round']} ({p['kind']}){_stands(p)}: rule {rule['name']} "
        f"{short(p['rule_hash'])}, form {short(p['form_hash'])} and plan {short(p['plan_hash'])} "
        "fixed before any rating"
    )


def _imported_plan(p: Payload) -> str:
    return f"round {p['round']} ({p['kind']}): plan {short(p['plan_hash'])} of imported ratings"


def _closed(p: Payload) -> str:
    people = counted(len(p["people"]), "person", "people")
    return f"round {p['round']} closed, {people}: evidence {short(p['evidence'])}"


def _decided(p: Payload) -> str:
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(p["counts"].items()))
    return (
        f"round {p['round']} decided by rule {short(p['rule_hash'])}: {counts}; decisions "
        f"{short(p['decisions'])}"
    )


def _gave(p: Payload) -> str:
    return f"{counted(p['ratings'], 'rating')} and {counted(p['audits'], 'audit')}"


def _replaced(p: Payload) -> str:
    became = f"{_gave(p)} void" if p["on_replace"] == "void" else "what they gave stands"
    return f"{p['role']} seat {p['seat']} of round {p['round']} taken from {p['person']}: {became}"


def _withdrew(p: Payload) -> str:
    return f"{p['person']} withdrew: {_gave(p)} void, in {', '.join(p['rounds']) or 'no round'}"


def _erased(p: Payload) -> str:
    return f"what {p['person']} said was erased: {_gave(p)}; their hashes stay"


def _frozen(p: Payload) -> str:
    kind = f"declared, {UNVALIDATED}" if p["kind"] == "declared" else p["kind"]
    rounds = f" of round {', '.join(p['rounds'])}" if p["rounds"] else ""
    return (
        f"wave {p['number']} frozen ({kind}): {counted(p['items'], 'item')} of "
        f"{counted(p['scenarios'], 'scenario')}{rounds}, {short(p['wave'])}{_despite(p)}"
    )


def _despite(p: Payload) -> str:
    if not (broken := p.get("breaches")):
        return ""
    count = counted(broken["count"], "breach", "breaches")
    return f"; in spite of {count} of the construction rules ({broken['reason']})"


def _taken_out(p: Payload) -> str:
    kept = f"; {counted(p['generations'], 'generation')} of before kept" if p["generations"] else ""
    return f"withdrawn from wave {p['wave']}: {', '.join(p['items'])} ({p['reason']}){kept}"


def _began(p: Payload) -> str:
    waves = f" on wave {', '.join(map(str, p['waves']))}" if p["waves"] else ""
    kinds = {"scripted": " (a fake, no model)", "imported": " (imported)"}
    fake = kinds.get(p["kind"], "")
    return (
        f"run {p['run']} of {p['model']}{fake} began{waves}{_stands(p)}: configuration "
        f"{short(p['config'])}"
    )


def _ended(p: Payload) -> str:
    return f"run {p['run']} closed: {counted(p['generations'], 'generation')}, {short(p['digest'])}"


def _scored(p: Payload) -> str:
    return f"{counted(p['scores'], 'score')} by {', '.join(p['verifiers'])}: {short(p['digest'])}"


def _brought(p: Payload) -> str:
    return (
        f"{counted(p['ratings'], 'rating')} by {counted(p['raters'], 'rater')} imported as round "
        f"{p['round']}, from a file {short(p['file'])}"
    )


def _taken_in(p: Payload) -> str:
    return (
        f"{counted(p['scenarios'], 'scenario')} with {counted(p['revisions'], 'text')} imported "
        f"from {p['file']}: {short(p['texts'])}"
    )


def _revised(p: Payload) -> str:
    return (
        f"scenario {p['scenario']} rewritten in {', '.join(p['items'])} ({p['reason']}): "
        f"{short(p['texts'])}"
    )


def _given_up(p: Payload) -> str:
    return f"scenario {p['scenario']} given up as {p['kind']} ({p['reason']})"


def _issued(p: Payload) -> str:
    return (
        f"packet {p['packet']} handed out for seat {p['seat']} of round {p['round']}: "
        f"{short(p['sheet'])}"
    )


def _merged(p: Payload) -> str:
    conflicts = counted(len(p["conflicts"]), "conflict")
    return (
        f"packet {p['packet']} of seat {p['seat']} of round {p['round']} merged: "
        f"{counted(p['ratings'], 'new rating')}, {conflicts}: {short(p['taken'])}"
    )


def _left_out(p: Payload) -> str:
    return f"run {p['run']} dropped with {counted(p['generations'], 'answer')} ({p['reason']})"


def _grouped(p: Payload) -> str:
    models = ", ".join(p["models"])
    return f"set {p['set']}, version {p['version']}, declared as {models} ({p['reason']})"


def _judging(p: Payload) -> str:
    return f"judge {p['judge']} ({p['model']}) began call {p['call']}, rubric {short(p['rubric'])}"


def _judged(p: Payload) -> str:
    said = ", ".join(f"{count} {verdict}" for verdict, count in p["verdicts"].items())
    return f"call {p['call']} of judge {p['judge']} {p['ended']}: {said}: {short(p['digest'])}"


def _sampled(p: Payload) -> str:
    drawn = f"{p['responses']} responses drawn for grading round {p['round']}, seed {p['seed']}"
    runs = ", ".join(map(str, p["runs"]))
    judges = ", ".join(str(judge["judge"]) for judge in p["judges"])
    return f"{drawn}: runs {runs}, judges {judges or 'none'}: {short(p['hash'])}"


def _outputs(p: Payload) -> str:
    runs = ", ".join(f"run {each['run']} of {each['model']}" for each in p["runs"])
    left = sum(p["left"].values())
    rest = f", {counted(left, 'record')} left out" if left else ""
    return (
        f"{counted(p['generations'], 'generation')} imported into {runs} from {p['name']} "
        f"({p['format']}){rest}: {short(p['file'])}"
    )


def _choosing(p: Payload) -> str:
    return (
        f"setup {p['setup']} ({p['model']}) began call {p['call']} for choice probabilities, build "
        f"{short(p['build'])}"
    )


def _chosen(p: Payload) -> str:
    found = ", ".join(f"{count} {state}" for state, count in p["states"].items()) or "nothing"
    return f"call {p['call']} of setup {p['setup']} {p['ended']}: {found}: {short(p['digest'])}"


def _batched(p: Payload) -> str:
    return f"batch {p['batch']} of run {p['run']}: {counted(p['requests'], 'request')} prepared"


def _sent(p: Payload) -> str:
    how = "found again at the provider" if p["adopted"] else "submitted"
    return f"batch {p['batch']} of run {p['run']} {how} as {p['remote']}"


def _brought_by_batch(p: Payload) -> str:
    came = ", ".join(f"{count} {outcome}" for outcome, count in p["outcomes"].items())
    why = f" ({p['said']})" if p["said"] else ""
    return f"batch {p['batch']} of run {p['run']} {p['ended']}{why}: {came}: {short(p['digest'])}"


def _audited(p: Payload) -> str:
    return (
        f"round {p['round']}: {counted(p['audits'], 'audit')} by "
        f"{counted(p['auditors'], 'auditor')} imported: {short(p['file'])}"
    )


SENTENCES: Mapping[str, Callable[[Payload], str]] = {
    "study created": _created,
    "items imported": _taken_in,
    "scenario revised": _revised,
    "scenario excluded": _given_up,
    "preregistration frozen": _registered,
    "preregistration amended": _amended,
    "preregistration": _planned,
    "plan of an import": _imported_plan,
    "packet issued": _issued,
    "packet merged": _merged,
    "round opened": lambda p: f"round {p['round']} opened",
    "round closed": _closed,
    "decisions committed": _decided,
    "seat replaced": _replaced,
    "person withdrawn": _withdrew,
    "person erased": _erased,
    "wave frozen": _frozen,
    "items withdrawn": _taken_out,
    "run started": _began,
    "run closed": _ended,
    "run dropped": _left_out,
    "set declared": _grouped,
    "batch prepared": _batched,
    "batch submitted": _sent,
    "batch ended": _brought_by_batch,
    "judging begun": _judging,
    "judging ended": _judged,
    "responses sampled": _sampled,
    "choices begun": _choosing,
    "choices ended": _chosen,
    "scores recorded": _scored,
    "ratings imported": _brought,
    "audits imported": _audited,
    "generations imported": _outputs,
}
