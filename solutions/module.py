# %% [markdown] tags=["statement"]
# # Multi-head attention as a module
#
# A complete `nn.Module`: initialisation, dropout in two places, weights for each head, a readable `repr`.
#
# {mask_0_is_masked}
#
# - The mask is bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`.
# - `W_Q`, `W_K`, `W_V`, `W_O` are `nn.Linear(d_model, d_model, bias=bias)`, each weight drawn by
#   `nn.init.xavier_uniform_`, each bias zero.
# - `_split_heads` takes `[B, L, E]` to `[B, H, L, D]`, `_combine_heads` back. Head `h` owns the features
#   `h * D` to `(h + 1) * D - 1`. `_scaled_dot_product_attention` works on split heads.
# - `forward` returns the output and the weights for each head, `[B, H, L, S]`, or None in their place where
#   `return_attention` is False. Dropout acts on the weights, before they meet the values, and on the output;
#   the returned weights may be those before or after it.
# - `extra_repr` returns `d_model=..., num_heads=..., dropout=..., bias=...` with the values that were given.
# {sizes_refused}
# {fully_masked_rows}
# {forbidden}

# %% [markdown] tags=["notebook"]
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}}\right) V_h
# \qquad \mathrm{output} = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_O^\top + b_O$$
#
# where $Q_h$, $K_h$, $V_h$ are head $h$'s slices, of size $D = E / H$, of the three projections.
# Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2; dropout: section 5.4; the initialisation:
# Glorot and Bengio, *Understanding the difficulty of training deep feedforward neural networks*, 2010.

# %% [markdown] tags=["notebook"]
# {projections}
# Each of the four layers has weights and, unless `bias` is False, a bias of its own.
#
# {heads}
#
# {scores}
#
# {masks}
# Here 0 means masked, in any dtype; every head of a sequence has the same mask.
#
# {weights}
# The weights returned are those of every head.
#
# {fully_masked_row}
#
# {dropout}
# It falls on the weights, and once more on the features of the output.
#
# {gradients}

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# {hint_split_and_merge}
# </details>
# <details data-tiers="weight sums, parity"><summary>Hint 2: one head by hand</summary>
#
# {hint_one_head}
# </details>
# <details data-tiers="padding, causal"><summary>Hint 3: 0 = masked</summary>
#
# {hint_0_is_masked}
# </details>
# <details data-tiers="parity"><summary>Hint 4: dropout</summary>
#
# One `nn.Dropout` can serve both places. It does nothing in `eval` mode, and scales in `train` mode.
# </details>
# <details data-tiers="nan safety"><summary>Hint 5: a fully masked row</summary>
#
# {hint_fully_masked_row}
# </details>
# <details data-tiers="gradients"><summary>Hint 6: a gradient that ends</summary>
#
# {hint_gradients}
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Make the layers** (`__init__`). **Purpose:** learn what to ask, offer, hand over, and how to mix the
#    answers. **Theory:** Glorot's bound $\sqrt{6 / (E + E)}$ keeps the variance of activations and of
#    gradients the same from layer to layer; zero biases start without a preference.
# 2. **Split and combine** (`_split_heads`, `_combine_heads`). **Purpose:** give each head its own subspace,
#    and put the answers side by side again. **Theory:** $E = H \cdot D$; with the head axis in front of the
#    sequence one batched matrix product serves all heads.
# 3. **Attend** (`_scaled_dot_product_attention`). **Purpose:** each head finds its own relation between
#    tokens. **Theory:** dot products over $D$ features of variance 1 have variance $D$, hence the division
#    by $\sqrt{D}$. Filled with $-\infty$, a hidden key has an exponential of zero; filled with zero after
#    the softmax, fully masked rows stay finite, forward and backward.
# 4. **Drop** (twice). **Purpose:** keep a head from relying on a single key, and the next layer on a single
#    feature. **Theory:** dropout zeroes with probability $p$ and scales the rest by $1 / (1 - p)$, which
#    keeps the mean.
# 5. **Mix** (`forward`). **Purpose:** let the heads' answers speak to each other. **Theory:** without this
#    last linear map, feature $i$ of the output would depend on a single head.

# %%
import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head attention with dropout and weights for each head (Vaswani et al. 2017, section 3.2.2).

    Attributes:
        W_Q: Projects queries, `nn.Linear(d_model, d_model)`.
        W_K: Projects keys, `nn.Linear(d_model, d_model)`.
        W_V: Projects values, `nn.Linear(d_model, d_model)`.
        W_O: Projects the combined heads, `nn.Linear(d_model, d_model)`.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        """Make the layers: Xavier-uniform weights, zero biases.

        Args:
            d_model: Embedding size E.
            num_heads: Number of heads H; a head has the size D = E / H.
            dropout: Probability of dropping a weight, and a feature of the output, in training.
            bias: Whether the four linear layers have a bias.

        Raises:
            ValueError: `num_heads` does not divide `d_model`; `AssertionError` is accepted too.
        """
        super().__init__()
        # BEGIN SOLUTION
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
        # END SOLUTION

    def _split_heads(self, x: Tensor) -> Tensor:
        """Give each head its slice of the features: `[B, L, E]` to `[B, H, L, D]`."""
        # BEGIN SOLUTION
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
        # END SOLUTION

    def _combine_heads(self, x: Tensor) -> Tensor:
        """Put the heads side by side again: `[B, H, L, D]` to `[B, L, E]`."""
        # BEGIN SOLUTION
        return x.transpose(1, 2).flatten(2)
        # END SOLUTION

    def _scaled_dot_product_attention(
        self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Attend within each head, with dropout on the weights.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            Q: Queries `[B, H, L, D]`.
            K: Keys `[B, H, S, D]`.
            V: Values `[B, H, S, D]`.
            mask: Bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`. None: every query sees every key.

        Returns:
            The output `[B, H, L, D]` and the weights `[B, H, L, S]`.
        """
        # BEGIN SOLUTION
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.head_dim)  # [B, H, L, S]
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            hidden = mask == 0
            scores = scores.masked_fill(hidden, -math.inf)
            weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
        return self.dropout(weights) @ V, weights
        # END SOLUTION

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        return_attention: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from every query to the keys that it may see.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            query: `[B, L, E]`, floating point.
            key: `[B, S, E]`, the dtype of `query`.
            value: `[B, S, E]`, the dtype of `query`.
            mask: Bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`. None: every query sees every key.
            return_attention: Whether to return the weights.

        Returns:
            The output `[B, L, E]`, and the weights of each head `[B, H, L, S]` or None.
        """
        # BEGIN SOLUTION
        Q = self._split_heads(self.W_Q(query))  # [B, H, L, D]
        K = self._split_heads(self.W_K(key))  # [B, H, S, D]
        V = self._split_heads(self.W_V(value))
        attended, weights = self._scaled_dot_product_attention(Q, K, V, mask)
        output = self.dropout(self.W_O(self._combine_heads(attended)))  # [B, L, E]
        return output, weights if return_attention else None
        # END SOLUTION

    def extra_repr(self) -> str:
        """Say what the module was made with: `d_model=8, num_heads=2, dropout=0.0, bias=True`."""
        # BEGIN SOLUTION
        d_model, bias = self.W_O.out_features, self.W_O.bias is not None
        return f"d_model={d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={bias}"
        # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}
# The second sequence has 12 real tokens.

# %% tags=["notebook", "active-ipynb"]
# attention = MultiHeadAttention(d_model=512, num_heads=8, dropout=0.1).eval()
# x = torch.rand(2, 20, 512)
# real = (torch.arange(20) < torch.tensor([[20], [12]])).int()[:, None, None, :]  # 1 = attend
# output, weights = attention(x, x, x, mask=real)
# print(attention)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Decoder cross-attention: 20 queries look at 30 keys.

# %% tags=["notebook", "active-ipynb"]
# memory = torch.rand(2, 30, 512)
# output, weights = attention(x, memory, memory)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Causal self-attention over 10 tokens.

# %% tags=["notebook", "active-ipynb"]
# earlier = torch.ones(1, 1, 10, 10).tril()  # 1 = attend
# tokens = torch.randn(1, 10, 512)
# _, causal_weights = attention(tokens, tokens, tokens, mask=earlier)
# print("largest weight of a later token:", causal_weights[0].triu(diagonal=1).max().item())

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, which keeps the three input projections in one matrix.

# %% tags=["notebook", "active-ipynb"]
# ours = MultiHeadAttention(d_model=E, num_heads=H)
# theirs = nn.MultiheadAttention(E, H, batch_first=True)
# with torch.no_grad():
#     theirs.in_proj_weight.copy_(torch.cat([ours.W_Q.weight, ours.W_K.weight, ours.W_V.weight]))
#     theirs.in_proj_bias.copy_(torch.cat([ours.W_Q.bias, ours.W_K.bias, ours.W_V.bias]))
#     theirs.out_proj.load_state_dict(ours.W_O.state_dict())
# output, _ = ours(query, key, value)
# expected, _ = theirs(query, key, value)
# print("largest difference:", (output - expected).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# These are the causal weights of the 10 tokens above, one panel for each head.

# %% tags=["notebook", "active-ipynb"]
# %show_weights causal_weights[0]
