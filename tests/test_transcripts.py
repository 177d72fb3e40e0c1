"""A check whose replies are the same to the last bit as in an earlier submission is not judged again."""

from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import pytest

from grader.checks.tiers import Check
from grader.judge import Options, grade
from grader.judge.transcripts import MOST_CHECKS, MOST_OF_A_CHECK, Transcript, Transcripts
from grader.records import Report, Verdict
from grader.sandbox import Exchange, WorkerHandle
from tests.grading import BY_NAME, graded, results, sandbox, solution, submission, summary
from tests.judge_tools import at_71, plain
from tests.mistakes.plain_class import OUT
from tests.programs import Program, programs

OF_A_STACK = [program for program in programs() if program.part in ("styles", "wrong", "edits")]
NO_SCALE = plain(("/ math.sqrt(self.head_dim)", "/ 1"))


def after(transcripts: Transcripts, kata: str, source: str, seed: int = 1) -> Report:
    """The report on a source, where it is graded after those whose transcripts these are."""
    events = grade(submission(source), BY_NAME[kata], Options(seed), sandbox(), transcripts)
    return steady(next(event for event in events if isinstance(event, Report)))


def steady(report: Report) -> Report:
    """Without the seconds that it took, and without pictures, whose last digits vary."""
    tiers = [
        replace(tier, checks=tuple(replace(check, picture=None) for check in tier.checks)) for tier in report.tiers
    ]
    return replace(report, duration_s=0.0, tiers=tuple(tiers))


@pytest.fixture
def judged() -> Iterator[list[str]]:
    """The names of the checks that were judged, and not repeated."""
    names: list[str] = []

    def keep(self: Transcripts, key: tuple, transcript: Transcript) -> None:
        check: Check = key[1]
        names.append(check.name)
        kept(self, key, transcript)

    kept = Transcripts.keep
    with mock.patch.object(Transcripts, "keep", keep):
        yield names


@pytest.mark.parametrize("kata", BY_NAME)
def test_a_second_right_submission_is_hardly_judged(judged: list[str], kata: str) -> None:
    transcripts = Transcripts()
    first = after(transcripts, kata, solution(kata))
    judged.clear()
    second = after(transcripts, kata, solution(kata))
    assert first == second
    assert second.score == second.max_score
    assert len(judged) <= 2, judged  # what is left alive is counted in bytes, which may differ from run to run


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize("program", OF_A_STACK[::40], ids=lambda program: f"{program.kata}-{program.name}")
def test_a_program_gets_the_report_that_it_gets_alone(program: Program) -> None:
    transcripts = Transcripts()
    after(transcripts, program.kata, solution(program.kata))
    alone, later = steady(graded(program.kata, program.source)), after(transcripts, program.kata, program.source)
    assert alone == later, f"{summary(alone)}\n{summary(later)}"


def test_another_seed_is_judged_anew(judged: list[str]) -> None:
    transcripts = Transcripts()
    after(transcripts, "rope", solution("rope"))
    count = len(judged)
    after(transcripts, "rope", solution("rope"), seed=2)
    assert 2 * count == len(judged)


def test_no_call_is_made_twice_where_a_reply_differs() -> None:
    transcripts = Transcripts()
    after(transcripts, "plain_class", plain())
    number = "number = type(self).number = getattr(type(self), 'number', 0) + 1"
    counted = plain((f"return {OUT}", f"{number}\n        print(number)\n        return {OUT}"))
    wrong = counted.replace("/ math.sqrt(self.head_dim)", "/ 1")
    assert wrong != counted
    assert steady(graded("plain_class", wrong)) == after(transcripts, "plain_class", wrong)


def test_a_worker_that_is_lost_in_a_repeated_check_costs_what_it_costs_alone() -> None:
    transcripts = Transcripts()
    after(transcripts, "plain_class", plain())
    source = at_71("import os; os._exit(3)")
    alone, later = steady(graded("plain_class", source)), after(transcripts, "plain_class", source)
    assert Verdict.CRASH in {check.verdict for check in results(alone)}
    assert alone == later


def test_a_reply_that_is_no_frame_is_a_verdict_in_a_repeated_check_too() -> None:
    transcripts = Transcripts()
    after(transcripts, "plain_class", plain())
    source = at_71("import os; [os.write(n, b'x' * 400) for n in range(3, 30)]")
    alone, later = steady(graded("plain_class", source)), after(transcripts, "plain_class", source)
    assert Verdict.CRASH in {check.verdict for check in results(alone)}
    assert alone == later


def test_names_are_proven_on_what_was_repeated() -> None:
    transcripts = Transcripts()
    after(transcripts, "plain_class", NO_SCALE)
    second = after(transcripts, "plain_class", NO_SCALE.replace("/ 1", "* 1"))
    assert steady(graded("plain_class", NO_SCALE)).tiers == second.tiers
    assert any(check.mistakes for check in results(second))


def test_what_the_worker_asked_in_between_is_not_repeated() -> None:
    kata, transcripts = "write_head_permutation_test", Transcripts()
    after(transcripts, kata, solution(kata))
    with mock.patch.object(WorkerHandle, "repeat", autospec=True, side_effect=WorkerHandle.repeat) as repeated:
        report = after(transcripts, kata, solution(kata))
    assert not repeated.called
    assert report.score == report.max_score


def test_the_latest_are_remembered() -> None:
    transcripts = Transcripts()
    for number in range(MOST_OF_A_CHECK + 1):
        exchanges = (Exchange(b"", bytes([number])),)
        transcripts.keep("check", Transcript(exchanges, None, {}))
    assert list(range(1, MOST_OF_A_CHECK + 1)) == [each.exchanges[0].reply[0] for each in transcripts.of("check")]
    for number in range(MOST_CHECKS):
        transcripts.keep(number, Transcript((), None, {}))
    assert [] == transcripts.of("check")
    assert transcripts.of(0)
