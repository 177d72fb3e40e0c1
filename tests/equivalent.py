"""Mutants that are no wrong programs: each scores 100 by right, for the reason that stands here.

A record names a mutant by the changed line, before and after, as `make strength` prints it. A record that fits no
mutant fails a test; so does one whose mutant does not score 100.
"""

from grader.katas import DERIVED
from tests.grading import solution
from tests.mutants import Change, normal


def _same(reason: str, katas: str, before: str, *after: str) -> dict[tuple[str, Change], str]:
    return {(kata, Change(before, line)): reason for kata in katas.split() for line in after}


SIZES = "a size is positive, and so is what a division leaves over"
AXES = "of four axes, 2 and -2 are the same"
ZERO = "a mask holds 0 and 1: nothing is below 0"
LOWEST = "nothing is below -inf"
ONE_SIZE = "the layers have one size, and all of them a bias or none"
ONE_DTYPE = "`k` and `v` have the dtype and device of `q`, and so has what was converted to it"
CPU = "no check sets another default device: there right answers would fail too, which make a scale or a mask a tensor"
ORDER = "the contract names no order in which the layers are drawn"

TOKENS = "any tokens show it that are not alike"
ORDERS = "these two orders make all others too"
THRESHOLD = "so measured too, what is right lies below the threshold, and the smallest flaw above"
TEST = "write_head_permutation_test"
STABILITY = "write_fp16_stability_test"
SDPA = "sdpa_backend"
SDPA_SIZES = "d_model, bias = (self.W_{}.out_features, self.W_{}.bias is not None)"
DRAWN_ALIKE = "what attention takes depends on the shapes of its inputs, which are one, and not on their values"
SHOWN = "any inputs show it whose scores lie beyond the range, and near one another, in some rows of either sign"
SUMMED = "any sum over about 8192 keys shows it"
MASK = "mask = torch.arange(keys.size(-2)) < keys.size(-2) - 1"
SIZES_OF_MASK = (
    ("arange(keys.size(-2", "arange(keys.size(+2"),
    ("arange(keys.size(-2", "arange(keys.size(2"),
    ("< keys.size(-2", "< keys.size(+2"),
    ("< keys.size(-2", "< keys.size(2"),
)
IN_EPS = "so measured too, what is stable lies below the bound, and what is not lies above"
REPAIRED_OUT = (
    "out_weight = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device='cpu'), a=math.sqrt(5)).to({})"
)
REPAIRED_IN = "in_weight = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device='cpu')).to({})"
CONTEXT = "context = torch.matmul(weights, values).transpose(1, 2).reshape({}.shape[0], q.shape[1], d_model)"
MEMORY = "write_memory_benchmark"
CHANGE = "change = torch.dist(after, before, p=torch.inf) / before.abs().max()"

EQUIVALENT: dict[tuple[str, Change], str] = {
    **_same(
        "queries and keys have one size D",
        "scaled_dot_product",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))",
    ),
    **_same(
        SIZES,
        "plain_class functional module fused_qkv rope",
        "if d_model % num_heads != 0:",
        "if d_model % num_heads > 0:",
    ),
    **_same(SIZES, "scaffold", "if cfg.embed_dim % cfg.num_heads != 0:", "if cfg.embed_dim % cfg.num_heads > 0:"),
    **_same(
        AXES,
        "plain_class fused_qkv",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)",
        "scores = q @ k.transpose(+2, -1) / math.sqrt(self.head_dim)",
        "scores = q @ k.transpose(2, -1) / math.sqrt(self.head_dim)",
    ),
    **_same(
        AXES,
        "functional",
        "scores = queries @ keys.transpose(-2, -1) / math.sqrt(heads[1])",
        "scores = queries @ keys.transpose(+2, -1) / math.sqrt(heads[1])",
        "scores = queries @ keys.transpose(2, -1) / math.sqrt(heads[1])",
    ),
    **_same(
        AXES,
        "scaffold",
        "attn_logits = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)",
        "attn_logits = q @ k.transpose(+2, -1) / math.sqrt(self.head_dim)",
        "attn_logits = q @ k.transpose(2, -1) / math.sqrt(self.head_dim)",
    ),
    **_same(
        AXES,
        "module",
        "scores = Q @ K.transpose(-2, -1) / math.sqrt(self.head_dim)",
        "scores = Q @ K.transpose(+2, -1) / math.sqrt(self.head_dim)",
        "scores = Q @ K.transpose(2, -1) / math.sqrt(self.head_dim)",
    ),
    **_same(ZERO, "module fused_qkv rope", "hidden = mask == 0", "hidden = mask <= 0"),
    **_same(
        LOWEST,
        "scaffold",
        "attn_logits = (attn_logits + attn_mask).masked_fill(attn_mask == -math.inf, -math.inf)",
        "attn_logits = (attn_logits + attn_mask).masked_fill(attn_mask <= -math.inf, -math.inf)",
    ),
    **_same(
        LOWEST,
        "scaffold",
        "weights = torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)",
        "weights = torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits <= -math.inf, 0.0)",
    ),
    **_same(
        "torch has one object for a dtype",
        "scaffold",
        "if attn_mask is not None and attn_mask.dtype == torch.bool:",
        "if attn_mask is not None and attn_mask.dtype is torch.bool:",
    ),
    **_same(
        "no float mask wider than the input is promised: most right styles raise for a float32 one on a bfloat16 layer",
        "scaffold",
        "attn_mask = attn_mask.to(attn_logits.dtype)",
        "pass",
        "attn_mask = attn_mask",
        "attn_mask = attn_mask.to(attn_mask.dtype)",
    ),
    **_same(
        CPU,
        "functional",
        "w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device='cpu'), a=math.sqrt(5)).to(q)",
        "w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)",
    ),
    **_same(
        CPU,
        "functional",
        "w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device='cpu')).to(q)",
        "w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q)",
    ),
    **_same(
        ONE_DTYPE,
        "functional",
        "w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device='cpu'), a=math.sqrt(5)).to(q)",
        "w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device='cpu'), a=math.sqrt(5)).to(k)",
        "w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device='cpu'), a=math.sqrt(5)).to(v)",
    ),
    **_same(
        ONE_DTYPE,
        "functional",
        "w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device='cpu')).to(q)",
        "w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device='cpu')).to(k)",
        "w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device='cpu')).to(v)",
        "w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device='cpu')).to(w_o)",
    ),
    **_same(
        "what was converted has as many axes as before",
        "functional",
        "hidden = hidden.unsqueeze(1) if hidden.dim() == 3 else hidden",
        "hidden = hidden.unsqueeze(1) if mask.dim() == 3 else hidden",
    ),
    **_same(SIZES, "rope", "if size % 2 == 1:", "if size % 2 >= 1:"),
    **_same(SIZES, "rope", "if d_model // num_heads % 2 == 1:", "if d_model // num_heads % 2 >= 1:"),
    **_same(
        "the division before leaves nothing over",
        "rope",
        "if d_model // num_heads % 2 == 1:",
        "if d_model / num_heads % 2 == 1:",
    ),
    **_same(
        CPU,
        "rope",
        "positions = torch.arange(x.shape[1], device=x.device)",
        "positions = torch.arange(x.shape[1])",
    ),
    **_same(
        CPU,
        "rope",
        "frequencies = base ** (-torch.arange(0, size, 2, dtype=torch.float64, device=x.device) / size)",
        "frequencies = base ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)",
        "frequencies = base ** (-torch.arange(0, size, 2, dtype=torch.float64, device=positions.device) / size)",
    ),
    **_same(
        AXES,
        "rope",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])",
        "scores = q @ k.transpose(+2, -1) / math.sqrt(q.shape[-1])",
        "scores = q @ k.transpose(2, -1) / math.sqrt(q.shape[-1])",
    ),
    **_same(
        "queries, keys and values have one size D",
        "rope",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(v.shape[-1])",
    ),
    **_same(
        ORDER,
        "module",
        "for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):",
        "for layer in (self.W_K, self.W_Q, self.W_V, self.W_O):",
        "for layer in (self.W_Q, self.W_V, self.W_K, self.W_O):",
        "for layer in (self.W_Q, self.W_K, self.W_O, self.W_V):",
    ),
    **_same(
        ONE_SIZE,
        "module",
        "d_model, bias = (self.W_O.out_features, self.W_O.bias is not None)",
        "d_model, bias = (self.W_K.out_features, self.W_O.bias is not None)",
        "d_model, bias = (self.W_Q.out_features, self.W_O.bias is not None)",
        "d_model, bias = (self.W_V.out_features, self.W_O.bias is not None)",
        "d_model, bias = (self.W_O.out_features, self.W_K.bias is not None)",
        "d_model, bias = (self.W_O.out_features, self.W_Q.bias is not None)",
        "d_model, bias = (self.W_O.out_features, self.W_V.bias is not None)",
    ),
    **_same(ZERO, "repair_functional", "masked = mask != 0", "masked = mask > 0"),
    **_same(
        AXES,
        "repair_functional",
        "scores = torch.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(d_head)",
        "scores = torch.matmul(queries, keys.transpose(+2, -1)) / math.sqrt(d_head)",
        "scores = torch.matmul(queries, keys.transpose(2, -1)) / math.sqrt(d_head)",
    ),
    **_same(CPU, "repair_functional", REPAIRED_OUT.format("q"), REPAIRED_OUT.format("q").replace(", device='cpu'", "")),
    **_same(CPU, "repair_functional", REPAIRED_IN.format("q"), REPAIRED_IN.format("q").replace(", device='cpu'", "")),
    **_same(ONE_DTYPE, "repair_functional", REPAIRED_OUT.format("q"), *(REPAIRED_OUT.format(x) for x in "kv")),
    **_same(
        ONE_DTYPE,
        "repair_functional",
        REPAIRED_IN.format("q"),
        *(REPAIRED_IN.format(x) for x in ("k", "v", "out_weight")),
    ),
    **_same(
        "they have one number of sequences",
        "repair_functional",
        CONTEXT.format("q"),
        *(CONTEXT.format(x) for x in ("k", "v", "queries", "keys", "values", "scores", "weights")),
    ),
    **_same(
        "what was converted has as many axes as before",
        "repair_functional",
        "if masked.dim() == 3:",
        "if mask.dim() == 3:",
    ),
    **_same(
        TOKENS,
        TEST,
        "tokens = torch.randn(2, 5, attention.d_model)",
        "tokens = torch.randn(3, 5, attention.d_model)",
        "tokens = torch.randn(2, 6, attention.d_model)",
        "tokens = torch.randn(2, 4, attention.d_model)",
        "tokens = torch.randn(5, 2, attention.d_model)",
    ),
    **_same(
        ORDERS,
        TEST,
        "exchanged = torch.cat([heads[:2].flip(0), heads[2:]])",
        "exchanged = torch.cat([heads[2:], heads[:2].flip(0)])",
    ),
    **_same(
        ORDERS,
        TEST,
        "for order in (heads.roll(1), exchanged):",
        "for order in (exchanged, heads.roll(1)):",
        "for order in (exchanged.roll(1), exchanged):",
    ),
    **_same(
        "of one axis, 0 and -1 are the same",
        TEST,
        "exchanged = torch.cat([heads[:2].flip(0), heads[2:]])",
        "exchanged = torch.cat([heads[:2].flip(-1), heads[2:]])",
    ),
    **_same(
        "of one axis, 0 and -1 are the same",
        TEST,
        "features = torch.arange(attention.d_model).unflatten(0, (attention.num_heads, -1))[order].flatten()",
        "features = torch.arange(attention.d_model).unflatten(-1, (attention.num_heads, -1))[order].flatten()",
    ),
    **_same(
        "two permutations one after the other are a permutation",
        TEST,
        "permuted = dict(parameters)",
        "permuted = parameters",
    ),
    **_same(
        "what is read there was not permuted before",
        TEST,
        "permuted['W_O.weight'] = parameters['W_O.weight'][:, features]",
        "permuted['W_O.weight'] = permuted['W_O.weight'][:, features]",
    ),
    **_same(
        "what is read there was not permuted before",
        TEST,
        "permuted[f'W_{layer}.weight'] = parameters[f'W_{layer}.weight'][features]",
        "permuted[f'W_{layer}.weight'] = permuted[f'W_{layer}.weight'][features]",
    ),
    **_same(
        "what is read there was not permuted before",
        TEST,
        "permuted[f'W_{layer}.bias'] = parameters[f'W_{layer}.bias'][features]",
        "permuted[f'W_{layer}.bias'] = permuted[f'W_{layer}.bias'][features]",
    ),
    **_same(
        THRESHOLD,
        TEST,
        CHANGE,
        "change = torch.dist(after, before, p=torch.inf) * before.abs().max()",
        "change = torch.dist(after, before, p=torch.inf) % before.abs().max()",
        "change = torch.dist(after, before, p=torch.inf) / before.max()",
        "change = torch.dist(after, before) / before.abs().max()",
        "change = torch.dist(before, after, p=torch.inf) / before.abs().max()",
        "change = torch.dist(after, before, p=torch.inf) / after.abs().max()",
        "change = torch.dist(after, before, p=torch.inf) / tokens.abs().max()",
        "change = torch.dist(after, before, p=torch.inf) / features.abs().max()",
    ),
    **_same(
        THRESHOLD,
        TEST,
        "assert change < 0.001, f'the heads in the order {order.tolist()} change the output by {change:.2%}'",
        "assert change <= 0.001, f'the heads in the order {order.tolist()} change the output by {change:.2%}'",
    ),
    **_same(
        "what an error says is no part of a contract",
        TEST,
        "assert change < 0.001, f'the heads in the order {order.tolist()} change the output by {change:.2%}'",
        "assert change < 0.001, f'the heads in the order {order} change the output by {change:.2%}'",
    ),
    **_same(
        SHOWN,
        STABILITY,
        "q, k, v = torch.randn(3, 2, 2, 16, 64)",
        "q, k, v = torch.randn(3, 3, 2, 16, 64)",
        "q, k, v = torch.randn(3, 1, 2, 16, 64)",
        "q, k, v = torch.randn(3, 2, 3, 16, 64)",
        "q, k, v = torch.randn(3, 2, 1, 16, 64)",
        "q, k, v = torch.randn(3, 2, 2, 17, 64)",
        "q, k, v = torch.randn(3, 2, 2, 15, 64)",
        "q, k, v = torch.randn(3, 2, 2, 16, 65)",
        "q, k, v = torch.randn(3, 2, 2, 16, 63)",
        "q, k, v = torch.randn(3, 2, 2, 64, 16)",
        "k, q, v = torch.randn(3, 2, 2, 16, 64)",
        "q, v, k = torch.randn(3, 2, 2, 16, 64)",
    ),
    **_same(
        SHOWN,
        STABILITY,
        "q[..., 0], k[..., 0] = (256, 384)",
        "q[..., -1], k[..., 0] = (256, 384)",
        "q[0, ...], k[..., 0] = (256, 384)",
        "k[..., 0], k[..., 0] = (256, 384)",
        "q[..., 0], k[..., 0] = (257, 384)",
        "q[..., 0], k[..., 0] = (255, 384)",
        "q[..., 0], k[..., 0] = (256, 385)",
        "q[..., 0], k[..., 0] = (256, 383)",
    ),
    **_same(
        SHOWN,
        STABILITY,
        "q[..., ::2, 0], k[..., -1, 0] = (-256, 768)",
        "q[..., ::3, 0], k[..., -1, 0] = (-256, 768)",
        "q[..., 0, ::2], k[..., -1, 0] = (-256, 768)",
        "q[..., ::2, 0], k[..., -1, 1] = (-256, 768)",
        "q[..., ::2, 0], k[..., -1, -1] = (-256, 768)",
        "q[..., ::2, 0], k[..., -1, 0] = (~256, 768)",
        "q[..., ::2, 0], k[..., -1, 0] = (-257, 768)",
        "q[..., ::2, 0], k[..., -1, 0] = (-255, 768)",
        "q[..., ::2, 0], k[..., -1, 0] = (-256, 769)",
        "q[..., ::2, 0], k[..., -1, 0] = (-256, 767)",
    ),
    **_same(
        SUMMED,
        STABILITY,
        "few, many = (torch.randn(1, 1, 2, 8), torch.randn(1, 1, 8192, 8))",
        "few, many = (torch.randn(2, 1, 2, 8), torch.randn(1, 1, 8192, 8))",
        "few, many = (torch.randn(1, 2, 2, 8), torch.randn(1, 1, 8192, 8))",
        "few, many = (torch.randn(1, 1, 3, 8), torch.randn(1, 1, 8192, 8))",
        "few, many = (torch.randn(1, 1, 1, 8), torch.randn(1, 1, 8192, 8))",
        "few, many = (torch.randn(1, 2, 1, 8), torch.randn(1, 1, 8192, 8))",
        "few, many = (torch.randn(1, 1, 2, 8), torch.randn(2, 1, 8192, 8))",
        "few, many = (torch.randn(1, 1, 2, 8), torch.randn(1, 2, 8192, 8))",
        "few, many = (torch.randn(1, 1, 2, 8), torch.randn(1, 1, 8191, 8))",
    ),
    **_same(
        SUMMED,
        STABILITY,
        "for given in ((q, k, v), (few, many, many.abs())):",
        "for given in ((few, many, many.abs()), (q, k, v)):",
        "for given in ((q, k, v), (few, many.abs(), many)):",
        "for given in ((q, k, v), (few, many, many)):",
        "for given in ((q, k, q), (few, many, many.abs())):",
    ),
    **_same(
        "the order of the dtypes decides nothing",
        STABILITY,
        "for dtype in (torch.float16, torch.bfloat16):",
        "for dtype in (torch.bfloat16, torch.float16):",
    ),
    **_same(
        "any mask shows it that hides the last key, and leaves half of them",
        STABILITY,
        MASK,
        MASK.replace(") - 1", ") >> 1"),
        MASK.replace("<", "!="),
        MASK.replace("- 1", "- 2"),
    ),
    **_same(AXES, STABILITY, MASK, *(MASK.replace(*each) for each in SIZES_OF_MASK)),
    **_same(
        "there are as many keys as values",
        STABILITY,
        MASK,
        MASK.replace("arange(keys", "arange(values"),
        MASK.replace("< keys", "< values"),
    ),
    **_same(
        "queries, keys, values and output have one size D",
        STABILITY,
        "scores = queries @ keys.mT / queries.size(-1) ** 0.5",
        *(f"scores = queries @ keys.mT / {x}.size(-1) ** 0.5" for x in ("keys", "output", "values")),
    ),
    **_same(
        ZERO,
        STABILITY,
        "expected = scores.masked_fill(mask == 0, -torch.inf).softmax(-1) @ values",
        "expected = scores.masked_fill(mask <= 0, -torch.inf).softmax(-1) @ values",
    ),
    **_same(
        "inputs are rounded by less than the bound leaves",
        STABILITY,
        "queries, keys, values = (tensor.double() for tensor in halves)",
        "queries, keys, values = (tensor.double() for tensor in given)",
    ),
    **_same(
        "the difference is taken in float64, and sums are added in float32",
        STABILITY,
        "output, weights = (tensor.double() for tensor in attention(*halves, mask))",
        "output, weights = (tensor for tensor in attention(*halves, mask))",
    ),
    **_same(
        IN_EPS,
        STABILITY,
        "bound = 4 * torch.finfo(dtype).eps",
        "bound = 5 * torch.finfo(dtype).eps",
        "bound = 3 * torch.finfo(dtype).eps",
    ),
    **_same(
        IN_EPS,
        STABILITY,
        "error = (output - expected).abs().mean() / expected.abs().mean()",
        "error = (expected - output).abs().mean() / expected.abs().mean()",
        "error = (output - expected).abs().mean() % expected.abs().mean()",
        *(
            f"error = (output - expected).abs().mean() / {x}.abs().mean()"
            for x in ("few", "many", "output", "v", "values")
        ),
    ),
    **_same(
        IN_EPS,
        STABILITY,
        "beyond = (weights.sum(-1) - 1).abs().max()",
        "beyond = (1 - weights.sum(-1)).abs().max()",
    ),
    **_same(
        IN_EPS,
        STABILITY,
        "assert error < bound, f'the output is wrong by {error:.2e} in {dtype}'",
        "assert error <= bound, f'the output is wrong by {error:.2e} in {dtype}'",
    ),
    **_same(
        IN_EPS,
        STABILITY,
        "assert beyond < bound, f'weights sum to 1 within {beyond:.2e} alone in {dtype}'",
        "assert beyond <= bound, f'weights sum to 1 within {beyond:.2e} alone in {dtype}'",
    ),
    **_same(SIZES, SDPA, "if d_model % num_heads != 0:", "if d_model % num_heads > 0:"),
    **_same(
        ZERO, SDPA, "allowed = None if mask is None else mask != 0", "allowed = None if mask is None else mask > 0"
    ),
    **_same(
        "of two masks both must allow, in any order, and a product of bools is bool",
        SDPA,
        "return earlier if allowed is None else allowed & earlier",
        "return earlier if allowed is None else allowed * earlier",
        "return earlier if allowed is None else earlier & allowed",
    ),
    **_same(
        "where there is no mask, there is nothing that it allows",
        SDPA,
        "return earlier if allowed is None else allowed & earlier",
        "return earlier if mask is None else allowed & earlier",
    ),
    **_same(
        AXES,
        SDPA,
        "scores = Q @ K.transpose(-2, -1) / math.sqrt(self.head_dim)",
        "scores = Q @ K.transpose(+2, -1) / math.sqrt(self.head_dim)",
        "scores = Q @ K.transpose(2, -1) / math.sqrt(self.head_dim)",
    ),
    **_same(
        "what is allowed is worked out for `is_causal` too: as a mask it hides the same, only slower",
        SDPA,
        "hides = {'is_causal': is_causal} if mask is None else {'attn_mask': allowed}",
        "hides = {'is_causal': is_causal} if False else {'attn_mask': allowed}",
        *(
            f"hides = {{'is_causal': is_causal}} if {x} is None else {{'attn_mask': allowed}}"
            for x in ("K", "Q", "V", "allowed", "is_causal", "key", "query", "return_attention", "value")
        ),
    ),
    **_same(
        ORDER,
        SDPA,
        "for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):",
        "for layer in (self.W_K, self.W_Q, self.W_V, self.W_O):",
        "for layer in (self.W_Q, self.W_V, self.W_K, self.W_O):",
        "for layer in (self.W_Q, self.W_K, self.W_O, self.W_V):",
    ),
    **_same(
        "there are as many keys as values",
        SDPA,
        "allowed = self._allowed(mask, is_causal, query.shape[1], key.shape[1])",
        "allowed = self._allowed(mask, is_causal, query.shape[1], value.shape[1])",
    ),
    **_same(
        ONE_SIZE,
        SDPA,
        SDPA_SIZES.format("O", "O"),
        *(SDPA_SIZES.format(x, "O") for x in "QKV"),
        *(SDPA_SIZES.format("O", x) for x in "QKV"),
    ),
    **_same(
        "the bytes are whole numbers below 2 ** 24, or the exponent is off by less than a millionth",
        MEMORY,
        "x, y = torch.tensor(rows, dtype=torch.float64).log().T",
        "x, y = torch.tensor(rows).log().T",
    ),
    **_same(
        DRAWN_ALIKE,
        MEMORY,
        "q, k, v = torch.randn(3, 1, 1, length, 64)",
        "k, q, v = torch.randn(3, 1, 1, length, 64)",
        "q, v, k = torch.randn(3, 1, 1, length, 64)",
    ),
    **_same(
        DRAWN_ALIKE,
        MEMORY,
        "attention(q, k, v)",
        *(
            f"attention({x})"
            for x in ("k, q, v", "q, v, k", "k, k, v", "v, k, v", "q, q, v", "q, v, v", "q, k, k", "q, k, q")
        ),
    ),
    **_same(
        "a dot product has no order",
        MEMORY,
        "return float(x @ y / (x @ x))",
        "return float(y @ x / (x @ x))",
    ),
}
EQUIVALENT |= {
    (kata, change): reason
    for kata, base in DERIVED.items()
    for (of, change), reason in EQUIVALENT.items()
    if of == base and change.before in normal(solution(kata))
}
"""And in a kata derived of another one, where the line is the same."""
