"""`fused_qkv`: one linear layer for queries, keys and values; self-attention; 0 = masked; weights per head."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks.attention_kata import AttentionKata, built, read_pair
from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.checks.subject import Call, Construction
from grader.records import Contract, RequiredName

FORMATS = (
    MaskFormat("a bool (L, L)", "LS", torch.bool),
    MaskFormat("a bool (B, 1, L, L)", "N1LS", torch.bool),
    MaskFormat("an integer (B, 1, L, L) of 0 and 1", "N1LS", torch.int64),
    MaskFormat("a bool (B, 1, 1, L)", "N11S", torch.bool),
    MaskFormat("a float (B, 1, L, L) of 0 and 1", "N1LS", torch.float32),
)


class FusedQKV(AttentionKata):
    """Queries, keys and values from one matrix product."""

    name = "fused_qkv"
    title = "One layer for queries, keys and values"
    paper = "Vaswani et al. 2017, 3.2.2"
    question = "Why one product instead of three, and in which order do the rows of its weight lie?"
    mask = "`mask` 0 = masked"
    contract = Contract(
        "fused_qkv",
        (
            RequiredName("EfficientMultiHeadAttention", "class"),
            RequiredName("EfficientMultiHeadAttention.__init__", "method", "(d_model, num_heads, dropout=0.0)"),
            RequiredName("EfficientMultiHeadAttention.forward", "method", "(x, mask=None)"),
        ),
    )
    class_name = "EfficientMultiHeadAttention"
    streams = 1
    inputs = ("x", "mask")
    names: ClassVar = {"query": "x"}
    dropout_places = 1
    formats = FORMATS
    takes_any_shape = True
    is_fused = True

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction:
        options, sizes = {"dropout": size.dropout}, ("d_model", "num_heads")
        return built(self.class_name, size, options, defaults=defaults, by_keyword=by_keyword, sizes=sizes)

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        w = weights
        by_path = {"qkv_proj.weight": torch.cat([w.q, w.k, w.v]), "out_proj.weight": w.o}
        if w.q_bias is not None and w.k_bias is not None and w.v_bias is not None:
            by_path["qkv_proj.bias"] = torch.cat([w.q_bias, w.k_bias, w.v_bias])
        if w.o_bias is not None:
            by_path["out_proj.bias"] = w.o_bias
        return by_path

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        flat = ((L, L), (1, L), (L,), (1, L, L), (1, 1, L))
        for_each_head = ((1, H, L, L), (N, H, L, L), (N, H, 1, L), (1, H, 1, L))
        return ((N, 1, L, L), *flat, (N, 1, 1, L), (1, 1, L, L), (1, 1, 1, L), *for_each_head)

    def call(self, case: Case, size: Size) -> Call:
        shown = case.shown
        if shown is None:
            return Call("__call__", (case.query,))
        if case.mask_dtype is not None:
            mask = shown if case.allow is None else case.allow
            # Broadcasting adds a leading axis of 1 by itself: a mask for each head may come as (H, L, L).
            mask = mask[0] if mask.dim() == 4 and mask.shape[:2] == (1, size.num_heads) else mask
            return Call("__call__", (case.query, mask.to(case.mask_dtype)))
        mask_format = case.mask_format or FORMATS[0]
        if "N" in mask_format.axes and shown.dim() == 2:
            shown = shown.expand(case.query.shape[0], 1, -1, -1)
        return Call("__call__", (case.query, shown.to(mask_format.dtype)))

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "out", "weights")


KATA = FusedQKV
