"""Chromium without a window, driven over its DevTools protocol."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websocket import create_connection

PATIENCE_S = 120.0
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --remote-debugging-port=0 --remote-allow-origins=* "
    "--window-size=1400,1000"
).split()


class Browser:
    """One page of a Chromium of its own; a context manager.

    Args:
        folder: an empty folder for its profile.
        address: the page to open.
    """

    def __init__(self, folder: Path, address: str) -> None:
        self._process = subprocess.Popen(
            ["chromium", *OPTIONS, f"--user-data-dir={folder}", address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = folder / "DevToolsActivePort"
        until(lambda: port_file.exists() and len(port_file.read_text().splitlines()) > 1)
        port = port_file.read_text().splitlines()[0]
        pages = until(lambda: [page for page in _listed(port) if page["type"] == "page"])
        self._socket = create_connection(pages[0]["webSocketDebuggerUrl"], timeout=PATIENCE_S)
        self._count = 0

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *unused: object) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def value(self, script: str) -> Any:
        """What a script evaluates to in the page; a promise is awaited."""
        self._count += 1
        parameters = {"expression": script, "returnByValue": True, "awaitPromise": True}
        self._socket.send(json.dumps({"id": self._count, "method": "Runtime.evaluate", "params": parameters}))
        while (answer := json.loads(self._socket.recv())).get("id") != self._count:
            pass
        return answer.get("result", {}).get("result", {}).get("value")


def until(holds: Callable[[], Any]) -> Any:
    """The first value that is no nothing.

    Raises:
        AssertionError: there is none before patience ends.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not (value := holds()):
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.1)
    return value


def _listed(port: str) -> list[dict[str, Any]]:
    with urlopen(f"http://127.0.0.1:{port}/json", timeout=PATIENCE_S) as answer:
        return list(json.load(answer))
