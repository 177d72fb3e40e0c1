"""NaN safety: a query that may see nothing, and extreme scores, give finite numbers; neighbours stay as they were."""

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case, Form
from grader.checks.draw import Draw, causal

LARGE = 550
"""Times the inputs: scores grow with its square, to some 100000, and -1e9 still hides a key."""


def a_query_that_sees_nothing(attention: MakeAttention, draw: Draw, form: Form | None = None) -> None:
    """A query that may see nothing gets finite numbers, and the other queries' answers stay as they were."""
    mha = attention(embed_dim=18, num_heads=3)
    open_ = draw.allow(5, 5)
    blind = open_.clone()
    blind[2] = False
    others = [0, 1, 3, 4]
    for training in (False, True):
        case = mha.case(draw, N=2, L=5, allow=blind, form=form, training=training)
        answer = mha(case)
        expect.finite("output", answer.output)
        if_any(answer.weights)
        before = mha(case.but(allow=open_)).output
        expect.close("output of the other queries", answer.output[:, others], before[:, others])
    if mha.kata.streams > 1:
        wide = torch.ones(5, 7, dtype=torch.bool)
        wide[2] = False
        expect.finite("output in cross-attention", mha(mha.case(draw, N=2, L=5, S=7, allow=wide, form=form)).output)
    shapes = mha.kata.mask_shapes(2, 3, 5, 5)
    if (1, 5) in shapes:  # broadcast over queries, and so over keys too
        column = torch.tensor([True, True, False, True, True])[:, None]
        case = mha.case(draw, N=2, L=5, allow=column, mask_dtype=torch.bool)
        expect.finite("output where a mask (L, 1) hides all keys of a query", mha(case).output)
    if (2, 3, 5, 5) in shapes:
        in_a_head = draw.allow(2, 3, 5, 5)
        in_a_head[0, 1, 2] = False
        case = mha.case(draw, N=2, L=5, allow=in_a_head, mask_dtype=torch.bool)
        expect.finite("output where a query sees nothing in one head", mha(case).output)


def a_query_that_sees_nothing_in_form(attention: MakeAttention, draw: Draw, form: Form) -> None:
    """With the mask as {form}, a query that may see nothing gets finite numbers, and the others stay as they were."""
    a_query_that_sees_nothing(attention, draw, form=form)


def a_sequence_that_is_all_padding(attention: MakeAttention, draw: Draw) -> None:
    """A sequence that is all padding gets finite numbers, and the others in its batch stay as they were."""
    mha = attention(embed_dim=24, num_heads=4)
    case = mha.case(draw, N=3, L=5, keep=draw.keep([3, 0, 5]))
    answer = mha(case)
    expect.shape("output", answer.output, **mha.output_axes(N=3, L=5))
    expect.finite("output", answer.output)
    if_any(answer.weights)
    alone = mha(case.but(query=case.query[:1, :3], keep=None)).output
    expect.close("output of the first sequence, real tokens", answer.output[:1, :3], alone)
    # Each of the two masks leaves the first queries something to see, both together do not.
    # In float32 too, where two numbers that hide a key may add up to -inf.
    for some in (mha, attention(embed_dim=24, num_heads=4, dtype=torch.float32)):
        joined = some.case(draw, N=3, L=5, keep=draw.keep([3, 4, 2], size=5, side="left"), allow=causal(5))
        answer = some(joined)
        expect.finite("output under left padding and a causal mask", answer.output)
        if_any(answer.weights)


def all_zero_input(attention: MakeAttention, draw: Draw) -> None:
    """All-zero input gives the same finite answer to every query."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5)
    output = mha(case.but(query=torch.zeros_like(case.query))).output
    expect.finite("output", output)
    one = mha(case.but(query=torch.zeros_like(case.query[:, :1]))).output
    expect.close("output", output, one.expand_as(output))


def if_any(weights: torch.Tensor | None) -> None:
    """Weights, where the contract returns them, are finite."""
    if weights is not None:
        expect.finite("weights", weights)


# BEGIN HIDDEN
def gradients_past_a_query_that_sees_nothing(attention: MakeAttention, draw: Draw, form: Form | None = None) -> None:
    """The gradients are finite where a query may see nothing."""
    mha = attention(embed_dim=18, num_heads=3)
    allow = draw.allow(5, 5)
    allow[2] = False
    case = mha.case(draw, N=2, L=5, allow=allow, form=form)
    padded = mha.case(draw, N=3, L=5, keep=draw.keep([3, 0, 5]))
    for blind in (case, padded):
        answer, gradients = mha.gradients(blind, draw.tensor(*mha.output_axes(N=blind.query.shape[0], L=5).values()))
        for name, gradient in gradients.items():
            expect.finite(f"gradient of {mha.kata.names.get(name, name)}", gradient)
        expect.carries_gradient("output", mha.cut_off)
        expect.finite("output with gradients on", answer.output)
        if_any(answer.weights)
        expect.differ("gradient", gradients["query"], torch.zeros_like(gradients["query"]), "than zeros")


def gradients_past_a_query_that_sees_nothing_in_form(attention: MakeAttention, draw: Draw, form: Form) -> None:
    """With the mask as {form}, the gradients are finite where a query may see nothing."""
    gradients_past_a_query_that_sees_nothing(attention, draw, form=form)


def large_scores(attention: MakeAttention, draw: Draw) -> None:
    """Scores of 100000 and more give the winning key all the weight, and no NaN, in float32 and beside low ones."""
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
    for mha, case in others:  # what they should be is asked where no score is large
        expect.finite("output", mha(case.but(query=LARGE * case.query)).output)


def large_scores_under_a_mask(attention: MakeAttention, draw: Draw) -> None:
    """Scores of 100000 and more do not reach past a mask."""
    for dtype in (torch.float32, torch.float64):
        mha = attention(embed_dim=18, num_heads=3, dtype=dtype)
        case = mha.case(draw, N=12, L=5)  # so many sequences that one is sure to see low scores alone
        case = case.but(query=LARGE * case.query)
        the_winner_takes_all(mha, case.but(allow=causal(5)))
        for side in ("left", "right"):
            the_winner_takes_all(mha, case.but(keep=draw.keep([1, 2] * 6, size=5, side=side)))


def the_winner_takes_all(mha: Attention, case: Case) -> None:
    """The output is finite, and the oracle's where a key wins by so much that a thousandth of the scores says the same.

    There neither rounding nor a wrong scale or bias, which other checks look for, makes another key the winner.
    """
    output = mha(case).output
    expect.finite("output", output)
    oracle = mha.kata.oracle
    calmer = oracle.but(scale=lambda scores, context: oracle.scale(scores, context) / 1000)
    want, calm = mha.expected(case).output, calmer.run(case, mha.size, mha.weights).output
    largest = float(want.abs().max())
    certain = (want - calm).abs().amax(dim=-1, keepdim=True) <= 1e-3 * largest
    expect.close("output", output, want, expect.Tolerance(0.02 * largest, 0.0), where=certain.expand_as(want))


# END HIDDEN
