"""`functional`: one function that draws its own weights; 1 or True = masked; no bias."""

from typing import Any, ClassVar

import torch

from grader.checks.attention_kata import AttentionKata, read_alone
from grader.checks.case import Answer, Case, MaskFormat, Size
from grader.checks.draw import Draw
from grader.checks.subject import Call
from grader.checks.weight_source import SetWeights, WeightsDrawnInCalls
from grader.records import Contract, RequiredName

FORMATS = (
    MaskFormat("a bool (L, S)", "LS", torch.bool),
    MaskFormat("a bool (N, L, S)", "NLS", torch.bool),
    MaskFormat("a bool (N, 1, L, S)", "N1LS", torch.bool),
    MaskFormat("a bool (N, 1, 1, S)", "N11S", torch.bool),
    MaskFormat("an integer (L, S) of 0 and 1", "LS", torch.int64),
    MaskFormat("a float (N, L, S) of 0 and 1", "NLS", torch.float32),
)


class Functional(AttentionKata):
    """Multi-head attention as one call."""

    name = "functional"
    title = "One function that draws its weights as PyTorch does"
    paper = "Vaswani et al. 2017, 3.2.2"
    question = "Why do two right layers give different outputs from the same seed?"
    mask = "`mask` 1 or True = masked"
    contract = Contract(
        "functional",
        (RequiredName("multi_head_attention", "function", "(q, k, v, num_heads, d_model, mask=None)"),),
    )
    streams = 3
    inputs = ("q", "k", "v", "num_heads", "d_model", "mask")
    names: ClassVar = {"query": "q", "key": "k", "value": "v"}
    has_modes = False
    has_layers = False
    returns_weights = False
    formats = FORMATS
    takes_any_shape = True
    padding_formats = FORMATS[1:4]
    padding_has_one_row = False
    one_hides = True
    weight_source: ClassVar[SetWeights] = WeightsDrawnInCalls()

    def case(self, draw: Draw, size: Size, N: int, L: int, S: int | None) -> Case:
        # PyTorch's weights are small: inputs twice as large make the scores spread over 1 and more.
        case = super().case(draw, size, N, L, S)
        return case.but(**{name: 2 * tensor for name, tensor in case.streams().items()})

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        flat = ((N, L, S), (L, S), (1, S), (S,))
        for_each_head = ((N, H, L, S), (1, H, L, S), (N, H, 1, S), (1, H, 1, S))
        return (*flat, (N, 1, L, S), (N, 1, 1, S), (1, 1, L, S), (1, 1, 1, S), *for_each_head)

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query, case.keys, case.values, size.num_heads, size.embed_dim)
        shown = case.shown
        if shown is None:
            return Call("multi_head_attention", inputs)
        if case.mask_dtype is not None and case.allow is not None:
            return Call("multi_head_attention", (*inputs, (~case.allow).to(case.mask_dtype)))
        if shown.dim() == 4 and shown.shape[1] == size.num_heads > 1:
            return Call("multi_head_attention", (*inputs, ~shown))
        n, queries, keys = case.query.shape[0], case.query.shape[1], case.keys.shape[1]
        mask_format = case.mask_format or FORMATS[0 if case.keep is None and shown.dim() == 2 else 1]
        if mask_format.axes == "NLS" and shown.dim() == 4:
            shown = shown[:, 0]
        shown = shown.expand(mask_format.shape(n, queries, keys))
        return Call("multi_head_attention", (*inputs, (~shown).to(mask_format.dtype)))

    def read(self, value: Any, case: Case) -> Answer:
        return read_alone(value, "output")


KATA = Functional
