"""`rope`: the checks that a kit does not show, the oracle and the mistakes."""

from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.case import Answer, Case, Projections, Size
from grader.checks.draw import Draw, causal, striped
from grader.checks.subject import Call, Manner, Subject
from grader.claims.hidden import gradients, parity, profile
from grader.katas.rope.contract import KATA, POSITIONS, PRECISION, ROTATION, RotarySize
from grader.katas.rope.public import ROTATED, rotated
from grader.oracle import catalogue
from grader.oracle.attention_key import AttentionKey, expected
from grader.oracle.catalogue.rotation import ROTATION as MISTAKES
from grader.oracle.catalogue.rotation import TABLES
from grader.oracle.functions import Functions
from grader.oracle.pipeline import HelperContext, linear
from grader.oracle.rotary import ROTARY, RotarySteps

FAR = torch.tensor([517, 0, 1023, 2049, 4099, 5003, 5002])
"""Positions with gaps, of which half precision tells no neighbours apart."""
FARTHER = torch.tensor([100_003, 100_000, 65_537, 99_991, 80_003])
ROUNDINGS = 4
"""Units in the last place of the largest feature: of cosine, sine, two products and a sum."""


def of_pytorch(case: Case, size: Size, weights: Projections) -> Answer:
    """F.scaled_dot_product_attention's answer, queries and keys rotated as complex numbers; weights by one-hot values.

    Args:
        case: the call.
        size: how the layer is built.
        weights: (E, E) each, biases (E,).
    """
    w = weights
    layers = ((w.q, w.q_bias), (w.k, w.k_bias), (w.v, w.v_bias))
    heads = [linear(case.query, *layer).unflatten(-1, (size.num_heads, -1)).transpose(1, 2) for layer in layers]
    query, key = (by_complex_numbers(x, case.positions, size) for x in heads[:2])
    one_hot = torch.eye(query.shape[-2], dtype=size.dtype).expand(*query.shape[:2], -1, -1)
    mixed, attention_weights = (F.scaled_dot_product_attention(query, key, x, case.shown) for x in (heads[2], one_hot))
    return Answer(linear(mixed.transpose(1, 2).flatten(2), w.o, w.o_bias), attention_weights)


def by_complex_numbers(x: Tensor, positions: Tensor | None, size: Size) -> Tensor:
    """(N, H, L, D), each pair of features a complex number that is multiplied by one of length 1.

    Args:
        x: (N, H, L, D).
        positions: (L,) or (N, L); None: 0 to L - 1.
        size: gives the base.
    """
    assert isinstance(size, RotarySize)
    places = torch.arange(x.shape[-2]) if positions is None else positions
    half = x.shape[-1] // 2
    slowness = torch.logspace(0, 1 - 1 / half, half, base=size.base, dtype=torch.float64)
    angle = places.double()[..., None] / slowness
    factor = torch.polar(torch.ones_like(angle), angle)
    pairs = torch.complex(*x.double().chunk(2, dim=-1)) * (factor if places.dim() == 1 else factor[:, None])
    return torch.cat([pairs.real, pairs.imag], dim=-1).to(x.dtype)


def compute_expected(call: Call) -> Tensor:
    """What the function has to return."""
    return FUNCTIONS.run(call)


def grown(positions: Tensor) -> expect.Tolerance:
    """The tolerance of values turned by angles in float32."""
    return expect.Tolerance(expect.PARITY.atol * max(1, int(positions.max())), expect.PARITY.rtol)


def are_rotated(subject: Subject, x: Tensor, positions: Tensor, **base: float) -> None:
    """The values are the oracle's.

    Args:
        subject: the submission.
        x: (B, H, L, D).
        positions: (L,) or (B, L).
        base: left out, or by its name.
    """
    got = rotated(subject, x, positions, **base)
    want = compute_expected(Call("apply_rope", (x, positions), dict(base)))
    expect.close("apply_rope(x, positions, base)" if base else ROTATED, got, want, grown(positions))


@ROTATION(weight=4)
def halves_are_turned(subject: Subject, draw: Draw) -> None:
    """The halves are turned as pairs, each by the position times its frequency."""
    for B, H, L, D in ((2, 3, 5, 10), (1, 1, 1, 2), (3, 2, 4, 8), (2, 5, 7, 66)):
        x = draw.tensor(B, H, L, D)
        are_rotated(subject, x, torch.arange(L))
        are_rotated(subject, x, torch.arange(B * L).reshape(B, L).flip(0))
    x = draw.tensor(2, 3, 5, 10)
    strided = subject.ask(Call("apply_rope", (x, torch.arange(5))), Manner(strided=True)).value
    expect.close(ROTATED, strided, compute_expected(Call("apply_rope", (x, torch.arange(5)))))


@ROTATION(weight=2)
def any_base(subject: Subject, draw: Draw) -> None:
    """The base is the one that is given, by position or by its name, and 10000 where it is left out."""
    x, positions = draw.tensor(2, 3, 5, 10), torch.arange(5)
    for base in (500.0, 2.0, 1_000_000, 10000.0):
        are_rotated(subject, x, positions, base=base)
        by_position = subject.call("apply_rope", x, positions, base)
        expect.close(
            "apply_rope(x, positions, base)", by_position, compute_expected(Call("apply_rope", (x, positions, base)))
        )
    are_rotated(subject, x, positions)


@ROTATION(weight=2)
def far_positions(subject: Subject, draw: Draw) -> None:
    """Far positions with gaps are turned as near ones are, but for what angles in float32 may lose."""
    for places in (torch.tensor([3, 9, 10, 60, 250]), FAR[:5], FARTHER, torch.stack([FAR[2:], FARTHER])):
        are_rotated(subject, draw.tensor(2, 3, 5, 10), places)


@ROTATION()
def low_precision(subject: Subject, draw: Draw) -> None:
    """On bfloat16 far positions have the angles that float32 gives them, and what is returned is right to rounding."""
    for dtype in (torch.float32, torch.bfloat16):
        x = draw.tensor(2, 3, 7, 10, dtype=dtype)
        want = compute_expected(Call("apply_rope", (x.double(), FAR)))
        off = max(grown(FAR).atol, ROUNDINGS * torch.finfo(dtype).eps * float(want.abs().max()))
        expect.close(ROTATED, rotated(subject, x, FAR), want, expect.Tolerance(off, 0.0))


@ROTATION()
def its_gradient(subject: Subject, draw: Draw) -> None:
    """The gradient of x is turned back by the same angles."""
    x, cotangent = draw.tensor(2, 3, 5, 10), draw.tensor(2, 3, 5, 10)
    for positions in (torch.arange(5), torch.tensor([[0, 1, 2, 3, 4], [6, 2, 9, 30, 11]])):
        call = Call("apply_rope", (x, positions))
        got, by_name = subject.gradients(call, cotangent, {"x": x})
        leaf = x.clone().requires_grad_()
        want = compute_expected(Call("apply_rope", (leaf, positions)))
        (back,) = torch.autograd.grad((want * cotangent).sum(), [leaf])
        expect.close(ROTATED, got, want.detach(), grown(positions))
        expect.close("gradient of x", by_name["x"], back, grown(positions))


@ROTATION()
def nothing_is_remembered(subject: Subject, draw: Draw) -> None:
    """A call does not depend on those before it: on their positions, base, dtype or size."""
    x, positions = draw.tensor(2, 3, 5, 10), torch.arange(5)
    for places, base in ((positions, 10000.0), (positions + 3, 10000.0), (positions, 100.0), (3 * positions, 100.0)):
        are_rotated(subject, x, places, base=base)
    are_rotated(subject, draw.tensor(2, 3, 9, 10), torch.arange(9))
    are_rotated(subject, draw.tensor(2, 3, 5, 6), positions)
    rotated(subject, x.to(torch.bfloat16), positions)
    are_rotated(subject, x, positions)


@POSITIONS(weight=3)
def under_any_positions(attention: Any, draw: Draw) -> None:
    """At positions [L] and [B, L], near and with gaps, the output equals that of rotated queries and keys."""
    for embed_dim, num_heads in ((30, 3), (40, 4)):
        mha = attention(embed_dim=embed_dim, num_heads=num_heads)
        case = mha.case(draw, N=3, L=5)
        for positions in (torch.tensor([0, 1, 4, 5, 19]), torch.tensor([9, 2, 3, 0, 5])):
            parity.equals_pytorch(mha, case.but(positions=positions))
        of_each = torch.tensor([[0, 1, 2, 3, 4], [6, 2, 9, 30, 11], [5, 8, 7, 6, 20]])
        parity.equals_pytorch(mha, case.but(positions=of_each))
        parity.equals_pytorch(mha, case.but(positions=of_each, strided=True))
        parity.equals_pytorch(mha, case.but(positions=of_each[:1].expand(3, 5).contiguous(), training=True))


@POSITIONS(weight=2)
def under_far_positions(attention: Any, draw: Draw) -> None:
    """At far positions with gaps the output equals that of rotated queries and keys, but for float32's angles."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5)
    for positions in (FAR[:5], torch.stack([FAR[2:], FAR[:5]]), FARTHER):
        parity.equals_pytorch(mha, case.but(positions=positions))
    low = attention(embed_dim=40, num_heads=4, dtype=torch.bfloat16)
    parity.equals_itself_in_float64(low, low.case(draw, N=2, L=7, positions=FAR))


@POSITIONS(weight=2)
def under_positions_and_masks(attention: Any, draw: Draw) -> None:
    """Positions and a mask together: the output equals that of rotated queries and keys, its gradients too."""
    mha = attention(embed_dim=24, num_heads=4)
    padded = mha.case(draw, N=3, L=7, keep=draw.keep([5, 7, 4], side="left"))
    from_the_first = (torch.arange(7) - torch.tensor([[2], [0], [3]])).clamp(min=0)
    parity.equals_pytorch(mha, padded.but(positions=from_the_first))
    both = padded.but(positions=torch.tensor([1, 2, 5, 6, 9, 30, 31]), allow=causal(7))
    parity.equals_pytorch(mha, both.but(keep=draw.keep([5, 7, 4])))
    masked = mha.case(draw, N=3, L=7, allow=striped(3, 1, 7, 7), mask_format=KATA.formats[1], positions=from_the_first)
    parity.equals_pytorch(mha, masked)
    gradients.are_right(mha, masked.but(training=True), draw)


@POSITIONS(weight=3)
def with_any_base(attention: Any, draw: Draw) -> None:
    """The layer rotates by the base that it was made with, whatever other layers were made after it."""
    for mha in [attention(embed_dim=30, num_heads=3, base=base) for base in (500.0, 2.0, 10000.0)]:
        parity.equals_pytorch(mha, mha.case(draw, N=2, L=7))
        parity.equals_pytorch(mha, mha.case(draw, N=2, L=7, positions=torch.tensor([0, 2, 3, 8, 9, 15, 4])))


@POSITIONS()
def positions_are_not_kept(attention: MakeAttention, draw: Draw) -> None:
    """A call changes no positions in place, and does not depend on those of the calls before it."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5)
    for positions in (torch.tensor([4, 7, 9, 1, 2]), None, torch.arange(3, 13).reshape(2, 5), torch.arange(1, 6) * 7):
        one = case.but(positions=positions)
        expect.close("output", mha(one).output, expected(mha, one).output, mha.kata.tolerance(one))
        gradients.disturbs_nothing(mha)
        expect.untouched("inputs changed in place", mha.changed())
    longer = mha.case(draw, N=2, L=40)
    parity.equals_pytorch(mha, longer)
    parity.equals_pytorch(mha, case)


def functions(steps: RotarySteps) -> Functions:
    """`apply_rope`, by the steps of a pipeline."""

    def apply_rope(of: Functions, x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        heads, width = x.shape[1], x.shape[-1]
        alone = HelperContext.of(RotarySize(heads * width, heads, base=base), steps.style)
        return steps.turned(x, replace(alone, case=Case(x, positions=positions)))

    return Functions(apply_rope=apply_rope)


FUNCTIONS = functions(ROTARY)
CLAIMS = (
    *profile.hidden(KATA),
    *tiers.hidden(
        halves_are_turned,
        any_base,
        far_positions,
        low_precision,
        its_gradient,
        nothing_is_remembered,
        under_any_positions,
        under_far_positions,
        under_positions_and_masks,
        with_any_base,
        positions_are_not_kept,
    ),
)
KEY = AttentionKey(
    oracle=ROTARY,
    mistakes=(*MISTAKES, *catalogue.of(KATA)),
    questions={
        ROTATION.name: "Which two features are turned together, and by which angle at position t?",
        POSITIONS.name: "Why do scores of rotated queries and keys know nothing but the distance?",
        PRECISION.name: "How many digits does an angle in float32 keep at position 100,000?",
    },
    pytorch=of_pytorch,
    functions=functions,
    constants_of_functions=TABLES,
)
