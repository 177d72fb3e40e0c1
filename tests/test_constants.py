"""A constant that a submission used is read off its values, proven by a replay, and named."""

import pytest

from grader.judge import Options
from tests.grading import graded, results, solution

HIDE = "masked_fill(hidden, -math.inf)\n            weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)"
ALONE = "\n            weights = scores.softmax(-1)"
OWN_KEY_HIDDEN = "scores.masked_fill(torch.ones(scores.shape[-2:]).triu().bool(), {})"
NEAR = "(self._allowed(mask, False, 0, 0) if mask is not None else True) & (Q @ K.mT).bool().tril(2)"
DROPS = "p = cfg.dropout_p\n        self.dropout = lambda x: {} if self.training and p else x"
RIGHT_SCALE = "q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))"
CASES = [
    (
        "scaled_dot_product",
        RIGHT_SCALE,
        "((q.float() @ k.float().mT) * (1 / math.sqrt(q.size(-1)))).to(q.dtype)",
        "the dot products were computed in float32 and scaled there, whatever the dtype of the inputs",
    ),
    (
        "scaled_dot_product",
        RIGHT_SCALE,
        "((q / math.sqrt(q.size(-1))).half() @ k.half().mT).to(q.dtype)",
        "the dot products were computed in float16, of queries that were scaled before, whatever the dtype",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores.bfloat16(), dim=-1).to(v.dtype) @ v",
        "the softmax was taken in bfloat16, whatever the dtype of the inputs",
    ),
    (
        "rope",
        "angles = positions[..., None, :, None]",
        "angles = positions.clamp(max=511)[..., None, :, None]",
        "positions from 512 on were taken for 511",
    ),
    ("module", "/ math.sqrt(self.head_dim)", "/ 7.3", "the scores were divided by 7.3; sqrt(head_dim) is "),
    ("scaled_dot_product", "/ math.sqrt(q.size(-1))", "* 3", "the scores were multiplied by 3; sqrt(head_dim) is "),
    (
        "module",
        HIDE,
        f"masked_fill(hidden, -2.5){ALONE}",
        "hidden scores became -2.5",
    ),
    (
        "module",
        HIDE,
        f"masked_fill(hidden, -10.0 / math.sqrt(self.head_dim)){ALONE}",
        "hidden scores were set to -10 and then divided by sqrt(head_dim)",
    ),
    (
        "module",
        HIDE,
        f"clone(){ALONE}.masked_fill(hidden, -1e9)",
        "the mask was applied after the softmax: the weights of hidden keys became -1e+09",
    ),
    (
        "scaled_dot_product",
        "/ math.sqrt(q.size(-1))",
        "/ q.size(-1) ** 0.25",
        "the scores were divided by head_dim to the power of 0.25, not of 0.5",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores * math.log(2), dim=-1) @ v",
        "the scores were multiplied by 0.6931 beside the division by sqrt(head_dim) (the softmax takes powers of 2",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "nn.functional.dropout(torch.softmax(scores, dim=-1), 0.2) @ v",
        "a dropout of 0.2 acted on the weights in every call, whatever was asked for",
    ),
    (
        "plain_class",
        "math.sqrt(self.head_dim)",
        "(self.head_dim ** 1 / 2)",
        "the scores were divided by head_dim / 2, ",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores.clamp(-5, 5), dim=-1) @ v",
        "the scores were clamped to +-5",
    ),
    (
        "scaled_dot_product",
        "return attention_weights @ v",
        "attention_weights = torch.dropout(attention_weights, 0.1, True)\n    return attention_weights @ v",
        "a dropout of 0.1 acted on the weights in every call, whatever was asked for",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        "self.dropout = nn.Dropout(0.1)",
        "a dropout of 0.1 acted on the weights in train mode, whatever was asked for",
    ),
    ("module", HIDE, f"masked_fill(hidden, -10.0){ALONE}", "hidden scores became -10, "),
    ("module", "self.W_O(self._combine", "0.4 * self.W_O(self._combine", "the output was multiplied by 0.4"),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores[..., :3], dim=-1) @ v[..., :3, :]",
        "only the first 3 keys were used",
    ),
    ("module", HIDE, f"masked_fill(hidden, -65504.0){ALONE}", "hidden scores were set to a finite number: "),
    (
        "module",
        HIDE,
        f"add(hidden * -1e5){ALONE}",
        "a finite number was added to hidden scores: where one is the largest even so, it gets the weight",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "(scores.exp() / (scores.exp().sum(-1, keepdim=True) + 1e-4)) @ v",
        "0.0001 was added to the sum that the softmax divides by",
    ),
    (
        "scaffold",
        "self.out_proj(",
        "self.out_proj(0.5 * ",
        "the merged heads were multiplied by 0.5 before the output projection",
    ),
    (
        "plain_class",
        "attended.transpose(1, 2)",
        "attended.roll(1, dims=1).transpose(1, 2)",
        "the heads were merged in the order 2, 0, 1",
    ),
    (
        "fused_qkv",
        "qkv.permute(2, 0, 3, 1, 4)",
        "qkv.permute(2, 0, 3, 1, 4).flip(2)",
        "the heads were taken, and their weights returned, in the order 2, 1, 0",
    ),
    (
        "plain_class",
        "attended.transpose(1, 2)",
        "attended.flip(-1).transpose(1, 2)",
        "the features of the merged heads stood in another order, which began with 5, 4, 3, 2, 1 and 0",
    ),
    (
        "module",
        "self._combine_heads(attended)",
        "self._combine_heads(torch.cat([attended[:, :-1], 0 * attended[:, -1:]], dim=1))",
        "the answers of the last head were left out: zeros stood in their places",
    ),
    (
        "plain_class",
        "attended.transpose(1, 2)",
        "torch.cat([attended[:, :1], 0 * attended[:, 1:]], dim=1).transpose(1, 2)",
        "the answers of all but the first head were left out: zeros stood in their places",
    ),
    (
        "plain_class",
        "attended.transpose(1, 2)",
        "(attended * (torch.arange(self.num_heads) != 1)[:, None, None]).transpose(1, 2)",
        "the answers of head 1 were left out: zeros stood in their places",
    ),
    ("fused_qkv", "math.sqrt(self.head_dim)", "5", "the scores were divided by 5; sqrt(head_dim) is "),
    (
        "scaffold",
        "self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)",
        "self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim)",
        "a bias was added, though the layer was made with bias=False: ",
    ),
    (
        "scaled_dot_product",
        "attention_weights = torch.softmax(scores, dim=-1)\n    else",
        f"attention_weights = torch.softmax({OWN_KEY_HIDDEN.format('-1e9')}, dim=-1)\n    else",
        "where no mask was given, a causal mask by which query t sees the keys up to t - 1 was applied",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        f"torch.softmax({OWN_KEY_HIDDEN.format('-1e9')}, dim=-1) @ v",
        "a causal mask by which query t sees the keys up to t - 1 was applied though none was given",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        f"torch.softmax({OWN_KEY_HIDDEN.format('-math.inf')}, dim=-1) @ v",
        "a causal mask by which query t sees the keys up to t - 1 was applied though none was given: the first ",
    ),
    (
        "fused_qkv",
        "        if mask is None:\n",
        "        mask = torch.ones(scores.shape[-2:]).tril(2)\n        if mask is None:\n",
        "a causal mask by which query t sees the keys up to t + 2 was applied in every call, and no mask that was ",
    ),
    (
        "sdpa_backend",
        'hides = {"is_causal": is_causal} if mask is None else {"attn_mask": allowed}',
        f"allowed = {NEAR} if is_causal else allowed\n        hides = {{'attn_mask': allowed}}",
        "with is_causal, query t saw the keys up to t + 2",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores * math.sqrt(self.head_dim), dim=-1) / math.sqrt(Q.size(-1)) @ v",
        "the weights were divided by the root of the embedding size, not the scores",
    ),
    (
        "scaffold",
        ".masked_fill(attn_logits == -math.inf, 0.0)",
        ".masked_fill(attn_logits == -math.inf, 0.0) / x.size(-1) ** 0.5",
        "the weights were divided by the root of the embedding size too, as the scores were",
    ),
    (
        "plain_class",
        "scores = q @",
        "n = k.size(2) // 16 * 16 or k.size(2)\n        k, v = k[:, :, :n], v[:, :, :n]\n        scores = q @",
        "in blocks of 16 keys, those after the last whole block were left out",
    ),
    (
        "module",
        "Q = self._split_heads(self.W_Q(query))",
        "key, value, mask = key[:, :64], value[:, :64], mask if mask is None else mask[..., :64]\n"
        "        Q = self._split_heads(self.W_Q(query))",
        "only the first 64 keys were used",
    ),
    (
        "plain_class",
        "self.W_o(attended",
        "self.W_o(self.head_dim**-0.25 * attended",
        "the merged heads were divided by the fourth root of head_dim before the output projection",
    ),
    (
        "fused_qkv",
        "self.dropout(weights)",
        "self.dropout(weights := 0.8 * weights)",
        "the weights were multiplied by 0.8 too, as the scores were",
    ),
    (
        "module",
        HIDE,
        f"sub(10.0 * hidden){ALONE}",
        "-10 was added to hidden scores, which still get a share of the weight",
    ),
    (
        "module",
        HIDE,
        f"where(~hidden, -scores){ALONE}",
        "hidden scores changed their sign",
    ),
    (
        "module",
        "self.dropout = nn.Dropout(dropout)",
        "self.dropout = lambda x: x * (torch.rand_like(x) >= dropout) if self.training and dropout else x",
        "what a mask of random numbers left of the weights, and of the output, was not scaled by 1 / (1 - p)",
    ),
    (
        "scaffold",
        "y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))",
        "y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))\n"
        "        if key_padding_mask is not None and kv is x:\n"
        "            y = y * key_padding_mask[:, :, None]",
        "in self-attention the output of padded tokens was set to 0",
    ),
    (
        "module",
        "scores = Q @",
        "K, V, mask = K[:, :, :8], V[:, :, :8], mask if mask is None else mask[..., :8]\n        scores = Q @",
        "only the first 8 keys were used",
    ),
    (
        "module",
        "scores = Q @",
        "K, V, mask = K[:, :, :12], V[:, :, :12], mask if mask is None else mask[..., :12]\n        scores = Q @",
        "only the first 12 keys were used",
    ),
    (
        "module",
        "return self.dropout(weights) @ V, weights",
        "weights = self.dropout(self.dropout(weights))\n        return weights @ V, weights",
        "dropout was applied to the attention weights twice",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores.relu(), dim=-1) @ v",
        "scores below 0 became 0 before the softmax",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "scores.exp() @ v",
        "the exponentials of the scores were used as weights, without a division by their sum",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores, dim=-1) @ nn.functional.silu(v)",
        "a silu was applied to the projected values alone",
    ),
    (
        "plain_class",
        "self.W_v(V).unflatten(-1, heads).transpose(1, 2)",
        "self.W_v(V).unflatten(-1, heads[::-1]).permute(0, 3, 1, 2)",
        "the features of the values alone were dealt out to the heads in turn",
    ),
    (
        "plain_class",
        "self.W_o(attended.transpose(1, 2).flatten(2))",
        "self.W_o(Q + attended.transpose(1, 2).flatten(2))",
        "the input was added to the merged heads, before the output projection",
    ),
    (
        "plain_class",
        "self.W_o(attended.transpose(1, 2).flatten(2))",
        "self.W_o(nn.functional.layer_norm(attended.transpose(1, 2).flatten(2), Q.shape[-1:]))",
        "a layer norm was applied to the merged heads, before the output projection",
    ),
    (
        "scaled_dot_product",
        "attention_weights = torch.softmax(scores, dim=-1)",
        "attention_weights = (torch.relu(scores) / (torch.relu(scores).sum(dim=-1, keepdim=True) + 1e-6))",
        "the scores below 0 were cut off and the others divided by their sum and a small number: no exp was taken",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "scores / scores.sum(-1, keepdim=True) @ v",
        "the scores of a query were divided by their sum, without a softmax",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores, dim=-1) @ v.flip(-2)",
        "the values were taken in reverse order: ",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores, dim=-1) @ v.flip(0)",
        "the values were taken from the batch in reverse order: ",
    ),
    (
        "plain_class",
        "scores = q @",
        "scores = q.flip(-2) @",
        "the queries were taken in reverse order: ",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "torch.softmax(scores, dim=-1) @ v.mean(0, keepdim=True)",
        "the values were averaged over the batch: ",
    ),
    (
        "plain_class",
        "scores = q @",
        "scores = q.softmax(-1) @",
        "a softmax was applied over the features of each head's queries",
    ),
    (
        "plain_class",
        "q @ k.transpose(-2, -1)",
        "q.softmax(-1) @ k.softmax(-2).transpose(-2, -1)",
        "a softmax was applied over the features of each head's queries, and over the tokens of its keys",
    ),
    (
        "module",
        "math.sqrt(self.head_dim)",
        "math.sqrt(self.head_dim)\n        scores = scores.sum(1, keepdim=True).expand_as(scores)",
        "the scores were summed over the heads, ",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        DROPS.format("x * (torch.rand_like(x) < p) / (1 - p)"),
        "dropout kept each number with probability p, and dropped it with 1 - p; what was left was scaled by 1 / (1",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        DROPS.format("x * (torch.rand(x.shape) < p) / p"),
        "dropout kept each number with probability p, and dropped it with 1 - p; what was left was scaled by 1 / p",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        DROPS.format("x * (torch.rand_like(x) < p)"),
        "dropout kept each number with probability p, and dropped it with 1 - p; what was left was not scaled",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        DROPS.format("x * (torch.rand_like(x) > p) / p"),
        "what dropout left of the weights was scaled by 1 / p, not by 1 / (1 - p)",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        DROPS.format("x * torch.dropout(torch.ones_like(x[:1]), p, True)"),
        "the same weights were dropped in all sequences",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        DROPS.format("x * torch.dropout(torch.ones_like(x[:, :1]), p, True)"),
        "the same weights were dropped in all heads",
    ),
    (
        "scaffold",
        "self.dropout = nn.Dropout(cfg.dropout_p)",
        DROPS.format("x * torch.dropout(torch.ones_like(x[:, :, :1]), p, True)"),
        "the same weights were dropped in all queries",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "scores.flatten().softmax(0).view_as(scores) @ v",
        "the softmax was taken over the whole tensor of scores",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "(top := (scores - scores.amax(-1, keepdim=True)).exp()) / top.sum() @ v",
        "the exponentials of the scores, less each query's maximum, were divided by their sum over the whole tensor",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "(top := (scores - scores.amax(-1, keepdim=True)).exp()) / top.sum(1, keepdim=True) @ v",
        "the exponentials of the scores, less each query's maximum, were divided by their sum over the heads",
    ),
    (
        "plain_class",
        "torch.softmax(scores, dim=-1) @ v",
        "scores.flatten(0, 1).softmax(0).view_as(scores) @ v",
        "the softmax was taken over all sequences and heads, ",
    ),
    (
        "plain_class",
        "heads = (self.num_heads, self.head_dim)",
        "heads = (self.head_dim, self.num_heads)",
        "the features were split into head_dim heads of num_heads features: the two sizes were exchanged",
    ),
    (
        "module",
        "return self.dropout(weights) @ V, weights",
        "return weights @ self.dropout(V.contiguous()), weights",
        "dropout was applied to the values, not to the attention weights",
    ),
]


def named(kata: str, before: str, after: str, *further: tuple[str, str]) -> list[str]:
    source = solution(kata)
    for old, new in ((before, after), *further):
        assert old in source
        source = source.replace(old, new)
    report = graded(kata, source, Options(1))
    return [check.mistake for check in results(report) if check.mistake]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("kata", "before", "after", "sentence"), CASES, ids=[case[3] for case in CASES])
def test_a_constant_is_named(kata: str, before: str, after: str, sentence: str) -> None:
    assert [mistake for mistake in named(kata, before, after) if mistake.startswith(sentence)]


def test_scores_read_in_the_order_in_which_they_were_folded_are_named() -> None:
    score, weigh = "/ math.sqrt(self.head_dim)", "self.dropout(weights) @ V"
    folded = f"{score}\n        scores = scores.transpose(0, 1).reshape(scores.shape)"
    back = "self.dropout(weights).reshape(scores.shape[1], len(scores), *scores.shape[2:]).transpose(0, 1) @ V"
    mistakes = named("module", score, folded, (weigh, back))
    assert [each for each in mistakes if each.startswith("the scores were folded head by head and read sequence by ")]


FINITE = ("scores.masked_fill(hidden, -1e4)", "scores + hidden * -1e4", "scores + hidden * -1e5")


@pytest.mark.slow
@pytest.mark.parametrize("mask", FINITE)
def test_a_call_in_which_each_query_looks_at_one_key_names_no_circumstance(mask: str) -> None:
    """The softmax over the queries gives the same values in one such call."""
    fills = "scores = scores.masked_fill(hidden, -math.inf)"
    mistakes = named("scaled_dot_product", fills, f"scores, hidden = {mask}, torch.zeros((), dtype=torch.bool)")
    assert mistakes
    assert not [mistake for mistake in mistakes if "queries" in mistake or "only in" in mistake]


def test_a_dropout_of_scores_that_are_the_lowest_number_is_no_mistake_of_masks() -> None:
    """What it scales becomes -inf, as where two masks add the lowest number each."""
    source = solution("scaffold").replace("(~attn_mask, -math.inf)", "(~attn_mask, torch.finfo(attn_logits.dtype).min)")
    source = source.replace("None, :], -math.inf)", "None, :], torch.finfo(attn_logits.dtype).min)")
    source = source.replace(
        "softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)",
        "softmax(self.dropout(attn_logits), dim=-1)",
    )
    source = source.replace("self.dropout(weights) @ v", "weights @ v")
    named = {mistake.partition(",")[0] for check in results(graded("scaffold", source)) for mistake in check.mistakes}
    assert "dropout was applied to the masked scores" in named
    assert not {mistake for mistake in named if "added the lowest number" in mistake}
