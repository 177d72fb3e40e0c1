"""Checks that passed before, as the judge remembers them: equal replies to equal requests lead to equal verdicts.

A check does nothing but ask and look at the replies, so two submissions whose replies are the same to the last bit end
it alike. In a stack most right submissions answer most checks in the same way: these checks are not judged again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from grader.checks.subject import Trace
from grader.sandbox import Exchange

MOST_CHECKS = 300
"""How many checks are remembered: a kata has 30 to 90 for each of the three seeds of a stack."""
MOST_OF_A_CHECK = 8
"""How many ways to pass a check are remembered, the latest."""


class Transcript(NamedTuple):
    """All that a check that passed asked of a submission, and what came back."""

    exchanges: tuple[Exchange, ...]
    trace: Trace
    kept: Mapping[str, Any]
    """What the check's fixtures kept for later checks, as in `Session.kept`."""


class Transcripts:
    """The transcripts of checks that passed."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, OrderedDict[tuple[Exchange, ...], Transcript]] = OrderedDict()

    def of(self, check: Hashable) -> list[Transcript]:
        """The transcripts of a check.

        Args:
            check: the check with all on which its requests depend, apart from the replies.
        """
        return list(self._known.get(check, {}).values())

    def keep(self, check: Hashable, transcript: Transcript) -> None:
        """Keeps a transcript; arguments as of `of`."""
        of_check = self._known.setdefault(check, OrderedDict())
        self._known.move_to_end(check)
        of_check[transcript.exchanges] = transcript
        if len(of_check) > MOST_OF_A_CHECK:
            of_check.popitem(last=False)
        if len(self._known) > MOST_CHECKS:
            self._known.popitem(last=False)
