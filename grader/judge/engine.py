"""Runs the checks of a kata on a submission, some of them in copies of the judge; what they raise becomes verdicts."""

from __future__ import annotations

import pdb  # for authors of checks, by `--debug`
import traceback
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from grader.checks.draw import Draw
from grader.checks.expect import Misfit, Mismatch, Misread, Refusal, SideEffect
from grader.checks.kata import Kata
from grader.checks.problems import OutOfMemory
from grader.checks.subject import UNREAD, Trace
from grader.checks.tiers import Check
from grader.judge.copies import Copy, all_arriving
from grader.judge.failed_call import failed_call
from grader.judge.findings import Finding, finding
from grader.judge.liveness import Liveness
from grader.judge.session import Session
from grader.judge.submitted_subject import SubmittedSubject
from grader.judge.transcripts import Transcripts
from grader.records import CheckBegan, CheckEnded, CheckResult, FailedCall, Verdict, Visibility
from grader.sandbox import NotIsolated, SandboxError, WorkerLost

PASSED = Finding(Verdict.PASS)
QUICKLY_S = 0.1
"""A submission that takes longer to load is not loaded again in more workers.

That would take longer than its checks.
"""


class Run(NamedTuple):
    """A check that ran to its verdict, and what the submission returned in it."""

    check: Check
    trace: Trace


class Runs(NamedTuple):
    """The runs and calls that a diagnosis is made from; attributes as of `Engine`."""

    failures: list[Run]
    passes: list[Run]
    refusals: list[Run]
    failed_calls: list[FailedCall]


class PartEnded(NamedTuple):
    """Sent by a copy of the judge when it has run its part of the checks."""

    session: int
    """The place of its session among those in the engine's `beside`."""
    losses: list[tuple[str, WorkerLost | OutOfMemory]]
    """Each callable that ended a worker, and what became of that worker."""
    printed: str
    failure: str | None
    """As `Engine.failure`, in the copy."""


class Engine:
    """Runs the checks of one kata on one submission.

    Args:
        kata: the kata of the checks.
        checks: the checks to run.
        session: the connection to the submission.
        seed: the seed of the run.
        beside: more sessions with the submission, among which the checks are dealt out to run at the same time.
        transcripts: of checks that earlier submissions passed; more are added. None: each check is judged anew.
        first: the tier whose checks run before the others, for a reader to whom all is shown; None: the public ones do.
        debug: whether a debugger opens where a check fails.
        keeps_calls: whether the calls in which the submission was wrong are kept.

    Attributes:
        results: the results by check name.
        failures, passes: the failed and the passed checks that the diagnosis can say something about.
        refusals: the checks that ended because the submission raised in a call.
        failed_calls: the calls in which the submission was wrong, if they are kept, in any order.
        failure: the traceback of a check that failed by the grader's own fault, or None.
    """

    def __init__(
        self,
        kata: Kata,
        checks: Sequence[Check],
        session: Session,
        seed: int,
        *,
        beside: Sequence[Session] = (),
        transcripts: Transcripts | None = None,
        first: str | None = None,
        debug: bool = False,
        keeps_calls: bool = False,
    ) -> None:
        self.kata, self.checks, self.session, self.seed = kata, checks, session, seed
        self._beside, self._first, self._debug = beside, first, debug
        self._transcripts = transcripts
        self.results: dict[str, CheckResult] = {}
        self.failures: list[Run] = []
        self.passes: list[Run] = []
        self.refusals: list[Run] = []
        self.failure: str | None = None
        self.failed_calls: list[FailedCall] = []
        self._keeps_calls = keeps_calls
        self.liveness = Liveness(
            kata, lambda name, trace: self._fixtures(session, name, trace)[1], lambda: session.doing
        )

    def run(self) -> Iterator[CheckBegan | CheckEnded]:
        """Runs all checks: first those of the tier that was asked for, then the public ones, then the others.

        A submission may show in one check what it was given in an earlier one, so the checks that a candidate may look
        into come before the hidden ones. Once a liveness claim has held, the remaining checks are dealt out to copies
        of this process, each with a worker of its own. They are dealt out by their place and not by how long they take,
        so that each worker gets the same calls in every run. Where a call ends a copy's worker, the rest of its part is
        left to this process: only here is a callable called again after that.
        """
        checks = sorted(self.checks, key=self._turn)
        left = iter(checks)
        for check in left:
            yield from self._events([check], self.session)
            if self._beside and self.liveness.is_shown and self._may_be_dealt_out:
                yield from self._side_by_side(list(left))
        places = {check.name: place for place, check in enumerate(checks)}
        for runs in (self.failures, self.passes, self.refusals):
            runs.sort(key=lambda run: places[run.check.name])

    @property
    def _may_be_dealt_out(self) -> bool:
        """Whether loading once more is worth it, and no check needs what another check found out."""
        return self.session.load_s <= QUICKLY_S and not self.session.has_kept

    def _side_by_side(self, checks: Sequence[Check]) -> Iterator[CheckBegan | CheckEnded]:
        parts = [checks[place :: 1 + len(self._beside)] for place in range(1 + len(self._beside))]
        copies: list[Copy] = []
        try:
            for place, part in enumerate(parts[1:]):
                with suppress(OSError, WorkerLost, SandboxError):  # then this process does that part too
                    self._beside[place].goes_beside(self.session)
                    copies.append(Copy(partial(self._part, place, part), self._runs, (UNREAD, *self.checks)))
            for check in parts[0]:
                yield from self._events([check], self.session)
                for copy in copies:
                    yield from self._told(copy.arrived())
            yield from self._told(all_arriving(copies))
            if self.kata.key is not None and any(each.verdict is not Verdict.PASS for each in self.results.values()):
                for found in filter(None, [copy.rest() for copy in copies]):
                    for runs, added in zip(self._runs(), found, strict=True):
                        runs += added
        finally:
            for copy in copies:
                copy.close()
        yield from self._events([check for check in checks if check.name not in self.results], self.session)

    def _part(self, place: int, checks: Sequence[Check]) -> Iterator[CheckBegan | CheckEnded | PartEnded]:
        """Runs a part of the checks, in a copy of this process."""
        session = self._beside[place]
        session.goes_on_in_a_copy()
        known = len(session.losses.noted)
        for runs in self._runs():
            runs.clear()
        for check in checks:
            if len(session.losses.noted) == known:
                yield from self._events([check], session)
        session.close()
        yield PartEnded(place, session.losses.noted[known:], session.printed, self.failure)

    def _told(self, records: Iterator[Any]) -> Iterator[CheckBegan | CheckEnded]:
        """Takes in the records that copies send, and yields the events among them."""
        for record in records:
            if isinstance(record, PartEnded):
                self.failure = self.failure or record.failure
                self._beside[record.session].ended_in_a_copy(record.printed)
                for name, lost in record.losses:
                    self.session.losses.note(name, lost)
                continue
            if isinstance(record, CheckEnded):
                self.results[record.result.name] = record.result
            yield record

    def _runs(self) -> Runs:
        return Runs(self.failures, self.passes, self.refusals, self.failed_calls)

    def _events(self, checks: Sequence[Check], session: Session) -> Iterator[CheckBegan | CheckEnded]:
        for check in checks:
            yield CheckBegan(check.tier.name, check.name, check.claim)
            result = result_of(check, self._finding_of(check, session))
            self.results[check.name] = result
            yield CheckEnded(check.tier.name, result)

    def _turn(self, check: Check) -> tuple[bool, int]:
        return check.tier.name != self._first, list(Visibility).index(check.visibility)

    def _finding_of(self, check: Check, session: Session) -> Finding:
        """Runs one check and returns what it found."""
        trace = Trace()
        try:
            session.begin_check()
            transcripts, key = self._transcripts_for(check, session)
            if transcripts and (known := session.repeat(transcripts.of(key))):
                trace = known.trace
                self.passes.append(Run(check, trace))
                return PASSED
            absent = self.liveness.ask() if check.tier.needs_liveness else None
            if absent is not None:
                return absent
            subject, fixtures = self._fixtures(session, check.name, trace)
            check.run(**{name: fixtures[name] for name in check.needs})
            subject.settle()
            if transcripts and (transcript := session.transcript(trace)):
                transcripts.keep(key, transcript)
        except Exception as error:
            return self._failed(check, session, error, trace)
        finally:
            session.answered = session.answered or bool(trace.leaves)
            session.end_check()
        is_of_whole = check.tier.needs_liveness and not check.tier.is_of_parts
        if is_of_whole and self.liveness.unanswered is not None and subject.was_called:
            # Nobody knows whether the answer depends on its inputs: a claim that holds proves nothing.
            return self.liveness.unanswered
        self.passes.append(Run(check, trace))
        return PASSED

    def _transcripts_for(self, check: Check, session: Session) -> tuple[Transcripts | None, Hashable]:
        """The transcripts, and the key of the check in them; None, and no key: the check is judged anew.

        It is where the calls of a liveness claim may come first, where a callable may be given up, and where an
        earlier check found out something.
        """
        asks_first = check.tier.needs_liveness and not self.liveness.is_known
        if self._transcripts is None or asks_first or session.losses.noted or session.has_kept:
            return None, None
        return self._transcripts, (self.kata, check, self.seed, session.state)

    def _failed(self, check: Check, session: Session, error: BaseException, trace: Trace) -> Finding:
        if self._debug:
            traceback.print_exception(error)
            pdb.post_mortem(error.__traceback__)
        if isinstance(error, Misfit):
            trace.calls.append(error)
        is_of_values = isinstance(error, Mismatch) and not isinstance(error, Misread | SideEffect)
        if is_of_values and (trace.leaves or trace.calls):
            self.failures.append(Run(check, trace))
        if isinstance(error, Refusal):
            self.refusals.append(Run(check, trace))
        if self._keeps_calls and (call := failed_call(check, error, self.kata.contract, session)):
            self.failed_calls.append(call)
        found = finding(error, session.doing)
        if found.verdict is Verdict.BROKEN and trace.odd is not None:
            return finding(trace.odd, "")  # the check broke on an answer that no check can compute with
        if found.verdict is Verdict.BROKEN:
            text = str(error) if isinstance(error, NotIsolated) else "".join(traceback.format_exception(error))
            self.failure = self.failure or text
        return found

    def _fixtures(self, session: Session, name: str, trace: Trace) -> tuple[SubmittedSubject, dict[str, Any]]:
        """The subject of a check, and all that the check may ask for by name."""
        subject, draw = SubmittedSubject(session, trace), Draw(self.seed, name)
        own = {own: make(self.kata, subject, draw) for own, make in self.kata.fixtures.items()}
        return subject, {"subject": subject, "draw": draw, **own}


def result_of(check: Check, finding: Finding) -> CheckResult:
    """The result of a check: what was found, and the check's points if it passed."""
    points = check.points if finding.verdict is Verdict.PASS else 0
    fields = finding._asdict() | {"visibility": check.visibility}
    return CheckResult(check.name, check.claim, points=points, max_points=check.points, **fields)
