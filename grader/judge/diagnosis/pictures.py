"""Chooses which checks get a picture of a wrong call: one of each visibility, so that every reader sees one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.checks.kata import JudgedCall, Kata
from grader.judge.evidence import picture
from grader.records import CheckResult, Picture, TierResult, Visibility


def with_pictures(
    tiers: Sequence[TierResult], kata: Kata, wrong: Mapping[str, Sequence[JudgedCall]]
) -> tuple[TierResult, ...]:
    """Return the tiers with a picture at one check of each visibility.

    It is the first check for which there is a picture: the first that failed is tried first, then those with the first
    mistake named, then all.

    Args:
        tiers: the tiers with mistakes named.
        kata: the kata of the checks.
        wrong: the wrong calls of each check that failed on values, by its name.
    """
    results = [check for tier in tiers for check in tier.checks if wrong.get(check.name)]
    first = next((check.mistakes for check in results if check.mistakes), ())
    pictures: dict[str, Picture] = {}
    for visibility in Visibility:
        seen = [check for check in results if check.visibility is visibility]
        alike = [check for check in seen if check.mistakes == first]
        pictures |= next((drawn for group in (seen[:1], alike, seen) if (drawn := _one(kata, group, wrong))), {})
    return tuple(replace(tier, checks=tuple(_pictured(check, pictures) for check in tier.checks)) for tier in tiers)


def _one(kata: Kata, checks: Sequence[CheckResult], wrong: Mapping[str, Sequence[JudgedCall]]) -> dict[str, Picture]:
    """Return one picture, by the name of the check that made the call; empty: there is none to draw."""
    calls = {id(each.call): check.name for check in checks for each in wrong[check.name]}
    drawn = kata.key.panels(kata, [each for check in checks for each in wrong[check.name]])
    return {} if drawn is None else {calls[id(drawn.of)]: picture(drawn)}


def _pictured(check: CheckResult, pictures: Mapping[str, Picture]) -> CheckResult:
    return replace(check, picture=pictures[check.name]) if check.name in pictures else check
