# %% [markdown] tags=["statement"]
# # Multi-head attention as a plain class
#
# Multi-head attention runs several attentions side by side, each on its own slice of the embedding, and
# mixes their answers. Write it as a class with four linear layers; it need not be an `nn.Module`.
#
# - `W_q`, `W_k`, `W_v`, `W_o` are `nn.Linear(d_model, d_model)`, each with its bias.
# - `Q` is `(N, L, E)`, `K` and `V` are `(N, S, E)`; `L` and `S` may differ. Head `h` owns the features
#   `h * D` to `(h + 1) * D - 1` of each projection.
# {sizes_refused}
# {forbidden}
#
# | mask value | meaning |
# |---|---|
# | none | this kata has no mask: every query sees every key |

# %% [markdown] tags=["notebook"]
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}}\right) V_h
# \qquad \mathrm{output} = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_o^\top + b_o$$
#
# where $Q_h$, $K_h$, $V_h$ are head $h$'s slices, of size $D = E / H$, of $Q W_q^\top + b_q$,
# $K W_k^\top + b_k$ and $V W_v^\top + b_v$. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2.

# %% [markdown] tags=["notebook"]
# {projections}
# Each of the four layers has weights and a bias of its own.
#
# {heads}
#
# {scores}
#
# ## Masks
#
# There is none here: every query sees every key, those after it as well, in self- and in cross-attention.
#
# {weights}
# The values are the ones that the same head projected. A softmax does not change when a row of scores is shifted as a
# whole, so it stays finite however large they are.
#
# {gradients}

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# Project, split, attend, merge, project. Only the second and the fourth step are new; the third is the
# function of the kata before this one.
# </details>
# <details data-tiers="weight sums"><summary>Hint 2: one head by hand</summary>
#
# {hint_one_head}
# </details>
# <details data-tiers="shapes, parity"><summary>Hint 3: splitting</summary>
#
# `(N, L, E)` becomes `(N, L, H, D)` by naming the parts of the last axis, and only then do two axes change
# places. A view straight to `(N, H, L, D)` mixes tokens with heads and does not complain.
# </details>
# <details data-tiers="shapes, parity"><summary>Hint 4: merging</summary>
#
# The way back is the same two moves in reverse order. After an exchange of axes the memory is out of order,
# so `view` may refuse where `reshape` or `flatten` copies.
# </details>
# <details data-tiers="parity"><summary>Hint 5: the scale</summary>
#
# The dot products run over one head's features, not over the whole embedding.
# </details>
# <details data-tiers="gradients"><summary>Hint 6: a gradient that ends</summary>
#
# {hint_gradients}
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Project.** **Purpose:** let the model learn what to ask, what to offer and what to hand over.
#    **Theory:** three linear maps of the same size, one each for queries, keys and values.
# 2. **Split.** **Purpose:** give each head its own subspace. **Theory:** $E = H \cdot D$; the head axis
#    moves in front of the sequence, so that a batched matrix product works on all heads at once.
# 3. **Attend.** **Purpose:** each head finds its own relation between tokens. **Theory:** scaled dot-product
#    attention with $D$, the size of one head, under the square root.
# 4. **Merge.** **Purpose:** put the heads' answers side by side. **Theory:** the inverse of the split.
# 5. **Mix.** **Purpose:** let the heads' answers speak to each other. **Theory:** without this last linear
#    map, feature $i$ of the output would depend on a single head.

# %%
import math

import torch
from torch import Tensor, nn


class MultiHeadAttention:
    """Multi-head attention without masks (Vaswani et al. 2017, section 3.2.2).

    Attributes:
        W_q: Projects queries, `nn.Linear(d_model, d_model)`.
        W_k: Projects keys, `nn.Linear(d_model, d_model)`.
        W_v: Projects values, `nn.Linear(d_model, d_model)`.
        W_o: Projects the merged heads, `nn.Linear(d_model, d_model)`.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        """Make the four linear layers.

        Args:
            d_model: Embedding size E.
            num_heads: Number of heads H; a head has the size D = E / H.

        Raises:
            ValueError: `num_heads` does not divide `d_model`; `AssertionError` is accepted too.
        """
        # BEGIN SOLUTION
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        # END SOLUTION

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        """Attend from every query to every key.

        There is no mask here, so no True, 1 or 0 has a meaning.

        Args:
            Q: Queries `(N, L, E)`, floating point.
            K: Keys `(N, S, E)`, the dtype of `Q`.
            V: Values `(N, S, E)`, the dtype of `Q`.

        Returns:
            The output `(N, L, E)`.
        """
        # BEGIN SOLUTION
        heads = (self.num_heads, self.head_dim)
        q = self.W_q(Q).unflatten(-1, heads).transpose(1, 2)  # (N, H, L, D)
        k = self.W_k(K).unflatten(-1, heads).transpose(1, 2)  # (N, H, S, D)
        v = self.W_v(V).unflatten(-1, heads).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)  # (N, H, L, S)
        attended = torch.softmax(scores, dim=-1) @ v  # (N, H, L, D)
        return self.W_o(attended.transpose(1, 2).flatten(2))  # (N, L, E)
        # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}

# %% tags=["notebook", "active-ipynb"]
# encoder_attention = MultiHeadAttention(d_model=512, num_heads=8)
# x = torch.rand(2, 20, 512)
# print("output", tuple(encoder_attention.forward(x, x, x).shape))

# %% [markdown] tags=["notebook"]
# Decoder cross-attention: 20 queries look at 30 keys.

# %% tags=["notebook", "active-ipynb"]
# memory = torch.rand(2, 30, 512)
# print("output", tuple(encoder_attention.forward(x, memory, memory).shape))

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, which keeps the three input projections in one matrix.

# %% tags=["notebook", "active-ipynb"]
# ours = MultiHeadAttention(d_model=E, num_heads=H)
# theirs = nn.MultiheadAttention(E, H, batch_first=True)
# with torch.no_grad():
#     theirs.in_proj_weight.copy_(torch.cat([ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]))
#     theirs.in_proj_bias.copy_(torch.cat([ours.W_q.bias, ours.W_k.bias, ours.W_v.bias]))
#     theirs.out_proj.load_state_dict(ours.W_o.state_dict())
# difference = ours.forward(query, key, value) - theirs(query, key, value)[0]
# print("largest difference:", difference.abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# The class returns no weights, but they can be read off: where `W_v` and `W_o` change nothing and value `s`
# is 1 at place `s` of each head and 0 elsewhere, the output of a head is its row of weights, one panel for each head.

# %% tags=["notebook", "active-ipynb"]
# reader = MultiHeadAttention(d_model=E, num_heads=H)
# with torch.no_grad():
#     for layer in (reader.W_v, reader.W_o):
#         layer.weight.copy_(torch.eye(E))
#         layer.bias.zero_()
#     one_hot = torch.eye(S, E // H).repeat(1, H).expand(N, S, E)
#     output = reader.forward(5 * query, 5 * key, one_hot)
# weights = output.reshape(N, L, H, E // H)[..., :S].movedim(2, 1)
# %show_weights weights[0]
