"""Reading ends: whatever a file makes a library do, and whatever that library catches."""

import signal
import time
from pathlib import Path

import pytest

from grader.records import GraderError
from grader.submission.deadline import within

FILE = Path("candidate.py")
SAID = "^candidate.py takes more than 0.05 s to read: keep what the kata needs only.$"


def endless() -> None:
    while True:
        time.sleep(0.01)


def stubborn() -> None:
    """Goes on after whatever was raised, three times."""
    for _ in range(3):
        try:
            endless()
        except BaseException:
            continue
    endless()


def test_what_takes_too_long_is_named() -> None:
    with pytest.raises(GraderError, match=SAID), within(0.05, FILE):
        endless()


def test_what_is_caught_comes_again() -> None:
    with pytest.raises(GraderError, match=SAID), within(0.05, FILE):
        stubborn()


def test_the_outer_one_counts() -> None:
    with pytest.raises(GraderError, match=SAID), within(0.05, FILE), within(60.0, Path("inner.py")):
        endless()


def test_nothing_is_left_of_it() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with within(60.0, FILE):
        assert before is not signal.getsignal(signal.SIGALRM)
    assert (before, (0.0, 0.0)) == (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL))
    with pytest.raises(ZeroDivisionError), within(60.0, FILE):
        _ = 1 / 0
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_REAL)
