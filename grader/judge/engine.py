"""The checks of a kata as pytest items: fixtures, verdicts from exceptions."""

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.checks.attention import Attention, MakeAttention, Trace
from grader.checks.case import Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch
from grader.checks.kata import Kata
from grader.checks.tiers import Check
from grader.judge.liveness import Life
from grader.judge.problems import PROBLEMS, Finding, finding
from grader.judge.attention import RemoteAttention
from grader.judge.session import Session
from grader.records import CheckResult, Verdict, Visibility
from grader.sandbox import NotIsolated, WorkerLost

# BEGIN HIDDEN
# isort: split
from grader.judge.diagnosis.search import Named, name_mistakes
from grader.judge.diagnosis.replay import Ran
from grader.judge.diagnosis.wording import with_mistakes

# END HIDDEN

ROOT = Path(__file__).parents[2]
QUIET = ("-p", "no:terminal", "-p", "no:capture", "-p", "no:logging", "-p", "no:warnings", "-p", "no:junitxml")
FIXED = ("-c", os.devnull, "--noconftest", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:faulthandler")
# They collect garbage at the end, 0.25 s of it, to find what no check here leaves behind.
COLLECTORS = ("-p", "no:unraisableexception", "-p", "no:threadexception")
EXPECTED = (Mismatch, WorkerLost, *PROBLEMS)


class CheckItem(pytest.Function):
    """One check as a pytest item."""

    check: Check
    engine: "Engine"

    def runtest(self) -> None:
        """All in the call and nothing in the fixtures: pytest draws a traceback for what fails in those."""
        self.engine.begin(self.check)
        try:
            super().runtest()
            self.engine.passed()
        finally:
            self.engine.session.end_check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        """Formatting a traceback takes 30 ms, and nobody reads that of a wrong answer."""
        if isinstance(excinfo.value, EXPECTED):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class KataModule(pytest.Module):
    """Collects the checks that the kata lists, the public ones first.

    A submission may tell in one check what it was given in another: none that a candidate may look into comes later.
    """

    engine: "Engine"

    def collect(self) -> Iterator[CheckItem]:
        for check in sorted(self.engine.checks, key=lambda check: list(Visibility).index(check.visibility)):
            item = CheckItem.from_parent(self, name=check.name, callobj=check.run)
            item.check, item.engine = check, self.engine
            yield item


class Engine:
    """A pytest plugin that runs the checks of one kata on one submission.

    Attributes:
        results: by check name; what did not report is not in it.
        named: the mistakes that explain a check that failed, by its name.
        failure: the traceback of a check that failed by the grader's own fault, or None.
    """

    def __init__(self, kata: Kata, checks: tuple[Check, ...], session: Session, seed: int) -> None:
        self.kata, self.checks, self.session, self.seed = kata, checks, session, seed
        self.results: dict[str, CheckResult] = {}
        self.failure: str | None = None
        # BEGIN HIDDEN
        self.named: dict[str, Named] = {}
        self._failures: list[Ran] = []
        self._passes: list[Ran] = []
        # END HIDDEN
        self._trace = Trace()
        self._made: list[RemoteAttention] = []
        """Of the check that runs."""
        self._life = Life(seed, self._maker, lambda: session.doing)

    def begin(self, check: Check) -> None:
        """Starts a check's clock, and asks for life where its tier needs it."""
        self.session.begin_check()
        self._life.ask(check.tier)
        self._made.clear()  # what life was asked with

    def passed(self) -> None:
        """Where nobody knows whether it is alive, a claim that holds for its answers proves nothing."""
        if self._life.unanswered is not None and any(made.attended for made in self._made):
            problem, self.session.doing = self._life.unanswered
            raise problem

    def run(self, arguments: tuple[str, ...] = ()) -> None:
        """Runs all checks; `arguments` go to pytest, for authors of katas: `-k`, `--pdb`."""
        plain = ("--disable-plugin-autoload", *FIXED, *COLLECTORS, *(() if arguments else QUIET), f"--rootdir={ROOT}")
        hidden = contextlib.redirect_stdout(io.StringIO()) if not arguments else contextlib.nullcontext()
        # The module, not its path: pytest reads `[` and `::` in a path as its own signs.
        with _without_environment("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DEBUG"), hidden:
            status = pytest.main([*plain, *arguments, "--pyargs", type(self.kata).__module__], plugins=[self])
        if status == pytest.ExitCode.INTERRUPTED and not arguments:
            raise KeyboardInterrupt  # pytest turns it into a status
        if status == pytest.ExitCode.USAGE_ERROR and not arguments:
            raise RuntimeError("pytest refused to run the checks")  # no fault of the submission
        # BEGIN HIDDEN
        self._name_mistakes()

    def _name_mistakes(self) -> None:
        places = {check.name: place for place, check in enumerate(self.checks)}
        lifeless = [Ran(*self._life.failed)] if self._life.failed else []
        failures = lifeless + sorted(self._failures, key=lambda ran: places[ran.check.name])
        found = name_mistakes(self.kata, self.seed, failures, self._passes)
        of_life = found.pop(self._life.failed[0].name, ()) if self._life.failed else ()
        if self._life.missing is not None:
            found |= {check.name: of_life for check in self.checks if check.tier.needs_life}
        for name, result in self.results.items():
            if result.verdict is Verdict.FAIL and found.get(name):
                self.results[name] = with_mistakes(result, self.kata, found[name])
        self.named = found
        # END HIDDEN

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> KataModule:
        module: KataModule = KataModule.from_parent(parent, path=module_path)
        module.engine = self
        return module

    @pytest.fixture
    def draw(self, request: pytest.FixtureRequest) -> Draw:
        """The inputs of this check."""
        return Draw(self.seed, request.node.check.name)

    @pytest.fixture
    def attention(self, draw: Draw) -> MakeAttention:
        """Makes attentions in the worker, with weights drawn for this check; pytest asks for it before `begin`."""
        self._trace = Trace()
        return self._maker(draw, self._trace)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: CheckItem, call: pytest.CallInfo[None]) -> Iterator[Any]:
        report: Any = yield
        if call.excinfo is not None:
            self.results[item.check.name] = self._failed(item.check, call.excinfo.value, str(report.longrepr))
        elif call.when == "call":
            self.results.setdefault(item.check.name, result_of(item.check, Finding(Verdict.PASS)))
            # BEGIN HIDDEN
            self._passes.append(Ran(item.check, self._trace))
            # END HIDDEN
        return report

    def _maker(self, draw: Draw, trace: Trace) -> MakeAttention:
        def attention(*args: Any, **kwargs: Any) -> Attention:
            size = Size(*args, **kwargs)
            weights, seed = self.kata.weights(draw, size)
            made = RemoteAttention(self.session, self.kata, size, weights, seed, trace)
            self._made.append(made)
            trace.weights.append((made.weights, seed))
            return made

        return attention

    def _failed(self, check: Check, error: BaseException, traceback: str) -> CheckResult:
        # BEGIN HIDDEN
        if isinstance(error, Mismatch) and self._trace.tensors and error is not self._life.missing:
            self._failures.append(Ran(check, self._trace))
        # END HIDDEN
        found = finding(error, self._life.missing_in if error is self._life.missing else self.session.doing)
        if found.verdict is Verdict.BROKEN and self._trace.odd is not None:
            found = finding(self._trace.odd, "")  # the check broke on an answer that no check can compute with
        if found.verdict is Verdict.BROKEN:
            self.failure = self.failure or (str(error) if isinstance(error, NotIsolated) else traceback)
        return result_of(check, found)


def result_of(check: Check, found: Finding) -> CheckResult:
    """What was found, with the check's points where it passed."""
    points = check.points if found.verdict is Verdict.PASS else 0
    told = found._asdict() | {"visibility": check.visibility}
    return CheckResult(check.name, check.claim, points=points, max_points=check.points, **told)


@contextlib.contextmanager
def _without_environment(*names: str) -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)
