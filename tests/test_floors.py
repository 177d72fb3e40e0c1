"""The floors of docs/architecture.md: a file of the grader imports only files of a lower floor."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_floors_hold() -> None:
    ran = lint(ROOT)
    assert "0 broken" in ran.stdout, ran.stdout + ran.stderr
    assert 0 == ran.returncode


def test_a_file_that_imports_a_higher_floor_is_found(tmp_path: Path) -> None:
    """The contracts themselves are tested: one that matches nothing would hold for ever."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    for path in (ROOT / "grader").rglob("*.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text())
    katas = sorted((tmp_path / "grader" / "katas").glob("*/contract.py"))
    for path, line in (
        (tmp_path / "grader" / "records.py", "import grader.wire\n"),
        (tmp_path / "grader" / "worker" / "host.py", "import grader.checks\n"),
        (katas[0], f"import grader.katas.{katas[1].parent.name}.contract\nimport grader.formats.text\n"),
        (tmp_path / "grader" / "cli" / "grade.py", "import solutions\n"),
    ):
        path.write_text(path.read_text() + line)
    ran = lint(tmp_path)
    for name in (
        "A file imports only files of a lower floor BROKEN",
        "A kata knows no process, no submission and no report BROKEN",
        "A kata knows no other kata BROKEN",
        "The worker knows nothing of what is judged BROKEN",
        "The grader never imports a solution or an exercise BROKEN",
    ):
        assert name in ran.stdout, ran.stdout + ran.stderr
