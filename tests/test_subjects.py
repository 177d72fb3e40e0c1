"""Every kind of subject that a kata may have, shown by a small kata each: right programs pass, wrong ones are named."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.attention_kata import AttentionKata, built, read_pair
from grader.checks.case import Answer, Case, Projections, Size
from grader.checks.draw import Draw
from grader.checks.kata import Kata
from grader.checks.subject import Call, Implementation, Manner, New, Subject
from grader.checks.tiers import Claim, Tier
from grader.checks.weights import SetWeights
from grader.claims import shapes
from grader.judge import Options, report_of
from grader.katas import derive
from grader.oracle import pipeline
from grader.oracle.attention import AttentionKey, expected
from grader.oracle.functions import FunctionKey, Functions
from grader.oracle.mistake import Mistake
from grader.oracle.sections import Section
from grader.records import Contract, Needed, Policy, Report, Verdict
from tests.grading import BY_NAME, results, sandbox, solution, submission, summary

VALUES = Tier("values", "the values are right", needs_liveness=False)
MEMORY = Tier("memory", "memory grows as it may", needs_liveness=False)
OPERATORS = Manner(observed=frozenset({"operators"}))


def graded(kata: Kata, source: str) -> Report:
    """The report on a source, by a kata that is in no registry."""
    return report_of(submission(source), kata, Options(seed=3), sandbox())


def failed(report: Report) -> dict[str, str | None]:
    """The mistakes named in the checks that failed, by the checks' names."""
    assert report.outcome == "graded", summary(report)
    return {check.name: check.mistake for check in results(report) if check.verdict is not Verdict.PASS}


# A function on tensors: values, gradients, dtypes, strides, changes in place, an oracle and mistakes with names.


def rotated(steps: Functions, x: Tensor, positions: Tensor) -> Tensor:
    angles = steps.angles(steps, x, positions)
    return x * angles.cos() + steps.halves(steps, x) * angles.sin()


def angles(steps: Functions, x: Tensor, positions: Tensor) -> Tensor:
    frequencies = 10000.0 ** -(torch.arange(0, x.shape[-1], 2, dtype=x.dtype) / x.shape[-1])
    return (positions[:, None] * frequencies).repeat(1, 2)


def halves(steps: Functions, x: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


def interleaved(steps: Functions, x: Tensor) -> Tensor:
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


ROPE = Functions(apply_rope=rotated, angles=angles, halves=halves)
INTERLEAVED = Mistake(
    "interleaved",
    "neighbouring features were rotated as pairs, not the halves",
    {"halves": interleaved},
    why="The contract pairs feature i with feature i + D / 2.",
)


@VALUES(weight=2)
def equals_the_oracle(subject: Subject, draw: Draw) -> None:
    """The values and their gradient are right, whatever the strides."""
    x, positions = draw.tensor(5, 6), torch.arange(5)
    call = Call("apply_rope", (x, positions))
    for manner in (Manner(), Manner(strided=True)):
        got = subject.ask(call, manner).value
        expect.close("apply_rope(x, positions)", got, ROPE.run(call))
        assert not subject.changed()
    cotangent = draw.tensor(5, 6)
    _, found = subject.gradients(call, cotangent, {"x": x})
    leaf = x.clone().requires_grad_()
    (ROPE.run(Call("apply_rope", (leaf, positions))) * cotangent).sum().backward()
    expect.close("gradient of x", found["x"], expect.tensor("gradient", leaf.grad))


@VALUES()
def keeps_the_dtype(subject: Subject, draw: Draw) -> None:
    """What is returned has the dtype of x."""
    got = subject.call("apply_rope", draw.tensor(5, 6).float(), torch.arange(5))
    expect.equal("dtype", expect.tensor("apply_rope(x, positions)", got).dtype, torch.float32)


@VALUES()
def leaves_its_input_alone(subject: Subject, draw: Draw) -> None:
    """x is not changed in place."""
    subject.call("apply_rope", draw.tensor(5, 6), torch.arange(5))
    expect.equal("inputs changed in place", len(subject.changed()), 0)


class Rope(Kata):
    name = "rope"
    title = "Rotary positions"
    contract = Contract("rope", (Needed("apply_rope", "function", "(x, positions)"),))
    shares: ClassVar = {VALUES: 1}


ROPE_KATA = Rope(
    (equals_the_oracle, keeps_the_dtype, leaves_its_input_alone),
    FunctionKey(ROPE, (INTERLEAVED,), {"halves": Section("Halves", "Which features form a pair?")}),
)
RIGHT_ROPE = """
import torch

def apply_rope(x, positions):
    half = x.shape[-1] // 2
    angle = positions[:, None] * 10000.0 ** (-torch.arange(half, dtype=x.dtype) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)
"""
TURNED = "torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)"
WRONG_ROPE = f"""
import torch

def apply_rope(x, positions):
    powers = -torch.arange(0, x.shape[-1], 2, dtype=x.dtype) / x.shape[-1]
    angle = (positions[:, None] * 10000.0**powers).repeat(1, 2)
    return x * angle.cos() + {TURNED} * angle.sin()
"""


def test_a_right_function_has_all_points() -> None:
    assert failed(graded(ROPE_KATA, RIGHT_ROPE)) == {}


def test_a_mistake_in_a_function_is_named() -> None:
    assert failed(graded(ROPE_KATA, WRONG_ROPE)) == {"equals_the_oracle": INTERLEAVED.sentence}


def test_a_function_that_writes_into_its_input_is_found() -> None:
    spoiled = RIGHT_ROPE.replace("return", "x.mul_(1.5)\n    return")
    assert "leaves_its_input_alone" in failed(graded(ROPE_KATA, spoiled))


# A function that makes a mask: no liveness, tiers of its own.


def window(steps: Functions, T: int, size: int) -> Tensor:
    places = torch.arange(T)
    return (places[:, None] >= places) & steps.near(places[:, None] - places, size)


WINDOW = Functions(sliding_window_mask=window, near=lambda distance, size: distance < size)
ONE_MORE = Mistake(
    "one_more",
    "the window holds one key more",
    {"near": lambda distance, size: distance <= size},
    why="w keys, not w + 1.",
)


@VALUES()
def the_mask_is_a_band(subject: Subject, draw: Draw) -> None:
    """Each query sees itself and the keys before it, as many as the window says."""
    call = Call("sliding_window_mask", (7, 3))
    expect.close("sliding_window_mask(7, 3)", subject.ask(call).value, WINDOW.run(call).double())


class Window(Kata):
    name = "window"
    title = "A sliding window"
    contract = Contract("window", (Needed("sliding_window_mask", "function", "(T, window)"),))
    shares: ClassVar = {VALUES: 1}


WINDOW_KATA = Window((the_mask_is_a_band,), FunctionKey(WINDOW, (ONE_MORE,), {"near": Section("Window", "How many?")}))
BAND = "import torch\ndef sliding_window_mask(T, window):\n    m = torch.ones(T, T, dtype=torch.bool).tril()\n"


def test_a_function_that_makes_a_mask_needs_no_attention() -> None:
    assert (
        failed(graded(WINDOW_KATA, BAND + "    return m & m.mT.tril(window - 1).mT.mT.triu(0) | m.triu(1 - window)"))
        == {}
    )
    assert failed(graded(WINDOW_KATA, BAND + "    return m.triu(-window)")) == {"the_mask_is_a_band": ONE_MORE.sentence}


# A layer with other projections and sizes: the weights, sizes and steps of a family.


@dataclass(frozen=True)
class GroupedSize(Size):
    bias: bool = False
    kv_heads: int = 1


class GroupedWeights(SetWeights):
    def new(self, draw: Draw, size: Size) -> tuple[Projections, int]:
        assert isinstance(size, GroupedSize)
        weights, seed = super().new(draw, size)
        rows = size.kv_heads * size.head_dim
        return replace(weights, k=weights.k[:rows].clone(), v=weights.v[:rows].clone()), seed


def split_groups(x: Tensor, c: pipeline.Context) -> Tensor:
    heads = x.unflatten(-1, (-1, c.size.head_dim)).transpose(1, 2)
    return heads.repeat_interleave(c.size.num_heads // heads.shape[1], dim=1)


def dealt_in_turn(x: Tensor, c: pipeline.Context) -> Tensor:
    heads = x.unflatten(-1, (-1, c.size.head_dim)).transpose(1, 2)
    return heads.repeat(1, c.size.num_heads // heads.shape[1], 1, 1)


GROUPS_IN_TURN = Mistake(
    "groups_in_turn", "the key heads were dealt out in turn, not in groups", {"split": dealt_in_turn}, why="-"
)


@tiers.PARITY()
def equals_grouped_attention(attention: Any, draw: Draw) -> None:
    """With the same weights the output is that of grouped heads."""
    mha = attention(embed_dim=24, num_heads=4, kv_heads=2)
    case = mha.case(draw, N=2, L=5)
    expect.close("output", mha(case).output, expected(mha, case).output)


class Grouped(AttentionKata):
    name = "grouped"
    title = "Grouped heads"
    contract = Contract("grouped", (Needed("Grouped", "class"),))
    class_name = "Grouped"
    streams = 1
    inputs = ("x",)
    names: ClassVar = {"query": "x"}
    weight_source: ClassVar = GroupedWeights()
    size: ClassVar = GroupedSize

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> New:
        assert isinstance(size, GroupedSize)
        options = {"kv_heads": size.kv_heads}
        return built("Grouped", size, options, defaults=defaults, by_keyword=by_keyword, sizes=("E", "H"))

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        return {f"{name}.weight": tensor for name, tensor in weights.items()}

    def call(self, case: Case, size: Size) -> Call:
        return Call("__call__", (case.query,))

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "output", "weights")


GROUPED_KATA = Grouped(
    (equals_grouped_attention, tiers.SHAPES()(shapes.self_attention)),
    AttentionKey(pipeline.PER_HEAD.but(split=split_groups), (GROUPS_IN_TURN,)),
)
GROUPED = """
import torch
from torch import nn

class Grouped(nn.Module):
    def __init__(self, E, H, kv_heads):
        super().__init__()
        self.D, self.H, self.G = E // H, H, kv_heads
        self.q, self.o = nn.Linear(E, E, bias=False), nn.Linear(E, E, bias=False)
        self.k, self.v = (nn.Linear(E, kv_heads * self.D, bias=False) for _ in "kv")

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (-1, self.D)).transpose(1, 2) for f in (self.q, self.k, self.v))
        k, v = (t.repeat_interleave(self.H // self.G, 1) for t in (k, v))
        w = torch.softmax(q @ k.mT / self.D**0.5, -1)
        return self.o((w @ v).transpose(1, 2).flatten(2)), w
"""


def test_a_layer_with_other_weights_is_judged_by_the_steps_of_its_family() -> None:
    assert failed(graded(GROUPED_KATA, GROUPED)) == {}
    turned = GROUPED.replace("repeat_interleave(self.H // self.G, 1)", "repeat(1, self.H // self.G, 1, 1)")
    assert failed(graded(GROUPED_KATA, turned)) == {"equals_grouped_attention": GROUPS_IN_TURN.sentence}


# A layer with state: what a call returned stays in the worker, is handed back, and its tensors are counted.


@VALUES()
def a_cache_is_handed_back(subject: Subject, draw: Draw) -> None:
    """Fed token by token, the running sums are those of the whole."""
    layer, x = subject.construct(New("Sums")), draw.tensor(4, 3)
    first = subject.ask(Call("__call__", (x[:2],), of=layer), keep=True)
    held = subject.holding(first.reference[1])
    expect.equal("tensors in the cache", (held.tensors, held.bytes), (1, 3 * 8))
    second = subject.ask(Call("__call__", (x[2:],), {"cache": first.reference[1]}, of=layer))
    expect.close("y", second.value[0], x.cumsum(0)[2:])


class Stateful(Kata):
    name = "stateful"
    title = "A layer with state"
    contract = Contract("stateful", (Needed("Sums", "class"),))
    shares: ClassVar = {VALUES: 1}


SUMS = """
class Cache:
    def __init__(self, total): self.total = total

class Sums:
    def __call__(self, x, cache=None):
        y = x.cumsum(0) + (0 if cache is None else cache.total)
        return y, Cache(y[-1].clone())
"""


def test_a_result_stays_in_the_worker_and_is_handed_back() -> None:
    kata = Stateful((a_cache_is_handed_back,))
    assert failed(graded(kata, SUMS)) == {}
    assert failed(graded(kata, SUMS.replace("Cache(y[-1].clone())", "Cache(x[-1].clone())"))) != {}


# Memory as a claim, and an operator that must be used, both seen at the dispatcher.


@MEMORY()
def no_tensor_of_scores(subject: Subject, draw: Draw) -> None:
    """No tensor of L x S elements is made, and nothing stays."""
    q, k, v = (draw.tensor(1, 2, 256, 4) for _ in range(3))
    usage = subject.ask(Call("attend", (q, k, v)), OPERATORS).usage
    assert usage is not None
    expect.at_most("elements of the largest tensor", torch.tensor(float(usage.largest)), 256 * 256 / 2)
    expect.equal("bytes left after the call", usage.left_bytes, 0)


@MEMORY()
def uses_the_operator(subject: Subject, draw: Draw) -> None:
    """F.scaled_dot_product_attention is used."""
    q, k, v = (draw.tensor(1, 2, 8, 4) for _ in range(3))
    usage = subject.ask(Call("attend", (q, k, v)), OPERATORS).usage
    assert usage is not None
    used = any("scaled_dot_product" in name or "_safe_softmax" in name for name in usage.operators)
    expect.equal("F.scaled_dot_product_attention used", used, True)


class Blocked(Kata):
    name = "blocked"
    title = "Attention in blocks"
    contract = Contract("blocked", (Needed("attend", "function", "(q, k, v)"),))
    shares: ClassVar = {MEMORY: 1}


class Operator(Blocked):
    policy = Policy(forbidden=frozenset({"mha"}), required=frozenset({"sdpa"}))


EXPLICIT = "import torch\ndef attend(q, k, v):\n    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v\n"
BLOCKS = """
import torch
def attend(q, k, v):
    rows = [torch.softmax(q[..., i : i + 32, :] @ k.mT / q.shape[-1] ** 0.5, -1) @ v for i in range(0, q.shape[-2], 32)]
    return torch.cat(rows, -2)
"""
FUSED = "import torch.nn.functional as F\ndef attend(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)\n"
KEPT = BLOCKS.replace("return", "attend.history = rows\n    return")


def test_memory_is_counted_by_operators() -> None:
    kata = Blocked((no_tensor_of_scores,))
    assert failed(graded(kata, BLOCKS)) == {}
    assert list(failed(graded(kata, EXPLICIT))) == ["no_tensor_of_scores"]
    assert list(failed(graded(kata, KEPT))) == ["no_tensor_of_scores"]


def test_an_operator_is_forbidden_or_asked_for_by_the_kata() -> None:
    asked = Operator((uses_the_operator,))
    assert failed(graded(asked, FUSED)) == {}
    assert list(failed(graded(asked, EXPLICIT))) == ["uses_the_operator"]
    (forbidden,) = results(graded(Blocked((no_tensor_of_scores,)), FUSED))
    assert forbidden.verdict is Verdict.POLICY


# The candidate's function is given implementations, which the judge computes.


def computed(flawed: bool) -> Implementation:
    def run(parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        weight = parameters["W_O.weight"].double()
        return x.double() @ (weight.roll(1, 0) if flawed else weight).T

    return Implementation(run, {"W_O": (torch.eye(4).roll(1, 0) * 2, None)}, {"num_heads": 2})


def claim_on(flawed: bool) -> Claim:
    def claim(subject: Subject, draw: Draw) -> None:
        """The candidate's test accepts a right implementation and refuses a wrong one."""
        given = computed(flawed)
        if flawed:
            expect.refuses("a wrong one", lambda: subject.call("check", given), "AssertionError")
        else:
            expect.nothing("what is returned for a right one", subject.call("check", given))

    claim.__name__ = f"told_{'wrong' if flawed else 'right'}"
    return VALUES()(claim)


class Examined(Kata):
    name = "tested"
    title = "A test"
    contract = Contract("tested", (Needed("check", "function", "(layer)"),))
    shares: ClassVar = {VALUES: 1}


EXAMINED = Examined((claim_on(False), claim_on(True)))
CHECK = """
import torch

def check(layer):
    x = torch.randn(3, 4)
    before = layer(x)
    assert torch.allclose(before.float(), x @ layer.W_O.weight.T, atol=1e-5)
    with torch.no_grad():
        layer.W_O.weight.mul_(2)
    assert torch.allclose(layer(x).float(), 2 * before.float(), atol=1e-5)
"""


def test_an_implementation_is_computed_by_the_judge_with_the_parameters_as_they_are() -> None:
    assert failed(graded(EXAMINED, CHECK)) == {}
    assert list(failed(graded(EXAMINED, "def check(layer):\n    return None\n"))) == ["told_wrong"]


def test_no_source_of_an_implementation_is_in_the_worker() -> None:
    looks = """
import gc
def check(layer):
    assert not [o for o in gc.get_objects() if callable(o) and getattr(o, "__name__", "") == "computed"]
"""
    assert "told_right" not in failed(graded(EXAMINED, looks))


# A kata that is derived of another one.


def test_a_derived_kata_has_the_checks_of_its_base_and_its_own() -> None:
    @tiers.INTERFACE(weight=2)
    def own(subject: Subject, draw: Draw) -> None:
        """The colleague's assertion holds."""
        expect.equal("ASSERTED", subject.call("asserted"), True)

    base = BY_NAME["functional"]
    kata = derive(base, (own,), name="repair", title="Repair the colleague's function")
    assert kata.name == "repair"
    assert {check.name for check in base.checks} | {"own"} == {check.name for check in kata.checks}
    assert sum(check.points for check in kata.checks) == 100
    source = solution("functional")
    assert list(failed(graded(kata, source))) == ["own"]
    assert failed(graded(kata, source + "\ndef asserted():\n    return True\n")) == {}


# Liveness and traces are kept for each check by itself.


def test_a_check_without_an_attention_has_a_trace_of_its_own() -> None:
    @tiers.PARITY()
    def says_a_word(subject: Subject, draw: Draw) -> None:
        """A function without attention."""
        expect.equal("word()", subject.call("word"), "right")

    @tiers.PARITY()
    def attends(attention: MakeAttention, draw: Draw) -> None:
        """The attention answers."""
        mha = attention(embed_dim=18, num_heads=3)
        expect.shape("output", mha(mha.case(draw, N=2, L=5)).output, N=2, L=5, E=18)

    base = BY_NAME["plain_class"]
    kata = type(base)((attends, says_a_word), base.key)
    report = graded(kata, solution("plain_class") + "\ndef word():\n    return 'wrong'\n")
    assert failed(report) == {"says_a_word": None}


@pytest.mark.parametrize("name", BY_NAME)
def test_points_of_every_kata_add_to_100(name: str) -> None:
    assert sum(check.points for check in BY_NAME[name].checks) == 100
    assert min(check.points for check in BY_NAME[name].checks) >= 1
