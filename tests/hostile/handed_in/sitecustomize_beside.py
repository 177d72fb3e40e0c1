"""Lays sitecustomize.py and usercustomize.py beside the submission, which Python runs at its start."""

from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    for name in ("sitecustomize.py", "usercustomize.py"):
        (folder / name).write_text("from pathlib import Path\nPath(__file__).with_name('ran').touch()\n")
    path = folder / "candidate.py"
    path.write_text(code)
    return path
