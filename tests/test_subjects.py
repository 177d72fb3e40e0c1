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
from grader.checks.subject import Call, Construction, Manner, Subject
from grader.checks.tiers import Tier
from grader.checks.weight_source import SetWeights
from grader.claims import shapes
from grader.judge import Options, report_of
from grader.oracle import pipeline
from grader.oracle.attention_key import AttentionKey, expected
from grader.oracle.functions import FunctionKey, Functions
from grader.oracle.mistake import Mistake
from grader.oracle.sections import Section
from grader.records import Contract, Policy, Report, RequiredName, Verdict
from tests.grading import BY_NAME, ROOT, results, sandbox, solution, submission, summary

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
    contract = Contract("window", (RequiredName("sliding_window_mask", "function", "(T, window)"),))
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
    contract = Contract("grouped", (RequiredName("Grouped", "class"),))
    class_name = "Grouped"
    streams = 1
    inputs = ("x",)
    names: ClassVar = {"query": "x"}
    weight_source: ClassVar = GroupedWeights()
    size: ClassVar = GroupedSize

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction:
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
    layer, x = subject.construct(Construction("Sums")), draw.tensor(4, 3)
    first = subject.ask(Call("__call__", (x[:2],), of=layer), keep=True)
    held = subject.count_tensors(first.reference[1])
    expect.equal("tensors in the cache", (held.tensors, held.bytes), (1, 3 * 8))
    second = subject.ask(Call("__call__", (x[2:],), {"cache": first.reference[1]}, of=layer))
    expect.close("y", second.value[0], x.cumsum(0)[2:])


class Stateful(Kata):
    name = "stateful"
    title = "A layer with state"
    contract = Contract("stateful", (RequiredName("Sums", "class"),))
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
    expect.equal("bytes left after the call", subject.left_alive().bytes, 0)


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
    contract = Contract("blocked", (RequiredName("attend", "function", "(q, k, v)"),))
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


@MEMORY()
def peaks_at_4096(subject: Subject, draw: Draw) -> None:
    """What an attention takes at its peak: at most a tenth of its scores."""
    q, k, v = (draw.tensor(1, 1, 4096, 64, dtype=torch.float32) for _ in range(3))
    usage = subject.ask(Call("attend", (q, k, v)), OPERATORS).usage
    assert usage is not None
    expect.at_most("bytes at the peak", torch.tensor(float(usage.peak_bytes)), 4 * 4096 * 4096 / 10)


class Long(Blocked):
    policy = Policy(forbidden=frozenset({"mha"}))


@pytest.mark.parametrize(("source", "is_small"), [("EXPLICIT", False), ("BLOCKS", True), ("FUSED", True)])
def test_memory_tells_explicit_weights_blocks_and_sdpa_apart_at_4096(source: str, is_small: bool) -> None:
    assert (failed(graded(Long((peaks_at_4096,)), globals()[source])) == {}) is is_small


def test_an_operator_is_forbidden_or_asked_for_by_the_kata() -> None:
    kata = Operator((uses_the_operator,))
    assert failed(graded(kata, FUSED)) == {}
    assert list(failed(graded(kata, EXPLICIT))) == ["uses_the_operator"]
    (forbidden,) = results(graded(Blocked((no_tensor_of_scores,)), FUSED))
    assert forbidden.verdict is Verdict.POLICY


# The candidate's function is given implementations, which the judge computes.

LOOKS = """
import gc
def check_head_permutation(attention):
    assert not [o for o in gc.get_objects() if callable(o) and getattr(o, "__name__", "") == "mean_of_all_keys"]
"""
WRITES = """
import torch

def check_head_permutation(attention):
    x = torch.randn(3, 4, attention.d_model)
    before = attention(x, x, x)[0] - attention.W_O.bias
    with torch.no_grad():
        attention.W_O.weight.mul_(2)
    assert torch.allclose(attention(x, x, x)[0] - attention.W_O.bias, 2 * before, rtol=1e-3, atol=1e-3)
"""


@pytest.mark.slow
@pytest.mark.parametrize("source", [LOOKS, WRITES], ids=["no source is in the worker", "with parameters as they are"])
def test_an_implementation_is_computed_by_the_judge(source: str) -> None:
    assert "a_mean_of_all_keys_is_accepted" not in failed(graded(BY_NAME["write_head_permutation_test"], source))


# A kata that is derived of another one.


FAULTS = ("fault 1: draws", "fault 2: mask", "fault 3: heads")


def test_a_derived_kata_has_the_checks_and_the_key_of_its_base_and_its_own() -> None:
    base, kata = BY_NAME["functional"], BY_NAME["repair_functional"]
    own = {check.name for check in kata.checks if check.tier.name in FAULTS}
    assert len(own) == 3
    assert {check.name for check in base.checks} | own == {check.name for check in kata.checks}
    assert (kata.key.mistakes, kata.key.oracle) == (base.key.mistakes, base.key.oracle)
    assert (kata.contract.kata, kata.contract.needed) == (kata.name, base.contract.needed)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("program", "gone"),
    [
        ("all_three_remain", ""),
        ("draws_repaired", "1"),
        ("mask_values_repaired", "2"),
        ("mask_shape_repaired", "3"),
        ("draws_remain", "23"),
        ("mask_values_remain", "13"),
        ("mask_shape_remains", "12"),
    ],
)
def test_a_report_tells_which_planted_faults_are_gone(program: str, gone: str) -> None:
    source = (ROOT / "tests" / "wrong" / "repair_functional" / f"{program}.py").read_text(encoding="utf-8")
    report = graded(BY_NAME["repair_functional"], f"{solution('repair_functional')}\n{source}")
    passed = [tier.name for tier in report.tiers if tier.name in FAULTS and tier.passed]
    assert passed == [name for name in FAULTS if name[6] in gone]


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
