"""The budgets that are options: each is settable, and the message where one is met names the limit."""

import zipfile
from pathlib import Path

import pytest

from grader.cli import parser
from grader.core import budgets
from grader.judge import Options, report_of
from grader.options import settings_of
from grader.sandbox import Limits, Sandbox
from grader.submission import most_bytes, read_exercises, read_path
from grader.wire import WireLimits
from tests.fakes import notebook
from tests.grading import BY_NAME, ROOT, sandbox, solution, submission
from tests.sandbox_tools import LoadedWorker

MIB = 1 << 20
KATA, NAME = "scaled_dot_product", "scaled_dot_product_attention"
LONG = "#" * (MIB + MIB // 2)
SET = """--load-seconds 1 --check-seconds 2 --submission-seconds 3 --memory-mib 4 --output-mib 5 --tail-kib 6
--source-mib 7 --tensor-mib 8 --tensors 300 --dimensions 10"""


def limits(*words: str) -> Limits:
    return settings_of(parser().parse_args(["grade", *words])).limits


def test_each_can_be_set_and_has_its_default() -> None:
    assert Limits() == limits()
    wire = WireLimits(payload_bytes=8 * MIB, tensors=300, rank=10)
    assert Limits(1.0, 2.0, 3.0, 4 * MIB, 5 * MIB, 6 << 10, wire) == limits(*SET.split())
    assert sorted(word for word in SET.split() if word[0] == "-") == sorted(
        f"--{each.name}" for each in budgets.BUDGETS
    )


def test_the_defaults_are_those_that_the_page_on_scoring_tells() -> None:
    of = {each.name: f"{each.default:g}" for each in budgets.BUDGETS}
    page = " ".join((ROOT / "docs" / "scoring.md").read_text(encoding="utf-8").split())
    in_all = f"more than {of['check-seconds']} s in a check, or {of['submission-seconds']} s in all"
    assert f"{in_all}; loading may take {of['load-seconds']} s" in page
    assert f"printed more than {of['output-mib']} MiB in loading or in one check" in page


@pytest.mark.parametrize(("option", "number", "least"), [("--tensors", "255", 256), ("--dimensions", "7", 8)])
def test_the_checks_themselves_need_so_much(
    capsys: pytest.CaptureFixture[str], option: str, number: str, least: int
) -> None:
    with pytest.raises(SystemExit):
        limits(option, number)
    assert f"{option}: {number} is less than {least}, which the checks themselves may need" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
@pytest.mark.parametrize("way", ["file", "folder", "zip", "exercise"])
def test_how_much_source_is_read(tmp_path: Path, name: str, way: str) -> None:
    """By every way that a submission comes: 1.5 MiB are refused where 1 is read, and read where 2 are."""
    folder = tmp_path / "exercises"
    folder.mkdir()
    (folder / name).write_text(LONG if name == "a.py" else notebook(LONG))
    path = {"file": folder / name, "zip": tmp_path / "a.zip"}.get(way, folder)
    if way == "zip":
        with zipfile.ZipFile(path, "w") as file:
            file.write(folder / name, name)

    def problem(mib: int) -> str | None:
        if way == "exercise" and name == "a.py":
            return read_exercises("a", ["a"], tmp_path, most_bytes(mib * MIB))[0].problem
        return read_path(path, None, most_bytes(mib * MIB)).files[0].problem

    assert "1 MiB" in (problem(1) or "read")
    assert problem(2) is None


@pytest.mark.parametrize(
    ("wire", "expression", "sentence"),
    [
        (
            WireLimits(payload_bytes=2 * MIB),
            "torch.ones(1 << 20)",
            "(1048576,), too large to send (at most 2 MiB in one",
        ),
        (WireLimits(tensors=2), "[torch.ones(1)] * 3", "(1,), one too many to send (at most 2 in one answer)"),
        (WireLimits(rank=3), "torch.ones(1, 1, 1, 1)", "a tensor with 4 dimensions (at most 3 can be sent)"),
    ],
)
def test_a_tensor_that_cannot_be_sent_is_told_with_the_limit(
    monkeypatch: pytest.MonkeyPatch, wire: WireLimits, expression: str, sentence: str
) -> None:
    for set_to, refused in ((wire, True), (WireLimits(), False)):
        monkeypatch.setattr(sandbox(), "limits", Limits(wire=set_to))
        with LoadedWorker(sandbox(), f"import torch\ndef f(): return {expression}") as loaded:
            assert refused == (sentence in str(loaded.call("f").head["value"]))


@pytest.mark.slow
def test_a_crash_does_not_start_the_submissions_clock_anew() -> None:
    """A fresh worker is loaded for the check that follows one, and its time is the submission's."""
    ends = "    time.sleep(0.1)\n    if q.dim() == 2: os._exit(0)\n    return right(q, k, v, mask)\n"
    source = f"import os, time\n{solution(KATA)}\nright = {NAME}\ndef {NAME}(q, k, v, mask=None):\n{ends}"
    with Sandbox(Limits(submission_s=2.0)) as box:
        report = report_of(submission(source), BY_NAME[KATA], Options(seed=1), box)
    texts = [str(check.got) for tier in report.tiers for check in tier.checks]
    assert 1 == texts.count("ended the process with exit status 0 (os._exit or sys.exit)")
    assert texts[-1] == "not tried: the 2 s for the whole submission were spent"


@pytest.mark.slow
def test_so_much_of_the_end_of_what_was_printed_is_kept() -> None:
    with Sandbox(Limits(output_tail=100)) as box, LoadedWorker(box, "print('x' * 1000)") as loaded:
        assert ("x" * 99 + "\n") == loaded.worker.output()
