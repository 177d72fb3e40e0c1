# %% [markdown] tags=["statement"]
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
# {sizes_refused}
# {fully_masked_rows}
#   That holds for float masks of `-inf` too.
# {forbidden}

# %% [markdown] tags=["notebook"]
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}} + M\right) V_h
# \qquad y = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_o^\top + b_o$$
#
# where $Q_h$, $K_h$, $V_h$ are head $h$'s slices, of size $D = E / H$, of the three projections, and $M$ is
# $-\infty$ where a key is hidden, else 0 or what a float mask says. Vaswani et al., *Attention Is All You
# Need*, 2017, sections 3.2.2 and 3.2.3.

# %% [markdown] tags=["notebook"]
# {projections}
# Here queries come from `x`, keys and values from `kv`.
#
# {heads}
#
# {scores}
#
# {masks}
# A bool mask says what may be seen; a float mask is added to the scores, so that 0 changes nothing and $-\infty$
# masks. A key is masked where either of the two masks says so.
#
# {weights}
# The weights returned are the average over the heads.
#
# {fully_masked_row}
#
# {dropout}
# It falls on the weights, not on the output.
#
# {gradients}

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# {hint_split_and_merge}
# Then `forward` without masks, and the masks last.
# </details>
# <details data-tiers="weight sums, parity"><summary>Hint 2: one head by hand</summary>
#
# {hint_one_head}
# </details>
# <details data-tiers="padding, causal"><summary>Hint 3: shapes of masks</summary>
#
# The logits are `[B, H, T, S]`. `[T, S]` and `[B, 1, T, S]` line up as they are; `[B, S]` needs two axes of
# size 1, and you have to say where.
# </details>
# <details data-tiers="padding, causal"><summary>Hint 4: True = allow</summary>
#
# `masked_fill` fills where its mask is True, which is the other way round.
# </details>
# <details data-tiers="nan safety"><summary>Hint 5: a fully masked row</summary>
#
# Adding `-inf` gives the right weights for every other query, but a NaN in the softmax's gradient flows
# through an addition. `masked_fill` lets no gradient through where it filled, so fill where a float mask is
# `-inf`, and once more after the softmax.
# </details>
# <details data-tiers="gradients"><summary>Hint 6: a gradient that ends</summary>
#
# {hint_gradients}
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Make the layers** (`__init__`). **Purpose:** learn what to ask, offer, hand over, and how to mix the
#    answers. **Theory:** four linear maps of the embedding; heads share it, so $H$ must divide $E$.
# 2. **Split and merge** (`_split_heads`, `_merge_heads`). **Purpose:** give each head its own subspace, and
#    put the answers side by side again. **Theory:** $E = H \cdot D$; with the head axis in front of the
#    sequence one batched matrix product serves all heads.
# 3. **Score** (`forward`). **Purpose:** say how well queries match keys. **Theory:** a dot product over $D$
#    features of variance 1 has variance $D$, hence the division by $\sqrt{D}$.
# 4. **Mask** (`_apply_masks`). **Purpose:** hide padding and the future. **Theory:** $e^{-\infty} = 0$, so
#    the softmax shares all the weight among the keys that are left. A float mask is added, being a bias on
#    the logits; where it is $-\infty$ the logit is filled instead, because NaN times zero is NaN in the
#    backward pass of a fully masked row.
# 5. **Weigh and average** (`forward`). **Purpose:** collect what was asked for. **Theory:** the softmax is
#    positive and sums to 1, so each head's output is a weighted mean of values. Hidden keys get an exact
#    zero, also in rows of nothing but $-\infty$, and `masked_fill` stops the NaN of their gradient.
# 6. **Drop** (`forward`). **Purpose:** keep a head from relying on a single key. **Theory:** dropout zeroes a
#    weight with probability $p$ and scales the others by $1 / (1 - p)$, which keeps the mean.

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
        # BEGIN SOLUTION
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError(f"embed_dim ({cfg.embed_dim}) must be divisible by num_heads ({cfg.num_heads})")
        self.num_heads = cfg.num_heads
        self.head_dim = cfg.embed_dim // cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)
        # END SOLUTION

    def _split_heads(self, x: Tensor) -> Tensor:
        """Give each head its slice of the features: `[B, T, E]` to `[B, H, T, D]`."""
        # BEGIN SOLUTION
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
        # END SOLUTION

    def _merge_heads(self, x: Tensor) -> Tensor:
        """Put the heads side by side again: `[B, H, T, D]` to `[B, T, E]`."""
        # BEGIN SOLUTION
        return x.transpose(1, 2).flatten(2)
        # END SOLUTION

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
        # BEGIN SOLUTION
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_logits = attn_logits.masked_fill(~attn_mask, -math.inf)
        elif attn_mask is not None:
            attn_mask = attn_mask.to(attn_logits.dtype)
            attn_logits = (attn_logits + attn_mask).masked_fill(attn_mask == -math.inf, -math.inf)
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -math.inf)
        return attn_logits
        # END SOLUTION

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
        # BEGIN SOLUTION
        kv = x if kv is None else kv
        q = self._split_heads(self.q_proj(x))  # [B, H, T, D]
        k = self._split_heads(self.k_proj(kv))  # [B, H, S, D]
        v = self._split_heads(self.v_proj(kv))
        attn_logits = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)  # [B, H, T, S]
        attn_logits = self._apply_masks(attn_logits, attn_mask, key_padding_mask)
        weights = torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)
        y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))  # [B, T, E]
        return y, weights.mean(dim=1) if need_weights else None
        # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}
# The second sequence has 12 real tokens.

# %% tags=["notebook", "active-ipynb"]
# attention = MultiHeadAttention(AttentionConfig(embed_dim=512, num_heads=8))
# x = torch.rand(2, 20, 512)
# keep = torch.arange(20) < torch.tensor([[20], [12]])  # True = keep
# y, weights = attention(x, key_padding_mask=keep, need_weights=True)
# print("output", tuple(y.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Decoder cross-attention: 20 queries look at 30 keys.

# %% tags=["notebook", "active-ipynb"]
# y, weights = attention(x, torch.rand(2, 30, 512), need_weights=True)
# print("output", tuple(y.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Causal self-attention over 10 tokens.

# %% tags=["notebook", "active-ipynb"]
# allow = causal_mask(10)  # True = allow
# _, causal_weights = attention(torch.randn(1, 10, 512), attn_mask=allow, need_weights=True)
# print("largest weight of a later token:", causal_weights[0][~allow].max().item())

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, which keeps the three input projections in one matrix, and for
# which True hides.

# %% tags=["notebook", "active-ipynb"]
# ours = MultiHeadAttention(AttentionConfig(embed_dim=E, num_heads=H))
# theirs = nn.MultiheadAttention(E, H, batch_first=True)
# projections = (ours.q_proj, ours.k_proj, ours.v_proj)
# with torch.no_grad():
#     theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in projections]))
#     theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in projections]))
#     theirs.out_proj.load_state_dict(ours.out_proj.state_dict())
# y, _ = ours(query, attn_mask=causal_mask(L))
# expected, _ = theirs(query, query, query, attn_mask=~causal_mask(L))
# print("largest difference:", (y - expected).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# These are the causal weights of the 10 tokens above, averaged over heads.

# %% tags=["notebook", "active-ipynb"]
# %show_weights causal_weights[0]
