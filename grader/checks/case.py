"""Records that a check hands to the attention under test, and gets back."""

from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import NamedTuple, Self

import torch
from torch import Tensor

from grader.checks.subject import PLAIN, Manner

MANNER = tuple(field.name for field in fields(Manner))
"""The fields of a call's manner, which `Case.but` takes as the case's own."""


@dataclass(frozen=True)
class Size:
    """How an attention is built; a family with other sizes has a subclass of its own."""

    embed_dim: int
    num_heads: int
    dropout: float = 0.0
    bias: bool = True
    dtype: torch.dtype = torch.float64

    @property
    def head_dim(self) -> int:
        return self.embed_dim // self.num_heads


@dataclass(frozen=True)
class Projections:
    """The weights of the four projections, (E, E) each, and their biases, (E,) each, or None.

    A family with other weights has a subclass of its own, or gives these other shapes.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor
    q_bias: Tensor | None = None
    k_bias: Tensor | None = None
    v_bias: Tensor | None = None
    o_bias: Tensor | None = None

    def items(self) -> list[tuple[str, Tensor]]:
        """The name and tensor of each weight and each bias that is there."""
        pairs = ((field.name, getattr(self, field.name)) for field in fields(self))
        return [(name, tensor) for name, tensor in pairs if tensor is not None]

    def to(self, dtype: torch.dtype) -> Self:
        return replace(self, **{name: tensor.to(dtype) for name, tensor in self.items()})


@dataclass(frozen=True, slots=True)
class MaskFormat:
    """One of the formats in which a contract takes a mask.

    Attributes:
        text: the format in the contract's words, for the claims.
        axes: the mask's axes, each N, L, S, or 1 where it is broadcast.
        dtype: the mask's dtype; None: a float mask that is added to the scores, in their dtype.
    """

    text: str
    axes: str
    dtype: torch.dtype | None

    def __str__(self) -> str:
        return self.text

    @property
    def is_added(self) -> bool:
        """A mask in this format is added to the scores; in any other it only tells which keys are hidden."""
        return self.dtype is None

    @property
    def is_float(self) -> bool:
        return self.dtype is None or self.dtype.is_floating_point

    def shape(self, N: int, L: int, S: int) -> tuple[int, ...]:
        """The shape of such a mask.

        Args:
            N: batch size.
            L: number of queries.
            S: number of keys.
        """
        sizes = {"N": N, "L": L, "S": S, "1": 1}
        return tuple(sizes[axis] for axis in self.axes)


@dataclass(frozen=True, slots=True)
class Case:
    """One call in the judge's own words; a kata turns it into its own arguments and mask convention.

    Attributes:
        query: (N, L, E).
        key: (N, S, E), or None in self-attention.
        value: (N, S, E), or None where it is the key.
        allow: bool, True = the query may see the key; (L, S), (N, L, S) or (N, 1, L, S).
        bias: float, added to the scores; (L, S) or (N, 1, L, S).
        keep: bool, True = a real key, False = padding; (N, S).
        is_causal: query t may see the keys 0 to t alone, by an argument of its own beside the mask.
        positions: int64, the positions of the tokens, (L,) or (N, L); None: the argument is left out of the call.
        mask_format: in which of the contract's formats the mask is passed; None: the kata's first.
        mask_dtype: pass the mask in this dtype and in the shape of `allow`, whatever the formats; None: by its format.
        need_weights: whether the attention weights are wanted; None: the argument is left out of the call.
        frozen: the names of the inputs whose gradients are not asked for.
        manner: how the call is made; where weights are drawn in the call, a default dtype of None is the input's.
    """

    query: Tensor
    key: Tensor | None = None
    value: Tensor | None = None
    allow: Tensor | None = None
    bias: Tensor | None = None
    keep: Tensor | None = None
    is_causal: bool = False
    positions: Tensor | None = None
    mask_format: MaskFormat | None = None
    mask_dtype: torch.dtype | None = None
    need_weights: bool | None = True
    frozen: tuple[str, ...] = ()
    manner: Manner = PLAIN

    @property
    def keys(self) -> Tensor:
        return self.query if self.key is None else self.key

    @property
    def values(self) -> Tensor:
        return self.keys if self.value is None else self.value

    @property
    def shown(self) -> Tensor | None:
        """`allow`, `keep` and the causal mask joined with "and"; None: there is none of them.

        bool, True = may see; broadcasts to (N, H, L, S).
        """
        parts = []
        if self.allow is not None:
            is_of_sequences = self.allow.dim() == 3 and self.query.dim() <= 3
            parts.append(over_scores(self.allow, "NLS") if is_of_sequences else self.allow)
        if self.keep is not None:
            parts.append(over_scores(self.keep, "NS"))
        if self.is_causal:
            parts.append(torch.ones(self.query.shape[-2], self.keys.shape[-2], dtype=torch.bool).tril())
        return reduce(torch.logical_and, parts) if parts else None

    @property
    def has_float_mask(self) -> bool:
        """Whether the call has a float mask; a bias is one too."""
        of_format = self.mask_format is not None and self.mask_format.is_float
        return self.bias is not None or of_format or (self.mask_dtype is not None and self.mask_dtype.is_floating_point)

    def but(self, **changes: object) -> Self:
        """The same call with some fields changed, its own or those of its manner."""
        of_manner = {name: changes.pop(name) for name in MANNER if name in changes}
        manner = replace(self.manner, **of_manner) if of_manner else self.manner  # type: ignore[arg-type]
        return replace(self, manner=manner, **changes)  # type: ignore[arg-type]  # the fields' types are checked there

    def stretched(self, times: float) -> Self:
        """The same call with larger or smaller inputs."""
        return self.but(**{name: times * tensor for name, tensor in self.streams().items()}) if times != 1.0 else self

    def streams(self) -> dict[str, Tensor]:
        """The distinct inputs by name; two names never share a tensor."""
        pairs = (("query", self.query), ("key", self.key), ("value", self.value))
        return {name: tensor for name, tensor in pairs if tensor is not None}

    def differentiable(self) -> dict[str, Tensor]:
        """The tensors whose gradients are asked for: inputs, and a bias added to the scores, which may be learnt."""
        added = {} if self.bias is None else {"bias": self.bias}
        return {name: tensor for name, tensor in (self.streams() | added).items() if name not in self.frozen}


def over_scores(mask: Tensor, axes: str) -> Tensor:
    """Reshapes a mask that has only `axes` of N, H, L and S so that it broadcasts to (N, H, L, S)."""
    sizes = dict(zip(axes, mask.shape, strict=True))
    return mask.reshape([sizes.get(axis, 1) for axis in "NHLS"])


class Answer(NamedTuple):
    """What a call returned: output (N, L, E) and weights, (N, L, S) or (N, H, L, S), or None."""

    output: Tensor
    weights: Tensor | None

    def asked_for(self, case: Case) -> Self:
        """The answer without weights where the case asks for none: some contracts always return them."""
        return self if case.need_weights else self._replace(weights=None)

    def detached(self) -> Self:
        """The answer without its graph."""
        weights = None if self.weights is None else self.weights.detach()
        return self._replace(output=self.output.detach(), weights=weights)


Gradients = dict[str, Tensor]
"""Gradients of the inputs, by `query`, `key`, `value` and `bias`, and of the parameters, by the contract's paths."""
