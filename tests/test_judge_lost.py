"""What becomes of a submission whose call does not come back, or whose process ends."""

from collections.abc import Iterator

import pytest

from grader.judge import Options
from grader.records import Outcome, Verdict, Visibility
from grader.sandbox import Limits, Sandbox
from tests.grading import first_failure, graded, result, results, solution, summary
from tests.judge_tools import LONG, at_71, others_pass, plain
from tests.mistakes import edited
from tests.mistakes.plain_class import OUT


@pytest.fixture(scope="module")
def impatient() -> Iterator[Sandbox]:
    with Sandbox(Limits(check_s=2.0, output_bytes=1 << 16)) as started:
        yield started


@pytest.mark.slow
def test_a_loop_costs_its_check_and_the_rest_of_the_report_stands(impatient: Sandbox) -> None:
    report = graded("plain_class", at_71("while True: pass"), box=impatient)
    assert Outcome.GRADED == report.outcome
    assert others_pass(report, LONG), summary(report)
    assert Verdict.TIMEOUT == result(report, LONG).verdict
    assert "took longer than 2 s and was stopped" == result(report, LONG).got
    assert "forward((3, 71, 12), (3, 71, 12), (3, 71, 12))" == result(report, LONG).what


@pytest.mark.slow
def test_a_loop_while_loading_is_a_timeout_of_the_whole() -> None:
    with Sandbox(Limits(load_s=0.5)) as box:
        report = graded("plain_class", solution("plain_class") + "\nwhile True: pass\n", box=box)
    assert Outcome.TIMEOUT == report.outcome
    assert "loading candidate.py: took longer than 0.5 s and was stopped" == report.message
    assert {Verdict.SKIP} == {check.verdict for check in results(report)}


@pytest.mark.slow
def test_a_loop_while_loading_may_meet_the_time_for_the_whole_submission_first() -> None:
    with Sandbox(Limits(submission_s=0.5)) as box:
        report = graded("plain_class", solution("plain_class") + "\nwhile True: pass\n", box=box)
    assert str(report.message).endswith("than what was left of the 0.5 s for the whole submission and was stopped")


def test_an_object_that_is_made_of_another_is_told_with_the_sizes_of_both() -> None:
    leaves = ("        super().__init__()\n", "        __import__('os')._exit(0)\n")
    first = first_failure(graded("scaffold", edited("scaffold", (leaves,))))
    assert (Verdict.CRASH, "MultiHeadAttention(AttentionConfig(30, 3, 0.0, True))") == (first.verdict, first.what)


def test_what_a_lost_process_returned_is_not_asked_of_the_next_one() -> None:
    """The check after it asks what the last call changed, and what was returned before."""
    at_one_zero = f"if Q.size(1) == 1 and not Q.any():\n            __import__('os')._exit(0)\n        return {OUT}"
    report = graded("plain_class", plain((f"return {OUT}", at_one_zero)))
    assert others_pass(report, "all_zero_input"), summary(report)
    assert Verdict.CRASH == result(report, "all_zero_input").verdict


def test_a_submission_that_raises_in_one_way_of_asking_for_liveness_is_judged_where_it_answers() -> None:
    source = plain((f"return {OUT}", f"if Q.size(1) != K.size(1):\n            raise ValueError\n        return {OUT}"))
    report = graded("plain_class", source)
    passed = [check.name for check in results(report) if check.verdict is Verdict.PASS]
    assert "with_many_heads" in passed, summary(report)


@pytest.mark.slow
def test_a_later_worker_that_lacks_a_required_layer_ends_the_grading(monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(requires_layers=True) as box:
        graded("plain_class", solution("plain_class"), Options(seed=1, tiers=("shapes",)), box)
        all_on = {"privileges": True, "limits": True, "seccomp": True}
        layers = iter([all_on])
        monkeypatch.setattr("grader.sandbox.sandbox.read_layers", lambda *_: next(layers, all_on | {"seccomp": False}))
        report = graded("plain_class", at_71("print('at 71', flush=True) or __import__('os')._exit(0)"), box=box)
    assert Outcome.BROKEN == report.outcome
    assert str(report.message).startswith("Not graded: not enforced on this machine: seccomp. ")
    assert "at 71\n" == report.output


def test_leaving_the_process_costs_its_check() -> None:
    report = graded("plain_class", at_71("__import__('os')._exit(0)"))
    assert others_pass(report, LONG), summary(report)
    assert Verdict.CRASH == result(report, LONG).verdict
    assert "ended the process with exit status 0 (os._exit or sys.exit)" == result(report, LONG).got


def test_sys_exit_costs_its_check() -> None:
    report = graded("plain_class", at_71("__import__('sys').exit(0)"))
    assert others_pass(report, LONG), summary(report)
    assert Verdict.ERROR == result(report, LONG).verdict
    assert "raised SystemExit: 0" == result(report, LONG).got


@pytest.mark.slow
def test_a_flood_of_output_costs_its_check(impatient: Sandbox) -> None:
    report = graded("plain_class", at_71("print('x' * 100_000)"), box=impatient)
    assert others_pass(report, LONG), summary(report)
    assert (Verdict.CRASH, "printed more than 64 KiB and was stopped") == (
        result(report, LONG).verdict,
        result(report, LONG).got,
    )


def test_what_earlier_checks_printed_is_not_counted_in_a_later_one(impatient: Sandbox) -> None:
    report = graded("plain_class", plain((f"return {OUT}", f"print('x' * 1500)\n        return {OUT}")), box=impatient)
    assert 100 == report.score, summary(report)


def test_what_all_workers_printed_is_kept_in_order_and_of_loading_once() -> None:
    leaving = at_71("print('at 71', flush=True) or __import__('os')._exit(0)")
    report = graded("plain_class", f"print('loaded')\n{leaving}")
    assert "loaded\nat 71\n" == report.output


@pytest.mark.slow
def test_checks_after_the_time_for_the_whole_submission_are_not_run() -> None:
    with Sandbox(Limits(check_s=10.0, submission_s=3.0)) as box:
        report = graded("plain_class", at_71("while True: pass"), box=box)
    # Public checks are run before it, whatever their tier.
    hidden = [check for check in results(report) if check.visibility is Visibility.HIDDEN]
    after = [check.verdict for check in hidden][[check.name for check in hidden].index(LONG) :]
    assert {Verdict.TIMEOUT} == set(after), summary(report)
    by_the_clock = "took longer than what was left of the 3 s for the whole submission and was stopped"
    # On a busy machine the clock waits with it for a processor, and the system's limit may come first.
    assert result(report, LONG).got in (by_the_clock, "used up the 4 s of processor time that it may take")
    assert "not tried: the 3 s for the whole submission were spent" == hidden[-1].got


def test_more_memory_than_there_is_costs_its_check() -> None:
    report = graded("plain_class", at_71("torch.empty(1 << 40, dtype=torch.uint8).fill_(1)"))
    assert others_pass(report, LONG), summary(report)
    assert Verdict.MEMORY == result(report, LONG).verdict
    assert str(result(report, LONG).got).endswith("(2048 MiB are allowed beyond PyTorch's own)")


@pytest.mark.parametrize("place", ["json.JSONEncoder.encode", "linecache.getline"])
@pytest.mark.parametrize("error", ["MemoryError", 'RuntimeError("can\'t allocate memory")'])
def test_memory_that_is_kept_full_is_told_as_memory_and_not_as_an_end_by_itself(place: str, error: str) -> None:
    """As where a list of a cell's holds all: not even the answer, or the words of an error, find room then."""
    full = f"import json, linecache\ndef full(*given, **options): raise {error}\n{place} = full\nraise ValueError"
    report = graded("plain_class", f"{solution('plain_class')}\n{full}")
    message = "loading candidate.py: ran out of memory (2048 MiB are allowed beyond PyTorch's own)"
    assert (Outcome.MEMORY, message) == (report.outcome, report.message)


def test_more_memory_than_there_is_in_a_cell_is_noted_with_the_budget() -> None:
    report = graded("plain_class", solution("plain_class") + "\nbytearray(1 << 40)\n")
    assert 100 == report.score
    (note,) = report.notes
    text = "raised MemoryError: an allocation failed (2048 MiB are allowed beyond PyTorch's own) (candidate.py:"
    assert f"candidate.py {text}" in note
