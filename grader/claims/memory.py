"""Memory: where the weights are not wanted, nothing of their size is alive after the call, by its operators."""

from collections.abc import Iterator

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw
from grader.checks.subject import Leftover

L, S = 128, 136
"""So long that all inputs and the output together are smaller than one tensor of L x S."""
LONGER = 2
"""Times these, where what Python allocates is counted: watching a call leaves up to L S bytes itself."""
BYTES = 2
"""For each of L x S, that are more than that."""


def nothing_of_the_size_of_the_weights_is_kept(attention: MakeAttention, draw: Draw) -> None:
    """Without gradients, nothing of L x S elements is alive after a call that does not want the weights."""
    mha = attention(embed_dim=8, num_heads=2, dtype=torch.float32)
    for place, case in enumerate(calls(mha, draw)):
        mha(case.but(need_weights=True))  # what this call keeps is its own
        is_small(mha, case.but(training=place % 2 == 1))


def nothing_is_kept_once_the_graph_is_gone(attention: MakeAttention, draw: Draw) -> None:
    """With gradients, nothing of L x S elements is alive once the output and its graph are gone."""
    mha = attention(embed_dim=8, num_heads=2, dtype=torch.float32, dropout=0.1)
    for case in calls(mha, draw):
        is_small(mha, case.but(training=True), draw.tensor(*case.query.shape, dtype=torch.float32))


def none_stands_in_place_of_the_weights(attention: MakeAttention, draw: Draw) -> None:
    """Where the weights are declined None is returned, with the same output; else and by default they are returned."""
    mha = attention(embed_dim=18, num_heads=3)
    for masks in ({}, {"allow": draw.allow(5, 7)}):
        case = mha.case(draw, N=2, L=5, S=7, **masks)
        axes = mha.weights_axes(N=2, L=5, S=7)
        declined = mha(case.but(need_weights=False))
        mha.hold_to_contract()
        expect.nothing("weights where they are declined", declined.weights)
        wanted = mha(case.but(need_weights=True))
        expect.close("output where they are declined", declined.output, wanted.output)
        expect.shape("weights where they are wanted", mha.weights_of(wanted), **axes)
        expect.shape("weights by default", mha.weights_of(mha(case.but(need_weights=None))), **axes)


def nothing_piles_up(attention: MakeAttention, draw: Draw) -> None:
    """No later call keeps what the first one did not: each of five leaves nothing of L x S elements."""
    mha = attention(embed_dim=8, num_heads=2, dtype=torch.float32)
    queries, keys = LONGER * L, LONGER * S
    case = mha.case(draw, N=1, L=queries, S=keys, allow=draw.allow(queries, keys), need_weights=False)
    left = [is_small(mha, case, beside_tensors=True) for _ in range(5)]
    # Of the last call alone, as the first ones fill Python's caches; and in words, as the bytes differ by run.
    kept = "a list, an array or the like" if left[-1].python_bytes >= BYTES * queries * keys else "none"
    expect.equal(f"what is kept of a call beside tensors, {BYTES} L S bytes of it or more", kept, "none")


def calls(mha: Attention, draw: Draw) -> Iterator[Case]:
    """Calls that want no weights: in cross- and self-attention, without a mask, under one of each kind.

    Args:
        mha: the attention.
        draw: of the check.
    """
    cross = mha.case(draw, N=1, L=L, S=S, need_weights=False)
    itself = mha.case(draw, N=1, L=S, need_weights=False)
    yield from (cross, itself)
    for dtype in (torch.bool, torch.int64, torch.float32):
        yield cross.but(allow=draw.allow(1, 1, L, S), mask_dtype=dtype)
    for mask_format in mha.kata.formats:
        yield itself.but(keep=draw.keep([S - 30], size=S), mask_format=mask_format)


def is_small(
    mha: Attention, case: Case, cotangent: torch.Tensor | None = None, *, beside_tensors: bool = False
) -> Leftover:
    """What a call keeps is smaller than the weights, its largest tensor and all together.

    Args:
        mha: the attention.
        case: the call.
        cotangent: of the shape of the output, and the call is differentiated; None: it is not.
        beside_tensors: what Python allocates is counted too, which makes the call slower.

    Returns:
        What it keeps.
    """
    left = mha.left_alive(case, cotangent, beside_tensors=beside_tensors)
    size = case.query.shape[1] * case.keys.shape[1]
    expect.fewer_elements("the largest tensor that is alive after the call", left.shape, size, left.path)
    together = torch.tensor(float(left.bytes))
    expect.at_most("bytes that are alive after the call and were not before", together, size - 1.0)
    return left
