"""`report.json`, described by `schema.json` beside this file."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.records import CheckResult, Report, TierResult
from grader.reports.clean import cleaned

FORMAT = 1
SCHEMA = Path(__file__).with_name("schema.json")


def to_dict(report: Report) -> dict[str, Any]:
    """The report as plain values, its texts cleaned."""
    report = cleaned(report)
    return {
        "format": FORMAT,
        "kata": report.kata or None,
        "submission": report.submission,
        "sha256": report.sha256,
        "seed": report.seed,
        "device": report.device,
        "outcome": str(report.outcome),
        "score": report.score,
        "max_score": report.max_score,
        "reached": report.reached,
        "duration_s": round(report.duration_s, 3),
        "protections": dict(report.protections),
        "isolated": report.isolated,
        "message": report.message,
        "notes": [*report.remarks, *report.notes, *([report.worth_reading] if report.worth_reading else [])],
        "output": report.output.rstrip() or None,
        "tiers": [_tier(tier) for tier in report.tiers],
    }


def dumps(reports: Sequence[Report], *, many: bool = False) -> str:
    """One report as an object; several, or `many`, as a list of such objects."""
    values = [to_dict(report) for report in reports]
    return json.dumps(values if many or len(values) != 1 else values[0], indent=2, ensure_ascii=False) + "\n"


def _tier(tier: TierResult) -> dict[str, Any]:
    return {
        "name": tier.name,
        "proves": tier.proves,
        "points": tier.points,
        "max_points": tier.max_points,
        "question": tier.question,
        "checks": [_check(check) for check in tier.checks],
    }


def _check(check: CheckResult) -> dict[str, Any]:
    texts = {"verdict": str(check.verdict), "visibility": str(check.visibility)}
    return {**asdict(check), **texts, "reasons": [asdict(reason) for reason in check.reasons]}
