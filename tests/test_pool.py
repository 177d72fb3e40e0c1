"""Workers that are not forked, as on macOS: each imports torch itself; all else is as it is with a zygote."""

import os
from collections.abc import Iterator

import pytest

from grader.judge import Options
from grader.records import Outcome, Verdict
from grader.sandbox import SANDBOX_LAYERS, Limits, Sandbox, WorkerLost
from tests.grading import graded, results, solution
from tests.sandbox_tools import LoadedWorker, alive, descendants, eventually


@pytest.fixture(scope="module")
def pool() -> Iterator[Sandbox]:
    """Without sandbox layers: a system whose processes may not be forked has none of them."""
    with Sandbox(Limits(check_s=2.0), SANDBOX_LAYERS, forks=False) as started:
        yield started


@pytest.mark.slow
def test_a_submission_is_graded_and_the_protections_are_told(pool: Sandbox) -> None:
    report = graded("scaled_dot_product", solution("scaled_dot_product"), box=pool)
    assert (100, False) == (report.score, report.isolated)
    assert [True, *[False] * 3] == [report.protections[name] for name in ("process", "landlock", "seccomp", "limits")]


@pytest.mark.deep
def test_inside_the_sandbox_it_works_as_well() -> None:
    with Sandbox(forks=False) as confined:
        report = graded("scaled_dot_product", solution("scaled_dot_product"), Options(1, tiers=("shapes",)), confined)
        assert (report.max_score, True) == (report.score, report.isolated)


@pytest.mark.deep
def test_a_worker_that_is_lost_is_followed_by_another(pool: Sandbox) -> None:
    source = "import os\ndef scaled_dot_product_attention(q, k, v, mask=None): os._exit(0)"
    report = graded("scaled_dot_product", source, Options(1, tiers=("weight sums",)), pool)
    assert Outcome.GRADED == report.outcome
    assert {Verdict.CRASH} == {check.verdict for check in results(report)}
    messages = {"ended the process with exit status 0 (os._exit or sys.exit)"}
    assert messages | {"not tried: scaled_dot_product_attention ended its process twice"} == {
        check.got for check in results(report)
    }


@pytest.mark.slow
def test_a_loop_is_stopped_with_what_it_started(pool: Sandbox) -> None:
    source = """
    import os, time
    pid = os.fork()
    if pid == 0: time.sleep(60)
    def loop():
        while True: pass
    """
    with LoadedWorker(pool, source) as loaded:
        pid = loaded.ask("call", object=None, name="pid")["value"]
        assert alive(pid)
        with pytest.raises(WorkerLost, match=r"took longer than 0.2 s"):
            loaded.reply("call", object=None, name="loop", timeout=0.2)
    assert eventually(lambda: not alive(pid))
    assert not alive(loaded.worker.pid)


@pytest.mark.slow
def test_nothing_is_left_of_it() -> None:
    before = descendants(os.getpid())
    with Sandbox(forks=False) as started:
        worker = started.worker()
        assert alive(worker.pid)
    assert eventually(lambda: descendants(os.getpid()) <= before)
