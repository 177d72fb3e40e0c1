# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=scaffold
# Begin again:  make reset KATA=scaffold
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # Multi-head attention in a scaffold
#
# A layer as it is found in a codebase: a configuration, helpers with one job each, two kinds of masks that
# may come together, self-attention and cross-attention through one `forward`. The configuration and
# `causal_mask` are given; write the bodies of the class.
#
# | mask | shape | True | other |
# |---|---|---|---|
# | `attn_mask`, bool | `[T, S]` or `[B, 1, T, S]` | allow: this query sees this key | False: hidden |
# | `attn_mask`, float | the same | | added to the logits; `-inf` hides |
# | `key_padding_mask`, bool | `[B, S]` | keep: this key is real | False: padding, hidden from all queries |
#
# - A key is seen only where both masks let it be seen.
# - `_split_heads` takes `[B, T, E]` to `[B, H, T, D]`; `_merge_heads` is its inverse. Head `h` owns the
#   features `h * D` to `(h + 1) * D - 1`.
# - `_apply_masks` takes logits `[B, H, T, S]` and returns them with both masks applied, in the same shape.
# - `forward` attends from `x` to `kv`, or to `x` itself where `kv` is None. The weights are averaged over
#   heads, `[B, T, S]`, and None unless `need_weights`. Dropout acts on the weights, before they meet the
#   values; the returned weights may be those before or after it.
# - `q_proj`, `k_proj`, `v_proj`, `out_proj` are `nn.Linear(embed_dim, embed_dim, bias=cfg.bias)`, `dropout`
#   is `nn.Dropout(cfg.dropout_p)`.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`) in `__init__`.
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
#   That holds for float masks of `-inf` too.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.

# %%
import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class AttentionConfig:
    """What a layer is made of. Given.

    Attributes:
        embed_dim: Embedding size E.
        num_heads: Number of heads H; a head has the size D = E / H.
        dropout_p: Probability with which an attention weight is dropped in training.
        bias: Whether the four linear layers have a bias.
    """

    embed_dim: int
    num_heads: int
    dropout_p: float = 0.0
    bias: bool = True


def causal_mask(T: int, S: int | None = None, device: torch.device | str | None = None) -> Tensor:
    """Let query t see the keys 0 to t. Given.

    In the mask, True means allow; the triangle starts in the upper left corner, also for S != T.

    Args:
        T: Number of queries.
        S: Number of keys; None: as many as queries.
        device: Where to make the mask.

    Returns:
        A bool mask `[T, S]`.
    """
    return torch.ones(T, T if S is None else S, dtype=torch.bool, device=device).tril()


# %%
class MultiHeadAttention(nn.Module):
    """Multi-head attention for self- and cross-attention (Vaswani et al. 2017, section 3.2.2).

    Attributes:
        q_proj: Projects queries, `nn.Linear(E, E)`.
        k_proj: Projects keys, `nn.Linear(E, E)`.
        v_proj: Projects values, `nn.Linear(E, E)`.
        out_proj: Projects the merged heads, `nn.Linear(E, E)`.
        dropout: Acts on the attention weights, `nn.Dropout`.
    """

    def __init__(self, cfg: AttentionConfig) -> None:
        """Make the layers.

        Args:
            cfg: Sizes, dropout and bias.

        Raises:
            ValueError: `cfg.num_heads` does not divide `cfg.embed_dim`; `AssertionError` is accepted too.
        """
        super().__init__()
        raise NotImplementedError("__init__ is not written yet")

    def _split_heads(self, x: Tensor) -> Tensor:
        """Give each head its slice of the features: `[B, T, E]` to `[B, H, T, D]`."""
        raise NotImplementedError("_split_heads is not written yet")

    def _merge_heads(self, x: Tensor) -> Tensor:
        """Put the heads side by side again: `[B, H, T, D]` to `[B, T, E]`."""
        raise NotImplementedError("_merge_heads is not written yet")

    def _apply_masks(
        self,
        attn_logits: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
    ) -> Tensor:
        """Hide what either mask hides.

        True means allow (`attn_mask`) and keep (`key_padding_mask`); a float `attn_mask` is added.

        Args:
            attn_logits: Scaled scores `[B, H, T, S]`.
            attn_mask: Bool or float, `[T, S]` or `[B, 1, T, S]`, or None.
            key_padding_mask: Bool, `[B, S]`, or None.

        Returns:
            The masked logits `[B, H, T, S]`.
        """
        raise NotImplementedError("_apply_masks is not written yet")

    def forward(
        self,
        x: Tensor,
        kv: Tensor | None = None,
        *,
        attn_mask: Tensor | None = None,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from `x` to `kv`, or to `x` itself.

        True means allow (`attn_mask`) and keep (`key_padding_mask`); a float `attn_mask` is added.

        Args:
            x: Queries `[B, T, E]`, floating point.
            kv: Keys and values `[B, S, E]`; None: `x`, and S = T.
            attn_mask: Bool or float, `[T, S]` or `[B, 1, T, S]`.
            key_padding_mask: Bool, `[B, S]`.
            need_weights: Whether to return the weights.

        Returns:
            The output `[B, T, E]`, and the weights averaged over heads `[B, T, S]` or None.
        """
        raise NotImplementedError("forward is not written yet")
