"""What ends the worker twice is not called again, so that a submission is done in time."""

import pytest

from grader.judge import Options, report_of
from grader.records import Outcome, Verdict
from grader.sandbox import Limits, Sandbox
from tests.grading import BY_NAME, results, solution, submission

HANGS = "import time\n\n\ndef hang(*args):\n    time.sleep(60)\n\n\n"
ENDS = "import os\n\n\ndef hang(*args):\n    os._exit(7)\n\n\n"
LIMITS = Limits(check_s=0.5)


@pytest.mark.parametrize(
    ("stop", "method", "name", "said"),
    [
        (HANGS, "forward", "forward", "ran out of time"),
        (HANGS, "__init__", "MultiHeadAttention", "ran out of time"),
        (ENDS, "forward", "forward", "ended its process"),
    ],
)
def test_after_two_losses_in_a_callable_the_rest_is_not_tried(stop: str, method: str, name: str, said: str) -> None:
    source = f"{solution('plain_class')}\n\n{stop}MultiHeadAttention.{method} = hang\n"
    with Sandbox(LIMITS) as box:
        report = report_of(submission(source), BY_NAME["plain_class"], Options(seed=1), box)
    assert (report.outcome, report.score) == (Outcome.GRADED, 0)
    told = [check.got for check in results(report)]
    assert told.count(f"not tried: {name} {said} twice") == len(told) - 2
    assert {check.verdict for check in results(report)} == {Verdict.TIMEOUT if stop == HANGS else Verdict.CRASH}
