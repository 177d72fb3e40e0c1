"""`need_weights`: as `module`, but where the weights are not wanted, nothing of their size stays alive."""

from collections.abc import Mapping
from typing import ClassVar

from grader.checks import tiers
from grader.checks.tiers import Tier
from grader.records import Contract, RequiredName


class NeedWeights:
    """What differs from `module`."""

    name = "need_weights"
    title = "The module without its weights: nothing of their size stays in memory"
    group = "memory and numbers"
    paper = "Rabe and Staats 2021"
    question = "Who holds the weights after a forward pass, and how many bytes are they at 4096 tokens?"
    contract = Contract(
        "need_weights",
        (
            RequiredName("MultiHeadAttention", "class"),
            RequiredName("MultiHeadAttention.__init__", "method", "(d_model, num_heads, dropout=0.0, bias=True)"),
            RequiredName("MultiHeadAttention.forward", "method", "(query, key, value, mask=None, need_weights=True)"),
        ),
    )
    inputs = ("query", "key", "value", "mask", "need_weights")
    switch = "need_weights=False"
    saves_memory = True
    weights_may_have_a_path = True
    shares: ClassVar[Mapping[Tier, int]] = {
        tiers.SHAPES: 5,
        tiers.WEIGHT_SUMS: 4,
        tiers.PADDING: 9,
        tiers.CAUSAL: 7,
        tiers.NAN_SAFETY: 8,
        tiers.PARITY: 28,
        tiers.GRADIENTS: 9,
        tiers.MEMORY: 0,
        tiers.INTERFACE: 0,
    }


KATA = NeedWeights
