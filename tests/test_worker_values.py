"""Values between judge and worker: arguments in other layouts, and answers that cannot be sent."""

import math
from typing import Any

import pytest
import torch

from grader.sandbox import Sandbox
from tests.sandbox_tools import LoadedWorker


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4)])
def test_a_strided_input_has_the_values_but_is_not_contiguous(sandbox: Sandbox, shape: tuple[int, ...]) -> None:
    x = torch.arange(math.prod(shape), dtype=torch.float32).view(shape)
    with LoadedWorker(sandbox, "def f(x): return x, x.is_contiguous(), x.is_leaf, x.requires_grad") as loaded:
        reply = loaded.reply("call", [x], object=None, name="f", args=[{"$strided": 0}], requires_grad=[0])
    assert {"$tuple": [{"$tensor": 0}, False, True, True]} == reply.head["value"]
    assert torch.equal(x, reply.tensors[0])


def test_markers_become_python(sandbox: Sandbox) -> None:
    marks: list[Any] = [{"$tuple": [1, [2]]}, {"plain": None}]
    with LoadedWorker(sandbox, "def f(*a, **k): return repr((a, k))") as loaded:
        value = loaded.call("f", args=marks, kwargs={"b": None}).head["value"]
    assert "(((1, [2]), {'plain': None}), {'b': None})" == value


def test_a_function_of_the_judge_lives_in_the_worker(sandbox: Sandbox) -> None:
    given = {"$function": ["def twice(x):\n    return 2 * x\n", "twice"]}
    with LoadedWorker(sandbox, "def f(g): return g.__name__, g(21)") as loaded:
        value = loaded.call("f", args=[given]).head["value"]
    assert {"$tuple": ["twice", 42]} == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("float('nan'), -float('inf')", {"$tuple": [{"$float": "nan"}, {"$float": "-inf"}]}),
        ("type('Of', (float,), {'__float__': lambda self: 9.0})(2.5)", 2.5),
        ("10 ** 100", {"$unsendable": "an int too long or too deep to send"}),
        ("object()", {"$unsendable": "an object"}),
        ("[[[[[1]]]]]", [[[[{"$unsendable": "a list too long or too deep to send"}]]]]),
        ("[0] * 20000", {"$unsendable": "a list too long or too deep to send"}),
        ("torch.eye(2).to_sparse()", {"$bad_tensor": "a sparse tensor of shape (2, 2)"}),
        ("torch.ones(2, dtype=torch.cfloat)", {"$bad_tensor": "a tensor of shape (2,) and dtype complex64"}),
        (
            "torch.ones(2, device='meta')",
            {"$bad_tensor": "a tensor of shape (2,) on the meta device, which has no values"},
        ),
        ("torch.ones([1] * 9)", {"$bad_tensor": "a tensor with 9 dimensions (at most 8 can be sent)"}),
        (
            "torch.ones(1).expand(1 << 40)",
            {"$bad_tensor": f"a tensor of shape ({1 << 40},), too large to send (at most 1 MiB in one answer)"},
        ),
        ("torch.nn.Parameter(torch.ones(2))", {"$tensor": 0}),
    ],
)
def test_what_cannot_be_sent_is_named(sandbox: Sandbox, expression: str, value: object) -> None:
    with LoadedWorker(sandbox, f"import torch\ndef f(): return {expression}") as loaded:
        reply = loaded.call("f")
    assert reply.head["error"] is None
    assert value == reply.head["value"]


def test_a_reply_that_would_be_too_large_is_told(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, "import torch\nBig = lambda: torch.nn.Linear(1000, 1000)") as loaded:
        loaded.ask("construct", object=1, name="Big")
        assert "unsendable" == loaded.ask("parameters", object=1, paths=[])["error"]["type"]


@pytest.mark.parametrize("made", ["torch.ones(2, device='meta')", "torch.eye(2).to_sparse()"])
def test_a_parameter_without_values_to_read_is_told(sandbox: Sandbox, made: str) -> None:
    layer = f"layer = torch.nn.Module(); layer.w = torch.nn.Parameter({made})"
    source = f"import torch\ndef Odd():\n    {layer}\n    return layer"
    with LoadedWorker(sandbox, source) as loaded:
        loaded.ask("construct", object=1, name="Odd")
        assert "unsendable" == loaded.ask("parameters", object=1, paths=[])["error"]["type"]
