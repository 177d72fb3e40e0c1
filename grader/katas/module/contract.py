"""`module`: the textbook nn.Module; 0 = masked, 1 = attend; weights per head; dropout twice."""

from typing import Any, ClassVar

import torch

from grader.checks.attention_kata import AttentionKata, built, read_pair, shown_in_format
from grader.checks.case import Answer, Case, MaskFormat, Size
from grader.checks.subject import Call, Construction
from grader.records import Contract, RequiredName

FORMATS = (
    MaskFormat("a bool [B, 1, L, S]", "N1LS", torch.bool),
    MaskFormat("an integer [B, 1, L, S] of 0 and 1", "N1LS", torch.int64),
    MaskFormat("a float [B, 1, L, S] of 0 and 1", "N1LS", torch.float32),
    MaskFormat("a bool [B, 1, 1, S]", "N11S", torch.bool),
    MaskFormat("an integer [B, 1, 1, S] of 0 and 1", "N11S", torch.int64),
)


class Module(AttentionKata):
    """The module of textbooks and courses."""

    name = "module"
    title = "A complete nn.Module: Xavier initialisation, dropout, weights per head"
    paper = "Vaswani et al. 2017, 5.4; Glorot and Bengio 2010"
    question = "What do dropout on the weights and Xavier initialisation each keep constant?"
    mask = "`mask` 0 = masked, 1 = attend"
    contract = Contract(
        "module",
        (
            RequiredName("MultiHeadAttention", "class"),
            RequiredName("MultiHeadAttention.__init__", "method", "(d_model, num_heads, dropout=0.0, bias=True)"),
            RequiredName(
                "MultiHeadAttention.forward", "method", "(query, key, value, mask=None, return_attention=True)"
            ),
        ),
    )
    class_name = "MultiHeadAttention"
    streams = 3
    inputs = ("query", "key", "value", "mask", "return_attention")
    names: ClassVar = {}
    layers: ClassVar = {"q": "W_Q", "k": "W_K", "v": "W_V", "o": "W_O"}
    switch = "return_attention=False"
    bias_is_optional = True
    dropout_places = 2
    formats = FORMATS
    padding_formats = FORMATS

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction:
        options = {"dropout": size.dropout, "bias": size.bias}
        sizes = ("d_model", "num_heads")
        return built(self.class_name, size, options, defaults=defaults, by_keyword=by_keyword, sizes=sizes)

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        return ((N, 1, L, S), (N, 1, 1, S))

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query, case.keys, case.values)
        mask = shown_in_format(case, FORMATS[0 if case.allow is not None else 3])
        if case.need_weights is not None:
            return Call("__call__", (*inputs, mask, case.need_weights))
        return Call("__call__", inputs if mask is None else (*inputs, mask))

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "output", "weights")


KATA = Module
