"""`python -m grader.core.serve`: a `Grader` in a process of its own, for a front whose process may not hold the judge.

Each end writes records as JSON, a line each. This process reads `Settings`, then requests, and answers each request
with its events and an `End`. It ends when its input is closed.
"""

import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from grader.core.events import EVENTS, Event
from grader.core.grader import Grader
from grader.core.jobs import processors
from grader.core.request import Request
from grader.formats.plain import from_plain, to_plain
from grader.records import GraderError
from grader.sandbox import Limits


@dataclass(frozen=True, slots=True)
class Settings:
    """How the grader is set up, as `Grader` takes it."""

    limits: Limits = field(default_factory=Limits)
    require_isolation: bool = False
    jobs: int | None = None
    """None: one for each processor."""

    def grader(self) -> Grader:
        """Return a grader with these settings."""
        return Grader(self.limits, require_isolation=self.require_isolation, jobs=self.jobs or processors())


@dataclass(frozen=True, slots=True)
class End:
    """Marks the end of a request's events."""

    refusal: str | None = None
    """The message of a `GraderError`, or that the request was interrupted."""
    fault: str | None = None
    """The traceback where the grader itself failed."""


INTERRUPTED = "Interrupted."
KINDS: dict[str, Any] = {**EVENTS, "Settings": Settings, "Request": Request, "End": End}


def write(stream: IO[str], record: Any) -> None:
    """Write one record as a line."""
    stream.write(json.dumps([type(record).__name__, to_plain(record)]) + "\n")
    stream.flush()


def read(line: str) -> Any:
    """Return the record that a line holds.

    Raises:
        ValueError: the line holds no record.
    """
    name, value = json.loads(line)
    return from_plain(KINDS[name], value, name)


def serve(requests: Iterator[str], replies: IO[str]) -> None:
    """Answers requests until there are no more.

    Args:
        requests: lines; the first holds the `Settings`, each of the others a `Request`.
        replies: where the answers are written.
    """
    settings = read(next(requests))
    with settings.grader() as grader:
        for line in requests:
            write(replies, _answered(grader, read(line), replies))


def _answered(grader: Grader, request: Request, replies: IO[str]) -> End:
    event: Event
    try:
        for event in grader.grade(request):
            write(replies, event)
    except GraderError as error:
        return End(refusal=str(error))
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return End(refusal=INTERRUPTED)
    except Exception:
        return End(fault=traceback.format_exc())
    return End()


def main(words: Sequence[str] = ()) -> None:
    """Serves on standard input and output; whatever else is printed here goes to standard error."""
    gc.disable()  # until the judge is imported (judging.py)
    # A front that a script started in the background ignores interrupts, and this process inherits that; it needs them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(iter(sys.stdin.readline, ""), replies)


if __name__ == "__main__":
    main()
