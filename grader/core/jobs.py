"""Grades a stack in several processes at once: this one begins at its front, forked copies of this one at its end."""

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING

from grader.core.events import Event, SubmissionBegan
from grader.forked import serve_the_parent
from grader.records import Report
from grader.submission import SubmittedFile

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import SynchronizedArray

SUBMISSIONS_EACH = 4
"""The fewest submissions for each process, where they are reported in order; to start one takes as long as three."""

Grade = Callable[[int, SubmittedFile], Iterable[Event]]
"""Grades one submission, given with its number in the stack (from 1), and returns its events."""

_grade: Grade
"""What grades a submission in a forked copy of the process; set only there."""
_files: Sequence[SubmittedFile]
_begun_by_any: "SynchronizedArray[int]"


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def copies(jobs: int, submissions: int, *, as_they_end: bool = False) -> int:
    """The number of processes to start beside this one; 0 where the system's libraries do not survive a fork.

    Args:
        jobs: the most processes, this one among them.
        submissions: how many there are.
        as_they_end: whether each may have a process of its own, so that one that takes all of its time holds no other.
    """
    most = submissions if as_they_end else submissions // SUBMISSIONS_EACH
    return max(0, min(jobs, most) - 1) if sys.platform == "linux" else 0


def grade_in_order(
    files: Sequence[SubmittedFile], grade: Grade, begun: Callable[[], Grade], jobs: int
) -> Iterator[Iterable[Event]]:
    """Yield the events of each submission, in order.

    Args:
        files: the submissions to grade.
        grade: grades one submission in this process, while its events are consumed.
        begun: called in a copy, it returns the `grade` of that copy.
        jobs: the most processes, this one among them.
    """
    others = copies(jobs, len(files))
    if others == 0:
        yield from _in_this_process(files, grade)
        return
    before = multiprocessing.active_children()
    pool, begun_by_any = _forked(others, begun, files)
    try:
        numbers = range(1, len(files) + 1)
        results = {number: pool.submit(_events, number) for number in reversed(numbers)}
        for number, file in zip(numbers, files, strict=True):
            if _is_first(number, begun_by_any):
                yield grade(number, file)
                continue
            try:
                yield results[number].result()
            except BrokenExecutor:  # a copy was killed, as the system does when memory runs out
                yield grade(number, file)
    finally:
        _end(pool, before)


def grade_as_they_end(
    files: Sequence[SubmittedFile], grade: Grade, begun: Callable[[], Grade], jobs: int
) -> Iterator[Iterable[Event]]:
    """Yield the events of each submission once it is done; arguments as of `grade_in_order`.

    Copies leave out the events of checks. A submission that takes all of its time occupies one process, and the others
    go on. What is done is reported at once, so that the caller can save it, and is not kept here.
    """
    others = copies(jobs, len(files), as_they_end=True)
    if others == 0:
        yield from _in_this_process(files, grade)
        return
    before = multiprocessing.active_children()
    try:
        pool, _ = _forked(1 + others, begun, files)
    except OSError:  # without a /dev/shm that can be written, no two processes share what they have begun
        yield from _in_this_process(files, grade)
        return
    left, running = list(range(len(files), 0, -1)), dict[Future[list[Event]], int]()
    try:
        while left or running:
            while left and len(running) < 2 * jobs:
                number = left.pop()
                running[pool.submit(_events_without_checks, number)] = number
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield done.result()
                del running[done]
    except BrokenExecutor:  # a copy was killed, as the system does when memory runs out
        yield from (grade(number, files[number - 1]) for number in (*running.values(), *reversed(left)))
    finally:
        _end(pool, before)


def _in_this_process(files: Sequence[SubmittedFile], grade: Grade) -> Iterator[Iterable[Event]]:
    return (grade(number, file) for number, file in enumerate(files, start=1))


def _forked(
    number: int, begun: Callable[[], Grade], files: Sequence[SubmittedFile]
) -> tuple[ProcessPoolExecutor, "SynchronizedArray[int]"]:
    """Return a pool of so many copies, and an array that says which submissions any process has begun."""
    context = multiprocessing.get_context("fork")
    begun_by_any = context.Array("b", len(files) + 1)
    gc.freeze()  # a collection in a copy would write to, and so copy, all that the processes share
    return ProcessPoolExecutor(number, context, _begin, (begun, files, begun_by_any)), begun_by_any


def _end(pool: ProcessPoolExecutor, before: Sequence[BaseProcess]) -> None:
    """Kill the copies, and with each its sandbox; one may be working on a submission that nobody waits for any more."""
    for process in multiprocessing.active_children():
        if process not in before:
            process.kill()
    pool.shutdown(cancel_futures=True)


def _is_first(number: int, begun_by_any: "SynchronizedArray[int]") -> bool:
    """Whether no process has begun this submission yet; marks it as begun."""
    with begun_by_any.get_lock():
        begun, begun_by_any[number] = begun_by_any[number], 1
    return not begun


def _begin(begun: Callable[[], Grade], files: Sequence[SubmittedFile], begun_by_any: "SynchronizedArray[int]") -> None:
    global _grade, _files, _begun_by_any
    serve_the_parent()
    _grade, _files, _begun_by_any = begun(), files, begun_by_any


def _events(number: int) -> list[Event]:
    return list(_grade(number, _files[number - 1])) if _is_first(number, _begun_by_any) else []


def _events_without_checks(number: int) -> list[Event]:
    return [event for event in _events(number) if isinstance(event, SubmissionBegan | Report)]
