"""What is left in from looking for a mistake or for lost time: scripts, profilers, tracers, hooks, pretty printers."""

from tests.untidy.case import Case, edited, working

PROFILED = """import torch
from torch.autograd.profiler import profile as older
from torch.profiler import ProfilerActivity, profile, record_function


def profiled(function):
    def call(q, k, v, mask=None):
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True) as found:
            with record_function("attention"), older() as times:
                answer = function(q, k, v, mask)
        print(found.key_averages().table(sort_by="cpu_time_total", row_limit=5), times.total_average())
        return answer
    return call


"""
SCRIPTED = """import torch
import torch.nn.functional as functional


@torch.jit.script
def normalised(scores: torch.Tensor) -> torch.Tensor:
    return functional.softmax(scores, dim=-1)


class Idle(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = torch.nn.Sequential(torch.nn.Dropout(0.0), torch.nn.Identity())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.steps(x)


idle = torch.jit.script(Idle())


"""
RICH = """import logging
import torch
from rich import inspect, print
from rich.console import Console
from rich.logging import RichHandler
from rich.table import Table
from rich.traceback import install

install(show_locals=True)
logging.basicConfig(level="INFO", handlers=[RichHandler(rich_tracebacks=True)])
console = Console()


def shown(**tensors):
    table = Table(title="shapes")
    table.add_column("of")
    for name, tensor in tensors.items():
        table.add_row(f":rocket: {name} 注", str(tuple(tensor.shape)))
    console.print(table)
    console.log("mean", torch.stack([tensor.mean() for tensor in tensors.values()]))
    logging.getLogger("rich").info("looked at %s", [*tensors])
    print("[bold]done[/]", {"names": [*tensors]})


"""
TIMED = """import functools, signal


def within(seconds):
    def decorate(function):
        @functools.wraps(function)
        def call(*arguments, **options):
            def late(number, frame):
                raise TimeoutError(f"{function.__name__} took more than {seconds} s")

            before = signal.signal(signal.SIGALRM, late)
            signal.setitimer(signal.ITIMER_REAL, seconds)
            try:
                assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
                return function(*arguments, **options)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
                signal.alarm(0)

        return call

    return decorate


"""
TRACED = """import gc, sys, threading, tracemalloc
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

tracemalloc.start()
gc.set_threshold(1, 1, 1)
sys.setprofile(lambda frame, event, argument: None)
sys.settrace(lambda frame, event, argument: None)
threading.settrace(lambda frame, event, argument: None)


class Calls(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        print(getattr(function, "__name__", function))
        return function(*args, **(kwargs or {}))


class Operators(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        print(function)
        return function(*args, **(kwargs or {}))


def counted(function):
    def forward(self, x, mask=None):
        operations = FlopCounterMode(display=False)
        with Calls(), Operators(), operations:
            answer = function(self, x, mask)
        print(operations.get_total_flops(), tracemalloc.get_traced_memory())
        return answer
    return forward


"""
UNCOPIED = """        self.lock = threading.Lock()
        self.console = logging.StreamHandler()
        self.turns = (turn for turn in range(10**9))
"""


def case(name: str, kata: str, source: str) -> Case:
    return Case(name, kata, "candidate.py", lambda: source)


DEBUGGING = [
    case(
        "profiled in every call",
        "scaled_dot_product",
        PROFILED + edited("scaled_dot_product", ("def scaled_dot", "@profiled\ndef scaled_dot")),
    ),
    case(
        "scripted by TorchScript, with layers and functions of torch",
        "scaled_dot_product",
        SCRIPTED
        + edited(
            "scaled_dot_product",
            ("torch.softmax(scores, dim=-1)", "normalised(scores)"),
            ("attention_weights @ v", "idle(attention_weights) @ v"),
        ),
    ),
    case(
        "operators counted and calls traced",
        "fused_qkv",
        TRACED + edited("fused_qkv", ("    def forward(self", "    @counted\n    def forward(self")),
    ),
    case(
        "a time limit on every call",
        "fused_qkv",
        TIMED + edited("fused_qkv", ("    def forward(self", "    @within(60)\n    def forward(self")),
    ),
    case(
        "a lock, a handler and a generator kept in the object",
        "plain_class",
        "import logging, threading\n"
        + edited(
            "plain_class", ("        self.num_heads = num_heads\n", UNCOPIED + "        self.num_heads = num_heads\n")
        ).replace(
            "        heads = (", "        with self.lock:\n            print(next(self.turns))\n        heads = ("
        ),
    ),
    case(
        "a lock, a handler and a generator kept in a module",
        "fused_qkv",
        "import logging, threading\n"
        + edited("fused_qkv", ("        super().__init__()\n", f"        super().__init__()\n{UNCOPIED}")),
    ),
    case(
        "hooks on every layer, and gradients looked at",
        "scaffold",
        working(
            "scaffold",
            "if not hasattr(self, 'seen'):",
            "    self.seen = []",
            "    for layer in self.children():",
            "        layer.register_forward_hook(lambda layer, given, made: self.seen.append(made.shape))",
            "    self.register_full_backward_hook(lambda layer, given, made: print('backward', made[0].norm()))",
            "if q.requires_grad:",
            "    q.retain_grad()",
            "    q.register_hook(lambda gradient: print('of q', gradient.norm()))",
            "torch.autograd.set_detect_anomaly(False)",
        ),
    ),
    case(
        "standard output detached and made anew",
        "functional",
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')\n"
        + working("functional", "print('of the queries', queries)"),
    ),
    case(
        "standard output made anew in UTF-8",
        "plain_class",
        "import io, sys\nsys.stdout.reconfigure(encoding='utf-8', line_buffering=True)\n"
        "sys.stderr.reconfigure(errors='replace')\n"
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('注意')\n"
        + working("plain_class", "print('внимание', q.shape, flush=True)"),
    ),
    Case(
        "silenced by the null device, in every call and where nothing is there to be read",
        "plain_class",
        "candidate.py",
        lambda: (
            "import contextlib, os, pathlib\n\nnull = open(os.devnull, 'wb')\nnull.write(b'x')\n"
            "assert pathlib.Path(os.devnull).read_text() == ''\n\n\n"
            + working(
                "plain_class",
                "with open(os.devnull, 'w', encoding='utf-8') as nowhere, contextlib.redirect_stdout(nowhere):",
                "    print(Q)",
                "print('queries', file=open(os.devnull, mode='a'), flush=True)",
            )
        ),
    ),
]
