"""Fixtures that several files of tests use, and which tests are left to `make test-deep`.

Of a test marked `sample(count, by=key)` a seeded sample is kept: so many in all, or for each key of its parameters.
Of all tests marked `slow`, which take some seconds each, a twelfth is kept. The others are marked `deep`, as are those
that take long: `make test` leaves them out, and `make test-deep` runs them.
"""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from grader.cli import main
from grader.core import grader, judging, place
from grader.sandbox import Limits, Sandbox
from grader.wire import WireLimits
from tests.fakes import CONTRACTS, CommandResult, FakeJudge, FakeSandbox, fake_kata, skipped


def _commit() -> str:
    """Another sample with each commit, and the same one in each of its runs."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    with contextlib.suppress(OSError):
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
        return done.stdout.strip() or "0"
    return "0"


os.environ["OMP_NUM_THREADS"] = "1"  # as in the judge: a test has one core, and threads that wait would take another's
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="state-")  # not the scores of whoever runs the tests
SAMPLE = os.environ.get("SAMPLE") or _commit()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        mark = item.get_closest_marker("sample")
        if isinstance(item, pytest.Function) and mark and not item.get_closest_marker("skip"):  # as of no parameters
            by = mark.kwargs.get("by")
            group = f"{item.nodeid.partition('[')[0]} {by(item.callspec.params) if by else ''}"
            groups.setdefault(group, []).append(item)
    for group, members in groups.items():
        mark = members[0].get_closest_marker("sample")
        count, drawn = mark.args[0], Random(f"{SAMPLE} {group}").sample(members, len(members))
        for item in drawn[count:]:
            item.add_marker("deep")
    slow = [item for item in items if item.get_closest_marker("slow") and not item.get_closest_marker("deep")]
    for item in Random(f"{SAMPLE} slow").sample(slow, len(slow))[len(slow) // 12 :]:
        item.add_marker("deep")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"The sample was SAMPLE={SAMPLE}.")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One for a file of tests, with a small limit on what goes to and fro."""
    with Sandbox(Limits(wire=WireLimits(payload_bytes=1 << 20))) as started:
        yield started


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Random:
    """What draws a sample within a test."""
    return Random(f"{SAMPLE} {request.node.nodeid}")


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file into an empty folder and returns its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def one_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own behind the command line: it has imported PyTorch already, and outlives a run."""
    from tests.grading import sandbox  # with PyTorch, which other tests of the front do without

    monkeypatch.setattr(grader, "Sandbox", lambda limits, **how: sandbox())
    monkeypatch.setattr(sandbox(), "close", lambda: None)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> FakeJudge:
    """The fake judge in the place of the real one, and empty folders in the place of the repository and the state."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    fake = FakeJudge()
    katas = [fake_kata(contract) for contract in CONTRACTS]
    loaded = judging.Judge(katas, SimpleNamespace, fake.grade, skipped)
    monkeypatch.setattr(judging, "load_judge", lambda: loaded)
    monkeypatch.setattr(grader, "Sandbox", lambda *limits, **how: FakeSandbox(fake))
    monkeypatch.setattr(place, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exercises").mkdir()
    for contract in CONTRACTS:
        (tmp_path / "exercises" / f"{contract.kata}.py").write_text("# todo\n")
    return fake


@pytest.fixture
def run(judge: FakeJudge, capsys: pytest.CaptureFixture[str]) -> Callable[..., CommandResult]:
    def ran(*arguments: Any) -> CommandResult:
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return CommandResult(status=status, out=out, err=err)

    return ran
