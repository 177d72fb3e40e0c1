"""`rope`: rotary positions, a function and a layer; 0 = masked, 1 = attend; weights per head."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from grader.checks import tiers
from grader.checks.attention_kata import AttentionKata, built, read_pair, shown_in_format
from grader.checks.case import Answer, Case, MaskFormat, Size
from grader.checks.expect import PARITY, Tolerance
from grader.checks.subject import Call, Construction
from grader.checks.tiers import Tier
from grader.records import Contract, RequiredName

FORMATS = (
    MaskFormat("a bool [B, 1, L, L]", "N1LS", torch.bool),
    MaskFormat("an integer [B, 1, L, L] of 0 and 1", "N1LS", torch.int64),
    MaskFormat("a float [B, 1, L, L] of 0 and 1", "N1LS", torch.float32),
    MaskFormat("a bool [B, 1, 1, L]", "N11S", torch.bool),
    MaskFormat("an integer [B, 1, 1, L] of 0 and 1", "N11S", torch.int64),
)
ROTATION = Tier("rotation", "apply_rope turns pairs of features by angles that grow with the position", False)
PRECISION = Tier("precision", "angles in float64 keep all digits of float64", is_by_claim=True)
"""A tier of its own, and the last: the contract allows angles in float32, and other faults are to be read first."""
POSITIONS = Tier("positions", "scores depend on the distance of two tokens, values on no position")


@dataclass(frozen=True)
class RotarySize(Size):
    """A size with an even head_dim, as features are turned in pairs.

    An odd head_dim, from a claim on any attention, becomes one larger.
    """

    base: float = 10000.0

    def __post_init__(self) -> None:
        if self.embed_dim % self.num_heads == 0 and self.head_dim % 2 == 1:
            object.__setattr__(self, "embed_dim", self.embed_dim + self.num_heads)


class Rope(AttentionKata):
    """A function that rotates, and self-attention that uses it."""

    name = "rope"
    title = "Rotary positions: a function that rotates, and a layer whose scores know distances"
    paper = "Su et al. 2021"
    question = "Why do rotated queries and keys make scores of distances, and why is no value rotated?"
    mask = "`mask` 0 = masked, 1 = attend"
    contract = Contract(
        "rope",
        (
            RequiredName("apply_rope", "function", "(x, positions, base=10000.0)"),
            RequiredName("RotaryMultiHeadAttention", "class"),
            RequiredName("RotaryMultiHeadAttention.__init__", "method", "(d_model, num_heads, base=10000.0)"),
            RequiredName("RotaryMultiHeadAttention.forward", "method", "(x, mask=None, positions=None)"),
        ),
    )
    shares: ClassVar[Mapping[Tier, int]] = {
        tiers.SHAPES: 7,
        ROTATION: 19,
        tiers.WEIGHT_SUMS: 4,
        tiers.PADDING: 9,
        tiers.CAUSAL: 7,
        tiers.NAN_SAFETY: 9,
        tiers.PARITY: 22,
        POSITIONS: 15,
        tiers.GRADIENTS: 8,
        tiers.INTERFACE: 0,
        PRECISION: 0,
    }
    precision = PRECISION
    class_name = "RotaryMultiHeadAttention"
    streams = 1
    inputs = ("x", "mask")
    names: ClassVar = {"query": "x"}
    layers: ClassVar = {"q": "W_Q", "k": "W_K", "v": "W_V", "o": "W_O"}
    formats = FORMATS
    padding_formats = FORMATS
    takes_positions = True
    reference = "that of PyTorch's attention with rotated queries and keys"
    size = RotarySize

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction:
        assert isinstance(size, RotarySize)
        options, sizes = {"base": size.base}, ("d_model", "num_heads")
        return built(self.class_name, size, options, defaults=defaults, by_keyword=by_keyword, sizes=sizes)

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        return ((N, 1, L, S), (N, 1, 1, S))

    def tolerance(self, case: Case) -> Tolerance:
        """The tolerance grows with the position: of float32's seven digits, a large angle has fewer after the point."""
        last = case.query.shape[-2] if case.positions is None else int(case.positions.max())
        return Tolerance(PARITY.atol * max(1, last), PARITY.rtol)

    def call(self, case: Case, size: Size) -> Call:
        mask = shown_in_format(case, FORMATS[0 if case.allow is not None else 3])
        inputs = (case.query,) if mask is None else (case.query, mask)
        return Call("__call__", inputs, {} if case.positions is None else {"positions": case.positions})

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "output", "weights")


KATA = Rope
