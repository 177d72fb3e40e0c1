"""What is handed in undoes a reader without walls: each trick one of the ways in which course graders read.

That ours reads or refuses it (tests/test_hostile.py) proves nothing where any reader would have.
"""

import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.hostile_files import HANDED_IN, module
from tests.hostile_tools import trick
from tests.leftovers import nothing_left
from tests.naive_reader import WORDS
from tests.naive_reader_tools import Asked, fools, laid, read
from tests.naive_ways import FORMS, WAYS

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it asks /proc what sleeps")

TRIED = [name for name in HANDED_IN if sys.version_info < getattr(module(name), "BEFORE", (4,))]


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What comes of each trick in its way, and of each control in every way."""
    folder = tmp_path_factory.mktemp("read")
    asked = controls(folder)
    for name in TRIED:
        try:
            asked[name] = laid(name, folder)
        except PermissionError:  # only root can make that kind of file
            continue
    with nothing_left():
        return dict(zip(asked, read([*asked.values()]), strict=True))


def controls(folder: Path) -> dict[str, Asked]:
    """A right and a wrong submission without a trick, for each way in the form that it is for."""
    made = {}
    for name, worth in (("right", 100), ("wrong", 0)):
        for suffix, ways in FORMS.items():
            for way in [way for way in WAYS if WAYS[way] in ways]:
                path = folder / f"{name} {way}" / "handed" / f"candidate{suffix}"
                path.parent.mkdir(parents=True)
                write(path, trick(f"control_{name}").source, worth)
                made[f"{name} {way}"] = Asked(path, way, worth)
    return made


def write(path: Path, code: str, worth: int) -> None:
    """A plain submission of the form that its suffix says; a notebook's metadata and outputs tell the truth."""
    if path.suffix == ".py":
        path.write_text(code)
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("candidate/mha.py", code)
            archive.writestr("candidate/notes.txt", "my notes\n")
    else:
        picture = {"picture.png": {"image/png": "aGVsbG8="}}
        printed = new_output("stream", text=f"score {worth} of 100\n")
        cells = [
            new_markdown_cell("![](attachment:picture.png)", attachments=picture),
            new_code_cell(code, outputs=[printed]),
            new_code_cell("%matplotlib inline\n1 / 0"),
        ]
        nbformat.write(new_notebook(cells=cells, metadata={"kata": "scaled_dot_product", "score": worth}), path)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["right", "wrong"])
def test_nothing_comes_of_a_submission_without_a_trick(words: dict[str, str], name: str, way: str) -> None:
    assert "" == words[f"{name} {way}"]


@pytest.mark.parametrize("name", TRIED)
def test_a_trick_does_to_the_naive_reader_what_it_says(words: dict[str, str], name: str) -> None:
    if name not in words:
        pytest.skip("only root can make that kind of file")
    assert fools(name)[1] == words[name]


def test_each_way_is_undone_by_a_trick_and_each_word_stands_for_one() -> None:
    assert set(WAYS) == {fools(name)[0] for name in HANDED_IN}
    assert set(WORDS) == {fools(name)[1] for name in HANDED_IN}
