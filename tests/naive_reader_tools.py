"""What each trick of tests/hostile/handed_in/ does to the reader of tests/naive_reader.py, as it says; and a try."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.grading import ROOT
from tests.hostile_files import HANDED_IN, control, module
from tests.naive_reader import WORDS
from tests.naive_ways import WAYS


class Asked(NamedTuple):
    """One file, read in one way."""

    path: Path
    """In a folder of its own, whose parent is its own too."""
    way: str
    worth: int
    """The points of its code."""


def fools(name: str) -> tuple[str, str]:
    """The way that a trick undoes, and the word for what comes of it."""
    way, _, word = str(module(name).FOOLS).partition(": ")
    return way, word


def laid(name: str, folder: Path) -> Asked:
    """A trick in a new folder, to be read in the way that it undoes.

    Raises:
        PermissionError: only root can make that kind of file.
    """
    handed = folder / name / "handed"
    handed.mkdir(parents=True)
    code = control(name)
    worth = 100 if code.name == "control_right" else 0
    return Asked(module(name).make(handed, code.source), fools(name)[0], worth)


def read(asked: Sequence[Asked]) -> list[str]:
    """What comes of each, all in one run of the naive reader."""
    given = json.dumps([(str(each.path), each.way, each.worth) for each in asked])
    command = [sys.executable, "-m", "tests.naive_reader"]
    ran = subprocess.run(command, input=given, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    return list(json.loads(ran.stdout))


def by_way() -> list[tuple[str, str, str]]:
    """Of each way: what is read, and what tricks do to it."""
    done = {name.replace("_", " "): fools(name) for name in HANDED_IN}
    return [
        (way, str(read.__doc__), ", ".join(f"{name} ({word})" for name, (of, word) in done.items() if of == way))
        for way, read in WAYS.items()
    ]


def by_word() -> list[tuple[str, str, int]]:
    """What each word says, and how many tricks it stands for."""
    count = Counter(fools(name)[1] for name in HANDED_IN)
    return [(word, what, count[word]) for word, what in WORDS.items()]
