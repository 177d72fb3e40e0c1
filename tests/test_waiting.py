"""What a process waits for a processor is not its time: a busy machine stops no right code."""

import os
import time
from pathlib import Path

import pytest

from grader.judge import Options
from grader.records import Verdict
from grader.sandbox import Limits, Sandbox
from grader.sandbox.waiting import MOST, Waiting
from tests.grading import graded, results, solution, summary

SLOW = """
_plain = scaled_dot_product_attention


def scaled_dot_product_attention(*args, **kwargs):
    import time
    time.sleep(0.3)
    return _plain(*args, **kwargs)
"""
SHAPES = Options(seed=1, tiers=("shapes",))


class Machine:
    """A clock, and the file in which the kernel counts a process's nanoseconds: on a processor, and in wait of one."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self._file = 1000.0, file
        self.tells(ran=1.0, waited=2.0)
        opened = os.open
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(os, "open", lambda path, flags: opened(file if "schedstat" in path else path, flags))

    def tells(self, ran: float, waited: float) -> None:
        self._file.write_text(f"{int(ran * 1e9)} {int(waited * 1e9)} 7\n")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path / "schedstat", monkeypatch)


def test_what_it_waited_since_then_is_counted(machine: Machine) -> None:
    waiting = Waiting(1)
    assert 0.0 == waiting.seconds()
    machine.now += 10.0
    machine.tells(ran=3.0, waited=6.0)
    assert 4.0 == waiting.seconds()


def test_the_waiting_of_all_is_counted(machine: Machine) -> None:
    waiting = Waiting(1, 2)
    machine.now += 10.0
    machine.tells(ran=3.0, waited=5.0)
    assert 6.0 == waiting.seconds()


def test_a_part_of_its_lifetime_counts_whatever_it_waited(machine: Machine) -> None:
    waiting = Waiting(1)
    machine.now += 10.0
    machine.tells(ran=1.0, waited=11.9)
    assert MOST * 10.0 == waiting.seconds()


def test_after_its_end_the_last_count_stands(machine: Machine) -> None:
    waiting = Waiting(1)
    machine.now += 10.0
    machine.tells(ran=3.0, waited=6.0)
    waiting.close()
    machine.tells(ran=3.0, waited=9.0)
    waiting.close()
    assert 4.0 == waiting.seconds()


@pytest.mark.parametrize("content", ["", "gone\n", "1 x 2\n"])
def test_what_cannot_be_read_is_no_waiting(machine: Machine, tmp_path: Path, content: str) -> None:
    waiting = Waiting(1)
    machine.now += 10.0
    (tmp_path / "schedstat").write_text(content)
    assert 0.0 == waiting.seconds()


def test_a_process_that_is_not_there_did_not_wait() -> None:
    assert 0.0 == Waiting(2**22 + 1, 2**22 + 2).seconds()


@pytest.mark.slow
def test_time_that_all_went_by_in_waiting_ends_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    source = solution("scaled_dot_product") + SLOW
    with Sandbox(Limits(check_s=0.2)) as box:
        hurried = graded("scaled_dot_product", source, SHAPES, box)
        monkeypatch.setattr(Waiting, "seconds", lambda _: time.monotonic())
        patient = graded("scaled_dot_product", source, SHAPES, box)
    assert {Verdict.TIMEOUT} == {check.verdict for check in results(hurried)}, summary(hurried)
    assert {Verdict.PASS} == {check.verdict for check in results(patient)}, summary(patient)
