# %% [markdown] tags=["statement"]
# # A test that finds attention that breaks in half precision
#
# float16 ends at 65504 and keeps 3 digits; bfloat16 goes as far as float32 and keeps 2. An attention that is
# right in float32 may overflow there, lose the digits that tell keys apart, or add thousands of weights to a
# sum that does not grow any more. Write the test that holds an attention to its formula in both.
#
# - `attention(q, k, v, mask=None) -> (output, weights)` is a function on `[B, H, L, D]`, `[B, H, S, D]`,
#   `[B, H, S, D]` and a mask that broadcasts to `[B, H, L, S]`. Output and weights come back in the dtype of
#   `q`. Any float dtype may be asked; a call takes up to 8192 keys and 262144 scores, `B * H * L * S`, and
#   raises `ValueError` above. No gradient comes back.
# - Expected is the formula in float64, on inputs that are rounded to the dtype already. The error is the mean
#   of the differences, as a share of the mean size of what is expected; `eps` is `torch.finfo(dtype).eps`.
# - A stable attention has, in float16 and in bfloat16, for all finite queries and keys, large ones too, and
#   for values of about 1, an error below 4 eps and rows of weights that sum to 1 within 4 eps. Rounding its
#   weights, cutting digits off or adding up in parts does not make it unstable.
# - An unstable one has, in one of the two dtypes, with inputs that bring it out, NaN or infinities, or an
#   error or a sum that is off by 16 eps or more. Or it raises, whatever error it likes: that is refused as
#   well.
# - What may be wrong: scores that pass 65504 before they are scaled, large scores without digits, what is
#   subtracted before the powers, numbers filled in for hidden scores, hidden keys that take digits from the
#   others, sums over more than 4096 keys, rows of weights, the output's last digits. A query that may see no
#   key is not asked.
# - Default dtype and grad mode are left as they were, also where it is refused. Seeding is free.
#
# {mask_0_is_masked}

# %% [markdown] tags=["notebook"]
# $$\mathrm{error} = \frac{\mathrm{mean}\,\lvert O - \hat{O} \rvert}{\mathrm{mean}\,\lvert \hat{O} \rvert} < 4\,
# \varepsilon, \qquad \hat{O} = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{D}}\right) V \;\text{ in float64}$$
#
# $\varepsilon$ is $2^{-10}$ in float16 and $2^{-7}$ in bfloat16. Vaswani et al., *Attention Is All You Need*, 2017,
# section 3.2.1; Micikevicius et al., *Mixed Precision Training*, 2018; Milakov and Gimelshein, *Online normalizer
# calculation for softmax*, 2018; Dao et al., *FlashAttention*, 2022, whose kernels multiply in half precision and add
# in float32.

# %% [markdown] tags=["notebook"]
# ## Two half precisions
#
# Both have 16 bits. float16 has 11 binary digits and ends at 65504; bfloat16 has 8 and ends at 3e38. What overflows
# in one is fine in the other, and what rounding takes in the other is fine in the first.
#
# ## Large scores
#
# A dot product over 64 features of size 32 is 65536: infinity in float16, and infinity minus infinity is NaN.
# Divided by $\sqrt{64}$ first, it would have been 8192, where neighbours in float16 are 8 apart. The softmax
# sees differences alone: where all scores are large and near one another, each digit counts. In trained models
# one feature that all tokens share is enough for that.
#
# ## Long sums
#
# $1 + 1 + 1 + \dots$ ends at 2048 in float16, and at 256 in bfloat16: one more is rounded away. Added in pairs, or
# in blocks, it gets further. Values that cancel keep a sum small and hide it.
#
# {masks}
# A number that stands for $-\infty$ must lie below every score, and within the range: -1e9 is infinity in float16.
#
# ## Error on the mean
#
# A single output that is nearly 0 has lost all its digits in a right attention too. The mean of the errors has
# not: a stable attention is wrong by a quarter of eps, or by one. Expected values come of the rounded inputs:
# how the inputs were rounded is no fault of the attention.

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# Draw normal numbers, round them to the dtype, and compute the formula from the rounded ones in float64.
# </details>
# <details data-tiers="wrong ones caught"><summary>Hint 2: large scores that lie near one another</summary>
#
# The same number added to all scores of a row changes nothing in the softmax. One feature of queries and keys
# can do that, with either sign.
# </details>
# <details data-tiers="wrong ones caught"><summary>Hint 3: many keys, few queries</summary>
#
# A sum of 8192 terms needs one query. Which values keep that sum from staying near 0?
# </details>
# <details data-tiers="wrong ones caught"><summary>Hint 4: NaN</summary>
#
# Each comparison with NaN is false. Which of `error < bound` and `error > bound` refuses it?
# </details>
# <details data-tiers="right ones accepted, wrong ones caught"><summary>Hint 5: what an assertion says</summary>
#
# Show your test an attention in float32 and one of your own that breaks. A test that has not failed yet is no
# test.
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Draw normal numbers.** **Purpose:** see what is wrong everywhere. **Theory:** digits are off in any inputs, and
#    so is a dtype that a step does not have.
# 2. **Shift the scores.** **Purpose:** pass 65504 and keep each key's share. **Theory:** softmax does not change where
#    a constant is added to a row. One feature adds 256 * 384 = 98304 to each dot product, or takes it off; what is
#    left of the normal numbers decides, in digits that only float32 has.
# 3. **Hide a key with the largest score.** **Purpose:** see what stands for minus infinity. **Theory:** a fill must be
#    below rows that are far below 0, and a hidden score must not be what is subtracted.
# 4. **Ask for a long sum.** **Purpose:** see sums that stall. **Theory:** a sum stops growing at 2 / eps of its
#    terms; positive values keep it growing, and one query is as good as a thousand.
# 5. **Compare with float64.** **Purpose:** count lost digits. **Theory:** products of two half-precision numbers are
#    exact in float64, so that the formula on rounded inputs has no error to speak of.
# 6. **Refuse what raises.** **Purpose:** an attention that does not run is none. **Theory:** `assert` is false for NaN
#    as well, where it asks that the error is small.

# %%
import torch


def check_fp16_stability(attention) -> None:
    """Refuse an attention that is not stable in float16 and bfloat16.

    Micikevicius et al. 2018; Vaswani et al. 2017, section 3.2.1. Expected is the formula in float64, on
    inputs that are rounded to the dtype. The error is the mean of the differences as a share of the mean
    size of what is expected. Stable is an error below 4 eps of the dtype, with rows of weights that sum to
    1 within 4 eps; unstable is four times as much, what is not finite, or an attention that raises. A query
    that may see no key is not asked.

    Args:
        attention: `attention(q, k, v, mask=None) -> (output, weights)` on `[B, H, L, D]`, `[B, H, S, D]`,
            `[B, H, S, D]` and a mask that broadcasts to `[B, H, L, S]`, in which 0 means masked and 1
            attend. It returns the output `[B, H, L, D]` and the weights `[B, H, L, S]` in the dtype of `q`.
            A call takes up to 8192 keys and 262144 scores, `B * H * L * S`.

    Returns:
        None, where the attention is stable.

    Raises:
        AssertionError: It is not, or it raised.
    """
    # BEGIN SOLUTION
    q, k, v = torch.randn(3, 2, 2, 16, 64)
    q[..., 0], k[..., 0] = 256, 384  # the dot products are 98304 larger: beyond float16, and no weight changes
    q[..., ::2, 0], k[..., -1, 0] = -256, 768
    few, many = torch.randn(1, 1, 2, 8), torch.randn(1, 1, 8192, 8)
    for dtype in (torch.float16, torch.bfloat16):
        bound = 4 * torch.finfo(dtype).eps
        for given in ((q, k, v), (few, many, many.abs())):
            halves = [tensor.to(dtype) for tensor in given]
            queries, keys, values = (tensor.double() for tensor in halves)
            mask = torch.arange(keys.size(-2)) < keys.size(-2) - 1  # [S]: the last key is hidden
            try:
                output, weights = (tensor.double() for tensor in attention(*halves, mask))
            except Exception as error:
                raise AssertionError("it raises") from error
            scores = queries @ keys.mT / queries.size(-1) ** 0.5
            expected = scores.masked_fill(mask == 0, -torch.inf).softmax(-1) @ values
            error = (output - expected).abs().mean() / expected.abs().mean()
            assert error < bound, f"the output is wrong by {error:.2e} in {dtype}"
            beyond = (weights.sum(-1) - 1).abs().max()
            assert beyond < bound, f"weights sum to 1 within {beyond:.2e} alone in {dtype}"
    # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}
# All in float32, and rounded at the end, passes.

# %% tags=["notebook", "active-ipynb"]
# def attention(q, k, v, mask=None, dtype=torch.float32):
#     q, k, v, back = q.to(dtype), k.to(dtype), v.to(dtype), q.dtype
#     scores = torch.einsum("bhld,bhsd->bhls", q, k) / q.shape[-1] ** 0.5
#     hidden = 0 if mask is None else torch.log((mask != 0).to(dtype))
#     weights = torch.softmax(scores + hidden, dim=-1).to(dtype)
#     return (weights @ v).to(back), weights.to(back)
#
#
# x = torch.rand(2, 8, 20, 64)
# output, weights = attention(x, x, x)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))
# print("accepted:", check_fp16_stability(attention) is None)

# %% [markdown] tags=["notebook"]
# This one leaves all to the dtype that it is given.

# %% tags=["notebook", "active-ipynb"]
# import contextlib
#
#
# def in_half(q, k, v, mask=None):
#     return attention(q, k, v, mask, dtype=q.dtype)
#
#
# with contextlib.suppress(AssertionError):
#     check_fp16_stability(in_half)
#     print("accepted, though it is not stable")

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, in float32, whose projections change nothing.

# %% tags=["notebook", "active-ipynb"]
# layer = torch.nn.MultiheadAttention(E, H, bias=False, batch_first=True)
# with torch.no_grad():
#     layer.in_proj_weight.copy_(torch.eye(E).repeat(3, 1))
#     layer.out_proj.weight.copy_(torch.eye(E))
# heads = [x.reshape(N, -1, H, E // H).swapaxes(1, 2) for x in (query, key, value)]
# output = attention(*heads)[0].swapaxes(1, 2).reshape(query.shape)
# expected, _ = layer(query, key, value)
# print("largest difference:", (output - expected).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# The first panel is right. The second shows the same queries and keys, with 98304 added to each dot product, in
# bfloat16 by the attention that leaves all to its dtype: what set keys apart is rounded away.

# %% tags=["notebook", "active-ipynb"]
# q, k = 2 * torch.randn(2, 1, 1, 6, 64)
# _, right = attention(q, k, k)
# q[..., 9] = 256
# k[..., 9] = 384
# _, rounded = in_half(q.bfloat16(), k.bfloat16(), k.bfloat16())
# %show_weights torch.cat([right, rounded.float()], dim=1)[0]
