"""Makes torch ready for workers, once, in the zygote: what is imported or read at first use, is used here.

A locked worker can open no file, so whatever torch or Python reads at first use must have been read before the lock.
"""

from __future__ import annotations

import codecs
import importlib
import linecache
import pdb
import sys
import unicodedata  # noqa: F401  # the compiler imports it at the first "\N{...}"
from collections.abc import Callable
from contextlib import nullcontext, suppress
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F

from grader.worker import nowhere
from grader.worker.observe import EVERYTHING, Observer

CANDIDATES_USE = (
    "math dataclasses typing typing_extensions functools itertools collections collections.abc abc warnings copy "
    "contextlib inspect traceback logging random time types enum operator string re textwrap json datetime pprint "
    "unittest argparse pathlib timeit _strptime numpy torch.nn torch.nn.functional torch.nn.init torch.func "
    "torch.utils._device"
).split()
"""Imported here once, so that no worker has to."""
SCRIPTABLE = ("torch.nn", "torch.functional", "torch._tensor", "torch._jit_internal")
"""Modules with functions that `torch.jit.script` compiles from their source, for a submission that calls them."""
ENCODINGS = ("ascii", "latin-1", "utf-8-sig")


def warm_up() -> None:
    """Runs the operators of attention, forward and backward, so that no worker pays for what torch does at first use.

    `tensor.backward(gradient)` is left out: it imports sympy, 0.3 s at every start of the grader. The judge
    has sympy imported for a submission that makes that call (grader/submission/imports.py).
    """
    for name in CANDIDATES_USE:
        with suppress(ImportError):  # numpy need not be installed
            importlib.import_module(name)
    for name in ENCODINGS:
        codecs.lookup(name)
    _keep_sources()

    # One by one: a kit holds this file, and a composed attention would be the answer to its kata.
    x = torch.randn(2, 3, 8, requires_grad=True)
    layer = torch.nn.Linear(8, 8)
    parts = (
        torch.softmax(x, -1),
        F.dropout(x, 0.1),
        x.masked_fill(torch.ones(3, 8, dtype=torch.bool).triu(1), 0.0),
        x.view(2, 3, 2, 4).transpose(0, 3).reshape(-1),
        x @ x.mT / 2,
        torch.einsum("abcd,aecd->aceb", x[None], x[None]),
        F.linear(x, layer.weight, layer.bias),
    )
    sum((part.sum() for part in parts), torch.zeros(())).backward()
    with Observer(EVERYTHING):
        torch.bmm(x, x.mT)
    repr(x)
    # The next two look up the kind of processor in a file in /proc.
    F.conv1d(x.detach(), torch.ones(3, 3, 1))
    F.linear(x.detach().bfloat16(), torch.ones(8, 8).bfloat16())
    F.linear(torch.ones(32, 32).bfloat16(), torch.ones(32, 32).bfloat16())  # oneDNN's from 16 ** 3 products on: 7 ms


def _keep_sources() -> None:
    """Reads the sources that TorchScript compiles: 2 MB in 6 ms."""
    for name, module in sys.modules.copy().items():
        file = getattr(module, "__file__", None)
        if file and any(name == kept or name.startswith(f"{kept}.") for kept in SCRIPTABLE):
            lines = linecache.getlines(file)
            # Without a modification time linecache never looks for the file again.
            linecache.cache[file] = (sum(map(len, lines)), None, lines, file)


def adapt() -> None:
    """Replaces what cannot work inside the sandbox by stand-ins that need no file, program or thread."""
    torch.compile = _compile
    torch.set_num_threads = _stay_at_one_thread
    torch._check_with = _quick(torch._check_with)
    sys.breakpointhook = pdb.set_trace = _go_on
    importlib.reload = _as_it_is
    nowhere.stand_in()
    for name in ("_prepare_profiler", "_enable_profiler", "_disable_profiler"):  # they start threads
        setattr(torch.autograd.profiler, name, _go_on)


def stand_in() -> None:
    """Unless torch._dynamo is imported, puts a module in its place with what torch asks of it with nothing compiled.

    The real one takes a second to import, and torch imports it at the first optimizer, `torch.func.grad` or
    tensor on the device meta, only to be told to compile nothing.
    """
    if "torch._dynamo" not in sys.modules:
        dynamo: Any = ModuleType("torch._dynamo")
        dynamo.disable = lambda function, *args, **kwargs: function
        dynamo.allow_in_graph = dynamo.disallow_in_graph = dynamo.disable
        dynamo.graph_break = dynamo.reset = lambda: None
        dynamo.compiled_autograd = SimpleNamespace(_disable=nullcontext)
        dynamo.config = SimpleNamespace()
        dynamo.__getattr__ = _not_compiled
        sys.modules["torch._dynamo"] = dynamo


def _not_compiled(name: str) -> Any:
    raise AttributeError(f"torch._dynamo.{name} is not there: nothing is compiled here, and the kata needs none of it")


def _compile(model: Any = None, **options: Any) -> Any:
    """Stands in for torch.compile, whose compiler is a program: the model as it is computes the same values."""
    return (lambda decorated: decorated) if model is None else model


def _stay_at_one_thread(num: int) -> None:
    """Stands in for torch.set_num_threads and changes nothing, since no thread can be started in a worker.

    oneDNN, told of two threads, would compute only the part of one of them in a bfloat16 product.
    """
    if num < 1:
        raise RuntimeError("set_num_threads expects a positive integer")


def _go_on(*args: Any, **kwargs: Any) -> None:
    """Does nothing. At a breakpoint nobody could answer, and pdb would end the call at the end of its input."""


def _as_it_is(module: ModuleType) -> ModuleType:
    """Stands in for a reload, which reads a file: what a notebook wrote and ran is in the submission already."""
    return module


def _quick(check_with: Callable[..., None]) -> Callable[..., None]:
    """torch's check of an operator's arguments, without importing sympy (0.3 s) to find that True holds."""

    def quick(error_type: type[Exception], cond: object, message: Callable[[], str]) -> None:
        if cond is not True:
            check_with(error_type, cond, message)

    return quick
