"""Causal: no query sees a later key."""

import torch

from grader.checks import draw as masks
from grader.checks import expect
from grader.checks.attention import CALM, MakeAttention
from grader.checks.draw import Draw


def a_long_prefix_equals_itself_alone(attention: MakeAttention, draw: Draw) -> None:
    """Under a causal mask the first tokens of a long sequence get the answer that they get alone."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.calm_case(draw, N=2, L=23, allow=masks.causal(23))
    alone = mha(case.but(query=case.query[:, :19], allow=masks.causal(19))).output
    expect.close("output of the first 19 tokens", mha(case).output[:, :19], alone)


def a_query_sees_itself(attention: MakeAttention, draw: Draw) -> None:
    """Under a causal mask the first token sees itself alone, and the last one sees all."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.calm_case(draw, N=2, L=5, allow=masks.causal(5))
    output = mha(case).output
    first = mha(case.but(query=case.query[:, :1], allow=None)).output
    expect.close("output of the first token", output[:, :1], first)
    unmasked = mha(case.but(allow=None)).output
    expect.close("output of the last token", output[:, -1:], unmasked[:, -1:])


def causal_with_other_keys(attention: MakeAttention, draw: Draw) -> None:
    """With L != S a causal mask lets query t see the keys 0 to t: what the others hold changes nothing."""
    mha = attention(embed_dim=30, num_heads=3)
    case = mha.calm_case(draw, N=2, L=5, S=8, allow=masks.causal(5, 8))
    unseen = {name: torch.cat([x[:, :5], draw.tensor(2, 3, 30, std=CALM)], dim=1) for name, x in case.streams().items()}
    unseen["query"] = case.query
    first = mha(case).output
    expect.close("output", mha(case.but(**unseen)).output, first)
    fewer = {name: x[:, :5] for name, x in case.streams().items()}
    expect.close("output", mha(case.but(**fewer, allow=masks.causal(5))).output, first)
