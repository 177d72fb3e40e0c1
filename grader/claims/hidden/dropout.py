"""Dropout: off in eval mode; in train mode on the weights, rescaled, and drawn for each by itself."""

from dataclasses import replace

import torch

from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw, causal, striped
from grader.claims.hidden.parity import equals_pytorch
from grader.claims.hidden.weight_sums import spelled
from grader.claims.padding import LENGTHS

DROPPED = {1: "the attention weights", 2: "the attention weights and the output"}
"""What dropout falls on, by the number of places."""
SPREAD = expect.Tolerance(7 * 0.5 / 3000**0.5, 0.0)
"""Seven standard deviations of the mean of 3000 draws of 0 or 1."""


def dropout_is_off_in_eval_mode(attention: MakeAttention, draw: Draw) -> None:
    """In eval mode dropout does nothing, and without dropout train mode gives the same answer."""
    plain = attention(embed_dim=24, num_heads=4, dropout=0.0)
    dropped = attention(embed_dim=30, num_heads=15, dropout=0.5)
    case = dropped.case(draw, N=3, L=7)
    for _ in range(2):  # the first call must not leave train mode behind
        equals_pytorch(dropped, case)
    equals_pytorch(plain, plain.case(draw, N=3, L=7, training=True))
    case = plain.case(draw, N=3, L=7, training=True, keep=draw.keep(LENGTHS), allow=causal(7))
    equals_pytorch(plain, case)


def dropout_rescales(attention: MakeAttention, draw: Draw, places: int) -> None:
    """In train mode a value is dropped with probability p, and what is left is scaled by 1 / (1 - p)."""
    padded = {"keep": striped(8, 16)}
    for p, need_weights, dtype in ((0.1, False, torch.float64), (0.6, True, torch.float32)):
        mha = attention(embed_dim=48, num_heads=3, dropout=p, dtype=dtype)
        causally = {"allow": causal(16), "mask_format": mha.kata.formats[2]}
        mha.make_readable()
        case = spelled(mha, draw, N=8, L=16).but(**(padded if need_weights else causally))
        before = mha(case)
        without = before.output.reshape(8, 16, 3, 16)  # (N, L, H, S)
        expect.finite("output", without)
        seen = without.abs() > 1e-12
        shown = expect.tensor("mask", case.shown).expand(8, 3, 16, 16)  # more than 3000 of them
        expect.at_least("number of weights above 0 under a mask", seen.sum(), float(shown.sum()))
        training = case.but(training=True, need_weights=need_weights)
        # The draws go on from call to call, and hang on no wish for weights.
        after, again = mha(training), mha(training.but(seed=None, need_weights=not need_weights))
        dropped = torch.stack([after.output, again.output]).reshape(2, 8, 16, 3, 16)
        seen = seen.expand_as(dropped)
        kept, left = dropped.abs() > 1e-6 * without.abs(), (1 - p) ** places
        expect.close(f"factor of what a dropout of {p} leaves", (dropped / without)[seen & kept], 1 / left)
        expect.close("share that is left", kept[seen].double().mean(), left, SPREAD)
        for axis, name in enumerate(("calls", "sequences", "queries", "heads", "keys")):
            alike = (kept == kept.roll(1, axis))[seen & seen.roll(1, axis)].double().mean()
            expect.close(f"how often two {name} keep or lose alike", alike, left**2 + (1 - left) ** 2, SPREAD)
        if after.weights is not None and before.weights is not None:
            used = (dropped[0] * (1 - p) ** (places - 1)).transpose(1, 2)
            if places > 1:  # what was dropped of the output shows no weight: it was dropped as well, or it was not
                used = torch.where(used != 0, used, before.weights / (1 - p) * (after.weights != 0))
            used = used if mha.kata.per_head else used.mean(1)
            is_before = torch.allclose(after.weights.double(), before.weights.double())
            expect.close("weights, before dropout or after it", after.weights, before.weights if is_before else used)


def dropout_falls_on_the_weights(attention: MakeAttention, draw: Draw, places: int) -> None:
    """In train mode dropout falls on weights{cross:, in cross-attention too}: a head's features lose the same keys."""
    mha = attention(embed_dim=30, num_heads=3, dropout=0.25)
    mha.make_readable()
    # Mixed within a head: what is dropped before the output projection is then told from what is dropped after it.
    mha.use(replace(mha.weights, o=torch.block_diag(*draw.tensor(3, 10, 10))))
    for keys in (None,) if mha.kata.streams == 1 else (None, 13):
        case = mha.case(draw, N=4, L=11, S=keys)
        case = case.but(**{name: x[:, :1].expand_as(x).contiguous() for name, x in case.streams().items()})
        # With gradients on, as a model is trained.
        dropped, _ = mha.gradients(case.but(training=True), draw.tensor(4, 11, 30))
        factors = (dropped.output / mha(case).output).unflatten(-1, (3, 10))
        one_left = factors.max(dim=-1, keepdim=True).values
        lost = (factors - one_left).abs() > 1e-6
        expect.differ("output", one_left, one_left[:, :1, :1].expand_as(one_left), "for each query and head")
        expect.zero("what dropout left of a feature apart from its head", factors, where=lost)
        expect.equal("where dropout falls", DROPPED[1 + bool(lost.any())], DROPPED[places])
