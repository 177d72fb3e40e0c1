"""The worker's verbs: what a submission defines, makes, computes and raises, as the judge sees it."""

import math
from collections.abc import Iterator

import pytest
import torch

from grader.sandbox import Sandbox, SandboxError
from tests.sandbox_tools import LoadedWorker

SOURCE = """
import torch, dataclasses
from torch import nn
from math import sqrt

@dataclasses.dataclass
class Config:
    embed: int
    bias: bool = True

class Base(nn.Module):
    def __init__(self, cfg, *, scale=1.0):
        super().__init__()
        self.proj = nn.Linear(cfg.embed, cfg.embed, bias=cfg.bias)
    def forward(self, x, mask=None):
        return self.proj(x), [x.shape, {"a": None}]
    @staticmethod
    def split(x, heads): return x
    @classmethod
    def make(cls, n): return cls(Config(n))
    def oops(self, x):
        helper(x)

class Bare(nn.Module):
    pass

class Plain:
    def __init__(self, d):
        self.W_q = nn.Linear(d, d)
        self.heads = [nn.Linear(d, d, bias=False), {"k": torch.ones(d, requires_grad=True)}]
        self.scale = torch.tensor(2.0)
        self.gain = nn.Parameter(torch.ones(d))
        self.count = torch.tensor(3)
    def forward(self, x):
        return self.W_q(x) * self.heads[1]["k"] * self.scale * self.gain

def helper(x):
    raise ValueError("shape \\x1b[31m" + str(tuple(x.shape)))

def identity(x): return x
def same(a, b): return a is b
def double_in_place(x, y): y.mul_(2)
def add(x, y): return x + y
def cut_off(x): return x.detach(), x
CONSTANT = 3
"""


@pytest.fixture(scope="module")
def loaded(sandbox: Sandbox) -> Iterator[LoadedWorker]:
    with LoadedWorker(sandbox, SOURCE) as ready:
        assert ready.error is None
        yield ready


@pytest.fixture
def base(loaded: LoadedWorker) -> Iterator[LoadedWorker]:
    """Object 1 is a Base of size 4."""
    loaded.ask("construct", object=2, name="Config", args=[4])
    loaded.ask("construct", object=1, name="Base", args=[{"$reference": [2, []]}], seed=5)
    yield loaded
    loaded.ask("drop")


@pytest.mark.slow
def test_names_tell_kind_type_and_signature_without_self(loaded: LoadedWorker) -> None:
    wanted = ["Base", "Base.forward", "Base.split", "Base.make", "Config", "identity", "CONSTANT", "nope", "Base.nope"]
    reply = loaded.ask("names", names=wanted)
    cfg, x = ["cfg", "POSITIONAL_OR_KEYWORD", None], ["x", "POSITIONAL_OR_KEYWORD", None]
    assert {
        "Base": ("class", [cfg, ["scale", "KEYWORD_ONLY", "1.0"]]),
        "Base.forward": ("method", [x, ["mask", "POSITIONAL_OR_KEYWORD", "None"]]),
        "Base.split": ("method", [x, ["heads", "POSITIONAL_OR_KEYWORD", None]]),
        "Base.make": ("method", [["n", "POSITIONAL_OR_KEYWORD", None]]),
        "Config": ("class", [["embed", "POSITIONAL_OR_KEYWORD", None], ["bias", "POSITIONAL_OR_KEYWORD", "True"]]),
        "identity": ("function", [x]),
        "CONSTANT": ("other", None),
    } == {name: (entry["kind"], entry["signature"]) for name, entry in reply["definitions"].items()}
    assert "int" == reply["definitions"]["CONSTANT"]["type"]
    assert [
        "Config",
        "Base",
        "Bare",
        "Plain",
        "helper",
        "identity",
        "same",
        "double_in_place",
        "add",
        "cut_off",
    ] == reply["public_names"]


def test_the_forward_that_a_module_does_not_define_is_missing(loaded: LoadedWorker) -> None:
    assert ["Bare"] == list(loaded.ask("names", names=["Bare", "Bare.forward"])["definitions"])


def test_only_frames_of_the_submission_are_told(base: LoadedWorker) -> None:
    error = base.call("oops", torch.zeros(2, 3), object=1).head["error"]
    assert ("ValueError", "shape \x1b[31m(2, 3)") == (error["type"], error["message"])
    assert ["ValueError", "Exception", "BaseException", "object"] == error["bases"]
    assert ["oops", "helper"] == [frame["function"] for frame in error["frames"]]
    assert ["candidate.py"] * 2 == [frame["file"] for frame in error["frames"]]


def test_construct_is_repeatable_under_a_seed(base: LoadedWorker) -> None:
    first = base.reply("parameters", object=1, paths=[])
    base.ask("construct", object=1, name="Base", args=[{"$reference": [2, []]}], seed=5)
    second = base.reply("parameters", object=1, paths=[])
    torch.manual_seed(5)
    layer = torch.nn.Linear(4, 4)
    assert ["proj.weight", "proj.bias"] == first.head["parameters"]
    assert torch.equal(layer.weight, first.tensors[0])
    assert torch.equal(first.tensors[1], second.tensors[1])


def test_construct_in_another_default_dtype_leaves_none_behind(base: LoadedWorker) -> None:
    base.ask("construct", object=3, name="Base", args=[{"$reference": [2, []]}], default_dtype="float64")
    assert torch.float64 == base.reply("parameters", object=3, paths=[]).tensors[0].dtype
    base.ask("construct", object=3, name="Base", args=[{"$reference": [2, []]}])
    assert torch.float32 == base.reply("parameters", object=3, paths=[]).tensors[0].dtype


def test_parameters_of_a_plain_object_are_found_set_and_converted(loaded: LoadedWorker) -> None:
    paths = ["W_q.weight", "W_q.bias", "heads.0.weight", "heads.1.k", "scale", "gain"]
    loaded.ask("construct", object=9, name="Plain", args=[2])
    listing = loaded.reply("parameters", object=9, paths=[])
    assert paths == listing.head["parameters"]
    draw = torch.Generator().manual_seed(0)
    values = [torch.randn(tensor.shape, dtype=torch.float64, generator=draw) for tensor in listing.tensors]
    assert loaded.set(paths, values, object=9, dtype="float64") is None
    x = torch.randn(3, 2, dtype=torch.float64, generator=draw)
    reply = loaded.differentiated("forward", x, cotangent=torch.ones_like(x), object=9, requires_grad=[0], paths=paths)
    torch.testing.assert_close((x @ values[0].T + values[1]) * values[3] * values[4] * values[5], reply.tensors[0])
    there = [[p, p in ("W_q.weight", "W_q.bias", "heads.1.k", "gain")] for p in paths]
    assert there == reply.head["gradients"]["parameters"]


def test_set_names_what_is_missing_or_has_another_shape(base: LoadedWorker) -> None:
    missing = base.set(["q_proj.weight"], [torch.zeros(4)], object=1, dtype="float64")
    shape = base.set(["proj.bias"], [torch.zeros(3)], object=1, dtype="float64")
    assert {"type": "missing", "path": "q_proj.weight", "shape": None} == missing
    assert {"type": "shape", "path": "proj.bias", "shape": [4]} == shape


def test_a_bias_that_is_none_is_missing(loaded: LoadedWorker) -> None:
    loaded.ask("construct", object=2, name="Config", args=[4], kwargs={"bias": False})
    loaded.ask("construct", object=1, name="Base", args=[{"$reference": [2, []]}])
    missing = loaded.set(["proj.bias"], [torch.zeros(4)], object=1, dtype="float32")
    assert {"type": "missing", "path": "proj.bias", "shape": None} == missing


def test_a_call_gives_nested_values(base: LoadedWorker) -> None:
    reply = base.call("__call__", torch.ones(2, 4), object=1)
    assert {"$tuple": [{"$tensor": 0}, [{"$tuple": [2, 4]}, {"$dict": [["a", None]]}]]} == reply.head["value"]
    assert (None, []) == (reply.head["error"], reply.head["policy"])


def test_attributes_can_be_read_and_a_missing_name_is_told(base: LoadedWorker) -> None:
    assert 4 == base.call("proj.in_features", object=1).head["value"]
    assert "a layer of the class Base, not what it returns" == base.call("eval", object=1).head["value"]["$unsendable"]
    assert {"type": "missing", "path": "nope"} == base.call("nope", object=1).head["error"]
    assert {"type": "missing", "path": "nope.x"} == base.call("nope.x").head["error"]


def test_the_same_index_is_the_same_tensor(loaded: LoadedWorker) -> None:
    x = torch.ones(2)
    assert loaded.reply("call", [x], object=None, name="same", args=[{"$tensor": 0}] * 2).head["value"] is True
    assert loaded.call("same", x, x).head["value"] is False


def test_the_inputs_of_the_last_call_come_back_as_they_are_now(loaded: LoadedWorker) -> None:
    x, y = torch.tensor([math.nan, 1.0]), torch.tensor([2.0, 1.0])
    loaded.call("double_in_place", x, y)
    reply = loaded.reply("inputs")
    assert [{"$tensor": 0}, {"$tensor": 1}] == reply.head["inputs"]
    assert [str(x), str(2 * y)] == [str(tensor) for tensor in reply.tensors]
    loaded.ask("drop")
    assert [] == loaded.ask("inputs")["inputs"]


def test_gradients_are_those_of_autograd(base: LoadedWorker) -> None:
    weight, bias = torch.arange(16.0).view(4, 4).double(), torch.ones(4).double()
    base.set(["proj.weight", "proj.bias"], [weight, bias], object=1, dtype="float64")
    draw = torch.Generator().manual_seed(1)
    x, cotangent = torch.randn(2, 3, 4, generator=draw).double(), torch.randn(2, 3, 4, generator=draw).double()
    paths = ["proj.weight", "proj.bias", "none.there"]
    reply = base.differentiated("__call__", x, cotangent=cotangent, object=1, requires_grad=[0], paths=paths)
    weight.requires_grad_(), bias.requires_grad_(), x.requires_grad_()
    expected = torch.autograd.grad(x @ weight.T + bias, [x, weight, bias], cotangent)
    head = {"leaves": [True], "parameters": [["proj.weight", True], ["proj.bias", True]]}
    assert head == reply.head["gradients"]
    for one, other in zip(expected, reply.tensors[reply.head["returned"] :], strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-14)


def test_an_input_that_the_output_does_not_use_has_no_gradient(loaded: LoadedWorker) -> None:
    x = torch.ones(2)
    reply = loaded.differentiated("add", x, x, cotangent=x, requires_grad=[1])
    assert [True] == reply.head["gradients"]["leaves"]
    assert [1.0, 1.0] == loaded.differentiated("identity", x, cotangent=x, requires_grad=[0]).tensors[1].tolist()


def test_an_output_cut_off_from_its_inputs_is_told(loaded: LoadedWorker) -> None:
    x = torch.ones(2)
    reply = loaded.differentiated("cut_off", x, cotangent=x, requires_grad=[0])
    assert (None, None) == (reply.head["error"], reply.head["gradients"])


def test_what_was_dropped_is_gone(base: LoadedWorker) -> None:
    base.ask("drop")
    with pytest.raises(SandboxError, match="refused 'call': KeyError: 1"):
        base.call("__call__", torch.ones(2, 4), object=1)
