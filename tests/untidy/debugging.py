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
