"""Parity: with the same weights, the answer is PyTorch's; dtypes."""

from itertools import product

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Answer, Case, MaskFormat
from grader.checks.draw import Draw, causal, striped
from grader.claims.padding import LENGTHS
from grader.oracle.attention_key import in_float64, of_pytorch

SIZES = ((84, 4), (24, 8), (60, 12), (32, 16), (7, 7), (2, 1), (96, 3), (64, 1), (130, 2), (129, 1))
"""E and H: 1 to 16 heads of 1 to 129 features, odd and even, small and large."""
LONG = 530
MASK_NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64"
MASK_DTYPES = [getattr(torch, name) for name in MASK_NAMES.split()]
MEAN_ROUNDINGS = 8
"""Units in the last place that a right answer may be off on average."""


def without_a_mask(attention: MakeAttention, draw: Draw) -> None:
    """With the same weights, the output equals {reference}."""
    mha = attention(embed_dim=30, num_heads=3)
    equals_pytorch(mha, mha.case(draw, N=3, L=7))


def with_many_heads(attention: MakeAttention, draw: Draw) -> None:
    """With many heads and with one, narrow heads and wide ones, the output equals {reference}."""
    for place, (embed_dim, num_heads) in enumerate(SIZES):
        mha = attention(embed_dim=embed_dim, num_heads=num_heads)
        case = mha.case(draw, N=3, L=8)
        is_masked = place % 2 == 1 and bool(mha.kata.formats)
        equals_pytorch(mha, case.but(allow=striped(8, 8), keep=striped(3, 8)) if is_masked else case)


def on_long_sequences(attention: MakeAttention, draw: Draw) -> None:
    """On long sequences{masks:, masked or not}{cross:, in cross-attention too}, the output equals PyTorch's."""
    mha = attention(embed_dim=12, num_heads=2)
    equals_pytorch(mha, mha.case(draw, N=3, L=71))
    mha = attention(embed_dim=6, num_heads=1)  # right loops over queries, heads and keys take seconds as it is
    long = mha.case(draw, N=1, L=LONG, need_weights=False)
    equals_pytorch(mha, long.but(allow=causal(LONG), keep=draw.allow(1, LONG)) if mha.kata.formats else long)
    if mha.kata.streams > 1:
        equals_pytorch(mha, mha.case(draw, N=2, L=3, S=LONG))
        equals_pytorch(mha, mha.case(draw, N=2, L=LONG, S=3))


def in_batches_of_any_size(attention: MakeAttention, draw: Draw) -> None:
    """With one sequence and with many{masks:, padded or not}, the output equals PyTorch's."""
    mha = attention(embed_dim=18, num_heads=9)
    for N in (1, 70):
        case = mha.case(draw, N=N, L=4)
        equals_pytorch(mha, case)
        if mha.kata.formats:
            equals_pytorch(mha, case.but(keep=striped(N, 4)))
            mask_format = mha.kata.formats[1]
            equals_pytorch(mha, case.but(allow=striped(*mask_format.shape(N, 4, 4)), mask_format=mask_format))


def where_inputs_are_one_tensor(attention: MakeAttention, draw: Draw) -> None:
    """With one tensor as several inputs, in cross-attention too{masks:, masked or not}, the output is PyTorch's."""
    mha = attention(embed_dim=22, num_heads=11)
    case = mha.case(draw, N=2, L=5, S=5)
    shared = [case.but(key=case.query)]
    if mha.kata.streams == 3:
        shared += [case.but(value=None), case.but(value=case.query), case.but(key=case.query, value=None)]
    memory = mha.case(draw, N=2, L=5, S=8).but(value=None)  # of an encoder: keys and values in one
    for one in (*shared, memory):
        equals_pytorch(mha, one)
        if mha.kata.formats:
            equals_pytorch(mha, one.but(allow=striped(5, one.keys.shape[1])))


def in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention, with more keys than queries and fewer, the output equals {reference}."""
    mha = attention(embed_dim=30, num_heads=10)
    more_keys, fewer_keys = mha.case(draw, N=3, L=5, S=11), mha.case(draw, N=3, L=9, S=4)
    # First, for where keys or values are made of the queries' input: of another length they do not fit, and it raises.
    equals_pytorch(mha, mha.case(draw, N=2, L=6, S=6))
    equals_pytorch(mha, more_keys)
    equals_pytorch(mha, fewer_keys)
    for L, S in ((1, 6), (6, 1), (1, 1)):
        equals_pytorch(mha, mha.case(draw, N=2, L=L, S=S))
    if mha.kata.formats:
        for L, S in ((1, 6), (5, 11), (9, 4)):
            case = mha.case(draw, N=3, L=L, S=S)
            equals_pytorch(mha, case.but(allow=striped(L, S)))
            equals_pytorch(mha, case.but(keep=striped(3, S)))


def under_a_causal_mask(attention: MakeAttention, draw: Draw) -> None:
    """Under a causal mask, the output equals {reference}."""
    mha = attention(embed_dim=18, num_heads=3)
    equals_pytorch(mha, mha.case(draw, N=3, L=7, allow=causal(7)))


def under_a_padding_mask(attention: MakeAttention, draw: Draw) -> None:
    """Under a padding mask, the output equals {reference}."""
    mha = attention(embed_dim=24, num_heads=4)
    equals_pytorch(mha, mha.case(draw, N=3, L=7, keep=draw.keep(LENGTHS)))
    equals_pytorch(mha, mha.case(draw, N=3, L=7, keep=striped(3, 7)))  # real keys with padding between them


def under_both_masks(attention: MakeAttention, draw: Draw) -> None:
    """Under padding and causal masks together, the output equals {reference}."""
    mha = attention(embed_dim=30, num_heads=5)
    case = mha.case(draw, N=3, L=7, keep=draw.keep(LENGTHS), allow=causal(7))
    equals_pytorch(mha, case)
    without = mha(case.but(need_weights=False)).output
    expect.close("output", without, of_pytorch(mha, case).output, mha.kata.tolerance(case))
    equals_pytorch(mha, case.but(keep=torch.ones(3, 7, dtype=torch.bool)))  # each hides nothing once
    equals_pytorch(mha, case.but(allow=torch.ones(7, 7, dtype=torch.bool)))


def under_any_mask(attention: MakeAttention, draw: Draw, mask_format: MaskFormat) -> None:
    """Under an irregular mask passed as {mask_format}, the output equals {reference}."""
    mha = attention(embed_dim=40, num_heads=4)
    case = mha.case(draw, N=3, L=7, mask_format=mask_format)
    allow = draw.allow(*mask_format.shape(3, 7, 7))
    equals_pytorch_in_both_modes(mha, case.but(allow=allow))
    equals_pytorch(mha, case.but(allow=torch.ones_like(allow), training=True))  # one that hides nothing


def under_masks_of_any_dtype_and_shape(attention: MakeAttention, draw: Draw) -> None:
    """Masks of every dtype and shape that the contract takes hide the same keys{cross:, in cross-attention}."""
    mha = attention(embed_dim=18, num_heads=3)
    queries, keys = (5, 5) if mha.kata.streams == 1 else (5, 7)
    # As many sequences as heads, then as queries: neither tells which of two axes a mask was taken to have.
    for N, dtypes in ((3, MASK_DTYPES[:1]), (5, MASK_DTYPES)):
        case = mha.case(draw, N=N, L=queries, S=None if mha.kata.streams == 1 else keys)
        for shape, dtype in product(mha.kata.mask_shapes(N, 3, queries, keys), dtypes):
            equals_pytorch(mha, case.but(allow=striped(*shape), mask_dtype=dtype))


def under_any_mask_in_cross_attention(attention: MakeAttention, draw: Draw, mask_format: MaskFormat) -> None:
    """In cross-attention under an irregular mask passed as {mask_format}, the output equals PyTorch's."""
    mha = attention(embed_dim=30, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=11, mask_format=mask_format)
    equals_pytorch_in_both_modes(mha, case.but(allow=draw.allow(*mask_format.shape(2, 5, 11))))


def under_any_mask_and_padding(attention: MakeAttention, draw: Draw, mask_format: MaskFormat) -> None:
    """In cross-attention with padding and the mask as {mask_format}, the output equals {reference}."""
    mha = attention(embed_dim=30, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=11, mask_format=mask_format, keep=draw.keep([8, 10], size=11, side="left"))
    allow = draw.allow(*mask_format.shape(2, 5, 11))
    equals_pytorch(mha, case.but(allow=allow, training=True, need_weights=False))
    equals_pytorch(mha, case.but(allow=torch.ones_like(allow)))


def under_an_added_bias(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention a float mask of any values is added to the scores, and the output equals PyTorch's."""
    mha = attention(embed_dim=18, num_heads=3)
    for std, dtype in ((1.0, torch.float64), (8.0, torch.float32)):
        for shape in ((5, 7), (2, 1, 5, 7)):
            bias = draw.tensor(*shape, std=std, dtype=dtype).double()
            case = mha.case(draw, N=2, L=5, S=7, bias=bias, mask_dtype=dtype)
            equals_pytorch(mha, case)
            equals_pytorch(mha, case.but(bias=bias.masked_fill(~causal(5, 7), -torch.inf), keep=draw.keep([5, 7])))


def without_bias(attention: MakeAttention, draw: Draw) -> None:
    """Built without bias, in self- and in cross-attention, the output equals {reference}."""
    mha = attention(embed_dim=26, num_heads=13, bias=False)
    equals_pytorch(mha, mha.case(draw, N=3, L=5))
    case = mha.case(draw, N=3, L=5, S=8)
    for masked in (case, case.but(allow=striped(5, 8)), case.but(keep=striped(3, 8))):
        equals_pytorch(mha, masked)


def on_inputs_that_are_not_contiguous(attention: MakeAttention, draw: Draw) -> None:
    """On inputs{masks: and masks} that are not contiguous, the output equals {reference}."""
    mha = attention(embed_dim=28, num_heads=14)
    case = mha.case(draw, N=2, L=5, strided=True)
    equals_pytorch(mha, case)
    if mha.kata.formats:
        equals_pytorch(mha, case.but(allow=striped(5, 5), keep=draw.keep([3, 5])))


def without_loss_of_precision(attention: MakeAttention, draw: Draw) -> None:
    """In float64 no precision is lost{cross:, in cross-attention too}: PyTorch's output to atol 1e-8."""
    mha = attention(embed_dim=24, num_heads=4)  # D = 6, or 24: its square root is far from exact in float32
    case = mha.case(draw, N=2, L=67)
    case = case.but(query=2 * case.query)  # large scores make a loss larger
    equals_pytorch(mha, case, expect.PRECISE)
    keys = None if mha.kata.streams == 1 else 19
    masked = mha.case(draw, N=17, L=17, S=keys, training=True, need_weights=False)
    masked = masked.but(query=2 * masked.query, allow=striped(17, keys or 17) if mha.kata.formats else None)
    equals_pytorch(mha, masked, expect.PRECISE)
    if mha.kata.streams > 1:
        equals_pytorch(mha, mha.case(draw, N=3, L=17, S=4), expect.PRECISE)


def in_dtype(attention: MakeAttention, draw: Draw, dtype: str) -> None:
    """In {dtype} the output is {dtype} and right to its rounding{cross:, in cross-attention too}."""
    mha = attention(embed_dim=18, num_heads=3, dtype=getattr(torch, dtype))
    few = mha.case(draw, N=2, L=5)
    equals_itself_in_float64(mha, few.but(allow=causal(5)) if mha.kata.formats else few)
    equals_itself_in_float64(mha, few.but(keep=striped(2, 5)) if mha.kata.formats else few)
    keys = None if mha.kata.streams == 1 else 19
    equals_itself_in_float64(mha, mha.case(draw, N=17, L=3, S=keys and 4))
    for mask_format in mha.kata.formats:
        allow = striped(*mask_format.shape(2, 17, keys or 17))
        equals_itself_in_float64(mha, mha.case(draw, N=2, L=17, S=keys, allow=allow, mask_format=mask_format))


def weights_in_self_attention(attention: MakeAttention, draw: Draw) -> None:
    """In self-attention{masks:, masked or not,} the weights returned equal {reference}."""
    mha = attention(embed_dim=30, num_heads=3)
    weights_equal_pytorchs(mha, mha.case(draw, N=3, L=7))
    weights_equal_pytorchs(mha, mha.case(draw, N=1, L=71))
    for dtype in (torch.float32, torch.bfloat16):
        weights_have_the_dtype(attention(embed_dim=18, num_heads=3, dtype=dtype), draw, S=None)
    narrow = attention(embed_dim=26, num_heads=13)
    weights_equal_pytorchs(narrow, narrow.case(draw, N=70, L=4, training=mha.kata.has_modes))
    for mask_format in mha.kata.formats:
        case = mha.case(draw, N=3, L=7, mask_format=mask_format, training=mha.kata.has_modes)
        weights_equal_pytorchs(mha, case.but(allow=draw.allow(*mask_format.shape(3, 7, 7))))
    if mha.kata.formats:
        padded = mha.case(draw, N=3, L=7, keep=draw.keep(LENGTHS))
        weights_equal_pytorchs(mha, padded)
        weights_equal_pytorchs(mha, padded.but(allow=causal(7)))


def weights_in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention{masks:, masked or not,} the weights returned equal {reference}."""
    mha = attention(embed_dim=24, num_heads=8)
    for L, S in ((9, 4), (1, 6), (6, 1)):
        weights_equal_pytorchs(mha, mha.case(draw, N=3, L=L, S=S))
    weights_have_the_dtype(attention(embed_dim=18, num_heads=3, dtype=torch.float32), draw, S=11)
    memory = mha.case(draw, N=2, L=5, S=8).but(value=None)  # of an encoder: keys and values in one
    weights_equal_pytorchs(mha, memory.but(training=mha.kata.has_modes))
    for mask_format in mha.kata.formats:
        case = mha.case(draw, N=2, L=5, S=11, mask_format=mask_format, training=mha.kata.has_modes)
        weights_equal_pytorchs(mha, case.but(allow=draw.allow(*mask_format.shape(2, 5, 11))))
    if mha.kata.formats:
        padded = mha.case(draw, N=2, L=5, S=11, keep=draw.keep([8, 10], size=11, side="left"))
        weights_equal_pytorchs(mha, padded)
        weights_equal_pytorchs(mha, padded.but(allow=striped(5, 11)))


def weights_have_the_dtype(mha: Attention, draw: Draw, S: int | None) -> None:
    """The weights have the dtype of the inputs and are right to its rounding, with gradients on.

    Args:
        mha: the attention.
        draw: of the check.
        S: number of keys; None: self-attention.
    """
    dtype = mha.size.dtype
    case = mha.case(draw, N=2, L=5, S=S, training=mha.kata.has_modes)
    answer, _ = mha.gradients(case, draw.tensor(2, 5, mha.size.embed_dim, dtype=dtype))
    weights, want = mha.weights_of(answer), expect.tensor("weights", in_float64(mha, case).weights)
    expect.equal("dtype of the weights", weights.dtype, dtype)
    expect.close("weights", weights, want, expect.rounding(dtype, want))


def weights_equal_pytorchs(mha: Attention, case: Case) -> None:
    """Those returned, in float64."""
    later = mha.meanwhile(lambda: of_pytorch(mha, case))
    weights, want = mha.weights_of(mha(case)), expect.tensor("weights", later().weights)
    expect.close("weights", weights, want, mha.kata.tolerance(case))


def equals_pytorch(mha: Attention, case: Case, tolerance: expect.Tolerance | None = None) -> Answer:
    """The output does; what is claimed of the weights is asked by claims of their own.

    Args:
        mha: the attention.
        case: the call.
        tolerance: for the output; None: the kata's.

    Returns:
        PyTorch's answer.
    """
    later = mha.meanwhile(lambda: of_pytorch(mha, case))
    answer, want = mha(case), later()
    tolerance = tolerance or mha.kata.tolerance(case)
    expect.close("output", answer.output, want.output, tolerance)
    if mha.output_beside is not None:
        expect.close("output where the weights are wanted", mha.output_beside, want.output, tolerance)
    return want


def equals_pytorch_in_both_modes(mha: Attention, case: Case) -> None:
    """In train mode too, where there is no dropout, and where no weights are wanted."""
    want = equals_pytorch(mha, case)
    if mha.kata.has_modes:
        output = mha(case.but(training=True, need_weights=False)).output
        expect.close("output in train mode", output, want.output, mha.kata.tolerance(case))


def equals_itself_in_float64(mha: Attention, case: Case) -> None:
    """The oracle's answer for the same inputs and weights, computed in float64, but for the rounding of the dtype."""
    dtype = case.query.dtype
    later = mha.meanwhile(lambda: in_float64(mha, case))
    answer, want = mha(case), later()
    output = expect.tensor("output", answer.output)  # one on another device than the input's is none
    expect.equal("dtype of the output", output.dtype, dtype)
    expect.close("output", output, want.output, expect.rounding(dtype, want.output))
    off = (output.double() - want.output).square().mean().sqrt() / want.output.square().mean().sqrt()
    allowed = max(1e-6, MEAN_ROUNDINGS * torch.finfo(dtype).eps)
    expect.at_most("root of the mean squared error, by that of the output", off, allowed)
