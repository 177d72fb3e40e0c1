"""The kit: what is in it, what is not, and that two of them are the same."""

import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest

from grader.checks.kata import Kata
from grader.claims.hidden import gradients, parity
from grader.cli import main
from grader.kit import build, build_archive
from grader.kit import manifest as of_a_kit
from grader.oracle import pipeline
from grader.oracle.catalogue import layout
from grader.records import GraderError, Visibility
from grader.submission.kit_json import loads
from tests.grading import BY_NAME, ROOT, solution
from tests.kit_search import OF_A_SOLUTION, hidden, secrets_in, solutions

EACH_KATA = pytest.mark.parametrize("kata", BY_NAME.values(), ids=list(BY_NAME))
SCAFFOLD = BY_NAME["scaffold"]


@cache
def files(kata: Kata) -> dict[str, bytes]:
    """The members of its zip file."""
    with zipfile.ZipFile(io.BytesIO(build_archive(kata, ROOT))) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def with_other_names(source: str) -> str:
    """Every name but an attribute and a keyword gets a letter more."""
    return re.sub(r"(?<![.\w])(?!def\b|return\b|if\b|else\b|for\b|in\b|is\b|not\b|and\b)([A-Za-z_]\w*)", r"\1z", source)


@EACH_KATA
def test_a_kit_holds_the_kata_and_no_other(kata: Kata) -> None:
    there = files(kata)
    assert (ROOT / "exercises" / f"{kata.name}.py").read_bytes() == there[f"exercises/{kata.name}.py"]
    assert there[f"pristine/{kata.name}.py"] == there[f"exercises/{kata.name}.py"]
    assert there[f"pristine/{kata.name}.ipynb"] == there[f"notebooks/{kata.name}.ipynb"]
    others = [name for name in there for other in BY_NAME if other != kata.name and Path(name).stem == other]
    assert [] == others
    assert {"README.md", "Makefile", "LICENSE", "requirements.txt", "kit.json", "grader/cli/grade.py"} <= set(there)


@EACH_KATA
def test_a_kit_is_plain_text_from_end_to_end(kata: Kata) -> None:
    """No compiled file under any name, and nothing that git or an editor left."""
    assert {".py", ".ipynb", ".md", ".txt", ".json", ".css", ""} == {Path(name).suffix for name in files(kata)}
    assert [] == [name for name, data in files(kata).items() if re.search(rb"[\x00-\x08\x0e-\x1f]", data)]
    assert [] == [name for name in files(kata) if re.search(r"(^|/)(\.|__pycache__|tests/|solutions/)", name)]


@pytest.mark.slow
@pytest.mark.sample(2)
@EACH_KATA
def test_a_kit_holds_no_solution_no_oracle_no_mistake_and_no_hidden_check(kata: Kata) -> None:
    assert [] == secrets_in(files(kata), kata.name)


@pytest.mark.slow
def test_there_is_enough_to_look_for() -> None:
    assert {secret.name.split(".")[0] for secret in solutions()} == set(BY_NAME)
    assert min(len(secret.tokens) for secret in solutions()) > OF_A_SOLUTION
    closed = {check.name for kata in BY_NAME.values() for check in kata.checks if check.visibility != "public"}
    names = {secret.name for secret in hidden()}
    assert len(closed & names) > 25
    in_a_folder = {"attentions.some_of", "benchmark.slope", "mistakes._neighbours", "key.BenchmarkKey"}
    assert {f"grader.katas.write_memory_benchmark.hidden.{name}" for name in in_a_folder} <= names


HIDDEN_CLAIM = inspect.getsource(parity.under_both_masks)
SOLVED = max(re.findall(r"# BEGIN SOLUTION\n(.*?)\n *# END SOLUTION", solution("module"), re.DOTALL), key=len)
PUT_IN = {
    "a hidden claim": ("grader/claims/shapes.py", HIDDEN_CLAIM, "under_both_masks"),
    "a hidden claim in a comment": ("Makefile", re.sub("^", "# ", HIDDEN_CLAIM, flags=re.M), "under_both_masks"),
    "a hidden claim under other names": (
        "grader/cli/doctor.py",
        with_other_names(inspect.getsource(gradients.no_state_is_kept)),
        "no_state_is_kept",
    ),
    "a step of the oracle": ("grader/wire.py", inspect.getsource(pipeline.softmax), "grader.oracle.pipeline.softmax"),
    "a mistake": (
        "README.md",
        inspect.getsource(layout._merge_by_view),
        "grader.oracle.catalogue.layout._merge_by_view",
    ),
    "a line of a solution": ("grader/cli/grade.py", max(SOLVED.splitlines(), key=len), "module."),
    "a solution under other names": ("requirements.txt", with_other_names(SOLVED), "module."),
}


@pytest.mark.slow
@pytest.mark.parametrize("situation", PUT_IN)
def test_what_is_put_in_is_found(situation: str) -> None:
    name, text, secret = PUT_IN[situation]
    spoiled = files(SCAFFOLD) | {name: files(SCAFFOLD)[name] + b"\n" + text.encode()}
    assert [each for each in secrets_in(spoiled) if each.startswith(f"{name}: {secret}")]


def test_a_sentence_about_a_mistake_is_found() -> None:
    sentence = SCAFFOLD.key.mistakes[0].why
    spoiled = files(SCAFFOLD) | {"LICENSE": ("x\n" + sentence.replace(" ", "\n", 1)).encode()}
    assert [f"LICENSE: {sentence}"] == secrets_in(spoiled)


def test_what_is_put_into_a_cell_of_the_notebook_is_found() -> None:
    name = "notebooks/scaffold.ipynb"
    notebook = json.loads(files(SCAFFOLD)[name])
    notebook["cells"][4]["source"] = HIDDEN_CLAIM.replace("mha", "x").splitlines(keepends=True)
    assert f"{name}: under_both_masks" in secrets_in(files(SCAFFOLD) | {name: json.dumps(notebook).encode()})


@EACH_KATA
def test_the_notebook_of_a_kit_has_no_hints_and_no_link_to_them(kata: Kata) -> None:
    book = json.loads(files(kata)[f"notebooks/{kata.name}.ipynb"])
    tags = [tag for cell in book["cells"] for tag in cell["metadata"]["tags"]]
    assert "hints" not in tags
    assert "write" in tags
    assert "hint" not in json.dumps(book).lower()


def test_a_kit_has_the_files_of_its_kata_but_what_is_hidden() -> None:
    """What the kit's own grader finds is compared in test_kit_runs."""
    for kata in BY_NAME.values():
        folder = f"grader/katas/{kata.name}/"
        own = {name.removeprefix(folder) for name in files(kata) if name.startswith(folder)}
        assert {"__init__.py", "contract.py", "public.py", "points.json"} == own


@EACH_KATA
def test_the_manifest_says_what_the_kit_is(kata: Kata) -> None:
    kit = loads(files(kata)["kit.json"], "kit.json")
    assert kata.name == kit.kata
    public = sum(check.points for check in kata.checks if check.visibility is Visibility.PUBLIC)
    assert (public, 100) == (kit.public_points, kit.all_points)
    assert [f"exercises/{kata.name}.py", f"notebooks/{kata.name}.ipynb"] == list(kit.code)
    assert set(files(kata)) - {"kit.json"} == set(kit.files)
    assert f"worth {public} of 100 points" in files(kata)["README.md"].decode()


def test_the_readme_asks_for_what_the_repositorys_does() -> None:
    sentences = (
        "The first `make` command installs 1.5 GB into `.venv`. On Linux it asks PyTorch's own index for a build",
        "Python 3.11 or newer and `make` are needed, on Linux; 3.11, 3.12 and 3.13 were tried. "
        "macOS has not been tried; fewer sandbox layers work there.",
    )
    unlinked = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", (ROOT / "README.md").read_text())
    for text in (unlinked, files(SCAFFOLD)["README.md"].decode()):
        assert [] == [sentence for sentence in sentences if sentence not in " ".join(text.split())]


def test_a_zip_file_is_offered_where_one_is_graded(capsys: pytest.CaptureFixture[str]) -> None:
    """A kit has none of the commands that a candidate has no use for."""
    assert 0 == main(["grade", "--help"])
    assert ".py, .ipynb, .zip or folder; left out: exercises/" in " ".join(capsys.readouterr().out.split())
    left_out = {f"grader/cli/{name}.py" for name in ("kit", "list", "stubs")}
    assert left_out.isdisjoint(files(SCAFFOLD))


def test_only_what_grading_and_the_notebook_need_is_installed() -> None:
    names = re.findall(r"^([\w-]+)==", files(SCAFFOLD)["requirements.txt"].decode(), re.MULTILINE)
    assert list(of_a_kit.REQUIREMENTS) == names


@pytest.mark.slow
def test_two_kits_are_the_same_whatever_folder_umask_and_date(tmp_path: Path) -> None:
    clone = tmp_path / "another folder"
    for name in ("grader", "solutions"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "requirements.txt", "LICENSE"):
        shutil.copyfile(ROOT / name, clone / name)
    for path in clone.rglob("*.py"):
        path.chmod(0o600)
        os.utime(path, (0, 0))
    command = [sys.executable, "-m", "grader", "kit", "--kata", "scaffold", "--out", "../kit.zip"]
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "5", "TZ": "Asia/Tokyo"}
    subprocess.run(command, cwd=clone, env=environment, umask=0o077, check=True, capture_output=True)
    assert build_archive(SCAFFOLD, ROOT) == (tmp_path / "kit.zip").read_bytes()


def test_the_members_of_a_kit_tell_nothing_of_where_it_was_made() -> None:
    members = zipfile.ZipFile(io.BytesIO(build_archive(SCAFFOLD, ROOT))).infolist()
    assert sorted(member.filename for member in members) == [member.filename for member in members]
    assert {(1980, 1, 1, 0, 0, 0)} == {member.date_time for member in members}
    assert {(0o100644, 3, b"", b"")} == {
        (member.external_attr >> 16, member.create_system, member.extra, member.comment) for member in members
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "No kata was named to make a kit for: make kit KATA=NAME, with one of scaled_dot_product, plain_class"),
        (["--kata", "scafold"], 'There is no kata "scafold": did you mean scaffold?'),
        (["--kata", "scaffold", "--out", "kit"], "kit does not end in .zip: make kit KATA=scaffold OUT=kit.zip"),
        (["--kata", "scaffold", "--out", "gone/kit.zip"], "its folder gone does not exist: make it first."),
    ],
    ids=["no kata", "unknown kata", "no suffix", "no folder"],
)
def test_a_kit_that_cannot_be_made(
    arguments: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 2 == main(["kit", *arguments])
    assert sentence in capsys.readouterr().err
    assert [] == list(tmp_path.iterdir())


def test_a_kit_is_named_for_its_kata_where_no_name_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == main(["kit", "--kata", "plain_class"])
    assert ["kit-plain_class.zip"] == [path.name for path in tmp_path.iterdir()]
    assert "kit-plain_class.zip is the kit for plain_class\n" == capsys.readouterr().out


def test_a_kit_takes_the_place_of_the_same_kit_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that came back has the name that it was given."""
    monkeypatch.chdir(tmp_path)
    back = tmp_path / "kit-plain_class.zip"
    assert [0, 0] == [main(["kit", "--kata", "plain_class"]) for _ in range(2)]
    back.write_bytes(b"with the work of an hour")
    assert 2 == main(["kit", "--kata", "plain_class"])
    assert b"with the work of an hour" == back.read_bytes()
    assert "kit-plain_class.zip is there already, and is not this kit" in capsys.readouterr().err


def test_a_kit_does_not_take_the_place_of_a_file_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "kit-plain_class.zip").touch()
    monkeypatch.setattr("grader.kit.build_archive", lambda kata, root: b"")
    monkeypatch.setattr(Path, "read_bytes", refused)
    assert 2 == main(["kit", "--kata", "plain_class"])
    assert (
        "kit-plain_class.zip is there already, and cannot be read (Permission denied): move" in capsys.readouterr().err
    )


def test_a_file_of_the_manifest_that_is_gone(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    with pytest.raises(GraderError, match=r"^LICENSE is missing for the kit: restore it\.$"):
        build(SCAFFOLD, tmp_path)
