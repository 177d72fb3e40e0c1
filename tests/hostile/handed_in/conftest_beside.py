"""Lays a conftest.py beside the submission, whose hooks turn every failed test into a passed one."""

from pathlib import Path

CODE = "wrong"

CONFTEST = """
from pathlib import Path
import pytest
Path(__file__).with_name("ran").touch()

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""


def make(folder: Path, code: str) -> Path:
    (folder / "conftest.py").write_text(CONFTEST)
    path = folder / "candidate.py"
    path.write_text(code)
    return path
