"""What each way of reading is given and gives, and a program that some of them start."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Handed(NamedTuple):
    """What is read, and by what means."""

    path: Path
    work: Path
    """The only folder that the reader means to write in."""
    look: Callable[[], None]
    """To be called for each part of the file that is looked at, each time anew."""


class Found(NamedTuple):
    """What a reader makes of it."""

    code: str = ""
    shown: str = ""
    """To a person, on a terminal."""
    points: int | None = None
    """None: it gives none."""


def started(handed: Handed, *command: str) -> int:
    """The exit status of a program that is started in its folder."""
    folder = handed.path.parent
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False).returncode
