"""`scaffold`: a configured module with helpers; True = allow / keep; weights averaged over heads."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks.attention_kata import AttentionKata, built, read_pair
from grader.checks.case import Answer, Case, MaskFormat, Size
from grader.checks.subject import Call, Construction
from grader.records import Contract, RequiredName

CONFIG = """
from dataclasses import dataclass

@dataclass
class AttentionConfig:
    embed_dim: int
    num_heads: int
    dropout_p: float = 0.0
    bias: bool = True
"""
CONFIG_SIGNATURE = "(embed_dim, num_heads, dropout_p=0.0, bias=True)"

CAUSAL_MASK = """
import torch

def causal_mask(T, S=None, device=None):
    return torch.ones(T, T if S is None else S, dtype=torch.bool, device=device).tril()
"""

FORMATS = (
    MaskFormat("a bool [T, S]", "LS", torch.bool),
    MaskFormat("a bool [B, 1, T, S]", "N1LS", torch.bool),
    MaskFormat("a float [T, S]", "LS", None),
    MaskFormat("a float [B, 1, T, S]", "N1LS", None),
)


class Scaffold(AttentionKata):
    """The scaffold of many interviews: a configuration, four layers, helpers, masks of two kinds."""

    name = "scaffold"
    title = "A configured module with helpers, two kinds of mask, cross-attention"
    paper = "Vaswani et al. 2017, 3.2.3"
    question = "How do a padding mask and a causal mask combine, and what becomes of a fully masked row?"
    mask = "`attn_mask` True = allow, or float added to the scores; `key_padding_mask` True = keep"
    contract = Contract(
        "scaffold",
        (
            RequiredName("AttentionConfig", "class", CONFIG_SIGNATURE, supplied=CONFIG),
            RequiredName("causal_mask", "function", "(T, S=None, device=None)", supplied=CAUSAL_MASK),
            RequiredName("MultiHeadAttention", "class"),
            RequiredName("MultiHeadAttention.__init__", "method", "(cfg)"),
            RequiredName(
                "MultiHeadAttention.forward",
                "method",
                "(x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False)",
            ),
        ),
    )
    class_name = "MultiHeadAttention"
    streams = 2
    inputs = ("x", "kv")
    names: ClassVar = {"query": "x", "key": "kv", "bias": "attn_mask", "dropout": "dropout_p"}
    layers: ClassVar = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
    per_head = False
    switch = "need_weights=False"
    returns_weights_by_default = False
    bias_is_optional = True
    dropout_places = 1
    formats = FORMATS
    has_padding_mask = True
    functions = frozenset({"causal_mask"})

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction:
        options = {"dropout_p": size.dropout, "bias": size.bias}
        sizes = ("embed_dim", "num_heads")
        config = built("AttentionConfig", size, options, defaults=defaults, by_keyword=by_keyword, sizes=sizes)
        args, kwargs = ((), {"cfg": config}) if by_keyword else ((config,), {})
        return Construction(self.class_name, args, kwargs)

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query,) if case.key is None else (case.query, case.key)
        masks = {"attn_mask": attn_mask(case, size), "key_padding_mask": case.keep}
        given = {name: mask for name, mask in masks.items() if mask is not None}
        return Call(
            "__call__", inputs, given | ({} if case.need_weights is None else {"need_weights": case.need_weights})
        )

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "y", "weights")


def attn_mask(case: Case, size: Size) -> Tensor | None:
    """The attention mask in the format that the case asks for."""
    if case.bias is not None:
        return case.bias.to(case.mask_dtype or size.dtype)
    if case.allow is None:
        return None
    mask_format, allow = case.mask_format or FORMATS[0], case.allow
    if "N" in mask_format.axes and allow.dim() != 4:
        allow = allow[None, None].expand(case.query.shape[0], 1, -1, -1)
    if not mask_format.is_float:
        return allow
    return torch.zeros(allow.shape, dtype=size.dtype).masked_fill(~allow, -torch.inf)


KATA = Scaffold
