"""A judge in a process of its own, for a front whose process must not hold the judge, or must not wait for it.

A kernel has run the submission, whose code could have changed a judge in the same process. A watch answers keys while
the judge works.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO

from grader import clean_process
from grader.core import place
from grader.core.events import Event
from grader.core.request import Request
from grader.core.serve import End, Settings, read, write
from grader.formats.text import NOT_YOU
from grader.records import GraderError

SERVE = "grader.core.serve"
MOST_OF_A_REASON = 2000
"""The most characters that are shown of the last words of a process that died."""


class JudgeProcess:
    """A process of grader/core/serve.py, started when it is first needed and kept between requests."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._settings = Settings()
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the kernel

    def events(self, request: Request, settings: Settings) -> Iterator[Event]:
        """Yields what `Grader.grade` yields in that process.

        Raises:
            GraderError: as of `Grader.grade`; or the grader failed, or its process ended.
        """
        end: End | None = None
        try:
            process = self._started(settings)
            assert process.stdin is not None
            assert process.stdout is not None
            write(process.stdin, request)
            for line in process.stdout:
                record = read(line)
                if isinstance(record, End):
                    end = record
                    break
                yield record
        except BrokenPipeError:
            pass
        finally:
            if end is None:  # interrupted, or dead: what the process still writes is not for the next request
                self.close()
        if end is None:
            raise GraderError(f"{NOT_YOU} Its process ended{self._reason()}")
        if end.fault is not None:
            raise GraderError(f"{NOT_YOU}\n{end.fault}")
        if end.refusal is not None:
            raise GraderError(end.refusal)

    def interrupt(self) -> None:
        """Ends the current request, as Ctrl-C does, and keeps the process."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Ends the process and all that it started; may be called again."""
        process, self._process = self._process, None  # two threads may end it
        if process is not None:
            process.kill()
            process.wait()

    def _started(self, settings: Settings) -> subprocess.Popen[str]:
        if self._process is not None and settings != self._settings:
            self.close()
        if self._process is None:
            self._settings = settings
            command, environment, task = _command()
            self._process = subprocess.Popen(
                command,
                env=environment,
                pass_fds=task,
                cwd=place.ROOT,  # not the notebook's folder: a file there with a module's name would be imported
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C is for the kernel alone, which ends this process where it must
            )
            for descriptor in task:
                os.close(descriptor)
            assert self._process.stdin is not None
            write(self._process.stdin, settings)
        return self._process

    def _reason(self) -> str:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        return f":\n{said[-MOST_OF_A_REASON:]}" if said else "."


def _command() -> tuple[list[str], Mapping[str, str] | None, list[int]]:
    """The command that starts the process, its environment (None: as here), and descriptors that it inherits."""
    if not clean_process.CAN_BE_STARTED:
        return [sys.executable, "-m", SERVE], None, []
    command, task = clean_process.command(SERVE)
    return command, clean_process.ENVIRONMENT, [task]
