"""Compares a kit that came back with the one that was given."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from grader.checks.kata import Kata
from grader.kit.builder import build
from grader.records import GraderError
from grader.submission.kit_json import NAME, Kit, ReturnedKit, loads

MOST_NAMES = 10
LEFT_THERE = (".bak", ".pyc")
"""Suffixes of files that `make reset` and Python add."""


def remarks(returned: ReturnedKit, katas: Sequence[Kata], root: Path) -> tuple[str, ...]:
    """Sentences that say which of the kit's files were written, changed, added, or are missing.

    Args:
        returned: the kit that came back.
        katas: all katas of this repository.
        root: the repository: a kit made from it now is the one to compare with.
    """
    kit = returned.kit
    ours = next((_manifest(kata, root) for kata in katas if kata.name == kit.kata), None)
    if ours is not None and ours != kit and _is_made_of(ours, returned):
        return (f"kit: {_changes(returned._replace(kit=ours), [NAME])}",)
    changes = f"kit: {_changes(returned, [])}"
    if ours == kit:
        return (changes,)
    if ours is None:
        return ("kit: it cannot be made anew from these sources; compared with what its kit.json says", changes)
    return (
        "kit: made from other sources than these, or its kit.json was changed; compared with what that says",
        changes,
    )


def _is_made_of(ours: Kit, returned: ReturnedKit) -> bool:
    """Whether all files but those to write in are those of a kit made now: then `kit.json` is of no other version."""
    tree, base = returned.tree, returned.base
    return all(
        base + name in tree.there and tree.digest(base + name) == digest
        for name, digest in ours.files.items()
        if name not in ours.code
    )


@cache
def _manifest(kata: Kata, root: Path) -> Kit | None:
    """Return the manifest of a kit made now; None: a file that it is made of is missing, such as in solutions/."""
    try:
        return loads(build(kata, root)[NAME], NAME)
    except GraderError:
        return None


def _changes(returned: ReturnedKit, also: list[str]) -> str:
    kit, tree, base, written_in = returned
    there = dict.fromkeys(tree.below(base))
    differing = [name for name in kit.files if name in there and tree.digest(base + name) != kit.files[name]]
    written = [name for name in differing if name in written_in]
    names_by_state = {
        "written": written,
        "changed": [*(name for name in differing if name not in written), *also],
        "added": [name for name in there if name not in kit.files and name != NAME and not name.endswith(LEFT_THERE)],
        "missing": [name for name in kit.files if name not in there],
    }
    parts = [f"{word}: {_listed(names)}" for word, names in names_by_state.items() if names]
    others = [word for word in ("changed", "added", "missing") if not names_by_state[word]]
    return "; ".join([*parts, *([f"nothing {' or '.join(others)}"] if others else [])])


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    # Quoted where it could be read as more than a name: `x; nothing missing` is one.
    shown = [repr(name) if re.search("[;:,'\"\\n]", name) else name for name in names[:MOST_NAMES]]
    return ", ".join(shown) + more
