"""What `make strength` and `make sweep` found last, as kept in tests/strength.json, and the table of it."""

import hashlib
import json
from typing import Any

from tests.grading import BY_NAME, ROOT

RECORD = ROOT / "tests" / "strength.json"
JUDGES = ("checks", "judge", "katas", "worker")
"""The folders of grader/ that decide what a program is worth."""
COLUMNS = {
    "mistakes caught": ("mistakes", "caught"),
    "at their tier": ("mistakes", "at its tier"),
    "named": ("mistakes", "named"),
    "right programs accepted": ("styles", "accepted"),
    "wrong programs rejected": ("wrong", "rejected"),
    "mutants killed": ("mutants", "killed"),
}
"""The part and the word that a column of the table counts."""

Part = dict[str, Any]
"""Of one part of a kata: `digest` of its programs, `wanted` by word how often, `missed` by word the programs."""


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
        counts = (_of(parts.get(part, {}), word) for part, word in COLUMNS.values())
        mutants = parts.get("mutants", {})
        equivalent = mutants.get("wanted", {}).get("equivalent", 0)
        survived = len(mutants.get("missed", {}).get("killed", ()))
        rows.append((f"`{kata}`", *counts, str(equivalent), str(survived)))
    return rows


def sweep_line(record: dict[str, Any]) -> str:
    """What the last sweep found."""
    sweep = record.get("sweep")
    if sweep is None:
        return "No sweep over seeds is recorded."
    return f"{sweep['gradings']} gradings with {sweep['seeds']} seeds: {len(sweep['differ'])} verdicts differ by seed."


def _of(part: Part, word: str) -> str:
    total = part.get("wanted", {}).get(word, 0)
    return f"{total - len(part.get('missed', {}).get(word, ()))} of {total}" if total else "-"
