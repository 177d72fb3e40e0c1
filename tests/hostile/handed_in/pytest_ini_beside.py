"""Lays pytest.ini, tox.ini and pyproject.toml beside the submission, which name a plugin of its own."""

from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p forged\npythonpath = .\n")
    (folder / "tox.ini").write_text("[pytest]\naddopts = -p forged\n")
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "-p forged"\n')
    (folder / "forged.py").write_text("from pathlib import Path\nPath(__file__).with_name('ran').touch()\n")
    path = folder / "candidate.py"
    path.write_text(code)
    return path
