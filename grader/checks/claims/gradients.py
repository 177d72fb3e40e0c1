"""Gradients: they reach every input and parameter and equal the oracle's; a call leaves nothing behind."""

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw, causal

INPUTS = ("query", "key", "value")


def of_the_inputs(attention: MakeAttention, draw: Draw) -> None:
    """The gradient of every input is right."""
    mha = attention(embed_dim=18, num_heads=3)
    are_right(mha, widest(mha, draw), draw, inputs=True)


def of_the_parameters(attention: MakeAttention, draw: Draw) -> None:
    """The gradient of every parameter is right."""
    mha = attention(embed_dim=30, num_heads=3)
    are_right(mha, widest(mha, draw), draw, inputs=False)


def of_the_inputs_under_masks(attention: MakeAttention, draw: Draw) -> None:
    """Under padding and causal masks the gradient of every input is right."""
    mha = attention(embed_dim=40, num_heads=4)
    case = mha.case(draw, N=3, L=7, keep=draw.keep([5, 7, 4]), allow=causal(7))
    are_right(mha, case, draw, inputs=True)


def of_the_parameters_under_masks(attention: MakeAttention, draw: Draw) -> None:
    """Under padding and causal masks the gradient of every parameter is right."""
    mha = attention(embed_dim=24, num_heads=4)
    case = mha.case(draw, N=3, L=7, keep=draw.keep([5, 7, 4]), allow=causal(7))
    are_right(mha, case, draw, inputs=False)


def inputs_are_not_changed(attention: MakeAttention, draw: Draw) -> None:
    """A call does not change its inputs in place."""
    mha = attention(embed_dim=18, num_heads=3)
    mha(widest(mha, draw))
    expect.equal("inputs changed in place", ", ".join(mha.changed()) or "none", "none")


def masks_are_not_changed(attention: MakeAttention, draw: Draw) -> None:
    """A call does not change its inputs and masks in place."""
    mha = attention(embed_dim=24, num_heads=4)
    mha(mha.case(draw, N=3, L=7, keep=draw.keep([5, 7, 4]), allow=causal(7)))
    expect.equal("inputs changed in place", ", ".join(mha.changed()) or "none", "none")


def no_state_is_kept(attention: MakeAttention, draw: Draw) -> None:
    """An answer does not depend on the calls before it."""
    used = attention(embed_dim=18, num_heads=3)
    first = used.case(draw, N=2, L=5)
    second, longer = used.case(draw, N=2, L=5), used.case(draw, N=3, L=8)
    once = used(first).output
    used(longer)
    after = used(second).output
    expect.close("output of the same call made again", used(first).output, once)
    expect.differ("output", after, once, "for another input")
    fresh = attention(embed_dim=18, num_heads=3)
    fresh.use(used.weights)
    expect.close("output after other calls", after, fresh(second).output)


def widest(mha: Attention, draw: Draw) -> Case:
    """Cross-attention where the contract has it."""
    return mha.case(draw, N=2, L=5) if mha.kata.streams == 1 else mha.case(draw, N=2, L=5, S=7)


def are_right(mha: Attention, case: Case, draw: Draw, *, inputs: bool) -> None:
    """Equal to the oracle's, by value: the key bias's is zero and must stay zero."""
    cotangent = draw.tensor(*mha.output_axes(N=case.query.shape[0], L=case.query.shape[1]).values())
    got, want = mha.gradients(case, cotangent), mha.expected_gradients(case, cotangent)
    # A gradient sums over tokens: a softmax taken in float32 is off in proportion to the largest of them.
    largest = max(1.0, *(float(gradient.abs().max()) for gradient in want.values()))
    tolerance = expect.Tolerance(expect.PARITY.atol * largest, expect.PARITY.rtol)
    for name in want:
        if (name in INPUTS) is inputs:
            what = f"gradient of {mha.kata.names.get(name, name)}"
            expect.close(what, got.get(name, torch.zeros_like(want[name])), want[name], tolerance)
