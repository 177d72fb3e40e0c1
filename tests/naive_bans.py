"""Bans on operators as graders have them, each of which code inside its process can find and switch off.

That our ban refuses a trick proves little where the trick would get around none: those that are written against a ban
say which of these they evade (`EVADES`). Run as `python -m tests.naive_bans` with JSON `[[source, ban]]` on standard
input; on standard output comes JSON, whether each source's attention gave an answer and no complaint was heard.
"""

import functools
import gc
import json
import os
import sys
import types
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker import policy

LIBRARIES: list[torch.library.Library] = []
"""Where a grader keeps what it must not lose."""


def refuse(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("not allowed")


def wrapper(stack: ExitStack) -> None:
    """Each name leads to a function that raises, and keeps the original for when the ban is lifted."""
    allowed = False
    for owner, name in ((nn.MultiheadAttention, "forward"), (F, "scaled_dot_product_attention")):

        def replaced(original: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(original)
            def refusing(*args: Any, **kwargs: Any) -> Any:
                return original(*args, **kwargs) if allowed else refuse()

            return refusing

        setattr(owner, name, replaced(getattr(owner, name)))


def modes(stack: ExitStack) -> None:
    """Modes see each operator, and raise at some."""

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            banned = func is F.scaled_dot_product_attention
            return refuse() if banned else func(*args, **(kwargs or {}))

    class Operators(TorchDispatchMode):
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            banned = "scaled_dot_product" in str(func)
            return refuse() if banned else func(*args, **(kwargs or {}))

    stack.enter_context(Functions())
    stack.enter_context(Operators())


def library(stack: ExitStack) -> None:
    """A kernel at the dispatcher raises, for as long as somebody keeps it."""
    LIBRARIES.append(torch.library.Library("aten", "IMPL"))
    LIBRARIES[0].impl("scaled_dot_product_attention", refuse, "CompositeImplicitAutograd")


def by_policy(stack: ExitStack) -> None:
    """The original asks a module of the worker, each time, whether it may be used."""
    allowed: set[str] = set()

    def ask(*args: Any) -> None:
        if not allowed:
            refuse()

    vars(policy).update(forbid=allowed.update, refuse=ask)
    original = F.scaled_dot_product_attention

    def asking(*args: Any, **kwargs: Any) -> Any:
        policy.refuse("scaled_dot_product_attention")
        return original(*args, **kwargs)

    F.scaled_dot_product_attention = asking


BANS: dict[str, Callable[[ExitStack], None]] = {
    "wrapper": wrapper,
    "modes": modes,
    "library": library,
    "policy": by_policy,
    "complaint": wrapper,
}
"""With `complaint` a refusal counts where it reaches the grader."""


class Host:
    """What runs a submission, in the frames above it."""

    def forbid(self, head: dict[str, Any], tensors: list[torch.Tensor]) -> None:
        policy.forbid(head["allow"])

    def run(self, source: str) -> None:
        """Raises where it or its attention does."""
        module = types.ModuleType("submission")
        exec(compile(source, "candidate.py", "exec"), module.__dict__)
        module.scaled_dot_product_attention(*torch.rand(3, 2, 3, 4))


def answered(source: str, ban: str) -> bool:
    """Whether it gives an answer where this ban is in force, in a fork of its own."""
    if not (pid := os.fork()):
        with suppress(BaseException), ExitStack() as stack:
            BANS[ban](stack)
            Host().run(source)
            os._exit(0)
        os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    gc.collect()
    sys.stdout.write(json.dumps([answered(source, ban) for source, ban in json.load(sys.stdin)]))
