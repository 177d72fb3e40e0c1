"""Whether a submission answers as some program for the kata might: asked until it is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from grader.checks.expect import Mismatch, Problem
from grader.checks.kata import Kata
from grader.checks.subject import Trace
from grader.checks.tiers import Check, as_check
from grader.judge.findings import Finding, finding
from grader.sandbox import WorkerLost


class Liveness:
    """What is known of one submission.

    Args:
        kata: its claims on liveness, of which one has to hold.
        fixtures: what a claim is given, by names, for its name and a trace.
        doing: what the submission was last asked to do.
    """

    def __init__(self, kata: Kata, fixtures: Callable[[str, Trace], dict[str, Any]], doing: Callable[[], str]) -> None:
        self._fixtures, self._doing = fixtures, doing
        self._claims = deque(kata.liveness)
        self._is_live = not kata.liveness
        self.absent: Finding | None = None
        """What showed that its answer does not depend on its inputs."""
        self.failed: tuple[Check, Trace] | None = None
        """The claim that showed it by its values, and what the submission returned."""
        self.unanswered: Finding | None = None
        """Why nobody knows."""
        self.raised: list[tuple[Check, Trace]] = []
        """The claims in which it raised."""

    @property
    def is_shown(self) -> bool:
        """One of the claims held; a kata that has none shows nothing."""
        return self._is_live and bool(self._claims)

    def ask(self) -> Finding | None:
        """Why a check that needs liveness fails without being run; None: it is run.

        Raises:
            WorkerLost: the call did not come back; the next check asks in the next way.
        """
        self.unanswered = None
        if self._is_live or self.absent is not None:
            return self.absent
        failed: list[tuple[Finding, tuple[Check, Trace] | None]] = []
        for claim in list(self._claims):
            trace, check = Trace(), as_check(claim, 0)
            try:
                fixtures = self._fixtures(claim.name, trace)
                claim.run(**{name: fixtures[name] for name in check.needs})
            except Mismatch as mismatch:
                failed.append((finding(mismatch, self._doing()), (check, trace)))
            except WorkerLost:
                self._claims.rotate(-1)
                raise
            except Problem as problem:
                self.raised.append((check, trace))
                self.unanswered = self.unanswered or finding(problem, self._doing())
            except Exception:  # a claim breaks on an answer that nothing can be computed with
                if trace.odd is None:
                    raise
                failed.append((finding(trace.odd, self._doing()), None))
            else:
                self._is_live, self.unanswered = True, None
                return None
        if failed:
            self.absent, self.failed = failed[0]
            self.unanswered = None
        return self.absent
