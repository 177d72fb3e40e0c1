"""`reset`, `stubs`, and where reports may go: what is written, what is kept, what is told."""

import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from grader.cli import grade, main
from grader.core import place
from grader.formats.files import check_reports, write_whole
from grader.records import GraderError
from grader.stubs.writer import WrittenFile
from tests.fakes import FUNCTION_SOURCE, CommandResult

Put = Callable[[str, str | bytes], Path]
Run = Callable[..., CommandResult]
FULL = "No space left on device"
PRISTINE = "def attend(q, k, v):\n    raise NotImplementedError\n"
NOTEBOOK = "{}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one exercise, and a writer of stubs that needs no solution."""
    stubs = ModuleType("grader.stubs.writer")
    stubs.__spec__ = ModuleSpec(stubs.__name__, None)
    stubs.stub = lambda kata, root: PRISTINE  # type: ignore[attr-defined]  # a module made here
    stubs.notebook_text = lambda kata, root: NOTEBOOK  # type: ignore[attr-defined]
    stubs.check_all = lambda root, katas: ["exercises/attend.py is stale: run make stubs"]  # type: ignore[attr-defined]
    written = [
        WrittenFile(tmp_path / "exercises" / "attend.py", tmp_path / "exercises" / "attend.py.1.bak"),
        WrittenFile(tmp_path / "exercises" / "new.py", None),
    ]
    stubs.write_all = lambda root, katas: written  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "grader.stubs.writer", stubs)
    monkeypatch.setattr(place, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "attend.py").write_text("my work 1\n")
    return tmp_path


def test_reset_keeps_the_old_text(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exercise = root / "exercises" / "attend.py"
    assert 0 == main(["reset", "attend"])
    exercise.write_text("my work 2\n")
    assert 0 == main(["reset", "attend"])
    assert PRISTINE == exercise.read_text()
    assert "my work 1\n" == (root / "exercises" / "attend.py.1.bak").read_text()
    assert "my work 2\n" == (root / "exercises" / "attend.py.2.bak").read_text()
    *_, stub, book = capsys.readouterr().out.splitlines()
    assert "exercises/attend.py is the pristine stub; the old text is in exercises/attend.py.2.bak" == stub
    assert "notebooks/attend.ipynb is the pristine notebook" == book


def test_reset_keeps_the_old_notebook(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "notebooks").mkdir()
    (root / "notebooks" / "attend.ipynb").write_text("my cells\n")
    assert 0 == main(["reset", "attend"])
    assert NOTEBOOK == (root / "notebooks" / "attend.ipynb").read_text()
    assert "my cells\n" == (root / "notebooks" / "attend.ipynb.1.bak").read_text()
    last = capsys.readouterr().out.splitlines()[-1]
    assert "notebooks/attend.ipynb is the pristine notebook; the old text is in notebooks/attend.ipynb.1.bak" == last


def test_reset_of_a_pristine_stub_makes_no_copy(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "exercises" / "attend.py").write_text(PRISTINE)
    assert 0 == main(["reset", "attend"])
    assert ["attend.py"] == [path.name for path in (root / "exercises").iterdir()]
    assert "exercises/attend.py is the pristine stub\n" == capsys.readouterr().out.splitlines(keepends=True)[0]


def test_reset_keeps_bytes_that_are_no_text(root: Path) -> None:
    (root / "exercises" / "attend.py").write_bytes(b"\xff\x00")
    assert 0 == main(["reset", "attend"])
    assert b"\xff\x00" == (root / "exercises" / "attend.py.1.bak").read_bytes()


def test_reset_of_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The katas stand in teaching order, what is none of them after these."""
    for name in ("rope", "module", "functional"):
        (root / "exercises" / f"{name}.py").write_text("my work 2\n")
    assert 2 == main(["reset"])
    expected = "No kata was named to reset: make reset KATA=NAME, with one of functional, module, rope, attend.\n"
    assert expected == capsys.readouterr().err


def test_reset_in_a_kit_which_has_one_exercise_and_its_pristine_text(root: Path) -> None:
    (root / "pristine").mkdir()
    (root / "pristine" / "attend.py").write_text("the stub\n")
    (root / "pristine" / "attend.ipynb").write_text(NOTEBOOK)
    assert 0 == main(["reset"])
    assert "the stub\n" == (root / "exercises" / "attend.py").read_text()
    assert "my work 1\n" == (root / "exercises" / "attend.py.1.bak").read_text()


def test_reset_in_a_kit_whose_pristine_text_is_gone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "pristine").mkdir()
    assert 2 == main(["reset"])
    expected = "pristine/attend.py is missing, and the stub is copied from it: restore the file.\n"
    assert expected == capsys.readouterr().err


def test_reset_of_an_unknown_kata(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["reset", "atend"])
    assert 'There is no kata "atend": did you mean attend? There are attend.\n' == capsys.readouterr().err
    assert "my work 1\n" == (root / "exercises" / "attend.py").read_text()


def test_stubs_are_written(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["stubs"])
    first, second = capsys.readouterr().out.splitlines()
    assert "written: exercises/attend.py; the old text is in exercises/attend.py.1.bak" == first
    assert "written: exercises/new.py" == second


def test_stale_stubs_are_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["stubs", "--check"])
    assert "exercises/attend.py is stale: run make stubs\n" == capsys.readouterr().out


def test_reset_makes_the_folder_that_is_missing(root: Path) -> None:
    (root / "exercises" / "attend.py").unlink()
    (root / "exercises").rmdir()
    (root / "solutions").mkdir()
    (root / "solutions" / "attend.py").write_text("the solution\n")
    assert 0 == main(["reset", "attend"])
    assert PRISTINE == (root / "exercises" / "attend.py").read_text()


def test_reset_in_a_kit_knows_its_kata_also_beside_a_file_of_the_candidates(root: Path) -> None:
    (root / "exercises" / "helper.py").write_text("def split(x): ...\n")
    (root / "pristine").mkdir()
    (root / "pristine" / "attend.py").write_text("the stub\n")
    (root / "pristine" / "attend.ipynb").write_text(NOTEBOOK)
    assert 0 == main(["reset"])
    assert "the stub\n" == (root / "exercises" / "attend.py").read_text()


def test_reset_where_nothing_can_be_written(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exercise = root / "exercises" / "attend.py"
    exercise.unlink()
    exercise.mkdir()
    assert 2 == main(["reset", "attend"])
    expected = f"{exercise} cannot be written (Is a directory): check what is there, and its permissions.\n"
    assert expected == capsys.readouterr().err


@pytest.mark.parametrize("name", ["mine.py", "mine.IPYNB", "back.zip"])
def test_a_report_does_not_take_the_place_of_a_submission(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(GraderError) as error:
        check_reports([tmp_path / "r.json", path])
    said = "ends as a submission does, and a report would overwrite it: choose another ending."
    assert f"{path} {said}" == str(error.value)


def test_two_reports_do_not_go_into_one_file(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match=r"r\.json is named for two reports: name a file for each\."):
        check_reports([tmp_path / "r.json"] * 2)


def test_a_report_takes_the_place_of_files_alone(tmp_path: Path) -> None:
    """Else root would put it in the place of /dev/null, or of /dev/stdout, which is a link."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "r.json")
    for name in ("pipe", "link"):
        with pytest.raises(GraderError) as error:
            check_reports([tmp_path / name])
        assert f"{tmp_path / name} is a link, a pipe or a device: name a file." == str(error.value)


def test_a_report_does_not_go_into_a_file_that_is_called_minus() -> None:
    with pytest.raises(GraderError, match=r"^- is not standard output here: name a file\.$"):
        check_reports([Path("-")])


def test_a_report_that_nobody_may_write_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its permissions, or a system that is read-only: `os.access` does not tell which."""
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(GraderError) as error:
        check_reports([tmp_path / "r.json"])
    place = f"{tmp_path / 'r.json'} cannot be written, its folder {tmp_path}"
    assert f"{place} may not be written to: choose another place." == str(error.value)


def test_a_report_behind_a_folder_that_may_not_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", refused)
    with pytest.raises(GraderError, match=r"r\.json cannot be written \(Permission denied\): choose another place\."):
        check_reports([tmp_path / "r.json"])


def test_the_longest_name_of_a_report(tmp_path: Path) -> None:
    write_whole(tmp_path / ("r" * 250 + ".json"), b"{}")
    with pytest.raises(GraderError, match=r"cannot be written \(File name too long\): choose another place\."):
        check_reports([tmp_path / ("r" * 300 + ".json")])


def test_all_that_cannot_be_written_or_printed_is_told(
    run: Run, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the disk is full to which all of it goes."""

    def full(*arguments: object) -> None:
        raise OSError(28, FULL)

    path = put("a.py", FUNCTION_SOURCE)
    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(grade, "show", full)
    ran = run("grade", path, "--json", tmp_path / "r.json", "--junit", tmp_path / "r.xml")
    assert [
        f"{name} cannot be written ({FULL}): choose another place."
        for name in (tmp_path / "r.json", tmp_path / "r.xml", "Standard output")
    ] == ran.err.splitlines()
    assert 2 == ran.status
