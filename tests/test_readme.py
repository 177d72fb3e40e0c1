"""What the pages say is so: commands are run, the capture and the tables are made anew, links lead somewhere."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.kit import build_archive
from tests.grading import BY_NAME
from tests.readme_blocks import PAGES, ROOT, definition, ran, renewed

README = (ROOT / "README.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README + FORMATS, re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]
NOT_RUN_HERE = ("make test", "make notebook", "make watch")
"""The first would run this test again, the others wait for a browser or draw on a terminal."""
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, with the files that the README takes for an interviewer's."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("grader", "solutions", "exercises", "notebooks", "tests"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("Makefile", "requirements.txt", "LICENSE"):
        shutil.copy2(ROOT / name, folder)
    shutil.copy(ROOT / "notebooks" / "scaffold.ipynb", folder / "candidate.ipynb")
    shutil.copy(ROOT / "solutions" / "functional.py", folder / "candidate.py")
    (folder / "kit.zip").write_bytes(build_archive(BY_NAME["scaffold"], ROOT))
    (folder / "candidates").mkdir()
    for name in ("plain_class.py", "scaled_dot_product.py"):
        shutil.copy(ROOT / "solutions" / name, folder / "candidates")
    return folder


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("command", [line for line in COMMANDS if not line.startswith(NOT_RUN_HERE)])
def test_a_command_ends_as_it_says(clone: Path, command: str) -> None:
    done = ran(command, clone)
    status = re.search(r"# status (\d)", command)
    assert (int(status[1]) if status else 0) == done.returncode, done.stdout + done.stderr
    assert done.stdout or done.returncode == 2


@pytest.mark.slow
def test_the_files_that_a_command_names_are_written(clone: Path) -> None:
    command = next(line for line in COMMANDS if "JSON=report.json" in line)
    for name in ("report.json", "report.xml"):
        (clone / name).unlink(missing_ok=True)
    ran(command, clone)
    assert (clone / "report.json").read_text().startswith("[")
    assert (clone / "report.xml").read_text().startswith("<?xml")


def test_the_two_commands_come_first() -> None:
    assert ["make grade", "make test"] == [line.partition("#")[0].strip() for line in BLOCKS[0].splitlines()]


def test_every_make_target_of_the_pages_exists() -> None:
    makefiles = (ROOT / "Makefile").read_text() + (ROOT / "grader" / "kit" / "Makefile").read_text()
    rules = set(re.findall(r"^(\w+):", makefiles, re.MULTILINE))
    text = "".join((ROOT / page).read_text() for page in PAGES)
    assert set() == set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)) - rules


@pytest.mark.deep
def test_jupyterlab_is_installed() -> None:
    command = [sys.executable, "-m", "jupyter", "lab", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    assert re.match(r"\d+\.\d+", done.stdout)


def test_the_readme_is_read_in_three_minutes() -> None:
    assert len(README.splitlines()) <= 150


def test_a_diagnosis_stands_within_the_first_30_lines() -> None:
    first = README.splitlines()[:30]
    assert "```console" in first
    assert 1 == sum("likely mistake: " in line for line in first)


@pytest.mark.parametrize("page", PAGES)
def test_generated_parts_are_what_is_generated_now(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert without_protections(renewed(text)) == without_protections(text), f"{page} is stale: run make readme"


def test_a_stale_table_a_stale_capture_and_a_stale_quotation_are_made_anew() -> None:
    page = (
        "before\n<!-- tiers -->\n\n| outworn |\n\n<!-- end -->\n"
        "```console\n$ python -c 'print(6 * 7)'\n41\n```\n"
        "```python\n# tests/readme_blocks.py: main\noutworn\n```\nafter\n"
    )
    new = renewed(page)
    assert new.startswith("before\n<!-- tiers -->\n\n| tier | what passing it proves | in |\n| --- | --- |")
    assert "|\n\n<!-- end -->\n```console\n$ python -c 'print(6 * 7)'\n42\n```\n" in new
    assert "# tests/readme_blocks.py: main\ndef main() -> None:\n" in new
    assert new.endswith("```\nafter\n")
    assert "outworn" not in new
    assert renewed(new) == new


def test_a_quotation_of_what_is_gone() -> None:
    with pytest.raises(LookupError) as caught:
        definition("grader/cli/grade.py", "gone")
    assert "grader/cli/grade.py does not define gone: quote something else in its place" == str(caught.value)


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md"])
def test_links_lead_to_files_and_headings_that_exist(page: str) -> None:
    broken = []
    for target in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        path, _, heading = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        if not file.exists() or (heading and heading not in headings(file)):
            broken.append(target)
    assert [] == broken


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_exist(page: str) -> None:
    named = re.findall(r"`((?:grader|tests|exercises|notebooks|solutions)/[\w/.]*)`", (ROOT / page).read_text())
    placeholders = ("NAME", "KATA")
    assert [] == [name for name in named if not (ROOT / name).exists() and not any(x in name for x in placeholders)]


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("python ")])
def test_a_program_is_told_the_options_that_exist(command: str) -> None:
    words = shlex.split(command, comments=True)
    help_text = ran("python -m grader grade --help").stdout
    assert [] == [word for word in words if word.startswith("--") and word not in help_text]


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    lines = (line.lstrip("#").strip().lower() for line in page.read_text().splitlines() if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", line).replace(" ", "-") for line in lines}


def without_protections(text: str) -> str:
    """Which protections are on depends on the machine, and they are no claim of the capture."""
    return re.sub(r"^protections on: .*(\nnot isolated: .*)?$", "protections on: ...", text, flags=re.MULTILINE)
