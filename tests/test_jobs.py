"""A stack graded by several processes: the same events in the same order, whatever becomes of a copy."""

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import Grader, Request
from grader.core import Event, Report, grader, jobs
from tests.fakes import FUNCTION_SOURCE, FakeJudge
from tests.grading import ROOT

Put = Callable[[str, str | bytes], Path]


@pytest.fixture
def stack(put: Put) -> Request:
    """Of nine submissions, each with another score."""
    for number in range(9):
        path = put(f"stack/{number}.py", f"{FUNCTION_SOURCE}# score {number}0")
    return Request(path=path.parent, seed=1)


def events_of(request: Request, processes: int) -> list[Event]:
    """Without the seconds."""
    with Grader(jobs=processes) as grader:
        events = list(grader.grade(request))
    return [replace(event, duration_s=0.0) if isinstance(event, Report) else event for event in events]


def test_two_processes_give_the_events_of_one(
    stack: Request, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = events_of(stack, 1)
    seen, here, copy_graded = len(judge.seen), os.getpid(), multiprocessing.Event()
    report = FakeJudge.report

    def after_a_copy(judge: FakeJudge, *given: Any) -> Report:
        assert copy_graded.wait(60) if os.getpid() == here else not copy_graded.set()
        return report(judge, *given)

    monkeypatch.setattr(FakeJudge, "report", after_a_copy)
    assert alone == events_of(stack, 2)
    assert 0 < len(judge.seen) - seen < 9, "this process did all of it, or nothing"


@pytest.mark.slow
def test_a_real_stack_has_the_same_reports(put: Put) -> None:
    source = (ROOT / "solutions" / "scaled_dot_product.py").read_text()
    for number in range(8):
        path = put(f"stack/{number}.py", f"{source}# {number}\n" if number % 2 else f"{source}\nraise OSError\n")
    request = Request(path=path.parent, seed=1, tiers=("shapes",))
    alone = events_of(request, 1)
    assert alone == events_of(request, 2)
    assert 8 == sum(isinstance(event, Report) for event in alone)


@pytest.mark.usefixtures("judge")
def test_what_a_killed_copy_leaves_is_graded_here(stack: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = events_of(stack, 1)
    here, sandbox = os.getpid(), grader.Sandbox

    def made(*limits: Any, **how: Any) -> Any:
        return sandbox(*limits, **how) if os.getpid() == here else os._exit(9)

    monkeypatch.setattr(grader, "Sandbox", made)
    assert alone == events_of(stack, 2)


@pytest.mark.usefixtures("judge")
def test_no_copy_outlives_a_request_that_is_given_up(stack: Request) -> None:
    with Grader(jobs=2) as grader:
        reports = grader.reports(stack)
        next(reports)
        assert multiprocessing.active_children()
        reports.close()
        assert [] == multiprocessing.active_children()


@pytest.mark.parametrize(
    ("processes", "submissions", "copies"), [(1, 300, 0), (2, 7, 0), (2, 8, 1), (8, 12, 2), (8, 300, 7)]
)
def test_a_copy_has_some_submissions_to_itself(processes: int, submissions: int, copies: int) -> None:
    assert copies == jobs.copies(processes, submissions)
