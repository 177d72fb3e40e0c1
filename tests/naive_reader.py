"""A reader as course graders have them, and as ours must not be: it reads what is handed in without a wall.

It does so in each of the ways of tests/naive_ways, in a process of its own with limits, so that a trick is harmless
where it works. What comes of it is one of a few words; of an honest file none.

Run as `python -m tests.naive_reader` with JSON `[[path, way, worth]]` on standard input, the worth being the points of
the code that was handed in; on standard output comes JSON, a word for each, empty where nothing came of it. Each file
lies in `A/B`, where nobody else has anything in `A`.
"""

import errno
import json
import os
import resource
import shutil
import signal
import sys
import time
import unicodedata
from contextlib import suppress
from pathlib import Path

from tests.naive_ways import WAYS, WITH_TORCH
from tests.naive_ways.notebooks import sources
from tests.naive_ways.parts import Found, Handed

WORDS = {
    "fills": "takes more memory, room on the disk or lines of a report than there is",
    "hangs": "is not done when its processor time ends, or waits for what never comes",
    "slow": "looks at parts of it more than four times for each of its bytes",
    "raises": "raises what the reader does not expect, and the next submission is not read",
    "runs": "runs what lies in it or beside it",
    "reads elsewhere": "shows or takes for a submission what was not handed in",
    "writes elsewhere": "writes outside of the reader's folder",
    "misreads": "reads other code than Python or Jupyter would run",
    "shows": "sends to the terminal what changes how a line looks",
    "forges": "gives more points than the code is worth",
}
"""What comes of a way."""

SECONDS = 3
SECONDS_TO_RUN = 60
"""Of processor time, for what only reads and for what runs a submission, which imports torch."""
ASLEEP_S = 2.0
"""A reader waits for nobody: one that sleeps for so long, with no process of its own at work, will not wake."""
ROOM = 128 << 20
ROOM_TO_RUN = 6 << 30
FILE_BYTES = 32 << 20
REPORT_BYTES = 1 << 20
LOOKS_PER_BYTE = 4
RUN = ("imports", "starts python", "starts pytest", *WITH_TORCH)


class Slow(Exception):
    """It looked too often."""


class Looks:
    """Counts, so that no clock decides what is slow."""

    def __init__(self, path: Path) -> None:
        self.left = LOOKS_PER_BYTE * path.lstat().st_size

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Slow


def work_of(path: Path) -> Path:
    """The reader's folder; what a name leads to that goes two up from it lies in the test's own folder still."""
    return path.parent.parent / "reader" / "work"


def word(path: Path, way: str, worth: int) -> str:
    """What comes of one way."""
    try:
        found = WAYS[way](Handed(path, work_of(path), Looks(path)))
    except MemoryError:
        return "fills"
    except Slow:
        return "slow"
    except Exception as problem:
        return "fills" if isinstance(problem, OSError) and problem.errno == errno.EFBIG else "raises"
    if (path.parent.parent / "ran").exists():
        return "writes elsewhere"
    if found.points is not None and found.points != worth:
        return "forges" if found.points > worth else "gives less"
    if (path.parent / "ran").exists():
        return "runs"
    return seen(path, found)


def seen(path: Path, found: Found) -> str:
    """What comes of what the reader takes for the code, and of what it shows."""
    if path.is_symlink():
        lines = path.read_text(encoding="utf-8").splitlines()
        return "reads elsewhere" * any(line and line in found.code + found.shown for line in lines)
    if found.code and found.code != meant(path):
        return "misreads"
    if len(found.shown) > REPORT_BYTES:
        return "fills"
    try:
        found.shown.encode()
    except UnicodeEncodeError:
        return "raises"
    marks = [sign for sign in found.shown if sign != "\n" and unicodedata.category(sign) in ("Cc", "Cf")]
    return "shows" if marks else ""


def meant(path: Path) -> str:
    """The code that Python or Jupyter would run."""
    text = path.read_text(encoding="utf-8")
    return text if path.suffix == ".py" else "\n".join(sources(json.loads(text)))


def confine(path: Path, way: str) -> None:
    """Limits, a group of its own, and nobody to talk to."""
    os.setpgid(0, 0)
    os.chdir(path.parent)
    work = work_of(path)
    work.mkdir(parents=True)
    os.environ.update(HOME=str(work), TMPDIR=str(work), IPYTHONDIR=str(work))
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    room, seconds = (ROOM_TO_RUN, SECONDS_TO_RUN) if way in RUN else (ROOM, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + room, taken + room))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # the one by SIGXCPU, the other by SIGKILL


def forked(path: Path, way: str, worth: int) -> str:
    """The word that a fork says; where it says none, why it ended."""
    told, tell = os.pipe()
    if not (pid := os.fork()):
        with suppress(BaseException):
            confine(path, way)
            os.write(tell, (word(path, way, worth) or "nothing").encode())
        os._exit(0)
    os.close(tell)
    status = ended(pid)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what it started
    shutil.rmtree(work_of(path).parent, ignore_errors=True)
    with os.fdopen(told) as said:
        spoken = said.read()
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM):
        return "hangs"
    return {"": f"ended with status {status}", "nothing": ""}.get(spoken, spoken)


def ended(pid: int) -> int:
    """The status of a process that ended; it is ended by SIGALRM where it sleeps and will not wake."""
    awake = time.monotonic()
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if not sleeps(pid):
            awake = time.monotonic()
        if time.monotonic() - awake > ASLEEP_S:
            os.kill(pid, signal.SIGALRM)
        time.sleep(0.005)


def sleeps(pid: int) -> bool:
    """Whether it waits, and not for the processor, nor for a process of its own."""
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "S" and not Path(f"/proc/{pid}/task/{pid}/children").read_text()


if __name__ == "__main__":
    asked = [(Path(path), way, worth) for path, way, worth in json.load(sys.stdin)]
    words = {}
    for with_torch in (False, True):
        if with_torch and any(way in WITH_TORCH for _, way, _ in asked):
            import torch

            torch.set_num_threads(1)
        words |= {each: forked(*each) for each in asked if (each[1] in WITH_TORCH) == with_torch}
    sys.stdout.write(json.dumps([words[each] for each in asked]))
