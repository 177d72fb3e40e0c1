"""Imports a module that it lays beside itself; only what is handed in is graded, so that the import fails."""

from pathlib import Path

CODE = "right"

SAYS = "ModuleNotFoundError"


def make(folder: Path, code: str) -> Path:
    (folder / "helper.py").write_text("from pathlib import Path\nPath(__file__).with_name('ran').touch()\n")
    path = folder / "candidate.py"
    path.write_text(f"{code}\nimport helper\n")
    return path
