"""Mutants that are no wrong programs: each scores 100 by right, for the reason that stands here.

A record names a mutant by the changed line, before and after, as `make strength` prints it. A record that fits no
mutant fails a test; so does one whose mutant does not score 100.
"""

from tests.mutants import Change


def _same(reason: str, kata: str, before: str, *after: str) -> dict[tuple[str, Change], str]:
    return {(kata, Change(before, line)): reason for line in after}


SIZES = "a size is positive, and so is what a division leaves over"
AXES = "of four axes, 2 and -2 are the same"
ZERO = "a mask holds 0 and 1: nothing is below 0"
LOWEST = "nothing is below -inf"
ONE_SIZE = "the layers have one size, and all of them a bias or none"
ONE_DTYPE = "`k` and `v` have the dtype and device of `q`, and so has what was converted to it"
CPU = "no check sets another default device: there right answers would fail too, which make a scale or a mask a tensor"
ORDER = "the contract names no order in which the layers are drawn"

EQUIVALENT: dict[tuple[str, Change], str] = {
    **_same(
        "queries and keys have one size D",
        "scaled_dot_product",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))",
    ),
    **_same(SIZES, "plain_class", "if d_model % num_heads != 0:", "if d_model % num_heads > 0:"),
    **_same(SIZES, "functional", "if d_model % num_heads != 0:", "if d_model % num_heads > 0:"),
    **_same(SIZES, "module", "if d_model % num_heads != 0:", "if d_model % num_heads > 0:"),
    **_same(SIZES, "fused_qkv", "if d_model % num_heads != 0:", "if d_model % num_heads > 0:"),
    **_same(SIZES, "scaffold", "if cfg.embed_dim % cfg.num_heads != 0:", "if cfg.embed_dim % cfg.num_heads > 0:"),
    **_same(
        AXES,
        "plain_class",
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
    **_same(
        AXES,
        "fused_qkv",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)",
        "scores = q @ k.transpose(+2, -1) / math.sqrt(self.head_dim)",
        "scores = q @ k.transpose(2, -1) / math.sqrt(self.head_dim)",
    ),
    **_same(ZERO, "module", "hidden = mask == 0", "hidden = mask <= 0"),
    **_same(ZERO, "fused_qkv", "hidden = mask == 0", "hidden = mask <= 0"),
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
        "to unpack a tensor is to unbind it",
        "fused_qkv",
        "q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()",
        "q, k, v = qkv.permute(2, 0, 3, 1, 4)",
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
}
