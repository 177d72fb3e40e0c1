"""The library: a request becomes events, in order, and each reader is given what it may see."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader import Grader, Request
from grader.core import Advice, CheckBegan, CheckEnded, Intake, NextRun, Report, SubmissionBegan
from grader.core.digest import digest
from grader.core.judge_process import JudgeProcess
from grader.core.serve import INTERRUPTED, Settings
from grader.records import CANDIDATE, INTERVIEWER, LEARNER, Cell, GraderError, Outcome, Verdict
from grader.sandbox import Limits
from tests.fakes import FUNCTION, FUNCTION_SOURCE, FakeJudge, fake_kata
from tests.grading import ROOT, results

Put = Callable[[str, str | bytes], Path]


def graded(request: Request) -> Report:
    with Grader() as grader:
        (report,) = grader.reports(request)
    return report


@pytest.mark.usefixtures("judge")
def test_the_events_of_one_submission(put: Put) -> None:
    path = put("plain.py", "# score 40")
    with Grader() as grader:
        events = list(grader.grade(Request(path=path, seed=5)))
    intake, began, *checks, report, advice = events
    assert Intake((str(path),), 5, many=False, by_kata=False) == intake
    assert SubmissionBegan(str(path), 1, 1) == began
    assert [CheckBegan, CheckEnded] * 2 == [type(each) for each in checks]
    assert [("shapes", "pass"), ("weight sums", "fail")] == [(each.tier, each.result.verdict) for each in checks[1::2]]
    assert (40, 5) == (report.score, report.seed)
    begin = ("Attention.__init__", "Attention.forward")
    assert Advice(NextRun(submission=str(path), seed=5), begin) == advice


@pytest.mark.usefixtures("judge")
def test_a_stack_has_its_events_submission_by_submission(put: Put) -> None:
    for name in ("ann", "bo"):
        put(f"stack/{name}.py", FUNCTION_SOURCE)
    with Grader() as grader:
        intake, *events, advice = grader.grade(Request(path=put("stack/read me.txt", "x").parent))
    assert (True, ("read me.txt",)) == (intake.many, intake.unread)
    order = [type(event) for event in events if not isinstance(event, CheckBegan | CheckEnded)]
    assert [SubmissionBegan, Report] * 2 == order
    assert Advice() == advice


@pytest.mark.usefixtures("judge")
def test_the_exercises_are_graded_where_nothing_is_named(put: Put) -> None:
    put("exercises/function.py", "# score 100")
    with Grader() as grader:
        intake, *_, advice = grader.grade(Request())
    assert (True, ("exercises/function.py", "exercises/plain.py", "exercises/configured.py")) == (
        intake.by_kata,
        intake.submissions,
    )
    assert Advice(NextRun("plain")) == advice


@pytest.mark.usefixtures("judge")
@pytest.mark.parametrize("audience", [CANDIDATE, INTERVIEWER])
def test_an_event_tells_its_reader_no_more_than_the_report_does(put: Put, audience: str) -> None:
    request = Request(path=put("plain.py", "# score 40"), audience=audience)
    with Grader() as grader:
        events = list(grader.grade(request))
    ended = next(event.result for event in events if isinstance(event, CheckEnded) and event.tier == "weight sums")
    reported = next(event for event in events if isinstance(event, Report)).tiers[1].checks[0]
    assert reported == ended
    assert ("2" if audience == INTERVIEWER else None) == ended.got


@pytest.mark.usefixtures("judge")
@pytest.mark.parametrize("source", ["def f(:", "# raise", "# unconfined", "# unloadable"])
def test_what_could_not_be_graded_has_its_tiers_and_none_of_its_points(put: Put, source: str) -> None:
    report = graded(Request(path=put("a.py", source), kata="plain"))
    assert Outcome.GRADED != report.outcome
    assert (0, 100) == (report.score, report.max_score)
    assert [("shapes", 40), ("weight sums", 60)] == [(tier.name, tier.max_points) for tier in report.tiers]
    assert {Verdict.SKIP} == {check.verdict for check in results(report)}


@pytest.mark.usefixtures("judge")
def test_a_file_of_no_known_kata_has_none_of_a_hundred_points(put: Put) -> None:
    report = graded(Request(path=put("a.py", "x = 1")))
    assert ("", 0, 100, ()) == (report.kata, report.score, report.max_score, report.tiers)


@pytest.mark.usefixtures("judge")
def test_the_cells_that_a_kernel_ran_keep_their_numbers(put: Put) -> None:
    cells = (Cell("x = (", 7), Cell("# score 40", 3))
    helper = put("helper.py", "")
    report = graded(Request(cells=cells, path=helper.with_name("notebook.ipynb"), kata="plain"))
    assert ("notebook.ipynb", 40) == (report.submission, report.score)
    nameless = graded(Request(cells=cells))
    assert "Cell 7 is no Python" in str(nameless.message)


def test_a_stack_goes_on_where_it_stopped(judge: FakeJudge, put: Put) -> None:
    put("stack/ann.py", FUNCTION_SOURCE)
    request = Request(path=put("stack/bo.py", FUNCTION_SOURCE).parent, seed=1)
    with Grader() as grader:
        first = list(grader.reports(request))
        assert first == list(grader.reports(request, known=first))
        assert 2 == len(judge.seen)
        put("stack/bo.py", FUNCTION_SOURCE + "\n")
        assert first[0] == next(grader.reports(request, known=first))
        for other in (replace(request, seed=2), replace(request, tiers=("shapes",))):
            seen = len(judge.seen)
            list(grader.reports(other, known=first))
            assert seen + 2 == len(judge.seen)


def test_a_digest_is_of_all_that_decides_but_the_submission_and_the_seed() -> None:
    kata, request, limits = fake_kata(FUNCTION), Request(), Limits()
    same = digest(kata, replace(request, path=Path("a.py"), seed=3, kata="function"), limits)
    assert same == digest(kata, request, limits)
    other_kata = fake_kata(FUNCTION)
    other_kata.checks[0].points = 41
    others = {
        digest(kata, replace(request, allow=frozenset({"sdpa"})), limits),
        digest(kata, replace(request, audience=CANDIDATE), limits),
        digest(kata, request, Limits(check_s=1.0)),
        digest(other_kata, request, limits),
    }
    assert 5 == len(others | {same})


@pytest.mark.usefixtures("judge")
def test_wrong_use_is_an_error_and_no_report(tmp_path: Path) -> None:
    with Grader() as grader, pytest.raises(GraderError, match=r"gone\.py does not exist"):
        list(grader.grade(Request(path=tmp_path / "gone.py")))


@pytest.mark.slow
def test_the_sandbox_is_kept_from_one_request_to_the_next() -> None:
    source = ROOT / "solutions" / "scaled_dot_product.py"
    with Grader(Limits(memory_bytes=1 << 30)) as grader:
        requests = [Request(path=source, tiers=("shapes",), seed=seed) for seed in (1, 2)]
        runs = [(grader._sandbox.zygote_pid, *grader.reports(request)) for request in requests]
    assert [True, True] == [report.score == report.max_score for _, report in runs]
    assert runs[0][0] == runs[1][0]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("audience", "first"), [(CANDIDATE, "shapes"), (LEARNER, "interface"), (INTERVIEWER, "shapes")]
)
def test_a_learner_alone_may_have_another_tier_judged_before_the_public_checks(audience: str, first: str) -> None:
    source = ROOT / "solutions" / "scaled_dot_product.py"
    request = Request(path=source, tiers=("shapes", "interface"), first="interface", audience=audience, seed=1)
    with Grader() as grader:
        events = list(grader.grade(request))
    assert first == next(event.tier for event in events if isinstance(event, CheckBegan))
    assert ["shapes", "interface"] == [tier.name for tier in events[-2].tiers]


def test_the_process_that_reads_is_kept_and_replaced_where_it_was_killed(put: Put) -> None:
    request = Request(path=put("a.py", "x = 1"))
    with Grader() as grader:
        for killed in (False, True):
            assert "could not be matched" in str(next(grader.reports(request)).message)
            first = grader._reader()
            assert grader._reader() is first
            if killed:
                assert first._process is not None
                first._process.kill()
                first._process.wait()
        assert "could not be matched" in str(next(grader.reports(request)).message)
        assert grader._reader() is not first


@pytest.mark.slow
def test_a_judge_that_is_interrupted_in_its_process_goes_on_with_the_next_request(
    put: Put, started_in_the_background: None
) -> None:
    hangs = Request(path=put("scaled_dot_product.py", "while True: pass"), kata="scaled_dot_product")
    judge = JudgeProcess()
    try:
        events = judge.events(hangs, Settings())
        next(event for event in events if isinstance(event, SubmissionBegan))
        judge.interrupt()
        with pytest.raises(GraderError, match=INTERRUPTED):
            list(events)
        process = judge._process
        last = list(judge.events(replace(hangs, path=put("empty.py", "")), Settings()))[-2]
        assert (process, Outcome.UNLOADABLE) == (judge._process, last.outcome)
    finally:
        judge.close()


@pytest.fixture
def started_in_the_background() -> Iterator[None]:
    """As a script starts `command &`: interrupts are ignored, and so they are in what is started from there."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


CHEAP = """
import sys
import grader
assert "grader.core" not in sys.modules
grader.Grader
assert "torch" not in sys.modules
try:
    grader.Nothing
except AttributeError as error:
    print(error)
"""


def test_to_import_the_library_costs_no_pytorch() -> None:
    ran = subprocess.run([sys.executable, "-c", CHEAP], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ("module 'grader' has no attribute 'Nothing'\n", "") == (ran.stdout, ran.stderr)
