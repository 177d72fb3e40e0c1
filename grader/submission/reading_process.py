"""Files are decoded in a process of their own, behind limits: one that is made to be slow or huge stops no other."""

import json
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from grader.records import Cell, Definition, Submission

PROGRAM = Path(__file__).with_name("program.py")


class ReadingFault(Exception):
    """An error in the grader itself while it read a file; its note is the traceback."""


class Reading(NamedTuple):
    """The result of decoding a file's bytes: one of the three is set."""

    submission: Submission | None = None
    problem: str | None = None
    """What is wrong with the file, and the repair."""
    failure: ReadingFault | None = None


class ReadingProcess:
    """Decodes one file after the other, each in a fork of its own; as a context manager it ends the process.

    The process is started for the first file. It does not import PyTorch, and starts in 0.05 s.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "ReadingProcess":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    @property
    def runs(self) -> bool:
        """Whether the process can decode a file: it was not ended from outside."""
        return self._process is None or self._process.poll() is None

    def close(self) -> None:
        """Ends the process; may be called again."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin
        assert process.stdout
        process.kill()
        process.wait()
        with suppress(BrokenPipeError):  # it had ended
            process.stdin.close()
        process.stdout.close()

    def decode(self, path: Path, data: bytes, limits: Mapping[str, int]) -> Reading:
        """The submission in a file's bytes, or why there is none.

        Args:
            path: by its suffix a `.py` or `.ipynb` file; nothing is read from there.
            data: the bytes.
            limits: as `most_bytes` gives them.
        """
        process = self._process = self._process or (_started.pop() if _started else _start())
        assert process.stdin
        assert process.stdout
        try:
            head = {"path": str(path), "bytes": len(data), "limits": dict(limits)}
            process.stdin.write(json.dumps(head).encode() + b"\n" + data)
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            if "submission" in answer:
                return Reading(_from_json(path, answer["submission"]))
            return Reading(problem=answer.get("problem"), failure=_fault(answer.get("failure")))
        except (OSError, ValueError):  # it has ended
            return Reading(failure=_fault(traceback.format_exc()))


_started: list[subprocess.Popen[bytes]] = []


def take_over(process: subprocess.Popen[bytes]) -> None:
    """Keeps a process that was started earlier (grader/import_once.py) for the next object of this kind."""
    _started.append(process)


def _start() -> subprocess.Popen[bytes]:
    # -P: the program's folder, and so modules of ours by bare name, stay out of sys.path.
    command = [sys.executable, "-P", str(PROGRAM)]
    # Ctrl-C in the terminal is for the grader; at the end of its input the process leaves.
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def to_json(submission: Submission) -> dict[str, Any]:
    """A submission as JSON takes it, without `path` and `beside`, which are None."""
    return {**asdict(submission), "path": None, "beside": None}


def _fault(trace: str | None) -> ReadingFault | None:
    if trace is None:
        return None
    fault = ReadingFault(trace.strip().rpartition("\n")[2])
    fault.add_note(trace)
    return fault


def _from_json(path: Path, fields: dict[str, Any]) -> Submission:
    return Submission(
        path,
        fields["sha256"],
        tuple(Cell(**each) for each in fields["cells"]),
        fields["is_notebook"],
        fields["kata_hint"],
        imports=tuple(fields["imports"]),
        worth_reading=fields["worth_reading"],
        definitions=tuple(_definition(**each) for each in fields["definitions"]),
    )


def _definition(uses: list[str], **fields: Any) -> Definition:
    return Definition(uses=tuple(uses), **fields)
