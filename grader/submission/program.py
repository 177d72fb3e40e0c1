"""The process in which files are decoded: it forks for each of them, and limits bind the child alone.

Requests on its standard input are a line of JSON (`path`, `bytes`, `limits`) and the file's bytes; each is answered by
a line of JSON on its standard output: `submission`, `problem` or `failure`. At the end of its input it leaves.
"""

import gc
import importlib.util
import json
import os
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

PROCESSOR_S, WHOLE_S = 10, 60
"""Limits on processor time and wall-clock time: far above what a file of allowed size takes on a slow, busy machine."""
MEMORY_BYTES = 1 << 30
DEEPEST = 10_000
"""The recursion limit: an expression of thousands of terms is written out by a function that calls itself."""


def main() -> None:
    """Serves until the end of its input."""
    while line := sys.stdin.buffer.readline():
        head = json.loads(line)
        data = sys.stdin.buffer.read(head["bytes"])
        sys.stdout.buffer.write(_behind_limits(head, data) + b"\n")
        sys.stdout.buffer.flush()


def _behind_limits(head: dict[str, Any], data: bytes) -> bytes:
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        _decode(head, data, theirs)
    os.close(theirs)
    with open(ours, "rb") as answer:
        reply = answer.read()
    _, status = os.waitpid(pid, 0)
    return reply if status == 0 else json.dumps({"problem": _too_much(head["path"])}).encode()


def _decode(head: dict[str, Any], data: bytes, answer: int) -> NoReturn:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.alarm(WHOLE_S)
    sys.setrecursionlimit(DEEPEST)
    try:
        with open(answer, "wb") as file:
            file.write(json.dumps(_reply(head, data)).encode())
        os._exit(0)
    finally:
        os._exit(1)


def _reply(head: dict[str, Any], data: bytes) -> dict[str, Any]:
    try:
        return {"submission": to_json(decode(Path(head["path"]), data, head["limits"]))}
    except GraderError as problem:
        return {"problem": str(problem)}
    except (MemoryError, RecursionError):
        return {"problem": _too_much(head["path"])}
    except Exception:
        return {"failure": traceback.format_exc()}


def _too_much(path: str) -> str:
    limits = f"{PROCESSOR_S} s or {MEMORY_BYTES >> 20} MiB"
    return f"{path} takes more than {limits} to read, or nests too deeply: keep what the kata needs only."


def _leave_out_terminal() -> None:
    """Lets IPython's modules be imported one by one: importing its package imports a whole terminal, in 0.3 s."""
    if spec := importlib.util.find_spec("IPython"):
        package = ModuleType("IPython")
        package.__path__ = list(spec.submodule_search_locations or ())
        sys.modules["IPython"] = package


if __name__ == "__main__":
    gc.disable()  # a fork decodes one file and ends: collections are a third of its time
    warnings.simplefilter("ignore")  # untidy is still correct
    _leave_out_terminal()
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from grader.records import GraderError
    from grader.submission.decode import decode
    from grader.submission.reading_process import to_json

    main()
