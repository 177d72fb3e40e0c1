"""`scaled_dot_product`: the formula as a function on (..., L, D); 1 or True = masked."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks.attention_kata import AttentionKata, read_pair
from grader.checks.case import Answer, Case, MaskFormat, Size
from grader.checks.subject import Call
from grader.records import Contract, RequiredName

FORMATS = (
    MaskFormat("a bool (L, S)", "LS", torch.bool),
    MaskFormat("a bool (N, L, S)", "NLS", torch.bool),
    MaskFormat("a bool (N, 1, S)", "N1S", torch.bool),
    MaskFormat("an integer (L, S) of 0 and 1", "LS", torch.int64),
    MaskFormat("a float (N, L, S) of 0 and 1", "NLS", torch.float32),
)


class ScaledDotProduct(AttentionKata):
    """The core of the formula, without projections or heads."""

    name = "scaled_dot_product"
    title = "The formula as one function"
    paper = "Vaswani et al. 2017, 3.2.1"
    question = "Why are the scores divided by sqrt(D), and what if they are not?"
    mask = "`mask` 1 or True = masked"
    contract = Contract(
        "scaled_dot_product", (RequiredName("scaled_dot_product_attention", "function", "(q, k, v, mask=None)"),)
    )
    streams = 3
    inputs = ("q", "k", "v", "mask")
    names: ClassVar = {"query": "q", "key": "k", "value": "v"}
    has_modes = False
    has_layers = False
    has_heads = False
    per_head = False
    formats = FORMATS
    takes_any_shape = True
    one_hides = True

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        return ((N, L, S), (L, S), (1, S), (S,), (1, L, S), (N, 1, S), (1, 1, S))

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query, case.keys, case.values)
        shown = shown_flat(case)
        if shown is None:
            return Call("scaled_dot_product_attention", inputs)
        if case.mask_dtype is not None:
            return Call("scaled_dot_product_attention", inputs, {"mask": (~shown).to(case.mask_dtype)})
        mask_format = case.mask_format or FORMATS[0]
        if mask_format.axes == "NLS" and shown.dim() == 2:
            shown = shown.expand(case.query.shape[0], -1, -1)
        return Call("scaled_dot_product_attention", (*inputs, (~shown).to(mask_format.dtype)))

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "output", "attention_weights")


def shown_flat(case: Case) -> Tensor | None:
    """`allow` and `keep` joined, broadcastable to (N, L, S)."""
    if case.keep is None:
        return case.allow
    keep = case.keep[:, None, :]
    return keep if case.allow is None else case.allow & keep


KATA = ScaledDotProduct
