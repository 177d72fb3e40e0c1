"""JupyterLab, as `make notebook` starts it, in a real browser."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, until
from tests.grading import ROOT, solution

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium"),
]
BOOK = "scaffold.ipynb"
OUTPUTS = "[...document.querySelectorAll('.jp-OutputArea-output')].map(output => output.innerText)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / BOOK, tmp_path / "notebooks")
    return tmp_path / "notebooks"


@pytest.fixture
def browser(folder: Path, tmp_path: Path) -> Iterator[Browser]:
    """With the notebook open."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    hook = "--ContentsManager.pre_save_hook=grader.jupyter.save_hook.before_save"
    options = f"--no-browser --allow-root --port={port} --IdentityProvider.token= --expose-app-in-browser".split()
    with subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", hook, *options],
        cwd=folder,
        env={**os.environ, **own, "JUPYTER_CONFIG_PATH": str(ROOT / "grader" / "jupyter")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            until(lambda: list((tmp_path / "JUPYTER_RUNTIME_DIR").glob("jpserver-*.json")))
            with Browser(tmp_path / "profile", f"http://127.0.0.1:{port}/lab/tree/{BOOK}") as opened:
                until(lambda: opened.value("!!window.jupyterapp && document.querySelectorAll('.jp-Cell').length > 10"))
                until(lambda: opened.value("!!jupyterapp.shell.currentWidget.sessionContext?.session?.kernel"))
                yield opened
        finally:
            server.terminate()


def command(browser: Browser, name: str) -> None:
    """Runs a command of JupyterLab to its end."""
    browser.value(f"jupyterapp.commands.execute({json.dumps(name)}).then(() => 1)")


def write(browser: Browser, source: str) -> None:
    """Puts an answer in the place of the stub."""
    browser.value(
        "jupyterapp.shell.currentWidget.content.widgets.find("
        "cell => cell.model.sharedModel.source.includes('def _apply_masks'))"
        f".model.sharedModel.setSource({json.dumps(source)})"
    )


def run_all(browser: Browser) -> list[str]:
    """The texts of all outputs."""
    command(browser, "notebook:run-all-cells")
    return list(browser.value(OUTPUTS))


def test_a_notebook_is_graded_in_jupyterlab(browser: Browser, folder: Path) -> None:
    before = (folder / BOOK).read_bytes()
    command(browser, "docmanager:save")
    assert before == (folder / BOOK).read_bytes()  # opening and saving it changed nothing

    *examples, verdict = run_all(browser)
    assert {"not written yet: __init__"} == {*examples}
    assert verdict.startswith("graded: MultiHeadAttention of In [3]\n\nscaffold 0 of 100 0 of 8 tiers passed\n")

    write(browser, solution("scaffold").replace(" / math.sqrt(self.head_dim)", ""))
    *_, verdict = run_all(browser)
    assert "The scores were not divided by sqrt(head_dim)" in verdict

    write(browser, solution("scaffold"))
    *_, verdict = run_all(browser)
    assert "\n\nscaffold 100 of 100 8 of 8 tiers passed\n" in verdict
    assert "module" == browser.value("[...document.querySelectorAll('.jp-OutputArea-output a')].pop().innerText")
