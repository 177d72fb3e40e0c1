"""A judge as many a course has one, and as ours must not be: it runs what it judges in its own process.

It executes a submission, calls it on random inputs, computes what is expected by its own reference and compares, in
each of the ways that such judges compare. Which tricks fool it is what the wall is for that stops them in ours.

Run as `python -m tests.naive_judge` with JSON `{name: source}` on standard input; on standard output comes JSON
`{name: {way: share}}`, the share of the points that each way gives. Each submission has a fork of its own.
"""

import atexit
import fcntl
import gc
import json
import os
import re
import resource
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any, TextIO

import torch
from torch import Tensor, nn

import grader.judge  # noqa: F401  # all of the grader is in the process, for whoever searches it
from grader import wire

SIZES = ((2, 3, 5, 4, False), (1, 4, 6, 16, False), (3, 2, 7, 4, True))
"""N, L, S, D, and whether there is a mask."""
SECONDS = 10
CLOSE = 1e-6
NOTES = "The judge's own, in a file that is open while a submission runs."


def reference(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores if mask is None else scores.masked_fill(mask, -torch.inf), dim=-1)
    return weights @ v, weights


class Approximately(tuple[Tensor, ...]):
    """Equal to a tuple of tensors that are close to its own."""

    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, tuple)
        return len(other) == len(self) and all(torch.allclose(a, b) for a, b in zip(other, self, strict=True))


def assert_close(got: Tensor, right: Tensor) -> bool:
    torch.testing.assert_close(got, right, check_device=False, check_dtype=False)
    return True


def unless_wrong(got: Tensor, right: Tensor) -> bool:
    """A comparison that fails is the judge's own fault, and costs nothing."""
    holds = ran(torch.allclose, got, right)
    return holds is None or holds


def late(got: Tensor, right: Tensor) -> bool:
    """By a module that is imported when it is needed; where it finds no mistake, there is none."""
    from grader.checks.expect import close

    close("output", got, right)
    return True


def error(got: Tensor, right: Tensor) -> Tensor:
    return (got - right).abs().max()


def precision(got: Tensor) -> float:
    return got.q_scale() if got.is_quantized else 10 * torch.finfo(got.dtype).eps


def plain(got: Tensor) -> Tensor:
    return got.dequantize() if got.is_quantized else got.double()


def numbers(value: Tensor) -> list[float]:
    return value.flatten().tolist()


def by_pytorch(answer: Any, given: list[Any]) -> bool:
    q, k, v, mask = given
    module = nn.MultiheadAttention(q.shape[-1], 1, bias=False, batch_first=True, dtype=q.dtype)
    for weight in (*module.in_proj_weight.chunk(3), module.out_proj.weight):
        nn.init.eye_(weight.data)
    return torch.allclose(answer[0], module(q, k, v, attn_mask=mask)[0])


def gradient(answer: Any, of: Tensor) -> Tensor:
    return torch.autograd.grad(answer[0].sum(), of, retain_graph=True)[0]


def hidden_keys_get_no_gradient(answer: Any, given: list[Any]) -> bool:
    _, k, _, mask = given
    return not gradient(answer, k)[:, mask[0, 0]].any()


VALUES: dict[str, Callable[[Any, Tensor], bool]] = {
    "allclose": lambda got, right: torch.allclose(got, right),  # noqa: PLW0108  # as it is by then
    "equal": lambda got, right: torch.equal(got, right),  # noqa: PLW0108
    "assert_close": assert_close,
    "method": lambda got, right: bool(got.allclose(right)),
    "all": lambda got, right: all(abs(a - b) < CLOSE for a, b in zip(numbers(got), numbers(right), strict=False)),
    "error": lambda got, right: not error(got, right) > CLOSE,
    "finite": lambda got, right: bool(got.isfinite().all()) and not error(got.detach(), right) > CLOSE,
    "relative": lambda got, right: bool(((got - right).abs() <= CLOSE * (got.abs() + right.abs())).all()),
    "precision": lambda got, right: bool(error(plain(got), right) < precision(got)),
    "late import": late,
    "raises": unless_wrong,
}
"""Of one value: the output, the weights."""

ANSWERS: dict[str, Callable[[Any, tuple[Tensor, Tensor], list[Any]], bool]] = {
    "==": lambda answer, right, given: answer == Approximately(right),
    "any": lambda answer, right, given: any(torch.allclose(value, right[0]) for value in answer),
    "sums": lambda answer, right, given: bool(((answer[1].sum(-1) - 1).abs() < CLOSE).all()),
    "shape": lambda answer, right, given: answer[1].shape == right[1].shape and ANSWERS["sums"](answer, right, given),
    "gradient": lambda answer, right, given: torch.allclose(gradient(answer, given[0]), gradient(right, given[0])),
    "PyTorch": lambda answer, right, given: by_pytorch(answer, given),
}
"""Of the whole answer."""


def points(attention: Callable[..., Any]) -> Iterator[tuple[str, bool]]:
    """A way and whether it finds an answer right, for each that it looks at."""
    random = torch.Generator().manual_seed(1)
    for n, lq, s, d, masked in SIZES:
        given: list[Any] = [
            torch.randn(n, size, d, dtype=torch.float64, generator=random).requires_grad_() for size in (lq, s, s)
        ]
        given.append(torch.arange(s).expand(n, lq, s) > s // 2 if masked else None)
        answer = ran(attention, *given)
        expected = reference(*given)
        for way, holds in VALUES.items():
            for place, right in enumerate(expected):
                yield way, ran(of_place, holds, answer, place, right) is True
        for way, of_all in ANSWERS.items():
            yield way, ran(of_all, answer, expected, given) is True
        if masked:
            yield "hidden", ran(hidden_keys_get_no_gradient, answer, given) is True
        again = ran(attention, *given)
        for place, right in enumerate(expected):
            yield "again", ran(of_place, torch.allclose, again, place, right) is True


def of_place(holds: Callable[[Any, Tensor], bool], answer: Any, place: int, right: Tensor) -> bool:
    return holds(answer[place], right)


def ran(step: Callable[..., Any], *arguments: Any) -> Any:
    """What it gives; None where it fails."""
    with suppress(Exception):
        return step(*arguments)
    return None


def judged(source: str, told: TextIO) -> None:
    """Judges one submission, in the process that this is, which then ends."""
    module = types.ModuleType("submission")
    sys.modules["submission"] = module
    try:
        exec(compile(source, "candidate.py", "exec"), module.__dict__)
        found: dict[str, list[bool]] = {}
        for way, holds in points(module.scaled_dot_product_attention):
            found.setdefault(way, []).append(holds)
            if way == "allclose" and not holds:
                print("FAILED")
    except Exception:
        print("FAILED")
        sys.exit(1)
    shares = {way: sum(map(int, all_of)) / len(all_of) for way, all_of in found.items()}
    told.write(json.dumps(shares))
    told.flush()
    score = round(100 * shares["allclose"])
    print(f"score {score} of 100")
    os.write(3, wire.encode({"score": score}))
    sys.exit(score < 100)


def end(last: Callable[[], None]) -> None:
    """Ends the process after a last step as Python would, less the 0.2 s in which it takes torch apart."""
    status = 0
    try:
        last()
    except SystemExit as asked:
        status = int(asked.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(status)


def forked(source: str) -> dict[str, float]:
    """What each way gives a submission, that of the process itself included."""
    with ExitStack() as stack:
        output, reply, told, notes = (stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(4))
        notes.write(NOTES)
        notes.flush()
        if not (pid := os.fork()):
            for number, file in ((1, output), (2, output), (3, reply)):
                os.dup2(file.fileno(), number)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            end(lambda: judged(source, os.fdopen(fcntl.fcntl(told, fcntl.F_DUPFD, 100), "w")))
        status = os.waitpid(pid, 0)[1]
        said, replied = (os.pread(file.fileno(), 1 << 20, 0).decode(errors="replace") for file in (output, reply))
        told.seek(0)
        shares = json.loads(told.read() or "{}")
    last = {
        "status": status == 0,
        "silence": not re.search("FAILED|Traceback", said),
        "output": "score 100 of 100" in said,
        "reply": '"score":100' in replied.replace(" ", ""),
        "search": bool(re.search("^GOT", said, re.MULTILINE)),
    }
    return shares | {way: float(holds) for way, holds in last.items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    list(points(reference))  # so that no fork has to make torch ready, nor copies what is garbage
    gc.freeze()
    asked = json.load(sys.stdin)
    sys.stdout.write(json.dumps({name: forked(source) for name, source in asked.items()}))
