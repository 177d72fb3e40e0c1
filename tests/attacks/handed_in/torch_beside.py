"""Lays files named torch.py, math.py, conftest.py and grader.py beside the submission, in place of ours."""

from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    for name in ("torch.py", "math.py", "conftest.py", "pytest.py", "grader.py", "numpy.py"):
        (folder / name).write_text("from pathlib import Path\nPath(__file__).with_name('ran').touch()\n")
    path = folder / "candidate.py"
    path.write_text(code)
    return path
