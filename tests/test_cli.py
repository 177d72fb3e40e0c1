"""The command line in process, with a judge that loads nothing: statuses, options, what is printed where."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.core import judging
from tests.fakes import CONTRACTS, FUNCTION_SOURCE, CommandResult, FakeJudge

Put = Callable[[str, str | bytes], Path]
Run = Callable[..., CommandResult]


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
    assert ran.out.endswith(f"score 40 of 100, 1 of 2 tiers passed\nrun next: make grade SUBMISSION={path} SEED=5\n")
    assert "" == ran.err


def test_a_full_score_of_a_submission_leaves_nothing_to_run(run: Run, put: Put) -> None:
    assert run("grade", put("plain.py", "# score 100")).out.endswith("score 100 of 100, 1 of 1 tiers passed\n")


def test_an_exercise_is_named_by_its_kata(run: Run, put: Put) -> None:
    put("exercises/plain.py", "# score 100")
    ran = run("grade", "--kata", "plain")
    assert 0 == ran.status
    assert ran.out.startswith("plain   exercises/plain.py   seed ")
    assert ran.out.endswith("run next: make grade KATA=configured\n")


def test_the_last_exercise_is_followed_by_none(run: Run, put: Put) -> None:
    put("exercises/configured.py", "# score 100")
    assert "run next" not in run("grade", "--kata", "configured").out


def test_some_tiers_with_all_their_points_are_followed_by_all_tiers(run: Run, put: Put) -> None:
    put("exercises/plain.py", "# score 100")
    ran = run("grade", "--kata", "plain", "--tier", "shapes", "--allow", "sdpa")
    assert ran.out.endswith("run next: make grade KATA=plain ALLOW=sdpa\n")


def test_an_untouched_exercise_says_where_to_begin(run: Run) -> None:
    ran = run("grade", "--kata", "plain")
    begin = "not written yet: begin in exercises/plain.py with Attention.__init__, Attention.forward"
    assert begin in ran.out
    assert ran.out.endswith("score 0 of 100, 0 of 1 tiers passed\nrun next: make grade KATA=plain\n")


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


def test_an_unknown_kata(run: Run) -> None:
    ran = run("grade", "--kata", "plane")
    expected = 'There is no kata "plane": did you mean plain? There are function, plain, configured.\n'
    assert (2, "", expected) == (ran.status, ran.out, ran.err)


def test_a_device_on_which_nothing_was_measured_is_refused(run: Run, put: Put) -> None:
    ran = run("grade", put("plain.py", "x = 1"), "--device", "cuda")
    said = "The device cuda is not supported yet: leave the device out, and the CPU grades.\n"
    assert (2, "", said) == (ran.status, ran.out, ran.err)


def test_tiers_are_named_with_spaces_or_underscores(run: Run, judge: FakeJudge) -> None:
    run("grade", "--kata", "plain", "--tier", "weight_sums,shapes", "--tier", "weight sums")
    assert ("weight sums", "shapes", "weight sums") == judge.seen[0].tiers
    ran = run("grade", "--tier", "shape")
    expected = 'There is no tier "shape": did you mean shapes? There are shapes, weight sums.\n'
    assert (2, expected) == (ran.status, ran.err)


def test_a_tier_with_an_underscore_in_its_name_is_named_as_it_is(run: Run, judge: FakeJudge) -> None:
    judging.load_judge().katas[0].checks[1].tier.name = "is_causal"  # type: ignore[misc]
    run("grade", "--kata", "function", "--tier", "is_causal")
    assert ("is_causal",) == judge.seen[0].tiers


def test_an_unknown_tier_is_told_with_those_of_the_kata_that_is_graded(run: Run, put: Put) -> None:
    function = next(kata for kata in judging.load_judge().katas if kata.name == "function")
    function.checks[1].tier.name = "rotation"  # type: ignore[misc]
    ran = run("grade", put("a.py", FUNCTION_SOURCE), "--tier", "weight sums")
    assert (2, 'There is no tier of function "weight sums": use one of shapes, rotation.\n') == (ran.status, ran.err)
    ran = run("grade", "--kata", "plain", "--tier", "rotation")
    assert (2, 'There is no tier of plain "rotation": use one of shapes, weight sums.\n') == (ran.status, ran.err)
    put("stack/a.py", FUNCTION_SOURCE)
    ran = run("grade", put("stack/plain.py", "# score 40").parent, "--tier", "rotation")
    assert (1, "") == (ran.status, ran.err)


def test_options_reach_the_judge(run: Run, judge: FakeJudge, put: Put) -> None:
    words = "--allow sdpa,mha --seed 9 --check pad --check key --debug".split()
    run("grade", put("plain.py", "x = 1"), *words)
    expected = {
        "seed": 9,
        "device": "cpu",
        "allow": frozenset({"sdpa", "mha"}),
        "tiers": (),
        "first": None,
        "failed_call": False,
        "workers": 1,
    }
    assert [expected | {"checks": ("pad", "key"), "debug": True}] == [vars(seen) for seen in judge.seen]


@pytest.mark.parametrize(("audience", "is_shown"), [("candidate", False), ("learner", False), ("interviewer", True)])
def test_an_interviewer_is_shown_what_was_printed_and_what_to_read(
    run: Run, put: Put, audience: str, is_shown: bool
) -> None:
    path = put("a.py", f"{FUNCTION_SOURCE}# prints\n")
    ran = run("grade", path, "--for", audience, "--json", "report.json", "--junit", "report.xml")
    assert is_shown == ("\nprinted by the submission, the end of it:\n  | printed by it\n" in ran.out)
    assert is_shown == ("  note  worth reading: ctypes\n" in ran.out)
    written = json.loads(Path("report.json").read_text())
    assert ("worth reading: ctypes" if is_shown else None) == written["worth_reading"]
    assert ("printed by it" if is_shown else None) == written["output"]
    junit = ElementTree.parse("report.xml").getroot()
    assert (["printed by it"] if is_shown else []) == [each.text for each in junit.iter("system-out")]


def test_show_output_shows_anybody_what_was_printed(run: Run, put: Put) -> None:
    ran = run("grade", put("a.py", f"{FUNCTION_SOURCE}# prints\n"), "--show-output")
    assert "\nprinted by the submission, the end of it:\n  | printed by it\n" in ran.out


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


@pytest.mark.parametrize(
    ("source", "reason"), [("# broken", "the oracle is gone"), ("# raise", "ZeroDivisionError: a fault of the grader")]
)
def test_the_grader_failed(run: Run, put: Put, source: str, reason: str) -> None:
    ran = run("grade", put("plain.py", source))
    assert (3, "") == (ran.status, ran.err)
    assert "The grader failed, not your submission." in ran.out
    assert reason in ran.out


def test_an_interrupt_is_quiet(run: Run, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "load_judge", interrupt)
    ran = run("grade", put("plain.py", "x = 1"))
    assert (130, "", "") == (ran.status, ran.out, ran.err)


LADDER = """\
foundations

    -  function    The function kata
                   shapes 40, weight sums 60
                   A paper, 2017

"""


def test_list_shows_titles_and_points(run: Run) -> None:
    ran = run("list")
    assert (0, "") == (ran.status, ran.err)
    assert ran.out.startswith(LADDER)
    assert ran.out.endswith("next: make grade KATA=function\n")


@pytest.mark.parametrize(
    "missing", [["landlock", "seccomp"], ["landlock"], ["seccomp"], ["limits"], ["privileges"], ["process"]]
)
def test_without_the_layers_it_grades_nothing_where_they_are_required(
    judge: FakeJudge, put: Put, run: Run, missing: list[str]
) -> None:
    judge.protections = dict.fromkeys(missing, False)
    path = put("a.py", FUNCTION_SOURCE)
    ran = run("grade", path, "--require-isolation")
    assert (2, "") == (ran.status, ran.out)
    assert ran.err.startswith(f"Not graded: not enforced on this machine: {', '.join(missing)}. ")
    assert "make doctor says what to do about it" in ran.err
    assert [] == judge.seen
    judge.protections = {}
    assert 0 == run("grade", path, "--require-isolation").status


def test_a_worker_that_lacks_a_layer_costs_its_submission_alone(put: Put, run: Run, tmp_path: Path) -> None:
    """Though the first worker of the run had all of them."""
    stack = put("stack/ann.py", FUNCTION_SOURCE).parent
    put("stack/bo.py", FUNCTION_SOURCE + "# unconfined")
    put("stack/cleo.py", FUNCTION_SOURCE)
    ran = run("grade", stack, "--require-isolation", "--json", tmp_path / "r.json")
    assert 3 == ran.status
    assert "Not graded: not enforced on this machine: limits. " in " ".join(ran.out.split())
    reports = json.loads((tmp_path / "r.json").read_text())
    assert ["graded", "broken", "graded"] == [each["outcome"] for each in reports]


def test_a_report_for_a_candidate_shows_no_value_of_a_hidden_check(run: Run, put: Put, tmp_path: Path) -> None:
    path, target = put("plain.py", "# score 40"), tmp_path / "r.json"
    assert "expected  1" in run("grade", path).out
    ran = run("grade", path, "--for", "candidate", "--reveal", "all", "--json", target)
    assert "Values agree." in ran.out
    assert "expected" not in ran.out
    failed = json.loads(target.read_text())["tiers"][1]["checks"][0]
    assert ("fail", None, None, "hidden") == tuple(failed[k] for k in ("verdict", "expected", "got", "visibility"))
