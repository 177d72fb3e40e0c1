"""Parity: with the same weights, the answer is PyTorch's; dropout and dtypes."""

from dataclasses import replace

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case
from grader.checks.claims.padding import LENGTHS
from grader.checks.claims.weight_sums import spelled
from grader.checks.draw import Draw, causal


def without_a_mask(attention: MakeAttention, draw: Draw) -> None:
    """With the same weights, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=30, num_heads=3)
    equals_pytorch(mha, mha.case(draw, N=2, L=7))


def with_many_heads(attention: MakeAttention, draw: Draw) -> None:
    """With many heads and with one, narrow heads and wide ones, the output equals torch.nn.MultiheadAttention's."""
    for embed_dim, num_heads in ((30, 6), (10, 1), (5, 5), (40, 2)):
        mha = attention(embed_dim=embed_dim, num_heads=num_heads)
        equals_pytorch(mha, mha.case(draw, N=3, L=8))


def on_long_sequences(attention: MakeAttention, draw: Draw) -> None:
    """On long sequences, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=12, num_heads=2)
    equals_pytorch(mha, mha.case(draw, N=3, L=71))


def in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention, with more keys than queries and fewer, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=24, num_heads=3)
    equals_pytorch(mha, mha.case(draw, N=2, L=5, S=11))
    equals_pytorch(mha, mha.case(draw, N=2, L=9, S=4))


def under_a_causal_mask(attention: MakeAttention, draw: Draw) -> None:
    """Under a causal mask, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=18, num_heads=3)
    equals_pytorch(mha, mha.case(draw, N=2, L=7, allow=causal(7)))


def under_a_padding_mask(attention: MakeAttention, draw: Draw) -> None:
    """Under a padding mask, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=24, num_heads=4)
    equals_pytorch(mha, mha.case(draw, N=3, L=7, keep=draw.keep(LENGTHS)))


def under_both_masks(attention: MakeAttention, draw: Draw) -> None:
    """Under padding and causal masks, weights wanted or not, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=30, num_heads=5)
    case = mha.case(draw, N=3, L=7, keep=draw.keep(LENGTHS), allow=causal(7))
    equals_pytorch(mha, case)
    expect.close("output", mha(case.but(need_weights=False)).output, mha.pytorch(case).output)


def under_any_mask(attention: MakeAttention, draw: Draw, form: str) -> None:
    """Under an irregular mask passed as {form}, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=40, num_heads=4)
    case = mha.case(draw, N=3, L=7, form=form)
    equals_pytorch(mha, case.but(allow=draw.allow(*mha.kata.mask_shape(form, 3, 7, 7))))


def under_any_mask_in_cross_attention(attention: MakeAttention, draw: Draw, form: str) -> None:
    """In cross-attention under an irregular mask passed as {form}, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=24, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=11, form=form)
    equals_pytorch(mha, case.but(allow=draw.allow(*mha.kata.mask_shape(form, 2, 5, 11))))


def under_any_mask_and_padding(attention: MakeAttention, draw: Draw, form: str) -> None:
    """In cross-attention under padding and {form}, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=24, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=11, form=form, keep=draw.keep([8, 10], size=11, side="left"))
    allow = draw.allow(*mha.kata.mask_shape(form, 2, 5, 11))
    equals_pytorch(mha, case.but(allow=allow))


def under_an_added_bias(attention: MakeAttention, draw: Draw) -> None:
    """A float mask of any values is added to the scores, and the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=18, num_heads=3)
    equals_pytorch(mha, mha.case(draw, N=2, L=5, S=7, bias=draw.tensor(5, 7)))
    equals_pytorch(mha, mha.case(draw, N=2, L=5, S=7, bias=draw.tensor(2, 1, 5, 7)))


def without_bias(attention: MakeAttention, draw: Draw) -> None:
    """Built without bias, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=18, num_heads=3, bias=False)
    equals_pytorch(mha, mha.case(draw, N=2, L=5))


def on_inputs_that_are_not_contiguous(attention: MakeAttention, draw: Draw) -> None:
    """On inputs that are not contiguous, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=18, num_heads=3)
    equals_pytorch(mha, mha.case(draw, N=2, L=5, strided=True))


def to_the_published_tolerance(attention: MakeAttention, draw: Draw) -> None:
    """In float64 no precision is lost: the output equals torch.nn.MultiheadAttention's to atol 1e-8."""
    mha = attention(embed_dim=24, num_heads=3)  # D = 8: its square root is not exact in float32
    case = mha.case(draw, N=2, L=67)  # so many values that a few near 0 are sure to show a loss
    expect.close("output", mha(case).output, mha.pytorch(case).output, expect.PUBLISHED)


def in_dtype(attention: MakeAttention, draw: Draw, dtype: str) -> None:
    """On {dtype} the output is {dtype}, on the input's device, and right to its rounding."""
    mha = attention(embed_dim=18, num_heads=3, dtype=getattr(torch, dtype))
    case = mha.case(draw, N=2, L=5)
    for masked in (case, case.but(allow=causal(5)) if mha.kata.forms else case):
        output = expect.tensor("output", mha(masked).output)  # one on another device than the input's is none
        expect.equal("dtype of the output", output.dtype, case.query.dtype)
        want = in_float64(mha, masked)
        expect.close("output", output, want, expect.rounding(case.query.dtype, want))


def dropout_is_off_in_eval_mode(attention: MakeAttention, draw: Draw) -> None:
    """In eval mode dropout does nothing, and without dropout train mode gives the same answer."""
    dropped = attention(embed_dim=24, num_heads=4, dropout=0.5)
    equals_pytorch(dropped, dropped.case(draw, N=3, L=7))
    plain = attention(embed_dim=24, num_heads=4, dropout=0.0)
    equals_pytorch(plain, plain.case(draw, N=3, L=7, training=True))
    case = plain.case(draw, N=3, L=7, training=True, keep=draw.keep(LENGTHS), allow=causal(7))
    equals_pytorch(plain, case)


def dropout_rescales(attention: MakeAttention, draw: Draw, places: int) -> None:
    """In train mode a value is dropped with probability p, and what is left is scaled by 1 / (1 - p)."""
    p = 0.25
    mha = attention(embed_dim=48, num_heads=3, dropout=p)
    mha.make_readable()
    case = spelled(mha, draw, N=8, L=16).but(allow=causal(16))  # 8 * 3 * 16 * 17 / 2 = 3264 weights
    without = mha(case).output
    seen = without.abs() > 1e-12
    factors = mha(case.but(training=True)).output[seen] / without[seen]
    left = (1 - p) ** places
    kept = factors.masked_select(factors.abs() > 1e-6)
    share = torch.tensor(kept.numel() / factors.numel(), dtype=torch.float64)
    expect.close("factor of what is left", kept, 1 / left)
    # Six standard deviations of a draw of 1024: a draw that the heads share spreads more than one of 3264.
    expect.close("share that is left", share, left, expect.Tolerance(6 * 0.5 / 1024**0.5, 0.0))


def dropout_falls_on_the_weights(attention: MakeAttention, draw: Draw, places: int) -> None:
    """In train mode dropout falls on the attention weights: all features of a head lose the same keys."""
    mha = attention(embed_dim=24, num_heads=3, dropout=0.25)
    mha.make_readable()
    # Mixed within a head: what is dropped before the output projection is then told from what is dropped after it.
    mha.use(replace(mha.weights, o=torch.block_diag(*draw.tensor(3, 8, 8))))
    case = mha.case(draw, N=4, L=11)
    case = case.but(query=case.query[:, :1].expand(-1, 11, -1).contiguous())
    factors = (mha(case.but(training=True)).output / mha(case).output).unflatten(-1, (3, 8))
    one_left = factors.max(dim=-1, keepdim=True).values
    lost = (factors - one_left).abs() > 1e-6
    expect.differ("output", one_left, one_left[:, :1, :1].expand_as(one_left), "for each query and head")
    expect.zero("what dropout left of a feature apart from its head", factors, where=lost)
    expect.equal("is dropout applied to the output too", "yes" if lost.any() else "no", "yes" if places == 2 else "no")


def equals_pytorch(mha: Attention, case: Case) -> None:
    """Output, and the weights where the contract returns them."""
    got, want = mha(case), mha.pytorch(case)
    expect.close("output", got.output, want.output)
    if got.weights is not None and want.weights is not None:
        expect.close("weights", got.weights, want.weights)


def in_float64(mha: Attention, case: Case) -> torch.Tensor:
    """The oracle's output for the same inputs and weights, computed in float64."""
    wide = case.but(**{name: tensor.double() for name, tensor in case.streams().items()})
    return mha.kata.oracle.run(wide, mha.size, mha.weights.to(torch.float64)).output
