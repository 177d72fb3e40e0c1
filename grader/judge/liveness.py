"""Finds out whether a submission's answer depends on its inputs; checks ask until that is known."""

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
    """What is known about whether one submission's answer depends on its inputs.

    Args:
        kata: has the claims on liveness, of which one must hold.
        fixtures: returns what a claim may ask for by name, given the claim's name and a trace.
        doing: returns what the submission was last asked to do.
    """

    def __init__(self, kata: Kata, fixtures: Callable[[str, Trace], dict[str, Any]], doing: Callable[[], str]) -> None:
        self._fixtures, self._doing = fixtures, doing
        self._claims = deque(kata.liveness)
        self.is_known = not kata.liveness
        """Whether one of the claims held, or the kata has none: then `ask` makes no calls."""
        self.absent: Finding | None = None
        """The finding that the answer does not depend on its inputs; None: that was not shown."""
        self.failed: tuple[Check, Trace] | None = None
        """The claim that showed this by values, and what the submission returned; None: no values did."""
        self.unanswered: Finding | None = None
        """Why it is not known whether the answer depends on its inputs."""
        self.raised: list[tuple[Check, Trace]] = []
        """The claims in which the submission raised, and what it returned before."""

    @property
    def is_shown(self) -> bool:
        """Whether one of the claims held; never so in a kata that has none."""
        return self.is_known and bool(self._claims)

    def ask(self) -> Finding | None:
        """Why a check that needs liveness fails without being run; None: it is run.

        Raises:
            WorkerLost: the call did not come back; the next check tries the next claim first.
        """
        self.unanswered = None
        if self.is_known or self.absent is not None:
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
                self.is_known, self.unanswered = True, None
                return None
        if failed:
            self.absent, self.failed = failed[0]
            self.unanswered = None
        return self.absent
