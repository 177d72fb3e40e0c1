"""What ends the worker twice is not called again, so that a submission is done in time."""

import pytest

from grader.judge import Options, report_of
from grader.records import Outcome, Verdict
from grader.sandbox import Limits, Sandbox
from tests.grading import BY_NAME, results, solution, submission

HANGS = "import time\ndef stop():\n    time.sleep(60)\n"
ENDS = "import os\ndef stop():\n    os._exit(7)\n"
FILLS = "import torch\ndef stop():\n    torch.ones(1 << 44)\n"
SIGNATURES = {"forward": "(self, Q, K, V)", "__init__": "(self, d_model, num_heads)"}
LIMITS = Limits(check_s=0.5)


@pytest.mark.parametrize(
    ("stop", "method", "name", "said", "verdict"),
    [
        (HANGS, "forward", "forward", "ran out of time", Verdict.TIMEOUT),
        (HANGS, "__init__", "MultiHeadAttention", "ran out of time", Verdict.TIMEOUT),
        (ENDS, "forward", "forward", "ended its process", Verdict.CRASH),
        (FILLS, "forward", "forward", "ran out of memory", Verdict.MEMORY),
    ],
)
def test_after_two_losses_in_a_callable_the_rest_is_not_tried(
    stop: str, method: str, name: str, said: str, verdict: Verdict
) -> None:
    stopping = f"{stop}def ends{SIGNATURES[method]}:\n    stop()\nMultiHeadAttention.{method} = ends\n"
    source = f"{solution('plain_class')}\n{stopping}"
    with Sandbox(LIMITS) as box:
        report = report_of(submission(source), BY_NAME["plain_class"], Options(seed=1), box)
    assert (report.outcome, report.score) == (Outcome.GRADED, 0)
    told = [check.got for check in results(report)]
    assert told.count(f"not tried: {name} {said} twice") == len(told) - 2
    assert {check.verdict for check in results(report)} == {verdict}
