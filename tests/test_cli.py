"""The command line in process, with a judge that loads nothing: statuses, options, what is printed where."""

import contextlib
import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import grading
from grader.cli import main
from tests.fakes import CONTRACTS, FUNCTION_SOURCE, PLAIN_SOURCE, FakeJudge, fake_kata, notebook

Put = Callable[[str, str | bytes], Path]


class Ran(SimpleNamespace):
    status: int
    out: str
    err: str


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeJudge:
    """The fake judge in the place of the real one, and an empty folder in the place of the repository."""
    fake = FakeJudge()
    katas = [fake_kata(contract) for contract in CONTRACTS]

    @contextlib.contextmanager
    def sandbox(options: Namespace) -> Iterator[SimpleNamespace]:
        on = dict.fromkeys(("process", "landlock", "seccomp", "limits", "privileges"), True)
        yield SimpleNamespace(protections=lambda: on | fake.protections)

    loaded = grading.Loaded(katas, SimpleNamespace, fake.grade, lambda seed, sha256: seed + int(sha256[:4], 16))
    monkeypatch.setattr(grading, "load_judge", lambda: loaded)
    monkeypatch.setattr(grading, "open_sandbox", sandbox)
    monkeypatch.setattr(grading, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exercises").mkdir()
    for contract in CONTRACTS:
        (tmp_path / "exercises" / f"{contract.kata}.py").write_text("# todo\n")
    return fake


@pytest.fixture
def run(judge: FakeJudge, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def ran(*arguments: Any) -> Ran:
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(status=status, out=out, err=err)

    return ran


Run = Callable[..., Ran]


@pytest.mark.parametrize(("source", "status"), [("# score 100", 0), ("# score 40", 1), ("# todo", 1), ("# score 0", 1)])
def test_the_exit_status_tells_whether_the_score_was_reached(run: Run, put: Put, source: str, status: int) -> None:
    assert status == run("grade", put("plain.py", source)).status


@pytest.mark.parametrize(("points", "status"), [(39, 0), (40, 0), (41, 1), (0, 0)])
def test_fail_under_sets_the_score_to_reach(run: Run, put: Put, points: int, status: int) -> None:
    assert status == run("grade", put("plain.py", "# score 40"), "--fail-under", points).status


def test_the_report_goes_to_standard_output_alone(run: Run, put: Put) -> None:
    path = put("plain.py", "# score 40")
    ran = run("grade", path, "--seed", 5)
    assert ran.out.startswith(f"plain   {path}   seed 5\n")
    assert ran.out.endswith(f"score 40 of 100, reached: shapes\nrun next: make grade SUBMISSION={path} SEED=5\n")
    assert "" == ran.err


def test_a_full_score_of_a_submission_leaves_nothing_to_run(run: Run, put: Put) -> None:
    assert run("grade", put("plain.py", "# score 100")).out.endswith("score 100 of 100, reached: shapes\n")


def test_an_exercise_is_named_by_its_kata(run: Run, put: Put) -> None:
    put("exercises/plain.py", "# score 100")
    ran = run("grade", "--kata", "plain")
    assert 0 == ran.status
    assert ran.out.startswith("plain   exercises/plain.py   seed ")
    assert ran.out.endswith("run next: make grade KATA=configured\n")


def test_the_last_exercise_is_followed_by_none(run: Run, put: Put) -> None:
    put("exercises/configured.py", "# score 100")
    assert "run next" not in run("grade", "--kata", "configured").out


def test_an_untouched_exercise_says_where_to_begin(run: Run) -> None:
    ran = run("grade", "--kata", "plain")
    begin = "not written yet: begin in exercises/plain.py with Attention.__init__, Attention.forward"
    assert begin in ran.out
    assert ran.out.endswith("score 0 of 100, reached: no tier yet\nrun next: make grade KATA=plain\n")


def test_all_exercises_in_teaching_order(run: Run, put: Put) -> None:
    put("exercises/function.py", "# score 100")
    ran = run("grade", "--seed", 3)
    assert 1 == ran.status
    assert ["function", "plain", "configured"] == [line.split()[3] for line in ran.out.splitlines()[:3]]
    assert ran.out.endswith("total 100 of 300, seed 3\nrun next: make grade KATA=plain\n")


def test_all_exercises_done(run: Run, put: Put) -> None:
    for contract in CONTRACTS:
        put(f"exercises/{contract.kata}.py", "# score 100")
    ran = run("grade", "--seed", 3)
    assert (0, True) == (ran.status, ran.out.endswith("total 300 of 300, seed 3\n"))


def test_an_exercise_that_is_gone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "exercises" / "plain.py").unlink()
    ran = run("grade", "--kata", "plain")
    assert (2, "", "exercises/plain.py does not exist: make stubs writes it.\n") == (
        ran.status,
        ran.out,
        ran.err,
    )


def test_an_exercise_with_a_syntax_error_is_reported_beside_the_others(run: Run, put: Put) -> None:
    put("exercises/plain.py", "def f(:\n")
    ran = run("grade")
    assert 1 == ran.status
    assert "not graded  plain       unloadable: exercises/plain.py:1: syntax error, invalid syntax: def f(:" in ran.out


def test_a_folder_is_graded_file_by_file(run: Run, put: Put, tmp_path: Path, judge: FakeJudge) -> None:
    stack = put("stack/ann.py", PLAIN_SOURCE + "# score 40").parent
    put("stack/bo.ipynb", notebook(FUNCTION_SOURCE))
    put("stack/broken.py", "def f(:")
    put("stack/other.py", "x = 1\n")
    ran = run("grade", stack, "--seed", 3, "--json", tmp_path / "r.json", "--junit", tmp_path / "r.xml")
    assert 1 == ran.status
    assert "syntax error, invalid syntax: def f(:" in ran.out
    assert "other.py could not be matched with a kata" in ran.out
    assert "total 140 of 200, 2 not graded, seed 3\n" in ran.out
    reports = json.loads((tmp_path / "r.json").read_text())
    assert ["graded", "graded", "unloadable", "unloadable"] == [each["outcome"] for each in reports]
    assert ["plain", "function", None, None] == [each["kata"] for each in reports]
    assert 2 == len({options.seed for options in judge.seen})


def test_a_folder_in_which_nothing_can_be_graded(run: Run, put: Put) -> None:
    assert 2 == run("grade", put("stack/a.py", "def f(:").parent).status


def test_a_folder_without_submissions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    ran = run("grade", "none")
    assert (2, "", "none holds no submission: put .py or .ipynb files into it.\n") == (
        ran.status,
        ran.out,
        ran.err,
    )


def test_no_such_file(run: Run, put: Put) -> None:
    near = put("mine.py", "x = 1")
    ran = run("grade", near.with_name("mime.py"))
    expected = f"{near.with_name('mime.py')} does not exist: did you mean {near}?\n"
    assert (2, "", expected) == (ran.status, ran.out, ran.err)


def test_a_file_that_cannot_be_read_gets_a_report(run: Run, put: Put, tmp_path: Path) -> None:
    path = put("plain.py", "def f(:\n")
    ran = run("grade", path, "--json", tmp_path / "r.json")
    assert 2 == ran.status
    assert f"  UNLOADABLE  {path}:1: syntax error" in ran.out
    assert "unloadable" == json.loads((tmp_path / "r.json").read_text())["outcome"]


def test_bad_input_is_answered_without_waiting_for_pytorch(run: Run, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "load_judge", lambda: pytest.fail("the judge was loaded"))
    assert 2 == run("grade", put("plain.py", "")).status


def test_a_submission_that_the_judge_cannot_load(run: Run, put: Put) -> None:
    ran = run("grade", put("plain.py", "# unloadable"))
    assert (2, True) == (ran.status, "UNLOADABLE  attend is missing" in ran.out)


def test_a_submission_for_no_kata_says_how_to_name_it(run: Run, put: Put) -> None:
    path = put("a.py", "x = 1\n")
    ran = run("grade", path)
    assert 2 == ran.status
    assert f"Name it: make grade KATA=NAME SUBMISSION={path}" in ran.out
    assert "run next" not in ran.out


def test_the_kata_that_is_named_wins(run: Run, put: Put) -> None:
    path = put("plain.ipynb", notebook(PLAIN_SOURCE, kata="plain"))
    ran = run("grade", path, "--kata", "function", "--seed", 1)
    assert ran.out.startswith("function   ")


def test_an_unknown_kata(run: Run) -> None:
    ran = run("grade", "--kata", "plane")
    expected = 'There is no kata "plane": did you mean plain? There are function, plain, configured.\n'
    assert (2, "", expected) == (ran.status, ran.out, ran.err)


def test_tiers_are_named_with_spaces_or_underscores(run: Run, judge: FakeJudge) -> None:
    run("grade", "--kata", "plain", "--tier", "weight_sums,shapes", "--tier", "weight sums")
    assert ("weight sums", "shapes", "weight sums") == judge.seen[0].tiers
    ran = run("grade", "--tier", "shape")
    expected = 'There is no tier "shape": did you mean shapes? There are shapes, weight sums.\n'
    assert (2, expected) == (ran.status, ran.err)


def test_options_reach_the_judge(run: Run, judge: FakeJudge, put: Put) -> None:
    run("grade", put("plain.py", "x = 1"), "--allow", "sdpa,mha", "--seed", 9, "--", "-k", "padding")
    seen = judge.seen[0]
    assert (9, "cpu", frozenset({"sdpa", "mha"}), ("-k", "padding"), ()) == (
        seen.seed,
        seen.device,
        seen.allow,
        seen.pytest_args,
        seen.tiers,
    )


@pytest.mark.parametrize(("audience", "told"), [("candidate", False), ("learner", False), ("interviewer", True)])
def test_an_interviewer_is_shown_what_was_printed_and_what_to_read(
    run: Run, put: Put, audience: str, told: bool
) -> None:
    path = put("a.py", f"{FUNCTION_SOURCE}# prints\n")
    ran = run("grade", path, "--for", audience, "--json", "report.json")
    assert told == ("\nprinted by the submission, the end of it:\nprinted by it\n" in ran.out)
    assert told == ("  note  worth reading: ctypes\n" in ran.out)
    assert told == (["worth reading: ctypes"] == json.loads(Path("report.json").read_text())["notes"])


def test_show_output_shows_anybody_what_was_printed(run: Run, put: Put) -> None:
    ran = run("grade", put("a.py", f"{FUNCTION_SOURCE}# prints\n"), "--show-output")
    assert "\nprinted by the submission, the end of it:\nprinted by it\n" in ran.out


def test_a_seed_is_drawn_and_printed(run: Run, judge: FakeJudge, put: Put) -> None:
    path = put("plain.py", "# score 40")
    printed = [run("grade", path).out for _ in range(2)]
    first, second = (options.seed for options in judge.seen)
    assert first != second
    assert f"   seed {first}\n" in printed[0]
    assert f"SEED={second}\n" in printed[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["grade", "--seed", "-1"], "argument --seed: -1 is not a whole number from 0"),
        (["grade", "--fail-under", "x"], "argument --fail-under: x is not a whole number from 0"),
        (["grade", "--load-seconds", "0"], "argument --load-seconds: 0 is not a number of seconds above 0"),
        (["grade", "--check-seconds", "nan"], "nan is not a number of seconds above 0"),
        (["grade", "--allow", "all"], "argument --allow: all is not in the policy: choose from sdpa, mha"),
        (["grade", "--reveal", "none"], "invalid choice: 'none'"),
        (["grade", "--nonsense"], "unrecognized arguments: --nonsense"),
        (["cook"], "invalid choice: 'cook'"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_a_wrong_option(run: Run, arguments: list[str], sentence: str) -> None:
    ran = run(*arguments)
    assert (2, "") == (ran.status, ran.out)
    assert sentence in ran.err


def test_help_is_no_error(run: Run) -> None:
    ran = run("grade", "--help")
    assert (0, True) == (ran.status, "--fail-under POINTS" in ran.out)


def test_a_report_that_cannot_be_written_is_told_before_grading(run: Run, judge: FakeJudge, tmp_path: Path) -> None:
    ran = run("grade", "--kata", "plain", "--json", tmp_path / "gone" / "r.json")
    assert (2, []) == (ran.status, judge.seen)
    assert ran.err.endswith("gone does not exist: make it first.\n")


def test_reports_for_programs(run: Run, put: Put, tmp_path: Path) -> None:
    path = put("plain.py", "# score 40")
    run("grade", path, "--json", tmp_path / "r.json", "--junit", tmp_path / "r.xml")
    value = json.loads((tmp_path / "r.json").read_text())
    assert (40, 100, "shapes", str(path)) == tuple(value[k] for k in ("score", "max_score", "reached", "submission"))
    assert 'failures="1"' in (tmp_path / "r.xml").read_text()


@pytest.mark.parametrize("source", ["# broken", "# raise"])
def test_the_grader_failed(run: Run, put: Put, source: str) -> None:
    ran = run("grade", put("plain.py", source))
    assert 3 == ran.status
    assert "The grader failed, not your submission." in ran.out + ran.err
    assert ("ZeroDivisionError: a fault of the grader" in ran.err) == (source == "# raise")


def test_an_interrupt_is_quiet(run: Run, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(grading, "load_judge", interrupt)
    ran = run("grade", put("plain.py", "x = 1"))
    assert (130, "", "") == (ran.status, ran.out, ran.err)


def test_list_shows_titles_and_points(run: Run) -> None:
    ran = run("list")
    assert (0, "") == (ran.status, ran.err)
    assert ran.out.startswith("function    The function kata\n            shapes 40, weight sums 60\nplain ")


def test_without_the_walls_it_grades_nothing_where_they_are_required(judge: FakeJudge, put: Put, run: Run) -> None:
    judge.protections = {"seccomp": False, "landlock": False}
    path = put("a.py", FUNCTION_SOURCE)
    ran = run("grade", path, "--require-isolation")
    assert (2, "") == (ran.status, ran.out)
    assert ran.err.startswith("Nothing was graded: seccomp and landlock cannot be enforced on this machine. ")
    assert "make doctor says what to do about it" in ran.err
    assert [] == judge.seen
    judge.protections = {}
    assert 0 == run("grade", path, "--require-isolation").status


def test_a_report_for_a_candidate_shows_no_value_of_a_hidden_check(run: Run, put: Put, tmp_path: Path) -> None:
    path, target = put("plain.py", "# score 40"), tmp_path / "r.json"
    assert "expected  1" in run("grade", path).out
    ran = run("grade", path, "--for", "candidate", "--reveal", "all", "--json", target)
    assert "Values agree." in ran.out
    assert "expected" not in ran.out
    failed = json.loads(target.read_text())["tiers"][1]["checks"][0]
    assert ("fail", None, None, "hidden") == tuple(failed[k] for k in ("verdict", "expected", "got", "visibility"))
