"""NaN safety: a fully masked row, and extreme scores, give finite numbers; neighbours stay as they were."""

import torch
from torch import Tensor

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case, MaskFormat, Projections, Size
from grader.checks.draw import Draw, causal
from grader.claims.nan_safety import if_any
from grader.oracle.attention_key import expected
from grader.oracle.pipeline import Steps
from grader.oracle.remembered import remember

LARGE = 550
"""Times the inputs: scores grow with its square, to some 100000, and -1e9 still hides a key."""

LARGEST = 5e5
"""Where masks hide keys: -1e6, by which a well-known textbook hides them, is enough, and -100000 is not."""


def gradients_past_a_fully_masked_row(
    attention: MakeAttention, draw: Draw, mask_format: MaskFormat | None = None
) -> None:
    """The gradients are finite where a row is fully masked."""
    mha = attention(embed_dim=18, num_heads=3)
    allow = draw.allow(5, 5)
    allow[2] = False
    case = mha.case(draw, N=2, L=5, allow=allow, mask_format=mask_format)
    padded = mha.case(draw, N=3, L=5, keep=draw.keep([3, 0, 5]))
    for masked in (case, padded):
        answer, gradients = mha.gradients(masked, draw.tensor(*mha.output_axes(N=masked.query.shape[0], L=5).values()))
        for name, gradient in gradients.items():
            expect.finite(f"gradient of {mha.kata.names.get(name, name)}", gradient)
        expect.finite("output with gradients on", answer.output)
        if_any(answer.weights)


def gradients_past_a_fully_masked_row_in_format(attention: MakeAttention, draw: Draw, mask_format: MaskFormat) -> None:
    """With the mask as {mask_format}, the gradients are finite where a row is fully masked."""
    gradients_past_a_fully_masked_row(attention, draw, mask_format=mask_format)


def large_scores(attention: MakeAttention, draw: Draw) -> None:
    """Scores of 100000 and more give one key all the weight, and no NaN, in float32{cross: and cross-attention} too."""
    wide = attention(embed_dim=18, num_heads=3)
    case = wide.case(draw, N=3, L=5)
    # A sequence of low scores, one of both kinds, one of high ones: it shows in what numbers an exponential overflows,
    # and where it vanishes because a larger score than the row's own was subtracted.
    times = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 100, 100, 100], [LARGE, LARGE, LARGE, LARGE, LARGE]])
    case = case.but(query=case.query * times[:, :, None])
    expect.finite("output", wide(case).output)
    _, gradients = wide.gradients(case, draw.tensor(*wide.output_axes(N=3, L=5).values()))
    for name, gradient in gradients.items():
        expect.finite(f"gradient of {wide.kata.names.get(name, name)}", gradient)
    narrow = attention(embed_dim=18, num_heads=3, dtype=torch.float32)
    case = narrow.case(draw, N=2, L=5)
    the_winner_takes_all(narrow, case.but(query=LARGE * case.query))
    alone = attention(embed_dim=7, num_heads=1, dtype=torch.float32)
    others = [(alone, alone.case(draw, N=3, L=5))]
    others += [(mha, mha.case(draw, N=3, L=5, S=S)) for mha in (narrow, alone) for S in (3, 8) if mha.kata.streams > 1]
    for mha, case in others:  # what they should be is checked where no score is large
        expect.finite("output", mha(case.but(query=LARGE * case.query)).output)


def large_scores_under_a_mask(attention: MakeAttention, draw: Draw) -> None:
    """Scores of 100000 and more do not reach past a mask."""
    for dtype in (torch.float64, torch.float32):  # in float64 it shows that low precision is not the cause
        mha = attention(embed_dim=18, num_heads=3, dtype=dtype)
        case = with_scores_up_to(LARGEST, mha, mha.case(draw, N=12, L=5))  # some sequences see low scores alone
        the_winner_takes_all(mha, case.but(allow=causal(5)))
        for side in ("left", "right"):
            the_winner_takes_all(mha, case.but(keep=draw.keep([1, 2] * 6, size=5, side=side)))


def with_scores_up_to(most: float, mha: Attention, case: Case) -> Case:
    """Self-attention on inputs so large that the largest score, with its sign left out, is about that.

    Args:
        most: the score.
        mha: the attention.
        case: without masks.
    """
    largest = remember(largest_score, mha.kata.key.oracle, case, mha.size, mha.weights)
    return case.but(query=case.query * (most / largest) ** 0.5)


def largest_score(oracle: Steps, case: Case, size: Size, weights: Projections) -> float:
    """The largest scaled score of a call, with its sign left out.

    Args:
        oracle: the pipeline that is right.
        case: without masks.
        size: how the layer is built.
        weights: of its projections.
    """
    walk = oracle.walk(case, size)
    oracle.run(case, size, weights, walk)
    return float(walk.values["scale"].abs().max())


def the_winner_takes_all(mha: Attention, case: Case) -> None:
    """The output is finite, and the oracle's where a key wins by so much that a thousandth of the scores says the same.

    There neither rounding nor a wrong scale or bias, which other checks look for, makes another key the winner.
    """
    output = mha(case).output
    expect.finite("output", output)
    want = expected(mha, case).output
    calm = remember(by_calmer_scores, mha.kata.key.oracle, case, mha.size, mha.weights)
    largest = float(want.abs().max())
    certain = (want - calm).abs().amax(dim=-1, keepdim=True) <= 1e-3 * largest
    expect.close("output", output, want, expect.Tolerance(0.02 * largest, 0.0), where=certain.expand_as(want))


def by_calmer_scores(oracle: Steps, case: Case, size: Size, weights: Projections) -> Tensor:
    """The output with a thousandth of the scores; arguments as of `largest_score`, of any case."""
    calmer = oracle.but(scale=lambda scores, context: oracle.scale(scores, context) / 1000)
    return calmer.run(case, size, weights).output
