"""Completion of the katas' names, after the magics and in calls of `check`, `hint` and `solution`."""

from typing import Any

from grader.core import place

MAGICS = ("%grade", "%hint", "%solution")
CALLS = r""".*\b(check|hint|solution)\((kata\s*=\s*)?["']?\w*$"""


def complete_names(ipython: Any) -> None:
    """Has the shell complete the katas' names.

    Args:
        ipython: the running InteractiveShell.
    """

    def names(*_: Any) -> list[str]:
        return kata_names()

    for magic in MAGICS:
        ipython.set_hook("complete_command", names, str_key=magic)
    ipython.set_hook("complete_command", names, re_key=CALLS)


def kata_names() -> list[str]:
    """Return the names of the katas that have an exercise; to load the katas would import PyTorch."""
    return sorted(path.stem for path in (place.ROOT / "exercises").glob("*.py"))
