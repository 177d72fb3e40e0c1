# %% [markdown] tags=["statement"]
# # The fused operator
#
# The complete `nn.Module` once more, on `torch.nn.functional.scaled_dot_product_attention` (SDPA): one
# operator for scores, scale, mask, softmax, dropout and weighted sum. What it is given must be put into its
# own conventions.
#
# {mask_0_is_masked}
#
# - The mask is bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`.
# - With `is_causal` query `t` sees the keys `0` to `t`, also where `L != S`. With a mask beside it, a key is
#   seen only where both let it be seen.
# - `W_Q`, `W_K`, `W_V`, `W_O` are `nn.Linear(d_model, d_model, bias=bias)`, each weight drawn by
#   `nn.init.xavier_uniform_`, each bias zero. Head `h` owns the features `h * D` to `(h + 1) * D - 1`.
# - `forward` returns the output and, where `return_attention` is True, the weights for each head,
#   `[B, H, L, S]`, otherwise None in their place.
# - Where `return_attention` is False the output must come from SDPA, under any of its names: the call is
#   looked for among the operators. SDPA returns no weights: where they are wanted, they may be computed
#   beside it, and the output in either way.
# - Dropout acts on the weights alone, before they meet the values, and not in `eval` mode; the returned
#   weights may be those before or after it.
# - `extra_repr` returns `d_model=..., num_heads=..., dropout=..., bias=...` with the values that were given.
# {sizes_refused}
# {fully_masked_rows}
# - `torch.nn.MultiheadAttention` may not be used.

# %% [markdown] tags=["notebook"]
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}} + M\right) V_h
# \qquad \mathrm{output} = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_O^\top + b_O$$
#
# where $Q_h$, $K_h$, $V_h$ are head $h$'s slices, of size $D = E / H$, of the three projections, and $M$ is 0 where
# a key may be seen and $-\infty$ elsewhere. SDPA computes $\mathrm{head}_h$ without writing the weights down.
# Rabe and Staats, *Self-attention Does Not Need O(n²) Memory*, 2021; Dao et al., *FlashAttention: Fast and
# Memory-Efficient Exact Attention with IO-Awareness*, 2022; the formula: Vaswani et al., *Attention Is All You
# Need*, 2017, section 3.2.

# %% [markdown] tags=["notebook"]
# {projections}
# Each of the four layers has weights and, unless `bias` is False, a bias of its own.
#
# {heads}
#
# {scores}
# SDPA scales by itself, by $1 / \sqrt{D}$ of the queries that it is given.
#
# {masks}
# Here 0 means masked, in any dtype; every head of a sequence has the same mask. The conventions that meet:
#
# | mask | True or 1 | False or 0 | a float mask |
# | --- | --- | --- | --- |
# | of this kata | is seen | is hidden | the same 1 and 0 |
# | `attn_mask` of SDPA | is seen | is hidden | is added to the scores |
# | `attn_mask` of `nn.MultiheadAttention` | is hidden | is seen | is added to the scores |
#
# SDPA refuses a mask of integers. A mask beside `is_causal=True` is undocumented: one kernel joins the two, another
# raises, and dropout alone can change which of them is called. The triangle of `is_causal` starts in the upper left
# corner: where queries are the last tokens of a longer sequence, as with a cache of keys, that is the wrong one.
#
# On the CPU, SDPA takes a float32 mask beside float64 queries without a word, and what it returns is right with 8 keys
# and nonsense with 16: it reads the mask's bytes as float64. A float mask must have the dtype of the queries.
#
# {weights}
# The weights returned are those of every head.
#
# {fully_masked_row}
# SDPA gives such a row zeros.
#
# {dropout}
# SDPA takes the probability by itself, `dropout_p`, and knows no modes: it drops whenever that is not 0.
#
# {gradients}
#
# ## Memory
#
# At `L = S = 4096` and 8 heads the weights of one sequence are 134 million numbers. A fused kernel computes them in
# tiles, keeps for each query a running maximum and a running sum, and writes the output alone. Which kernel a call
# takes depends on what it is given: dropout, or tensors of three axes, lead to a plain kernel on the CPU, which writes
# the weights down.

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# {hint_split_and_merge}
# SDPA takes and returns `[B, H, L, D]`.
# </details>
# <details data-tiers="padding, causal"><summary>Hint 2: 0 = masked</summary>
#
# {hint_0_is_masked}
# </details>
# <details data-tiers="is_causal"><summary>Hint 3: a mask and is_causal</summary>
#
# Which single mask says what both say? SDPA is sure to take that.
# </details>
# <details data-tiers="parity"><summary>Hint 4: dropout</summary>
#
# What is `self.training` in `eval` mode, and who looks at it: a module, or a function?
# </details>
# <details data-tiers="nan safety"><summary>Hint 5: a fully masked row</summary>
#
# {hint_fully_masked_row}
# That is about weights computed by hand: what does SDPA give such a row?
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
#    and put the answers side by side again. **Theory:** $E = H \cdot D$; the operator works on the last two
#    axes and takes all axes before them for batches.
# 3. **Say what may be seen** (`_allowed`). **Purpose:** one bool mask that says what mask and triangle say
#    together. **Theory:** what hides is joined with "or", so what is seen is joined with "and"; a bool mask has no
#    dtype that must fit the queries, and a fully masked row under it gives zeros.
# 4. **Attend** (`forward`). **Purpose:** the operator may choose a kernel that never writes the weights.
#    **Theory:** a softmax needs of a row only its maximum and its sum, and both can be corrected from tile to tile
#    of keys. Without a mask `is_causal` lets a kernel leave out half of the tiles.
# 5. **Look** (`_weights`). **Purpose:** weights for a picture. **Theory:** the operator does not return what it does
#    not write; computed beside it from the same mask, they are those before dropout.
# 6. **Mix** (`forward`). **Purpose:** let the heads' answers speak to each other. **Theory:** without this
#    last linear map, feature $i$ of the output would depend on a single head.

# %%
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class FlashMultiHeadAttention(nn.Module):
    """Multi-head attention on PyTorch's fused operator (Vaswani et al. 2017, section 3.2.2; Dao et al. 2022).

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
            dropout: Probability of dropping a weight in training.
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
        self.dropout = dropout
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
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

    def _allowed(self, mask: Tensor | None, is_causal: bool, L: int, S: int) -> Tensor | None:
        """Join the mask and the triangle: bool, True = may be seen; None: every query sees every key.

        Args:
            mask: 0 = masked, `[B, 1, L, S]` or `[B, 1, 1, S]`, of any dtype, or None.
            is_causal: Whether query t sees the keys 0 to t alone.
            L: Number of queries.
            S: Number of keys.
        """
        # BEGIN SOLUTION
        allowed = None if mask is None else mask != 0
        if not is_causal:
            return allowed
        earlier = torch.ones(L, S, dtype=torch.bool).tril()
        return earlier if allowed is None else allowed & earlier  # [B, 1, L, S]
        # END SOLUTION

    def _weights(self, Q: Tensor, K: Tensor, allowed: Tensor | None) -> Tensor:
        """Compute the weights `[B, H, L, S]`, which SDPA does not return.

        Args:
            Q: Queries `[B, H, L, D]`.
            K: Keys `[B, H, S, D]`.
            allowed: Bool, True = may be seen, broadcastable to `[B, H, L, S]`. None: every key is seen.
        """
        # BEGIN SOLUTION
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.head_dim)  # [B, H, L, S]
        if allowed is None:
            return torch.softmax(scores, dim=-1)
        scores = scores.masked_fill(~allowed, -math.inf)
        return torch.softmax(scores, dim=-1).masked_fill(~allowed, 0.0)
        # END SOLUTION

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        is_causal: bool = False,
        return_attention: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from every query to the keys that it may see.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            query: `[B, L, E]`, floating point.
            key: `[B, S, E]`, the dtype of `query`.
            value: `[B, S, E]`, the dtype of `query`.
            mask: Bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`. None: every query sees every key.
            is_causal: Whether query t sees the keys 0 to t alone, of those that the mask lets it see.
            return_attention: Whether to return the weights.

        Returns:
            The output `[B, L, E]`, and the weights of each head `[B, H, L, S]` or None.
        """
        # BEGIN SOLUTION
        Q = self._split_heads(self.W_Q(query))  # [B, H, L, D]
        K = self._split_heads(self.W_K(key))  # [B, H, S, D]
        V = self._split_heads(self.W_V(value))
        allowed = self._allowed(mask, is_causal, query.shape[1], key.shape[1])
        hides = {"is_causal": is_causal} if mask is None else {"attn_mask": allowed}
        dropout_p = self.dropout if self.training else 0.0
        attended = F.scaled_dot_product_attention(Q, K, V, dropout_p=dropout_p, **hides)
        output = self.W_O(self._combine_heads(attended))  # [B, L, E]
        return output, self._weights(Q, K, allowed) if return_attention else None
        # END SOLUTION

    def extra_repr(self) -> str:
        """Say what the module was made with: `d_model=8, num_heads=2, dropout=0.0, bias=True`."""
        # BEGIN SOLUTION
        d_model, bias = self.W_O.out_features, self.W_O.bias is not None
        return f"d_model={d_model}, num_heads={self.num_heads}, dropout={self.dropout}, bias={bias}"
        # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}
# The second sequence has 12 real tokens.

# %% tags=["notebook", "active-ipynb"]
# attention = FlashMultiHeadAttention(d_model=512, num_heads=8, dropout=0.1).eval()
# x = torch.rand(2, 20, 512)
# real = (torch.arange(20) < torch.tensor([[20], [12]])).int()[:, None, None, :]  # 1 = attend
# output, weights = attention(x, x, x, mask=real, return_attention=True)
# print(attention)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Decoder cross-attention: 20 queries look at 30 keys. No weights are wanted.

# %% tags=["notebook", "active-ipynb"]
# memory = torch.rand(2, 30, 512)
# output, weights = attention(x, memory, memory)
# print("output", tuple(output.shape), "weights", weights)

# %% [markdown] tags=["notebook"]
# Causal self-attention over 10 tokens, by `is_causal` and by a mask.

# %% tags=["notebook", "active-ipynb"]
# earlier = torch.ones(1, 1, 10, 10).tril()  # 1 = attend
# tokens = torch.randn(1, 10, 512)
# flagged, causal_weights = attention(tokens, tokens, tokens, is_causal=True, return_attention=True)
# (masked, _) = attention(tokens, tokens, tokens, mask=earlier)
# print("is_causal and the mask differ by", (flagged - masked).abs().max().item())
# print("largest weight of a later token:", causal_weights[0].triu(diagonal=1).max().item())

# %% [markdown] tags=["notebook"]
# The bytes that one call keeps for its backward pass, of 1 head: by SDPA, and with the weights written out.

# %% tags=["notebook", "active-ipynb"]
# def kept(function):
#     sizes = []
#     with torch.autograd.graph.saved_tensors_hooks(lambda x: (sizes.append(x.nbytes), x)[1], lambda x: x):
#         function()
#     return sum(sizes)
#
#
# sdpa, q = F.scaled_dot_product_attention, torch.rand(1, 1, 2048, 64, requires_grad=True)
# print("SDPA", kept(lambda: sdpa(q, q, q)) // 2**10, "KiB")
# print("written out", kept(lambda: torch.softmax(q @ q.mT / 8, dim=-1) @ q) // 2**10, "KiB")

# %% [markdown] tags=["notebook"]
# A float32 mask beside float64 queries: right with 8 keys, nonsense with 16.

# %% tags=["notebook", "active-ipynb"]
# for S in (8, 16):
#     q = torch.rand(1, 1, S, 4, dtype=torch.float64)
#     narrow = torch.zeros(S, S).masked_fill(torch.ones(S, S).triu(1) == 1, -torch.inf)
#     right = sdpa(q, q, q, narrow.double())
#     print(S, "keys, largest error:", (sdpa(q, q, q, narrow) - right).abs().max().item())

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, which keeps the three input projections in one matrix.

# %% tags=["notebook", "active-ipynb"]
# ours = FlashMultiHeadAttention(d_model=E, num_heads=H)
# theirs = nn.MultiheadAttention(E, H, batch_first=True)
# with torch.no_grad():
#     theirs.in_proj_weight.copy_(torch.cat([ours.W_Q.weight, ours.W_K.weight, ours.W_V.weight]))
#     theirs.in_proj_bias.copy_(torch.cat([ours.W_Q.bias, ours.W_K.bias, ours.W_V.bias]))
#     theirs.out_proj.load_state_dict(ours.W_O.state_dict())
# (output, _), (expected, _) = ours(query, key, value), theirs(query, key, value)
# print("largest difference:", (output - expected).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# These are the causal weights of the 10 tokens above, one panel for each head.

# %% tags=["notebook", "active-ipynb"]
# %show_weights causal_weights[0]
