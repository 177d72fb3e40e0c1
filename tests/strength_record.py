"""What `make strength` and `make sweep` found last, as kept in tests/strength.json, and the table of it.

For each kata, `checks` is the digest of what decided; `oracle` the first tier that fails with each mistake of
the catalogue, which was named; `programs`, by part and name, the digest and what was said of it; `mutants`
their digest and that of what gives verdicts, how many were `killed` and are `equivalent`, and which `survived`;
`other styles` of the pairs of tests/operators.py their digest, how many `exist`, how many of those graded were
`named`, and which `unnamed` and `false`. `sweep` is of the seeds.
"""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.grading import ATTENTION, BY_NAME, ROOT
from tests.programs import FULL, Program

RECORD = ROOT / "tests" / "strength.json"
JUDGES = ("checks", "claims", "judge", "oracle", "worker")
"""The folders of grader/ that decide what any program is worth; beside them a kata's own folder."""
NAMING = (
    *(
        "diagnosis",
        "circumstances.py",
        "constants.py",
        "constants_of_dtypes.py",
        "constants_of_masks.py",
        "constants_of_output.py",
        "fitted.py",
        "kept.py",
    ),
    *("own_weights.py", "parts.py", "pictured.py", "raised.py", "sections.py", "wrong_call.py"),
)
"""Folders and files in these that decide which mistake is named alone: a mutant is killed by a verdict."""
CATALOGUE = "catalogue"
"""So does this folder, but for katas whose checks hand out implementations that are made of it."""
NOT_MEASURED = "-"
COLUMNS = (
    "kata",
    "mistakes named on the oracle",
    "edits named",
    "named in other styles",
    "false names",
    "wrong without a name",
    "right programs accepted",
    "wrong programs rejected",
    "mutants killed",
    "equivalent",
    "survived",
)

Entry = dict[str, Any]
"""Of one kata."""


def recorded() -> dict[str, Any]:
    """The record; empty where there is none."""
    if not RECORD.exists():
        return {"katas": {}}
    return dict(json.loads(RECORD.read_text(encoding="utf-8")))


def keep(**changes: Any) -> None:
    """Writes the record, with what changed in it."""
    text = json.dumps(recorded() | changes, indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")


def entry(record: dict[str, Any], kata: str) -> Entry:
    """What is recorded of a kata, with what it lacks."""
    return {"checks": "", "oracle": {}, "programs": {}, "mutants": {}, "other styles": {}} | record["katas"].get(
        kata, {}
    )


@cache
def decisive(path: Path) -> str:
    """A file's code: comments and docstrings decide nothing."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [part for part in body if not (isinstance(part, ast.Expr) and is_text(part.value))] or [
                ast.Pass()
            ]
    return ast.unparse(tree)


def is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def checks_digest(kata: str, *, naming: bool = True) -> str:
    """Changes with what decides about the programs of a kata.

    Args:
        kata: its name.
        naming: also with what decides about the names of mistakes alone.
    """
    grader = ROOT / "grader"
    files = sorted(path for folder in JUDGES for path in (grader / folder).rglob("*.py"))
    files += sorted((grader / "katas" / kata).rglob("*.py"))
    named_by = {*NAMING, CATALOGUE} if kata in ATTENTION else set(NAMING)
    files = [path for path in files if naming or not named_by & set(path.parts)]
    return hashlib.sha256("\0".join(map(decisive, files)).encode()).hexdigest()[:12]


def said_of(record: dict[str, Any], program: Program) -> str | None:
    """What the record says of this very program; None: it says nothing, or was made with another one."""
    digest, _, said = entry(record, program.kata)["programs"].get(program.part, {}).get(program.name, "").partition(" ")
    return said if digest == program.digest else None


def strength_rows(record: dict[str, Any]) -> list[tuple[str, ...]]:
    """A row for each kata, the head first; what is recorded is as it must be, and a test holds this."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for kata in BY_NAME:
        known = entry(record, kata)
        parts = known["programs"]
        accepted = sum(said.partition(" ")[2] == FULL for said in parts.get("styles", {}).values())
        mutants, other = known["mutants"], {"named": 0, "unnamed": [], "false": []} | known["other styles"]
        rows.append(
            (
                f"`{kata}`",
                str(len(known["oracle"])),
                str(len(parts.get("edits", ()))),
                f"{other['named']} of {other['named'] + len(other['unnamed']) + len(other['false'])}",
                str(len(other["false"])),
                str(len(parts.get("in words", ())) + len(parts.get("without a name", ()))),
                f"{accepted} of {len(parts.get('styles', ()))}",
                str(len(parts.get("wrong", ()))),
                str(mutants.get("killed", NOT_MEASURED)),
                str(mutants.get("equivalent", NOT_MEASURED)),
                str(len(mutants["survived"])) if mutants else NOT_MEASURED,
            )
        )
    return rows


def pairs_line(record: dict[str, Any]) -> str:
    """How many pairs of tests/operators.py there are, and how many of them count in the rows."""
    exist = sum(each.get("exist", 0) for each in _in_other_styles(record))
    return f"Of {exist} pairs of a mistake and another style that exist, {sum(_named_and_not(record))} were measured."


def names_sentence(record: dict[str, Any]) -> str:
    """How often a mistake in another hand's program is named, for the README."""
    named, unnamed, false = _named_and_not(record)
    return (
        f"Of {named + unnamed + false} mistakes in other hands' programs {named} are named, "
        f"{false or 'none'} falsely ([strength](docs/strength.md))."
    )


def _named_and_not(record: dict[str, Any]) -> tuple[int, int, int]:
    """Pairs with the right name, with none, and with another."""
    entries = _in_other_styles(record)
    unnamed, false = (sum(len(each.get(key, ())) for each in entries) for key in ("unnamed", "false"))
    return sum(each.get("named", 0) for each in entries), unnamed, false


def _in_other_styles(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry(record, kata)["other styles"] for kata in BY_NAME]


def sweep_line(record: dict[str, Any]) -> str:
    """What the last sweep found."""
    sweep = record.get("sweep")
    if sweep is None:
        return "No sweep over seeds is recorded."
    return f"Swept with {sweep['seeds']} seeds, {sweep['gradings']} gradings: {len(sweep['differ'])} outcomes differ."
