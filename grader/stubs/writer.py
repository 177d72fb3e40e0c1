"""Writes the exercises and notebooks from the solutions, and says which of them are out of date."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from grader.records import GraderError
from grader.stubs.backup import replace_text
from grader.stubs.exercise import exercise
from grader.stubs.index import NAME, Rung, build_index
from grader.stubs.markers import with_solutions, without_solutions
from grader.stubs.notebook_builder import build
from grader.stubs.solution_cells import read_cells

NOT_OURS = {"__pycache__", ".ipynb_checkpoints", ".gitkeep", ".DS_Store"}


class WrittenFile(NamedTuple):
    """A generated file that was written, and where its old text is kept; None where there was none."""

    path: Path
    backup: Path | None


def kata_names(root: Path) -> list[str]:
    """The names of all solutions, sorted: the only list of katas that the writer knows.

    Raises:
        GraderError: there is no solution.
    """
    names = sorted(path.stem for path in (root / "solutions").glob("*.py"))
    if not names:
        raise GraderError("solutions/ has no .py file, and everything is generated from it: restore it")
    return names


def stub(kata_name: str, root: Path) -> str:
    """The pristine exercise of a kata.

    Raises:
        GraderError: there is no such solution, or its markers or tags are wrong.
    """
    text, path = _solution(kata_name, root)
    return exercise(kata_name, read_cells(without_solutions(text, path), path))


def notebook(kata_name: str, root: Path, *, solved: bool = False, hints: bool = True) -> NotebookNode:
    """The pristine notebook of a kata.

    Args:
        kata_name: the kata's name.
        root: the repository.
        solved: whether our solution stands in place of the stub.
        hints: whether the hints are in it, which a kit leaves out.

    Raises:
        GraderError: there is no such solution, or its markers or tags are wrong.
    """
    text, path = _solution(kata_name, root)
    text = with_solutions(text, path) if solved else without_solutions(text, path)
    return build(kata_name, [cell for cell in read_cells(text, path) if hints or cell.tag != "hints"])


def notebook_text(kata_name: str, root: Path, *, hints: bool = True) -> str:
    """Return the text of a kata's pristine notebook file; arguments as of `notebook`, and errors too."""
    return nbformat.writes(notebook(kata_name, root, hints=hints)) + "\n"


def solved(kata_name: str, root: Path) -> str:
    """Our solution with its steps, as Markdown.

    Raises:
        GraderError: there is no such solution, or its markers or tags are wrong.
    """
    text, path = _solution(kata_name, root)
    cells = read_cells(with_solutions(text, path), path)
    parts = [cell.source for cell in cells if cell.tag == "solution"]
    parts += [f"```python\n{cell.source}\n```" for cell in cells if cell.tag == "stub"]
    return "\n\n".join(parts) + "\n"


def write_all(root: Path, katas: Sequence[Rung]) -> list[WrittenFile]:
    """Write every exercise and notebook that is missing or out of date; an old text is kept in a .bak file.

    A stale stub and a candidate's work look alike from here, so both are kept.

    Args:
        root: the repository.
        katas: the katas that the index lists, in teaching order.

    Returns:
        The files that were written.

    Raises:
        GraderError: as `stub`, and nothing has been written then; or a file cannot be written.
    """
    changed = [(path, text) for path, text in _generated(root, katas).items() if _read(path) != text.encode()]
    return [WrittenFile(path, replace_text(path, text)) for path, text in changed]


def check_all(root: Path, katas: Sequence[Rung]) -> list[str]:
    """One sentence for every file in exercises/ and notebooks/ that is stale, missing or unknown.

    Args:
        root: the repository.
        katas: the katas that the index lists, in teaching order.

    Raises:
        GraderError: as `stub`.
    """
    generated = _generated(root, katas)
    problems = []
    for path, text in generated.items():
        name = path.relative_to(root)
        source = "the registry of katas" if path.stem == NAME else f"solutions/{path.stem}.py"
        if not path.exists():
            problems.append(f"{name} is missing, though there is {source}: run make stubs")
        elif _read(path) != text.encode():
            repair = "run make stubs, which keeps the old text in a .bak file"
            problems.append(f"{name} is not what {source} generates: {repair}")
    for folder in ("exercises", "notebooks"):
        for path in sorted((root / folder).glob("*")):
            if path not in generated and path.name not in NOT_OURS and path.suffix != ".bak":
                name = path.relative_to(root)
                problems.append(f"{name} has no solution: remove it or add solutions/{path.stem}.py")
    return problems


def _generated(root: Path, katas: Sequence[Rung]) -> dict[Path, str]:
    files = {root / "notebooks" / f"{NAME}.ipynb": nbformat.writes(build_index(katas)) + "\n"}
    for name in kata_names(root):
        files[root / "exercises" / f"{name}.py"] = stub(name, root)
        files[root / "notebooks" / f"{name}.ipynb"] = notebook_text(name, root)
    return files


def _solution(kata_name: str, root: Path) -> tuple[str, Path]:
    path = Path("solutions") / f"{kata_name}.py"
    if not (root / path).is_file():
        raise GraderError(f"{path} is missing, and the stub is generated from it: restore the file")
    return (root / path).read_text(encoding="utf-8"), path


def _read(path: Path) -> bytes | None:
    """Return a file's bytes, as what somebody wrote there need not be text; None: there is no file."""
    return path.read_bytes() if path.exists() else None
