"""What `make strength` and `make sweep` found last, as kept in tests/strength.json, and the table of it."""

import hashlib
import json
from typing import Any

from tests.grading import BY_NAME, ROOT

RECORD = ROOT / "tests" / "strength.json"
JUDGES = ("checks", "judge", "katas", "worker")
"""The folders of grader/ that decide what a program is worth."""
NAMED_SHARE = 0.9
"""Of the mistakes that are told by values."""
COLUMNS = {
    "mistakes caught": ("mistakes", "caught"),
    "at their tier": ("mistakes", "at its tier"),
    "named": ("mistakes", "named", "unnamed"),
    "right programs accepted": ("styles", "accepted"),
    "wrong programs rejected": ("wrong", "rejected"),
    "mutants killed": ("mutants", "killed"),
}
"""The part and the word that a column of the table counts; one more word, of those that are wanted too."""

SOLUTIONS, STYLES, WRONG = "solutions", "right programs in other styles", "mistakes and wrong programs"
"""The kinds of programs in a sweep."""

Part = dict[str, Any]
"""Of one part of a kata: `digest` of its programs, `wanted` by word how often, `missed` by word the programs."""
Swept = dict[str, dict[str, int]]
"""By kind: `programs`, `gradings` of them, and by how many seeds each was met at least (`fewest`) and at `most`."""


def recorded() -> dict[str, Any]:
    """`grader`: the digest of the checks; `katas`: by kata and part a `Part`; `sweep`: of the seeds."""
    if not RECORD.exists():
        return {"grader": "", "katas": {}}
    return dict(json.loads(RECORD.read_text(encoding="utf-8")))


def keep(**changes: Any) -> None:
    """Writes the record, with what changed in it."""
    text = json.dumps(recorded() | changes, indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")


def grader_digest() -> str:
    """Changes with what decides about programs."""
    files = sorted(path for folder in JUDGES for path in (ROOT / "grader" / folder).rglob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]


def strength_rows(record: dict[str, Any]) -> list[tuple[str, ...]]:
    """A row for each kata, the head first."""
    rows = [("kata", *COLUMNS, "equivalent", "survived")]
    for kata in BY_NAME:
        parts = record["katas"].get(kata, {})
        counts = (_of(parts.get(part, {}), *words) for part, *words in COLUMNS.values())
        mutants = parts.get("mutants", {})
        equivalent = mutants.get("wanted", {}).get("equivalent", 0)
        survived = len(mutants.get("missed", {}).get("killed", ()))
        rows.append((f"`{kata}`", *counts, str(equivalent), str(survived)))
    return rows


def short_line(record: dict[str, Any]) -> str:
    """The katas in which fewer mistakes are named than wanted; empty where there are none."""
    counts = {kata: record["katas"].get(kata, {}).get("mistakes", {}).get("wanted", {}) for kata in BY_NAME}
    short = [
        f"`{kata}`"
        for kata, count in counts.items()
        if count.get("named", 0) < NAMED_SHARE * (count.get("named", 0) + count.get("unnamed", 0))
    ]
    return f"Fewer than {NAMED_SHARE:.0%} are named in {', '.join(short)}.\n\n" if short else ""


def sweep_line(record: dict[str, Any]) -> str:
    """What the last sweep found."""
    sweep = record.get("sweep")
    if sweep is None:
        return "No sweep over seeds is recorded."
    told = ", ".join(_swept(kind, count) for kind, count in sweep["graded"].items())
    return f"Swept with {sweep['seeds']} seeds: {told}. Verdicts that differ by seed: {len(sweep['differ'])}."


def _swept(kind: str, count: dict[str, int]) -> str:
    fewest, most = count["fewest"], count["most"]
    each = most if fewest == most else f"{fewest} to {most}"
    return f"{count['gradings']} gradings of {count['programs']} {kind} with {each} each"


def _of(part: Part, word: str, *others: str) -> str:
    wanted = part.get("wanted", {})
    total = wanted.get(word, 0) + sum(wanted.get(other, 0) for other in others)
    return f"{wanted.get(word, 0) - len(part.get('missed', {}).get(word, ()))} of {total}" if total else "-"
