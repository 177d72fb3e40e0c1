"""Gradients: they reach every input and parameter and equal the oracle's; a call leaves nothing behind."""

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw, causal, striped
from grader.oracle.attention_key import expected_gradients

INPUTS = ("query", "key", "value", "bias")
ROUNDINGS = 64
"""Units in the last place of the largest gradient that one in lower precision may be off."""
HARDLY = 1e-12
"""A probability of dropout at which nothing is dropped, so that gradients are known where dropout is on."""


def of_the_inputs(attention: MakeAttention, draw: Draw) -> None:
    """In self-attention the gradient of every input is right."""
    inputs_are_right(attention, draw, S=None)
    mha = attention(embed_dim=6, num_heads=1)  # loops over heads and keys take seconds as it is
    long = mha.case(draw, N=1, L=150)
    # Halved: the largest of so many scores would show, with some seeds, what float32 rounds off.
    are_right(mha, long.but(query=long.query / 2), draw, inputs=True)
    for embed_dim, num_heads in ((24, 8), (7, 1)):
        other = attention(embed_dim=embed_dim, num_heads=num_heads)
        # One tensor, in which what each stream brings adds up.
        are_right(other, other.case(draw, N=17, L=5), draw, inputs=True)


def of_the_inputs_in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention the gradient of every input is right, and where keys and values are one tensor."""
    inputs_are_right(attention, draw, S=7)
    many_heads, one_head = attention(embed_dim=24, num_heads=8), attention(embed_dim=7, num_heads=1)
    for mha in (many_heads, one_head):
        are_right(mha, mha.case(draw, N=3, L=5, S=3), draw, inputs=True)
    are_right(one_head, one_head.case(draw, N=2, L=5, S=8).but(value=None), draw, inputs=True)


def inputs_are_right(attention: MakeAttention, draw: Draw, S: int | None) -> None:
    """The gradients of all inputs, in eval mode and in training.

    Args:
        attention: makes one.
        draw: of the check.
        S: number of keys; None: self-attention.
    """
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=S)
    are_right(mha, case, draw, inputs=True)
    training = case.but(need_weights=False, training=True)
    for name in training.streams():  # the others are frozen, as an encoder may be
        are_right(mha, training.but(frozen=tuple(training.streams().keys() - {name})), draw, inputs=True)
    if mha.kata.has_modes:
        dropped = attention(embed_dim=18, num_heads=3, dropout=HARDLY)
        are_right(dropped, dropped.case(draw, N=2, L=5, S=S, training=True), draw, inputs=True)
    narrow = attention(embed_dim=18, num_heads=3, dtype=torch.float32)  # what models are trained in
    are_right(narrow, narrow.case(draw, N=2, L=5, S=S, training=True), draw, inputs=True)


def of_the_parameters(attention: MakeAttention, draw: Draw) -> None:
    """The gradient of every parameter is right{cross:, in cross-attention}."""
    mha = attention(embed_dim=30, num_heads=3)
    are_right(mha, widest(mha, draw), draw, inputs=False)
    data = widest(mha, draw)  # wants no gradient itself: parameters are mostly learnt from such
    are_right(mha, data.but(need_weights=False, training=True, frozen=tuple(data.streams())), draw, inputs=False)
    if mha.kata.has_modes:
        dropped = attention(embed_dim=30, num_heads=3, dropout=HARDLY)
        are_right(dropped, widest(dropped, draw).but(training=True), draw, inputs=False)
    narrow = attention(embed_dim=30, num_heads=3, dtype=torch.float32)
    are_right(narrow, widest(narrow, draw).but(training=True), draw, inputs=False)
    if mha.kata.bias_is_optional:
        bare = attention(embed_dim=26, num_heads=13, bias=False)
        are_right(bare, bare.case(draw, N=3, L=5, training=True), draw)
        are_right(bare, widest(bare, draw).but(training=True), draw)


def in_every_dtype(attention: MakeAttention, draw: Draw) -> None:
    """In float32, float64 and bfloat16 all gradients are right to the dtype's rounding{cross:, in cross-attention}."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        mha = attention(embed_dim=18, num_heads=3, dtype=dtype)
        are_right(mha, widest(mha, draw).but(training=True), draw)


def of_the_inputs_under_masks(attention: MakeAttention, draw: Draw) -> None:
    """In self-attention under masks the gradient of every input is right."""
    mha = attention(embed_dim=40, num_heads=8)
    case = mha.case(draw, N=3, L=7, keep=draw.keep([5, 7, 4]), allow=causal(7))
    are_right(mha, case, draw, inputs=True)
    narrow = attention(embed_dim=40, num_heads=8, dtype=torch.float32)
    masks = {"keep": case.keep, "allow": case.allow}
    are_right(narrow, narrow.case(draw, N=3, L=7, training=True, **masks), draw, inputs=True)
    for training in in_each_format(mha, draw, S=None):
        are_right(mha, training, draw, inputs=True)
    reach_past_a_fully_masked_row(mha, draw)


def reach_past_a_fully_masked_row(mha: Attention, draw: Draw) -> None:
    """The gradients of the others are not zero: what they are depends on what that query is answered with."""
    allow = draw.allow(5, 5)
    allow[2] = False
    fully_masked = [
        mha.case(draw, N=2, L=5, allow=allow, mask_format=mask_format)
        for mask_format in (None, *mha.kata.additive_formats)
    ]
    for case in (*fully_masked, mha.case(draw, N=3, L=5, keep=draw.keep([3, 0, 5]))):
        _, gradients = mha.gradients(case, draw.tensor(*mha.output_axes(N=case.query.shape[0], L=5).values()))
        expect.carries_gradient("output", mha.cut_off)
        expect.not_zero(f"gradient of {mha.kata.names.get('query', 'query')}", gradients["query"])


def of_the_inputs_under_masks_in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention under masks the gradient of every input is right."""
    mha = attention(embed_dim=40, num_heads=8)
    for training in in_each_format(mha, draw, S=11):
        are_right(mha, training, draw, inputs=True)
    if (2, 8, 5, 7) in mha.kata.mask_shapes(2, 8, 5, 7):  # a mask for each head
        for dtype in (torch.float64, torch.float32):
            in_heads = attention(embed_dim=40, num_heads=8, dtype=dtype)
            case = in_heads.case(draw, N=2, L=5, S=7, allow=draw.allow(2, 8, 5, 7), mask_dtype=torch.bool)
            are_right(in_heads, case, draw, inputs=True)


def of_the_added_bias(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention the gradient of a float mask that is added to the scores, as a learnt bias is, is right."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=7)
    are_right(mha, case.but(bias=draw.tensor(5, 7)), draw, inputs=True)
    for shape in ((5, 7), (2, 1, 5, 7)):
        hiding = draw.tensor(*shape).masked_fill(~causal(5, 7), -torch.inf)
        are_right(mha, case.but(bias=hiding, keep=draw.keep([5, 7])), draw, inputs=True)


def of_the_inputs_with_any_leading_axes(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention with any leading axes, and values of another width, the gradient of every input is right."""
    mha = attention(embed_dim=6, num_heads=1)
    for lead, width in (((), 10), ((), 4), ((2, 3), 10), ((2, 3), 4)):
        values = draw.tensor(*lead, 7, width)
        case = Case(draw.tensor(*lead, 5, 6), draw.tensor(*lead, 7, 6), values, allow=striped(5, 7))
        are_right(mha, case, draw, inputs=True)


def of_the_parameters_under_masks(attention: MakeAttention, draw: Draw) -> None:
    """Under masks the gradient of every parameter is right{cross:, in cross-attention too}."""
    mha = attention(embed_dim=24, num_heads=4)
    case = mha.case(draw, N=3, L=7, keep=draw.keep([5, 7, 4]), allow=causal(7))
    are_right(mha, case, draw, inputs=False)
    are_right(mha, case.but(need_weights=False, training=True), draw, inputs=False)
    dropped = attention(embed_dim=24, num_heads=4, dropout=HARDLY)
    for training in in_each_format(dropped, draw, S=None if mha.kata.streams == 1 else 11):
        are_right(dropped, training, draw, inputs=False)


def in_each_format(mha: Attention, draw: Draw, S: int | None) -> list[Case]:
    """A mask in each format but the first, in train mode.

    Args:
        mha: the attention.
        draw: of the check.
        S: number of keys; None: self-attention.
    """
    case = mha.case(draw, N=3, L=7, S=S, need_weights=False, training=True)
    keys = case.keys.shape[1]
    return [
        case.but(allow=striped(*mask_format.shape(3, 7, keys)), mask_format=mask_format)
        for mask_format in mha.kata.formats[1:]
    ]


def inputs_are_not_changed(attention: MakeAttention, draw: Draw) -> None:
    """No call{cross:, in cross-attention or not,} changes its inputs or the global state of torch, random and numpy."""
    mha = attention(embed_dim=18, num_heads=3)
    mha.construct_another()
    for training in (False, True):
        changes_nothing(mha, widest(mha, draw).but(training=training, need_weights=training))
        changes_nothing_at_once(mha, mha.case(draw, N=2, L=5, training=training))
    if mha.kata.has_modes:
        dropped = attention(embed_dim=18, num_heads=3, dropout=0.3)
        changes_nothing_at_once(dropped, widest(dropped, draw).but(training=True))


def masks_are_not_changed(attention: MakeAttention, draw: Draw) -> None:
    """No call{cross:, in cross-attention or not,} changes inputs, masks or the global state of torch, random, numpy."""
    inputs_are_not_changed(attention, draw)
    mha = attention(embed_dim=24, num_heads=4)
    keep = draw.keep([5, 7, 4])
    changes_nothing(mha, mha.case(draw, N=3, L=7, keep=keep, allow=causal(7)))
    for mask_format in mha.kata.formats:
        allow = draw.allow(*mask_format.shape(3, 7, 7))
        changes_nothing_at_once(mha, mha.case(draw, N=3, L=7, allow=allow, mask_format=mask_format))
        if mask_format.dtype is not None and mask_format.is_float:  # in the dtype of the inputs `to` makes no copy
            changes_nothing_at_once(mha, mha.case(draw, N=3, L=7, allow=allow, mask_dtype=mha.size.dtype))
    mask_format = mha.kata.formats[1]
    both = mha.case(draw, N=3, L=7, S=None if mha.kata.streams == 1 else 7, keep=keep)
    changes_nothing_at_once(mha, both.but(allow=draw.allow(*mask_format.shape(3, 7, 7)), mask_format=mask_format))


def changes_nothing(mha: Attention, case: Case) -> None:
    """Neither what it was given nor the dtype, seed and modes that all code of a process shares."""
    changes_nothing_at_once(mha, case)
    # With a graph, as the call before has none; and whatever a call sets the default dtype to, one of them has another.
    usual = mha.kata.weights.default_dtype(mha.size)
    other = torch.float32 if usual == torch.float64 else torch.float64
    mha.gradients(case.but(default_dtype=other), torch.zeros_like(case.query))
    disturbs_nothing(mha)


def changes_nothing_at_once(mha: Attention, case: Case) -> None:
    """In one call without a graph."""
    mha(case)
    expect.untouched("inputs changed in place", mha.changed())
    disturbs_nothing(mha)


def disturbs_nothing(mha: Attention) -> None:
    """In its last call, and when it was made."""
    expect.untouched("global state changed", mha.disturbed())


def no_state_is_kept(attention: MakeAttention, draw: Draw) -> None:
    """An answer does not depend on the calls before it."""
    used = attention(embed_dim=18, num_heads=3)
    used.copy()  # a layer that was copied, as in a stack of layers, must not go on with the first one's weights
    first = used.case(draw, N=2, L=5)
    second, longer = used.case(draw, N=2, L=5), used.case(draw, N=3, L=8)
    once = used(first).output
    used(longer)
    used(second.but(allow=causal(5)) if used.kata.formats else second)
    after = used(second).output
    expect.close("output of the same call made again", used(first).output, once)
    expect.untouched("changed in place by another call", used.changed())
    expect.differ("output", after, once, "for another input")
    fresh, weights = attention(embed_dim=18, num_heads=3), used.weights
    expect.close("output of a call of the same sizes", used(first).output, once)
    over = used(second.but(again=True)).output
    expect.close("output where the tensors of the call before were written over", over, after)
    used.use(fresh.weights)
    other = second.but(seed=fresh.seed)  # a function draws its weights by it
    expect.close("output after other weights were set", used(other.but(again=True)).output, fresh(other).output)
    used.use(weights)
    fresh.use(weights)
    expect.close("output after other calls", after, fresh(second).output)
    attention(embed_dim=18, num_heads=3)
    expect.close("output after another of the same size was made", fresh(second).output, after)
    attention(embed_dim=18, num_heads=9)
    expect.close("output after another with more heads was made", fresh(second).output, after)


def widest(mha: Attention, draw: Draw) -> Case:
    """Cross-attention where the contract has it."""
    return mha.case(draw, N=2, L=5) if mha.kata.streams == 1 else mha.case(draw, N=2, L=5, S=7)


def are_right(mha: Attention, case: Case, draw: Draw, *, inputs: bool | None = None) -> None:
    """Equal to the oracle's, by value: the key bias's is zero and must stay zero. The output too.

    Args:
        mha: the attention.
        case: the call.
        draw: of the check; gives the cotangent.
        inputs: True: gradients of the inputs alone are compared, False: those of the parameters, None: both.
    """
    cotangent = draw.tensor(*case.query.shape[:-1], case.values.shape[-1], dtype=mha.size.dtype)
    later = mha.meanwhile(lambda: expected_gradients(mha, case, cotangent))
    answer, got = mha.gradients(case, cotangent)
    expect.carries_gradient("output", mha.cut_off)
    right, want = later()
    # A gradient sums over tokens: a softmax taken in float32 is off in proportion to the largest of them.
    largest = max(1.0, *(float(gradient.abs().max()) for gradient in want.values()))
    usual = mha.kata.tolerance(case)
    atol = max(usual.atol, ROUNDINGS * torch.finfo(mha.size.dtype).eps)
    tolerance = expect.Tolerance(atol * largest, usual.rtol)
    for name in want:
        if inputs in (None, name in INPUTS):
            what = f"gradient of {mha.kata.names.get(name, name)}"
            expect.close(what, got.get(name, torch.zeros_like(want[name])), want[name], tolerance)
    expect.close("output with gradients on", answer.output, right.output, of_values(mha, case, right.output))


def of_values(mha: Attention, case: Case, want: torch.Tensor) -> expect.Tolerance:
    """The kata's; in lower precision what its rounding may cost.

    Args:
        mha: the attention.
        case: the call.
        want: the expected values.
    """
    return mha.kata.tolerance(case) if mha.size.dtype == torch.float64 else expect.rounding(mha.size.dtype, want)
