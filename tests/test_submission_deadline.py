"""Reading ends: whatever a file makes a library do, and whatever that library catches."""

import importlib
import signal
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.handed import handed_in
from grader.records import GraderError
from grader.submission import deadline
from grader.submission.deadline import READING_S, Deadline
from tests.fakes import PLAIN_SOURCE, Ran

Put = Callable[[str, str | bytes], Path]
Run = Callable[..., Ran]

FILE = Path("candidate.py")
SAID = "^candidate.py takes more than 0.05 s to read: keep what the kata needs only.$"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "READING_S", 0.05)


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


@pytest.mark.usefixtures("short")
def test_what_takes_too_long_is_named() -> None:
    with pytest.raises(GraderError, match=SAID), Deadline(FILE).runs():
        endless()


@pytest.mark.usefixtures("short")
def test_what_is_caught_comes_again() -> None:
    with pytest.raises(GraderError, match=SAID), Deadline(FILE).runs():
        stubborn()


@pytest.mark.usefixtures("short")
def test_the_outer_one_counts() -> None:
    with pytest.raises(GraderError, match=SAID), Deadline(FILE).runs(), Deadline(Path("inner.py")).runs():
        endless()


def test_all_stretches_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 12.0, 100.0, 109.0])
    monkeypatch.setattr(deadline.time, "monotonic", lambda: next(clock))
    one, done = Deadline(FILE), []
    for _ in range(2):
        with one.runs():
            done.append(0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 20 - 12 * len(done))
    monkeypatch.undo()
    with pytest.raises(GraderError, match="takes more than 20 s to read: keep"), one.runs():
        done.append(False)
    assert [True, True] == done


def test_nothing_is_left_of_it() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with Deadline(FILE).runs():
        assert before is not signal.getsignal(signal.SIGALRM)
    assert (before, (0.0, 0.0)) == (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL))
    with pytest.raises(ZeroDivisionError), Deadline(FILE).runs():
        _ = 1 / 0
    assert (0.0, 0.0) == signal.getitimer(signal.ITIMER_REAL)


def test_a_folder_or_zip_file_that_takes_too_long_to_list_is_named(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put("stack/ann.zip", b"")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ann.py", "x = 1\n")
    monkeypatch.setattr(deadline, "READING_S", 0.0)
    said = "{} takes more than 0 s to read: keep what the kata needs only."
    assert [said.format(path)] == [file.problem for file in handed_in(path, None).files]
    with pytest.raises(GraderError) as error:
        handed_in(path.parent, None)
    assert said.format(path.parent) == str(error.value)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("grader.submission.tree", "_entries"),
        ("grader.submission.reader", "imports"),
        ("grader.submission.reader", "suspects"),
        ("grader.core.intake", "identify"),
    ],
)
@pytest.mark.usefixtures("judge")
def test_all_that_reads_runs_under_a_clock_and_once(
    run: Run, put: Put, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    left, within = list[float](), importlib.import_module(module)
    real = getattr(within, name)

    def timed(*given: Any) -> Any:
        left.append(signal.getitimer(signal.ITIMER_REAL)[0])
        return real(*given)

    monkeypatch.setattr(within, name, timed)
    run("grade", put("stack/ann.py", PLAIN_SOURCE + "# score 40").parent)
    assert [True] == [0 < seconds <= READING_S for seconds in left]
