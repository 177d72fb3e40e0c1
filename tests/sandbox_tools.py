"""What the tests of sandbox and worker share: a worker with a submission in it, and looking at processes."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import torch

from grader.records import Cell
from grader.sandbox import Reply, Sandbox, WorkerHandle
from grader.submission.imports import imports

PATIENCE_S = 20.0


class LoadedWorker:
    """A worker that has run one source; verbs are called by name."""

    def __init__(self, sandbox: Sandbox, source: str = "", allow: Sequence[str] | None = ()) -> None:
        self.worker: WorkerHandle = sandbox.worker(imports([Cell(dedent(source))]))
        if allow is not None:
            self.ask("forbid", allow=list(allow))
        self.error = self.ask("load", source=dedent(source), filename="candidate.py", cell=None)["error"]

    def __enter__(self) -> "LoadedWorker":
        return self

    def __exit__(self, *unused: object) -> None:
        self.worker.close()

    def reply(
        self, verb: str, tensors: Sequence[torch.Tensor] = (), *, timeout: float = PATIENCE_S, **head: Any
    ) -> Reply:
        return self.worker.request({"verb": verb, **head}, tensors, timeout=timeout)

    def ask(self, verb: str, tensors: Sequence[torch.Tensor] = (), **head: Any) -> dict[str, Any]:
        return self.reply(verb, tensors, **head).head

    def set(self, paths: Sequence[str], values: Sequence[torch.Tensor], **head: Any) -> dict[str, Any] | None:
        """What is wrong with setting parameters of an object; None: nothing."""
        flat, shapes = torch.cat([value.reshape(-1) for value in values]), [list(value.shape) for value in values]
        error: dict[str, Any] | None = self.ask("set", [flat], paths=paths, shapes=shapes, **head)["error"]
        return error

    def differentiated(self, name: str, *tensors: torch.Tensor, cotangent: torch.Tensor, **head: Any) -> Reply:
        """The reply to a call with the gradients of its first tensor for a cotangent."""
        given = [{"$tensor": index} for index in range(len(tensors))]
        head = {"object": None, "name": name, "args": given, "cotangent": len(tensors), **head}
        return self.reply("call", [*tensors, cotangent], **head)

    def call(self, name: str, *tensors: torch.Tensor, **head: Any) -> Reply:
        """A function or method on tensors, in order."""
        args = [{"$tensor": index} for index in range(len(tensors))]
        return self.reply("call", tensors, **{"object": None, "name": name, "args": args, **head})


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def descendants(pid: int) -> set[int]:
    """The processes that descend from one; the zygote is the parent of every orphan."""
    pids: set[int] = set()
    try:
        of_task = [Path(f"/proc/{pid}/task/{task}/children").read_text() for task in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return pids
    for child in (int(number) for of in of_task for number in of.split()):
        pids |= {child} | descendants(child)
    return pids


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it holds before patience ends; how long it takes decides nothing."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
