"""The worker's verbs: what a submission defines, makes, computes and raises, as the judge sees it."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from grader.sandbox import Limits, Sandbox, SandboxError
from grader.wire import WireLimits
from tests.sandbox_tools import Loaded

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
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(wire=WireLimits(payload_bytes=1 << 20))) as started:
        yield started


@pytest.fixture(scope="module")
def loaded(sandbox: Sandbox) -> Iterator[Loaded]:
    with Loaded(sandbox, SOURCE) as ready:
        assert ready.error is None
        yield ready


@pytest.fixture
def base(loaded: Loaded) -> Iterator[Loaded]:
    """Object 1 is a Base of size 4."""
    loaded.ask("construct", object=2, name="Config", args=[4])
    loaded.ask("construct", object=1, name="Base", args=[{"$object": 2}], seed=5)
    yield loaded
    loaded.ask("drop")


DECORATED = """
import functools

def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

def with_masks(function):
    @functools.wraps(function)
    def wrapper(self, x, kv=None, **masks):
        return function(self, x, x if kv is None else kv, **masks)
    return wrapper

class Attention:
    @logged
    def split(self, x):
        return x
    @with_masks
    def forward(self, x, kv, *, mask=None):
        return x
"""


def test_a_decorated_method_has_the_signature_of_its_decorator(sandbox: Sandbox) -> None:
    with Loaded(sandbox, DECORATED) as loaded:
        found = loaded.ask("names", names=["Attention.split", "Attention.forward"])["found"]
    assert [["args", "VAR_POSITIONAL", False], ["kwargs", "VAR_KEYWORD", False]] == found["Attention.split"][
        "signature"
    ]
    assert ["x", "kv", "masks"] == [name for name, _, _ in found["Attention.forward"]["signature"]]


def test_names_tell_kind_type_and_signature_without_self(loaded: Loaded) -> None:
    wanted = ["Base", "Base.forward", "Base.split", "Base.make", "Config", "identity", "CONSTANT", "nope", "Base.nope"]
    reply = loaded.ask("names", names=wanted)
    cfg, x = ["cfg", "POSITIONAL_OR_KEYWORD", False], ["x", "POSITIONAL_OR_KEYWORD", False]
    assert {
        "Base": ("class", [cfg, ["scale", "KEYWORD_ONLY", True]]),
        "Base.forward": ("method", [x, ["mask", "POSITIONAL_OR_KEYWORD", True]]),
        "Base.split": ("method", [x, ["heads", "POSITIONAL_OR_KEYWORD", False]]),
        "Base.make": ("method", [["n", "POSITIONAL_OR_KEYWORD", False]]),
        "Config": ("class", [["embed", "POSITIONAL_OR_KEYWORD", False], ["bias", "POSITIONAL_OR_KEYWORD", True]]),
        "identity": ("function", [x]),
        "CONSTANT": ("other", None),
    } == {name: (entry["kind"], entry["signature"]) for name, entry in reply["found"].items()}
    assert "int" == reply["found"]["CONSTANT"]["type"]
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
    ] == reply["defined"]


def test_the_forward_that_a_module_does_not_define_is_missing(loaded: Loaded) -> None:
    assert ["Bare"] == list(loaded.ask("names", names=["Bare", "Bare.forward"])["found"])


def test_main_demos_sleep_and_jupyter_names_are_harmless(sandbox: Sandbox) -> None:
    source = """
    if __name__ == "__main__": raise SystemExit
    get_ipython().run_line_magic("matplotlib", "inline")
    display(3)
    """
    with Loaded(sandbox, source) as loaded:
        assert loaded.error is None


def test_a_later_cell_runs_after_one_that_raised(sandbox: Sandbox) -> None:
    with Loaded(sandbox) as loaded:
        first = loaded.ask("load", source="a = 1\nb = c\n", filename="cell 1", cell=1)["error"]
        second = loaded.ask("load", source="def f(): return a", filename="cell 2", cell=2)["error"]
        assert "NameError" == first["type"]
        assert [{"file": "cell 1", "line": 2, "function": "<module>", "text": "b = c"}] == first["frames"]
        assert second is None
        assert 1 == loaded.call("f").head["value"]


def test_a_syntax_error_has_its_line(sandbox: Sandbox) -> None:
    with Loaded(sandbox, "x = 1\ny = = 2\n") as loaded:
        assert "SyntaxError" == loaded.error["type"]
        assert "(candidate.py, line 2)" in loaded.error["message"]


def test_a_library_that_is_not_installed_is_named(sandbox: Sandbox) -> None:
    with Loaded(sandbox, "import einops_not_here.layers") as loaded:
        told = ("ModuleNotFoundError", "No module named 'einops_not_here'")
        assert told == (loaded.error["type"], loaded.error["message"])


def test_only_frames_of_the_submission_are_told(base: Loaded) -> None:
    error = base.call("oops", torch.zeros(2, 3), object=1).head["error"]
    assert ("ValueError", "shape \x1b[31m(2, 3)") == (error["type"], error["message"])
    assert ["ValueError", "Exception", "BaseException", "object"] == error["bases"]
    assert ["oops", "helper"] == [frame["function"] for frame in error["frames"]]
    assert ["candidate.py"] * 2 == [frame["file"] for frame in error["frames"]]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def f(): return f()", "RecursionError"),
        ("def f(): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(Exception):\n    def __str__(self): raise SystemExit\ndef f(): raise E", "E"),
        ("class E(Exception):\n    def __str__(self): return '\\ud800' * 9999\ndef f(): raise E", "E"),
    ],
)
def test_whatever_is_raised_is_told(sandbox: Sandbox, source: str, kind: str) -> None:
    with Loaded(sandbox) as loaded:
        loaded.ask("load", source=source, filename="c.py", cell=None)
        error = loaded.call("f").head["error"]
        assert kind == error["type"]
        assert 0 < len(error["message"]) + (kind == "KeyboardInterrupt") <= 2000
        assert 1 <= len(error["frames"]) <= 20


def test_construct_is_repeatable_under_a_seed_and_lists_its_parameters(base: Loaded) -> None:
    first = base.reply("construct", object=1, name="Base", args=[{"$object": 2}], seed=5, send_parameters=True)
    second = base.reply("construct", object=1, name="Base", args=[{"$object": 2}], seed=5, send_parameters=True)
    torch.manual_seed(5)
    layer = torch.nn.Linear(4, 4)
    assert [["proj.weight", [4, 4]], ["proj.bias", [4]]] == first.head["parameters"]
    assert torch.equal(layer.weight, first.tensors[0])
    assert torch.equal(first.tensors[1], second.tensors[1])


def test_construct_in_another_default_dtype_leaves_none_behind(base: Loaded) -> None:
    reply = base.reply(
        "construct", object=3, name="Base", args=[{"$object": 2}], default_dtype="float64", send_parameters=True
    )
    assert torch.float64 == reply.tensors[0].dtype
    assert (
        torch.float32
        == base.reply("construct", object=3, name="Base", args=[{"$object": 2}], send_parameters=True).tensors[0].dtype
    )


def test_settings_of_a_scratch_cell_do_not_last(sandbox: Sandbox) -> None:
    source = """
    import torch
    torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False); torch.use_deterministic_algorithms(True)
    torch.set_default_device("meta"); torch.manual_seed = None
    def f(): return torch.ones(1), torch.is_grad_enabled(), torch.are_deterministic_algorithms_enabled()
    def draw(): return torch.rand(3)
    """
    with Loaded(sandbox, source) as loaded:
        reply = loaded.call("f")
        assert {"$tuple": [{"$tensor": 0}, True, False]} == reply.head["value"]
        assert torch.float32 == reply.tensors[0].dtype
        torch.manual_seed(3)
        assert torch.equal(torch.rand(3), loaded.call("draw", seed=3).tensors[0])


def test_parameters_of_a_plain_object_are_found_set_and_converted(loaded: Loaded) -> None:
    paths = ["W_q.weight", "W_q.bias", "heads.0.weight", "heads.1.k", "scale", "gain"]
    found = loaded.ask("construct", object=9, name="Plain", args=[2])["parameters"]
    assert paths == [path for path, _ in found]
    draw = torch.Generator().manual_seed(0)
    values = [torch.randn(shape, dtype=torch.float64, generator=draw) for _, shape in found]
    assert loaded.ask("set", values, object=9, dtype="float64", paths=paths)["error"] is None
    x = torch.randn(3, 2, dtype=torch.float64, generator=draw)
    reply = loaded.call("forward", x, object=9, keep=1, requires_grad=[0])
    torch.testing.assert_close((x @ values[0].T + values[1]) * values[3] * values[4] * values[5], reply.tensors[0])
    gradients = loaded.ask("gradients", [torch.ones_like(x)], call=1, paths=paths)
    assert [[p, p in ("W_q.weight", "W_q.bias", "heads.1.k", "gain")] for p in paths] == gradients["parameters"]


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


def test_parameters_in_slots_are_found_set_and_converted(sandbox: Sandbox) -> None:
    paths = ["first.weight", "_Slots__gain", "second.0.weight"]
    with Loaded(sandbox, SLOTS) as loaded:
        found = loaded.ask("construct", object=1, name="Slots", args=[2])["parameters"]
        draw = torch.Generator().manual_seed(0)
        values = [torch.randn(shape, dtype=torch.float64, generator=draw) for _, shape in found]
        assert paths == [path for path, _ in found]
        assert loaded.ask("set", values, object=1, dtype="float64", paths=paths)["error"] is None
        x = torch.randn(3, 2, dtype=torch.float64, generator=draw)
        first, gain, second = values
        torch.testing.assert_close(x @ first.T @ second.T * gain, loaded.call("forward", x, object=1).tensors[0])
        both = loaded.ask("construct", object=2, name="Both", args=[2])["parameters"]
        assert [*paths, "late"] == [path for path, _ in both]


def test_set_names_what_is_missing_or_has_another_shape(base: Loaded) -> None:
    missing = base.ask("set", [torch.zeros(4)], object=1, dtype="float64", paths=["q_proj.weight"])["error"]
    shape = base.ask("set", [torch.zeros(3)], object=1, dtype="float64", paths=["proj.bias"])["error"]
    assert {"type": "missing", "path": "q_proj.weight", "shape": None} == missing
    assert {"type": "shape", "path": "proj.bias", "shape": [4]} == shape


def test_a_bias_that_is_none_is_missing(loaded: Loaded) -> None:
    loaded.ask("construct", object=2, name="Config", args=[4], kwargs={"bias": False})
    loaded.ask("construct", object=1, name="Base", args=[{"$object": 2}])
    assert (
        "missing"
        == loaded.ask("set", [torch.zeros(4)], object=1, dtype="float32", paths=["proj.bias"])["error"]["type"]
    )


def test_a_call_gives_nested_values(base: Loaded) -> None:
    reply = base.call("__call__", torch.ones(2, 4), object=1)
    assert {"$tuple": [{"$tensor": 0}, [{"$tuple": [2, 4]}, {"$dict": [["a", None]]}]]} == reply.head["value"]
    assert (None, []) == (reply.head["error"], reply.head["policy"])


def test_attributes_can_be_read_and_a_missing_name_is_told(base: Loaded) -> None:
    assert 4 == base.call("proj.in_features", object=1).head["value"]
    assert "a layer of the class Base, not what it returns" == base.call("eval", object=1).head["value"]["$object"]
    assert {"type": "missing", "path": "nope"} == base.call("nope", object=1).head["error"]
    assert {"type": "missing", "path": "nope.x"} == base.call("nope.x").head["error"]


def test_the_same_index_is_the_same_tensor(loaded: Loaded) -> None:
    x = torch.ones(2)
    assert loaded.reply("call", [x], object=None, name="same", args=[{"$tensor": 0}] * 2).head["value"] is True
    assert loaded.call("same", x, x).head["value"] is False


def test_the_inputs_of_the_last_call_come_back_as_they_are_now(loaded: Loaded) -> None:
    x, y = torch.tensor([math.nan, 1.0]), torch.tensor([2.0, 1.0])
    loaded.call("double_in_place", x, y)
    reply = loaded.reply("inputs")
    assert [{"$tensor": 0}, {"$tensor": 1}] == reply.head["inputs"]
    assert [str(x), str(2 * y)] == [str(tensor) for tensor in reply.tensors]
    loaded.ask("drop")
    assert [] == loaded.ask("inputs")["inputs"]


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4)])
def test_a_strided_input_has_the_values_but_is_not_contiguous(sandbox: Sandbox, shape: tuple[int, ...]) -> None:
    x = torch.arange(math.prod(shape), dtype=torch.float32).view(shape)
    with Loaded(sandbox, "def f(x): return x, x.is_contiguous(), x.is_leaf, x.requires_grad") as loaded:
        reply = loaded.reply("call", [x], object=None, name="f", args=[{"$strided": 0}], requires_grad=[0])
    assert {"$tuple": [{"$tensor": 0}, False, True, True]} == reply.head["value"]
    assert torch.equal(x, reply.tensors[0])


def test_markers_become_python(sandbox: Sandbox) -> None:
    marks: list[Any] = [{"$tuple": [1, [2]]}, {"plain": None}]
    with Loaded(sandbox, "def f(*a, **k): return repr((a, k))") as loaded:
        value = loaded.call("f", args=marks, kwargs={"b": None}).head["value"]
    assert "(((1, [2]), {'plain': None}), {'b': None})" == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("float('nan'), -float('inf')", {"$tuple": [{"$float": "nan"}, {"$float": "-inf"}]}),
        ("10 ** 100", {"$object": "an int too long or too deep to send"}),
        ("object()", {"$object": "an object"}),
        ("[[[[[1]]]]]", [[[[{"$object": "a list too long or too deep to send"}]]]]),
        ("[0] * 20000", {"$object": "a list too long or too deep to send"}),
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
    with Loaded(sandbox, f"import torch\ndef f(): return {expression}") as loaded:
        reply = loaded.call("f")
    assert reply.head["error"] is None
    assert value == reply.head["value"]


def test_a_reply_that_would_be_too_large_is_told(sandbox: Sandbox) -> None:
    with Loaded(sandbox, "import torch\nBig = lambda: torch.nn.Linear(1000, 1000)") as loaded:
        assert "unsendable" == loaded.ask("construct", object=1, name="Big", send_parameters=True)["error"]["type"]


def test_gradients_are_those_of_autograd(base: Loaded) -> None:
    weight, bias = torch.arange(16.0).view(4, 4).double(), torch.ones(4).double()
    base.ask("set", [weight, bias], object=1, dtype="float64", paths=["proj.weight", "proj.bias"])
    draw = torch.Generator().manual_seed(1)
    x, cotangent = torch.randn(2, 3, 4, generator=draw).double(), torch.randn(2, 3, 4, generator=draw).double()
    base.call("__call__", x, object=1, requires_grad=[0], keep=7)
    reply = base.reply("gradients", [cotangent], call=7, paths=["proj.weight", "proj.bias", "none.there"])
    weight.requires_grad_(), bias.requires_grad_(), x.requires_grad_()
    expected = torch.autograd.grad(x @ weight.T + bias, [x, weight, bias], cotangent)
    assert [[0, True]] == reply.head["inputs"]
    assert [["proj.weight", True], ["proj.bias", True]] == reply.head["parameters"]
    for one, other in zip(expected, reply.tensors, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-14)


def test_an_input_that_the_output_does_not_use_has_no_gradient(loaded: Loaded) -> None:
    x = torch.ones(2)
    loaded.call("add", x, x, requires_grad=[1], keep=1)
    reply = loaded.reply("gradients", [torch.ones(2)], call=1, paths=[])
    assert [[1, True]] == reply.head["inputs"]
    loaded.call("identity", x, requires_grad=[0], keep=1)
    assert [1.0, 1.0] == loaded.reply("gradients", [x], call=1, paths=[]).tensors[0].tolist()


def test_an_output_cut_off_from_its_inputs_is_told(loaded: Loaded) -> None:
    x = torch.ones(2)
    loaded.call("cut_off", x, requires_grad=[0], keep=1)
    assert {"type": "no_grad"} == loaded.ask("gradients", [x], call=1, paths=[])["error"]


def test_a_call_under_no_grad_has_no_graph(loaded: Loaded) -> None:
    x = torch.ones(2)
    loaded.call("add", x, x, requires_grad=[0], no_grad=True, keep=1)
    assert "no_grad" == loaded.ask("gradients", [x], call=1, paths=[])["error"]["type"]


def test_what_was_dropped_is_gone(base: Loaded) -> None:
    base.ask("drop")
    with pytest.raises(SandboxError, match="refused 'call': KeyError: 1"):
        base.call("__call__", torch.ones(2, 4), object=1)


def test_the_grader_itself_imports_nothing_slow_in_a_worker(sandbox: Sandbox) -> None:
    source = """
    import sys
    def f(): return [name for name in ("sympy", "torch._dynamo.eval_frame") if name in sys.modules]
    def g(x): return x * 2
    """
    with Loaded(sandbox, source) as loaded:
        loaded.call("g", torch.ones(2), capture=True, requires_grad=[0], keep=1)
        loaded.ask("gradients", [torch.ones(2)], call=1, paths=[])
        assert [] == loaded.call("f").head["value"]


DISTURBS = """
import torch
from torch import nn

def quiet(): return torch.ones(1)
def dtype(): torch.set_default_dtype(torch.float64)
def grad(): torch.set_grad_enabled(not torch.is_grad_enabled())
def flag(): torch.use_deterministic_algorithms(True)
def precision(): torch.set_float32_matmul_precision("medium")
def anomaly(): torch.autograd.set_detect_anomaly(True)
def autocast(): torch.set_autocast_enabled("cpu", True)
def seeds(): torch.manual_seed(1)
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


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("quiet", []),
        ("dtype", ["the default dtype"]),
        ("grad", ["the grad mode"]),
        ("flag", ["the deterministic flag"]),
        ("precision", ["the precision of float32 products"]),
        ("anomaly", ["anomaly detection"]),
        ("autocast", ["autocast"]),
        ("seeds", ["the global seed", "the global generator"]),
        ("draws", ["the global generator"]),
    ],
)
def test_what_a_call_leaves_behind_is_told_and_put_right(sandbox: Sandbox, name: str, left: list[str]) -> None:
    with Loaded(sandbox, DISTURBS) as loaded:
        assert left == loaded.call(name, seed=3).head["disturbed"]
        assert left == loaded.call(name, seed=3, no_grad=True).head["disturbed"]
        assert [] == loaded.call("quiet", seed=3).head["disturbed"]


def test_what_the_call_before_returned_comes_back_as_it_is_now(sandbox: Sandbox) -> None:
    with Loaded(sandbox, DISTURBS) as loaded:
        loaded.call("into_a_buffer", torch.tensor([1.0]))
        loaded.call("into_a_buffer", torch.tensor([2.0]))
        assert [[2.0], [2.0]] == [tensor.tolist() for tensor in loaded.reply("inputs").tensors]
        loaded.ask("drop", objects=None, calls=None)
        loaded.call("into_a_buffer", torch.tensor([3.0]))
        assert [[3.0]] == [tensor.tolist() for tensor in loaded.reply("inputs").tensors]


def test_a_parameter_is_told_by_an_alias_that_the_judge_knows(sandbox: Sandbox) -> None:
    with Loaded(sandbox, DISTURBS) as loaded:
        made = loaded.ask("construct", object=1, name="Listed", seed=3, paths=["a.weight", "b.weight"])
        assert [["a.weight", [2, 2]], ["layers.1.weight", [2, 2]]] == made["parameters"]
        assert ["the global seed", "the global generator"] == made["disturbed"]
        loaded.call("forward", torch.ones(1, 2), object=1, keep=1)
        found = loaded.ask("gradients", [torch.ones(1, 2)], call=1, paths=["a.weight", "b.weight"])
        assert [["a.weight", True]] == found["parameters"]


def test_set_on_a_copy_leaves_what_is_bound_to_the_first_object_behind(sandbox: Sandbox) -> None:
    with Loaded(sandbox, DISTURBS) as loaded:
        loaded.ask("construct", object=1, name="Listed", seed=3)
        x, weight = torch.ones(1, 2), torch.eye(2)
        assert loaded.ask("set", [weight], object=1, dtype="float32", paths=["a.weight"], copy=True)["error"] is None
        assert torch.equal(x, loaded.call("forward", x, object=1).tensors[0])
        assert not torch.equal(x, loaded.call("through_first", x, object=1).tensors[0])
