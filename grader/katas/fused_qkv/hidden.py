"""`fused_qkv`: the checks that a kit does not show, the oracle and the mistakes."""

import torch
from torch import Tensor

from grader.claims.hidden import profile
from grader.katas.fused_qkv.contract import KATA
from grader.oracle import catalogue, pipeline
from grader.oracle.attention_key import AttentionKey
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context


def heads_first(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    """The fused projection taken apart as (H, 3, D) instead of (3, H, D)."""
    fused = torch.cat(pipeline.project(c), dim=-1).unflatten(-1, (c.size.num_heads, 3, c.size.head_dim))
    query, key, value = fused.movedim(-2, 0).flatten(-2)
    return query, key, value


def three_last(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    """The fused projection taken apart as (H, D, 3) instead of (3, H, D)."""
    fused = torch.cat(pipeline.project(c), dim=-1).unflatten(-1, (c.size.embed_dim, 3))
    query, key, value = fused.unbind(-1)
    return query, key, value


def heads_last(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    """The fused projection taken apart as (D, 3, H) instead of (3, H, D); the heads are merged as (H, D) even so."""
    fused = torch.cat(pipeline.project(c), dim=-1).unflatten(-1, (c.size.head_dim, 3, c.size.num_heads))
    query, key, value = fused.movedim(-2, 0).transpose(-2, -1).flatten(-2)
    return query, key, value


_ORDER = "The layer's rows are all queries, then all keys, then all values: read otherwise, the three are mixed."
HEADS_FIRST = Mistake(
    "qkv_heads_first",
    "the fused projection was taken apart as (H, 3, D): first by heads, then into queries, keys and values",
    {"project": heads_first},
    why=_ORDER,
)
THREE_LAST = Mistake(
    "qkv_three_last",
    "the fused projection was taken apart as (E, 3): queries, keys and values were dealt out in turn",
    {"project": three_last},
    why=_ORDER,
)
HEADS_LAST = Mistake(
    "qkv_heads_last",
    "the fused projection was taken apart as (D, 3, H): the heads were dealt out in turn",
    {"project": heads_last},
    why=_ORDER,
)

CLAIMS = profile.hidden(KATA)
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD.but(give=pipeline.give_always),
    mistakes=(HEADS_FIRST, THREE_LAST, HEADS_LAST, *catalogue.of(KATA)),
)
