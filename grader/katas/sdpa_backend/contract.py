"""`sdpa_backend`: the module on PyTorch's fused attention; 0 = masked, 1 = attend; a mask and is_causal together."""

from collections.abc import Mapping
from typing import Any, ClassVar

import torch

from grader.checks import tiers
from grader.checks.attention_kata import AttentionKata, built, read_pair, shown_in_format
from grader.checks.case import Answer, Case, MaskFormat, Size
from grader.checks.subject import Call, Construction
from grader.checks.tiers import Tier
from grader.records import Contract, Policy, RequiredName

FORMATS = (
    MaskFormat("a bool [B, 1, L, S]", "N1LS", torch.bool),
    MaskFormat("an integer [B, 1, L, S] of 0 and 1", "N1LS", torch.int64),
    MaskFormat("a float [B, 1, L, S] of 0 and 1", "N1LS", torch.float32),
    MaskFormat("a bool [B, 1, 1, S]", "N11S", torch.bool),
    MaskFormat("an integer [B, 1, 1, S] of 0 and 1", "N11S", torch.int64),
)
IS_CAUSAL = Tier("is_causal", "is_causal hides later keys, alone and beside a mask")
BACKEND = Tier(
    "backend", "where no weights are wanted, F.scaled_dot_product_attention makes the answer", is_by_claim=True
)


class SdpaBackend(AttentionKata):
    """A layer whose attention is one call of PyTorch's."""

    name = "sdpa_backend"
    title = "PyTorch's fused attention behind the module: its masks, its dropout, is_causal"
    group = "memory and numbers"
    paper = "Dao et al. 2022; Rabe and Staats 2021"
    question = "What must a mask, is_causal and dropout become before SDPA gives what the written-out formula gives?"
    mask = "`mask` 0 = masked, 1 = attend; `is_causal` beside it"
    contract = Contract(
        "sdpa_backend",
        (
            RequiredName("FlashMultiHeadAttention", "class"),
            RequiredName("FlashMultiHeadAttention.__init__", "method", "(d_model, num_heads, dropout=0.0, bias=True)"),
            RequiredName(
                "FlashMultiHeadAttention.forward",
                "method",
                "(query, key, value, mask=None, is_causal=False, return_attention=False)",
            ),
        ),
    )
    policy = Policy(forbidden=frozenset({"mha"}), required=frozenset({"sdpa"}))
    shares: ClassVar[Mapping[Tier, int]] = {
        tiers.SHAPES: 4,
        tiers.WEIGHT_SUMS: 3,
        tiers.PADDING: 10,
        tiers.CAUSAL: 7,
        tiers.NAN_SAFETY: 8,
        tiers.PARITY: 28,
        IS_CAUSAL: 10,
        BACKEND: 0,
        tiers.GRADIENTS: 9,
        tiers.INTERFACE: 0,
    }
    class_name = "FlashMultiHeadAttention"
    streams = 3
    inputs = ("query", "key", "value", "mask", "is_causal", "return_attention")
    names: ClassVar = {}
    layers: ClassVar = {"q": "W_Q", "k": "W_K", "v": "W_V", "o": "W_O"}
    switch = "return_attention=False"
    returns_weights_by_default = False
    weights_may_have_a_path = True
    saves_memory = True
    bias_is_optional = True
    dropout_places = 1
    formats = FORMATS
    padding_formats = FORMATS

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction:
        options = {"dropout": size.dropout, "bias": size.bias}
        sizes = ("d_model", "num_heads")
        return built(self.class_name, size, options, defaults=defaults, by_keyword=by_keyword, sizes=sizes)

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        return ((N, 1, L, S), (N, 1, 1, S))

    def call(self, case: Case, size: Size) -> Call:
        mask = shown_in_format(case.but(is_causal=False), FORMATS[0 if case.allow is not None else 3])
        inputs = (case.query, case.keys, case.values)
        if case.need_weights is not None:
            return Call("__call__", (*inputs, mask, case.is_causal, case.need_weights))
        if case.is_causal:
            return Call("__call__", inputs if mask is None else (*inputs, mask), {"is_causal": True})
        return Call("__call__", inputs if mask is None else (*inputs, mask))

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "output", "weights")


KATA = SdpaBackend
