"""What ends the worker twice is not called again, and nothing else twice, so that a submission is done in time."""

import pytest

from grader.judge import Options, report_of
from grader.records import Outcome, Verdict
from grader.sandbox import Limits, Sandbox
from tests.grading import BY_NAME, results, solution, submission

HANGS = "import time\ndef stop(*args, **kwargs):\n    time.sleep(60)\n"
ENDS = "import os\ndef stop(*args, **kwargs):\n    os._exit(7)\n"
FILLS = "import torch\ndef stop(*args, **kwargs):\n    torch.ones(1 << 44)\n"
LIMITS = Limits(check_s=1.0)
HELPERS = ("_split_heads", "_merge_heads", "_apply_masks")
ENDING = [
    pytest.param(HANGS, "ran out of time", Verdict.TIMEOUT, id="hangs"),
    pytest.param(ENDS, "ended its process", Verdict.CRASH, id="ends"),
    pytest.param(FILLS, "ran out of memory", Verdict.MEMORY, id="fills"),
]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(("stop", "said", "verdict"), ENDING)
def test_after_two_losses_in_a_callable_no_other_has_a_second_try(stop: str, said: str, verdict: Verdict) -> None:
    stopping = "".join(f"MultiHeadAttention.{name} = stop\n" for name in ("forward", *HELPERS))
    # What ends or fills needs no short limit, and on a busy machine 0.3 s are too short for a worker begun anew.
    with Sandbox(LIMITS if stop == HANGS else Limits()) as box:
        report = report_of(
            submission(f"{solution('scaffold')}\n{stop}{stopping}"), BY_NAME["scaffold"], Options(1), box
        )
    ended = [check for check in results(report) if check.verdict is verdict]
    tried = [check.got or "" for check in ended if not (check.got or "").startswith("not tried")]
    assert len(tried) == 2 + len(HELPERS), tried
    assert verdict is not Verdict.TIMEOUT or ["0.3 s" in got for got in tried] == [False] * 2 + [True] * len(HELPERS)
    messages = {check.got for check in ended if (check.got or "").startswith("not tried")}
    assert messages == {f"not tried: forward {said} twice", f"not tried: _apply_masks {said}"}
    assert report.outcome is Outcome.GRADED


@pytest.mark.slow
def test_a_class_that_hangs_where_it_is_made_is_made_twice() -> None:
    stopping = f"{HANGS}MultiHeadAttention.__init__ = stop\n"
    with Sandbox(LIMITS) as box:
        source = f"{solution('plain_class')}\n{stopping}"
        report = report_of(submission(source), BY_NAME["plain_class"], Options(seed=1), box)
    assert (report.outcome, report.score) == (Outcome.GRADED, 0)
    messages = [check.got for check in results(report)]
    assert messages.count("not tried: MultiHeadAttention ran out of time twice") == len(messages) - 2
