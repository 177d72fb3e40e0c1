"""The parts of our solution of `plain_class` that mistakes change, and what they change to."""

SCALE = " / math.sqrt(self.head_dim)"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
SOFTMAX = "torch.softmax(scores, dim=-1)"
Q = "self.W_q(Q).unflatten(-1, heads).transpose(1, 2)"
K = "self.W_k(K).unflatten(-1, heads).transpose(1, 2)"
V = "self.W_v(V).unflatten(-1, heads).transpose(1, 2)"
MIX = "torch.softmax(scores, dim=-1) @ v"
MERGED = "attended.transpose(1, 2).flatten(2)"
OUT = "self.W_o(attended.transpose(1, 2).flatten(2))"
LAYER = "self.W_q = nn.Linear(d_model, d_model)"


def each(split: str) -> tuple[tuple[str, str], ...]:
    """Another split of all three."""
    return tuple((old, old[: old.index(")") + 1] + split) for old in (Q, K, V))


BY_VIEW = tuple((old, f"{old[:11]}.reshape(len(Q), self.num_heads, -1, self.head_dim)") for old in (Q, K, V))
BACK_BY_VIEW = (MERGED, "attended.reshape(len(Q), Q.size(1), -1)")
TO_HEADS_OF_A_TOKEN = each(".unflatten(-1, heads)")
BACK_BY_SIZE = (MERGED, "attended.transpose(1, 2).reshape(Q.shape)")
BACK_FROM_A_TOKEN = (MERGED, "attended.flatten(2)")
IN_TURN = each(".unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)")
BACK_IN_TURN = (MERGED, "attended.permute(0, 2, 3, 1).flatten(2)")

FORWARD = "    def forward("
DEF = "class MultiHeadAttention:"
LATER = "torch.ones(Q.size(1), K.size(1), dtype=torch.bool).triu(1)"


def frozen(projected: str) -> str:
    """`self.W_q(Q)...` with weights that get no gradient."""
    layer, x, rest = projected[:8], projected[9], projected[11:]
    return f"({x} @ {layer}.weight.T.detach() + {layer}.bias){rest}"
