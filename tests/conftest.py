"""Fixtures that several files of tests use."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.cli import main
from grader.core import grader, judging, place
from tests.fakes import CONTRACTS, FakeJudge, FakeSandbox, Ran, fake_kata


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

    monkeypatch.setattr(grader, "Sandbox", lambda limits, requires_walls: sandbox())
    monkeypatch.setattr(sandbox(), "close", lambda: None)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeJudge:
    """The fake judge in the place of the real one, and an empty folder in the place of the repository."""
    fake = FakeJudge()
    katas = [fake_kata(contract) for contract in CONTRACTS]
    loaded = judging.Judge(katas, SimpleNamespace, fake.grade, lambda kata, tiers: kata.checks)
    monkeypatch.setattr(judging, "load_judge", lambda: loaded)
    monkeypatch.setattr(grader, "Sandbox", lambda *limits, **how: FakeSandbox(fake))
    monkeypatch.setattr(place, "ROOT", tmp_path)
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
