# %% [markdown] tags=["statement"]
# # A test that finds attention whose heads are not interchangeable
#
# Which number a head has is a matter of storage: whoever permutes the heads, with all the weights that belong
# to them, has the same layer. Write the test that holds an attention module to that. It asks for no right
# values: an attention that is causal without being asked, or that scales its scores otherwise, passes as long
# as it treats its heads alike.
#
# - `attention` is an `nn.Module` with `d_model`, `num_heads` (1 to 8) and four layers `W_Q`, `W_K`, `W_V`,
#   `W_O`, each `nn.Linear(d_model, d_model)` with a bias that is not zero, in float32, and `forward(query,
#   key, value, mask=None, return_attention=True) -> (output, weights)`. It computes the same in train and
#   in eval mode.
# - Head `h` owns the features `h * D` to `(h + 1) * D - 1`: rows of `W_Q`, `W_K`, `W_V`, in weight and
#   bias, and columns of the weight of `W_O`.
# - Permuted heads leave the output as it was, and the weights returned change places as the heads do. What
#   is wrong in a module shows in its output: permuted heads change that by 1 % of its largest value or
#   more, at least in one order of heads and with inputs of normal numbers. What is right differs by
#   rounding.
# - A flaw may be anywhere: between two heads that nobody exchanged, in one sequence of a batch, in a bias.
#   Eight heads have 40320 orders, and there is no time to try them all: each check has 10 s.
# - The module may be copied, cast, called by `torch.func.functional_call`, and given other parameters or a
#   state dict. Its `forward` reads the weights and biases of its layers and calls none of them; no gradient
#   comes back from it.
# - It is left as it was found, parameters and mode, and so are default dtype and grad mode, also where it
#   is refused. Seeding is free.
#
# {mask_0_is_masked}

# %% [markdown] tags=["notebook"]
# $$\mathrm{output} = b_O + \sum_{h=1}^{H} \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}}\right) V_h\,
# W_{O,h}^\top$$
#
# where $Q_h$, $K_h$, $V_h$ are head $h$'s slices of the three projections, and $W_{O,h}$ its columns of $W_O$: a
# sum, in which the order of heads means nothing. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2.
# A property that holds for all inputs needs no expected values: Chen et al., *Metamorphic Testing*, 1998.

# %% [markdown] tags=["notebook"]
# ## Orders of heads
#
# A single order is not enough: a layer that treats neighbours in a circle alike passes under every shift, one that
# treats opposite heads alike passes under a reversal, and one with a single odd head passes under every order that
# leaves that head where it is. Some few orders make all others, one after the other.
#
# ## Blocks of weights
#
# A head is a block of rows of the layers that make queries, keys and values, with the same block of their
# biases, and a block of columns of the layer that reads the heads. A bias of `W_O` belongs to no head.
#
# ## Inputs that show it
#
# With one token every weight is 1; with one sequence none can be taken for another; with a bias of zero nobody
# sees whose it is; with all tokens alike every head has the same answer whatever its weights are.
#
# ## Equal but for rounding
#
# Permuted heads are summed in another order, so the last digits change: some 1e-6 of the largest output in
# float32, nothing to speak of in float64. `torch.equal` refuses everything; an absolute bound knows nothing of
# how large the output is.

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# An order of heads is a list of H numbers. Turn it into an order of all E features first: whole blocks of D.
# </details>
# <details data-tiers="wrong ones caught"><summary>Hint 2: which orders</summary>
#
# Sorting by exchanging neighbours reaches every order. Can two orders do what all these exchanges do?
# </details>
# <details data-tiers="leaves no trace"><summary>Hint 3: the module stays as it was</summary>
#
# A copy may be changed at will. Or call the module with other parameters in the place of its own, without
# writing into them.
# </details>
# <details data-tiers="right ones accepted"><summary>Hint 4: equal but for rounding</summary>
#
# Permuted heads are summed in another order, so a right output differs by some 1e-6 of its largest value. What do the
# defaults of `torch.allclose` allow where an output is near 0?
# </details>
# <details data-tiers="right ones accepted, wrong ones caught"><summary>Hint 5: what an assertion says</summary>
#
# Show your test a right module and a wrong one of your own. A test that has not failed yet is no test.
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Draw tokens.** **Purpose:** let every head choose, in more than one sequence. **Theory:** normal numbers give
#    scores that differ, so the softmax is no plain mean and what is done to one head's scores can be seen.
# 2. **Choose orders.** **Purpose:** see what a single order leaves unseen. **Theory:** a shift by one and an
#    exchange of the first two generate the symmetric group: what both leave unchanged, every order does.
# 3. **Permute blocks.** **Purpose:** move a head with all that is its own. **Theory:** rows are what a layer
#    makes, columns what it reads; biases are made, so they move with rows, and that of the output layer stays.
# 4. **Call without writing.** **Purpose:** leave the module as it was, whatever is raised. **Theory:**
#    `functional_call` puts parameters in place for one call.
# 5. **Compare.** **Purpose:** tell rounding from flaws. **Theory:** float32 carries 7 digits, a sum over some
#    dozens of features loses one; a flaw of 1 % stands far above a bound of 0.1 % of the largest value.

# %%
import torch
from torch import nn


def check_head_permutation(attention: nn.Module) -> None:
    """Refuse an attention module that is not equivariant to a permutation of its heads.

    Vaswani et al. 2017, section 3.2.2. Permuting heads means blocks of D = d_model / num_heads rows of `W_Q`,
    `W_K`, `W_V`, in weight and bias, and blocks of columns of `W_O`. The output must stay as it was but for
    rounding. The module is left as it was found.

    Args:
        attention: Has `d_model`, `num_heads`, the layers `W_Q`, `W_K`, `W_V`, `W_O`, each
            `nn.Linear(d_model, d_model)` in float32, and
            `forward(query, key, value, mask=None, return_attention=True)` on `[B, L, E]`, `[B, S, E]`,
            `[B, S, E]` and a mask `[B, 1, L, S]` or `[B, 1, 1, S]`, in which 0 means masked and 1 attend. It
            returns the output `[B, L, E]` and the weights `[B, H, L, S]`.

    Returns:
        None, where the heads are treated alike.

    Raises:
        AssertionError: They are not.
    """
    # BEGIN SOLUTION
    heads = torch.arange(attention.num_heads)
    exchanged = torch.cat([heads[:2].flip(0), heads[2:]])
    tokens = torch.randn(2, 5, attention.d_model)
    parameters = dict(attention.named_parameters())
    before = attention(tokens, tokens, tokens)[0]
    for order in (heads.roll(1), exchanged):
        features = torch.arange(attention.d_model).unflatten(0, (attention.num_heads, -1))[order].flatten()
        permuted = dict(parameters)
        for layer in "QKV":
            permuted[f"W_{layer}.weight"] = parameters[f"W_{layer}.weight"][features]
            permuted[f"W_{layer}.bias"] = parameters[f"W_{layer}.bias"][features]
        permuted["W_O.weight"] = parameters["W_O.weight"][:, features]
        after = torch.func.functional_call(attention, permuted, (tokens, tokens, tokens))[0]
        change = torch.dist(after, before, p=torch.inf) / before.abs().max()
        assert change < 1e-3, f"the heads in the order {order.tolist()} change the output by {change:.2%}"
    # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}
# PyTorch's layer behind the names of the contract passes.

# %% tags=["notebook", "active-ipynb"]
# class Attention(nn.Module):
#     def __init__(self, d_model, num_heads):
#         super().__init__()
#         self.d_model, self.num_heads = d_model, num_heads
#         for name in ("W_Q", "W_K", "W_V", "W_O"):
#             self.add_module(name, nn.Linear(d_model, d_model))
#
#     def forward(self, query, key, value, mask=None, return_attention=True):
#         inputs = [self.W_Q, self.W_K, self.W_V]
#         state = {
#             "in_proj_weight": torch.cat([layer.weight for layer in inputs]),
#             "in_proj_bias": torch.cat([layer.bias for layer in inputs]),
#             "out_proj.weight": self.W_O.weight,
#             "out_proj.bias": self.W_O.bias,
#         }
#         layer = nn.MultiheadAttention(self.d_model, self.num_heads, batch_first=True)
#         given = query, key, value  # the mask is left out here
#         return torch.func.functional_call(layer, state, given, {"average_attn_weights": False})
#
#
# x = torch.rand(2, 20, 512)
# attention = Attention(512, 8)
# output, weights = attention(x, x, x)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))
# print("accepted:", check_head_permutation(attention) is None)

# %% [markdown] tags=["notebook"]
# This one adds a feature of the first head to the output: whichever head comes first is none like the others.

# %% tags=["notebook", "active-ipynb"]
# class FirstHeadAdded(Attention):
#     def forward(self, query, key, value, mask=None, return_attention=True):
#         output, weights = super().forward(query, key, value, mask)
#         return output + 0.1 * self.W_V(value).mean(1, keepdim=True)[..., :1], weights
#
#
# try:
#     check_head_permutation(FirstHeadAdded(64, 8))
# except AssertionError as refusal:
#     print("refused:", refusal)

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, whose weights were put behind the names.

# %% tags=["notebook", "active-ipynb"]
# ours = Attention(E, H)
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
# There is one panel for each of four heads: permuted heads exchange panels, and each panel stays as it is.

# %% tags=["notebook", "active-ipynb"]
# six = [3 * torch.randn(1, 6, 64)]
# _, weights = Attention(64, 4)(*six, *six, *six)
# %show_weights weights[0]
