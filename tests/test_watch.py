"""`make watch`: what a screen shows, what keys and saves do, what is a save, and a real terminal."""

import contextlib
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.core import Event, Request
from grader.core.events import Advice
from grader.core.hints import Hint, hints
from grader.core.progress import Progress
from grader.core.serve import Settings
from grader.formats.lines import plain
from grader.records import CheckBegan, CheckEnded, GraderError, NamingBegan, Outcome, Reason, TierResult, Verdict
from grader.watch import loop as loops
from grader.watch.loop import ExerciseSave, JudgeEvent, KeyPress, Loop, Message
from grader.watch.saves import saves, stamp, wait_until_settled
from grader.watch.screen import draw, most_lines
from grader.watch.state import CheckVerdict, State
from grader.watch.terminal import CTRL_C, DOWN, UP, keys_in, screen_text
from tests.fakes import check, report
from tests.grading import ROOT

LADDER = ("function", "plain", "configured")
GOOD = check("shapes_agree", max_points=40)
BAD = check(
    "values_agree",
    Verdict.FAIL,
    60,
    what="output",
    expected="1",
    got="2",
    mistakes=("no scale",),
    reasons=(Reason("rows saturate", "notebooks/plain.ipynb#Scores"),),
)
TIERS = (TierResult("shapes", "shapes agree", (GOOD,)), TierResult("parity", "as PyTorch", (BAD,)))
STATE = State(LADDER, "plain", best={"function": 100}, seed=7)
FULL = report(TIERS[0], protections={"process": True})


def screen(state: State, width: int = 90, height: int = 30) -> str:
    return plain(draw(state, width, height))


# The screen


def test_the_screen_of_a_report() -> None:
    shown = screen(replace(STATE, report=report(*TIERS)))
    assert "plain   exercises/plain.py   seed 7\n[#>-]  1 of 3 katas at 100 (#), here (>)\n" in shown
    assert "  PASS  shapes  40 of 40  shapes agree\n  FAIL  parity   0 of 60  not proven: as PyTorch\n" in shown
    for line in ("output", "expected  1", "got       2", "likely mistake: no scale"):
        assert line in shown
    assert "score 40 of 100, 1 of 2 tiers passed   not isolated: landlock off\n" in shown
    assert shown.endswith("h hint   e explain   n next   p previous   r reset   q quit\n")


def test_a_screen_is_as_high_as_the_terminal_and_says_what_is_out_of_sight() -> None:
    state = replace(STATE, report=report(*TIERS))
    assert 30 == len(draw(state, 90, 30))
    low = draw(state, 90, 11)
    assert 11 == len(low)
    assert "0 lines above, 3 below: arrow keys" in plain(low)
    end = replace(state, top=most_lines(state, 90, 11))
    assert "3 lines above, 0 below" in screen(end, height=11)
    assert "likely mistake: no scale" in screen(end, height=11)


def test_on_a_low_screen_tiers_share_lines_so_that_the_first_failing_check_is_in_sight() -> None:
    tiers = [
        TierResult(name, "a sentence that takes a line and a half where there are 80 columns, in each tier", (GOOD,))
        for name in ("shapes", "weight sums", "padding", "causal", "nan safety", "gradients", "interface")
    ]
    shown = screen(replace(STATE, report=report(*tiers, TIERS[1])), width=80, height=24)
    assert "  PASS shapes   PASS weight sums   PASS padding   PASS causal   PASS nan safety\n" in shown
    assert "  PASS gradients   PASS interface   FAIL parity 0 of 60\n\n  FAIL  parity  " in shown
    assert "likely mistake: no scale" in shown
    assert "arrow keys" not in shown


@pytest.mark.parametrize("width", [60, 52, 40])
@pytest.mark.parametrize("changes", [{}, {"asks": True}, {"grading": True, "running": "weight sums"}])
def test_a_narrow_terminal_cuts_nothing(width: int, changes: dict) -> None:
    """Long names, all at once: what is too long would end at the margin."""
    kata = "write_head_permutation_test"
    tier = TierResult("weight sums", "fully masked rows and extreme scores give finite numbers", (BAD,))
    record = report(tier, protections={"landlock": False, "seccomp": False})
    state = replace(STATE, ladder=(kata,) * 13, kata=kata, best={kata: 100}, seed=10**9, report=record, **changes)
    shown = draw(state, width, 24)
    assert 24 == len(shown)
    assert width >= max(len("".join(span.text for span in line).rstrip()) for line in shown)
    words = " ".join(screen(state, width, 80).split())
    for said in ("best score here 100", f"seed {10**9}", "extreme scores give finite numbers"):
        assert said in words


def test_tiers_are_shown_as_they_are_judged_each_in_its_place() -> None:
    state = replace(STATE, report=report(*TIERS)).saved()
    before = screen(state)
    assert "  ....  shapes   0 of 40  shapes agree\n  ....  parity   0 of 60  as PyTorch\n" in before
    assert "likely mistake: no scale" in before  # of the save before, until it is known better
    assert "0 points so far   grading ...\n" in before
    failed = replace(BAD, mistakes=(), got="3")
    shown = screen(replace(state, judged=(CheckVerdict("parity", failed),), running="shapes"))
    assert "  ....  shapes   0 of 40  shapes agree\n  FAIL  parity   0 of 60" in shown
    assert "got       3" in shown
    assert "no scale" not in shown
    assert "0 points so far   grading: shapes ...\n" in shown


def test_the_first_grading_shows_the_tiers_that_it_has_met() -> None:
    shown = screen(replace(STATE.saved(), judged=(CheckVerdict("shapes", GOOD),), running="parity"))
    assert "  PASS  shapes  40 of 40\n" in shown
    assert "40 points so far   grading: parity ..." in shown


def test_the_score_is_shown_before_mistakes_are_named() -> None:
    failed = replace(BAD, mistakes=(), got="3")
    judged = STATE.saved().after(CheckEnded("shapes", GOOD)).after(CheckEnded("parity", failed))
    shown = screen(judged.after(NamingBegan(1)))
    assert "score 40 of 100, 1 of 2 tiers passed   naming why ...\n" in shown
    assert "got       3" in shown
    assert "0 points so far   grading ..." in screen(judged.after(NamingBegan(1)).saved())


def test_an_untouched_stub_says_where_to_begin() -> None:
    todo = report(TierResult("shapes", "shapes agree", (check("shapes_agree", Verdict.TODO),)))
    shown = screen(replace(STATE, report=todo, begin=("attend",)))
    assert "not written yet: begin in candidate.py with attend" in shown
    assert "TODO" not in shown


@pytest.mark.parametrize("outcome", [Outcome.UNLOADABLE, Outcome.CRASH, Outcome.BROKEN])
def test_what_could_not_be_graded_says_why(outcome: Outcome) -> None:
    shown = screen(replace(STATE, report=report(outcome=outcome, message="line 3: a syntax error\x1b[2J")))
    assert "line 3: a syntax error\n" in shown
    assert "not graded" in shown
    refused = screen(replace(STATE, refusal="exercises/plain.py does not exist: check the path."))
    assert "exercises/plain.py does not exist: check the path." in refused


def test_what_a_submission_says_moves_no_cursor() -> None:
    nasty = replace(BAD, got="\x1b[2J\x1b[Hscore 100 of 100")
    for state in (
        replace(STATE, report=report(TierResult("parity", "p", (nasty,)))),
        replace(STATE.saved(), judged=(CheckVerdict("parity", nasty),)),
        replace(STATE, notice="\x1b[2J", hints=(Hint("\x1b[2J", "\x1b[2J", (), 1),)),
    ):
        assert "\x1b" not in screen(state)


# The state


def test_a_full_score_takes_the_hints_away() -> None:
    state = replace(STATE, hints=(Hint("first", "one", (), 1),))
    assert (1, 0) == tuple(len(state.after(of).hints) for of in (report(*TIERS), FULL))


def test_a_full_score_leads_to_the_next_kata_that_is_not_at_100() -> None:
    known = {"function": Progress(100, 100, 1), "plain": Progress(100, 100, 2)}
    done = replace(STATE, grading=True, report=FULL).ended(None, known)
    assert ("configured", None) == (done.kata, done.report)
    assert "plain is at 100: every tier passed. The next one is configured." == done.notice
    for looked_at in ({"stays": True}, {"visited": True}):
        assert "plain" == replace(STATE, report=FULL, **looked_at).ended(None, known).kata
    all_of_them = known | {"configured": Progress(100, 100, 1)}
    assert "all katas are at 100" == replace(STATE, report=FULL).ended(None, all_of_them).notice
    assert "plain" == replace(STATE, report=FULL).ended(None, {"function": Progress(100, 100, 1)}).kata


def test_a_score_below_leads_nowhere() -> None:
    done = replace(STATE, grading=True, report=report(*TIERS)).ended(None, {})
    assert ("plain", False, "parity") == (done.kata, done.grading, done.failing_tier())


def test_events_are_kept_and_a_save_begins_anew() -> None:
    state = STATE.saved().after(CheckBegan("shapes", "shapes_agree", "x")).after(CheckEnded("shapes", GOOD))
    assert ("shapes", (CheckVerdict("shapes", GOOD),)) == (state.running, state.judged)
    ended = state.after(FULL).after(Advice(begin=("attend",)))
    assert (FULL, ("attend",)) == (ended.report, ended.begin)
    again = ended.saved()
    assert ((), True, FULL) == (again.judged, again.grading, again.report)


# The loop


class FakeProcess:
    """A judge whose gradings end when the test says so."""

    def __init__(self) -> None:
        self.requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[list[Event] | str] = queue.SimpleQueue()
        self.done: list[str] = []

    def events(self, request: Request, settings: Settings) -> Iterator[Event]:
        self.requests.put(request)
        answer = self.answers.get(timeout=60)
        if isinstance(answer, str):
            raise GraderError(answer)
        yield from answer

    def interrupt(self) -> None:
        self.done.append("interrupt")

    def close(self) -> None:
        self.done.append("close")


@pytest.fixture
def judge() -> FakeProcess:
    return FakeProcess()


@pytest.fixture
def loop(judge: FakeProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setattr(loops, "JudgeProcess", lambda: judge)
    monkeypatch.setattr(loops, "reset", lambda kata: f"{kata} is pristine")
    return Loop(STATE, tmp_path)


def take(loop: Loop, count: int = 1) -> None:
    """Has the loop take what its threads have told."""
    for _ in range(count):
        loop.take(loop._messages.get(timeout=60))


def test_a_save_is_graded_and_the_tier_that_failed_comes_first(loop: Loop, judge: FakeProcess, tmp_path: Path) -> None:
    loop.take(ExerciseSave("plain"))
    first = judge.requests.get(timeout=60)
    assert (tmp_path / "plain.py", "plain", 7, None) == (first.path, first.kata, first.seed, first.first)
    judge.answers.put([report(*TIERS)])
    take(loop, 2)
    assert (False, 40) == (loop.state.grading, loop.state.report.score if loop.state.report else None)
    loop.take(ExerciseSave("plain"))
    assert "parity" == judge.requests.get(timeout=60).first
    judge.answers.put("the file is gone")
    take(loop)
    assert "the file is gone" == loop.state.refusal


def test_a_save_amid_a_grading_is_graded_next_and_the_old_one_is_not_shown(loop: Loop, judge: FakeProcess) -> None:
    loop.state = replace(loop.state, stays=True)
    loop.take(ExerciseSave("plain"))
    loop.take(ExerciseSave("plain"))
    judge.requests.get(timeout=60)
    judge.answers.put([report(*TIERS)])
    take(loop, 2)
    assert (True, None) == (loop.state.grading, loop.state.report)
    judge.requests.get(timeout=60)
    judge.answers.put([FULL])
    take(loop, 2)
    assert FULL == loop.state.report


def test_a_judge_that_says_nothing_while_a_save_waits_is_interrupted_then_ended(loop: Loop, judge: FakeProcess) -> None:
    loop.take(ExerciseSave("plain"))
    loop.take(ExerciseSave("plain"))
    loop._end_what_is_stuck()
    assert [] == judge.done  # it may be importing PyTorch
    for silent_s in (0.0, 1.5, 3.5):
        loop._heard = time.monotonic() - silent_s
        loop._end_what_is_stuck()
    assert ["interrupt", "close"] == judge.done
    judge.answers.put([])
    take(loop)
    judge.answers.put([])


def test_the_save_of_another_exercise_turns_to_it_unless_a_kata_was_named(loop: Loop, judge: FakeProcess) -> None:
    loop.state = replace(loop.state, stays=True)
    loop.take(ExerciseSave("function"))
    assert "plain" == loop.state.kata
    loop.state = replace(loop.state, stays=False)
    loop.take(ExerciseSave("function"))
    assert ("function", "function") == (loop.state.kata, judge.requests.get(timeout=60).kata)
    judge.answers.put([])


def test_the_keys(loop: Loop, judge: FakeProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "hints", lambda kata, root: (Hint("first", "one", (), 1), Hint("second", "two", (), 3)))
    loop.state = replace(loop.state, report=report(*TIERS))
    loop.take(KeyPress("h"))
    assert "hint 1  first\n          one\n" in screen(loop.state)
    loop.take(KeyPress("h"))
    loop.take(KeyPress("h"))
    assert (2, "there is no further hint") == (len(loop.state.hints), loop.state.notice)
    loop.take(KeyPress("e"))
    assert "why: rows saturate" in screen(loop.state)
    loop.take(KeyPress("e"))
    assert "why: rows saturate" not in screen(loop.state)
    assert "hint 3  second" in screen(loop.state, height=8)  # it is scrolled to, however low the screen
    loop.state = replace(loop.state, top=0)
    for key, top in ((DOWN, 1), (DOWN, 2), (UP, 1), (UP, 0), (UP, 0)):
        loop.take(KeyPress(key))
        assert top == loop.state.top
    loop.take(KeyPress("x"))
    loop.take(KeyPress("n"))
    assert ("configured", "configured") == (loop.state.kata, judge.requests.get(timeout=60).kata)
    judge.answers.put([])
    take(loop)
    loop.take(KeyPress("n"))
    assert "configured is the last kata" == loop.state.notice
    loop.take(KeyPress("p"))
    assert ("plain", True) == (loop.state.kata, loop.state.visited)
    judge.answers.put([])


def test_where_no_mistake_is_proven_there_is_nothing_to_explain(loop: Loop) -> None:
    loop.take(KeyPress("e"))
    assert ("no mistake is proven here, so there is nothing to explain", False) == (
        loop.state.notice,
        loop.state.explain,
    )


def test_reset_asks_first(loop: Loop, judge: FakeProcess) -> None:
    loop.take(KeyPress("r"))
    assert "reset plain?   y yes   any other key no   (the old text is kept in a .bak file)" in screen(loop.state)
    loop.take(KeyPress("n"))
    assert ("plain", False) == (loop.state.kata, loop.state.asks)  # that was the answer
    loop.take(KeyPress("r"))
    loop.take(KeyPress("y"))
    take(loop)
    assert "plain is pristine" == loop.state.notice
    loop.state = replace(loop.state, stays=True)
    for notice in ("plain is pristine", ""):  # the save that it made takes no word away, the next one does
        loop.take(ExerciseSave("plain"))
        assert notice == loop.state.notice
    for _ in range(2):
        judge.answers.put([])
        take(loop)


def test_a_hint_asked_for_before_the_name_is_there_is_for_the_tier_that_just_failed(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (Hint("first", "one", ("shapes",), 1), Hint("second", "two", ("parity",), 2))
    monkeypatch.setattr(loops, "hints", lambda kata, root: given)
    judged = (CheckVerdict("shapes", GOOD), CheckVerdict("parity", BAD))
    loop.state = replace(STATE.saved(), judged=judged, report=None, naming=True)
    loop.take(KeyPress("h"))
    assert given[1:] == loop.state.hints


class FakeQueue:
    """Holds these messages, and keeps how long each was waited for."""

    def __init__(self, *messages: Message) -> None:
        self._left, self.waits = list(messages), list[float | None]()

    def get(self, timeout: float | None = None) -> Message:
        self.waits.append(timeout)
        return self.get_nowait()

    def get_nowait(self) -> Message:
        if not self._left:
            raise queue.Empty
        return self._left.pop(0)


@pytest.mark.parametrize(("drawn", "wait"), [(7.0, 0.03), (6.99, 0.02), (6.0, None)])
def test_checks_that_end_soon_after_a_screen_wait_for_the_next_one(
    loop: Loop, monkeypatch: pytest.MonkeyPatch, drawn: float, wait: float | None
) -> None:
    monkeypatch.setattr(loops, "time", SimpleNamespace(monotonic=lambda: 7.0))
    ended = JudgeEvent(CheckEnded("shapes", GOOD))
    loop._drawn, loop._messages = drawn, FakeQueue(ended, ended)  # pyrefly: ignore
    assert [ended, ended] == list(loop._next())
    waits = [None] if wait is None else [None, pytest.approx(wait), pytest.approx(wait)]
    assert waits == loop._messages.waits


@pytest.mark.parametrize("awaited", [KeyPress("h"), JudgeEvent(NamingBegan(1)), JudgeEvent(FULL)])
def test_what_somebody_waits_for_is_drawn_at_once(
    loop: Loop, monkeypatch: pytest.MonkeyPatch, awaited: Message
) -> None:
    monkeypatch.setattr(loops, "time", SimpleNamespace(monotonic=lambda: 7.0))
    ended = JudgeEvent(CheckEnded("shapes", GOOD))
    loop._drawn, loop._messages = 7.0, FakeQueue(ended, awaited)  # pyrefly: ignore
    assert [ended, awaited] == list(loop._next())
    assert [None, pytest.approx(0.03)] == loop._messages.waits


@pytest.mark.parametrize("key", ["q", CTRL_C])
def test_quitting(loop: Loop, judge: FakeProcess, key: str) -> None:
    screens = FakeTerminal(key)
    with loop:
        loop.run(screens)  # pyrefly: ignore
    assert "close" == judge.done[-1]
    assert "plain   exercises/plain.py" in screens.drawn[0]
    judge.answers.put([])


class FakeTerminal:
    """One on which one key is pressed."""

    size = (90, 30)

    def __init__(self, key: str) -> None:
        self._key, self.drawn = key, []

    def read_keys(self) -> Iterator[str]:
        yield self._key

    def on_resize(self, callback: Callable[[], None]) -> None:
        self.callback = callback

    def draw(self, lines: list) -> None:
        self.drawn.append(plain(lines))


def test_a_line_is_cleared_before_it_is_written_and_not_behind_its_last_character() -> None:
    assert "\x1b[Kas wide\r\n\x1b[K\r\n\x1b[Jas the terminal" == screen_text(["as wide", "", "as the terminal"])


@pytest.mark.parametrize(
    ("typed", "keys"), [("q", ["q"]), ("hn", ["h", "n"]), ("\x1b[A", [UP]), ("\x1bOB", [DOWN]), ("\x1b[5~", []),
     ("\x1b[B\x1b[B", [DOWN, DOWN]), ("h\x1b[6~\x1bOAq", ["h", UP, "q"]), ("\x1b", [])],
)  # fmt: skip
def test_keys_as_a_terminal_sends_them(typed: str, keys: list[str]) -> None:
    assert keys == keys_in(typed)


def test_a_kata_s_hints_are_those_of_its_notebook(tmp_path: Path) -> None:
    notebook_hints = hints("scaffold", ROOT)
    assert "where to begin" == notebook_hints[0].about
    assert "`__init__`, then the two helpers that split and merge" in notebook_hints[0].text
    assert "\n" not in notebook_hints[0].text
    assert () == hints("scaffold", tmp_path)


# Saves


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[], str]:
    """What the watcher tells next, of `a.py` and `b.py` in an empty folder."""
    names: queue.SimpleQueue[str] = queue.SimpleQueue()
    (tmp_path / "a.py").write_text("x = 0\n")
    threading.Thread(target=lambda: saves(tmp_path, ["a.py", "b.py"], names.put), daemon=True).start()
    deadline = time.monotonic() + 60
    number = 0
    while names.empty() and time.monotonic() < deadline:  # until it watches
        number += 1
        (tmp_path / "b.py").write_text(f"x = {number}\n")
        time.sleep(0.05)
    settled_at = stamp(tmp_path / "b.py")
    with contextlib.suppress(queue.Empty):
        while names.get(timeout=1.0):
            pass
    assert settled_at == stamp(tmp_path / "b.py")
    return lambda: names.get(timeout=60)


@pytest.mark.slow
def test_each_way_to_save_is_a_save(saved: Callable[[], str], tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")  # in place
    assert "a.py" == saved()
    beside = tmp_path / ".a.py.swp"
    beside.write_text("x = 2\n")  # as vim does: another file, then its name
    os.replace(beside, path)
    assert "a.py" == saved()
    os.replace(path, tmp_path / "a.py~")  # as others do: the old one away first
    path.write_text("x = 3\n")
    assert "a.py" == saved()
    (tmp_path / "c.py").write_text("x = 4\n")  # no exercise
    (tmp_path / "b.py").write_text("y = 5\n")
    assert "b.py" == saved()
    path.unlink()
    assert "a.py" == saved()


def test_a_half_of_a_file_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("def attend(q, k")

    def complete() -> None:
        path.write_text("def attend(q, k):\n    return q\n")

    timer = threading.Timer(0.05, complete)
    timer.start()
    half, whole = stamp(path), wait_until_settled(path)
    timer.join()
    assert (True, stamp(path)) == (half != whole, whole)
    path.write_text("def attend(q, k")  # it stays so: that is what was written
    assert stamp(path) == wait_until_settled(path)
    path.unlink()
    assert None is wait_until_settled(path)


# A real terminal

LIMIT_S = 120


class Tmux:
    """A terminal that nobody sees, in a server of its own."""

    def __init__(self, folder: Path) -> None:
        self._tmux = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self("new-session", "-d", "-x", "100", "-y", "40", "env", "-i", f"PATH={os.environ['PATH']}", "PS1=$ ", "sh")

    def __call__(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True).stdout

    def type(self, *keys: str) -> None:
        self("send-keys", *keys)

    def shows(self, text: str) -> str:
        """The screen, when it has the text."""
        deadline = time.monotonic() + LIMIT_S
        while text not in (there := self("capture-pane", "-p")):
            assert time.monotonic() < deadline, f"not there: {text}\n{there}"
            time.sleep(0.1)
        return there


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
def test_in_a_real_terminal(tmp_path: Path) -> None:
    copy = tmp_path / "repository"
    for name in ("grader", "exercises", "notebooks", "solutions"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.bak"))
    terminal, exercise = Tmux(tmp_path), copy / "exercises" / "scaled_dot_product.py"
    solution = (copy / "solutions" / "scaled_dot_product.py").read_text()
    try:
        terminal.shows("$")
        terminal.type(f"cd {copy}; export XDG_STATE_HOME={tmp_path}", "Enter")
        terminal.type(f"stty -a > before; {sys.executable} -m grader watch; echo left $?", "Enter")
        terminal.shows("not written yet: begin in exercises/scaled_dot_product.py with scaled_dot_product_attention")
        wrong = solution.replace(" / math.sqrt(", " * math.sqrt(")
        assert wrong != solution
        exercise.write_text(wrong)
        terminal.shows("score ")
        terminal.shows("6 of 8 tiers passed")
        terminal.type("h")
        terminal.shows("hint 2  one row by hand")
        half = tmp_path / "half.py"
        half.write_text(solution)
        os.replace(half, exercise)
        terminal.shows("scaled_dot_product is at 100: every tier passed. The next one is plain_class.")
        terminal.type("p")
        terminal.shows("score 100 of 100")
        terminal.type("r")
        terminal.shows("reset scaled_dot_product?   y yes   any other key no")
        terminal.type("y")
        terminal.shows("exercises/scaled_dot_product.py.1.bak")
        terminal.shows("not written yet")
        terminal.type("C-c")
        after = terminal.shows("left 0")
        assert "not written yet" not in after  # the screen of before is back
        terminal.type('stty -a > after; echo com"pared"', "Enter")  # no word of it is typed as it is answered
        terminal.shows("compared\n")
        assert (copy / "before").read_text() == (copy / "after").read_text()
    finally:
        terminal("kill-server")
