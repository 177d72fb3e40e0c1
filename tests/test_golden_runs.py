"""Real runs of what learners hand in: a folder a situation, with the report that they read, letter by letter.

To write them anew after a wanted change: GOLDEN=write make test, then read the difference.
"""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from grader.cli import main
from grader.stubs.writer import stub
from tests.grading import ROOT

RUNS = ROOT / "tests" / "golden" / "runs"
BEGINNERS = sorted((ROOT / "tests" / "golden" / "beginners").iterdir())
"""Each named by its kata and its mistake; the names that they are told are in the reports."""
SITUATIONS = {
    "untouched-stub": "plain_class",
    "missing-scale": "scaffold",
    "transposed-split": "plain_class",
    "sdpa-used": "fused_qkv",
    "raises-in-forward": "module",
    "class-missing": "plain_class",
    "notebook-with-a-failing-cell": "scaled_dot_product",
    "two-mistakes-explained-to-an-interviewer": "scaled_dot_product",
}
"""The folder, and the kata that was asked for."""
OPTIONS = {"two-mistakes-explained-to-an-interviewer": ("--explain", "--for", "interviewer")}

pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_learner_reads_the_same_report_as_before(
    situation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    kata = SITUATIONS[situation]
    submission = handed_in(situation, kata)
    options = OPTIONS.get(situation, ())
    main(["grade", submission, "--kata", kata, "--seed", "7", "--json", "report.json", *options])
    golden(RUNS / situation / "report.txt", without_protections(capsys.readouterr().out))
    golden(RUNS / situation / "report.json", settled(Path("report.json").read_bytes()))


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("folder", BEGINNERS, ids=[folder.name for folder in BEGINNERS])
def test_a_beginner_reads_the_name_of_the_mistake(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(folder / "submission.py", "submission.py")
    main(["grade", "submission.py", "--kata", folder.name.partition("-")[0], "--seed", "7"])
    text = without_protections(capsys.readouterr().out)
    assert "likely mistake" in text
    golden(folder / "report.txt", text)


def test_every_folder_is_a_situation() -> None:
    assert sorted(SITUATIONS) == sorted(path.name for path in RUNS.iterdir())


def handed_in(situation: str, kata: str) -> str:
    """The name of the submission, put into the current folder; a folder without one means the pristine stub."""
    for path in (RUNS / situation).glob("submission.*"):
        return shutil.copy(path, path.name)
    Path("submission.py").write_text(stub(kata, ROOT), encoding="utf-8")
    return "submission.py"


def without_protections(text: str) -> str:
    """The protections are this machine's, not the submission's."""
    return re.sub(r"^protections on: .*(\nnot isolated: .*)?$", "protections on: ...", text, flags=re.MULTILINE)


def settled(data: bytes) -> str:
    """The same report without what differs from run to run or from machine to machine, and without tensors.

    Machines differ in the last digits of a sum, and so in which of two equal differences is the largest.
    """
    report = json.loads(data)
    assert report["duration_s"] >= 0
    report |= {"duration_s": 0.0, "sha256": "...", "digest": "...", "protections": {}, "isolated": None}
    for check in (check for tier in report["tiers"] for check in tier["checks"]):
        check |= {name: check[name] and "..." for name in ("evidence", "picture")}
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    text = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.3g}", text)
    return re.sub(r" at \[[\d, ]+\]", " at [...]", text)


def golden(path: Path, text: str) -> None:
    """Compares, or writes where that is asked for."""
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
