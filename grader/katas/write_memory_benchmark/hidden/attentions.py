"""The attentions that are measured; a `{0}` in their source stands for a number that is drawn."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from grader.checks.draw import Draw
from grader.checks.subject import WorkerFunction
from grader.katas.write_memory_benchmark.contract import attention


class MeasuredAttention(NamedTuple):
    """One way to compute an attention.

    Attributes:
        what: what it is, in the words of a report.
        numbers: the numbers from which the one for `{0}` is drawn.
        lines: the lines of its body.
        before: source that runs once.
    """

    what: str
    numbers: tuple[int, ...]
    lines: tuple[str, ...]
    before: str = ""

    def drawn(self, draw: Draw) -> WorkerFunction:
        return self.made(self.numbers[draw.integer() % len(self.numbers)])

    def made(self, number: int) -> WorkerFunction:
        return attention(*(line.replace("{0}", str(number)) for line in self.lines), before=self.before)


NONE = (0,)
BLOCKS = (16, 24, 32)
TILES = (
    "rows = []",
    "for i in range(0, q.shape[-2], {0}):",
    "    block = q[..., i : i + {0}, :] / 8",
    "    top = torch.full_like(block[..., :1], -1e30)",
    "    total, output = torch.zeros_like(top), torch.zeros_like(block)",
    "    for j in range(0, k.shape[-2], {0}):",
    "        scores = block @ k[..., j : j + {0}, :].mT",
    "        new = torch.maximum(top, scores.amax(-1, keepdim=True))",
    "        weights, kept = (scores - new).exp(), (top - new).exp()",
    "        total = total * kept + weights.sum(-1, keepdim=True)",
    "        output = output * kept + weights @ v[..., j : j + {0}, :]",
    "        top = new",
    "    rows.append(output / total)",
    "return torch.cat(rows, -2)",
)
LINEAR = (
    MeasuredAttention("F.scaled_dot_product_attention", NONE, ("return F.scaled_dot_product_attention(q, k, v)",)),
    MeasuredAttention(
        "F.scaled_dot_product_attention that is causal",
        NONE,
        ("return F.scaled_dot_product_attention(q, k, v, is_causal=True)",),
    ),
    MeasuredAttention(
        "an attention in blocks of queries",
        BLOCKS,
        (
            "blocks = q.split({0}, -2)",
            "return torch.cat([torch.softmax(block @ k.mT / 8, -1) @ v for block in blocks], -2)",
        ),
    ),
    MeasuredAttention(
        "an attention in blocks of queries, written into one output",
        BLOCKS,
        (
            "output = torch.empty_like(q)",
            "for i in range(0, q.shape[-2], {0}):",
            "    output[..., i : i + {0}, :] = torch.softmax(q[..., i : i + {0}, :] @ k.mT / 8, -1) @ v",
            "return output",
        ),
    ),
    MeasuredAttention("an attention in tiles", (96, 128, 160), TILES),
    MeasuredAttention(
        "an attention without a softmax, whose keys and values are multiplied first",
        NONE,
        ("return F.elu(q) @ (F.elu(k).mT @ v) / q.shape[-2]",),
    ),
    MeasuredAttention(
        "an attention to a window of keys around each block of queries",
        BLOCKS,
        (
            "near = [slice(max(i - {0}, 0), i + {0}) for i in range(0, q.shape[-2], {0})]",
            "blocks = q.split({0}, -2)",
            "return torch.cat([F.scaled_dot_product_attention(b, k[..., s, :], v[..., s, :])"
            " for b, s in zip(blocks, near)], -2)",
        ),
    ),
    MeasuredAttention(
        "an attention to some keys that stand for all",
        BLOCKS,
        (
            "some = torch.linspace(0, k.shape[-2] - 1, {0}).long()",
            "return torch.softmax(q @ k[..., some, :].mT / 8, -1) @ v[..., some, :]",
        ),
    ),
    MeasuredAttention(
        "a mean of all values up to each token",
        NONE,
        ("return v.cumsum(-2) / torch.arange(1, v.shape[-2] + 1)[:, None]",),
    ),
    MeasuredAttention(
        "an attention in blocks of queries that keeps its answers",
        BLOCKS,
        (
            "blocks = q.split({0}, -2)",
            "kept.append(torch.cat([torch.softmax(block @ k.mT / 8, -1) @ v for block in blocks], -2))",
            "return kept[-1]",
        ),
        "kept = []",
    ),
)
SQUARE = (
    MeasuredAttention("an attention with explicit weights", NONE, ("return torch.softmax(q @ k.mT / 8, -1) @ v",)),
    MeasuredAttention(
        "an attention with explicit weights, scaled in place",
        NONE,
        ("scores = q @ k.mT", "scores.div_(8)", "return torch.softmax(scores, -1) @ v"),
    ),
    MeasuredAttention(
        "an attention with explicit weights under a causal mask",
        NONE,
        (
            "hidden = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).triu(1)",
            "return torch.softmax((q @ k.mT / 8).masked_fill(hidden, -torch.inf), -1) @ v",
        ),
    ),
    MeasuredAttention(
        "an attention with explicit weights and a bias for each distance",
        NONE,
        (
            "places = torch.arange(q.shape[-2])",
            "return torch.softmax(q @ k.mT / 8 - (places[:, None] - places).abs(), -1) @ v",
        ),
    ),
    MeasuredAttention(
        "an attention with explicit weights by einsum and exp",
        NONE,
        (
            "weights = torch.einsum('bhld,bhsd->bhls', q, k).div(8).exp()",
            "return torch.einsum('bhls,bhsd->bhld', weights / weights.sum(-1, keepdim=True), v)",
        ),
    ),
    MeasuredAttention(
        "an attention with explicit weights in bfloat16",
        NONE,
        (
            "weights = torch.softmax((q / 8).bfloat16() @ k.bfloat16().mT, -1)",
            "return (weights @ v.bfloat16()).float()",
        ),
    ),
    MeasuredAttention(
        "an attention with explicit weights of several heads at once",
        (2, 4),
        (
            "q, k, v = (x.unflatten(-1, ({0}, -1)).squeeze(1).transpose(1, 2) for x in (q, k, v))",
            "return (torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v).transpose(1, 2).flatten(-2)[:, None]",
        ),
    ),
    MeasuredAttention(
        "an attention with explicit weights, head after head",
        (2, 4),
        (
            "parts = zip(*(x.chunk({0}, -1) for x in (q, k, v)))",
            "return torch.cat([torch.softmax(a @ b.mT / a.shape[-1] ** 0.5, -1) @ c for a, b, c in parts], -1)",
        ),
    ),
    MeasuredAttention(
        "an attention in blocks whose weights are all kept until the end",
        BLOCKS,
        (
            "blocks = [torch.softmax(block @ k.mT / 8, -1) for block in q.split({0}, -2)]",
            "return torch.cat(blocks, -2) @ v",
        ),
    ),
    MeasuredAttention(
        "an attention that keeps the weights of its calls",
        NONE,
        ("kept.append(torch.softmax(q @ k.mT / 8, -1))", "return kept[-1] @ v"),
        "kept = []",
    ),
    MeasuredAttention(
        "F.scaled_dot_product_attention with a mask of all pairs",
        NONE,
        (
            "mask = torch.ones(q.shape[-2], k.shape[-2]).tril().log()",
            "return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
        ),
    ),
    MeasuredAttention(
        "an attention whose scores are sums of features",
        (4, 6),
        (
            "scores = torch.tanh(q[..., :, None, :{0}] + k[..., None, :, :{0}]).sum(-1)",
            "return torch.softmax(scores, -1) @ v",
        ),
    ),
    MeasuredAttention(
        "an attention in two halves of queries",
        NONE,
        ("return torch.cat([torch.softmax(half @ k.mT / 8, -1) @ v for half in q.chunk(2, -2)], -2)",),
    ),
    MeasuredAttention(
        "an attention that is fused for few tokens and explicit for many",
        (300, 400),
        (
            "if q.shape[-2] < {0}:",
            "    return F.scaled_dot_product_attention(q, k, v)",
            "return torch.softmax(q @ k.mT / 8, -1) @ v",
        ),
    ),
)
EXPLICIT, FUSED, IN_BLOCKS = SQUARE[0], LINEAR[0], LINEAR[3]


def some_of(attentions: Sequence[MeasuredAttention], count: int, draw: Draw) -> list[tuple[str, WorkerFunction]]:
    """Some of the attentions, in an order that the seed decides, each with the words for what it is.

    Args:
        attentions: the attentions to choose from.
        count: how many are chosen.
        draw: the draw of the check.
    """
    order = torch.randperm(len(attentions), generator=torch.Generator().manual_seed(draw.integer())).tolist()
    return [(attentions[place].what, attentions[place].drawn(draw)) for place in order[:count]]
