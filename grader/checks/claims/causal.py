"""Causal: no query sees a later key."""

import torch

from grader.checks import draw as masks
from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.case import Form
from grader.checks.draw import Draw


def no_query_sees_a_later_key(attention: MakeAttention, draw: Draw, form: Form | None = None) -> None:
    """Under a causal mask the weights above the diagonal are zero, and the others share everything."""
    mha = attention(embed_dim=18, num_heads=3)
    allow = masks.causal(7)
    weights = expect.tensor("weights", mha(mha.case(draw, N=2, L=7, allow=allow, form=form)).weights)
    expect.shape("weights", weights, **mha.weights_axes(N=2, L=7, S=7))
    expect.zero("weights of later keys", weights, where=~allow)
    expect.close("weights.sum(-1)", weights.sum(-1), 1.0)


def a_prefix_does_not_depend_on_what_follows(attention: MakeAttention, draw: Draw, form: Form | None = None) -> None:
    """Under a causal mask the answer for a prefix does not change when later tokens do."""
    mha = attention(embed_dim=40, num_heads=4)
    case = mha.case(draw, N=3, L=7, allow=masks.causal(7), form=form)
    later = torch.cat([case.query[:, :4], draw.tensor(3, 3, 40)], dim=1)
    first, second = mha(case).output, mha(case.but(query=later)).output
    expect.close("output of the first 4 tokens", second[:, :4], first[:, :4])
    expect.differ("output of the last 3 tokens", second[:, 4:], first[:, 4:], "after they changed")


def a_prefix_does_not_depend_on_what_follows_in_form(attention: MakeAttention, draw: Draw, form: Form) -> None:
    """With a causal mask as {form}, the answer for a prefix does not change when later tokens do."""
    a_prefix_does_not_depend_on_what_follows(attention, draw, form=form)


# BEGIN HIDDEN
def a_long_prefix_equals_itself_alone(attention: MakeAttention, draw: Draw) -> None:
    """Under a causal mask the first tokens of a long sequence get the answer that they get alone."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=23, allow=masks.causal(23))
    alone = mha(case.but(query=case.query[:, :19], allow=masks.causal(19))).output
    expect.close("output of the first 19 tokens", mha(case).output[:, :19], alone)


def a_query_sees_itself(attention: MakeAttention, draw: Draw) -> None:
    """Under a causal mask the first token sees itself alone, and the last one sees all."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5, allow=masks.causal(5))
    output = mha(case).output
    first = mha(case.but(query=case.query[:, :1], allow=None)).output
    expect.close("output of the first token", output[:, :1], first)
    unmasked = mha(case.but(allow=None)).output
    expect.close("output of the last token", output[:, -1:], unmasked[:, -1:])


def causal_with_other_keys(attention: MakeAttention, draw: Draw) -> None:
    """With L != S a causal mask lets query t see the keys 0 to t: what the others hold changes nothing."""
    mha = attention(embed_dim=30, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=8, allow=masks.causal(5, 8))
    unseen = {name: torch.cat([x[:, :5], draw.tensor(2, 3, 30)], dim=1) for name, x in case.streams().items()}
    unseen["query"] = case.query
    first = mha(case).output
    expect.close("output", mha(case.but(**unseen)).output, first)
    fewer = {name: x[:, :5] for name, x in case.streams().items()}
    expect.close("output", mha(case.but(**fewer, allow=masks.causal(5))).output, first)


# END HIDDEN
