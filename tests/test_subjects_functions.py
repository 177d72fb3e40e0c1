"""Small katas on functions: one of tensors, one that is given implementations, and one that is derived of another."""

import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.draw import Draw
from grader.checks.kata import Kata
from grader.checks.subject import PLAIN, Call, Implementation, Manner, Subject
from grader.checks.tiers import Tier
from grader.claims import testing
from grader.katas import DERIVED, load
from grader.oracle.functions import FunctionKey, Functions, run
from grader.oracle.mistake import Mistake
from grader.oracle.sections import GRADIENTS, Section
from grader.records import Contract, RequiredName, Verdict
from tests.grading import result
from tests.test_subjects import failed, graded

# A function on tensors: values, dtypes, strides, inputs and gradients are asked for as of a layer.

VALUES = Tier("values", "the values are those of attention")
TENSORS = Tier("tensors", "tensors of any dtype and any strides are taken, and stay as they are")


def blocked_attention(steps: Functions, q: Tensor, k: Tensor, v: Tensor, block_size: int) -> Tensor:
    scores = steps.scale(q.double() @ k.double().mT, q.shape[-1])  # (N, H, L, S)
    return (steps.weigh(scores, block_size) @ steps.values(v.double())).to(q.dtype)


def each_block_by_itself(scores: Tensor, block_size: int) -> Tensor:
    blocks = scores.split(block_size, -1)
    return torch.cat([block.softmax(-1) for block in blocks], -1) / len(blocks)


ORACLE = Functions(
    blocked_attention=blocked_attention,
    scale=lambda scores, head_dim: scores / head_dim**0.5,
    weigh=lambda scores, block_size: scores.softmax(-1),
    values=lambda v: v,
)
UNSCALED = Mistake("unscaled", "the scores were not divided", {"scale": lambda scores, head_dim: scores}, why="-")
EACH_BLOCK = Mistake("each_block", "each block has a softmax of its own", {"weigh": each_block_by_itself}, why="-")
CUT = Mistake("cut", "the values were detached from the graph", {"values": lambda v: v.detach()}, why="-")
SCORES, WEIGHTS = (
    Section("Scores", "What are they divided by?"),
    Section("Weights", "Over which keys do they sum to 1?"),
)


def inputs(draw: Draw, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    """q, k and v: (N, H, L, D), (N, H, S, D) and (N, H, S, Dv)."""
    q, k, v = ((2, 3, 7, 4), (2, 3, 10, 4), (2, 3, 10, 5))
    return draw.tensor(*q, dtype=dtype), draw.tensor(*k, dtype=dtype), draw.tensor(*v, dtype=dtype)


def is_attention(subject: Subject, call: Call, manner: Manner = PLAIN) -> Tensor:
    """The output, which is the oracle's within what rounding to its dtype may cost."""
    got, want = expect.tensor("output", subject.ask(call, manner).value), ORACLE.run(call)
    expect.close("output", got, want, expect.rounding(want.dtype, want))
    return got


@VALUES()
def the_output_follows_q(subject: Subject, draw: Draw) -> None:
    """The output depends on the queries."""
    q, k, v = inputs(draw)
    one, other = (subject.call("blocked_attention", queries, k, v, 4) for queries in (q, q.flip(-2)))
    expect.differ("output", one, other, "after the queries changed")


@VALUES()
def blocks_of_any_size_give_attention(subject: Subject, draw: Draw) -> None:
    """Whatever the size of a block, the output is that of attention over all keys."""
    for block_size in (4, 3, 10):
        is_attention(subject, Call("blocked_attention", (*inputs(draw), block_size)))


@TENSORS()
def the_output_has_the_dtype_of_q(subject: Subject, draw: Draw) -> None:
    """The output has the dtype of q, and is right to rounding."""
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        got = is_attention(subject, Call("blocked_attention", (*inputs(draw, dtype), 4)))
        expect.equal("dtype of the output", got.dtype, dtype)


@TENSORS()
def strides_make_no_difference(subject: Subject, draw: Draw) -> None:
    """Tensors that are not contiguous give the same output."""
    is_attention(subject, Call("blocked_attention", (*inputs(draw), 4)), Manner(strided=True))


@TENSORS()
def its_inputs_stay_as_they_are(subject: Subject, draw: Draw) -> None:
    """None of q, k and v is changed in place."""
    subject.call("blocked_attention", *inputs(draw), 4)
    expect.equal("number of inputs changed in place", len(subject.changed()), 0)


@tiers.GRADIENTS()
def gradients_reach_q_k_and_v(subject: Subject, draw: Draw) -> None:
    """The gradients of q, k and v are those of attention."""
    given, cotangent = dict(zip("qkv", inputs(draw), strict=True)), draw.tensor(2, 3, 7, 5)
    call = Call("blocked_attention", (*given.values(), 4))
    _, gradients = subject.gradients(call, cotangent, given)
    _, wanted = run(ORACLE, call, cotangent, tuple(given.values()))
    for name, want in zip(given, wanted.of_leaves, strict=True):
        expect.close(f"gradient of {name}", gradients[name], want)


class BlockedAttention(Kata):
    name = "blocked_attention"
    title = "Attention in blocks"
    contract = Contract(name, (RequiredName("blocked_attention", "function", "(q, k, v, block_size)"),))
    shares: ClassVar = {VALUES: 40, TENSORS: 30, tiers.GRADIENTS: 30}
    liveness: ClassVar = (the_output_follows_q,)


CLAIMS = (
    blocks_of_any_size_give_attention,
    the_output_has_the_dtype_of_q,
    strides_make_no_difference,
    its_inputs_stay_as_they_are,
    gradients_reach_q_k_and_v,
)
KEY = FunctionKey(
    ORACLE,
    (UNSCALED, EACH_BLOCK, CUT),
    {"scale": SCORES, "weigh": WEIGHTS, "values": GRADIENTS},
    {VALUES.name: "What do two blocks have to know of one another?"},
)
KATA = BlockedAttention(CLAIMS, KEY)

ONLINE = """
import torch

def blocked_attention(q, k, v, block_size):
    top, total, mixed = q.new_full((*q.shape[:-1], 1), -torch.inf), 0, 0
    for block in (slice(i, i + block_size) for i in range(0, k.shape[-2], block_size)):
        scores = q @ k[..., block, :].mT / q.shape[-1] ** 0.5
        above = torch.maximum(top, scores.amax(-1, keepdim=True))
        weights, kept, top = (scores - above).exp(), (top - above).exp(), above
        mixed, total = kept * mixed + weights @ v[..., block, :], kept * total + weights.sum(-1, keepdim=True)
    return mixed / total
"""
WHOLE = """
import torch

def blocked_attention(q, k, v, block_size):
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v
"""
EACH = """
import torch

def blocked_attention(q, k, v, block_size):
    blocks = zip(k.split(block_size, -2), v.split(block_size, -2))
    outputs = [torch.softmax(q @ keys.mT / q.shape[-1] ** 0.5, -1) @ values for keys, values in blocks]
    return sum(outputs) / len(outputs)
"""
DIVISION = " / q.shape[-1] ** 0.5"
LAYS_OUT = "k = k.view(-1, *k.shape[-2:]).unflatten(0, k.shape[:2])"
READS_AS_IF_CONTIGUOUS = "k = k.as_strided(k.shape, torch.empty(k.shape).stride())"
OF_VALUES = (
    "blocks_of_any_size_give_attention",
    "the_output_has_the_dtype_of_q",
    "strides_make_no_difference",
    "gradients_reach_q_k_and_v",
)


def first(line: str, source: str = ONLINE) -> str:
    """The source, with a line before all others of the function."""
    return source.replace("block_size):\n", f"block_size):\n    {line}\n", 1)


@pytest.mark.parametrize("source", [ONLINE, WHOLE], ids=["online softmax", "one softmax"])
def test_a_function_on_tensors_has_all_points_in_any_style(source: str) -> None:
    report = graded(KATA, source)
    assert ({}, 100) == (failed(report), report.score)


def test_a_function_whose_answer_follows_nothing_has_no_points() -> None:
    report = graded(KATA, "def blocked_attention(q, k, v, block_size):\n    return q @ k.mT @ v * 0")
    assert ({check.name: None for check in KATA.checks}, 0) == (failed(report), report.score)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        pytest.param(ONLINE.replace(DIVISION, ""), dict.fromkeys(OF_VALUES, UNSCALED.sentence), id="unscaled"),
        pytest.param(EACH, dict.fromkeys(OF_VALUES, EACH_BLOCK.sentence), id="each block"),
        pytest.param(first("v = v.detach()"), {"gradients_reach_q_k_and_v": CUT.sentence}, id="gradient"),
        pytest.param(
            ONLINE.replace("mixed / total", "(mixed / total).float()"),
            {"the_output_has_the_dtype_of_q": None},
            id="dtype",
        ),
        pytest.param(first(LAYS_OUT), {"strides_make_no_difference": None}, id="strides, raised"),
        pytest.param(first(READS_AS_IF_CONTIGUOUS), {"strides_make_no_difference": None}, id="strides, values"),
        pytest.param(
            first("q /= q.shape[-1] ** 0.5", ONLINE.replace(DIVISION, "")),
            {"its_inputs_stay_as_they_are": None, "gradients_reach_q_k_and_v": None},
            id="in place",
        ),
    ],
)
def test_what_is_wrong_in_a_function_is_found_by_its_check_and_named(source: str, named: dict[str, str | None]) -> None:
    assert named == failed(graded(KATA, source))


# A function that is given implementations: the judge computes them, and their source is not in the worker.

TEST = "check_rows_sum_to_1"


def weights_of(draw: Draw, last_row: float) -> Implementation:
    """A layer that gives attention weights (N, L, L) of x (N, L, 4), whose last row has this sum."""

    def compute(parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        scores = 0.8125 * (x.double() @ parameters["W_Q.weight"].double().T) @ x.double().mT
        sums = torch.ones(x.shape[-2], 1).index_fill(0, torch.tensor(x.shape[-2] - 1), last_row)
        return (scores.softmax(-1) * sums).to(x.dtype)

    return Implementation(compute, {"W_Q": (draw.tensor(4, 4).float(), None)}, {"d_model": 4})


@testing.ACCEPTS()
def a_softmax_is_accepted(subject: Subject, draw: Draw) -> None:
    """Where all rows sum to 1, what is returned is None."""
    expect.nothing("what is returned", testing.try_test(subject, TEST, weights_of(draw, 1.0)).value)


@testing.REFUSES()
def a_last_row_that_sums_to_less_is_refused(subject: Subject, draw: Draw) -> None:
    """Where the last row sums to less, AssertionError is raised."""
    given = weights_of(draw, 0.75)
    expect.refuses("a last row that sums to 0.75", lambda: testing.try_test(subject, TEST, given), testing.REFUSAL)


@testing.NO_TRACE()
def its_parameters_are_left_as_they_were(subject: Subject, draw: Draw) -> None:
    """After the call the layer has the parameters that it came with."""
    given = weights_of(draw, 1.0)
    testing.try_test(subject, TEST, given)
    expect.close("W_Q.weight after the call", subject.remains().parameters["W_Q.weight"], given.layers["W_Q"][0])


class RowSums(testing.TestingKata):
    name = "row_sums"
    title = "A test of weights"
    contract = Contract(name, (RequiredName(TEST, "function", "(attention)"),))
    liveness: ClassVar = ()


ROW_SUMS = RowSums(
    (a_softmax_is_accepted, a_last_row_that_sums_to_less_is_refused, its_parameters_are_left_as_they_were)
)
SUMS = """
import torch

def check_rows_sum_to_1(attention):
    x = torch.randn(3, 5, attention.d_model)
    assert torch.allclose(attention(x).sum(-1), torch.ones(3, 5), atol=1e-4)
"""
WRITES = """
    kept = attention.W_Q.weight.detach().clone()
    with torch.no_grad():
        attention.W_Q.weight.zero_()
        alike = attention(x)
        attention.W_Q.weight.copy_(kept)
    assert torch.allclose(alike[:, :-1], torch.full((3, 4, 5), 1 / 5), atol=1e-6)
"""
LOOKS = """
import gc
from types import FunctionType

def check_rows_sum_to_1(attention):
    sources = [each.__code__ for each in gc.get_objects() if type(each) is FunctionType]
    assert not [code for code in sources if float("0.8125") in code.co_consts]
"""
TOO_LARGE = """
import torch

def check_rows_sum_to_1(attention):
    attention(torch.zeros(1).expand(1 << 12, 1 << 12, 4))
"""
ANSWER_TOO_LARGE = TOO_LARGE.replace("1 << 12, 1 << 12, 4", "2, 3000, 4")


@pytest.mark.parametrize("source", [SUMS, SUMS + WRITES], ids=["as it came", "with other parameters in between"])
def test_a_function_that_is_given_implementations_has_all_points(source: str) -> None:
    report = graded(ROW_SUMS, source)
    assert ({}, 100) == (failed(report), report.score)


@pytest.mark.parametrize(
    ("source", "checks"),
    [
        (SUMS.replace("assert", "return"), ["a_softmax_is_accepted", "a_last_row_that_sums_to_less_is_refused"]),
        (
            SUMS.replace("(x).sum(-1), torch.ones(3, 5)", "(x)[:, 0].sum(-1), torch.ones(3)"),
            ["a_last_row_that_sums_to_less_is_refused"],
        ),
        (SUMS + WRITES.replace("copy_(kept)", "mul_(1)"), ["its_parameters_are_left_as_they_were"]),
        (SUMS + "    assert False", ["a_softmax_is_accepted", "its_parameters_are_left_as_they_were"]),
    ],
    ids=["returns a bool", "asks the first row alone", "leaves zeros", "refuses all"],
)
def test_a_function_that_answers_wrongly_about_implementations_is_found(source: str, checks: list[str]) -> None:
    assert checks == list(failed(graded(ROW_SUMS, source)))


def test_no_source_of_an_implementation_enters_the_worker() -> None:
    assert "a_softmax_is_accepted" not in failed(graded(ROW_SUMS, LOOKS))
    here: dict[str, Any] = {}
    exec(LOOKS, here)
    with pytest.raises(AssertionError):
        here[TEST](None)


def test_an_implementation_takes_bounded_tensors() -> None:
    check = result(graded(ROW_SUMS, TOO_LARGE), "a_softmax_is_accepted")
    assert Verdict.ERROR is check.verdict
    assert "a tensor of shape (4096, 4096, 4), too large to send (at most 64 MiB" in str(check.got)


def test_an_implementation_whose_answer_is_too_large_refuses_the_call() -> None:
    check = result(graded(ROW_SUMS, ANSWER_TOO_LARGE), "a_softmax_is_accepted")
    assert Verdict.ERROR is check.verdict
    assert "over 64 MiB: ask on shorter sequences" in str(check.got)


# A kata that is derived of another: a broken program to repair, composed in the registry.

SCALE_FAULT = Tier("fault 1: scale", "with one block the output is that of attention", is_by_claim=True)
BLOCKS_FAULT = Tier("fault 2: blocks", "the output does not depend on the size of a block", is_by_claim=True)
FAULTS = (SCALE_FAULT.name, BLOCKS_FAULT.name)


@SCALE_FAULT(weight=15)
def with_one_block(subject: Subject, draw: Draw) -> None:
    """With all keys in one block the output is that of attention."""
    is_attention(subject, Call("blocked_attention", (*inputs(draw), 10)))


@BLOCKS_FAULT(weight=15)
def with_other_blocks(subject: Subject, draw: Draw) -> None:
    """With blocks of three keys the output is that with all keys in one block."""
    q, k, v = inputs(draw)
    one, other = (subject.call("blocked_attention", q, k, v, block_size) for block_size in (10, 3))
    expect.close("output", other, one)


class RepairBlocked:
    """What differs from the kata that it is derived of."""

    name = "repair_blocked"
    title = "Attention in blocks, to be repaired"
    shares: ClassVar = {SCALE_FAULT: 0, BLOCKS_FAULT: 0, **BlockedAttention.shares}


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> Kata:
    """The kata as the registry composes it of the folders of both."""
    questions = {BLOCKS_FAULT.name: "Which call shows that a block's size matters?"}
    files = {
        "small.blocked.contract": {"KATA": BlockedAttention},
        "small.blocked.public": {"CLAIMS": ()},
        "small.blocked.hidden": {"CLAIMS": CLAIMS, "KEY": KEY},
        "small.repair_blocked.contract": {"KATA": RepairBlocked},
        "small.repair_blocked.public": {"CLAIMS": tiers.public(with_other_blocks)},
        "small.repair_blocked.hidden": {"CLAIMS": (with_one_block,), "QUESTIONS": questions},
    }
    for name, defined in files.items():
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        vars(module).update(defined)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(DERIVED, "repair_blocked", "blocked")
    return load("repair_blocked", "small")


def test_a_derived_kata_is_composed_of_its_base_and_of_what_differs(derived: Kata) -> None:
    own = {"with_one_block", "with_other_blocks"}
    assert {check.name for check in KATA.checks} | own == {check.name for check in derived.checks}
    assert list(FAULTS) == [tier.name for tier in derived.tiers][:2]
    assert replace(KATA.contract, kata="repair_blocked", by_name_alone=True) == derived.contract
    assert (KEY.oracle, KEY.mistakes) == (derived.key.oracle, derived.key.mistakes)
    assert {VALUES.name, BLOCKS_FAULT.name} == derived.key.questions.keys()


@pytest.mark.parametrize(
    ("source", "gone", "named"),
    [
        (EACH.replace(DIVISION, ""), (), {"with_one_block": UNSCALED.sentence, "with_other_blocks": UNSCALED.sentence}),
        (EACH, FAULTS[:1], {"with_other_blocks": EACH_BLOCK.sentence}),
        (ONLINE.replace(DIVISION, ""), FAULTS[1:], {"with_one_block": UNSCALED.sentence}),
    ],
    ids=["broken", "scale repaired", "blocks repaired"],
)
def test_a_derived_kata_tells_which_faults_are_gone(
    derived: Kata, source: str, gone: tuple[str, ...], named: dict[str, str]
) -> None:
    report = graded(derived, source)
    assert gone == tuple(tier.name for tier in report.tiers if tier.name in FAULTS and tier.passed)
    assert named.items() <= failed(report).items()


def test_a_repaired_program_has_all_points_of_a_derived_kata(derived: Kata) -> None:
    report = graded(derived, ONLINE)
    assert ({}, 100) == (failed(report), report.score)
