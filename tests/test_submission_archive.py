"""Zip files that were handed in: what is in them is read, and nothing in one is trusted."""

import contextlib
import io
import os
import re
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.records import GraderError
from grader.submission import archive, read_path
from grader.submission.archive import Archive
from tests.grading import ROOT

SOURCE = b"def attend(q, k, v):\n    return q\n"
Put = Callable[[str, str | bytes], Path]


def member(name: str, mode: int = 0o100644, method: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr, made.compress_type = mode << 16, method
    return made


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            file.writestr(name, data)
    return packed.getvalue()


def renamed(name: str) -> bytes:
    """A zip file with a name that zipfile itself would not write."""
    return zipped(("x" * len(name), SOURCE)).replace(b"x" * len(name), name.encode())


def encrypted() -> bytes:
    data = bytearray(zipped(("a.py", SOURCE)))
    for place in (6, data.index(b"PK\x01\x02") + 8):  # the flags, in the file's own header and in the list
        data[place] |= 1
    return bytes(data)


def claimed_small() -> bytes:
    """It says 20 bytes, and unpacks to 20 MiB."""
    data = bytearray(zipped(("a.py", b"#" * (20 << 20))))
    for place in (22, data.index(b"PK\x01\x02") + 24):
        data[place : place + 4] = struct.pack("<I", 20)
    return bytes(data)


def overlapping() -> bytes:
    """Two entries of the list lead to the same bytes."""
    data = bytearray(zipped(("a.py", SOURCE), ("b.py", SOURCE)))
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 0)
    return bytes(data)


def of_many(count: int) -> bytes:
    return zipped(*((f"{number}.txt", b"") for number in range(count)))


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a name that leads upwards": (lambda: renamed("../../a.py"), "a file that would lie outside of it (../../a.py)"),
    "a name that leads upwards on Windows": (lambda: renamed("..\\a.py"), "would lie outside of it (../a.py)"),
    "an absolute name": (lambda: renamed("/etc/a.py"), "would lie outside of it (/etc/a.py)"),
    "a drive": (lambda: renamed("C:\\a.py"), "would lie outside of it (C:/a.py)"),
    "a place on a drive": (lambda: renamed("C:a.py"), "would lie outside of it (C:a.py)"),
    "a hidden name that leads upwards": (lambda: renamed("../.a.py"), "would lie outside of it (../.a.py)"),
    "a symbolic link": (
        lambda: zipped((member("a.py", stat.S_IFLNK | 0o777), b"/etc/passwd")),
        "a.py is a link or a special file: put the file itself into the zip.",
    ),
    "a pipe": (lambda: zipped((member("a.py", stat.S_IFIFO | 0o644), b"")), "a.py is a link or a special file"),
    "a device": (lambda: zipped((member("a.py", stat.S_IFCHR | 0o644), b"")), "a.py is a link or a special file"),
    "a name twice": (lambda: renamed_twice("a.py"), "holds a.py twice: zip the files again."),
    "a name twice in two ways": (lambda: zipped(("a.py", SOURCE), ("./a.py", SOURCE)), "holds a.py twice"),
    "a password": (encrypted, "a.py is encrypted: zip the files without a password."),
    "bzip2": (lambda: zipped((member("a.py", method=zipfile.ZIP_BZIP2), SOURCE)), "packed in a way that is not read"),
    "lzma": (lambda: zipped((member("a.py", method=zipfile.ZIP_LZMA), SOURCE)), "packed in a way that is not read"),
    "a file of 51 MiB": (
        lambda: zipped(("a.ipynb", bytes(51 << 20))),
        "a.ipynb is more than 50 MiB unpacked: leave out what the kata does not need.",
    ),
    "300 MiB in all": (
        lambda: zipped(*((f"{number}.txt", bytes(43 << 20)) for number in range(7))),
        "is more than 256 MiB unpacked",
    ),
    "10,001 files": (lambda: of_many(10_001), "holds more than 10000 files: leave .venv out, or name"),
    "a name of 60,000 characters": (lambda: zipped(("a/" * 30_000 + "b.py", b"")), "a name of 60004 characters"),
    "half of it": (lambda: zipped(("a.py", os.urandom(5000)))[:2500], "is damaged or no zip file"),
    "no zip file": (lambda: b"PK, or so it says", "is damaged or no zip file (BadZipFile"),
    "an empty zip file": (zipped, "holds no submission: put .py or .ipynb files into it."),
    "no submission in it": (lambda: zipped(("notes.txt", b"x")), "holds no submission"),
}


def renamed_twice(name: str) -> bytes:
    return zipped((name, SOURCE), ("x" * len(name), SOURCE)).replace(b"x" * len(name), name.encode())


@pytest.mark.sample(8)
@pytest.mark.parametrize("situation", HOSTILE)
def test_a_hostile_zip_file_is_refused_with_a_sentence(situation: str, put: Put, tmp_path: Path) -> None:
    make, sentence = HOSTILE[situation]
    path = put("in/kit.zip", make())
    files = read_path(path, None).files
    assert [path] == [file.path for file in files]
    assert sentence in str(files[0].problem)
    assert str(path) in str(files[0].problem)
    assert ["in", "in/kit.zip"] == sorted(each.relative_to(tmp_path).as_posix() for each in tmp_path.rglob("*"))


def test_a_name_that_leads_out_of_a_stack_is_left_out_and_refuses_one_persons_files(put: Put) -> None:
    packed = zipped(("a.py", SOURCE), ("x" * 9, SOURCE)).replace(b"x" * 9, b"../out.py")
    stack = read_path(put("export.zip", packed), None)
    assert ([None], ["../out.py"]) == ([file.problem for file in stack.files], stack.unread)
    within = put("stack/ann.zip", packed)
    (refused,) = read_path(within.parent, None).files
    assert f"{within} holds a file that would lie outside of it (../out.py): zip the files again." == refused.problem


def test_a_zip_file_in_an_exported_one_is_opened_and_none_further_in(put: Put) -> None:
    inmost = zipped(("b.py", SOURCE), ("c.zip", zipped(("c.py", SOURCE))))
    path = put("export.zip", zipped(("a.py", SOURCE), ("ann/b.zip", inmost), ("bo/no.zip", b"?")))
    own, theirs, refused, damaged = read_path(path, None).files
    assert (path / "a.py", path / "ann" / "b.zip" / "b.py") == (own.path, theirs.path)
    assert [SOURCE.decode()] * 2 == [file.submission.cells[0].source for file in (own, theirs) if file.submission]
    said = f"{path}/ann/b.zip/c.zip is a zip file inside a zip file, and is not opened: "
    said += f"unpack {path}/ann/b.zip."
    assert (said, True) == (refused.problem, str(damaged.problem).startswith(f"{path}/bo/no.zip is damaged"))


@pytest.mark.deep
def test_a_stack_of_hostile_zip_files_is_graded_to_its_end(tmp_path: Path) -> None:
    for number, (make, _) in enumerate(HOSTILE.values()):
        (tmp_path / f"{number:02}.zip").write_bytes(make())
    (tmp_path / "words.zip").write_bytes(zipped(("\x1b[2J\u202ecod.py", SOURCE)))
    solution = (ROOT / "solutions" / "scaled_dot_product.py").read_bytes()
    (tmp_path / "zz.zip").write_bytes(zipped(("scaled_dot_product.py", solution)))
    command = [sys.executable, "-m", "grader", "grade", str(tmp_path), "--seed", "1"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (1, "") == (ended.returncode, ended.stderr)
    lines = ended.stdout.splitlines()
    assert "100 of 100" in next(line for line in reversed(lines) if "zz.zip" in line)
    assert len(HOSTILE) == len([line for line in lines if "not graded" in line and re.search(r"\d\d\.zip", line)])
    assert not {"\x1b", "\u202e"} & set(ended.stdout)


BROKEN_INSIDE = {
    "a file that claims 20 bytes and is 20 MiB": claimed_small,
    "a wrong checksum": lambda: zipped((member("a.py", method=zipfile.ZIP_STORED), SOURCE)).replace(
        b"return", b"retorn"
    ),
}


@pytest.mark.parametrize("situation", BROKEN_INSIDE)
def test_a_damaged_file_in_a_sound_list(situation: str, put: Put) -> None:
    (file,) = read_path(put("kit.zip", BROKEN_INSIDE[situation]()), None).files
    assert "is damaged or no zip file (BadZipFile: Bad CRC-32" in str(file.problem)
    assert "a.py" == file.path.name


def test_entries_that_overlap_are_not_read_twice(put: Put) -> None:
    files = read_path(put("kit.zip", overlapping()), None).files
    assert "is damaged" in "".join(str(file.problem) for file in files)
    assert 1 >= len([file for file in files if file.submission])


def test_what_is_larger_than_its_limit_is_not_unpacked_further(put: Put) -> None:
    opened = Archive(Path("kit.zip"), zipped(("a.py", b"#" * (2 << 20))))
    with pytest.raises(GraderError, match=r"^kit\.zip/a\.py is more than 1 MiB unpacked: leave out what"):
        opened.data("a.py", 1 << 20)
    assert opened.digest("a.py") is not None


def test_a_file_above_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "kit.zip"
    path.touch()
    os.truncate(path, archive.ARCHIVE_LIMIT + 1)
    (file,) = read_path(path, None).files
    said = "kit.zip is 64 MiB large, and at most 64 MiB are read: leave .venv out, or name the unpacked folder."
    assert str(file.problem).endswith(said)


def test_a_link_and_a_pipe_named_as_zip_files(tmp_path: Path, put: Put) -> None:
    (tmp_path / "link.zip").symlink_to(put("real.zip", zipped(("a.py", SOURCE))))
    assert "is a symbolic link, and may lead anywhere" in str(read_path(tmp_path / "link.zip", None).files[0].problem)
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(GraderError, match="is not a regular file"):
        read_path(tmp_path / "pipe.zip", None)


def test_the_submissions_in_a_zip_file_are_read_as_those_in_a_folder(put: Put) -> None:
    path = put("all.ZIP", zipped(("b/two.py", SOURCE), ("one.py", b"x = 1\n"), ("notes.txt", b"\xff"), ("c.py", b" ")))
    stack = read_path(path, None)
    assert stack.is_stack
    assert [path / "b/two.py", path / "c.py", path / "one.py"] == [file.path for file in stack.files]
    assert [True, False, True] == [file.submission is not None for file in stack.files]
    assert f"{path}/c.py is empty: save your work into it first." == stack.files[1].problem


def test_folders_written_with_backslashes(put: Put) -> None:
    path = put("a.zip", renamed("work\\a.py"))
    assert [path / "work" / "a.py"] == [file.path for file in read_path(path, None).files]


def test_what_is_nobodys_work_is_passed_over_whatever_it_is(put: Put) -> None:
    hidden = [
        *((member(f"{venv}/bin/python", stat.S_IFLNK | 0o777), b"/usr/bin/python3") for venv in (".venv", "work/env")),
        *((name, b"{}") for name in (".ipynb_checkpoints/a-checkpoint.ipynb", "work/env/pyvenv.cfg")),
        ("__MACOSX/._a.py", b"\0\5\26\7"),
        *((name, b"x") for name in ("__pycache__/a.py", "work/.git/hook.py", "work/env/Lib/site-packages/six.py")),
    ]
    path = put("a.zip", zipped(*hidden, ("work/", b""), ("work/a.py", SOURCE)))
    assert [path / "work" / "a.py"] == [file.path for file in read_path(path, None).files]


def test_a_folder_of_zip_files_and_others(put: Put, tmp_path: Path) -> None:
    put("anna.zip", zipped(("a.py", SOURCE)))
    put("ben.py", SOURCE)
    put("eve.zip", b"no zip")
    stack = read_path(tmp_path, None)
    assert stack.is_stack
    assert ["anna.zip/a.py", "ben.py", "eve.zip"] == [
        file.path.relative_to(tmp_path).as_posix() for file in stack.files
    ]
    assert [False, False, True] == [file.problem is not None for file in stack.files]


GOOD = zipped(("a.py", SOURCE), ("b/kit.json", b'{"format": 1}'), ("b/exercises/c.py", SOURCE * 20), (".venv/d", b"x"))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=8), st.integers(0, 40)
)
def test_bytes_that_were_changed_give_a_sentence_or_a_submission(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(GOOD)
    for place, value in changes:
        data[place] = value
    try:
        opened = Archive(Path("kit.zip"), bytes(data[: len(data) - cut]))
    except GraderError:
        return
    for name in opened.names:
        assert not Path(name).is_absolute()
        assert ".." not in Path(name).parts
        opened.digest(name)
        with contextlib.suppress(GraderError):
            assert len(opened.data(name, 1000)) <= 1000
