"""The parts of our solution of `scaffold` that mistakes change, and what they change to."""

SCALE = " / math.sqrt(self.head_dim)"
LOGITS = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
SOFTMAX = "torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)"
HIDE = "attn_logits.masked_fill(~attn_mask, -math.inf)"
ADD = "(attn_logits + attn_mask).masked_fill(attn_mask == -math.inf, -math.inf)"
PAD = "attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -math.inf)"
MASKED = "self._apply_masks(attn_logits, attn_mask, key_padding_mask)"
Q, K, V = "self.q_proj(x)", "self.k_proj(kv)", "self.v_proj(kv)"
SPLIT = "x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)"
MERGE = "x.transpose(1, 2).flatten(2)"
MIX = "self.dropout(weights) @ v"
OUT = "self.out_proj(self._merge_heads(self.dropout(weights) @ v))"
MEAN = "weights.mean(dim=1)"
LAYER_Q = "self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)"
TO_HEADS_OF_A_TOKEN = (SPLIT, "x.unflatten(-1, (self.num_heads, self.head_dim))")
BACK_BY_SIZE = (MERGE, "x.transpose(1, 2).reshape(len(x), -1, self.num_heads * self.head_dim)")
BACK_FROM_A_TOKEN = (MERGE, "x.flatten(2)")

POWERS = "(attn_logits - attn_logits.amax(-1, keepdim=True)).exp()"
FORWARD = "    def forward("
DEF = "class MultiHeadAttention(nn.Module):"
FIRST = "if attn_mask is not None and attn_mask.dtype == torch.bool:"
HID = "return attn_logits\n"
MIX_MERGED = f"self._merge_heads({MIX})"
LATER = "torch.ones(attn_logits.shape[-2:], dtype=torch.bool).triu(1)"
BY_LARGEST = "((attn_logits - attn_logits.max()).exp() / (attn_logits - attn_logits.max()).exp().sum(-1, keepdim=True))"
BY_LARGEST_OF_MATRIX = BY_LARGEST.replace("max()", "amax((-2, -1), keepdim=True)")


def first(mask: str, other: str) -> tuple[str, str]:
    """A mask becomes another one before anything is done with it."""
    return FIRST, f"{mask} = None if {mask} is None else {other}\n        {FIRST}"
