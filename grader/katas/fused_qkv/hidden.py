"""`fused_qkv`: the checks that a kit does not show, the oracle and the mistakes."""

import torch
from torch import Tensor

from grader.claims.hidden import profile
from grader.katas.fused_qkv.contract import KATA
from grader.oracle import catalogue, pipeline
from grader.oracle.attention_key import AttentionKey
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context

_ORDER = "The layer's rows are all queries, then all keys, then all values: read otherwise, the three are mixed."


def read_as(axes: str, name: str, sentence: str) -> Mistake:
    """The fused projection taken apart in another order than 3, H, D.

    Args:
        axes: `3`, `H` and `D` in the order in which they are read; what is projected has them in the right one then.
        name: of the mistake.
        sentence: of the mistake.
    """

    def project(c: Context) -> tuple[Tensor, Tensor, Tensor]:
        sizes = {"3": 3, "H": c.size.num_heads, "D": c.size.head_dim}
        fused = torch.cat(pipeline.project(c), dim=-1).unflatten(-1, [sizes[axis] for axis in axes])
        query, key, value = fused.movedim([axes.index(axis) - 3 for axis in "3HD"], (0, -2, -1)).flatten(-2)
        return query, key, value

    return Mistake(name, f"the fused projection was taken apart as {sentence}", {"project": project}, why=_ORDER)


MISTAKES = (
    read_as("H3D", "qkv_heads_first", "(H, 3, D): first by heads, then into queries, keys and values"),
    read_as("HD3", "qkv_three_last", "(E, 3): queries, keys and values were dealt out in turn"),
    read_as("D3H", "qkv_heads_last", "(D, 3, H): the heads were dealt out in turn"),
)

CLAIMS = profile.hidden(KATA)
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD.but(give=pipeline.give_always),
    mistakes=(*MISTAKES, *catalogue.of(KATA)),
)
