"""A submission whose checks run in several workers at once gets the report that it gets of one."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
import torch

from grader.checks.expect import Misfit
from grader.judge import Options, grade
from grader.judge.copies import Copy, all_arriving
from grader.judge.engine import Engine
from grader.records import CheckBegan, CheckEnded, NamingBegan, Outcome, Report, Verdict
from grader.sandbox import Limits, Sandbox
from tests.grading import BY_NAME, graded, result, results, sandbox, solution, submission, summary
from tests.judge_tools import LONG, at_71, plain
from tests.mistakes.plain_class import OUT
from tests.programs import programs
from tests.sandbox_tools import descendants

THREE = Options(seed=1, workers=3)
STATEFUL = ("draws_once",)
"""What they keep from call to call is kept in one worker alone, and so is another in each."""
WRONG = [
    each for each in programs() if each.part == "wrong" and BY_NAME[each.kata].liveness and each.name not in STATEFUL
][::20]


def by_both(kata: str, source: str) -> tuple[Report, Report]:
    """By one worker and by several, but for the seconds that they took, and for pictures, whose last digits vary."""
    one, several = (_steady(graded(kata, source, Options(1, workers=workers))) for workers in (1, 3))
    return one, several


def _steady(report: Report) -> Report:
    tiers = [
        replace(tier, checks=tuple(replace(check, picture=None) for check in tier.checks)) for tier in report.tiers
    ]
    return replace(report, duration_s=0.0, tiers=tuple(tiers))


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("kata", [name for name, kata in BY_NAME.items() if kata.liveness])
def test_a_solution_gets_the_same_report(kata: str) -> None:
    one, several = by_both(kata, solution(kata))
    assert one == several
    assert one.max_score == several.score


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("program", WRONG, ids=lambda program: f"{program.kata}-{program.name}")
def test_a_wrong_program_gets_the_same_report(program) -> None:
    one, several = by_both(program.kata, program.source)
    assert one == several, f"{summary(one)}\n{summary(several)}"


@pytest.mark.slow
def test_each_worker_gets_its_part_of_the_checks() -> None:
    with mock.patch.object(Sandbox, "worker", autospec=True, side_effect=Sandbox.worker) as started:
        report = graded("scaffold", solution("scaffold"), THREE)
    assert 3 == started.call_count
    assert report.score == report.max_score


def test_what_is_not_shown_to_compute_anything_needs_no_other_worker() -> None:
    source = plain((f"return {OUT}", f"return 0 * {OUT}"))
    with mock.patch.object(Sandbox, "worker", autospec=True, side_effect=Sandbox.worker) as started:
        graded("plain_class", source, THREE)
    assert 1 == started.call_count


@pytest.mark.slow
def test_what_takes_long_to_load_is_loaded_once() -> None:
    source = f"__import__('time').sleep(0.2)\n{solution('plain_class')}"
    with mock.patch.object(Sandbox, "worker", autospec=True, side_effect=Sandbox.worker) as started:
        graded("plain_class", source, THREE)
    assert 1 == started.call_count


@pytest.mark.slow
def test_what_loading_prints_is_kept_once_and_what_calls_print_from_all_workers() -> None:
    source = solution("plain_class").replace("        return ", '        print("call")\n        return ')
    report = graded("plain_class", f"print('loaded')\n{source}", THREE)
    assert 1 == report.output.count("loaded")
    calls = graded("plain_class", source).output.count("call")
    assert calls > 50
    assert calls == report.output.count("call")


@pytest.mark.slow
def test_a_call_that_ends_one_worker_costs_its_check_alone() -> None:
    with Sandbox(Limits(check_s=1.0)) as box:
        report = graded("plain_class", at_71("__import__('os')._exit(3)"), THREE, box)
        again = graded("plain_class", at_71("while True: pass"), THREE, box)
    for each, verdict in ((report, Verdict.CRASH), (again, Verdict.TIMEOUT)):
        assert verdict == result(each, LONG).verdict
        assert {Verdict.PASS} == {other.verdict for other in results(each) if other.name != LONG}, summary(each)


@pytest.mark.slow
def test_what_hangs_in_several_workers_has_a_second_try_in_the_first_alone() -> None:
    source = f"""{solution("module")}
right = MultiHeadAttention.forward
def forward(self, query, key, value, *masks, **named):
    while any(getattr(mask, "ndim", 0) for mask in (*masks, *named.values())): pass
    return right(self, query, key, value, *masks, **named)
MultiHeadAttention.forward = forward
"""
    with Sandbox(Limits(check_s=1.0)) as box:
        got = [check.got for check in results(graded("module", source, THREE, box)) if check.got]
    not_tried = "not tried: forward ran out of time twice"
    assert not_tried in got
    assert len(got) - got.count(not_tried) <= 4, got  # two in the first worker, one in each other


@pytest.mark.slow
def test_whoever_wants_no_more_leaves_no_worker_and_no_copy() -> None:
    source = solution("plain_class").replace(
        "        return ", "        __import__('time').sleep(0.05)\n        return "
    )
    before = descendants(os.getpid())
    events = grade(submission(source), BY_NAME["plain_class"], THREE, sandbox())
    with mock.patch("grader.judge.engine.Copy", side_effect=Copy) as made:
        while made.call_count < 2:
            next(events)
    assert 5 <= len(descendants(os.getpid())) - len(before)  # three workers, and two copies of the judge
    events.close()
    assert descendants(os.getpid()) <= before
    assert Outcome.GRADED == graded("plain_class", solution("plain_class"), THREE).outcome


@pytest.mark.parametrize(("cut", "named"), [("", 0), (" / math.sqrt(self.head_dim)", 1)])
def test_names_are_sought_when_all_is_judged_and_something_failed(cut: str, named: int) -> None:
    source = solution("plain_class").replace(cut, "")
    *_, last, report = grade(submission(source), BY_NAME["plain_class"], THREE, sandbox())
    assert named == isinstance(last, NamingBegan)
    assert isinstance(report, Report)


@pytest.mark.slow
def test_each_check_is_told_when_it_begins_and_when_it_ends() -> None:
    events = list(grade(submission(solution("module")), BY_NAME["module"], THREE, sandbox()))
    began = {event.name: place for place, event in enumerate(events) if isinstance(event, CheckBegan)}
    ended = {event.result.name: place for place, event in enumerate(events) if isinstance(event, CheckEnded)}
    assert {check.name for check in BY_NAME["module"].checks} == began.keys() == ended.keys()
    assert all(began[name] < place for name, place in ended.items())


def test_what_a_copy_tells_is_what_it_had() -> None:
    weight, known = torch.randn(2, 3).T, object()
    values = [weight, weight, torch.empty(0, 2), torch.tensor(True), Misfit("W_Q", "(3, 2)", "(2, 3)"), known]
    with closing(Copy(lambda: [values, "then"], lambda: {"rest": weight}, [known])) as copy:
        arrived, *then = all_arriving([copy])
        assert ["then"] == then
        assert torch.equal(weight, copy.rest()["rest"])
    assert torch.equal(weight, arrived[0])
    assert arrived[0] is arrived[1]
    assert [each.shape for each in values[2:4]] == [each.shape for each in arrived[2:4]]
    assert (Misfit, vars(values[4]), values[4].args) == (type(arrived[4]), vars(arrived[4]), arrived[4].args)
    assert known is arrived[5]


def test_a_copy_that_ends_has_told_what_arrived() -> None:
    def work() -> Iterator[str]:
        yield "begun"
        os.kill(os.getpid(), signal.SIGKILL)

    with closing(Copy(work, lambda: "rest", [])) as copy:
        assert ["begun"] == list(all_arriving([copy]))
        assert copy.rest() is None


@pytest.mark.slow
def test_what_a_copy_that_was_killed_left_is_done_here() -> None:
    here = os.getpid()

    def killed(self: Engine, *args: Any) -> Iterator[CheckEnded]:
        for event in part(self, *args):
            if isinstance(event, CheckEnded):
                os.kill(os.getpid(), signal.SIGKILL)
            yield event

    part = Engine._part
    with mock.patch.object(Engine, "_part", killed):
        report = graded("plain_class", solution("plain_class"), THREE)
    assert here == os.getpid()
    assert report.score == report.max_score


@pytest.mark.slow
def test_where_no_copy_can_be_made_one_process_runs_all() -> None:
    with mock.patch.object(os, "fork", side_effect=OSError("no memory")):
        report = graded("plain_class", solution("plain_class"), THREE)
    assert report.score == report.max_score


@pytest.mark.slow
def test_a_candidates_test_is_asked_in_one_worker_as_its_checks_share_what_it_says() -> None:
    source = f"{solution('write_head_permutation_test')}\ncheck = check_head_permutation\n"
    source += "def check_head_permutation(attention):\n    print('asked')\n    return check(attention)\n"
    one, several = by_both("write_head_permutation_test", source)
    assert one.output.count("asked") == several.output.count("asked")
    assert one == several
