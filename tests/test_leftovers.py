"""What the tests of hostile submissions look for is found: a look that finds nothing would prove nothing."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leftovers import USER, below, files, in_shared_folders, nothing_left

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def test_a_file_that_came_changed_or_went_is_seen(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("1")
    before = files(tmp_path)
    (tmp_path / "there").write_text("12")
    changed = files(tmp_path)
    (tmp_path / "new").touch()
    assert [{"there"}, {"there"}, {"there", "new"}] == [set(each) for each in (before, changed, files(tmp_path))]
    assert before != changed
    with pytest.raises(AssertionError), nothing_left(tmp_path):
        (tmp_path / "there").unlink()


@pytest.fixture
def left() -> Iterator[Path]:
    """A file that can be made where all users write."""
    with tempfile.NamedTemporaryFile() as file:
        path = Path(f"{file.name}_left")
        yield path
        path.unlink()


def leave(path: Path) -> None:
    path.touch()
    os.chown(path, USER, -1)


@pytest.mark.skipif(os.geteuid() != 0, reason="for an ordinary user other programs write there too")
def test_a_file_of_the_submissions_user_where_all_write_is_seen(left: Path) -> None:
    with pytest.raises(AssertionError), nothing_left():
        leave(left)
    assert left in in_shared_folders()


def test_a_process_is_seen() -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeping:
        assert sleeping.pid in below(os.getpid())
        sleeping.kill()
