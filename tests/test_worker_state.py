"""What a submission keeps and leaves behind in the worker: parameters in odd places, the state of torch, modules."""

import pytest
import torch

from grader.sandbox import Sandbox
from tests.sandbox_tools import LoadedWorker

SLOTS = """
import torch
from torch import nn

class Base:
    __slots__ = ("first", "never")
    def __init__(self, d):
        self.first = nn.Linear(d, d, bias=False)

class Slots(Base):
    __slots__ = ("__gain", "second")
    def __init__(self, d):
        super().__init__(d)
        self.second = [nn.Linear(d, d, bias=False)]
        self.__gain = torch.ones(d)
    def forward(self, x):
        return self.second[0](self.first(x)) * self.__gain

class Both(Slots):
    def __init__(self, d):
        super().__init__(d)
        self.late = nn.Parameter(torch.ones(d))
"""


@pytest.mark.slow
def test_parameters_in_slots_are_found_set_and_converted(sandbox: Sandbox) -> None:
    paths = ["first.weight", "_Slots__gain", "second.0.weight"]
    with LoadedWorker(sandbox, SLOTS) as loaded:
        loaded.ask("construct", object=1, name="Slots", args=[2])
        listing = loaded.reply("parameters", object=1, paths=[])
        draw = torch.Generator().manual_seed(0)
        values = [torch.randn(tensor.shape, dtype=torch.float64, generator=draw) for tensor in listing.tensors]
        assert paths == listing.head["parameters"]
        assert loaded.set(paths, values, object=1, dtype="float64") is None
        x = torch.randn(3, 2, dtype=torch.float64, generator=draw)
        first, gain, second = values
        torch.testing.assert_close(x @ first.T @ second.T * gain, loaded.call("forward", x, object=1).tensors[0])
        loaded.ask("construct", object=2, name="Both", args=[2])
        assert [*paths, "late"] == loaded.ask("parameters", object=2, paths=[])["parameters"]


@pytest.mark.slow
def test_the_grader_itself_imports_nothing_slow_in_a_worker(sandbox: Sandbox) -> None:
    source = """
    import sys
    def f(): return [name for name in ("sympy", "torch._dynamo.eval_frame") if name in sys.modules]
    def g(x): return x * 2
    """
    with LoadedWorker(sandbox, source) as loaded:
        observed = ["operators", "products"]
        loaded.differentiated("g", torch.ones(2), cotangent=torch.ones(2), observed=observed, requires_grad=[0])
        assert [] == loaded.call("f").head["value"]


DISTURBS = """
import random
import numpy as np
import torch
from torch import nn
np.random.seed(5)

def quiet(): return torch.ones(1)
def dtype(): torch.set_default_dtype(torch.float64)
def grad(): torch.set_grad_enabled(not torch.is_grad_enabled())
def flag(): torch.use_deterministic_algorithms(True)
def precision(): torch.set_float32_matmul_precision("medium")
def anomaly(): torch.autograd.set_detect_anomaly(True)
def autocast(): torch.set_autocast_enabled("cpu", True)
def device(): torch.set_default_device("meta")
def cudnn(): torch.backends.cudnn.deterministic = torch.backends.cudnn.benchmark = True
def fill(): torch.utils.deterministic.fill_uninitialized_memory = False
def seeds(): torch.manual_seed(1)
def python_seeds(): random.seed(1)
def python_draws(): return random.random()
def numpy_seeds(): np.random.seed(1)
def numpy_draws(): return float(np.random.rand())
def draws(): return torch.rand(1)
KEPT = torch.zeros(1)
def into_a_buffer(x): return KEPT.copy_(x)

class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)])
        self.first = lambda x: self.layers[0](x)
        torch.manual_seed(7)
    a = property(lambda self: self.layers[0])
    def forward(self, x): return self.layers[0](x)
    def through_first(self, x): return self.first(x)
"""


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("quiet", []),
        ("dtype", ["the default dtype"]),
        ("grad", ["the grad mode"]),
        ("device", ["the default device"]),
        ("flag", ["the deterministic flag"]),
        ("cudnn", ["cudnn's deterministic flag", "cudnn's benchmark flag"]),
        ("fill", ["the deterministic fill of new memory"]),
        ("precision", ["the precision of float32 products"]),
        ("anomaly", ["anomaly detection"]),
        ("autocast", ["autocast"]),
        ("seeds", ["the global seed", "the global generator"]),
        ("draws", ["the global generator"]),
        ("python_seeds", ["the state of random"]),
        ("python_draws", ["the state of random"]),
        ("numpy_seeds", ["the state of numpy.random"]),
        ("numpy_draws", ["the state of numpy.random"]),
    ],
)
def test_what_a_call_leaves_behind_is_told_and_put_right(sandbox: Sandbox, name: str, left: list[str]) -> None:
    with LoadedWorker(sandbox, DISTURBS) as loaded:
        assert left == loaded.call(name, seed=3).head["disturbed"]
        assert left == loaded.call(name, seed=3, no_grad=True).head["disturbed"]
        assert [] == loaded.call("quiet", seed=3).head["disturbed"]


@pytest.mark.slow
def test_without_a_seed_the_generator_goes_on(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, DISTURBS) as loaded:
        first, again = loaded.call("draws", seed=3).tensors[0], loaded.call("draws", seed=3).tensors[0]
        assert torch.equal(first, again)
        assert not torch.equal(first, loaded.call("draws").tensors[0])


@pytest.mark.slow
def test_what_the_call_before_returned_comes_back_as_it_is_now(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, DISTURBS) as loaded:
        loaded.call("into_a_buffer", torch.tensor([1.0]))
        loaded.call("into_a_buffer", torch.tensor([2.0]))
        assert [[2.0], [2.0]] == [tensor.tolist() for tensor in loaded.reply("inputs").tensors]
        loaded.ask("drop", objects=None, calls=None)
        loaded.call("into_a_buffer", torch.tensor([3.0]))
        assert [[3.0]] == [tensor.tolist() for tensor in loaded.reply("inputs").tensors]


def test_a_call_again_is_given_the_tensors_of_the_call_before_written_over(sandbox: Sandbox) -> None:
    source = "seen = []\ndef same(x):\n    seen.append(x)\n    return seen[0] is x, x.clone(), x._version"
    one, other = torch.ones(2), torch.full((2,), 3.0)
    with LoadedWorker(sandbox, source) as loaded:
        loaded.call("same", one)
        replies = [
            loaded.call("same", x, **again)
            for x, again in ((one, {"again": True}), (other, {"again": True}), (one, {}))
        ]
    assert [True, True, False] == [reply.head["value"]["$tuple"][0] for reply in replies]
    assert [[1.0, 1.0], [3.0, 3.0], [1.0, 1.0]] == [reply.tensors[0].tolist() for reply in replies]
    # Equal values are not written: who asks for the version of a tensor would know.
    assert [0, 1, 0] == [reply.head["value"]["$tuple"][2] for reply in replies]


@pytest.mark.slow
def test_a_parameter_is_told_by_an_alias_that_the_judge_knows(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, DISTURBS) as loaded:
        made = loaded.ask("construct", object=1, name="Listed", seed=3)
        assert ["the global seed", "the global generator"] == made["disturbed"]
        answer = loaded.ask("parameters", object=1, paths=["a.weight", "b.weight"])
        assert ["a.weight", "layers.1.weight"] == answer["parameters"]
        x = torch.ones(1, 2)
        reply = loaded.differentiated("forward", x, cotangent=x, object=1, paths=["a.weight", "b.weight"])
        assert [["a.weight", True]] == reply.head["gradients"]["parameters"]


@pytest.mark.slow
def test_set_on_a_copy_leaves_what_is_bound_to_the_first_object_behind(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, DISTURBS) as loaded:
        loaded.ask("construct", object=1, name="Listed", seed=3)
        x, weight = torch.ones(1, 2), torch.eye(2)
        assert loaded.set(["a.weight"], [weight], object=1, dtype="float32", copy=True) is None
        assert torch.equal(x, loaded.call("forward", x, object=1).tensors[0])
        assert not torch.equal(x, loaded.call("through_first", x, object=1).tensors[0])
