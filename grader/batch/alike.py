"""Finds submissions of a stack that are the same, or nearly so, or like our solution."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from grader.batch.row import Row
from grader.submission.likeness import NEARLY, RENAMED, SAME, Sketch, alike

WEAKEST_LAST = (SAME, RENAMED, NEARLY)


class Group(NamedTuple):
    """Submissions that are alike: each is like at least one of the others."""

    how: str
    """How they are alike: the weakest of the likenesses that join them."""
    submissions: tuple[str, ...]
    solution: str | None
    """The kata of our solution, where that is one of the group; else None."""


def groups(rows: Sequence[Row], solutions: Mapping[str, Sketch]) -> list[Group]:
    """Return all groups, the largest first.

    Args:
        rows: the rows of the submissions.
        solutions: sketches of our solutions, by the kata.
    """
    all_groups = []
    for kata in sorted({row.kata for row in rows if row.kata}):
        sketches: dict[str | None, Sketch] = {
            row.submission: row.sketch for row in rows if row.kata == kata and row.sketch
        }
        if kata in solutions:
            sketches[None] = solutions[kata]
        joined = _joined(sketches)
        whole = [set(members) for members, _ in joined]
        same = [(members, SAME) for members in _same(sketches) if set(members) not in whole]
        all_groups += [_group(kata, members, how) for members, how in [*joined, *same]]
    return sorted(all_groups, key=lambda group: (-len(group.submissions), group.submissions))


def _same(sketches: Mapping[str | None, Sketch]) -> list[list[str | None]]:
    """Return groups with the very same text: in a group of texts that are nearly the same, nobody could see them."""
    by_text: dict[int, list[str | None]] = {}
    for name, its in sketches.items():
        if alike(its, its):
            by_text.setdefault(its.exact, []).append(name)
    return [members for members in by_text.values() if len(members) > 1]


def _joined(sketches: Mapping[str | None, Sketch]) -> list[tuple[list[str | None], str]]:
    """Return the groups that are linked by likeness, each with the weakest link that joined it."""
    together = {name: [name] for name in sketches}
    links: list[tuple[str | None, str]] = []
    for (one, its), (other, others) in combinations(sketches.items(), 2):
        if together[one] is together[other] or (how := alike(its, others)) is None:
            continue
        links.append((one, how))
        together[one] += together[other]
        for name in together[other]:
            together[name] = together[one]
    parts = {id(members): members for members in together.values() if len(members) > 1}
    return [
        (members, max((how for one, how in links if one in members), key=WEAKEST_LAST.index))
        for members in parts.values()
    ]


def _group(kata: str, members: Sequence[str | None], how: str) -> Group:
    names = tuple(sorted(name for name in members if name is not None))
    return Group(how, names, kata if None in members else None)
