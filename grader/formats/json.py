"""Writes `report.json`, which `schema.json` beside this file describes, and reads it back."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.formats.clean import cleaned
from grader.formats.plain import from_plain, to_plain
from grader.records import GraderError, Report, TierResult

FORMAT = 1
SCHEMA = Path(__file__).with_name("schema.json")
ORDER = (
    "format kata submission sha256 digest seed device outcome score max_score reached duration_s protections isolated "
    "message parts_at fails_when notes remarks worth_reading output tiers"
).split()
TENSORS = {"got", "differs", "expected", "hidden"}
NO_TEXT = "\0"
"""Marks the place of a tensor; no text of a report holds this character, because the texts are cleaned."""


def dumps(reports: Sequence[Report], *, many: bool) -> bytes:
    """One report as an object; several, or `many`, as a list of such objects. Tensors stand in a line each."""
    values, lines = [to_dict(report) for report in reports], list[str]()
    checks = [check for value in values for tier in value["tiers"] for check in tier["checks"]]
    for of in (check[name] for check in checks for name in ("evidence", "picture") if check[name]):
        for name in TENSORS & of.keys():
            lines.append(json.dumps(of[name], separators=(",", ":")))
            of[name] = f"{NO_TEXT}{len(lines) - 1}"
    text = json.dumps(values if many or len(values) != 1 else values[0], indent=2, ensure_ascii=False)
    return re.sub(r'"\\u0000(\d+)"', lambda match: lines[int(match[1])], text).encode() + b"\n"


def read(data: bytes, name: str) -> list[Report]:
    """The reports in a file.

    Args:
        data: its bytes.
        name: what error messages call the file.

    Raises:
        GraderError: the file holds no report, or one of another format.
    """
    try:
        value = json.loads(data)
        return [from_dict(each) for each in (value if isinstance(value, list) else [value])]
    except (ValueError, RecursionError) as error:
        raise GraderError(f"{name} is no report that can be read ({error}): grade the submission again.") from error


def to_dict(report: Report) -> dict[str, Any]:
    """The report as plain values with its texts cleaned, and with what its properties compute, such as the score."""
    report = cleaned(report)
    values = to_plain(report) | {name: getattr(report, name) for name in ("score", "max_score", "reached", "isolated")}
    values |= {"format": FORMAT, "kata": report.kata or None, "output": report.output.rstrip() or None}
    values |= {"tiers": [_tier(tier) for tier in report.tiers]}
    return {name: values[name] for name in ORDER}


def from_dict(value: Any) -> Report:
    """The report, from the plain values that `to_dict` made of it.

    Raises:
        ValueError: the value is not such a report.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ValueError(f"it is not of format {FORMAT}")
    texts = {name: value.get(name) or "" for name in ("kata", "output")}
    return from_plain(Report, value | texts, "report")


def _tier(tier: TierResult) -> dict[str, Any]:
    plain = to_plain(tier)
    plain["checks"] = [
        values | {"mistake": check.mistake} for values, check in zip(plain["checks"], tier.checks, strict=True)
    ]
    first = {"name": tier.name, "proves": tier.proves, "points": tier.points, "max_points": tier.max_points}
    return first | {"question": tier.question} | plain
